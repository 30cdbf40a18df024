"""Matches in threads of this process: hundreds at once, for agents that wait for servers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from ..agents.base import Agent
from ..envs.core.jit import prepare_thread
from .match import Match, MatchResult, Referee, Settings, Stopped

_POLL_SECONDS = 0.25


class Threads:
    """Plays matches in threads, each with its own agents. Agents cannot be interrupted: unless they keep the time themselves,
    it is checked after the answer, and stopping the league waits for the current answers.

    Args:
        workers: the number of matches played at once.
    """

    def __init__(self, settings: Settings, make: Callable[..., Agent], trust: bool = False, workers: int = 2) -> None:
        self.unplayed: list[str] = []
        self._limit, self._own, self._stopped = workers, threading.local(), threading.Event()
        self._referees: list[Referee] = []

        def prepare() -> None:
            prepare_thread()
            with making:  # one at a time: it may compile
                self._own.referee = Referee(settings, make, trust)
                self._referees.append(self._own.referee)

        making = threading.Lock()
        self._pool = ThreadPoolExecutor(workers, "match", prepare)

    def play(self, matches: Iterable[Match], stop: Callable[[], bool]) -> Iterator[MatchResult]:
        waiting, playing = iter(matches), set[Future[MatchResult | None]]()
        wanted = True
        while not stop():
            while wanted and len(playing) < self._limit:
                match = next(waiting, None)
                wanted = match is not None
                if match is not None:
                    playing.add(self._pool.submit(self._one, match, stop))
            if not playing:
                return
            done, playing = wait(playing, _POLL_SECONDS, FIRST_COMPLETED)
            for future in done:
                result = future.result()
                if result is not None:
                    yield result

    def _one(self, match: Match, stop: Callable[[], bool]) -> MatchResult | None:
        referee = self._own.referee
        referee.stop = lambda: self._stopped.is_set() or stop()
        try:
            return referee.play(match)
        except Stopped:
            return None

    def close(self) -> None:
        self._stopped.set()
        self._pool.shutdown(cancel_futures=True)
        for referee in self._referees:
            referee.close()
