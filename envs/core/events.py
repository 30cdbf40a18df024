"""Events: what happened in a game, in order, and which seats perceive which part of it.

Rules write them where they happen: `emit` a fact, `emit_card` and `emit_cards` what was done with cards. In compiled code these
calls are nothing at all, but for records with a log (`logged_dtype`), by which batches tell histories (`tokens.py`). Rules that
are interpreted in a `with recording(rows)` append to that list, so that the history of one game is found by playing it again as
plain Python (`history.py`).
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from . import cards
from .cards import EXTENDED, CardSet

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
LOG_ROWS = 4096  # that a log holds, the last


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


def secret_kinds(game: Any) -> np.ndarray:
    """Of each kind whether it is secret in a game: uint8."""
    secret = np.zeros(len(KIND_NAMES), np.uint8)
    for number, kind in kinds_of(game).items():
        secret[number] = kind.secret
    return secret


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


def _write_in_python(state: Any, *row: Any) -> None:
    if recorder.rows is not None:
        recorder.rows.append(Row(*map(int, row)))
    elif getattr(state, "logged", None) is not None:
        _write(state, *row)


def _write(state: Any, kind: Any, seat: Any, card: Any, other: Any, amount: Any, seen: Any, left: Any) -> None:
    place = state.logged % LOG_ROWS
    state.log[place, 0] = kind
    state.log[place, 1] = seat
    state.log[place, 2] = card
    state.log[place, 3] = other
    state.log[place, 4] = amount
    state.log[place, 5] = seen
    state.log[place, 6] = left
    state.logged += 1
    if kind == HAND:
        state.hand_logged = state.logged


def _retract(state: Any) -> None:
    state.logged = state.hand_logged


def emitter(function: Any, compiled: Any = None) -> Any:
    """Make a plain function one that rules may call for the record of what happens. Compiled, its call is nothing at all, but
    for a record that has a log (`logged_dtype`): what is compiled then is `compiled`, or the function itself."""

    class Typed(AbstractTemplate):
        key = function

        def generic(self, arguments: Any, keywords: Any) -> Any:
            return signature(types.none, *arguments)

    infer_global(function, types.Function(Typed))

    @lower_builtin(function, types.VarArg(types.Any))
    def lowered(context: Any, builder: Any, signed: Any, arguments: Any) -> Any:
        if "log" in getattr(signed.args[0], "fields", ()):
            kinds = [types.int64 if isinstance(kind, (types.Integer, types.Boolean)) else kind for kind in signed.args]
            values = [context.cast(builder, *item) for item in zip(arguments, signed.args, kinds, strict=True)]
            context.compile_internal(builder, compiled or function, signature(types.none, *kinds), values)
        return context.get_dummy_value()

    function.is_nothing_compiled = True
    return function


def write(state: Any, kind: Any, seat: Any, card: Any, other: Any, amount: Any, seen: Any, left: Any) -> None:
    """A `Row`, for emitters."""
    _write_in_python(state, kind, seat, card, other, amount, seen, left)


emitter(write, _write)


def retract(state: Any) -> None:
    """What was emitted since the hand began has not happened: it was played to see how it ends."""
    rows = recorder.rows
    while rows and rows[-1].kind != HAND:
        rows.pop()
    if getattr(state, "logged", None) is not None:
        _retract(state)


emitter(retract, _retract)


@emitter
def emit(state: Any, kind: Any, seat: Any, amount: Any, other: Any) -> None:
    """A fact that everybody perceives: who (NOBODY: the game itself), how much, and whom else it concerns."""
    write(state, kind, seat, NOBODY, other, amount, EVERYBODY, 0)


@emitter
def emit_secret(state: Any, kind: Any, seat: Any, amount: Any, seen: Any, other: Any) -> None:
    """As `emit`, of a secret kind: a fact that the seats `seen` (bits) alone perceive."""
    write(state, kind, seat, NOBODY, other, amount, seen, 0)


@emitter
def emit_card(state: Any, kind: Any, seat: Any, card: Any, seen: Any, other: Any) -> None:
    """What a seat did with a card, which the seats `seen` (bits) see; `other` is to or from whom."""
    write(state, kind, seat, card, other, 1, seen, 0)


@emitter
def emit_list(state: Any, kind: Any, seat: Any, ids: Any, first: Any, end: Any, seen: Any, other: Any) -> None:
    """As `emit_card`, of the cards `ids[first:end]` as one event; none of no cards."""
    count = int(end) - int(first)
    for k in range(count):
        write(state, kind, seat, ids[int(first) + k], other, count, seen, count - 1 - k)


@emitter
def emit_cards(state: Any, kind: Any, seat: Any, suited: Any, jokers: Any, seen: Any, other: Any) -> None:
    """As `emit_list`, of a set of cards as games with the Extended Deck keep them: two words of bits (`extended/sets.py`)."""
    count = 0
    for bit in range(64):
        count += int(suited) >> bit & 1
    count += (int(jokers) & 1) + (int(jokers) >> 1 & 1)
    left = count
    for bit in range(64):
        if int(suited) >> bit & 1:
            left -= 1
            write(state, kind, seat, bit if bit < cards.STANDARD else bit + 2, other, count, seen, left)
    for bit in range(2):
        if int(jokers) >> bit & 1:
            left -= 1
            write(state, kind, seat, cards.SMALL_JOKER + bit, other, count, seen, left)


def logged_dtype(record: np.dtype) -> np.dtype:
    """A record with a log: in compiled code too, rules write into it what happens. It stands in front, so that numba does not
    take such a record for one without (it has the same fields at other places), and a view behind it is a record as any other:
    `inside`."""
    log = [("log", "i4", (LOG_ROWS, len(Row._fields))), ("logged", "i8"), ("hand_logged", "i8")]
    return np.dtype([*log, *record.descr], align=True)


def inside(logged: np.ndarray, record: np.dtype) -> np.ndarray:
    """The records in records with a log, the same memory (an array of one)."""
    return np.ndarray(1, record, logged, logged.dtype.itemsize - record.itemsize)


@dataclass(frozen=True)
class Event:
    """Something that happened, as a seat perceived it.

    Attributes:
        kind: its name, such as "play"; `Game.events` are those of a game.
        player: the seat that did it, None if nobody did.
        cards: ids, -1 of a card that the seat did not see.
        other: the seat to or from which it was done, None if there is none.
        amount: of an event without cards how much, such as a bid; else how many cards, unless its kind says what it is.
    """

    kind: str
    player: int | None
    cards: tuple[int, ...]
    other: int | None
    amount: int
    _text: str = field(default="", compare=False, repr=False)

    def to_json(self, deck: CardSet = EXTENDED) -> dict[str, Any]:
        """For JSON: all but the cards as they are, these as text, and the sentence."""
        words = [deck.text([card]) for card in self.cards]
        return {
            "kind": self.kind,
            "player": self.player,
            "cards": words,
            "other": self.other,
            "amount": self.amount,
            "text": self.text(),
        }

    def text(self, you: int | None = None) -> str:
        """The event as a sentence, such as "player 2 plays 5h"; told to the seat `you`, "you play 5h"."""
        return self._text if you is None else _told_to(you, self._text)


_VERBS = {"is": "are", "has": "have", "goes": "go", "does": "do"}


def _told_to(seat: int, text: str) -> str:
    """A sentence in which a player is the subject, or is named, as told to them."""
    subject = re.match(rf"player {seat} (\w+)", text)
    if subject:
        verb = subject[1]
        verb = _VERBS.get(verb) or re.sub(r"(?<=ss|sh|ch)es$|(?<!s)s$", "", verb)
        text = f"you {verb}{text[subject.end() :]}".replace(" their ", " your ").replace(" theirs ", " yours ")
    text = re.sub(rf"\bplayer {seat}'s\b", "your", text)
    return re.sub(rf"\bplayer {seat}\b", "you", text)


def perceived(rows: Sequence[Row], viewer: int | None, game: Any, options: Any) -> list[Event]:
    """The events that a seat perceived, in order; with None all that happened, with EVERYBODY what every seat perceived.

    Raises:
        ValueError: a row is of a kind that the game does not declare.
    """
    kinds = kinds_of(game)
    seats = 0 if viewer is None else (1 << options.num_players) - 1 if viewer == EVERYBODY else 1 << viewer
    events, ids = [], []
    for row in rows:
        if row.kind not in kinds:
            raise ValueError(f"{game.id} emits {KIND_NAMES[row.kind]!r}, which its `events` do not declare")
        sees = row.seen & seats == seats
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
        cards=_in_words(ids, game.cards),
        amount=_words_of(kind, row.amount, options),
        s="" if row.amount == 1 else "s",
    )
    return Event(kind.name, player, ids, other, row.amount, text)


def _in_words(ids: Sequence[int], deck: CardSet) -> str:
    seen = [card for card in ids if card != cards.HIDDEN]
    hidden = len(ids) - len(seen)
    if hidden and not seen:
        return "a card" if hidden == 1 else f"{hidden} cards"
    return deck.text(seen) + (f" and {hidden} more" if hidden else "")


def _words_of(kind: EventKind, amount: int, options: Any) -> str:
    if callable(kind.words):
        return str(kind.words(amount, options))
    return str(amount) if kind.words is None else str(kind.words[amount])
