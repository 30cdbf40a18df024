"""Properties of blackjack hands: naturals, pairs, and which of a seat's hands have ended."""

from __future__ import annotations

import numpy as np

from ...core.cards import SMALL_JOKER
from ...core.extended.sets import FIRST_SPECIAL, is_joker, is_special
from ...core.extended.shoe import cards_in, jokers_in, specials_in
from ...core.jit import device_function
from .state import NONE, POINTS, VALUE
from .totals import BEST, TEN, total_of

_FIRST_ACE, _FIRST_TEN = 48, 32

# --- the dealer's first two cards ---


@device_function
def shows_ace(state):
    """BJ-43: a Joker counts as an ace."""
    up = np.int64(state.up_card)
    return is_joker(up) or _FIRST_ACE <= up < SMALL_JOKER


@device_function
def may_be_natural(state):
    """Whether the up card is an ace, ten-valued or a Joker (BJ-05, BJ-07, BJ-43)."""
    return _FIRST_TEN <= np.int64(state.up_card) < FIRST_SPECIAL


@device_function
def makes_natural(state, hole):
    """Whether this hole card makes a natural (BJ-04) with the up card, which may be part of one."""
    if state.naturals == NONE or is_special(hole):
        return False
    up = np.int64(state.up_card)
    if is_joker(up) or is_joker(hole):
        other = POINTS[hole] if is_joker(up) else POINTS[up]
        return other in (0, 1, TEN)
    return POINTS[up] + POINTS[hole] == 1 + TEN and (POINTS[up] == 1 or POINTS[hole] == 1)


# --- hands of a seat ---


@device_function
def is_natural(state, hand):
    """BJ-04, for a hand not from a split."""
    if state.naturals == NONE or cards_in(hand) != 2 or specials_in(hand) > 0:
        return False
    total, _ = total_of(hand)
    return total == BEST


@device_function
def has_natural(state, seat):
    return state.num_hands[seat] == 1 and is_natural(state, state.hand[seat, 0])


@device_function
def hand_in_play(state, seat):
    """The first hand of a seat that has not ended, or else its last."""
    last = np.int64(state.num_hands[seat]) - 1
    for hand in range(last):
        if np.int64(state.ended[seat]) >> hand & 1 == 0:
            return hand
    return max(last, 0)


@device_function
def end_hand(state, seat, hand):
    state.ended[seat] = np.int64(state.ended[seat]) | 1 << hand


@device_function
def all_ended(state, seat):
    return np.int64(state.ended[seat]) == (1 << np.int64(state.num_hands[seat])) - 1


@device_function
def end_all(state, seat):
    state.ended[seat] = (1 << np.int64(state.num_hands[seat])) - 1


@device_function
def lowest_card(hand):
    card = 0
    while hand[card] == 0:
        card += 1
    return card


@device_function
def is_pair(state, hand):
    """BJ-11, BJ-47, for any hand."""
    if cards_in(hand) != 2 or specials_in(hand) > 0:
        return False
    if jokers_in(hand) > 0:
        return True
    first = lowest_card(hand)
    if hand[first] == 2:
        return True
    second = first + 1 + lowest_card(hand[first + 1 :])
    return first >> 2 == second >> 2 or (state.split_by == VALUE and POINTS[first] == POINTS[second])


@device_function
def has_ace(hand):
    for card in range(_FIRST_ACE, SMALL_JOKER):
        if hand[card] > 0:
            return True
    return False
