"""Simple natural bidding, by points and lengths.

One table of meanings serves both ways: what a bid of any player shows, and which bids fit the own hand. A bid shows points, a
least and a most, and a length in its suit: openings and overcalls as in `first_meaning`; later ones, in `later_meaning`, what
the side needs in all for a contract of that height, less what the partner has shown. So raises, rebids and invitations follow
from one list of needs, and the bidding stops where the two hands together cannot need more. Of the bids that fit, the most
useful is made. A contract of the opponents that asks for more than they can have is doubled.
"""

from __future__ import annotations

import numpy as np

from ....envs.core.bits import count_bits
from ....envs.core.cards import SUITS
from ....envs.core.extended.sets import SPECIAL_CARDS, STANDARD_CARDS
from ....envs.core.kernel import kernel
from ....envs.core.layout import start
from ....envs.games.bridge.state import ACTIONS, BIDS, NO_BID, NO_TRUMP, OBSERVATION, PLAYERS, STRAINS
from .table import read_set, suit_cards

_PASS, _DOUBLE, _BID = (ACTIONS.at(name) for name in ("pass", "double", "bid"))
_HAND, _BIDS, _PILE = (OBSERVATION.at(name) for name in ("hand", "bids", "pile"))

HEARTS = 2
_SLAMS = 5 * STRAINS
HONORS = np.array([1.0, 2.0, 3.0, 4.0])  # J Q K A
JOKER, SPECIAL = 4.5, 0.5  # points
SHORTNESS = np.array([5.0, 3.0, 1.0])  # void, singleton, doubleton, beside a fit
TOTAL, TOTAL_EXTENDED = 40.0, 43.0  # points of all hands

# What a side needs for a level, with eight trumps or at no trump; and to show a new suit that high.
NEED_SUIT = np.array([0.0, 16.0, 18.0, 23.0, 26.0, 29.0, 33.0, 37.0])
NEED_NO_TRUMP = np.array([0.0, 18.0, 23.0, 26.0, 29.0, 31.0, 33.0, 37.0])
NEED_NEW = np.array([0.0, 18.0, 22.0, 25.0, 28.0, 50.0, 50.0, 50.0])
MORE_EXTENDED = 0.0  # and with the Extended Deck so many points more
NEVER, ANY = 99.0, 40.0
FIT = 8
MARGIN = 4.0  # points that the opponents lack for a contract that is doubled

# Rows of what the players have shown: points at least, lengths of suits at least, bids made, whether no trump was bid.
LOW, LENGTHS, COUNT, BALANCED = 0, 1, 5, 6
SHOWN = 7


@kernel
def choose_call(observation, mask):
    hand = np.zeros(2, np.uint64)
    read_set(observation, start(_HAND, PLAYERS), hand)
    shown, last, owner = np.zeros((PLAYERS, SHOWN)), NO_BID, 0
    meaning = np.zeros(3)
    for bid in range(BIDS):
        bidder = bidder_of(observation, bid)
        if bidder >= 0:
            mean(shown, bidder, bid, last, meaning)
            note(shown, bidder, bid, meaning)
            last, owner = bid, bidder
    extended = observation[start(_PILE, PLAYERS)] > 0
    choice, best = NO_BID, 0.0
    lowest = last + 1
    if last != NO_BID and owner == 2 and is_game(last):
        lowest = max(lowest, _SLAMS)  # beyond a game only slams make sense
    if last == NO_BID or owner != 0:
        for bid in range(lowest, BIDS):
            mean(shown, 0, bid, last, meaning)
            rating = value_of_bid(hand, shown, bid, meaning, MORE_EXTENDED if extended else 0.0)
            if rating > best:
                choice, best = bid, rating
    if choice != NO_BID:
        return start(_BID, PLAYERS) + choice
    if mask[start(_DOUBLE, PLAYERS)] and should_double(hand, shown, last, extended):
        return start(_DOUBLE, PLAYERS)
    return np.int64(start(_PASS, PLAYERS))


@kernel
def bidder_of(observation, bid):
    for seat in range(PLAYERS):
        if observation[start(_BIDS, PLAYERS) + 3 * PLAYERS * bid + seat] > 0:
            return seat
    return -1


