"""What others can do to a server: nothing to a table that is not theirs."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Player, Server, serving
from support import WITHIN, wait_for
from websockets.exceptions import ConnectionClosed, InvalidStatus
from wilddeck import cli
from wilddeck.web import app, players, serve
from wilddeck.web.limits import Limits

TENNIS = {"game": "tennis_v0", "options": {}, "seats": [{"kind": "person"}, *[{"kind": "agent", "spec": "rules"}] * 3]}


@pytest.fixture(scope="module")
def small() -> Iterator[Server]:
    """A server that bears little, and is told of one bot."""
    limits = Limits(
        idle_seconds=0.4, browsers_per_table=2, body_bytes=2000, messages_per_second=5, message_bytes=500, join_seconds=0.5
    )
    running = Server(limits=limits, agents=["cmd:true", "score_agents:first"])
    yield running
    running.stop()


def goes_on(player: Player) -> bool:
    """Whether a table answers still."""
    player.say(type="undo")
    return "nothing to take back" in player.error()


HOSTILE = [
    "", "x", "[]", "null", "{", "{}", '{"type":1}', '{"type":["play"]}', '{"type":"destroy"}', '{"type":"play"}',
    '{"type":"play","version":1,"action":"0"}', '{"type":"play","version":1.5,"action":0}',
    '{"type":"play","version":true,"action":0}', '{"type":"play","version":1,"action":' + "9" * 40 + "}",
    '{"type":"pace","seconds":NaN}', '{"type":"pace","seconds":1e999}', '{"type":"pause","on":1}', '{"type":"look","seat":"1"}',
    '{"type":"fill","seat":1,"spec":7}', '{"type":"agree"}', "[" * 1000, '{"type":"undo","x":"' + "y" * 5000 + '"}', "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_message_gets_one_error_and_ends_its_own_connection(text: str, server: Server) -> None:
    mine, other = (server.table("tennis_v0", ["me", "rules", "rules", "rules"]) for _ in range(2))
    with server.player(other) as bystander, server.player(mine) as player:
        bystander.turn()
        player.turn()
        player.socket.send(text if text.isascii() else b"\xff")
        assert player.closed()
        assert [message["type"] for message in player.heard if message.get("final")] in (["error"], [])
        assert goes_on(bystander)
    with server.player(mine) as again:  # the seat is still there
        assert "decision" in again.turn()


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"type": "play", "version": 0, "action": 0}, "the game has moved on"),
        ({"type": "play", "version": None, "action": 10**6}, "not legal"),
        ({"type": "play", "version": None, "action": -1}, "not legal"),
        ({"type": "look", "seat": 1}, "you can look through other seats only"),
        ({"type": "fill", "seat": 99, "spec": "rules"}, "not open"),
        ({"type": "fill", "seat": -1, "spec": "rules"}, "not open"),
        ({"type": "advice", "version": 0}, "advice is off"),
    ],
)
def test_what_is_not_allowed_is_refused_and_the_game_goes_on(message: dict, words: str, server: Server) -> None:
    with server.player(server.table("tennis_v0", ["me", "rules", "rules", "rules"])) as player:
        state = player.turn()
        player.say(**{name: state["version"] if value is None else value for name, value in message.items()})
        assert words in player.error()
        assert goes_on(player)


def test_only_the_host_sets_the_pace_and_fills_seats(server: Server) -> None:
    host = server.table("tennis_v0", ["me", "open", "open", "rules"])
    with server.player(host) as first:
        invitations = first.until(lambda message: "scene" in message)["invitations"]
        token = server.ask("/api/join", {"invitation": invitations["1"], "name": "<b>Eve</b>\x1b[31m\n" + "x" * 500})[1][
            "token"
        ]
        with server.player(token) as second:
            state = second.until(lambda message: "scene" in message)
            assert "invitations" not in state
            name = state["seats"][1]["name"]
            assert len(name) <= players.NAME_LENGTH and name.isprintable()
            fill = {"type": "fill", "seat": 2, "spec": "rules"}
            for message in ({"type": "pace", "seconds": 0}, fill, {"type": "pause", "on": True}):
                second.say(**message)
                assert "only the owner of the table" in second.error()
            second.say(type="new")
            assert "still being played" in second.error()


@pytest.mark.parametrize("token", ["", "x", None, 5, [], {"a": 1}, "0" * 4000])
def test_a_wrong_token_is_told_that_there_is_no_game(token: object, server: Server) -> None:
    with server.player(token) as player:
        assert "no such table" in player.error()
        assert player.closed()


def test_tokens_cannot_be_guessed(server: Server) -> None:
    tokens = {server.table("tennis_v0", ["me", "rules", "rules", "rules"]) for _ in range(5)}
    assert len(tokens) == 5 and all(len(token) == 32 for token in tokens)


@pytest.mark.parametrize(
    "spec",
    ["cmd:true", "cmd:python bot.py", "/etc/passwd", "weights.safetensors", "x.npz", "model.zip",
     "mc:rollouts=1000000", "mc:max_steps=5",
     "mc:rollouts=-1", "mc:rollouts=", "mc:policy=evil", "mc:policy=weights.npz", "mc:policy=mc", "rules:nothing", "",
     "trained + cmd:true", "score_agents:first", "os:system", "rules\x00", 7, None, "x" * 10_000],
)  # fmt: skip
def test_agents_that_run_code_or_read_files_cannot_be_chosen(spec: object, server: Server) -> None:
    status, answer = server.ask(
        "/api/tables", {**TENNIS, "seats": [{"kind": "person"}, *[{"kind": "agent", "spec": spec}] * 3]}
    )
    assert status == 400
    assert "cannot be chosen here" in answer["error"]


def test_a_bot_that_the_command_line_names_can_be_chosen_and_its_failure_ends_only_its_own_play(small: Server) -> None:
    token = small.table("tennis_v0", ["me", "cmd:true", "rules", "rules"])
    with small.player(token) as player:
        state = player.turn()
        assert any("random moves replace it" in line["text"] for message in player.heard for line in message["log"])
        assert state["decision"]


def test_a_function_that_the_command_line_names_plays(small: Server) -> None:
    """In the page's own process, and no other function of its module does."""
    token = small.table("tennis_v0", ["me", "score_agents:first", "rules", "rules"])
    with small.player(token) as player:
        player.turn()
        assert not [line for message in player.heard for line in message["log"] if "failed" in line["text"]]
    seats = [{"kind": "person"}, *[{"kind": "agent", "spec": "score_agents:careless"}] * 3]
    assert small.ask("/api/tables", {**TENNIS, "seats": seats})[0] == 400


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not JSON"),
        (b"[1]", "send a JSON object"),
        (b"{", "not JSON"),
        ({}, "name a game"),
        ({**TENNIS, "game": "chess_v0"}, "no game"),
        ({**TENNIS, "game": ["tennis_v0"]}, "name a game"),
        ({**TENNIS, "options": {"num_players": 5}}, "not allowed"),
        ({**TENNIS, "options": {"nothing": 5}}, "no option"),
        ({**TENNIS, "options": {"max_tricks": [[]]}}, "not allowed"),
        ({**TENNIS, "seats": []}, "needs 4 seats"),
        ({**TENNIS, "seats": [{"kind": "person"}] * 4}, "take only one seat"),
        ({**TENNIS, "seats": [{"kind": "open"}, *[{"kind": "agent", "spec": "rules"}] * 3]}, "take a seat yourself"),
        ({**TENNIS, "seats": [{"kind": "god"}] * 4}, "must be a person"),
        ({**TENNIS, "seats": [None] * 4}, "must be a person"),
        ({**TENNIS, "seats": [{"kind": "person", "name": 5}, *TENNIS["seats"][1:]]}, "must be text"),
        ({**TENNIS, "pace": "fast"}, "number of seconds"),
        ({**TENNIS, "pace": -1}, "number of seconds"),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(body: object, words: str, server: Server) -> None:
    status, answer = server.ask("/api/tables", body)
    assert status == 400
    assert words in answer["error"]


