"""Compiling: device functions (rules, which kernels call), kernels (what Python calls), their disk cache, and `bind`.

numba's own cache notices an edit only in the file of the compiled function itself; a rule edited in another module would
keep running stale, and of two kernels that one function made it would take one for the other. Here a program is stamped with
the code and the constants of all functions that it reaches (`reached.py`). This uses a private interface of numba; where that
is missing, or the cache folder cannot be used, programs are compiled anew in each process and nothing else changes.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import NullCache

from .beside import begin_interpreted as begin_interpreted
from .beside import begins_interpreted as begins_interpreted
from .beside import interpreted_here as interpreted_here
from .beside import only_interpreted as only_interpreted
from .interpret import interpreted as interpreted
from .reached import code_stamp
from .reached import plain as plain

logger = logging.getLogger("wilddeck")

INTERPRETED = bool(
    getattr(numba.config, "DISABLE_JIT", False)
)  # NUMBA_DISABLE_JIT=1: the same rules as plain Python, for debugging and coverage


def prepare_thread() -> None:
    """For every thread that runs kernels: in interpreted rules the generator's arithmetic wraps around by design."""
    if INTERPRETED:
        np.seterr(over="ignore")


prepare_thread()

F = TypeVar("F", bound=Callable[..., Any])

try:
    from . import compiler
except (ImportError, AttributeError):  # pragma: no cover - a numba that moved its private interface
    compiler = None  # type: ignore[assignment]


_warned: list[str] = []  # one message a process says it all


def _warn_unwritable(path: str, error: Exception) -> None:
    if not _warned:
        _warned.append(path)
        message = "wilddeck: compiled kernels cannot be kept in %s (%s); every process will compile anew"
        logger.warning(message, path, error)


class _Programs:
    """The programs of one `bind`, counted as they are first called, so that who waits for the compiler knows how far it is."""

    def __init__(self, total: int) -> None:
        self.total, self._begun = total, itertools.count(1)

    def begin(self, name: str) -> Callable[[], None]:
        """The next program is called for the first time; returns what is to be said if it must be compiled."""
        return functools.partial(logger.warning, _COMPILING, name, next(self._begun), self.total)


_COMPILING = "wilddeck: compiling %s (%d of %d; once, kept in numba's cache afterwards)"


@functools.cache
def _toolchain() -> str:
    """Digest of how programs are compiled: of these files, whose code none reaches, of Python and of numba's settings."""
    folder = Path(__file__).parent
    files = [folder / name for name in ("jit.py", "compiler.py", "bits.py", "reached.py", "events.py")]
    settings = repr((sys.implementation.cache_tag, *(getattr(numba.config, name, None) for name in ("BOUNDSCHECK", "OPT"))))
    return hashlib.sha256(b"\0".join([settings.encode(), *(file.read_bytes() for file in files)])).hexdigest()


def _cache(programs: _Programs | None) -> Callable[[Callable[..., Any]], Any]:
    """What makes the cache of a function; who is compiled for one of `programs` says so."""

    def make(function: Callable[..., Any]) -> Any:
        compiling = programs.begin(plain(function).__qualname__) if programs else _say_nothing
        with contextlib.suppress(AttributeError, RuntimeError, OSError, TypeError):
            code, constants = code_stamp(function)
            return compiler.StampedCache(plain(function), (_toolchain(), *code), constants, compiling, _warn_unwritable)
        return NullCache()

    return make


def _say_nothing() -> None:
    """A device function that Python calls by itself is small."""


def device_function(function: F) -> F:
    """Compile `function` (no Python objects, no allocation, no exceptions inside) for use in others and in kernels.

    Called from Python it works too, by a program of its own that is kept on disk; it does so little that it may be interpreted
    while somebody waits for its program (`begin_interpreted`).
    """
    return _compile(function, None, light=True)


def inlined(function: F) -> F:
    """As `device_function`, but its code stands in each of its callers, for what a caller's constants leave little of."""
    return _compile(function, None, inline=True)


def arithmetic(function: F) -> F:
    """As `kernel`, for sums over many floating numbers: the compiler may add in another order and multiply and add in one step,
    which is twice as fast. Equal input gives equal bits on one machine, and nearly equal numbers on another. Arrays that it is
    given must not overlap. Called by device functions, too."""
    return _compile(function, None, counting=False, unroll=True, fast=True)


def kernel(function: F, programs: _Programs | None = None, unroll: bool = False, light: bool = True) -> F:
    """Compile a loop over arrays that Python calls. As `device_function`, but arrays are borrowed from the caller and
    references to them are not counted, which is faster; so nothing can be allocated in the function itself."""
    return _compile(function, programs, counting=False, unroll=unroll, light=light)


def _compile(
    function: F,
    programs: _Programs | None,
    counting: bool = True,
    unroll: bool = False,
    inline: bool = False,
    fast: bool = False,
    light: bool = False,
) -> F:
    if INTERPRETED or compiler is None:
        return numba.njit(nogil=True, _nrt=counting, forceinline=inline, fastmath=fast)(function)  # type: ignore[call-overload]
    return compiler.DeviceFunction(function, _cache(programs), counting, unroll, inline, fast, light)  # type: ignore[return-value]


def bind(
    kernels: Mapping[str, Callable[..., Any]],
    functions: Mapping[str, Any],
    owner: str,
    unroll: bool = False,
    light: bool = True,
) -> dict[str, Any]:
    """Compile `kernels`, plain functions written once for all games, over the device functions of one game.

    The names of `functions` (and constants among them) become globals of the kernels, which also see one another: unlike
    closures over device functions, or those as arguments, functions re-created over another namespace run at full speed and hit
    the disk cache. `owner` names the game in messages and keeps the games' cache files apart. `unroll` lets the compiler unroll
    loops: faster for arithmetic in loops of fixed length, slower for rules; `light` is said of all (`kernel`). Kernels that
    others call are parts of these; the rest, which Python calls, become programs.
    """
    namespace: dict[str, Any] = {}
    for function in kernels.values():
        namespace.update(function.__globals__)
    namespace.update(functions)
    called = {name for function in kernels.values() for name in function.__code__.co_names}
    programs = _Programs(len(kernels.keys() - called))
    bound: dict[str, Any] = {}
    for name, function in kernels.items():
        copy = FunctionType(function.__code__, namespace, name)
        copy.__qualname__ = f"{owner}.{name}"
        bound[name] = kernel(copy, programs, unroll, light)
        bound[name].source = _bound_again, (dict(kernels), dict(functions), owner, unroll, light, name)
    namespace.update(bound)
    return bound


def _bound_again(*made_by: Any) -> Any:
    """A kernel of `bind` in another process."""
    *arguments, name = made_by
    return bind(*arguments)[name]
