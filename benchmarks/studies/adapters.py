"""Speeds of all adapters, measured in one run: the table of docs/guides/frameworks.md, fastest first.

    python -m wilddeck.benchmarks.studies.adapters [--game tennis_v0] [--seconds 5] [NAME ...]

It measures the installed frameworks one after another, each in its own process, and lists the missing ones below. Rates are per
second of the process's CPU time, so other work on the machine matters little. `make test-frameworks` sets up an environment
with all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import multiprocessing
import os
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ... import envs
from ...cli.arguments import MEASURED, Parser
from ...envs.core.batch import Batch
from ..measure import rate

MANY, SOME = 1024, 64  # parallel games
STEPS = 32  # of a rollout
Work = Callable[[], int]


def batch(game: str) -> Work:
    games = Batch(*envs.resolve(game, {}), MANY, 1)

    def step() -> int:
        games.step(games.random_actions())
        return MANY

    return step


def one_game(game: str) -> Work:
    """PettingZoo's interface, without its wrappers."""
    env, rng = envs.raw_env(game), np.random.default_rng(1)
    env.reset(seed=1)

    def step() -> int:
        env.step(int(rng.choice(env.legal_actions())))
        if not env.agents or any(env.terminations.values()):
            env.reset()
        return 1

    return step


def vector(game: str, mode: str | None, num: int) -> Work:
    import gymnasium

    from ...envs.registration import registry_id

    chosen: dict[str, Any] = {} if mode is None else {"vectorization_mode": mode}
    games: Any = gymnasium.make_vec(registry_id(game), num_envs=num, opponents="random", **chosen)
    rng, infos = np.random.default_rng(1), games.reset(seed=1)[1]

    def step() -> int:
        nonlocal infos
        chances = rng.random(infos["action_mask"].shape, np.float32)
        infos = games.step((chances * infos["action_mask"]).argmax(axis=1))[-1]
        return num

    return step


def torchrl_env(game: str, kind: str) -> Any:
    import torch

    from ...frameworks import torchrl

    torch.set_num_threads(1)
    return getattr(torchrl, kind)(game, MANY, seed=1)


def torchrl_rollout(game: str, kind: str) -> Work:
    env = torchrl_env(game, kind)
    return lambda: env.rollout(STEPS, break_when_any_done=False).numel()


def torchrl_by_hand(game: str) -> Work:
    env = torchrl_env(game, "SelfPlayEnv")
    state = env.reset()

    def step() -> int:
        nonlocal state
        state = env.step_and_maybe_reset(env.rand_action(state))[1]
        return MANY

    return step


def torchrl_credit(game: str) -> Work:
    """A rollout, with the rewards of its decisions."""
    from ...frameworks.torchrl import CreditRewards

    env, credit = torchrl_env(game, "SelfPlayEnv"), CreditRewards()
    return lambda: credit(env.rollout(STEPS, break_when_any_done=False)).numel()


def torchrl_wrapper(game: str) -> Work:
    """TorchRL's own PettingZoo wrapper around one game."""
    import torch
    from torchrl.envs import PettingZooWrapper

    torch.set_num_threads(1)
    env = PettingZooWrapper(envs.raw_env(game), use_mask=True)
    return lambda: env.rollout(STEPS, break_when_any_done=False).numel()


def rllib_algorithm(game: str, turns: bool) -> Any:
    import ray
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    from ...frameworks import rllib

    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    config = rllib.ppo(game, opponents="random", num_envs=SOME)
    if turns:
        spec = MultiRLModuleSpec(rl_module_specs={"player": RLModuleSpec(module_class=rllib.MaskedModule)})
        config.env, config.env_config = rllib.TURNS, {"game": game, "illegal": "penalty"}
        config.env_runners(num_envs_per_env_runner=1, gym_env_vectorize_mode="sync")
        config.multi_agent(policies={"player"}, policy_mapping_fn=lambda agent, episode, **more: "player").rl_module(
            rl_module_spec=spec
        )
    return config.build_algo()


def rllib_sampling(game: str, turns: bool = False) -> Work:
    """With its policy."""
    runner = rllib_algorithm(game, turns).env_runner
    return lambda: sum(len(episode) for episode in runner.sample(num_timesteps=STEPS * SOME))


def rllib_learning(game: str) -> Work:
    algorithm = rllib_algorithm(game, False)
    return lambda: algorithm.train() and STEPS * SOME


