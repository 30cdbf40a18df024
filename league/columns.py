"""The schema of a league's file, and the valid values of each column. Files are untrusted input."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from .match import FORFEITS

SCHEMA_VERSION = 2
SCHEMA = """
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
    deal_seed TEXT NOT NULL,
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
CREATE TABLE claim (
    match TEXT PRIMARY KEY,  -- an id; it has no row in `match` yet
    run TEXT NOT NULL,  -- that plays it
    until REAL NOT NULL  -- seconds since 1970, unless the run says so anew
) WITHOUT ROWID;
"""


def is_name(value: Any) -> bool:
    """Whether the value is a valid name of an agent: 1 to 80 printable characters."""
    return isinstance(value, str) and 0 < len(value) <= 80 and value == value.strip() and value.isprintable()


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _hexadecimal(pattern: str) -> Callable[[Any], bool]:
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def _integer(high: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and 0 <= value <= high


def _number(low: float, high: float) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, float) and math.isfinite(value) and low <= value <= high


MAX_DEALS = 10**9
_MAX_SEATS = 127
_FAR = 1e12  # larger returns and seconds would only break sums

COLUMNS: dict[str, Callable[[Any], bool]] = {
    "settings.key": _text,
    "settings.value": _text,
    "agent.name": is_name,
    "agent.spec": _text,
    "agent.sha256": _hexadecimal("([0-9a-f]{64})?"),
    "match.id": _hexadecimal("[0-9a-f]{32}"),
    "match.deal": _integer(MAX_DEALS),
    "match.deal_seed": _hexadecimal("[0-9a-f]{32}"),
    "match.rotation": _integer(_MAX_SEATS),
    "match.actions": lambda value: isinstance(value, bytes) and len(value) % 4 == 0,
    "match.digest": _hexadecimal("[0-9a-f]{16}"),
    "seat.seat": _integer(_MAX_SEATS),
    "seat.returned": _number(-_FAR, _FAR),
    "seat.rank": _integer(_MAX_SEATS),
    "seat.status": lambda value: value in ("ok", *FORFEITS),
    "seat.message": _text,
    "seat.moves": _integer(2**32),
    "seat.seconds": _number(0, _FAR),
}
