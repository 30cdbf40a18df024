"""The progress of a run, by decisions or by time, whichever is further."""

from __future__ import annotations

import time

from .settings import Settings


class Clock:
    """The clock of a run. Time counts from the end of the first update, so that compilation does not use up the time limit and
    every run learns something.

    Args:
        settings: `total_steps` and `max_seconds` are the limits.
        steps, seconds: those so far, of a resumed run.
    """

    def __init__(self, settings: Settings, steps: int = 0, seconds: float = 0.0) -> None:
        self.total, self.limit, self.steps = settings.total_steps, settings.max_seconds, steps
        self._before = seconds if steps else 0.0
        self._began: float | None = None
        self._first = steps

    def learned(self, steps: int) -> None:
        """Set the number of steps so far."""
        if self._began is None and steps > self.steps:
            self._began, self._first = time.monotonic(), steps
        self.steps = steps

    @property
    def seconds(self) -> float:
        """The time so far, as counted."""
        return self._before + self._running()

    @property
    def speed(self) -> float:
        """Steps per second of that time."""
        return (self.steps - self._first) / max(self._running(), 1e-9)

    def remaining(self) -> float:
        """The fraction of the run that is left, from 1 to 0."""
        by_steps = 1.0 if self.total is None else 1 - self.steps / self.total
        by_time = 1.0 if self.limit is None else 1 - self.seconds / self.limit
        return max(0.0, min(by_steps, by_time))

    def _running(self) -> float:
        return 0.0 if self._began is None else time.monotonic() - self._began
