"""The league's file: one SQLite database (WAL) with its settings, agents and finished matches.

A match is written in one transaction with its seats, under an id that depends only on what is played: writing it again
changes nothing, and a run that was killed leaves only whole matches.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

from .errors import StoreError
from .match import Entry, MatchResult, Seat, Settings

APPLICATION_ID = 0x574C4447  # marks the file as ours
SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE agent (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    spec TEXT NOT NULL,
    sha256 TEXT NOT NULL  -- of the weights file, '' without one
);
CREATE TABLE match (
    id TEXT PRIMARY KEY,
    deal INTEGER NOT NULL,
    deal_seed INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    actions BLOB NOT NULL,  -- little-endian uint32
    digest TEXT NOT NULL,  -- of the final state
    finished REAL NOT NULL  -- seconds since 1970
) WITHOUT ROWID;
CREATE TABLE seat (
    match TEXT NOT NULL REFERENCES match (id),
    seat INTEGER NOT NULL,
    agent INTEGER NOT NULL REFERENCES agent (id),
    returned REAL NOT NULL,
    rank INTEGER NOT NULL,
    status TEXT NOT NULL,
    message TEXT NOT NULL,
    moves INTEGER NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;
"""

# What SQLite says -> what we say. Its numeric codes are known to Python only from 3.11 on.
_MESSAGES = (
    ("is locked", "another process is writing to it; is a second `wilddeck league run` on this file?"),
    ("disk is full", "the disk is full; make room and run again"),
    ("readonly", "it cannot be written; check the rights of the file and of its folder"),
    ("unable to open", "it cannot be opened or made; check that its folder exists and can be written"),
    ("not a database", "this is no league file, or it is damaged from its first bytes on"),
    ("malformed", "the file is damaged; `sqlite3 FILE .recover` may save its results"),
    ("disk i/o error", "the disk reports an error; check it before running again"),
)


