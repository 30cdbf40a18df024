"""Compiled rules: the `kernel` decorator, its dependency-aware disk cache, and `bind` for drivers shared by all games.

numba's own cache notices an edit only in the file of the compiled function itself; a rule edited in another module would
keep running stale, and of two kernels that one function made it would take one for the other. Here the cache of a kernel is
stamped with the sources of every project module its file imports, directly or through others, and with the constants that it
and all it calls are compiled with. This uses a private interface of numba; where that is missing, or the cache folder cannot be
used, kernels are compiled anew in each process and nothing else changes.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import itertools
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import NullCache

logger = logging.getLogger("wilddeck")

PACKAGE_ROOT = Path(__file__).resolve().parents[2]
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


def _module_file(parts: Iterable[str]) -> Path | None:
    """The project file of a module given by its path below the package root, if there is one."""
    path = PACKAGE_ROOT.joinpath(*parts)
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _imported_files(path: Path) -> Iterator[Path]:
    """Project files that `path` imports anywhere in its text; `path` may be a user's own, of a policy say."""
    inside = path.is_relative_to(PACKAGE_ROOT)
    package = path.parent.relative_to(PACKAGE_ROOT).parts if inside else ()
    for node in ast.walk(ast.parse(path.read_bytes())):
        modules: list[tuple[str, ...]] = []
        if isinstance(node, ast.ImportFrom):
            named = tuple((node.module or "").split(".")) if node.module else ()
            if node.level and not inside:
                continue
            if node.level:
                base = package[: len(package) - node.level + 1] + named
            elif named[:1] == ("wilddeck",):
                base = named[1:]
            else:
                continue
            modules = [base, *((*base, alias.name) for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = (tuple(alias.name.split(".")) for alias in node.names)
            modules = [name[1:] for name in names if name[0] == "wilddeck"]
        for parts in modules:
            file = _module_file(parts) if parts else None
            if file is not None:
                yield file


@functools.cache
def dependencies(path: Path) -> frozenset[Path]:
    """`path` and every project file it imports, directly or through others."""
    found: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting.extend(_imported_files(file))
    return frozenset(found)


@functools.cache
def source_stamp(paths: frozenset[Path]) -> str:
    """Digest of the sources of `paths` and of all they depend on."""
    digest = hashlib.sha256()
    for file in sorted(set().union(*(dependencies(path) for path in paths))):
        name = file.relative_to(PACKAGE_ROOT) if file.is_relative_to(PACKAGE_ROOT) else file
        digest.update(str(name).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _reached(function: Callable[..., Any], seen: set[int]) -> Iterator[FunctionType]:
    """A function and those that it calls, directly or through others."""
    function = plain(function)
    if id(function) not in seen:
        seen.add(id(function))
        yield function  # type: ignore[misc]
        for _, value in _values(function):
            if hasattr(plain(value), "__code__"):
                yield from _reached(value, seen)


def _values(function: Any) -> list[tuple[str, Any]]:
    """The globals that a function uses, and the variables of one around it."""
    code = function.__code__
    found = {name: function.__globals__[name] for name in code.co_names if name in function.__globals__}
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    return sorted({**found, **{name: cell.cell_contents for name, cell in cells}}.items())


def _constants(function: Any) -> Iterator[str]:
    """The values, as text, that a function is compiled with."""
    for name, value in _values(function):
        if isinstance(value, np.ndarray):
            yield f"{name}: {value.dtype.descr} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        elif _is_constant(value):
            yield f"{name}: {value!r}"


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_is_constant(each) for each in value)
    return isinstance(value, (bool, int, float, complex, str, bytes, np.generic))


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


def _cache(sources: frozenset[Path], programs: _Programs | None) -> Callable[[Callable[..., Any]], Any]:
    """What makes the cache of a function that depends on `sources`; who is compiled for one of `programs` says so."""

    def make(function: Callable[..., Any]) -> Any:
        compiling = programs.begin(function.__qualname__) if programs else _say_nothing
        with contextlib.suppress(AttributeError, RuntimeError, OSError, TypeError):
            reached = list(_reached(function, set()))
            lines = [f"{each.__qualname__}:{each.__code__.co_firstlineno}" for each in reached]
            constants = [text for each in reached for text in _constants(each)]
            return compiler.StampedCache(function, (source_stamp(sources), *lines), constants, compiling, _warn_unwritable)
        return NullCache()

    return make


def _say_nothing() -> None:
    """A kernel that Python calls by itself is small."""


def kernel(function: F) -> F:
    """Compile `function` (no Python objects, no allocation, no exceptions inside) for use in other kernels and in drivers.

    Called from Python it works too, by a program of its own that is kept on disk.
    """
    return _compile(function, frozenset({Path(function.__code__.co_filename).resolve()}), None)


def inlined(function: F) -> F:
    """As `kernel`, but its code stands in each of its callers, for what a caller's constants leave little of."""
    return _compile(function, frozenset({Path(function.__code__.co_filename).resolve()}), None, inline=True)


def arithmetic(function: F) -> F:
    """As `driver`, for sums over many floating numbers: the compiler may add in another order and multiply and add in one step,
    which is twice as fast. Equal input gives equal bits on one machine, and nearly equal numbers on another. Arrays that it is
    given must not overlap. Called by other kernels, too."""
    return driver(function, unroll=True, fast=True)


def driver(
    function: F,
    sources: frozenset[Path] = frozenset(),
    programs: _Programs | None = None,
    unroll: bool = False,
    fast: bool = False,
) -> F:
    """Compile a loop over arrays that Python calls. As `kernel`, but arrays are borrowed from the caller and references to
    them are not counted, which is faster; so nothing can be allocated in the function itself."""
    own = frozenset({Path(function.__code__.co_filename).resolve()})
    return _compile(function, own | sources, programs, counting=False, unroll=unroll, fast=fast)


def _compile(
    function: F,
    sources: frozenset[Path],
    programs: _Programs | None,
    counting: bool = True,
    unroll: bool = False,
    inline: bool = False,
    fast: bool = False,
) -> F:
    if INTERPRETED or compiler is None:
        return numba.njit(nogil=True, _nrt=counting, forceinline=inline, fastmath=fast)(function)  # type: ignore[call-overload]
    return compiler.Rule(function, _cache(sources, programs), counting, unroll, inline, fast)  # type: ignore[return-value]


def plain(function: F) -> F:
    """The Python function that a kernel was made of, for ordinary Python that reads a record by the kernel's terms."""
    return getattr(function, "py_func", function)


@functools.cache
def interpreted(function: F) -> F:
    """The Python function that a kernel was made of, with those of all kernels that it calls: for ordinary Python that asks
    of a record (`as_record`) what kernels ask."""
    given = plain(function)
    called = {name: interpreted(value) for name, value in _values(given) if plain(value) is not value}
    return FunctionType(given.__code__, {**given.__globals__, **called}, given.__name__)  # type: ignore[return-value]


def bind(
    drivers: Mapping[str, Callable[..., Any]], kernels: Mapping[str, Any], owner: str, unroll: bool = False
) -> dict[str, Any]:
    """Compile `drivers`, plain functions written once for all games, over the kernels of one game.

    The names of `kernels` (and constants among them) become globals of the drivers, which also see one another: unlike
    closures over kernels or kernels as arguments, functions re-created over another namespace run at full speed and hit the
    disk cache. `owner` names the game in messages and keeps the games' cache files apart. `unroll` lets the compiler unroll
    loops: faster for arithmetic in loops of fixed length, slower for rules. Drivers that others call are parts of these; the
    rest, which Python calls, become programs.
    """
    namespace: dict[str, Any] = {}
    sources: set[Path] = set()
    for function in (*kernels.values(), *drivers.values()):
        code = getattr(getattr(function, "py_func", function), "__code__", None)
        if code is not None:
            sources.add(Path(code.co_filename).resolve())
    for function in drivers.values():
        namespace.update(function.__globals__)
    namespace.update(kernels)
    called = {name for function in drivers.values() for name in function.__code__.co_names}
    programs = _Programs(len(drivers.keys() - called))
    bound: dict[str, Any] = {}
    for name, function in drivers.items():
        copy = FunctionType(function.__code__, namespace, name)
        copy.__qualname__ = f"{owner}.{name}"
        bound[name] = driver(copy, frozenset(sources), programs, unroll)
    namespace.update(bound)
    return bound
