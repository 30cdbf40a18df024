"""The fields of a record, with the values that each may have.

Rules use fields as array indices and loop limits, so each field is bounded by the size of what it indexes, and a bit set by its
valid bits. Loaded records are checked against these bounds (`Game.check_records`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Field(NamedTuple):
    """A field of a record: name, dtype and shape, and the values it may have during a game.

    `low` and `high` are the least and the greatest value, `bits` is a mask of the bits that may be set; each is a number, an
    array that broadcasts to the shape, or a function of the options that returns one of these. Without bounds, the field of an
    option always equals the option, and any other field may have any value.
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
        """Which of the values, [N, *shape], are not allowed: bool, the same shape."""
        if self.bits is not None:
            mask = np.asarray(of_options(self.bits, options)).astype(values.dtype)
            return (values & ~mask) != 0
        return ~(
            (values >= of_options(self.low, options)) & (values <= of_options(self.high, options))
        )  # so that nan counts as outside

    def allowed(self, options: Any) -> str:
        """The allowed values as text."""
        if self.bits is not None:
            return f"bits {np.asarray(of_options(self.bits, options)).tolist()}"
        return f"{np.asarray(of_options(self.low, options)).tolist()}..{np.asarray(of_options(self.high, options)).tolist()}"


def last_seat(options: Any) -> int:
    """The upper bound of a field that is a seat."""
    return options.num_players - 1


def all_seats(options: Any) -> int:
    """The valid bits of a field that is a set of seats."""
    return (1 << options.num_players) - 1


def of_options(declared: Any, options: Any) -> Any:
    """The value of a declaration, which is a value or a function of the options."""
    return declared(options) if callable(declared) else declared
