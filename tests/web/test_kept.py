"""Tables that outlast their server, rest while nobody is there, and are played on for who is away."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import sqlite3
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from serving import Player, Server, asked, move, play_on, serving
from support import WITHIN, wait_for
from wilddeck import cli
from wilddeck.league import Episode
from wilddeck.web.keep import Keep, KeepError
from wilddeck.web.limits import Limits
from wilddeck.web.table import Table

pytestmark = pytest.mark.interpreted
HEARTS = ["me", "random", "open", "open"]
BOT = "random_bot:make"


def invited(server: Server, player: Player, name: str) -> tuple[int, str]:
    """Somebody takes the first open seat: which, and their token."""
    state = player.until(lambda message: message.get("invitations"))
    seat, invitation = min(state["invitations"].items())
    return int(seat), server.ask("/api/join", {"invitation": invitation, "name": name})[1]["token"]


def seen(state: dict[str, Any]) -> dict[str, Any]:
    """What does not change by itself; of the log that it is there."""
    return {name: state[name] for name in ("round", "scene", "decision", "you", "over") if name in state} | {
        "log": [line["text"] for line in state["log"][-5:]]
    }


def written(server: Server) -> None:
    """What has changed is in the file: one thread writes and answers, in turn."""
    wait_for(lambda: not server.lobby.keep._waiting)
    server.ask("/api/standing", {"tokens": ["nobody's"]})


def latest(player: Player) -> dict[str, Any]:
    return next(message for message in reversed(player.heard) if "scene" in message)


def test_a_game_goes_on_when_the_server_begins_anew(tmp_path: Path) -> None:
    """Its seats, names, invitations, cards and log are as they were, to its end and in the next game."""
    file, moves = tmp_path / "tables.sqlite", 30
    with serving(file) as server:
        ada = server.table("hearts_v0", HEARTS, match="hand")
        with server.player(ada) as first:
            seat, grace = invited(server, first, "Grace")
            rest = first.until(lambda message: len(message.get("invitations", {})) == 1)["invitations"]
            first.say(type="fill", seat=3, spec="random")
            with server.player(grace) as second:
                table = server.at(ada)
                play_on({"Ada": first, "Grace": second}, table, moves)
                wait_for(lambda: table.mover in (0, seat))
                before = seen(asked(first if table.mover == 0 else second, table))
                actions = list(table.actions)
    with serving(file) as server:
        assert server.ask("/api/join", {"invitation": rest["3"], "name": "Eve"})[0] == 404  # an agent has taken it
        with server.player(ada) as first, server.player(grace) as second:
            one = first if before["you"] == 0 else second
            assert seen(one.until(lambda message: "decision" in message)) == before
            table = server.at(grace)
            assert table is server.at(ada) and table.actions == actions
            assert [each.name for each in table.seats] == ["Ada", "random", "Grace", "random"]
            play_on({"Ada": first, "Grace": second}, table, 1000)
            returns = first.until(lambda message: message.get("over"))["returns"]
            first.say(type="new")
            assert first.until(lambda message: message["round"] == 2)
    with serving(file) as server, server.player(grace) as second:
        assert second.until(lambda message: "scene" in message)["round"] == 2
        assert np.roll(server.at(ada).totals, -1).tolist() == pytest.approx(returns, abs=1e-4)


def test_what_was_written_when_the_server_is_killed_is_played_on(tmp_path: Path) -> None:
    with serving(tmp_path / "tables.sqlite") as server:
        token = server.table("tennis_v0", ["me", "random", "random", "random"])
        with server.player(token) as player:
            for _ in range(3):
                move(player, player.turn())
            state = seen(player.turn())
            written(server)
            for name in ("tables.sqlite", "tables.sqlite-wal"):  # as it lies there in the middle of everything
                shutil.copy(tmp_path / name, tmp_path / f"killed-{name}")
    with serving(tmp_path / "killed-tables.sqlite") as server, server.player(token) as player:
        assert seen(player.turn()) == state


def test_a_replay_is_there_after_a_new_beginning_and_an_undo_is_none_of_it(tmp_path: Path) -> None:
    file = tmp_path / "tables.sqlite"
    with serving(file) as server:
        token = server.table("hearts_v0", ["me", "random", "random", "random"], passing="left", deck="standard", match="hand")
        with server.player(token) as player:
            move(player, player.turn())  # the first of three cards to be passed
            undone = player.until(lambda message: message.get("canUndo"))
            player.say(type="undo")
            player.until(lambda message: "decision" in message and message["version"] != undone["version"])
            play_on({"Ada": player}, server.at(token), 1000)
            player.until(lambda message: message.get("over"))
        replay = server.ask("/api/replay", {"token": token})[1]
    with serving(file) as server:
        assert server.ask("/api/replay", {"token": token})[1] == replay
        assert len(Episode.from_json(json.dumps(replay)).moves) == len(replay["moves"])


def test_how_it_stands_at_ones_tables(tmp_path: Path) -> None:
    """Also at those that rest; it sets none of them up."""
    file = tmp_path / "tables.sqlite"
    with serving(file) as server:
        mine, watched = server.table("hearts_v0", HEARTS), server.table("tennis_v0", ["random"] * 4, pace=10)
        with server.player(mine) as player:
            _, grace = invited(server, player, "Grace")
            invitation = player.until(lambda message: len(message.get("invitations", {})) == 1)["invitations"]["3"]
            mover = latest(player)["scene"]["toMove"]
            while HEARTS[mover] == "random":  # it moves meanwhile
                mover = player.until(lambda message: "scene" in message)["scene"]["toMove"]
    with serving(file) as server:
        tokens = [mine, grace, watched, invitation, "nobody's", "\ud800"[:0]]
        standing = server.ask("/api/standing", {"tokens": tokens})[1]
        assert not server.lobby.tables
        assert [each and each["you"] for each in standing] == [0, 2, None, None, None, None]
        assert [each and each["game"] for each in standing] == ["hearts_v0", "hearts_v0", "tennis_v0", None, None, None]
        assert standing[0]["mover"] == mover and not standing[0]["over"]
        assert [seat["name"] for seat in standing[1]["seats"]] == ["Ada", "random", "Grace", "open seat"]
        assert not (set(str(standing)) and any(token in str(standing) for token in (mine, grace, watched, invitation)))


def test_the_file_holds_no_token_and_is_its_owners(tmp_path: Path) -> None:
    file = tmp_path / "tables.sqlite"
    with serving(file) as server:
        token = server.table("hearts_v0", HEARTS)
        with server.player(token) as player:
            _, grace = invited(server, player, "Grace")
            invitation = player.until(lambda message: len(message.get("invitations", {})) == 1)["invitations"]["3"]
    content = file.read_bytes()
    assert b"Grace" in content
    assert not any(secret.encode() in content for secret in (token, grace, invitation))
    assert file.stat().st_mode & 0o077 == 0


def test_an_agent_that_cannot_be_made_again_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was given to the command that served then, and is not to this one: nothing that only a file names is run."""
    from wilddeck.agents.random import RandomAgent

    file, agent = tmp_path / "tables.sqlite", RandomAgent()
    agent.name = "helper"
    with serving(file, agents=[agent]) as server:
        token = server.table("tennis_v0", ["me", "helper", "random", "random"])
        with server.player(token) as player:
            player.turn()
    with serving(file) as server, server.player(token) as player:
        state = player.turn()
        assert any("helper failed, random moves replace it: this agent cannot be chosen here" in line for line in player.log)
        move(player, state)
        player.turn()


