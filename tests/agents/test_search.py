"""Monte-Carlo search."""

import numpy as np
import pytest
from wilddeck import agents, envs
from wilddeck.agents import play
from wilddeck.agents.base import View

TENNIS = envs.game("tennis_v0")
TWO = TENNIS.make_options({"num_players": 2})


def make(**parameters):
    return agents.make("mc:" + ",".join(f"{key}={value}" for key, value in parameters.items()), TENNIS, TWO)


def views(seed, count):
    """Views along a random game."""
    env = envs.raw_env("tennis_v0", num_players=2)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield env, View.of(env)
        env.step(int(rng.choice(env.legal_actions())))


@pytest.mark.parametrize("policy", ["random", "rules"])
def test_it_is_deterministic_and_sees_nothing_hidden(policy):
    agent = make(rollouts=30, policy=policy)
    for env, view in views(seed=1, count=6):
        action = agent.act(view, np.random.default_rng(9))
        assert view.action_mask[action]
        assert agent.act(view, np.random.default_rng(9)) == action
        hidden = env.determinize(env.agent_selection, seed=4)
        assert agent.act(View.of(hidden), np.random.default_rng(9)) == action


def test_actions_share_worlds_and_luck():
    agent = make(rollouts=10)
    _, view = next(views(seed=2, count=1))
    actions = view.legal_actions[:2]
    both = agent.playouts(view, actions, 40, seed=3)
    assert both.shape == (2, 40)
    assert both[1].tolist() == agent.playouts(view, actions[1:], 40, seed=3)[0].tolist()
    assert set(np.unique(both)) <= {-1.0, 0.0, 1.0} and len(np.unique(both)) > 1


def test_playouts_end_at_max_steps():
    _, view = next(views(seed=2, count=1))
    assert not make(max_steps=3).playouts(view, view.legal_actions, 5, seed=1).any()


def test_the_budget_is_kept():
    agent = make(rollouts=120)
    spent = []
    playouts = agent.playouts
    agent.playouts = lambda view, actions, worlds, seed: (
        spent.append((len(actions), worlds)) or playouts(view, actions, worlds, seed)
    )
    _, view = next(views(seed=5, count=1))
    agent.act(view, np.random.default_rng(0))
    assert 60 <= sum(count * worlds for count, worlds in spent) <= 120
    assert [count for count, _ in spent] == sorted((count for count, _ in spent), reverse=True)
    assert spent[-1][0] in (2, 3)  # the last pass compares the best


def test_too_small_a_budget_tries_some_actions():
    assert make(rollouts=1).act(next(views(seed=5, count=1))[1], np.random.default_rng(0)) >= 0
    agent = make(rollouts=1, policy="rules")
    _, view = next(views(seed=5, count=1))
    rules = agents.make("rules", TENNIS, TWO).act(view, np.random.default_rng(3))
    assert rules in agent._candidates(view, np.random.default_rng(3))


def test_it_beats_the_rule_based_player():
    agent, rules = make(rollouts=300), agents.make("rules", TENNIS, TWO)
    assert play.evaluate(agent, rules, TENNIS, TWO, 15, seed=1).win_rate > 0.5
