"""Derived features of President: own sets, unseen cards by rank, and higher ones."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from support import seen
from wilddeck.envs import raw_env


@pytest.mark.rule("PR-03")
@pytest.mark.parametrize(
    "options", [{}, {"twos_high": False, "num_players": 3}, {"match": "points", "deck": "standard"}], ids=str
)
def test_sets_that_are_held_and_left(options: dict[str, Any]) -> None:
    env, draw, looked = raw_env("president_v0", **options), random.Random(2), 0
    order = "3456789TJQKA2" if options.get("twos_high", True) else "23456789TJQKA"
    for seed in range(4):
        env.reset(seed=seed)
        while not env.is_over and looked < 400:
            if draw.random() < 0.3:
                looked += 1
                viewer = draw.randrange(env.num_players)
                hand = {card for card in np.flatnonzero(seen(env, viewer, "hand")) if card < 52}
                played = {card % 66 for card in np.flatnonzero(seen(env, viewer, "played")) if card % 66 < 52}
                ranks = ["23456789TJQKA".index(rank) for rank in order]
                held = [sum(card // 4 == rank for card in hand) for rank in ranks]
                left = [sum(card // 4 == rank for card in set(range(52)) - hand - played) for rank in ranks]
                sets, unseen, higher = (
                    np.array(seen(env, viewer, name)).reshape(13, 4) for name in ("sets", "unseen", "higher")
                )
                for place in range(13):
                    for cards in range(1, 5):
                        has = held[place] >= cards
                        above = sum(number >= cards for number in left[place + 1 :])
                        assert sets[place, cards - 1] == has
                        assert unseen[place, cards - 1] == (left[place] >= cards)
                        assert higher[place, cards - 1] == pytest.approx(1 / (1 + above) if has else 0)
            env.step(draw.choice(env.legal_actions()))
    assert looked > 30
