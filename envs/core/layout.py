"""Named blocks of a vector, the only source of offsets, sizes, slices and tables of actions and observations, and of action
labels."""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .cards import EXTENDED, CardSet
from .fields import of_options
from .jit import device_function
from .parts import VALUES, ActionParts, Label, compose, pieces

Bound = float | Callable[[Any], Any]  # of a block's entries: a number, or from the options a number or one for each entry


class Circles(NamedTuple):
    """Entries that stand for ranks or suits in a circle, all of which the rules treat alike.

    Attributes:
        period: the circles are those of the first `period` entries of a block, and repeat to its end.
        entries: the entries of each circle, in order. All circles of a game are equally long.
    """

    period: int
    entries: Sequence[Sequence[int]]

    def places(self, size: int, rotation: int) -> np.ndarray:
        """The place (int64) of each entry of a block of this size when every circle has moved back by `rotation` entries."""
        moved = np.arange(size)
        for first in range(0, size, self.period):
            for circle in self.entries:
                moved[first + np.array(circle)] = first + np.roll(circle, rotation)
        return moved


NO_CIRCLES = Circles(1, ())


@dataclass(frozen=True)
class Block:
    """`fixed + each * num_players` consecutive entries of a vector with one meaning.

    Attributes:
        name: the name of the block.
        fixed, each: its size, `fixed + each * num_players`.
        doc: what the entries are, and their unit; a row in the table on the game's page.
        low, high: bounds of the entries of an observation for all games with these options; finite, low < high.
        label: for actions, the label with its parts in braces: "play {card}", or "ask player {seat} for {rank}", whose last
            part varies fastest. Every label may use card, rank, suit, seat, amount, place and position. Without a label the
            block's name is the verb.
        parts: further parts, or other values of these parts: {"suit": range(1, 4)}, {"answer": ("yes", "no")}. Words belong to
            the verb unless they are a `Part`; numbers of further parts are amounts.
        lacks: for observations, "suit" or "rank" if the block shows which suits or ranks seats are known not to hold.
        circles: which entries stand for ranks or suits that the rules treat alike (`rotations.py`).
    """

    name: str
    fixed: int
    doc: str
    each: int = 0
    low: Bound = 0.0
    high: Bound = 1.0
    label: str = ""
    parts: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    lacks: str = ""
    circles: Circles = NO_CIRCLES

    def __post_init__(self) -> None:
        if not self.label:
            verb = self.name.replace("_", " ")
            object.__setattr__(self, "label", verb if (self.fixed, self.each) == (1, 0) else f"{verb} {{amount}}")
        self.parts_of(self.label, 0)
        if self.lacks not in ("", "suit", "rank"):
            raise ValueError(f"`lacks` of the block {self.name!r} must be '', 'suit' or 'rank', not {self.lacks!r}")

    def parts_of(self, label: str, place: int) -> dict[str, Any]:
        """The values of the parts that a label of this block uses, for the entry at an index of the block.

        Raises:
            ValueError: a part is unknown.
        """
        parts = {}
        for name in reversed([name for _, name in pieces(label) if name is not None]):
            values = self.parts.get(name) or VALUES.get(name)
            if values is None:
                known = ", ".join(sorted({*VALUES, *self.parts}))
                raise ValueError(f"the label {label!r} of the block {self.name!r} has an unknown part {name!r}; parts: {known}")
            place, index = divmod(place, len(values))
            parts[name] = values[index]
        return parts

    def action_parts(self, label: str | Label, place: int, state: Any, deck: CardSet = EXTENDED) -> ActionParts:
        """The action at an index of the block as data, by a label of this block."""
        template, values = label if isinstance(label, Label) else (label, self.parts_of(label, place))
        return compose(template, values, state, deck)

    def bounds(self, options: Any) -> tuple[np.ndarray, np.ndarray]:
        """The least and greatest value of each entry, float64 [size].

        Raises:
            ValueError: a bound is not finite, or low is not less than high.
        """
        size = self.size(options.num_players)
        low, high = (np.broadcast_to(np.asarray(of_options(bound, options), float), size) for bound in (self.low, self.high))
        if not (np.isfinite(low) & np.isfinite(high) & (low < high)).all():
            raise ValueError(f"the block {self.name!r} needs finite bounds, low < high, not {low} and {high}")
        return low, high

    def size(self, num_players: int) -> int:
        return self.fixed + self.each * num_players

    @property
    def length(self) -> str:
        """The size as text, with `n` for the number of players."""
        if not self.each:
            return str(self.fixed)
        growing = "n" if self.each == 1 else f"{self.each} n"
        return growing if not self.fixed else f"{growing} {'-' if self.fixed < 0 else '+'} {abs(self.fixed)}"


