"""The learner `sb3`: MaskablePPO of sb3-contrib in one seat of each game, for users who want to change the algorithm.

Needs the extra `train`.
"""

from __future__ import annotations

import contextlib
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..agents.base import Agent
from ..agents.learned import LearnedAgent, layers_of
from ..agents.random import RandomAgent
from ..agents.seeds import keyed
from ..envs.core.files import number, whole
from ..envs.core.game import Game, Options
from ..seats.extra import BaseCallback, Logger, MaskablePPO, torch
from ..seats.opponents import Pool
from ..seats.sb3_vec_env import SelfPlayVecEnv
from .checkpoint import check_arrays, part
from .settings import Settings

_LOGGED = {
    "learning_rate": "train/learning_rate",
    "entropy": "train/entropy_loss",
    "value_loss": "train/value_loss",
    "policy_loss": "train/policy_gradient_loss",
    "approx_kl": "train/approx_kl",
    "clip_fraction": "train/clip_fraction",
    "explained_variance": "train/explained_variance",
}
_NO_END = 2**62
_TWISTER = 624  # words of the state of numpy's legacy generator
_RECENT = ("r", "l")  # logged as means over recent games: return and length


@contextlib.contextmanager
def own_torch() -> Iterator[None]:
    """Run torch on one thread, without validating distributions; afterwards restore that and the global generators."""
    threads, checks = torch.get_num_threads(), torch.distributions.Distribution._validate_args
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.distributions.Distribution.set_default_validate_args(checks)
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.set_rng_state(states[2])


def make_env(settings: Settings, game: Game, options: Options, fixed: list[Agent]) -> SelfPlayVecEnv:
    """The environment of a run: its opponents are the fixed ones and, last, the policy itself, which also plays the learner's
    team mates. A random agent replaces the policy until there is one."""
    return SelfPlayVecEnv(
        game,
        options,
        Pool(game, [*fixed, RandomAgent()], settings.shares(len(fixed), 0)),
        num_envs=settings.num_envs,
        seed=keyed(settings.seed, "games"),  # runs with consecutive seeds share no deals
        reward_scale=1.0 if settings.reward_scale is None else settings.reward_scale,
        threads=settings.threads,
        mates=len(fixed),
    )


def make_model(settings: Settings, env: Any, remaining: Any = None) -> MaskablePPO:
    """A model. The learning rate decays with `remaining()`, the fraction of the run that is left (default: by steps)."""

    def learning_rate(by_steps: float) -> float:
        return settings.falling("learning_rate", 1 - (by_steps if remaining is None else remaining()))

    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=learning_rate,
        n_steps=settings.rollout_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.ent_coef,
        vf_coef=settings.vf_coef,
        max_grad_norm=settings.max_grad_norm,
        stats_window_size=1000,
        policy_kwargs={
            "net_arch": list(settings.hidden),
            "activation_fn": {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[settings.activation],
        },
        seed=settings.seed,
        device="cpu",
    )


