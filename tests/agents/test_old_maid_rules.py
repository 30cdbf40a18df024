"""What the rule-based player of Old Maid does with Jokers; the rest is chance, and so is most of its success."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from games.old_maid_positions import DONE, JOKERS, arranged, in_setup, pair
from wilddeck import agents, envs
from wilddeck.agents.base import PolicyAgent, View
from wilddeck.agents.play import evaluate
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.games.old_maid.state import DONE_AT

GAME = envs.game("old_maid_v0")


def choices(env: Any, times: int = 60) -> Counter[int]:
    agent, draw = agents.make("rules", GAME, env.options), np.random.default_rng(0)
    return Counter(agent.act(View.of(env), draw) for _ in range(times))


def test_a_joker_is_paired_with_any_rank() -> None:
    counts = choices(in_setup(["2c 9c Dr-c SJ", "2d Qs", "9d BJ Dr-d"]))
    assert set(counts) == {pair("2"), pair("9")}
    assert DONE not in choices(in_setup(["2c SJ BJ Qs", "2d 3c", "3d 4c 4d"]))


def test_two_jokers_are_paired_where_there_is_no_rank() -> None:
    assert set(choices(in_setup(["Dr-c Qs SJ BJ", "2c", "2d Dr-d"]))) == {JOKERS}


def test_cards_are_drawn_and_placed_at_random() -> None:
    env = arranged(["2c 3c", "4c 5c 6c", "2d 3d 4d 5d 6d Qs"])
    assert min(choices(env)[k] for k in range(3)) > 8
    env.step(1)
    assert set(choices(env)) == {35, 36, 37}


@device_function
def declining(observation, mask, num_players, noise):  # type: ignore[no-untyped-def]
    if mask[DONE_AT]:
        return DONE_AT
    action = 0
    while not mask[action]:
        action += 1
    return action


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "deals"),
    [({"joker_bind": False}, 1500), ({"num_players": 2}, 10_000)],
    ids=str,
)
def test_it_beats_who_never_pairs_a_joker(options: dict[str, Any], deals: int) -> None:
    parsed = GAME.make_options(options)
    other = PolicyAgent("declining", declining, parsed.num_players)
    result = evaluate(agents.make("rules", GAME, parsed), other, GAME, parsed, deals, 1)
    assert result.mean > 3 * result.standard_error


@pytest.mark.long
def test_against_random_players_it_is_a_game_of_luck() -> None:
    options = GAME.make_options({})
    result = evaluate(agents.make("rules", GAME, options), agents.make("random", GAME, options), GAME, options, 1000, 1)
    assert abs(result.mean) < 4 * result.standard_error < 0.05
