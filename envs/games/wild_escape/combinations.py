"""The kinds of play in a hand, and those that beat the play to beat, by arithmetic on counts, without card sets.

Counts have four bits a rank, 2 the lowest, as in core/compare; flags are counts of 0 or 1. Flags by rank index go on with the
Small and the Big Joker above the Ace; flags by top card have four bits for each of the ten, 5 the lowest. A hand is read as a
tuple: counts of each suit, then the numbers of Small and Big Jokers.

How many wilds a play may hold follows from WE-11: three wilds beside two cards always make a straight flush or four and one,
four beside one card five of a kind. So straights and flushes have two wilds at most, and with three ordinary ranks in them;
a full house has one at most, beside two pairs.
"""

from __future__ import annotations

import numpy as np

from ...core.cards import BIG_JOKER, RANKS, SUITS
from ...core.compare.packed import NO_JOKERS, RANKS_ONCE
from ...core.compare.wild_escape import ranks_present, straight_top, trump_on_top
from ...core.jit import device_function
from .flush import best_flush, flush_of
from .state import ACTIONS, ALL, FAMILIES, HIGHEST_LEVEL, KINDS, LOWEST_LEVEL, NOBODY, PLAYERS, RANK_INDICES, TOPS

SINGLE, PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH, FIVE = range(FAMILIES)  # WE-06: from STRAIGHT on
_NAMES = ("single", "pair", "three", "straight", "flush", "full_house", "four", "straight_flush", "five")
SIZE = np.array((1, 2, 3, 5, 5, 5, 5, 5, 5))  # cards, by family
_FIRST = np.array([ACTIONS.slices(PLAYERS)[name].start for name in _NAMES])  # action, by family
_SUITS = np.array([SUITS if family in (FLUSH, STRAIGHT_FLUSH) else 1 for family in range(FAMILIES)])
_WIDTH = np.array([{STRAIGHT: TOPS, STRAIGHT_FLUSH: TOPS, FLUSH: RANKS}.get(k, RANK_INDICES) for k in range(FAMILIES)])
_CHEAP_FIRST = (FIVE, FOUR, FULL_HOUSE, STRAIGHT, STRAIGHT_FLUSH, FLUSH)
FIRST_TOP = 3  # rank of the lowest top card, 5

# What an action names: family, suit (0 where it has none), and rank index (of straights the top card's).
FAMILY = np.zeros(KINDS, np.int64)
SUIT = np.zeros(KINDS, np.int64)
RANK = np.zeros(KINDS, np.int64)
for _family in range(FAMILIES):
    for _place in range(_SUITS[_family] * _WIDTH[_family]):
        _action = _FIRST[_family] + _place
        FAMILY[_action] = _family
        SUIT[_action], RANK[_action] = divmod(_place, _WIDTH[_family])
        RANK[_action] += FIRST_TOP if _family in (STRAIGHT, STRAIGHT_FLUSH) else 0


def _order(level: int) -> list[int]:
    """Rank indices from the lowest to the highest (WE-04)."""
    trump = level - LOWEST_LEVEL
    return [*(rank for rank in range(RANKS) if rank != trump), trump, RANKS, RANKS + 1]


def _flags(ranks: list[int]) -> int:
    return sum(1 << 4 * rank for rank in ranks)


# Flags of the rank indices above, and below, a rank index: by level (of those below 2 nothing is asked) and rank index.
ABOVE = np.zeros((HIGHEST_LEVEL + 1, RANK_INDICES), np.int64)
BELOW = np.zeros((HIGHEST_LEVEL + 1, RANK_INDICES), np.int64)
for _level in range(LOWEST_LEVEL, HIGHEST_LEVEL + 1):
    for _place, _rank in enumerate(_order(_level)):
        ABOVE[_level, _rank] = _flags(_order(_level)[_place + 1 :])
        BELOW[_level, _rank] = _flags(_order(_level)[:_place])


def _near(rank: int) -> int:
    """Flags of the ranks that fit in a straight with a rank, itself among them."""
    return sum({1 << 4 * other for window in _WINDOWS if rank in window for other in window})


# The ranks of a straight by its top card, an Ace below the 2 too, and the ranks with which a rank can be in one.
_WINDOWS = [[rank % RANKS for rank in range(top - 4, top + 1)] for top in range(FIRST_TOP, RANKS)]
WINDOW = np.array([0] * FIRST_TOP + [_flags(ranks) for ranks in _WINDOWS])
NEAR = np.array([_near(rank) for rank in range(RANKS)])

_TEN_TOPS = (1 << 4 * TOPS) - 1
_ACE_HIGH = 1 << 4 * (TOPS - 1)


