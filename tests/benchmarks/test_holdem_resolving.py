"""An agent that solves the rest of a hand of hold'em again: what it thinks both hold, and its strategies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from wilddeck import envs
from wilddeck.agents.base import View
from wilddeck.benchmarks.studies import holdem_regrets
from wilddeck.benchmarks.studies.holdem_hands import HANDS, SETS
from wilddeck.benchmarks.studies.holdem_regrets import TREMBLE, public
from wilddeck.benchmarks.studies.holdem_resolving import ResolvingAgent, _Position, make_agent
from wilddeck.benchmarks.studies.local_best_response import likelihoods, options, respond
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import STANDARD, parse
from wilddeck.envs.games.poker.state import ALL_IN, CALL, RAISE, RAISE_SIZE

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


def test_before_the_flop_it_plays_as_the_network(agent: ResolvingAgent) -> None:
    env, rng = env_of(100), np.random.default_rng(1)
    for action in (POT, POT, RAISE, POT):
        assert np.allclose(agent.likelihoods(env), likelihoods(agent.network, env, rng))
        env.step(action)


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
    monkeypatch.setattr(holdem_regrets, "_AFTER", ((),))
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
    subgame = agent._solve(_Position(env, tuple(env.zones()["community"]), (), held, None))
    bets = subgame.strategy(subgame.nodes[public(env)], env.num_actions)
    env.step(ALL_IN)
    calls = subgame.strategy(subgame.nodes[public(env)], env.num_actions)
    assert bets[nuts, ALL_IN][0] > 0.97 and bets[nothing, ALL_IN][0] == pytest.approx(0.5, abs=0.06)
    assert calls[other, CALL][0] == pytest.approx(0.5, abs=0.06)


def test_a_local_best_response_asks_it_for_all_hands(agent: ResolvingAgent) -> None:
    response = respond(agent, deals=2, calls=2)
    assert response.agent == "resolving trained" and np.isfinite([response.mean, response.error]).all()


def test_what_it_cannot_play_is_refused() -> None:
    for name, value in {"num_players": 6, "deck": "extended", "hands": 2, "variant": "omaha"}.items():
        with pytest.raises(ValueError, match=rf"plays with {name}=.*, not {name}={value}"):
            ResolvingAgent("poker_v0", options(100) | {name: value})
    with pytest.raises(ValueError, match="plays poker_v0, not hearts_v0"):
        make_agent(*envs.resolve("hearts_v0"))
    with pytest.raises(ValueError, match="'rules' is no network"):
        ResolvingAgent("poker_v0", options(100), policy="rules")
