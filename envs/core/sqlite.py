"""The SQLite files of wilddeck: how to recognise them, and readable messages for SQLite's errors."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# SQLite's messages and ours. Python knows SQLite's numeric codes only from 3.11 on.
_MESSAGES = (
    ("is locked", "another process is writing to it and does not let go of it; try again when it has ended"),
    ("disk is full", "the disk is full; make room and run again"),
    ("readonly", "it cannot be written; check the rights of the file and of its folder"),
    ("unable to open", "it cannot be opened or made; check that its folder exists and can be written"),
    ("not a database", "this is no {name}, or it is damaged from its first bytes on"),
    ("malformed", "the file is damaged; `sqlite3 FILE .recover` may save what it holds"),
    ("disk i/o error", "the disk reports an error; check it before running again"),
)


@dataclass(frozen=True)
class Form:
    """A kind of file.

    Attributes:
        name: such as "league file".
        application_id: identifies files of this kind.
        version: the version of the schema.
        schema: the statements that create the tables.
        error: the exception for any problem with a file, with a readable message.
    """

    name: str
    application_id: int
    version: int
    schema: str
    error: type[Exception]

    @contextlib.contextmanager
    def explained(self, path: Path) -> Iterator[None]:
        """Raise SQLite's errors as ours."""
        try:
            yield
        except (sqlite3.Error, UnicodeError, OverflowError, MemoryError) as error:
            text = str(error) or type(error).__name__
            known = next((message for part, message in _MESSAGES if part in text.lower()), None)
            said = known.format(name=self.name) if known else f"the file is damaged or of another release ({text})"
            raise self.error(f"{path}: {said}. What was written before is kept") from error

    def begin(self, db: sqlite3.Connection) -> None:
        """Create the tables in an empty file, within a transaction."""
        for statement in self.schema.split(";\n"):
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {self.application_id}")
        db.execute(f"PRAGMA user_version = {self.version}")

    def check(self, path: Path, db: sqlite3.Connection) -> None:
        """Raise an error if a file is of another kind or release, or has other tables."""
        if db.execute("PRAGMA application_id").fetchone()[0] != self.application_id:
            raise self.error(f"{path}: this SQLite database is not a {self.name}; it is unchanged")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version != self.version:
            raise self.error(
                f"{path}: this {self.name} was written by another release of wilddeck (schema {version}; this one reads "
                f"{self.version}); use that release, or begin a new file"
            )
        if _tables(db, self.schema) != _tables_of(self.schema):
            raise self.edited(path, f"its tables are not those of a {self.name}")

    def edited(self, path: Path, problem: str) -> Exception:
        return self.error(f"{path}: the file was edited, is damaged or of another release: {problem}")


def _tables(db: sqlite3.Connection, schema: str) -> set[tuple[str, str]]:
    """The statements that create or touch our tables: (kind, statement). A view or trigger could run anything when they are
    used."""
    ours = [statement.split()[2] for statement in schema.split(";\n") if statement.strip()]
    marks = ", ".join("?" * len(ours))
    rows = db.execute(f"SELECT type, sql FROM sqlite_master WHERE lower(tbl_name) IN ({marks}) AND sql IS NOT NULL", ours)
    return set(rows.fetchall())


@functools.cache
def _tables_of(schema: str) -> set[tuple[str, str]]:
    """The result of `_tables` for an unedited file."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.executescript(schema)
        return _tables(db, schema)
