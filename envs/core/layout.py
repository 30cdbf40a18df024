"""Named blocks of a vector: the only source of offsets, sizes, slices and tables of actions and observations."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .jit import device_function

Bound = float | Callable[[Any], Any]  # of a block's entries: a number, or from the options a number or one for each entry


@dataclass(frozen=True)
class Block:
    """`fixed + each * num_players` consecutive entries with one meaning.

    `doc` says what the entries are and in which unit; it becomes a row of the game's page. `low` and `high` bound the entries
    of an observation in every game with these options; both are finite, and low is less than high.
    """

    name: str
    fixed: int
    doc: str
    each: int = 0
    low: Bound = 0.0
    high: Bound = 1.0

    def bounds(self, options: Any) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value of each entry, float64 [size].

        Raises:
            ValueError: a bound is not finite, or low is not less than high.
        """
        found = (bound(options) if callable(bound) else bound for bound in (self.low, self.high))
        low, high = (np.broadcast_to(np.asarray(each, np.float64), self.size(options.num_players)) for each in found)
        if not (np.isfinite(low) & np.isfinite(high) & (low < high)).all():
            raise ValueError(f"the block {self.name!r} needs finite bounds, low < high, not {low} and {high}")
        return low, high

    def size(self, num_players: int) -> int:
        return self.fixed + self.each * num_players

    @property
    def length(self) -> str:
        """The size as text, `n` standing for the number of players."""
        if not self.each:
            return str(self.fixed)
        growing = "n" if self.each == 1 else f"{self.each} n"
        return growing if not self.fixed else f"{growing} {'-' if self.fixed < 0 else '+'} {abs(self.fixed)}"


class Layout:
    """Blocks one after another. Sizes may grow with the number of players, so offsets are `a + b * num_players`."""

    def __init__(self, *blocks: Block) -> None:
        self.blocks = blocks
        self._at: dict[str, tuple[int, int]] = {}
        fixed = each = 0
        for block in blocks:
            if block.name in self._at:
                raise ValueError(f"two blocks named {block.name!r}")
            self._at[block.name] = (fixed, each)
            fixed += block.fixed
            each += block.each
        self._size = (fixed, each)

    def at(self, name: str) -> tuple[np.int64, np.int64]:
        """Where a block begins, for kernels: pass it to `start`, which is compiled once for all blocks thanks to the type."""
        fixed, each = self._at[name]
        return np.int64(fixed), np.int64(each)

    def places(self, *names: str, num_players: int | None = None) -> tuple[Any, ...]:
        """Where several blocks begin: as `at` says it or, with a number of players, the indices."""
        if num_players is None:
            return tuple(self.at(name) for name in names)
        return tuple(self._at[name][0] + self._at[name][1] * num_players for name in names)

    def size(self, num_players: int) -> int:
        """Number of entries in all."""
        return self._size[0] + self._size[1] * num_players

    @functools.lru_cache(maxsize=256)  # noqa: B019 - layouts live as long as their modules; every copy of a game asks
    def bounds(self, options: Any) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value of each entry of an observation, float32 [size], read-only."""
        lows, highs = zip(*(block.bounds(options) for block in self.blocks), strict=True)
        low, high = _outward(np.concatenate(lows), -np.inf), _outward(np.concatenate(highs), np.inf)
        low.flags.writeable = high.flags.writeable = False
        return low, high

    def slices(self, num_players: int) -> dict[str, slice]:
        """The blocks as slices of the vector."""
        found = {}
        for block in self.blocks:
            fixed, each = self._at[block.name]
            begin = fixed + each * num_players
            found[block.name] = slice(begin, begin + block.size(num_players))
        return found

    def find(self, index: int, num_players: int) -> tuple[str, int]:
        """The block in which `index` lies, and its place in the block."""
        for name, where in self.slices(num_players).items():
            if where.start <= index < where.stop:
                return name, index - where.start
        raise IndexError(f"index {index} is outside 0..{self.size(num_players) - 1}")


def _outward(bounds: np.ndarray, direction: float) -> np.ndarray:
    """As float32, two units in the last place further out, 0 and 1 apart: a kernel that multiplies by the rounded reciprocal of
    a unit may come out that far beyond the quotient, but k * (1 / k) never beyond 1."""
    rounded = bounds.astype(np.float32)
    moved = np.nextafter(np.nextafter(rounded, np.float32(direction)), np.float32(direction))
    return np.where((bounds == 0) | (bounds == 1), rounded, moved)


@device_function
def start(at, num_players):
    """First index of a block (`at` from `Layout.at`) for a number of players."""
    return at[0] + at[1] * num_players
