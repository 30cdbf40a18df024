"""A league: agents of one game, matches between them in a file, and what follows from the results."""

from __future__ import annotations

import contextlib
import functools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import agents as _agents
from ..agents.base import Agent
from ..agents.learned import plain_options
from ..agents.llm.exchanges import Exchanges, beside
from ..envs import game as find_game
from ..envs import registered, resolve
from ..envs.core.game import Game, Options
from . import ratings, standings
from .claims import Claims
from .columns import MAX_DEALS, is_name
from .episode import Episode
from .errors import LeagueError, LeagueInterrupted, StoreError
from .executors import executor as make_executor
from .export import Contents, export
from .files import files_digest
from .lending import Lending
from .match import Entry, Match, MatchResult, Settings, partners
from .processes import Executor
from .replay import Replay, replay
from .running import Interrupts, Progress, ResultWriter, Run
from .schedule import count, schedule
from .standings import Failure, Matrix, Table
from .store import Store
from .usage import Usage, used

_SHOWN = 5  # agents in a message
_WAIT_SECONDS = 0.1  # between looks at what other runs have finished


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
        **settings: seed, move_seconds, game_seconds, start_seconds, disqualify_after, duplicate; see `Settings`.

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
        **settings: Any,
    ) -> None:
        self._make: Callable[..., Agent] = make or _agents.make
        if sandbox:
            self._make = functools.partial(self._make, sandbox=True)
        self._objects: dict[str, Agent] = {}  # that were added here, by what stands for them in the file
        self._trust = trust
        self._named: set[str] = set()  # the specs of those that were added here
        settings = {name: value for name, value in settings.items() if name != "seed" or value is not None}  # None: a secret
        new, expected = None, {}
        if game is not None:
            chosen, checked = resolve(game, options)
            new = Settings(registered(chosen), plain_options(checked), chosen.rules_digest, **settings)
            expected = {"game": new.game, "rules": new.rules, **settings}
            expected |= {} if options is None else {"options": new.options}
        self._store = Store(path, new, busy_seconds)
        try:
            self._open()
            for name, value in expected.items():
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
        except ValueError as error:
            raise StoreError(f"{self.path} is a league of another game: {error}") from None
        try:
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
    def exchanges(self) -> Path:
        """The file where agents keep what they ask others, such as servers of language models: JSON lines."""
        return beside(self.path)

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

    def add(self, name: str, spec: str | Path | Agent) -> Entry:
        """Add an agent. Adding the same again changes nothing in the file; it says that the program that it names may run.

        Args:
            spec: what `wilddeck.agents.make` takes, or specs of partners. An object is not kept in the file, where
                `<Agent NAME>` stands for it: to play on with it, open the league and add it again. One object plays on all its
                seats, and in worker processes a copy of it (by `pickle`) in each.

        Raises:
            LeagueError: another agent has the name, or the weights under this name have changed.
            ValueError: the spec makes no agent of this game.
        """
        if not is_name(name):
            raise LeagueError(f"an agent's name is 1 to 80 printable characters, not {name!r}")
        text = f"<Agent {name}>" if isinstance(spec, Agent) else str(spec)
        entry = Entry(name, text, files_digest(spec if isinstance(spec, Agent) else text, self._game, self._options))
        for other in self.agents:
            if other.name == name and other != entry:
                raise LeagueError(_changed(other, entry))
        if isinstance(spec, Agent):
            self._objects[text] = spec
        make = Lending(self._make, self._objects)
        for part in dict.fromkeys(part for team in self.teams for part in entry.specs(len(team))):
            make(part, self._game, self._options, trust=self._trust).close()
        self._store.add_agent(entry)
        self._named.add(text)
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
            executor: "serial" (this process), "thread" (hundreds of matches at once, whose agents wait for servers), "process"
                (workers that may hang and die) or "ray" (workers on all machines of a Ray cluster, which may be lost, too;
                extra `ray`).
            workers: how many threads or processes (default: 2; of a cluster as many as it has processors).
            address: of a Ray cluster that is to be joined (None: one is started on this machine).
            gauntlet: play only groups in which this agent sits.
            progress: called after results were written.

        Raises:
            LeagueInterrupted: Ctrl-C, SIGTERM or SIGHUP; what was finished is written, and workers and bots are ended.
            LeagueError: too few agents, changed weights or rules, agents that do not exist here, objects that were not added
                again or cannot be sent to workers, programs that nobody has named (see `trust`), or the file cannot be written.
        """
        if not 1 <= deals <= MAX_DEALS:
            raise LeagueError(f"deals must be from 1 to {MAX_DEALS:,}, not {deals}")
        self._check_consent()
        self._check_unchanged()
        make = Lending(self._make, self._objects, self.exchanges if executor != "ray" else None)
        if executor in ("process", "ray"):
            make.check_sent()
        entries, started = self.agents, time.monotonic()
        total = count(entries, len(self.teams), deals, gauntlet, self.places)
        writer = ResultWriter(self._store, total, lambda: self._store.count_matches(deals, gauntlet), progress)
        unplayed: tuple[str, ...] = ()
        if writer.done < total:
            known = self._store.match_ids()
            matches = schedule(self.settings, entries, self.team_of, deals, gauntlet)
            missing = (match for match in matches if match.id not in known)
            with (
                Interrupts() as interrupted,
                contextlib.closing(make_executor(executor, self.settings, make, self._trust, workers, address)) as players,
                Claims(self._store) as claims,
            ):
                self._play(players, missing, claims, writer, interrupted)
            if interrupted():
                raise LeagueInterrupted(
                    f"stopped after {writer.done} of {total} matches, all of them kept in {self.path}; "
                    "run again with the same arguments to go on",
                    interrupted.signal,
                )
            unplayed = tuple(players.unplayed)
        disqualified = self._disqualified(self._count_forfeits())
        out = tuple(entry.name for entry in entries if entry.name in disqualified)
        return Run(writer.played, writer.done - writer.played, writer.forfeits, out, unplayed, time.monotonic() - started)

    def _play(
        self, players: Executor, matches: Iterable[Match], claims: Claims, writer: ResultWriter, interrupted: Callable[[], bool]
    ) -> None:
        """Play the matches that no other run plays, until the others have played theirs, or what they claimed has come back."""
        while not interrupted():
            others: list[Match] = []
            forfeits = self._count_forfeits()
            before = writer.played
            try:
                for result in players.play(self._playable(matches, others, claims, writer, forfeits), interrupted):
                    forfeits.update({seat.agent for seat in result.seats if seat.status != "ok"})
                    writer.add(result)
            finally:
                writer.write()
            claims.release()  # of agents that were disqualified meanwhile
            writer.recount()
            if not others:
                return
            matches = others
            if writer.played == before:
                time.sleep(_WAIT_SECONDS)

    def _playable(
        self, matches: Iterable[Match], others: list[Match], claims: Claims, writer: ResultWriter, forfeits: Counter[str]
    ) -> Iterator[Match]:
        """Matches that this run has claimed, without agents that are disqualified as far as is known when their turn comes."""
        for chunk in claims.take(matches, others):
            if self.settings.disqualify_after is not None:  # by other runs, too
                writer.write()
                forfeits |= self._count_forfeits()
            for match in chunk:
                if not self._disqualified(forfeits) & {entry.name for entry in match.seats}:
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
            rest = f" and {len(foreign) - _SHOWN} more" if len(foreign) > _SHOWN else ""
            raise LeagueError(
                f"{self.path} names programs that would run here: {listed}{rest}; to let them, add these agents again "
                "(-a NAME=SPEC), or trust the file (--trust, League(..., trust=True))"
            )

    def _check_unchanged(self) -> None:
        """Results of different rules or weights are never mixed."""
        if self._game.rules_digest != self.settings.rules:
            raise LeagueError(
                f"{self.path}: the rules of {self.settings.game} have changed since this league began; its results can be "
                "read, but new matches need a new file"
            )
        for entry in self.agents:
            agent: str | Agent = self._objects.get(entry.spec, entry.spec)
            if isinstance(agent, str) and entry.kind == "object":
                raise LeagueError(
                    f"agent {entry.name!r} was added as an object, which {self.path} does not hold; add it again: "
                    f"league.add({entry.name!r}, agent)"
                )
            now = replace(entry, sha256=files_digest(agent, self._game, self._options))
            if now != entry:
                raise LeagueError(_changed(entry, now))

    def usage(self) -> list[Usage]:
        """What the agents that ask servers have asked, and what it cost; the others are left out.

        Raises:
            LeagueError: the file of exchanges cannot be read.
        """
        try:
            return used(self.agents, Exchanges(self.exchanges).all())
        except (OSError, ValueError) as error:
            raise LeagueError(str(error)) from None

    def _disqualified(self, forfeits: Counter[str]) -> set[str]:
        limit = self.settings.disqualify_after
        return set() if limit is None else {name for name, count in forfeits.items() if count >= limit}

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

        def of_team(values: np.ndarray, columns: str) -> np.ndarray:
            lowest = by_team(values, np.min)
            if (lowest != by_team(values, np.max)).any():
                raise StoreError(f"{self.path}: the file was edited: seats of a team have different {columns}")
            return lowest

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
        if not entries:
            raise LeagueError(f"{self.path}: this league has no agents yet")
        out = self._disqualified(Counter(failure.agent for failure in forfeits))
        return standings.rank(entries, results, forfeits, out, self.units, anchor, bootstrap)

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
            entries, results, out = self.agents, self.results(), self._disqualified(self._count_forfeits())
        playing = [entry for entry in entries if entry.name not in out]
        if len(playing) < len(self.teams):
            return set()
        names = {entry.name for entry in playing}
        played = Counter(result.deal for result in results if names.issuperset(seat.agent for seat in result.seats))
        all_of_one = count(playing, len(self.teams), 1)
        return {result.id for result in results if played[result.deal] < all_of_one}

    def _forfeits(self) -> list[Failure]:
        """The first failure of each agent in each match: a team forfeits once."""
        first: dict[tuple[str, str], Failure] = {}
        for failure in self.errors():
            first.setdefault((failure.match, failure.agent), failure)
        return list(first.values())

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
        (result,) = self._store.results(self._store.find_match(match))
        return replay(self.settings, self.agents, result)

    def episode(self, match: str) -> Episode:
        """The same, to be shown and saved: as JSON, a page, a picture; notebooks show it by themselves."""
        return Episode.of(self.replay(match))

    def export(self, format: str = "json", public: bool = False) -> str:
        """The league as text: "json" (all of it, the seed of its deals included), "csv" (a line for each seat of each match),
        "markdown", "html" (a fragment).

        Args:
            public: leave out what tells of deals that are still to come: of the league its seed, of `open_matches` their seeds,
                actions, digests and messages.

        Raises:
            LeagueError: an unknown format.
        """
        with self._store.snapshot():
            contents = Contents(
                self.settings,
                self.teams,
                self.units,
                self.agents,
                self.table(),
                self.matrix(),
                self.errors(),
                self.results(),
                self.open_matches() if public else None,
            )
        return export(contents, format)


def _changed(before: Entry, now: Entry) -> str:
    if before.spec == now.spec:
        change = "its file has changed or is gone" if before.sha256 else "its spec now names a file"
        if before.kind == "object":
            change = "it is an object with other weights"
    else:
        change = f"this league has it as {before.spec!r}, not {now.spec!r}"
    return f"agent {before.name!r}: {change}; add the new one under another name, so that their results stay apart"
