"""The application: pages, their API, and the connections of browsers."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import ipaddress
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from .. import envs
from ..agents.base import Agent
from ..envs import pages
from ..envs.core.cards import EXTENDED
from ..envs.core.escape import json_text, plain
from ..envs.core.game import Game
from ..envs.core.render.svg import sprite
from ..league import Episode, LeagueError
from . import players
from .fields import COUNT, SEAT_OR_NULL, TEXT, TEXT_OR_NULL, TEXTS, WHOLE, field, parse
from .keep import Keep, KeepError
from .leagues import FORMATS, Leagues
from .limits import Gone, Limits, Rates, Refused
from .lobby import Lobby
from .pictures import lobby_picture
from .replays import Shelf
from .rules import rules_page
from .sockets import Hub, client_at
from .training import Runs
from .workers import Pool

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
_SAVED = {"html": "text/html", "svg": "image/svg+xml"}
_DIGITS = 9  # digits of a league's number


class JsonResponse(Response):
    """JSON by `json_text`, in ASCII."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json_text(content).encode()


def make_app(
    limits: Limits | None = None,
    agents: Iterable[str | Agent] = (),
    hosts: Iterable[str] = LOOPBACK,
    leagues: Sequence[Path] = (),
    runs: Path | None = None,
    sandbox: bool = False,
    tables: Path | None = None,
) -> Starlette:
    """The application.

    Args:
        limits: the limits of the server.
        agents: further agents that may be chosen: agent strings, such as weights and bots, and agent objects, by name. An agent
            made for another game fails at a table, and the table's log reports it.
        hosts: the names by which browsers may reach the server, besides its address. Others are refused, which prevents DNS
            rebinding by pages of other sites.
        leagues: the league files to show.
        runs: the folder of training runs to show.
        sandbox: run bots (cmd:) in a sandbox.
        tables: a file in which tables outlast the server; None: they end with it.

    Raises:
        LeagueError: a league's file cannot be read.
        KeepError: the file of tables cannot be opened.
        ValueError: two agents have the same name, or an object has the name of an agent string.
    """
    limits = limits or Limits()
    keep = Keep(tables, limits)
    lobby = Lobby(limits, keep, agents, sandbox)
    hub = Hub(lobby)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(work) for work in (lobby.sweep(), lobby.tell_progress(), keep.run())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await lobby.close()

    async def socket(websocket: WebSocket) -> None:
        await hub.serve(websocket)

    api = Api(lobby, Shelf(limits.replays), Leagues(leagues), Runs(runs))
    routes: list[BaseRoute] = [Route(path, _page(name)) for path, name in PAGES.items()]
    routes += [
        Route("/rules/{name}", api.rules),
        Route("/picture/{name}", api.picture),
        Route("/api/games", _answers(api.games)),
        Route("/api/check", _answers(api.check), methods=["POST"]),
        Route("/api/tables", _answers(api.make_table), methods=["POST"]),
        Route("/api/standing", _answers(api.standing), methods=["POST"]),
        Route("/api/join", _answers(api.join), methods=["POST"]),
        Route("/api/replay", _answers(api.replay), methods=["POST"]),
        Route("/api/replays", _answers(api.open_replay), methods=["POST"]),
        Route("/api/leagues", _answers(api.all_leagues)),
        Route("/api/league", _answers(api.league), methods=["POST"]),
        Route("/api/matches", _answers(api.matches), methods=["POST"]),
        Route("/api/export/{number}/{format}", api.export),
        Route("/api/saved/{replay}/{kind}", api.saved),
        Route("/api/runs", _answers(api.all_runs)),
        Route("/api/curve", _answers(api.curve), methods=["POST"]),
        Route("/api/frame", _answers(api.frame), methods=["POST"]),
        Route("/api/marks", _answers(api.marks), methods=["POST"]),
        Route("/api/judges", _answers(api.judges), methods=["POST"]),
        Route("/api/thoughts", _answers(api.thoughts), methods=["POST"]),
        Route("/api/play-on", _answers(api.play_on), methods=["POST"]),
        Route("/api/replay-advice", _answers(api.replay_advice), methods=["POST"]),
        Route("/cards.svg", _cards),
        WebSocketRoute("/socket", socket),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    middleware = [
        Middleware(Guard, hosts=frozenset(hosts)),
        Middleware(GZipMiddleware, minimum_size=1000),
    ]
    app = Starlette(routes=routes, middleware=middleware, lifespan=lifespan)
    app.state.lobby, app.state.hub = lobby, hub
    return app


class Guard:
    """Refuses other host names and requests from pages of other sites, and adds the headers that isolate pages.

    It runs before all rate limits, because requests from other sites' pages must not count for the client.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        wrong = self._wrong(scope)
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

    def _wrong(self, scope: Scope) -> str:
        headers = {name.lower().decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        name = _name_of(f"//{host}")
        if name not in self.hosts and not _is_own_address(name, scope):
            return "this server does not answer to this name; whoever runs it can allow it: wilddeck serve --allow-host NAME"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        foreign = (origin is not None and _authority(origin) != host.lower()) or site not in ("none", "same-origin")
        if foreign and not _opens_a_page(scope, headers):
            return "pages of other sites cannot use this server"
        return ""


def _is_own_address(name: str, scope: Scope) -> bool:
    """Whether the host is the address at which the server is reached, not a name that another site could own."""
    try:
        return ipaddress.ip_address(name) == ipaddress.ip_address((scope.get("server") or ("",))[0])
    except ValueError:
        return False


def _opens_a_page(scope: Scope, headers: dict[str, str]) -> bool:
    """Whether a person follows a link to a page: only the page itself is returned, in its own window."""
    opens = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    page = scope["path"] in PAGES or scope["path"].startswith("/rules/")
    return opens and page and scope["type"] == "http" and scope["method"] == "GET" and "origin" not in headers


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
    """The API of the pages, in JSON."""

    def __init__(self, lobby: Lobby, shelf: Shelf, leagues: Leagues, runs: Runs) -> None:
        self.lobby, self.shelf, self.leagues, self.runs = lobby, shelf, leagues, runs
        self._pages, self._searches = lobby.workers.pages, lobby.workers.searches
        self._rates = Rates(lobby.limits.requests_per_second, 10 * lobby.limits.requests_per_second)

    async def games(self, request: Request) -> Any:
        return await self._work(request, self._pages, _games)

    async def _work(self, request: Request, pool: Pool, call: Callable[..., Any], *arguments: Any) -> Any:
        """What takes its time, off the event loop.

        Raises:
            Refused: the client asks too much of the server.
        """
        client = client_at(request)
        if not self._rates.take(client):
            raise Refused("too many requests; try again in a moment")
        return await pool.run((client, ""), call, *arguments)

    async def check(self, request: Request) -> Any:
        """What follows from a game and options: how many play, and who there is to play against; or what is wrong."""
        game_id, values = self.lobby.named(await self._body(request))
        try:
            game, options = self.lobby.settle(game_id, values)
        except Refused as error:
            return {"error": plain(error), "fields": _named_options(game_id, str(error))}
        offered = await self._work(request, self._pages, players.offered, game, options)
        cards = len(game.deck(options))
        deck = f"the {cards}-card deck" if cards <= len(game.cards) else f"{cards} cards"
        return {"players": options.num_players, "cards": deck, "agents": [*offered, *self.lobby.agents]}

    async def make_table(self, request: Request) -> Any:
        return {"token": self.lobby.make(await self._body(request), client_at(request))}

    async def join(self, request: Request) -> Any:
        body = await self._body(request)
        return {
            "token": await self.lobby.claim(field(body, "invitation", TEXT), field(body, "name", TEXT, ""), client_at(request))
        }

    async def standing(self, request: Request) -> Any:
        """How it stands at the tables of these tokens, None for those that are gone."""
        tokens = field(await self._body(request), "tokens", TEXTS)
        return await self._work(request, self.lobby.keep.pool, self.lobby.keep.standing, tokens)

    async def replay(self, request: Request) -> Any:
        """The game of a table as a replay, for a file."""
        table = (await self.lobby.find(field(await self._body(request), "token", TEXT))).table
        return (await self._work(request, self._pages, table.replay)).to_json()

    async def open_replay(self, request: Request) -> Any:
        """A replay from a table ({"token"}), a league ({"league", "match"}) or a file ({"text"})."""
        body = await self._body(request)
        call: Callable[..., Episode]
        if "text" in body:
            call, arguments = Episode.from_json, [field(body, "text", TEXT)]
        elif "league" in body:
            call, arguments = self.leagues.episode, [field(body, "league", WHOLE), field(body, "match", TEXT)]
        else:
            call, arguments = (await self.lobby.find(field(body, "token", TEXT))).table.replay, []
        return {"replay": self.shelf.put(await self._work(request, self._pages, call, *arguments))}

    async def all_leagues(self, request: Request) -> Any:
        return await self._work(request, self._pages, self.leagues.overview)

    async def league(self, request: Request) -> Any:
        """A league ({"number"}); only its stamp where that is the one given ({"stamp"})."""
        body = await self._body(request)
        number, kept = field(body, "number", WHOLE), field(body, "stamp", TEXT_OR_NULL, None)
        stamp = await self._work(request, self._pages, self.leagues.stamp, number)
        return {"stamp": stamp} if stamp == kept else await self._work(request, self._pages, self.leagues.league, number)

    async def matches(self, request: Request) -> Any:
        body = await self._body(request)
        agent, status = (field(body, name, TEXT_OR_NULL, None) for name in ("agent", "status"))
        arguments = field(body, "number", WHOLE), agent, status, field(body, "begin", COUNT, 0)
        return await self._work(request, self._pages, self.leagues.matches, *arguments)

    async def export(self, request: Request) -> Response:
        """A league as a file."""
        number, format = request.path_params["number"], request.path_params["format"]
        try:
            if not number.isdecimal() or len(number) > _DIGITS:
                raise Gone("there is no such league")
            text = await self._work(request, self._pages, self.leagues.export, int(number), format)
        except (Refused, LeagueError, KeepError) as error:
            return JsonResponse({"error": plain(error)}, 400)
        name = f"league-{number}.{'md' if format == 'markdown' else format}"
        return Response(text, media_type=FORMATS[format], headers={"content-disposition": f'attachment; filename="{name}"'})

    async def saved(self, request: Request) -> Response:
        """A replay as a file."""
        kind = request.path_params["kind"]
        try:
            player = self.shelf.find(request.path_params["replay"])
            text = await self._work(request, self._pages, player.saved, kind)
        except Refused as error:
            return JsonResponse({"error": plain(error)}, 400)
        name = f"{player.episode.game.id}.{kind}"
        return Response(text, media_type=_SAVED[kind], headers={"content-disposition": f'attachment; filename="{name}"'})

    async def all_runs(self, request: Request) -> Any:
        return await self._work(request, self._pages, self.runs.all)

    async def curve(self, request: Request) -> Any:
        name = field(await self._body(request), "name", TEXT)
        return await self._work(request, self._pages, self.runs.curve, name)

    async def rules(self, request: Request) -> Response:
        """A game's page. It is no request of those that are counted: other sites may open pages."""
        try:
            page = await self._pages.run((client_at(request), ""), rules_page, request.path_params["name"])
            return Response(page, media_type="text/html")
        except Gone as error:
            return Response(plain(error), 404, media_type="text/plain")

    async def picture(self, request: Request) -> Response:
        """A game's table, for the lobby; as pages, no request of those that are counted."""
        try:
            found = await self._pages.run((client_at(request), ""), lobby_picture, request.path_params["name"])
            return Response(found, media_type="image/svg+xml")
        except Gone as error:
            return Response(plain(error), 404, media_type="text/plain")

    async def frame(self, request: Request) -> Any:
        """A moment of a replay ({"replay", "n", "viewer"}); without `n` what there is to know of all."""
        body = await self._body(request)
        player = self.shelf.find(field(body, "replay", TEXT))
        if "n" not in body:
            return player.about()
        arguments = field(body, "n", WHOLE), field(body, "viewer", SEAT_OR_NULL, None)
        return await self._work(request, self._pages, player.frame, *arguments)

    async def marks(self, request: Request) -> Any:
        player = self.shelf.find(field(await self._body(request), "replay", TEXT))
        return await self._work(request, self._searches, player.marks, self.lobby.agents)

    async def judges(self, request: Request) -> Any:
        """The agents that can be asked what they think of a replay ({"replay"})."""
        player = self.shelf.find(field(await self._body(request), "replay", TEXT))
        return await self._work(request, self._pages, player.judges, self.lobby.agents)

    async def thoughts(self, request: Request) -> Any:
        """What one of them thinks of it ({"replay", "agent"}); it is asked again until it has seen all moves."""
        body = await self._body(request)
        player = self.shelf.find(field(body, "replay", TEXT))
        return await self._work(request, self._searches, player.thoughts, field(body, "agent", TEXT), self.lobby.agents)

    async def play_on(self, request: Request) -> Any:
        """A table at which a person plays on from a move of a replay ({"replay", "n", "seat", "name"}), in a seat, or in that
        of the player to move (null)."""
        body = await self._body(request)
        episode = self.shelf.find(field(body, "replay", TEXT)).episode
        place = field(body, "n", WHOLE), field(body, "seat", SEAT_OR_NULL, None), field(body, "name", TEXT, "")
        return {"token": self.lobby.play_on(episode, *place, client_at(request))}

    async def replay_advice(self, request: Request) -> Any:
        body = await self._body(request)
        player = self.shelf.find(field(body, "replay", TEXT))
        return await self._work(request, self._searches, player.advice, field(body, "n", WHOLE), self.lobby.agents)

    async def _body(self, request: Request) -> dict[str, Any]:
        """What a request says, in JSON and no other type, so that browsers ask before another site's page may send it."""
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise Refused("send JSON (content-type: application/json)")
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > self.lobby.limits.body_bytes:
                raise Refused(f"a request has at most {self.lobby.limits.body_bytes} bytes")
        return parse(body)


def _answers(answer: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            return JsonResponse(await answer(request))
        except Gone as error:
            return JsonResponse({"error": plain(error)}, 404)
        except (Refused, LeagueError, KeepError) as error:
            return JsonResponse({"error": plain(error)}, 400)
        except ClientDisconnect:  # while sending; nobody reads this
            return Response(status_code=400)

    return endpoint


def _page(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return FileResponse(STATIC / name)

    return endpoint


async def _cards(request: Request) -> Response:
    """The pictures of the suite's cards, or with `?game=ID` of a game's."""
    name = request.query_params.get("game")
    try:
        return Response(sprite(envs.game(name).cards if name else EXTENDED), media_type="image/svg+xml")
    except ValueError as error:
        return Response(plain(error), 404, media_type="text/plain")


@functools.cache
def _games() -> list[dict[str, Any]]:
    return [_about(game) for game in envs.all_games()]


def _about(game: Game) -> dict[str, Any]:
    """The lobby's description of a game."""
    return {
        "id": game.id,
        "title": game.title,
        "about": pages.about(game),
        "players": game.options.player_counts(),
        "options": game.options.form(),
    }


def _named_options(game_id: str, error: str) -> list[str]:
    """The options that an error mentions, so that the page can show the error beside them."""
    try:
        names = [option["name"] for option in envs.game(game_id).options.form()]
    except ValueError:
        return []
    words = set(error.replace("=", " ").replace(",", " ").replace("'", " ").replace(":", " ").split())
    return [name for name in names if name in words]
