"""Thousands of games at once in compiled code."""

from __future__ import annotations

import copy
import functools
import itertools
import operator
import os
import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from . import kernels, memory, saves
from .files import write_atomically
from .game import Game, Options, as_records
from .jit import bind, prepare_thread
from .parts import ActionParts
from .tokens import MAX_HISTORY, TOKEN, Histories

MAX_SEED = 2**128
MAX_THREADS = 1024
MAX_STEPS = 2**63 - 1  # of a row in one rollout
_WORD = 2**64
_STEPS = 2**13  # of a rollout, in one compiled call


@functools.cache
def game_kernels(game: Game) -> dict[str, Any]:
    """The kernels bound to a game's functions."""
    return bind(kernels.KERNELS, game.functions, game.id)


@functools.cache
def policy_kernels(game: Game, policy: Any = "random", takes_data: bool = False) -> dict[str, Any]:
    """The whole-game kernels bound to a game's functions and a policy, or "random"; or to an `act` function, which takes
    the data that the kernels are given (see kernels.py)."""
    if isinstance(policy, str):
        if policy != "random":
            raise ValueError(f"unknown policy {policy!r}; allowed: 'random', or a policy such as an agent's")
        return _bound_kernels(game, kernels.policy_acts, {"policy": kernels.random_policy, "POLICY_OBSERVES": False}, policy)
    name = getattr(policy, "__name__", None)
    if not callable(policy) or name is None:
        raise ValueError(f"policy must be 'random' or a device function, not {policy!r}")
    if takes_data:
        return _bound_kernels(game, None, {"act": policy, "POLICY_OBSERVES": True}, name)
    return _bound_kernels(game, kernels.policy_acts, {"policy": policy, "POLICY_OBSERVES": True}, name)


def _bound_kernels(game: Game, act: Any, names: dict[str, Any], owner: str) -> dict[str, Any]:
    functions = {**kernels.POLICY_KERNELS, **({} if act is None else {"act": act})}
    return bind(functions, {**game.functions, **names}, f"{game.id}.{owner}", light=False)


def check_seed(seed: Any) -> int:
    """A seed as an int 0..2**128-1.

    Raises:
        ValueError: it is negative, too large or no integer.
    """
    try:
        number = operator.index(seed)
    except TypeError:
        raise ValueError(f"a seed is an integer from 0 to 2**128 - 1, not {seed!r}") from None
    if not 0 <= number < MAX_SEED:
        raise ValueError(f"a seed is an integer from 0 to 2**128 - 1, not {seed!r}")
    return number


