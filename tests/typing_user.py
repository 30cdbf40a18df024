"""What a user of the package writes, for type checkers: `make types` checks it, and a test runs it. Not for pytest."""

import gymnasium
import numpy as np
import pettingzoo
import wilddeck
import wilddeck.agents
import wilddeck.envs.hearts_v0
from typing_extensions import assert_type
from wilddeck.agents.base import View
from wilddeck.agents.learned import LearnedAgent
from wilddeck.envs import tennis_v0
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.batch import Batch, Rollout
from wilddeck.envs.core.credit import credit_rewards
from wilddeck.envs.core.parallel import CardGameParallelEnv


def pettingzoo_modules() -> list[str]:
    raw = tennis_v0.raw_env(num_players=3)
    assert_type(raw, CardGameEnv)
    raw.reset(seed=1)
    assert_type(raw.legal_actions(), list[int])
    assert_type(tennis_v0.env(render_mode="ansi").unwrapped, CardGameEnv)
    assert_type(wilddeck.envs.hearts_v0.raw_env(), CardGameEnv)
    assert_type(wilddeck.envs.skin_v0.env().unwrapped, CardGameEnv)
    assert_type(tennis_v0.parallel_env(num_players=2), CardGameParallelEnv)
    return [raw.action_label(action) for action in raw.legal_actions()]


def a_game() -> dict[str, float]:
    env = wilddeck.make("tennis_v0", num_players=2)
    plain: pettingzoo.AECEnv = env
    env.reset(seed=1)
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        assert_type(reward, float)
        assert_type(terminated, bool)
        returns[agent] += reward
        over = terminated or truncated
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
    game = env.unwrapped
    assert_type(game, CardGameEnv)
    game.reset(seed=2)
    assert_type(game.action_label(game.legal_actions()[0]), str)
    assert_type(game.determinize("player_0", seed=7).zones("player_0"), dict[str, list[int]])
    assert_type(game.observation_layout["hand"], slice)
    assert_type(game.clone().save(), bytes)
    plain.close()
    return returns


def batches() -> float:
    assert_type(wilddeck.spawn_seeds(0, 2), list[int])
    batch = wilddeck.make_batch("tennis_v0", num_games=8, seed=0)
    assert_type(batch, Batch)
    actions = batch.random_actions()
    assert_type(actions, np.ndarray)
    batch.step(actions)
    done = batch.rollout(10)
    assert_type(done, Rollout)
    with batch:
        assert_type(batch.observe(1), np.ndarray)
        assert_type(batch.action_label(0, batch.legal_actions(0)[0]), str)
    credit = credit_rewards([batch.current_player], [batch.rewards], [batch.terminated])
    assert_type(credit.next, np.ndarray)
    return float(done.returns.sum())


def players() -> int:
    agent = wilddeck.agents.make("rules", "tennis_v0", {"num_players": 4})
    assert_type(agent, wilddeck.agents.base.Agent)
    trained = wilddeck.agents.trained.make("tennis_v0")
    assert_type(trained, LearnedAgent)
    assert_type(wilddeck.agents.trained.games(), tuple[str, ...])
    env = tennis_v0.raw_env()
    env.reset(seed=1)
    action = agent.act(View.of(env), np.random.default_rng(1))
    assert_type(action, int)
    return action


def one_seat() -> bool:
    env: gymnasium.Env[np.ndarray, int] = gymnasium.make("wilddeck/tennis-v0", opponents="rules")
    _, info = env.reset(seed=1)
    _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
    return terminated or truncated


def cards() -> list[int]:
    assert_type(wilddeck.games(), tuple[str, ...])
    return wilddeck.cards.parse("As Td Jk")


if __name__ == "__main__":
    print(pettingzoo_modules(), a_game(), batches(), players(), one_seat(), cards())
