"""An agent that solves the rest of a hand of hold'em again: what it thinks both hold, and its strategies."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.holdem import preflop, regrets
from wilddeck.agents.holdem.hands import HANDS, SETS, TWO, kind_of
from wilddeck.agents.holdem.regrets import TREMBLE, public
from wilddeck.agents.holdem.resolving import Position, ResolvingAgent
from wilddeck.benchmarks.studies.local_best_response import likelihoods, options, respond
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import STANDARD, parse
from wilddeck.envs.games.poker.state import ALL_IN, CALL, FOLD, RAISE, RAISE_SIZE

POT = RAISE_SIZE + 3


def env_of(stack: int, button: int = 0) -> CardGameEnv:
    env = envs.raw_env("poker_v0", **options(stack) | {"button": button})
    env.reset(seed=0)
    return env


def place(text: str) -> int:
    return int(np.flatnonzero(sum(1 << card for card in parse(text)) == SETS)[0])


@pytest.fixture(scope="module")
def agent() -> ResolvingAgent:
    return ResolvingAgent("poker_v0", options(100), iterations=20)


def test_before_the_flop_it_plays_as_the_network_where_nothing_is_solved(agent: ResolvingAgent) -> None:
    for stack, actions in (50, (POT, POT, RAISE)), (100, (POT, POT + 1, POT)):  # no second raise of 1.5 pots is solved
        env, rng = env_of(stack), np.random.default_rng(1)
        made = agent if stack == 100 else ResolvingAgent("poker_v0", options(stack), iterations=20)
        for k, action in enumerate(actions):
            assert np.allclose(made.likelihoods(env), likelihoods(made.network, env, rng)) == (stack == 50 or k > 1)
            env.step(action)


def test_with_100_big_blinds_it_begins_as_solved(agent: ResolvingAgent) -> None:
    env = env_of(100)
    first, aces, worst = agent.likelihoods(env), place("As Ah"), place("7s 2h")
    assert first[aces, FOLD] < 0.01 and first[aces, CALL + 1 :].sum() > 0.5
    env.step(ALL_IN)
    answer = agent.likelihoods(env)
    assert answer[aces, CALL] > 0.99 and answer[worst, FOLD] > 0.99 and 0.03 < answer[:, CALL].mean() < 0.15


def test_strategies_before_the_flop_are_those_of_the_game() -> None:
    env, rng, solved = env_of(100), np.random.default_rng(1), preflop.strategies(envs.resolve("poker_v0", options(100))[1])
    met = set()
    for seed in range(300):
        env.reset(seed=seed)
        while not env.is_over and env.record[0]["street"] == 0:
            actions, likely = solved[public(env)]
            met.add(public(env))
            assert set(actions) <= set(env.legal_actions()) and likely.shape == (HANDS, len(actions))
            assert np.allclose(likely.sum(axis=1), 1) and (likely >= 0).all()
            env.step(int(rng.choice(actions)))
    assert len(met) > len(solved) / 2
    for other in ({"stack": 150}, {"small_blind": 2}, {"raise_sizes": (0.5, 1)}):
        assert preflop.strategies(envs.resolve("poker_v0", options(100) | other)[1]) == {}


def test_strategies_before_the_flop_are_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = env_of(3)
    tree, records, keys = regrets.betting(env, after=((),))
    sums = np.random.default_rng(1).random(tree.base[-1]).astype(np.float32)
    preflop.write(regrets.Solution(tree, records, keys, regrets.Tables(sums, sums)), env.options, tmp_path / "file.npz")
    monkeypatch.setattr(preflop, "FILE", tmp_path / "file.npz")
    preflop._read.cache_clear()
    try:
        solved = preflop.strategies(env.options)
        assert list(solved) == [key for key, street in zip(keys, tree.street, strict=True) if street == 0]
        actions, likely = regrets.mean_strategy(tree, regrets.Tables(sums, sums), 0)
        hand = place("As Kh")
        assert (solved[keys[0]][0] == actions).all()
        assert np.allclose(solved[keys[0]][1][hand], likely[kind_of(TWO)[hand]], atol=1e-3)
    finally:
        preflop._read.cache_clear()


def test_hands_are_as_likely_as_their_actions(agent: ResolvingAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[Any] = []
    solve = ResolvingAgent._solve
    monkeypatch.setattr(ResolvingAgent, "_solve", lambda self, at: (solved.append(at.held.copy()), solve(self, at))[1])
    agent = ResolvingAgent("poker_v0", options(100), iterations=20)
    env, held = env_of(100), np.ones((2, HANDS))
    for action in (POT, CALL, CALL, POT, CALL, CALL, RAISE_SIZE + 1, CALL):  # a half-pot bet on the turn
        held[env.current_player] *= (1 - TREMBLE) * likelihoods(agent, env, np.random.default_rng(1))[:, action]
        held[env.current_player] += TREMBLE / 8 * held[env.current_player].mean()
        env.step(action)
    agent.likelihoods(env)
    assert len(solved) == 3  # on flop, turn and river
    held[:, SETS & sum(1 << card for card in env.zones()["community"]) != 0] = 0
    for player in range(2):
        assert np.corrcoef(held[player], solved[2][player])[0, 1] > 0.999
        assert ((solved[2][player] > 0) == (held[player] > 0)).all()


@pytest.mark.parametrize("button", [0, 1])
def test_it_plays_all_hands_whatever_is_bet(agent: ResolvingAgent, button: int) -> None:
    env, rng, streets = env_of(100, button), np.random.default_rng(1), set()
    while len(streets) < 4 or not env.is_over:
        if env.is_over:
            env.reset(seed=int(rng.integers(1000)))
        found, legal = agent.likelihoods(env), env.legal_actions()
        assert found.shape == (HANDS, env.num_actions) and np.allclose(found.sum(axis=1), 1) and (found >= 0).all()
        assert np.allclose(found[:, legal].sum(axis=1), 1)
        assert agent.act(View.of(env), rng) in legal
        streets.add(int(env.record[0]["street"]))
        action = int(rng.choice(legal[1:-1] or legal))
        env.step(action if env.record[0]["street"] else CALL)


def test_it_knows_only_what_is_public_and_its_own_hand() -> None:
    found = []
    for other in ("2c 7d", "As Ah"):
        deck = [parse(card)[0] for card in ("Qs", other[:2], "Qh", other[3:], "3d", "Ks", "9h", "8s", "4d", "5c", "6d", "Jd")]
        env = env_of(100)
        env.reset(seed=1, options={"deck": deck + [card for card in range(STANDARD) if card not in deck]})
        for action in (POT, CALL):
            env.step(action)  # the big blind, with the queens, is to move on the flop
        view = View.of(env)
        assert sorted(view.zones()[f"hand/{view.seat}"]) == sorted(parse("Qs Qh"))
        fresh = ResolvingAgent("poker_v0", options(100), iterations=20)
        found.append((fresh.likelihoods(env), [fresh.act(view, np.random.default_rng(seed)) for seed in range(20)]))
    assert (found[0][0] == found[1][0]).all() and found[0][1] == found[1][1]


def test_on_the_river_it_finds_the_equilibrium_of_the_nuts_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pot and stacks are 4: who has the nuts or nothing goes all-in with all of the former, and so many of the latter that a
    call wins as much as a fold; the other calls half of the time."""
    monkeypatch.setattr(regrets, "_AFTER", ((),))
    agent = ResolvingAgent("poker_v0", options(3), iterations=2000)
    env = env_of(3)
    deck = parse("2c 2d 3c 3d 4c As Ks Qs 5c 8d 6c 7h")
    env.reset(seed=1, options={"deck": deck + [card for card in range(STANDARD) if card not in deck]})
    for _ in range(6):
        env.step(CALL)
    assert int(env.record[0]["street"]) == 3 and env.record[0]["paid"].sum() == 4 and env.legal_actions()[-1] == ALL_IN
    held = np.zeros((2, HANDS))
    nuts, nothing, other = [place("Js Ts")], [place("2h 3h")], [place("Ah Kh")]
    held[1, nuts], held[1, nothing], held[0, other] = HANDS / 2, HANDS / 2, HANDS
    subgame = agent._solve(Position(env, tuple(env.zones()["community"]), (), held, {}))
    actions, bets = subgame[public(env)]
    env.step(ALL_IN)
    answers, calls = subgame[public(env)]
    assert actions.tolist() == [CALL, ALL_IN] and answers.tolist() == [FOLD, CALL]
    assert bets[nuts, 1][0] > 0.97 and bets[nothing, 1][0] == pytest.approx(0.5, abs=0.06)
    assert calls[other, 1][0] == pytest.approx(0.5, abs=0.06)


