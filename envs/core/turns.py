"""Symmetries, for networks that see the game turned so that equal positions look equal.

In tennis, the same game with every rank moved by one is as likely and played alike. Blocks of a layout declare which of their
entries move together (`Circles`); a turn moves them all. A network sees each action in the turn that brings its rank to the
front, and scores it there. Or the game says by which blocks it is turned (`Game.turned_by`): then a network sees the position
in one turn and scores all actions at once. In bluff the rank to be claimed comes first. Such a network is told the turn, as
details may depend on it (in bluff the cards of a play are put in ascending order).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .layout import Block, Layout

if TYPE_CHECKING:
    from .game import Game, Options


class Turns(NamedTuple):
    """How such a network sees the game in T turns. The first changes nothing.

    Attributes:
        inputs: int32 [T, inputs], the place of each input in each turn. The inputs are the observation; one-hot the action that
            is scored or, where all are scored at once, the turn; for networks with an expert the expert's action.
        actions, back: int32 [T, A], the place of each action in each turn, and the reverse.
        own: int64 [A, 2], the turn in which each action is scored, and the input that stands for it there; [0, 2] if all are
            scored in one turn.
        weights: float32 [T, inputs]: that turn is the one with the highest weighted sum of the inputs; [0, 0] if each action is
            scored in its own.
    """

    inputs: np.ndarray
    actions: np.ndarray
    back: np.ndarray
    own: np.ndarray
    weights: np.ndarray

    @property
    def by_action(self) -> bool:
        """Whether actions are scored one at a time."""
        return len(self.own) > 0

    @property
    def more_inputs(self) -> int:
        """The number of inputs for the action that is scored, or for the turn."""
        return len(self.own) + len(self.weights)


_NO_PLACES = np.zeros((0, 0), np.int32)
NO_TURNS = Turns(_NO_PLACES, _NO_PLACES, _NO_PLACES, np.zeros((0, 2), np.int64), np.zeros((0, 0), np.float32))


def make_turns(game: Game, options: Options) -> Turns:
    """The turns of a game: as many as its circles have entries, one if it has none."""
    players, blocks = options.num_players, (*game.observation.blocks, *game.actions.blocks)
    count = max((len(circle) for block in blocks for circle in block.circles.entries), default=1)
    seen, acted = ([places(layout, players, turn) for turn in range(count)] for layout in (game.observation, game.actions))
    size, num_actions = len(seen[0]), len(acted[0])
    second = acted if not game.turned_by else [np.arange(count)] * count
    inputs = np.array(
        [
            np.concatenate([first, size + more, size + len(more) + action])
            for first, more, action in zip(seen, second, acted, strict=True)
        ],
        np.int32,
    )
    actions = np.array(acted, np.int32)
    turns = Turns(inputs, actions, np.argsort(actions, axis=1).astype(np.int32), NO_TURNS.own, NO_TURNS.weights)
    if not game.turned_by:
        own = np.argmin(actions, axis=0)  # the turn that brings it to the front, the first one where nothing moves
        own_input = inputs[own, size + np.arange(num_actions)]
        return turns._replace(own=np.stack([own, own_input], axis=1).astype(np.int64))
    weights = np.zeros(inputs.shape[1], np.float32)
    where = game.observation.slices(players)
    for name, values in game.turned_by.items():
        weights[where[name].start : where[name].start + len(values)] = values
    return turns._replace(weights=weights[inputs])


def critic_turns(game: Game, num_players: int, turns: Turns, policy_inputs: int, private: Sequence[str]) -> Turns:
    """The turns of a critic that also sees these blocks of the other seats, behind the policy's inputs."""
    if not len(turns.inputs):
        return NO_TURNS
    blocks = [block for block in game.observation.blocks if block.name in private] * (num_players - 1)
    inputs = []
    for turn, policy in enumerate(turns.inputs[:, :policy_inputs]):
        inputs.append(np.concatenate([policy, policy_inputs + _joined(blocks, num_players, turn)]))
    weights = np.pad(turns.weights[:, :policy_inputs], ((0, 0), (0, len(inputs[0]) - policy_inputs)))
    return turns._replace(inputs=np.array(inputs, np.int32), weights=weights if len(turns.weights) else turns.weights)


def places(layout: Layout, num_players: int, turn: int) -> np.ndarray:
    """The place (int64) of each entry of a vector after a turn."""
    return _joined(layout.blocks, num_players, turn)


def _joined(blocks: Sequence[Block], num_players: int, turn: int) -> np.ndarray:
    found, first = [np.zeros(0, np.int64)], 0
    for block in blocks:
        size = block.size(num_players)
        found.append(first + block.circles.places(size, turn))
        first += size
    return np.concatenate(found)
