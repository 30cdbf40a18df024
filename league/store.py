"""The league's file: one SQLite database (WAL) with its settings, agents and finished matches, and what is being played.

A match is written in one transaction with its seats, under an id that depends only on what is played: writing it again
changes nothing, and a run that was killed leaves only whole matches. Whatever stands in a file is checked when it is read.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, fields
from pathlib import Path
from typing import Any

from ..envs.core.sqlite import Form
from .columns import COLUMNS, SCHEMA, SCHEMA_VERSION
from .errors import StoreError
from .match import Entry, MatchResult, Seat, Settings

FORM = Form("league file", 0x574C4447, SCHEMA_VERSION, SCHEMA, StoreError)
_SEATS = "FROM match JOIN seat ON seat.match = match.id JOIN agent ON agent.id = seat.agent"
_ORDER = "ORDER BY match.deal, match.id, seat.seat"


class Store:
    """An open league file. One that cannot be written (a read-only disk or folder) is opened for reading.

    Args:
        path: the file; created if it does not exist and `settings` are given.
        settings: the settings of a new league; an existing league has its own.
        busy_seconds: how long to wait while another process writes.

    Attributes:
        settings: the league's settings.
        seats: the number of seats of each match; set it before matches are read.

    Raises:
        StoreError: the file is missing, damaged, forged, not a league, of another release, locked, or not writable.
    """

    def __init__(self, path: str | Path, settings: Settings | None = None, busy_seconds: float = 5.0) -> None:
        self.path, self.seats = Path(path), 1
        if settings is None and not self.path.exists():
            raise StoreError(f"{self.path}: no such league file; give a game to create one")
        if self.path.is_dir():
            raise StoreError(f"{self.path}: this is a folder, not a league file")
        self._busy_seconds = busy_seconds
        with FORM.explained(self.path):
            try:
                self._connect(str(self.path), settings)
            except sqlite3.OperationalError as error:
                unwritable = any(part in str(error) for part in ("unable to open", "readonly"))
                if not unwritable or not self.path.is_file():
                    raise
                wal = self.path.with_name(f"{self.path.name}-wal")
                if wal.exists() and wal.stat().st_size:
                    raise StoreError(
                        f"{self.path}: its latest results are in {wal.name}, which can only be read in a writable folder; "
                        "copy both files to one"
                    ) from error
                # SQLite wants to lay files beside it, and cannot. Nobody else can write here, so it needs none.
                self._connect(f"{self.path.absolute().as_uri()}?immutable=1", settings, uri=True)

    def _connect(self, name: str, settings: Settings | None, uri: bool = False) -> None:
        self._db = sqlite3.connect(name, timeout=self._busy_seconds, isolation_level=None, uri=uri)
        try:
            self._open(settings)
        except BaseException:
            self._db.close()
            raise

    def _open(self, settings: Settings | None) -> None:
        if not self._one("SELECT count(*) FROM sqlite_master"):
            if settings is None:
                raise StoreError(f"{self.path}: the league file is empty; give a game to start it")
            self._db.execute("PRAGMA journal_mode = WAL")
            with self.transaction():
                if not self._one("SELECT count(*) FROM sqlite_master"):  # nobody else was faster
                    self._create(settings)
        FORM.check(self.path, self._db)
        self._db.execute("PRAGMA synchronous = NORMAL")  # safe against kills; a power cut may cost the last moments
        self._db.execute("PRAGMA foreign_keys = ON")
        self.settings = self._read_settings()

    def _create(self, settings: Settings) -> None:
        FORM.begin(self._db)
        rows = [(key, json.dumps(value)) for key, value in asdict(settings).items()]
        self._db.executemany("INSERT INTO settings VALUES (?, ?)", rows)

    def _read_settings(self) -> Settings:
        rows = dict(self._rows("settings.key, settings.value", "FROM settings"))
        missing = {field.name for field in fields(Settings)} - set(rows)
        if missing:
            raise FORM.edited(self.path, f"the settings lack {', '.join(sorted(missing))}")
        try:
            return Settings(**{key: json.loads(value) for key, value in rows.items()})
        except (TypeError, ValueError, RecursionError) as error:
            raise FORM.edited(self.path, f"its settings cannot be read: {error}") from None

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; writers wait for each other at the beginning.

        Raises:
            StoreError: it cannot be written.
        """
        with FORM.explained(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk may have ended it already
                    self._db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """What is read inside is of one moment, whatever others write."""
        with FORM.explained(self.path):
            inner = self._db.in_transaction
        if inner:
            yield
            return
        self._all("BEGIN")
        try:
            yield
        finally:
            self._all("COMMIT")

    def _one(self, query: str, *values: Any) -> Any:
        row = self._db.execute(query, values).fetchone()
        return None if row is None else row[0]

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with FORM.explained(self.path):
            return self._db.execute(query, values).fetchall()

    def _rows(self, columns: str, rest: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of columns named as in COLUMNS, checked."""
        names = columns.split(", ")
        allowed = [COLUMNS[name] for name in names]
        rows = self._all(f"SELECT {columns} {rest}", *values)
        for row in rows:
            for name, check, value in zip(names, allowed, row, strict=True):
                if not check(value):
                    raise FORM.edited(self.path, f"{name} cannot be {repr(value)[:60]}")
        return rows

    def _seat_rows(self, columns: str, condition: str = "", *values: Any) -> list[tuple[Any, ...]]:
        """(match.id, seat.seat, *columns) of every seat, by deal, match and seat; each match has all its seats."""
        with self.snapshot():
            rows = self._rows(f"match.id, seat.seat, {columns}", f"{_SEATS} {condition} {_ORDER}", *values)
            ((matches,),) = self._all(f"SELECT count(*) FROM match {condition}", *values)
        if len(rows) != matches * self.seats:
            raise FORM.edited(self.path, f"{matches} matches have {len(rows)} seats with an agent, not {self.seats} each")
        for k, row in enumerate(rows):
            if row[1] != k % self.seats or row[0] != rows[k - row[1]][0]:
                raise FORM.edited(self.path, f"match {row[0]} does not have the seats 0 to {self.seats - 1}")
        return rows

    # --- agents ---

    def add_agent(self, entry: Entry) -> None:
        """Keep an agent; adding the same again changes nothing."""
        if entry in self.agents():
            return
        with self.transaction():
            self._db.execute(
                "INSERT INTO agent (name, kind, spec, sha256) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
                (entry.name, entry.kind, entry.spec, entry.sha256),
            )

    def agents(self) -> list[Entry]:
        """All agents, in the order in which they were added."""
        return [Entry(*row) for row in self._rows("agent.name, agent.spec, agent.sha256", "FROM agent ORDER BY id")]

    # --- who plays what ---

    def claim(self, run: str, ids: Sequence[str], now: float, lease: float) -> tuple[set[str], set[str]]:
        """Claim matches for a run until `now + lease`.

        Returns:
            Those that the run has claimed now, and those that other runs have; the rest is finished.
        """
        mine: set[str] = set()
        others: set[str] = set()
        with self.transaction():
            # One that ends much later than a lease from now is of a clock that was wrong; one that ends a little later, another
            # run made while this one, which had read `now`, waited for the file.
            self._db.execute("DELETE FROM claim WHERE until NOT BETWEEN ? AND ?", (now, now + 2 * lease))
            for match in ids:
                if self._one("SELECT 1 FROM match WHERE id = ?", match) is None:
                    claimed = self._db.execute(
                        "INSERT INTO claim VALUES (?, ?, ?) ON CONFLICT (match) DO UPDATE SET until = excluded.until"
                        " WHERE run = excluded.run",
                        (match, run, now + lease),
                    )
                    (mine if claimed.rowcount else others).add(match)
        return mine, others

    def renew(self, run: str, now: float, lease: float) -> None:
        """Let the claims of a run last until `now + lease`."""
        with self.transaction():
            self._db.execute("UPDATE claim SET until = ? WHERE run = ?", (now + lease, run))

    def release(self, run: str) -> None:
        """Give up all claims of a run."""
        with self.transaction():
            self._db.execute("DELETE FROM claim WHERE run = ?", (run,))

    # --- matches ---

    def add_results(self, results: Iterable[MatchResult]) -> list[MatchResult]:
        """Write finished matches, all or none, and end their claims; those that are there already stay as they are.

        Returns:
            Those that were not there.
        """
        ids = dict(self._all("SELECT name, id FROM agent"))
        new = []
        with self.transaction():
            for result in results:
                head = (result.id, result.deal, f"{result.deal_seed:032x}", result.rotation)
                written = self._db.execute(
                    "INSERT OR IGNORE INTO match VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*head, result.packed_actions(), result.digest, time.time()),
                )
                self._db.execute("DELETE FROM claim WHERE match = ?", (result.id,))
                if written.rowcount:
                    new.append(result)
                    self._db.executemany(
                        "INSERT OR REPLACE INTO seat VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        [(result.id, k, ids.get(seat.agent), *astuple(seat)[1:]) for k, seat in enumerate(result.seats)],
                    )
        return new

    def match_ids(self) -> set[str]:
        """The ids of all finished matches."""
        return {row[0] for row in self._rows("match.id", "FROM match")}

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
        rows = self._rows("match.id", "FROM match WHERE substr(id, 1, ?) = ? LIMIT 2", len(prefix), prefix)
        if len(rows) == 1:
            return str(rows[0][0])
        raise StoreError(
            f"{self.path}: {'no match' if not rows else 'more than one match'} has an id beginning with {prefix!r}"
        )

    def results(self, match: str | None = None) -> list[MatchResult]:
        """Finished matches (all, or the one with this id), by deal and id."""
        seat = "agent.name, seat.returned, seat.rank, seat.status, seat.message, seat.moves, seat.seconds"
        head = "match.deal, match.deal_seed, match.rotation, match.actions, match.digest"
        condition: tuple[str, ...] = () if match is None else ("WHERE match.id = ?", match)
        results: list[MatchResult] = []
        for id, number, deal, seed, rotation, actions, digest, *values in self._seat_rows(f"{head}, {seat}", *condition):
            if number == 0:
                results.append(MatchResult(id, deal, int(seed, 16), rotation, [], MatchResult.unpacked(actions), digest))
            results[-1].seats.append(Seat(*values))
        return results

    def seat_rows(self) -> list[tuple[Any, ...]]:
        """(match id, seat, deal, agent's name, return, rank, status) of every seat, by deal, match and seat."""
        return self._seat_rows("match.deal, agent.name, seat.returned, seat.rank, seat.status")

    def failures(self) -> list[tuple[str, int, str, str, str]]:
        """(match id, seat, agent's name, status, message) of every forfeited seat."""
        columns = "match.id, seat.seat, agent.name, seat.status, seat.message"
        rows = self._rows(columns, f"{_SEATS} WHERE seat.status != 'ok' {_ORDER}")
        return [(match, seat, agent, status, message) for match, seat, agent, status, message in rows]

    def close(self) -> None:
        self._db.close()
