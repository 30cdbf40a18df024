"""Combinations of Wild Escape: Jokers stand for lower cards, and one rank is trump. Numbers as in docs/rules/wild_escape.md.

A strength is the kind (`wild_escape_kind`, 1..9), then 54 bits of counts by rank in the order of WE-04: the trump rank above
the Ace, Small and Big Joker above it. A set has one card of its rank there, a straight one of its top card (at its natural
place), a flush all five cards. `wild_escape_rank` and `wild_escape_action` decode a strength.

`cards` is a card set (the `card_bit`s, or'ed), `counts` the sum of the `rank_unit`s, `trump` a level from 2 to 14. Only the
number of wilds matters: the only card that a Big Joker may stand for and a Small one may not is a Small, which is of no use
with an ordinary card. For Jokers alone it matters whether a Small is among them (WE-12). Therefore a set and counts suffice.
"""

from __future__ import annotations

import numpy as np

from ..cards import RANKS
from ..jit import device_function
from .family import Family, Setting
from .packed import BIG_SET, JOKER_SHIFT, KIND_SHIFT, NO_JOKERS, RANKS_ONCE, RUN, SMALL_SET, common_suit, same_size

WILD_SINGLE, WILD_PAIR, WILD_THREE = 1, 2, 3  # kinds; so far also the number of cards
WILD_STRAIGHT, WILD_FLUSH, WILD_FULL_HOUSE, WILD_FOUR_ONE, WILD_STRAIGHT_FLUSH, WILD_FIVE = 4, 5, 6, 7, 8, 9  # WE-06

FLUSH_COMPARE = ("top", "all")  # WE-09, by index

_LEVELS = range(2, 15)
_ACE = 1 << (JOKER_SHIFT - 4)
_TOP = JOKER_SHIFT - 4  # the index of the trump rank in the order of WE-04
_SMALL, _BIG = 1 << JOKER_SHIFT, 2 << JOKER_SHIFT  # above the trump rank; four bits would not fit below KIND_SHIFT
_WHEEL = 0x1111  # 2 to 5, below which an Ace is the lowest card
_FIVE = 1 << 12  # the rank of the top card of A-2-3-4-5

# Actions that name a kind and a rank: the first action of each kind, minus the rank of its first.
_FIRST_ACTION = np.array([0, 1, 16, 31, 46 - 3, 56, 108, 123, 138 - 3, 178], np.int64)
_BY_SUIT = np.array([0, 0, 0, 0, 0, 13, 0, 0, 10, 0], np.int64)  # actions per suit
assert BIG_SET < SMALL_SET


@device_function
def wild_escape_strength(cards, counts, size, trump, flush_compare):
    """The highest strength that the wilds of a play allow (WE-10, WE-11); 0 if it is not a legal play (WE-05).

    flush_compare: 0 compares flushes by their highest card only, 1 rank by rank (WE-09).
    """
    ordinary = counts & NO_JOKERS
    if size == 5 and ordinary != 0:
        return _five_cards(cards & NO_JOKERS, ordinary, counts >> JOKER_SHIFT, trump, flush_compare)
    ranks = ranks_present(ordinary)
    if size < 1 or size == 4 or ranks & (ranks - 1):  # no rank, or several
        return np.int64(0)
    kind = np.int64(WILD_FIVE if size == 5 else size)
    if ranks:
        return (kind << KIND_SHIFT) | trump_on_top(ranks, trump)
    return (kind << KIND_SHIFT) | np.int64(_SMALL if cards & SMALL_SET else _BIG)  # WE-12


@device_function
def _five_cards(cards, counts, wilds, trump, flush_compare):
    """The strength of five cards with at least one ordinary card."""
    ordered = trump_on_top(counts, trump)
    ranks = ranks_present(ordered)
    others = ranks & (ranks - 1)  # except the lowest
    if others == 0:
        return (np.int64(WILD_FIVE) << KIND_SHIFT) | ranks
    suit = common_suit(cards)
    straight = straight_top(counts)
    if straight and suit >= 0:
        return (np.int64(WILD_STRAIGHT_FLUSH) << KIND_SHIFT) | straight
    if others & (others - 1) == 0:  # two ranks: the wilds always make four and one, or three and two
        once = ordered & ~(ordered >> 1) & RANKS_ONCE
        if once == ranks:
            return (np.int64(WILD_FOUR_ONE) << KIND_SHIFT) | others
        if once:
            return (np.int64(WILD_FOUR_ONE) << KIND_SHIFT) | (ranks ^ once)
        three = ordered & (ordered >> 1) & RANKS_ONCE
        return (np.int64(WILD_FULL_HOUSE) << KIND_SHIFT) | (three if three else others)  # two pairs and a wild: the higher
    if suit >= 0:
        flush = ordered + (wilds << _TOP)  # WE-11: a wild is the suit's highest card; several copies are allowed
        return (np.int64(WILD_FLUSH) << KIND_SHIFT) | (flush if flush_compare else highest_rank(ranks_present(flush)))
    if straight:
        return (np.int64(WILD_STRAIGHT) << KIND_SHIFT) | straight
    return np.int64(0)


