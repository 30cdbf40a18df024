"""Symmetries, for networks that score one action at a time and see the game turned to it.

In tennis, the same game with every rank moved by one is as likely and played alike. Blocks of a layout declare which of their
entries move together (`Circles`). In the turn of an action, its rank or suit is the first of its circle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .layout import Block, Layout

if TYPE_CHECKING:
    from .game import Game, Options


class Turns(NamedTuple):
    """How such a network sees the game.

    Attributes:
        actions: int64 [A, 2], the turn in which each action is seen, and the input that stands for the action there.
        inputs: int32 [T, inputs], the place of each input in each turn; the first turn changes nothing. The inputs are the
            observation, the scored action and, for networks with an expert, the expert's action.
    """

    actions: np.ndarray
    inputs: np.ndarray


NO_TURNS = Turns(np.zeros((0, 2), np.int64), np.zeros((0, 0), np.int32))


def make_turns(game: Game, options: Options) -> Turns:
    """The turns of a game: as many as its circles have entries, one if it has none."""
    players, blocks = options.num_players, (*game.observation.blocks, *game.actions.blocks)
    count = max((len(circle) for block in blocks for circle in block.circles.entries), default=1)
    seen, acted = ([places(layout, players, turn) for turn in range(count)] for layout in (game.observation, game.actions))
    size, num_actions = len(seen[0]), len(acted[0])
    inputs = [np.concatenate([seen[k], size + acted[k], size + num_actions + acted[k]]) for k in range(count)]
    turns = np.argmin(acted, axis=0)  # the turn that brings it to the front, the first one where nothing moves
    own = [inputs[turn][size + action] for action, turn in enumerate(turns)]
    return Turns(np.stack([turns, own], axis=1).astype(np.int64), np.array(inputs, np.int32))


def critic_turns(game: Game, num_players: int, turns: Turns, policy_inputs: int, private: Sequence[str]) -> Turns:
    """The turns of a critic that also sees these blocks of the other seats, behind the policy's inputs."""
    if not len(turns.actions):
        return NO_TURNS
    blocks = [block for block in game.observation.blocks if block.name in private] * (num_players - 1)
    inputs = []
    for turn, policy in enumerate(turns.inputs[:, :policy_inputs]):
        inputs.append(np.concatenate([policy, policy_inputs + _joined(blocks, num_players, turn)]))
    return Turns(turns.actions, np.array(inputs, np.int32))


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
