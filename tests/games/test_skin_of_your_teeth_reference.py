"""Whole random games of By The Skin of Your Teeth beside the slow reference: movers, zones, points, events."""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest
from games.skin_positions import GAME
from games.skin_reference import PILES, Table
from support import random_games
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

SETTINGS: list[dict[str, Any]] = [
    {},
    {"num_players": 3, "num_decks": 3},
    {"num_players": 9},
    {"num_players": 4, "visibility": "defender_only", "games": 2},
]


def piles_of(env: CardGameEnv, owner: int) -> list[list[int]]:
    return [env.zones()[f"defence/{owner}/{place}"] for place in range(PILES)]


@pytest.mark.rule("ST-01", "ST-08", "ST-09", "ST-10", "ST-11", "ST-12", "ST-13", "ST-15", "ST-25", "ST-26", "ST-28")
@random_games(3, 20)
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_whole_games_equal_the_reference(options: dict[str, Any], seeds: range) -> None:
    for seed in seeds:
        draw = random.Random(f"{options} {seed}")
        first = draw.randrange(options.get("num_players", 4))
        env = raw_env(GAME, scoring="points", first_player=first, **options)
        deck = env.game.deck(env.options)
        decks = [draw.sample(deck, len(deck)) for _ in range(env.options.games)]
        env.reset(seed=seed, options={"decks": decks})
        table = Table(env.num_players, first, decks, functools.partial(piles_of, env))
        while env.legal_actions():
            assert env.current_player == table.seat
            action = draw.choice(env.legal_actions())
            env.step(action)
            assert [*table.act(action)] == [*env.rewards.values()]
            assert table.chosen or env.zones() == table.zones()
        assert table.left == 0
        table.say.compare(env)
