"""Beliefs about hidden cards: determinizations, importance-weighted by the likelihood of the other players' actions.

The likelihood comes from one player as the model of all others: a search's rollout policy. The hand so far is replayed in each
determinization (`View.replay`). Of several models, the evidence tells which fits what the others did.
"""

from __future__ import annotations

import numpy as np

from .base import PolicyAgent, View
from .learned import LearnedAgent
from .random import RandomAgent
from .views import Views

Player = RandomAgent | PolicyAgent | LearnedAgent
TRIED = 256  # determinizations that are weighted
TURNS = 24  # the number of the others' last turns of the hand that count
_FEW = 0.1  # weights are used only if at least this fraction of samples is possible
# The least effective sample size, as a fraction of the possible samples, and the assumed probability of a uniformly random
# action. With 0.25 and 0.1 the others' hands seemed too weak: in poker, search hardly ever folded to bets.
_EFFECTIVE = 0.05
_SLIP = 0.02
_FADING, _LEAST_FADING = 0.9, 0.3  # an action's weight in that of the next one: in what steps it falls, and how far


class Beliefs:
    """The belief of a seat at a decision: determinizations with weights.

    Args:
        view: the seat's view.
        player: the model of all other players.
        seed: equal seeds and equal knowledge give equal determinizations.

    Attributes:
        samples: records [TRIED], the determinizations.
        weights: float64 [TRIED], their likelihoods up to a factor; flatter where a few would count for almost all.
        evidence: the logarithm of the mean likelihood of the others' actions; comparable between models with equal seeds.
    """

    def __init__(self, view: View, player: Player, seed: int) -> None:
        self.samples = view.sample(TRIED, seed)
        logs = _log_likelihoods(view, player, self.samples, seed)
        total = logs.sum(axis=0)
        self.evidence = float(total.max() + np.log(np.exp(total - total.max()).mean()))
        self.weights = _weights(logs)

    def draw(self, count: int, seed: int) -> np.ndarray:
        """`count` determinizations, drawn by weight; one may be drawn several times."""
        weights = np.cumsum(self.weights)
        # Systematic resampling: fewer duplicates than with independent draws.
        places = weights[-1] * (np.arange(count) + np.random.default_rng(seed).random()) / max(count, 1)
        drawn = np.minimum(np.searchsorted(weights, places, side="right"), len(weights) - 1)
        return self.samples[drawn]


def _log_likelihoods(view: View, player: Player, samples: np.ndarray, seed: int) -> np.ndarray:
    """The log-likelihood of each of the others' actions in each sample, -inf if the sample is impossible: float64 [actions,
    samples]; all 0 if too few are possible. What they chose unseen, they choose as the player would."""
    rng = np.random.default_rng(seed)
    logs = [np.zeros(len(samples))]

    def choose(rows: np.ndarray, observation: np.ndarray, mask: np.ndarray, alike: np.ndarray) -> np.ndarray:
        row, action = alike.nonzero()
        by_chance = 1 / mask.sum(axis=1, dtype=np.int64)
        likely = (1 - _SLIP) * _probabilities(player, observation, mask, rng)[row, action] + _SLIP * by_chance[row]
        logs.append(np.zeros(len(samples)))
        logs[-1][rows] = np.log(np.bincount(row, likely))
        return action[_drawn(row, likely, rng)]

    possible = view.replay(samples, seed, TURNS, choose)
    if possible is None or possible.mean() < _FEW:
        return np.zeros((1, len(samples)))
    return np.where(possible, logs, -np.inf)


def _drawn(rows: np.ndarray, weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An entry of each row, drawn by its weight. The entries are in order of their rows, which start at 0."""
    total, last = weights.cumsum(), np.flatnonzero(np.diff(rows, append=-1))
    before = np.concatenate([[0], total[last[:-1]]])
    drawn = before + (total[last] - before) * rng.random(len(last))
    return np.minimum(np.searchsorted(total, drawn, side="right"), last)


def _weights(logs: np.ndarray) -> np.ndarray:
    """Weights from the log-likelihoods of the actions. Where a few samples would count for almost all, earlier actions count
    less; where that is not enough, the last one, too."""
    ages, least = np.arange(len(logs))[::-1, None], _EFFECTIVE * np.isfinite(logs[0]).sum()
    fading, scale = 1.0, 1.0
    while True:
        faded = (logs * np.maximum(scale * fading**ages, np.finfo(float).tiny)).sum(axis=0)
        weights = np.exp(faded - faded.max())
        if weights.sum() ** 2 / (weights**2).sum() >= least:
            return weights
        fading, scale = (fading * _FADING, scale) if fading > _LEAST_FADING else (fading, scale / 2)


def _probabilities(player: Player, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if isinstance(player, RandomAgent):
        return mask / mask.sum(axis=1, keepdims=True, dtype=np.int64)
    if isinstance(player, LearnedAgent):
        return player.probabilities(observation, mask, rng)
    return np.eye(mask.shape[1])[player.act_batch(Views.of(observation, mask), rng)]
