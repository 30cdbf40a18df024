"""The generator in the record: uniform enough, reproducible, the same compiled and interpreted."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from support import output_of
from wilddeck.envs.core import rng
from wilddeck.envs.core.game import as_records

STATE = np.dtype([(name, "u8") for name in ("seed", "seed_high", "rng", "rng_key")] + [("cards", "u1", (52,))], align=True)


def records(start: int) -> Any:
    states = np.zeros(1, STATE)
    states["rng"] = start
    return as_records(states)


def draws(start: int, bound: int, count: int) -> np.ndarray:
    state = records(start)[0]
    return np.array([rng.random_below(state, bound) for _ in range(count)])


def first_draw(seed: int, number: int) -> int:
    """The first number below 13 of a stream."""
    states = records(0)
    states["seed"] = seed
    rng.start_stream(states[0], np.uint64(number))
    return int(rng.random_below(states[0], 13))


def test_draws_are_uniform() -> None:
    for bound in (2, 3, 7, 52):
        counts = np.bincount(draws(bound, bound, 6000), minlength=bound)
        assert len(counts) == bound
        expected = 6000 / bound
        assert np.sum((counts - expected) ** 2 / expected) < bound + 6 * np.sqrt(2 * bound), "chi squared"


def test_neighbouring_seeds_are_unrelated() -> None:
    """First draws of the seeds 0, 1, 2, ...; and successive draws of one seed."""
    first = np.array([first_draw(seed, 0) for seed in range(3000)])
    pairs = np.bincount(first[:-1] * 13 + first[1:], minlength=169)
    assert np.sum((pairs - 2999 / 169) ** 2 / (2999 / 169)) < 169 + 6 * np.sqrt(2 * 169)
    row = draws(5, 13, 3000)
    pairs = np.bincount(row[:-1] * 13 + row[1:], minlength=169)
    assert np.sum((pairs - 2999 / 169) ** 2 / (2999 / 169)) < 169 + 6 * np.sqrt(2 * 169)


def test_neighbouring_streams_are_unrelated() -> None:
    first = np.array([first_draw(5, number) for number in range(3000)])
    pairs = np.bincount(first[:-1] * 13 + first[1:], minlength=169)
    assert np.sum((pairs - 2999 / 169) ** 2 / (2999 / 169)) < 169 + 6 * np.sqrt(2 * 169)


def sip(key: bytes, message: bytes) -> int:
    """SipHash-2-4 as its authors describe it, for messages of any length."""
    mask = 2**64 - 1

    def rotated(word: int, bits: int) -> int:
        return (word << bits | word >> (64 - bits)) & mask

    low, high = (int.from_bytes(key[half : half + 8], "little") for half in (0, 8))
    v = [low ^ 0x736F6D6570736575, high ^ 0x646F72616E646F6D, low ^ 0x6C7967656E657261, high ^ 0x7465646279746573]

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0], v[2] = (v[0] + v[1]) & mask, (v[2] + v[3]) & mask
            v[1], v[3] = rotated(v[1], 13) ^ v[0], rotated(v[3], 16) ^ v[2]
            v[0] = rotated(v[0], 32)
            v[2], v[0] = (v[2] + v[1]) & mask, (v[0] + v[3]) & mask
            v[1], v[3] = rotated(v[1], 17) ^ v[2], rotated(v[3], 21) ^ v[0]
            v[2] = rotated(v[2], 32)

    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def test_siphash() -> None:
    """The paper's test vector (its appendix A), and ours for a word against it."""
    assert sip(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5
    draw = random.Random(1)
    for _ in range(50):
        low, high, number = (draw.choice([0, 1, 2**64 - 1, draw.getrandbits(64)]) for _ in range(3))
        key, message = b"".join(word.to_bytes(8, "little") for word in (low, high)), number.to_bytes(8, "little")
        assert int(rng.siphash(np.uint64(low), np.uint64(high), np.uint64(number))) == sip(key, message)


def test_a_stream_depends_on_all_of_the_seed() -> None:
    """Each bit of the 128 changes each of the two words of each stream."""
    keys = set()
    for bit in range(129):
        for number in (0, 1, 2):
            states = records(0)
            seed = 1 << bit if bit < 128 else 0
            states["seed"], states["seed_high"] = seed % 2**64, seed >> 64
            rng.start_stream(states[0], np.uint64(number))
            keys |= {int(states["rng"][0]), int(states["rng_key"][0])}
    assert len(keys) == 129 * 3 * 2


def test_the_key_of_a_stream_changes_its_draws() -> None:
    one, other = records(7), records(7)
    other["rng_key"] = rng.siphash(np.uint64(0), np.uint64(0), np.uint64(1))
    drawn = [[int(rng.random_below(states[0], 1 << 30)) for _ in range(200)] for states in (one, other)]
    assert sum(a == b for a, b in zip(*drawn, strict=True)) == 0
    assert abs(float(np.corrcoef(drawn)[0, 1])) < 0.25


def test_streams_differ() -> None:
    streams = {int(rng.derive(np.uint64(seed), np.uint64(number))) for seed in range(100) for number in range(100)}
    assert len(streams) == 10_000


def test_shuffles_are_permutations_and_uniform() -> None:
    counts: dict[tuple[int, ...], int] = {}
    states = records(9)
    for _ in range(2400):
        states["cards"][0][:5] = range(5)
        rng.shuffle(states[0], states["cards"][0], 4)
        order = tuple(states["cards"][0][:5].tolist())
        assert sorted(order[:4]) == [0, 1, 2, 3]
        assert order[4] == 4, "beyond count nothing moves"
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 24
    assert min(counts.values()) > 60
    assert max(counts.values()) < 140


def test_known_values() -> None:
    """splitmix64 of Vigna's reference implementation, seed 1234567."""
    state, outputs = 1234567, []
    for _ in range(3):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        outputs.append(int(rng.mix(np.uint64(state))))
    assert outputs == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_bounds() -> None:
    assert set(draws(1, 1, 50)) == {0}
    large = draws(1, 2**31, 200)
    assert large.min() >= 0
    assert large.max() < 2**31
    assert large.max() > 2**30


def test_interpreted_equals_compiled() -> None:
    code = """
import numpy as np
from core.test_rng import draws, rng
most = np.uint64(2**64 - 1)
print(draws(7, 52, 300).tolist(), int(rng.derive(np.uint64(3), np.uint64(9))), int(rng.mix(most)))
print(int(rng.siphash(most, np.uint64(5), np.uint64(7))))
"""
    assert output_of(code, NUMBA_DISABLE_JIT="1") == output_of(code)
