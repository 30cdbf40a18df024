"""Short messages about rules that cannot be compiled; numba's own have hundreds of lines, about all callers."""

from __future__ import annotations

import contextlib
import difflib
import linecache
import re
import threading
import traceback
from collections.abc import Iterator
from typing import Any

from numba.core import ir, types

_LINES, _LENGTH = 6, 200  # length of a reason
_NOISE = re.compile(r"^\s*$|^Failed in |^During: |^\s*File |raised from |Enable logging|^ *\^")
_RECORD = re.compile(r"Record\(.*?;\d+;\w+\)|Record\(\[.*?\], \d+, \w+\)")
_STYLE = re.compile(r"\x1b\[\d*m")


class CompileError(RuntimeError):
    """A rule cannot be compiled. The message has its file and line, the source line, and the reason."""


class _Failed(threading.local):
    told = ""  # of the innermost function, which contains the reason


failed = _Failed()


def explained(function: Any, signature: Any, error: Exception) -> str:
    """Where and why a function cannot be compiled, from numba's error."""
    file, line = function.__code__.co_filename, function.__code__.co_firstlineno
    for place in _places(error):
        if place.filename == file and place.line:
            line = place.line
    source = linecache.getline(file, line).strip()
    return "\n  ".join(
        [f"{file}:{line}: {function.__name__} cannot be compiled", *filter(None, [source]), *_reason(signature, error)]
    )


def _places(error: BaseException) -> Iterator[ir.Loc]:
    """The source locations of numba's error, innermost last."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            with contextlib.suppress(KeyError):  # from numba's own values, if they have no such field
                place = value if isinstance(value, ir.Loc) else getattr(value, "loc", None)
                if isinstance(place, ir.Loc):
                    yield place
    if isinstance(getattr(error, "loc", None), ir.Loc):
        yield error.loc  # type: ignore[attr-defined]


def _reason(signature: Any, error: Exception) -> list[str]:
    if isinstance(error, KeyError):
        given = signature if isinstance(signature, tuple) else signature.args
        fields = [name for record in given if isinstance(record, types.Record) for name in record.fields]
        near = difflib.get_close_matches(str(error.args[0]), fields, 1)
        return [f"the record has no field {error.args[0]!r}" + (f"; did you mean {near[0]!r}?" if near else "")]
    said = _RECORD.sub("record", _STYLE.sub("", str(error))).partition("There are ")[0]  # of candidates that do not match
    kept = [line[:_LENGTH].rstrip() for line in said.splitlines() if not _NOISE.search(line)]
    return kept[:_LINES] or [type(error).__name__]
