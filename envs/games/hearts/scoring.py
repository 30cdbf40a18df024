"""Points of cards won, shooting the moon, rewards and the match."""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits
from ...core.events import COLLECT, SCORE, WIN, emit
from ...core.extended.sets import BIT, SPECIAL_CARDS, STANDARD_CARDS, SUIT_CARDS, ZERO
from ...core.extended.state import NOBODY
from ...core.jit import device_function
from ...core.match import is_last_hand, pay_relative
from .state import (
    HEARTS,
    JACK_OF_DIAMONDS,
    JACK_POINTS,
    MATCH,
    MAX_POINTS,
    MOON_OTHERS,
    NO_TRICK_POINTS,
    OPENSPIEL,
    PLAYERS,
    QUEEN_OF_SPADES,
    QUEEN_POINTS,
)

_HEARTS, _QUEEN, _JACK = SUIT_CARDS[HEARTS], BIT[QUEEN_OF_SPADES], BIT[JACK_OF_DIAMONDS]
_PENALTIES = _HEARTS | _QUEEN


@device_function
def card_points(cards, jd_bonus):
    """HE-40: the points of a set of cards won; Jokers count nothing yet."""
    points = count_bits(cards & _HEARTS) + QUEEN_POINTS * count_bits(cards & _QUEEN)
    return points + JACK_POINTS if jd_bonus and cards & _JACK != ZERO else points


@device_function
def penalties_in_play(state):
    """HE-42: penalty cards that are not in the pile, aside or dead: they have been won, or are in a hand."""
    cards = ZERO
    for seat in range(PLAYERS):
        cards |= state.hand[seat, 0] | state.won[seat, 0]
    return cards & _PENALTIES


@device_function
def moon_jokers(state, seat, needed):
    """HE-43: the Jokers with which a player shoots the moon, with `needed` penalty cards in play; -1 if they do not."""
    missing = needed & ~state.won[seat, 0]
    jokers = count_bits(missing & STANDARD_CARDS)
    if needed & state.won[seat, 0] == ZERO or missing & SPECIAL_CARDS != ZERO or jokers > count_bits(state.won[seat, 1]):
        return np.int64(-1)
    return jokers


@device_function
def moon_shooter(state, needed):
    """HE-43, HE-44; NOBODY if there is none, or more than one."""
    shooter = NOBODY
    for seat in range(PLAYERS):
        if moon_jokers(state, seat, needed) >= 0:
            if shooter != NOBODY:
                return NOBODY
            shooter = seat
    return shooter


@device_function
def hand_points(state, seat, needed, shooter):
    """A player's points for the whole hand (HE-40 to HE-47), with `needed` penalty cards in play."""
    jokers = count_bits(state.won[seat, 1])
    if shooter == NOBODY:
        points = card_points(state.won[seat, 0], False)
        if state.avoid_all_tricks_bonus and state.tricks[seat] == 0:
            points += NO_TRICK_POINTS  # HE-47
    else:  # HE-46
        points = np.int64(0)
        if seat == shooter:
            jokers -= moon_jokers(state, seat, needed)
        if state.moon == MOON_OTHERS:
            points = np.int64(0 if seat == shooter else MAX_POINTS)
        elif seat == shooter:
            points = np.int64(-MAX_POINTS)
    if state.jd_bonus and (state.won[seat, 0] & _JACK != ZERO or jokers > 0):  # HE-41
        points += JACK_POINTS
    return points


@device_function
def end_hand(state):
    """HE-50: end the episode, or deal the next hand of the match."""
    needed = penalties_in_play(state)
    shooter = moon_shooter(state, needed)
    if shooter != NOBODY:
        emit(state, COLLECT, shooter, 0, NOBODY)
    points = np.empty(PLAYERS, np.int64)
    for seat in range(PLAYERS):
        points[seat] = hand_points(state, seat, needed, shooter)
        emit(state, SCORE, seat, points[seat], NOBODY)
        points[seat] += np.int64(state.totals[seat])  # of the hands before
    if not is_last_hand(state, points.max() >= np.int64(state.target)):
        for seat in range(PLAYERS):
            state.totals[seat] = points[seat]
        state.deal_pending = 1
        return
    for seat in range(PLAYERS):
        if points[seat] == points.min():
            emit(state, WIN, seat, points[seat], NOBODY)
    pay_relative(state, points, -np.float64(state.target if state.match == MATCH else MAX_POINTS))
    if state.reward == OPENSPIEL:
        for seat in range(PLAYERS):
            state.rewards[seat] = np.float32(MAX_POINTS - points[seat])
