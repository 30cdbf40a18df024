"""Declarer's leads with the standard deck: what the suit offers both hands, weighed by what such leads lose double dummy."""

from __future__ import annotations

import numpy as np

from ....envs.core.bits import count_bits, lowest_bit
from ....envs.core.cards import SUITS
from ....envs.core.extended.sets import NO_SUIT, ONE, STANDARD_CARDS, ZERO, id_at
from ....envs.core.jit import device_function
from .table import UNSEEN, above, highest_rank, rank_of, suit_cards

CHANCE = 0  # to win the trick
THREATENED = 1  # the same for each card that the opponents could cash
UNDRAWN = 2  # the same while they may have trumps
OPPOSITE, OUTSIDE = 3, 4  # cards of the suit in the partner's hand and in hidden ones
SURE, LONG = 5, 6  # tricks of the suit: that cannot be lost, and that are left when all others have followed
SECOND = 7  # one higher card is hidden
FINESSE = 8  # a low card towards such a one
RUFF = 9
RUFFS = 10  # that the hand with fewer trumps has to come
TRUMP = 11
AT_NO_TRUMP, SIDE_SUIT, TRUMPS = range(3)
# Found by regression: of the leads of 3,700 deals those that lose the fewest tricks double dummy.
WEIGHTS = np.array(
    [
        [3.5, 0.8, 0.0, 0.8, -0.8, 1.1, 1.1, -2.2, 2.0, 0.0, 0.0, 0.0],
        [3.5, 0.8, 1.0, 0.1, -0.1, 0.0, 0.7, -1.7, 2.4, 7.5, 0.0, 0.0],
        [1.6, -0.5, 7.2, 0.7, 0.2, 0.6, 0.9, -2.4, 2.4, 0.0, -2.7, -0.7],
    ]
)


@device_function
def rate_lead(cards, seat, card, suit, trump, chance):
    """How good declarer's lead of a card is, where the suit is led and the trick won by this chance."""
    partner = seat ^ 2
    w = WEIGHTS[AT_NO_TRUMP if trump == NO_SUIT else TRUMPS if suit == trump else SIDE_SUIT]
    own, opposite, outside = suit_cards(cards[seat], suit), suit_cards(cards[partner], suit), suit_cards(cards[UNSEEN], suit)
    length = max(count_bits(own), count_bits(opposite))
    sure = min(count_bits((own | opposite) & above(highest_rank(outside))), length)
    higher = higher_outside(outside, card)
    rating = w[CHANCE] * chance + w[THREATENED] * chance * threats(cards)
    rating += w[OPPOSITE] * count_bits(opposite) + w[OUTSIDE] * count_bits(outside)
    rating += w[SURE] * sure + w[LONG] * max(0, length - max(sure, (count_bits(outside) + 2) // 2)) + w[TRUMP]
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
