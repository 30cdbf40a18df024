"""PettingZoo's own tests, and what it asks for without testing it."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils import turn_based_aec_to_parallel
from support import Case, actions_of, each_case, each_game, each_slow_case, few_games, moments, play_random
from wilddeck.envs.core.aec import ILLEGAL_REWARD
from wilddeck.envs.registration import registry_id

with warnings.catch_warnings():  # it imports games of its own in a way it has deprecated
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

# Said of every environment whose observation is a dictionary with a mask, though PettingZoo asks for just that.
BENIGN = ("Observation is not a NumPy array", "Observation space for each agent probably should be gymnasium.spaces.box")


@each_case
def test_api(case: Case) -> None:
    """A warning other than the two is an error."""
    for env in (case.wrapped(), case.raw()):
        with warnings.catch_warnings():
            for message in BENIGN:
                warnings.filterwarnings("ignore", message, UserWarning)
            api_test(env, num_cycles=1000)


@each_case
def test_seeds(case: Case) -> None:
    seed_test(case.wrapped, num_cycles=40)


@each_case
def test_parallel_api(case: Case) -> None:
    """A warning is an error."""
    parallel_api_test(case.parallel(), num_cycles=300)
    parallel_seed_test(case.parallel, num_cycles=5)


@each_slow_case
def test_the_parallel_environment_plays_the_same_game(case: Case) -> None:
    """Step by step what the other one shows to all seats; what those send that are not to move counts for nothing."""
    env, raw = case.parallel(), case.raw()
    observations, infos = env.reset(seed=case.seed)
    raw.reset(seed=case.seed)
    assert env.agents == raw.agents
    for number, action in enumerate(actions_of(case)):
        for agent in raw.possible_agents[number % 2 :: 2]:
            seen, mask = raw.observe(agent), observations[agent]["action_mask"]
            assert observations[agent]["observation"].tobytes() == seen["observation"].tobytes()
            assert mask.tobytes() == seen["action_mask"].tobytes() == infos[agent]["action_mask"].tobytes()
            assert observations[agent] in env.observation_space(agent)
        mover = raw.agent_selection
        others = (-1, action, None, 10**9)[number % 4]
        observations, rewards, terminations, truncations, infos = env.step({**dict.fromkeys(env.agents, others), mover: action})
        raw.step(action)
        assert env.state().tobytes() == raw.state().tobytes()
        assert (rewards, terminations, truncations) == (raw.rewards, raw.terminations, raw.truncations)
    assert raw.is_over and env.agents == []
    assert not any(entry["action_mask"].any() for entry in (*observations.values(), *infos.values()))


@each_game
def test_an_illegal_action_ends_the_parallel_game(case: Case) -> None:
    """As it ends the other: all stop, and the seat to move pays."""
    env, wrapped = case.parallel(), case.wrapped()
    for bad in (-1, None, 10**9, "a"):
        observations, _ = env.reset(seed=2)
        wrapped.reset(seed=2)
        mover = next(agent for agent, seen in observations.items() if seen["action_mask"].any())
        observations, *outcome, infos = env.step({mover: bad})
        wrapped.step(bad)
        assert outcome == [wrapped.rewards, wrapped.terminations, wrapped.truncations]
        assert outcome[0] == {agent: ILLEGAL_REWARD if agent == mover else 0.0 for agent in env.possible_agents}
        assert all(outcome[1].values()) and all(outcome[2].values()) and env.agents == []
        assert not any(entry["action_mask"].any() for entry in (*observations.values(), *infos.values()))


@few_games
def test_render(case: Case) -> None:
    pytest.importorskip("wilddeck.envs.core.render")
    pytest.importorskip("pygame")
    render_test(case.wrapped)


@each_game
def test_render_shows_every_moment(case: Case) -> None:
    """Text and picture of any moment, from any seat, change nothing; a picture keeps its size."""
    pytest.importorskip("wilddeck.envs.core.render")
    pytest.importorskip("pygame")
    picture, text = case.raw(render_mode="rgb_array"), case.raw(render_mode="ansi")
    shapes = set()
    for env in moments(case)[::5]:
        before = env.record.tobytes()
        for screen in (picture, text):
            screen.load(env.save())
        shapes.add(picture.render().shape)
        assert text.render().strip()
        assert picture.record.tobytes() == before == text.record.tobytes()
    assert len(shapes) == 1
    picture.close()


@each_case
def test_spaces_hold_what_is_seen(case: Case) -> None:
    """Every seat's observation at every moment lies in its space and has its dtype; the spaces are the same objects."""
    for env in moments(case):
        for agent in env.possible_agents:
            space, seen = env.observation_space(agent), env.observe(agent)
            assert space is env.observation_space(agent)
            box, vector = space["observation"], seen["observation"]
            assert space.contains(seen), [
                (name, vector[where])
                for name, where in env.observation_layout.items()
                if np.any(vector[where] < box.low[where]) or np.any(vector[where] > box.high[where])
            ]
            assert seen["observation"].dtype == np.float32
            assert seen["action_mask"].dtype == np.int8
            assert env.action_space(agent) is env.action_space(agent)
            assert env.action_space(agent).n == env.num_actions
        assert env.state_space.contains(env.state())


