"""League files that were damaged, edited or forged: one clear error, and never a traceback, a hang or a crash."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import league_agents
import pytest
from support import random_games
from wilddeck.league import League, LeagueError, ReplayError, StoreError
from wilddeck.league.schedule import match_id

OpenLeague = Callable[..., League]


@pytest.fixture
def path(open_league: OpenLeague) -> Path:
    league = open_league(agents={"random": "random", "plain": "plain", "bad": "crash@2"})
    league.run(2)
    league.close()
    return league.path


@contextlib.contextmanager
def database(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        yield db


def edit(path: Path, *statements: str, values: Any = ()) -> None:
    with database(path) as db:
        for statement in statements:
            db.execute(statement, values)


def read_all(path: Path) -> list[str]:
    """Read whatever can be read, to the end; the errors, which must be a league's."""
    said = []

    def attempt(read: Callable[[], Any]) -> None:
        try:
            read()
        except LeagueError as error:
            said.append(str(error))

    try:
        league = League(path, make=league_agents.make)
    except LeagueError as error:
        return [str(error)]
    with league:
        attempt(lambda: league.table(bootstrap=3))
        attempt(league.matrix)
        attempt(league.errors)
        attempt(lambda: league.export("json"))
        attempt(lambda: league.export("csv"))
        for prefix in "048c":
            attempt(lambda prefix=prefix: league.replay(prefix))  # type: ignore[misc]
    return [line for line in said if "has an id beginning" not in line]


def test_a_good_file_is_read(path: Path) -> None:
    assert read_all(path) == []


OPTIONS = '{"num_players": 2, "max_tricks": 50}'
DEEP = "[" * 100_000 + "]" * 100_000

