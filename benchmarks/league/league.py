"""A league: agents of one game, matches between them in a file, and what follows from the results."""

from __future__ import annotations

import contextlib
import hashlib
import math
import shlex
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ... import agents as _agents
from ...agents import trained
from ...agents.base import Agent
from ...envs import game as find_game
from ...envs.core.game import Game
from . import ratings
from .errors import LeagueError, LeagueInterrupted, StoreError
from .executors import executor as make_executor
from .match import FORFEITS, Entry, Match, MatchResult, Settings, partners
from .replay import Replay, replay
from .schedule import count, schedule
from .store import Store

_WRITE_SECONDS = 0.25  # results are written together so often


@dataclass(frozen=True)
class Progress:
    """How far a run is: `done` of `total` matches, those of earlier runs included; `forfeits` of this run."""

    done: int
    total: int
    forfeits: int


@dataclass(frozen=True)
class Run:
    """What `League.run` did.

    Attributes:
        played: matches played now.
        skipped: matches that were there already.
        forfeits: seats forfeited now.
        disqualified: agents that get no more matches.
        unplayed: why matches could not be played, a line each.
        seconds: wall time.
    """

    played: int
    skipped: int
    forfeits: int
    disqualified: tuple[str, ...]
    unplayed: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Row:
    """A line of the ranking.

    Attributes:
        agent: its name.
        rating: Elo points above the anchor, None if the games do not compare it with the anchor.
        low, high: 95 % interval of the rating over deals; None where open, without rating or with fewer than two deals.
        bound: "at least" or "at most" where the games bound the rating on one side only, else "" (see `ratings.Rating`).
        games: matches played.
        wins: matches won; shared ones count by their share.
        score, score_error: mean score and its standard error over deals; None without games, or too few. A score is the return,
            of a team the mean of its seats'; in a game about money in chips.
        forfeits: forfeited matches by kind.
        disqualified: it gets no more matches.
        note: what a reader must know, "" if nothing.
    """

    agent: str
    rating: float | None
    low: float | None
    high: float | None
    bound: str
    games: int
    wins: float
    score: float | None
    score_error: float | None
    forfeits: dict[str, int]
    disqualified: bool
    note: str

    @property
    def score_interval(self) -> tuple[float, float] | None:
        """95 % interval of the mean score, over deals; None without games, or too few."""
        if self.score is None or self.score_error is None:
            return None
        return self.score - 1.96 * self.score_error, self.score + 1.96 * self.score_error


@dataclass(frozen=True)
class Table:
    """The ranking, best first: by rating, in a game about money by mean chips. Agents without one come last.

    Attributes:
        rows: a line an agent.
        anchor: the agent whose rating is 0.
        matches, deals: how many the ratings come from.
        unit: of the scores: "chips" in a game about money, else "".
    """

    rows: list[Row]
    anchor: str
    matches: int
    deals: int
    unit: str = ""


@dataclass(frozen=True, eq=False)
class Matrix:
    """Head-to-head results in the order of `agents`.

    Attributes:
        points: float [K, K], of the row's agent against the column's: 1 a match in which it finished ahead, 1/2 if tied.
        games: int [K, K], matches in which both sat.
        scores: float [K, K], mean score of the row's agent in matches in which both sat; NaN where there are none.
        unit: of the scores: "chips" in a game about money, else "".
    """

    agents: list[str]
    points: np.ndarray
    games: np.ndarray
    scores: np.ndarray
    unit: str = ""

    @property
    def share(self) -> np.ndarray:
        """float [K, K]: points / games, NaN where there are none."""
        with np.errstate(invalid="ignore"):
            return self.points / self.games


@dataclass(frozen=True)
class Failure:
    """A forfeited seat."""

    match: str
    seat: int
    agent: str
    status: str
    message: str


