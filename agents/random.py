"""The random agent."""

from __future__ import annotations

import numpy as np

from ..envs.core import kernels
from .base import Agent, View, kernel_array
from .thoughts import Thoughts
from .views import Views


class RandomAgent(Agent):
    """Plays uniformly at random among the legal actions, in every game."""

    name = "random"
    policy = "random"  # as `Batch.rollout` takes it

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        actions = np.empty(len(views), np.int64)
        noise = rng.integers(0, 2**64, len(views), np.uint64)
        kernels.random_actions(kernel_array(views.action_mask, np.uint8), noise, actions)
        return actions

    def log_probs(self, views: Views, actions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return -np.log(np.count_nonzero(views.action_mask, axis=1)).astype(np.float32)

    def thoughts(self, view: View, rng: np.random.Generator) -> Thoughts:
        legal = view.legal_actions
        return Thoughts(legal, np.full(len(legal), 1 / len(legal)))