class SB3(BaseCallback):
    """A learner (see `learner.Learner`)."""

    columns: tuple[str, ...] = ("dropped_games", *_LOGGED)
    algorithm = "MaskablePPO, self-play"

    def __init__(
        self,
        settings: Settings,
        game: Game,
        options: Options,
        fixed: list[Agent],
        beginning: Agent | None,
        scale: float,
        remaining: Callable[[], float],
    ) -> None:
        super().__init__()
        self.settings, self.fixed = settings, fixed
        self.env = make_env(settings, game, options, fixed)
        self.env.reward_scale = np.float32(scale)
        self.learner = make_model(settings, self.env, remaining)
        self.learner.set_logger(Logger(None, []))
        self._goes_on = True

    @property
    def steps(self) -> int:
        return self.learner.num_timesteps

    @property
    def scale(self) -> float:
        return float(self.env.reward_scale)

    @scale.setter
    def scale(self, scale: float) -> None:
        self.env.reward_scale = np.float32(scale)

    def agent(self) -> LearnedAgent:
        return LearnedAgent(*layers_of(self.learner.policy))

    def set_snapshots(self, snapshots: list[LearnedAgent]) -> None:
        shares = self.settings.shares(len(self.fixed), len(snapshots))
        self.env.set_opponents(Pool(self.env.batch.game, [*self.fixed, self.agent(), *snapshots], shares))

    def learn(self, rest: Callable[[], bool]) -> None:
        self._rest = rest
        self.learner.learn(_NO_END, callback=self, log_interval=_NO_END, reset_num_timesteps=self.steps == 0)

    def _on_rollout_start(self) -> None:
        self._goes_on = self._rest()

    def _on_step(self) -> bool:
        return self._goes_on

    def measures(self) -> dict[str, Any]:
        recent, values = list(_recent(self.learner)), self.learner.logger.name_to_value
        return {
            "mean_return": _mean([game["r"] for game in recent]),
            "mean_decisions": _mean([game["l"] for game in recent]),
            "dropped_games": self.env.dropped,
            **{name: float(f"{float(values[key]):.6g}") for name, key in _LOGGED.items() if key in values},
        }

    def close(self) -> None:
        self.env.close()

    # --- checkpoints ---

    def save_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        model = self.learner
        name, keys, *rest = np.random.get_state()  # Stable-Baselines3 shuffles minibatches with it
        arrays = {**_arrays(model), **_moments(model), "rng.numpy": np.asarray(keys)}
        arrays |= {f"env.{name}": value for name, value in self.env.save_state().items()}
        arrays["episode_starts"] = np.asarray(model._last_episode_starts)
        arrays["recent"] = np.array([[game[key] for key in _RECENT] for game in _recent(model)]).reshape(-1, len(_RECENT))
        return {"updates": model._n_updates, "rng": [name, *rest]}, arrays

    def load_state(self, about: dict[str, Any], arrays: dict[str, np.ndarray], snapshots: list[LearnedAgent]) -> None:
        model = self.learner
        _check(about, {name: array for name, array in arrays.items() if not name.startswith("env.")}, model, self.env.num_envs)
        observation = self.env.load_state(part(arrays, "env."), len(self.env.games.pool) + len(snapshots))
        name, *rest = about["rng"]
        model.policy.load_state_dict({name: torch.from_numpy(value) for name, value in part(arrays, "policy.").items()})
        moments: dict[int, dict[str, Any]] = {}
        for key, value in part(arrays, "optimizer.").items():
            index, _, moment = key.partition(".")
            moments.setdefault(int(index), {})[moment] = torch.from_numpy(value)
        optimizer = model.policy.optimizer
        optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
        model._last_obs = observation
        model._last_episode_starts = arrays["episode_starts"]
        model.num_timesteps, model._n_updates = about["steps"], about["updates"]
        games = arrays["recent"].tolist()
        model.ep_info_buffer = deque((dict(zip(_RECENT, game, strict=True)) for game in games), model._stats_window_size)
        model.ep_success_buffer = deque(maxlen=model._stats_window_size)
        torch.set_rng_state(torch.from_numpy(arrays["rng.torch"]))
        np.random.set_state((name, arrays["rng.numpy"], *rest))


def _recent(model: MaskablePPO) -> Iterable[dict[str, Any]]:
    return model.ep_info_buffer or ()


def _mean(values: list[float]) -> float | str:
    return round(sum(values) / len(values), 5) if values else ""


def _arrays(model: MaskablePPO) -> dict[str, np.ndarray]:
    """The arrays of a checkpoint whose shapes never change."""
    arrays = {f"policy.{name}": value.numpy() for name, value in model.policy.state_dict().items()}
    return arrays | {"rng.torch": torch.get_rng_state().numpy()}


def _moments(model: MaskablePPO) -> dict[str, np.ndarray]:
    """The state of the optimizer; empty before the first update."""
    state = model.policy.optimizer.state_dict()["state"]
    return {f"optimizer.{k}.{name}": np.asarray(value) for k, moments in state.items() for name, value in moments.items()}


def _check(about: dict[str, Any], arrays: dict[str, np.ndarray], model: MaskablePPO, num_envs: int) -> None:
    """Check that a file has all that a checkpoint of this run has, except the environment's part.

    Raises:
        ValueError, TypeError: something is missing or wrong.
    """
    name, position, has_gauss, gauss = about["rng"]
    number(gauss)
    for count in (about["updates"], has_gauss):
        whole(count)
    like = _arrays(model)
    like |= {"episode_starts": np.zeros(num_envs, np.bool_), "recent": np.zeros((len(arrays["recent"]), len(_RECENT)))}
    if any(name.startswith("optimizer.") for name in arrays):
        for k, weights in enumerate(model.policy.optimizer.param_groups[0]["params"]):
            both = dict.fromkeys(("exp_avg", "exp_avg_sq"), weights.detach().numpy())
            like |= {f"optimizer.{k}.{name}": value for name, value in {"step": np.zeros(1, np.float32), **both}.items()}
    like["rng.numpy"] = np.zeros(_TWISTER, np.uint32)
    if name != "MT19937" or whole(position) > _TWISTER:  # numpy would read past its end
        raise ValueError("'rng' is not a state of numpy's generator")
    check_arrays(arrays, like)
