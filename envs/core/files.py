"""Atomic writing of files, and reading of untrusted JSON."""

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
    """Replace a file's content atomically: readers see the old content or the new, even if the writer is killed.

    Missing folders are created.

    Raises:
        OSError: it could not be written (a full disk, say); an existing file is unchanged.
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
    """Parse untrusted JSON.

    Raises:
        ValueError: the text is not JSON in UTF-8, contains NaN or Infinity, or nests deeper than `MAX_DEPTH`.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level = [value]
    for _ in range(MAX_DEPTH):  # so that later traversals cannot nest too deep either
        level = [part for entry in level for part in _parts(entry)]
    if level:
        raise ValueError(_TOO_DEEP)
    return value


def _parts(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def require(holds: Any, reason: str) -> None:
    """Raise ValueError with this reason unless `holds` is true."""
    if not holds:
        raise ValueError(reason)


def whole(value: Any) -> int:
    """Check a value from JSON: a whole number of at least 0 (ValueError otherwise)."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a whole number of at least 0")
    return value


def number(value: Any) -> float:
    """Check a value from JSON: a finite number (ValueError otherwise)."""
    if not is_number(value):
        raise ValueError(f"{value!r} is not a finite number")
    return float(value)


def is_number(value: Any) -> bool:
    """Whether a value is a finite number in the range of float."""
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:
        return False


def generator_of(state: Any) -> np.random.Generator:
    """A generator restored from a state in JSON types (`bit_generator.state`).

    Raises:
        ValueError: the state is not valid.
    """
    rng = np.random.default_rng(0)
    try:
        rng.bit_generator.state = state
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"invalid state of a random generator ({error!r})") from None
    return rng
