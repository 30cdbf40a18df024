"""Rule-based Old Maid: it pairs its Jokers and otherwise plays randomly, so it cannot be predicted.

Against a player who draws and places cards randomly, the places do not matter, and such a player can be neither predicted nor
misled; so this one also draws and places randomly. It pairs a Joker as soon as possible, with a card of any rank, which leaves
two cards fewer in the hand. It pairs the two Jokers with each other if nothing else can be laid. Declining to pair loses
against players who pair; the rank, the order of Jokers and the holder of the Old Maid made no measurable difference.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.jit import device_function
from ...envs.core.rng import mix
from ...envs.games.old_maid.state import ACTIONS, DONE_AT, JOKERS_AT, MAX_PLAYERS, PAIR_AT

_ACTIONS = ACTIONS.size(MAX_PLAYERS)
_S33 = np.uint64(33)


@device_function
def policy(observation, mask, num_players, noise):
    if not mask[DONE_AT]:
        return any_of(mask, 0, _ACTIONS, noise)
    action = any_of(mask, PAIR_AT, JOKERS_AT, noise)
    return action if action >= 0 else np.int64(JOKERS_AT)


@device_function
def any_of(mask, first, end, noise):
    """A uniformly random legal action from `first` to before `end`; -1 if there is none."""
    count = 0
    for action in range(first, end):
        count += mask[action]
    if count == 0:
        return np.int64(-1)
    left = np.int64(mix(noise) >> _S33) % count
    for action in range(first, end):
        if mask[action]:
            if left == 0:
                return np.int64(action)
            left -= 1
    return np.int64(-1)
