"""Rule-based Egyptian Ratscrew: slaps exactly when allowed, and declares a Joker as a rank that can be slapped.

Otherwise it plays as in Beggar My Neighbor. It assumes that the player who declared a Joker is asked first, which it cannot see
(ER-13).
"""

from __future__ import annotations

import numpy as np

from ...envs.core.cards import DECK_66, RANKS
from ...envs.core.jit import device_function
from ...envs.core.layout import start
from ...envs.games.egyptian_ratscrew import JOKER_SLAP, OBSERVATION, RULES, RUN, SLAP_AT, WAIT_AT, patterns_of
from ...envs.games.packs.state import NO_VALUE, PLACE_AT, PLAY_AT, RANK_TYPES
from .pack_reading import best_declaration, best_place, pack_size
from .reading import one_hot, whole

_MORE = np.int64(RANK_TYPES)  # entries between the blocks that both games have
_STACK, _TOP, _TOP_JOKERS, _BOTTOM, _BURNED, _RULES, _MUTED, _OUT = OBSERVATION.places(
    "stack", "top", "top_jokers", "bottom", "burned", "rules", "muted", "out"
)
_RUNS_PLACE, _LONGEST_RUN = RULES.index("runs"), 4


@device_function
def policy(observation, mask, num_players, noise):
    if mask[SLAP_AT]:
        return SLAP_AT if is_right(observation, num_players, rank_at(observation, num_players, 0)) else WAIT_AT
    if mask[PLAY_AT]:
        return PLAY_AT
    if mask[PLACE_AT]:
        return PLACE_AT + best_place(observation, num_players, _MORE, pack_size(observation, num_players, np.int64(0)))
    return declaration(observation, mask, num_players)


@device_function
def declaration(observation, mask, n):
    """A rank that can be slapped, if the viewer may slap; else the best one to be paid for."""
    best = best_declaration(observation, mask, n, _MORE)
    if observation[start(_MUTED, n)] > 0 or observation[start(_OUT, n)] > 0 or is_right(observation, n, best):
        return best
    for rank in range(RANKS):
        if mask[rank] and is_right(observation, n, rank):
            return rank
    return best


@device_function
def rank_at(observation, n, below):
    """The rank of the played card at this depth of the stack."""
    return one_hot(observation, start(_TOP, n) + below * RANK_TYPES, RANK_TYPES)


@device_function
def is_right(observation, n, top):
    """Whether the stack may be slapped, its top card being of this rank (ER-20 to ER-27)."""
    bottom, rules = np.int64(NO_VALUE), start(_RULES, n)
    played = whole(observation, start(_STACK, n), DECK_66) - whole(observation, start(_BURNED, n), DECK_66)
    if played > 1:
        bottom = one_hot(observation, start(_BOTTOM, n), RANK_TYPES)
    run = whole(observation, rules + _RUNS_PLACE, _LONGEST_RUN)
    second, third, fourth = rank_at(observation, n, 1), rank_at(observation, n, 2), rank_at(observation, n, 3)
    patterns = patterns_of(top, second, third, fourth, bottom, run if run > 0 else np.int64(RUN))
    if observation[start(_TOP_JOKERS, n)] > 0:
        patterns |= JOKER_SLAP
    for k in range(len(RULES)):
        if patterns >> k & 1 and observation[rules + k] > 0:
            return True
    return False
