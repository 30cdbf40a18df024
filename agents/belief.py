"""What is believed of hidden cards: samples drawn the more often, the likelier others would have done in them what they did.

Also known as weighting determinizations by importance. How likely that is says a player, who is taken for all others: the one
that plays out, of a search.
"""

from __future__ import annotations

import numpy as np

from .base import PolicyAgent, View
from .learned import LearnedAgent
from .random import RandomAgent

Player = RandomAgent | PolicyAgent | LearnedAgent
TRIED = 256  # samples, from which are drawn those that are believed
_SLIP = 0.1  # how often a player is taken to play anything: nobody plays as another does


def sample(view: View, player: Player, count: int, seed: int) -> np.ndarray:
    """`count` complete games as `view.sample` draws them; where others' decisions can be recalled (`View.recall`), the same one
    may come several times.

    Raises:
        ValueError: see `View.sample`.
    """
    if not view.remembers or isinstance(player, RandomAgent):
        return view.sample(count, seed)
    samples = view.sample(max(TRIED, count), seed)
    rng = np.random.default_rng(seed)
    weights = np.cumsum(_weights(view, player, samples, seed, rng))
    # At equal steps, from a place drawn at random: fewer samples come twice than if each were drawn for itself.
    drawn = np.searchsorted(weights, weights[-1] * (np.arange(count) + rng.random()) / max(count, 1), side="right")
    return samples[np.minimum(drawn, len(samples) - 1)]


def _weights(
    view: View, player: PolicyAgent | LearnedAgent, samples: np.ndarray, seed: int, rng: np.random.Generator
) -> np.ndarray:
    """How likely others would have done in each sample what they did, up to a factor."""
    logs = np.zeros(len(samples))
    for observation, mask, alike in view.recall(samples, seed):
        played = (_probabilities(player, observation, mask, rng) * alike).sum(axis=1)
        by_chance = (mask & alike).sum(axis=1) / np.maximum(mask.sum(axis=1, dtype=np.int64), 1)
        logs += np.log(np.maximum((1 - _SLIP) * played + _SLIP * by_chance, np.finfo(float).tiny))
    return np.exp(logs - logs.max())


def _probabilities(
    player: PolicyAgent | LearnedAgent, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    if isinstance(player, LearnedAgent):
        return player.probabilities(observation, mask, rng)
    return np.eye(mask.shape[1])[player.act_batch(observation, mask, rng)]