@kernel
def level_of(bid):
    return bid // STRAINS + 1


@kernel
def is_game(bid):
    """Whether a contract is worth a game by itself."""
    strain = bid % STRAINS
    return level_of(bid) >= (3 if strain == NO_TRUMP else 4 if strain >= HEARTS else 5)


# --- what bids mean ---


@kernel
def mean(shown, seat, bid, last, meaning):
    """What a bid shows: points at least and at most, length at least."""
    meaning[0], meaning[1], meaning[2] = NEVER, ANY, 0.0
    partner = (seat + 2) & 3
    if shown[seat, COUNT] + shown[partner, COUNT] == 0:
        first_meaning(bid, last, meaning)
    else:
        later_meaning(shown, seat, partner, bid, last, meaning)


@kernel
def set_meaning(meaning, low, high, length):
    meaning[0], meaning[1], meaning[2] = low, high, length


@kernel
def first_meaning(bid, last, meaning):
    """The first bid of a side."""
    level, strain = level_of(bid), bid % STRAINS
    jump = level - level_of(last + STRAINS - (last - strain) % STRAINS) if last != NO_BID else 0
    if strain == NO_TRUMP:
        if level == 1:
            set_meaning(meaning, 15.0, 17.0, 0.0)
        elif last == NO_BID and level == 2:
            set_meaning(meaning, 20.0, 22.0, 0.0)
        elif last == NO_BID and level == 3:
            set_meaning(meaning, 23.0, ANY, 0.0)
    elif last == NO_BID:
        if level == 1:
            set_meaning(meaning, 12.0, ANY, 5.0 if strain >= HEARTS else 3.0)
        elif level <= 3:
            set_meaning(meaning, 6.0, 10.0, 4.0 + level)
    elif jump == 0:
        if level == 1:
            set_meaning(meaning, 9.0, 17.0, 5.0)
        elif level == 2:
            set_meaning(meaning, 11.0, 17.0, 5.0)
        elif level == 3:
            set_meaning(meaning, 14.0, 18.0, 6.0)
    elif jump == 1 and level <= 3:
        set_meaning(meaning, 6.0, 10.0, 4.0 + level)


@kernel
def later_meaning(shown, seat, partner, bid, last, meaning):
    level, strain = level_of(bid), bid % STRAINS
    base = shown[partner, LOW]
    if strain == NO_TRUMP:
        set_meaning(meaning, NEED_NO_TRUMP[level] - base, next_need(NEED_NO_TRUMP, level, 3) - base, 0.0)
        return
    of_partner, own = shown[partner, LENGTHS + strain], shown[seat, LENGTHS + strain]
    if shown[partner, BALANCED] and own == 0:  # facing a hand that is like all others of its points
        if level == 2:
            set_meaning(meaning, 0.0, NEED_NO_TRUMP[2] - base, 5.0)
        elif level == 3:
            set_meaning(meaning, NEED_NO_TRUMP[3] - base, ANY, 5.0)
        else:
            set_meaning(meaning, NEED_SUIT[level] - base, next_need(NEED_SUIT, level, 4) - base, 6.0)
    elif of_partner >= 3 or own >= 4:
        game = 4 if strain >= HEARTS else 5
        length = FIT - of_partner if of_partner > own else own + 1
        set_meaning(meaning, NEED_SUIT[level] - base, next_need(NEED_SUIT, level, game) - base, max(length, 3.0))
    elif of_partner + own == 0:
        need = NEED_NEW[level] if level > 1 or shown[seat, COUNT] == 0 else NEED_NEW[1]
        if shown[seat, COUNT] > 0 and level == 2:
            need = NEED_NEW[1] if no_reverse(shown, seat, strain) else NEED_NEW[2]
        set_meaning(meaning, need - base, ANY, 4.0 if level == 1 or shown[seat, COUNT] > 0 else 5.0)


@kernel
def no_reverse(shown, seat, strain):
    """Whether the partner can go back to the first suit at the same level."""
    for suit in range(strain + 1, SUITS):
        if shown[seat, LENGTHS + suit] > 0:
            return True
    return False


@kernel
def next_need(needs, level, game):
    """Points with which one would bid higher: up to the game, then a slam."""
    if level < game:
        return needs[level + 1] - 0.5
    return needs[max(level + 1, 6)] - 0.5 if level < 7 else ANY + ANY


