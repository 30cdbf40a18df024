"""Self-play as a Stable-Baselines3 vector environment: one learner's seat a game, the others played by a pool of agents.

Needs the extra `train`.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from .. import envs
from ..agents.base import Agent
from ..envs.core.batch import Batch, check_seed, noise_counters
from ..envs.core.files import read_json
from ..envs.core.game import Game, Options
from .checkpoint import generator_of
from .extra import VecEnv
from .opponents import Pool


class SelfPlayVecEnv(VecEnv):
    """`num_envs` games over one compiled batch, each waiting for the learner whenever `step` returns.

    In every game the learner has one seat, drawn anew a game; each other team is played by one agent drawn from the pool,
    on all its seats (a seat alone is a team of one). The learner's team mates are played by the agent at `mates`.
    A reward is all that the learner's seat earned from one of its decisions to its next, whoever moved, or to the end of the
    game. What it earned before its first decision comes with that decision's reward, so that the rewards of an episode add
    up to the seat's return. Games that end before the learner decides anything are dropped and counted.

    Observations are the seat's own view (float32 [N, D]), masks come from `env_method("action_masks")` (bool [N, A]) and
    belong to the observations returned last. The arrays returned are fresh and never written again. A finished game is
    followed by the next in the same step; its last observation is not kept (games end by their rules, so nothing is to be
    bootstrapped), and its info holds `episode`: return `r` (in the game's own units), decisions `l` and time `t`.

    Args:
        game, options: what is played: a game or its id, and options, a mapping, or None for the defaults.
        opponents, weights: the pool, and how likely each is drawn for a team of a game (see `Pool`).
        num_envs: games at once.
        seed: of deals, seats and opponents; equal seeds and actions give equal games.
        reward_scale: rewards are multiplied by it.
        threads: of the batch.
        mates: the place in the pool of the agent that plays the learner's team mates (None: drawn as for the other teams).

    Copies (`copy.copy`, `copy.deepcopy`, `pickle`, `cloudpickle`) are independent and go on exactly where the original stands.

    Raises:
        ValueError: see `Pool`.
    """

    def __init__(
        self,
        game: Game | str,
        options: Options | Mapping[str, Any] | None,
        opponents: Sequence[Agent],
        weights: Sequence[float] | None = None,
        num_envs: int = 256,
        seed: int = 0,
        reward_scale: float = 1.0,
        threads: int = 1,
        mates: int | None = None,
    ) -> None:
        game, options = envs.resolve(game, options)
        self.render_mode = None
        self.batch = Batch(game, options, num_envs, seed, threads)
        self.reward_scale = np.float32(reward_scale)
        self.mates = mates
        self.dropped = 0
        self.pool = Pool(game, opponents, weights)
        self._team = game.team_of(options)
        self._rng = np.random.default_rng(check_seed(seed))
        self._seat = np.zeros(num_envs, np.int64)
        self._opponent = np.zeros((num_envs, self.batch.num_players), np.int64)  # the pool's index by seat
        self._earned = np.zeros(num_envs, np.float32)  # by the learner since its last decision, or since the deal
        self._ended = np.zeros(num_envs, np.uint8)
        self._noise = noise_counters(seed, num_envs)  # of the opponents in compiled code
        self._return = np.zeros(num_envs)
        self._decisions = np.zeros(num_envs, np.int64)
        self._actions = np.zeros(num_envs, np.int64)
        self._start = time.time()
        super().__init__(
            num_envs,
            spaces.Box(*game.observation_bounds(options), dtype=np.float32),
            spaces.Discrete(self.batch.num_actions),
        )

    def set_opponents(self, opponents: Sequence[Agent], weights: Sequence[float] | None = None) -> None:
        """Replace the pool. Seats of games in progress go on with the agent that now has their place in it; keep the place
        of the learner's team mates the same.

        Raises:
            ValueError: see `Pool`.
        """
        self.pool = Pool(self.batch.game, opponents, weights)
        self._opponent %= len(self.pool)

    # --- what Stable-Baselines3 asks for ---

    def reset(self) -> np.ndarray:
        """Start all games anew; `seed(n)` before it takes deals, seats and opponents from n."""
        if self._seeds[0] is not None:
            self._rng = np.random.default_rng(self._seeds[0])
        start = int(self._rng.integers(0, 2**63))
        self.batch.reset(start)
        self._noise[:] = noise_counters(start, self.num_envs)
        self._new_games(np.arange(self.num_envs))
        self._rewards = np.zeros(self.num_envs, np.float32)
        self._dones = np.ones(self.num_envs, np.bool_)  # a game that ends before the first decision is dropped
        self._infos: list[dict[str, Any]] = [{}] * self.num_envs
        self._play_opponents()
        self._reset_seeds()
        self._reset_options()
        return self.batch.observation.copy()

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        self._rewards = np.zeros(self.num_envs, np.float32)
        self._dones = np.zeros(self.num_envs, np.bool_)
        self._infos = [{}] * self.num_envs
        self._decisions += 1
        self.batch.step(self._actions)
        self._settle(np.arange(self.num_envs))
        self._play_opponents()
        going_on = ~self._dones
        self._rewards[going_on] = self._earned[going_on]
        self._return[going_on] += self._earned[going_on]
        self._earned[going_on] = 0
        return self.batch.observation.copy(), self._rewards * self.reward_scale, self._dones, self._infos

    def action_masks(self) -> np.ndarray:
        """bool [N, A], of the observations returned last."""
        return self.batch.action_mask.astype(np.bool_)

    def close(self) -> None:
        self.batch.close()

    def __copy__(self) -> SelfPlayVecEnv:
        return copy.deepcopy(self)  # two that share a batch would play the same games

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

    # --- the games ---

    def _play_opponents(self) -> None:
        """Play until it is the learner's turn in every game."""
        batch, pool = self.batch, self.pool
        while True:
            rows = np.flatnonzero(batch.current_player != self._seat)
            if not rows.size:
                return
            pool.play(batch, rows, self._seat, self._opponent, self._noise, self._earned, self._ended)
            self._end_games(rows[self._ended[rows] != 0])
            rows = np.flatnonzero(batch.current_player != self._seat)
            which = self._opponent[rows, batch.current_player[rows]]
            asked = pool.codes[which] < 0
            if asked.any():
                rows = rows[asked]
                actions = pool.actions(which[asked], batch.observation[rows], batch.action_mask[rows], self._rng)
                batch.step(actions, rows)
                self._settle(rows)

    def _settle(self, rows: np.ndarray) -> None:
        """Credit the learner with what the step of these rows brought it."""
        batch = self.batch
        self._earned[rows] += batch.rewards[rows, self._seat[rows]]
        self._end_games(rows[batch.terminated[rows] | batch.truncated[rows]])

    def _end_games(self, ended: np.ndarray) -> None:
        """Report the games of these rows, which have just ended, and begin the next."""
        if not ended.size:
            return
        played = ended[~self._dones[ended]]
        self.dropped += ended.size - played.size
        self._dones[played] = True
        self._rewards[played] = self._earned[played]
        self._return[played] += self._earned[played]
        now = round(time.time() - self._start, 6)
        for row in played:
            self._infos[row] = {"episode": {"r": float(self._return[row]), "l": int(self._decisions[row]), "t": now}}
        self._new_games(ended)

    def _new_games(self, rows: np.ndarray) -> None:
        players = self.batch.num_players
        self._earned[rows] = 0
        self._return[rows] = 0
        self._decisions[rows] = 0
        self._seat[rows] = self._rng.integers(0, players, rows.size)
        by_team = self.pool.draw(self._rng, (rows.size, self._team.max() + 1))
        if self.mates is not None:
            by_team[np.arange(rows.size), self._team[self._seat[rows]]] = self.mates
        self._opponent[rows] = by_team[:, self._team]

    # --- going on later ---

    def save_state(self) -> dict[str, np.ndarray]:
        """All that decides how the games go on, except the pool: numpy arrays, for `load_state`."""
        arrays = {name: getattr(self, f"_{name}").copy() for name in _STATE}
        arrays["states"] = np.frombuffer(self.batch.states.tobytes(), np.uint8)
        arrays["rng"] = np.frombuffer(json.dumps(self._rng.bit_generator.state).encode(), np.uint8)
        arrays["dropped"] = np.array([self.dropped])
        return arrays

    def load_state(self, arrays: dict[str, np.ndarray], places: int | None = None) -> np.ndarray:
        """Go on from a saved state of an environment made with the same arguments; returns the observations.

        Args:
            places: how many agents its pool had, if more than this one has, which `set_opponents` is to replace then.

        Raises:
            ValueError: the arrays are not what such an environment saves; nothing has changed then.
        """
        own = self.save_state()
        for name, array in own.items():
            found = arrays.get(name)
            if found is None or found.dtype != array.dtype or (found.shape != array.shape and name != "rng"):
                raise ValueError(f"{name!r} must be {array.dtype} {list(array.shape)}")
        for name, least, most in (
            ("seat", 0, self.batch.num_players - 1),
            ("opponent", 0, (places or len(self.pool)) - 1),
            ("decisions", 0, _MOST),
            ("dropped", 0, _MOST),
            ("earned", -_MOST, _MOST),
            ("return", -_MOST, _MOST),
        ):
            if not ((arrays[name] >= least) & (arrays[name] <= most)).all():
                raise ValueError(f"{name!r} is not within {least}..{most}")
        states = np.frombuffer(arrays["states"].tobytes(), self.batch.game.state)
        if (np.asarray(states["current_player"]) != arrays["seat"]).any():
            raise ValueError("it is not the learner's turn in every game")
        rng = generator_of(read_json(arrays["rng"].tobytes()))
        self.batch.restore(states)
        self._rng = rng
        self.dropped = int(arrays["dropped"][0])
        for name in _STATE:
            getattr(self, f"_{name}")[:] = arrays[name]
        return self.batch.observation.copy()


_MOST = 2**53  # whole numbers up to it are floats exactly
_STATE = ("seat", "opponent", "noise", "earned", "return", "decisions")
