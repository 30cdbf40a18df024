"""The protocol of learners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ..agents.base import NetworkAgent


class Learner(Protocol):
    """A learner: `ppo.PPO`, `sb3.SB3`, `torch_ppo.TorchPPO`, or a class of your own (`train(learner=MyLearner)`).

    It is constructed from the settings, game, options, fixed opponents, initial agent (or None), reward scale, and a function
    that returns the fraction of the run that remains, from 1 to 0. Evaluation, checkpoints, snapshots of the policy and logging
    are up to the run.

    Attributes:
        algorithm: its name.
        columns: the names of its measures, besides `mean_return` and `mean_decisions`.
        steps: decisions learned from so far.
        scale: the factor for rewards.
    """

    algorithm: str
    columns: tuple[str, ...]
    scale: float

    @property
    def steps(self) -> int: ...

    def agent(self) -> NetworkAgent:
        """A copy of the current policy, which further learning does not change."""

    def set_snapshots(self, snapshots: list[Any]) -> None:
        """Set the snapshots that play as past policies from now on."""

    def learn(self, rest: Callable[[], bool]) -> None:
        """Make updates while `rest()` returns True; it is called before each update and once more at the end."""

    def measures(self) -> dict[str, Any]:
        """The values to log of the last update."""

    def save_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The state for a checkpoint, except `steps` and the snapshots: a dictionary of JSON types, and arrays."""

    def load_state(self, about: dict[str, Any], arrays: dict[str, np.ndarray], snapshots: list[Any]) -> None:
        """Restore a saved state; `about` also has `steps`. Invalid states may raise any built-in error."""

    def close(self) -> None:
        """Release its threads."""
