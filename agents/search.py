"""Flat Monte-Carlo search: what may be hidden is drawn at random, each action tried, and the games played out.

Also known as perfect-information Monte Carlo (PIMC). It works for every game: the only thing it needs is a policy for the
playouts, which run inside compiled code.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from .. import envs
from ..envs.core import memory
from ..envs.core.batch import MAX_STEPS as MAX_ROLLOUT_STEPS
from ..envs.core.batch import check_count, noise_counters, policy_drivers, slices
from ..envs.core.game import Game, Options, as_records
from . import rules
from .base import Agent, View

MAX_STEPS = 10_000
_PLAYOUTS = 16  # in one compiled call
_POLICIES = ("random", "rules")


class SearchAgent(Agent):
    """Plays the action with the best mean return over playouts from games its seat cannot tell from the true one.

    The budget is spent by sequential halving: all candidates share the same determinizations and the same luck, the worse
    half leaves, and the rest share more. Where the budget is too small to try every action, the candidates of the first pass
    are drawn at random, the playout policy's own choice always among them.

    Args:
        game, options: what is played: a game or its id, and options or a mapping.
        rollouts: playouts a decision, in all.
        policy: who plays them out, "random" or "rules".
        max_steps: a playout ends after so many actions, with the rewards earned by then.

    Raises:
        ValueError: a parameter out of range, or "rules" for a game without a rule-based player.
    """

    # As a spec gives them: `mc:rollouts=200,policy=rules`.
    PARAMETERS: ClassVar[dict[str, type]] = {"rollouts": int, "policy": str, "max_steps": int}

    def __init__(
        self,
        game: Game | str,
        options: Options | Mapping[str, Any] | None = None,
        rollouts: int = 1000,
        policy: str = "random",
        max_steps: int = MAX_STEPS,
    ) -> None:
        game, options = envs.resolve(game, options)
        check_count("rollouts", rollouts)
        check_count("max_steps", max_steps, MAX_ROLLOUT_STEPS)
        memory.check(f"rollouts={rollouts}", rollouts * (2 * game.state.itemsize + 8 * (options.num_players + 2)))
        if policy not in _POLICIES:
            raise ValueError(f"unknown playout policy {policy!r}; allowed: {', '.join(_POLICIES)}")
        self.name = f"mc:rollouts={rollouts},policy={policy}"
        self.rollouts, self.max_steps = rollouts, max_steps
        self._prior = None if policy == "random" else rules.make(game, options)
        self._observation = np.zeros(game.observation_size(options), np.float32)
        self._mask = np.zeros(game.num_actions(options), np.uint8)

    def act(self, view: View, rng: np.random.Generator) -> int:
        actions = self._candidates(view, rng)
        if len(actions) == 1:
            return int(actions[0])
        passes = math.ceil(math.log2(len(actions)))
        total = np.zeros(len(actions))
        for _ in range(passes):
            worlds = max(1, self.rollouts // (passes * len(actions)))
            total += self.playouts(view, actions, worlds, int(rng.integers(2**63))).sum(axis=1)
            kept = np.sort(np.argsort(-total, kind="stable")[: (len(actions) + 1) // 2])
            actions, total = actions[kept], total[kept]
        return int(actions[0])

    def playouts(self, view: View, actions: np.ndarray, worlds: int, seed: int) -> np.ndarray:
        """The seat's return (float64 [len(actions), worlds]) of each action in the same `worlds` determinizations."""
        drawn = np.tile(view.sample(worlds, seed), len(actions))
        noise = np.tile(noise_counters(seed, worlds), len(actions))
        returns = np.zeros((len(drawn), view.options.num_players))
        first = np.repeat(actions, worlds)
        playout = policy_drivers(view.game, "random" if self._prior is None else self._prior.policy)["playout_games"]
        for rows in slices(0, len(drawn), _PLAYOUTS):
            games = as_records(drawn[rows])
            playout(games, first[rows], noise[rows], self._observation, self._mask, returns[rows], self.max_steps)
        return returns[:, view.seat].reshape(len(actions), worlds)

    def _candidates(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """The actions of the first pass: no more than can be tried once by half of the budget."""
        legal = view.legal_actions
        most = max(2, self.rollouts // (2 * max(1, math.ceil(math.log2(len(legal))))))
        if len(legal) <= most:
            return legal
        if self._prior is None:
            return np.sort(rng.choice(legal, most, replace=False))
        chosen = self._prior.act(view, rng)
        others = rng.choice(legal[legal != chosen], most - 1, replace=False)
        return np.sort(np.append(others, chosen))
