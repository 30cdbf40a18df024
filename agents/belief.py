"""What is believed of hidden cards: samples drawn the more often, the likelier others would have done in them what they did.

Also known as weighting determinizations by importance. How likely that is says a player, who is taken for all others: the one
that plays out, of a search. The hand so far is played again in each sample (`View.decisions`).
"""

from __future__ import annotations

import numpy as np

from .base import PolicyAgent, View
from .learned import LearnedAgent
from .random import RandomAgent
from .views import Views

Player = RandomAgent | PolicyAgent | LearnedAgent
TRIED = 128  # samples, from which are drawn those that are believed
DECISIONS = 24  # of others, the last of the hand
_FEW = 0.1  # where the hand can have come so in fewer samples, nothing is concluded from it
_EFFECTIVE = 0.25  # of the possible samples, what so many equally likely ones would be worth: beliefs are no surer than that
_SLIP = 0.1  # how often a player is taken to play anything: nobody plays as another does


class Beliefs:
    """The worlds that a seat takes for possible at a decision, and how likely each is.

    Args:
        view: the seat's.
        player: who is taken for all others.
        seed: equal seeds and equal knowledge give equal worlds.
    """

    def __init__(self, view: View, player: PolicyAgent | LearnedAgent, seed: int) -> None:
        self.samples = view.sample(TRIED, seed)
        self.weights = _weights(view, player, self.samples, seed)

    def draw(self, count: int, seed: int) -> np.ndarray:
        """`count` complete games; the same one may come several times."""
        weights = np.cumsum(self.weights)
        # At equal steps, from a place drawn at random: fewer samples come twice than if each were drawn for itself.
        places = weights[-1] * (np.arange(count) + np.random.default_rng(seed).random()) / max(count, 1)
        drawn = np.minimum(np.searchsorted(weights, places, side="right"), len(weights) - 1)
        return self.samples[drawn]


def _weights(view: View, player: PolicyAgent | LearnedAgent, samples: np.ndarray, seed: int) -> np.ndarray:
    """How likely others would have done in each sample what they did, up to a factor."""
    rng = np.random.default_rng(seed)
    logs, possible = np.zeros(len(samples)), np.ones(len(samples), np.uint8)
    for possible, observation, mask, alike in view.decisions(samples, seed, DECISIONS):
        rows = np.flatnonzero(possible & (mask.sum(axis=1, dtype=np.int64) > 1))
        if len(rows):
            played = (_probabilities(player, observation[rows], mask[rows], rng) * alike[rows]).sum(axis=1)
            by_chance = alike[rows].sum(axis=1, dtype=np.int64) / mask[rows].sum(axis=1, dtype=np.int64)
            logs[rows] += np.log((1 - _SLIP) * played + _SLIP * by_chance)
    if possible.mean() < _FEW:
        return np.ones(len(samples))
    logs -= logs[possible > 0].max()
    weights = np.exp(logs) * possible
    while weights.sum() ** 2 / (weights**2).sum() < _EFFECTIVE * possible.sum():
        logs /= 2
        weights = np.exp(logs) * possible
    return weights


def _probabilities(
    player: PolicyAgent | LearnedAgent, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    if isinstance(player, LearnedAgent):
        return player.probabilities(observation, mask, rng)
    return np.eye(mask.shape[1])[player.act_batch(Views.of(observation, mask), rng)]
