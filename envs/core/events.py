"""Events: what happened in a game, in order, and which seats perceive which part of it.

Rules write them where they happen: `emit` a fact, `emit_card` and `emit_cards` what was done with cards. In compiled code these
calls are nothing at all. Rules that are interpreted in a `with recording(rows)` append to that list, so that a game's history
is found by playing it again as plain Python (`history.py`).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from . import cards

# The kinds, the same in all games: what a number means to an agent does not depend on the game.
(
    DEAL, DRAW, PLAY, DISCARD, REVEAL, REDEAL, TURN_UP, SHUFFLE, COLLECT, SET_ASIDE, GIVE, EXCHANGE, MELD, LAY_OFF,
    KNOCK, CLAIM, CHALLENGE, ASK, ANSWER, PASS, BID, BET, CALL, RAISE, CHECK, FOLD, DOUBLE, REDOUBLE, CONTRACT,
    DECLARE, SELECT, CHOOSE, HIT, STAND, SPLIT, INSURE, SURRENDER, SLAP, TRICK_WON, WIN, POST, PAY, SCORE, SKIPPED,
    DIRECTION, PAUSE, TURN, ROUND, OUT, RANKED, BANK, HAND, FORFEIT, GAME_OVER,
    LOSE,
) = range(55)  # fmt: skip
KIND_NAMES = (
    "deal", "draw", "play", "discard", "reveal", "redeal", "turn_up", "shuffle", "collect", "set_aside", "give",
    "exchange", "meld", "lay_off", "knock", "claim", "challenge", "ask", "answer", "pass", "bid", "bet", "call",
    "raise", "check", "fold", "double", "redouble", "contract", "declare", "select", "choose", "hit", "stand",
    "split", "insure", "surrender", "slap", "trick_won", "win", "post", "pay", "score", "skipped", "direction",
    "pause", "turn", "round", "out", "ranked", "bank", "hand", "forfeit", "game_over",
    "lose",
)  # fmt: skip

NOBODY = -1  # no seat, no card
EVERYBODY = -1  # all seats, as bits


@dataclass(frozen=True)
class EventKind:
    """Something that can happen in a game.

    Attributes:
        kind: its number, one of those above.
        doc: when it happens and who perceives what; becomes a row of the game's page.
        text: as a sentence, in which stand {player}, {cards}, {other}, {amount} or what else `words` names.
        words: what an amount is called: the words by number, or a function of (amount, options).
        nobody: who {player} and {other} are where that is no seat, such as "the dealer".
        secret: only the seats in `seen` perceive it at all. Of others everybody does, without the cards.
    """

    kind: int
    doc: str
    text: str
    words: Any = None
    secret: bool = False
    nobody: str = "nobody"

    @property
    def name(self) -> str:
        return KIND_NAMES[self.kind]


# What every game has, unless it declares the kind itself.
COMMON = (
    EventKind(HAND, "a hand begins: its number in the episode", "hand {amount}"),
    EventKind(FORFEIT, "an illegal action ended the game", "{player} made an illegal move and forfeits"),
    EventKind(GAME_OVER, "the episode has ended", "the game is over"),
)


def kinds_of(game: Any) -> dict[int, EventKind]:
    """What can happen in a game, by kind: what it declares, then what every game has."""
    declared = {kind.kind: kind for kind in game.events}
    return declared | {kind.kind: kind for kind in COMMON if kind.kind not in declared}


class Row(NamedTuple):
    """An event as rules write it, a row for each of its cards. `seen` are the seats that see the card, as bits; `left` how many
    cards of the event come after it."""

    kind: int
    seat: int
    card: int
    other: int
    amount: int
    seen: int
    left: int


class _Recorder(threading.local):
    rows: list[Row] | None = None


recorder = _Recorder()


@contextlib.contextmanager
def recording(rows: list[Row]) -> Iterator[None]:
    """What rules that are interpreted in this thread emit is appended to `rows`."""
    before, recorder.rows = recorder.rows, rows
    try:
        yield
    finally:
        recorder.rows = before


def emit(state: Any, kind: Any, seat: Any, amount: Any, other: Any) -> None:
    """A fact that everybody perceives: who (NOBODY: the game itself), how much, and whom else it concerns."""
    if recorder.rows is not None:
        recorder.rows.append(Row(int(kind), int(seat), NOBODY, int(other), int(amount), EVERYBODY, 0))


def emit_secret(state: Any, kind: Any, seat: Any, amount: Any, seen: Any, other: Any) -> None:
    """As `emit`, of a secret kind: a fact that the seats `seen` (bits) alone perceive."""
    if recorder.rows is not None:
        recorder.rows.append(Row(int(kind), int(seat), NOBODY, int(other), int(amount), int(seen), 0))


def emit_card(state: Any, kind: Any, seat: Any, card: Any, seen: Any, other: Any) -> None:
    """What a seat did with a card, which the seats `seen` (bits) see; `other` is to or from whom."""
    if recorder.rows is not None:
        recorder.rows.append(Row(int(kind), int(seat), int(card), int(other), 1, int(seen), 0))


def emit_list(state: Any, kind: Any, seat: Any, ids: Any, first: Any, end: Any, seen: Any, other: Any) -> None:
    """As `emit_card`, of the cards `ids[first:end]` as one event; none of no cards."""
    if recorder.rows is not None:
        count = int(end) - int(first)
        for k in range(count):
            card = int(ids[int(first) + k])
            recorder.rows.append(Row(int(kind), int(seat), card, int(other), count, int(seen), count - 1 - k))


def emit_cards(state: Any, kind: Any, seat: Any, suited: Any, jokers: Any, seen: Any, other: Any) -> None:
    """As `emit_list`, of a set of cards as games with the Extended Deck keep them: two words of bits (`extended/sets.py`)."""
    if recorder.rows is not None:
        ids = [bit if bit < cards.STANDARD else bit + 2 for bit in range(64) if int(suited) >> bit & 1]
        ids += [cards.SMALL_JOKER + bit for bit in range(2) if int(jokers) >> bit & 1]
        emit_list(state, kind, seat, ids, 0, len(ids), seen, other)


def compiles_to_nothing(function: Any) -> None:
    """Make a plain function one that rules may call for the record of what happens: compiled, a call of it is nothing."""

    class Typed(AbstractTemplate):
        def generic(self, arguments: Any, keywords: Any) -> Any:
            return signature(types.none, *arguments)

    infer_global(function)(Typed)

    @lower_builtin(function, types.VarArg(types.Any))
    def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_dummy_value()

    function.is_nothing_compiled = True


for _emitter in (emit, emit_secret, emit_card, emit_list, emit_cards):
    compiles_to_nothing(_emitter)


@dataclass(frozen=True)
class Event:
    """Something that happened, as a seat perceived it.

    Attributes:
        kind: its name, such as "play"; `Game.events` are those of a game.
        player: the seat that did it, None if nobody did.
        cards: ids, -1 of a card that the seat did not see.
        other: the seat to or from which it was done, None if there is none.
        amount: of an event without cards how much, such as a bid; else how many cards.
    """

    kind: str
    player: int | None
    cards: tuple[int, ...]
    other: int | None
    amount: int
    _text: str = field(default="", compare=False, repr=False)

    def to_json(self, joker_kinds: bool = True) -> dict[str, Any]:
        """For JSON: all but the cards as they are, these as text, and the sentence."""
        words = [cards.text([card], joker_kinds) for card in self.cards]
        return {
            "kind": self.kind,
            "player": self.player,
            "cards": words,
            "other": self.other,
            "amount": self.amount,
            "text": self.text(),
        }

    def text(self) -> str:
        """The event as a sentence, such as "player 2 plays 5h"."""
        return self._text


def perceived(rows: Sequence[Row], viewer: int | None, game: Any, options: Any) -> list[Event]:
    """The events that a seat perceived, in order; with None all that happened.

    Raises:
        ValueError: a row is of a kind that the game does not declare.
    """
    kinds = kinds_of(game)
    events, ids = [], []
    for row in rows:
        if row.kind not in kinds:
            raise ValueError(f"{game.id} emits {KIND_NAMES[row.kind]!r}, which its `events` do not declare")
        sees = viewer is None or row.seen >> viewer & 1
        if kinds[row.kind].secret and not sees:
            continue
        if row.card != NOBODY:
            ids.append(row.card if sees else cards.HIDDEN)
        if row.left == 0:
            events.append(_event(kinds[row.kind], row, tuple(ids), game, options))
            ids = []
    return events


def _event(kind: EventKind, row: Row, ids: tuple[int, ...], game: Any, options: Any) -> Event:
    player, other = (None if seat == NOBODY else seat for seat in (row.seat, row.other))
    text = kind.text.format(
        player=kind.nobody if row.seat == NOBODY else f"player {row.seat}",
        other=kind.nobody if row.other == NOBODY else f"player {row.other}",
        cards=_in_words(ids, game.joker_kinds),
        amount=_words_of(kind, row.amount, options),
        s="" if row.amount == 1 else "s",
    )
    return Event(kind.name, player, ids, other, row.amount, text)


def _in_words(ids: Sequence[int], joker_kinds: bool) -> str:
    seen = [card for card in ids if card != cards.HIDDEN]
    hidden = len(ids) - len(seen)
    if hidden and not seen:
        return "a card" if hidden == 1 else f"{hidden} cards"
    return cards.text(seen, joker_kinds) + (f" and {hidden} more" if hidden else "")


def _words_of(kind: EventKind, amount: int, options: Any) -> str:
    if callable(kind.words):
        return str(kind.words(amount, options))
    return str(amount) if kind.words is None else str(kind.words[amount])
