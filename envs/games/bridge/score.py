"""The score of a deal of bridge, duplicate or in a rubber (BR-50, BR-60 to BR-69)."""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits
from ...core.events import ANSWER, MELD, NOBODY, SCORE, WIN, emit
from ...core.jit import device_function
from .auction import declarer_of, doubling_of, last_bid, strain_of
from .state import DUPLICATE, GAME_POINTS, NO_TRUMP, PLAYERS, SIDES, STRAINS

_BOOK = 6
_SMALL_SLAM, _GRAND_SLAM = 6, 7  # levels
_TRICK = np.array([20, 20, 30, 30, 30])
_INSULT = np.array([0, 50, 100])  # by doubling

# By strain: at a suit the five highest trumps, at no trump the aces.
_ACE, _TEN, _SUITS = 12, 8, 4
_HONORS = np.array(
    [sum(1 << (_SUITS * rank + suit) for rank in range(_TEN, _ACE + 1)) for suit in range(_SUITS)] + [0xF << (_SUITS * _ACE)],
    np.uint64,
)


@device_function
def level_of(bid):
    return bid // STRAINS + 1


@device_function
def trick_points(bid, doubling):
    """BR-60: the points for the tricks bid."""
    strain = strain_of(bid)
    return (level_of(bid) * _TRICK[strain] + (10 if strain == NO_TRUMP else 0)) << doubling


@device_function
def bonus_points(bid, doubling, vulnerable, overtricks):
    """BR-61 to BR-63: overtricks, a doubled contract made, slams."""
    per_overtrick = _TRICK[strain_of(bid)] if doubling == 0 else 50 << (doubling + vulnerable)
    points = overtricks * per_overtrick + _INSULT[doubling]
    level = level_of(bid)
    if level == _SMALL_SLAM:
        points += 750 if vulnerable else 500
    elif level == _GRAND_SLAM:
        points += 1500 if vulnerable else 1000
    return points


@device_function
def penalty_points(doubling, vulnerable, undertricks):
    """BR-65: the points of the defenders."""
    if doubling == 0:
        return undertricks * (100 if vulnerable else 50)
    if vulnerable:
        points = 300 * undertricks - 100
    else:
        points = 200 * undertricks - 100 + 100 * max(undertricks - 3, 0)
    return points * doubling


@device_function
def duplicate_points(bid, doubling, vulnerable, over):
    """BR-60 to BR-65: the points of declarer's side in duplicate scoring for so many tricks above the contract; negative for
    undertricks, whose points the defenders score."""
    if over < 0:
        return -penalty_points(doubling, vulnerable, -over)
    points = trick_points(bid, doubling)
    bonus = 50 if points < GAME_POINTS else 500 if vulnerable else 300  # BR-64
    return points + bonus + bonus_points(bid, doubling, vulnerable, over)


@device_function
def is_vulnerable(state, side):
    """0 or 1; in a rubber a side with a game is vulnerable (BR-66)."""
    if state.scoring == DUPLICATE:
        return np.int64(state.vulnerability) >> side & 1
    return np.int64(state.games[side] > 0)


@device_function
def score(state, side, points):
    state.total[side] += points
    emit(state, SCORE, side, points, side + SIDES)


@device_function
def score_contract(state):
    """Score the deal played: the points of each side, and in a rubber those below the line."""
    bid, declarer = last_bid(state), declarer_of(state)
    side, doubling = declarer & 1, doubling_of(state, bid)
    vulnerable = is_vulnerable(state, side)
    over = np.int64(state.tricks[side]) - _BOOK - level_of(bid)
    emit(state, ANSWER, declarer, over, NOBODY)
    if over < 0 or state.scoring == DUPLICATE:  # BR-50
        points = duplicate_points(bid, doubling, vulnerable, over)
        score(state, side if points > 0 else 1 - side, abs(points))
        return
    points = trick_points(bid, doubling)
    score(state, side, points + bonus_points(bid, doubling, vulnerable, over))
    state.below[side] += points
    if state.below[side] >= GAME_POINTS:  # BR-66
        state.games[side] += 1
        emit(state, WIN, side, 0, side + SIDES)
        for other in range(SIDES):
            state.below[other] = 0


@device_function
def score_honors(state):
    """BR-69. At most one hand can have four honors of a suit."""
    strain = strain_of(last_bid(state))
    for seat in range(PLAYERS):
        held = count_bits(state.dealt[seat] & _HONORS[strain])
        if held >= 4:
            emit(state, MELD, seat & 1, held, (seat & 1) + SIDES)
            score(state, seat & 1, 150 if held == 5 or strain == NO_TRUMP else 100)


@device_function
def rubber_won(state):
    """BR-68: whether a side has two games; it gets its bonus."""
    for side in range(SIDES):
        if state.games[side] == 2:
            emit(state, WIN, side, 1, side + SIDES)
            score(state, side, 500 if state.games[1 - side] > 0 else 700)
            return True
    return False


@device_function
def score_unfinished(state):
    """BR-68: score a rubber that ends before a side has two games."""
    for side in range(SIDES):
        if state.games[side] > 0 and state.games[1 - side] == 0:
            score(state, side, 300)
        if state.below[side] > 0 and state.below[1 - side] == 0:
            score(state, side, 100)
