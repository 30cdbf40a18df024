"""One learner's seat in many games at once as a Gymnasium vector environment, in compiled code.

    envs = gymnasium.make_vec("wilddeck/tennis-v0", num_envs=256, opponents="rules", seat="random")

It does what a `SyncVectorEnv` of `agents.single_seat.SingleSeatEnv` does, a hundred times as fast.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space

from .. import envs
from ..agents.base import Agent
from ..agents.single_seat import SeatSpaces, seated_opponents
from ..envs.core.batch import fresh_seed
from ..envs.core.game import Game
from .opponents import Pool
from .seats import SeatGames

try:
    from gymnasium.vector import AutoresetMode

    SAME_STEP: Any = AutoresetMode.SAME_STEP
except ImportError:  # before Gymnasium 1.1
    SAME_STEP = "SameStep"


class SeatVectorEnv(gymnasium.vector.VectorEnv):
    """`num_envs` games as one seat lives them: a step is the learner's action in each, and all that the others do until it is
    asked again. A finished game is followed by the next in the same step (`metadata["autoreset_mode"]`).

    Observations are the seat's vectors (float32 [N, D]), rewards what the seat earned since its last action (float64 [N]),
    terminations and truncations bool [N]. Which actions are legal (int8 [N, A]) stands in `infos["action_mask"]`, and the
    learner's seat in `infos["seat"]` (int64 [N]); `action_masks()` gives the masks as bool. Where games ended,
    `infos["final_obs"]` holds what the seat saw at last, and `infos["final_info"]` its seat then. All arrays are fresh.

    Args:
        game: a game or its id.
        num_envs: games at once.
        opponents: an agent or its spec for all other seats, or a list of one for each, clockwise from the learner; agents that
            play batches (random, rules, trained, weights files).
        seat: "random" (drawn for each game), "rotate" (the next seat with each game, row i begins with seat i) or a seat.
        mask: where the masks are shown: "info", or "observation", which is a `Dict` of "observation" and "action_mask" then.
        illegal: what an illegal action does: "raise" an error and change nothing; "penalty": end the game, with a reward that
            makes the seat's return the least that the game can pay.
        threads: the games are played on.
        render_mode: None, as there is no picture of many games.
        trust: load opponents from files that can run code (`.zip`).
        options: of the game.

    Raises:
        ValueError: an unknown game, option, opponent, seat, mask or illegal, an opponent that plays no batches, or not one
            opponent a seat.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": SAME_STEP}  # noqa: RUF012 - Gymnasium's declaration

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: str | int = "random",
        mask: str = "info",
        illegal: str = "raise",
        threads: int = 1,
        render_mode: None = None,
        trust: bool = False,
        **options: Any,
    ) -> None:
        found, checked = envs.resolve(game, options)
        if render_mode is not None:
            raise ValueError(f"render_mode={render_mode!r} is not allowed; allowed: None (many games have no picture)")
        self.game, self.options, self.render_mode = found, checked, None
        self._spaces = SeatSpaces(found, checked, seat, mask, illegal)
        agents = seated_opponents(opponents, found, checked, trust=trust)
        own = list(dict.fromkeys(agents))
        clockwise = np.array([own.index(agent) for agent in agents], np.int64)
        self.games = SeatGames(
            *(found, checked, Pool(found, own), num_envs, fresh_seed(), threads, seat),
            clockwise=clockwise,
            illegal=illegal,
            keep_final=True,
        )
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = self._spaces.observation, self._spaces.action
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._begun = False

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start all games anew, each at the learner's first decision.

        Args:
            seed: fixes all games from here on, and what the opponents do; row i begins with the deal that `seed + i` gives.
            options: none here.

        Raises:
            ValueError: options were given, a bad seed, or the learner gets to act in no game.
        """
        if options:
            raise ValueError(f"options {sorted(options)} are not allowed here; decks are given to one game at a time")
        super().reset(seed=seed if seed is None else int(seed) % 2**32)
        self.games.reset(fresh_seed() if seed is None else seed)
        self._begun = True
        return self._observation(), self._infos()

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learner's action in every game, then the others.

        Raises:
            ValueError: wrong shape or dtype, or an illegal action (the message names the row) unless `illegal="penalty"`; no
                game has changed then.
            gymnasium.error.ResetNeeded: before the first `reset`.
        """
        if not self._begun:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        seats = self.games.seat.copy()
        self.games.step(np.asarray(actions))
        infos = self._infos()
        dones = self.games.dones
        if dones.any():
            final = np.full(self.num_envs, None, object)
            masks = np.zeros_like(infos["action_mask"])
            for row in np.flatnonzero(dones):
                final[row] = self._spaces.shown(self.games.final[row].copy(), masks[row])
            told = {
                "seat": np.where(dones, seats, 0),
                "_seat": dones.copy(),
                "action_mask": masks,
                "_action_mask": dones.copy(),
            }
            infos |= {"final_obs": final, "_final_obs": dones.copy(), "final_info": told, "_final_info": dones.copy()}
        rewards = self.games.rewards.astype(np.float64)
        truncated = dones & self.games.truncated
        return self._observation(), rewards, dones & ~truncated, truncated, infos

    def action_masks(self) -> np.ndarray:
        """bool [N, A], True where legal."""
        return self.games.batch.action_mask.astype(np.bool_)

    def close_extras(self, **kwargs: Any) -> None:
        self.games.batch.close()

    def __copy__(self) -> SeatVectorEnv:
        return copy.deepcopy(self)  # two that share a batch would play the same games

    def _observation(self) -> Any:
        batch = self.games.batch
        return self._spaces.shown(batch.observation.copy(), batch.action_mask.astype(np.int8))

    def _infos(self) -> dict[str, Any]:
        told = {"action_mask": self.games.batch.action_mask.astype(np.int8), "seat": self.games.seat.copy()}
        return _with_flags(told, np.ones(self.num_envs, np.bool_))


def _with_flags(infos: dict[str, Any], flags: np.ndarray) -> dict[str, Any]:
    """Infos as Gymnasium's vectors give them: beside each, under its name with a `_`, which games have it."""
    return infos | {f"_{name}": flags.copy() for name in infos}
