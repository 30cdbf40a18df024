"""Start interpreted: rules run as ordinary Python at first, while a separate process compiles them.

In a `with begin_interpreted()` block, a kernel whose program is not in the disk cache is interpreted until it is. The compiling
process compiles kernels in the order of their first calls, writes them to the cache, and exits when nothing is left to compile.
It is not started if all programs are cached; if the cache cannot be used, the rules stay interpreted. A thread would not help,
because the compiler holds Python's lock most of the time.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

logger = logging.getLogger("wilddeck")

COMPILED, FIRST, ONLY = 0, 1, 2
_IDLE_SECONDS = 5.0  # for which an idle compiling process waits for requests
_NICE = 5  # its niceness


class _Switch:
    """How kernels run in this process, in all its threads."""

    def __init__(self) -> None:
        self.mode = COMPILED
        self.asked = [0, 0, 0]  # blocks running in each mode, because threads leave their blocks in any order


class _Here(threading.local):
    """The mode of this thread alone."""

    interpreted = False


switch, here = _Switch(), _Here()
_switching = threading.Lock()


@contextlib.contextmanager
def _running(mode: int) -> Iterator[None]:
    _count(mode, 1)
    try:
        yield
    finally:
        _count(mode, -1)


def _count(mode: int, count: int) -> None:
    with _switching:
        switch.asked[mode] += count
        switch.mode = max((mode for mode in (FIRST, ONLY) if switch.asked[mode]), default=COMPILED)


def begin_interpreted() -> contextlib.AbstractContextManager[None]:
    """For interactive use: kernels are interpreted until their programs have been compiled by another process. Kernels that
    play whole games or compute with networks wait for their programs instead."""
    return _running(FIRST)


def begins_interpreted() -> bool:
    """Whether this process is in a `with begin_interpreted()`."""
    return switch.mode == FIRST


def only_interpreted() -> contextlib.AbstractContextManager[None]:
    """Interpret all kernels, compiled or not: the same games to the byte, about a thousand times slower."""
    return _running(ONLY)


@contextlib.contextmanager
def interpreted_here() -> Iterator[None]:
    """Interpret the kernels that this thread calls, compiled or not, and request no compilation. For a few moves of many games,
    while other threads use compiled programs."""
    with begin_interpreted():
        before, here.interpreted = here.interpreted, True
        try:
            yield
        finally:
            here.interpreted = before


class Progress(NamedTuple):
    """The progress of the compiling process.

    Attributes:
        name: the program being compiled, such as `tennis_v0.step_single`.
        done: the number of compiled programs.
        total: the number of requested programs.
    """

    name: str
    done: int
    total: int


class Request:
    """A request to compile a program. `finished` is set even if compiling failed."""

    def __init__(self, function: Any, types: tuple[Any, ...]) -> None:
        self.function, self.types = function, types
        self.finished = threading.Event()

    @property
    def name(self) -> str:
        return str(self.function.py_func.__qualname__)


class _Compiler:
    """The compiling process, which runs while there is something to compile. Programs that a caller waits for come first."""

    def __init__(self) -> None:
        self.listeners: set[Callable[[], None]] = set()  # called from any thread when the progress changes
        self._condition = threading.Condition()
        self._waiting: list[Request] = []
        self._current: Request | None = None
        self._done = 0
        self._is_running = False

    def add(self, request: Request) -> None:
        with self._condition:
            if self._current is None and not self._waiting:
                self._done = 0
            self._waiting.append(request)
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="wilddeck-compiling", daemon=True).start()
            self._condition.notify()
        self._tell()

    def progress(self) -> Progress | None:
        with self._condition:
            left = [*filter(None, [self._current]), *self._waiting]
            return Progress(left[0].name, self._done, self._done + len(left)) if left else None

    def _run(self) -> None:
        process = None
        with contextlib.suppress(OSError):
            process = subprocess.Popen([sys.executable, "-I", "-c", _CHILD, json.dumps(sys.path)], **_PIPES)
        while (request := self._next()) is not None:
            self._tell()
            answer = "cannot be started" if process is None else _ask(process, request)
            if answer != _OK:
                logger.debug("compiling beside: %s", answer)
            request.finished.set()
        if process is not None:
            process.communicate()

    def _next(self) -> Request | None:
        with self._condition:
            if self._current is not None:
                self._current, self._done = None, self._done + 1
        self._tell()
        with self._condition:
            if not self._condition.wait_for(lambda: self._waiting, _IDLE_SECONDS):
                self._is_running = False
                return None
            self._current = min(self._waiting, key=lambda request: request.function.light)
            self._waiting.remove(self._current)
            return self._current

    def _tell(self) -> None:
        for listener in list(self.listeners):
            listener()


_compiler = _Compiler()
listeners, progress = _compiler.listeners, _compiler.progress


def compile_beside(function: Any, types: tuple[Any, ...]) -> Request:
    """Compile the program of a kernel for arguments of these types in the other process, and cache it on disk.

    Args:
        function: a `DeviceFunction`.
    """
    request = Request(function, types)
    if not function.light:
        logger.warning("wilddeck: compiling %s (once, kept in numba's cache afterwards)", request.name)
    _compiler.add(request)
    return request


# --- the compiling process: one line per request, one line per answer ---

_CHILD = f"import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {__name__} import main; main()"
_PIPES: dict[str, Any] = {
    "stdin": subprocess.PIPE,
    "stdout": subprocess.PIPE,
    "stderr": subprocess.DEVNULL,
    "text": True,
    "start_new_session": True,  # Ctrl-C is meant for the main process
}
_OK = "compiled"


def _ask(process: subprocess.Popen[str], request: Request) -> str:
    """The answer of the process when it is done, or the reason why it could not be asked."""
    assert process.stdin and process.stdout
    try:
        process.stdin.write(pickle.dumps((request.function, request.types)).hex() + "\n")
        process.stdin.flush()
        return process.stdout.readline().rstrip()
    except Exception as error:  # from anything that cannot be pickled
        return repr(error)


def main() -> None:
    """Compile until the other process has no more requests or has exited."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(_NICE)
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        try:
            function, types = pickle.loads(bytes.fromhex(line))
            function.program.compile(types)
            answer = _OK
        except Exception as error:
            answer = ascii(error)
        print(answer, file=answers, flush=True)
