"""Files that are written whole or not at all, and JSON of any origin."""

from __future__ import annotations

import contextlib
import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

MAX_DEPTH = 50
_TOO_DEEP = f"lists and objects nest deeper than {MAX_DEPTH}"


def write_atomically(path: Path | str, data: bytes) -> None:
    """Put `data` into a file in one step: whoever reads it, or kills the writer, finds the old content or the new.

    Missing folders are made.

    Raises:
        OSError: it could not be written (a full disk, say); the file that was there is as it was.
    """
    path = Path(path)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        if isinstance(error, OSError):
            kept = "; the file that was there is kept" if path.exists() else ""
            raise OSError(error.errno, f"cannot write {path}: {error.strerror}{kept}") from None
        raise


def read_json(text: str | bytes) -> Any:
    """What a text of any origin says in JSON.

    Raises:
        ValueError: it is no JSON in UTF-8, has numbers that JSON has not (NaN, Infinity), or nests deeper than `MAX_DEPTH`.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level = [value]
    for _ in range(MAX_DEPTH):  # so that whatever walks through it later does not nest too deep either
        level = [part for entry in level for part in _parts(entry)]
    if level:
        raise ValueError(_TOO_DEEP)
    return value


def _parts(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def require(holds: Any, reason: str) -> None:
    """ValueError with these words unless something holds."""
    if not holds:
        raise ValueError(reason)


def whole(value: Any) -> int:
    """A whole number of at least 0 that stood in JSON (ValueError for anything else)."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is no whole number of at least 0")
    return value


def number(value: Any) -> float:
    """A finite number that stood in JSON (ValueError for anything else)."""
    if not is_number(value):
        raise ValueError(f"{value!r} is no number")
    return float(value)


def is_number(value: Any) -> bool:
    """Whether something is a number, and one that a float can hold."""
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:
        return False


def generator_of(state: Any) -> np.random.Generator:
    """A generator that goes on from a state that JSON can hold (`bit_generator.state`).

    Raises:
        ValueError: it is no such state.
    """
    rng = np.random.default_rng(0)
    try:
        rng.bit_generator.state = state
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"this is no state of a generator ({error!r})") from None
    return rng
