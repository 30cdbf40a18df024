"""Randomness of a game: keyed streams of numbers in the record, so equal seeds give equal games everywhere.

A game's seed has 128 bits. They are the key of SipHash-2-4, which computes the start of each of the game's streams (of a deal,
of its play, of the next game's seed). Therefore streams reveal neither the seed nor each other. A stream is a splitmix64
counter with 64 more bits of its own mixed in, cheap enough for every draw.

Sources: Aumasson, Bernstein, "SipHash: a fast short-input PRF" (INDOCRYPT 2012); Steele, Lea, Flood, "Fast splittable
pseudorandom number generators" (OOPSLA 2014).
Every constant is written as uint64: numba and numpy disagree about mixed unsigned and signed arithmetic.
"""

from __future__ import annotations

import numpy as np

from .jit import device_function

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_ONE, _TWO = np.uint64(1), np.uint64(2)
_S13, _S16, _S17, _S21, _S27 = np.uint64(13), np.uint64(16), np.uint64(17), np.uint64(21), np.uint64(27)
_S30, _S31, _S32, _S43, _S47 = np.uint64(30), np.uint64(31), np.uint64(32), np.uint64(43), np.uint64(47)
_S48, _S51 = np.uint64(48), np.uint64(51)

# SipHash's initial values, and the last block of a message of eight bytes: its length.
_SIP_0, _SIP_1 = np.uint64(0x736F6D6570736575), np.uint64(0x646F72616E646F6D)
_SIP_2, _SIP_3 = np.uint64(0x6C7967656E657261), np.uint64(0x7465646279746573)
_SIP_LENGTH, _SIP_END = np.uint64(8 << 56), np.uint64(0xFF)

# The streams of a seed that belong to no deal; deal k has the streams 2 k (its shuffle) and 2 k + 1 (chance during its play).
NEXT_SEED = np.uint64(0x7FFFFFFFFFFFFFFF)
SAMPLE_SEED = np.uint64(0x7FFFFFFFFFFFFFFE)
SAMPLE_CHANCE = np.uint64(0x7FFFFFFFFFFFFFFD)
NOISE = np.uint64(0x7FFFFFFFFFFFFFFC)


@device_function
def mix(z):
    """64 well-mixed bits of a 64-bit number (a bijection)."""
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@device_function
def derive(seed, number):
    """The seed of stream `number` of `seed` (both uint64). For policies; the game's own chance is keyed (`siphash`)."""
    return mix(seed + GOLDEN * (number + _ONE))


@device_function
def _sip_round(a, b, c, d):
    a += b
    c += d
    b = ((b << _S13) | (b >> _S51)) ^ a
    d = ((d << _S16) | (d >> _S48)) ^ c
    a = (a << _S32) | (a >> _S32)
    c += b
    a += d
    b = ((b << _S17) | (b >> _S47)) ^ c
    d = ((d << _S21) | (d >> _S43)) ^ a
    c = (c << _S32) | (c >> _S32)
    return a, b, c, d


@device_function
def siphash(low, high, number):
    """SipHash-2-4 of the eight bytes of `number` under the key of the words `low` and `high` (all uint64)."""
    a, b, c, d = _SIP_0 ^ low, _SIP_1 ^ high, _SIP_2 ^ low, _SIP_3 ^ high
    for block in (number, _SIP_LENGTH):
        d ^= block
        for _ in range(2):
            a, b, c, d = _sip_round(a, b, c, d)
        a ^= block
    c ^= _SIP_END
    for _ in range(4):
        a, b, c, d = _sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


@device_function
def start_stream(state, number):
    """Draw from stream `number` (uint64) of the record's seed from now on."""
    state.rng = siphash(state.seed, state.seed_high, _TWO * number)
    state.rng_key = siphash(state.seed, state.seed_high, _TWO * number + _ONE)


@device_function
def reseed(state, low, high, purpose):
    """Replace the record's seed by the one derived from the seed of the words `low` and `high` for a purpose, such as
    `NEXT_SEED`."""
    state.seed = siphash(low, high, _TWO * purpose)
    state.seed_high = siphash(low, high, _TWO * purpose + _ONE)


@device_function
def random_below(state, bound):
    """A uniform int64 in [0, bound), bound <= 2**31, advancing `state.rng` by one.

    The product of 32 random bits and `bound` replaces a slow division; its bias is below bound / 2**32.
    """
    state.rng += GOLDEN
    z = state.rng
    z = (z ^ (z >> _S30)) * _MIX_1 ^ state.rng_key
    z = (z ^ (z >> _S27)) * _MIX_2
    z ^= z >> _S31
    return np.int64(((z >> _S32) * np.uint64(bound)) >> _S32)


@device_function
def shuffle(state, cards, count):
    """Fisher-Yates over the first `count` of `cards`, in place."""
    for last in range(count - 1, 0, -1):
        other = random_below(state, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card