def test_contradictions_are_told_where_they_stand(server: Server) -> None:
    status, answer = server.ask("/api/check", {"game": "tennis_v0", "options": {"num_players": 5}})
    assert (status, answer["fields"]) == (200, ["num_players"])
    assert "allowed: 2, 3, 4, 6" in answer["error"]
    status, answer = server.ask("/api/check", {"game": "tennis_v0", "options": {}})
    assert (answer["players"], answer["agents"][0]) == (4, "trained")
    assert "resolve" not in answer["agents"]


def test_who_solves_holdem_at_the_table_can_be_chosen_there(server: Server) -> None:
    body = {"game": "poker_v0", "options": {"num_players": 2, "deck": "standard", "stack": 20}}
    assert "resolve" in server.ask("/api/check", body)[1]["agents"]
    seats = [{"kind": "person"}, {"kind": "agent", "spec": "resolve"}]
    assert server.ask("/api/tables", {**body, "seats": seats})[0] == 200
    seats[1]["spec"] = "resolve:iterations=100000"
    status, answer = server.ask("/api/tables", {**body, "seats": seats})
    assert status == 400 and "resolve, mc:rollouts=N (up to" in answer["error"]


def test_pages_of_other_sites_cannot_use_it(server: Server) -> None:
    """Neither by their own name for this machine, nor by a form, nor by a WebSocket."""
    assert server.ask("/api/games", Host="evil.example")[0] == 403
    assert server.ask("/api/tables", TENNIS, Origin="https://evil.example")[0] == 403
    assert server.ask("/api/tables", TENNIS, content_type="text/plain")[0] == 400
    assert server.ask("/api/tables", TENNIS, Origin=server.url)[0] == 200
    with pytest.raises((InvalidStatus, ConnectionClosed)), server.connection(Origin="https://evil.example") as socket:
        socket.recv(5)


