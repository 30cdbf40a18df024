"""Batches: thousands of games stepped together in compiled code."""

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
MAX_STEPS = 2**63 - 1  # per row in one rollout
_WORD = 2**64
_STEPS = 2**13  # per compiled call of a rollout


@functools.cache
def game_kernels(game: Game) -> dict[str, Any]:
    """The kernels bound to a game's functions."""
    return bind(kernels.KERNELS, game.functions, game.id)


@functools.cache
def policy_kernels(game: Game, policy: Any = "random", takes_data: bool = False) -> dict[str, Any]:
    """The whole-game kernels bound to a game's functions and a policy ("random" or a device function), or with `takes_data` to
    an `act` function, which gets the data passed to the kernels (see kernels.py)."""
    if isinstance(policy, str):
        if policy != "random":
            raise ValueError(f"unknown policy {policy!r}; allowed: 'random' or a device function, such as an agent's `policy`")
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
    """Check a seed and return it as an int 0..2**128-1.

    Raises:
        ValueError: it is negative, too large or not an integer.
    """
    try:
        number = operator.index(seed)
    except TypeError:
        raise ValueError(f"a seed is an integer from 0 to 2**128 - 1, not {seed!r}") from None
    if not 0 <= number < MAX_SEED:
        raise ValueError(f"a seed is an integer from 0 to 2**128 - 1, not {seed!r}")
    return number


def check_count(name: str, value: Any, most: int | None = None) -> int:
    """Check a number and return it as an int from 1 to `most`.

    Args:
        name: its name in the error message.

    Raises:
        ValueError: it is out of range or not an integer.
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
    """The memory of a batch per game in bytes: record, observation, mask, a few numbers, and histories."""
    numbers = 6 * 8 + 2 + 4 * options.num_players + 4 * len(TOKEN) * history * (1 + options.num_players)
    return game.state.itemsize + 4 * game.observation_size(options) + game.num_actions(options) + numbers


def fresh_seed() -> int:
    """A random seed from the operating system."""
    return secrets.randbits(128)


def row_seeds(seed: int, count: int) -> np.ndarray:
    """seed, seed + 1, ... modulo 2**128, as uint64 [count, 2] of low and high words: row i of a batch plays the game of
    `env.reset(seed=seed + i)`."""
    seeds = np.empty((count, 2), np.uint64)
    seeds[:, 0] = np.uint64(seed % _WORD) + np.arange(count, dtype=np.uint64)
    seeds[:, 1] = seed // _WORD
    seeds[seeds[:, 0] < seed % _WORD, 1] += np.uint64(1)
    return seeds


def noise_counters(seed: int, count: int) -> np.ndarray:
    """A counter per row (uint64 [count]) for a policy's randomness, independent of the games' own and of other seeds."""
    noise = np.empty(count, np.uint64)
    kernels.fill_noise(np.uint64(seed % _WORD), np.uint64(seed // _WORD), noise)
    return noise


def slices(first: int, end: int, size: int) -> Iterator[slice]:
    """first..end-1 in slices of at most `size`, for long work: Python handles Ctrl-C only between compiled calls."""
    for start in range(first, end, size):
        yield slice(start, min(start + size, end))


class Rollout(NamedTuple):
    """The result of `Batch.rollout`: steps played, games finished, and the sum of each seat's rewards (float64 [P])."""

    steps: int
    games: int
    returns: np.ndarray


