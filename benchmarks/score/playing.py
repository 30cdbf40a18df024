"""Play the matches of a score and write the results to its file as they come.

Agents that play in batches (random, rules, trained, networks) play all deals together in this process; one that fails ends the
run with an error. All others (search, bots, agents that need more than observations) play match by match as in a league, on
request in worker processes; one that fails forfeits (`league/match.py`). Agents that wait for servers (language models) play in
threads, and their requests are stored beside the score file, so that none is repeated.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ... import agents
from ...agents import play
from ...agents.base import Agent
from ...agents.learned import plain_options
from ...agents.llm.exchanges import Exchanges, beside
from ...agents.llm.settings import settings_of
from ...envs.core.batch import MAX_SEED, check_seed
from ...league import LeagueInterrupted
from ...league.executors import executor
from ...league.files import files_digest
from ...league.lending import Lending
from ...league.match import Entry, Match, MatchResult, Settings
from ...league.running import Interrupts
from ...league.usage import Usage, used
from . import suite
from .record import AGENT, PLAYERS, GameRecord, Record, load, rounded
from .suite import FULL, MINI, ONE, ZERO, ScoreError, Task

_WRITE_SECONDS = 2.0  # between two writings of a file that grows slowly
_OPPONENT = "opponent"

Progress = Callable[[str, float, int], None]  # what is being played, games done (and parts), games in all


@dataclass(frozen=True)
class ScoreRequest:
    """A request for a score.

    Attributes:
        spec: the agent (or agent string) for all games except those in `specs`; None: play only those. An object plays only
            the games it was made for: list them in `games`, or pass it in `specs`.
        specs: agents for single games, by the game's name in the table.
        games: the names of the games; None: the default games, or without `spec` those of `specs`. Default games for which the
            agent cannot be made are left out.
        name: the agent's name in the file (default: its agent string).
        deals: the number of deals per game; None: that of the suite.
        seed: the seed of the deals.
        workers: processes for agents that do not play in batches (1: this process); for agents that wait for servers, the
            number of parallel matches.
        move_seconds: the time limit for these agents' decisions.
        trust: load files that can run code.
        sandbox: run bots (`cmd:`) in a sandbox.
        mini: the small suite (`suite.MINI`).
    """

    spec: str | Agent | None = None
    specs: Mapping[str, str | Agent] = field(default_factory=dict)
    games: Sequence[str] | None = None
    name: str | None = None
    deals: int | None = None
    seed: int = suite.SEED
    workers: int = 1
    move_seconds: float = 10.0
    trust: bool = False
    sandbox: bool = False
    mini: bool = False

    def begun(self) -> Record:
        """The empty score of this request."""
        deals = suite.DEALS[MINI if self.mini else FULL] if self.deals is None else self.deals
        return Record(self.title(), deals, self.seed, mini=self.mini)

    def names(self) -> list[str]:
        """The games, in the order of the table."""
        if self.spec is None and not self.specs:
            raise ScoreError("name an agent, or one for each game with --agent GAME=AGENT")
        if self.games is not None:
            missing = [name for name in self.games if self.spec is None and name not in self.specs]
            if missing:
                raise ScoreError(f"no agent was given for {', '.join(missing)}; name one or leave the games out")
            return list(self.games)
        usual = [] if self.spec is None else suite.default_names(MINI if self.mini else FULL)
        return suite.find_names([*usual, *self.specs])

    def title(self) -> str:
        """The agent's name in the file."""
        own = agents.text_of(self.spec)
        return self.name or own or ", ".join(f"{game}={agents.text_of(spec)}" for game, spec in self.specs.items())

    def spec_of(self, name: str) -> str | Agent:
        return self.specs.get(name, self.spec or "")

    def make(self, task: Task) -> Agent:
        """The agent of a game (ValueError if there is none)."""
        rights = {"trust": self.trust, "sandbox": self.sandbox}
        return agents.make(self.spec_of(task.name), task.game, task.options, **rights)