PAGE = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}


def test_pages_of_other_sites_use_up_nothing_of_the_owners(small: Server) -> None:
    """Browsers say of requests which site's page makes them: all but opened pages are refused before they count."""
    asked = [("cross-site", "/api/games")] * 350 + [("same-site", "/api/leagues"), ("cross-site", "/static/table.js")]
    for site, path in asked:
        assert small.ask(path, Sec_Fetch_Site=site)[0] == 403
    for path in ("/", "/table", "/rules/tennis_v0"):
        for _ in range(150):  # a link to a page may be followed; it counts for nothing, either
            request = urllib.request.Request(small.url + path, headers={n.replace("_", "-"): v for n, v in PAGE.items()})
            with urllib.request.urlopen(request, timeout=WITHIN) as answer:
                assert answer.status == 200
    for path, fields in (
        ("/", {"Sec_Fetch_Dest": "iframe"}),
        ("/", {"Sec_Fetch_Mode": "no-cors"}),
        ("/", {"Origin": "https://evil.example"}),
        ("/api/games", {}),
        ("/api/export/0/json", {}),
        ("/static/table.html", {}),
    ):
        assert small.ask(path, **{**PAGE, **fields})[0] == 403, (path, fields)
    for site in ("same-origin", "none"):
        assert small.ask("/api/games", Sec_Fetch_Site=site)[0] == 200
    with pytest.raises((InvalidStatus, ConnectionClosed)), small.connection(**{"Sec-Fetch-Site": "cross-site"}) as socket:
        socket.recv(5)


def test_only_names_that_were_allowed_reach_it() -> None:
    """And the address at which it is reached; no name that another site has made lead here (DNS rebinding)."""
    server = Server(host="0.0.0.0", hosts=[*app.LOOPBACK, "cards.example.org"])
    try:
        for host, status in {
            "cards.example.org": 200, f"Cards.Example.Org:{server.port}": 200, "localhost": 200, "[::1]:8000": 200,
            "evil.example": 403, "cards.example.org.evil.example": 403, "127.0.0.2": 403, "192.0.2.1": 403,
        }.items():  # fmt: skip
            answered, answer = server.ask("/api/runs", Host=host)
            assert answered == status, host
            assert status == 200 or "--allow-host" in answer["error"]
        server.url = f"http://127.0.0.2:{server.port}"
        assert server.ask("/api/runs")[0] == 200
        assert server.ask("/api/runs", Host="127.0.0.3")[0] == 403
    finally:
        server.stop()


def test_every_answer_keeps_a_page_to_itself(server: Server) -> None:
    outside = ("/static/../app.py", "/static/%2e%2e/app.py", "/nothing")
    for path in ("/", "/table", "/join", "/static/table.js", "/cards.svg", *outside):
        try:
            answer: Any = urllib.request.urlopen(server.url + path, timeout=WITHIN)
            assert path not in outside
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            for name, value in app.HEADERS.items():
                assert answer.headers[name] == value, path
            assert "unsafe" not in answer.headers["content-security-policy"]


