"""The application: pages, what they ask for, and the connections of browsers."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from .. import envs
from ..benchmarks.league import Episode, LeagueError
from ..envs import pages
from ..envs.core.escape import json_text, plain
from ..envs.core.files import read_json
from ..envs.core.game import Game
from ..envs.core.render.svg import sprite
from . import seats
from .leagues import FORMATS, Leagues
from .limits import Gone, Limits, Rate, Refused
from .lobby import Lobby
from .replays import Shelf
from .rules import rules_page
from .sockets import Hub
from .training import Runs

STATIC = Path(__file__).with_name("static")
PAGES = {
    "/": "lobby.html",
    "/table": "table.html",
    "/join": "join.html",
    "/replay": "replay.html",
    "/leagues": "leagues.html",
    "/training": "training.html",
}
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class JsonResponse(Response):
    """JSON by `json_text`, in ASCII."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json_text(content).encode()


def make_app(
    limits: Limits | None = None,
    agents: Iterable[str] = (),
    hosts: Iterable[str] | None = LOOPBACK,
    leagues: Sequence[Path] = (),
    runs: Path | None = None,
    sandbox: bool = False,
) -> Starlette:
    """The application.

    Args:
        limits: what it bears.
        agents: specs that may be chosen besides those that everybody may, such as weights and bots.
        hosts: the names by which browsers may reach it (others are refused, so that no page elsewhere can get at a server on
            this machine by a name of its own); None: any.
        leagues: files to be shown.
        runs: the folder of training runs to be shown.
        sandbox: run bots (cmd:) in a sandbox.

    Raises:
        LeagueError: a league's file cannot be read.
    """
    limits = limits or Limits()
    lobby = Lobby(limits, agents, sandbox)
    hub = Hub(lobby)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(lobby.sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            await lobby.close()

    async def socket(websocket: WebSocket) -> None:
        await hub.serve(websocket)

    api = Api(lobby, Shelf(limits.replays), Leagues(leagues), Runs(runs))
    routes: list[BaseRoute] = [Route(path, _page(name)) for path, name in PAGES.items()]
    routes += [
        Route("/rules/{name}", api.rules),
        Route("/api/games", _answers(api.games)),
        Route("/api/check", _answers(api.check), methods=["POST"]),
        Route("/api/tables", _answers(api.make_table), methods=["POST"]),
        Route("/api/join", _answers(api.join), methods=["POST"]),
        Route("/api/replay", _answers(api.replay), methods=["POST"]),
        Route("/api/replays", _answers(api.open_replay), methods=["POST"]),
        Route("/api/leagues", _answers(api.all_leagues)),
        Route("/api/league", _answers(api.league), methods=["POST"]),
        Route("/api/matches", _answers(api.matches), methods=["POST"]),
        Route("/api/export/{number:int}/{format}", api.export),
        Route("/api/runs", _answers(api.all_runs)),
        Route("/api/curve", _answers(api.curve), methods=["POST"]),
        Route("/api/frame", _answers(api.frame), methods=["POST"]),
        Route("/api/marks", _answers(api.marks), methods=["POST"]),
        Route("/api/replay-advice", _answers(api.replay_advice), methods=["POST"]),
        Route("/cards.svg", _cards),
        WebSocketRoute("/socket", socket),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    middleware = [
        Middleware(Guard, hosts=None if hosts is None else frozenset(hosts)),
        Middleware(GZipMiddleware, minimum_size=1000),
    ]
    app = Starlette(routes=routes, middleware=middleware, lifespan=lifespan)
    app.state.lobby, app.state.hub = lobby, hub
    return app


class Guard:
    """Refuses other hosts' names, requests that other sites' pages make, and adds the headers that keep a page to itself."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        wrong = self._wrong(headers.get(b"host", ""), headers.get(b"origin"))
        if wrong and scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": wrong})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *(pair for pair in message["headers"] if pair[0].lower().decode("latin-1") not in HEADERS),
                    *((name.encode(), value.encode()) for name, value in HEADERS.items()),
                ]
            await send(message)

        app: ASGIApp = JsonResponse({"error": wrong}, 403) if wrong else self.app
        await app(scope, receive, send_with_headers)

    def _wrong(self, host: str, origin: str | None) -> str:
        if self.hosts is not None and _name_of(f"//{host}") not in self.hosts:
            return "this server is reached by another name"
        if origin is not None and _authority(origin) != host.lower():
            return "pages of other sites cannot use this server"
        return ""


def _authority(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""


def _name_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


class Api:
    """What pages ask for, as JSON."""

    def __init__(self, lobby: Lobby, shelf: Shelf, leagues: Leagues, runs: Runs) -> None:
        self.lobby, self.shelf, self.leagues, self.runs = lobby, shelf, leagues, runs
        self._rate = Rate(lobby.limits.requests_per_second, 10 * lobby.limits.requests_per_second)

    async def games(self, request: Request) -> Any:
        return await self._work(_games)

    async def _work(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """What takes its time, off the event loop.

        Raises:
            Refused: too much is asked of the server.
        """
        if not self._rate.take():
            raise Refused("too many requests; try again in a moment")
        return await asyncio.get_running_loop().run_in_executor(self.lobby.workers.slow, call, *arguments)

    async def check(self, request: Request) -> Any:
        """What follows from a game and options: how many play, and who there is to play against; or what is wrong."""
        given = await self._body(request)
        try:
            game, options = self.lobby.settle(given)
        except Refused as error:
            return {"error": plain(error), "fields": _named_options(given, str(error))}
        found = await self._work(seats.specs, game, options)
        return {"players": options.num_players, "agents": [*found, "mc:rollouts=200", *self.lobby.agents]}

    async def make_table(self, request: Request) -> Any:
        table = self.lobby.make(await self._body(request))
        token = table.watch_token if table.host is None else table.seats[table.host].token
        return {"token": token}

    async def join(self, request: Request) -> Any:
        given = await self._body(request)
        return {"token": self.lobby.claim(given.get("invitation"), given.get("name", ""))}

    async def replay(self, request: Request) -> Any:
        """The game of a table as a replay, for a file."""
        table = self.lobby.find((await self._body(request)).get("token")).table
        return (await self._work(table.replay)).to_json()

    async def open_replay(self, request: Request) -> Any:
        """A replay from a table ({"token"}), a league ({"league", "match"}) or a file ({"text"})."""
        given = await self._body(request)
        if isinstance(given.get("text"), str):
            episode = await self._work(Episode.from_json, given["text"])
        elif "league" in given:
            episode = await self._work(self.leagues.episode, given["league"], given.get("match"))
        else:
            episode = await self._work(self.lobby.find(given.get("token")).table.replay)
        token = self.shelf.put(episode)
        return {"replay": token}

    async def all_leagues(self, request: Request) -> Any:
        return await self._work(self.leagues.overview)

    async def league(self, request: Request) -> Any:
        """A league ({"number"}); only its stamp where that is the one given ({"stamp"})."""
        given = await self._body(request)
        stamp = await self._work(self.leagues.stamp, given.get("number"))
        return {"stamp": stamp} if stamp == given.get("stamp") else await self._work(self.leagues.league, given.get("number"))

    async def matches(self, request: Request) -> Any:
        given = await self._body(request)
        wanted = [given.get(name) for name in ("number", "agent", "status")]
        return await self._work(self.leagues.matches, *wanted, given.get("begin", 0))

    async def export(self, request: Request) -> Response:
        """A league as a file."""
        number, format = request.path_params["number"], request.path_params["format"]
        try:
            text = await self._work(self.leagues.export, number, format)
        except (Refused, LeagueError) as error:
            return JsonResponse({"error": plain(error)}, 400)
        name = f"league-{number}.{'md' if format == 'markdown' else format}"
        return Response(text, media_type=FORMATS[format], headers={"content-disposition": f'attachment; filename="{name}"'})

    async def all_runs(self, request: Request) -> Any:
        return await self._work(self.runs.all)

    async def curve(self, request: Request) -> Any:
        return await self._work(self.runs.curve, (await self._body(request)).get("name"))

    async def rules(self, request: Request) -> Response:
        """A game's page."""
        try:
            return Response(await self._work(rules_page, request.path_params["name"]), media_type="text/html")
        except Refused as error:
            return Response(plain(error), 404 if isinstance(error, Gone) else 400, media_type="text/plain")

    async def frame(self, request: Request) -> Any:
        """A moment of a replay ({"replay", "n", "viewer"}); without `n` what there is to know of all."""
        given = await self._body(request)
        player, viewer = self.shelf.find(given.get("replay")), given.get("viewer")
        if "n" not in given:
            return player.about()
        if type(given["n"]) is not int or (viewer is not None and type(viewer) is not int):
            raise Refused("n and viewer must be whole numbers")
        return await self._work(player.frame, given["n"], viewer)

    async def marks(self, request: Request) -> Any:
        return await self._work(self.shelf.find((await self._body(request)).get("replay")).marks)

    async def replay_advice(self, request: Request) -> Any:
        given = await self._body(request)
        if type(given.get("n")) is not int:
            raise Refused("n must be a whole number")
        return await self._work(self.shelf.find(given.get("replay")).advice, given["n"])

    async def _body(self, request: Request) -> dict[str, Any]:
        """What a request says, in JSON and no other type, so that browsers ask before another site's page may send it."""
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise Refused("send JSON (content-type: application/json)")
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > self.lobby.limits.body_bytes:
                raise Refused(f"a request has at most {self.lobby.limits.body_bytes} bytes")
        try:
            found = read_json(body)
        except ValueError as error:
            raise Refused(f"this is no JSON: {error}") from None
        if not isinstance(found, dict):
            raise Refused("send an object")
        return found


def _answers(answer: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            return JsonResponse(await answer(request))
        except Gone as error:
            return JsonResponse({"error": plain(error)}, 404)
        except (Refused, LeagueError) as error:
            return JsonResponse({"error": plain(error)}, 400)

    return endpoint


def _page(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return FileResponse(STATIC / name)

    return endpoint


async def _cards(request: Request) -> Response:
    return Response(sprite(), media_type="image/svg+xml")


@functools.cache
def _games() -> list[dict[str, Any]]:
    return [_about(envs.game(game_id)) for game_id in envs.game_ids()]


def _about(game: Game) -> dict[str, Any]:
    """What the lobby shows of a game; `cover` are some of its cards."""
    deck = sorted(set(game.deck(game.options())))
    start = sum(map(ord, game.name))
    cover = [deck[(start + k * (len(deck) // 5 + 1)) % len(deck)] for k in range(5)]
    form = game.options.form()
    return {
        "id": game.id,
        "title": game.title,
        "about": pages.about(game),
        "players": game.options.player_counts(),
        "options": form,
        "cover": sorted(cover),
    }


def _named_options(given: dict[str, Any], error: str) -> list[str]:
    """The options of which an error speaks, so that it can be told where they stand."""
    try:
        names = [each["name"] for each in envs.game(given.get("game", "")).options.form()]
    except ValueError:
        return []
    words = set(error.replace("=", " ").replace(",", " ").replace("'", " ").replace(":", " ").split())
    return [name for name in names if name in words]