@kernel
def note(shown, seat, bid, meaning):
    shown[seat, COUNT] += 1
    if meaning[0] >= NEVER:
        return  # nothing is known of such a bid
    strain = bid % STRAINS
    shown[seat, LOW] = max(shown[seat, LOW], meaning[0])
    if strain == NO_TRUMP:
        if shown[seat, COUNT] == 1:
            shown[seat, BALANCED] = 1
    else:
        shown[seat, LENGTHS + strain] = max(shown[seat, LENGTHS + strain], meaning[2])


# --- what fits the own hand ---


@kernel
def honor_points(hand):
    points = JOKER * count_bits(hand[1]) + SPECIAL * count_bits(hand[0] & SPECIAL_CARDS)
    for rank in range(len(HONORS)):
        points += HONORS[rank] * count_bits((hand[0] & STANDARD_CARDS) >> np.uint64(SUITS * (9 + rank)) & np.uint64(15))
    return points


@kernel
def length_of(hand, suit):
    return count_bits(suit_cards(hand, suit))


@kernel
def points_for(hand, shown, strain):
    """Points of the hand in a strain: for length, or beside a fit for shortness and further trumps."""
    points = honor_points(hand)
    if strain == NO_TRUMP:
        return points
    fit = shown[2, LENGTHS + strain] + length_of(hand, strain)
    if shown[2, LENGTHS + strain] >= 3 and fit >= FIT:
        points += fit - FIT
        for suit in range(SUITS):
            if suit != strain and length_of(hand, suit) < len(SHORTNESS):
                points += SHORTNESS[length_of(hand, suit)]
        return points
    for suit in range(SUITS):
        points += max(length_of(hand, suit) - 4, 0)
    return points


@kernel
def is_balanced(hand):
    """No void or singleton, and one doubleton at most."""
    doubletons = 0
    for suit in range(SUITS):
        length = length_of(hand, suit)
        if length < 2:
            return False
        doubletons += length == 2
    return doubletons <= 1


@kernel
def value_of_bid(hand, shown, bid, meaning, more):
    """How useful a bid is that fits the hand; 0 of one that does not."""
    level, strain = level_of(bid), bid % STRAINS
    opening = shown[0, COUNT] + shown[2, COUNT] == 0
    points = points_for(hand, shown, strain) - more
    if points < meaning[0] or points > meaning[1]:
        return 0.0
    if strain == NO_TRUMP:
        if opening:
            return 110.0 if is_balanced(hand) else 0.0
        return 120.0 + level if level >= 6 else 90.0 if level == 3 else 40.0 if level < 3 else 0.0
    length = length_of(hand, strain)
    if length < meaning[2]:
        return 0.0
    if opening:
        return 60.0 + 4 * length + (strain if length > 4 else -strain) * 0.1 - 10 * level
    raises, major = shown[2, LENGTHS + strain] >= 3, strain >= HEARTS
    fits = length + shown[2, LENGTHS + strain] >= FIT
    if level >= 6:
        return 125.0 + level if fits else 0.0
    if is_game(bid):
        return 100.0 - 20 * (level - 4) if major and fits else 60.0 if fits else 0.0
    if raises:
        return 80.0 if major else 50.0
    if shown[0, LENGTHS + strain] > 0:
        return 42.0 + length
    return 65.0 - 5 * level + length


@kernel
def should_double(hand, shown, last, extended):
    """Whether the opponents' contract asks for more points than they are likely to have, or for an ace that they lack."""
    level = level_of(last)
    total = TOTAL_EXTENDED if extended else TOTAL
    own = honor_points(hand)
    most = total - own - shown[2, LOW]
    expected = total - own - max(shown[2, LOW], (total - own) / 3)
    theirs = min(most, max(expected, shown[1, LOW] + shown[3, LOW]))
    needs = NEED_NO_TRUMP if last % STRAINS == NO_TRUMP else NEED_SUIT
    tops = count_bits(hand[0] & STANDARD_CARDS >> np.uint64(48) << np.uint64(48)) + count_bits(hand[1])
    return needs[level] - theirs >= MARGIN or tops >= 8 - level
