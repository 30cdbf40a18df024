"""What a server bears: sizes, numbers and rates, all bounded, in all and for each client."""

from __future__ import annotations

import ipaddress
import time
from dataclasses import dataclass


class Refused(ValueError):  # noqa: N818 - an answer, not a failure
    """What was asked for is not done; the message says why and what is allowed."""


class Gone(Refused):
    """There is no such table, seat or replay, or no longer."""


@dataclass(frozen=True)
class Limits:
    """Bounds of a server. What one client may have is a part of what there is, so that none shuts the others out.

    Attributes:
        tables, tables_per_client: at once, those that nobody uses any longer included until they rest.
        tables_per_second: made by a client in the long run; twenty times as many at once.
        bots, bots_per_client: seats of programs (cmd:) at tables, a process each.
        idle_seconds: after which a table rests at which no browser is, and nobody did anything.
        abandoned_seconds: after which a table rests at which nobody did anything, browsers or not.
        away_seconds: after which an agent may play for a person who has no browser at the table.
        kept, kept_days: tables that are kept, in all and after their last change; of whoever has most the oldest make room.
        browsers, browsers_per_client: connected at once, and at one table.
        spectators_per_table: connected at once, besides.
        browsers_per_second: of a client, connected anew; as many at once as may be connected.
        message_bytes, messages_per_second: of a browser; three times as many messages at once.
        body_bytes: of a request.
        requests_per_second: of a client, that take work (replays, advice, leagues); ten times as many at once.
        connections, connections_per_client: at once that are no browser's at a table: requests and their answers.
        head_seconds: in which a connection says what it wants, once it is there or has had its last answer.
        transfer_seconds: in which a request has come whole, and some of an answer is taken.
        join_seconds: in which a connection says whose it is.
        rollouts: of a search that a browser asks for.
        log_lines: kept of a table's log.
        replays: kept for browsers.
    """

    tables: int = 200
    tables_per_client: int = 50
    tables_per_second: float = 10.0
    bots: int = 16
    bots_per_client: int = 8
    idle_seconds: float = 1800.0
    abandoned_seconds: float = 6 * 3600.0
    away_seconds: float = 30.0
    kept: int = 5000
    kept_days: float = 30.0
    browsers: int = 600
    browsers_per_client: int = 150
    browsers_per_table: int = 16
    spectators_per_table: int = 100
    browsers_per_second: float = 10.0
    message_bytes: int = 4096
    messages_per_second: float = 20.0
    body_bytes: int = 4 << 20
    requests_per_second: float = 30.0
    connections: int = 256
    connections_per_client: int = 128
    head_seconds: float = 10.0
    transfer_seconds: float = 60.0
    join_seconds: float = 10.0
    rollouts: int = 2000
    log_lines: int = 400
    replays: int = 64


def client_of(host: str) -> str:
    """Who counts as one client: an address; of IPv6 its network of 64 bits, all of which is handed to one."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))


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


class Rates:
    """A `Rate` for each client. Those that are full again are forgotten."""

    def __init__(self, per_second: float, burst: float) -> None:
        self.per_second, self.burst = per_second, burst
        self._new: dict[str, Rate] = {}
        self._old: dict[str, Rate] = {}  # not asked for since `_turned`
        self._turned = time.monotonic()

    def take(self, client: str) -> bool:
        """Whether one more of a client is allowed now, which is counted."""
        now = time.monotonic()
        if now - self._turned > self.burst / self.per_second:  # what was not asked for in so long is full
            self._new, self._old, self._turned = {}, self._new, now
        rate = self._new.get(client) or self._old.pop(client, None) or Rate(self.per_second, self.burst)
        self._new[client] = rate
        return rate.take()
