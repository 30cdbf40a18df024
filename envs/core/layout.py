"""Named blocks of a vector: the only source of offsets, sizes, slices and tables of actions and observations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .kernel import kernel


@dataclass(frozen=True)
class Block:
    """`fixed + each * num_players` consecutive entries with one meaning.

    `doc` says what the entries are and in which unit; it becomes a row of the game's page.
    """

    name: str
    fixed: int
    doc: str
    each: int = 0

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

    def size(self, num_players: int) -> int:
        """Number of entries in all."""
        return self._size[0] + self._size[1] * num_players

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


@kernel
def start(at, num_players):
    """First index of a block (`at` from `Layout.at`) for a number of players."""
    return at[0] + at[1] * num_players
