"""Rows of cards, and the order of one game's combinations of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import numpy as np

from ..cards import DECK_54, HIDDEN, TEXT
from ..kernel import bind
from ..references import by_name
from .sets import card_bit, rank_unit

ABSENT = HIDDEN  # fills rows of fewer cards

if TYPE_CHECKING:  # bound to a family
    WIDTH: int
    COPIES: int
    strength: Any
    beats: Any


def strength_rows(rows, settings, strengths):
    """Strengths of rows of `WIDTH` cards; returns the first row that is no set of cards, -1 if there is none.

    `settings` has a row for each of `rows`, or one for all.
    """
    wrong_row = -1
    step = np.int64(settings.shape[0] > 1)
    for i in range(rows.shape[0]):
        cards, total, counts, size, outside = np.int64(0), np.int64(0), np.int64(0), np.int64(0), False
        for j in range(WIDTH):  # a constant, so that the compiler unrolls
            card = np.int64(rows[i, j])
            there = np.int64(card >= 0)
            outside |= card < ABSENT or card >= DECK_54
            bit = there * card_bit(card)
            cards |= bit
            total += bit
            counts += there * rank_unit(card)
            size += there
        twice = cards != total
        if (outside or (twice and (COPIES == 1 or most_copies(rows, i) > COPIES))) and wrong_row < 0:
            wrong_row = i
        strengths[i] = strength(cards, counts, size, settings[i * step])
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


@dataclass(frozen=True)
class Setting:
    """What the order of a family depends on beside the cards.

    Attributes:
        name: the argument's name.
        allowed: whole numbers, one for all rows or one for each; or words, one for all rows, that kernels know by their place.
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
        """The value for kernels, integers [1] or [count]."""
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


class Family:
    """The order of one game's combinations.

    Args:
        name: as in `wilddeck.compare.<name>`.
        kernels: `strength(cards, counts, size, settings)` and `beats(attack, defence)` of strengths; cards are a card set,
            counts of four bits a rank, settings an integer for each of `settings`.
        width: the most cards a combination has.
        copies: how often a card may occur in a row.
        settings: further arguments of `strength` and `beats`.
    """

    def __init__(
        self, name: str, kernels: Mapping[str, Callable[..., Any]], width: int, copies: int, settings: tuple[Setting, ...] = ()
    ) -> None:
        self.name, self.width, self.copies, self.settings = name, width, copies, settings
        self._kernels = {**kernels, "WIDTH": width, "COPIES": copies}
        self._signature = Signature([setting.parameter for setting in settings])

    @functools.cached_property
    def _loops(self) -> dict[str, Any]:
        loops = {function.__name__: function for function in (strength_rows, most_copies, beats_rows)}
        return bind(loops, self._kernels, f"compare.{self.name}", unroll=True)

    def strength(self, cards: Any, *settings: Any, **named: Any) -> np.ndarray:
        """Strengths of combinations: of two with equally many cards, the one of higher strength is the higher.

        Args:
            cards: integers [N, k], k up to `width`: card ids 0..53 in any order, -1 for none.
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
        self._loops["beats_rows"](attacks, defences, wins)
        return wins

    def _strengths(self, sides: list[tuple[str, Any]], settings: tuple[Any, ...], named: dict[str, Any]) -> list[np.ndarray]:
        """Strengths of each side, given by name and cards; all sides have equally many rows."""
        rows = [self._checked(what, cards) for what, cards in sides]
        counts = [len(each) for each in rows]
        if len(set(counts)) > 1:
            names, numbers = " and ".join(what for what, _ in sides), " and ".join(map(str, counts))
            raise ValueError(f"{names} must have equally many rows, not {numbers}")
        values = self._values(counts[0], settings, named)
        found = []
        for (what, cards), each in zip(sides, rows, strict=True):
            strengths = np.empty(len(each), np.int64)
            wrong = int(self._loops["strength_rows"](each, values, strengths))
            if wrong >= 0:
                raise ValueError(f"{what}, row {wrong}: {self._explain(np.asarray(cards)[wrong].tolist())}")
            found.append(strengths)
        return found

    def _values(self, count: int, settings: tuple[Any, ...], named: dict[str, Any]) -> np.ndarray:
        """The settings as the loops take them: int64 [1 or count, settings]."""
        given = self._signature.bind(*settings, **named)
        given.apply_defaults()
        columns = [setting.numbers(given.arguments[setting.name], count) for setting in self.settings]
        if not columns:
            return np.empty((1, 0), np.int64)
        return np.stack(np.broadcast_arrays(*columns), axis=1).astype(np.int64, order="C")

    def _checked(self, what: str, cards: Any) -> np.ndarray:
        """The rows as the loops take them: int8 or int64, contiguous, `width` columns."""
        rows = np.asarray(cards)
        if rows.ndim != 2 or not 1 <= rows.shape[1] <= self.width:
            raise ValueError(f"{what} must have shape [N, k] with k from 1 to {self.width}, not {list(rows.shape)}")
        if rows.dtype.kind not in "iu":
            raise ValueError(f"{what} must be integers (card ids), not {rows.dtype}")
        if rows.dtype == np.uint64:
            rows = np.minimum(rows, np.uint64(DECK_54))  # large numbers would turn negative
        dtype = np.int8 if rows.dtype == np.int8 else np.int64
        if rows.shape[1] == self.width:
            return np.ascontiguousarray(rows, dtype)
        wide = np.full((len(rows), self.width), ABSENT, dtype)
        wide[:, : rows.shape[1]] = rows
        return wide

    def _explain(self, row: list[int]) -> str:
        for card in row:
            if not ABSENT <= card < DECK_54:
                return f"{card} is no card; ids are 0..{DECK_54 - 1}, or -1 for none"
        card = next(card for card in row if card != ABSENT and row.count(card) > self.copies)
        return (
            f"{TEXT[card]} (id {card}) occurs {_times(row.count(card))}; a combination holds it at most {_times(self.copies)}"
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Family:
        return self

    def __copy__(self) -> Family:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return by_name(self, [self._kernels["strength"], self._kernels["beats"]])

    def __repr__(self) -> str:
        arguments = ", ".join(["cards", *map(str, self._signature.parameters.values())])
        return f"<combinations of {self.name}: strength({arguments})>"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