def test_a_table_that_rests_is_set_up_again_for_who_comes_back() -> None:
    """Without a file too."""
    with serving(limits=Limits(idle_seconds=0.3)) as server:
        token = server.table("tennis_v0", ["me", "random", "random", "random"])
        with server.player(token) as player:
            move(player, player.turn())
            state = seen(player.turn())
        wait_for(lambda: not server.lobby.tables)
        with server.player(token) as one, server.player(token) as other:
            assert seen(one.turn()) == seen(other.turn()) == state
            assert len(server.lobby.tables) == 1


def test_of_too_many_tables_the_oldest_of_whoever_has_most_make_room() -> None:
    with serving(limits=Limits(kept=3, idle_seconds=0.2)) as server:
        seats = [{"kind": "person"}, *[{"kind": "agent", "spec": "random"}] * 3]

        def table(**headers: str) -> str:
            return server.ask("/api/tables", {"game": "tennis_v0", "seats": seats}, **headers)[1]["token"]

        tokens = [table(x_forwarded_for="192.0.2.1")]
        for _ in range(4):
            tokens.append(table())
            wait_for(lambda: not server.lobby.tables)
            written(server)
            standing = server.ask("/api/standing", {"tokens": tokens})[1]
        assert [each is not None for each in standing] == [True, False, False, True, True]


