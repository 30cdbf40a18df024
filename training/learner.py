"""What learns in a run: the protocol that learners share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ..agents.base import NetworkAgent


class Learner(Protocol):
    """What learns in a run: `ppo.PPO`, `sb3.SB3`, `torch_ppo.TorchPPO`, or a class of one's own (`train(learner=MyLearner)`).

    It is called with settings, game, options, the fixed opponents, the agent to begin with (or None), the scale of the rewards,
    and a function that returns the share of the run still to come, from 1 to 0. The run evaluates, keeps checkpoints and copies
    of the policy, and logs.

    Attributes:
        algorithm: what to call it; `columns`: what it measures besides `mean_return` and `mean_decisions`.
        steps: decisions learned from so far.
        scale: rewards are multiplied by it.
    """

    algorithm: str
    columns: tuple[str, ...]
    scale: float

    @property
    def steps(self) -> int: ...

    def agent(self) -> NetworkAgent:
        """The policy as it is; what is returned does not change when learning goes on."""

    def set_snapshots(self, snapshots: list[Any]) -> None:
        """Who plays as the policy's past selves from now on."""

    def learn(self, rest: Callable[[], bool]) -> None:
        """Update after update, as long as `rest`, called before each and once more at the end, says so."""

    def measures(self) -> dict[str, Any]:
        """What is logged of the last update."""

    def save_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """All that decides how it goes on, apart from `steps` and the snapshots: what JSON can hold, and arrays."""

    def load_state(self, about: dict[str, Any], arrays: dict[str, np.ndarray], snapshots: list[Any]) -> None:
        """Go on from what was saved; `about` holds `steps`, too. What goes wrong is raised as any built-in error."""

    def close(self) -> None:
        """Release its threads."""
