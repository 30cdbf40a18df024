"""A league: agents of one game, matches between them in a file, and what follows from the results."""

from __future__ import annotations

import contextlib
import functools
import math
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import agents as _agents
from ..agents.base import Agent
from ..envs import game as find_game
from ..envs import resolve
from ..envs.core.game import Game, Options
from . import ratings
from .claims import Claims
from .columns import MAX_DEALS, SCHEMA_VERSION, is_name
from .errors import LeagueError, LeagueInterrupted, ReplayError, StoreError
from .executors import executor as make_executor
from .files import files_digest
from .match import FORFEITS, Entry, Match, MatchResult, Settings, partners
from .processes import Executor
from .replay import Replay, replay
from .schedule import count, schedule
from .store import Store

_WRITE_SECONDS = 0.25  # results are written together so often
_SHOWN = 5  # agents in a message
_WAIT_SECONDS = 0.1  # between looks at what other runs have finished


@dataclass(frozen=True)
class Progress:
    """How far a run is: `done` of `total` matches, those of earlier runs included, and those that other runs on the file have
    finished meanwhile, as far as is known; `forfeits` of this run."""

    done: int
    total: int
    forfeits: int


@dataclass(frozen=True)
class Run:
    """What `League.run` did.

    Attributes:
        played: matches played now.
        skipped: matches that were there already, or that other runs played meanwhile.
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
        second_score: the mean score in the table's second unit; None without games, or without such a unit.
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
    second_score: float | None = None

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
        second_unit: what mean scores are told in besides, "mbb/hand" for example; "" if nothing.
    """

    rows: list[Row]
    anchor: str
    matches: int
    deals: int
    unit: str = ""
    second_unit: str = ""


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
        game: the game or its id. Of an existing league, what is given must agree with the file.
        options: the game's options.
        make: makes agents from specs, `make(spec, game, options, trust=...)`, and `sandbox=True` if so; must be importable by
            workers.
        trust: run the programs that stand in the file (`cmd:`, `module:function`), though nobody named them here (`add`), and
            load files that can run code (.zip). Not kept in the file.
        sandbox: run bots (cmd:) in a sandbox (see `wilddeck.agents.sandbox`). Not kept in the file.
        busy_seconds: how long to wait while another process writes.
        seed: of a new league; None draws a secret that nobody can guess. A seed that is given makes the league reproducible,
            and its deals known to every bot that knows the number.
        **limits: move_seconds, game_seconds, start_seconds, disqualify_after, duplicate; see `Settings`.

    Raises:
        LeagueError: the file cannot be used (see `Store`), or holds a league with other settings.
        ValueError: an unknown game or option.
    """

    def __init__(
        self,
        path: str | Path,
        game: Game | str | None = None,
        options: Options | Mapping[str, Any] | None = None,
        *,
        make: Callable[..., Agent] | None = None,
        trust: bool = False,
        sandbox: bool = False,
        busy_seconds: float = 5.0,
        seed: int | None = None,
        **limits: Any,
    ) -> None:
        self._make: Callable[..., Agent] = make or _agents.make
        if sandbox:
            self._make = functools.partial(self._make, sandbox=True)
        self._trust = trust
        self._named: set[str] = set()  # the specs of those that were added here
        limits |= {} if seed is None else {"seed": seed}
        wanted = None
        if game is not None:
            found, checked = resolve(game, options)
            wanted = Settings(found.id, plain_options(vars(checked)), found.rules_digest, **limits)
        self._store = Store(path, wanted, busy_seconds)
        try:
            self._open()
            given = {} if wanted is None else {"game": wanted.game, "rules": wanted.rules, **limits}
            given |= {} if options is None or wanted is None else {"options": wanted.options}
            for name, value in given.items():
                kept = getattr(self.settings, name)
                if kept != value:
                    other = f"{name} {kept!r}, not {value!r}" if name != "seed" else "another seed"
                    raise LeagueError(f"{path}: this league has {other}; use another file")
        except BaseException:
            self._store.close()
            raise

    def _open(self) -> None:
        self.settings = self._store.settings
        try:
            self._game: Game = find_game(self.settings.game)
            self._options = self._game.make_options(self.settings.options)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise StoreError(f"{self.path}: the file was edited, or is of another release: {error}") from None
        self._store.seats = len(self.team_of)

    def __enter__(self) -> League:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(f"a league is its file and cannot be copied; open {self.path} again")

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
    def units(self) -> dict[str, float]:
        """What scores are told in, the first first, and how many of each a return of 1 is; see `Game.score_units`."""
        return self._game.score_units(self._options)

    @property
    def unit(self) -> str:
        """What scores are counted in: "chips" in a game about money, else ""."""
        return next(iter(self.units), "")

    @property
    def places(self) -> str:
        """What agents hold at a table: "teams", or "seats" where each plays alone."""
        return "teams" if len(self.teams) < len(self.team_of) else "seats"

    @property
    def agents(self) -> list[Entry]:
        """The agents, in the order in which they were added."""
        return self._store.agents()

    def add(self, name: str, spec: str) -> Entry:
        """Add an agent. Adding the same again changes nothing in the file; it says that the program that it names may run.

        Raises:
            LeagueError: another agent has the name, or the weights under this name have changed.
            ValueError: the spec makes no agent of this game.
        """
        if not is_name(name):
            raise LeagueError(f"an agent's name is 1 to 80 printable characters, not {name!r}")
        entry = Entry(name, spec, files_digest(spec, self._game, self._options))
        for other in self.agents:
            if other.name == name and other != entry:
                raise LeagueError(_changed(other, entry))
        for each in dict.fromkeys(each for team in self.teams for each in entry.specs(len(team))):
            self._make(each, self._game, self._options, trust=self._trust).close()
        self._store.add_agent(entry)
        self._named.add(spec)
        return entry

    # --- playing ---

    def run(
        self,
        deals: int,
        *,
        executor: str = "serial",
        workers: int | None = None,
        address: str | None = None,
        gauntlet: str | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Run:
        """Play what is missing of the first `deals` deals: each in every group of agents and every rotation of the teams.

        Several runs on one file share the work, each in a process (or thread) of its own. What another run has begun is waited
        for; if that run was killed, its matches are taken over half a minute later.

        Args:
            deals: how many deals in all; to go on, ask for more.
            executor: "serial" (this process), "process" (workers that may hang and die) or "ray" (workers on all machines of a
                Ray cluster, which may be lost, too; extra `ray`).
            workers: how many processes (default: 2; of a cluster as many as it has processors).
            address: of a Ray cluster that is to be joined (None: one is started on this machine).
            gauntlet: play only groups in which this agent sits.
            progress: called after results were written.

        Raises:
            LeagueInterrupted: Ctrl-C, SIGTERM or SIGHUP; what was finished is written, and workers and bots are ended.
            LeagueError: too few agents, changed weights or rules, agents that do not exist here, programs that nobody has named
                (see `trust`), or the file cannot be written.
        """
        if not 1 <= deals <= MAX_DEALS:
            raise LeagueError(f"deals must be from 1 to {MAX_DEALS:,}, not {deals}")
        self._check_consent()
        self._check_unchanged()
        entries, started = self.agents, time.monotonic()
        total = count(entries, len(self.teams), deals, gauntlet, self.places)
        record = _Record(self._store, total, lambda: self._store.count_matches(deals, gauntlet), progress)
        unplayed: tuple[str, ...] = ()
        if record.done < total:
            known = self._store.match_ids()
            matches = schedule(self.settings, entries, self.team_of, deals, gauntlet)
            missing = (match for match in matches if match.id not in known)
            with (
                Interrupts() as interrupted,
                contextlib.closing(
                    make_executor(executor, self.settings, self._make, self._trust, workers, address)
                ) as players,
                Claims(self._store) as claims,
            ):
                self._play(players, missing, claims, record, interrupted)
            if interrupted():
                raise LeagueInterrupted(
                    f"stopped after {record.done} of {total} matches, all of them kept in {self.path}; "
                    "run again with the same arguments to go on",
                    interrupted.signal,
                )
            unplayed = tuple(players.unplayed)
        forfeits = self._count_forfeits()
        out = tuple(entry.name for entry in entries if self._is_disqualified(forfeits[entry.name]))
        return Run(record.played, record.done - record.played, record.forfeits, out, unplayed, time.monotonic() - started)

    def _play(
        self,
        players: Executor,
        matches: Iterable[Match],
        claims: Claims,
        record: _Record,
        interrupted: Callable[[], bool],
    ) -> None:
        """Play the matches that no other run plays, until the others have played theirs, or what they claimed has come back."""
        while not interrupted():
            others: list[Match] = []
            forfeits = self._count_forfeits()
            before = record.played
            try:
                for result in players.play(self._playable(matches, others, claims, record, forfeits), interrupted):
                    forfeits.update({seat.agent for seat in result.seats if seat.status != "ok"})
                    record.add(result)
            finally:
                record.write()
            claims.release()  # of agents that were disqualified meanwhile
            record.recount()
            if not others:
                return
            matches = others
            if record.played == before:
                time.sleep(_WAIT_SECONDS)

    def _playable(
        self, matches: Iterable[Match], others: list[Match], claims: Claims, record: _Record, forfeits: Counter[str]
    ) -> Iterator[Match]:
        """Matches that this run has claimed, without agents that are disqualified as far as is known when their turn comes."""
        for chunk in claims.take(matches, others):
            if self.settings.disqualify_after is not None:  # by other runs, too
                record.write()
                forfeits |= self._count_forfeits()
            for match in chunk:
                if not any(self._is_disqualified(forfeits[entry.name]) for entry in match.seats):
                    yield match

    def _check_consent(self) -> None:
        """A file from elsewhere runs no program, unless it is named here or the file is trusted."""
        foreign = [
            entry
            for entry in self.agents
            if not self._trust and entry.spec not in self._named and any(map(_agents.runs_code, partners(entry.spec)))
        ]
        if foreign:
            listed = ", ".join(f"{entry.name!r} ({entry.spec})" for entry in foreign[:_SHOWN])
            more = f" and {len(foreign) - _SHOWN} more" if len(foreign) > _SHOWN else ""
            raise LeagueError(
                f"{self.path} names programs that would run here: {listed}{more}; to let them, add these agents again "
                "(-a NAME=SPEC), or trust the file (--trust, League(..., trust=True))"
            )

    def _check_unchanged(self) -> None:
        """Results of different rules or weights are never mixed."""
        self._store.check_version()
        if self._game.rules_digest != self.settings.rules:
            raise LeagueError(
                f"{self.path}: the rules of {self.settings.game} have changed since this league began; its results can be "
                "read, but new matches need a new file"
            )
        for entry in self.agents:
            now = replace(entry, sha256=files_digest(entry.spec, self._game, self._options))
            if now != entry:
                raise LeagueError(_changed(entry, now))

    def _is_disqualified(self, forfeits: int) -> bool:
        limit = self.settings.disqualify_after
        return limit is not None and forfeits >= limit

    def _count_forfeits(self) -> Counter[str]:
        return Counter(failure.agent for failure in self._forfeits())

    # --- results ---

    def _results(self) -> ratings.Results:
        rows = self._store.seat_rows()
        number = {entry.name: index for index, entry in enumerate(self.agents)}
        seats = len(self.team_of)
        shape = len(rows) // seats, seats

        def column(index: int, dtype: Any) -> np.ndarray:
            return np.array([row[index] for row in rows], dtype).reshape(shape)

        def by_team(values: np.ndarray, combine: Callable[..., np.ndarray]) -> np.ndarray:
            return np.stack([combine(values[:, list(team)], axis=1) for team in self.teams], axis=1)

        def of_team(values: np.ndarray, what: str) -> np.ndarray:
            found = by_team(values, np.min)
            if (found != by_team(values, np.max)).any():
                raise StoreError(f"{self.path}: the file was edited: seats of a team have different {what}")
            return found

        agents = np.array([number[row[3]] for row in rows], np.int64).reshape(shape)
        forfeits = np.array([row[6] != "ok" for row in rows], np.bool_).reshape(shape)
        holders, ranks = of_team(agents, "agents"), of_team(column(5, np.int64), "places")
        if (np.diff(np.sort(holders, axis=1), axis=1) == 0).any():
            raise StoreError(f"{self.path}: the file was edited: an agent sits twice at a table")
        if (ranks != (ranks[:, None, :] < ranks[:, :, None]).sum(axis=2)).any():
            raise StoreError(f"{self.path}: the file was edited: a place is not the number of those ahead")
        scores = by_team(column(4, float), np.mean) * self._game.score_unit(self._options)
        deals = column(2, np.int64)[:, 0]
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
        with self._store.snapshot():
            entries, results, forfeits = self.agents, self._results(), self._forfeits()
        base = self._anchor(entries, anchor)
        failures: dict[str, Counter[str]] = {entry.name: Counter() for entry in entries}
        for failure in forfeits:
            failures[failure.agent][failure.status] += 1
        rated = ratings.rate(results, base, bootstrap)
        scored = ratings.scores(results)
        (unit, whole), (second_unit, parts) = [*self.units.items(), ("", 0.0), ("", 0.0)][:2]
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
                    score.mean / whole * parts if second_unit and score.mean is not None else None,
                )
            )
        rows.sort(key=self._order)
        return Table(rows, entries[base].name, len(results.deals), len(np.unique(results.deals)), unit, second_unit)

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
        with self._store.snapshot():
            names, results = [entry.name for entry in self.agents], self._results()
        points, games = ratings.head_to_head(results)
        return Matrix(names, points, games, ratings.scores_together(results), self.unit)

    def errors(self) -> list[Failure]:
        """All forfeited seats."""
        return [Failure(*row) for row in self._store.failures()]

    def open_matches(self) -> set[str]:
        """The ids of matches whose cards are still to be played by others: of deals that those who may play have not finished,
        in a league of duplicates. Where each match has cards of its own, there are none."""
        if not self.settings.duplicate:
            return set()
        with self._store.snapshot():
            entries, results, forfeits = self.agents, self.results(), self._count_forfeits()
        playing = [entry for entry in entries if not self._is_disqualified(forfeits[entry.name])]
        if len(playing) < len(self.teams):
            return set()
        names = {entry.name for entry in playing}
        played = Counter(result.deal for result in results if names.issuperset(seat.agent for seat in result.seats))
        all_of_one = count(playing, len(self.teams), 1)
        return {result.id for result in results if played[result.deal] < all_of_one}

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
            ReplayError: the rules have changed since, the file was changed, or is of an earlier release.
            LeagueError: there is no such match.
        """
        (result,) = self._store.results(self._store.find_match(match))
        if self._store.version != SCHEMA_VERSION:
            raise ReplayError(f"match {result.id}: it was recorded by an earlier release, which dealt other cards")
        return replay(self.settings, self.agents, result)

    def export(self, format: str = "json", public: bool = False) -> str:
        """The league as text: "json" (all of it, the seed of its deals included), "csv" (a line for each seat of each match),
        "markdown", "html" (a fragment).

        Args:
            public: leave out what tells of deals that are still to come: of the league its seed, of `open_matches` their seeds,
                actions, digests and messages.

        Raises:
            LeagueError: an unknown format.
        """
        from .export import export

        with self._store.snapshot():
            return export(self, format, public)