def test_a_table_that_rests_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its deal may end late, after somebody came back to it and played on."""
    begin, first, may_end = Table._begin, [], threading.Event()

    def begin_slowly(table: Table) -> None:
        if not first:
            first.append(table)
            may_end.wait(WITHIN)
        begin(table)

    monkeypatch.setattr(Table, "_begin", begin_slowly)
    with serving(limits=Limits(idle_seconds=0.3)) as server:
        token = server.table("tennis_v0", ["me", "random", "random", "random"])
        wait_for(lambda: first and not server.lobby.tables)
        with server.player(token) as player:
            move(player, player.turn())
            state = seen(player.turn())
        wait_for(lambda: not server.lobby.tables)
        may_end.set()
        wait_for(lambda: first[0].begun)
        written(server)
        with server.player(token) as player:
            assert seen(player.turn()) == state


def test_who_comes_back_at_once_finds_the_last_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even before they have been written."""

    async def write_nothing(keep: Keep) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Keep, "run", write_nothing)
    with serving(limits=Limits(idle_seconds=0.3)) as server:
        token = server.table("tennis_v0", ["me", "random", "random", "random"])
        with server.player(token) as player:
            move(player, player.turn())
            state = seen(player.turn())
        wait_for(lambda: not server.lobby.tables)
        with server.player(token) as player:
            assert seen(player.turn()) == state


# --- who is away ---


def test_an_agent_plays_for_who_is_away_until_they_are_back() -> None:
    with serving(limits=Limits(away_seconds=600)) as server:
        ada = server.table("tennis_v0", ["me", "open", "random", "random"])
        with server.player(ada) as first:
            _, grace = invited(server, first, "Grace")
            with server.player(grace):
                first.until(lambda message: message["seats"][1]["name"] == "Grace" and not message["seats"][1]["away"])
                first.say(type="fill", seat=1, spec="random")
                assert "its player is not away" in first.error()
            first.until(lambda message: message["seats"][1]["away"])
            first.say(type="fill", seat=1, spec="random")
            assert "Grace left a moment ago" in first.error()
            table = server.at(ada)
            table.seats[1].left -= 600
            first.say(type="fill", seat=1, spec="cmd:rm -rf /")
            assert "cannot be chosen here" in first.error()
            first.say(type="fill", seat=1, spec="random")
            state = first.until(lambda message: message["seats"][1]["agent"] == "random")
            assert (state["seats"][1]["kind"], state["seats"][1]["name"]) == ("person", "Grace")
            play_on({"Ada": first}, table, len(table.actions) + 10)
            with server.player(grace) as second:
                state = second.until(lambda message: "scene" in message)
                assert state["you"] == 1 and state["seats"][1]["agent"] == "" and not state["seats"][1]["away"]
                play_on({"Ada": first, "Grace": second}, table, len(table.actions) + 10)
                assert any("decision" in message for message in second.heard)
            assert [text for text in second.log if "Grace" in text] == [
                "random plays for Grace, who is away",
                "Grace is back",
            ]


def test_who_made_the_table_is_played_for_too_and_goes_on_as_its_host(tmp_path: Path) -> None:
    """And the agent plays on when the server begins anew."""
    file = tmp_path / "tables.sqlite"
    with serving(file, limits=Limits(away_seconds=0)) as server:
        ada = server.table("tennis_v0", ["me", "open", "random", "random"])
        with server.player(ada) as first:
            _, grace = invited(server, first, "Grace")
        with server.player(grace) as second:
            second.until(lambda message: message["seats"][0]["away"])
            second.say(type="fill", seat=0, spec="random")
            second.until(lambda message: message["seats"][0]["agent"])
    with serving(file) as server, server.player(grace) as second:
        move(second, second.turn())
        assert second.turn()["seats"][0] == {"kind": "person", "name": "Ada", "agent": "random", "agreed": False, "away": True}
        with server.player(ada) as first:
            assert first.until(lambda message: "scene" in message)["host"]