def test_a_local_best_response_asks_for_all_hands_and_never_for_an_action(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = ResolvingAgent("poker_v0", options(100), iterations=20)
    monkeypatch.setattr(agent, "act", None)
    response = respond(agent, deals=2, calls=2)
    assert response.agent == agent.name == "resolve:iterations=20,policy=trained"
    assert np.isfinite([response.mean, response.error]).all() and abs(response.mean) <= 100_000  # mbb: the stacks


def test_it_thinks_of_legal_actions(agent: ResolvingAgent) -> None:
    env = env_of(100)
    for action in (POT, CALL, CALL):
        env.step(action)
    view = View.of(env)
    thoughts = agent.thoughts(view, np.random.default_rng(1))
    assert thoughts.actions.tolist() == env.legal_actions() and thoughts.probs is not None
    assert thoughts.probs.sum() == pytest.approx(1) and thoughts.worths is None


def test_agent_strings() -> None:
    made = agents.make("resolve:iterations=20", "poker_v0", options(100))
    assert isinstance(made, ResolvingAgent) and made.iterations == 20 and made.name == "resolve:iterations=20,policy=trained"
    for text, message in {
        "resolve:iterations=0": "iterations must be an integer from 1 to 1,000,000, not 0",
        "resolve:rollouts=5": "agent 'resolve' has no parameter 'rollouts=5'",
        "resolve:policy=rules": "agent 'resolve': policy='rules' is not allowed; allowed: trained, a weights file",
    }.items():
        with pytest.raises(ValueError, match=re.escape(message)):
            agents.make(text, "poker_v0", options(100))


def test_what_it_cannot_play_is_refused() -> None:
    changes = {"num_players": 6, "deck": "extended", "hands": 2, "variant": "omaha", "betting": "pot_limit"}
    for name, value in changes.items():
        with pytest.raises(ValueError, match=rf"plays with {name}=.*, not {name}={value}"):
            agents.make("resolve", "poker_v0", options(100) | {name: value})
    with pytest.raises(ValueError, match="plays poker_v0, not hearts_v0"):
        agents.make("resolve", "hearts_v0")
