"""What there is to say of a game: games list facts, and all texts of them are made here."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple


class FactRole(enum.Enum):
    """What a fact says, by which tables are drawn: of a seat a badge, of the game a line of its panel."""

    NOTE = "note"  # what is only read
    COURSE = "course"  # how far the game is: its hand, trick or turn
    TRUMP = "trump"
    CONTRACT = "contract"
    AUCTION = "auction"  # its calls between spaces, from the seat that began on
    BID = "bid"
    TRICKS = "tricks"  # that were won
    LEAD = "lead"  # who leads or led
    TO_BEAT = "to_beat"  # what is to be beaten, matched or believed
    DEALER = "dealer"  # or the button
    BANKER = "banker"
    TITLE = "title"  # what a seat is: dummy, landlord, President
    PARTNER = "partner"
    DIRECTION = "direction"  # of play or passing
    STAKES = "stakes"  # to be won: the pot
    BET = "bet"
    CHIPS = "chips"
    TOTAL = "total"  # of a hand of cards
    LEVEL = "level"  # of a team, or under which play is: the knock card, who is vulnerable
    SCORE = "score"
    PENALTY = "penalty"  # cards to take, turns to miss
    PAUSE = "pause"
    OUT = "out"  # who takes no part any more, or for now
    KNOWN = "known"  # cards that a hand holds, as signs between spaces
    LACKED = "lacked"  # of those that it does not hold
    SEEN = "seen"  # what a table shows in any case: the order of a hand, seats that say it themselves


class Fact(NamedTuple):
    """One thing that a viewer may know.

    Attributes:
        text: a few words, in which `who(seat)` names players. Without text it is no part of the status.
        seat: whom it is about. A text that does not name them belongs to a line of their own, "player 2: 14 chips, bet 3".
        role: what it says.
        value: of what it says the number or word, for who draws it: 3 of "bet 3"; of a fact about all seats one for each.
        sep: what stands before it in the status, on the line of the fact before; None: "; ", ", " in the line of a seat.
    """

    text: str
    seat: int | None = None
    role: FactRole = FactRole.NOTE
    value: float | str | tuple[float, ...] | None = None
    sep: str | None = None

    @property
    def line(self) -> int | None:
        """The seat in whose line of the status it stands."""
        return None if self.seat is None or who(self.seat) in self.text else self.seat

    @property
    def label(self) -> str:
        """What it says, beside the seat it is about."""
        text = self.text if self.seat is None else re.sub(rf"( of)? ?{re.escape(who(self.seat))} ?", "", self.text)
        value = f"{self.role.value} {self.value}" if isinstance(self.value, int) else self.value or self.role.value
        return named(text or str(value))


_WHO = re.compile(r"\{(\d+)\}")


def who(seat: int) -> str:
    """A player in the text of a fact, to be named by who shows it."""
    return f"{{{int(seat)}}}"


def named(text: str, you: int | None = None) -> str:
    """A fact's text with its players."""
    return _WHO.sub(lambda found: f"player {found[1]}{' (you)' if found[1] == str(you) else ''}", text)


def joined(sep: str, facts: Iterable[Fact]) -> list[Fact]:
    """Facts of one line with this between them."""
    return [fact._replace(sep=fact.sep or sep) if k else fact for k, fact in enumerate(facts)]


def lines(facts: Iterable[Fact], you: int | None = None) -> list[tuple[int | None, str]]:
    """The lines of the status, each with the seat it is about."""
    made: list[list[Any]] = []
    for fact in (fact for fact in facts if fact.text):
        words = named(fact.text, you)
        near = made if fact.line is not None and not fact.sep else made[-1:] if fact.sep != "\n" else []
        line = next((line for line in near if fact.sep or line[0] == fact.line), None)
        if line is None:
            made.append([fact.line, words])
        else:
            line[1] += (fact.sep or ("; " if fact.line is None else ", ")) + words
    return [(seat, text) for seat, text in made]


def status(facts: Sequence[Fact], you: int | None = None) -> str:
    """Facts as text: lines of the game, and one for each seat of which something is to be said."""
    return "\n".join(text if seat is None else f"{named(who(seat), you)}: {text}" for seat, text in lines(facts, you))
