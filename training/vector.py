"""One learner's seat in many games at once as a Gymnasium vector environment, in compiled code.

    envs = gymnasium.make_vec("wilddeck/tennis-v0", num_envs=256, opponents="rules", seat="random")

It does what a `SyncVectorEnv` of `agents.single_seat.SingleSeatEnv` does, 30 to 80 times as fast on one processor against
random opponents. Where the opponents' own decisions take most of the time, as the rules' do, it gains less.
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
from ..envs.core.game import Game, Options
from .opponents import Pool
from .seats import SeatGames

try:
    from gymnasium.vector import AutoresetMode

    _MODES: dict[str, Any] = {"same_step": AutoresetMode.SAME_STEP, "next_step": AutoresetMode.NEXT_STEP}
except ImportError:  # before Gymnasium 1.1
    _MODES = {"same_step": "SameStep", "next_step": "NextStep"}


class SeatVectorEnv(gymnasium.vector.VectorEnv):
    """`num_envs` games as one seat lives them: a step is the learner's action in each, and all that the others do until it is
    asked again.

    Observations are the seat's vectors (float32 [N, D]), rewards what the seat earned since its last action (float64 [N]),
    terminations and truncations bool [N]. Which actions are legal (int8 [N, A]) stands in `infos["action_mask"]`, and the
    learner's seat in `infos["seat"]` (int64 [N]); `action_masks()` gives the masks as bool. All arrays are fresh.

    A finished game is followed by the next in the same step; `infos["final_obs"]` holds what the seat saw at last then, and
    `infos["final_info"]` its seat. With `autoreset="next_step"` the next game begins with the following step, whose action
    counts for nothing, and no action is legal before it: Gymnasium's wrappers of observations want it so.

    Args:
        game: a game or its id.
        num_envs: games at once.
        opponents: an agent or its spec for all other seats, or a list of one for each, clockwise from the learner; agents that
            play batches (random, rules, trained, weights files).
        seat: "random" (drawn for each game), "rotate" (the next seat with each game, row i begins with seat i) or a seat.
        mask: where the masks are shown: "info", or "observation", which is a `Dict` of "observation" and "action_mask" then.
        illegal: what an illegal action does: "raise" an error and change nothing; "penalty": end the game, with a reward that
            makes the seat's return the least that the game can pay.
        autoreset: "same_step" or "next_step".
        threads: the games are played on.
        render_mode: None, as there is no picture of many games.
        trust: load opponents from files that can run code (`.zip`).
        options: of the game.

    Raises:
        ValueError: an unknown game, option, opponent, seat, mask, illegal or autoreset, an opponent that plays no batches, or
            not one opponent a seat.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": _MODES["same_step"]}  # noqa: RUF012 - Gymnasium's

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: str | int = "random",
        mask: str = "info",
        illegal: str = "raise",
        autoreset: str = "same_step",
        threads: int = 1,
        render_mode: None = None,
        trust: bool = False,
        **options: Any,
    ) -> None:
        found, checked = envs.resolve(game, options)
        if render_mode is not None:
            raise ValueError(f"render_mode={render_mode!r} is not allowed; allowed: None (many games have no picture)")
        if autoreset not in _MODES:
            raise ValueError(f"autoreset={autoreset!r} is not allowed; allowed: {', '.join(_MODES)}")
        self.game, self.options, self.render_mode = found, checked, None
        self.metadata = {**self.metadata, "autoreset_mode": _MODES[autoreset]}
        self._waits = autoreset == "next_step"
        self._spaces = SeatSpaces(found, checked, seat, mask, illegal)
        self.games = seated_games(found, checked, num_envs, opponents, seat, threads, illegal, trust)
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = self._spaces.observation, self._spaces.action
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._begun, self._over = False, np.zeros(num_envs, np.bool_)

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
        self._begun, self._over = True, np.zeros(self.num_envs, np.bool_)
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
        seats, going_on = self.games.seat.copy(), np.flatnonzero(~self._over)
        array = np.asarray(actions)
        if array.shape != (self.num_envs,):
            raise ValueError(f"actions must be integers of shape {(self.num_envs,)}, not {array.dtype} of shape {array.shape}")
        self.games.step(array[going_on], going_on)
        dones = self.games.dones
        if self._waits:
            self._over = dones.copy()
        infos = self._infos(seats)
        if dones.any() and not self._waits:
            final = np.full(self.num_envs, None, object)
            masks = np.zeros_like(infos["action_mask"])
            for row in np.flatnonzero(dones):
                final[row] = self._spaces.shown(self.games.final[row].copy(), masks[row])
            told = _with_flags({"action_mask": masks, "seat": np.where(dones, seats, 0)}, dones)
            infos |= _with_flags({"final_obs": final, "final_info": told}, dones)
        rewards, truncated = self.games.rewards.astype(np.float64), self.games.truncated.copy()
        return self._observation(), rewards, dones & ~truncated, truncated, infos

    def action_masks(self) -> np.ndarray:
        """bool [N, A], True where legal."""
        masks = self.games.batch.action_mask.astype(np.bool_)
        masks[self._over] = False
        return masks

    def close_extras(self, **kwargs: Any) -> None:
        self.games.batch.close()

    def __copy__(self) -> SeatVectorEnv:
        return copy.deepcopy(self)  # two that share a batch would play the same games

    def _observation(self) -> Any:
        observation = self.games.batch.observation.copy()
        observation[self._over] = self.games.final[self._over]
        return self._spaces.shown(observation, self.action_masks().astype(np.int8))

    def _infos(self, seats: np.ndarray | None = None) -> dict[str, Any]:
        """`seats`: the learner's before the step, which a game that is over still has."""
        shown = self.games.seat.copy() if seats is None else np.where(self._over, seats, self.games.seat)
        told = {"action_mask": self.action_masks().astype(np.int8), "seat": shown}
        return _with_flags(told, np.ones(self.num_envs, np.bool_))


def seated_games(
    game: Game,
    options: Options,
    num_envs: int,
    opponents: str | Agent | Sequence[str | Agent],
    seat: str | int,
    threads: int = 1,
    illegal: str = "raise",
    trust: bool = False,
) -> SeatGames:
    """Games of one learner's seat, whose opponents sit clockwise from it, from a fresh seed; otherwise as `SeatVectorEnv`."""
    agents = seated_opponents(opponents, game, options, trust=trust)
    own = list(dict.fromkeys(agents))
    clockwise = np.array([own.index(agent) for agent in agents], np.int64)
    where = threads, seat, clockwise
    return SeatGames(game, options, Pool(game, own), num_envs, fresh_seed(), *where, illegal=illegal, keep_final=True)


def _with_flags(infos: dict[str, Any], flags: np.ndarray) -> dict[str, Any]:
    """Infos as Gymnasium's vectors give them: beside each, under its name with a `_`, which games have it."""
    return infos | {f"_{name}": flags.copy() for name in infos}
