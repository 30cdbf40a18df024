"""Ray, by which work is spread over processes and machines: started here, or joined by its address (extra `ray`).

What is shared by leagues, trainings and populations that run on it. See docs/guides/ray.md.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

RETRIES = 3  # times that Ray itself runs a task again whose worker or node was lost
_STORE_BYTES = 256 * 2**20  # of a cluster that is started here: weights, files and checkpoints, no data sets


def load() -> Any:
    """The module `ray`.

    Raises:
        ImportError: it is not installed; the message names the extra.
    """
    try:
        import ray
    except ImportError as error:
        raise ImportError(f"the executor `ray` needs the extra `ray`: pip install 'wilddeck[ray]' ({error})") from error
    return ray


@contextlib.contextmanager
def joined(address: str | None = None, cpus: int | None = None) -> Iterator[Any]:
    """The module `ray`, connected to a cluster until the end of the block.

    Where this process is connected already, that connection is used and stays.

    Args:
        address: of a running cluster, `host:port`, or "auto" for the one that Ray finds; None starts one on this machine, which
            ends with the block.
        cpus: of a cluster that is started here (default: all there are).

    Raises:
        ImportError: Ray is not installed.
        ValueError: there is no cluster at the address, or this process is connected to another.
    """
    ray = load()
    if ray.is_initialized():
        if address not in (None, "auto", ray.get_runtime_context().gcs_address):
            raise ValueError(f"this process is connected to {ray.get_runtime_context().gcs_address}, not to {address}")
        yield ray
        return
    about: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        about |= {"address": "local", "num_cpus": cpus, "include_dashboard": False, "object_store_memory": _STORE_BYTES}
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


@contextlib.contextmanager
def _own_handlers() -> Iterator[None]:
    """Ray sets a handler of SIGTERM; those of the caller stand."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before if before is not None else signal.SIG_DFL)


def processors(ray: Any) -> int:
    """How many processors the cluster has now; it may grow and shrink."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def cause(error: Any) -> str:
    """What a task that failed said, in one line."""
    told = getattr(error, "cause", None) or error
    text = " ".join(str(told).split())
    return text if isinstance(told, (ValueError, RuntimeError)) and len(text) < 500 else f"{type(told).__name__}: {text[-400:]}"
