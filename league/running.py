"""A run of a league: its progress, its results, and how it is interrupted."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .match import MatchResult
from .store import Store

_WRITE_SECONDS = 0.25  # between writes, each of all results since the last


@dataclass(frozen=True)
class Progress:
    """The progress of a run.

    Attributes:
        done: matches finished, including those of earlier runs and, when last counted, of other runs on the file.
        total: matches asked for.
        forfeits: seats forfeited in this run.
    """

    done: int
    total: int
    forfeits: int


@dataclass(frozen=True)
class Run:
    """The result of `League.run`.

    Attributes:
        played: matches played by this run.
        skipped: matches played before or by other runs meanwhile.
        forfeits: seats forfeited in this run.
        disqualified: names of the agents that get no more matches.
        unplayed: one message per match that could not be played.
        seconds: wall time.
    """

    played: int
    skipped: int
    forfeits: int
    disqualified: tuple[str, ...]
    unplayed: tuple[str, ...]
    seconds: float


class ResultWriter:
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
        """Count the matches in the file, including those of other runs."""
        self.done = self._count()


class Interrupts:
    """Records Ctrl-C instead of raising, so that finished matches can be written; likewise SIGTERM and SIGHUP if they would end
    the process. A second signal acts as usual."""

    def __init__(self) -> None:
        self.signal = 0
        self._before: dict[int, Any] = {}

    def __call__(self) -> bool:
        return self.signal != 0

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            others = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
            for number in (signal.SIGINT, *(other for other in others if signal.getsignal(other) is signal.SIG_DFL)):
                self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, _: object) -> None:
        self.signal = number
        for caught in self._before:
            signal.signal(caught, signal.default_int_handler if caught == signal.SIGINT else signal.SIG_DFL)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
