"""What OpenSpiel's observers show of the games: see the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel

from .moments import Rules


def observer(rules: Rules, kind: Any, params: Mapping[str, Any] | None) -> Observer | None:
    """What a seat sees (also where `kind`, a pyspiel.IIGObservationType, is None), its history, or of what it sees the
    private part; None, as OpenSpiel has it, of all other kinds: games do not declare what everybody knows.

    Raises:
        ValueError: parameters.
    """
    if params:
        raise ValueError(f"observations of wilddeck's games have no parameters, not {dict(params)}")
    if kind is None:
        return Observer(rules, rules.layout)
    if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
        return None
    if kind.public_info:
        return Observer(rules, rules.layout, kind.perfect_recall)
    return None if kind.perfect_recall else Observer(rules, rules.game.private_slices(rules.num_players))


class Observer:
    """What a seat sees, or with perfect recall all that it has seen and done, as tensor and string (OpenSpiel's PyObserver).

    The observation is wilddeck's, by the names of its blocks. Of it alone the private information is the blocks that say what
    only the seat knows. With perfect recall, the rows of `history` are what the seat did (one-hot, if it did anything) and then
    saw, each time that it saw something new.

    Args:
        rules: of the game.
        blocks: of the observation; of histories all.
        recalls: whether it is a history.
    """

    def __init__(self, rules: Rules, blocks: Mapping[str, slice], recalls: bool = False) -> None:
        self._rules, self._blocks, self._recalls = rules, blocks, recalls
        self._entries = [place for block in blocks.values() for place in range(block.start, block.stop)]
        shape = rules.recall_shape if recalls else (1, len(self._entries))
        self.tensor = None if shape is None else np.zeros(shape[0] * shape[1], np.float32)
        self.dict: dict[str, np.ndarray] = {}
        if self.tensor is not None and shape is not None:
            ends = np.cumsum([block.stop - block.start for block in blocks.values()])
            parts = dict(zip(blocks, np.split(self.tensor, ends), strict=False))  # behind the last there is nothing
            self.dict = {"history": self.tensor.reshape(shape)} if recalls else parts

    def set_from(self, state: Any, player: int) -> None:
        """Write the tensor."""
        if self.tensor is None:
            raise ValueError(f"the histories of {self._rules.game.id} are too long for a tensor; use the string")
        if not self._recalls:
            self.tensor[:] = state.moment.observation(player)[self._entries]
            return
        self.tensor[:] = 0
        recall = state.moment.recall(player)
        for row, (action, seen) in zip(self.dict["history"], [] if recall is None else recall.entries(), strict=False):
            if action >= 0:
                row[action] = 1
            row[self._rules.num_actions :] = np.frombuffer(seen, np.float32)

    def string_from(self, state: Any, player: int) -> str:
        """The observation's entries that are not zero; with perfect recall a digest of the whole history."""
        if self._recalls:
            recall = state.moment.recall(player)
            return f"player {player}" + ("" if recall is None else f" {recall.digest.hex()}")
        observation = state.moment.observation(player)
        parts = [f"player {player}"]
        for name, entries in self._blocks.items():
            block = observation[entries]
            values = " ".join(f"{place}={block[place]!s}" for place in np.flatnonzero(block))
            if values:
                parts.append(f"{name} {values}")
        return ", ".join(parts)
