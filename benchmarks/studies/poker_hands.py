"""Poker hands of the comparator compared with phevaluator, and Jokers with all cards that they may represent.

python -m wilddeck.benchmarks.studies.poker_hands [--hands 10000000] [--wild 100000]
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator

import numpy as np

from ...cli.arguments import Parser, whole
from ...envs.core.cards import STANDARD
from ...envs.core.compare import poker
from ...envs.core.compare.poker import poker_strength
from ...envs.core.jit import device_function
from ..comparator import random_hands

OMAHA = ((4, 3), (4, 5), (5, 6), (8, 9))  # hole cards and the board, without Draws and with some
_CHUNK = 4_000_000  # hands per batch


def all_fives() -> np.ndarray:
    """Every hand of five standard cards (int8 [2598960, 5]), in the order of `itertools.combinations`."""
    flat = itertools.chain.from_iterable(itertools.combinations(range(STANDARD), 5))
    return np.fromiter(flat, np.int8).reshape(-1, 5)


def places_by_phevaluator(hands: np.ndarray) -> np.ndarray:
    """Places 1..7462 of hands of five to seven standard cards, int64 [N]."""
    from phevaluator import evaluate_cards

    return np.fromiter((evaluate_cards(*hand) for hand in hands.tolist()), np.int64, len(hands))


def best_five(hands: np.ndarray) -> np.ndarray:
    """Strengths of hands without Jokers: the best of all their five-card subsets."""
    fives = itertools.combinations(range(hands.shape[1]), 5)
    return np.max([poker.strength(hands[:, list(five)]) for five in fives], axis=0)


def best_omaha(own: np.ndarray, board: np.ndarray) -> np.ndarray:
    """Strengths of omaha hands without Jokers: the best of all pairs of hole cards with three cards of the board."""
    pairs, threes = (itertools.combinations(range(part.shape[1]), size) for part, size in ((own, 2), (board, 3)))
    chosen = itertools.product(pairs, list(threes))
    return np.max([poker.strength(np.hstack([own[:, list(two)], board[:, list(three)]])) for two, three in chosen], axis=0)


def best_stand_in(cards: np.ndarray, strength: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Strengths of hands with one or two Jokers in the first columns: the best over all cards that these may represent."""
    jokers = int((cards[0] >= STANDARD).sum())
    values = np.array(list(itertools.combinations(range(STANDARD), jokers)), np.int8)
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


def best_omaha_stand_in(own: np.ndarray, board: np.ndarray) -> np.ndarray:
    """As `best_omaha`, for hands with Jokers: each is replaced by every card in turn, and all five-card hands evaluated."""
    cards = np.hstack([own, board]).astype(np.int64)
    best = np.zeros(len(cards), np.int64)
    _best_omaha_rows(cards, own.shape[1], best)
    return best


@device_function
def _best_omaha_rows(cards: np.ndarray, own: int, best: np.ndarray) -> None:
    for row in range(len(cards)):
        hand = cards[row]
        places = np.flatnonzero(hand >= STANDARD)
        alike = len(places) == 2 and (places[0] < own) == (places[1] < own)
        for code in range(STANDARD ** len(places)):
            rest = code
            for place in places:
                hand[place] = rest % STANDARD
                rest //= STANDARD
            if _all_different(hand) and not (alike and hand[places[0]] > hand[places[1]]):
                best[row] = max(best[row], _best_omaha(hand, own))


@device_function
def _all_different(hand: np.ndarray) -> bool:
    for one in range(len(hand)):
        for other in range(one):
            if hand[one] == hand[other]:
                return False
    return True


@device_function
def _best_omaha(hand: np.ndarray, own: int) -> np.int64:
    """For standard cards: the best of all pairs of hole cards with three others, by code verified on every five cards."""
    best, bits = np.int64(0), np.uint64(1) << hand.astype(np.uint64)
    for b in range(own):
        for a in range(b):
            for e in range(own, len(hand)):
                for d in range(own, e):
                    for c in range(own, d):
                        best = max(best, poker_strength(bits[a] | bits[b] | bits[c] | bits[d] | bits[e], np.int64(0)))
    return best


def checks(hands: int, wild: int) -> Iterator[tuple[str, int, int]]:
    """For each kind: its name, the number of hands, and how many differ."""
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
            laid = cards[:, np.argsort(places + rest)]  # Jokers are dealt first, and may lie on the board
            parts = laid[:, :own], laid[:, own:]
            named = " and ".join("own" if place < own else "on the board" for place in places)
            yield (
                f"omaha {own} + {board}, Jokers: {named}",
                wild,
                wrong(poker.strength(*parts), best_omaha_stand_in(*parts)),
            )


def wrong(ours: np.ndarray, theirs: np.ndarray) -> int:
    return int((ours != theirs).sum())


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.poker_hands", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hands", type=whole(1, 1_000_000_000), default=10_000_000, help="random hands of seven cards")
    parser.add_argument("--wild", type=whole(1, 10_000_000), default=100_000, help="hands of each other kind")
    settings = parser.parse_args(arguments)
    failed = 0
    for kind, count, differ in checks(settings.hands, settings.wild):
        print(f"{kind}: {count:,} hands, {differ} differ", flush=True)
        failed += differ
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
