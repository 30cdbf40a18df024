"""Speed of the comparators, by the batch, beside eval7.

python -m wilddeck.benchmarks.comparator [--json] [--seconds 1] [--no-peers]
"""

from __future__ import annotations

import numpy as np

from ..envs.core import comparator
from . import peers as others
from .measure import Row, Work, compare, main, of_game

HANDS = 65_536  # half a megabyte as int8: a batch as a program would hold it
PEER_HANDS = 5_000  # few enough that eval7's Card objects stay in the processor's cache
TARGET = 20.0  # times eval7
FAMILIES = tuple(value for value in vars(comparator).values() if isinstance(value, comparator.Family))


def random_hands(count: int, seed: int = 1) -> np.ndarray:
    """`count` hands of five different standard cards (int8 [count, 5])."""
    return np.random.default_rng(seed).random((count, 52)).argpartition(5, axis=1)[:, :5].astype(np.int8)


def strengths(family: comparator.Family, hands: np.ndarray) -> Work:
    def work() -> int:
        family.strength(hands)
        return len(hands)

    return work


def attacks(family: comparator.Family, attack: np.ndarray, defence: np.ndarray) -> Work:
    def work() -> int:
        family.beats(attack, defence)
        return len(attack)

    return work


def run(seconds: float = 1.0, peers: bool = True) -> list[Row]:
    """Five-card hands a second of each family, strength and `beats`, `seconds` a side."""
    hands, defence = random_hands(HANDS), random_hands(HANDS, 2)
    theirs = others.installed(others.eval7_hands, hands[:PEER_HANDS]) if peers else None
    peer = "eval7 in a loop" if peers else ""
    target = TARGET if peers else None
    rows = []
    for family in FAMILIES:
        ours = strengths(family, hands)
        measured = [
            compare("strength of 5 cards", "hands/s", ours, peer, theirs, target, seconds),
            compare("beats, 5 cards by 5", "pairs/s", attacks(family, hands, defence), "", None, None, seconds),
        ]
        rows += of_game(family.name, measured)
    return rows


if __name__ == "__main__":
    main(__doc__, run)
