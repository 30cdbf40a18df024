"""One learner's seat in many compiled games as a PufferLib environment (interface of version 3.0).

    from wilddeck.frameworks.pufferlib import SeatPuffer

    env = SeatPuffer("tennis_v0", num_envs=1024, opponents="random")

PufferLib does not build on the machines that test this suite; tests replace its base class with a stub.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pufferlib
from gymnasium import spaces

from .. import envs
from ..agents.base import Agent
from ..envs.core.game import Game
from ..seats.config import SeatConfig, SeatSpaces
from ..seats.vector import seated_games


class SeatPuffer(pufferlib.PufferEnv):
    """`num_envs` games, each from one seat and each a PufferLib agent, written into its buffers.

    PufferLib does not support action masks, so an observation is the seat's vector followed by the mask (float32 [D + A]): a
    policy splits off the last A entries. The next game begins in the step that ends one. `infos` has the mean return and length
    of the games that ended in the step.

    Args:
        game, num_envs, opponents, seat, threads, parameters: as in `wilddeck.seats.vector.SeatVectorEnv`, but masks are always
            in the observation, and an illegal action ends the game unless `illegal="raise"`.
        buf: PufferLib's shared buffers.
        seed: seeds all games.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1024,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: str | int = "random",
        threads: int = 1,
        buf: Any = None,
        seed: int | None = None,
        **parameters: Any,
    ) -> None:
        config, options = SeatConfig.split({"illegal": "penalty", **parameters}, ["mask", "sandbox", "history"], seat=seat)
        game, checked = envs.resolve(game, options)
        self._spaces = SeatSpaces(game, checked, config)
        low, high = game.observation_bounds(checked)
        mask = np.zeros(game.num_actions(checked), np.float32)
        self.single_observation_space = spaces.Box(np.append(low, mask), np.append(high, mask + 1), dtype=np.float32)
        self.single_action_space = self._spaces.action
        self.num_agents = num_envs
        super().__init__(buf)
        self.games = seated_games(game, checked, num_envs, opponents, config, threads)
        self._size, self._seed = len(low), seed

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, list[dict[str, float]]]:
        """Start all games anew."""
        self.games.reset(self._seed if seed is None else seed)
        self._write_observations()
        return self.observations, []

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        """Play an action in every game."""
        games = self.games
        games.step(np.asarray(actions).reshape(-1))
        self._write_observations()
        self.rewards[:], self.truncations[:] = games.rewards, games.truncated
        self.terminals[:] = games.dones & ~games.truncated
        infos = []
        if games.ended:
            _, returns, lengths = np.mean(games.ended, axis=0)
            infos.append({"episode_return": float(returns), "episode_length": float(lengths)})
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def close(self) -> None:
        self.games.batch.close()

    def _write_observations(self) -> None:
        self.observations[:, : self._size] = self.games.batch.observation
        self.observations[:, self._size :] = self.games.batch.action_mask