class Store:
    """An open league file.

    Args:
        path: the file; made if `settings` are given and it does not exist.
        settings: of a new league; of an existing one they are only read.
        busy_seconds: how long to wait for another process that writes.

    Raises:
        StoreError: the file is missing, damaged, foreign, of a newer release, locked, or cannot be written.
    """

    def __init__(self, path: str | Path, settings: Settings | None = None, busy_seconds: float = 5.0) -> None:
        self.path = Path(path)
        if settings is None and not self.path.exists():
            raise StoreError(f"{self.path}: there is no such league; name a game to begin one")
        if self.path.is_dir():
            raise StoreError(f"{self.path}: this is a folder, not a league file")
        with self._explained():
            self._db = sqlite3.connect(self.path, timeout=busy_seconds, isolation_level=None)
        try:
            with self._explained():
                self._open(settings)
        except BaseException:
            self._db.close()
            raise

    def _open(self, settings: Settings | None) -> None:
        if not self._one("SELECT count(*) FROM sqlite_master"):
            if settings is None:
                raise StoreError(f"{self.path}: this league is empty; name a game to begin it")
            self._db.execute("PRAGMA journal_mode = WAL")
            with self.transaction():
                if not self._one("SELECT count(*) FROM sqlite_master"):  # nobody else was faster
                    self._create(settings)
        if self._one("PRAGMA application_id") != APPLICATION_ID:
            raise StoreError(f"{self.path}: this is an SQLite database of something else, not a league; it was left as it is")
        version = self._one("PRAGMA user_version")
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path}: this league was written by a newer wilddeck (schema {version}; this one reads up to "
                f"{SCHEMA_VERSION}); update wilddeck"
            )
        self._db.execute("PRAGMA synchronous = NORMAL")  # safe against kills; a power cut may cost the last moments
        self._db.execute("PRAGMA foreign_keys = ON")
        rows = self._db.execute("SELECT key, value FROM settings").fetchall()
        self.settings = Settings(**{key: json.loads(value) for key, value in rows})

    def _create(self, settings: Settings) -> None:
        for statement in _SCHEMA.split(";\n"):
            self._db.execute(statement)
        self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        rows = [(key, json.dumps(value)) for key, value in asdict(settings).items()]
        self._db.executemany("INSERT INTO settings VALUES (?, ?)", rows)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """SQLite's errors as ours."""
        try:
            yield
        except (sqlite3.Error, TypeError, ValueError) as error:
            text = str(error)
            known = next((message for part, message in _MESSAGES if part in text.lower()), None)
            if known is None:
                known = f"the file is damaged or of another release ({text})"
            raise StoreError(f"{self.path}: {known}. Results written before are kept") from error

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; writers wait for each other at the beginning."""
        with self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk may have ended it already
                    self._db.execute("ROLLBACK")
                raise

    def _one(self, query: str, *values: Any) -> Any:
        row = self._db.execute(query, values).fetchone()
        return None if row is None else row[0]

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._explained():
            return self._db.execute(query, values).fetchall()

    # --- agents ---

    def add_agent(self, entry: Entry) -> None:
        """Keep an agent; adding the same again changes nothing."""
        with self.transaction():
            self._db.execute(
                "INSERT INTO agent (name, kind, spec, sha256) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
                (entry.name, entry.kind, entry.spec, entry.sha256),
            )

    def agents(self) -> list[Entry]:
        """All agents, in the order in which they were added."""
        return [Entry(*row) for row in self._all("SELECT name, spec, sha256 FROM agent ORDER BY id")]

    # --- matches ---

    def add_results(self, results: Iterable[MatchResult]) -> None:
        """Write finished matches, all or none; those that are there already stay as they are."""
        ids = dict(self._all("SELECT name, id FROM agent"))
        with self.transaction():
            for result in results:
                self._db.execute(
                    "INSERT OR IGNORE INTO match VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (
                        result.id,
                        result.deal,
                        result.deal_seed,
                        result.rotation,
                        result.packed_actions(),
                        result.digest,
                        time.time(),
                    ),
                )
                self._db.executemany(
                    "INSERT OR IGNORE INTO seat VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [(result.id, number, ids[seat.agent], *astuple(seat)[1:]) for number, seat in enumerate(result.seats)],
                )

    def match_ids(self) -> set[str]:
        """The ids of all finished matches."""
        return {row[0] for row in self._all("SELECT id FROM match")}

    def count_matches(self, deals: int | None = None, agent: str | None = None) -> int:
        """Number of finished matches: all, or those of the first `deals` deals, or those in which an agent sat."""
        query = (
            "SELECT count(*) FROM match m WHERE (? IS NULL OR m.deal < ?) AND (? IS NULL OR EXISTS"
            " (SELECT 1 FROM seat s JOIN agent a ON a.id = s.agent WHERE s.match = m.id AND a.name = ?))"
        )
        return int(self._all(query, deals, deals, agent, agent)[0][0])

    def find_match(self, prefix: str) -> str:
        """The id that begins so.

        Raises:
            StoreError: there is none, or more than one.
        """
        found = [row[0] for row in self._all("SELECT id FROM match WHERE substr(id, 1, ?) = ? LIMIT 2", len(prefix), prefix)]
        if len(found) == 1:
            return found[0]
        raise StoreError(f"{self.path}: {'no match' if not found else 'more than one match'} has an id that begins {prefix!r}")

    def results(self, ids: Iterable[str] | None = None) -> list[MatchResult]:
        """Finished matches (all, or those named), by deal and id."""
        query = (
            "SELECT m.id, m.deal, m.deal_seed, m.rotation, m.actions, m.digest,"
            " a.name, s.returned, s.rank, s.status, s.message, s.moves, s.seconds"
            " FROM match m JOIN seat s ON s.match = m.id JOIN agent a ON a.id = s.agent"
        )
        order = " ORDER BY m.deal, m.id, s.seat"
        if ids is None:
            rows = self._all(query + order)
        else:
            rows = [row for each in ids for row in self._all(query + " WHERE m.id = ?" + order, each)]
        found: dict[str, MatchResult] = {}
        for match, deal, deal_seed, rotation, actions, digest, *seat in rows:
            if match not in found:
                found[match] = MatchResult(match, deal, deal_seed, rotation, [], MatchResult.unpacked(actions), digest)
            found[match].seats.append(Seat(*seat))
        return list(found.values())

    def seat_rows(self) -> list[tuple[Any, ...]]:
        """(match id, deal, seat, agent's name, return, rank, status) of every seat, by deal, match and seat."""
        return self._all(
            "SELECT m.id, m.deal, s.seat, a.name, s.returned, s.rank, s.status"
            " FROM match m JOIN seat s ON s.match = m.id JOIN agent a ON a.id = s.agent ORDER BY m.deal, m.id, s.seat"
        )

    def failures(self) -> list[tuple[str, int, str, str, str]]:
        """(match id, seat, agent's name, status, message) of every forfeited seat."""
        query = (
            "SELECT m.id, s.seat, a.name, s.status, s.message FROM match m JOIN seat s ON s.match = m.id"
            " JOIN agent a ON a.id = s.agent WHERE s.status != 'ok' ORDER BY m.deal, m.id, s.seat"
        )
        return [(match, seat, agent, status, message) for match, seat, agent, status, message in self._all(query)]

    def close(self) -> None:
        self._db.close()
