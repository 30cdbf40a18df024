"""Combinations of By The Skin of Your Teeth; numbers as in docs/rules/skin_of_your_teeth.md."""

from __future__ import annotations

import numpy as np

from ..cards import STANDARD
from ..jit import device_function
from .family import Family
from .packed import JOKER_SET, KIND_SHIFT, RANKS_ONCE, RUN, common_suit, rank_index, same_size

_ACES = 15 << (STANDARD - 4)
_TWOS = 15

SKIN_SINGLE, SKIN_PAIR, SKIN_THREE, SKIN_FOUR = 1, 2, 3, 4  # kinds; so far also the number of cards
SKIN_STRAIGHT, SKIN_FLUSH, SKIN_FULL_HOUSE, SKIN_STRAIGHT_FLUSH = 5, 6, 7, 8  # ST-20
_SKIN_JOKER = (SKIN_SINGLE << KIND_SHIFT) | (1 << STANDARD)  # ST-24: above every single card


@device_function
def skin_strength(cards, counts, size):
    """Strength of a card set; 0 if it is no valid combination (ST-04)."""
    if size == 5:
        return _skin_five(cards, counts)
    if cards & JOKER_SET:
        return np.int64(_SKIN_JOKER if size == 1 else 0)
    low = counts & -counts
    if size > 0 and (counts == low or (size == 3 and counts == 3 * low)):  # all of one rank; 3 is not a single bit
        return (size << KIND_SHIFT) | cards  # ST-17 to ST-19: by rank, then by suits from the highest down
    return np.int64(0)


@device_function
def _skin_five(cards, counts):
    if cards & JOKER_SET:
        return np.int64(0)
    if counts & RANKS_ONCE == counts:  # five ranks
        suit = common_suit(cards)
        if counts == (counts & -counts) * RUN:  # ST-05; ST-21: by the top card, its suit, the next card's suit, ...
            return (np.int64(SKIN_STRAIGHT if suit < 0 else SKIN_STRAIGHT_FLUSH) << KIND_SHIFT) | cards
        if suit >= 0:  # ST-23: ranks from the highest down, then the suit
            return (np.int64(SKIN_FLUSH) << KIND_SHIFT) | (counts << 2) | suit
        return np.int64(0)
    odd, several = counts & RANKS_ONCE, (counts >> 1) & RANKS_ONCE  # ranks with 1 or 3 cards, ranks with 2 or 3 cards
    if odd == several or odd & several != odd:  # three and two singles; no three
        return np.int64(0)
    three, pair = rank_index(odd), rank_index(several ^ odd)
    suits = ((cards >> (4 * three)) & 15) * 16 + ((cards >> (4 * pair)) & 15)
    return (np.int64(SKIN_FULL_HOUSE) << KIND_SHIFT) | ((three * 16 + pair) * 256 + suits)  # ST-22


@device_function
def skin_beats(attack, defence):
    """Whether an attack of one strength beats a defence of another (ST-12 to ST-24). Jokers cannot defend."""
    if attack <= 0:
        return False
    if defence <= 0 or defence == _SKIN_JOKER:
        return True
    if not same_size(attack, defence, SKIN_STRAIGHT):
        return False
    if attack >> KIND_SHIFT < SKIN_STRAIGHT:
        cards = (np.int64(1) << KIND_SHIFT) - 1
        if (attack & cards) <= _TWOS and (defence & cards) & _ACES:
            return True
    return attack > defence


@device_function
def _skin_row(cards, counts, size, settings):
    return skin_strength(cards, counts, size)


skin_of_your_teeth = Family("skin_of_your_teeth", {"strength": _skin_row, "beats": skin_beats}, widths=(5,), copies=1)