@each_case
def test_spaces_are_bounded(case: Case) -> None:
    """Wrappers that scale divide by high - low."""
    env = case.raw()
    for box in (env.observation_space("player_0")["observation"], env.state_space):
        with np.errstate(all="raise"):
            assert np.isfinite(box.high - box.low).all()
            assert (box.high > box.low).all()


@each_case
def test_only_the_mover_has_legal_actions(case: Case) -> None:
    for env in moments(case):
        for agent in env.possible_agents:
            mask = env.observe(agent)["action_mask"]
            assert np.flatnonzero(mask).tolist() == (env.legal_actions() if agent == env.agent_selection else [])
            assert env.infos[agent]["action_mask"].tolist() == mask.tolist()
            assert env.infos[agent]["action_mask"].dtype == np.int8
        assert bool(env.legal_actions()) == (not any(env.terminations.values()) and not any(env.truncations.values()))


@each_case
def test_last_is_the_running_sum_of_rewards(case: Case) -> None:
    env = case.wrapped()
    env.reset(seed=case.seed)
    owed = dict.fromkeys(env.possible_agents, 0.0)
    for _ in play_random(env, case.seed, 10**6):
        for agent, reward in env.rewards.items():
            owed[agent] += reward
        if env.agents:
            mover = env.agent_selection
            assert env.last(observe=False)[1] == owed[mover]
            owed[mover] = 0.0
    assert not env.agents


@each_game
def test_made_by_name(case: Case) -> None:
    """The registry of PettingZoo gives the same game as `wilddeck.make`, also without the version."""
    if not hasattr(pettingzoo, "make"):
        pytest.skip("PettingZoo has a registry from 1.27 on")
    name = registry_id(case.game_id)
    for made in (pettingzoo.make("aec", name), pettingzoo.make("aec", name.rpartition("-")[0]), case.wrapped()):
        made.reset(seed=4)
        assert made.unwrapped.game is case.game
        assert made.metadata["name"] == case.game_id
        assert made.metadata["is_parallelizable"] is False
    for made in (pettingzoo.make("parallel", name), pettingzoo.make("parallel", name.rpartition("-")[0])):
        assert made.unwrapped.reset(seed=4)[0].keys() == set(case.parallel().possible_agents)
        assert made.unwrapped.game is case.game


@each_game
def test_module_as_pettingzoo_users_expect(case: Case) -> None:
    import importlib

    module = importlib.import_module(f"wilddeck.envs.{case.game_id}")
    for function, kind in ((module.env, "AEC"), (module.raw_env, "AEC"), (module.parallel_env, "parallel")):
        assert pickle.loads(pickle.dumps(function)) is function
        assert function.__doc__.startswith(f"A PettingZoo {kind} environment")
    assert module.env(**dict(case.options)).unwrapped.game is case.game
    assert module.raw_env().unwrapped.game is module.parallel_env().game is case.game


@each_game
def test_turn_based_conversion(case: Case) -> None:
    """Gymnasium-like loops reach the end through PettingZoo's conversion for games of turns."""
    env = turn_based_aec_to_parallel(case.wrapped())
    env.reset(seed=2)
    for _ in range(case.game.max_length(case.raw().options)):
        mover = env.unwrapped.agent_selection
        env.step({agent: env.unwrapped.legal_actions()[0] if agent == mover else 0 for agent in env.agents})
        if not env.agents:
            break
    assert not env.agents
