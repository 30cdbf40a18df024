"""Several runs on one league: each claims matches before it plays them, so that no match is played twice.

Claims expire unless their run renews them, so other runs take over the matches of a killed run. Claims only save work: if two
runs play the same match after all (one was suspended until its claims expired, say), the first result counts.
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

LEASE_SECONDS = 30.0  # until a claim expires
_RENEWALS = 3  # per lease
_CHUNK_SECONDS = 0.5  # of work claimed at once
_MAX_CHUNK = 64


class Claims:
    """The claims of one run. Use it as a context manager: a thread renews the claims until the exit releases them."""

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
        with contextlib.suppress(StoreError):  # they expire anyway
            self.release()

    def _renew(self) -> None:
        while not self._over.wait(self._lease / _RENEWALS):
            with contextlib.suppress(StoreError), contextlib.closing(Store(self._store.path)) as store:
                store.renew(self._run, time.time(), self._lease)

    def take(self, matches: Iterable[Match], others: list[Match]) -> Iterator[list[Match]]:
        """Claim matches in their order, lazily, in chunks.

        Args:
            matches: the matches to claim; finished ones are left out.
            others: receives the matches that other runs have claimed.
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
        """Release the claims of unfinished matches."""
        self._store.release(self._run)
