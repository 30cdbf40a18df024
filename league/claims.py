"""Several runs on one league: each claims matches before it plays them, so that none is played twice.

A claim ends by itself some seconds after its run was last heard of: what a killed run had claimed comes back. Claims only save
work: should two runs play the same match after all (one was stopped for longer than its claims last, say), the first result
stands.
"""

from __future__ import annotations

import contextlib
import itertools
import secrets
import threading
import time
from collections.abc import Iterable, Iterator

from .errors import StoreError
from .match import Match
from .store import Store

LEASE_SECONDS = 30.0  # a claim lasts so long
_RENEWALS = 3  # so many times a lease
_CHUNK_SECONDS = 0.5  # of work that is claimed at once
_MAX_CHUNK = 64


class Claims:
    """The claims of one run. Use as a context manager: inside they are renewed by a thread, at its end given up."""

    def __init__(self, store: Store) -> None:
        self._store, self._run, self._lease = store, secrets.token_hex(8), LEASE_SECONDS
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="league-claims", daemon=True)

    def __enter__(self) -> Claims:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        with contextlib.suppress(StoreError):  # they end by themselves
            self.release()

    def _renew(self) -> None:
        while not self._over.wait(self._lease / _RENEWALS):
            with contextlib.suppress(StoreError), contextlib.closing(Store(self._store.path)) as store:
                store.renew(self._run, time.time(), self._lease)

    def take(self, matches: Iterable[Match], others: list[Match]) -> Iterator[list[Match]]:
        """Claim matches in the order given, some at once, when they are asked for.

        Args:
            matches: where from.
            others: to be filled with those that other runs play. Those that are finished are left out.
        """
        waiting, size = iter(matches), 1
        while chunk := list(itertools.islice(waiting, size)):
            mine, elsewhere = self._store.claim(self._run, [match.id for match in chunk], time.time(), self._lease)
            others += [match for match in chunk if match.id in elsewhere]
            asked = time.monotonic()
            yield [match for match in chunk if match.id in mine]
            quick = time.monotonic() - asked < _CHUNK_SECONDS
            size = min(2 * size, _MAX_CHUNK) if quick else max(size // 2, 1)

    def release(self) -> None:
        """Give up what is claimed and not finished."""
        self._store.release(self._run)
