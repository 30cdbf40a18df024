"""Matches: episodes of several deals, each called a hand, that count together.

A game that can be played as a match has the options `match_option(...)` and `max_hands`, both in its record (`match`, 0 for a
single hand), and keeps its totals in a field of its own. `state.deals` is the number of the hand in play. Who deals, and what a
hand brings, is the game's. Also what the end of an episode pays where games agree in that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import options as opt
from .bits import count_bits
from .jit import device_function


def match_option(several: str, doc: str) -> Any:
    """The option `match`: hand, the default, or what a match of `several` hands is called."""
    return opt.one_of("hand", ("hand", several), doc)


def hands_of(options: Any) -> int:
    """The most hands of an episode."""
    return 1 if options.match == "hand" else options.max_hands


@device_function
def is_last_hand(state, reached):
    """Whether the episode ends with this hand: it is no match, a total has `reached` what ends one, or it was the last."""
    return not state.match or reached or state.deals >= state.max_hands


@device_function
def pay_relative(state, points, unit):
    """End the episode; all get their points less the mean, in units. Where few points are good, the unit is negative."""
    n = np.int64(state.num_players)
    total = np.int64(0)
    for seat in range(n):
        total += points[seat]
    for seat in range(n):
        state.rewards[seat] = np.float32((points[seat] - total / n) / unit)
    state.terminated = 1


@device_function
def pay_winners(state, winners):
    """End the episode; each loser pays an equal part of 1, which the winners, a set of seats as bits, share. If all have won,
    nobody is paid."""
    n, count = np.int64(state.num_players), count_bits(winners)
    for seat in range(n):
        state.rewards[seat] = np.float32((n - count) / (count * (n - 1)) if winners >> seat & 1 else -1 / (n - 1))
    state.terminated = 1


@device_function
def pay_pot(state, paid, winners):
    """End the episode; the winners, a set of seats as bits, share what all have paid. Everybody gets their share less what they
    paid."""
    n, pot = np.int64(state.num_players), np.int64(0)
    for seat in range(n):
        pot += np.int64(paid[seat])
    for seat in range(n):
        share = pot / count_bits(winners) if winners >> seat & 1 else 0.0
        state.rewards[seat] = np.float32(share - paid[seat])
    state.terminated = 1
