"""Poker hands: the best five of any number of cards, Jokers wild. Numbers as in docs/rules/poker.md.

A strength is the kind (`POKER_KINDS`, 1..9), then 53 bits: the rank of the greatest group in bits 49 to 52, below it what decides
between equal groups: ranks as a set, one bit in four, so that more or higher cards are a greater number and a missing kicker is
the lowest (PK-25). What no hand of five can be, straights and flushes of fewer cards, needs no rule: there are not enough cards.

In all kernels a set of cards is one word with the bits 0..51 by id, as `hand[0]` of core/extended/sets.py; specials in the bits
above are no cards of a poker hand and left out. Which suit has which of four bits makes no difference. Of Jokers the number counts.
A Joker stands for an open card: one that its player holds nowhere, used or not (PK-30).
"""

from __future__ import annotations

import numpy as np

from ..kernel import kernel

POKER_KINDS = (
    "",
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)  # PK-22, by the number that is a strength's kind
HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(1, 10)


@kernel
def poker_strength(cards, jokers):
    """Strength of the best five cards (PK-14, PK-22, PK-30), of fewer as they are (PK-25); 0 for no card.

    cards: the standard cards, own and community, of one player, uint64 or int64 as above; specials are left out.
    jokers: how many Jokers he has beside them, 0 to 2.
    Returns an int64; the higher wins, equal ones tie. `strength >> KIND_SHIFT` is the kind.
    """
    return np.int64(0)


@kernel
def up_cards_strength(cards, jokers):
    """Strength of cards that lie open: groups and ranks, no straights or flushes (PK-20, PK-25, PK-32). Arguments and result as of
    `poker_strength`; 0 for no card, that is no standard card and no Joker."""
    return np.int64(0)


@kernel
def omaha_strength(own, own_jokers, board, board_jokers):
    """Strength of exactly two own cards and three of the board, of fewer than two or three all (PK-15); 0 for no card.

    No Joker stands for a card that lies in `own` or on the `board`, used or not (PK-30).
    Sets and numbers as for `poker_strength`; the strengths are of the same order.
    """
    return np.int64(0)