def run(request: ScoreRequest, path: Path, progress: Progress | None = None) -> Record:
    """Score an agent, continuing from the results in the file.

    Args:
        request: the agent, games and deals.
        path: the file; it is written every few seconds.
        progress: called as games are played.

    Raises:
        ScoreError: an agent or game is unknown, an agent that plays in batches failed, or the file has the score of another
            agent or protocol.
        LeagueInterrupted: by Ctrl-C (in matches also SIGTERM and SIGHUP); finished results are in the file.
        LeagueError: an agent's server cannot be reached; answers received before are kept.
        OSError: the file cannot be read or written.
    """
    check_seed(request.seed)
    tasks = [suite.task(name) for name in request.names()]
    begun = request.begun()
    record = load(path) if path.exists() else begun
    described = [(each.name, each.suite, each.deals, each.seed) for each in (record, begun)]
    _check_same(path, [("agent", "suite", "deals", "seed"), *described])
    tasks, record.left_out = _makeable(request, tasks)
    for task in tasks:
        _enter(request, path, record, task)
    with _kept(record, path):
        for done, task in enumerate(tasks):
            _play(request, task, record, path, functools.partial(_tell, progress, task.title, done, len(tasks)))
    return record


def _tell(progress: Progress | None, title: str, done: int, total: int, part: float) -> None:
    if progress is not None:
        progress(title, done + part, total)


@contextlib.contextmanager
def _kept(record: Record, path: Path) -> Iterator[None]:
    """Whatever ends the play inside, its results are written."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        record.save(path)
        done = f"{len(record.complete())} of {len(record.games)} games are played"
        raise LeagueInterrupted(
            f"stopped: {done}, and all results kept in {path}; run again with the same arguments to go on",
            *([stopped.signal] if isinstance(stopped, LeagueInterrupted) else []),
        ) from None
    except BaseException:
        record.save(path)
        raise
    record.save(path)


def _check_same(path: Path, values: Sequence[Sequence[Any]]) -> None:
    for name, theirs, ours in zip(*values, strict=True):
        if theirs != ours:
            raise ScoreError(f"{path} holds a score of the {name} {theirs!r}, not {ours!r}; choose another by --file")


def _makeable(request: ScoreRequest, tasks: Sequence[Task]) -> tuple[list[Task], dict[str, str]]:
    """The games for which the agent can be made, and why it cannot for the others, where these were not asked for."""
    makeable, failed = [], {}
    for task in tasks:
        try:
            request.make(task).close()
            makeable.append(task)
        except ValueError as error:
            if request.games is not None or task.name in request.specs:
                raise
            failed[task.name] = str(error)
    if not makeable:
        raise ScoreError(next(iter(failed.values())))
    return makeable, failed


def _enter(request: ScoreRequest, path: Path, record: Record, task: Task) -> None:
    """Begin with a game, or make sure that it is still the same."""
    given = request.spec_of(task.name)
    spec, digest = agents.text_of(given), files_digest(given, task.game, task.options)
    protocol = suite.protocol(task, record.suite)
    known = record.games.get(task.name)
    if known is None:
        record.games[task.name] = GameRecord.empty(spec, digest, protocol, record.deals)
        return
    _check_same(path, [("agent", "agent's file with digest"), (known.spec, known.sha256), (spec, digest)])
    differences = suite.differences(known.protocol, protocol)
    if differences:
        raise ScoreError(
            f"{path}: {task.name} was played by another protocol ({'; '.join(differences[:3])}); choose another by --file"
        )


def _play(request: ScoreRequest, task: Task, record: Record, path: Path, progress: Callable[[float], None]) -> None:
    """Play what is missing of a game."""
    game = record.games[task.name]
    units = [(player, opponent) for player in PLAYERS[::-1] for opponent in game.results[player]]
    for done, (player, opponent) in enumerate(units):
        progress(done / len(units))
        if not np.isnan(game.results[player][opponent]).any():
            continue
        if player == AGENT and game.spec in (ZERO, ONE):
            game.results[player][opponent] = game.results[game.spec][opponent].copy()
            continue
        begun = time.perf_counter()
        with contextlib.closing(request.make(task) if player == AGENT else _fixed(task, player)) as agent:
            how = None if agent.plays_batches else _executor(request, agent)
            if how is None:
                game.results[player][opponent] = _by_batch(task, agent, opponent, record)
        if how is not None:
            part = functools.partial(_tell_part, progress, done, len(units))
            _match_by_match(request, task, opponent, record, path, how, part)
        if player == AGENT:
            game.seconds += time.perf_counter() - begun
    record.save(path)


def _tell_part(progress: Callable[[float], None], done: int, total: int, part: float) -> None:
    progress((done + part) / total)


def _fixed(task: Task, spec: str) -> Agent:
    return agents.make(spec, task.game, task.options)


def _by_batch(task: Task, agent: Agent, opponent: str, record: Record) -> np.ndarray:
    """The results of all deals, float64 [deals, places]."""
    others = [_fixed(task, opponent)] * (len(task.game.teams(task.options)) - 1)
    seed = task.seed_of(record.seed)
    try:
        scores, _ = play.rotated(agent, others, task.game, task.options, record.deals, seed)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        raise ScoreError(f"{agent.name} failed in {task.name}: {type(error).__name__}: {error}") from error
    return rounded(scores.T)


def _match_by_match(
    request: ScoreRequest, task: Task, opponent: str, record: Record, path: Path, how: str, progress: Callable[[float], None]
) -> None:
    """Play the deals that are missing, each in every rotation, as matches of a league. `how`: the executor's name."""
    game = record.games[task.name]
    results = game.results[AGENT][opponent]
    teams = task.game.teams(task.options)
    options, seed = plain_options(task.options), task.seed_of(record.seed)
    settings = Settings(task.game.id, options, task.game.rules_digest, seed=seed, move_seconds=request.move_seconds)
    given = request.spec_of(task.name)
    objects = {game.spec: given} if isinstance(given, Agent) else {}
    make = Lending(functools.partial(agents.make, sandbox=request.sandbox), objects, beside(path))
    if how == "process":
        make.check_sent()
    missing = _matches(task, game.spec, opponent, np.flatnonzero(np.isnan(results).any(axis=1)), seed)
    played: dict[int, list[MatchResult]] = {}  # of deals that are not yet whole
    written = time.monotonic()
    with (
        Interrupts() as interrupted,
        contextlib.closing(executor(how, settings, make, request.trust, request.workers)) as players,
    ):
        for result in players.play(missing, interrupted):
            together = played.setdefault(result.deal, [])
            together.append(result)
            if len(together) == len(teams):
                results[result.deal] = _results_of(task, played.pop(result.deal), game)
                progress(1 - float(np.isnan(results).any(axis=1).mean()))
            if time.monotonic() - written > _WRITE_SECONDS:
                record.save(path)
                written = time.monotonic()
    if interrupted():
        raise LeagueInterrupted("stopped", interrupted.signal)
    if players.unplayed:
        raise ScoreError(f"{task.name} could not be played: {players.unplayed[0]}")


