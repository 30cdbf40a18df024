"""Randomness of a game: splitmix64 counters in the record, so equal seeds give equal games everywhere.

Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014).
Every constant is written as uint64: numba and numpy disagree about mixed unsigned and signed arithmetic.
"""

from __future__ import annotations

import numpy as np

from .kernel import kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@kernel
def mix(z):
    """64 well-mixed bits of a 64-bit number (a bijection)."""
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel
def derive(seed, number):
    """The seed of stream `number` of `seed` (both uint64)."""
    return mix(seed + _GOLDEN * (number + np.uint64(1)))


@kernel
def random_below(state, bound):
    """A uniform int64 in [0, bound), bound <= 2**31, advancing `state.rng` by one.

    The product of 32 random bits and `bound` replaces a slow division; its bias is below bound / 2**32.
    """
    state.rng += _GOLDEN
    return np.int64(((mix(state.rng) >> _S32) * np.uint64(bound)) >> _S32)


@kernel
def shuffle(state, cards, count):
    """Fisher-Yates over the first `count` of `cards`, in place."""
    for last in range(count - 1, 0, -1):
        other = random_below(state, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card
