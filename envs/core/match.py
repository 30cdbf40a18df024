"""Matches: episodes of several deals, called hands, whose results count together.

A game that can be played as a match has the options `match_option(...)` and `max_hands`, both in its record (`match`, 0 for a
single hand), and keeps its totals in its own field. `state.deals` is the number of the hand in play. The game decides who deals
and how a hand scores. This module also has the common ways of paying at the end of an episode.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import options as opt
from .bits import count_bits
from .jit import device_function


def match_option(several: str, doc: str) -> Any:
    """The option `match`: "hand", the default, or the name of a match of `several` hands."""
    return opt.one_of("hand", ("hand", several), doc)


def hands_of(options: Any) -> int:
    """The maximal number of hands in an episode."""
    return 1 if options.match == "hand" else options.max_hands


@device_function
def is_last_hand(state, reached):
    """Whether the episode ends with this hand: it is not a match, a total has `reached` the target, or it was the last hand."""
    return not state.match or reached or state.deals >= state.max_hands


@device_function
def pay_relative(state, points, unit):
    """End the episode. Each player gets their points minus the mean, in units; the unit is negative if low points are good."""
    n = np.int64(state.num_players)
    total = np.int64(0)
    for seat in range(n):
        total += points[seat]
    for seat in range(n):
        state.rewards[seat] = np.float32((points[seat] - total / n) / unit)
    state.terminated = 1


@device_function
def pay_winners(state, winners):
    """End the episode. Each loser pays an equal part of 1, shared by the winners (bits of seats). If all have won, nobody
    pays."""
    n, count = np.int64(state.num_players), count_bits(winners)
    for seat in range(n):
        state.rewards[seat] = np.float32((n - count) / (count * (n - 1)) if winners >> seat & 1 else -1 / (n - 1))
    state.terminated = 1


@device_function
def pay_pot(state, paid, winners):
    """End the episode. The winners (bits of seats) share the total payments; each player gets their share minus their own
    payment."""
    n, pot = np.int64(state.num_players), np.int64(0)
    for seat in range(n):
        pot += np.int64(paid[seat])
    for seat in range(n):
        share = pot / count_bits(winners) if winners >> seat & 1 else 0.0
        state.rewards[seat] = np.float32(share - paid[seat])
    state.terminated = 1
