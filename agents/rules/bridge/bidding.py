"""Simple natural bidding, by points and lengths.

One table of meanings serves two purposes: what any player's bid shows, and which bids fit the player's own hand. A bid shows a
range of points and a length in its suit: openings and overcalls as in `first_meaning`; later bids, in `later_meaning`, the
side's total need for a contract of that level, less what the partner has shown. So raises, rebids and invitations follow from
one list of needs, and the bidding stops where the two hands together cannot need more; a raise of a major beyond game, or
no-trump, is an invitation to a slam. Of the bids that fit, the most useful is made. A double of a low bid, as one of the first
calls of the side, is for take-out: partner names a suit, however weak. Later a contract of the opponents that asks for more
than they can have is doubled. The numbers of the ordinary deck were found by playing auctions whose contracts a double-dummy
solver then scored.
"""

from __future__ import annotations

import numpy as np

from ....envs.core.bits import count_bits
from ....envs.core.cards import SUITS
from ....envs.core.extended.sets import AT_SPECIALS, KIND_BITS
from ....envs.core.jit import device_function
from ....envs.core.layout import start
from ....envs.games.bridge.score import level_of
from ....envs.games.bridge.state import ACTIONS, BID, BIDS, DOUBLE, NO_BID, NO_TRUMP, OBSERVATION, PLAYERS, STRAINS
from ..reading import read_set
from .table import suit_cards

_PASS, _DOUBLE, _BID = (ACTIONS.at(name) for name in ("pass", "double", "bid"))
_HAND, _BIDS, _PILE = (OBSERVATION.at(name) for name in ("hand", "bids", "pile"))

HEARTS = 2
_SLAMS = 5 * STRAINS
_TEN_RANK = 8
_ACES = np.uint64(0xF << (SUITS * 12))
# Points of T J Q K A, a Joker, a Draw, Reverse, Skip, of a hand in itself; of all hands together; more at no trump; of a void,
# a singleton, a doubleton beside a fit. With the Extended Deck honors win less, for there are Jokers. Its points were found by
# regression of tricks won, and are scaled to be worth as many tricks as those of the ordinary deck.
TEN, JOKER, SPECIALS_AT, BASE, ALL, AT_NO_TRUMP, SHORTNESS = 0, 5, 6, 9, 10, 11, 12
POINTS = np.array(
    [
        [0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 40.0, 0.0, 3.0, 2.0, 1.0],
        [0.3, 0.8, 1.1, 1.7, 2.5, 4.0, 1.4, 0.4, 0.2, 2.7, 43.0, 1.0, 2.5, 1.5, 0.5],
    ]
)
TRUMP_MORE = 1.0  # for each trump of the side above eight

# What a side needs for a level, with eight trumps or at no trump; and to show a new suit that high.
NEED_SUIT = np.array([0.0, 16.0, 16.5, 23.0, 25.5, 30.5, 33.0, 37.0])
NEED_MINOR = np.array([0.0, 16.0, 16.5, 22.5, 25.5, 28.5, 33.0, 37.0])
NEED_NO_TRUMP = np.array([0.0, 18.0, 24.0, 24.5, 30.0, 32.0, 33.5, 37.0])
NEED_NEW = np.array([0.0, 18.0, 22.0, 24.0, 26.0, 50.0, 50.0, 50.0])
NEVER, ANY = 99.0, 40.0
FIT = 8
# First bids of a side, by level: points at least and at most, length at least. A jump shows what a weak opening does.
NOTHING = np.array([NEVER, ANY, 0.0])
OPENINGS = np.array([[12.0, ANY, 3.0], [6.0, 10.0, 6.0], [6.0, 10.0, 7.0]])  # one of a major: five cards
OPENINGS_AT_NO_TRUMP = np.array([[15.0, 17.0, 0.0], [20.0, 22.0, 0.0], [23.0, ANY, 0.0]])
OVERCALLS = np.array([[9.0, 17.0, 5.0], [11.5, 16.0, 5.0], [14.0, 18.0, 6.0]])
MARGIN = 8.0  # points that the opponents lack for a contract that is doubled
# A double for take-out, by the level of the bid: points at least. It shows all suits that are not bid; beside the partner's bid
# it is negative and shows the majors among them, and by who has bid before, with a partner who has not, it reopens the auction.
FIRST, NEGATIVE, REOPENING = 0, 1, 2
TAKE_OUT = np.array([[12.0, 13.0, 15.0], [8.0, 8.0, 12.0], [15.0, 16.0, 16.0]])
STRONG = 17.0  # points with which a double is made whatever the suits are

