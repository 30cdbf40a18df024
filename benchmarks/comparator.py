"""Speed of the comparators on batches, compared with eval7 and phevaluator.

wilddeck bench comparator [--json] [--seconds 1] [--no-peers]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..envs.core import compare as families
from ..envs.core.cards import DECK_54, STANDARD
from ..envs.core.compare.family import Family
from . import peers as others
from .measure import Row, Work, at_least, compare, of_game

HANDS = 65_536  # a third of a megabyte as int8: a realistic batch
PEER_HANDS = 5_000  # few enough for eval7's Card objects to stay in the CPU cache
TARGET = 20.0  # times eval7
WILD_TARGET = 20e6  # hands per second; eval7 has no wild cards
PHEVALUATOR_TARGET = 20.0  # times phevaluator
JOKERS_TARGET = 0.2  # of eval7's own loop, which has no Jokers
MOST_WILDS = 2
TRUMP = 5


def random_hands(count: int, seed: int = 1, size: int = 5, jokers: int = 0) -> np.ndarray:
    """`count` hands of different cards, the first `jokers` of them Jokers, the others standard cards (int8 [count, size])."""
    hands = np.random.default_rng(seed).random((count, STANDARD)).argpartition(size, axis=1)[:, :size].astype(np.int8)
    hands[:, :jokers] = range(STANDARD, STANDARD + jokers)
    return hands


def wild_hands(count: int, seed: int = 1) -> np.ndarray:
    """`count` hands of five cards of three decks, 0 to 2 of them Jokers, each number equally often (int8 [count, 5])."""
    draw = np.random.default_rng(seed)
    hands = (draw.random((count, 3 * STANDARD)).argpartition(5, axis=1)[:, :5] // 3).astype(np.int8)
    wilds = np.arange(MOST_WILDS) < draw.integers(0, MOST_WILDS + 1, (count, 1))
    hands[:, :MOST_WILDS][wilds] = draw.integers(STANDARD, DECK_54, wilds.sum())
    return hands


def strengths(family: Family, hands: np.ndarray, *settings: Any) -> Work:
    def work() -> int:
        family.strength(hands, *settings)
        return len(hands)

    return work


def attacks(family: Family, attack: np.ndarray, defence: np.ndarray, *settings: Any) -> Work:
    def work() -> int:
        family.beats(attack, defence, *settings)
        return len(attack)

    return work


def skin_of_your_teeth(seconds: float, peers: bool) -> list[Row]:
    """Strength compared with eval7, and `beats`."""
    family, hands, defence = families.skin_of_your_teeth, random_hands(HANDS), random_hands(HANDS, 2)
    theirs = others.installed(others.eval7_hands, hands[:PEER_HANDS]) if peers else None
    peer, target = ("eval7 in a loop", TARGET) if peers else ("", None)
    return [
        compare("strength of 5 cards", "hands/s", strengths(family, hands), peer, theirs, target, seconds),
        compare("beats, 5 cards by 5", "pairs/s", attacks(family, hands, defence), "", None, None, seconds),
    ]


def wild_escape(seconds: float, peers: bool) -> list[Row]:
    """Strength of hands that eval7 can also evaluate, of hands with wilds, of these with a trump rank each, and `beats`."""
    family, hands, wilds, defence = families.wild_escape, random_hands(HANDS), wild_hands(HANDS), wild_hands(HANDS, 2)
    theirs = others.installed(others.eval7_hands, hands[:PEER_HANDS]) if peers else None
    trumps = np.random.default_rng(3).integers(2, 15, HANDS)
    return [
        compare(
            "strength of 5 cards",
            "hands/s",
            strengths(family, hands, TRUMP),
            "eval7 in a loop" if peers else "",
            theirs,
            None,
            seconds,
        ),
        at_least("with up to two wilds", "hands/s", strengths(family, wilds, TRUMP), WILD_TARGET, seconds),
        at_least("and a trump rank each", "hands/s", strengths(family, wilds, trumps), WILD_TARGET, seconds),
        compare("beats, 5 cards by 5", "pairs/s", attacks(family, wilds, defence, TRUMP), "", None, None, seconds),
    ]


def poker(seconds: float, peers: bool) -> list[Row]:
    """Strength of five- and seven-card hands compared with others', of seven cards with and without Jokers, of omaha hands.

    eval7's own loop evaluates seven-card hands that it deals itself; ours also validate their input.
    """
    family, fives, sevens = families.poker, random_hands(HANDS), random_hands(HANDS, size=7)
    in_python, in_c, by_phevaluator = "eval7 in a loop", "eval7's Monte Carlo in C, seven cards", "phevaluator in a loop"
    loop = others.installed(others.eval7_hands, fives[:PEER_HANDS]) if peers else None
    inside = others.installed(others.eval7_monte_carlo) if peers else None
    phe = others.installed(others.phevaluator_hands, sevens[:PEER_HANDS]) if peers else None
    targets = (PHEVALUATOR_TARGET, 1.0, JOKERS_TARGET) if peers else (None,) * 3
    rows = [
        ("strength of 5 cards", fives, in_python, loop, None),
        ("strength of 7 cards", sevens, by_phevaluator, phe, targets[0]),
        ("strength of 7 cards", sevens, in_c, inside, targets[1]),
        ("7 cards, a Joker", random_hands(HANDS, size=7, jokers=1), in_c, inside, targets[2]),
        ("7 cards, two Jokers", random_hands(HANDS, size=7, jokers=2), in_c, inside, targets[2]),
    ]
    nines = random_hands(PEER_HANDS, size=9)
    return [
        *(
            compare(title, "hands/s", strengths(family, hands), peer if peers else "", theirs, target, seconds)
            for title, hands, peer, theirs, target in rows
        ),
        compare("omaha, 4 and 5", "hands/s", strengths(family, nines[:, :4], nines[:, 4:]), "", None, None, seconds),
    ]


def run(seconds: float = 1.0, peers: bool = True) -> list[Row]:
    """Hands per second of each family, `seconds` per side."""
    return [
        row for family in (skin_of_your_teeth, wild_escape, poker) for row in of_game(family.__name__, family(seconds, peers))
    ]
