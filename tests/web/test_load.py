"""What a server bears: silent connections, searches, and one client who takes all there is."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from serving import Player, Server
from support import WITHIN, short, wait_for
from websockets.exceptions import InvalidStatus
from wilddeck.agents.search import SearchAgent
from wilddeck.web import workers
from wilddeck.web.limits import Limits, Rates, client_of
from wilddeck.web.workers import Pool

HEAD = b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\n"
BODY = HEAD + b"Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n{"
SAID = {"nothing": b"", "half a head": HEAD, "half a body": BODY}
AGENTS = [{"kind": "agent", "spec": "random"}] * 4
BOT = "cmd:cat"  # whose answers are none
ELSEWHERE = {"X_Forwarded_For": "192.0.2.7"}  # as a proxy on this machine tells of a client


def is_open(one: socket.socket) -> bool:
    one.setblocking(False)
    try:
        return one.recv(1 << 16) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


@contextlib.contextmanager
def connections(server: Server, count: int, said: bytes = b"", where: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    """So many of them, from an address of this machine, which say something and no more."""
    with contextlib.ExitStack() as stack:
        sockets = []
        for _ in range(count):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), WITHIN, (where, 0)))
            with contextlib.suppress(OSError):  # it had to make room at once
                one.sendall(said)
            sockets.append(one)
        yield sockets


@pytest.fixture
def narrow() -> Iterator[Server]:
    running = Server(limits=Limits(connections=25, connections_per_client=20, head_seconds=600, transfer_seconds=600))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def hasty() -> Iterator[Server]:
    running = Server(limits=Limits(head_seconds=0.5, transfer_seconds=1))
    yield running
    running.stop()


each_silence = pytest.mark.parametrize("silence", short(SAID, ["half a body"]))


@each_silence
def test_silent_connections_shut_nobody_out(silence: str, narrow: Server) -> None:
    """Those that are silent for longest make room, of their own client first."""
    said = SAID[silence]
    with connections(narrow, 150, said) as silent:
        assert narrow.ask("/api/games")[0] == 200
        wait_for(lambda: sum(map(is_open, silent)) <= 20)
        assert sum(map(is_open, silent)) >= 15
        with connections(narrow, 4, said, "127.0.0.2") as others:
            assert narrow.ask("/api/games")[0] == 200
            with connections(narrow, 60, said, "127.0.0.3"):
                assert narrow.ask("/api/games")[0] == 200
            assert all(map(is_open, others))  # who has few loses none


@each_silence
def test_a_request_has_its_time(silence: str, hasty: Server) -> None:
    with connections(hasty, 3, SAID[silence]) as silent:
        wait_for(lambda: not any(map(is_open, silent)))


@pytest.mark.long
def test_an_answer_has_its_time_to_be_taken(hasty: Server) -> None:
    asked = b"GET /cards.svg HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200
    with connections(hasty, 1, asked) as (silent,):
        time.sleep(4)
        silent.settimeout(WITHIN)
        taken = 0
        with contextlib.suppress(ConnectionError):
            while part := silent.recv(1 << 16):
                taken += len(part)
        size = len(hasty.text("/cards.svg"))
        assert 0 < taken < 200 * size


def test_who_is_slow_but_goes_on_is_served(hasty: Server) -> None:
    body = b'{"game": "tennis_v0", "options": {}}'
    head = b"POST /api/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    with connections(hasty, 1, head + b"Content-Length: %d\r\n\r\n" % len(body)) as (slow,):
        for begin in range(0, len(body), 12):
            time.sleep(0.1)
            slow.sendall(body[begin : begin + 12])
        slow.settimeout(WITHIN)
        assert slow.recv(12) == b"HTTP/1.1 200"


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Searches that think until it is set."""
    go_on, act = threading.Event(), SearchAgent.act

    def think(self: SearchAgent, *arguments: object) -> int:
        go_on.wait()
        return act(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(SearchAgent, "act", think)
    yield go_on
    go_on.set()


def test_dealing_pages_and_moves_wait_behind_no_search(held: threading.Event) -> None:
    server = Server()
    watched = [server.table("tennis_v0", ["mc:rollouts=2000"] * 4) for _ in range((os.cpu_count() or 2) + 4)]
    try:
        wait_for(lambda: all(server.at(token).begun for token in watched))  # all are dealt, and think
        with server.player(server.table("tennis_v0", ["me", "random", "random", "random"])) as player:
            for _ in range(3):
                state = player.until(lambda message: "decision" in message)
                action = state["decision"]["groups"][0]["actions"][0]["action"]
                player.say(type="play", version=state["version"], action=action)
        assert server.ask("/api/check", {"game": "hearts_v0", "options": {}})[0] == 200
        assert "<h1" in server.text("/rules/hearts_v0")
    finally:
        held.set()
        server.stop()


def test_who_had_the_least_time_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of clients, and of a client's tables; nobody saves time up."""
    pool, order, clock = Pool(1, "test"), [], SimpleNamespace(now=0)
    monkeypatch.setattr(workers, "time", SimpleNamespace(monotonic=lambda: clock.now))

    def work(owner: str, seconds: int) -> None:
        order.append(owner)
        clock.now += seconds

    def done(*jobs: tuple[str, int]) -> list[str]:
        """The owners in the order of their jobs' turns."""
        order.clear()
        begin = threading.Event()
        pool.submit(("busy", "one"), begin.wait)  # until all jobs wait
        waiting = [pool.submit(tuple(owner.split()), work, owner, seconds) for owner, seconds in jobs]
        begin.set()
        for job in waiting:
            job.result(WITHIN)
        return [owner for owner, _ in itertools.groupby(order)]

    slow, quick, other = ("busy one", 20), ("busy two", 5), ("other table", 2)
    assert done(*[slow, quick] * 4, *[other] * 4) == ["busy one", "other table", "busy two", "busy one"]
    assert order == ["busy one", *["other table"] * 4, *["busy two"] * 4, *["busy one"] * 3]
    assert done(*[("busy one", 30)] * 3, *[("new table", 30)] * 3) == ["new table", "busy one"] * 3
    pool.close()


def test_a_failure_in_a_thread_is_told_and_the_next_job_is_done() -> None:
    pool = Pool(1, "test")
    failing, good = pool.submit(("a", ""), int, "x"), pool.submit(("a", ""), int, "7")
    with pytest.raises(ValueError, match="invalid literal"):
        failing.result(WITHIN)
    assert good.result(WITHIN) == 7
    pool.close()


@pytest.mark.long
def test_a_table_of_agents_ends_when_nobody_watches() -> None:
    """In the middle of their game: what they do is no use of it."""
    server = Server(limits=Limits(idle_seconds=2))
    try:
        table = server.at(server.table("rummy_v0", ["random"] * 2, pace=0.2))
        wait_for(lambda: table.begun)
        wait_for(lambda: not server.lobby.tables)
        assert table.closed and not table.over
        watched = server.table("rummy_v0", ["random"] * 2, pace=0.2)
        with server.player(watched) as player:
            deadline = time.monotonic() + 5
            while time.monotonic() < deadline:
                player.hear()
            assert not server.at(watched).closed
    finally:
        server.stop()


@pytest.fixture
def shared() -> Iterator[Server]:
    limits = Limits(
        tables_per_client=3, bots=3, bots_per_client=2, browsers=4, browsers_per_client=2, requests_per_second=1
    )  # fmt: skip
    running = Server(limits=limits, agents=[BOT])
    yield running
    running.stop()


def test_one_client_does_not_take_all_tables(shared: Server) -> None:
    body = {"game": "tennis_v0", "options": {}, "seats": AGENTS}
    assert [shared.ask("/api/tables", body)[0] for _ in range(4)] == [200, 200, 200, 400]
    assert "you already have 3 tables" in shared.ask("/api/tables", body)[1]["error"]
    assert shared.ask("/api/tables", body, **ELSEWHERE)[0] == 200


def test_programs_at_tables_are_counted(shared: Server) -> None:
    def table(bots: int, **headers: str) -> tuple[int, str]:
        seats = [{"kind": "agent", "spec": BOT}] * bots + AGENTS[bots:]
        status, answer = shared.ask("/api/tables", {"game": "tennis_v0", "options": {}, "seats": seats}, **headers)
        return status, answer.get("error", "")

    assert "at most 2 programs" in table(3)[1]
    assert table(2)[0] == 200
    assert "may play at your tables" in table(1)[1]
    assert table(1, **ELSEWHERE)[0] == 200
    assert "at most 3 programs (cmd:) may play at all tables" in table(1, **ELSEWHERE)[1]
    assert table(0)[0] == 200
    with shared.player(shared.table("tennis_v0", ["me", "open", "random", "random"])) as player:
        player.until(lambda message: "scene" in message)
        player.say(type="fill", seat=1, spec=BOT)
        assert "at most 3 programs" in player.error()
    for old in list(shared.lobby.tables):
        shared.do(old.close)
    wait_for(lambda: not shared.lobby.tables)
    assert table(2)[0] == 200  # those of tables that ended are gone


def test_programs_end_with_their_table_even_while_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    from wilddeck.agents.process import ProcessAgent

    begins, go_on, closed = threading.Event(), threading.Event(), threading.Event()
    close = ProcessAgent.close

    def begin(self: ProcessAgent, *arguments: object) -> None:
        begins.set()
        go_on.wait(WITHIN)

    def note(self: ProcessAgent) -> None:
        close(self)
        if go_on.is_set():
            closed.set()

    monkeypatch.setattr(ProcessAgent, "begin", begin)
    monkeypatch.setattr(ProcessAgent, "close", note)
    server = Server(agents=[BOT])
    try:
        table = server.at(server.table("tennis_v0", [BOT, *["random"] * 3]))
        assert begins.wait(WITHIN)
        server.do(table.close)
        wait_for(lambda: table.closed)
        go_on.set()
        assert closed.wait(WITHIN)
    finally:
        go_on.set()
        server.stop()


def test_one_client_does_not_use_up_the_requests_of_others(shared: Server) -> None:
    assert {shared.ask("/api/games")[0] for _ in range(30)} == {200, 400}
    assert shared.ask("/api/games", **ELSEWHERE)[0] == 200


def test_one_client_does_not_take_all_places_of_browsers(shared: Server) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(shared.connection())
        with pytest.raises(InvalidStatus), shared.connection():
            pass
        token = shared.table("tennis_v0", ["me", "random", "random", "random"])
        with shared.connection(**{"X-Forwarded-For": "192.0.2.7"}) as elsewhere:
            player = Player(elsewhere)
            player.say(type="join", token=token)
            assert "decision" in player.turn()


def test_who_is_one_client() -> None:
    same = [("127.0.0.1", "::ffff:127.0.0.1"), ("2001:db8::1", "2001:db8::ffff:2"), ("fe80::1%eth0", "fe80::2")]
    other = [("127.0.0.1", "127.0.0.2"), ("2001:db8::1", "2001:db8:0:1::1"), ("", "127.0.0.1")]
    assert all(client_of(one) == client_of(two) for one, two in same)
    assert not any(client_of(one) == client_of(two) for one, two in other)


def test_clients_that_ask_no_more_are_forgotten() -> None:
    rates = Rates(per_second=50, burst=2)
    assert [rates.take("a") for _ in range(3)] == [True, True, False]
    for number in range(100):
        rates.take(f"client {number}")
    for _ in range(3):
        time.sleep(0.1)
        rates.take("b")
    assert len(rates._new) + len(rates._old) <= 2
    assert rates.take("a")
