"""Training speed: PPO on self-play against the same PPO on an environment that costs nothing, alternating in one process.

    python -m wilddeck.benchmarks.training tennis_v0 --rounds 5

Both learn with the settings of `training.train`, torch on one thread: same network, sizes of observation and mask, and
share of legal actions. What is reported is learner's steps a second, the moves of the opponents not counted as steps.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from .. import envs
from ..agents.learned import LearnedAgent, layers_of
from ..training.sb3 import make_env, make_model, own_torch
from ..training.settings import Settings
from ..training.train import fixed_agents
from ..training.vecenv import SelfPlayVecEnv
from .arguments import THREADS, Parser, whole


class FreeVecEnv(VecEnv):
    """Steps that cost nothing: the observations and masks of another environment's first step, over and over."""

    def __init__(self, other: SelfPlayVecEnv) -> None:
        self.render_mode = None
        self._observation = other.reset()
        self._masks = other.action_masks().copy()
        self._rewards = np.zeros(other.num_envs, np.float32)
        self._dones = np.zeros(other.num_envs, np.bool_)
        self._infos: list[dict[str, Any]] = [{}] * other.num_envs
        super().__init__(other.num_envs, other.observation_space, spaces.Discrete(other.batch.num_actions))

    def reset(self) -> np.ndarray:
        return self._observation

    def step_async(self, actions: np.ndarray) -> None:
        pass

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        return self._observation, self._rewards, self._dones, self._infos

    def close(self) -> None:
        pass

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [None] * self.num_envs if attr_name in ("render_mode", "action_masks") else getattr(self, attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> Any:
        return self._masks

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


def measure(
    game_id: str, rounds: int, options: dict[str, Any] | None = None, threads: int = 1, snapshots: int = 5
) -> dict[str, Any]:
    """Steps a second of both, medians of `rounds` rounds, and their ratio."""
    game = envs.game(game_id)
    checked = game.make_options(options or {})
    settings = Settings.make({"game": game_id, "options": options or {}, "threads": threads, "learner": "sb3"})
    fixed = fixed_agents(settings.fixed_opponents, game, checked)
    with own_torch():
        env = make_env(settings, game, checked, fixed)
        model = make_model(settings, env)
        free = make_model(settings, FreeVecEnv(env))
        agents = [LearnedAgent(*layers_of(model.policy)) for _ in range(snapshots)]
        env.set_opponents([*fixed, *agents], settings.shares(len(fixed), snapshots - 1))
        steps = 2 * settings.rollout_steps * settings.num_envs
        speeds: dict[str, list[float]] = {"self_play": [], "free": []}
        for k in range(rounds + 1):
            for name, learner in (("self_play", model), ("free", free)):
                start = time.perf_counter()
                learner.learn(steps, reset_num_timesteps=False)
                if k:  # the first round warms up
                    speeds[name].append(steps / (time.perf_counter() - start))
    medians = {name: statistics.median(values) for name, values in speeds.items()}
    ratio = statistics.median(a / b for a, b in zip(speeds["self_play"], speeds["free"], strict=True))
    return {
        "game": game_id,
        "threads": threads,
        **{f"{name}_steps_per_second": round(value) for name, value in medians.items()},
        "ratio": round(ratio, 3),
    }


def main() -> None:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="tennis_v0")
    parser.add_argument("--rounds", type=whole(1, 1000), default=5)
    parser.add_argument("--num-players", type=whole(1, 127))
    parser.add_argument("--threads", type=THREADS, default=1, help="on which the opponents play (default 1)")
    args = parser.parse_args()
    options = {"num_players": args.num_players} if args.num_players else {}
    print(json.dumps(measure(args.game, args.rounds, options, args.threads)))


if __name__ == "__main__":
    main()
