"""The league's file: each way in which it can be unusable gives one clear error, and finished results stay."""

from __future__ import annotations

import math
import os
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import league_agents
import pytest
from wilddeck.league import League, LeagueError, StoreError

AGENTS = {"random": "random", "plain": "plain"}
OpenLeague = Callable[..., League]


def played(open_league: OpenLeague, deals: int = 2) -> Path:
    league = open_league(agents=AGENTS)
    league.run(deals)
    league.close()
    return league.path


def test_results_survive_closing_and_are_never_written_twice(open_league: OpenLeague) -> None:
    path = played(open_league)
    with League(path, make=league_agents.make) as league:
        assert [entry.name for entry in league.agents] == ["random", "plain"]
        before = league.export("csv")
        results = league.results()
        assert len(results) == 4
        league._store.add_results(results)
        assert league.export("csv") == before
        assert league.run(2).played == 0


def test_a_league_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no such league file; give a game to create one"):
        League(tmp_path / "none.league")
    assert not (tmp_path / "none.league").exists()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "text.league"
    path.write_text("a shopping list\n" * 200)
    with pytest.raises(StoreError, match=r"text\.league: this is no league file, or it is damaged"):
        League(path, "tennis_v0")
    assert path.read_text().startswith("a shopping list")


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE bookmark (address TEXT)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="SQLite database is not a league file"):
        League(path, "tennis_v0")
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", [99, 1, 0, -7])
def test_a_league_of_another_release(open_league: OpenLeague, version: int) -> None:
    path = played(open_league)
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    with pytest.raises(StoreError, match=rf"another release of wilddeck \(schema {version}; this one reads 2\)"):
        League(path)


def test_a_damaged_league(open_league: OpenLeague) -> None:
    path = played(open_league, deals=12)
    data = bytearray(path.read_bytes())
    assert len(data) > 3 * 4096
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"the file is damaged"):
        League(path).results()


def test_a_truncated_league(open_league: OpenLeague) -> None:
    path = played(open_league, deals=12)
    path.write_bytes(path.read_bytes()[:6000])
    with pytest.raises(StoreError, match=r"test\.league: the file is damaged"):
        League(path).results()


def test_a_league_without_its_settings(open_league: OpenLeague) -> None:
    path = played(open_league)
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM settings WHERE key = 'game'")
    db.close()
    with pytest.raises(StoreError, match="damaged or of another release: the settings lack game"):
        League(path)


def test_a_locked_league(open_league: OpenLeague) -> None:
    path = played(open_league)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with League(path, make=league_agents.make, busy_seconds=0.05) as league:
            with pytest.raises(StoreError, match="another process is writing to it"):
                league.run(3)
            assert len(league.results()) == 4  # reading goes on
            other.execute("ROLLBACK")
            assert league.run(3).played == 2
    finally:
        other.close()


def test_a_full_disk_keeps_what_was_finished(open_league: OpenLeague, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wilddeck.league.running._WRITE_SECONDS", 0)
    league = open_league(agents=AGENTS)
    league.run(2)
    pages = league._store._one("PRAGMA page_count")
    league._store._db.execute(f"PRAGMA max_page_count = {pages + 4}")
    with pytest.raises(StoreError, match=r"the disk is full; make room and run again.*is kept"):
        league.run(200)
    kept = len(league.results())
    assert 4 <= kept < 400
    assert all(len(result.seats) == 2 for result in league.results())
    league._store._db.execute("PRAGMA max_page_count = 100000")
    assert league.run(100).played == 200 - kept


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs the rights of POSIX")
def test_a_folder_that_cannot_be_written() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)  # root may write everywhere
        try:
            with pytest.raises(StoreError, match="cannot be opened or made; check that its folder exists and can be written"):
                League(folder / "new.league", "tennis_v0")
        finally:
            os.seteuid(user)
        assert not list(folder.iterdir())


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot be opened or made; check that its folder exists and can be written"):
        League(tmp_path / "missing" / "new.league", "tennis_v0")


