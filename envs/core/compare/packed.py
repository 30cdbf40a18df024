"""Combinations packed into numbers, and the operations that all families share, as device functions.

A card set is one word, ordered such that a plain comparison breaks ties (`card_bit`). The sets of hands in
`core/extended/sets.py` are two words in the order of ids, with room for the specials; having both is cheaper than converting in
every comparison.
"""

from __future__ import annotations

import numpy as np

from ..cards import RANKS, STANDARD
from ..jit import device_function

KIND_SHIFT = 54  # a strength is a kind, then 54 bits that order the combinations of a kind

RANKS_ONCE = 0x1111111111111  # one card of each rank, as counts; the lowest suit of each rank, as a card set
RUN = 0x11111  # five consecutive ranks, as counts
SMALL_SET, BIG_SET = 2 << STANDARD, 1 << STANDARD  # the two Jokers as card sets, by `card_bit`
JOKER_SET = SMALL_SET | BIG_SET
NO_JOKERS = (1 << STANDARD) - 1  # the bits of all other cards, as a card set and as counts
JOKER_SHIFT = 4 * RANKS  # the shift of Jokers in counts


@device_function
def card_bit(card):
    """The card's bit in a card set: ordered by rank, then suit d < c < h < s, which is id order but for the lower two suits."""
    return np.int64(1) << ((card ^ ((~card >> 1) & 1)) & 63)


@device_function
def rank_unit(card):
    """One card of this rank, in counts of four bits per rank; a Joker has rank 13."""
    return np.int64(1) << (card & 60)


@device_function
def rank_index(unit):
    """The rank for which `unit` is one card."""
    rank = 0
    while unit > 1:
        unit >>= 4
        rank += 1
    return rank


@device_function
def common_suit(cards):
    """The suit of all cards of a set without Jokers, 0..3 = d, c, h, s; -1 if they differ."""
    for suit in range(4):
        if cards & (RANKS_ONCE << suit) == cards:
            return suit
    return -1


@device_function
def same_size(attack, defence, first_of_five):
    """Whether two strengths have the same number of cards: the same kind, or both kinds of five cards (`first_of_five` and
    above)."""
    kind, other = attack >> KIND_SHIFT, defence >> KIND_SHIFT
    return kind == other or (kind >= first_of_five and other >= first_of_five)
