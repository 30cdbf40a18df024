"""Melds: groups and runs, lay-offs, and the points of cards left in hand.

Cards are three numbers: `once`, the faces held at least once, a card with a suit at its place of core/extended/sets.py (rank by
rank, 2 the lowest, specials above); `twice`, those of them held twice (two decks); and how many Jokers. `rules` is a row of
RULES.
"""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits, highest_bit, lowest_bit
from ...core.extended.sets import ONE, SPECIAL_CARDS, STANDARD_CARDS, SUIT_CARDS, ZERO
from ...core.jit import device_function

GROUP, RUN = np.int64(0), np.int64(1)

# Rules of melds, a row for each of five games, and what they say: the least and most cards of a run that is laid, the most of a
# group that is laid, the most of a group in all, whether an ace may stand above a king, whether a group may hold a face twice.
BASIC_LOW, BASIC_BOTH, GIN, CONTRACT, CONTRACT_STANDARD = (np.int64(k) for k in range(5))
SHORTEST, LONGEST, GROUP_LAID, LARGEST, ACE_HIGH, COPIES = range(6)
RULES = np.array(
    [
        [3, 13, 4, 4, 0, 0],
        [3, 13, 4, 4, 1, 0],
        [3, 5, 4, 4, 0, 0],  # RM-34
        [4, 4, 3, 4, 1, 1],  # RM-13, RM-43
        [4, 4, 3, 8, 1, 1],  # RM-10
    ],
    np.int64,
)
LEAST_GROUP = 3
MOST_OF_RUN = 13  # RM-11
LOW_ACE, HIGH_ACE = 0, 13  # places of an ace in a suit's positions, 2 to K between them
ACE = np.int64(12)  # its rank: 2 is 0
BELOW_ACE = (1 << ACE) - 1  # the other ranks
NIBBLE = np.uint64(15)
_ROW = np.uint64(0x1111111111111)  # one card of each rank
_REACH = 2  # RM-37


@device_function
def ranks_of(cards, suit):
    """The ranks held of a suit as 13 bits, 2 the lowest."""
    bits = (cards >> np.uint64(suit)) & _ROW
    bits = (bits | (bits >> np.uint64(3))) & np.uint64(0x303030303030303)
    bits = (bits | (bits >> np.uint64(6))) & np.uint64(0xF000F000F000F)
    bits = (bits | (bits >> np.uint64(12))) & np.uint64(0xFF000000FF)
    return np.int64((bits | (bits >> np.uint64(24))) & np.uint64(0x1FFF))


@device_function
def faces_of(ranks, suit):
    """The cards of a suit that have some of 13 ranks."""
    bits = np.uint64(ranks)
    bits = (bits | (bits << np.uint64(24))) & np.uint64(0xFF000000FF)
    bits = (bits | (bits << np.uint64(12))) & np.uint64(0xF000F000F000F)
    bits = (bits | (bits << np.uint64(6))) & np.uint64(0x303030303030303)
    return ((bits | (bits << np.uint64(3))) & _ROW) << np.uint64(suit)


@device_function
def positions_of(ranks, low, high):
    """Ranks as 14 positions in a run, 2 to K at 1 to 12, an ace below or above, at both or at neither."""
    ace = ranks >> ACE
    return ((ranks & BELOW_ACE) << 1) | (ace * low) | ((ace * high) << HIGH_ACE)


@device_function
def ranks_at(positions):
    """The ranks that stand at some positions."""
    ace = (positions | (positions >> HIGH_ACE)) & 1
    return ((positions >> 1) & BELOW_ACE) | (ace << ACE)


@device_function
def span_of(positions):
    """From the lowest to the highest of some positions, both counted."""
    return highest_bit(positions) - lowest_bit(positions) + 1


@device_function
def suit_of(faces):
    """The suit of standard cards that are all of one; -1 where they are not, or a special is among them."""
    if faces == ZERO or faces & SPECIAL_CARDS != ZERO:
        return np.int64(-1)
    suit = lowest_bit(faces) & 3
    return suit if faces & ~SUIT_CARDS[suit] == ZERO else np.int64(-1)


@device_function
def rank_cards(place):
    """All cards of the rank of one, by its place: of a special those of its kind."""
    return NIBBLE << np.uint64(place & ~3)


@device_function
def is_one_rank(faces):
    return faces != ZERO and faces & ~rank_cards(lowest_bit(faces)) == ZERO


@device_function
def run_of(ranks, jokers, shortest, longest, low, high):
    """RM-18 for one choice of the ace's place."""
    positions = positions_of(ranks, low, high)
    length = count_bits(positions) + jokers
    return shortest <= length <= longest and span_of(positions) <= length


