"""Everything a run needs to go on, in one file of arrays that is replaced in one step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..agents import tensors as tensor_files
from ..agents.learned import LearnedAgent
from .extra import MaskablePPO, torch
from .vecenv import SelfPlayVecEnv

FORMAT = "wilddeck checkpoint"
VERSION = 1
MAX_BYTES = 2**30


def save(path: Path, model: MaskablePPO, env: SelfPlayVecEnv, snapshots: list[LearnedAgent], about: dict[str, Any]) -> None:
    """Write the state of a run between two rollouts.

    Args:
        about: the run's own counters, which JSON can hold.

    Raises:
        OSError: the file could not be written; the last checkpoint is kept.
    """
    arrays = {f"policy.{name}": value.numpy() for name, value in model.policy.state_dict().items()}
    for k, moments in model.policy.optimizer.state_dict()["state"].items():
        arrays |= {f"optimizer.{k}.{name}": np.asarray(value) for name, value in moments.items()}
    arrays |= {f"env.{name}": value for name, value in env.save_state().items()}
    for k, agent in enumerate(snapshots):
        arrays |= {f"snapshot.{k}.{name}": value for name, value in agent.tensors().items()}
    name, keys, *rest = np.random.get_state()  # Stable-Baselines3 shuffles minibatches with it
    arrays |= {"episode_starts": np.asarray(model._last_episode_starts), "rng.torch": torch.get_rng_state().numpy()}
    arrays |= {"rng.numpy": np.asarray(keys)}
    head = {"format": FORMAT, "version": VERSION, "game": env.batch.game.id, "rules_digest": env.batch.game.rules_digest}
    counters = {"steps": model.num_timesteps, "updates": model._n_updates, "rng": [name, *rest], "snapshots": len(snapshots)}
    tensor_files.write(path, {**head, **counters, "about": about}, arrays)


def load(path: Path, model: MaskablePPO, env: SelfPlayVecEnv) -> tuple[list[LearnedAgent], dict[str, Any]]:
    """Put a run's state into a model and environment made with its settings; the snapshots and the run's counters.

    Raises:
        WeightsError: the file is missing, damaged, or of another game, release or network.
    """
    about, arrays = tensor_files.read(path, FORMAT, MAX_BYTES)
    game = env.batch.game
    if about["version"] != VERSION:
        raise tensor_files.WeightsError(f"{path} has version {about['version']} of the format; this wilddeck reads {VERSION}")
    if (about["game"], about["rules_digest"]) != (game.id, game.rules_digest):
        raise tensor_files.WeightsError(f"{path} is a run on {about['game']}, or on another release of it, not on {game.id}")

    def part(prefix: str) -> dict[str, np.ndarray]:
        return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}

    try:
        model.policy.load_state_dict({name: torch.from_numpy(value) for name, value in part("policy.").items()})
        moments: dict[int, dict[str, Any]] = {}
        for name, value in part("optimizer.").items():
            k, _, moment = name.partition(".")
            moments.setdefault(int(k), {})[moment] = torch.from_numpy(value)
        optimizer = model.policy.optimizer
        optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
        model._last_obs = env.load_state(part("env."))
        model._last_episode_starts = arrays["episode_starts"]
        model.num_timesteps, model._n_updates = about["steps"], about["updates"]
        activation = model.policy.activation_fn.__name__.lower()
        snapshots = []
        for number in range(about["snapshots"]):
            tensors = part(f"snapshot.{number}.")
            pairs = [(tensors[f"layers.{j}.weight"], tensors[f"layers.{j}.bias"]) for j in range(len(tensors) // 2)]
            snapshots.append(LearnedAgent(pairs, activation))
        torch.set_rng_state(torch.from_numpy(arrays["rng.torch"]))
        name, *rest = about["rng"]
        np.random.set_state((name, arrays["rng.numpy"], *rest))
    except (KeyError, ValueError, RuntimeError, json.JSONDecodeError) as error:
        raise tensor_files.WeightsError(f"{path} does not fit this run: {error}") from None
    return snapshots, about["about"]
