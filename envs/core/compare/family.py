"""Families of combinations: checking rows of cards, and computing strengths and comparisons."""

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

ABSENT = HIDDEN  # pads rows of fewer cards
NO_CARDS = -1  # in place of a card set, without common cards

OUTSIDE = 1 << DECK_54  # in a card set: it contains an invalid card
SIZE_SHIFT = 56  # a tally is counts of four bits a rank, with the number of cards in the bits above
COUNTS = (1 << SIZE_SHIFT) - 1
BITS, TALLY = np.full(256, OUTSIDE, np.int64), np.zeros(256, np.int64)  # by card, as an unsigned byte
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
    """Write the strengths of rows of `WIDTH` cards. Returns the first row that is not a set of cards, or shares a card with the
    settings; -1 if there is none.

    `settings` has a row for each of `rows`, or one for all; `tallies` is scratch memory.
    """
    wrong_row = set_rows(rows, strengths, tallies)  # a separate loop, which runs ahead of the computation of strengths
    step = np.int64(settings.shape[0] > 1)
    for i in range(rows.shape[0]):
        size = tallies[i] >> SIZE_SHIFT
        counts = tallies[i] & COUNTS
        strengths[i] = strength(strengths[i], counts, size, settings[i * step])
        if strengths[i] < 0 and wrong_row < 0:
            wrong_row = i
    return wrong_row


def set_rows(rows, sets, tallies):
    """Write the card sets and tallies of rows; returns the first row that is not a set of cards, -1 if all are."""
    wrong_row = -1
    for i in range(rows.shape[0]):
        cards, total, tally = np.int64(0), np.int64(0), np.int64(0)
        for j in range(WIDTH):  # a constant, so that the compiler can unroll
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
    """The number of copies of the most frequent card of row `i`."""
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
    """An argument that consists of rows of cards.

    Args:
        name: the argument's name.
        widths: the numbers of cards for which loops are compiled; shorter rows are padded. Frequent sizes get their own width.
        copies: the maximal number of copies of a card in a row.
    """

    def __init__(self, name: str, widths: tuple[int, ...], copies: int) -> None:
        self.name, self.widths, self.copies = name, widths, copies

    def checked(self, cards: Any) -> np.ndarray:
        """The rows in the form that the loops need: int8, contiguous, of one of the widths; invalid numbers stay invalid."""
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
        """Raise a ValueError that explains what is wrong with a row; nothing if it is -1."""
        if wrong < 0:
            return
        row = np.asarray(cards)[wrong].tolist()
        where = f"{self.name}, row {wrong}"
        for card in row:
            if not ABSENT <= card < DECK_54:
                raise ValueError(f"{where}: {card} is not a card; ids are 0..{DECK_54 - 1}, or -1 for none")
        for card in row:
            if card != ABSENT and row.count(card) > self.copies:
                times, most = _times(row.count(card)), _times(self.copies)
                raise ValueError(f"{where}: {TEXT[card]} (id {card}) occurs {times}, but at most {most} in a combination")


@functools.cache
def _reader(width: int, copies: int) -> Any:
    loops = {function.__name__: function for function in (set_rows, most_copies)}
    constants = {"WIDTH": width, "COPIES": copies}
    return bind(loops, constants, f"compare.packed.{width}", unroll=True)["set_rows"]


@dataclass(frozen=True)
class Setting:
    """A parameter of a family's order besides the cards.

    Attributes:
        name: the argument's name.
        allowed: integers, one for all rows or one per row; or words, one for all rows, encoded by their index.
        default: the default value; None if the argument is required.
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
        """Settings do not rule out rows."""


@dataclass(frozen=True)
class Common:
    """Community cards as a setting: none, one row for all, or one row for each row of cards.

    In compiled code they are a card set, `NO_CARDS` if none are given. A row that shares a card with them gets a negative
    strength and is refused.

    Attributes:
        name: the argument's name.
        width: the maximal number of cards.
    """

    name: str
    width: int

    @property
    def parameter(self) -> Parameter:
        return Parameter(self.name, Parameter.POSITIONAL_OR_KEYWORD, default=None)

    def numbers(self, value: Any, count: int) -> np.ndarray:
        """The card sets for device functions, integers [1] or [count]."""
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
        name: the name in `wilddeck.compare.<name>`.
        functions: `strength(cards, counts, size, settings)` and, for two strengths, `beats(attack, defence)`; cards are a card
            set, counts have four bits per rank, settings one integer for each of `settings`.
        widths: the numbers of cards for which loops are compiled; the last is the maximal size of a combination.
        copies: the maximal number of copies of a card in a row.
        settings: the further arguments of `strength` and `beats`.
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
        """Strengths of combinations: of two with the same number of cards, the one with the higher strength is higher.

        Args:
            cards: integers [N, k], k up to the last of `widths`: card ids 0..53 in any order, -1 for none.
            settings, named: the family's own arguments, as shown by its `repr`; numbers may be integers [N].

        Returns:
            int64 [N]; 0 for cards that are not a valid combination.

        Raises:
            ValueError: a shape or dtype is wrong, a number is not a card, a card occurs too often in a row, or a setting is not
                allowed.
            TypeError: a setting is missing or unknown.
        """
        return self._strengths([("cards", cards)], settings, named)[0]

    def beats(self, attack: Any, defence: Any, *settings: Any, **named: Any) -> np.ndarray:
        """Whether each attack beats the defence in the same row.

        Args:
            attack, defence: integers [N, k] as for `strength`; k may differ.
            settings, named: as for `strength`; they apply to both.

        Returns:
            bool [N]. An invalid attack beats nothing; an invalid defence loses to any valid attack.

        Raises:
            ValueError, TypeError: as for `strength`; ValueError for different numbers of rows.
        """
        attacks, defences = self._strengths([("attack", attack), ("defence", defence)], settings, named)
        wins = np.empty(len(attacks), np.bool_)
        self._beats_rows(attacks, defences, wins)
        return wins

    def _strengths(self, sides: list[tuple[str, Any]], settings: tuple[Any, ...], named: dict[str, Any]) -> list[np.ndarray]:
        """Strengths of each side, given by name and cards; all sides have the same number of rows."""
        arguments = [Rows(side, self.widths, self.copies) for side, _ in sides]
        rows = [argument.checked(cards) for argument, (_, cards) in zip(arguments, sides, strict=True)]
        counts = [len(checked_rows) for checked_rows in rows]
        if len(set(counts)) > 1:
            names, numbers = " and ".join(side for side, _ in sides), " and ".join(map(str, counts))
            raise ValueError(f"{names} must have the same number of rows, not {numbers}")
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
        """The settings in the form that the loops need: int64 [1 or count, settings]."""
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
