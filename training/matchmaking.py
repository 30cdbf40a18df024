"""Matchmaking: the probabilities of a learner's opponents, by their results so far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..agents.base import Agent
from .settings import Settings

_MEMORY = 0.98  # decay of the results against each opponent per rollout


class Matchmaking:
    """The fixed opponents and the past policies of a learner.

    Attributes:
        fixed, snapshots: these opponents.
        results: float64 [fixed + snapshots, 2], per opponent: games that the learner won (a tie is half a win), and games
            played; old games count less.
    """

    def __init__(self, settings: Settings, fixed: Sequence[Agent]) -> None:
        self.settings, self.fixed, self.snapshots = settings, list(fixed), list[Agent]()
        self.results = np.zeros((len(fixed), 2))

    def set_snapshots(self, snapshots: Sequence[Agent]) -> None:
        """Set the past policies; results against those that remain are kept."""
        known = {id(agent): row for agent, row in zip(self.snapshots, self.results[len(self.fixed) :], strict=True)}
        rows = [known.get(id(agent), np.zeros(2)) for agent in snapshots]
        self.results = np.concatenate([self.results[: len(self.fixed)], np.reshape(rows, (-1, 2))])
        self.snapshots = list(snapshots)

    def players(self, learner: Agent) -> list[Agent]:
        """The pool: the fixed opponents, the learner at index `len(fixed)`, the past policies."""
        return [*self.fixed, learner, *self.snapshots]

    def probs(self) -> np.ndarray:
        """Each one's probability of being drawn for another team: it rises with the wins of a past policy or fixed agent."""
        fixed, past = len(self.fixed), len(self.snapshots)
        shares = np.array(self.settings.shares(fixed, past))
        lost = 1 - (self.results[:, 0] + 1) / (self.results[:, 1] + 2)
        for group in (slice(0, fixed), slice(fixed, fixed + past)):
            places = np.r_[0:fixed, fixed + 1 : fixed + 1 + past][group]
            if len(places):
                weight = np.maximum(lost[group], 0.05) ** 2
                shares[places] = shares[places].sum() * weight / weight.sum()
        return shares / shares.sum()

    def note(self, results: np.ndarray) -> None:
        """Add the results of a rollout, float64 [pool, 2]."""
        self.results = _MEMORY * self.results + np.delete(results, len(self.fixed), axis=0)
