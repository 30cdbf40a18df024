"""Deadwood in gin: the minimum over arrangements of a hand, including wild Jokers, and the discards with which it can knock.

The runs of a suit are looked up: a table has, for each of the 8,192 sets of ranks and 0 to 2 Jokers, the most that runs can
take. Searched are the groups alone: which cards of each rank form one. Cards are held suit by suit here, the ace at bit 0.
Jokers count 1 each while unmelded (RM-62): were a card unmelded beside two of them, or two aces beside one, there would be a
group of them.
"""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits, highest_bit, lowest_bit
from ...core.extended.sets import KIND_BITS, ONE, SPECIAL_CARDS, ZERO
from ...core.jit import device_function
from .melds import ACE, BELOW_ACE, LEAST_GROUP, ranks_of

_RANKS = 13
_SETS = 1 << _RANKS
_MOST_JOKERS = 2
_ALL = _SETS - 1
_ROW = np.int64(1 | 1 << 13 | 1 << 26 | 1 << 39)  # the aces
_SHARE = np.int64(255)  # of an entry of the table: points by number of Jokers, eight bits each
_COVERED = np.int64(24)  # above them the ranks that are in some run with no Joker, and with one
UNBOUNDED = np.int64(10_000)  # more than any deadwood
_DEAREST = np.int64(10)  # points of the dearest card: no ace is (RM-60)
POINTS = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], np.int64)  # by rank from the ace
FROM = np.array(
    [4 * int(POINTS[rank:].sum()) for rank in range(_RANKS + 1)], np.int64
)  # of all cards of a rank and those above
_OPEN_RANKS = 3  # at the top, with which the bound of `_search` holds
SPECIAL_POINTS = np.int64(10)  # RM-61


def _count(sets: np.ndarray) -> np.ndarray:
    return (sets[:, None] >> np.arange(_RANKS) & 1).sum(axis=1)


def _points(sets: np.ndarray) -> np.ndarray:
    return (sets[:, None] >> np.arange(_RANKS) & 1) @ POINTS


def _windows() -> list[int]:
    """Runs of three to five, of which longer ones are made."""
    return [((1 << length) - 1) << first for length in (3, 4, 5) for first in range(_RANKS - length + 1)]


def _runs() -> np.ndarray:
    """For each set of ranks: the points of the cards that runs take, and of the Jokers (1 each), with 0, 1, 2 Jokers at most;
    then which ranks are in some run with no Joker, and with one."""
    sets = np.arange(_SETS, dtype=np.int64)
    best = np.zeros((_MOST_JOKERS + 1, _SETS), np.int64)
    for top in range(_RANKS):  # sets of the same highest rank, from those of lower ones
        block = slice(1 << top, 2 << top)
        block_sets = sets[block]
        for jokers in range(_MOST_JOKERS + 1):
            value = best[jokers][block_sets & ~(1 << top)].copy()  # the highest is in no run
            for window in _windows():
                if window >> top & 1:
                    taken = block_sets & window
                    missing = _count(window & ~block_sets)
                    usable = missing <= jokers
                    rest = best[np.maximum(jokers - missing, 0), block_sets & ~window]
                    value = np.maximum(value, np.where(usable, _points(taken) + missing + rest, 0))
            if jokers:  # one more extends any run
                fewer = best[jokers - 1][block]
                value = np.maximum(value, np.where(fewer > 0, fewer + 1, 0))
            best[jokers][block] = value
    covered = np.zeros((2, _SETS), np.int64)
    for jokers in range(2):
        for window in _windows()[: _RANKS - 2]:
            covered[jokers] |= np.where(_count(window & ~sets) <= jokers, window & sets, 0)
    packed = sum(best[jokers] << 8 * jokers for jokers in range(_MOST_JOKERS + 1))
    return packed | covered[0] << int(_COVERED) | covered[1] << int(_COVERED) + _RANKS


RUNS = _runs()


@device_function
def suit_by_suit(once):
    """The standard cards of a hand as this file holds them."""
    cards = np.int64(0)
    for suit in range(4):
        ranks = ranks_of(once, suit)
        cards |= (((ranks & BELOW_ACE) << 1) | (ranks >> ACE)) << (_RANKS * suit)
    return cards


@device_function
def _specials_left(once):
    """Points of the specials that no group takes (RM-14)."""
    specials = (once & SPECIAL_CARDS) >> np.uint64(52)
    left = np.int64(0)
    if specials != ZERO:
        for kind in range(3):
            held = count_bits(specials & KIND_BITS[kind])
            left += held * SPECIAL_POINTS if held < LEAST_GROUP else 0
    return left


@device_function
def _group_ranks(cards, jokers):
    """The ranks, ace the lowest, of which there are enough cards for a group with some Jokers."""
    a, b = cards & _ALL, (cards >> 13) & _ALL
    c, d = (cards >> 26) & _ALL, (cards >> 39) & _ALL
    if jokers >= 2:
        return a | b | c | d
    if jokers == 1:
        return (a & b) | (c & d) | ((a | b) & (c | d))
    return (a & b & (c | d)) | (c & d & (a | b))


@device_function
def _cover(cards, jokers):
    """The cards that are in some run, with one Joker or none."""
    cover = np.int64(0)
    shift = _COVERED + _RANKS * jokers
    for suit in range(4):
        entry = RUNS[(cards >> (_RANKS * suit)) & _ALL]
        cover |= ((entry >> shift) & _ALL) << (_RANKS * suit)
    return cover


