"""The limits of a server: sizes, numbers and rates, in total and per client."""

from __future__ import annotations

import ipaddress
import time
from dataclasses import dataclass


class Refused(ValueError):  # noqa: N818 - a refusal, not a failure
    """A request is refused; the message has the reason and what is allowed."""


class Gone(Refused):
    """The table, seat or replay does not exist, or no longer."""


@dataclass(frozen=True)
class Limits:
    """The limits of a server. A single client gets only a part, so that none shuts the others out.

    Attributes:
        tables, tables_per_client: tables at once, including unused ones until they rest.
        tables_per_second: the long-run rate of new tables per client; the burst is twenty times as many.
        bots, bots_per_client: seats of programs (cmd:), one process each.
        idle_seconds: the time after which a table without browsers and activity rests.
        abandoned_seconds: the time after which a table without activity rests, even with browsers.
        away_seconds: the time after which an agent may play for a person without a browser at the table.
        kept, kept_days: the total number of stored tables, and the days since their last change; the oldest tables of the
            client with the most are dropped first.
        browsers, browsers_per_client: browsers connected at once, in total and per client at one table.
        spectators_per_table: spectators connected at once, in addition.
        browsers_per_second: new connections per client; the burst is the number that may be connected.
        message_bytes, messages_per_second: the size and rate of a browser's messages; the burst is three times as many.
        body_bytes: the size of a request's body.
        requests_per_second: expensive requests (replays, advice, leagues) per client; the burst is ten times as many.
        connections, connections_per_client: other connections at once: requests and their answers.
        head_seconds: the time for a connection to send a request's head, from its beginning or last answer.
        transfer_seconds: the time to send a whole request, or to read some of an answer.
        join_seconds: the time for a connection to send its join message.
        rollouts: the rollouts of a search requested by a browser.
        log_lines: the lines kept of a table's log.
        replays: the replays kept for browsers.
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
    """The client of an address: the address itself, or for IPv6 its /64 network, which is assigned to one client."""
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
        """Whether one more is allowed now; if so, it is counted."""
        now = time.monotonic()
        self._left = min(self.burst, self._left + (now - self._at) * self.per_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Rates:
    """A `Rate` per client. Full ones are forgotten."""

    def __init__(self, per_second: float, burst: float) -> None:
        self.per_second, self.burst = per_second, burst
        self._new: dict[str, Rate] = {}
        self._old: dict[str, Rate] = {}  # not used since `_turned`
        self._turned = time.monotonic()

    def take(self, client: str) -> bool:
        """Whether a client is allowed one more now; if so, it is counted."""
        now = time.monotonic()
        if now - self._turned > self.burst / self.per_second:  # after this time unused buckets are full
            self._new, self._old, self._turned = {}, self._new, now
        rate = self._new.get(client) or self._old.pop(client, None) or Rate(self.per_second, self.burst)
        self._new[client] = rate
        return rate.take()
