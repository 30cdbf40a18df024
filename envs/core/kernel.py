"""Compiled rules: the `kernel` decorator, its dependency-aware disk cache, and `bind` for drivers shared by all games.

numba's own cache notices an edit only in the file of the compiled function itself; a rule edited in another module would
keep running stale. Here the cache of a kernel is stamped with the sources of every project module its file imports,
directly or through others. The stamp uses a private interface of numba; where that is missing, or the cache folder cannot
be used, kernels are compiled anew in each process and nothing else changes.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numba
import numpy as np

logger = logging.getLogger("wilddeck")

PACKAGE_ROOT = Path(__file__).resolve().parents[2]
INTERPRETED = bool(
    getattr(numba.config, "DISABLE_JIT", False)
)  # NUMBA_DISABLE_JIT=1: the same rules as plain Python, for debugging and coverage

if INTERPRETED:
    np.seterr(over="ignore")  # the generator's arithmetic wraps around by design

F = TypeVar("F", bound=Callable[..., Any])

try:
    from numba.core.caching import FunctionCache, IndexDataCacheFile
except ImportError:  # pragma: no cover - a numba that moved its private interface
    FunctionCache = None  # type: ignore[assignment, misc]


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


if FunctionCache is not None:

    class _StampedCache(FunctionCache):
        """numba's function cache, stamped by all sources; a cache that cannot be read or written is never an error."""

        def __init__(self, function: Callable[..., Any], stamp: str, owner: str | None) -> None:
            super().__init__(function)
            self._owner = owner
            own = self._cache_file._source_stamp
            self._cache_file = IndexDataCacheFile(self._cache_path, self._impl.filename_base, (own, stamp))

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                found = super().load_overload(sig, target_context)
            except Exception as error:
                logger.debug("unreadable kernel cache of %s: %r", self._name, error)
                found = None
            if found is None and self._owner:
                _announce(self._owner)
            return found

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            except OSError as error:
                _warn_unwritable(self._cache_path, str(error))


@functools.cache
def _announce(owner: str) -> None:
    logger.warning("wilddeck: compiling %s (once, up to a minute; kept in numba's cache afterwards)", owner)


@functools.cache
def _warn_unwritable(path: str, reason: str) -> None:
    logger.warning("wilddeck: compiled kernels cannot be kept in %s (%s); every process will compile anew", path, reason)


def _compile(function: F, sources: frozenset[Path], owner: str | None = None, counting: bool = True) -> F:
    # Whether references to arrays are counted is stated both ways: otherwise a callee takes it over from its caller.
    dispatcher: Any = numba.njit(nogil=True, _nrt=counting)(function)
    if not INTERPRETED and FunctionCache is not None:
        with contextlib.suppress(AttributeError, RuntimeError, OSError, TypeError):
            dispatcher._cache = _StampedCache(function, source_stamp(sources), owner)
    return dispatcher


def kernel(function: F) -> F:
    """Compile `function` (no Python objects, no allocation, no exceptions inside) and keep the result on disk."""
    return _compile(function, frozenset({Path(function.__code__.co_filename).resolve()}))


def driver(function: F, sources: frozenset[Path] = frozenset(), owner: str | None = None) -> F:
    """Compile a loop that Python calls with arrays. As `kernel`, but arrays are borrowed from the caller and no references are
    counted, which cost 6 % of a step; so nothing can be allocated in the function itself."""
    own = frozenset({Path(function.__code__.co_filename).resolve()})
    return _compile(function, own | sources, owner, counting=False)


def bind(drivers: Mapping[str, Callable[..., Any]], kernels: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """Compile `drivers`, plain functions written once for all games, over the kernels of one game.

    The names of `kernels` (and constants among them) become globals of the drivers, which also see one another: unlike
    closures over kernels or kernels as arguments, functions re-created over another namespace run at full speed and hit the
    disk cache. `owner` names the game in messages and keeps the games' cache files apart.
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
    bound: dict[str, Any] = {}
    for name, function in drivers.items():
        copy = FunctionType(function.__code__, namespace, name)
        copy.__qualname__ = f"{owner}.{name}"
        bound[name] = driver(copy, frozenset(sources), owner)
    namespace.update(bound)
    return bound