# What is inferred of a player: points at least, lengths of suits bid at least, and of suits shown by a double for take-out;
# bids and such doubles made, whether the first was at no trump, and the bid doubled for take-out, if any, counted from 1.
LOW, LENGTHS, SUPPORT, COUNT, BALANCED, DOUBLED = 0, 1, 5, 9, 10, 11
INFERRED = 12


@device_function
def choose_call(observation, mask):
    hand = np.zeros(2, np.uint64)
    read_set(observation, start(_HAND, PLAYERS), hand)
    worth = POINTS[1 if observation[start(_PILE, PLAYERS)] > 0 else 0]
    inferred, meaning = np.zeros((PLAYERS, INFERRED)), np.zeros(3)
    last, owner = read_auction(observation, inferred, meaning)
    bid = best_bid(hand, inferred, last, owner, meaning, worth)
    if bid != NO_BID:
        return start(_BID, PLAYERS) + bid
    if mask[start(_DOUBLE, PLAYERS)]:
        if is_for_take_out(inferred, 0, last):
            if fits_take_out(hand, inferred, last, worth):
                return start(_DOUBLE, PLAYERS)
        elif should_double(hand, inferred, last, worth):
            return start(_DOUBLE, PLAYERS)
    return np.int64(start(_PASS, PLAYERS))


@device_function
def read_auction(observation, inferred, meaning):
    """Read what the players have shown so far. Returns the last bid and its player."""
    last, owner = NO_BID, 0
    for bid in range(BIDS):
        bidder = caller_of(observation, BID, bid)
        if bidder >= 0:
            mean(inferred, bidder, bid, last, meaning)
            note(inferred, bidder, bid, meaning)
            last, owner = bid, bidder
            doubler = caller_of(observation, DOUBLE, bid)
            if doubler >= 0 and is_for_take_out(inferred, doubler, bid):
                note_take_out(inferred, doubler, bid)
    return last, owner


@device_function
def best_bid(hand, inferred, last, owner, meaning, worth):
    """The most useful bid that fits the hand; NO_BID if none does or the player's own last bid is still the highest."""
    choice, best, lowest = NO_BID, 0.0, last + 1
    if last != NO_BID and owner == 0:
        return choice
    if last != NO_BID and owner == 2 and is_game(last):
        lowest = max(lowest, _SLAMS)  # beyond a game of the side only slams make sense
    for bid in range(lowest, BIDS):
        mean(inferred, 0, bid, last, meaning)
        rating = value_of_bid(hand, inferred, bid, meaning, worth)
        if rating > best:
            choice, best = bid, rating
    return choice


@device_function
def caller_of(observation, kind, bid):
    """Who made a bid, doubled or redoubled it, -1 if nobody did."""
    for seat in range(PLAYERS):
        if observation[start(_BIDS, PLAYERS) + PLAYERS * (3 * bid + kind) + seat] > 0:
            return seat
    return -1


@device_function
def is_game(bid):
    """Whether a contract is worth a game by itself."""
    strain = bid % STRAINS
    return level_of(bid) >= (3 if strain == NO_TRUMP else 4 if strain >= HEARTS else 5)


# --- what bids mean ---


@device_function
def mean(inferred, seat, bid, last, meaning):
    """The meaning of a bid: minimal and maximal points, minimal length."""
    meaning[0], meaning[1], meaning[2] = NEVER, ANY, 0.0
    partner, strain = (seat + 2) & 3, bid % STRAINS
    if strain != NO_TRUMP and inferred[partner, LENGTHS + strain] == 0:
        for other in range(PLAYERS):
            if inferred[other, LENGTHS + strain] > 0 and other != seat:
                return  # a suit of the opponents
    if inferred[seat, COUNT] + inferred[partner, COUNT] == 0:
        first_meaning(bid, last, meaning)
    else:
        later_meaning(inferred, seat, partner, bid, last, meaning)


@device_function
def set_meaning(meaning, low, high, length):
    meaning[0], meaning[1], meaning[2] = low, high, length


@device_function
def first_meaning(bid, last, meaning):
    """The first bid of a side: an opening, or an overcall, with a jump or without."""
    level, strain = level_of(bid), bid % STRAINS
    if level > len(OPENINGS):
        return
    if last == NO_BID:
        row = OPENINGS_AT_NO_TRUMP[level - 1] if strain == NO_TRUMP else OPENINGS[level - 1]
        set_meaning(meaning, row[0], row[1], 5.0 if level == 1 and HEARTS <= strain < NO_TRUMP else row[2])
        return
    lowest = last + STRAINS - (last - strain) % STRAINS
    if strain == NO_TRUMP:
        row = OPENINGS_AT_NO_TRUMP[0] if level == 1 else NOTHING
    else:
        row = OVERCALLS[level - 1] if bid == lowest else OPENINGS[level - 1] if bid == lowest + STRAINS else NOTHING
    set_meaning(meaning, row[0], row[1], row[2])


