"""Browsers at tables: one WebSocket each, which sends the table's state and receives people's actions.

A browser first sends its token ({"type": "join", "token": ...}). It gets the whole state of its seat after every change, or
only the newest if it reads more slowly. An invalid message gets one error, and the connection is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from ..envs.core.escape import json_text, plain
from . import advice
from .fields import FLAG, SEAT_OR_NULL, SECONDS, TEXT, WHOLE, Kind, field, parse
from .keep import KeepError
from .limits import Gone, Rate, Rates, Refused, client_of
from .lobby import Lobby, Place
from .players import SPECTATOR
from .table import Table

_OVERLAP = 12  # lines of the log that are sent again, because an undone action may have changed them
_SHOWN = 300  # characters per error
CLOSED_BAD, CLOSED_FULL, CLOSED_GONE = 4400, 4429, 4404  # reasons for closing a connection


class BadMessage(Exception):  # noqa: N818
    """A browser sent an invalid message."""


_FIELDS: dict[str, dict[str, Kind]] = {
    "play": {"version": WHOLE, "action": WHOLE},
    "undo": {},
    "new": {},
    "pace": {"seconds": SECONDS},
    "pause": {"on": FLAG},
    "agree": {"on": FLAG},
    "fill": {"seat": WHOLE, "spec": TEXT},
    "start": {"spec": TEXT},
    "look": {"seat": SEAT_OR_NULL},
    "advice": {"version": WHOLE},
}


class Browser:
    """A connection to a table."""

    def __init__(self, socket: WebSocket, place: Place, lobby: Lobby) -> None:
        self.socket, self.place, self.lobby = socket, place, lobby
        self.changed = asyncio.Event()
        self.changed.set()
        self.look: int | None = None
        self._round, self._log_from, self._sent = 0, 0, ""
        self._advising: asyncio.Task[None] | None = None

    async def send(self) -> None:
        """The newest state, after every change, until the table is closed."""
        table = self.place.table
        if table.clock:
            await self.socket.send_text(json_text({"type": "time", "now": time.monotonic()}))
        while True:
            await self.changed.wait()
            self.changed.clear()
            async with table.lock:
                if self._round != table.round:
                    self._round, self._log_from = table.round, 0
                state = table.state(self.place.viewer, max(0, self._log_from - _OVERLAP), self.look)
            links = self.place.links
            if links:
                state["invitations"] = {str(place): link for place, link in links.items() if isinstance(place, int)}
                state["links"] = {place: link for place, link in links.items() if isinstance(place, str)}
            self._log_from = state["logEnd"]
            text = json_text(state)
            if text != self._sent:  # others' hidden actions leave no trace
                self._sent = text
                await self.socket.send_text(text)
            if table.closed:
                if not table.failure:
                    raise Gone("the table was closed")
                return

    async def receive(self) -> None:
        """What the person does, until the connection ends."""
        limits = self.lobby.limits
        rate = Rate(limits.messages_per_second, 3 * limits.messages_per_second)
        while True:
            message = await _hear(self.socket, limits.message_bytes)
            if not rate.take():
                raise BadMessage("too many messages")
            self.place.table.touch()
            try:
                await self._do(message)
            except Refused as error:
                await self.error(error)

    async def error(self, error: Exception) -> None:
        await self.socket.send_text(json_text({"type": "error", "text": plain(error)[:_SHOWN]}))

    async def _do(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if not isinstance(kind, str) or kind not in _FIELDS:
            raise BadMessage(f"unknown type of message; allowed: {', '.join(_FIELDS)}")
        try:
            for name, type_of_field in _FIELDS[kind].items():
                field(message, name, type_of_field)
        except Refused as error:
            raise BadMessage(f"{kind!r}: {error}") from None
        if self.place.viewer == SPECTATOR:
            raise Refused("spectators can only watch")
        await _DO[kind](self, message)

    def _seat(self) -> int:
        viewer = self.place.viewer
        if not isinstance(viewer, int):
            raise Refused("you are watching this game, not playing in it")
        return viewer

    def _table_of_host(self) -> Table:
        if self.place.viewer is not None and self.place.viewer != self.place.table.host:
            raise Refused("only the owner of the table can do this, or the person who stands in while they are away")
        return self.place.table

    async def _play(self, message: dict[str, Any]) -> None:
        await self.place.table.play(self._seat(), message["version"], message["action"])

    async def _undo(self, message: dict[str, Any]) -> None:
        await self.place.table.undo(self._seat())

    async def _new(self, message: dict[str, Any]) -> None:
        await self.place.table.new_game()

    async def _pace(self, message: dict[str, Any]) -> None:
        self._table_of_host().set_pace(message["seconds"])

    async def _pause(self, message: dict[str, Any]) -> None:
        self._table_of_host().pause(message["on"])

    async def _agree(self, message: dict[str, Any]) -> None:
        self.place.table.agree(self._seat(), message["on"])

    async def _fill(self, message: dict[str, Any]) -> None:
        table = self.place.table
        away = 0 <= message["seat"] < len(table.seats) and table.seats[message["seat"]].away
        await (table if away else self._table_of_host()).fill(message["seat"], message["spec"], self.lobby.check_bots)

    async def _start(self, message: dict[str, Any]) -> None:
        self._table_of_host()
        await self.lobby.start(self.place, message["spec"])

    async def _look(self, message: dict[str, Any]) -> None:
        seat = message["seat"]
        if self.place.viewer is not None or (seat is not None and not 0 <= seat < len(self.place.table.seats)):
            raise Refused("you can look through other seats only if all players are agents")
        self.look = seat
        self.changed.set()

    async def _advice(self, message: dict[str, Any]) -> None:
        table = self.place.table
        if not table.advice:
            raise Refused("advice is off until all people at this table agree to it")
        if self._advising is not None and not self._advising.done():
            raise Refused("the agents are still thinking")
        async with table.lock:
            if table.mover is None or self.place.viewer not in (None, table.mover):
                raise Refused("you can ask for advice only when it is your move")
            question = advice.Question.of(table.env, self.lobby.agents)
            version = table.version

        async def answer() -> None:
            answers = await table.search(question.answer)
            await self.socket.send_text(json_text({"type": "advice", "version": version, "agents": answers}))

        self._advising = asyncio.get_running_loop().create_task(answer())

    def end(self) -> None:
        if self._advising is not None:
            self._advising.cancel()


_DO: dict[str, Callable[[Browser, dict[str, Any]], Awaitable[None]]] = {
    "play": Browser._play,
    "undo": Browser._undo,
    "new": Browser._new,
    "pace": Browser._pace,
    "pause": Browser._pause,
    "agree": Browser._agree,
    "fill": Browser._fill,
    "start": Browser._start,
    "look": Browser._look,
    "advice": Browser._advice,
}


class Hub:
    """All connected browsers."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self._browsers: dict[Table, set[Browser]] = {}
        self._connected: Counter[str] = Counter()  # by client
        self._rates = Rates(lobby.limits.browsers_per_second, lobby.limits.browsers_per_client)
        lobby.on_change = self._changed
        lobby.watched = lambda table: bool(self._browsers.get(table))

    def _changed(self, table: Table) -> None:
        for browser in self._browsers.get(table, ()):
            browser.changed.set()

    async def serve(self, socket: WebSocket) -> None:
        """A browser's connection, from its beginning to its end."""
        client, limits = client_at(socket), self.lobby.limits
        full = self._connected.total() >= limits.browsers or self._connected[client] >= limits.browsers_per_client
        if full or not self._rates.take(client):
            await socket.close(CLOSED_FULL)  # before any message, so nothing remains
            return
        self._connected[client] += 1
        try:
            await socket.accept()
            await self._serve(socket)
        except Gone as error:
            await _end(socket, error, CLOSED_GONE, "gone")
        except (Refused, KeepError) as error:
            await _end(socket, error, CLOSED_FULL)
        except BadMessage as error:
            await _end(socket, error, CLOSED_BAD)
        except (WebSocketDisconnect, RuntimeError, OSError):  # the connection is closed
            pass
        finally:
            self._connected -= Counter([client])

    async def _serve(self, socket: WebSocket) -> None:
        limits = self.lobby.limits
        try:
            message = await asyncio.wait_for(_hear(socket, limits.message_bytes), limits.join_seconds)
        except asyncio.TimeoutError:
            raise BadMessage("a connection begins with a message of type join") from None
        if message.get("type") != "join":
            raise BadMessage("a connection begins with a message of type join")
        place = await self.lobby.find(message.get("token"))
        browsers = self._browsers.setdefault(place.table, set())
        looks_on = place.viewer == SPECTATOR
        room = limits.spectators_per_table if looks_on else limits.browsers_per_table
        if sum((browser.place.viewer == SPECTATOR) == looks_on for browser in browsers) >= room:
            raise Refused("too many browsers at this table")
        browser = Browser(socket, place, self.lobby)
        browsers.add(browser)
        place.table.arrive(place.viewer)
        sending = asyncio.ensure_future(browser.send())
        receiving = asyncio.ensure_future(browser.receive())
        try:
            done, _ = await asyncio.wait({sending, receiving}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            browser.end()
            for task in (sending, receiving):
                task.cancel()
            await asyncio.gather(sending, receiving, return_exceptions=True)
            browsers.discard(browser)
            if not browsers:
                self._browsers.pop(place.table, None)
            place.table.leave(place.viewer)


def client_at(connection: HTTPConnection) -> str:
    """The client of a connection."""
    return client_of(connection.client.host if connection.client else "")


async def _hear(socket: WebSocket, most: int) -> dict[str, Any]:
    """The next message, of at most so many bytes."""
    frame = await socket.receive()
    if frame["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(frame["code"])
    text = frame.get("text")
    if text is None:
        raise BadMessage("messages are text, not bytes")
    if len(text) > most:
        raise BadMessage(f"a message has at most {most} bytes")
    try:
        return parse(text)
    except Refused as error:
        raise BadMessage(str(error)) from None


async def _end(socket: WebSocket, error: Exception, code: int, kind: str = "error") -> None:
    if socket.client_state != WebSocketState.CONNECTED:
        return
    with contextlib.suppress(RuntimeError, OSError, WebSocketDisconnect):
        await socket.send_text(json_text({"type": kind, "text": plain(error)[:_SHOWN], "final": True}))
        await socket.close(code)
