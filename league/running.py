"""What a run of a league tells, what it writes, and how it is stopped."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .match import MatchResult
from .store import Store

_WRITE_SECONDS = 0.25  # results are written together so often


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
