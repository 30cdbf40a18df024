"""Everything a run needs to go on, in one file of arrays that is replaced in one step."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..agents import tensors as tensor_files
from ..agents.learned import LearnedAgent, layers_of
from ..envs.core.files import number, whole
from .extra import MaskablePPO, torch
from .vecenv import SelfPlayVecEnv

FORMAT = "wilddeck checkpoint"
VERSION = 1
MAX_BYTES = 2**30
MAX_SNAPSHOTS = 10_000
_TWISTER = 624  # words of numpy's old generator

_RECENT = ("r", "l")  # what is kept of the games finished last, whose means are logged: return and decisions


def _recent(model: MaskablePPO) -> Iterable[dict[str, Any]]:
    return model.ep_info_buffer or ()


def save(path: Path, model: MaskablePPO, env: SelfPlayVecEnv, snapshots: list[LearnedAgent], about: dict[str, Any]) -> None:
    """Write the state of a run between two rollouts.

    Args:
        about: the run's own counters, which JSON can hold.

    Raises:
        OSError: the file could not be written; the last checkpoint is kept.
    """
    name, keys, *rest = np.random.get_state()  # Stable-Baselines3 shuffles minibatches with it
    arrays = {**_arrays(model, snapshots), **_moments(model), "rng.numpy": np.asarray(keys)}
    arrays |= {f"env.{name}": value for name, value in env.save_state().items()}
    arrays["episode_starts"] = np.asarray(model._last_episode_starts)
    arrays["recent"] = np.array([[each[key] for key in _RECENT] for each in _recent(model)]).reshape(-1, len(_RECENT))
    head = {"format": FORMAT, "version": VERSION, "game": env.batch.game.id, "rules_digest": env.batch.game.rules_digest}
    counters = {"steps": model.num_timesteps, "updates": model._n_updates, "rng": [name, *rest], "snapshots": len(snapshots)}
    tensor_files.write(path, {**head, **counters, "about": about}, arrays)


def _arrays(model: MaskablePPO, snapshots: list[LearnedAgent]) -> dict[str, np.ndarray]:
    """What a checkpoint holds in the same shapes at any time."""
    arrays = {f"policy.{name}": value.numpy() for name, value in model.policy.state_dict().items()}
    for k, agent in enumerate(snapshots):
        arrays |= {f"snapshot.{k}.{name}": value for name, value in agent.tensors().items()}
    return arrays | {"rng.torch": torch.get_rng_state().numpy()}


def _moments(model: MaskablePPO) -> dict[str, np.ndarray]:
    """What the optimizer remembers; nothing before the first update."""
    state = model.policy.optimizer.state_dict()["state"]
    return {f"optimizer.{k}.{name}": np.asarray(value) for k, moments in state.items() for name, value in moments.items()}


def load(path: Path, model: MaskablePPO, env: SelfPlayVecEnv) -> tuple[list[LearnedAgent], dict[str, Any]]:
    """Put a run's state into a model and environment made with its settings; the snapshots and the run's counters.

    Raises:
        WeightsError: the file is missing, damaged, or of another game, release or network.
    """
    about, arrays = tensor_files.read(path, FORMAT, MAX_BYTES)
    game = env.batch.game
    if about.get("version") != VERSION:
        raise tensor_files.WeightsError(
            f"{path} has version {about.get('version')!r} of the format; this wilddeck reads {VERSION}"
        )
    if (about.get("game"), about.get("rules_digest")) != (game.id, game.rules_digest):
        raise tensor_files.WeightsError(
            f"{path} is a run on {about.get('game')}, or on another release of it, not on {game.id}"
        )

    def part(prefix: str) -> dict[str, np.ndarray]:
        return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}

    with fitting(path):
        _check(about, {name: array for name, array in arrays.items() if not name.startswith("env.")}, model, env.num_envs)
        observation = env.load_state(part("env."), len(env.pool) + about["snapshots"])
        name, *rest = about["rng"]
        model.policy.load_state_dict({name: torch.from_numpy(value) for name, value in part("policy.").items()})
        moments: dict[int, dict[str, Any]] = {}
        for key, value in part("optimizer.").items():
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
        activation = model.policy.activation_fn.__name__.lower()
        snapshots = []
        for k in range(about["snapshots"]):
            tensors = part(f"snapshot.{k}.")
            pairs = [(tensors[f"layers.{j}.weight"], tensors[f"layers.{j}.bias"]) for j in range(len(tensors) // 2)]
            snapshots.append(LearnedAgent(pairs, activation))
        torch.set_rng_state(torch.from_numpy(arrays["rng.torch"]))
        np.random.set_state((name, arrays["rng.numpy"], *rest))
    return snapshots, about["about"]


@contextlib.contextmanager
def fitting(path: Path) -> Iterator[None]:
    """What goes wrong in it is the file's fault.

    Raises:
        WeightsError: instead of the errors that values of other kinds cause.
    """
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RuntimeError) as error:
        raise tensor_files.WeightsError(f"{path} does not fit this run: {error}") from None


def _check(about: dict[str, Any], arrays: dict[str, np.ndarray], model: MaskablePPO, num_envs: int) -> None:
    """Whether the file holds all that a checkpoint of this run would, in the same dtypes and shapes, and finite numbers; what
    belongs to the environment aside.

    Raises:
        ValueError, TypeError: it does not.
    """
    name, position, has_gauss, gauss = about["rng"]
    number(gauss)
    for each in (about["steps"], about["updates"], has_gauss):
        whole(each)
    policy = LearnedAgent(*layers_of(model.policy))
    wanted = _arrays(model, [policy] * min(whole(about["snapshots"]), MAX_SNAPSHOTS))
    wanted |= {"episode_starts": np.zeros(num_envs, np.bool_), "recent": np.zeros((len(arrays["recent"]), len(_RECENT)))}
    if any(name.startswith("optimizer.") for name in arrays):
        for k, weights in enumerate(model.policy.optimizer.param_groups[0]["params"]):
            both = dict.fromkeys(("exp_avg", "exp_avg_sq"), weights.detach().numpy())
            wanted |= {f"optimizer.{k}.{name}": value for name, value in {"step": np.zeros(1, np.float32), **both}.items()}
    wanted["rng.numpy"] = np.zeros(_TWISTER, np.uint32)
    if name != "MT19937" or whole(position) > _TWISTER:  # numpy itself would read behind its end
        raise ValueError("'rng' is no state of numpy's generator")
    if set(arrays) != set(wanted):
        raise ValueError(f"arrays are missing, or too many: {', '.join(sorted(set(arrays) ^ set(wanted))[:8])}")
    for name, array in arrays.items():
        like = wanted[name]
        if (array.dtype, array.shape) != (like.dtype, like.shape):
            raise ValueError(f"{name} is {array.dtype} {list(array.shape)}, not {like.dtype} {list(like.shape)}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name} has values that are not finite")
