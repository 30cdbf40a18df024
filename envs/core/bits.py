"""Bits of a number, as single machine instructions in compiled code; in ordinary Python plain functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import lower_builtin, type_callable


def count_bits(bits: Any) -> np.int64:
    """How many bits of a 64-bit number are set."""
    return np.int64(bin(int(bits)).count("1"))


def lowest_bit(bits: Any) -> np.int64:
    """The place of the lowest bit that is set; 64 where none is."""
    number = int(bits)
    return np.int64((number & -number).bit_length() - 1 if number else 64)


def highest_bit(bits: Any) -> np.int64:
    """The place of the highest bit that is set; -1 where none is."""
    return np.int64(int(bits).bit_length() - 1)


def _typed(function: Any) -> None:
    @type_callable(function)
    def type_of(context: Any) -> Any:
        return lambda bits: types.int64 if bits in (types.int64, types.uint64) else None


for _function in (count_bits, lowest_bit, highest_bit):
    _typed(_function)


@lower_builtin(count_bits, types.Integer)
def _count(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.ctpop(arguments[0])


@lower_builtin(lowest_bit, types.Integer)
def _lowest(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.cttz(arguments[0], context.get_constant(types.boolean, False))


@lower_builtin(highest_bit, types.Integer)
def _highest(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    zeros = builder.ctlz(arguments[0], context.get_constant(types.boolean, False))
    return builder.sub(context.get_constant(types.int64, 63), zeros)
