"""Self-play as a Stable-Baselines3 vector environment: one learning seat per game, the others played by a pool of agents.

Needs the extra `train`.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from .. import envs
from ..agents.base import Agent
from ..envs.core.batch import Batch
from ..envs.core.game import Game, Options
from .extra import VecEnv
from .opponents import Pool
from .seat_games import SeatGames, Seating


class SelfPlayVecEnv(VecEnv):
    """`num_envs` games over one compiled batch; in each it is the learner's turn whenever `step` returns.

    In each game the learner has one seat, chosen at random. Each other team (or single seat) is played by one agent drawn from
    the pool, the learner's partners by the agent at `mates`. A reward is everything that the learner's seat earned from one of
    its decisions to its next or to the end of the game. What it earned before its first decision is added to that decision's
    reward, so that the rewards of an episode sum to the seat's return. Games that end before the learner decides anything are
    dropped and counted.

    Observations are those of the learner's seat (float32 [N, D]); masks come from `env_method("action_masks")` (bool [N, A])
    and belong to the latest observations. All returned arrays are new and never written again. A finished game is followed by
    the next in the same step. Its last observation is not kept, because games end by their rules and nothing is bootstrapped;
    its info has `episode`: return `r` (in the game's own unit), decisions `l` and time `t`.

    Args:
        game, options: a game or its id, and options, a mapping, or None for the defaults.
        opponents: the players of the other teams: a `Pool`, or agents that are drawn with equal probability.
        num_envs: the number of parallel games.
        seed: the seed of deals, seats and opponents; equal seeds and actions give equal games.
        reward_scale: a factor for rewards.
        threads: threads of the batch.
        mates: the index in the pool of the agent that plays the learner's partners (None: drawn as for other teams).

    Copies (`copy.copy`, `copy.deepcopy`, `pickle`, `cloudpickle`) are independent and continue exactly from the same state.

    Raises:
        ValueError: see `Pool`.
    """

    def __init__(
        self,
        game: Game | str,
        options: Options | Mapping[str, Any] | None,
        opponents: Pool | Sequence[Agent],
        num_envs: int = 256,
        seed: int = 0,
        reward_scale: float = 1.0,
        threads: int = 1,
        mates: int | None = None,
    ) -> None:
        game, options = envs.resolve(game, options)
        self.render_mode = None
        self.games = SeatGames(game, options, _pool(game, opponents), num_envs, seed, threads, Seating(mates=mates))
        self.reward_scale = np.float32(reward_scale)
        self._actions = np.zeros(num_envs, np.int64)
        self._start = time.time()
        super().__init__(
            num_envs, spaces.Box(*game.observation_bounds(options), dtype=np.float32), spaces.Discrete(self.batch.num_actions)
        )

    @property
    def batch(self) -> Batch:
        """The games."""
        return self.games.batch

    @property
    def dropped(self) -> int:
        """Games that ended before the learner decided anything."""
        return self.games.dropped

    def set_opponents(self, opponents: Pool | Sequence[Agent]) -> None:
        """Replace the pool. Games in progress continue with the agents that now have the same indices; keep the index of the
        learner's team mates the same.

        Raises:
            ValueError: see `Pool`.
        """
        self.games.set_pool(_pool(self.batch.game, opponents))

    # --- the interface of Stable-Baselines3 ---

    def reset(self) -> np.ndarray:
        """Start all games anew; `seed(n)` before it seeds deals, seats and opponents."""
        self.games.reset(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        return self.batch.observation.copy()

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        games = self.games
        games.step(self._actions)
        infos: list[dict[str, Any]] = [{}] * self.num_envs
        now = round(time.time() - self._start, 6)
        for row, total, decisions in games.ended:
            infos[row] = {"episode": {"r": total, "l": decisions, "t": now}}
        return self.batch.observation.copy(), games.rewards * self.reward_scale, games.dones, infos

    def action_masks(self) -> np.ndarray:
        """bool [N, A], the masks of the latest observations."""
        return self.batch.action_mask.astype(np.bool_)

    def close(self) -> None:
        self.batch.close()

    def __copy__(self) -> SelfPlayVecEnv:
        return copy.deepcopy(self)  # a shallow copy would share the batch and play the same games

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        value = getattr(self, attr_name)
        return [value] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("the games of a SelfPlayVecEnv have no attributes of their own")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> Any:
        if method_name != "action_masks":
            raise AttributeError(f"the games of a SelfPlayVecEnv have no method {method_name!r}, only 'action_masks'")
        return self.action_masks() if indices is None else self.action_masks()[self._indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * len(self._indices(indices))

    def _indices(self, indices: Any) -> Any:
        return list(self._get_indices(indices))

    # --- saving ---

    def save_state(self) -> dict[str, np.ndarray]:
        """The complete state, except the pool, as numpy arrays for `load_state`."""
        return self.games.save_state()

    def load_state(self, arrays: dict[str, np.ndarray], places: int | None = None) -> np.ndarray:
        """Continue from the saved state of an environment made with the same arguments; returns the observations.

        Args:
            arrays: the state, from `save_state`.
            places: the size of its pool, if larger than the current pool; follow with `set_opponents`.

        Raises:
            ValueError: the arrays are not a state of such an environment; nothing has changed.
        """
        self.games.load_state(arrays, places)
        return self.batch.observation.copy()


def _pool(game: Game, opponents: Pool | Sequence[Agent]) -> Pool:
    return opponents if isinstance(opponents, Pool) else Pool(game, opponents)