def test_a_file_that_cannot_be_written(open_league: OpenLeague) -> None:
    path = played(open_league)
    league = League(path, make=league_agents.make)
    league._store._db.execute("PRAGMA query_only = ON")  # SQLite then says what it says of a read-only file
    with pytest.raises(StoreError, match="it cannot be written; check the rights"):
        league.run(3)
    league.close()


def test_a_folder_is_no_league(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="this is a folder"):
        League(tmp_path, "tennis_v0")


def test_settings_are_fixed(open_league: OpenLeague) -> None:
    path = played(open_league)
    with pytest.raises(LeagueError, match="the league has another seed; use another file"):
        League(path, "tennis_v0", seed=5)
    with pytest.raises(LeagueError, match="has options"):
        League(path, "tennis_v0", {"num_players": 4})
    League(path, "tennis_v0").close()
    League(path, "tennis_v0", {"num_players": 2, "max_tricks": 50}, seed=0, move_seconds=20.0).close()


def test_an_agent_keeps_its_name_and_its_file(open_league: OpenLeague, tmp_path: Path) -> None:
    league = open_league(agents=AGENTS)
    assert league.add("plain", "plain") == league.agents[1]
    with pytest.raises(LeagueError, match=r"agent 'plain': the league has it as 'plain', not 'vandal'"):
        league.add("plain", "vandal")
    with pytest.raises(LeagueError, match="1 to 80 printable characters"):
        league.add("two\nlines", "plain")
    with pytest.raises(ValueError, match="no agent 'rules2'"):
        league.add("rules2", "rules2")
    assert len(league.agents) == 2


def test_changed_weights_are_noticed(tmp_path: Path) -> None:
    """The files are opened by the maker of agents, which here takes any."""
    weights = tmp_path / "trained.npz"
    weights.write_bytes(b"first")
    with League(tmp_path / "x.league", "tennis_v0", {"num_players": 2}, make=lambda *_, **__: league_agents.Plain()) as league:
        league.add("random", "random")
        entry = league.add("trained", str(weights))
        assert len(entry.sha256) == 64 and entry.kind == "npz" and league.agents[0].kind == "random"
        league.run(1)
        weights.write_bytes(b"second")
        with pytest.raises(
            LeagueError, match=r"agent 'trained': its file has changed or is missing; add the new agent under another"
        ):
            league.run(2)
        with pytest.raises(LeagueError, match="its file has changed"):
            league.add("trained", str(weights))
        league.add("trained-2", f"cmd:python {weights}")
        assert league.agents[2].sha256 and league.agents[2].kind == "cmd"
        entry = league.add("search", f"mc:rollouts=20,policy={weights}")
        assert entry.sha256 == league.agents[2].sha256 and league.add("mc", "mc:policy=rules").sha256 == ""
        assert len(league.results()) == 2


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"move_seconds": 0}, "move_seconds must be a positive number of seconds, at most 1,000,000, not 0"),
        ({"start_seconds": math.inf}, "start_seconds must be a positive number of seconds, at most 1,000,000, not inf"),
        ({"game_seconds": math.nan}, "game_seconds must be a positive number"),
        ({"move_seconds": 1e300}, "move_seconds must be a positive number"),
        ({"move_seconds": True}, "move_seconds must be a positive number"),
        ({"move_seconds": "10"}, "move_seconds must be a positive number"),
        ({"seed": "one"}, r"seed must be an integer from 0 to 2\*\*256 - 1, not 'one'"),
        ({"seed": -1}, "seed must be an integer"),
        ({"seed": 2**256}, "seed must be an integer"),
        ({"duplicate": 1}, "duplicate must be True or False, not 1"),
        ({"disqualify_after": 0}, "disqualify_after must be a positive integer or None, not 0"),
    ],
)
def test_settings_are_checked(tmp_path: Path, limits: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        League(tmp_path / "x.league", "tennis_v0", **limits)
    assert not list(tmp_path.iterdir())