@device_function
def later_meaning(inferred, seat, partner, bid, last, meaning):
    level, strain = level_of(bid), bid % STRAINS
    base = inferred[partner, LOW]
    needs = NEED_SUIT if strain >= HEARTS else NEED_MINOR
    if strain == NO_TRUMP:
        set_meaning(meaning, NEED_NO_TRUMP[level] - base, next_need(NEED_NO_TRUMP, level) - base, 0.0)
        return
    of_partner, own = shown(inferred, partner, strain), shown(inferred, seat, strain)
    if inferred[partner, BALANCED] and own == 0:  # facing a hand that is like all others of its points
        if level == 2:
            set_meaning(meaning, 0.0, NEED_NO_TRUMP[2] - base, 5.0)
        elif level == 3:
            set_meaning(meaning, NEED_NO_TRUMP[3] - base, ANY, 5.0)
        else:
            set_meaning(meaning, needs[level] - base, next_need(needs, level) - base, 6.0)
    elif of_partner >= 3 or own >= 3:
        length = FIT - of_partner if of_partner >= 3 else 5.0 if own == 4 else max(own + 1, 6.0)
        set_meaning(meaning, needs[level] - base, next_need(needs, level) - base, max(length, 3.0))
        if last != NO_BID and inferred[partner, DOUBLED] == last + 1 and bid < last + STRAINS:
            meaning[0] = 0.0  # a double for take-out is answered with whatever it be
    elif of_partner + own == 0:
        need = NEED_NEW[level] if level > 1 or inferred[seat, COUNT] == 0 else NEED_NEW[1]
        if inferred[seat, COUNT] > 0 and level == 2:
            need = NEED_NEW[1] if no_reverse(inferred, seat, strain) else NEED_NEW[2]
        set_meaning(meaning, need - base, ANY, 4.0 if level == 1 or inferred[seat, COUNT] > 0 else 5.0)


@device_function
def shown(inferred, seat, suit):
    """The length of a suit that a player has shown."""
    return max(inferred[seat, LENGTHS + suit], inferred[seat, SUPPORT + suit])


@device_function
def is_for_take_out(inferred, seat, bid):
    """Whether a double asks the partner to bid: it is of a low bid in a suit, and one call of the side at most came before."""
    partner = (seat + 2) & 3
    low = level_of(bid) <= TAKE_OUT.shape[1] and bid % STRAINS != NO_TRUMP
    calls = inferred[seat, COUNT] + inferred[partner, COUNT]
    return low and calls <= 1 and inferred[partner, BALANCED] + inferred[seat, BALANCED] == 0


@device_function
def take_out_points(inferred, seat, bid):
    row = NEGATIVE if inferred[(seat + 2) & 3, COUNT] > 0 else REOPENING if inferred[seat, COUNT] > 0 else FIRST
    return TAKE_OUT[row, level_of(bid) - 1]


@device_function
def support_of(inferred, seat, suit):
    """The length that a double for take-out shows in a suit, 0 if it shows none."""
    for other in range(PLAYERS):
        if inferred[other, LENGTHS + suit] > 0:
            return 0.0
    return 0.0 if suit < HEARTS and inferred[(seat + 2) & 3, COUNT] > 0 else 4.0


@device_function
def note_take_out(inferred, seat, bid):
    inferred[seat, LOW] = take_out_points(inferred, seat, bid)
    for suit in range(SUITS):
        inferred[seat, SUPPORT + suit] = support_of(inferred, seat, suit)
    inferred[seat, COUNT] += 1
    inferred[seat, DOUBLED] = bid + 1


@device_function
def fits_take_out(hand, inferred, bid, worth):
    points, negative = honor_points(hand, worth), inferred[2, COUNT] > 0
    if points < take_out_points(inferred, 0, bid):
        return False
    if points >= STRONG and not negative:
        return True
    shows = False
    for suit in range(SUITS):
        length = support_of(inferred, 0, suit)
        shows |= length > 0
        if length_of(hand, suit) < length - (not negative):  # a negative double promises its majors, others one card less
            return False
    return shows


