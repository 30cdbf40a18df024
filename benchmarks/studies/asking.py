"""How often agents play what, where studies compute exactly."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from ...agents.base import Agent
from ...agents.learned import LearnedAgent
from ...agents.views import Views

_TOGETHER = 100  # times that positions are asked about at once


def is_known(agent: Agent) -> TypeGuard[LearnedAgent]:
    """Whether it is known exactly how likely an agent plays what: a network's probabilities, or that it takes the likeliest."""
    return isinstance(agent, LearnedAgent) and agent.expert is None


def frequencies(
    agent: Agent, observation: np.ndarray, action_mask: np.ndarray, asked: int, rng: np.random.Generator
) -> np.ndarray:
    """How often an agent plays each action, float [M, A], of positions float32 [M, D] and masks uint8 [M, A]: exactly where
    that is known, else as it answers when it is asked so many times."""
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