def jax_policy(game: str, num: int) -> Work:
    """A jitted policy of one hidden layer of 64."""
    import jax
    import jax.numpy as jnp

    from ...frameworks.jax import SharedBatch

    games = SharedBatch(game, num, seed=1)
    first, second, key = jax.random.split(jax.random.key(1), 3)
    hidden = jax.random.normal(first, (games.observation_size, 64)) / 10
    out = jax.random.normal(second, (64, games.num_actions)) / 10

    @jax.jit
    def policy(seen: Any, legal: Any, key: Any) -> Any:
        return jax.random.categorical(key, jnp.where(legal, jnp.tanh(seen @ hidden) @ out, -jnp.inf))

    def step() -> int:
        nonlocal key
        key, now = jax.random.split(key)
        games.step(np.asarray(policy(*games.shared(), now)))
        return num

    return step


def tianshou_venv(game: str) -> Work:
    from ...frameworks.tianshou import SeatVenv

    venv = SeatVenv(game, SOME, "random", seed=1)
    venv.reset()

    def step() -> int:
        over = np.flatnonzero(venv.step(venv.games.batch.random_actions())[2])
        if len(over):
            venv.reset(over)
        return SOME

    return step


def tianshou_collector(game: str, num: int) -> Work:
    """With a DQN policy."""
    import torch
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.data import Collector, VectorReplayBuffer

    from ...frameworks.tianshou import SeatVenv

    torch.set_num_threads(1)
    venv = SeatVenv(game, num, "random", seed=1)
    layers = torch.nn.Linear(venv.games.batch.observation_size, 128), torch.nn.Linear(128, venv.games.batch.num_actions)

    class Values(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.Sequential(layers[0], torch.nn.ReLU(), layers[1])

        def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
            return self.layers(torch.as_tensor(obs)), state

    policy = DiscreteQLearningPolicy(model=Values(), action_space=venv.action_space[0], eps_training=0.2)
    collector = Collector(policy, venv, VectorReplayBuffer(64 * num, num))
    collector.reset()
    return lambda: int(collector.collect(n_step=16 * num).n_collected_steps)


def one_file(game: str) -> Work:
    """Playing and learning; counts the decisions used for learning."""
    import torch

    from ...frameworks import cleanrl

    torch.set_num_threads(1)
    done = 0

    def watch(count: int, agent: Any) -> None:
        nonlocal done
        done = count

    def learn() -> int:
        cleanrl.train(cleanrl.parsed([f"--game={game}", "--total-steps=60000"]), watch)
        return done

    return learn


def compiled(game: str) -> Work:
    """The suite's own learner, for comparison."""
    import tempfile

    from ...training.train import train

    def learn() -> int:
        with tempfile.TemporaryDirectory() as out:
            rarely: dict[str, Any] = {"eval_every": 10**9, "eval_deals": 1, "checkpoint_every": 10**9}
            return train(game, out=f"{out}/run", total_steps=200_000, threads=1, device="cpu", progress=False, **rarely).steps

    return learn


def rlcard_env(game: str, learns: bool) -> Work:
    """One game at a time."""
    import torch
    from rlcard.agents import DQNAgent, RandomAgent
    from rlcard.utils import reorganize

    from ...frameworks.rlcard import RLCardEnv

    torch.set_num_threads(1)
    env = RLCardEnv(game, seed=1)
    table: list[Any] = [RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)]
    if learns:
        table[0] = DQNAgent(num_actions=env.num_actions, state_shape=env.state_shape[0], mlp_layers=[64, 64], train_every=1)
    env.set_agents(table)

    def play() -> int:
        before = env.timestep
        trajectories, payoffs = env.run(is_training=learns)
        for step in reorganize(trajectories, payoffs)[0] if learns else []:
            table[0].feed(step)
        return env.timestep - before

    return play


class Way(NamedTuple):
    """A measurement.

    Attributes:
        name, counted: the adapter, and the unit of its rate.
        needs: the module that it requires.
        work: given the game's id and `given`, makes the function to time, which does some work and returns its amount.
    """

    name: str
    counted: str
    needs: str
    work: Callable[..., Work]
    given: tuple[Any, ...] = ()


