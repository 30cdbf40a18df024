"""Leads with the standard deck, rated by features of the card and its suit.

The weights were found by regression: of the leads of 5,000 deals they choose those that lose the fewest tricks double dummy.
Each feature has one at no trump, in a side suit, and in trumps.
"""

from __future__ import annotations

import numpy as np

from ....envs.core.bits import count_bits, lowest_bit
from ....envs.core.cards import SUITS
from ....envs.core.extended.sets import NO_SUIT, ONE, STANDARD_CARDS, ZERO, id_at
from ....envs.core.jit import device_function
from .table import UNSEEN, above, declarer_seat, dummy_seat, has_bid, highest_rank, rank_of, suit_cards

CHANCE = 0  # to win the trick
THREATENED = 1  # the same for each card that the opponents could cash
UNDRAWN = 2  # the same while they may have trumps
OPPOSITE, OUTSIDE = 3, 4  # cards of the suit in the partner's hand and in hidden ones
SURE, LONG = 5, 6  # tricks of the suit: that cannot be lost, and that are left when all others have followed
SECOND = 7  # one higher card is hidden
FINESSE = 8  # a low card towards such a one
RUFF = 9
RUFFS = 10  # that the hand with fewer trumps has to come
DECLARERS = np.array(
    [
        [5.1, 0.3, 0.0, 0.7, -1.3, 1.4, 1.1, -2.8, 2.6, 0.0, 0.0],
        [4.6, 0.7, 0.3, 0.2, 0.1, 0.0, 0.9, -1.5, 2.4, 7.9, 0.0],
        [0.0, -0.2, 8.1, 0.9, 0.1, 0.8, 0.8, -2.7, 2.9, 0.0, -2.3],
    ]
)
# Of defenders, who count dummy's cards among those outside: CHANCE, and
HIGHEST, NEXT = 1, 2  # no higher card is outside, or one
PARTNERS, OPPONENTS = 3, 4  # who have bid the suit
SEQUENCE = 5  # the highest honour held, and the next lower one is held too
DUMMYS_TRICK = 6  # dummy has the highest card
DUMMYS, REST = 7, 8  # cards of the suit in dummy, and all outside
DUMMYS_RUFF = 9
TRUMP = 10
DEFENDERS = np.array(
    [
        [11.5, 0.9, -1.6, 7.0, -3.6, 7.1, -3.1, -0.4, -0.6, 0.0, 0.0],
        [6.6, 2.8, -1.0, 4.0, -2.4, 7.4, -4.5, -0.4, -0.3, -12.1, 0.0],
        [4.4, 4.0, -1.7, 0.0, -2.5, 3.0, 0.0, 0.0, -1.0, 0.0, 3.1],
    ]
)


@device_function
def row_of(suit, trump):
    return 0 if trump == NO_SUIT else 2 if suit == trump else 1


@device_function
def rate_declarers_lead(cards, seat, card, suit, trump, chance):
    """The value of declarer's lead of a card, given the probability that the side wins the trick."""
    partner = seat ^ 2
    w = DECLARERS[row_of(suit, trump)]
    own, opposite, outside = suit_cards(cards[seat], suit), suit_cards(cards[partner], suit), suit_cards(cards[UNSEEN], suit)
    length = max(count_bits(own), count_bits(opposite))
    sure = min(count_bits((own | opposite) & above(highest_rank(outside))), length)
    higher = higher_outside(outside, card)
    rating = w[CHANCE] * chance + w[THREATENED] * chance * threats(cards)
    rating += w[OPPOSITE] * count_bits(opposite) + w[OUTSIDE] * count_bits(outside)
    rating += w[SURE] * sure + w[LONG] * max(0, length - max(sure, (count_bits(outside) + 2) // 2))
    if higher == 1:
        rating += w[SECOND]
    if higher > 0 and has_second(opposite, outside):
        rating += w[FINESSE]
    if trump != NO_SUIT:
        if suit_cards(cards[UNSEEN], trump) != ZERO:
            rating += w[UNDRAWN] * chance
        if opposite == ZERO and suit_cards(cards[partner], trump) != ZERO:
            rating += w[RUFF]
        rating += w[RUFFS] * ruffs(cards, trump)
    return rating


@device_function
def higher_outside(outside, card):
    return count_bits(outside & above(rank_of(card)))


@device_function
def has_second(held, outside):
    """Whether there is a card that one hidden card beats."""
    while held & STANDARD_CARDS != ZERO:
        if higher_outside(outside, id_at(lowest_bit(held))) == 1:
            return True
        held &= held - ONE
    return False


@device_function
def threats(cards):
    """Hidden cards, three of a suit at most, that are higher than all that declarer and dummy have."""
    count = 0
    for suit in range(SUITS):
        ours = suit_cards(cards[0], suit) | suit_cards(cards[2], suit)
        count += min(3, count_bits(suit_cards(cards[UNSEEN], suit) & above(highest_rank(ours))))
    return count


@device_function
def ruffs(cards, trump):
    """Losers of the hand with more trumps that the other one could ruff, after a round of the suit at most."""
    short = 0 if count_bits(suit_cards(cards[0], trump)) < count_bits(suit_cards(cards[2], trump)) else 2
    trumps, count = count_bits(suit_cards(cards[short], trump)), 0
    for suit in range(SUITS):
        length = count_bits(suit_cards(cards[short], suit))
        if suit != trump and length <= 1:
            count += max(0, min(trumps, count_bits(suit_cards(cards[short ^ 2], suit)) - length))
    return min(3, count)


@device_function
def rate_defenders_lead(observation, cards, card, suit, trump, chance):
    """The same for a defender."""
    w, dummy, rank = DEFENDERS[row_of(suit, trump)], dummy_seat(observation), rank_of(card)
    own, hidden, theirs = suit_cards(cards[0], suit), suit_cards(cards[UNSEEN], suit), ZERO
    if dummy > 0:
        theirs = suit_cards(cards[dummy], suit)
    higher = higher_outside(hidden | theirs, card)
    rating = w[CHANCE] * chance + w[DUMMYS] * count_bits(theirs) + w[REST] * count_bits(hidden | theirs)
    if higher <= 1:
        rating += w[HIGHEST + higher]
    declarer = declarer_seat(observation)
    if has_bid(observation, 2, suit):
        rating += w[PARTNERS]
    if has_bid(observation, declarer, suit) or has_bid(observation, declarer ^ 2, suit):
        rating += w[OPPONENTS]
    if rank > 10 and rank == highest_rank(own) and own & above(rank - 2) & ~above(rank - 1) != ZERO:
        rating += w[SEQUENCE]
    if theirs != ZERO and (own | hidden) & above(highest_rank(theirs)) == ZERO:
        rating += w[DUMMYS_TRICK]
    if dummy > 0 and theirs == ZERO and suit_cards(cards[dummy], trump) != ZERO:
        rating += w[DUMMYS_RUFF]
    if suit == trump:
        rating += w[TRUMP]
    return rating
