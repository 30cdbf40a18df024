"""Whole deals and rubbers of bridge beside the slow reference: who is to act, what is legal, events, what each side has."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from games.bridge_reference import Bridge
from support import random_games
from wilddeck import agents, cards
from wilddeck.agents.base import View
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

PASS, BID = 133, 136  # actions
SETTINGS: list[dict[str, Any]] = [
    {"deck": "standard", "scoring": "rubber", "honors": True},
    {"deck": "standard", "scoring": "rubber"},
    {"scoring": "rubber", "honors": True},
    {"deck": "standard", "vulnerability": "ns"},
    {},
    {"vulnerability": "both"},
    {"vulnerability": "ew"},
]


def choose(draw: random.Random, env: CardGameEnv, boldness: float) -> int:
    """Low bids, a double now and then, passes; any card."""
    legal = env.legal_actions()
    if legal[0] < PASS:
        return draw.choice(legal)
    chance = draw.random()
    doubles, bids = [[action for action in legal if (action >= BID) == bid and action > PASS] for bid in (False, True)]
    if chance < 0.1 and doubles:
        return doubles[0]
    return bids[min(int(draw.expovariate(0.4)), len(bids) - 1)] if chance < boldness and bids else PASS


def hands_of(env: CardGameEnv) -> list[list[str]]:
    zones = env.zones()
    return [sorted(cards.text(zones[f"hand/{seat}"], joker_kinds=True).split()) for seat in range(4)]


def play(options: dict[str, Any], seed: int) -> None:
    by_rules = seed % 2 == 1
    draw, noise = random.Random(seed), np.random.default_rng(seed)
    most = draw.choice([3, 12, 24]) if options.get("scoring") == "rubber" else 1
    env = raw_env("bridge_v0", dealer=seed % 4, max_deals=most, reward="openspiel", **options)
    deck = env.game.deck(env.options)
    decks = [draw.sample(deck, len(deck)) for _ in range(most)]
    env.reset(seed=seed, options={"decks": decks})
    boldness = draw.choice([0.2, 0.5])  # of the timid, deals are passed out
    player, reference = agents.make("rules", env.game, env.options), Bridge(env.options, decks)
    while not reference.over:
        assert env.current_player == reference.actor
        assert {env.action_label(action) for action in env.legal_actions()} == reference.legal()
        action = player.act(View.of(env), noise) if by_rules else choose(draw, env, boldness)
        label = env.action_label(action)
        env.step(action)
        reference.step(label)
        record = env.record[0]
        scores = [record[name].tolist() for name in ("total", "below", "games")]
        assert scores == [reference.points, reference.below, reference.games]
        if reference.play is not None and not reference.over:
            assert hands_of(env) == [sorted(hand) for hand in reference.play.hands]
            assert record["direction"] == reference.play.direction
    assert not env.legal_actions()
    reference.say.compare(env)
    assert env.rewards["player_0"] == reference.points[0] - reference.points[1] == -env.rewards["player_3"]


@pytest.mark.rule("BR-10", "BR-11", "BR-12", "BR-13", "BR-20", "BR-21", "BR-33", "BR-34", "BR-66", "BR-67", "BR-68", "BR-69")
@random_games(2, 32)
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_equal_to_the_reference(options: dict[str, Any], seeds: range) -> None:
    """Half of them played at random, half by the rule-based player, who makes contracts and wins rubbers."""
    for seed in seeds:
        play(options, seed)
