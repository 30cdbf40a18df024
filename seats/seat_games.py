"""One learner's seat in many games at once, the others played by a pool of agents: what vector environments are made of."""

from __future__ import annotations

import json

import numpy as np

from ..envs.core.batch import Batch, check_seed, noise_counters
from ..envs.core.files import generator_of, read_json
from ..envs.core.game import Game, Options
from .opponents import FORFEIT, NONE_YET, TRUNCATED, Pool

MAX_DEALS = 1000  # games one after another in which the learner does not get to act


class SeatGames:
    """`num_envs` games over one compiled batch, each waiting for the learner whenever a call returns.

    In every game the learner has one seat; who plays the others is drawn from the pool, or stands in `clockwise`. A reward is
    all that the learner's seat earned from one of its decisions to its next, whoever moved, or to the end of the game. What it
    earned before its first decision comes with that decision's reward, so that the rewards of an episode add up to the seat's
    return. Games that end before the learner decides anything are dropped and counted.

    Args:
        game, options: what is played.
        pool: the opponents.
        num_envs: games at once.
        seed: of deals, seats and opponents; equal seeds and actions give equal games.
        threads: of the batch.
        seat: "random" (drawn for each game), "rotate" (the next with each game, row i begins with seat i) or a seat.
        clockwise: the places in the pool of who plays the other seats, from the learner's left on. None: for each other team
            (mostly a single seat) one is drawn.
        mates: the place in the pool of the agent that plays the learner's team mates (None: drawn as for the other teams).
        illegal: "raise", or "penalty": the game ends, and with what it pays the seat's return is the least that there is.
        keep_final: keep what the seat saw when its game had ended.

    Attributes:
        batch: the games; its observations and masks are the learner's whenever a call has returned.
        seat: int64 [N], the learner's.
        dropped: games in which the learner had nothing to decide.
        rewards: float32 [N], of the last step; dones, truncated: bool [N], the games that ended in it, and how.
        ended: of each of these its row, return and number of decisions.
        final: float32 [N, D], what the seat saw at the end of the last game, if it is kept.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        pool: Pool,
        num_envs: int,
        seed: int,
        threads: int = 1,
        seat: str | int = "random",
        clockwise: np.ndarray | None = None,
        mates: int | None = None,
        illegal: str = "raise",
        keep_final: bool = False,
    ) -> None:
        self.batch = Batch(game, options, num_envs, seed, threads)
        self.pool = pool
        self.dropped = 0
        self._last_seen = np.zeros((num_envs, self.batch.observation_size if keep_final else 0), np.float32)
        self.final = self._last_seen.copy()
        self._wanted_seat, self._clockwise, self._mates = seat, clockwise, mates
        self._forgiving = illegal == "penalty"
        self._least = game.return_range(options)[0]
        self._team = game.team_of(options)
        self._rng = np.random.default_rng(check_seed(seed))
        self._noise = noise_counters(seed, num_envs)  # of the opponents in compiled code
        self._allocate(num_envs, self.batch.num_players)

    def _allocate(self, n: int, players: int) -> None:
        self.seat = np.zeros(n, np.int64)
        self.rewards, self.dones, self.truncated = np.zeros(n, np.float32), *np.zeros((2, n), np.bool_)
        self.ended: list[tuple[int, float, int]] = []
        self._opponent = np.zeros((n, players), np.int64)  # the pool's index by seat
        self._earned = np.zeros(n, np.float32)  # by the learner since its last decision, or since the deal
        self._ended = np.zeros(n, np.uint8)
        self._return, self._decisions = np.zeros(n), np.zeros(n, np.int64)
        self._games, self._idle = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._actions = np.zeros(n, np.int64)

    def set_pool(self, pool: Pool) -> None:
        """Replace the opponents. Seats of games in progress go on with the agent that now has their place in the pool."""
        self.pool = pool
        self._opponent %= len(pool)

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew; with a seed deals, seats and opponents are taken from it, else they go on."""
        if seed is not None:
            self._rng = np.random.default_rng(check_seed(seed))
        start = int.from_bytes(self._rng.bytes(16), "big") if seed is None else check_seed(seed)
        self.batch.reset(start)
        self._noise[:] = noise_counters(start, len(self.batch))
        self._games[:] = np.arange(len(self.batch))
        self._go_to_first_decision(np.arange(len(self.batch)))

    def restart(self, rows: np.ndarray) -> None:
        """Begin the next game in some rows (int64 [M], ascending), whether or not the one there is over."""
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
        """Play the learner's action in every game, and the others until it is asked again. See `rewards`, `dones`, `ended`.

        Args:
            actions: integers, one a game; with `rows`, one for each of these.
            rows: int64 [M], ascending: the games that are played on. None: all.

        Raises:
            ValueError: wrong shape or dtype, or an illegal action where these are not forgiven; no game has changed then.
        """
        rows = np.arange(len(self.batch)) if rows is None else rows
        self._actions[rows] = self._checked(actions, rows)
        self._begin_step()
        self._decisions[rows] += 1
        self._idle[:] = 0
        self._play(rows)
        self._play_opponents()
        going_on = rows[~self.dones[rows]]
        self.rewards[going_on] = self._earned[going_on]
        self._return[going_on] += self._earned[going_on]
        self._earned[going_on] = 0

    def _begin_step(self) -> None:
        """What a step brings goes into fresh arrays: those of the last one belong to the caller."""
        n = len(self.batch)
        self.rewards, self.ended = np.zeros(n, np.float32), []
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
        batch = self.batch
        while True:
            rows = np.flatnonzero(batch.current_player != self.seat)
            if not rows.size:
                return
            self._actions[rows] = NONE_YET
            self._play(rows)
            rows = np.flatnonzero(batch.current_player != self.seat)
            which = self._opponent[rows, batch.current_player[rows]]
            asked = self.pool.codes[which] < 0
            if asked.any():
                rows = rows[asked]
                actions = self.pool.actions(which[asked], batch.observation[rows], batch.action_mask[rows], self._rng)
                self._actions[rows] = batch.checked_actions(actions, rows)
                self._play(rows)

    def _play(self, rows: np.ndarray) -> None:
        """Play on in these rows by `_actions`; report the games that end there, and begin the next."""
        kept = self._noise, self._earned, self._ended, self._last_seen
        self.pool.play(self.batch, rows, self._actions, self.seat, self._opponent, *kept)
        ended = rows[self._ended[rows] != 0]
        if not ended.size:
            return
        lost = ended[self._actions[ended] == FORFEIT]  # which costs all that can be lost
        self._earned[lost] = self._least - self._return[lost]
        played = ended[~self.dones[ended]]
        self.dropped += ended.size - played.size
        self.dones[played] = True
        self.final[played] = self._last_seen[played]
        self.truncated[played] = self._ended[played] == TRUNCATED
        self.rewards[played] = self._earned[played]
        self._return[played] += self._earned[played]
        self.ended += zip(played.tolist(), self._return[played].tolist(), self._decisions[played].tolist(), strict=True)
        self._idle[ended] += 1
        if self._idle[ended].max() > MAX_DEALS:
            raise ValueError(f"the learner got to act in none of {MAX_DEALS} games")
        self._new_games(ended)

    def _new_games(self, rows: np.ndarray) -> None:
        players = self.batch.num_players
        self._earned[rows] = 0
        self._return[rows] = 0
        self._decisions[rows] = 0
        drawn = self._rng.integers(0, players, rows.size)
        seats = {"random": drawn, "rotate": self._games[rows] % players}
        self.seat[rows] = seats[self._wanted_seat] if isinstance(self._wanted_seat, str) else self._wanted_seat
        self._games[rows] += 1
        if self._clockwise is not None:
            for k, place in enumerate(self._clockwise):
                self._opponent[rows, (self.seat[rows] + 1 + k) % players] = place
            return
        by_team = self.pool.draw(self._rng, (rows.size, self._team.max() + 1))
        if self._mates is not None:
            by_team[np.arange(rows.size), self._team[self.seat[rows]]] = self._mates
        self._opponent[rows] = by_team[:, self._team]

    # --- going on later ---

    def save_state(self) -> dict[str, np.ndarray]:
        """All that decides how the games go on, except the pool: numpy arrays, for `load_state`."""
        arrays = {name: getattr(self, attribute).copy() for name, attribute in _STATE.items()}
        arrays["states"] = np.frombuffer(self.batch.states.tobytes(), np.uint8)
        arrays["rng"] = np.frombuffer(json.dumps(self._rng.bit_generator.state).encode(), np.uint8)
        arrays["dropped"] = np.array([self.dropped])
        return arrays

    def load_state(self, arrays: dict[str, np.ndarray], places: int | None = None) -> None:
        """Go on from a saved state of games made with the same arguments.

        Args:
            places: how many agents their pool had, if more than this one has, which `set_pool` is to replace then.

        Raises:
            ValueError: the arrays are not what such games save; nothing has changed then.
        """
        for name, array in self.save_state().items():
            found = arrays.get(name)
            if found is None or found.dtype != array.dtype or (found.shape != array.shape and name != "rng"):
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
        for name, attribute in _STATE.items():
            getattr(self, attribute)[:] = arrays[name]


_MOST = 2**53  # whole numbers up to it are floats exactly
_STATE = {
    "seat": "seat",
    **{name: f"_{name}" for name in ("opponent", "noise", "earned", "return", "decisions", "games")},
}