@device_function
def is_run(once, twice, jokers, shortest, longest, rules):
    """RM-11, RM-18."""
    suit = suit_of(once)
    if suit < 0 or twice != ZERO:
        return False
    ranks = ranks_of(once, suit)
    if run_of(ranks, jokers, shortest, longest, 1, 0):
        return True
    return RULES[rules, ACE_HIGH] == 1 and run_of(ranks, jokers, shortest, longest, 0, 1)


@device_function
def is_group(once, twice, jokers, most):
    """RM-10, RM-14, RM-15, RM-19, with at most so many cards."""
    if not is_one_rank(once) or (once & SPECIAL_CARDS != ZERO and jokers > 0):
        return False
    suits = count_bits(once)
    size = suits + count_bits(twice) + jokers
    return LEAST_GROUP <= size <= most and (jokers == 0 or jokers <= 4 - suits)


@device_function
def layable(kind, once, twice, jokers, rules):
    """The faces of which a card may be laid off on a meld (RM-20). Whether one is held is for the caller to see."""
    if kind == GROUP:
        if count_bits(once) + count_bits(twice) + jokers >= RULES[rules, LARGEST]:
            return ZERO
        full = twice if RULES[rules, COPIES] else once
        return rank_cards(lowest_bit(once)) & ~full
    suit = lowest_bit(once) & 3
    ranks = ranks_of(once, suit)
    length = count_bits(once) + jokers
    if length >= MOST_OF_RUN:
        return ZERO
    around = _around(positions_of(ranks, 1, 0), length)
    high = RULES[rules, ACE_HIGH]
    if high:
        around |= _around(positions_of(ranks, 0, 1), length)
    else:
        around &= ~(1 << HIGH_ACE)
    return faces_of(ranks_at(around) & ~ranks, suit)


@device_function
def _around(positions, length):
    """The positions that fit with others in a run of one card more than `length`."""
    if span_of(positions) > length + 1:  # of an ace on the wrong side
        return 0
    first = max(highest_bit(positions) - length, 0)
    last = min(lowest_bit(positions) + length, HIGH_ACE)
    return ((2 << last) - 1) & ~((1 << first) - 1)


@device_function
def joker_layable(kind, once, twice, jokers, rules):
    """Whether a Joker may be laid off on a meld (RM-20)."""
    if kind == GROUP:
        return is_group(once, twice, jokers + 1, RULES[rules, LARGEST])
    return count_bits(once) + jokers < MOST_OF_RUN


@device_function
def within_two(first):
    """The cards that may be laid off on a run first laid as `first`, aces low, if two may at each end (RM-37)."""
    suit = lowest_bit(first) & 3
    positions = positions_of(ranks_of(first, suit), 1, 0)
    lowest = max(lowest_bit(positions) - _REACH, 0)
    highest = min(highest_bit(positions) + _REACH, HIGH_ACE - 1)
    return faces_of(ranks_at(((2 << highest) - 1) & ~((1 << lowest) - 1)), suit)


@device_function
def ace_is_low(once, jokers):
    """Whether a run on the table is one with its ace below the 2."""
    return run_of(ranks_of(once, lowest_bit(once) & 3), jokers, np.int64(1), np.int64(MOST_OF_RUN), 1, 0)


@device_function
def without(once, twice, faces):
    """`once` and `twice` when one card of each of some faces has left."""
    return once & ~(faces & ~twice), twice & ~faces


@device_function
def points_of_rank(rank, ace):
    """RM-60, of a rank from 2 (0) to the ace (12)."""
    if rank == ACE:
        return np.int64(ace)
    return np.int64(min(rank + 2, 10))


@device_function
def points(once, twice, jokers, ace):
    """The points of cards in hand (RM-60 to RM-63); an ace counts `ace`, 1 or 15."""
    total = 10 * (count_bits(once & SPECIAL_CARDS) + count_bits(twice & SPECIAL_CARDS))
    cards = once & STANDARD_CARDS
    while cards != ZERO:
        place = lowest_bit(cards)
        face = ONE << np.uint64(place)
        total += points_of_rank(place >> 2, ace) * (1 + np.int64(twice & face != ZERO))
        cards ^= face
    return total + _joker_points(once, jokers, ace)


@device_function
def _joker_points(once, jokers, ace):
    """RM-62: the cheapest cards that are not in the hand."""
    total, left = np.int64(0), np.int64(jokers)
    for k in range(13):
        rank = (k + ACE) % 13 if ace == 1 else np.int64(k)  # in ascending points
        absent = 4 - count_bits(once & rank_cards(4 * rank))
        used = min(absent, left)
        total += used * points_of_rank(rank, ace)
        left -= used
    return total
