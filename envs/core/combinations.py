"""A kit for games in which combinations of ranks are beaten: singles, pairs, triples, fours, and runs of these.

A hand is counts by rank, ranks being 0, 1, ... in the game's own order, the lowest first. A combination is so many cards of
each of so many ranks in a row; those of as many cards and ranks are a kind, of which a higher one beats a lower one:

    KINDS = kinds(kind(1, ranks=15), kind(2, ranks=13), *(kind(1, length, ranks=12) for length in range(5, 13)))
    Block("play", size_of(KINDS), "a combination", label="play {run}", parts={"run": run_parts(KINDS, RANKS)})

    mark_combinations(KINDS, state.counts[seat], mask, first)             # in `legal_actions`: whatever the hand holds
    mark_higher(KINDS, state.counts[seat], state.lead, mask, first)       # what beats the combination that was led
    take_combination(KINDS, state.counts[seat], action)                   # in `step`

A combination is a number, its place in the block. Which kinds beat all others (bombs), and cards that go along with a triple,
are the game's own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .bits import lowest_bit
from .cards import BIG_JOKER, JOKER_RANK, RANK_NAMES, SMALL_JOKER, TEXT
from .jit import device_function
from .parts import Part

TIMES, LENGTH, FIRST, END, LOWEST = range(5)  # columns of the kinds
_ONE = np.int64(1)


def kind(times: int, length: int = 1, *, ranks: int, lowest: int = 0) -> tuple[int, int, int, int]:
    """`times` cards of each of `length` ranks in a row, of the ranks from `lowest` up to `ranks` (not included).

    Raises:
        ValueError: there is no such combination.
    """
    if times < 1 or length < 1 or lowest < 0 or lowest + length > ranks or ranks > 63:
        raise ValueError(f"there are no combinations of {length} ranks in a row, {times} of each, among {lowest}..{ranks - 1}")
    return times, length, lowest, ranks


def kinds(*declared: tuple[int, int, int, int]) -> np.ndarray:
    """The kinds of a game, for device functions: int64 [kinds, 5]. Its combinations are numbered kind by kind, each from the
    lowest rank on."""
    rows, first = [], 0
    for times, length, lowest, ranks in declared:
        end = first + ranks - lowest - length + 1
        rows.append((times, length, first, end, lowest))
        first = end
    return np.array(rows, np.int64).reshape(-1, 5)


def size_of(table: np.ndarray) -> int:
    """How many combinations there are."""
    return int(table[-1, END])


def cards_of(table: np.ndarray, combination: int) -> list[int]:
    """The ranks of a combination, each as often as it is in it."""
    times, length, first, _, lowest = table[np.searchsorted(table[:, END], combination, "right")].tolist()
    return [lowest + combination - first + k for k in range(length) for _ in range(times)]


def run_parts(table: np.ndarray, ranks: Sequence[int]) -> list[Part]:
    """What the combinations are called, for a block's `parts`: "5 5", "3 4 5 6 7". `ranks` are the numbers of the game's ranks
    as parts have them: 0..12 for 2..A, 16 for a Joker; where the two Jokers differ, their ids 52 and 53: "SJ"."""
    return [_part([ranks[rank] for rank in cards_of(table, number)]) for number in range(size_of(table))]


def _part(numbers: list[int]) -> Part:
    jokers = tuple(number for number in numbers if number in (SMALL_JOKER, BIG_JOKER))
    words = [TEXT[number] if number in jokers else RANK_NAMES[number] for number in numbers]
    return Part(" ".join(words), cards=jokers, ranks=tuple(JOKER_RANK if number in jokers else number for number in numbers))


@device_function
def kind_of(table, combination):
    """The number of the kind of a combination."""
    number = 0
    while table[number, END] <= combination:
        number += 1
    return number


@device_function
def mark_combinations(table, counts, mask, offset):
    """Mark all that a hand holds; entry `offset` is combination 0."""
    for number in range(table.shape[0]):
        mark_from(table, number, counts, mask, offset, table[number, FIRST])


@device_function
def mark_higher(table, counts, combination, mask, offset):
    """Mark what a hand holds of the same kind as a combination, and higher."""
    mark_from(table, kind_of(table, combination), counts, mask, offset, combination + 1)


@device_function
def mark_from(table, number, counts, mask, offset, least):
    """Mark what a hand holds of a kind, from the combination `least` on."""
    times, first, held = table[number, TIMES], table[number, FIRST], np.int64(0)
    lowest = table[number, LOWEST] + least - first
    for rank in range(lowest, lowest + table[number, END] - least + table[number, LENGTH] - 1):
        if counts[rank] >= times:
            held |= _ONE << (rank - lowest)
    for _ in range(table[number, LENGTH] - 1):
        held &= held >> 1  # bit k: this many ranks in a row from rank k on
    while held != 0:
        mask[offset + least + lowest_bit(held)] = 1
        held &= held - 1


@device_function
def take_combination(table, counts, combination):
    """Remove the cards of a combination from a hand, which must hold them."""
    number = kind_of(table, combination)
    lowest = table[number, LOWEST] + combination - table[number, FIRST]
    for rank in range(lowest, lowest + table[number, LENGTH]):
        counts[rank] -= table[number, TIMES]
