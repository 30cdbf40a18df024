"""Both stages of a play against every set of cards of a hand: which kinds are legal, and which card may come next."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from games.wild_escape_positions import Masks, check_masks, compare, plays_of
from support import few, short

TRUMPS = range(2, 15)
HANDS = 120
ALL_KINDS = set(range(1, 193)) - {121, 122, 136, 137, 192}  # WE-12: those never arise


def random_hand(draw: random.Random) -> list[int]:
    """Few ranks or few suits, and many Jokers, so that combinations are frequent and overlap."""
    style = draw.randrange(4)
    ranks = draw.sample(range(13), draw.randint(2, 4)) if style == 0 else range(13)
    if style == 1:
        low = draw.randrange(10)
        ranks = [(low + k) % 13 for k in range(draw.randint(5, 7))]
    suits = draw.sample(range(4), draw.randint(1, 2) if style else draw.randint(1, 4))
    pack = [4 * rank + suit for rank in ranks for suit in suits] * 3
    jokers = draw.sample([52, 53] * 3, draw.choice((0, 0, 1, 1, 2, 3, 4, 5, 6)))
    size = draw.randint(5, 10)
    hand = draw.sample(pack, min(len(pack), max(1, size - len(jokers)))) + jokers
    return sorted(hand)


def random_play(draw: random.Random, hand: list[int], trump: int, flush_compare: str) -> list[int]:
    """A play to beat, often of the kind of one in hand; none in a third of the cases."""
    if draw.random() < 0.3:
        return []
    plays = plays_of(hand, trump, flush_compare, [])
    kind = draw.choice(sorted(plays))
    if draw.random() < 0.5:
        return list(draw.choice(sorted(plays[kind])))
    shifted = [
        card if card >= 52 else (card + 4 * draw.choice((-1, 0, 0, 0, 1))) % 52 for card in draw.choice(sorted(plays[kind]))
    ]
    legal = max(Counter(shifted).values()) <= 3 and compare.strength(np.array([shifted]), trump)[0] > 0
    return shifted if legal else []


@pytest.mark.rule("WE-04", "WE-05", "WE-06", "WE-07", "WE-08", "WE-09", "WE-10", "WE-11", "WE-12", "WE-13", "WE-14")
@pytest.mark.parametrize("flush_compare", ["all", "top"])
@pytest.mark.parametrize("trump", short(TRUMPS, few(TRUMPS)))
def test_kinds_and_cards_are_those_of_some_set(trump: int, flush_compare: str) -> None:
    draw, masks = random.Random(trump), Masks(flush_compare)
    seen: Counter[str] = Counter()
    for _ in range(HANDS):
        hand = random_hand(draw)
        seen += check_masks(masks, hand, trump, flush_compare, random_play(draw, hand, trump, flush_compare))
    assert seen["prefixes"] > 20 * HANDS
