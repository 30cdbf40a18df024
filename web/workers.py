"""Threads for work that would block the event loop: each kind of work has its own threads, whose time is shared fairly."""

from __future__ import annotations

import asyncio
import functools
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from .limits import Limits

Owners = tuple[str, ...]
_MANY = 1000  # owners remembered, unless more have used more than their share


@dataclass(eq=False)
class _Job:
    owners: Owners
    call: Callable[[], Any]
    future: Future[Any] = field(default_factory=Future)


class Pool:
    """Threads with fair sharing: the owner that has used the least time comes next.

    Work has owners, such as a client and one of its tables: clients have equal shares, and so do the tables of a client. A new
    or returning owner counts as having used as much as those being served, so time cannot be saved up.
    """

    def __init__(self, threads: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(threads, f"wilddeck-{name}")
        self._lock = threading.Lock()
        self._waiting: list[_Job] = []
        self._had: dict[Owners, float] = {}  # seconds used by each client and each of its tables
        self._least: dict[Owners, float] = {}  # the minimal time used by owners below

    async def run(self, owners: Owners, call: Callable[..., Any], *arguments: Any) -> Any:
        """What a call gives, when its turn has come."""
        return await asyncio.wrap_future(self.submit(owners, call, *arguments))

    def submit(self, owners: Owners, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        job = _Job(owners, functools.partial(call, *arguments))
        with self._lock:
            self._waiting.append(job)
        self._threads.submit(self._serve)
        return job.future

    def _share(self, owners: Owners) -> list[float]:
        """The time used by each of the owners."""
        return [
            max(self._had.get(owners[: depth + 1], 0.0), self._least.get(owners[:depth], 0.0)) for depth in range(len(owners))
        ]

    def _serve(self) -> None:
        """Run one job; there are as many calls of this as jobs."""
        with self._lock:
            job = min(self._waiting, key=lambda waiting: self._share(waiting.owners), default=None)
            if job is None:
                return
            self._waiting.remove(job)
            for depth, had in enumerate(self._share(job.owners)):
                self._least[job.owners[:depth]] = had
        if not job.future.set_running_or_notify_cancel():
            return
        begin = time.monotonic()
        try:
            result, error = job.call(), None
        except BaseException as raised:
            result, error = None, raised
        self._charge(job.owners, time.monotonic() - begin)
        if error is None:
            job.future.set_result(result)
        else:
            job.future.set_exception(error)

    def _charge(self, owners: Owners, seconds: float) -> None:
        with self._lock:
            for depth, had in enumerate(self._share(owners)):
                self._had[owners[: depth + 1]] = had + seconds
            if len(self._had) > _MANY:
                self._had = {owner: had for owner, had in self._had.items() if had > self._least.get(owner[:-1], 0.0)}
                self._least = {owner: had for owner, had in self._least.items() if not owner or owner in self._had}

    def close(self) -> None:
        """Start nothing more, without waiting for running jobs."""
        with self._lock:
            for job in self._waiting:
                job.future.cancel()
            self._waiting.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)


class Workers:
    """The threads of a server.

    Attributes:
        quick: game steps, and agents that answer in milliseconds.
        pages: deals, and requests of pages.
        searches: slow agents, and advice. Nothing else waits for these, and one processor is left to the other work.
        bots: waiting for programs (cmd:), which may be slow, and for kernels being compiled.
    """

    def __init__(self, limits: Limits) -> None:
        processors = os.cpu_count() or 2
        self.quick, self.pages = Pool(2, "quick"), Pool(max(2, processors), "pages")
        self.searches, self.bots = Pool(max(1, processors - 1), "searches"), Pool(limits.bots, "bots")

    def close(self) -> None:
        for pool in (self.quick, self.pages, self.searches, self.bots):
            pool.close()
