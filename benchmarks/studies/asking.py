"""Action probabilities of agents, for exact computations."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from ...agents.base import Agent
from ...agents.learned import LearnedAgent
from ...agents.views import Views
from ...envs.core.aec import CardGameEnv

_TOGETHER = 100  # repeated queries of positions in one batch


def is_known(agent: Agent) -> TypeGuard[LearnedAgent]:
    """Whether an agent's action probabilities are known exactly: it is a network, or deterministic."""
    return isinstance(agent, LearnedAgent) and agent.expert is None


class HandsAgent(Agent):
    """An agent of hold'em that knows its strategy with each of the 1,326 hands."""

    def likelihoods(self, env: CardGameEnv) -> np.ndarray:
        """Its action probabilities at the decision, float [1326, A]; what they are with impossible hands does not matter."""
        raise NotImplementedError


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
