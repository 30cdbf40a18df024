"""OpenSpiel's observers of the games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel

from ...envs.core.events import COMMON
from ...envs.core.tokens import encode_history
from .moments import Rules

_SCALE = 8  # numbers of tokens are given as log2(1 + number) / 8: up to 255 within 0..1, and all distinct


def observer(rules: Rules, kind: Any, params: Mapping[str, Any] | None) -> Observer | None:
    """The observer of a kind (a pyspiel.IIGObservationType): a seat's observation (also if `kind` is None), its information
    state with perfect recall, or the private part of its observation. None for all other kinds, as in OpenSpiel: games do not
    declare public information.

    Raises:
        ValueError: there are parameters.
    """
    if params:
        raise ValueError(f"observers of wilddeck's games have no parameters; got {dict(params)}")
    if kind is None:
        return Observer(rules, rules.layout)
    if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
        return None
    if kind.public_info:
        return InformationState(rules, rules.layout) if kind.perfect_recall else Observer(rules, rules.layout)
    return None if kind.perfect_recall else Observer(rules, rules.game.private_slices(rules.num_players))


class Observer:
    """A seat's observation as tensor and string (OpenSpiel's PyObserver), by the names of its blocks. The private information
    consists of the blocks that only the seat knows.

    Args:
        rules: the game's rules.
        blocks: the blocks of the observation.
    """

    def __init__(self, rules: Rules, blocks: Mapping[str, slice]) -> None:
        self._blocks = blocks
        self._entries = [place for block in blocks.values() for place in range(block.start, block.stop)]
        self._lay_out({name: (block.stop - block.start,) for name, block in blocks.items()})

    def _lay_out(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])
        self.tensor = np.zeros(ends[-1] if len(ends) else 0, np.float32)
        parts = np.split(self.tensor, ends[:-1])
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=False)}

    def set_from(self, state: Any, player: int) -> None:
        """Write the tensor."""
        self.tensor[: len(self._entries)] = state.moment.observation(player)[self._entries]

    def string_from(self, state: Any, player: int) -> str:
        """The nonzero entries of the observation."""
        observation = state.moment.observation(player)
        parts = [f"player {player}"]
        for name, entries in self._blocks.items():
            block = observation[entries]
            values = " ".join(f"{place}={block[place]!s}" for place in np.flatnonzero(block))
            if values:
                parts.append(f"{name} {values}")
        return ", ".join(parts)


class InformationState(Observer):
    """A seat's observation and history. The tensor has the observation and, as `history/...`, the last tokens of the history,
    one per row: one-hot `kind` (among the game's kinds), `player` and `other` (none, the seat itself, the next clockwise, ...)
    and `card` (none, hidden, then by id), and the numbers `amount` and `left`. The string has all events."""

    def __init__(self, rules: Rules, blocks: Mapping[str, slice]) -> None:
        super().__init__(rules, blocks)
        self._rules = rules
        kinds = sorted(declared.kind for declared in (*COMMON, *rules.game.events))
        players, cards = 1 + rules.num_players, 3 + max(rules.game.deck(rules.options))
        self._kinds = np.zeros(2 + kinds[-1], np.int64)  # the index of each kind, by its token
        self._kinds[[1 + kind for kind in kinds]] = range(len(kinds))
        columns = {"kind": (len(kinds),), "player": (players,), "card": (cards,), "other": (players,), "amount": (), "left": ()}
        shapes = {f"history/{name}": (rules.history, *size) for name, size in columns.items()}
        self._lay_out({name: part.shape for name, part in self.dict.items()} | shapes)

    def set_from(self, state: Any, player: int) -> None:
        super().set_from(state, player)
        self.tensor[len(self._entries) :] = 0
        size = self._rules.history
        events = state.moment.past(player).last_events(size)
        tokens, length = encode_history(events, player, self._rules.num_players, size)
        rows, kept = np.arange(min(length, size)), tokens[:length].T
        for name, places in zip(("kind", "player", "card", "other"), (self._kinds[kept[0]], *kept[1:4]), strict=True):
            self.dict[f"history/{name}"][rows, places] = 1
        for name, numbers in zip(("amount", "left"), kept[4:], strict=True):
            self.dict[f"history/{name}"][rows] = np.sign(numbers) * np.log2(1 + np.abs(numbers)) / _SCALE

    def string_from(self, state: Any, player: int) -> str:
        """All events, and a digest of all that the player knows, so that distinct information states have distinct strings."""
        sentences = [past.text for past in state.moment.past(player).chain()]
        known = state.moment.information(player)
        return "; ".join([f"player {player}", *sentences, *([f"state {known.hex()}"] if known else ())])
