"""Ray clusters, which spread work over processes and machines; started here, or joined by address (extra `ray`).

Shared by leagues, training and populations. See docs/guides/ray.md.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ..envs.core.files import write_atomically
from ..envs.registry import SHARED

T = TypeVar("T")

RETRIES = 3  # times that Ray itself runs a task again whose worker or node was lost
_CONNECT_SECONDS = 10.0
_SWEEP_SECONDS = 3.0
_LOOK_SECONDS = 1.0  # between looks at what has changed in a folder
_STORE_BYTES = 256 * 2**20  # of a cluster that is started here: weights, files and checkpoints, no data sets


def load() -> Any:
    """The module `ray`.

    Raises:
        ImportError: Ray is not installed; the message names the extra.
    """
    try:
        import ray
    except ImportError as error:
        raise ImportError(f"the executor `ray` needs the extra `ray`: pip install 'wilddeck[ray]' ({error})") from error
    return ray


@contextlib.contextmanager
def joined(address: str | None = None, cpus: int | None = None) -> Iterator[Any]:
    """A context with the module `ray` connected to a cluster. An existing connection of this process is used and kept.

    Args:
        address: `host:port` of a running cluster, or "auto" for the one that Ray finds; None starts one on this machine, which
            ends with the context.
        cpus: the processors of a cluster that is started here (default: all).

    Raises:
        ImportError: Ray is not installed.
        ValueError: no cluster has this address, or this process is connected to another one.
    """
    ray = load()
    if ray.is_initialized():
        if address not in (None, "auto", ray.get_runtime_context().gcs_address):
            raise ValueError(f"this process is connected to {ray.get_runtime_context().gcs_address}, not to {address}")
        yield ray
        return
    _look_for(address)
    about: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        about |= {"address": "local", "num_cpus": cpus, "include_dashboard": False, "object_store_memory": _STORE_BYTES}
    elif SHARED in os.environ:  # the workers of another machine are started by its own processes
        about["runtime_env"] = {"env_vars": {SHARED: os.environ[SHARED]}}
    try:
        with _own_handlers():
            ray.init(**about)
    except (ConnectionError, RuntimeError, ValueError) as error:
        where = "a Ray cluster cannot be started here" if address is None else f"there is no Ray cluster to join at {address}"
        raise ValueError(f"{where}: {' '.join(str(error).split())}") from error
    try:
        yield ray
    finally:
        with _own_handlers():
            ray.shutdown()


def _look_for(address: str | None) -> None:
    """Check the address quickly; Ray itself tries for minutes."""
    host, colon, port = (address or "").rpartition(":")
    if not colon or "://" in host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"cannot reach a Ray cluster at {address}: {error}") from None


@contextlib.contextmanager
def _own_handlers() -> Iterator[None]:
    """Restore the caller's SIGTERM handler, which Ray replaces."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before if before is not None else signal.SIG_DFL)


def folder_of(key: str) -> tempfile.TemporaryDirectory[str]:
    """A folder for a worker's files; `sweep` finds it by its key."""
    return tempfile.TemporaryDirectory(prefix=f"wilddeck-{key}-")


def sweep(ray: Any, key: str) -> None:
    """Remove the folders with this key on all nodes: Ray ends workers without their having time for it."""
    nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
    if len(nodes) > 1:
        strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        tasks = [ray.remote(num_cpus=0, scheduling_strategy=strategy(node, soft=False))(_sweep).remote(key) for node in nodes]
        ray.wait(tasks, num_returns=len(tasks), timeout=_SWEEP_SECONDS)
    _sweep(key)


def _sweep(key: str) -> None:
    for path in Path(tempfile.gettempdir()).glob(f"wilddeck-{key}-*"):
        shutil.rmtree(path, ignore_errors=True)


def processors(ray: Any) -> int:
    """The current number of processors of the cluster, which may change."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def cause(error: Any) -> str:
    """The error of a failed task in one line."""
    reason = getattr(error, "cause", None) or error
    text = " ".join(str(reason).split())
    if isinstance(reason, (ValueError, RuntimeError)) and len(text) < 500:
        return text
    return f"{type(reason).__name__}: {text[-400:]}"


class Here:
    """The used part of Ray's interface, in this process: calls run at once, and a result is its own reference."""

    def call(self, function: Callable[..., Any], *arguments: Any, returns: int = 1, cpus: int = 1) -> Any:
        return function(*arguments)

    def get(self, reference: Any) -> Any:
        return reference

    def put(self, thing: Any) -> Any:
        return thing


