"""Time limits for people: a number of seconds per turn, or a time bank with an increment per turn."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .fields import SECONDS, SECONDS_OR_NULL, field
from .limits import Refused

_LEAST, _MOST = 1.0, 24 * 3600.0
Turn = tuple[int, int]  # a seat, and the length of the public history then: hidden actions end no turn


@dataclass(frozen=True)
class TimeControl:
    """Seconds per turn or, with an increment, for all turns, each of which adds the increment."""

    seconds: float
    increment: float | None = None

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> TimeControl:
        """From a browser's request: {"seconds": ..., "increment": ...}.

        Raises:
            Refused: the request is not valid.
        """
        found = cls(field(request, "seconds", SECONDS), field(request, "increment", SECONDS_OR_NULL, None))
        if not _LEAST <= found.seconds <= _MOST or (found.increment or 0) > _MOST:
            raise Refused(f"a clock may have {_LEAST:g} to {_MOST:g} seconds")
        return found


class Clock:
    """The time of one game.

    Attributes:
        left: the seconds left by seat; for the turn in progress, those at its beginning or last resumption.
        turn: the turn in progress.
        ends: the time when the turn expires (`time.monotonic()`), None while the clock is stopped.
    """

    def __init__(self, control: TimeControl, seats: int) -> None:
        self.control = control
        self.left = [control.seconds] * seats
        self.turn: Turn | None = None
        self.ends: float | None = None

    def follow(self, turn: Turn | None, runs: bool) -> bool:
        """Set the turn in progress and whether its time runs; returns whether anything changed."""
        if turn == self.turn and runs == (self.ends is not None):
            return False
        now = time.monotonic()
        if self.turn is not None:
            seat = self.turn[0]
            if self.ends is not None:
                self.left[seat] = max(0.0, self.ends - now)
            if turn != self.turn:
                increment = self.control.increment
                self.left[seat] = self.control.seconds if increment is None else self.left[seat] + increment
        self.turn = turn
        self.ends = now + self.left[turn[0]] if turn is not None and runs else None
        return True

    @property
    def remaining(self) -> float | None:
        """The seconds until the turn expires; None while the clock is stopped."""
        return None if self.ends is None else max(0.0, self.ends - time.monotonic())

    def shown(self) -> dict[str, Any]:
        """The clock for browsers; the same value while nothing changes."""
        running = self.turn[0] if self.turn is not None and self.ends is not None else None
        return {"left": [round(left, 1) for left in self.left], "seat": running, "ends": self.ends}
