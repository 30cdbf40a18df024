"""Every field of every request and message with values of every wrong type: one clear answer, and nothing breaks."""

from __future__ import annotations

import contextlib
import copy
import json
import logging
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Player, Server
from support import WITHIN
from websockets.exceptions import ConnectionClosed
from wilddeck.envs import game
from wilddeck.league import Episode, League
from wilddeck.web import sockets

WRONG = [None, True, 0, -1, 1.5, 1e300, 1 << 70, "", "x", "\ud800", "\x00", "x" * 300, [], [1], [[]], {}, {"a": 1}]
SEATS = [{"kind": "person", "name": "Ada"}, *[{"kind": "agent", "spec": "rules"}] * 3]
TABLE = {
    "game": "tennis_v0",
    "options": {"num_players": 4},
    "seats": SEATS,
    "pace": 1,
    "clock": {"seconds": 60, "increment": 5},
}


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("leagues") / "one.sqlite"
    with League(path, "tennis_v0", {"num_players": 2, "max_tricks": 60}) as league:
        for name in ("random", "rules"):
            league.add(name, name)
        league.run(deals=1)
    return path


@pytest.fixture(scope="module")
def server(league: Path) -> Iterator[Server]:
    running = Server(leagues=[league], runs=league.parent)
    yield running
    running.stop()


def episode(league: Path) -> dict[str, Any]:
    with League(league) as opened:
        return Episode.of(opened.replay(opened.results()[0].id)).to_json()


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """All parts of a value, by how they are reached; of a list its first."""
    if path:
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, part in parts:
        yield from places(part, (*path, name))


def changed(value: Any, path: tuple[Any, ...], wrong: Any) -> Any:
    copied = copy.deepcopy(value)
    inner = copied
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = wrong
    return copied


def bodies(server: Server, league: Path) -> list[tuple[str, dict[str, Any]]]:
    """Every route that is sent something, with something that it takes."""
    with League(league) as opened:
        match = opened.results()[0].id
    token = server.table("tennis_v0", ["me", "open", "rules", "rules"])
    replay = server.ask("/api/replays", {"league": 0, "match": match})[1]["replay"]
    return [
        ("/api/check", {"game": "tennis_v0", "options": {"num_players": 4}}),
        ("/api/tables", TABLE),
        ("/api/join", {"invitation": "x", "name": "Ada"}),
        ("/api/standing", {"tokens": [token]}),
        ("/api/replay", {"token": token}),
        ("/api/replays", {"token": token}),
        ("/api/replays", {"league": 0, "match": match}),
        ("/api/replays", {"text": "{}"}),
        ("/api/league", {"number": 0, "stamp": "x"}),
        ("/api/matches", {"number": 0, "agent": "rules", "status": "ok", "begin": 0}),
        ("/api/curve", {"name": "x"}),
        ("/api/frame", {"replay": replay, "n": 0, "viewer": 0}),
        ("/api/marks", {"replay": replay}),
        ("/api/judges", {"replay": replay}),
        ("/api/thoughts", {"replay": replay, "agent": "rules"}),
        ("/api/play-on", {"replay": replay, "n": 0, "seat": 0, "name": "Ada"}),
        ("/api/replay-advice", {"replay": replay, "n": 0}),
    ]


def test_every_field_of_every_request(server: Server, league: Path, caplog: pytest.LogCaptureFixture) -> None:
    tried = bodies(server, league)
    routes = {route.path for route in server.app.routes if "POST" in (getattr(route, "methods", None) or ())}
    assert {path for path, _ in tried} == routes
    statuses = set()
    for path, body in tried:
        for place in places(body):
            for wrong in WRONG:
                status, answer = server.ask(path, changed(body, place, wrong))
                assert status in (200, 400, 404), (path, place, wrong)
                assert status == 200 or answer["error"]
                statuses.add(status)
    assert statuses == {200, 400, 404}
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_wrong_types_are_told_by_the_name_of_their_field(server: Server) -> None:
    for path, body, words in (
        ("/api/check", {"game": ["tennis_v0"]}, "game must be"),
        ("/api/check", {"game": "tennis_v0", "options": [1]}, "options must be an object"),
        ("/api/tables", {**TABLE, "pace": "fast"}, "pace must be a number of seconds"),
        ("/api/join", {"invitation": ["x"]}, "invitation must be text"),
        ("/api/matches", {"number": 0, "agent": ["rules"]}, "agent must be text or null"),
        ("/api/frame", {"replay": {}}, "replay must be text"),
    ):
        status, answer = server.ask(path, body)
        assert status == 400 and words in answer["error"]


