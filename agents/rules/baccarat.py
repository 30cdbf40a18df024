"""Rule-based baccarat.

Specials are revealed first, all together. A player who acts before the other hand is finished draws up to four, and on five
with probability 9/11, which cannot be exploited; one who acts after it plays against that hand, and the banker of two tableaux
plays against the one with more chips. Bets are minimal, because the bank has the advantage: it is taken for the most chips, and
kept.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.jit import device_function
from ...envs.games.baccarat.drawing import DID_NOT_DRAW, MUST_DRAW, MUST_STAND, punter_may, second_draws
from ...envs.games.baccarat.state import (
    BANK,
    BEST,
    COMMIT,
    DIVIDED,
    DRAW,
    DREW,
    HAND,
    IS_BANKER,
    KEEP,
    LEVELS,
    NOTHING,
    OBSERVATION,
    OUT,
    REVEAL,
    SEAT,
    SIDE,
    SIZE,
    STAKE,
    STAND,
    VALUE,
    B,
    L,
    P,
)
from .reading import whole

_OWN_STATE, _HANDS, _SEATS = OBSERVATION.places("own_state", "hands", "seats", num_players=1)
DRAWS, OF = np.uint64(9), np.uint64(11)  # on five


@device_function
def policy(observation, mask, num_players, noise):
    if mask[KEEP]:
        return KEEP
    for special in range(REVEAL, COMMIT):
        if mask[special]:
            return special
    if mask[COMMIT]:
        return COMMIT
    if mask[DRAW] and mask[STAND]:
        return DRAW if wants_card(observation, num_players, noise) else STAND
    for level in range(LEVELS - 1, -1, -1):
        if mask[BANK + level]:
            return BANK + level
    action = NOTHING
    while mask[action] == 0:
        action += 1
    return action


@device_function
def wants_card(observation, num_players, noise):
    total = whole(observation, _OWN_STATE, BEST)
    banks = observation[_SEATS + IS_BANKER] > 0
    other = _HANDS + HAND * (against(observation, num_players) if banks else B)
    if observation[other + OUT] > 0:
        drawn = whole(observation, other + VALUE, BEST) if observation[other + DREW] > 0 else DID_NOT_DRAW
        return second_draws(total, drawn)
    allowed = punter_may(total)
    return allowed == MUST_DRAW or (allowed != MUST_STAND and noise % OF < DRAWS)


@device_function
def against(observation, num_players):
    """The hand on which more is bet against the bank: P (or R), or L."""
    difference = np.float32(0)
    for seat in range(num_players):
        offset = _SEATS + seat * SEAT
        if observation[offset + DIVIDED] == 0:
            difference += observation[offset + SIDE] * observation[offset + STAKE]
    if observation[_HANDS + HAND * L + SIZE] > 0 and (difference < 0 or observation[_HANDS + HAND * P + SIZE] == 0):
        return L
    return P
