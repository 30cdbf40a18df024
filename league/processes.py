"""Executors that play matches in this process, or in worker processes that may hang or crash.

An executor takes matches and yields their results in any order, until it is told to stop; unfinished matches are then dropped.
Only the caller writes the league's file.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import connection, resource_tracker
from typing import Any, NamedTuple, Protocol

from ..agents.base import Agent
from ..envs.core.compiling import compiling, time_without
from .errors import LeagueError
from .match import Forfeit, Match, MatchResult, Position, PriorForfeit, Referee, Settings, Stopped

_CHUNK_SECONDS = 0.1  # of work sent at once; sending costs about 0.1 ms
_MAX_CHUNK = 64
_POLL_SECONDS = 0.25
_CLOSE_SECONDS = 1.0
_GRACE_SECONDS = 2.0  # beyond the time limit, before a worker is killed


class Executor(Protocol):
    """Plays matches. Close it after use. `unplayed` has one message per match that could not be played."""

    unplayed: list[str]

    def play(self, matches: Iterable[Match], stop: Callable[[], bool]) -> Iterator[MatchResult]: ...

    def close(self) -> None: ...


class Serial:
    """Plays one match after another in this process. An agent that ends the process ends the run, which can be continued."""

    def __init__(self, settings: Settings, make: Callable[..., Agent], trust: bool = False) -> None:
        self._referee = Referee(settings, make, trust)
        self.unplayed: list[str] = []

    def play(self, matches: Iterable[Match], stop: Callable[[], bool]) -> Iterator[MatchResult]:
        self._referee.stop = stop
        for match in matches:
            if stop():
                return
            try:
                result = self._referee.play(match)
            except Stopped:
                return
            yield result

    def close(self) -> None:
        self._referee.close()


class _Task(NamedTuple):
    """A match for a worker; `priors` and `deaths` are from earlier attempts."""

    match: Match
    priors: dict[int, PriorForfeit]
    deaths: int = 0


class _Worker:
    """A process that plays the tasks it is sent, and its state."""

    def __init__(self, context: Any, settings: Settings, make: Callable[..., Agent], trust: bool) -> None:
        self.position = context.RawArray("d", [-1, 0, 0])
        self.connection, remote = context.Pipe()
        self.compiling = context.RawArray("d", 2)
        arguments = (remote, self.position, self.compiling, settings, make, trust, os.getpid())
        self.process = context.Process(target=_work, args=arguments, daemon=True)
        with _without_interrupts():
            self.process.start()
        remote.close()
        self.ready = self.ended = False
        self.tasks: deque[_Task] = deque()  # sent and not yet finished; the first is being played
        self.overrun: Forfeit | None = None

    def send(self, tasks: list[_Task]) -> None:
        self.tasks.extend(tasks)
        with contextlib.suppress(OSError):  # it died, which `receive` detects
            self.connection.send([(task.match, task.priors) for task in tasks])

    def receive(self) -> Iterator[tuple[MatchResult | LeagueError, float]]:
        """The results received so far, or the errors instead, and the seconds each took."""
        try:
            while self.connection.poll():
                message = self.connection.recv()
                if self.ready:
                    self.tasks.popleft()
                    yield message
                self.ready = True
        except (EOFError, OSError):
            self.ended = True

    def watch(self) -> None:
        """Kill the process if an agent has far exceeded its time and could not be interrupted from inside."""
        seat, _, due = self.position
        late = time_without(self.compiling) - due - _GRACE_SECONDS
        if seat >= 0 and late > 0 and self.overrun is None:
            self.overrun = Forfeit(
                "timeout", "no answer within the time limit; the agent could not be interrupted, so its process was killed"
            )
            self.process.kill()

    def dismiss(self) -> None:
        """Ask the process to end."""
        with contextlib.suppress(OSError):
            self.connection.send(None)

    def stop(self, seconds: float = 0.0) -> int | None:
        """Wait for the process to end, kill it after `seconds`, and return its exit code."""
        self.process.join(seconds)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        code = self.process.exitcode
        self.connection.close()
        self.process.close()
        return code


class Processes:
    """Plays matches in spawned worker processes.

    If a worker dies, the match that it was playing is retried once, alone. If the worker dies again, the agent that was being
    asked forfeits from that decision on, and the match is played to its end.

    Raises:
        LeagueError: workers cannot start, or an agent does not exist there.
    """

    def __init__(self, settings: Settings, make: Callable[..., Agent], trust: bool = False, workers: int = 2) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._arguments = (settings, make, trust)
        self._limit = workers
        self._workers: list[_Worker] = []  # started when there is work
        self._returned: deque[_Task] = deque()  # not yet begun when their worker died
        self._again: deque[_Task] = deque()  # being played when their worker died; to be played alone
        self._seconds = _CHUNK_SECONDS  # per match, an estimate; it starts high, so that the first chunks are single matches
        self.unplayed: list[str] = []

    def _start(self) -> _Worker:
        worker = _Worker(self._context, *self._arguments)
        self._workers.append(worker)
        return worker

    def play(self, matches: Iterable[Match], stop: Callable[[], bool]) -> Iterator[MatchResult]:
        waiting = (_Task(match, {}) for match in matches)
        while not stop():
            busy = [worker for worker in self._workers if worker.tasks]
            idle = [worker for worker in self._workers if not worker.tasks]
            while len(busy) < self._limit and (tasks := self._chunk(waiting)):
                worker = idle.pop() if idle else self._start()
                worker.send(tasks)
                busy.append(worker)
            if not busy:
                return
            connection.wait([worker.connection for worker in busy], _POLL_SECONDS)
            for worker in busy:
                for result, seconds in worker.receive():
                    if isinstance(result, LeagueError):
                        raise result
                    self._seconds += 0.1 * (seconds - self._seconds)
                    yield result
                if stop():  # the signal may have ended the workers, too
                    continue
                worker.watch()
                if worker.ended or not (worker.process.is_alive() or worker.connection.poll()):
                    self._workers.remove(worker)
                    self._bury(worker)

    def _chunk(self, waiting: Iterator[_Task]) -> list[_Task]:
        if self._again:
            return [self._again.popleft()]
        size = max(1, min(_MAX_CHUNK, int(_CHUNK_SECONDS / self._seconds)))
        chunk: list[_Task] = []
        while len(chunk) < size:
            task = self._returned.popleft() if self._returned else next(waiting, None)
            if task is None:
                break
            chunk.append(task)
        return chunk

    def _bury(self, worker: _Worker) -> None:
        """Take over the tasks of a dead worker."""
        seat, decision, _ = worker.position
        code = worker.stop(_CLOSE_SECONDS)
        if not worker.ready:
            raise LeagueError(
                f"a worker process could not start (exit code {code}; its error is above); a script that runs a league with "
                'processes must do so under `if __name__ == "__main__":`'
            )
        if not worker.tasks:
            return
        task = worker.tasks.popleft()
        self._returned.extendleft(reversed(worker.tasks))
        if worker.overrun is None and task.deaths == 0:
            self._again.append(task._replace(deaths=1))
            return
        if seat < 0:  # no agent was being asked, so none forfeits
            self.unplayed.append(f"match {task.match.id}: its process died twice (exit code {code}) on no agent's turn")
            return
        forfeit = worker.overrun or Forfeit("crash", f"its process died (exit code {code})")
        priors = {**task.priors, int(seat): PriorForfeit(int(decision), forfeit)}
        self._again.append(_Task(task.match, priors))

    def close(self) -> None:
        for worker in self._workers:
            worker.dismiss()
        until = time.monotonic() + _CLOSE_SECONDS
        for worker in self._workers:
            worker.stop(max(0.0, until - time.monotonic()))


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block SIGINT here, and in processes started inside until they unblock it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # older Pythons lift the block when they start it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(
    remote: Any, memory: Any, noted: Any, settings: Settings, make: Callable[..., Agent], trust: bool, driver: int
) -> None:
    """The main loop of a worker: plays the tasks it is sent until told to stop or the driver is gone."""
    if sys.platform.startswith("linux"):
        from ..agents.guardian import follow

        follow(driver)  # ends this process with the driver, even inside compiled code
    with contextlib.suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # processes that agents start would inherit the block
    compiling.noted = noted
    referee = Referee(settings, make, trust, Position(memory))
    with contextlib.suppress(EOFError, OSError):
        remote.send(os.getpid())
        while (tasks := remote.recv()) is not None:
            for match, priors in tasks:
                started = time.perf_counter()
                try:
                    result: MatchResult | LeagueError = referee.play(match, priors)
                except LeagueError as error:
                    result = error
                remote.send((result, time.perf_counter() - started))
    referee.close()
