"""Facts about the state of a game, which games list, and their texts, which are made here."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple


class FactRole(enum.Enum):
    """The meaning of a fact, which decides how it is drawn: as a badge of a seat or a line about the game."""

    NOTE = "note"  # text only
    COURSE = "course"  # the progress of the game: its hand, trick or turn
    TRUMP = "trump"
    CONTRACT = "contract"
    AUCTION = "auction"  # the seat's calls separated by spaces, starting from the opening seat
    BID = "bid"
    TRICKS = "tricks"  # tricks or cards won
    LEAD = "lead"  # leads or led the trick
    TO_BEAT = "to_beat"  # the combination, card or claim to beat, match or believe
    DEALER = "dealer"  # the dealer or the button
    BANKER = "banker"
    TITLE = "title"  # a role of the seat: dummy, landlord, President
    PARTNER = "partner"
    DIRECTION = "direction"  # the direction of play or passing
    STAKES = "stakes"  # the prize: the pot
    BET = "bet"
    CHIPS = "chips"
    TOTAL = "total"  # the number of cards in a hand
    LEVEL = "level"  # of a team, or a condition of play: the knock card, vulnerability
    SCORE = "score"
    PENALTY = "penalty"  # cards to draw, turns to miss
    PAUSE = "pause"
    OUT = "out"  # out of the game, or for now
    KNOWN = "known"  # cards known to be in a hand, as symbols separated by spaces
    LACKED = "lacked"  # cards known not to be in it
    SEEN = "seen"  # shown by every table anyway: the order of a hand, actions that seats announce


class Fact(NamedTuple):
    """A fact that a viewer may know.

    Attributes:
        text: a few words, in which `who(seat)` names players. A fact without text is not part of the status.
        seat: the seat that it is about. A text that does not name the seat goes to the seat's line, "player 2: 14 chips, bet
            3".
        role: its meaning.
        value: the number or word for drawing, such as 3 for "bet 3"; for a fact about all seats, one per seat.
        sep: the separator from the previous fact on the same line of the status; None: "; ", or ", " in a seat's line.
    """

    text: str
    seat: int | None = None
    role: FactRole = FactRole.NOTE
    value: float | str | tuple[float, ...] | None = None
    sep: str | None = None

    @property
    def line(self) -> int | None:
        """The seat whose line of the status has this fact, or None."""
        return None if self.seat is None or who(self.seat) in self.text else self.seat

    @property
    def label(self) -> str:
        """The words of the fact for display at its seat."""
        text = self.text if self.seat is None else re.sub(rf"( of)? ?{re.escape(who(self.seat))} ?", "", self.text)
        value = f"{self.role.value} {self.value}" if isinstance(self.value, int) else self.value or self.role.value
        return named(text or str(value))


_WHO = re.compile(r"\{(\d+)\}")


def who(seat: int) -> str:
    """A placeholder for a player in the text of a fact, which `named` replaces."""
    return f"{{{int(seat)}}}"


def counted(number: int, noun: str, nouns: str = "") -> str:
    """A number of things: `1 point`, `2 points`."""
    return f"{int(number)} {noun if number == 1 else nouns or noun + 's'}"


def named(text: str, you: int | None = None) -> str:
    """A fact's text with the players named."""
    return _WHO.sub(lambda found: f"player {found[1]}{' (you)' if found[1] == str(you) else ''}", text)


def joined(sep: str, facts: Iterable[Fact]) -> list[Fact]:
    """The facts, joined on one line with this separator."""
    return [fact._replace(sep=fact.sep or sep) if k else fact for k, fact in enumerate(facts)]


def lines(facts: Iterable[Fact], you: int | None = None) -> list[tuple[int | None, str]]:
    """The lines of the status, each with its seat (None: the game)."""
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
    """The facts as text: lines about the game, and one line for each seat with facts."""
    return "\n".join(text if seat is None else f"{named(who(seat), you)}: {text}" for seat, text in lines(facts, you))
