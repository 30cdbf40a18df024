"""Tables that outlast their server: an SQLite file with one row per table, which has the course of its games and is rewritten
after every change. A resting table (nobody was there, or the server was stopped) is restored by replay when somebody returns.

The file contains only digests of tokens, but the seeds of games in progress, and therefore all cards.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..envs import resolve
from ..envs.core.batch import MAX_SEED
from ..envs.core.escape import plain
from ..envs.core.files import is_number, read_json
from ..envs.core.sqlite import Form
from .clock import TimeControl
from .fields import COUNT, FLAG, SECONDS, TEXT, Kind, field
from .limits import Limits, Refused
from .players import AGENT, EVENING, OPEN, PERSON, SPECTATOR, WATCHER, Seat, clean_name, digest_of
from .table import House, Table
from .workers import Pool

_SCHEMA = """
CREATE TABLE kept (
    id TEXT PRIMARY KEY,
    client TEXT NOT NULL,  -- who made it
    changed REAL NOT NULL,  -- seconds since 1970
    about TEXT NOT NULL,  -- JSON, see `Kept.of`
    actions BLOB NOT NULL  -- of its game, little-endian uint32
) WITHOUT ROWID;
CREATE TABLE holder (
    key TEXT PRIMARY KEY,  -- SHA-256 of a token
    id TEXT NOT NULL REFERENCES kept (id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX held ON holder (id);
CREATE INDEX newest ON kept (client, changed);
"""
_HELD = "SELECT kept.id, client, about, actions FROM holder JOIN kept USING (id) WHERE key = ?"
_WRITE = """
INSERT INTO kept VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
SET client = excluded.client, changed = excluded.changed, about = excluded.about, actions = excluded.actions
"""
_CROWDED = """
DELETE FROM kept WHERE id IN (
    SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY client ORDER BY changed DESC) AS place FROM kept)
    ORDER BY place DESC LIMIT max(0, (SELECT count(*) FROM kept) - ?))
"""
_NUMBER = Kind("a number", is_number)
_SEED = Kind("a whole number, at least 0", lambda seed: type(seed) is int and 0 <= seed < MAX_SEED)
_LEFT = Kind("seconds by seat, or null", lambda left: left is None or (isinstance(left, list) and all(map(SECONDS.fits, left))))
_OF_SEAT = {
    "kind": TEXT, "name": TEXT, "spec": TEXT, "key": TEXT, "founder": FLAG, "agreed": FLAG, "before": _NUMBER, "games": COUNT
}  # fmt: skip
_KEYS = (WATCHER, SPECTATOR, EVENING)
_DAY = 24 * 3600.0


class KeepError(RuntimeError):
    """The file of tables cannot be opened, read or written; the message says why."""


FORM = Form("file of tables", 0x574C4454, 1, _SCHEMA, KeepError)


@dataclass(frozen=True)
class Kept:
    """A stored table."""

    id: str
    client: str
    about: str
    actions: bytes

    @classmethod
    def of(cls, table: Table) -> Kept:
        about = {
            "game": table.game.id,
            "options": vars(table.options),
            "rules": table.game.rules_digest,
            "seats": [{name: getattr(seat, name) for name in _OF_SEAT} | _played(seat) for seat in table.seats],
            "keys": table.keys,
            "pace": table.pace,
            "paused": table.paused,
            "control": table.control and vars(table.control),
            "left": table.clock and table.clock.left,
            "round": table.round,
            "seed": table.seed,
            "mover": table.mover,
            "over": table.over,
        }
        return cls(table.id, table.client, json.dumps(about), np.asarray(table.actions, "<u4").tobytes())

    def table(self, house: House) -> Table:
        """The table; its task will replay the game.

        Raises:
            Refused: the table cannot be restored; the message has the reason.
        """
        try:
            return self._table(house, read_json(self.about))
        except (Refused, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise Refused(f"this table cannot be restored: {plain(error)[:200]}") from None

    def _table(self, house: House, about: dict[str, Any]) -> Table:
        game, options = resolve(about["game"], about["options"])
        if about["rules"] != game.rules_digest:
            raise Refused(f"the rules of {game.id} have changed since")
        seats = [_seat(seat) for seat in about["seats"]]
        control = None if about["control"] is None else TimeControl.of(about["control"])
        table = Table(game, options, seats, house, field(about, "pace", SECONDS), self.client, control)
        table.id, table.keys = self.id, {name: field(about["keys"], name, TEXT) for name in _KEYS if name in about["keys"]}
        table.paused, table.round = field(about, "paused", FLAG), field(about, "round", COUNT)
        table.seed, table.actions = field(about, "seed", _SEED), np.frombuffer(self.actions, "<u4").tolist()
        left = field(about, "left", _LEFT)
        if table.clock:
            table.clock.left = left
        needed = options.num_players
        if not len(seats) == len(left or seats) == needed or (WATCHER in table.keys) == table.with_people:
            raise Refused(f"it needs {needed} seats, and players for them")
        return table


def _played(seat: Seat) -> dict[str, str]:
    """The players when play resumes; people's time starts again."""
    return {"spec": "" if seat.timed else seat.spec}


