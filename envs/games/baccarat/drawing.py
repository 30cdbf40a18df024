"""The totals of baccarat hands, and the rules of drawing (BA-01, BA-11 to BA-14, BA-25, BA-40 to BA-42, BA-53)."""

from __future__ import annotations

import numpy as np

from ...core.cards import DECK_66, STANDARD
from ...core.extended.shoe import JOKERS, cards_in, jokers_in, open_suits, specials_in
from ...core.jit import device_function

TEN = 10
NATURAL = 8  # and 9, of two cards
DID_NOT_DRAW = -1
MUST_DRAW, FREE, MUST_STAND = range(3)

_FIRST_TEN, _FIRST_ACE = 32, 48
_ALL_TOTALS = (1 << TEN) - 1
# The value of each card; 0 for a Joker by itself; a special that cannot be replaced has the value of a face card (BA-57).
POINTS = np.array(
    [card // 4 + 2 if card < _FIRST_TEN else 0 if card < _FIRST_ACE else 1 for card in range(STANDARD)] + [0] * 14, np.int64
)
# BA-13: by total 0..7 of B, and by the value that P drew; last column: P did not draw (BA-12).
TABLEAU = np.array(
    [
        [
            b <= 2 or (b == 3 and t != 8) or (b == 4 and 2 <= t <= 7) or (b == 5 and 4 <= t <= 7) or (b == 6 and 6 <= t <= 7)
            for t in range(TEN)
        ]
        + [b <= 5]
        for b in range(8)
    ],
    np.bool_,
)


@device_function
def total_of(hand):
    """The total of a hand, with Jokers standing for the cards that maximise it (BA-01, BA-40, BA-41)."""
    total, jokers = np.int64(0), jokers_in(hand)
    for card in range(DECK_66):
        total += np.int64(hand[card]) * POINTS[card]
    if jokers > 0:
        return total_with_jokers(hand, total, jokers)
    return total % TEN


@device_function
def total_with_jokers(hand, total, jokers):
    reach = np.zeros(JOKERS + 1, np.int64)  # the possible sums modulo 10 of this number of Jokers, as bits
    reach[0] = 1
    for value in range(TEN):
        for _ in range(min(open_cards(hand, value), jokers)):
            for number in range(jokers, 0, -1):
                moved = reach[number - 1] << value
                reach[number] |= (moved | moved >> TEN) & _ALL_TOTALS
    for best in range(TEN - 1, -1, -1):
        if reach[jokers] >> (best + 2 * TEN - total % TEN) % TEN & 1:
            return np.int64(best)
    return total % TEN


@device_function
def open_cards(hand, value):
    """The number of Jokers in a hand that may stand for cards of a value 0..9 (BA-41)."""
    if value == 0:
        number = 0
        for card in range(_FIRST_TEN, _FIRST_ACE):
            number += hand[card] == 0
        return number
    return open_suits(hand, 12 if value == 1 else value - 2)


@device_function
def is_natural(hand):
    """BA-03, BA-42."""
    return cards_in(hand) == 2 and specials_in(hand) == 0 and total_of(hand) >= NATURAL


@device_function
def first_draws(total):
    """BA-11: whether the first hand draws."""
    return total <= 5


@device_function
def second_draws(total, drawn):
    """BA-12 to BA-14: whether the second hand draws, given the value drawn by the first, or DID_NOT_DRAW."""
    return total < NATURAL and TABLEAU[total, TEN if drawn == DID_NOT_DRAW else drawn]


@device_function
def punter_may(total):
    """BA-25 with punter_rule=custom, for a hand with a total that is not a natural."""
    if total <= 4:
        return MUST_DRAW
    return FREE if total == 5 else MUST_STAND
