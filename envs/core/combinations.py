"""A kit for games in which players beat combinations of ranks: singles, pairs, triples, fours, and runs of these.

A hand is a set of cards in one word, four bits per rank (one for each suit; a rank with a single card uses only the first).
Ranks are 0, 1, ... in the game's own order, the lowest first. A combination has the same number of cards in each of several
consecutive ranks. Combinations with the same numbers of cards and ranks form a kind, in which a higher combination beats a
lower one:

    KINDS = kinds(kind(1, ranks=15), kind(2, ranks=13), *(kind(1, length, ranks=12) for length in range(5, 13)))
    KIND_OF = kinds_of(KINDS)
    Block("play", size_of(KINDS), "a combination", label="play {run}", parts={"run": run_parts(KINDS, RANKS)})

    mark_combinations(KINDS, hand, mask, first)                            # in `legal_actions`: all combinations in the hand
    mark_from(KINDS, KIND_OF[state.lead], hand, mask, first, state.lead + 1)    # those that beat the combination led
    state.hand[seat] &= ~pick_cards(KINDS, KIND_OF[action], hand, action)       # in `step`

A combination is represented by its index in the block. Bombs (kinds that beat all others) and cards attached to a triple are
left to the game.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .bits import lowest_bit
from .cards import BIG_JOKER, RANK_NAMES, SMALL_JOKER, SUITS, TEXT
from .jit import device_function
from .parts import Part

TIMES, LENGTH, FIRST, END, LOWEST = range(5)  # columns of an array of kinds
RANK_BITS = np.uint64(0xF)
MOST_RANKS = 64 // SUITS
_ONE, _BIT = np.int64(1), np.uint64(1)
_1, _2, _3 = np.uint64(1), np.uint64(2), np.uint64(3)
# Every fourth bit, and the bits that remain after those of two, four, eight ranks have been packed together.
_FOURTH, _PUSHED_2 = np.uint64(0x1111111111111111), np.uint64(0x0303030303030303)
_PUSHED_4, _PUSHED_8, _PUSHED_16 = np.uint64(0x000F000F000F000F), np.uint64(0x000000FF000000FF), np.uint64(0xFFFF)
_6, _12, _24 = np.uint64(6), np.uint64(12), np.uint64(24)


def kind(times: int, length: int = 1, *, ranks: int, lowest: int = 0) -> tuple[int, int, int, int]:
    """`times` cards of each of `length` consecutive ranks, within `lowest`..`ranks - 1`.

    Raises:
        ValueError: there is no such combination.
    """
    if not 1 <= times <= SUITS or length < 1 or lowest < 0 or lowest + length > ranks or ranks > MOST_RANKS:
        raise ValueError(f"there are no combinations of {length} consecutive ranks, {times} each, among {lowest}..{ranks - 1}")
    return times, length, lowest, ranks


def kinds(*declared: tuple[int, int, int, int]) -> np.ndarray:
    """The kinds of a game, for device functions: int64 [kinds, 5]. Combinations are numbered kind by kind, each from the lowest
    rank up."""
    rows, first = [], 0
    for times, length, lowest, ranks in declared:
        end = first + ranks - lowest - length + 1
        rows.append((times, length, first, end, lowest))
        first = end
    return np.array(rows, np.int64).reshape(-1, 5)


def size_of(table: np.ndarray) -> int:
    """The number of combinations."""
    return int(table[-1, END])


def kinds_of(table: np.ndarray) -> np.ndarray:
    """The kind of each combination, for device functions: int64."""
    return np.searchsorted(table[:, END], np.arange(size_of(table)), "right")


def cards_of(table: np.ndarray, combination: int) -> list[int]:
    """The ranks of a combination, each repeated as often as it occurs."""
    times, length, first, _, lowest = table[np.searchsorted(table[:, END], combination, "right")].tolist()
    return [lowest + combination - first + k for k in range(length) for _ in range(times)]


def run_parts(table: np.ndarray, ranks: Sequence[int]) -> list[Part]:
    """The names of the combinations for a block's `parts`: "5 5", "3 4 5 6 7". `ranks` are the numbers of the game's ranks as
    in `Part`: 0..12 for 2..A, 16 for a Joker; if the two Jokers differ, their ids 52 and 53: "SJ"."""
    return [_part([ranks[rank] for rank in cards_of(table, number)]) for number in range(size_of(table))]


def _part(numbers: list[int]) -> Part:
    jokers = tuple(number for number in numbers if number in (SMALL_JOKER, BIG_JOKER))
    words = [TEXT[number] if number in jokers else RANK_NAMES[number] for number in numbers]
    return Part(" ".join(words), cards=jokers, ranks=tuple(number for number in numbers if number not in jokers))


@device_function
def counts_of(hand):
    """The hand with the bits of each rank shifted down: bit k of a rank is set if the hand holds more than k cards of it."""
    a, b, c, d = hand & _FOURTH, hand >> _1 & _FOURTH, hand >> _2 & _FOURTH, hand >> _3 & _FOURTH
    low, high = a & b | c & d, (a | b) & (c | d)
    return a | b | c | d | (low | high) << _1 | (low & high) << _2 | (a & b & c & d) << _3


@device_function
def ranks_held(hand, times):
    """The ranks of which a hand holds at least this many cards, as bits (int64)."""
    held = counts_of(hand) >> np.uint64(times - 1) & _FOURTH
    held = (held | held >> _3) & _PUSHED_2
    held = (held | held >> _6) & _PUSHED_4
    held = (held | held >> _12) & _PUSHED_8
    return np.int64((held | held >> _24) & _PUSHED_16)


@device_function
def mark_combinations(table, hand, mask, offset):
    """Mark all combinations in a hand; entry `offset` is combination 0."""
    times, held = np.int64(0), np.int64(0)
    for number in range(table.shape[0]):
        if table[number, TIMES] != times:
            times = table[number, TIMES]
            held = ranks_held(hand, times)
        mark_runs(table, number, held, mask, offset, table[number, FIRST])


@device_function
def mark_from(table, number, hand, mask, offset, least):
    """Mark the combinations of a kind in a hand, starting at combination `least`."""
    mark_runs(table, number, ranks_held(hand, table[number, TIMES]), mask, offset, least)


@device_function
def mark_runs(table, number, held, mask, offset, least):
    """As `mark_from`, given the ranks `held` of which the hand has enough cards."""
    runs = held >> (table[number, LOWEST] + least - table[number, FIRST])
    for _ in range(table[number, LENGTH] - 1):
        runs &= runs >> 1  # bit k: a run of this length starts at rank k
    runs &= (_ONE << (table[number, END] - least)) - 1
    while runs != 0:
        mask[offset + least + lowest_bit(runs)] = 1
        runs &= runs - 1


@device_function
def lowest_rank(table, number, combination):
    """The lowest rank of a combination of kind `number`."""
    return table[number, LOWEST] + combination - table[number, FIRST]


@device_function
def pick_cards(table, number, hand, combination):
    """The cards of a hand that make a combination of kind `number`: the lowest bits of each rank. The hand must hold it."""
    cards, rank = np.uint64(0), lowest_rank(table, number, combination)
    for _ in range(table[number, LENGTH]):
        of_rank = hand & RANK_BITS << np.uint64(SUITS * rank)
        rest = of_rank
        for _ in range(table[number, TIMES]):
            rest &= rest - _BIT
        cards |= of_rank & ~rest
        rank += 1
    return cards
