"""The kit of combinations, against all ways to pick cards from a hand."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from wilddeck.envs.core.combinations import (
    cards_of,
    kind,
    kind_of,
    kinds,
    mark_combinations,
    mark_higher,
    run_parts,
    size_of,
    take_combination,
)

DECLARED = [
    *(kind(times, ranks=ranks) for times, ranks in ((1, 15), (2, 13), (3, 13), (4, 13))),
    *(kind(1, length, ranks=12) for length in range(5, 13)),
    *(kind(2, length, ranks=12, lowest=2) for length in range(3, 6)),
    kind(3, 2, ranks=9),
]
KINDS = kinds(*DECLARED)
NAMED = [*range(1, 13), 0, 16, 16]  # 3 4 ... A 2 Joker Joker


def slowly() -> dict[tuple[int, ...], int]:
    """Every combination as its cards, in the order of their numbers."""
    found = []
    for times, length, lowest, ranks in DECLARED:
        for chosen in itertools.combinations(range(lowest, ranks), length):
            if all(b == a + 1 for a, b in itertools.pairwise(chosen)):
                found.append(tuple(rank for rank in chosen for _ in range(times)))
    return {combination: number for number, combination in enumerate(found)}


SLOWLY = slowly()


def random_hand(draw: random.Random) -> np.ndarray:
    deck = [rank for rank in range(13) for _ in range(4)] + [13, 14]
    return np.bincount(draw.sample(deck, draw.randint(1, 34)), minlength=15).astype(np.uint8)


def held_by(hand: np.ndarray) -> set[int]:
    """The numbers of what a hand holds."""
    own = Counter({rank: int(count) for rank, count in enumerate(hand)})
    return {number for combination, number in SLOWLY.items() if Counter(combination) <= own}


def marked(function: object, *arguments: object) -> set[int]:
    mask = np.zeros(7 + size_of(KINDS) + 5, np.uint8)
    function(*arguments, mask, 7)  # type: ignore[operator]
    assert not mask[:7].any() and not mask[-5:].any()
    return set((np.flatnonzero(mask) - 7).tolist())


def test_numbers_and_cards() -> None:
    assert size_of(KINDS) == len(SLOWLY)
    for combination, number in SLOWLY.items():
        assert tuple(cards_of(KINDS, number)) == combination
        times, length, lowest, _ = DECLARED[kind_of(KINDS, number)]
        assert (times, length) == (Counter(combination)[combination[0]], len(set(combination)))
        assert combination[0] >= lowest


def test_all_that_a_hand_holds() -> None:
    draw, seen = random.Random(1), Counter[int]()
    for _ in range(500):
        hand = random_hand(draw)
        held = held_by(hand)
        assert marked(mark_combinations, KINDS, hand) == held
        seen.update(kind_of(KINDS, number) for number in held)
    assert set(seen) == set(range(len(DECLARED)))


def test_what_beats_a_combination() -> None:
    """The same number of cards, as often each, and higher."""
    draw, beaten = random.Random(2), 0
    for _ in range(500):
        hand, lead = random_hand(draw), draw.randrange(len(SLOWLY))
        cards = cards_of(KINDS, lead)
        higher = {
            number
            for combination, number in SLOWLY.items()
            if len(combination) == len(cards) and len(set(combination)) == len(set(cards)) and combination[0] > cards[0]
        }
        assert marked(mark_higher, KINDS, hand, lead) == higher & held_by(hand)
        beaten += bool(higher & held_by(hand))
    assert beaten > 50


def test_cards_leave_the_hand() -> None:
    for combination, number in SLOWLY.items():
        hand = np.full(15, 4, np.uint8)
        take_combination(KINDS, hand, number)
        assert hand.tolist() == [4 - combination.count(rank) for rank in range(15)]


def test_names() -> None:
    parts = run_parts(KINDS, NAMED)
    assert [parts[SLOWLY[cards]].text for cards in [(0,), (12, 12), (13,), (0, 1, 2, 3, 4)]] == [
        "3",
        "2 2",
        "Joker",
        "3 4 5 6 7",
    ]
    assert parts[SLOWLY[0, 0, 0, 1, 1, 1]].ranks == (1, 1, 1, 2, 2, 2)


@pytest.mark.parametrize("wrong", [(0, 1, 13), (1, 14, 13), (1, 0, 13), (1, 1, 64)])
def test_kinds_that_there_are_not(wrong: tuple[int, int, int]) -> None:
    times, length, ranks = wrong
    with pytest.raises(ValueError, match="there are no combinations of"):
        kind(times, length, ranks=ranks)
