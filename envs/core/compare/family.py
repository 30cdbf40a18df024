"""Rows of cards, and the order of one game's combinations of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import numpy as np

from ..cards import DECK_54, HIDDEN, TEXT
from ..jit import bind, plain
from ..references import by_name
from .packed import card_bit, rank_unit

ABSENT = HIDDEN  # fills rows of fewer cards
NO_CARDS = -1  # what is no card set, where there are no cards in common

OUTSIDE = 1 << DECK_54  # in a card set, that there is what is no card
SIZE_SHIFT = 56  # a tally is counts of four bits a rank, and above them how many cards there are
COUNTS = (1 << SIZE_SHIFT) - 1
BITS, TALLY = np.full(256, OUTSIDE, np.int64), np.zeros(256, np.int64)  # of a card, by its byte
BITS[ABSENT] = 0
for _card in range(DECK_54):
    BITS[_card] = plain(card_bit)(_card)
    TALLY[_card] = plain(rank_unit)(_card) | (1 << SIZE_SHIFT)

if TYPE_CHECKING:  # bound to a family
    WIDTH: int
    COPIES: int
    strength: Any
    beats: Any


def strength_rows(rows, settings, tallies, strengths):
    """Strengths of rows of `WIDTH` cards; returns the first row that is no set of cards, or has one that the settings have too,
    -1 if there is none.

    `settings` has a row for each of `rows`, or one for all; `tallies` is scratch.
    """
    wrong_row = set_rows(rows, strengths, tallies)  # a loop of its own runs ahead, without waiting for what cards are worth
    step = np.int64(settings.shape[0] > 1)
    for i in range(rows.shape[0]):
        size = tallies[i] >> SIZE_SHIFT
        counts = tallies[i] & COUNTS
        strengths[i] = strength(strengths[i], counts, size, settings[i * step])
        if strengths[i] < 0 and wrong_row < 0:
            wrong_row = i
    return wrong_row


def set_rows(rows, sets, tallies):
    """The card sets of rows and their tallies; returns the first row that is no set of cards, -1 if all are."""
    wrong_row = -1
    for i in range(rows.shape[0]):
        cards, total, tally = np.int64(0), np.int64(0), np.int64(0)
        for j in range(WIDTH):  # a constant, so that the compiler unrolls
            byte = np.int64(rows[i, j]) & 255
            cards |= BITS[byte]
            total += BITS[byte]
            tally += TALLY[byte]
        sets[i], tallies[i] = cards, tally
        twice = cards != total
        if (cards >= OUTSIDE or (twice and (COPIES == 1 or most_copies(rows, i) > COPIES))) and wrong_row < 0:
            wrong_row = i
    return wrong_row


def most_copies(rows, i):
    """How often the card of row `i` occurs that occurs most often."""
    most = 0
    for j in range(WIDTH):
        copies = 0
        for k in range(WIDTH):
            copies += rows[i, j] >= 0 and rows[i, k] == rows[i, j]
        most = max(most, copies)
    return most


def beats_rows(attack, defence, wins):
    for i in range(attack.shape[0]):
        wins[i] = beats(attack[i], defence[i])


class Rows:
    """An argument that is rows of cards.

    Args:
        name: the argument's name.
        widths: of how many cards rows are read; rows of fewer are filled up. What is read often has a width of its own.
        copies: how often a card may occur in a row.
    """

    def __init__(self, name: str, widths: tuple[int, ...], copies: int) -> None:
        self.name, self.widths, self.copies = name, widths, copies

    def checked(self, cards: Any) -> np.ndarray:
        """The rows as the loops take them: int8, contiguous, of one of the widths; a number that is no card is another such."""
        rows = np.asarray(cards)
        most = self.widths[-1]
        if rows.ndim != 2 or not 1 <= rows.shape[1] <= most:
            raise ValueError(f"{self.name} must have shape [N, k] with k from 1 to {most}, not {list(rows.shape)}")
        if rows.dtype.kind not in "iu":
            raise ValueError(f"{self.name} must be integers (card ids), not {rows.dtype}")
        if rows.dtype != np.int8:
            least = 0 if rows.dtype.kind == "u" else ABSENT - 1
            rows = rows.clip(least, DECK_54)
        width = next(width for width in self.widths if rows.shape[1] <= width)
        if rows.shape[1] == width:
            return np.ascontiguousarray(rows, np.int8)
        wide = np.full((len(rows), width), ABSENT, np.int8)
        wide[:, : rows.shape[1]] = rows
        return wide

    def sets(self, cards: Any) -> np.ndarray:
        """The card sets of rows, int64 [N]."""
        rows = self.checked(cards)
        sets = np.empty(len(rows), np.int64)
        self.refuse(cards, int(_reader(rows.shape[1], self.copies)(rows, sets, np.empty_like(sets))))
        return sets

    def refuse(self, cards: Any, wrong: int) -> None:
        """Say what is wrong with a row, as a ValueError; no row is -1."""
        if wrong < 0:
            return
        row = np.asarray(cards)[wrong].tolist()
        where = f"{self.name}, row {wrong}"
        for card in row:
            if not ABSENT <= card < DECK_54:
                raise ValueError(f"{where}: {card} is no card; ids are 0..{DECK_54 - 1}, or -1 for none")
        for card in row:
            if card != ABSENT and row.count(card) > self.copies:
                times, most = _times(row.count(card)), _times(self.copies)
                raise ValueError(f"{where}: {TEXT[card]} (id {card}) occurs {times}; a combination holds it at most {most}")


@functools.cache
def _reader(width: int, copies: int) -> Any:
    loops = {function.__name__: function for function in (set_rows, most_copies)}
    constants = {"WIDTH": width, "COPIES": copies}
    return bind(loops, constants, f"compare.packed.{width}", unroll=True)["set_rows"]


@dataclass(frozen=True)
class Setting:
    """What the order of a family depends on beside the cards.

    Attributes:
        name: the argument's name.
        allowed: whole numbers, one for all rows or one for each; or words, one for all rows, known by their place.
        default: the value where none is given; None where one must be.
    """

    name: str
    allowed: range | tuple[str, ...]
    default: Any = None

    @property
    def parameter(self) -> Parameter:
        default = Parameter.empty if self.default is None else self.default
        return Parameter(self.name, Parameter.POSITIONAL_OR_KEYWORD, default=default)

    def numbers(self, value: Any, count: int) -> np.ndarray:
        """The value for device functions, integers [1] or [count]."""
        if isinstance(self.allowed, tuple):
            if value not in self.allowed:
                raise ValueError(f"{self.name} must be one of {', '.join(map(repr, self.allowed))}, not {value!r}")
            return np.array([self.allowed.index(value)])
        numbers, span = np.asarray(value), f"{self.allowed[0]}..{self.allowed[-1]}"
        if numbers.dtype.kind not in "iu":
            raise ValueError(f"{self.name} must be integers {span}, not {numbers.dtype}")
        if numbers.ndim and numbers.shape != (count,):
            raise ValueError(
                f"{self.name} must be one number or one for each of {count} rows, not of shape {list(numbers.shape)}"
            )
        wrong = (numbers < self.allowed[0]) | (numbers > self.allowed[-1])
        if wrong.any():
            row = f", row {wrong.argmax()}" if numbers.ndim else ""
            raise ValueError(f"{self.name}{row}: {numbers.flat[wrong.argmax()]} is not in {span}")
        return numbers.reshape(-1)

    def refuse(self, rows_name: str, row: list[int], number: int) -> None:
        """No setting rules out a row."""


@dataclass(frozen=True)
class Common:
    """Cards that all players have in common, as a setting: none, one row of them for all, or one for each row.

    In compiled code they are a card set, `NO_CARDS` where none are given. A row that has one of these cards too is refused by a
    negative strength.

    Attributes:
        name: the argument's name.
        width: the most cards there are.
    """

    name: str
    width: int

    @property
    def parameter(self) -> Parameter:
        return Parameter(self.name, Parameter.POSITIONAL_OR_KEYWORD, default=None)

    def numbers(self, value: Any, count: int) -> np.ndarray:
        """The sets for device functions, integers [1] or [count]."""
        if value is None:
            return np.array([NO_CARDS])
        cards = np.asarray(value)
        if cards.ndim == 2 and len(cards) != count:
            raise ValueError(f"{self.name} must be one row of cards or one for each of {count} rows, not {len(cards)}")
        return Rows(self.name, (self.width,), 1).sets(cards[None] if cards.ndim == 1 else cards)

    def refuse(self, rows_name: str, row: list[int], number: int) -> None:
        for card in row:
            if card != ABSENT and number & int(plain(card_bit)(card)):
                raise ValueError(f"{rows_name}: {TEXT[card]} (id {card}) is on the {self.name} too")


class Family:
    """The order of one game's combinations.

    Args:
        name: as in `wilddeck.compare.<name>`.
        functions: `strength(cards, counts, size, settings)` and `beats(attack, defence)` of strengths; cards are a card set,
            counts of four bits a rank, settings an integer for each of `settings`.
        widths: the numbers of cards that combinations are read by, the last the most that one has.
        copies: how often a card may occur in a row.
        settings: further arguments of `strength` and `beats`.
    """

    def __init__(
        self,
        name: str,
        functions: Mapping[str, Callable[..., Any]],
        widths: tuple[int, ...],
        copies: int,
        settings: tuple[Setting | Common, ...] = (),
    ) -> None:
        self.name, self.widths, self.copies, self.settings = name, widths, copies, settings
        self._functions, self._signature = functions, Signature([setting.parameter for setting in settings])
        self._programs: dict[int, Callable[..., int]] = {}

    def _strength_rows(self, width: int) -> Callable[..., int]:
        """The loop over rows of one width."""
        if width not in self._programs:
            loops = {function.__name__: function for function in (strength_rows, set_rows, most_copies)}
            constants = {"strength": self._functions["strength"], "WIDTH": width, "COPIES": self.copies}
            self._programs[width] = bind(loops, constants, f"compare.{self.name}.{width}", unroll=True)["strength_rows"]
        return self._programs[width]

    @functools.cached_property
    def _beats_rows(self) -> Callable[..., None]:
        return bind({"beats_rows": beats_rows}, {"beats": self._functions["beats"]}, f"compare.{self.name}")["beats_rows"]

    def strength(self, cards: Any, *settings: Any, **named: Any) -> np.ndarray:
        """Strengths of combinations: of two with equally many cards, the one of higher strength is the higher.

        Args:
            cards: integers [N, k], k up to the last of `widths`: card ids 0..53 in any order, -1 for none.
            settings, named: the family's own arguments, as `repr` of the family shows them; numbers may be integers [N].

        Returns:
            int64 [N]; 0 where the cards are no valid combination.

        Raises:
            ValueError: wrong shape or dtype, a number that is no card, a card more often in a row than it may occur, or a
                setting that is not allowed.
            TypeError: a setting is missing or unknown.
        """
        return self._strengths([("cards", cards)], settings, named)[0]

    def beats(self, attack: Any, defence: Any, *settings: Any, **named: Any) -> np.ndarray:
        """Whether each attack beats the defence in the same row.

        Args:
            attack, defence: integers [N, k] as for `strength`; k may differ.
            settings, named: as for `strength`; they hold for both.

        Returns:
            bool [N]. An attack that is no valid combination beats nothing; a defence that is none falls to any that is.

        Raises:
            ValueError, TypeError: as for `strength`; ValueError for different numbers of rows.
        """
        attacks, defences = self._strengths([("attack", attack), ("defence", defence)], settings, named)
        wins = np.empty(len(attacks), np.bool_)
        self._beats_rows(attacks, defences, wins)
        return wins

    def _strengths(self, sides: list[tuple[str, Any]], settings: tuple[Any, ...], named: dict[str, Any]) -> list[np.ndarray]:
        """Strengths of each side, given by name and cards; all sides have equally many rows."""
        arguments = [Rows(side, self.widths, self.copies) for side, _ in sides]
        rows = [argument.checked(cards) for argument, (_, cards) in zip(arguments, sides, strict=True)]
        counts = [len(checked_rows) for checked_rows in rows]
        if len(set(counts)) > 1:
            names, numbers = " and ".join(side for side, _ in sides), " and ".join(map(str, counts))
            raise ValueError(f"{names} must have equally many rows, not {numbers}")
        values = self._values(counts[0], settings, named)
        strengths_of_sides = []
        for argument, (side, cards), checked_rows in zip(arguments, sides, rows, strict=True):
            strengths = np.empty(len(checked_rows), np.int64)
            wrong = int(self._strength_rows(checked_rows.shape[1])(checked_rows, values, np.empty_like(strengths), strengths))
            if wrong >= 0:
                argument.refuse(cards, wrong)
                for setting, number in zip(self.settings, values[min(wrong, len(values) - 1)].tolist(), strict=True):
                    setting.refuse(f"{side}, row {wrong}", checked_rows[wrong].tolist(), number)
            strengths_of_sides.append(strengths)
        return strengths_of_sides

    def _values(self, count: int, settings: tuple[Any, ...], named: dict[str, Any]) -> np.ndarray:
        """The settings as the loops take them: int64 [1 or count, settings]."""
        bound = self._signature.bind(*settings, **named)
        bound.apply_defaults()
        columns = [setting.numbers(bound.arguments[setting.name], count) for setting in self.settings]
        if not columns:
            return np.empty((1, 0), np.int64)
        return np.stack(np.broadcast_arrays(*columns), axis=1).astype(np.int64, order="C")

    def __deepcopy__(self, memo: dict[int, Any]) -> Family:
        return self

    def __copy__(self) -> Family:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return by_name(self, [self._functions["strength"], self._functions["beats"]])

    def __repr__(self) -> str:
        arguments = ", ".join(["cards", *map(str, self._signature.parameters.values())])
        return f"<combinations of {self.name}: strength({arguments})>"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
