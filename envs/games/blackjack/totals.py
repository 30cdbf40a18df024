"""The totals of blackjack hands (BJ-01, BJ-30 to BJ-33)."""

from __future__ import annotations

import numpy as np

from ...core.cards import DECK_66, STANDARD
from ...core.extended.shoe import JOKERS, jokers_in, open_suits
from ...core.jit import device_function
from .state import POINTS

BEST = 21
TEN = 10
_FIRST_TEN, _FIRST_ACE = 32, 48
_UP_TO_BEST = (1 << (BEST + 1)) - 1  # sums, as bits


@device_function
def total_of(hand):
    """The total of a hand, and whether it is soft (BJ-01). Specials count 10 (BJ-48)."""
    least, jokers = np.int64(0), jokers_in(hand)
    for card in range(DECK_66):
        least += np.int64(hand[card]) * POINTS[card]
    has_ace = False
    for card in range(_FIRST_ACE, STANDARD):
        has_ace |= hand[card] > 0
    if jokers > 0:
        return total_with_jokers(hand, least, has_ace, jokers)
    if has_ace and least + TEN <= BEST:
        return least + TEN, True
    return least, False


@device_function
def total_with_jokers(hand, least, has_ace, jokers):
    """As `total_of`, with `least` for the cards without Jokers, and the best choice for the Jokers (BJ-30 to BJ-32)."""
    plain = np.zeros(JOKERS + 1, np.int64)  # the possible sums of this number of Jokers that are not aces, as bits
    plain[0] = 1
    for value in range(2, TEN + 1):
        for _ in range(min(open_cards(hand, value), jokers)):
            for number in range(jokers, 0, -1):
                plain[number] |= plain[number - 1] << value & _UP_TO_BEST
    some_ace = np.int64(0)
    for aces in range(1, min(open_cards(hand, 1), jokers) + 1):
        some_ace |= plain[jokers - aces] << aces & _UP_TO_BEST
    hard = plain[jokers] | some_ace
    soft = hard if has_ace else some_ace
    for total in range(BEST, 0, -1):
        if total >= least and hard >> (total - least) & 1:
            return total, False
        if total - TEN >= least and soft >> (total - TEN - least) & 1:
            return total, True
    return least + least_of_jokers(hand, jokers), False


@device_function
def open_cards(hand, value):
    """The number of Jokers in a hand that may stand for cards of a value from 1 (aces) to 10 (BJ-32)."""
    if value == 1:
        return open_suits(hand, 12)
    if value < TEN:
        return open_suits(hand, value - 2)
    number = 0
    for card in range(_FIRST_TEN, _FIRST_ACE):
        number += hand[card] == 0
    return number


@device_function
def least_of_jokers(hand, jokers):
    """BJ-31."""
    total = 0
    for value in range(1, TEN + 1):
        number = min(open_cards(hand, value), jokers)
        total += number * value
        jokers -= number
    return total


@device_function
def is_bust(hand):
    total, _ = total_of(hand)
    return total > BEST
