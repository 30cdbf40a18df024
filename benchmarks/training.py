"""Training speed: the learner `ppo`, `sb3`, and `sb3` on an environment that costs nothing, alternating in one process.

    wilddeck bench training tennis --rounds 5

All learn with the settings of `training.train`: same network, epochs, sizes of observation and mask. What is reported is
decisions learned from, a second of processor time; the moves of the opponents are not counted.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from .. import envs
from ..agents.base import Agent
from ..agents.learned import LearnedAgent, layers_of
from ..seats.opponents import Pool
from ..seats.sb3_vec_env import SelfPlayVecEnv
from ..training.ppo import PPO
from ..training.sb3 import make_env, make_model, own_torch
from ..training.settings import CRITICS, Settings
from ..training.train import fixed_agents


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
    """Steps a second of each, medians of `rounds` rounds, and the ratios: of `sb3` to what costs nothing, and of `ppo` (by
    the time that passes, too, as it uses more than one thread) to `sb3`."""
    game = envs.game(game_id)
    checked = game.make_options(options or {})
    settings = Settings.make({"game": game_id, "options": options or {}, "threads": threads, "learner": "sb3"})
    fixed = fixed_agents(settings.fixed_opponents, game, checked)
    with own_torch():
        env = make_env(settings, game, checked, fixed)
        model = make_model(settings, env)
        free = make_model(settings, FreeVecEnv(env))
        agents = [LearnedAgent(*layers_of(model.policy)) for _ in range(snapshots)]
        env.set_opponents(Pool(game, [*fixed, *agents], settings.shares(len(fixed), snapshots - 1)))
        steps = 2 * settings.rollout_steps * settings.num_envs
        learners = {f"ppo_{critic}": _ppo(game_id, options or {}, critic, threads, fixed, agents) for critic in CRITICS}
        measured: dict[str, list[tuple[float, float]]] = {name: [] for name in ("sb3", "free", *learners)}
        for k in range(rounds + 1):
            for name, values in measured.items():
                start, passed = time.process_time(), time.perf_counter()
                if name in learners:
                    before = learners[name].steps
                    while learners[name].steps < before + steps:
                        learners[name].update()
                    done = learners[name].steps - before
                else:
                    (model if name == "sb3" else free).learn(steps, reset_num_timesteps=False)
                    done = steps
                if k:  # the first round warms up
                    values.append((done / (time.process_time() - start), done / (time.perf_counter() - passed)))
    for learner in learners.values():
        learner.close()

    def ratio(some: str, other: str, clock: int) -> float:
        pairs = zip(measured[some], measured[other], strict=True)
        return round(statistics.median(a[clock] / b[clock] for a, b in pairs), 3)

    return {
        "game": game_id,
        "threads": threads,
        **{f"{name}_steps_per_second": round(statistics.median(v[0] for v in values)) for name, values in measured.items()},
        "ratio": ratio("sb3", "free", 0),
        **{f"{name}_to_sb3": ratio(name, "sb3", 0) for name in learners},
        **{f"{name}_to_sb3_by_the_clock": ratio(name, "sb3", 1) for name in learners},
    }


def _ppo(game_id: str, options: dict[str, Any], critic: str, threads: int, fixed: list[Agent], past: list[LearnedAgent]) -> PPO:
    settings = Settings(game=game_id, options=options, threads=threads, critic=critic)
    game = envs.game(game_id)
    learner = PPO(settings, game, game.make_options(options), fixed, None, 1.0, lambda: 0.5)
    learner.set_snapshots(past)
    return learner
