"""Connections that wait for the other side: for so long, and so many.

uvicorn waits for a request, the rest of it, and until its answer is taken, for as long as the other side likes, and answers
nobody else when too many do so. Here such a connection has its time, and where there are too many, that which has been silent
for longest makes room: whoever comes and says what they want is served.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from .limits import Limits, client_of

_LOOK_SECONDS = 0.5  # between looks at a connection
BACKLOG = 100  # connections taken at once, fewer than a client may have: none goes before it could be heard


class Connection(H11Protocol):
    """A connection until it has become a WebSocket."""

    limits: ClassVar[Limits] = Limits()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.holder = client_of(self.client[0] if self.client else "")
        self.since = self.loop.time()  # when it was last seen to get on
        self.ended = False
        self._stood: tuple[Any, ...] = ()
        self._make_room()
        self._look()

    @property
    def waits(self) -> float | None:
        """How many seconds the other side has for what is waited for; None where it waits for us."""
        if self.transport.get_write_buffer_size():  # of an answer that is not taken
            return self.limits.transfer_seconds
        if self.cycle is None or self.cycle.response_complete:
            return self.limits.head_seconds
        return self.limits.transfer_seconds if self.cycle.more_body else None

    def _look(self) -> None:
        if self not in self.connections:  # closed, or a WebSocket now
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
        """End the connection that has been silent for longest: of this client, or where there are too many in all, of the one
        who has most."""
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
    """Connections with these bounds, as uvicorn's `Config(http=...)` takes them."""
    return type("Connection", (Connection,), {"limits": limits})
