"""Reading data sets as numpy arrays, and verifying them by replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..envs.core import memory
from ..envs.core.batch import MAX_SEED
from .extra import parquet, pyarrow
from .files import HISTORY, SEEN, TEXTS, TYPES, DataError, File, Place, check_release, find, from_arrow
from .packed import PackedRows, joined
from .replaying import replay, tell

Columns = dict[str, Any]  # arrays, or PackedRows, by name
_CHOSEN: dict[str, Any] = {"game": None, "agent": None, "seat": None, "history": 0, "any_release": False}


class Source:
    """What is read of a data set: files, row groups and columns.

    Args:
        path, columns, game, agent, seat, history, any_release: as of `batches`.

    Raises:
        DataError: as `batches`.

    Attributes:
        columns: the names of what is read.
        groups: each file and row group of it.
    """

    def __init__(self, path: Place, columns: Sequence[str] | None = None, **chosen: Any) -> None:
        unknown = chosen.keys() - _CHOSEN.keys()
        if unknown:
            raise TypeError(f"unknown arguments: {', '.join(sorted(unknown))}; allowed: {', '.join(_CHOSEN)}")
        self._chosen = _CHOSEN | chosen
        self.any_release: bool = self._chosen["any_release"]
        self.files = find(path, game=self._chosen["game"], agent=self._chosen["agent"], any_release=self.any_release)
        self._check_alike()
        self.history = self._chosen["history"] or self.files[0].about.history
        stored = [name for name in TYPES if all(name in self._stored(file) for file in self.files)]
        computed = [] if self.any_release else [*SEEN, *(HISTORY if self.history else ())]
        every = [name for name in TYPES if name not in ("agent", *TEXTS) and name in (*stored, *computed)]
        self.columns = every if columns is None else list(columns)
        for name in self.columns:
            if name not in TYPES or (name in HISTORY and not self.history):
                raise DataError(f"unknown column {name!r}; columns: {', '.join(TYPES)} (histories need history=K)")
            if name not in stored and self.any_release:
                raise DataError(f"{path} does not store {name!r}, and any_release=True does not compute columns")
        self.groups = [(file, group) for file in self.files for group in range(len(file.rows)) if self._seats(file)]
        if not self.groups:
            asked = [f"{name} {self._chosen[name]!r}" for name in ("agent", "seat") if self._chosen[name] is not None]
            raise DataError(f"{path} has no decisions of {' on '.join(asked)}")

    def _check_alike(self) -> None:
        first = self.files[0]
        for file in self.files:
            if (file.about.game, file.about.options) != (first.about.game, first.about.options):
                kinds = [f"{each.about.game} {each.about.options}" for each in (first, file)]
                raise DataError(f"{first.path} has {kinds[0]}, but {file.path} has {kinds[1]}; choose by game= or by files")

    def _stored(self, file: File) -> list[str]:
        """Which columns can be taken from a file."""
        fits = file.about.history == self.history
        return [name for name in file.about.stored if fits or name not in HISTORY]

    def _seats(self, file: File) -> list[int]:
        """Those whose decisions are read."""
        agent, seat = self._chosen["agent"], self._chosen["seat"]
        return [k for k, name in enumerate(file.about.agents) if seat in (None, k) and agent in (None, name)]

    def read(self, file: File, group: int) -> Columns:
        """The columns of a row group."""
        taken = [name for name in self.columns if name in self._stored(file)]
        missing = [name for name in self.columns if name not in taken]
        seats = self._seats(file)
        chooses = len(seats) < len(file.about.agents)
        needed = [*taken, *(("episode", "action") if missing else ()), *(("seat",) if chooses else ())]
        found = read_group(file, group, list(dict.fromkeys(needed)))
        if missing:
            found = compute(file, found["episode"], found["action"], missing, self.history) | found
        if chooses:
            rows = np.flatnonzero(np.isin(found["seat"], seats))
            return {name: found[name].take(rows) for name in self.columns}
        return {name: found[name] for name in self.columns}


def read_group(file: File, group: int, columns: Sequence[str]) -> Columns:
    """Stored columns of a row group.

    Raises:
        DataError: they are damaged.
    """
    try:
        with parquet.ParquetFile(file.path, page_checksum_verification=True) as opened:
            table = opened.read_row_group(group, list(columns))
        arrays = {name: _whole(table.column(name)) for name in columns}
        return {name: from_arrow(array, file.about.arrays.get(name)) for name, array in arrays.items()}
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{file.path} is damaged: {(str(error).splitlines() or [''])[0]:.200}") from None


def _whole(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def compute(file: File, episodes: np.ndarray, actions: np.ndarray, columns: Sequence[str], history: int = 0) -> dict[str, Any]:
    """Columns of whole games that need not be stored.

    Raises:
        DataError: these are no games of the file's.
    """
    game, options = check_release(file)
    numbers, lengths = np.unique(episodes, return_counts=True)
    first = int(numbers[0]) if len(numbers) else 0
    if not np.array_equal(episodes, np.repeat(np.arange(first, first + len(numbers)), lengths)):
        raise DataError(f"{file.path} is damaged: its episodes are not in order")
    seed, found = (file.about.seed + first) % MAX_SEED, dict[str, Any]()
    try:
        if set(columns) - set(TEXTS):
            found |= replay(game, options, seed, lengths, actions, history if set(columns) & set(HISTORY) else 0)
        if set(columns) & set(TEXTS):
            found |= {name: np.array(texts, object) for name, texts in tell(game, options, seed, lengths, actions).items()}
    except ValueError as error:
        raise DataError(f"{file.path}: from episode {first} on: {error}") from None
    return found


def batches(path: Place, columns: Sequence[str] | None = None, **chosen: Any) -> Iterator[Columns]:
    """Iterate over the decisions of a data set, one row group of whole games (tens of thousands of decisions) at a time.

    Args:
        path: a folder, a file, or several of them.
        columns: the names of columns (see `wilddeck.data.files`). None: all stored numeric columns, observation and
            action_mask. Columns that are not stored are computed if possible.
        **chosen: `game="hearts_v0"`, `agent="rules"` (an agent string as recorded), `seat=0`: read only such decisions;
            `history=K`: read K history tokens per decision; `any_release=True`: also read files of other releases.

    Yields:
        Columns by name: arrays [R, ...] with the dtypes of `wilddeck.data.files`, possibly read-only; NaN for unknown
        log-probabilities, objects for text. Observations, masks and histories are packed (`PackedRows`):
        `columns["observation"][rows]` unpacks the rows that you take.

    Raises:
        DataError: a file or column does not exist, a file is damaged, not a data set or of another release, or decisions are of
            several games or options.
    """
    source = Source(path, columns, **chosen)
    for file, group in source.groups:
        yield source.read(file, group)


def read(path: Place, columns: Sequence[str] | None = None, **chosen: Any) -> Columns:
    """Read all decisions of a data set at once, into new arrays; arguments are those of `batches`.

    Raises:
        DataError: as in `batches`.
        ValueError: there is not enough memory.
    """
    source = Source(path, columns, **chosen)
    total, whole = sum(file.rows[group] for file, group in source.groups), dict[str, _Growing]()
    for file, group in source.groups:
        part = source.read(file, group)
        if not whole:
            size, count = sum(values.nbytes for values in part.values()), max(len(part[source.columns[0]]), 1)
            memory.check(f"{total} decisions", total * size // count)
            whole = {name: _Growing(1.1 * total / count) for name in part}
        for name, values in part.items():
            whole[name].add(values)
    return {name: column.values() for name, column in whole.items()}


class _Growing:
    """A column that is appended to: so memory is written to once, which is most of the time of reading much.

    Args:
        times: how many times as long as its first part it will be, about.
    """

    def __init__(self, times: float) -> None:
        self._times, self._used, self._array = times, 0, np.empty(0)
        self._parts: tuple[_Growing, ...] = ()
        self._packed: PackedRows | None = None

    def add(self, values: Any) -> None:
        if isinstance(values, PackedRows):
            self._packed, self._parts = values, self._parts or tuple(_Growing(self._times) for _ in range(3))
            data, begins, ends = self._parts
            begins.add(values.begins + data._used)
            ends.add(values.ends + data._used)
            data.add(values.data)
            return
        end = self._used + len(values)
        if end > len(self._array):
            room = np.empty(max(end, int(self._times * len(values)) + 1, 2 * len(self._array)), values.dtype)
            room[: self._used] = self._array[: self._used]
            self._array = room
        self._array[self._used : end] = values
        self._used = end

    def values(self) -> Any:
        if self._packed is None:
            return self._array[: self._used]
        data, begins, ends = (part.values() for part in self._parts)
        return PackedRows(data, begins, ends, self._packed.dtype, self._packed.row_shape)


def together(parts: Sequence[Any]) -> Any:
    """A column of its parts."""
    return joined(parts) if isinstance(parts[0], PackedRows) else np.concatenate(parts)


def next_decisions(columns: Columns) -> np.ndarray:
    """The row of the same seat's next decision in the game: int64 [R], -1 if there is none.

    Args:
        columns: from `read` or `batches`, in their order; with episode, seat and done.
    """
    episode, seat, done = (np.asarray(columns[name]) for name in ("episode", "seat", "done"))
    order = np.lexsort((seat, episode))  # which keeps the order of rows
    following = np.full(len(order), -1)
    following[order[:-1]] = order[1:]
    following[done] = -1
    return following


class Verified(NamedTuple):
    """The numbers of files, episodes and decisions that were verified."""

    files: int
    episodes: int
    decisions: int


def verify(path: Place) -> Verified:
    """Replay every episode of a data set from its seed and actions, and compare all stored columns byte by byte.

    Raises:
        DataError: the replay differs (the message says where), or as in `batches`.
    """
    files, episodes, decisions = find(path), 0, 0
    for file in files:
        about, following = file.about, file.about.first
        for group in range(len(file.rows)):
            found = read_group(file, group, about.stored)
            wanted = ["decision", *about.columns]
            played = compute(file, found["episode"], found["action"], wanted, about.history)
            played["agent"] = np.array(about.agents, object)[played["seat"]]
            for name in played.keys() & set(about.stored):
                _compare(file, name, found, played[name])
            if found["episode"][0] != following:
                raise DataError(f"{file.path} is damaged: episode {following} is missing")
            following = int(found["episode"][-1]) + 1
            decisions += len(found["episode"])
        if following != about.first + about.episodes:
            raise DataError(f"{file.path} is damaged: it ends with episode {following - 1}")
        episodes += about.episodes
    return Verified(len(files), episodes, decisions)


def _compare(file: File, name: str, found: Columns, played: Any) -> None:
    row = _first_other(found[name], played)
    if row >= 0:
        place = f"episode {found['episode'][row]}, decision {found['decision'][row]}"
        raise DataError(f"{file.path}: {name} of {place} differs from the replay")


def _first_other(stored: Any, played: Any) -> int:
    """The first row whose bytes differ, -1 if there is none."""
    if isinstance(stored, PackedRows):
        stored, played = stored.in_order(), played.in_order()
        if np.array_equal(stored.ends, played.ends) and np.array_equal(stored.data, played.data):
            return -1
        rows = zip(stored.row_bytes(), played.row_bytes(), strict=True)
        return next(k for k, (one, other) in enumerate(rows) if one != other)
    if stored.dtype != object:
        stored, played = (np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1) for array in (stored, played))
    wrong = (stored != played).reshape(len(stored), -1).any(axis=1)
    return int(wrong.argmax()) if wrong.any() else -1