EDITS = {
    "deep settings": ("UPDATE settings SET value = ? WHERE key = 'options'", DEEP, "its settings cannot be read"),
    "settings that are no JSON": ("UPDATE settings SET value = ?", "{", "its settings cannot be read"),
    "settings of other types": ("UPDATE settings SET value = ?", "[1]", "its settings cannot be read"),
    "an infinite time": ("UPDATE settings SET value = ? WHERE key = 'move_seconds'", "Infinity", "move_seconds must be"),
    "no time": ("UPDATE settings SET value = ? WHERE key = 'start_seconds'", "NaN", "start_seconds must be"),
    "a huge number": ("UPDATE settings SET value = ? WHERE key = 'seed'", "9" * 5000, "its settings cannot be read"),
    "a seed too large": ("UPDATE settings SET value = ? WHERE key = 'seed'", str(2**256), "seed must be an integer"),
    "a negative seed": ("UPDATE settings SET value = ? WHERE key = 'seed'", "-1", "seed must be an integer"),
    "an unknown game": ("UPDATE settings SET value = ? WHERE key = 'game'", '"chess_v0"', "no game 'chess_v0'"),
    "a game that is a path": ("UPDATE settings SET value = ? WHERE key = 'game'", '"../x"', "no game '../x'"),
    "an unknown option": ("UPDATE settings SET value = ? WHERE key = 'options'", '{"players": 2}', "has no option 'players'"),
    "an option of another type": (
        "UPDATE settings SET value = ? WHERE key = 'options'",
        '{"num_players": [[2]]}',
        r"option num_players=\[\[2\]\] is not allowed",
    ),
    "an infinite option": ("UPDATE settings SET value = ? WHERE key = 'options'", '{"num_players": 1e999}', "num_players|inf"),
    "more players than seats": ("UPDATE settings SET value = ? WHERE key = 'options'", '{"num_players": 3}', "not 3 each"),
    "an unknown setting": ("UPDATE settings SET key = ? WHERE key = 'game'", "gane", "the settings lack game"),
    "one setting more": ("INSERT INTO settings VALUES (?, '1')", "extra", "unexpected keyword argument 'extra'"),
    "a setting without name": ("UPDATE settings SET key = ? WHERE key = 'game'", b"game", "settings.key cannot be"),
    "no deals' seed": ("DELETE FROM settings WHERE key = ?", "seed", "the settings lack seed"),
    "an agent that is not there": ("UPDATE seat SET agent = ? WHERE seat = 0", 77, "seats with an agent, not 2 each"),
    "an agent without a name": ("UPDATE agent SET name = ? WHERE id = 1", "", "agent.name cannot be ''"),
    "an agent named in bytes": ("UPDATE agent SET name = ? WHERE id = 1", b"x", "agent.name cannot be b'x'"),
    "an agent with a line in its name": ("UPDATE agent SET name = ? WHERE id = 1", "a\n\x1b[2J", "agent.name cannot be"),
    "an agent against itself": ("UPDATE seat SET agent = ?", 1, "an agent plays twice in one match"),
    "a digest of weights": ("UPDATE agent SET sha256 = ?", "xyz", "agent.sha256 cannot be 'xyz'"),
    "no agents": ("DELETE FROM agent WHERE ? = 1", 1, "with an agent, not 2 each|has no agents"),
    "actions that are no bytes": ("UPDATE match SET actions = ?", "play", "match.actions cannot be 'play'"),
    "half an action": ("UPDATE match SET actions = ?", b"\0" * 7, "match.actions cannot be"),
    "a negative deal": ("UPDATE match SET deal = ?", -1, "match.deal cannot be -1"),
    "a deal out of range": ("UPDATE match SET deal = ?", 2**62, "match.deal cannot be"),
    "a deal in words": ("UPDATE match SET deal = ?", "first", "match.deal cannot be 'first'"),
    "a seed in words": ("UPDATE match SET deal_seed = ?", "first", "match.deal_seed cannot be 'first'"),
    "a seat too far": ("UPDATE seat SET seat = ? WHERE seat = 1", 5, "does not have the seats 0 to 1"),
    "a missing seat": ("DELETE FROM seat WHERE seat = ?", 1, "not 2 each"),
    "an infinite return": ("UPDATE seat SET returned = ?", float("inf"), "seat.returned cannot be inf"),
    "a return in words": ("UPDATE seat SET returned = ?", "much", "seat.returned cannot be 'much'"),
    "a return too large": ("UPDATE seat SET returned = ?", -1e300, "seat.returned cannot be -1e"),
    "a place too far": ("UPDATE seat SET rank = ?", 10**12, "seat.rank cannot be 1000000000000"),
    "a place behind nobody": ("UPDATE seat SET rank = ?", 1, "a rank does not agree with the others"),
    "half a place": ("UPDATE seat SET rank = ?", 0.5, "seat.rank cannot be 0.5"),
    "an unknown status": ("UPDATE seat SET status = ?", "fine", "seat.status cannot be 'fine'"),
    "a message in bytes": ("UPDATE seat SET message = ?", b"\xff", "seat.message cannot be"),
    "text that is none": ("UPDATE seat SET message = CAST(? AS TEXT)", b"\xff\xfe", "damaged or of another release"),
    "negative moves": ("UPDATE seat SET moves = ?", -5, "seat.moves cannot be -5"),
    "negative time": ("UPDATE seat SET seconds = ?", -1.0, "seat.seconds cannot be -1.0"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_named(path: Path, name: str) -> None:
    statement, value, said = EDITS[name]
    edit(path, statement, values=(value,))
    errors = read_all(path)
    assert errors
    with pytest.raises(StoreError, match=said):
        raise StoreError("\n".join(errors))


def test_tables_that_would_run_code_are_refused(path: Path) -> None:
    """A view in the place of a table could go on for ever."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n"
    for number, statements in enumerate(
        [
            ("DROP TABLE match", f"CREATE VIEW match AS {endless}"),
            ("CREATE TRIGGER t AFTER INSERT ON claim BEGIN DELETE FROM match; END",),
            ("CREATE INDEX i ON match (abs(deal))",),
            ("ALTER TABLE seat ADD COLUMN more TEXT",),
            ("DROP TABLE claim",),
        ]
    ):
        other = path.with_name(f"{number}.league")
        shutil.copy(path, other)
        edit(other, "PRAGMA foreign_keys = OFF", *statements)
        with pytest.raises(StoreError, match="its tables are not those of a league"):
            League(other)


def test_tables_of_others_beside_ours_are_left_alone(path: Path) -> None:
    edit(path, "CREATE TABLE notes (text)", "CREATE VIEW best AS SELECT * FROM seat WHERE rank = 0", "ANALYZE", "VACUUM")
    assert read_all(path) == []


def test_a_forger_who_knows_the_secret(path: Path, open_league: OpenLeague) -> None:
    """The secret stands in the file, so ids can be made to fit: a replay still ends in a clear error."""
    with League(path) as league:
        settings, entries, (result, *_) = league.settings, league.agents, league.results()
    seated = {entry.name: entry for entry in entries}
    two = [seated[seat.agent] for seat in result.seats]
    wider = dataclasses.replace(settings, options={**settings.options, "num_players": 3})
    edit(
        path,
        "PRAGMA foreign_keys = OFF",
        f"UPDATE settings SET value = '{json.dumps(wider.options)}' WHERE key = 'options'",
        f"UPDATE match SET id = '{match_id(wider, result.deal, two)}' WHERE id = '{result.id}'",
        f"UPDATE seat SET match = '{match_id(wider, result.deal, two)}' WHERE match = '{result.id}'",
    )
    with League(path) as league, pytest.raises(StoreError, match="not 3 each"):
        league.replay(match_id(wider, result.deal, two))


@pytest.mark.parametrize(
    "actions", [b"", b"\xff\xff\xff\xff" * 3, b"\0\0\0\0" * 100_000, b"\xff\xff\xff\x7f", b"\x01\0\0\0" * 7]
)
def test_forged_actions_end_in_a_replay_error(path: Path, actions: bytes) -> None:
    edit(path, "UPDATE match SET actions = ?", values=(actions,))
    with League(path) as league:
        league.table(bootstrap=3)
        for result in league.results():
            with pytest.raises(ReplayError, match=r"is not legal|does not end|ends before"):
                league.replay(result.id)


COLUMNS = {
    "settings": ("key", "value"),
    "agent": ("id", "name", "kind", "spec", "sha256"),
    "match": ("id", "deal", "deal_seed", "rotation", "actions", "digest", "finished"),
    "seat": ("match", "seat", "agent", "returned", "rank", "status", "message", "moves", "seconds"),
    "claim": ("match", "run", "until"),
}


def any_value(draw: random.Random) -> Any:
    return draw.choice(
        [
            *(0, 1, 2, -1, 2**31, 2**62, -(2**63), draw.getrandbits(40)),
            *(0.5, -0.0, 1e308, float("inf"), -float("inf"), draw.random()),
            *("", "x", "ok", "crash", "0", "[]", "{}", "1e999", "[" * 5000, "\0", "\x1b[31m", "ä" * 300, "f" * 32, "0" * 64),
            *(b"", b"\0", b"\xff" * 4, draw.randbytes(16), draw.randbytes(400)),
        ]
    )


TRIES = 3  # of each column


@pytest.mark.long
def test_random_edits(path: Path) -> None:
    """Every column, with values of every type."""
    draw, noticed = random.Random(1), 0
    edit(path, "INSERT INTO claim VALUES ('a', 'b', 1)")
    original = path.read_bytes()
    for table, columns in COLUMNS.items():
        for column in columns:
            for _ in range(TRIES):
                path.write_bytes(original)
                rows = draw.choice(["", f"WHERE {columns[0]} = (SELECT max({columns[0]}) FROM {table})"])
                with contextlib.suppress(sqlite3.IntegrityError):
                    edit(path, f"UPDATE {table} SET {column} = ? {rows}", values=(any_value(draw),))
                noticed += bool(read_all(path))
    assert noticed > 7 * TRIES


@random_games(20, 100)
def test_random_damage(path: Path, seeds: range) -> None:
    """Flipped bytes, anywhere and in places where much is decided."""
    draw, noticed = random.Random(seeds.start), 0
    original = path.read_bytes()
    for _ in seeds:
        damaged = bytearray(original)
        for _ in range(draw.choice([1, 1, 8, 64])):
            damaged[draw.randrange(draw.choice([100, 4096, len(damaged)]))] = draw.randrange(256)
        path.write_bytes(damaged)
        noticed += bool(read_all(path))
    assert noticed > len(seeds) / 5


def test_a_run_on_forged_claims(path: Path) -> None:
    edit(path, "INSERT INTO claim VALUES ('x', x'00', 'never')", "INSERT INTO claim VALUES (x'ff', 7, 1e999)")
    with League(path, make=league_agents.make) as league:
        assert league.run(3).played == 6
        assert league._store._one("SELECT count(*) FROM claim") == 0
