"""Recording: play games between agents, and write their decisions to files."""

from __future__ import annotations

import contextlib
import copy
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import agents as agents_of
from .. import envs
from ..agents.base import Agent, View
from ..agents.play import BLOCK, play_batch, play_game
from ..agents.views import Views
from ..envs.core.batch import MAX_SEED, check_count, check_seed, fresh_seed
from ..envs.core.game import Game, Options
from ..envs.core.tokens import MAX_HISTORY
from .extra import parquet, pyarrow
from .files import KEY, SEEN, TEXTS, About, as_arrow, open_file
from .replaying import replay, tell

FILE_ROWS, FILE_SECONDS = 2**18, 60.0  # a file is finished when it holds so many decisions, or after that time
GROUP_ROWS = 2**15  # about so many decisions a row group
_WRITING: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 1,
    "use_dictionary": ["agent"],
    "write_statistics": False,
}
TOGETHER, ALONE = BLOCK, 16  # games that are played before what they were is written, by the batch and one at a time


def record(
    game: Game | str,
    agents: Sequence[str | Agent],
    games: int,
    out: str | Path,
    options: Options | Mapping[str, Any] | None = None,
    seed: int | None = None,
    columns: Sequence[str] = SEEN,
    history: int = 0,
    **more: bool,
) -> list[Path]:
    """Play games and record them in files of a folder, which may contain other recordings.

    Files are written atomically: if recording stops, the finished ones are kept.

    Args:
        game, options: a game or its id, and options, a mapping, or None for the defaults.
        agents: agents or agent strings, one for all seats or one per seat.
        games: the number of games.
        out: the folder; it is created if necessary.
        seed: seed of the first game; the others count on from it. None: a random one. The files contain it, and anyone who
            knows it knows all cards.
        columns: the computable columns to store: observation, action_mask, events, action_text. The two texts take a
            millisecond per decision.
        history: store this many history tokens per decision.
        **more: `resume=True` continues a recording with the same seed and arguments after its last file; `trust=True` loads
            agents from files that can run code; `sandbox=True` runs bots in a sandbox.

    Returns:
        The files of this recording.

    Raises:
        ValueError: a game, option, agent or column is unknown, a number is out of range, or the folder already has this
            recording and `resume` is not set.
        AgentError: an agent failed.
        OSError: a file could not be written.
    """
    game, options = envs.resolve(game, options)
    games, seed = check_count("games", games), fresh_seed() if seed is None else check_seed(seed)
    history = check_count("history", history, MAX_HISTORY) if history else 0
    unknown = [name for name in columns if name not in (*SEEN, *TEXTS)]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not an optional column; optional: {', '.join((*SEEN, *TEXTS))}, and history=K")
    given = [agents] if isinstance(agents, (str, Agent)) else list(agents)
    specs = given * options.num_players if len(given) == 1 else given
    if len(specs) != options.num_players:
        raise ValueError(f"give one agent for all {options.num_players} seats or one for each, not {len(specs)}")
    names = [spec if isinstance(spec, str) else spec.name for spec in specs]
    about = About.of(game, options, names, seed, columns, history)
    start = Path(out) / about.file_name
    if not more.pop("resume", False) and start.exists():
        raise ValueError(f"{start} already exists; choose another seed or folder, or resume the recording")
    with _made(specs, game, options, more) as seated:
        return list(_files(Path(out), about, game, options, seated, games))


@contextlib.contextmanager
def _made(specs: Sequence[str | Agent], game: Game, options: Options, rights: Mapping[str, bool]) -> Iterator[list[Agent]]:
    """An agent for each seat, of equal specs one; those that were made here are closed."""
    texts = {spec: agents_of.make(spec, game, options, **rights) for spec in specs if isinstance(spec, str)}
    try:
        yield [texts[spec] if isinstance(spec, str) else spec for spec in specs]
    finally:
        for agent in texts.values():
            agent.close()