def test_pages_load_nothing_from_elsewhere_and_have_no_script_in_them() -> None:
    for path in sorted(app.STATIC.iterdir()):
        text = path.read_text(encoding="utf-8")
        assert "://" not in text.replace("http://www.w3.org/", "").replace("}://${", ""), path.name
        if path.suffix == ".html":
            assert "<script>" not in text and " on" not in text.replace(" one", "") and "style=" not in text, path.name
        assert "innerHTML" not in text and "eval(" not in text, path.name


def test_a_page_is_small(server: Server) -> None:
    """Everything that a table needs, as it travels: its page, what that names, and what modules import."""
    waiting, total = ["/table", "/cards.svg"], 0
    for path in waiting:
        request = urllib.request.Request(server.url + path, headers={"accept-encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=WITHIN) as answer:
            content = answer.read()
        total += len(content)
        named = re.findall(
            rb'(?:src|href)="/static/([\w.]+)"|from "./([\w.]+)"',
            gzip.decompress(content) if answer.headers["content-encoding"] else content,
        )
        found = [f"/static/{(page or module).decode()}" for page, module in named]
        waiting += [path for path in dict.fromkeys(found) if path not in waiting]
    assert "/static/table.css" in waiting and "/static/motion.js" in waiting
    assert total < 80_000


def test_bounds(small: Server) -> None:
    """Numbers of browsers, rates and sizes of messages; idle tables rest."""
    assert "at most 2000 bytes" in small.ask("/api/tables", b'{"a": "' + b"x" * 5000 + b'"}')[1]["error"]
    token = small.table("tennis_v0", ["me", "rules", "rules", "rules"])
    with small.player(token) as first, small.player(token) as second:
        decision = first.turn()["decision"]
        assert second.turn()["decision"] == decision
        with small.player(token) as third:
            assert "too many browsers" in third.error()
        with contextlib.suppress(ConnectionClosed):  # the server need not wait for all of them
            for _ in range(40):
                second.say(type="undo")
        assert second.closed() and "too many messages" in second.heard[-1]["text"]
    with small.connection() as silent:
        assert "type join" in json.loads(silent.recv(10))["text"]
    wait_for(lambda: not small.lobby.tables)
    with small.player(token) as late:
        assert late.turn()["decision"] == decision


@pytest.mark.parametrize(
    ("limits", "error"),
    [
        (Limits(tables=2), "no room for another table (it allows 2)"),
        (Limits(tables_per_second=0.1), "you are making tables too fast"),
    ],
)
def test_tables_are_limited_in_number_and_rate(limits: Limits, error: str) -> None:
    with serving(limits=limits) as server:
        answers = [server.ask("/api/tables", TENNIS) for _ in range(3)]
    assert [status for status, _ in answers] == [200, 200, 400]
    assert error in answers[2][1]["error"]


def test_a_table_that_fails_says_so_and_the_others_go_on(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = (server.table("tennis_v0", ["me", "rules", "rules", "rules"]) for _ in range(2))
    with server.player(bad) as player, server.player(good) as bystander:
        state = player.turn()
        bystander.turn()

        def fail(action: int) -> None:
            raise MemoryError("boom")

        monkeypatch.setattr(server.at(bad), "_ask", lambda mover: fail(0))
        action = state["decision"]["groups"][0]["actions"][0]["action"]
        player.say(type="play", version=state["version"], action=action)
        assert "boom" in player.until(lambda message: message.get("failure"))["failure"]
        assert goes_on(bystander)


def test_an_address_that_others_reach_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import uvicorn

    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    made, make_app = [], app.make_app
    monkeypatch.setattr(app, "make_app", lambda *arguments: made.append(arguments[2]) or make_app(*arguments))
    for host, is_open in (("127.0.0.1", False), ("0.0.0.0", True)):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        serve.serve(host, port, allow_hosts=["Cards.example.org"])
        said = capsys.readouterr()
        assert made.pop() == {*app.LOOPBACK, "cards.example.org"}
        assert ("to share a table" in said.err and "(cards.example.org)" in said.err) == is_open
        assert f":{port} " in said.out
        assert ("others can reach" in said.err) == is_open


def test_a_port_that_is_taken_is_told(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["serve", "--port", str(server.port)]) == 1
    said = capsys.readouterr()
    assert not said.out and said.err.count("\n") == 1 and "in use" in said.err


def test_the_security_guide_names_these_tests() -> None:
    page = Path(app.__file__).parents[1] / "docs" / "guides" / "security.md"
    assert "tests/web/test_wire.py" in page.read_text(encoding="utf-8")