@device_function
def _in_runs(cards, jokers):
    """The points that runs take of the cards of four suits and some Jokers."""
    none = one = two = best_one = second_one = best_two = np.int64(0)
    for suit in range(4):
        entry = RUNS[(cards >> (_RANKS * suit)) & _ALL]
        base = entry & _SHARE
        none += base
        if jokers > 0:
            one = ((entry >> 8) & _SHARE) - base
            if one > best_one:
                best_one, second_one = one, best_one
            elif one > second_one:
                second_one = one
            two = ((entry >> 16) & _SHARE) - base
            best_two = max(best_two, two)
    if jokers == 0:
        return none
    if jokers == 1:
        return none + best_one
    return none + max(best_two, best_one + second_one)


@device_function
def _jokers_of(size):
    """The Jokers that a group of so many naturals needs; one has no more (others extend it at the end)."""
    return LEAST_GROUP - size if 0 < size < LEAST_GROUP else np.int64(0)


@device_function
def _total(cards):
    """The points of standard cards."""
    total = np.int64(0)
    while cards != 0:
        place = lowest_bit(cards)
        total += POINTS[place % _RANKS]
        cards &= cards - 1
    return total


@device_function
def _hopeless(cards, ranks, grouped, free, rank, room):
    """Whether more than `room` points stay unmelded, where the groups of the ranks below `rank` are settled.

    Left are, for certain, cards that no run can take, unless a group may yet: above `rank`, of the `ranks` that can have one.
    And of the ranks below: if all cards from `rank` on were there, a run that goes so far would take them all, and without one
    they would be runs of themselves; so what runs then take, less those cards, is the most that they can take below."""
    above = (_ALL >> rank << rank) * _ROW
    left = cards & ~grouped
    idle_above = np.int64(0)
    if free < _MOST_JOKERS:  # two would make a run with any card
        idle = left & ~_cover(left, free)
        idle_above = _total(idle & above & ~(ranks * _ROW))
        if _total(idle & ~above) + idle_above > room:
            return True
    if rank > _RANKS - _OPEN_RANKS:
        return False
    below = left & ~above
    taken = _in_runs(below | above, free) - FROM[rank] - free
    return _total(below) - taken + idle_above > room


@device_function
def _search(cards, jokers, most, enough):
    """The least deadwood of standard cards and Jokers; more than `most` where it is more than that, and the first that is found
    to be `enough`. Every choice of the groups is tried, rank by rank, but for those that leave too much unmelded."""
    total = _total(cards) + jokers
    ranks = _group_ranks(cards, jokers)
    best = most + 1
    grouped, free, gain, threes = np.int64(0), np.int64(jokers), np.int64(0), np.int64(0)
    rank = np.int64(lowest_bit(ranks)) if ranks else np.int64(_RANKS)
    if _hopeless(cards, ranks, grouped, free, rank, most):
        return best
    row = (cards >> rank) & _ROW
    chosen = row
    while True:
        if rank == _RANKS:
            runs = max(_in_runs(cards & ~grouped, free), min(free, threes))
            best = min(best, total - gain - runs)
            if best <= enough:
                return best
        else:
            size = count_bits(chosen)
            need = _jokers_of(size)
            if need <= free:
                above = ranks >> (rank + 1)
                later = rank + 1 + lowest_bit(above) if above else np.int64(_RANKS)
                if not _hopeless(cards, ranks, grouped | (chosen << rank), free - need, later, best - 1):
                    grouped |= chosen << rank
                    free -= need
                    gain += size * POINTS[rank] + need
                    threes += np.int64(size > 0 and size + need == LEAST_GROUP)
                    rank = later
                    row = (cards >> rank) & _ROW
                    chosen = row
                    continue
        while rank == _RANKS or chosen == 0:  # back to the last rank of which something is left to try
            below = ranks & ((1 << rank) - 1)
            if below == 0:
                return best
            rank = highest_bit(below)
            row = (cards >> rank) & _ROW
            chosen = (grouped >> rank) & _ROW
            grouped &= ~(chosen << rank)
            size = count_bits(chosen)
            need = _jokers_of(size)
            free += need
            gain -= size * POINTS[rank] + need
            threes -= np.int64(size > 0 and size + need == LEAST_GROUP)
        chosen = (chosen - 1) & row


@device_function
def least_deadwood(once, jokers):
    """The minimal points of unmelded cards over all arrangements of a hand (RM-41, RM-60 to RM-63)."""
    return _search(suit_by_suit(once), jokers, UNBOUNDED, np.int64(0)) + _specials_left(once)


@device_function
def deadwood_within(once, jokers, most):
    """Whether a hand can be arranged with at most this many points unmelded."""
    room = most - _specials_left(once)
    return room >= 0 and _search(suit_by_suit(once), jokers, room, room) <= room


@device_function
def can_knock(once, jokers, most):
    """Whether after some discard at most this many points are unmelded (RM-32)."""
    least = _search(suit_by_suit(once), jokers, most + _DEAREST, np.int64(0)) + _specials_left(once)
    if least > most + _DEAREST:
        return False  # a discard saves no more
    if 0 < least <= most:
        return True  # something is unmelded: it goes
    faces, joker = _discards(once, jokers, most, True)
    return joker or faces != ZERO


@device_function
def knock_discards(once, jokers, most):
    """The discards after which at most this many points are unmelded (RM-32): faces, and whether a Joker is one."""
    return _discards(once, jokers, most, False)


@device_function
def _discards(once, jokers, most, one_will_do):
    faces = ZERO
    cards = once
    while cards != ZERO:
        face = cards & (~cards + ONE)
        if deadwood_within(once & ~face, jokers, most):
            faces |= face
            if one_will_do:
                return faces, False
        cards ^= face
    return faces, jokers > 0 and deadwood_within(once, jokers - 1, most)
