"""What a server bears: sizes, numbers and rates, all bounded."""

from __future__ import annotations

import time
from dataclasses import dataclass


class Refused(ValueError):  # noqa: N818 - an answer, not a failure
    """What was asked for is not done; the message says why and what is allowed."""


class Gone(Refused):
    """There is no such table, seat or replay, or no longer."""


@dataclass(frozen=True)
class Limits:
    """Bounds of a server.

    Attributes:
        tables: at once.
        tables_per_second: made in the long run; twenty times as many at once.
        idle_seconds: after which a table without a browser ends.
        abandoned_seconds: after which a table ends at which nothing has happened, browsers or not.
        browsers: connected at once, and at one table.
        message_bytes, messages_per_second: of a browser; three times as many messages at once.
        body_bytes: of a request.
        requests_per_second: that take work (replays, advice, leagues), of all browsers; ten times as many at once.
        join_seconds: in which a connection says whose it is.
        rollouts: of a search that a browser asks for.
        log_lines: kept of a table's log.
        replays: kept for browsers.
    """

    tables: int = 200
    tables_per_second: float = 10.0
    idle_seconds: float = 1800.0
    abandoned_seconds: float = 6 * 3600.0
    browsers: int = 600
    browsers_per_table: int = 16
    message_bytes: int = 4096
    messages_per_second: float = 20.0
    body_bytes: int = 4 << 20
    requests_per_second: float = 30.0
    join_seconds: float = 10.0
    rollouts: int = 2000
    log_lines: int = 400
    replays: int = 64


class Rate:
    """A bucket that fills with `per_second` and holds `burst`."""

    def __init__(self, per_second: float, burst: float) -> None:
        self.per_second, self.burst = per_second, burst
        self._left, self._at = burst, time.monotonic()

    def take(self) -> bool:
        """Whether one more is allowed now, which is counted."""
        now = time.monotonic()
        self._left = min(self.burst, self._left + (now - self._at) * self.per_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
