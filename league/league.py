"""A league: agents of one game, the matches between them in one file, and their rankings."""

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
    """A league in a file. Use it as a context manager, or close it.

    Args:
        path: the file. It is created if it does not exist and `game` is given.
        game: the game or its id. For an existing league it may be omitted, or must agree with the file, as must all settings.
        options: the game's options.
        make: makes agents from agent strings: `make(spec, game, options, trust=...)`, with `sandbox=True` if that is set.
            Workers must be able to import it.
        trust: run programs that are named only in the file (`cmd:`, `module:function`) and not by `add`, and load files that
            can run code (.zip). Not stored in the file.
        sandbox: run bots (`cmd:`) in a sandbox (see `wilddeck.agents.sandbox`). Not stored in the file.
        busy_seconds: how long to wait while another process writes.
        **settings: seed, move_seconds, game_seconds, start_seconds, disqualify_after, duplicate; see `Settings`.

    Raises:
        LeagueError: the file cannot be used (see `Store`), or its league has other settings.
        ValueError: the game or an option is unknown.
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
        self._objects: dict[str, Agent] = {}  # added here, by their placeholders in the file
        self._trust = trust
        self._named: set[str] = set()  # the agent strings added here
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
                    raise LeagueError(f"{path}: the league has {other}; use another file")
        except BaseException:
            self._store.close()
            raise

    def _open(self) -> None:
        self.settings = self._store.settings
        try:
            self._game: Game = find_game(self.settings.game)
        except ValueError as error:
            raise StoreError(f"{self.path}: the league's game cannot be found: {error}") from None
        try:
            self._options = self._game.make_options(self.settings.options)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise StoreError(f"{self.path}: the file was edited or written by another release: {error}") from None
        self._store.seats = len(self.team_of)

    def __enter__(self) -> League:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(f"a League cannot be copied or pickled; open {self.path} again")

    @property
    def path(self) -> Path:
        return self._store.path

    @property
    def exchanges(self) -> Path:
        """The file, in JSON lines, where agents store their requests to servers, such as language models, and the answers."""
        return beside(self.path)

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each team; one agent plays all seats of a team."""
        return self._game.teams(self._options)

    @property
    def team_of(self) -> list[int]:
        """The team of each seat."""
        return self._game.team_of(self._options).tolist()

    @property
    def units(self) -> dict[str, float]:
        """The units of scores, main unit first, each with its amount per return of 1; see `Game.score_units`."""
        return self._game.score_units(self._options)

    @property
    def unit(self) -> str:
        """The unit of scores: "chips" in a game about money, else ""."""
        return next(iter(self.units), "")

    @property
    def places(self) -> str:
        """What one agent plays: "teams", or "seats" if each seat plays for itself."""
        return "teams" if len(self.teams) < len(self.team_of) else "seats"

    @property
    def agents(self) -> list[Entry]:
        """The agents, in the order in which they were added."""
        return self._store.agents()

    def add(self, name: str, spec: str | Path | Agent) -> Entry:
        """Add an agent. Adding the same agent again does not change the file; it allows the program that it names to run.

        Args:
            name: 1 to 80 printable characters.
            spec: an agent string, as for `wilddeck.agents.make`, agent strings of partners joined by " + ", or an object. An
                object is not stored; the file has the placeholder `<Agent NAME>`, and to continue you must add the object
                again. One object plays all its seats; each worker process plays a copy (made by `pickle`).

        Raises:
            LeagueError: the name is taken by another agent, or the weights under this name have changed.
            ValueError: `spec` is not an agent for this game.
        """
        if not is_name(name):
            raise LeagueError(f"an agent's name must be 1 to 80 printable characters, not {name!r}")
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
        """Play the missing matches of the first `deals` deals: every group of agents in every rotation of the teams.

        Several runs on one file, each in its own process or thread, share the work. A run waits for matches that another run
        has begun, and takes them over half a minute after that run was killed.

        Args:
            deals: the total number of deals; to continue a league, ask for more.
            executor: "serial" (this process), "thread" (hundreds of matches at once, for agents that wait for servers),
                "process" (worker processes, which may hang or crash) or "ray" (workers on the machines of a Ray cluster, which
                may be lost too; needs the extra `ray`).
            workers: the number of threads or processes (default 2; on a cluster one per processor).
            address: the Ray cluster to join (None: start one on this machine).
            gauntlet: play only the groups that include this agent.
            progress: called after results are written.

        Raises:
            LeagueInterrupted: by Ctrl-C, SIGTERM or SIGHUP, after finished matches are written and workers and bots ended.
            LeagueError: there are too few agents; weights or rules have changed; an agent does not exist here; an object was
                not added again or cannot be sent to workers; a program was not named (see `trust`); or the file cannot be
                written.
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
                    f"stopped after {writer.done} of {total} matches, which are saved in {self.path}; "
                    "to continue, run again with the same arguments",
                    interrupted.signal,
                )
            unplayed = tuple(players.unplayed)
        disqualified = self._disqualified(self._count_forfeits())
        out = tuple(entry.name for entry in entries if entry.name in disqualified)
        return Run(writer.played, writer.done - writer.played, writer.forfeits, out, unplayed, time.monotonic() - started)

    def _play(
        self, players: Executor, matches: Iterable[Match], claims: Claims, writer: ResultWriter, interrupted: Callable[[], bool]
    ) -> None:
        """Play the matches that no other run claims, until other runs have finished theirs or lost their claims."""
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
        """Matches that this run has claimed, except those of agents already known to be disqualified."""
        for chunk in claims.take(matches, others):
            if self.settings.disqualify_after is not None:  # by other runs, too
                writer.write()
                forfeits |= self._count_forfeits()
            for match in chunk:
                if not self._disqualified(forfeits) & {entry.name for entry in match.seats}:
                    yield match

    def _check_consent(self) -> None:
        """Raise if the file names programs that were not added here, unless the file is trusted."""
        foreign = [
            entry
            for entry in self.agents
            if not self._trust and entry.spec not in self._named and any(map(_agents.runs_code, partners(entry.spec)))
        ]
        if foreign:
            listed = ", ".join(f"{entry.name!r} ({entry.spec})" for entry in foreign[:_SHOWN])
            rest = f" and {len(foreign) - _SHOWN} more" if len(foreign) > _SHOWN else ""
            raise LeagueError(
                f"{self.path} names programs that would run here: {listed}{rest}; to allow this, add these agents again "
                "(-a NAME=AGENT) or trust the file (--trust, League(..., trust=True))"
            )

    def _check_unchanged(self) -> None:
        """Raise if rules or weights have changed, whose results must not be mixed."""
        if self._game.rules_digest != self.settings.rules:
            raise LeagueError(
                f"{self.path}: the rules of {self.settings.game} have changed since this league began; you can read its "
                "results, but new matches need a new file"
            )
        for entry in self.agents:
            agent: str | Agent = self._objects.get(entry.spec, entry.spec)
            if isinstance(agent, str) and entry.kind == "object":
                raise LeagueError(
                    f"agent {entry.name!r} is an object, which {self.path} does not store; add it again: "
                    f"league.add({entry.name!r}, agent)"
                )
            now = replace(entry, sha256=files_digest(agent, self._game, self._options))
            if now != entry:
                raise LeagueError(_changed(entry, now))

    def usage(self) -> list[Usage]:
        """Requests and costs of the agents that ask servers; other agents are left out.

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
                raise StoreError(f"{self.path}: the file was edited: the seats of a team have different {columns}")
            return lowest

        agents = np.array([number[row[3]] for row in rows], np.int64).reshape(shape)
        forfeits = np.array([row[6] != "ok" for row in rows], np.bool_).reshape(shape)
        holders, ranks = of_team(agents, "agents"), of_team(column(5, np.int64), "places")
        if (np.diff(np.sort(holders, axis=1), axis=1) == 0).any():
            raise StoreError(f"{self.path}: the file was edited: an agent plays twice in one match")
        if (ranks != (ranks[:, None, :] < ranks[:, :, None]).sum(axis=2)).any():
            raise StoreError(f"{self.path}: the file was edited: a rank does not agree with the others")
        scores = by_team(column(4, float), np.mean) * self._game.score_unit(self._options)
        deals = column(2, np.int64)[:, 0]
        return ratings.Results(len(number), holders, ranks, scores, deals, by_team(forfeits, np.any))

    def table(self, anchor: str | None = None, bootstrap: int = 500) -> Table:
        """The ranking.

        Args:
            anchor: the agent whose rating is 0 (default: the agent named `random`, else the first one that is `random`, else
                the first).
            bootstrap: the number of bootstrap samples of deals for the intervals.

        Raises:
            LeagueError: the league has no agents, or none with this name.
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
        """All forfeits, one per seat."""
        return [Failure(*row) for row in self._store.failures()]

    def open_matches(self) -> set[str]:
        """The ids of the matches whose deals other agents have yet to play, in a league with duplicate deals. Empty in other
        leagues, where each match has its own deal."""
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
        """Play a recorded match again from its deal and actions, and check it against the record.

        Args:
            match: its id, or a prefix of it.

        Raises:
            ReplayError: the replay differs from the record, because the rules have changed or the file was edited.
            LeagueError: no match, or more than one, has this id.
        """
        (result,) = self._store.results(self._store.find_match(match))
        return replay(self.settings, self.agents, result)

    def episode(self, match: str) -> Episode:
        """The replay for display: as JSON, an HTML page, an animated picture; notebooks show it directly.

        Raises as `replay` does.
        """
        return Episode.of(self.replay(match))

    def export(self, format: str = "json", public: bool = False) -> str:
        """The league as text.

        Args:
            format: "json" (everything, including the secret seed), "csv" (one line per seat and match), "markdown" or "html"
                (a fragment).
            public: leave out everything that reveals deals yet to be played: the league's seed, and the seeds, actions,
                digests and messages of `open_matches`.

        Raises:
            LeagueError: the format is unknown.
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
        change = "its file has changed or is missing" if before.sha256 else "its agent string now names a file"
        if before.kind == "object":
            change = "the object has different weights"
    else:
        change = f"the league has it as {before.spec!r}, not {now.spec!r}"
    return f"agent {before.name!r}: {change}; add the new agent under another name to keep their results apart"
