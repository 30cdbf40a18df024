"""One learner's seat in many parallel games as a Gymnasium vector environment, in compiled code.

    envs = gymnasium.make_vec("wilddeck/tennis-v0", num_envs=256, opponents="rules", seat="random")

It behaves like a `SyncVectorEnv` of `single_seat.SingleSeatEnv`, but is 30 to 80 times as fast on one CPU core against random
opponents. The gain is smaller if the opponents' decisions take most of the time, as those of `rules` do.
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
from ..envs.core.batch import check_seed, fresh_seed
from ..envs.core.game import Game, Options
from ..envs.core.tokens import last_tokens
from .config import SeatConfig, SeatSpaces, seated_opponents
from .opponents import Pool
from .seat_games import SeatGames, Seating

try:
    from gymnasium.vector import AutoresetMode

    _MODES: dict[str, Any] = {mode.name.lower(): mode for mode in AutoresetMode}
except ImportError:  # before Gymnasium 1.1
    _MODES = {"same_step": "SameStep", "next_step": "NextStep", "disabled": "Disabled"}


class SeatVectorEnv(gymnasium.vector.VectorEnv):
    """`num_envs` games, each from one seat: a step plays the learner's action in each, then the other seats until it is the
    learner's turn again.

    Observations are the seats' vectors (float32 [N, D]), rewards what the seat earned since its last action (float64 [N]),
    terminations and truncations bool [N]. Masks of legal actions are `infos["action_mask"]` (int8 [N, A]) and, as bool,
    `action_masks()`; the learner's seats are `infos["seat"]` (int64 [N]). With `history=K`, `infos["history"]` (int32
    [N, K, 6]) and `infos["history_length"]` (int64 [N]) are what the seat has perceived. All arrays are new.

    The next game begins in the step that ends one; `infos["final_obs"]` then has the seat's last observation, and
    `infos["final_info"]` its seat. With `autoreset="next_step"` the next game begins in the following step, which ignores the
    action; until then no action is legal and histories are empty. With `autoreset="disabled"` a finished game remains, and no
    game can be stepped, until `reset(options={"reset_mask": ...})` begins the next in its row.

    Args:
        game: a game or its id.
        num_envs: the number of parallel games.
        opponents: an agent or agent string for all other seats, or a list with one for each, clockwise from the learner; only
            agents that play batches (random, rules, trained, weights files).
        seat: "random" (drawn for each game), "rotate" (the next seat with each game, row i starts with seat i) or a seat.
        autoreset: "same_step", "next_step" or "disabled", Gymnasium's three modes.
        threads: the number of threads.
        render_mode: None: many games cannot be rendered.
        **parameters: mask ("info" or "observation"), illegal ("raise" or "penalty"), history and trust, see `SeatConfig`; and
            options of the game.

    Raises:
        ValueError: a game, option, opponent or parameter is unknown or not allowed, an opponent cannot play batches, or the
            number of opponents is wrong.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": _MODES["same_step"]}  # noqa: RUF012 - Gymnasium's
    closed = True  # until made: Gymnasium before 1.4 also closes environments whose constructor failed

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: str | int = "random",
        autoreset: str = "same_step",
        threads: int = 1,
        render_mode: None = None,
        **parameters: Any,
    ) -> None:
        config, options = SeatConfig.split(parameters, ["sandbox"], seat=seat)
        self.game, self.options = envs.resolve(game, options)
        if render_mode is not None:
            raise ValueError(f"render_mode={render_mode!r} is not allowed; allowed: None (many games cannot be rendered)")
        if autoreset not in _MODES:
            raise ValueError(f"autoreset={autoreset!r} is not allowed; allowed: {', '.join(_MODES)}")
        self.render_mode = None
        self.metadata = {**self.metadata, "autoreset_mode": _MODES[autoreset]}
        self._autoreset = autoreset
        self._spaces, self._history = SeatSpaces(self.game, self.options, config), config.history
        self.games = seated_games(self.game, self.options, num_envs, opponents, config, threads)
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = self._spaces.observation, self._spaces.action
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.closed, self._begun, self._over = False, False, np.zeros(num_envs, np.bool_)
        self._played = self.games.seat.copy()  # the learner's seats in the last step

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin new games in all rows or in some, and play each to the learner's first decision.

        Args:
            seed: one integer that seeds all games and opponents from here on; row i begins with the deal of `seed + i`
                (independent seeds: `wilddeck.spawn_seeds`).
            options: `{"reset_mask": mask}`, bool [N]: begin the next game only in rows that are True, whether or not their game
                is over. Not with a seed.

        Raises:
            ValueError: the options, the mask or the seed is invalid, a mask is combined with a seed, or the learner gets to act
                in no game. No game has changed.
            gymnasium.error.ResetNeeded: a mask before the first `reset` of all games.
        """
        if isinstance(seed, (list, tuple, np.ndarray)):
            raise ValueError(f"seed is one integer for all games, not {seed!r}; row i begins with the deal of seed + i")
        rest = dict(options or {})
        mask = rest.pop("reset_mask", None)
        if rest:
            raise ValueError(
                f"options {sorted(rest)} are not allowed here; allowed: reset_mask (decks need the single environment)"
            )
        if mask is not None:
            self._restart(mask, seed)
            return self._observation(), self._infos()
        checked = fresh_seed() if seed is None else check_seed(seed)
        super().reset(seed=None if seed is None else checked % 2**32)
        self.games.reset(checked)
        self._begun, self._over = True, np.zeros(self.num_envs, np.bool_)
        return self._observation(), self._infos()

    def _restart(self, mask: Any, seed: Any) -> None:
        """Begin the next game in the rows of a mask; where a game has ended, the next is already dealt."""
        array = np.asarray(mask)
        if array.dtype != np.bool_ or array.shape != (self.num_envs,) or not array.any():
            raise ValueError(f"reset_mask must be bool of shape {(self.num_envs,)} with a True in it, not {mask!r}")
        if seed is not None:
            raise ValueError("reset_mask cannot be combined with a seed, which restarts all games")
        if not self._begun:
            raise gymnasium.error.ResetNeeded("call reset() for all games before a reset with reset_mask")
        self.games.restart(np.flatnonzero(array & ~self._over))
        self._over = self._over & ~array

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learner's action in every game, then the other seats.

        Raises:
            ValueError: shape or dtype is wrong, or an action is illegal with `illegal="raise"` (the message names the row); no
                game has changed.
            gymnasium.error.ResetNeeded: before the first `reset`, or with `autoreset="disabled"` while a game is over.
        """
        if not self._begun:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        if self._autoreset == "disabled" and self._over.any():
            rows = np.flatnonzero(self._over)[:8].tolist()
            raise gymnasium.error.ResetNeeded(f'games are over, in rows {rows}: call reset(options={{"reset_mask": ...}})')
        seats, going_on = self.games.seat.copy(), np.flatnonzero(~self._over)
        array = np.asarray(actions)
        if array.shape != (self.num_envs,):
            raise ValueError(f"actions must be integers of shape {(self.num_envs,)}, not {array.dtype} of shape {array.shape}")
        self.games.step(array[going_on], going_on)
        dones = self.games.dones
        same_step = self._autoreset == "same_step"
        if not same_step:
            self._over = dones.copy()
        self._played = seats
        infos = self._infos()
        if dones.any() and same_step:
            final = np.full(self.num_envs, None, object)
            masks = np.zeros_like(infos["action_mask"])
            for row in np.flatnonzero(dones):
                final[row] = self._spaces.entry(self.games.final[row].copy(), masks[row])
            last = _with_flags({"action_mask": masks, "seat": np.where(dones, seats, 0)}, dones)
            infos |= _with_flags({"final_obs": final, "final_info": last}, dones)
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
        return copy.deepcopy(self)  # a shallow copy would share the batch and play the same games

    def _observation(self) -> Any:
        observation = self.games.batch.observation.copy()
        observation[self._over] = self.games.final[self._over]
        return self._spaces.entry(observation, self.action_masks().astype(np.int8))

    def _infos(self) -> dict[str, Any]:
        seat = np.where(self._over, self._played, self.games.seat)
        infos = {"action_mask": self.action_masks().astype(np.int8), "seat": seat}
        if self._history:
            batch = self.games.batch
            shown = last_tokens(batch.history, batch.history_length, np.arange(self.num_envs), self._history)
            infos["history"], infos["history_length"] = shown
            for array in shown:
                array[self._over] = 0
        return _with_flags(infos, np.ones(self.num_envs, np.bool_))


def seated_games(
    game: Game,
    options: Options,
    num_envs: int,
    opponents: str | Agent | Sequence[str | Agent],
    config: SeatConfig,
    threads: int = 1,
) -> SeatGames:
    """`SeatGames` with these opponents clockwise from the learner, and a random seed; arguments as in `SeatVectorEnv`."""
    agents = seated_opponents(opponents, game, options, config)
    own = {id(agent): agent for agent in agents}  # by id, because agents may not be hashable
    clockwise = np.array([list(own).index(id(agent)) for agent in agents], np.int64)
    seating = Seating(config.seat, clockwise)
    pool = Pool(game, list(own.values()), history=config.history)
    return SeatGames(game, options, pool, num_envs, fresh_seed(), threads, seating, config.illegal)


def _with_flags(infos: dict[str, Any], flags: np.ndarray) -> dict[str, Any]:
    """Infos in Gymnasium's vector format: each with an array, named with a `_` in front, of which games have it."""
    return infos | {f"_{name}": flags.copy() for name in infos}
