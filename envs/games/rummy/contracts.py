"""Whether a contract can be laid from a hand of two decks and up to four Jokers: groups of three and runs of four (RM-43), and
in the last deal runs of four to thirteen that take every card (RM-44).

A natural card serves as a Joker does in any meld but a group of it and two Jokers, or a run of it and three, which would be
left without a natural (RM-16). So a run takes all the naturals there are, but fewer, too, where three Jokers are at hand.
"""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits
from ...core.extended.sets import SPECIAL_CARDS, ZERO
from ...core.jit import device_function
from .melds import ACE, HIGH_ACE, faces_of, positions_of, ranks_at, ranks_of, span_of, without

# RM-42, by deal from 1
GROUPS = np.array([0, 2, 1, 0, 3, 2, 1, 0], np.int64)
RUNS = np.array([0, 0, 1, 2, 0, 1, 2, 3], np.int64)
LAST_DEAL = 7

_RUN = 4  # cards of a run (RM-43), the fewest of one in the last deal
_MOST = 13  # and the most
_WINDOW = np.int64(15)
_WINDOWS = 11  # runs of four in a suit, from the one with a low ace to the one with a high ace
_MANY_JOKERS = 3
IMPOSSIBLE = np.int64(1000)  # more cards than any deck

# Counts of four bits a rank
_ONES = np.uint64(0x1111111111111111)
_TWOS = np.uint64(0x3333333333333333)
_FIVES = np.uint64(0x5555555555555555)
_EIGHTS = np.uint64(0x8888888888888888)
_STANDARD = np.uint64((1 << 52) - 1)


@device_function
def _of_rank(faces):
    """The number of faces of each rank."""
    pairs = faces - ((faces >> np.uint64(1)) & _FIVES)
    return (pairs & _TWOS) + ((pairs >> np.uint64(2)) & _TWOS)


@device_function
def _at_least(counts, number):
    """The ranks with at least this many cards, as flags; counts are at most 8."""
    return ((counts + (np.uint64(8) - number) * _ONES) & _EIGHTS) >> np.uint64(3)


@device_function
def _jokers_for_groups(once, twice, groups):
    """The fewest Jokers with which this number of groups of three can be laid; more than four if it is impossible."""
    counts = _of_rank(once) + _of_rank(twice)
    three, six = _at_least(counts, np.uint64(3)), _at_least(counts, np.uint64(6))
    left = groups - count_bits(three) - count_bits(six)
    if left <= 0:
        return np.int64(0)
    rest = (counts & _STANDARD) - np.uint64(3) * ((three & _STANDARD) + (six & _STANDARD))  # 0, 1 or 2 of a rank
    pairs = count_bits(rest & (_ONES << np.uint64(1)))
    if left <= pairs:
        return left
    left -= pairs
    singles = count_bits(rest & _ONES)
    if left <= singles:
        return pairs + 2 * left
    # a rank without a rest gives up a natural: three Jokers more, which is all there is to try with four
    if left == singles + 1 and _at_least(counts & _STANDARD, np.uint64(2)) != ZERO:
        return pairs + 2 * singles + 3
    return IMPOSSIBLE


@device_function
def _run_and_groups(once, twice, jokers, groups, first):
    """Whether a run, from the window `first` on, and groups can be laid."""
    for suit in range(4):
        if once >> np.uint64(suit) & np.uint64(0x1111111111111) == ZERO:
            continue
        positions = positions_of(ranks_of(once, suit), 1, 1)
        for start in range(max(first - suit * _WINDOWS, 0), _WINDOWS):
            held = positions & (_WINDOW << start)
            used = held
            while used and _RUN - count_bits(used) <= jokers:
                left, left_twice = without(once, twice, faces_of(ranks_at(used), suit))
                if _jokers_for_groups(left, left_twice, groups) <= jokers - _RUN + count_bits(used):
                    return True
                if jokers < _MANY_JOKERS:
                    break
                used = _next_subset(used, held, jokers)
    return False


@device_function
def _next_subset(used, held, jokers):
    """The next set of naturals of a window to try that some Jokers can fill up; none: 0."""
    used = (used - 1) & held
    while used and _RUN - count_bits(used) > jokers:
        used = (used - 1) & held
    return used


