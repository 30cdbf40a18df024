"""A server in a thread of the tests, and what speaks to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from support import WITHIN, wait_for
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from wilddeck.web.app import make_app
from wilddeck.web.limits import Limits
from wilddeck.web.serve import configure
from wilddeck.web.table import Table


class Server:
    """A running server. `lobby` is its lobby, to be looked at only while nothing changes."""

    def __init__(
        self, port: int = 0, limits: Limits | None = None, agents: Sequence[str] = (), host: str = "127.0.0.1", **settings: Any
    ) -> None:
        limits = limits or Limits(
            tables_per_client=200, requests_per_second=200, browsers_per_second=200
        )  # tests are one client
        self.app = make_app(limits, agents, **settings)
        self._server = uvicorn.Server(configure(self.app, limits, host=host, port=port))
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        self.port: int = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.lobby = self.app.state.lobby

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)

    def ask(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and JSON of an answer."""
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        all_headers = {"content-type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.url + path, data, all_headers)
        try:
            with urllib.request.urlopen(request, timeout=WITHIN) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def text(self, path: str) -> str:
        """A page."""
        with urllib.request.urlopen(self.url + path, timeout=WITHIN) as answer:
            return answer.read().decode()

    def do(self, call: Callable[[], Any]) -> None:
        """Call something where the server runs."""
        self._server.servers[0].get_loop().call_soon_threadsafe(call)

    def table(self, game: str, seats: Sequence[str], pace: float = 0, **options: Any) -> str:
        """A new table's token; a seat is "me", "open" or an agent's spec."""
        kinds = {"me": {"kind": "person", "name": "Ada"}, "open": {"kind": "open"}}
        requested = [kinds.get(seat, {"kind": "agent", "spec": seat}) for seat in seats]
        status, answer = self.ask("/api/tables", {"game": game, "options": options, "seats": requested, "pace": pace})
        assert status == 200, answer
        return answer["token"]

    def at(self, token: str) -> Table:
        """The table of a token."""
        loop = self._server.servers[0].get_loop()
        return asyncio.run_coroutine_threadsafe(self.lobby.find(token), loop).result(WITHIN).table

    @contextlib.contextmanager
    def connection(self, **headers: str) -> Iterator[ClientConnection]:
        with connect(f"ws://127.0.0.1:{self.port}/socket", additional_headers=headers, open_timeout=WITHIN) as socket:
            yield socket

    @contextlib.contextmanager
    def player(self, token: Any) -> Iterator[Player]:
        with self.connection() as socket:
            player = Player(socket)
            player.say(type="join", token=token)
            yield player


class Player:
    """A browser, as the server sees it. Keeps all that it was sent."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.heard: list[dict[str, Any]] = []
        self._turn: tuple[int, int | None] | None = None

    def say(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def hear(self, within: float = WITHIN) -> dict[str, Any]:
        message = json.loads(self.socket.recv(within))
        self.heard.append(message)
        return message

    def until(self, fits: Any) -> dict[str, Any]:
        """The first message from now on for which `fits` holds."""
        while True:
            message = self.hear()
            if fits(message):
                return message

    def turn(self) -> dict[str, Any]:
        """The state when it is this player's move, or the game is over: the next such one, not the last sent again (as when
        something was compiled)."""
        state = self.until(
            lambda message: (
                message.get("final")
                or (("decision" in message or message.get("over")) and (message["round"], message.get("version")) != self._turn)
            )
        )
        self._turn = state.get("round"), state.get("version")
        return state

    @property
    def log(self) -> list[str]:
        """The table's log as it stands after all that came, which is sent in pieces."""
        lines: dict[int, str] = {}
        for message in self.heard:
            lines |= {line["n"]: line["text"] for line in message.get("log", [])}
        return [lines[n] for n in sorted(lines)]

    def error(self) -> str:
        return self.until(lambda message: message["type"] in ("error", "gone"))["text"]

    def closed(self) -> bool:
        """Whether the server ends the connection, having sent what it wants."""
        try:
            while True:
                self.hear(5)
        except ConnectionClosed:
            return True
        except TimeoutError:
            return False


@contextlib.contextmanager
def serving(tables: Path | None = None, **settings: Any) -> Iterator[Server]:
    server = Server(tables=tables, **settings)
    try:
        yield server
    finally:
        server.stop()


def move(player: Player, state: dict[str, Any]) -> None:
    player.say(type="play", version=state["version"], action=state["decision"]["groups"][0]["actions"][0]["action"])


def play_on(players: dict[str, Player], table: Any, moves: int) -> None:
    """People make the first moves that they can, until there were so many moves at a table or its game is over."""
    seats = {table.seats.index(seat): players[seat.name] for seat in table.seats if seat.name in players}
    while len(table.actions) < moves and not table.over:
        if table.mover in seats:
            state = asked(seats[table.mover], table)
            version = state["version"]
            move(seats[table.mover], state)
            wait_for(lambda version=version: table.version != version)
        time.sleep(0.002)


def asked(player: Player, table: Any) -> dict[str, Any]:
    """What the player was or is sent when they are to move."""

    def fits(message: dict[str, Any]) -> bool:
        return message.get("version") == table.version and "decision" in message

    return next(filter(fits, player.heard), None) or player.until(fits)
