"""Matches on all machines of a Ray cluster (extra `ray`).

A task is a chunk of matches, about a second of work. Each Ray worker plays its tasks in a process of its own
(`processes.Processes`), which handles agents that hang or crash as on one machine. Ray handles lost workers and nodes: it
retries their tasks elsewhere. A chunk that was lost too often is retried match by match, so that a bad match costs only itself.

The contents of files that agent strings name (weights, a bot's program) are sent through Ray's object store and written to a
temporary folder of each worker. Before it plays, a worker checks that rules and files are those of the league.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import secrets
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..agents.base import Agent
from ..envs import game as find_game
from ..training import cluster
from .errors import LeagueError
from .files import files_digest, moved, named
from .match import Entry, Match, MatchResult, Settings
from .processes import Processes

_CHUNK_SECONDS = 1.0  # of work sent at once: short enough for live progress and small losses
_MAX_CHUNK = 1024
_POLL_SECONDS = 0.25
_AHEAD = 2  # chunks per worker: one being played, one waiting


class _Plan(NamedTuple):
    """What workers need of a league; `key` identifies the run."""

    key: str
    settings: Settings
    make: Callable[..., Agent]
    trust: bool


class _File(NamedTuple):
    name: str
    mode: int
    content: bytes


class _Played(NamedTuple):
    """A chunk's results; `seconds` per match, None for a worker's first chunk."""

    results: list[MatchResult]
    unplayed: list[str]
    seconds: float | None


# --- in a worker of Ray ---


class _Player:
    """Plays the chunks of a run in one process; it persists between tasks."""

    def __init__(self, plan: _Plan) -> None:
        self.key, settings = plan.key, plan.settings
        game = find_game(settings.game)
        if game.rules_digest != settings.rules:
            raise LeagueError(
                f"this node's rules of {settings.game} differ from the league's; install the same wilddeck on every node"
            )
        self._game, self._options = game, game.make_options(settings.options)
        self._processes = Processes(settings, plan.make, plan.trust, workers=1)
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # created when needed
        self._entries: dict[Entry, Entry] = {}  # the league's entry -> the entry with files of this machine

    def play(self, matches: Sequence[Match], files: dict[str, Any], fetch: Callable[[Any], dict[str, _File]]) -> _Played:
        known = bool(self._entries)
        for entry in {entry for match in matches for entry in match.seats} - set(self._entries):
            self._entries[entry] = self._local(entry, fetch(files[entry.spec]) if entry.spec in files else {})
        local = [replace(match, seats=tuple(self._entries[entry] for entry in match.seats)) for match in matches]
        started = time.perf_counter()
        results = list(self._processes.play(local, lambda: False))
        seconds = (time.perf_counter() - started) / len(matches)
        unplayed, self._processes.unplayed = self._processes.unplayed, []
        return _Played(results, unplayed, seconds if known else None)

    def _local(self, entry: Entry, files: dict[str, _File]) -> Entry:
        """The entry with files of this machine."""
        if entry.kind == "object":  # it came with the plan
            return entry

        def place(word: str) -> str:
            file = files[word]
            self._folder = self._folder or cluster.folder_of(self.key)
            path = Path(self._folder.name, hashlib.sha256(file.content).hexdigest()[:16], file.name)
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(file.content)
                path.chmod(file.mode)
            return str(path)

        spec = moved(entry.spec, files, place)
        if files_digest(spec, self._game, self._options) != entry.sha256:
            raise LeagueError(
                f"the file of agent {entry.name!r} is missing or different on this node; every node needs the same file"
            )
        return replace(entry, spec=spec)

    def close(self) -> None:
        self._processes.close()
        if self._folder is not None:
            self._folder.cleanup()


_player: _Player | None = None


def _play(plan: _Plan, matches: Sequence[Match], files: dict[str, Any]) -> _Played:
    """The task."""
    global _player
    if _player is None or _player.key != plan.key:
        if _player is not None:  # of an earlier run
            _player.close()
        _player = _Player(plan)
    return _player.play(matches, files, cluster.load().get)


# --- in the process that runs the league ---


class OnRay:
    """Plays matches on a Ray cluster.

    Args:
        workers: the number of matches played at once (default: one per processor of the cluster, also as it grows).
        address: the address of the cluster to join; None starts one on this machine.

    Raises:
        LeagueError: the cluster cannot be joined.
        ImportError: Ray is not installed.
    """

    def __init__(
        self,
        settings: Settings,
        make: Callable[..., Agent],
        trust: bool = False,
        workers: int | None = None,
        address: str | None = None,
    ) -> None:
        self.unplayed: list[str] = []
        self._stack = contextlib.ExitStack()
        try:
            self._ray = self._stack.enter_context(cluster.joined(address, workers))
        except ValueError as error:
            raise LeagueError(str(error)) from error
        self._workers = workers
        self._task = self._ray.remote(num_cpus=1, max_retries=cluster.RETRIES)(_play)
        self._key = secrets.token_hex(8)
        self._plan = self._ray.put(_Plan(self._key, settings, make, trust))
        self._files: dict[str, Any] = {}  # the files sent, by agent string
        self._playing: dict[Any, list[Match]] = {}
        self._alone: deque[Match] = deque()  # the matches of lost chunks
        self._seconds = _CHUNK_SECONDS  # per match, an estimate; the first chunks are single matches

    def play(self, matches: Iterable[Match], stop: Callable[[], bool]) -> Iterator[MatchResult]:
        waiting = iter(matches)
        while not stop():
            limit = _AHEAD * cluster.processors(self._ray) if self._workers is None else self._workers
            while len(self._playing) < limit and (chunk := self._chunk(waiting)):
                self._send(chunk)
            if not self._playing:
                return
            done, _ = self._ray.wait(list(self._playing), num_returns=1, timeout=_POLL_SECONDS)
            for reference in done:
                yield from self._receive(reference)

    def _chunk(self, waiting: Iterator[Match]) -> list[Match]:
        if self._alone:
            return [self._alone.popleft()]
        return list(itertools.islice(waiting, max(1, min(_MAX_CHUNK, int(_CHUNK_SECONDS / self._seconds)))))

    def _send(self, chunk: list[Match]) -> None:
        specs = {entry.spec for match in chunk for entry in match.seats}
        for spec in specs - set(self._files):
            content = {
                name: _File(Path(name).name, Path(name).stat().st_mode & 0o777, Path(name).read_bytes()) for name in named(spec)
            }
            self._files[spec] = self._ray.put(content) if content else None
        files = {spec: self._files[spec] for spec in specs if self._files[spec] is not None}
        self._playing[self._task.remote(self._plan, chunk, files)] = chunk

    def _receive(self, done: Any) -> Iterator[MatchResult]:
        chunk, errors = self._playing.pop(done), self._ray.exceptions
        try:
            played: _Played = self._ray.get(done)
        except errors.RayTaskError as error:
            raise LeagueError(f"a worker of the cluster cannot play: {cluster.cause(error)}") from None
        except errors.RayError as error:  # its workers or nodes were lost repeatedly
            if len(chunk) > 1:
                self._alone.extend(chunk)
            else:
                self.unplayed.append(f"match {chunk[0].id}: its worker was lost repeatedly ({type(error).__name__})")
            return
        if played.seconds is not None:
            self._seconds += 0.5 * (played.seconds - self._seconds)
        self.unplayed += played.unplayed
        yield from played.results

    def close(self) -> None:
        for reference in self._playing:
            with contextlib.suppress(Exception):  # it may be over, or its cluster gone
                self._ray.cancel(reference, force=True)
        if any(reference is not None for reference in self._files.values()):
            with contextlib.suppress(Exception):
                cluster.sweep(self._ray, self._key)
        self._stack.close()