@device_function
def contract_possible(once, twice, jokers, groups, runs):
    """Whether this number of groups of three and runs of four, at most two in total, can be laid from a hand (RM-43)."""
    if _jokers_for_groups(once, twice, groups) > jokers:
        return False
    if runs == 0:
        return True
    if runs == 1:
        return _run_and_groups(once, twice, jokers, groups, np.int64(0))
    for suit in range(4):
        if once >> np.uint64(suit) & np.uint64(0x1111111111111) == ZERO:
            continue
        positions = positions_of(ranks_of(once, suit), 1, 1)
        for start in range(_WINDOWS):
            held = positions & (_WINDOW << start)
            used = held
            while used and _RUN - count_bits(used) <= jokers:
                left, left_twice = without(once, twice, faces_of(ranks_at(used), suit))
                rest = jokers - _RUN + count_bits(used)
                if _run_and_groups(left, left_twice, rest, groups, suit * _WINDOWS + start):
                    return True
                if jokers < _MANY_JOKERS:
                    break
                used = _next_subset(used, held, jokers)
    return False


@device_function
def _one_run(once, twice):
    """The cards of one run, Jokers included, that takes all of some positions."""
    if twice:
        return IMPOSSIBLE
    if once == 0:
        return np.int64(_RUN)  # it gets a card that another run can spare
    span = span_of(once)
    return max(span, np.int64(_RUN)) if span <= _MOST else IMPOSSIBLE


@device_function
def _two_runs(once, twice):
    """As `_one_run`, of two. One of them begins with the lowest card; where it ends is tried."""
    if once == 0:
        return np.int64(2 * _RUN)
    best = IMPOSSIBLE
    ends = once
    while ends:
        upto = (ends & -ends) * 2 - 1
        best = min(best, _one_run(once & upto, np.int64(0)) + _one_run((once & ~upto) | (twice & upto), twice & ~upto))
        ends &= ends - 1
    return best


@device_function
def _three_runs(once, twice):
    if once == 0:
        return np.int64(3 * _RUN)
    best = IMPOSSIBLE
    ends = once
    while ends:
        upto = (ends & -ends) * 2 - 1
        best = min(best, _one_run(once & upto, np.int64(0)) + _two_runs((once & ~upto) | (twice & upto), twice & ~upto))
        ends &= ends - 1
    return best


@device_function
def _cards_of_suit(once, twice, runs):
    """The fewest cards, Jokers included, of so many runs that take all of a suit, ranks held once and twice. Each ace is
    low or high."""
    if runs == 0:
        return np.int64(0) if once == 0 else IMPOSSIBLE
    aces = (once >> ACE) + (twice >> ACE)
    best = IMPOSSIBLE
    for low in range(aces + 1):
        high = aces - low
        some = positions_of(once, 0, 0) | np.int64(low > 0) | (np.int64(high > 0) << HIGH_ACE)
        both = positions_of(twice, 0, 0) | np.int64(low > 1) | (np.int64(high > 1) << HIGH_ACE)
        if runs == 1:
            fewest = _one_run(some, both)
        elif runs == 2:
            fewest = _two_runs(some, both)
        else:
            fewest = _three_runs(some, both)
        best = min(best, fewest)
    return best


@device_function
def cards_of_runs(once, twice, runs):
    """The fewest cards, Jokers included, of so many runs, three at most, that take all of some cards. A run that is left
    without a card of them counts as four: one that others can spare, and Jokers."""
    if once & SPECIAL_CARDS != ZERO:
        return IMPOSSIBLE
    none, one, two, three = np.int64(0), IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE  # the fewest of 0 to 3 runs in the suits so far
    for suit in range(4):
        some, both = ranks_of(once, suit), ranks_of(twice, suit)
        zero = IMPOSSIBLE if some else np.int64(0)
        first = _cards_of_suit(some, both, 1) if runs >= 1 else IMPOSSIBLE
        second = _cards_of_suit(some, both, 2) if runs >= 2 else IMPOSSIBLE
        third = _cards_of_suit(some, both, 3) if runs >= 3 else IMPOSSIBLE
        three = min(three + zero, min(two + first, min(one + second, none + third)))
        two = min(two + zero, min(one + first, none + second))
        one = min(one + zero, none + first)
        none = none + zero
    return none if runs == 0 else one if runs == 1 else two if runs == 2 else three


@device_function
def last_contract_possible(once, twice, jokers, runs):
    """Whether all cards and Jokers of a hand fit into this number of runs of four to thirteen, at most three (RM-44).

    Each run takes as many Jokers as it needs, or more up to thirteen cards; so what counts is the need of all together."""
    naturals = count_bits(once) + count_bits(twice)
    size = naturals + jokers
    if naturals < runs or size < _RUN * runs or size > _MOST * runs:
        return False
    return cards_of_runs(once, twice, runs) <= size