@device_function
def ranks_present(counts):
    """One card of each rank that occurs, with up to seven cards per rank."""
    return (counts | (counts >> 1) | (counts >> 2)) & RANKS_ONCE


@device_function
def highest_rank(ranks):
    """One card of the highest rank that occurs."""
    below = ranks >> 4
    below |= below >> 4
    below |= below >> 8
    below |= below >> 16
    below |= below >> 32
    return ranks & ~below


@device_function
def trump_on_top(counts, trump):
    """Counts of ordinary cards in the order of WE-04: the trump rank above the Ace."""
    place = 4 * (np.int64(trump) - 2)
    below = (np.int64(1) << place) - 1
    return (counts & below) | ((counts >> 4) & ~below) | (((counts >> place) & 15) << _TOP)


@device_function
def straight_top(counts):
    """One card of the top rank of the highest straight of ordinary cards and wilds; 0 if there is none (WE-08).

    There must be at least two ranks; a straight never has two cards of one rank.
    """
    if counts & RANKS_ONCE != counts:
        return np.int64(0)
    low = counts & -counts
    if counts & ~(low * RUN) == 0:
        return min(low << 16, np.int64(_ACE))
    if counts & ~(_WHEEL | _ACE) == 0:
        return np.int64(_FIVE)
    return np.int64(0)


@device_function
def wild_escape_beats(attack, defence):
    """Whether a play is higher than another with the same number of cards (WE-14), by their strengths."""
    if attack <= 0 or defence <= 0:
        return attack > 0
    return attack > defence and same_size(attack, defence, WILD_STRAIGHT)


@device_function
def wild_escape_kind(strength):
    """The kind of a strength, WILD_SINGLE..WILD_FIVE; 0 if it is not a play."""
    return strength >> KIND_SHIFT


@device_function
def wild_escape_rank(strength, trump):
    """The rank 0..14 (2..A, Small, Big) of a strength: that of the deciding set (WE-07), of a flush's highest card, or of a
    straight's top card."""
    value = strength & ((np.int64(1) << KIND_SHIFT) - 1)
    if value >= _SMALL:
        return np.int64(RANKS + (value >= _BIG))
    place = np.int64(0)
    while value > 15:
        value >>= 4
        place += 1
    kind = strength >> KIND_SHIFT
    if kind in (WILD_STRAIGHT, WILD_STRAIGHT_FLUSH):
        return place
    natural = np.int64(trump) - 2
    if place == RANKS - 1:
        return natural
    return place + (place >= natural)


@device_function
def wild_escape_suit(cards):
    """The suit 0..3 (clubs, diamonds, hearts, spades) of all ordinary cards of a set; -1 if they differ or there are none."""
    cards &= NO_JOKERS
    suit = common_suit(cards) if cards else np.int64(-1)
    return suit ^ np.int64(suit in (0, 1))


@device_function
def wild_escape_action(strength, cards, trump):
    """The number 1..192 of a play's kind and rank among the actions; 0 if the strength is not that of a play."""
    kind = strength >> KIND_SHIFT
    if kind == 0:
        return np.int64(0)
    action = _FIRST_ACTION[kind] + wild_escape_rank(strength, trump)
    if _BY_SUIT[kind]:
        action += _BY_SUIT[kind] * wild_escape_suit(cards)
    return action


@device_function
def _wild_row(cards, counts, size, settings):
    return wild_escape_strength(cards, counts, size, settings[0], settings[1])


wild_escape = Family(
    "wild_escape",
    {"strength": _wild_row, "beats": wild_escape_beats},
    widths=(5,),
    copies=3,
    settings=(Setting("trump", _LEVELS), Setting("flush_compare", FLUSH_COMPARE, "all")),
)