@pytest.mark.long
def test_every_part_of_a_replay_from_elsewhere(server: Server, league: Path) -> None:
    whole = episode(league)
    assert server.ask("/api/replays", {"text": json.dumps(whole)})[0] == 200
    for place in places(whole):
        for wrong in WRONG:
            status, _ = server.ask("/api/replays", {"text": json.dumps(changed(whole, place, wrong))})
            assert status in (200, 400), (place, wrong)


@pytest.mark.parametrize(
    "path",
    ["/api/export/{}/json", "/api/export/0/{}", "/rules/{}", "/static/{}", "/{}", "/cards.svg?{}"],
)
def test_every_part_of_an_address(path: str, server: Server) -> None:
    for part in ("0", "-1", "9" * 5000, "%D9%A3", "%00", "%ff", "..%2f..%2fapp.py", "x" * 5000, "%0d%0aX:y", "[]"):
        try:
            with urllib.request.urlopen(server.url + path.format(part), timeout=WITHIN) as answer:
                assert answer.status == 200
        except urllib.error.HTTPError as error:
            with error:
                assert error.code in (400, 404), part


MESSAGES: dict[str, dict[str, Any]] = {
    "play": {"version": 0, "action": 0}, "undo": {}, "new": {}, "pace": {"seconds": 1}, "pause": {"on": False},
    "agree": {"on": False}, "fill": {"seat": 1, "spec": "rules"}, "look": {"seat": 0}, "advice": {"version": 0},
    "start": {"spec": "rules"},
}  # fmt: skip


def test_every_field_of_every_message(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    assert {kind: set(fields) for kind, fields in MESSAGES.items()} == {
        kind: set(fields) for kind, fields in sockets._FIELDS.items()
    }
    token = server.table("tennis_v0", ["me", "open", "rules", "rules"])
    for kind, fields in MESSAGES.items():
        for name in ("type", *fields):
            for wrong in WRONG:
                with server.player(token) as player:
                    player.say(**{"type": kind, **fields, name: wrong})
                    with contextlib.suppress(ConnectionClosed):
                        player.say(type="undo")  # which there is nothing of
                    assert player.error()
    with server.player(token) as player:  # the table goes on
        player.say(type="undo")
        assert "nothing to take back" in player.error()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("joined", [False, True])
def test_a_frame_that_is_no_text(joined: bool, server: Server, caplog: pytest.LogCaptureFixture) -> None:
    token = server.table("tennis_v0", ["me", "rules", "rules", "rules"])
    with server.player(token) as bystander, server.connection() as socket:
        bystander.turn()
        if joined:
            socket.send(json.dumps({"type": "join", "token": token}))
        socket.send(b'{"type": "undo"}')
        player = Player(socket)
        assert player.closed()
        assert "messages are text" in player.heard[-1]["text"] and player.heard[-1]["final"]
        bystander.say(type="undo")
        assert "nothing to take back" in bystander.error()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.long
def test_options_of_every_game_of_wrong_types(server: Server) -> None:
    for about in server.ask("/api/games")[1]:
        for option in game(about["id"]).options.form():
            for wrong in WRONG:
                status, answer = server.ask("/api/check", {"game": about["id"], "options": {option["name"]: wrong}})
                assert status == 200 and ("error" in answer or "players" in answer)