# --- files ---


def opened(path: Path) -> str:
    """What opening a file gives: an error in a line, or "" where there is none."""
    try:
        keep = Keep(path, Limits())
    except KeepError as error:
        return str(error)
    keep.pool.close()
    keep._db.close()
    return ""


def database(path: Path, *statements: str) -> Path:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)
    return path


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "kept.sqlite"
    assert opened(path) == "" and opened(path) == ""
    return path


def test_files_that_are_none_get_one_error_and_are_left_as_they_are(kept: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no database" * 100)
    foreign = database(tmp_path / "foreign", "CREATE TABLE kept (id TEXT)")
    newer, edited = (Path(shutil.copy(kept, tmp_path / name)) for name in ("newer", "edited"))
    database(newer, "PRAGMA user_version = 9")
    database(edited, "CREATE TRIGGER bad AFTER INSERT ON kept BEGIN DELETE FROM kept; END")
    for path, words in (
        (text, "this is no file of tables"),
        (foreign, "SQLite database is not a file of tables"),
        (newer, "written by another release of wilddeck (schema 9; this one reads 1)"),
        (edited, "its tables are not those of a file of tables"),
        (tmp_path, "cannot be opened or made"),
        (tmp_path / "no" / "folder", "cannot be opened or made"),
    ):
        content = path.read_bytes() if path.is_file() else b""
        assert words in opened(path) and opened(path).count("\n") == 0
        assert not path.is_file() or path.read_bytes() == content


def test_a_file_that_another_server_has_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(tmp_path / "tables.sqlite") as server:
        assert cli.main(["serve", "--port", str(server.port), "--tables", str(tmp_path / "tables.sqlite")]) == 1
        said = capsys.readouterr()
        assert not said.out and said.err.count("\n") == 1 and "another process" in said.err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rules": "0" * 64}, "the rules of tennis_v0 have changed since"),
        ({"game": "no_such_v0"}, "no_such_v0"),
        ({"options": {"num_players": 77}}, "77"),
        ({"seats": []}, "needs 4 seats"),
        ({"seats": [{"kind": "person"}]}, "cannot be restored"),
        ({"seats": 5}, "cannot be restored"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"control": {"seconds": 5}, "left": [5.0]}, "needs 4 seats"),
        ({"keys": {"watcher": "x"}}, "players for them"),
        ({"pace": "fast"}, "restored: pace must be a number of seconds"),
        ({"round": 1, "seed": 2}, "cannot be played there"),
    ],
)  # fmt: skip
def test_a_table_that_was_forged_gets_one_error_and_stays_in_the_file(
    change: dict[str, Any], words: str, forged: tuple[Path, str], tmp_path: Path
) -> None:
    path, token = Path(shutil.copy(forged[0], tmp_path / "forged")), forged[1]
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        about = json.loads(db.execute("SELECT about FROM kept").fetchone()[0])
        written = json.dumps({**about, **change})
        db.execute("UPDATE kept SET about = ?, actions = ?", (written, b"\xff\xff\xff\x7f"))
    with serving(path) as server, server.player(token) as player:
        said = player.until(lambda message: message.get("text") or message.get("failure"))
        assert words in said.get("text", "") + said.get("failure", "")
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT about, actions FROM kept").fetchone() == (written, b"\xff\xff\xff\x7f")


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A file with one table, and the token of its person."""
    path = tmp_path_factory.mktemp("tables") / "tables.sqlite"
    with serving(path) as server:
        token = server.table("tennis_v0", ["me", "random", "random", "random"])
        with server.player(token) as player:
            player.turn()
    return path, token


def test_a_disk_that_fails_is_told_once_and_tables_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tables.sqlite"
    with serving(file) as server:
        token = server.table("tennis_v0", ["me", "random", "random", "random"])
        with server.player(token) as player:
            state = player.turn()
            written(server)
            server.lobby.keep._db.execute("PRAGMA query_only = 1")
            for _ in range(3):
                move(player, state)
                state = player.turn()
            server.lobby.keep._db.execute("PRAGMA query_only = 0")
            move(player, state)
            state = seen(player.turn())
    assert capsys.readouterr().err.count("tables are no longer saved") == 1
    with serving(file) as server, server.player(token) as player:
        assert seen(player.turn()) == state