@device_function
def no_reverse(inferred, seat, strain):
    """Whether the partner can go back to the first suit at the same level."""
    for suit in range(strain + 1, SUITS):
        if inferred[seat, LENGTHS + suit] > 0:
            return True
    return False


@device_function
def next_need(needs, level):
    """Points with which one would bid higher."""
    return needs[level + 1] - 0.5 if level < 7 else ANY + ANY


@device_function
def note(inferred, seat, bid, meaning):
    inferred[seat, COUNT] += 1
    if meaning[0] >= NEVER:
        return  # nothing is known of such a bid
    strain = bid % STRAINS
    inferred[seat, LOW] = max(inferred[seat, LOW], meaning[0])
    if strain == NO_TRUMP:
        if inferred[seat, COUNT] == 1:
            inferred[seat, BALANCED] = 1
    else:
        inferred[seat, LENGTHS + strain] = max(inferred[seat, LENGTHS + strain], meaning[2])


# --- what fits their own hand ---


@device_function
def honor_points(hand, worth):
    """High-card points, by a row of POINTS."""
    points = worth[BASE] + worth[JOKER] * count_bits(hand[1])
    specials = hand[0] >> AT_SPECIALS
    for kind in range(len(KIND_BITS)):
        points += worth[SPECIALS_AT + kind] * count_bits(specials & KIND_BITS[kind])
    for place in range(JOKER - TEN):
        points += worth[TEN + place] * count_bits(hand[0] >> np.uint64(SUITS * (_TEN_RANK + place)) & np.uint64(15))
    return points


@device_function
def length_of(hand, suit):
    return count_bits(suit_cards(hand, suit))


@device_function
def points_for(hand, inferred, strain, worth):
    """Points of the hand in a strain: for length, or beside a fit for shortness and further trumps."""
    points = honor_points(hand, worth)
    if strain == NO_TRUMP:
        return points + worth[AT_NO_TRUMP]
    fit = shown(inferred, 2, strain) + length_of(hand, strain)
    if shown(inferred, 2, strain) >= 3 and fit >= FIT:
        points += TRUMP_MORE * (fit - FIT)
        for suit in range(SUITS):
            if suit != strain and length_of(hand, suit) < len(worth) - SHORTNESS:
                points += worth[SHORTNESS + length_of(hand, suit)]
        return points
    for suit in range(SUITS):
        points += max(length_of(hand, suit) - 4, 0)
    return points


@device_function
def is_balanced(hand):
    """No void or singleton, and at most one doubleton."""
    doubletons = 0
    for suit in range(SUITS):
        length = length_of(hand, suit)
        if length < 2:
            return False
        doubletons += length == 2
    return doubletons <= 1


@device_function
def value_of_bid(hand, inferred, bid, meaning, worth):
    """The usefulness of a bid; 0 if it does not fit the hand."""
    level, strain = level_of(bid), bid % STRAINS
    opening = inferred[0, COUNT] + inferred[2, COUNT] == 0
    points = points_for(hand, inferred, strain, worth)
    if points < meaning[0] or points > meaning[1]:
        return 0.0
    if strain == NO_TRUMP:
        if opening:
            return 110.0 if is_balanced(hand) else 0.0
        return 120.0 + level if level >= 6 else 90.0 if level == 3 else 40.0
    length = length_of(hand, strain)
    if length < meaning[2]:
        return 0.0
    if opening:
        return 60.0 + 4 * length + (strain if length > 4 else -strain) * 0.1 - 10 * level
    raises, major = shown(inferred, 2, strain) >= 3, strain >= HEARTS
    fits = length + shown(inferred, 2, strain) >= FIT
    if level >= 6:
        return 125.0 + level if fits else 0.0
    if is_game(bid):
        return 100.0 if major and fits else 60.0 if fits else 0.0
    if raises:
        return 80.0 + length if major else 50.0 + length
    if inferred[0, LENGTHS + strain] > 0:
        return 42.0 + length
    return 65.0 - 5 * level + length


@device_function
def should_double(hand, inferred, last, worth):
    """Whether the opponents' contract asks for more points than they are likely to have, or for an ace that they lack."""
    level = level_of(last)
    others = worth[ALL] - honor_points(hand, worth)
    expected = others - max(inferred[2, LOW], others / 3)
    theirs = min(others - inferred[2, LOW], max(expected, inferred[1, LOW] + inferred[3, LOW]))
    needs = NEED_NO_TRUMP if last % STRAINS == NO_TRUMP else NEED_SUIT
    tops = count_bits(hand[0] & _ACES) + count_bits(hand[1])
    return needs[level] - theirs >= MARGIN or tops >= 8 - level