WAYS = (
    Way("a plain `Batch`", "decisions, 1,024 games", "numpy", batch),
    Way("PettingZoo, `raw_env`", "decisions, one game", "pettingzoo", one_game),
    Way("`make_vec`", "learner's decisions, 1,024 games", "gymnasium", vector, (None, MANY)),
    Way("`make_vec`, `vectorization_mode=\"sync\"`", "learner's decisions, one by one", "gymnasium", vector, ("sync", SOME)),
    Way("TorchRL, `SelfPlayEnv`", "decisions, `rollout` of 1,024 games", "torchrl", torchrl_rollout, ("SelfPlayEnv",)),
    Way("TorchRL, `SelfPlayEnv`", "decisions, stepped by hand", "torchrl", torchrl_by_hand),
    Way("TorchRL, `SelfPlayEnv`", "decisions, `rollout` and `CreditRewards`", "torchrl", torchrl_credit),
    Way("TorchRL, `GroupEnv`", "decisions, `rollout` of 1,024 games", "torchrl", torchrl_rollout, ("GroupEnv",)),
    Way("TorchRL, `SeatEnv`", "learner's decisions, `rollout` of 1,024 games", "torchrl", torchrl_rollout, ("SeatEnv",)),
    Way("TorchRL, its `PettingZooWrapper`", "decisions, one game", "torchrl", torchrl_wrapper),
    Way("RLlib, `SEATS`", "learner's decisions with its policy, 64 games", "ray", rllib_sampling),
    Way("RLlib, `SEATS`", "learner's decisions, PPO learning, 64 games", "ray", rllib_learning),
    Way("RLlib, `TURNS`", "decisions with its policy, one game", "ray", rllib_sampling, (True,)),
    Way("JAX, `SharedBatch`", "decisions of a jitted policy, 1,024 games", "jax", jax_policy, (MANY,)),
    Way("JAX, `SharedBatch`", "decisions of a jitted policy, 4,096 games", "jax", jax_policy, (4 * MANY,)),
    Way("Tianshou, `SeatVenv`", "learner's decisions, 64 games", "tianshou", tianshou_venv),
    Way("Tianshou, `SeatVenv`", "learner's, its collector with DQN, 64 games", "tianshou", tianshou_collector, (SOME,)),
    Way("Tianshou, `SeatVenv`", "learner's, its collector with DQN, 1,024 games", "tianshou", tianshou_collector, (MANY,)),
    Way("PPO in one file", "decisions learned from, all seats", "torch", one_file),
    Way("`wilddeck train`", "decisions learned from, all seats", "numpy", compiled),
    Way("RLCard, `RLCardEnv`", "decisions of random agents, one game", "rlcard", rlcard_env, (False,)),
    Way("RLCard, `RLCardEnv`", "decisions, one game, one seat DQN learning", "rlcard", rlcard_env, (True,)),
)  # fmt: skip


def measured(numbers: list[int], game: str, seconds: float) -> dict[int, float | str]:
    """The rates of some adapters per second of CPU time, each after a warm-up; or the error."""
    found: dict[int, float | str] = {}
    for number in numbers:
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # learners print much
                work = WAYS[number].work(game, *WAYS[number].given)
                work()
                found[number] = rate(work, seconds, time.process_time)
        except Exception as error:  # a framework failed: measure the others
            found[number] = str(error)
    return found


def main() -> None:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="part of an adapter's name (default: all)")
    parser.add_argument("--game", default="tennis_v0")
    parser.add_argument("--seconds", type=MEASURED, default=5.0, help="of CPU time for each (default 5)")
    arguments = parser.parse_args()
    chosen = [k for k, way in enumerate(WAYS) if not arguments.names or any(name in way.name for name in arguments.names)]
    there = [k for k in chosen if importlib.util.find_spec(WAYS[k].needs)]
    before, found = os.getloadavg()[0], dict[int, float | str]()
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as apart:
        for needs in dict.fromkeys(WAYS[k].needs for k in there):
            own = [k for k in there if WAYS[k].needs == needs]
            found |= apart.apply(measured, (own, arguments.game, arguments.seconds))
    rates = {k: value for k, value in found.items() if not isinstance(value, str)}
    failed = [f"{WAYS[k].name}: {value}" for k, value in found.items() if isinstance(value, str)]
    print("| adapter | what is counted | a second |\n| --- | --- | --- |")
    for k in sorted(rates, key=lambda k: -rates[k]):
        print(f"| {WAYS[k].name} | {WAYS[k].counted} | {float(f'{rates[k]:.2g}'):,.0f} |")
    absent = sorted({WAYS[k].needs for k in chosen} - {WAYS[k].needs for k in there})
    load = f"{before:.1f} before and {os.getloadavg()[0]:.1f} after"
    print(f"\n{arguments.game}; load of the machine {load}, {os.cpu_count()} processors")
    if absent:
        print(f"not installed: {', '.join(absent)}")
    if failed:
        print("failed:", *failed, sep="\n")


if __name__ == "__main__":
    main()