def _executor(request: ScoreRequest, agent: Agent) -> str:
    return "thread" if agent.keeps_time else "process" if request.workers > 1 else "serial"


def _matches(task: Task, spec: str, opponent: str, deals: np.ndarray, seed: int) -> Iterator[Match]:
    """Each deal with the agent as every team; the deals are those of `play_batch`."""
    agent, other = Entry(AGENT, spec), Entry(_OPPONENT, opponent)
    team_of = task.game.team_of(task.options).tolist()
    for deal in deals.tolist():
        for own in range(len(task.game.teams(task.options))):
            seats = tuple(agent if team == own else other for team in team_of)
            yield Match(f"{task.name}/{opponent}/{deal}/{own}", deal, (seed + deal) % MAX_SEED, own, seats)


def _results_of(task: Task, matches: Sequence[MatchResult], game: GameRecord) -> np.ndarray:
    """The agent's results of a deal, float64 [places]; what it forfeited is counted."""
    teams, scores = task.game.teams(task.options), []
    for match in sorted(matches, key=lambda result: result.rotation):
        own = [match.seats[seat] for seat in teams[match.rotation]]
        scores.append(float(np.mean([seat.returned for seat in own])))
        failed = next((seat for seat in own if seat.status != "ok"), None)
        if failed is not None:
            game.forfeits[failed.status] = game.forfeits.get(failed.status, 0) + 1
            game.message = game.message or failed.message
    return rounded(np.array(scores) * task.game.score_unit(task.options))


def usage(record: Record, path: Path) -> list[Usage]:
    """What the language models of a score have been asked, and what it cost, from the exchanges beside its file; each is called
    by its model's name.

    Raises:
        ValueError, OSError: the file of exchanges cannot be read.
    """
    specs = dict.fromkeys(game.spec for game in record.games.values())
    entries = [Entry(settings.model, spec) for spec in specs if (settings := settings_of(spec))]
    return used(entries, Exchanges(beside(path)).all()) if beside(path).exists() else []
