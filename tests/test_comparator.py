"""Combinations of By The Skin of Your Teeth by the batch, against an obvious reference written from the rules alone."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from math import comb

import numpy as np
import pytest
import wilddeck
from games.skin_reference import (
    ACE,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    PAIR,
    SINGLE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    rank,
    reference,
    reference_beats,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from support import subsets
from wilddeck.envs.core.compare import KIND_SHIFT

compare = wilddeck.compare.skin_of_your_teeth
parse = wilddeck.cards.parse


def rows(combinations: list[list[int]], width: int = 5) -> np.ndarray:
    return np.array([[*cards, *[-1] * (width - len(cards))] for cards in combinations], np.int64).reshape(-1, width)


@pytest.mark.rule("ST-04", "ST-05", "ST-16", "ST-17", "ST-18", "ST-19", "ST-20", "ST-21", "ST-22", "ST-23", "ST-24")
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_every_combination_of_one_deck(size: int) -> None:
    """All subsets of the 54 cards: the valid ones are as many as counting says, and in the reference's order."""
    cards = subsets(54, size)
    assert len(cards) == comb(54, size)
    strengths = compare.strength(cards)
    kinds = Counter((strengths[strengths != 0] >> KIND_SHIFT).tolist())
    straights = 9 * (4**5 - 4)
    assert (
        kinds
        == {
            1: {SINGLE: 54},
            2: {PAIR: 13 * 6},
            3: {THREE: 13 * 4},
            4: {FOUR: 13},
            5: {STRAIGHT: straights, FLUSH: 4 * (comb(13, 5) - 9), FULL_HOUSE: 13 * 4 * 12 * 6, STRAIGHT_FLUSH: 9 * 4},
        }[size]
    )
    valid = cards[strengths != 0]
    in_order = valid[np.argsort(strengths[strengths != 0], kind="stable")]
    keys = [reference(row) for row in in_order.tolist()]
    assert None not in keys
    jokers = 2 if size == 1 else 0
    assert all(low < high for low, high in itertools.pairwise(keys[: len(keys) - jokers]))
    assert np.all(np.bincount(np.unique(strengths[strengths != 0], return_counts=True)[1])[2:] <= (1 if jokers else 0))


@pytest.mark.rule("ST-13", "ST-14", "ST-17", "ST-18", "ST-19", "ST-24")
def test_every_attack_on_every_defence_of_up_to_four_cards() -> None:
    combinations = [[card] for card in range(54)]
    for size in (2, 3, 4):
        combinations += valid(size)
    combinations += [[0, 5], [0, 1, 6], [52, 53], [8, 9, 12, 13]]  # no valid ones
    table = rows(combinations)
    attack, defence = np.repeat(table, len(table), axis=0), np.tile(table, (len(table), 1))
    wins = compare.beats(attack, defence).reshape(len(table), -1)
    for i, one in enumerate(combinations):
        assert wins[i].tolist() == [reference_beats(one, other) for other in combinations], one
    assert wins.sum() == 7088


def hands(size: int) -> st.SearchStrategy[list[int]]:
    """Cards of which many are valid combinations: few ranks, or few suits, or any."""
    few_ranks = st.integers(0, 8).flatmap(
        lambda low: st.lists(st.integers(low * 4, low * 4 + 19), min_size=size, max_size=size)
    )
    one_suit = st.integers(0, 3).flatmap(
        lambda one: st.lists(st.integers(0, 12).map(lambda r: r * 4 + one), min_size=size, max_size=size)
    )
    two_ranks = st.tuples(st.integers(0, 12), st.integers(0, 12)).flatmap(
        lambda two: st.lists(st.sampled_from([r * 4 + s for r in two for s in range(4)]), min_size=size, max_size=size)
    )
    run = st.integers(0, 8).flatmap(
        lambda low: st.lists(st.integers(0, 3), min_size=size, max_size=size).map(
            lambda suits: [(low + k) * 4 + s for k, s in enumerate(suits)]
        )
    )
    anything = st.lists(st.integers(0, 53), min_size=size, max_size=size)
    return st.one_of(few_ranks, one_suit, two_ranks, run, anything).filter(lambda cards: len(set(cards)) == size)


any_size = st.integers(1, 5).flatmap(hands)


@functools.cache
def valid(size: int) -> list[list[int]]:
    """All valid combinations without Jokers."""
    cards = subsets(52, size)
    return cards[compare.strength(cards) != 0].tolist()


def several(number: int) -> st.SearchStrategy[list[list[int]]]:
    """Valid combinations of one size."""
    one_size = st.integers(1, 5)
    return one_size.flatmap(lambda size: st.lists(st.sampled_from(valid(size)), min_size=number, max_size=number))