class League:
    """A league in a file. Use as a context manager, or close it.

    Args:
        path: the file. It is made if it does not exist and a game is given.
        game: id of the game. Of an existing league, what is given must agree with the file.
        options: the game's options.
        make: makes agents from specs, `make(spec, game, options, trust=...)`; must be importable by workers.
        trust: let specs load files that can run code (.zip). Not kept in the file.
        busy_seconds: how long to wait while another process writes.
        **limits: seed, move_seconds, game_seconds, start_seconds, disqualify_after; see `Settings`.

    Raises:
        LeagueError: the file cannot be used (see `Store`), or holds a league with other settings.
        ValueError: an unknown game or option.
    """

    def __init__(
        self,
        path: str | Path,
        game: str | None = None,
        options: Mapping[str, Any] | None = None,
        *,
        make: Callable[..., Agent] | None = None,
        trust: bool = False,
        busy_seconds: float = 5.0,
        **limits: Any,
    ) -> None:
        self._make: Callable[..., Agent] = make or _agents.make
        self._trust = trust
        wanted = None
        if game is not None:
            found = find_game(game)
            checked = found.make_options(options or {})
            wanted = Settings(found.id, _plain(vars(checked)), found.rules_digest, **limits)
        self._store = Store(path, wanted, busy_seconds)
        self.settings = self._store.settings
        self._game: Game = find_game(self.settings.game)
        self._options = self._game.make_options(self.settings.options)
        given = {} if wanted is None else {"game": wanted.game, "rules": wanted.rules, **limits}
        given |= {} if options is None or wanted is None else {"options": wanted.options}
        for name, value in given.items():
            kept = getattr(self.settings, name)
            if kept != value:
                self._store.close()
                raise LeagueError(f"{path}: this league has {name} {kept!r}, not {value!r}; use another file")

    def __enter__(self) -> League:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()

    @property
    def path(self) -> Path:
        return self._store.path

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each team; one agent holds all of a team."""
        return self._game.teams(self._options)

    @property
    def team_of(self) -> list[int]:
        """The team of each seat."""
        return self._game.team_of(self._options).tolist()

    @property
    def unit(self) -> str:
        """What scores are counted in: "chips" in a game about money, else ""."""
        return "" if self._game.chips is None else "chips"

    @property
    def places(self) -> str:
        """What agents hold at a table: "teams", or "seats" where each plays alone."""
        return "teams" if len(self.teams) < len(self.team_of) else "seats"

    @property
    def agents(self) -> list[Entry]:
        """The agents, in the order in which they were added."""
        return self._store.agents()

    def add(self, name: str, spec: str) -> Entry:
        """Add an agent. Adding the same again changes nothing.

        Raises:
            LeagueError: another agent has the name, or the weights under this name have changed.
            ValueError: the spec makes no agent of this game.
        """
        if not name or name != name.strip() or len(name) > 80 or not name.isprintable():
            raise LeagueError(f"an agent's name is 1 to 80 printable characters, not {name!r}")
        entry = Entry(name, spec, self._weights_digest(spec))
        for other in self.agents:
            if other.name == name and other != entry:
                raise LeagueError(_changed(other, entry))
        for each in dict.fromkeys(each for team in self.teams for each in entry.specs(len(team))):
            self._make(each, self._game, self._options, trust=self._trust).close()
        self._store.add_agent(entry)
        return entry

    # --- playing ---

    def run(
        self,
        deals: int,
        *,
        executor: str = "serial",
        workers: int = 2,
        gauntlet: str | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Run:
        """Play what is missing of the first `deals` deals: each in every group of agents and every rotation of the teams.

        Args:
            deals: how many deals in all; to go on, ask for more.
            executor: "serial" (this process) or "process" (workers that may hang and die).
            workers: how many processes.
            gauntlet: play only groups in which this agent sits.
            progress: called after results were written.

        Raises:
            LeagueInterrupted: Ctrl-C; what was finished is written.
            LeagueError: too few agents, changed weights or rules, or the file cannot be written.
        """
        if deals < 1:
            raise LeagueError(f"deals must be at least 1, not {deals}")
        self._check_unchanged()
        entries, started = self.agents, time.monotonic()
        total = count(entries, len(self.teams), deals, gauntlet, self.places)
        matches = schedule(self.settings, entries, self.team_of, deals, gauntlet)
        known = self._store.match_ids()
        forfeits = Counter(failure.agent for failure in self._forfeits())
        missing = (match for match in matches if match.id not in known)
        skipped = self._store.count_matches(deals, gauntlet)
        record = _Record(self._store, total, skipped, progress)
        unplayed: tuple[str, ...] = ()
        if skipped < total:
            with _Interrupts() as interrupted:
                players = make_executor(executor, self.settings, self._make, self._trust, workers)
                try:
                    for result in players.play(self._qualified(missing, forfeits), interrupted):
                        forfeits.update({seat.agent for seat in result.seats if seat.status != "ok"})
                        record.add(result)
                finally:
                    try:
                        record.write()
                    finally:
                        players.close()
                if interrupted():
                    raise LeagueInterrupted(
                        f"stopped after {record.done} of {total} matches, all of them kept in {self.path}; "
                        "run again with the same arguments to go on"
                    )
                unplayed = tuple(players.unplayed)
        out = tuple(entry.name for entry in entries if self._is_disqualified(forfeits[entry.name]))
        seconds = time.monotonic() - started
        return Run(record.played, skipped, record.forfeits, out, unplayed, seconds)

    def _check_unchanged(self) -> None:
        """Results of different rules or weights are never mixed."""
        if self._game.rules_digest != self.settings.rules:
            raise LeagueError(
                f"{self.path}: the rules of {self.settings.game} have changed since this league began; its results can be "
                "read, but new matches need a new file"
            )
        for entry in self.agents:
            now = replace(entry, sha256=self._weights_digest(entry.spec))
            if now != entry:
                raise LeagueError(_changed(entry, now))

    def _weights_digest(self, spec: str) -> str:
        """SHA-256 of the files that a spec names, "" if none."""
        found = [_file_digest(str(trained.weights(self._game.id)) if each == "trained" else each) for each in partners(spec)]
        return found[0] if len(found) == 1 else hashlib.sha256("".join(found).encode()).hexdigest() if any(found) else ""

    def _is_disqualified(self, forfeits: int) -> bool:
        limit = self.settings.disqualify_after
        return limit is not None and forfeits >= limit

    def _qualified(self, matches: Iterable[Match], forfeits: Counter[str]) -> Iterator[Match]:
        """Matches without disqualified agents, as far as is known when their turn comes."""
        for match in matches:
            if not any(self._is_disqualified(forfeits[entry.name]) for entry in match.seats):
                yield match

    # --- results ---

    def _results(self) -> ratings.Results:
        rows = self._store.seat_rows()
        number = {entry.name: index for index, entry in enumerate(self.agents)}
        matches = self._store.count_matches()
        seats = len(self.team_of)
        if len(rows) != matches * seats:
            raise StoreError(f"{self.path}: the file was edited: {matches} matches have {len(rows)} seats")
        shape = (matches, seats)

        def column(index: int, dtype: Any) -> np.ndarray:
            return np.array([row[index] for row in rows], dtype).reshape(shape)

        def by_team(values: np.ndarray, combine: Callable[..., np.ndarray]) -> np.ndarray:
            return np.stack([combine(values[:, list(team)], axis=1) for team in self.teams], axis=1)

        agents = np.array([number[row[3]] for row in rows], np.int64).reshape(shape)
        forfeits = np.array([row[6] != "ok" for row in rows], np.bool_).reshape(shape)
        holders = by_team(agents, np.min)
        if (holders != by_team(agents, np.max)).any():
            raise StoreError(f"{self.path}: the file was edited: seats of a team belong to different agents")
        scores = by_team(column(4, float), np.mean) * self._game.score_unit(self._options)
        ranks, deals = by_team(column(5, np.int64), np.min), column(1, np.int64)[:, 0]
        return ratings.Results(len(number), holders, ranks, scores, deals, by_team(forfeits, np.any))

    def table(self, anchor: str | None = None, bootstrap: int = 500) -> Table:
        """The ranking.

        Args:
            anchor: the agent whose rating is 0; without it the agent named `random`, else the one with that spec, else the
                first.
            bootstrap: resamples of the deals for the intervals.

        Raises:
            LeagueError: there are no agents, or none of that name.
        """
        entries = self.agents
        results, base = self._results(), self._anchor(entries, anchor)
        failures: dict[str, Counter[str]] = {entry.name: Counter() for entry in entries}
        for failure in self._forfeits():
            failures[failure.agent][failure.status] += 1
        rated = ratings.rate(results, base, bootstrap)
        scored = ratings.scores(results)
        rows = []
        for entry, rating, score in zip(entries, rated, scored, strict=True):
            counts = {kind: failures[entry.name][kind] for kind in FORFEITS if failures[entry.name][kind]}
            out = self._is_disqualified(sum(counts.values()))
            if score.games == 0:
                rating = ratings.Rating(None)
            rows.append(
                Row(
                    entry.name,
                    rating.value,
                    rating.low,
                    rating.high,
                    rating.bound,
                    score.games,
                    score.wins,
                    score.mean,
                    score.standard_error,
                    counts,
                    out,
                    _note(rating, score.games, out, entries[base].name),
                )
            )
        rows.sort(key=self._order)
        return Table(rows, entries[base].name, len(results.deals), len(np.unique(results.deals)), self.unit)

    def _order(self, row: Row) -> float:
        """What rows are sorted by: the best comes first, who has no value last."""
        value = row.score if self.unit else row.rating
        return math.inf if value is None else -value

    def _anchor(self, entries: list[Entry], anchor: str | None) -> int:
        names = [entry.name for entry in entries]
        if not names:
            raise LeagueError(f"{self.path}: this league has no agents yet")
        if anchor is not None:
            if anchor not in names:
                raise LeagueError(f"no agent {anchor!r} to anchor the ratings at; agents: {', '.join(names)}")
            return names.index(anchor)
        specs = [entry.spec for entry in entries]
        return names.index("random") if "random" in names else specs.index("random") if "random" in specs else 0

    def matrix(self) -> Matrix:
        """Head-to-head results of all pairs of agents."""
        results = self._results()
        points, games = ratings.head_to_head(results)
        return Matrix([entry.name for entry in self.agents], points, games, ratings.scores_together(results), self.unit)

    def errors(self) -> list[Failure]:
        """All forfeited seats."""
        return [Failure(*row) for row in self._store.failures()]

    def _forfeits(self) -> list[Failure]:
        """The first failure of each agent in each match: a team forfeits once."""
        found: dict[tuple[str, str], Failure] = {}
        for failure in self.errors():
            found.setdefault((failure.match, failure.agent), failure)
        return list(found.values())

    def results(self) -> list[MatchResult]:
        """All finished matches, by deal and id."""
        return self._store.results()

    def replay(self, match: str) -> Replay:
        """Play a recorded match again from its deal and actions, and check that it went as recorded.

        Args:
            match: its id, or the beginning of it.

        Raises:
            ReplayError: the rules have changed since, or the file was changed.
            LeagueError: there is no such match.
        """
        (result,) = self._store.results([self._store.find_match(match)])
        return replay(self.settings, self.agents, result)

    def export(self, format: str = "json") -> str:
        """The league as text: "json" (all of it), "csv" (a line for each seat of each match), "markdown", "html" (a fragment).

        Raises:
            LeagueError: an unknown format.
        """
        from .export import export

        return export(self, format)


class _Record:
    """Writes results in small transactions and reports progress."""

    def __init__(self, store: Store, total: int, done: int, progress: Callable[[Progress], None] | None) -> None:
        self._store, self._total, self._progress = store, total, progress
        self.done, self.played, self.forfeits = done, 0, 0
        self._waiting: list[MatchResult] = []
        self._written = time.monotonic()

    def add(self, result: MatchResult) -> None:
        self._waiting.append(result)
        if time.monotonic() - self._written > _WRITE_SECONDS:
            self.write()

    def write(self) -> None:
        if self._waiting:
            results, self._waiting = self._waiting, []
            self._store.add_results(results)
            self.played += len(results)
            self.done += len(results)
            self.forfeits += sum(seat.status != "ok" for result in results for seat in result.seats)
            if self._progress is not None:
                self._progress(Progress(self.done, self._total, self.forfeits))
        self._written = time.monotonic()


class _Interrupts:
    """Ctrl-C is noted, so that what is finished can be written; a second Ctrl-C raises as usual."""

    def __init__(self) -> None:
        self._noted = False
        self._before: Any = None

    def __enter__(self) -> Callable[[], bool]:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return lambda: self._noted

    def _note(self, *_: object) -> None:
        self._noted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Options as JSON keeps them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _file_digest(spec: str) -> str:
    """SHA-256 of the file that a spec names (weights; of a command line the last file, the bot's program), "" if none."""
    with contextlib.suppress(OSError, ValueError):
        words = shlex.split(spec.partition(":")[2]) if spec.startswith("cmd:") else [spec]
        for path in map(Path, reversed(words)):
            if path.is_file():
                return hashlib.sha256(path.read_bytes()).hexdigest()
    return ""


def _changed(before: Entry, now: Entry) -> str:
    if before.spec == now.spec:
        what = "its file has changed or is gone" if before.sha256 else "its spec now names a file"
    else:
        what = f"this league has it as {before.spec!r}, not {now.spec!r}"
    return f"agent {before.name!r}: {what}; add the new one under another name, so that their results stay apart"


def _note(rating: ratings.Rating, games: int, disqualified: bool, anchor: str) -> str:
    notes = []
    if games == 0:
        notes.append("no games")
    elif rating.value is None:
        notes.append(f"not rated: its games do not compare it with {anchor}, not even by way of others")
    elif rating.bound == "at least":
        notes.append(f"no upper bound: {anchor} never finished ahead of it, nor of anyone who did")
    elif rating.bound == "at most":
        notes.append(f"no lower bound: it never finished ahead of {anchor}, nor of anyone who did")
    if disqualified:
        notes.append("disqualified")
    return "; ".join(notes)
