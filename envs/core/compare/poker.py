"""Poker hands: the best five of any number of cards, with wild Jokers. Numbers as in docs/rules/poker.md.

A strength is the kind (`POKER_KINDS`, 1..9), then 53 bits: the rank of the greatest group in bits 49 to 52, and below it the
tie-breaking ranks as a set, one bit in four, so that higher or more ranks give a greater number (PK-25: a missing kicker is the
lowest). Fewer than five cards cannot make a straight or flush, so they need no special case.

A set of cards is one word with the bits 0..51 by id, as the first word in core/extended/sets.py; specials in the bits above are
ignored. Only the number of Jokers matters. A Joker stands for an open card: one that its player does not hold, used or not
(PK-30).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..bits import count_bits, highest_bit
from ..cards import DECK_54, RANKS, STANDARD
from ..jit import device_function, inlined
from .family import NO_CARDS, Common, Family
from .packed import KIND_SHIFT, NO_JOKERS, RANKS_ONCE

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
)  # PK-22, by the number of the kind in a strength
HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(1, 10)
_RANK_NAMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "Jack", "Queen", "King", "Ace")

_STANDARD = np.uint64(NO_JOKERS)
_GROUP_SHIFT = 49  # above the ranks as a set
_ORDER = (1 << _GROUP_SHIFT) - 1
_ODD, _PAIRS = 0x5555555555555, 0x3333333333333  # every other bit; the lower two of each four
_DECK = (1 << DECK_54) - 1


@inlined
def short_strength(strength):
    """A strength in 21 bits, in the same order: the kind, four bits for the rank of the greatest group, 13 for the tie-breaking
    ranks."""
    kind, order = strength >> KIND_SHIFT, strength & _ORDER
    short = order >> 2 if kind == TWO_PAIR else order
    if kind != TWO_PAIR and kind != STRAIGHT and kind != STRAIGHT_FLUSH:
        short = np.int64(0)
        for rank in range(RANKS):
            short |= (order >> (4 * rank) & 1) << rank
    return ((kind << 4) | (strength >> _GROUP_SHIFT & 15)) << RANKS | short


@device_function
def parts_of(strength):
    """The kind of a strength above 0, the rank of its greatest group or highest card, and the lower ranks that count (one bit
    in four)."""
    kind, first, below = strength >> KIND_SHIFT, strength >> _GROUP_SHIFT & 15, strength & _ORDER
    if kind in (STRAIGHT, STRAIGHT_FLUSH):
        first, below = below, np.int64(0)
    elif kind in (HIGH_CARD, FLUSH):
        first = highest_bit(below) >> 2
        below ^= np.int64(1) << 4 * first
    elif kind == TWO_PAIR:  # the second pair, and four times the kicker plus one
        below = np.int64(1) << (below >> 6 << 2) | np.int64(1) << (below & 63) >> 4
    return kind, first, below


def in_words(short: int) -> str:
    """A `short_strength` in words, such as "a pair of nines, with Ace, King and seven"; "nothing" for 0."""
    kind, first, order = short >> RANKS + 4, short >> RANKS & 15, short & (1 << RANKS) - 1
    if kind in (STRAIGHT, STRAIGHT_FLUSH):
        return f"a {POKER_KINDS[kind]} to the {_RANK_NAMES[order]}"
    if kind == TWO_PAIR:  # the second pair, and the kicker plus one
        second, kicker = order >> 4, (order & 15) - 1
        return f"two pair, {_plural(first)} and {_plural(second)}{_with([kicker] if kicker >= 0 else [])}"
    ranks = [rank for rank in reversed(range(RANKS)) if order >> rank & 1]
    if kind == FULL_HOUSE:
        return f"a full house, {_plural(first)} over {_plural(ranks[0])}"
    if kind in (HIGH_CARD, FLUSH):
        return f"{'a flush, ' if kind == FLUSH else ''}{_RANK_NAMES[ranks[0]]} high{_with(ranks[1:])}"
    group = {PAIR: "a pair of", THREE: "three", FOUR: "four"}
    return f"{group[kind]} {_plural(first)}{_with(ranks)}" if kind else "nothing"


def _plural(rank: int) -> str:
    return "sixes" if rank == 4 else f"{_RANK_NAMES[rank]}s"


def _with(ranks: Sequence[int]) -> str:
    names = [_RANK_NAMES[rank] for rank in ranks]
    return f", with {' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))}" if names else ""


@device_function
def poker_strength(cards, jokers):
    """The strength of the best five cards (PK-14, PK-22, PK-30), or of fewer cards (PK-25); 0 without cards.

    cards: the standard cards of one player, private and community, uint64 or int64 as above; specials are ignored.
    jokers: the number of additional Jokers, 0 to 2.
    Returns an int64; the higher strength wins, equal strengths tie. `strength >> KIND_SHIFT` is the kind.
    """
    cards = _standard(cards)
    if jokers == 0:  # constants, so that the compiler omits the code for Jokers
        return _best(cards, np.int64(0), np.int64(0))
    return _best(cards, jokers, NO_JOKERS & ~cards)


@device_function
def up_cards_strength(cards, jokers):
    """The strength of up-cards: groups and ranks, no straights or flushes (PK-20, PK-25, PK-32); 0 if none has a value.

    Arguments and result as in `poker_strength`.
    """
    cards = _standard(cards)
    return _groups(_by_rank(cards), _by_rank(NO_JOKERS & ~cards), jokers)


@device_function
def omaha_strength(own, own_jokers, board, board_jokers):
    """The strength of exactly two private cards and three of the board, or all if there are fewer (PK-15); 0 without cards.

    No Joker stands for a card in `own` or on the `board`, used or not (PK-30). Sets, numbers and strengths are as in
    `poker_strength`.
    """
    own, board = _standard(own), _standard(board)
    open_cards = NO_JOKERS & ~(own | board)
    own |= _as_cards(own_jokers)
    board |= _as_cards(board_jokers)
    best, two = np.int64(0), _first_part(own, 2)
    while True:
        three = _first_part(board, 3)
        while True:
            jokers = count_bits(two & ~NO_JOKERS) + count_bits(three & ~NO_JOKERS)
            best = max(best, _best((two | three) & NO_JOKERS, jokers, open_cards))
            three = _next_part(three, board)
            if three == 0:
                break
        two = _next_part(two, own)
        if two == 0:
            return best


@device_function
def _standard(cards):
    return np.int64(np.uint64(cards) & _STANDARD)


@device_function
def _as_cards(jokers):
    """Jokers as cards of a set, above the standard cards."""
    return ((np.int64(1) << np.int64(jokers)) - 1) << STANDARD


@device_function
def _first_part(cards, size):
    """The lowest `size` cards of a set; all if it has fewer."""
    part = np.int64(0)
    for _ in range(size):
        part |= cards & ~part & -(cards & ~part)
    return part


@device_function
def _next_part(part, cards):
    """The next subset of the same size, in numerical order; 0 after the last."""
    low = part & -part
    following = ((part | (_DECK & ~cards)) + low) & cards  # the gaps carry
    return following | _first_part(cards, count_bits(part) - count_bits(following)) if following else following


@device_function
def _by_rank(cards):
    """The number of cards of each rank in a set, four bits per rank."""
    twos = cards - ((cards >> 1) & _ODD)
    return (twos & _PAIRS) + ((twos >> 2) & _PAIRS)


@inlined
def _best(cards, jokers, open_cards):
    """The strength of cards with Jokers that may stand for the open cards."""
    counts, left = _by_rank(cards), _by_rank(open_cards)
    return max(_groups(counts, left, jokers), _straight_or_flush(cards, _ranks(counts), open_cards, _ranks(left), jokers))


@device_function
def _ranks(counts):
    """The ranks that occur."""
    return (counts | (counts >> 1) | (counts >> 2)) & RANKS_ONCE


@inlined
def _groups(counts, left, jokers):
    """Strength by groups and ranks alone, from the number of cards of each rank and of those that Jokers may stand for."""
    odd, twice, four = counts & RANKS_ONCE, (counts >> 1) & RANKS_ONCE, (counts >> 2) & RANKS_ONCE
    one, two, three = odd | twice | four, twice | four, (odd & twice) | four  # ranks with at least this many cards
    one_left, two_left = _ranks(left), ((left >> 1) | (left >> 2)) & RANKS_ONCE
    fours = _reached(four, three & one_left, two & two_left, jokers)
    if fours:
        first = _top(fours)
        jokers -= _needed(counts, first, 4)
        return _group_strength(FOUR, first, _kickers(one, one_left, first, jokers, 1))
    threes = _reached(three, two & one_left, one & two_left, jokers)
    if threes:
        first, second = _with_a_pair(threes, 3, counts, two, one & one_left, two_left, jokers)
        if second:
            return _group_strength(FULL_HOUSE, first, second)
        first = _top(threes)
        jokers -= _needed(counts, first, 3)
        return _group_strength(THREE, first, _kickers(one, one_left, first, jokers, 2))
    pairs = _reached(two, one & one_left, two_left, jokers)
    if pairs:
        first, second = _with_a_pair(pairs, 2, counts, two, one & one_left, two_left, jokers)
        if second:
            jokers -= _needed(counts, first, 2) + _needed(counts, second, 2)
            kicker = _kickers(one, one_left, first | second, jokers, 1)
            return _group_strength(TWO_PAIR, first, (highest_bit(second) << 4) | (highest_bit(kicker) + 4))  # none is lowest
        first = _top(pairs)
        jokers -= _needed(counts, first, 2)
        return _group_strength(PAIR, first, _kickers(one, one_left, first, jokers, 3))
    ranks = _kickers(one, one_left, np.int64(0), jokers, 5)
    return _kind_strength(HIGH_CARD, ranks) if ranks else ranks


@device_function
def _reached(enough, one_short, two_short, jokers):
    """The ranks that make a group with this number of Jokers."""
    if jokers > 0:
        enough |= one_short
        if jokers > 1:
            enough |= two_short
    return enough


@device_function
def _needed(counts, rank, size):
    """The number of Jokers in a group of `size` cards of a rank, given as its bit."""
    return max(size - ((counts >> highest_bit(rank)) & 7), 0)


@device_function
def _with_a_pair(groups, size, counts, two, one_short, two_short, jokers):
    """The highest rank of a group of `size` cards that leaves a pair, and the highest such pair; else no pair."""
    first = second = np.int64(0)
    while groups and not second:
        first = _top(groups)
        groups ^= first
        second = _top(_reached(two, one_short, two_short, jokers - _needed(counts, first, size)) & ~first)
    return first, second


@device_function
def _kickers(ranks, open_ranks, grouped, jokers, size):
    """The highest ranks besides the groups, including Jokers, at most `size`."""
    if jokers > 0:
        ranks |= _highest(open_ranks & ~ranks & ~grouped, jokers)
    return _highest(ranks & ~grouped, size)


@device_function
def _top(ranks):
    """The highest rank of a set, or none."""
    return ranks & (np.int64(1) << (highest_bit(ranks) & 63))


@device_function
def _highest(ranks, size):
    """The highest ranks of a set, at most `size`."""
    for _ in range(count_bits(ranks) - size):
        ranks &= ranks - 1
    return ranks


@inlined
def _straight_or_flush(cards, ranks, open_cards, open_ranks, jokers):
    """The strength of the best straight flush, flush or straight; 0 if there is none."""
    flush = np.int64(0)
    for suit in range(4):
        suited = (cards >> suit) & RANKS_ONCE
        if count_bits(suited) + jokers >= 5:
            five = _kickers(suited, (open_cards >> suit) & RANKS_ONCE, np.int64(0), jokers, 5)
            if count_bits(five) == 5:
                flush = max(flush, five)
    if flush:
        top = _top_of_run(cards, open_cards, jokers)
        return _kind_strength(STRAIGHT_FLUSH, top) if top else _kind_strength(FLUSH, flush)
    top = _top_of_run(ranks, open_ranks, jokers)
    return _kind_strength(STRAIGHT, top) if top else top


@device_function
def _top_of_run(cards, open_cards, jokers):
    """The rank 3..12 of the top card of the highest five consecutive ranks, each in the same bit of its four; 0 if there are
    none."""
    a, b, c, d, e = _in_a_row(cards)
    if jokers == 0:
        runs = a & b & c & d & e
    else:
        once, twice = a ^ b ^ c, (a & b) | (a & c) | (b & c)  # the sum of the five, bit by bit
        odd, carry = once ^ d ^ e, (once & d) | (once & e) | (d & e)
        runs = twice & carry  # four at least
        if jokers > 1:
            runs |= (twice ^ carry) & odd  # three
        a, b, c, d, e = _in_a_row(cards | open_cards)
        runs &= a & b & c & d & e
    return (highest_bit(runs) >> 2) + 3 if runs else np.int64(0)


@device_function
def _in_a_row(cards):
    """Five sets: for each card (Aces also below twos), whether it and each of the next four are present."""
    low = (cards << 4) | (cards >> (STANDARD - 4))
    return low, low >> 4, low >> 8, low >> 12, low >> 16


@device_function
def _kind_strength(kind, order):
    return (np.int64(kind) << KIND_SHIFT) | order


@device_function
def _group_strength(kind, group, order):
    """The strength of a group, with its rank given as a bit, and the tie-breaking ranks."""
    return _kind_strength(kind, ((highest_bit(group) >> 2) << _GROUP_SHIFT) | order)


@device_function
def _poker_row(cards, counts, size, settings):
    """As `poker_strength`, but negative if the row shares a card with the board."""
    board = settings[0]
    if board == NO_CARDS:
        return poker_strength(cards, count_bits(cards >> STANDARD))
    if cards & board:
        return np.int64(-1)
    return omaha_strength(cards, count_bits(cards >> STANDARD), board, count_bits(board >> STANDARD))


@device_function
def _higher(attack, defence):
    return attack > defence


class Poker(Family):
    """Poker hands, and their ranks among all five-card hands."""

    def rank(self, cards: Any, board: Any = None) -> np.ndarray:
        """Ranks of hands among the 7462 distinct ones, numbered as in other libraries.

        Args:
            cards, board: as for `strength`.

        Returns:
            int64 [N]: 1 for a royal flush to 7462 for 7-5-4-3-2; 0 for fewer than five cards.

        Raises:
            ValueError: as for `strength`.
        """
        strengths = self.strength(cards, board)
        above = len(self._order) - np.searchsorted(self._order, strengths)
        return np.where(np.isin(strengths, self._order), above, 0)

    @functools.cached_property
    def _order(self) -> np.ndarray:
        """The strengths of all five-card hands, each once, ascending."""
        ranks = [five for five in itertools.combinations_with_replacement(range(RANKS), 5) if five[0] != five[4]]
        suited = [[4 * rank for rank in five] for five in itertools.combinations(range(RANKS), 5)]
        return np.unique(self.strength(suited + [[4 * rank + k % 4 for k, rank in enumerate(five)] for five in ranks]))


poker = Poker(
    "poker",
    {"strength": _poker_row, "beats": _higher},
    widths=(5, 7, 9, 11),
    copies=1,
    settings=(Common("board", width=9),),
)
