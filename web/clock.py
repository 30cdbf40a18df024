"""How long people may think: so many seconds for each turn, or a bank of them to which each turn adds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .fields import SECONDS, SECONDS_OR_NULL, field
from .limits import Refused

_LEAST, _MOST = 1.0, 24 * 3600.0
Turn = tuple[int, int]  # a seat, and how much everybody had been told by then: what others cannot notice ends no turn


@dataclass(frozen=True)
class TimeControl:
    """Seconds for each turn, or where there is an increment, for all turns, each of which adds as much."""

    seconds: float
    increment: float | None = None

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> TimeControl:
        """As a browser asks for it: {"seconds": ..., "increment": ...}.

        Raises:
            Refused: it is none.
        """
        found = cls(field(request, "seconds", SECONDS), field(request, "increment", SECONDS_OR_NULL, None))
        if not _LEAST <= found.seconds <= _MOST or (found.increment or 0) > _MOST:
            raise Refused(f"a clock may have {_LEAST:g} to {_MOST:g} seconds")
        return found


class Clock:
    """The time of one game.

    Attributes:
        left: seconds by seat, for the turn in progress as many as it began with, or went on with.
        turn: the turn in progress.
        ends: when its time is up (`time.monotonic()`), None while it stands still.
    """

    def __init__(self, control: TimeControl, seats: int) -> None:
        self.control = control
        self.left = [control.seconds] * seats
        self.turn: Turn | None = None
        self.ends: float | None = None

    def follow(self, turn: Turn | None, runs: bool) -> bool:
        """Whose turn it is now, and whether their time runs; whether anything changed."""
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
        """Seconds until the time is up; None while it stands still."""
        return None if self.ends is None else max(0.0, self.ends - time.monotonic())

    def shown(self) -> dict[str, Any]:
        """For browsers, the same for as long as nothing changes."""
        running = self.turn[0] if self.turn is not None and self.ends is not None else None
        return {"left": [round(left, 1) for left in self.left], "seat": running, "ends": self.ends}
