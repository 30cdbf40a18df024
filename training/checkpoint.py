"""Everything a run needs to go on, in one file of arrays that is replaced in one step."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..agents import tensors as tensor_files
from ..agents.base import NetworkAgent
from ..envs.core.files import whole
from ..envs.core.game import Game
from .learner import Learner

FORMAT = "wilddeck checkpoint"
VERSION = 1
MAX_BYTES = 2**30
MAX_SNAPSHOTS = 10_000


def save(path: Path, game: Game, name: str, learner: Learner, snapshots: list[NetworkAgent], about: dict[str, Any]) -> None:
    """Write the state of a run between two rollouts.

    Args:
        name: of the learner.
        about: the run's own counters, which JSON can hold.

    Raises:
        OSError: the file could not be written; the last checkpoint is kept.
    """
    state, arrays = learner.save_state()
    for k, agent in enumerate(snapshots):
        arrays |= {f"snapshot.{k}.{name}": value for name, value in agent.tensors().items()}
    head = {"format": FORMAT, "version": VERSION, "learner": name, "game": game.id, "rules_digest": game.rules_digest}
    counters = {"steps": learner.steps, "snapshots": len(snapshots)}
    tensor_files.write(path, {**head, **counters, **state, "about": about}, arrays)


def load(path: Path, game: Game, name: str, learner: Learner) -> tuple[list[NetworkAgent], dict[str, Any]]:
    """Put a run's state into a learner made with its settings; the snapshots and the run's counters.

    Raises:
        WeightsError: the file is missing, damaged, or of another game, release, learner or network.
    """
    about, arrays = tensor_files.read(path, FORMAT, MAX_BYTES)
    if about.get("version") != VERSION:
        raise tensor_files.WeightsError(
            f"{path} has version {about.get('version')!r} of the format; this wilddeck reads {VERSION}"
        )
    if (about.get("game"), about.get("rules_digest")) != (game.id, game.rules_digest):
        raise tensor_files.WeightsError(f"{path} is a run of {about.get('game')} or of another release, not of this {game.id}")
    if about.get("learner") != name:
        raise tensor_files.WeightsError(f"{path} is a checkpoint of the learner {about.get('learner')!r}, not of {name!r}")
    with fitting(path):
        whole(about["steps"])
        like = learner.agent()
        count = min(whole(about["snapshots"]), MAX_SNAPSHOTS)
        snapshots = [_snapshot(part(arrays, f"snapshot.{k}."), like) for k in range(count)]
        known = [name for name in arrays if name.startswith("snapshot.")]
        if len(known) != count * len(like.tensors()):
            raise ValueError("there are more snapshots than recorded")
        learner.load_state(about, {name: array for name, array in arrays.items() if name not in known}, snapshots)
    return snapshots, about["about"]


def _snapshot(tensors: dict[str, np.ndarray], like: NetworkAgent) -> NetworkAgent:
    check_arrays(tensors, like.tensors())
    return like.like(tensors)


def part(arrays: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """The arrays whose names begin so, by the rest of their names."""
    return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}


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


def check_arrays(arrays: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> None:
    """Whether these are the arrays wanted, in the same dtypes and shapes, and finite numbers.

    Raises:
        ValueError: they are not.
    """
    if set(arrays) != set(expected):
        raise ValueError(f"missing or unexpected arrays: {', '.join(sorted(set(arrays) ^ set(expected))[:8])}")
    for name, array in arrays.items():
        like = expected[name]
        if (array.dtype, array.shape) != (like.dtype, like.shape):
            raise ValueError(f"{name} is {array.dtype} {list(array.shape)}, not {like.dtype} {list(like.shape)}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name} has values that are not finite")
