"""The generator in the record: uniform enough, reproducible, the same compiled and interpreted."""

from __future__ import annotations

from typing import Any

import numpy as np
from support import output_of
from wilddeck.envs.core import rng
from wilddeck.envs.core.game import as_records

STATE = np.dtype([("rng", "u8"), ("cards", "u1", (52,))], align=True)


def records(start: int) -> Any:
    states = np.zeros(1, STATE)
    states["rng"] = start
    return as_records(states)


def draws(start: int, bound: int, count: int) -> np.ndarray:
    state = records(start)[0]
    return np.array([rng.random_below(state, bound) for _ in range(count)])


def test_draws_are_uniform() -> None:
    for bound in (2, 3, 7, 52):
        counts = np.bincount(draws(bound, bound, 6000), minlength=bound)
        assert len(counts) == bound
        expected = 6000 / bound
        assert np.sum((counts - expected) ** 2 / expected) < bound + 6 * np.sqrt(2 * bound), "chi squared"


def test_neighbouring_seeds_are_unrelated() -> None:
    """First draws of the seeds 0, 1, 2, ...; and successive draws of one seed."""
    first = np.array([draws(int(rng.derive(np.uint64(seed), np.uint64(0))), 13, 1)[0] for seed in range(3000)])
    pairs = np.bincount(first[:-1] * 13 + first[1:], minlength=169)
    assert np.sum((pairs - 2999 / 169) ** 2 / (2999 / 169)) < 169 + 6 * np.sqrt(2 * 169)
    row = draws(5, 13, 3000)
    pairs = np.bincount(row[:-1] * 13 + row[1:], minlength=169)
    assert np.sum((pairs - 2999 / 169) ** 2 / (2999 / 169)) < 169 + 6 * np.sqrt(2 * 169)


def test_streams_differ() -> None:
    found = {int(rng.derive(np.uint64(seed), np.uint64(number))) for seed in range(100) for number in range(100)}
    assert len(found) == 10_000


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
    state, found = 1234567, []
    for _ in range(3):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        found.append(int(rng.mix(np.uint64(state))))
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


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
print(draws(7, 52, 300).tolist(), int(rng.derive(np.uint64(3), np.uint64(9))), int(rng.mix(np.uint64(2**64 - 1))))
"""
    assert output_of(code, NUMBA_DISABLE_JIT="1") == output_of(code)
