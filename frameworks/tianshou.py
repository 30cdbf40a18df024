"""One learner's seat in many compiled games as a Tianshou vector environment, for its collectors and trainers.

    from wilddeck.frameworks.tianshou import SeatVenv

    collector = Collector(policy, SeatVenv("tennis_v0", num_envs=256, opponents="random"), buffer)

Needs tianshou (2.0).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from tianshou.data import Batch as TianshouBatch
from tianshou.env import BaseVectorEnv

from .. import envs
from ..agents.base import Agent
from ..envs.core.batch import check_seed
from ..envs.core.game import Game
from ..seats.config import SeatConfig, SeatSpaces
from ..seats.vector import seated_games


class SeatVenv(BaseVectorEnv):
    """`num_envs` games, each from one seat. Observations are Tianshou's batches of `obs` (float32 [M, D]) and `mask` (int8
    [M, A]), with which its value-based learners (DQN and its variants) choose only legal actions. A reward is everything that
    the seat earned since its last action. After the end of a game the observation is the seat's last, and `reset` begins the
    next game.

    Args:
        game: a game or its id.
        num_envs, opponents, seat, threads, parameters: as in `wilddeck.seats.vector.SeatVectorEnv`, except `mask`.
            Collecting with `random=True` ignores masks and needs `illegal="penalty"`.
        seed: seeds all games; `reset(seed=...)` and `seed(...)` reseed them.

    Raises:
        ValueError: a parameter is not allowed; in `step`, an action is illegal, unless `illegal="penalty"`.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 256,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: str | int = "random",
        seed: int | None = None,
        threads: int = 1,
        **parameters: Any,
    ) -> None:
        config, options = SeatConfig.split(parameters, ["mask", "sandbox", "history"], seat=seat)
        game, checked = envs.resolve(game, options)
        self._spaces = SeatSpaces(game, checked, config)
        self.games = seated_games(game, checked, num_envs, opponents, config, threads)
        # Attributes of Tianshou's own vector environments, which have one worker per game.
        self.env_num = num_envs
        self.workers: list[Any] = []
        self.is_async = self.is_closed = False
        self.waiting_id: list[int] = []
        self.ready_id = list(range(num_envs))
        self._over = np.zeros(num_envs, np.bool_)
        self.seed(seed)

    def get_env_attr(self, key: str, id: Any = None) -> list[Any]:
        spaces = {"action_space": self._spaces.action, "observation_space": self._spaces.observation}
        return [spaces.get(key)] * len(self._wrap_id(id))

    def seed(self, seed: Any = None) -> list[Any]:
        """Seed all games, from their next reset on; of several seeds the first is used."""
        first = seed[0] if isinstance(seed, (list, tuple, np.ndarray)) else seed
        self._seed, self._from_seed = None if first is None else check_seed(first), True
        return [first]

    def reset(self, env_id: Any = None, seed: Any = None, **kwargs: Any) -> tuple[Any, np.ndarray]:
        """Begin the next game in some rows, or in all."""
        if seed is not None:
            self.seed(seed)
        rows = np.asarray(self._wrap_id(env_id), np.int64)
        if self._from_seed and env_id is None:
            self.games.reset(self._seed)
            self._from_seed = False
        else:  # the next games have already begun in rows that are over
            self.games.restart(np.sort(rows[~self._over[rows]]))
        self._over[rows] = False
        return self._seen(rows), self._infos(rows)

    def step(self, action: Any, id: Any = None) -> tuple[Any, ...]:
        rows = np.asarray(self._wrap_id(id), np.int64)
        order = np.argsort(rows)
        self.games.step(np.asarray(action)[order], rows[order])
        self._over[rows] = self.games.dones[rows]
        over, truncated = self.games.dones[rows], self.games.truncated[rows]
        return self._seen(rows), self.games.rewards[rows].astype(np.float64), over & ~truncated, truncated, self._infos(rows)

    def close(self) -> None:
        self.games.batch.close()
        self.is_closed = True

    def _seen(self, rows: np.ndarray) -> TianshouBatch:
        over = self._over[rows]
        seen, legal = self.games.batch.observation[rows], self.games.batch.action_mask[rows].astype(np.int8)
        seen[over], legal[over] = self.games.final[rows[over]], 0
        return TianshouBatch(obs=seen, mask=legal)

    def _infos(self, rows: np.ndarray) -> np.ndarray:
        return np.array([{"env_id": int(row)} for row in rows], object)