@settings(max_examples=300, deadline=None)
@given(any_size, st.randoms(use_true_random=False))
def test_strength_is_zero_for_what_the_reference_refuses_whatever_the_order(cards: list[int], draw) -> None:
    row = [*cards, *[-1] * (5 - len(cards))]
    draw.shuffle(row)
    (strength,) = compare.strength([row])
    assert (strength > 0) == (reference(cards) is not None)
    assert strength == compare.strength(np.array([sorted(cards)], np.int16))[0]
    expected = reference(cards)
    if expected is not None:
        assert strength >> KIND_SHIFT == expected[0]


@settings(max_examples=400, deadline=None)
@given(any_size, any_size)
def test_beats_agrees_with_the_reference(attack: list[int], defence: list[int]) -> None:
    assert compare.beats([attack], [defence])[0] == reference_beats(attack, defence)


@pytest.mark.rule("ST-14", "ST-17", "ST-18", "ST-19")
@settings(max_examples=300, deadline=None)
@given(several(2))
def test_of_two_one_beats_the_other_but_for_twos_and_aces(pair: list[list[int]]) -> None:
    """Antisymmetry: two different combinations of a size cannot both win as attacks, except twos and aces."""
    one, two = pair
    both = compare.beats([one, two], [two, one]).tolist()
    if sorted(one) == sorted(two):
        assert both == [False, False]
    elif len(one) < 5 and {rank(one[0]), rank(two[0])} == {0, ACE}:
        assert both == [True, True]
    else:
        assert sum(both) == 1


@settings(max_examples=300, deadline=None)
@given(several(3))
def test_strength_is_transitive_within_a_size_and_agrees_with_beats(three: list[list[int]]) -> None:
    low, middle, high = sorted(three, key=lambda cards: int(compare.strength([cards])[0]))
    assert reference(low) <= reference(middle) <= reference(high)
    if reference(low) < reference(high):
        assert compare.beats([high], [low])[0]
    twos_and_aces = len(low) < 5 and rank(low[0]) == 0 and rank(high[0]) == ACE
    assert compare.beats([low], [high])[0] == twos_and_aces


@pytest.mark.rule("ST-12", "ST-24")
def test_invalid_cards() -> None:
    """What is no combination beats nothing and falls to anything; so does a Joker that defends, which no pile may hold."""
    broken, single, joker = parse("9d 8c 7h 6s"), parse("3d"), parse("Jk")
    assert compare.strength(rows([broken, single, joker])).tolist()[0] == 0
    wins = compare.beats(rows([broken, single, joker, single]), rows([single, broken, broken, joker]))
    assert wins.tolist() == [False, True, True, True]
    assert compare.beats([parse("Jk")], [parse("4c 4d")]).tolist() == [False]
    assert compare.strength([parse("Jk Jk")]).tolist() == [0]
    assert compare.strength([[-1, -1]]).tolist() == [0]


def test_dtypes_and_shapes() -> None:
    cards = subsets(54, 5)[::997]
    expected = compare.strength(cards)
    assert expected.dtype == np.int64
    for dtype in (np.int16, np.int32, np.int64, np.uint8, np.uint64):
        assert np.array_equal(compare.strength(cards.astype(dtype)), expected)
    assert np.array_equal(compare.strength(np.asfortranarray(cards)), expected)
    assert np.array_equal(compare.strength(cards[:, ::-1]), expected)
    assert compare.strength(np.zeros((0, 5), int)).shape == (0,)
    wins = compare.beats(cards, cards[::-1])
    assert wins.dtype == np.bool_
    assert wins.shape == (len(cards),)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([1, 2], r"cards must have shape \[N, k\] with k from 1 to 5, not \[2\]"),
        (np.zeros((2, 6), int), r"with k from 1 to 5, not \[2, 6\]"),
        (np.zeros((2, 0), int), r"with k from 1 to 5, not \[2, 0\]"),
        ([[1.0]], r"cards must be integers \(card ids\), not float64"),
        ([[True]], r"cards must be integers \(card ids\), not bool"),
        ([["As"]], r"cards must be integers"),
        ([[0], [54]], r"cards, row 1: 54 is not a card; ids are 0..53, or -1 for none"),
        ([[-2, 3]], r"cards, row 0: -2 is not a card"),
        (np.array([[2**64 - 1]], np.uint64), r"row 0: 18446744073709551615 is not a card"),
        ([[3, -1, 3]], r"cards, row 0: 2s \(id 3\) occurs twice, but at most once in a combination"),
        ([[53, 53]], r"row 0: BJ \(id 53\) occurs twice"),
    ],
)
def test_bad_input_is_one_clear_error(cards, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare.strength(cards)


def test_bad_input_of_beats() -> None:
    with pytest.raises(ValueError, match="defence, row 0: 99 is not a card"):
        compare.beats([[1]], [[99]])
    with pytest.raises(ValueError, match="attack and defence must have the same number of rows, not 1 and 2"):
        compare.beats([[1]], [[1], [2]])
    with pytest.raises(ValueError, match="attack must have shape"):
        compare.beats([1], [[1]])
