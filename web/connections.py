"""Limits on the duration and number of waiting connections.

uvicorn waits indefinitely for a request, for the rest of it, and for its answer to be read, and serves nobody else when too
many connections are slow. Here such a connection has a time limit, and if there are too many, the one that has been silent for
longest is closed, so that new clients with a request are served.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from .limits import Limits, client_of

_LOOK_SECONDS = 0.5  # between checks of a connection
BACKLOG = 100  # connections accepted at once, fewer than a client may have: none is closed before it could be read


class Connection(H11Protocol):
    """A connection until it has become a WebSocket."""

    limits: ClassVar[Limits] = Limits()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.holder = client_of(self.client[0] if self.client else "")
        self.since = self.loop.time()  # the time of its last progress
        self.ended = False
        self._stood: tuple[Any, ...] = ()
        self._make_room()
        self._look()

    @property
    def waits(self) -> float | None:
        """The seconds that the other side has for the current wait; None while it waits for us."""
        if self.transport.get_write_buffer_size():  # for an answer that is not read
            return self.limits.transfer_seconds
        if self.cycle is None or self.cycle.response_complete:
            return self.limits.head_seconds
        return self.limits.transfer_seconds if self.cycle.more_body else None

    def _look(self) -> None:
        if self not in self.connections:  # closed, or now a WebSocket
            return
        waits, now = self.waits, self.loop.time()
        stands = self.cycle, waits, self.transport.get_write_buffer_size()
        if waits is None or stands != self._stood:
            self.since, self._stood = now, stands
        elif now - self.since > waits:
            self._end()
            return
        self.loop.call_later(_LOOK_SECONDS, self._look)

    def _end(self) -> None:
        self.ended = True
        self.transport.abort()

    def _make_room(self) -> None:
        """Close the connection that has been silent for longest: one of this client or, if there are too many in total, of the
        client with the most."""
        living = [other for other in self.connections if isinstance(other, Connection) and not other.ended]
        held = Counter(other.holder for other in living)
        if held[self.holder] > self.limits.connections_per_client:
            whose = self.holder
        elif len(living) > self.limits.connections:
            whose = held.most_common(1)[0][0]
        else:
            return
        silent = [other for other in living if other.holder == whose and other.waits is not None]
        min(silent, key=lambda other: other.since, default=self)._end()


def bounded(limits: Limits) -> type[Connection]:
    """Connections with these limits, for uvicorn's `Config(http=...)`."""
    return type("Connection", (Connection,), {"limits": limits})