def check_count(name: str, value: Any, most: int | None = None) -> int:
    """How many of something, as an int from 1 to `most`.

    Raises:
        ValueError: it is fewer or more, or no integer.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if number < 1 or (most is not None and number > most):
        allowed = "of at least 1" if most is None else f"from 1 to {most:,}"
        raise ValueError(f"{name} must be an integer {allowed}, not {value!r}")
    return number


def bytes_per_game(game: Game, options: Options, history: int = 0) -> int:
    """Memory of a batch for each of its games: the record, observation and mask, a few numbers, and histories."""
    numbers = 6 * 8 + 2 + 4 * options.num_players + 4 * len(TOKEN) * history * (1 + options.num_players)
    return game.state.itemsize + 4 * game.observation_size(options) + game.num_actions(options) + numbers


def fresh_seed() -> int:
    """A seed from the operating system."""
    return secrets.randbits(128)


def row_seeds(seed: int, count: int) -> np.ndarray:
    """seed, seed + 1, ... modulo 2**128, as uint64 [count, 2] of low and high words: row i of a batch plays the game that
    `env.reset(seed=seed + i)` gives."""
    seeds = np.empty((count, 2), np.uint64)
    seeds[:, 0] = np.uint64(seed % _WORD) + np.arange(count, dtype=np.uint64)
    seeds[:, 1] = seed // _WORD
    seeds[seeds[:, 0] < seed % _WORD, 1] += np.uint64(1)
    return seeds


def noise_counters(seed: int, count: int) -> np.ndarray:
    """A counter a row (uint64 [count]) for a policy's randomness, apart from the games' own and from those of other seeds."""
    noise = np.empty(count, np.uint64)
    kernels.fill_noise(np.uint64(seed % _WORD), np.uint64(seed // _WORD), noise)
    return noise


def slices(first: int, end: int, size: int) -> Iterator[slice]:
    """first..end-1 in slices of at most `size`. Long work is done so, as Python answers Ctrl-C only between compiled calls."""
    for start in range(first, end, size):
        yield slice(start, min(start + size, end))


class Rollout(NamedTuple):
    """Result of `Batch.rollout`: steps played, games finished, and the sum of all rewards of each seat (float64 [P])."""

    steps: int
    games: int
    returns: np.ndarray


class Batch:
    """`num_games` games of one kind, stepped together, with autoreset in the same step.

    Arrays (all C-contiguous, written in place by every call; copy what you keep; read-only from outside):
        observation: float32 [N, D], from the seat of the player to move
        action_mask: uint8 [N, A], 1 where legal
        current_player: int64 [N]
        rewards: float32 [N, P], of the last step
        terminated, truncated: bool [N], of the last step; where set, observation and mask already show the next game
        states: records [N], the truth
        history: int32 [N, K, 6], with `history=K`: the last K tokens of what the player to move has perceived (see `tokens.py`)
        history_length: int64 [N], how many tokens there are of that since the game began

    Row i starts with the game that `env.reset(seed=seed + i)` starts, and goes on as that environment does with `reset()`; so
    batches whose seeds are closer than `num_games` have deals in common (never what random play makes of them);
    `wilddeck.spawn_seeds` gives seeds that have none. Equal seeds and actions give equal bytes on any number of threads and any
    machine. Memory: the records and the arrays above; nothing grows with steps.

    An array is a live view that the next call overwrites, so what you keep or hand to another library is a copy:
    `torch.tensor(batch.observation)`, `jax.numpy.array(batch.observation)`, `batch.observation.copy()`. Calls that would share
    its memory (`torch.from_numpy`, `torch.as_tensor`, DLPack) warn of it, or refuse.

    Copies (`copy.copy`, `copy.deepcopy`, `pickle`, `cloudpickle`) are independent and go on exactly where the original stands,
    and so does what `save` writes and `load` reads. `with` closes a batch at its end. `observation_layout` and `state_layout`
    say which entries of observations and state vectors are what (name: slice).

    Raises:
        ValueError: a number that is not allowed, or more games than there is memory for.
    """

    def __init__(
        self, game: Game, options: Options, num_games: int, seed: int | None = None, threads: int = 1, history: int = 0
    ) -> None:
        self.game, self.options = game, options
        self.num_games = check_count("num_games", num_games)
        self.threads = min(check_count("threads", threads, MAX_THREADS), self.num_games)
        history = check_count("history", history, MAX_HISTORY) if history else 0
        memory.check(f"num_games={self.num_games}", self.num_games * bytes_per_game(game, options, history))
        self.num_players: int = options.num_players
        self.num_actions = game.num_actions(options)
        self.observation_size = game.observation_size(options)
        self.observation_layout, self.state_layout = game.observation.slices(self.num_players), game.state_layout
        self._template = game.template(options)
        n = self.num_games
        self._states = as_records(np.zeros(n, game.state))
        self._observation = np.zeros((n, self.observation_size), np.float32)
        self._mask = np.zeros((n, self.num_actions), np.uint8)
        self._player = np.zeros(n, np.int64)
        self._rewards = np.zeros((n, self.num_players), np.float32)
        self._terminated = np.zeros(n, np.bool_)
        self._truncated = np.zeros(n, np.bool_)
        self._noise = np.zeros(n, np.uint64)
        self._all_rows = np.arange(n)
        self._histories = Histories(game, options, n, history) if history else None
        self._open()
        self.reset(seed)

    def _open(self) -> None:
        """What no copy takes over: compiled code, the arrays as seen from outside, threads."""
        self._kernels = game_kernels(self.game)
        self.states = self._states.view(np.ndarray)
        self.observation = read_only(self._observation)
        self.action_mask = read_only(self._mask)
        self.current_player = read_only(self._player)
        self.rewards = read_only(self._rewards)
        self.terminated = read_only(self._terminated)
        self.truncated = read_only(self._truncated)
        self.history = read_only(self._histories.tokens) if self._histories else None
        self.history_length = read_only(self._histories.lengths) if self._histories else None
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _OPENED}

    def __setstate__(self, content: dict[str, Any]) -> None:
        vars(self).update(content)
        self._states = as_records(self._states.view(np.ndarray))
        self._open()

    def __copy__(self) -> Batch:
        return copy.deepcopy(self)  # two batches over the same arrays would play the same games

    def reset(self, seed: int | None = None) -> None:
        """Start every row anew. Without a seed, one is drawn from the operating system."""
        seed = fresh_seed() if seed is None else check_seed(seed)
        seeds = row_seeds(seed, self.num_games)
        self._noise[:] = noise_counters(seed, self.num_games)
        self._rewards[:] = 0
        self._terminated[:] = False
        self._truncated[:] = False
        self._start(self._all_rows, seeds)

    def restart(self, rows: Any) -> None:
        """Begin the next game in some rows, as autoreset does after an end; what the last step brought stays.

        Args:
            rows: integers [M], ascending; the others go on.

        Raises:
            ValueError: rows that are out of range or not ascending.
        """
        rows = self._checked_rows(rows)
        states = as_records(self._states[rows])
        self._kernels["next_seeds"](states)
        self._start(rows, np.stack([states["seed"], states["seed_high"]], axis=1))

    def _start(self, rows: np.ndarray, seeds: np.ndarray) -> None:
        """A new game in each of these rows, of seeds uint64 [M, 2]."""
        self._states["seed"][rows], self._states["seed_high"][rows] = seeds.T
        self._play(rows, np.full(len(rows), kernels.BEGIN))

    def _play(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Step these rows, or begin games in them."""
        views, results = (self._observation, self._mask, self._player), (self._rewards, self._terminated, self._truncated)
        if self._histories is not None:
            play = self._histories.play
            self._run(lambda c: play(self._states, self._template, rows[c], actions[c], (*views, *results)), len(rows))
        else:
            step = self._kernels["step_games"]
            self._run(lambda c: step(self._states, self._template, rows[c], actions[c], *views, results), len(rows))

    def step(self, actions: Any, rows: Any = None) -> None:
        """Play one action a row.

        Args:
            actions: integers [N], legal by `action_mask`; with `rows`, one for each of these.
            rows: integers [M], ascending: the rows to step; all entries of the others stay as they are. None steps all.

        Raises:
            ValueError: wrong shape or dtype, rows that are out of range or not ascending, or an illegal action (the message
                names the row); no game has changed then.
        """
        rows = self._all_rows if rows is None else self._checked_rows(rows)
        self._play(rows, self.checked_actions(actions, rows))

    def checked_actions(self, actions: Any, rows: np.ndarray) -> np.ndarray:
        """Actions of these rows (int64 [M]) as a fresh int64 array.

        Raises:
            ValueError: wrong shape or dtype, or an illegal action (the message names the row).
        """
        array = np.asarray(actions)
        if array.shape != rows.shape:
            raise ValueError(f"actions must have shape {rows.shape}, not {array.shape}")
        if array.dtype.kind not in "iu":
            raise ValueError(f"actions must be integers, not {array.dtype}")
        array = np.array(array, np.int64)  # a copy: for an array that cannot be written to, numba would compile anew
        place = int(kernels.first_illegal(rows, array, self._mask))
        if place >= 0:
            row = rows[place]
            legal = np.flatnonzero(self._mask[row])
            some = ", ".join(map(str, legal[:8])) + (", ..." if len(legal) > 8 else "")
            raise ValueError(f"row {row}: action {array[place]} is not legal; legal actions: {some}. No game was changed")
        return array

    def drive(self, kernel: Any, rows: np.ndarray, *arrays: Any) -> None:
        """Play some rows by a kernel of one's own, in chunks of rows, one a thread.

        Args:
            kernel: compiled over this game's functions by `jit.bind`, called as `kernel(states, template, rows, observation,
                action_mask, current_player, told, *arrays)`; what it leaves in the batch's arrays is what they are to show.
                `told`: of a batch with histories `tokens.Told`, which the kernel has to keep; else ().
            rows: int64 [M], ascending.
        """
        views = self._observation, self._mask, self._player

        def work(chunk: slice) -> None:
            told = () if self._histories is None else self._histories.told()
            kernel(self._states, self._template, rows[chunk], *views, told, *arrays)

        self._run(work, len(rows))

    def restore(self, states: np.ndarray) -> None:
        """Go on from these games instead of those in progress; what the last step brought is forgotten.

        The records must be of games that were played (of determinizations, say): no more of them is checked than the bounds of
        their fields.

        Args:
            states: records [N], such as a copy of `states` of a batch with the same game and options.

        Raises:
            ValueError: other records, another number of them, or a record that is no game in progress with these options (the
                message names the row); no game has changed then.
        """
        if not isinstance(states, np.ndarray) or states.dtype.descr != self._states.dtype.descr:
            raise ValueError(f"these are no records of {self.game.id}")
        if states.shape != (self.num_games,):
            raise ValueError(f"states must have shape ({self.num_games},), not {states.shape}")
        states = as_records(np.array(states.view(self.game.state)))
        self.game.check_records(self.options, states)
        over = (states["terminated"] != 0) | (states["truncated"] != 0)
        if over.any():
            raise ValueError(f"row {over.argmax()}: the game is over")
        self._states[:] = states
        self._rewards[:] = 0
        self._terminated[:] = False
        self._truncated[:] = False
        if self._histories is not None:
            self._histories.forget()
        self._view()

    # --- what the games are ---

    def legal_actions(self, row: int) -> list[int]:
        """The legal actions of a row, ascending (ValueError for no such row, as in all that takes one)."""
        return [int(action) for action in np.flatnonzero(self._mask[self._checked_row(row)])]

    def action_label(self, row: int, action: int) -> str:
        """What an action means now in a row, as text; the legal ones have different texts.

        Raises:
            ValueError: no such row or action.
        """
        return self.action_parts(row, action).text

    def action_parts(self, row: int, action: int) -> ActionParts:
        """As `action_label`, as data: the verb, and the cards, ranks, seats, amounts, ... that the label names."""
        return self.game.action_parts(self._states, action, self._checked_row(row))

    def action_from_label(self, row: int, text: str) -> int:
        """The legal action of a row with this label (case and extra spaces do not matter).

        Raises:
            ValueError: no such row, or no legal action has the label; the message shows some that do.
        """
        return self.game.action_from_label(self._states, self.legal_actions(row), text, self._checked_row(row))

    def observe(self, seats: Any) -> np.ndarray:
        """What any seats see, whoever is to move: what `env.observe(agent)` gives of each game.

        Args:
            seats: a seat, or integers [N], one for each row.

        Returns:
            float32 [N, D], a fresh array. Only the player to move has legal actions, which are in `action_mask`.

        Raises:
            ValueError: no such seat, or a wrong shape or dtype.
        """
        array = np.asarray(seats)
        if array.shape not in ((), (self.num_games,)) or array.dtype.kind not in "iu":
            raise ValueError(f"seats must be a seat or integers [{self.num_games}], not {array.dtype} of shape {array.shape}")
        viewers = np.array(np.broadcast_to(array, self.num_games), np.int64)
        wrong = (viewers < 0) | (viewers >= self.num_players)
        if wrong.any():
            raise ValueError(f"seats must be within 0..{self.num_players - 1}, not {viewers[wrong.argmax()]}")
        observations = np.empty((self.num_games, self.observation_size), np.float32)
        look = self._kernels["observe_seats"]
        self._run(lambda c: look(self._states, self._all_rows[c], viewers[c], observations[c]))
        return observations

    def critic_observation(self, seats: Any = None) -> np.ndarray:
        """What training's critic is shown of all hands: what a seat sees and, of each other seat clockwise from it, the blocks
        of its observation that say what only it knows (`Game.private`, in the order of `game.private_slices(num_players)`).

        Args:
            seats: a seat, or integers [N], one for each row. None: the players to move.

        Returns:
            float32 [N, D + (P - 1) * K], K entries of private blocks; fresh. Never show it to a policy: it holds hidden cards.

        Raises:
            ValueError: as `observe`.
        """
        seats = self._player if seats is None else seats
        parts = [self.observe(seats)]
        for step in range(1, self.num_players):
            other = self.observe((np.asarray(seats) + step) % self.num_players)
            parts += [other[:, where] for where in self.game.private_slices(self.num_players).values()]
        return np.concatenate(parts, axis=1)

    def state_vectors(self) -> np.ndarray:
        """The whole truth of each game as a vector, for centralised critics: what `env.state()` gives, float32 [N, S], fresh.

        The numbers are those of the record, not scaled (`state_layout` says which are where); `critic_observation` is.
        """
        return self.game.state_vectors(self._states)

    # --- going on later ---

    def save(self, path: Path | str) -> None:
        """Write the games as they stand into a file, whole or not at all: for `wilddeck.load_batch`, which goes on exactly from
        here, in this process or another, on this machine or another.

        Raises:
            OSError: the file could not be written; one that was there is as it was.
            ValueError: the batch has histories, which such a file does not hold; a pickle does.
        """
        self._check_no_history("save")
        rows = saves.batch_rows(self.game, self.options, self.num_games)
        rows["state"] = self._states
        for name, array in self._last_step().items():
            rows[name] = array
        write_atomically(path, saves.pack_batch(self.game, self.options, rows))

    @classmethod
    def load(cls, path: Path | str, game: Game | Callable[[str], Game], threads: int = 1) -> Batch:
        """The batch that was saved in a file. (`wilddeck.load_batch(path)` finds the game by itself.)

        Like a pickle it should be your own: no more of its records is checked than the bounds of their fields.

        Args:
            game: the game, or what finds it by its id (`wilddeck.envs.game`).
            threads: as for a new batch.

        Raises:
            ValueError: the file is damaged, no saved batch, of another game or release, or its fields hold what
                they may not; or there is too little memory.
            OSError: it cannot be read.
        """
        with saves.naming(path):
            loaded_game, options, rows = saves.unpack_batch(saves.read_file(path), game)
            batch = cls(loaded_game, options, len(rows), 0, threads)
            batch.restore(rows["state"])
        for name, array in batch._last_step().items():
            array[:] = rows[name]
        return batch

    def _last_step(self) -> dict[str, np.ndarray]:
        """What is saved beside the records."""
        kept = self._rewards, self._terminated, self._truncated, self._noise
        return dict(zip(("rewards", "terminated", "truncated", "noise"), kept, strict=True))

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # --- at random ---

    def random_actions(self) -> np.ndarray:
        """A uniformly chosen legal action a row (int64 [N]), from a stream seeded by `reset`."""
        actions = np.empty(self.num_games, np.int64)
        self._run(lambda c: kernels.random_actions(self._mask[c], self._noise[c], actions[c]))
        return actions

    def rollout(self, steps: int, policy: Any = "random") -> Rollout:
        """Play `steps` steps of every row inside compiled code, with autoreset.

        Args:
            steps: steps a row.
            policy: "random" (uniform over legal actions), or a policy, a device function (see `wilddeck.agents`).

        Returns:
            Rollout: steps played in all rows, games finished, and the sum of rewards of each seat.

        Raises:
            ValueError: a number of steps out of range, no such policy, or the batch has histories, which rollouts do not tell.
            KeyboardInterrupt: after Ctrl-C; the games stand where they had come to.
        """
        self._check_no_history("rollout")
        steps = check_count("steps", steps, MAX_STEPS)
        play = policy_kernels(self.game, policy)["rollout_games"]
        stop = threading.Event()

        def chunk(c: slice) -> tuple[int, np.ndarray]:
            returns, games = np.zeros(self.num_players), 0
            observation = np.zeros(self.observation_size, np.float32)
            mask = np.zeros(self.num_actions, np.uint8)
            for rows in slices(c.start, c.stop, max(1, _STEPS // steps)):
                for part in slices(0, steps, _STEPS):
                    if stop.is_set():
                        break
                    number = part.stop - part.start
                    games += play(self._states[rows], self._template, self._noise[rows], number, observation, mask, returns, ())
            return int(games), returns

        try:
            results = self._run(chunk, stop=stop)
        finally:
            self._view()
        return Rollout(
            steps * self.num_games,
            sum(games for games, _ in results),
            np.sum([returns for _, returns in results], axis=0),
        )

    def close(self) -> None:
        """Release the threads; a later call makes them anew."""
        if self._pool is not None and self._pool_process == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def _threads(self) -> ThreadPoolExecutor:
        """The threads beside the caller's, made when they are first needed and anew in a forked process, which has none."""
        if self._pool is None or self._pool_process != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads - 1, initializer=prepare_thread)
            self._pool_process = os.getpid()
        return self._pool

    def _view(self) -> None:
        view = self._kernels["view_games"]
        self._run(lambda c: view(self._states[c], self._observation[c], self._mask[c], self._player[c]))

    def _run(self, work: Callable[[slice], Any], count: int | None = None, stop: threading.Event | None = None) -> list[Any]:
        """`work` on slices that cover 0..count-1 (default: all rows), one a thread. If it fails, or is interrupted, `stop` is
        set and all threads are waited for."""
        count = self.num_games if count is None else count
        if self.threads == 1:
            return [work(slice(0, count))]
        pool = self._threads()
        edges = [count * k // self.threads for k in range(self.threads + 1)]
        first, *others = [slice(a, b) for a, b in itertools.pairwise(edges)]
        futures = [pool.submit(work, chunk) for chunk in others]
        try:
            result = work(first)
            wait(futures)
        except BaseException:
            if stop is not None:
                stop.set()
            wait(futures)
            raise
        return [result, *(future.result() for future in futures)]

    def _check_no_history(self, method: str) -> None:
        if self._histories is not None:
            raise ValueError(f"`{method}` keeps no histories: make the batch without `history`")

    def _checked_row(self, row: int) -> int:
        try:
            number = operator.index(row)
        except TypeError:
            number = -1
        if not 0 <= number < self.num_games:
            raise ValueError(f"a row is an integer from 0 to {self.num_games - 1}, not {row!r}")
        return number

    def _checked_rows(self, rows: Any) -> np.ndarray:
        array = np.asarray(rows)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(f"rows must be integers in one dimension, not {array.dtype} of shape {array.shape}")
        array = np.array(array, np.int64)
        place = int(kernels.first_disorder(array, self.num_games))
        if place >= 0:
            raise ValueError(f"rows must be ascending and within 0..{self.num_games - 1}; place {place} is {array[place]}")
        return array

    def __len__(self) -> int:
        return self.num_games

    def __repr__(self) -> str:
        return f"<Batch of {self.num_games} {self.game.id}, {self.num_players} players>"


_OPENED = (
    *("_kernels", "_pool", "_pool_process", "states", "observation", "action_mask"),
    *("current_player", "rewards", "terminated", "truncated", "history", "history_length"),
)


def read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
