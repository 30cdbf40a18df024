"""Rule-based Beggar My Neighbor: the cards on top of the packs decide the rank of a Joker and the place of drawn cards."""

from __future__ import annotations

import numpy as np

from ...envs.core.jit import device_function
from .pack_reading import PLACE_AT, PLAY_AT, best_declaration, best_place, pack_size

_NOTHING = np.int64(0)  # there are no blocks between those that both games have


@device_function
def policy(observation, mask, num_players, noise):
    if mask[PLAY_AT]:
        return PLAY_AT
    if mask[PLACE_AT]:
        return PLACE_AT + best_place(observation, num_players, _NOTHING, pack_size(observation, num_players, np.int64(0)))
    return best_declaration(observation, mask, num_players, _NOTHING)