@device_function
def read_hand(hand):
    """A hand, counts by type, as the tuple that the functions below take."""
    clubs = diamonds = hearts = spades = np.int64(0)
    for rank in range(RANKS):
        shift, first = 4 * rank, SUITS * rank
        clubs |= np.int64(hand[first]) << shift
        diamonds |= np.int64(hand[first + 1]) << shift
        hearts |= np.int64(hand[first + 2]) << shift
        spades |= np.int64(hand[first + 3]) << shift
    return clubs, diamonds, hearts, spades, np.int64(hand[52]), np.int64(hand[53])


@device_function
def rank_of(card):
    """The rank index 0..14 of a card type."""
    return card // SUITS + (card == BIG_JOKER)


@device_function
def count_flags(flags):
    """How many flags of ordinary ranks are set."""
    return ((flags * RANKS_ONCE) >> 48) & 15


@device_function
def at_least(counts, number):
    """Flags of the ranks with at least `number` cards, 1 to 5."""
    two, four, eight = counts >> 1, counts >> 2, counts >> 3
    if number <= 1:
        flags = counts | two | four | eight
    elif number == 2:
        flags = two | four | eight
    elif number == 3:
        flags = (counts & two) | four | eight
    elif number == 4:
        flags = four | eight
    else:
        flags = (four & (counts | two)) | eight
    return flags & RANKS_ONCE


@device_function
def all_suits(cards):
    """Counts by rank."""
    return cards[0] + cards[1] + cards[2] + cards[3]


@device_function
def kinds_held(cards, family, suit, trump):
    """Flags of what a hand can play of a family: by rank index, of straights by top card; of a suit where it has one."""
    wilds = cards[4] + cards[5]
    if family == FLUSH:
        return flushes(cards[suit], wilds, trump)
    if family == STRAIGHT_FLUSH:
        return in_a_row(ranks_present(cards[suit]), max(np.int64(2), 5 - wilds))
    if family == STRAIGHT:
        return straights(cards, wilds)
    if family == FULL_HOUSE:
        return full_houses(all_suits(cards), wilds, trump)
    if family == FOUR:
        return fours(cards, wilds, trump)
    return sets(cards, np.int64(5) if family == FIVE else np.int64(family) + 1)


@device_function
def sets(cards, number):
    """WE-10: wilds beside at least one card of the rank; WE-12: Big Jokers beside at least one Small."""
    small, big = cards[4], cards[5]
    ranks = at_least(all_suits(cards), max(np.int64(1), number - small - big))
    if small > 0 and small + big >= number:
        ranks |= np.int64(1) << (4 * RANKS)
    if big >= number:
        ranks |= np.int64(1) << (4 * RANKS + 4)
    return ranks


@device_function
def in_a_row(ranks, least):
    """Flags of the tops of straights with at least `least` of their ranks among `ranks`, whose wilds make them no higher:
    the lowest rank is there, unless the top is the Ace (WE-08, WE-11)."""
    line = aces_both_ends(ranks)
    present = line + (line >> 4) + (line >> 8) + (line >> 12) + (line >> 16)
    return at_least(present, least) & (line | _ACE_HIGH) & _TEN_TOPS


@device_function
def aces_both_ends(ranks):
    """Fourteen flags, the Ace below the 2 and above the K: the ranks of a straight are five in a row."""
    return (ranks << 4) | (ranks >> 4 * (RANKS - 1))


@device_function
def straights(cards, wilds):
    """Straights that are no straight flushes: two suits at least among the ranks."""
    ranks, suits = np.int64(0), np.int64(0)
    for suit in range(SUITS):
        line = aces_both_ends(ranks_present(cards[suit]))
        ranks |= ranks_present(cards[suit])
        suits += (line | (line >> 4) | (line >> 8) | (line >> 12) | (line >> 16)) & RANKS_ONCE
    return in_a_row(ranks, max(np.int64(3), 5 - wilds)) & at_least(suits, 2)


@device_function
def full_houses(counts, wilds, trump):
    pairs = at_least(counts, 2)
    lowest = pairs & ~(np.int64(1) << (4 * (trump - LOWEST_LEVEL)))
    lowest &= -lowest
    if lowest == 0 or pairs == lowest:  # one pair at most
        return np.int64(0)
    triples = at_least(counts, 3)
    return (triples | (pairs ^ lowest)) if wilds else triples  # WE-11: the higher of two pairs takes the wild


@device_function
def fours(cards, wilds, trump):
    counts = all_suits(cards)
    ranks = at_least(counts, 1)
    if ranks & (ranks - 1) == 0:  # no other card
        return np.int64(0)
    quads = at_least(counts, 4 - min(wilds, np.int64(2)))
    if wilds >= 3:
        for rank in range(RANKS):
            if (counts >> (4 * rank)) & 15 == 1 and has_lower(cards, rank, suit_of_lone(cards, rank), NO_JOKERS, trump):
                quads |= np.int64(1) << (4 * rank)
    return quads


