"""Whole random games of Spades beside the slow reference: what is legal, all cards, the flag, points, bags, ends, events."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from games.spades_positions import GAME, field
from games.spades_reference import Spades, score
from support import random_games
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

CHOICES: list[dict[str, Any]] = [
    {},
    {"leftover_bags": True, "breaking": "never"},
    {"breaking": "free", "team_cap": False},
    {"deck": "standard"},
    {"match": "match", "leftover_bags": True, "max_hands": 6},
    {"match": "match", "deck": "standard", "mercy": -150, "target": 100, "max_hands": 12},
]


def compare(env: CardGameEnv, game: Spades) -> None:
    zones = {name: cards.text(ids, joker_kinds=True).split() for name, ids in env.zones().items()}
    assert [sorted(zones[f"hand/{seat}"]) for seat in range(4)] == [sorted(hand) for hand in game.hands]
    assert (field(env, "totals"), field(env, "bags")) == (game.totals, game.bags)
    if game.play:
        assert zones["pile"] == game.play.pile
        assert field(env, "direction") == game.play.direction
        assert field(env, "tricks") == game.play.won
        assert field(env, "broken") == game.play.broken


def chosen(draw: random.Random, env: CardGameEnv) -> str:
    """Bids that may come true, so that contracts are made as often as not; rather often specials, so that they meet."""
    legal = [env.action_label(action) for action in env.legal_actions()]
    if legal[0].startswith("bid"):
        return draw.choice(legal[:5])
    specials = [text for text in legal if text.startswith("play") and "-" in text]
    return draw.choice(specials if specials and draw.random() < 0.5 else legal)


@pytest.mark.rule("SP-12", "SP-13", "SP-14", "SP-15", "SP-16", "SP-17", "SP-20", "SP-21", "SP-41", "SP-43", "SP-44", "SP-45")
@pytest.mark.parametrize("options", CHOICES, ids=str)
@random_games(4, 20)
def test_random_games(options: dict[str, Any], seeds: range) -> None:
    env = raw_env("spades_v0", **options)
    deck = GAME.deck(env.options)
    for seed in seeds:
        draw = random.Random(seed)
        decks = [draw.sample(deck, len(deck)) for _ in range(env.options.max_hands if env.options.match == "match" else 1)]
        env.reset(seed=seed, options={"decks": decks})
        game, steps = Spades(env.options, decks), Counter[int]()
        while not game.over:
            compare(env, game)
            legal = {env.action_label(action) for action in env.legal_actions()}
            assert (env.current_player, legal) == (game.actor, game.legal())
            text = chosen(draw, env)
            steps[game.number] += 1
            env.step(env.action_from_label(text))
            game.step(text)
        assert not env.legal_actions()
        assert max(steps.values()) <= 119
        totals = game.totals
        sign = (totals[0] > totals[1]) - (totals[1] > totals[0])
        reward = sign if env.options.match == "match" else (totals[0] - totals[1]) / 500
        assert list(env.rewards.values()) == pytest.approx([reward, -reward] * 2, abs=1e-6)
        game.say.compare(env)


def test_no_score_is_outside_the_range_of_rewards() -> None:
    """Of every pair of bids, tricks and number of cards left."""
    for leftover in (False, True):
        options = GAME.make_options({"reward": "openspiel", "leftover_bags": leftover, "team_cap": False})
        low, high = GAME.reward_range(options)
        scores = []
        for first in range(14):
            for second in range(first, 14):
                for won in range(14):
                    for other in range(14 - won):
                        for left in range(13):
                            scores.append(score(options, {0: first, 2: second}, [won, 0, other, 0], [left, 0, 0, 0], 0, 0)[0])
        assert low <= min(scores)
        assert max(scores) <= high
