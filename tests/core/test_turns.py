"""Symmetries: games in which all ranks are alike, and the networks that know it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from wilddeck import envs
from wilddeck.agents.learned import LearnedAgent, load, save
from wilddeck.agents.tensors import WeightsError
from wilddeck.agents.views import Views
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.layout import Block, Circles, Layout
from wilddeck.envs.core.turns import make_turns, places

TENNIS = envs.game("tennis_v0")
CARDS = {"tennis_v0": Circles(48, [range(suit, 48, 4) for suit in range(4)])}


def equivariant(options: Any, hidden: tuple[int, ...] = (16, 8), seed: int = 1, greedy: bool = False) -> LearnedAgent:
    rng = np.random.default_rng(seed)
    sizes = [TENNIS.observation_size(options) + 12, *hidden, 1]
    layers = [(rng.standard_normal((a, b)), rng.standard_normal(b)) for a, b in itertools.pairwise(sizes)]
    return LearnedAgent(layers, "relu", greedy, turns=make_turns(TENNIS, options))


def turned(vector: np.ndarray, where: np.ndarray) -> np.ndarray:
    moved = np.zeros_like(vector)
    moved[where] = vector
    return moved


def test_circles_repeat_to_the_end_of_a_block() -> None:
    layout = Layout(Block("cards", 8, "", circles=Circles(4, [(0, 2)])), Block("other", 2, ""))
    assert places(layout, 2, 0).tolist() == list(range(10))
    assert places(layout, 2, 1).tolist() == [2, 1, 0, 3, 6, 5, 4, 7, 8, 9]


@pytest.mark.parametrize("num_players", [2, 3, 4, 6])
def test_a_turned_game_is_played_alike(num_players: int) -> None:
    """The same game with every rank moved: views and masks differ by the turn alone, at every decision."""
    game, options = TENNIS, TENNIS.make_options({"num_players": num_players})
    for turn in (1, 5, 11):
        cards = CARDS[game.id].places(48, turn)
        seen, acted = places(game.observation, num_players, turn), places(game.actions, num_players, turn)
        envs_of = [CardGameEnv(game, options) for _ in range(2)]
        deck = np.random.default_rng(turn).permutation(48)
        envs_of[0].reset(seed=turn, options={"deck": deck.tolist()})
        envs_of[1].reset(seed=turn, options={"deck": cards[deck].tolist()})
        rng = np.random.default_rng(7)
        while not envs_of[0].terminations[envs_of[0].agent_selection]:
            views = [env.observe(env.agent_selection) for env in envs_of]
            assert envs_of[0].agent_selection == envs_of[1].agent_selection
            assert (turned(views[0]["observation"], seen) == views[1]["observation"]).all()
            assert (turned(views[0]["action_mask"], acted) == views[1]["action_mask"]).all()
            action = int(rng.choice(np.flatnonzero(views[0]["action_mask"])))
            envs_of[0].step(action)
            envs_of[1].step(int(acted[action]))
        assert envs_of[0].rewards == envs_of[1].rewards


def test_an_equivariant_network_plays_a_turned_game_alike() -> None:
    options = TENNIS.make_options({})
    agent, other = equivariant(options), equivariant(options, ())
    batch = envs.make_batch("tennis_v0", 200, 3)
    for _ in range(40):
        batch.step(batch.random_actions())
    for network in (agent, other):
        for observation, mask in zip(batch.observation, batch.action_mask, strict=True):
            before = np.zeros(12)
            before[mask != 0] = network.action_probs(observation, mask)
            for turn in (1, 6):
                seen, acted = places(TENNIS.observation, 4, turn), places(TENNIS.actions, 4, turn)
                after = np.zeros(12)
                after[turned(mask, acted) != 0] = network.action_probs(turned(observation, seen), turned(mask, acted))
                assert after == pytest.approx(turned(before, acted), abs=1e-5)
    rng = np.random.default_rng(0)
    likely = agent.probabilities(batch.observation, batch.action_mask, rng)
    for observation, mask, expected in zip(batch.observation, batch.action_mask, likely, strict=True):
        assert agent.action_probs(observation, mask) == pytest.approx(expected[mask != 0], abs=1e-5)
    views = Views.of(batch.observation, batch.action_mask)
    choices = agent.like(greedy=True).act_batch(views, rng)
    assert (choices == likely.argmax(axis=1)).mean() > 0.99, "but for ties that rounding decides"


@pytest.mark.parametrize("ending", [".safetensors", ".npz"])
def test_files_of_equivariant_networks(ending: str, tmp_path: Any) -> None:
    options, path = TENNIS.make_options({}), tmp_path / f"agent{ending}"
    agent = equivariant(options)
    save(path, agent, TENNIS, options)
    loaded = load(path, TENNIS, options)
    assert loaded.is_equivariant and loaded.num_actions == 12 and loaded.observation_size == agent.observation_size == 150
    batch = envs.make_batch("tennis_v0", 20, 3)
    rng = np.random.default_rng(0)
    same = [network.probabilities(batch.observation, batch.action_mask, rng) for network in (agent, loaded)]
    assert (same[0] == same[1]).all()
    with pytest.raises(WeightsError, match="num_players=6"):
        load(path, TENNIS, {"num_players": 6})
    with pytest.raises(WeightsError, match="too large"):
        save(path, LearnedAgent([(w * 1e30, b) for w, b in agent.layers], "relu", turns=agent.turns), TENNIS, options)
