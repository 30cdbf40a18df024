"""Random playouts, as OpenSpiel's searches ask for them."""

from __future__ import annotations

import numpy as np

from ...envs.core.batch import noise_counters, policy_kernels
from ...envs.core.game import as_records
from .game import WilddeckState


class RolloutEvaluator:
    """Random playouts in compiled code, for the searches of `open_spiel.python.algorithms` (mcts, ismcts).

    Args:
        n_rollouts: playouts a call.
        seed: equal seeds give equal playouts.
    """

    def __init__(self, n_rollouts: int = 1, seed: int = 0) -> None:
        self._count = n_rollouts
        self._draw = np.random.default_rng(seed)

    def evaluate(self, state: WilddeckState) -> np.ndarray:
        """float64 [P], the mean returns."""
        moment = state.moment
        if moment.player < 0:
            raise ValueError("playouts begin where somebody is to move")
        rules = moment.rules
        records = as_records(np.repeat(moment.record, self._count))
        actions = self._draw.choice(moment.legal, self._count)
        noise = noise_counters(int(self._draw.integers(2**63)), self._count)
        returns = np.zeros((self._count, rules.num_players))
        playout = policy_kernels(rules.game)["playout_games"]
        playout(records, actions, noise, *rules.buffers(), returns, rules.game.max_length(rules.options), ())
        return returns.mean(axis=0) + moment.returns

    def prior(self, state: WilddeckState) -> list[tuple[int, float]]:
        """Actions, or outcomes of a chance node, and probabilities."""
        if state.is_chance_node():
            return state.chance_outcomes()
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]
