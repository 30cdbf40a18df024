"""Fields of a record and what each may hold, declared in one place.

Rules index arrays by fields and loop as far as fields say: what indexes is bounded by what it indexes, a set of bits by those
there are. Records that are loaded are checked against the bounds (`Game.check_records`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Field(NamedTuple):
    """A field of a record: its name, dtype and shape, and the values it may have while a game is played.

    `low` and `high` are the least and the most, `bits` a mask of the bits that may be set; each is a number, an array that fits
    the shape, or a function of the options that gives one of these. Without any, the field of an option always holds the
    option, and any other field may hold anything.
    """

    name: str
    dtype: str
    shape: tuple[int, ...] = ()
    low: Any = 0
    high: Any = None
    bits: Any = None

    @property
    def is_bounded(self) -> bool:
        return self.high is not None or self.bits is not None

    def outside(self, values: np.ndarray, options: Any) -> np.ndarray:
        """Which values, [N, *shape], are not allowed (bool, the same shape)."""
        if self.bits is not None:
            mask = np.asarray(of_options(self.bits, options)).astype(values.dtype)
            return (values & ~mask) != 0
        return ~(
            (values >= of_options(self.low, options)) & (values <= of_options(self.high, options))
        )  # so that nan is outside

    def allowed(self, options: Any) -> str:
        """What is allowed, as text."""
        if self.bits is not None:
            return f"bits {np.asarray(of_options(self.bits, options)).tolist()}"
        return f"{np.asarray(of_options(self.low, options)).tolist()}..{np.asarray(of_options(self.high, options)).tolist()}"


def last_seat(options: Any) -> int:
    """The bound of a field that holds a seat."""
    return options.num_players - 1


def all_seats(options: Any) -> int:
    """The bits of a field that holds a set of seats."""
    return (1 << options.num_players) - 1


def of_options(declared: Any, options: Any) -> Any:
    """The value of what a game declares as a value or as a function of its options."""
    return declared(options) if callable(declared) else declared