class Batch:
    """`num_games` games with the same options, stepped together, with autoreset in the same step.

    Arrays (C-contiguous, overwritten in place by every call, read-only from outside):
        observation: float32 [N, D], of the player to move
        action_mask: uint8 [N, A], 1 where legal
        current_player: int64 [N]
        rewards: float32 [N, P], of the last step
        terminated, truncated: bool [N], of the last step; where set, observation and mask already show the next game
        states: records [N], the full states
        history: int32 [N, K, 6], with `history=K`: the last K tokens of what the player to move has perceived (see `tokens.py`)
        history_length: int64 [N], the number of these tokens since the game began

    Row i starts with the game of `env.reset(seed=seed + i)` and continues as that environment does with `reset()`. Batches
    whose seeds are closer than `num_games` therefore share deals (but not random actions); `wilddeck.spawn_seeds` gives seeds
    that share none. Equal seeds and actions give equal bytes on any machine and number of threads. Memory consists of the
    records and the arrays above, and does not grow with steps.

    The arrays are live views that the next call overwrites. Copy what you keep or pass to another library:
    `torch.tensor(batch.observation)`, `jax.numpy.array(batch.observation)`, `batch.observation.copy()`. Calls that would share
    the memory (`torch.from_numpy`, `torch.as_tensor`, DLPack) warn or fail.

    Copies (`copy.copy`, `copy.deepcopy`, `pickle`, `cloudpickle`) are independent and continue exactly from the same state, as
    do batches from `save` and `load`. A `with` statement closes the batch. `observation_layout` and `state_layout` describe the
    entries of observations and state vectors (name: slice).

    Raises:
        ValueError: a number is out of range, or the games need too much memory.
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
        """Make what copies do not share: compiled code, read-only views of the arrays, threads."""
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
        return copy.deepcopy(self)  # two batches that share arrays would play the same games

    def reset(self, seed: int | None = None) -> None:
        """Start a new game in every row, from a seed, or from a random one of the operating system."""
        seed = fresh_seed() if seed is None else check_seed(seed)
        seeds = row_seeds(seed, self.num_games)
        self._noise[:] = noise_counters(seed, self.num_games)
        self._rewards[:] = 0
        self._terminated[:] = False
        self._truncated[:] = False
        self._start(self._all_rows, seeds)

    def restart(self, rows: Any) -> None:
        """Start the next game in some rows, as autoreset does after an end; `rewards`, `terminated` and `truncated` stay.

        Args:
            rows: integers [M], ascending; other rows continue.

        Raises:
            ValueError: rows are out of range or not ascending.
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
        """Play one action in each row.

        Args:
            actions: integers [N], legal by `action_mask`; with `rows`, integers [M].
            rows: integers [M], ascending: the rows to step; all arrays of other rows are unchanged. None: all rows.

        Raises:
            ValueError: a shape or dtype is wrong, rows are out of range or not ascending, or an action is illegal (the message
                names the row). No game has changed then.
        """
        rows = self._all_rows if rows is None else self._checked_rows(rows)
        self._play(rows, self.checked_actions(actions, rows))

    def checked_actions(self, actions: Any, rows: np.ndarray) -> np.ndarray:
        """Check the actions of these rows (int64 [M]), and return them as a new int64 array.

        Raises:
            ValueError: the shape or dtype is wrong, or an action is illegal (the message names the row).
        """
        array = np.asarray(actions)
        if array.shape != rows.shape:
            raise ValueError(f"actions must have shape {rows.shape}, not {array.shape}")
        if array.dtype.kind not in "iu":
            raise ValueError(f"actions must be integers, not {array.dtype}")
        array = np.array(array, np.int64)  # a copy, because numba would compile again for a read-only array
        place = int(kernels.first_illegal(rows, array, self._mask))
        if place >= 0:
            row = rows[place]
            legal = np.flatnonzero(self._mask[row])
            some = ", ".join(map(str, legal[:8])) + (", ..." if len(legal) > 8 else "")
            raise ValueError(f"row {row}: action {array[place]} is not legal; legal actions: {some}. No game was changed")
        return array

    def drive(self, kernel: Any, rows: np.ndarray, *arrays: Any) -> None:
        """Play some rows by a kernel of your own, in one chunk of rows per thread.

        Args:
            kernel: compiled over this game's functions by `jit.bind`, and called as `kernel(states, template, rows,
                observation, action_mask, current_player, told, *arrays)`. It must update the batch's arrays, and `told`, a
                `tokens.Told`, if the batch has histories (otherwise it is ()).
            rows: int64 [M], ascending.
            arrays: further arguments of the kernel.
        """
        views = self._observation, self._mask, self._player

        def work(chunk: slice) -> None:
            told = () if self._histories is None else self._histories.told()
            kernel(self._states, self._template, rows[chunk], *views, told, *arrays)

        self._run(work, len(rows))

    def restore(self, states: np.ndarray) -> None:
        """Replace the games in progress by these states, and clear `rewards`, `terminated` and `truncated`.

        The records must be of games that were really played (or determinized), because only the bounds of their fields are
        checked.

        Args:
            states: records [N], such as a copy of `states` of a batch with the same game and options.

        Raises:
            ValueError: the records are of another kind or number, or one is not a game in progress with these options (the
                message names the row). No game has changed then.
        """
        if not isinstance(states, np.ndarray) or states.dtype.descr != self._states.dtype.descr:
            raise ValueError(f"these are not records of {self.game.id}")
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

    # --- queries ---

    def legal_actions(self, row: int) -> list[int]:
        """The legal actions of a row, ascending; raises ValueError if the row does not exist."""
        return [int(action) for action in np.flatnonzero(self._mask[self._checked_row(row)])]

    def action_label(self, row: int, action: int) -> str:
        """The label of an action in a row's current state; legal actions have different labels.

        Raises:
            ValueError: the row or action does not exist.
        """
        return self.action_parts(row, action).text

    def action_parts(self, row: int, action: int) -> ActionParts:
        """The label of an action as data: the verb, and the cards, ranks, seats, amounts, ... that it names."""
        return self.game.action_parts(self._states, action, self._checked_row(row))

    def action_from_label(self, row: int, text: str) -> int:
        """The legal action of a row with this label (case and extra spaces do not matter).

        Raises:
            ValueError: the row does not exist, or no legal action has this label; the message shows some legal ones.
        """
        return self.game.action_from_label(self._states, self.legal_actions(row), text, self._checked_row(row))

    def observe(self, seats: Any) -> np.ndarray:
        """The observations of any seats, as by `env.observe(agent)`.

        Args:
            seats: a seat, or integers [N], one per row.

        Returns:
            A new array, float32 [N, D]. Only the player to move has legal actions, which are in `action_mask`.

        Raises:
            ValueError: a seat does not exist, or the shape or dtype is wrong.
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
        """The input of a centralised critic: a seat's observation followed, for each other seat clockwise, by the private
        blocks of its observation (`Game.private`, in the order of `game.private_slices(num_players)`).

        Args:
            seats: a seat, or integers [N], one per row. None: the players to move.

        Returns:
            A new array, float32 [N, D + (P - 1) * K], with K entries in private blocks. It contains hidden cards, so never give
            it to a policy.

        Raises:
            ValueError: as in `observe`.
        """
        seats = self._player if seats is None else seats
        parts = [self.observe(seats)]
        for step in range(1, self.num_players):
            other = self.observe((np.asarray(seats) + step) % self.num_players)
            parts += [other[:, where] for where in self.game.private_slices(self.num_players).values()]
        return np.concatenate(parts, axis=1)

    def state_vectors(self) -> np.ndarray:
        """The full state of each game as a vector, as by `env.state()`: a new array, float32 [N, S].

        The numbers are the unscaled fields of the record (see `state_layout`); `critic_observation` is scaled.
        """
        return self.game.state_vectors(self._states)

    # --- saving and loading ---

    def save(self, path: Path | str) -> None:
        """Write the current games to a file, atomically, for `wilddeck.load_batch`, which continues exactly from here in any
        process and on any machine.

        Raises:
            OSError: the file could not be written; an existing file is unchanged.
            ValueError: the batch has histories, which the file cannot store; use `pickle`.
        """
        self._check_no_history("save")
        rows = saves.batch_rows(self.game, self.options, self.num_games)
        rows["state"] = self._states
        for name, array in self._last_step().items():
            rows[name] = array
        write_atomically(path, saves.pack_batch(self.game, self.options, rows))

    @classmethod
    def load(cls, path: Path | str, game: Game | Callable[[str], Game], threads: int = 1) -> Batch:
        """Load a saved batch. (`wilddeck.load_batch(path)` finds the game by itself.)

        Load only files that you trust, as with pickle: only the bounds of the records' fields are checked.

        Args:
            path: the file.
            game: the game, or a function that finds it by its id (`wilddeck.envs.game`).
            threads: as for a new batch.

        Raises:
            ValueError: the file is damaged, not a saved batch, of another game or release, has fields out of bounds, or needs
                too much memory.
            OSError: the file cannot be read.
        """
        with saves.naming(path):
            loaded_game, options, rows = saves.unpack_batch(saves.read_file(path), game)
            batch = cls(loaded_game, options, len(rows), 0, threads)
            batch.restore(rows["state"])
        for name, array in batch._last_step().items():
            array[:] = rows[name]
        return batch

    def _last_step(self) -> dict[str, np.ndarray]:
        """The arrays that are saved with the records."""
        kept = self._rewards, self._terminated, self._truncated, self._noise
        return dict(zip(("rewards", "terminated", "truncated", "noise"), kept, strict=True))

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # --- random play ---

    def random_actions(self) -> np.ndarray:
        """A uniformly random legal action for each row (int64 [N]), from a stream seeded by `reset`."""
        actions = np.empty(self.num_games, np.int64)
        self._run(lambda c: kernels.random_actions(self._mask[c], self._noise[c], actions[c]))
        return actions

    def rollout(self, steps: int, policy: Any = "random") -> Rollout:
        """Play `steps` steps of every row in compiled code, with autoreset.

        Args:
            steps: the number of steps per row.
            policy: "random" (uniform over legal actions) or a device function, such as an agent's `policy`.

        Returns:
            Rollout: steps played in all rows, games finished, and the sum of each seat's rewards.

        Raises:
            ValueError: `steps` is out of range, the policy is unknown, or the batch has histories, which rollouts do not
                record.
            KeyboardInterrupt: by Ctrl-C; the games keep the state that they had reached.
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
        """Release the threads; later calls start them again."""
        if self._pool is not None and self._pool_process == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def _threads(self) -> ThreadPoolExecutor:
        """The pool of additional threads, started at first use and again in a forked process."""
        if self._pool is None or self._pool_process != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads - 1, initializer=prepare_thread)
            self._pool_process = os.getpid()
        return self._pool

    def _view(self) -> None:
        view = self._kernels["view_games"]
        self._run(lambda c: view(self._states[c], self._observation[c], self._mask[c], self._player[c]))

    def _run(self, work: Callable[[slice], Any], count: int | None = None, stop: threading.Event | None = None) -> list[Any]:
        """Call `work` on slices that cover 0..count-1 (default: all rows), one per thread. After an error or interrupt, set
        `stop` and wait for all threads."""
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
            raise ValueError(f"`{method}` does not support histories; make the batch without `history`")

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
