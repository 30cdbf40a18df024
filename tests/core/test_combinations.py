"""The kit of combinations, against all ways to pick cards from a hand."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from wilddeck.envs.core.combinations import (
    cards_of,
    counts_of,
    kind,
    kinds,
    kinds_of,
    mark_combinations,
    mark_from,
    pick_cards,
    ranks_held,
    run_parts,
    size_of,
)

DECLARED = [
    *(kind(times, ranks=ranks) for times, ranks in ((1, 15), (2, 13), (3, 13), (4, 13))),
    *(kind(1, length, ranks=12) for length in range(5, 13)),
    *(kind(2, length, ranks=12, lowest=2) for length in range(3, 6)),
    kind(3, 2, ranks=9),
]
KINDS = kinds(*DECLARED)
KIND_OF = kinds_of(KINDS)
NAMED = [*range(1, 13), 0, 16, 53]  # 3 4 ... A 2 Joker BJ


def slowly() -> dict[tuple[int, ...], int]:
    """Every combination as its cards, in the order of their numbers."""
    found = []
    for times, length, lowest, ranks in DECLARED:
        for chosen in itertools.combinations(range(lowest, ranks), length):
            if all(b == a + 1 for a, b in itertools.pairwise(chosen)):
                found.append(tuple(rank for rank in chosen for _ in range(times)))
    return {combination: number for number, combination in enumerate(found)}


SLOWLY = slowly()


DECK = [4 * rank + suit for rank in range(13) for suit in range(4)] + [4 * 13, 4 * 14]


def random_hand(draw: random.Random) -> np.uint64:
    return np.uint64(sum(1 << place for place in draw.sample(DECK, draw.randint(1, 34))))


def ranks_of(hand: np.uint64) -> Counter[int]:
    return Counter(place // 4 for place in range(64) if int(hand) >> place & 1)


def held_by(hand: np.uint64) -> set[int]:
    """The numbers of what a hand holds."""
    own = ranks_of(hand)
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
        times, length, lowest, _ = DECLARED[KIND_OF[number]]
        assert (times, length) == (Counter(combination)[combination[0]], len(set(combination)))
        assert combination[0] >= lowest


def test_all_that_a_hand_holds() -> None:
    draw, seen = random.Random(1), Counter[int]()
    for _ in range(500):
        hand = random_hand(draw)
        held = held_by(hand)
        assert marked(mark_combinations, KINDS, hand) == held
        seen.update(KIND_OF[number] for number in held)
    assert set(seen) == set(range(len(DECLARED)))


def beating(hand: np.uint64, lead: int, mask: np.ndarray, first: int) -> None:
    mark_from(KINDS, KIND_OF[lead], hand, mask, first, lead + 1)


def test_counts() -> None:
    draw = random.Random(3)
    for _ in range(300):
        hand = random_hand(draw)
        counts, own = int(counts_of(hand)), ranks_of(hand)
        assert all(counts >> 4 * rank & 15 == (1 << own[rank]) - 1 for rank in range(16))
        for times in range(1, 5):
            assert int(ranks_held(hand, times)) == sum(1 << rank for rank in range(16) if own[rank] >= times)


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
        assert marked(beating, hand, lead) == higher & held_by(hand)
        beaten += bool(higher & held_by(hand))
    assert beaten > 50


def test_the_cards_of_a_combination() -> None:
    """Of each rank those of the lowest bits."""
    draw = random.Random(4)
    for _ in range(50):
        hand = random_hand(draw)
        for number in held_by(hand):
            picked = pick_cards(KINDS, KIND_OF[number], hand, number)
            assert ranks_of(picked) == Counter(cards_of(KINDS, number)) and picked & ~hand == 0
            for rank in ranks_of(picked):
                taken, kept = (int(cards) >> 4 * rank & 15 for cards in (picked, hand ^ np.uint64(picked)))
                assert kept == 0 or kept & -kept > taken


def test_names() -> None:
    parts = run_parts(KINDS, NAMED)
    texts = [parts[SLOWLY[cards]].text for cards in [(0,), (12, 12), (13,), (14,), (0, 1, 2, 3, 4)]]
    assert texts == ["3", "2 2", "Joker", "BJ", "3 4 5 6 7"]
    assert (parts[SLOWLY[14,]].cards, parts[SLOWLY[14,]].ranks) == ((53,), ())
    assert parts[SLOWLY[0, 0, 0, 1, 1, 1]].ranks == (1, 1, 1, 2, 2, 2)


@pytest.mark.parametrize("wrong", [(0, 1, 13), (5, 1, 13), (1, 14, 13), (1, 0, 13), (1, 1, 17)])
def test_kinds_that_there_are_not(wrong: tuple[int, int, int]) -> None:
    times, length, ranks = wrong
    with pytest.raises(ValueError, match="there are no combinations of"):
        kind(times, length, ranks=ranks)
