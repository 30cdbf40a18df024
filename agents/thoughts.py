"""What an agent thinks at a decision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Thoughts:
    """What an agent thinks at a decision; what it cannot say is None.

    Attributes:
        actions: int64 [K], those it has weighed, ascending.
        probs: float64 [K], how likely it plays each.
        worths, errors: float64 [K], the return that it expects of each for its seat, and the standard error, nan of one try.
        tries: int64 [K], how often it tried each.
        value: the return that it expects for its seat.
    """

    actions: np.ndarray
    probs: np.ndarray | None = None
    worths: np.ndarray | None = None
    errors: np.ndarray | None = None
    tries: np.ndarray | None = None
    value: float | None = None
