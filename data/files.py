"""The files of a data set.

A file (`.parquet`) contains whole games of one recording, one row per decision, in order. The columns are what the deciding
seat knew, what it did, and what it got:

    episode          int64: the number of the game in its recording
    decision         int32: the number of the decision in the game, over all seats
    seat, agent      int8, and text: the deciding seat and its agent
    observation      float32 [D] and
    action_mask      uint8 [A]: the seat's observation
    history          int32 [K, 6] and
    history_length   int32: what the seat had perceived, as tokens (`envs/core/tokens.py`)
    events           text: what the seat had perceived since its last decision, one sentence per line
    action           int32, and
    action_text      text: its action
    log_prob         float32: the log-probability of the action for its agent, null if unknown
    reward           float32: what the seat got from this decision to its next one, or to the end of the game
    done             bool: whether this was the seat's last decision in the game
    episode_return   float32: what the seat got in the whole game

Columns of arrays are binary (`packed.py`); `arrays` in the metadata gives their dtypes and shapes. Observations, histories and
texts are optional, because they can be computed (`replaying.py`).

The file's key-value metadata has, as JSON under `wilddeck` (`About`), what all rows share: the game and its options, digests of
its rules and spaces, the agents, and the seed, which no seat knows: episode k is dealt by `env.reset(seed=seed + k)`. Reading
runs no code: no agents are made, and nothing that a file names is imported.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import envs
from ..envs.core.batch import MAX_SEED
from ..envs.core.files import read_json, require, whole
from ..envs.core.game import Game, Options
from ..envs.core.tokens import COLUMNS
from .extra import parquet, pyarrow
from .packed import MOST, PackedRows

FORMAT, VERSION = "wilddeck decisions", 1
KEY = b"wilddeck"
SUFFIX = ".parquet"
SEEN = ("observation", "action_mask")
HISTORY = ("history", "history_length")
TEXTS = ("events", "action_text")
OPTIONAL = (*SEEN, *HISTORY, *TEXTS)  # can be computed
TYPES = {
    "episode": pyarrow.int64(),
    "decision": pyarrow.int32(),
    "seat": pyarrow.int8(),
    "agent": pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
    "observation": pyarrow.binary(),
    "action_mask": pyarrow.binary(),
    "history": pyarrow.binary(),
    "history_length": pyarrow.int32(),
    "events": pyarrow.string(),
    "action": pyarrow.int32(),
    "action_text": pyarrow.string(),
    "log_prob": pyarrow.float32(),
    "reward": pyarrow.float32(),
    "done": pyarrow.bool_(),
    "episode_return": pyarrow.float32(),
}
_DTYPES = {"observation": "<f4", "action_mask": "|u1", "history": "<i4"}
_ENTRIES = {
    **dict.fromkeys(("game", "rules", "spaces", "seed"), str),
    **dict.fromkeys(("options", "arrays"), dict),
    **dict.fromkeys(("agents", "columns"), list),
    **dict.fromkeys(("first", "episodes"), int),
}


class DataError(ValueError):
    """A file is not a wilddeck data set, is damaged, is of another release, or lacks the requested data."""


@dataclass(frozen=True)
class About:
    """The metadata of a file.

    Attributes:
        game: the game's id.
        rules, spaces: the digests of the game's rules and layouts when it was recorded.
        options: all options of the game.
        agents: the agent string of each seat.
        seed: the seed of episode 0.
        columns: the optional columns that are stored.
        arrays: dtype and shape of those that are arrays.
        first, episodes: the number of the first episode in the file, and the number of episodes.
    """

    game: str
    rules: str
    spaces: str
    options: dict[str, Any]
    agents: list[str]
    seed: int
    columns: list[str]
    arrays: dict[str, list[Any]]
    first: int = 0
    episodes: int = 0

    @classmethod
    def of(cls, game: Game, options: Options, agents: Sequence[str], seed: int, columns: Sequence[str], history: int) -> About:
        """Of a recording; with `history` so many tokens of it are stored."""
        shapes = {
            "observation": [game.observation_size(options)],
            "action_mask": [game.num_actions(options)],
            "history": [history, COLUMNS],
        }
        kept = [name for name in OPTIONAL if name in columns or (history and name in HISTORY)]
        arrays = {name: [_DTYPES[name], shapes[name]] for name in kept if name in shapes}
        plain = json.loads(json.dumps(vars(options)))
        return cls(game.id, game.rules_digest, game.spaces_digest, plain, list(agents), seed, kept, arrays)

    @property
    def recording(self) -> str:
        """A name for what was recorded: of equal recordings equal names."""
        said = {**asdict(self), "first": 0, "episodes": 0}
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]

    @property
    def file_name(self) -> str:
        return f"{self.game}-{self.recording}-{self.first:09d}{SUFFIX}"

    @property
    def history(self) -> int:
        """How many tokens of history a row has."""
        return self.arrays["history"][1][0] if "history" in self.arrays else 0

    @property
    def stored(self) -> list[str]:
        """The columns of the file, in their order."""
        return [name for name in TYPES if name not in OPTIONAL or name in self.columns]

    @property
    def schema(self) -> Any:
        """The columns, as pyarrow has them."""
        return pyarrow.schema([pyarrow.field(name, TYPES[name], nullable=name == "log_prob") for name in self.stored])

    def resolved(self) -> tuple[Game, Options]:
        """The game and its options (ValueError for one that is not known here, or knows no such options)."""
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in self.options.items()}
        return envs.resolve(self.game, values)

    def to_json(self) -> bytes:
        return json.dumps({"format": FORMAT, "version": VERSION, **asdict(self), "seed": str(self.seed)}).encode()

    @classmethod
    def from_json(cls, text: bytes) -> About:
        """What a file says of itself (ValueError where it cannot say that)."""
        said = read_json(text)
        require(isinstance(said, dict) and said.get("format") == FORMAT, "it has another format")
        if said.get("version") != VERSION:
            raise ValueError(f"it has version {said.get('version')!r:.60} of the format, not {VERSION}")
        for name, kind in _ENTRIES.items():
            require(type(said.get(name)) is kind, f"its {name!r} must be {kind.__name__}")
        seed = said["seed"]
        require(seed.isascii() and seed.isdigit() and len(seed) < 40 and int(seed) < MAX_SEED, "its 'seed' is no seed")
        require(all(isinstance(agent, str) for agent in said["agents"]), "its 'agents' must be texts")
        require(set(said["columns"]) <= set(OPTIONAL), "its 'columns' must be some that can be computed")
        require(set(said["arrays"]) == {name for name in said["columns"] if name in _DTYPES}, "its 'arrays' are other columns")
        for name, array in said["arrays"].items():
            kind, shape = array
            require(kind == _DTYPES[name] and len(shape) == 1 + (name == "history"), f"its {name!r} cannot be {array}")
            require(all(0 < whole(size) <= MOST for size in shape), f"its {name!r} cannot be {array}")
        return cls(**{name: said[name] for name in _ENTRIES} | {"seed": int(seed)})


@dataclass(frozen=True)
class File:
    """A file of a data set.

    Attributes:
        path: where it is.
        about: what it says of its rows.
        rows: how many there are of each row group; games are not divided among groups.
    """

    path: Path
    about: About
    rows: tuple[int, ...]

    @property
    def decisions(self) -> int:
        return sum(self.rows)


Place = str | Path | Sequence[str | Path]


def find(path: Place, *, game: str | None = None, agent: str | None = None, any_release: bool = False) -> list[File]:
    """The files of a data set, in the order of their names.

    Args:
        path: a folder, a file, or several of them.
        game: only those of a game, by its id.
        agent: only those in which this agent (a spec as it was recorded) has a seat.
        any_release: take those of other rules and layouts than this release's, too, of which nothing can be computed.

    Raises:
        DataError: there are none, or one is damaged, foreign, or of another release.
    """
    found = [open_file(each) for each in _paths([path] if isinstance(path, (str, Path)) else path)]
    kept = [each for each in found if game in (None, each.about.game) and (agent is None or agent in each.about.agents)]
    if not kept:
        asked = [f"{name} {value!r}" for name, value in (("game", game), ("agent", agent)) if value is not None]
        there = sorted({text for each in found for text in (each.about.game, *each.about.agents)})
        raise DataError(f"{path} has no decisions of {' and '.join(asked)}; it has: {', '.join(there)}")
    if not any_release:
        for each in kept:
            check_release(each)
    return kept


def _paths(places: Iterable[str | Path]) -> list[Path]:
    paths: list[Path] = []
    for place in map(Path, places):
        inside = [path for path in sorted(place.glob(f"*{SUFFIX}")) if path.name[0] != "."] if place.is_dir() else [place]
        if not inside or not inside[0].is_file():
            raise DataError(f"{place} is neither a data set file nor a folder with such files (*{SUFFIX})")
        paths += inside
    return paths


def open_file(path: Path) -> File:
    """What a file says of itself.

    Raises:
        DataError: it is damaged, or not of this suite.
    """
    try:
        metadata = parquet.read_metadata(path)
        text, schema = (metadata.metadata or {}).get(KEY), metadata.schema.to_arrow_schema()
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(f"{path} cannot be read as Parquet: {_first_line(error)}") from None
    if text is None:
        raise DataError(f"{path} is a Parquet file, but not one of wilddeck")
    try:
        about = About.from_json(text)
    except (ValueError, TypeError) as error:
        raise DataError(f"{path} is damaged: {error}") from None
    rows = tuple(metadata.row_group(k).num_rows for k in range(metadata.num_row_groups))
    if not schema.equals(about.schema):
        raise DataError(f"{path} is damaged: its columns do not match its metadata")
    if not rows or min(rows) < 1:
        raise DataError(f"{path} is damaged: a row group has no rows")
    return File(path, about, rows)


def check_release(file: File) -> tuple[Game, Options]:
    """The game and the options of a file.

    Raises:
        DataError: they are not those of this release.
    """
    try:
        game, options = file.about.resolved()
    except ValueError as error:
        raise DataError(f"{file.path}: {error}") from None
    if len(file.about.agents) != options.num_players:
        raise DataError(f"{file.path} is damaged: it does not name an agent for each of {options.num_players} seats")
    if (file.about.rules, file.about.spaces) != (game.rules_digest, game.spaces_digest):
        raise DataError(
            f"{file.path} was recorded with another release of {game.id}: its games cannot be replayed here, and its "
            "columns may have other meanings (any_release=True reads stored columns)"
        )
    return game, options


def as_arrow(values: Any, kind: Any) -> Any:
    """A column as pyarrow has it."""
    if isinstance(values, PackedRows):
        rows = values.in_order()
        offsets = np.concatenate([[0], rows.ends]).astype(np.int32)
        return pyarrow.BinaryArray.from_buffers(kind, len(rows), [None, *map(pyarrow.py_buffer, (offsets, rows.data))])
    return values if isinstance(values, pyarrow.Array) else pyarrow.array(values, kind)


def from_arrow(array: Any, stored: Sequence[Any] | None) -> np.ndarray | PackedRows:
    """A column (a pyarrow Array) as it is read, without a copy where it needs none: null is nan, and text objects.

    Args:
        stored: of a column of several numbers their dtype and the shape of a row.
    """
    if stored is None:
        return array.to_numpy(zero_copy_only=False)
    _, offsets, data = array.buffers()
    edges = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    return PackedRows(np.frombuffer(data or b"", np.uint8), edges[:-1], edges[1:], *stored)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