class _Tape:
    """What agents answered in games that are played, in order."""

    def __init__(self) -> None:
        self.row = 0  # of a game that is played alone
        self._noted: list[tuple[Any, Any, Any]] = []

    def note(self, rows: Any, actions: Any, log_probs: Any) -> None:
        """Answers [M] of so many games, by their rows."""
        self._noted.append((rows, actions, log_probs))

    def games(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of so many games how many decisions each has; actions and log-probabilities, those of the first game first."""
        rows, actions, log_probs = (np.concatenate(parts) for parts in zip(*self._noted, strict=True))
        order = np.argsort(rows, kind="stable")
        return np.bincount(rows, minlength=count), actions[order], log_probs[order]


class _Noted(Agent):
    """An agent whose answers are noted."""

    def __init__(self, agent: Agent, tape: _Tape) -> None:
        self.agent, self.tape, self.name, self.history = agent, tape, agent.name, agent.history

    @property
    def plays_batches(self) -> bool:
        return self.agent.plays_batches

    def begin(self, game: Game, options: Options, seat: int, seed: int) -> None:
        self.agent.begin(game, options, seat, seed)

    def end(self, seat: int, returns: np.ndarray) -> None:
        self.agent.end(seat, returns)

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        before = copy.deepcopy(rng)
        actions = self.agent.act_batch(views, rng)
        self.tape.note(views.rows, actions, self.agent.log_probs(views, actions, before))
        return actions

    def act(self, view: View, rng: np.random.Generator) -> int:
        log_probs = np.full(1, np.nan, np.float32)
        if type(self.agent).act is Agent.act:
            views, before = view.alone(self.agent), copy.deepcopy(rng)
            actions = self.agent.act_batch(views, rng)
            log_probs = self.agent.log_probs(views, actions, before)
        else:
            actions = np.array([self.agent.act(view, rng)])
        self.tape.note([self.tape.row], actions, log_probs)
        return actions[0]


def _play(game: Game, options: Options, agents: Sequence[Agent], count: int, seed: int) -> tuple[np.ndarray, ...]:
    """So many games between agents: what `_Tape.games` gives."""
    tape = _Tape()
    noted = {id(agent): _Noted(agent, tape) for agent in agents}
    seated = [noted[id(agent)] for agent in agents]
    if all(agent.plays_batches for agent in agents):
        play_batch(game, options, seated, count, seed)
    else:
        for tape.row in range(count):
            play_game(game, options, seated, (seed + tape.row) % MAX_SEED)
    return tape.games(count)


def _files(out: Path, about: About, game: Game, options: Options, agents: Sequence[Agent], games: int) -> Iterator[Path]:
    """The files of a recording: those that are there, then those that are missing, which are written."""
    first = 0
    while first < games:
        path = out / replace(about, first=first).file_name
        if not path.exists():
            _write(path, replace(about, first=first), game, options, agents, games)
        first += open_file(path).about.episodes
        yield path


def _write(path: Path, about: About, game: Game, options: Options, agents: Sequence[Agent], games: int) -> None:
    """A file from its first game on: under another name until it is whole."""
    unfinished, schema = path.with_name(f".{path.name}.part"), about.schema
    block = TOGETHER if all(agent.plays_batches for agent in agents) else ALONE
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with unfinished.open("wb") as sink, parquet.ParquetWriter(sink, schema, **_WRITING) as writer:
            rows, began, end = 0, time.monotonic(), about.first
            while end < games and rows < FILE_ROWS and time.monotonic() - began < FILE_SECONDS:
                count, seed = min(block, games - end), (about.seed + end) % MAX_SEED
                played = _play(game, options, agents, count, seed)
                for start, *group in _groups(*played):
                    writer.write_table(_table(about, schema, game, options, end + start, group))
                rows, end = rows + len(played[1]), end + count
            writer.add_key_value_metadata({KEY: replace(about, episodes=end - about.first).to_json()})
            writer.close()
            sink.flush()
            os.fsync(sink.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _groups(lengths: np.ndarray, actions: np.ndarray, log_probs: np.ndarray) -> Iterator[tuple[Any, ...]]:
    """Games in groups of about `GROUP_ROWS` decisions: the number of the first, then as `_Tape.games`."""
    ends = np.cumsum(lengths)
    first = row = 0
    while first < len(lengths):
        last = max(first, int(np.searchsorted(ends, row + GROUP_ROWS, "right")) - 1)
        end = int(ends[last])
        yield first, lengths[first : last + 1], actions[row:end], log_probs[row:end]
        first, row = last + 1, end


def _table(about: About, schema: Any, game: Game, options: Options, first: int, group: Sequence[np.ndarray]) -> Any:
    """Games as rows; `first` is the number of the first."""
    lengths, actions, log_probs = group
    seed = (about.seed + first) % MAX_SEED
    columns = replay(game, options, seed, lengths, actions, about.history)
    columns |= {"episode": np.repeat(np.arange(first, first + len(lengths)), lengths), "action": actions.astype(np.int32)}
    columns["log_prob"] = pyarrow.array(log_probs, mask=np.isnan(log_probs))
    names = pyarrow.array(list(dict.fromkeys(about.agents)))
    places = np.array([names.index(name).as_py() for name in about.agents], np.int8)
    columns["agent"] = pyarrow.DictionaryArray.from_arrays(places[columns["seat"]], names)
    if {*TEXTS} & {*about.columns}:
        columns |= tell(game, options, seed, lengths, actions)
    return pyarrow.table([as_arrow(columns[field.name], field.type) for field in schema], schema)
