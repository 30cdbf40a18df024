"""The cost of cards left in hands, and the end of the deal (CE-60 to CE-62)."""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits, lowest_bit
from ...core.cards import STANDARD, SUITS
from ...core.events import NOBODY, SCORE, emit
from ...core.extended.sets import ONE, ZERO
from ...core.jit import device_function
from ...core.match import pay_relative
from .state import ACE, EIGHT, OPENSPIEL, UNIT

_EIGHT_POINTS, _FACE_POINTS = 50, 10
_TEN, _JACK = 8, 9  # ranks


def _pips(place: int) -> int:
    rank = place // SUITS
    if rank == EIGHT:
        return _EIGHT_POINTS
    if place >= STANDARD or _TEN <= rank < ACE:
        return _FACE_POINTS
    return 1 if rank == ACE else rank + 2


def _by_id(place: int) -> int:
    """As in OpenSpiel, where the face value is computed as the number of the rank plus two."""
    rank = place // SUITS
    if rank == EIGHT:
        return _EIGHT_POINTS
    return _FACE_POINTS if rank >= _JACK else place + 2


# CE-60: by place in the first word of a set; and, cheapest first, the places that a Joker may stand for (CE-61).
_COSTS = [[cost(place) for place in range(64)] for cost in (_pips, _by_id)]
POINTS = np.array(_COSTS, np.int64)
CHEAPEST = np.array([sorted(range(STANDARD), key=costs.__getitem__) for costs in _COSTS], np.int64)


@device_function
def penalty(state, seat):
    """CE-60, CE-61: the points of the cards in a hand."""
    costs, hand = np.int64(state.card_points), state.hand[seat, 0]
    points, rest = np.int64(0), hand
    while rest != ZERO:
        points += POINTS[costs, lowest_bit(rest)]
        rest &= rest - ONE
    jokers, k = count_bits(state.hand[seat, 1]), 0
    while jokers > 0:
        place = CHEAPEST[costs, k]
        if hand >> np.uint64(place) & ONE == ZERO:
            points += POINTS[costs, place]
            jokers -= 1
        k += 1
    return points


@device_function
def finish(state):
    """End the deal (CE-23, CE-24): everybody pays for their cards (CE-62)."""
    n = np.int64(state.num_players)
    points = np.empty(n, np.int64)
    for seat in range(n):
        points[seat] = penalty(state, seat)
        emit(state, SCORE, seat, points[seat], NOBODY)
    pay_relative(state, points, -UNIT)
    if state.reward == OPENSPIEL:
        for seat in range(n):
            state.rewards[seat] = -points[seat]
