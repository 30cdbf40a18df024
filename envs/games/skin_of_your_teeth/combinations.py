"""Subsets of slots as numbers, and the valid combinations (ST-04) among the cards in the slots."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from ...core.cards import STANDARD, SUITS
from ...core.compare.packed import card_bit, rank_unit
from ...core.compare.skin_of_your_teeth import skin_strength
from ...core.jit import device_function
from .state import HAND, MOST, SUBSETS_OF_SLOTS

# The slots of each subset as bits.
SUBSETS = np.array(
    [sum(1 << slot for slot in slots) for size in range(1, MOST + 1) for slots in combinations(range(HAND), size)], np.uint16
)
assert len(SUBSETS) == SUBSETS_OF_SLOTS

# Of all subsets of k slots, those that come after a < b < ... in lexicographic order first differ from it in one place:
# BEHIND[k, a] of them in the first place, BEHIND[k - 1, b] in the second, ... So the number of a subset is LAST[k] less these.
BEHIND = np.array([[comb(HAND - 1 - slot, k) for slot in range(HAND)] for k in range(MOST + 1)], np.int64)
LAST = np.array([sum(comb(HAND, size) for size in range(1, k + 1)) - 1 for k in range(MOST + 1)], np.int64)

_RANKS = STANDARD // SUITS
_RANKS_ONCE = 0x1111111111111
_SUIT_UNIT = 8  # bits in a count of suits


@device_function
def strength_of(cards, first, count):
    """Strength of `count` of `cards` from place `first` on."""
    bits, counts = np.int64(0), np.int64(0)
    for k in range(first, first + count):
        card = np.int64(cards[k])
        bits |= card_bit(card)
        counts += rank_unit(card)
    return skin_strength(bits, counts, np.int64(count))


@device_function
def mark_combinations(cards, count, most, mask):
    """Mark the valid combinations of at most `most` among the first `count` cards, which are ordered by id, without Jokers.

    Equal cards (several decks) lie side by side; ids that rise strictly within a combination leave them out (ST-03).
    """
    ranks, suits, last = np.int64(0), np.int64(0), np.int64(-1)
    for a in range(count):
        mask[a] = 1
        card = np.int64(cards[a])
        if card != last:
            ranks += rank_unit(card)
            suits += np.int64(1) << (_SUIT_UNIT * (card % SUITS))
        last = card
    if most >= 2:
        mark_sets(cards, count, most, mask)
    if most >= 5:
        three = (ranks >> 2 | (ranks >> 1) & ranks) & _RANKS_ONCE
        if three:
            mark_full_houses(cards, count, mask)
        for suit in range(SUITS):
            if (suits >> (_SUIT_UNIT * suit)) & 15 >= 5:
                mark_flushes(cards, count, suit, mask)
        held = (ranks | ranks >> 1 | ranks >> 2) & _RANKS_ONCE
        pairs = held & held >> 4
        runs = pairs & pairs >> 8 & held >> 16  # lowest ranks of five in a row
        if runs:
            mark_straights(cards, count, runs, mask)


@device_function
def mark_sets(cards, count, most, mask):
    """Pairs, threes and fours."""
    for a in range(count - 1):
        rank = cards[a] >> 2
        for b in range(a + 1, count):
            if cards[b] >> 2 != rank:
                break
            if cards[b] == cards[a]:
                continue
            mask[LAST[2] - BEHIND[2, a] - BEHIND[1, b]] = 1
            for c in range(b + 1, count):
                if most < 3 or cards[c] >> 2 != rank:
                    break
                if cards[c] == cards[b]:
                    continue
                mask[LAST[3] - BEHIND[3, a] - BEHIND[2, b] - BEHIND[1, c]] = 1
                for d in range(c + 1, count):
                    if most < 4 or cards[d] >> 2 != rank:
                        break
                    if cards[d] != cards[c]:
                        mask[LAST[4] - BEHIND[4, a] - BEHIND[3, b] - BEHIND[2, c] - BEHIND[1, d]] = 1


@device_function
def mark_full_houses(cards, count, mask):
    for a in range(count - 2):
        rank = cards[a] >> 2
        for b in range(a + 1, count - 1):
            if cards[b] >> 2 != rank:
                break
            for c in range(b + 1, count):
                if cards[c] >> 2 != rank:
                    break
                if cards[a] != cards[b] and cards[b] != cards[c]:
                    mark_pairs_with(cards, count, a, b, c, mask)


@device_function
def mark_pairs_with(cards, count, a, b, c, mask):
    """The full houses of the three at a, b, c."""
    behind = LAST[5] - BEHIND[5, a] - BEHIND[4, b] - BEHIND[3, c]  # the pair in higher slots
    before = LAST[5] - BEHIND[3, a] - BEHIND[2, b] - BEHIND[1, c]  # or in lower ones
    rank = cards[a] >> 2
    for d in range(count - 1):
        if cards[d] >> 2 == rank:
            continue
        for e in range(d + 1, count):
            if cards[e] >> 2 != cards[d] >> 2:
                break
            if cards[e] != cards[d]:
                if d > c:
                    mask[behind - BEHIND[2, d] - BEHIND[1, e]] = 1
                else:
                    mask[before - BEHIND[5, d] - BEHIND[4, e]] = 1


@device_function
def mark_flushes(cards, count, suit, mask):
    spots = np.empty(HAND, np.int64)
    size = 0
    for a in range(count):
        if cards[a] & 3 == suit:
            spots[size] = a
            size += 1
    for i in range(size - 4):
        a = spots[i]
        for j in range(i + 1, size - 3):
            b = spots[j]
            if cards[b] == cards[a]:
                continue
            two = LAST[5] - BEHIND[5, a] - BEHIND[4, b]
            for k in range(j + 1, size - 2):
                c = spots[k]
                if cards[c] == cards[b]:
                    continue
                three = two - BEHIND[3, c]
                for m in range(k + 1, size - 1):
                    d = spots[m]
                    if cards[d] == cards[c]:
                        continue
                    four = three - BEHIND[2, d]
                    for o in range(m + 1, size):
                        if cards[spots[o]] != cards[d]:
                            mask[four - BEHIND[1, spots[o]]] = 1


@device_function
def mark_straights(cards, count, runs, mask):
    """ST-05: `runs` has a bit for each rank that is the lowest of five held in a row."""
    first = np.empty(_RANKS + 1, np.int64)  # the first slot of each rank
    for rank in range(_RANKS + 1):
        first[rank] = 0
    for a in range(count):
        first[(cards[a] >> 2) + 1] = a + 1
    for rank in range(1, _RANKS + 1):
        first[rank] = max(first[rank], first[rank - 1])
    for low in range(9):
        if runs >> (4 * low) & 1:
            for a in range(first[low], first[low + 1]):
                one = LAST[5] - BEHIND[5, a]
                for b in range(first[low + 1], first[low + 2]):
                    two = one - BEHIND[4, b]
                    for c in range(first[low + 2], first[low + 3]):
                        three = two - BEHIND[3, c]
                        for d in range(first[low + 3], first[low + 4]):
                            four = three - BEHIND[2, d]
                            for e in range(first[low + 4], first[low + 5]):
                                mask[four - BEHIND[1, e]] = 1
