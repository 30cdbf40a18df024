"""One learner's seat in many parallel games, with a pool of agents in the others: the core of the vector environments."""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np

from ..agents.views import BatchViews
from ..envs.core.batch import Batch, check_seed, noise_counters
from ..envs.core.files import generator_of, read_json
from ..envs.core.game import Game, Options
from .opponents import FORFEIT, PLAYS, TERMINATED, TRUNCATED, UNDECIDED, WAITS, Pool

MAX_DEALS = 1000  # limit of consecutive games in which the learner does not get to act


class Seating(NamedTuple):
    """The seating.

    Attributes:
        seat: the learner's seat: "random" (drawn for each game), "rotate" (the next with each game, row i starts with seat i)
            or a number.
        clockwise: the indices in the pool of the other seats' agents, from the learner's left. None: one agent is drawn for
            each other team (in games without teams a single seat).
        mates: the index in the pool of the agent that plays the learner's team mates (None: drawn as for other teams).
    """

    seat: str | int = "random"
    clockwise: np.ndarray | None = None
    mates: int | None = None


class SeatGames:
    """`num_envs` games over one compiled batch, each waiting for the learner whenever a call returns.

    In every game the learner has one seat; the agents of the others are drawn from the pool or fixed by `clockwise`. A reward
    is everything that the learner's seat earned from one of its decisions to its next or to the end of the game. What it earned
    before its first decision is added to that decision's reward, so that the rewards of an episode sum to the seat's return.
    Games that end before the learner decides anything are dropped and counted.

    Args:
        game, options: the game.
        pool: the opponents.
        num_envs: the number of parallel games.
        seed: the seed of deals, seats and opponents; equal seeds and actions give equal games.
        threads: threads of the batch.
        seating: the seating.
        illegal: "raise", or "penalty": the game ends with a reward that makes the seat's return the game's minimum.

    Attributes:
        batch: the games; whenever a call returns, its observations, masks and histories are the learner's.
        seat: int64 [N], the learner's seats.
        dropped: the number of games without a decision of the learner.
        rewards: float32 [N], the rewards of the last step.
        dones, truncated: bool [N], which games ended in the last step, and which of these by truncation.
        ended: row, return and number of decisions of each game that ended in the last step.
        final: float32 [N, D], the seat's observation at the end of its last game.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        pool: Pool,
        num_envs: int,
        seed: int,
        threads: int = 1,
        seating: Seating | None = None,
        illegal: str = "raise",
    ) -> None:
        self.batch = Batch(game, options, num_envs, seed, threads, pool.history)
        self.pool = pool
        self.dropped = 0
        self._seats = pool.seats(self.batch, seed)._replace(final=np.zeros((num_envs, self.batch.observation_size), np.float32))
        self.final = self._seats.final.copy()
        self._seating = seating or Seating()
        self._forgiving = illegal == "penalty"
        self._least = game.return_range(options)[0]
        self._team = game.team_of(options)
        self._rng = np.random.default_rng(check_seed(seed))
        self._return, self._decisions = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        self._batch_views, self._idle = BatchViews(self.batch), np.zeros(num_envs, np.int64)
        self._games = self._batch_views.games
        self._begin_step()

    @property
    def seat(self) -> np.ndarray:
        """The learner's seats."""
        return self._seats.asked

    def set_pool(self, pool: Pool) -> None:
        """Replace the opponents. Games in progress continue with the agents that now have the same indices in the pool."""
        self.pool = pool
        self._batch_views.keep(pool.agents)
        self._seats = self._seats._replace(codes=pool.codes)
        self._seats.players[:] %= len(pool)

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew; a seed resets the random generators of deals, seats and opponents."""
        if seed is not None:
            self._rng = np.random.default_rng(check_seed(seed))
        start = int.from_bytes(self._rng.bytes(16), "big") if seed is None else check_seed(seed)
        self.batch.reset(start)
        self._seats.noise[:] = noise_counters(start, len(self.batch))
        self._games[:] = np.arange(len(self.batch))
        self._go_to_first_decision(np.arange(len(self.batch)))

    def restart(self, rows: np.ndarray) -> None:
        """Begin the next game in some rows (int64 [M], ascending), whether or not the current one is over."""
        self.batch.restart(rows)
        self._go_to_first_decision(rows)

    def _go_to_first_decision(self, rows: np.ndarray) -> None:
        self._idle[:] = 0
        self._new_games(rows)
        self._begin_step()
        self.dones[:] = True  # a game that ends before the first decision is dropped
        self._play_opponents()
        self.dones[:] = False

    def step(self, actions: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Play the learner's action in every game, then the other seats until it is the learner's turn again.

        The results are in `rewards`, `dones` and `ended`.

        Args:
            actions: integers, one per game; with `rows`, one per row.
            rows: int64 [M], ascending: the games to step. None: all.

        Raises:
            ValueError: shape or dtype is wrong, or an action is illegal with `illegal="raise"`; no game has changed.
        """
        rows = np.arange(len(self.batch)) if rows is None else rows
        self._seats.actions[rows] = self._checked(actions, rows)
        self._seats.status[rows] = PLAYS
        self._begin_step()
        self._decisions[rows] += 1
        self._idle[:] = 0
        self._play(rows)
        self._play_opponents()
        going_on = rows[~self.dones[rows]]
        self._pay(going_on)
        self._seats.earned[going_on] = 0

    def _pay(self, rows: np.ndarray) -> None:
        """Set the rewards: what the learner earned since its last decision, or since the deal."""
        self.rewards[rows] = self._seats.earned[rows, self.seat[rows]]
        self._return[rows] += self.rewards[rows]

    def _begin_step(self) -> None:
        """Make new arrays for the results of a step: the previous ones belong to the caller."""
        n = len(self.batch)
        self.rewards, self.ended = np.zeros(n, np.float32), list[tuple[int, float, int]]()
        self.dones, self.truncated = np.zeros((2, n), np.bool_)

    def _checked(self, actions: np.ndarray, rows: np.ndarray) -> np.ndarray:
        if not self._forgiving:
            return self.batch.checked_actions(actions, rows)
        array = np.asarray(actions)
        if array.shape != rows.shape or array.dtype.kind not in "iu":
            raise ValueError(f"actions must be integers of shape {rows.shape}, not {array.dtype} of shape {array.shape}")
        inside = (array >= 0) & (array < self.batch.num_actions)
        legal = inside & (self.batch.action_mask[rows, np.where(inside, array, 0)] != 0)
        return np.where(legal, array, FORFEIT)

    # --- the games ---

    def _play_opponents(self) -> None:
        """Play until it is the learner's turn in every game."""
        batch, seats = self.batch, self._seats
        while True:
            self._play(np.flatnonzero(seats.status == PLAYS))
            rows = np.flatnonzero((seats.status == WAITS) & (batch.current_player != self.seat))
            if rows.size:
                places = seats.players[rows, batch.current_player[rows]]
                actions = self.pool.actions(self._batch_views, rows, places, self._rng)
                seats.actions[rows] = batch.checked_actions(actions, rows)
                seats.status[rows] = PLAYS
            elif (seats.status == WAITS).all():
                return

    def _play(self, rows: np.ndarray) -> None:
        """Advance these rows, record the games that end, and begin the next ones."""
        seats = self._seats
        self.pool.play(self.batch, rows, seats)
        ended = rows[seats.status[rows] >= TERMINATED]
        if not ended.size:
            return
        lost = ended[seats.actions[ended] == FORFEIT]  # by an illegal action
        seats.earned[lost, self.seat[lost]] = self._least - self._return[lost]
        played = ended[~self.dones[ended]]
        self.dropped += ended.size - played.size
        self.dones[played] = True
        self.final[played] = seats.final[played]
        self.truncated[played] = seats.status[played] == TRUNCATED
        self._pay(played)
        self.ended += zip(played.tolist(), self._return[played].tolist(), self._decisions[played].tolist(), strict=True)
        self._idle[ended] += 1
        if self._idle[ended].max() > MAX_DEALS:
            raise ValueError(f"the learner got to act in none of {MAX_DEALS} games")
        self._new_games(ended)

    def _new_games(self, rows: np.ndarray) -> None:
        players, seats = self.batch.num_players, self._seats
        seats.status[rows], seats.actions[rows], seats.earned[rows] = PLAYS, UNDECIDED, 0
        self._return[rows] = 0
        self._decisions[rows] = 0
        drawn = self._rng.integers(0, players, rows.size)
        by_name = {"random": drawn, "rotate": self._games[rows] % players}
        seat, clockwise, mates = self._seating
        self.seat[rows] = by_name[seat] if isinstance(seat, str) else seat
        self._games[rows] += 1
        if clockwise is not None:
            for k, place in enumerate(clockwise):
                seats.players[rows, (self.seat[rows] + 1 + k) % players] = place
            return
        by_team = self.pool.draw(self._rng, (rows.size, self._team.max() + 1))
        if mates is not None:
            by_team[np.arange(rows.size), self._team[self.seat[rows]]] = mates
        seats.players[rows] = by_team[:, self._team]

    # --- saving ---

    def save_state(self) -> dict[str, np.ndarray]:
        """The complete state, except the pool, as numpy arrays for `load_state`."""
        arrays = {name: array.copy() for name, array in self._arrays().items()}
        arrays["states"] = np.frombuffer(self.batch.states.tobytes(), np.uint8)
        arrays["rng"] = np.frombuffer(json.dumps(self._rng.bit_generator.state).encode(), np.uint8)
        arrays["dropped"] = np.array([self.dropped])
        return arrays

    def load_state(self, arrays: dict[str, np.ndarray], places: int | None = None) -> None:
        """Continue from the saved state of games made with the same arguments.

        Args:
            arrays: the state, from `save_state`.
            places: the size of their pool, if larger than the current pool; follow with `set_pool`.

        Raises:
            ValueError: the arrays are not a state of such games; nothing has changed.
        """
        for name, array in self.save_state().items():
            loaded = arrays.get(name)
            if loaded is None or loaded.dtype != array.dtype or (loaded.shape != array.shape and name != "rng"):
                raise ValueError(f"{name!r} must be {array.dtype} {list(array.shape)}")
        for name, least, most in (
            ("seat", 0, self.batch.num_players - 1),
            ("opponent", 0, (places or len(self.pool)) - 1),
            ("decisions", 0, _MOST),
            ("games", 0, _MOST),
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
        self._seats.status[:], self._seats.actions[:] = WAITS, UNDECIDED
        for name, array in self._arrays().items():
            array[:] = arrays[name]

    def _arrays(self) -> dict[str, np.ndarray]:
        seats = self._seats
        kept = {"seat": seats.asked, "opponent": seats.players, "noise": seats.noise, "earned": seats.earned}
        return {**kept, "return": self._return, "decisions": self._decisions, "games": self._games}


_MOST = 2**53  # integers up to this are exact as floats