class Layout:
    """Consecutive blocks. Sizes may grow with the number of players, so offsets are `a + b * num_players`."""

    def __init__(self, *blocks: Block) -> None:
        self.blocks = blocks
        self._at: dict[str, tuple[int, int]] = {}
        fixed = per_player = 0
        for block in blocks:
            if block.name in self._at:
                raise ValueError(f"two blocks named {block.name!r}")
            self._at[block.name] = (fixed, per_player)
            fixed += block.fixed
            per_player += block.each
        self._size = (fixed, per_player)

    def at(self, name: str) -> tuple[np.int64, np.int64]:
        """The offset of a block for rules, to pass to `start`; its type lets `start` be compiled once for all blocks."""
        fixed, per_player = self._at[name]
        return np.int64(fixed), np.int64(per_player)

    def places(self, *names: str, num_players: int | None = None) -> tuple[Any, ...]:
        """The offsets of several blocks: as by `at` or, with a number of players, as indices."""
        if num_players is None:
            return tuple(self.at(name) for name in names)
        return tuple(self._at[name][0] + self._at[name][1] * num_players for name in names)

    def size(self, num_players: int) -> int:
        """The number of entries of the vector."""
        return self._size[0] + self._size[1] * num_players

    @functools.lru_cache(maxsize=256)  # noqa: B019 - layouts live as long as their modules; every copy of a game asks
    def bounds(self, options: Any) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value of each entry of an observation, float32 [size], read-only."""
        lows, highs = zip(*(block.bounds(options) for block in self.blocks), strict=True)
        low, high = _outward(np.concatenate(lows), -np.inf), _outward(np.concatenate(highs), np.inf)
        low.flags.writeable = high.flags.writeable = False
        return low, high

    @functools.lru_cache(maxsize=256)  # noqa: B019 - as above
    def _starts(self, num_players: int) -> tuple[int, ...]:
        return tuple(fixed + per_player * num_players for fixed, per_player in self._at.values())

    def slices(self, num_players: int) -> dict[str, slice]:
        """The blocks as slices of the vector."""
        starts = self._starts(num_players)
        return {
            block.name: slice(begin, begin + block.size(num_players)) for block, begin in zip(self.blocks, starts, strict=True)
        }

    def find(self, index: int, num_players: int) -> tuple[Block, int]:
        """The block that contains `index`, and the index within it.

        Raises:
            IndexError: the index is out of range.
        """
        if not 0 <= index < self.size(num_players):
            raise IndexError(f"index {index} is outside 0..{self.size(num_players) - 1}")
        starts = self._starts(num_players)
        number = bisect.bisect_right(starts, index) - 1
        return self.blocks[number], index - starts[number]

    def text(self, state: Any, index: int) -> str:
        """The label of an action as its block declares it, in a record."""
        block, place = self.find(index, int(state.num_players))
        return block.action_parts(block.label, place, state).text


def _outward(bounds: np.ndarray, direction: float) -> np.ndarray:
    """As float32, two units in the last place further out, 0 and 1 apart: a product with the rounded reciprocal of a
    unit may come out that far beyond the quotient, but k * (1 / k) never beyond 1."""
    rounded = bounds.astype(np.float32)
    moved = np.nextafter(np.nextafter(rounded, np.float32(direction)), np.float32(direction))
    return np.where((bounds == 0) | (bounds == 1), rounded, moved)


@device_function
def start(block_start, num_players):
    """First index of a block (`block_start` from `Layout.at`) for a number of players."""
    return block_start[0] + block_start[1] * num_players