class There:
    """Calls on a cluster. Ray repeats work that is lost with a node; references may be arguments of other calls."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._tasks: dict[Callable[..., Any], Any] = {}

    def call(self, function: Callable[..., Any], *arguments: Any, returns: int = 1, cpus: int = 1) -> Any:
        """Begin a call; return a reference, or several if it `returns` several values."""
        if function not in self._tasks:
            self._tasks[function] = self._ray.remote(max_retries=RETRIES)(function)
        return self._tasks[function].options(num_cpus=cpus, num_returns=returns).remote(*arguments)

    def get(self, reference: Any) -> Any:
        """The value of a reference.

        Raises:
            ValueError: its call failed, or its worker was lost repeatedly.
        """
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            raise ValueError(f"a worker of the cluster failed: {cause(error)}") from None

    def put(self, thing: Any) -> Any:
        return self._ray.put(thing)


@contextlib.contextmanager
def place(executor: str, address: str | None = None, cpus: int | None = None) -> Iterator[Here | There]:
    """A context in which to make calls: "serial", in this process, or "ray" (see `joined`)."""
    if executor == "serial" and address is None:
        yield Here()
        return
    if executor != "ray":
        raise ValueError(f"executor={executor!r} is not allowed; allowed: serial, ray (address needs ray)")
    with joined(address, cpus) as ray:
        yield There(ray)


# --- work that keeps a folder ---


def spread(
    work: Callable[..., T],
    folders: Mapping[Path, tuple[Any, ...]],
    *,
    cpus: int = 1,
    workers: int | None = None,
    address: str | None = None,
) -> Iterator[tuple[Path, T]]:
    """Call `work(folder, *arguments)` for each folder on a cluster, and yield the results as they come.

    The call gets a temporary folder with copies of the files here, and changed files are copied back as soon as they are seen.
    If a node is lost, the work starts again elsewhere from the files copied last: a training from its last checkpoint.

    Args:
        work: a function that is importable on every node, replaces files atomically, and can be repeated.
        folders: the arguments by folder.
        cpus: the processors of each call.
        workers: the number of parallel calls (default: as many as fit).
        address: the cluster's address, see `joined`.

    Raises:
        ValueError: there is no such cluster, no node has so many processors, or a call failed; the message says why.
        ImportError: Ray is not installed.
    """
    key = secrets.token_hex(8)
    with joined(address, None if workers is None else workers * cpus) as ray:
        if not any(node["Alive"] and node["Resources"].get("CPU", 0) >= cpus for node in ray.nodes()):
            raise ValueError(f"each call needs {cpus} processors, but no node of the cluster has as many")
        task = ray.remote(num_cpus=cpus, max_retries=0, num_returns="streaming")(_watched)
        waiting, running = [(folder, 0) for folder in folders], dict[Any, tuple[Path, int]]()
        try:
            while waiting or running:
                while waiting and (workers is None or len(running) < workers):
                    folder, lost = waiting.pop(0)
                    running[task.remote(key, work, folders[folder], _changes(folder, {}))] = folder, lost
                (stream,), _ = ray.wait(list(running), num_returns=1)
                folder, lost = running[stream]
                try:
                    news = ray.get(next(stream))
                except ray.exceptions.RayTaskError as error:
                    raise ValueError(f"{folder.name}: {cause(error)}") from None
                except (ray.exceptions.RayError, StopIteration) as error:
                    del running[stream]
                    if lost == RETRIES:
                        raise ValueError(f"{folder.name}: its worker was lost repeatedly ({type(error).__name__})") from None
                    waiting.append((folder, lost + 1))
                    continue
                for name, content in news.files.items():
                    write_atomically(folder / name, content)
                running[stream] = folder, 0
                if news.over:
                    del running[stream]
                    yield folder, news.result
        finally:
            for stream in running:
                with contextlib.suppress(Exception):  # it may be over, or its cluster gone
                    ray.cancel(stream, force=True)
            with contextlib.suppress(Exception):
                sweep(ray, key)


class _Told(NamedTuple):
    """What has changed in a folder; `result` when it is over."""

    files: dict[str, bytes]
    over: bool = False
    result: Any = None


def _watched(key: str, work: Callable[..., Any], arguments: tuple[Any, ...], files: dict[str, bytes]) -> Iterator[_Told]:
    """The task: works in a folder of its own, and tells what changes there."""
    with folder_of(key) as name, ThreadPoolExecutor(1) as thread:
        folder, seen = Path(name), dict[str, tuple[int, int]]()
        for file_name, content in files.items():
            write_atomically(folder / file_name, content)
        _changes(folder, seen)
        running = thread.submit(work, folder, *arguments)
        while not running.done():
            wait([running], _LOOK_SECONDS)
            if changed := _changes(folder, seen):
                yield _Told(changed)
        yield _Told(_changes(folder, seen), True, running.result())


def _changes(folder: Path, seen: dict[str, tuple[int, int]]) -> dict[str, bytes]:
    """The files of a folder that are not as they were seen, which is noted."""
    changed = {}
    for path in sorted(folder.glob("*")):
        with contextlib.suppress(FileNotFoundError):  # one that was there for a moment
            about = path.stat()
            stamp = about.st_mtime_ns, about.st_size
            if path.is_file() and not path.name.startswith(".") and seen.get(path.name) != stamp:
                changed[path.name], seen[path.name] = path.read_bytes(), stamp
    return changed