@device_function
def suit_of_lone(cards, rank):
    """The suit of the one card of a rank."""
    for suit in range(SUITS):
        if (cards[suit] >> (4 * rank)) & 15:
            return suit
    return 0


@device_function
def has_lower(cards, rank, suit, among, trump):
    """Whether the hand has, among some ranks, a card that beside this one and three wilds makes it four of this rank: lower,
    and no part of a straight flush with it (WE-11)."""
    lower = BELOW[trump, rank] & among
    for other in range(SUITS):
        lower_cards = ranks_present(cards[other]) & lower
        if (lower_cards & ~NEAR[rank] if other == suit else lower_cards) != 0:
            return True
    return False


@device_function
def flushes(counts, wilds, trump):
    """Flags of the highest cards of the flushes of a suit. Five cards of three ranks or more, wilds counted as cards of the
    trump rank (WE-11), that make no straight flush: of two ranks they make a full house or four and one."""
    if ranks_present(counts) == 0:
        return np.int64(0)
    trump_rank = np.int64(trump) - LOWEST_LEVEL
    tops, cards, different, ranks = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for rank in range(RANKS):
        count = (counts >> (4 * rank)) & 15
        if count and rank != trump_rank:
            cards += count
            different += 1
            ranks |= np.int64(1) << (4 * rank)
            if cards >= 5 and different >= 3 and (cards > different or straight_top(ranks) == 0):
                tops |= np.int64(1) << (4 * rank)
    trumps = (counts >> (4 * trump_rank)) & 15
    if trumps:
        cards += trumps
        different += 1
        ranks |= np.int64(1) << (4 * trump_rank)
    if different >= 3:
        apart = straight_top(ranks) == 0
        loose = apart or cards > different  # with two cards of a rank it is no straight flush; three cards have no room
        if (loose and ((trumps and cards >= 5) or (wilds >= 1 and cards >= 4))) or (apart and wilds >= 2):
            tops |= np.int64(1) << (4 * trump_rank)
    return tops


@device_function
def kinds_that_beat(state, cards, family, suit):
    """Flags of the plays of a family that a hand holds and that are higher than the play to beat (WE-14)."""
    trump = np.int64(state.trump)
    kinds = kinds_held(cards, family, suit, trump)
    if state.owner == NOBODY or kinds == 0:
        return kinds  # WE-13
    beat = np.int64(state.beat)
    if family > FAMILY[beat]:
        return kinds  # WE-06
    rank = RANK[beat]
    if family in (STRAIGHT, STRAIGHT_FLUSH):
        return kinds >> (4 * (rank - FIRST_TOP + 1)) << (4 * (rank - FIRST_TOP + 1))  # WE-08
    higher = kinds & ABOVE[trump, rank]  # WE-07
    if family == FLUSH and state.flush_compare == ALL and (kinds >> (4 * rank)) & 1:  # WE-09
        owner = np.int64(state.owner)
        to_beat = flush_of(state.last[owner], np.int64(state.last_size[owner]), trump)
        ordered = trump_on_top(cards[suit], trump)
        if best_flush(np.int64(0), ordered, np.int64(5), cards[4] + cards[5], rank, trump) > to_beat:
            higher |= np.int64(1) << (4 * rank)
    return higher


@device_function
def can_beat(state, player):
    """Whether a player holds anything higher than the play to beat (WE-14)."""
    cards = read_hand(state.hand[player])
    lowest = FAMILY[np.int64(state.beat)]
    if lowest < STRAIGHT:
        return kinds_that_beat(state, cards, lowest, 0) != 0
    for family in _CHEAP_FIRST:
        if family >= lowest:
            for suit in range(_SUITS[family]):
                if kinds_that_beat(state, cards, family, suit) != 0:
                    return True
    return False


@device_function
def mark_kinds(state, player, mask):
    """Set what a player may play: anything to lead (WE-13), else what beats the play to beat."""
    cards = read_hand(state.hand[player])
    lowest, highest = np.int64(SINGLE), np.int64(FIVE)
    if state.owner != NOBODY:
        lowest = FAMILY[np.int64(state.beat)]
        if lowest < STRAIGHT:
            highest = lowest
    for family in range(lowest, highest + 1):
        width = _WIDTH[family]
        for suit in range(_SUITS[family]):
            kinds = kinds_that_beat(state, cards, family, suit)
            first = _FIRST[family] + suit * width
            for place in range(width):
                mask[first + place] = (kinds >> (4 * place)) & 1
