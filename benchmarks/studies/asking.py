"""Action probabilities of agents, for exact computations."""

from __future__ import annotations

import numpy as np

from ...agents.base import Agent
from ...agents.learned import is_known
from ...agents.views import Views

_TOGETHER = 100  # repeated queries of positions in one batch


def frequencies(
    agent: Agent, observation: np.ndarray, action_mask: np.ndarray, asked: int, rng: np.random.Generator
) -> np.ndarray:
    """The probability of each action, float [M, A], in positions float32 [M, D] with masks uint8 [M, A]: exact if known, else
    estimated from repeated answers."""
    if is_known(agent) and not agent.greedy:
        return agent.probabilities(observation, action_mask, rng)
    times = 1 if is_known(agent) else asked
    counts, actions = np.zeros(action_mask.shape), np.arange(action_mask.shape[1])
    for begin in range(0, times, _TOGETHER):
        together = min(_TOGETHER, times - begin)
        views = Views.of(*(np.repeat(array, together, axis=0) for array in (observation, action_mask)))
        answers = agent.act_batch(views, rng).reshape(-1, together)
        counts += (answers[:, :, None] == actions).sum(axis=1)
    return counts / times
