"""Whole random games of baccarat beside the slow reference: movers, legal actions, hands, chips, events."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.baccarat_positions import GAME, chips
from games.baccarat_reference import Episode
from games.shoe_positions import labels
from support import random_games
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv


def compare(env: CardGameEnv, draw: random.Random) -> int:
    """Play a random game. Returns how many decisions it had."""
    options = env.options
    shoes = [GAME.deck(options) for _ in range(options.coups)]
    for shoe in shoes:
        draw.shuffle(shoe)
    env.reset(seed=draw.randrange(1000), options={"decks": shoes})
    episode = Episode(options, shoes, int(env.record["due"][0]))
    course, answer, decisions = episode.run(), None, 0
    while True:
        try:
            seat, legal = course.send(answer) if answer else next(course)
        except StopIteration:
            break
        assert env.current_player == seat
        assert labels(env) == legal
        check_facts(env, episode)
        answer = draw.choice(sorted(legal))
        env.step(env.action_from_label(answer))
        decisions += 1
    assert not env.legal_actions()
    check_facts(env, episode)
    won = [float(chips_of - options.stack) / options.max_bet for chips_of in episode.chips]
    assert list(env.rewards.values()) == pytest.approx(won, abs=1e-3)
    episode.say.compare(env)
    return decisions


def check_facts(env: CardGameEnv, episode: Episode) -> None:
    zones, record = env.zones(), env.record[0]
    hands = {f"hand/{hand.name}": hand.cards for hand in episode.hands}
    for name, lying in zones.items():
        if name.startswith("hand/"):
            staged = episode.staged if name == f"hand/{_in_turn(env)}" else []
            assert sorted(lying) == sorted([*hands.get(name, []), *staged])
    assert zones["pile"] == episode.shoe
    assert zones["aside"] == sorted(episode.aside)
    assert zones["used"] == sorted(episode.used)
    assert zones["burned"] == sorted(episode.burned)
    assert chips(env) == pytest.approx([float(chips_of) for chips_of in episode.chips])
    assert record["bank"] == episode.bank * 100 and record["coup"] == episode.coups
    assert record["direction"] == episode.direction


def _in_turn(env: CardGameEnv) -> str:
    return ("RLB" if env.options.variant == "banque" else "P-B")[int(env.record["turn"][0])]


@random_games(2, 6)
@pytest.mark.parametrize("number", range(len(GAME.options.samples())))
def test_random_games(number: int, seeds: range) -> None:
    options: Any = {**vars(GAME.options.samples()[number])}
    options["coups"] = min(options["coups"], 20)
    env, draw = raw_env("baccarat_v0", **options), random.Random(f"{number} {seeds}")
    assert sum(compare(env, draw) for _ in seeds) > 10 * len(seeds)
