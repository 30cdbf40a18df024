"""What holds while this process compiles: garbage is collected seldom, and the time is noted."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import MutableSequence, Sequence


class Compiling:
    """A block in which programs are compiled, in any thread. That makes a great many objects and hardly any garbage, which is
    collected seldom, and only what is young: a tenth of the time.

    Attributes:
        noted: the seconds of all blocks that have ended, and the time at which the current one began (0: none). Time limits
            leave this time out (`time_without`). May be replaced by memory that a watching process shares.
    """

    def __init__(self) -> None:
        self.noted: MutableSequence[float] = [0.0, 0.0]
        self._lock, self._blocks, self._before = threading.Lock(), 0, gc.get_threshold()

    def __enter__(self) -> None:
        with self._lock:
            if not self._blocks:
                self._before = gc.get_threshold()
                gc.set_threshold(20_000, 20, 1_000_000)
                self.noted[1] = time.monotonic()
            self._blocks += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._blocks -= 1
            if not self._blocks:
                gc.set_threshold(*self._before)
                self.noted[0] += time.monotonic() - self.noted[1]
                self.noted[1] = 0.0

    def time_without(self) -> float:
        """A clock, in seconds, that stands still while this process compiles."""
        return time_without(self.noted)


compiling = Compiling()


def time_without(noted: Sequence[float]) -> float:
    """A clock, in seconds, that stands still while the process whose `noted` these are compiles."""
    seconds, began = noted
    return (began or time.monotonic()) - seconds
