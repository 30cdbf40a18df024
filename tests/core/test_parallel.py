"""The parallel environment: calls out of order, missing actions, copies. (testing/pettingzoo.py compares them.)"""

from __future__ import annotations

import copy
import pickle

import pytest
import wilddeck
from wilddeck.envs.core import parallel
from wilddeck.envs.core.aec import UnknownAgentError
from wilddeck.envs.core.parallel import CardGameParallelEnv


@pytest.fixture
def env() -> CardGameParallelEnv:
    return wilddeck.envs.parallel_env("tennis_v0", num_players=3)


def first_legal(env: CardGameParallelEnv) -> dict[str, int]:
    return {env.raw_env.agent_selection: env.raw_env.legal_actions()[0]}


def test_calls_out_of_order(env: CardGameParallelEnv) -> None:
    assert env.agents == [] and env.num_agents == 0 and env.max_num_agents == 3
    with pytest.raises(RuntimeError, match=r"call reset\(\) before step"):
        env.step({})
    env.reset(seed=1)
    while env.agents:
        env.step(first_legal(env))
    with pytest.raises(RuntimeError, match=r"the game is over; call reset\(\)"):
        env.step({"player_0": 0})
    env.reset()
    assert env.agents == ["player_0", "player_1", "player_2"]


def test_missing_and_unknown_actions_change_nothing(env: CardGameParallelEnv) -> None:
    env.reset(seed=1)
    before, mover = env.state().tobytes(), env.raw_env.agent_selection
    others = {agent: 0 for agent in env.agents if agent != mover}
    for actions in ({}, others):
        with pytest.raises(ValueError, match=f"{mover} is to move but has no action; actions are of"):
            env.step(actions)
    with pytest.raises(UnknownAgentError, match="there is no agent 'player_9'; agents: player_0"):
        env.step({**first_legal(env), "player_9": 0})
    with pytest.raises(UnknownAgentError):
        env.observation_space("player_9")
    assert env.state().tobytes() == before


def test_that_actions_of_others_count_for_nothing_is_said_once(
    env: CardGameParallelEnv, caplog: pytest.LogCaptureFixture
) -> None:
    parallel._say_which_action_counts.cache_clear()
    env.reset(seed=1)
    env.step(first_legal(env))
    assert not caplog.messages
    for _ in range(3):
        env.step({**dict.fromkeys(env.agents, 0), **first_legal(env)})
    (said,) = caplog.messages
    assert "the action of the player to move" in said and "actions of other agents are ignored" in " ".join(said.split())


def test_copies_go_on_by_themselves(env: CardGameParallelEnv) -> None:
    env.reset(seed=1)
    env.step(first_legal(env))
    for other in (copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        before = env.state().tobytes()
        assert other.state().tobytes() == before and other.agents == env.agents
        other.step(first_legal(other))
        assert env.state().tobytes() == before != other.state().tobytes()


def test_text_and_state(env: CardGameParallelEnv) -> None:
    rendered = wilddeck.envs.parallel_env("tennis_v0", render_mode="ansi", num_players=3)
    rendered.reset(seed=1)
    assert rendered.render().strip()
    assert rendered.state_space.contains(rendered.state())
    with pytest.raises(ValueError, match="unknown render_mode 'gif'"):
        wilddeck.envs.parallel_env("tennis_v0", render_mode="gif")
    rendered.close()