def _seat(about: dict[str, Any]) -> Seat:
    read = {name: field(about, name, kind) for name, kind in _OF_SEAT.items()}
    kind, spec = read["kind"], read["spec"]
    if kind not in (PERSON, AGENT, OPEN) or (kind != PERSON and (kind == AGENT) != bool(spec)):
        raise Refused("a seat must be a person's, an agent's or open")
    return Seat(**{**read, "name": spec if kind == AGENT else clean_name(read["name"], "Guest")})


def _standing(kept: Kept | None, key: str) -> dict[str, Any] | None:
    """None if the table does not exist, or the token no longer holds the seat."""
    try:
        about = json.loads(kept.about) if kept else {}
        held = [number for number, seat in enumerate(about["seats"]) if seat["key"] == key and seat["kind"] == PERSON]
        if not held and about["keys"].get(WATCHER) != key:
            return None
        seats = [{"kind": seat["kind"], "name": plain(seat["name"])} for seat in about["seats"]]
        return {"seats": seats, "you": held[0] if held else None, **{name: about[name] for name in ("game", "mover", "over")}}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # not one of our tables
        return None


class Keep:
    """The file, and the changes to be written. Only one server may use it at a time.

    Args:
        path: created if missing, readable by its owner only; None: tables are kept while the server runs.

    Raises:
        KeepError: the file is damaged, of another kind or release, in use, or cannot be written.
    """

    def __init__(self, path: Path | None, limits: Limits) -> None:
        self.path, self.limits = Path(path or ":memory:"), limits
        self.pool = Pool(1, "keep")  # one thread at a time reads and writes the file
        self._waiting: set[Table] = set()
        self._changed = asyncio.Event()
        self._failing = False
        with FORM.explained(self.path):
            if path is not None and not path.exists():
                with contextlib.suppress(OSError):  # reported by SQLite
                    path.touch(0o600)
            self._db = sqlite3.connect(self.path, timeout=1.0, isolation_level=None, check_same_thread=False)
            try:
                self._open()
            except BaseException:
                self._db.close()
                raise

    def _open(self) -> None:
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA foreign_keys = ON")
        empty = not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not empty:
            FORM.check(self.path, self._db)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")  # safe against kills; a power failure may lose the last moments
        self._db.execute("BEGIN EXCLUSIVE")
        if empty:
            FORM.begin(self._db)
        self._db.execute("DELETE FROM kept WHERE changed < ?", (time.time() - self.limits.kept_days * _DAY,))
        self._db.execute("COMMIT")

    # --- changes ---

    def changed(self, table: Table) -> None:
        """Schedule a table to be written. Games being dealt or replayed are already in the file."""
        if not table.failure and (table.begun or not table.round):
            self._waiting.add(table)
            self._changed.set()

    async def run(self) -> None:
        """Write what has changed, for as long as the server runs; while it is being written more may come together."""
        while await self._changed.wait():
            self._changed.clear()
            await self.flush()

    async def flush(self) -> None:
        """Write what has changed. Where it cannot be, tables go on, and the next change is tried again."""
        kept = (
            [Kept.of(table) for table in self._waiting],
            [[key for _, key in table.holders if key] for table in self._waiting],
        )
        self._waiting.clear()
        try:
            await self.pool.run((), self._write, *kept)
            self._failing = False
        except KeepError as error:
            if not self._failing:
                print(plain(f"wilddeck: tables are no longer saved: {error}"), file=sys.stderr, flush=True)
            self._failing = True

    def _write(self, tables: Sequence[Kept], holders: Sequence[Sequence[str]]) -> None:
        now = time.time()
        with FORM.explained(self.path), self._db:
            self._db.execute("BEGIN")
            for kept, keys in zip(tables, holders, strict=True):
                self._db.execute(_WRITE, (kept.id, kept.client, now, kept.about, kept.actions))
                self._db.executemany("INSERT OR IGNORE INTO holder VALUES (?, ?)", [(key, kept.id) for key in keys])
            if self._db.execute("SELECT count(*) FROM kept").fetchone()[0] > self.limits.kept:
                self._db.execute(_CROWDED, (self.limits.kept,))

    # --- queries ---

    async def find(self, key: str) -> Kept | None:
        """The table of which a token has this digest, with all its changes."""
        if self._waiting:
            await self.flush()
        return await self.pool.run((), self._find, key)

    def _find(self, key: str) -> Kept | None:
        with FORM.explained(self.path):
            found = self._db.execute(_HELD, (key,)).fetchone()
        return found and Kept(*found)

    def standing(self, tokens: Sequence[str]) -> list[dict[str, Any] | None]:
        """The status of the tables of these tokens, for the lobby; must be called in `pool`."""
        return [_standing(self._find(key), key) for key in map(digest_of, tokens)]

    async def close(self) -> None:
        """Write what is left, and let go of the file."""
        await self.flush()
        self.pool.close()
        self._db.close()
