"""Poker hands of the comparator beside phevaluator, and Jokers beside all cards that they may stand for.

python -m wilddeck.benchmarks.poker_hands [--hands 10000000] [--wild 100000]
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator

import numpy as np

from ..envs.core.cards import STANDARD
from ..envs.core.compare import poker
from .arguments import Parser, whole
from .comparator import random_hands

OMAHA = ((4, 3), (4, 5), (5, 6), (8, 9))  # own cards and the board, without Draws and with some
_CHUNK = 4_000_000  # hands at a time


def all_fives() -> np.ndarray:
    """Every hand of five standard cards (int8 [2598960, 5]), in the order of `itertools.combinations`."""
    flat = itertools.chain.from_iterable(itertools.combinations(range(STANDARD), 5))
    return np.fromiter(flat, np.int8).reshape(-1, 5)


def places_by_phevaluator(hands: np.ndarray) -> np.ndarray:
    """Places 1..7462 of hands of five to seven standard cards, int64 [N]."""
    from phevaluator import evaluate_cards

    return np.fromiter((evaluate_cards(*hand) for hand in hands.tolist()), np.int64, len(hands))


def best_five(hands: np.ndarray) -> np.ndarray:
    """Strengths of hands without Jokers as the best of all their fives."""
    fives = itertools.combinations(range(hands.shape[1]), 5)
    return np.max([poker.strength(hands[:, list(five)]) for five in fives], axis=0)


def best_omaha(own: np.ndarray, board: np.ndarray) -> np.ndarray:
    """Strengths of omaha hands without Jokers as the best of all two own cards with three of the board."""
    pairs, threes = (itertools.combinations(range(part.shape[1]), size) for part, size in ((own, 2), (board, 3)))
    chosen = itertools.product(pairs, list(threes))
    return np.max([poker.strength(np.hstack([own[:, list(two)], board[:, list(three)]])) for two, three in chosen], axis=0)


def best_stand_in(cards: np.ndarray, strength: Callable[[np.ndarray], np.ndarray], apart: bool = False) -> np.ndarray:
    """Strengths of hands with one or two Jokers in the first columns as the best over all that these may stand for; `apart`: it
    matters which of the two stands for which card."""
    jokers = int((cards[0] >= STANDARD).sum())
    choices = itertools.permutations if apart else itertools.combinations
    values = np.array(list(choices(range(STANDARD), jokers)), np.int8)
    best = []
    for rows in np.array_split(cards, -(-len(cards) * len(values) // _CHUNK)):
        hands = np.repeat(rows, len(values), axis=0)
        hands[:, :jokers] = np.tile(values, (len(rows), 1))
        held = np.zeros((len(rows), STANDARD), bool)
        np.put_along_axis(held, rows[:, jokers:].astype(np.int64), True, axis=1)
        free = ~held[:, values].any(axis=2)
        strengths = np.zeros(free.shape, np.int64)
        strengths[free] = strength(hands[free.ravel()])
        best.append(strengths.max(axis=1))
    return np.concatenate(best)


def checks(hands: int, wild: int) -> Iterator[tuple[str, int, int]]:
    """What was compared, how many hands, how many of them differ."""
    fives = all_fives()
    yield "every five cards, phevaluator", len(fives), wrong(poker.rank(fives), places_by_phevaluator(fives))
    differ = 0
    for seed, part in enumerate(range(0, hands, _CHUNK)):
        sevens = random_hands(min(_CHUNK, hands - part), seed, 7)
        differ += wrong(poker.rank(sevens), places_by_phevaluator(sevens))
    yield "seven cards, phevaluator", hands, differ
    for size in range(6, 12):
        cards = random_hands(wild, size=size)
        yield f"{size} cards, all their fives", wild, wrong(poker.strength(cards), best_five(cards))
    for size, jokers in itertools.product(range(5, 12), (1, 2)):
        cards = random_hands(wild, size=size, jokers=jokers)
        yield f"{size} cards, {jokers} Jokers", wild, wrong(poker.strength(cards), best_stand_in(cards, poker.strength))
    for own, board in OMAHA:
        cards = random_hands(wild, size=own + board)
        parts = cards[:, :own], cards[:, own:]
        yield f"omaha {own} + {board}, all their fives", wild, wrong(poker.strength(*parts), best_omaha(*parts))
    for own, board in OMAHA[:2]:
        for jokers, places in ((1, [0]), (1, [own]), (2, [0, 1]), (2, [0, own]), (2, [own, own + 1])):
            cards = random_hands(wild, size=own + board, jokers=jokers)
            rest = [place for place in range(own + board) if place not in places]
            back = np.argsort(places + rest)  # Jokers are dealt first, and may lie on the board

            def strength(hands: np.ndarray, back: np.ndarray = back, own: int = own) -> np.ndarray:
                laid = hands[:, back]
                return poker.strength(laid[:, :own], laid[:, own:])

            where = " and ".join("own" if place < own else "on the board" for place in places)
            slow = best_stand_in(cards, strength, apart=places[0] < own <= places[-1])
            yield f"omaha {own} + {board}, Jokers: {where}", wild, wrong(strength(cards), slow)


def wrong(ours: np.ndarray, theirs: np.ndarray) -> int:
    return int((ours != theirs).sum())


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.poker_hands", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hands", type=whole(1, 1_000_000_000), default=10_000_000, help="random hands of seven cards")
    parser.add_argument("--wild", type=whole(1, 10_000_000), default=100_000, help="hands of each other kind")
    given = parser.parse_args(arguments)
    failed = 0
    for what, count, differ in checks(given.hands, given.wild):
        print(f"{what}: {count:,} hands, {differ} differ", flush=True)
        failed += differ
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
