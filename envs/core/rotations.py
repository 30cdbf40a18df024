"""Symmetries, for networks that see the game rotated so that equal positions look equal.

In tennis, the same game with every rank moved by one is as likely and played alike. Blocks of a layout declare which of their
entries move together (`Circles`); a rotation moves them all. A network sees each action in the rotation that brings its rank to
the front, and scores it there. Or the game says by which blocks it is rotated (`Game.rotated_by`): then a network sees the
position in one rotation and scores all actions at once. In bluff the rank to be claimed comes first. Such a network is told the
rotation, as details may depend on it (in bluff the cards of a play are put in ascending order).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .layout import Block, Layout

if TYPE_CHECKING:
    from .game import Game, Options


class Rotations(NamedTuple):
    """How such a network sees the game in R rotations. The first changes nothing.

    Attributes:
        inputs: int32 [R, inputs], the place of each input in each rotation. The inputs are the observation; one-hot the action
            that is scored or, where all are scored at once, the rotation; for networks with an expert the expert's action.
        actions, back: int32 [R, A], the place of each action in each rotation, and the reverse.
        own: int64 [A, 2], the rotation in which each action is scored, and the input that stands for it there; [0, 2] if all
            are scored in one rotation.
        weights: float32 [R, inputs]: that rotation is the one with the highest weighted sum of the inputs; [0, 0] if each
            action is scored in its own.
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
        """The number of inputs for the action that is scored, or for the rotation."""
        return len(self.own) + len(self.weights)


_NO_PLACES = np.zeros((0, 0), np.int32)
NO_ROTATIONS = Rotations(_NO_PLACES, _NO_PLACES, _NO_PLACES, np.zeros((0, 2), np.int64), np.zeros((0, 0), np.float32))


def make_rotations(game: Game, options: Options) -> Rotations:
    """The rotations of a game: as many as its circles have entries, one if it has none."""
    players, blocks = options.num_players, (*game.observation.blocks, *game.actions.blocks)
    count = max((len(circle) for block in blocks for circle in block.circles.entries), default=1)
    layouts = game.observation, game.actions
    seen, acted = ([places(layout, players, rotation) for rotation in range(count)] for layout in layouts)
    size, num_actions = len(seen[0]), len(acted[0])
    second = acted if not game.rotated_by else [np.arange(count)] * count
    inputs = np.array(
        [
            np.concatenate([first, size + more, size + len(more) + action])
            for first, more, action in zip(seen, second, acted, strict=True)
        ],
        np.int32,
    )
    actions = np.array(acted, np.int32)
    rotations = Rotations(inputs, actions, np.argsort(actions, axis=1).astype(np.int32), NO_ROTATIONS.own, NO_ROTATIONS.weights)
    if not game.rotated_by:
        own = np.argmin(actions, axis=0)  # the rotation that brings it to the front, the first one where nothing moves
        own_input = inputs[own, size + np.arange(num_actions)]
        return rotations._replace(own=np.stack([own, own_input], axis=1).astype(np.int64))
    weights = np.zeros(inputs.shape[1], np.float32)
    where = game.observation.slices(players)
    for name, values in game.rotated_by.items():
        weights[where[name].start : where[name].start + len(values)] = values
    return rotations._replace(weights=weights[inputs])


def critic_rotations(
    game: Game, num_players: int, rotations: Rotations, policy_inputs: int, private: Sequence[str]
) -> Rotations:
    """The rotations of a critic that also sees these blocks of the other seats, behind the policy's inputs."""
    if not len(rotations.inputs):
        return NO_ROTATIONS
    named = {block.name: block for block in game.observation.blocks}
    blocks = [named[name] for name in private] * (num_players - 1)
    inputs = [
        np.concatenate([policy, policy_inputs + _joined(blocks, num_players, rotation)])
        for rotation, policy in enumerate(rotations.inputs[:, :policy_inputs])
    ]
    return rotations._replace(inputs=np.array(inputs, np.int32), weights=NO_ROTATIONS.weights)  # the policy says which


def places(layout: Layout, num_players: int, rotation: int) -> np.ndarray:
    """The place (int64) of each entry of a vector after a rotation."""
    return _joined(layout.blocks, num_players, rotation)


def _joined(blocks: Sequence[Block], num_players: int, rotation: int) -> np.ndarray:
    found, first = [np.zeros(0, np.int64)], 0
    for block in blocks:
        size = block.size(num_players)
        found.append(first + block.circles.places(size, rotation))
        first += size
    return np.concatenate(found)
