"""Rule-based Old Maid: it pairs its Jokers, and cannot be read.

Against somebody who draws and places at random it does not matter where cards are put or taken, and such a player can neither
be found out nor misled; so this one draws and places at random. A Joker is paired as soon as it can be, with a card of any
rank: two cards less to be left with. The two Jokers are laid with one another where nothing else can be laid. Declining loses
against players who pair; which rank is taken, the Jokers first, or who has the Old Maid, made no difference that could be
measured.
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
    """A legal action of those from `first` to before `end`, each as likely; -1 if none is."""
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
