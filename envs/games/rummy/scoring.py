"""The end of a deal, and its scores (RM-27 to RM-29, RM-40, RM-48, RM-60 to RM-63)."""

from __future__ import annotations

import numpy as np

from ...core.events import NOBODY, OUT, RANKED, ROUND, SCORE, WIN, emit
from ...core.extended.turns import has_bit
from ...core.jit import device_function
from .hands import jokers_of
from .melds import points
from .state import BASIC, BLOCKED, BOTH, CONTRACT, DRAWN, GIN, ONCE, POINT, TWICE

_ACE_LOW, _ACE_HIGH = np.int64(1), np.int64(15)


@device_function
def ace_points(state):
    """RM-60: an ace costs 1 if it is only low."""
    low = state.variant == GIN or (state.variant == BASIC and state.ace != BOTH)
    return _ACE_LOW if low else _ACE_HIGH


@device_function
def hand_points(state, seat):
    """RM-60 to RM-63: the points of the cards still in a hand."""
    hand = state.hand[seat]
    return points(hand[ONCE], hand[TWICE], jokers_of(hand), ace_points(state))


@device_function
def go_out(state, seat):
    """RM-27: end the deal after a hand is empty."""
    emit(state, OUT, seat, 0, NOBODY)
    if state.variant == CONTRACT:
        finish_deal(state)
        return
    doubled = state.rummy_double and has_bit(state.laid_now, seat) and not has_bit(state.laid_before, seat)
    won = np.int64(0)
    for other in range(np.int64(state.num_players)):  # RM-28; their own hand costs nothing
        lost = hand_points(state, other) * (2 if doubled else 1)
        emit(state, SCORE, other, lost, NOBODY)
        state.rewards[other] = -lost
        won += lost
    emit(state, WIN, seat, won * POINT, NOBODY)
    state.rewards[seat] = won
    state.terminated = 1


@device_function
def block(state):
    """RM-25: end the deal without a winner."""
    emit(state, ROUND, NOBODY, BLOCKED, NOBODY)
    if state.variant == CONTRACT:
        finish_deal(state)
        return
    n = np.int64(state.num_players)
    least = hand_points(state, 0)
    for seat in range(1, n):
        least = min(least, hand_points(state, seat))
    lost = winners = np.int64(0)
    for seat in range(n):
        emit(state, SCORE, seat, hand_points(state, seat), NOBODY)
        over = hand_points(state, seat) - least
        state.rewards[seat] = -over
        lost += over
        winners += over == 0
    for seat in range(n):  # RM-29
        if hand_points(state, seat) == least:
            emit(state, WIN, seat, lost * POINT // winners, NOBODY)
            state.rewards[seat] = np.float32(lost / winners)
    state.terminated = 1


@device_function
def finish_deal(state):
    """RM-48: score everybody's points of this deal; after the last deal the match is over."""
    n = np.int64(state.num_players)
    everything = np.int64(0)
    for seat in range(n):
        cost = hand_points(state, seat)
        state.total[seat] += cost
        emit(state, SCORE, seat, cost, NOBODY)
        state.rewards[seat] = -n * cost
        everything += cost
    for seat in range(n):
        emit(state, RANKED, seat, state.total[seat], NOBODY)
        state.rewards[seat] += everything
    if state.deals == state.num_deals:
        state.terminated = 1
    else:
        state.deal_pending = 1


@device_function
def draw_hand(state):
    """Gin: nobody scores."""
    emit(state, ROUND, NOBODY, DRAWN, NOBODY)
    state.terminated = 1


@device_function
def score_knock(state):
    """RM-40."""
    knocker = np.int64(state.knocker)
    own, other = hand_points(state, knocker), hand_points(state, 1 - knocker)
    emit(state, SCORE, knocker, own, NOBODY)
    emit(state, SCORE, 1 - knocker, other, NOBODY)
    score = other - own
    if own == 0:
        score += np.int64(state.gin_bonus)
    if score < 0 or (score == 0 and state.undercut_tie and own > 0):
        score -= np.int64(state.undercut_bonus)
    if score != 0:
        emit(state, WIN, knocker if score > 0 else 1 - knocker, abs(score) * POINT, NOBODY)
    state.rewards[knocker] = score
    state.rewards[1 - knocker] = -score
    state.terminated = 1