class _Record:
    """Writes results in small transactions and reports progress."""

    def __init__(self, store: Store, total: int, count: Callable[[], int], progress: Callable[[Progress], None] | None) -> None:
        self._store, self._total, self._count, self._progress = store, total, count, progress
        self.done, self.played, self.forfeits = count(), 0, 0
        self._waiting: list[MatchResult] = []
        self._written = time.monotonic()

    def add(self, result: MatchResult) -> None:
        self._waiting.append(result)
        if time.monotonic() - self._written > _WRITE_SECONDS:
            self.write()

    def write(self) -> None:
        if self._waiting:
            results, self._waiting = self._waiting, []
            results = self._store.add_results(results)
            self.played += len(results)
            self.done += len(results)
            self.forfeits += sum(seat.status != "ok" for result in results for seat in result.seats)
            if self._progress is not None:
                self._progress(Progress(self.done, self._total, self.forfeits))
        self._written = time.monotonic()

    def recount(self) -> None:
        """Count what is there, by whomever."""
        self.done = self._count()


class Interrupts:
    """Ctrl-C is noted, so that what is finished can be written; so are SIGTERM and SIGHUP, where they would end the process.
    A second one of them acts as usual."""

    def __init__(self) -> None:
        self.signal = 0
        self._before: dict[int, Any] = {}

    def __call__(self) -> bool:
        return self.signal != 0

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            others = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
            for number in (signal.SIGINT, *(each for each in others if signal.getsignal(each) is signal.SIG_DFL)):
                self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, _: object) -> None:
        self.signal = number
        for each in self._before:
            signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def plain_options(values: Mapping[str, Any]) -> dict[str, Any]:
    """Options as JSON keeps them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


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
