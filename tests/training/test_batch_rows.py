"""Stepping some rows of a batch and going on from copied games: what the self-play environment stands on."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import wilddeck

PER_ROW = ("observation", "action_mask", "current_player", "rewards", "terminated", "truncated", "states")


def content(batch, row):
    return [getattr(batch, name)[row].tobytes() for name in PER_ROW]


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_stepped_apart_equal_a_batch_stepped_at_once(threads):
    n = 12
    whole = wilddeck.make_batch("tennis_v0", num_games=n, seed=3)
    parts = wilddeck.make_batch("tennis_v0", num_games=n, seed=3, threads=threads)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(600):
        actions = whole.random_actions()
        first = rng.random(n) < 0.4
        before = [content(parts, row) for row in range(n)]
        parts.step(actions[first], rows=np.flatnonzero(first))
        for row in np.flatnonzero(~first):
            assert content(parts, row) == before[row]
        parts.step(actions[~first], rows=np.flatnonzero(~first))
        whole.step(actions)
        ended += whole.terminated.sum()
        assert all(content(parts, row) == content(whole, row) for row in range(n))
    assert ended > n  # autoreset was part of it
    parts.close()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([1, 1], "ascending"),
        ([2, 0], "ascending"),
        ([0, 4], "within 0..3"),
        ([-1, 0], "within 0..3"),
        ([0.0, 1.0], "rows must be integers"),
        ([[0, 1]], "rows must be integers"),
        ([True, False], "rows must be integers"),
    ],
)
def test_bad_rows_change_nothing(rows, message):
    batch = wilddeck.make_batch("tennis_v0", num_games=4, seed=1)
    before = batch.states.tobytes()
    with pytest.raises(ValueError, match=message):
        batch.step(batch.random_actions()[:2], rows=rows)
    assert batch.states.tobytes() == before


def test_actions_of_some_rows_are_checked():
    batch = wilddeck.make_batch("tennis_v0", num_games=4, seed=1)
    before = batch.states.tobytes()
    legal = batch.random_actions()
    with pytest.raises(ValueError, match=r"shape \(2,\), not \(4,\)"):
        batch.step(legal, rows=[0, 3])
    illegal = int(np.flatnonzero(batch.action_mask[3] == 0)[0])
    with pytest.raises(ValueError, match=f"row 3: action {illegal} is not legal"):
        batch.step([legal[0], illegal], rows=[0, 3])
    batch.step(np.zeros(0, np.int64), rows=np.zeros(0, np.int64))
    assert batch.states.tobytes() == before


def test_restored_games_go_on_as_the_ones_they_were_copied_from():
    batch = wilddeck.make_batch("tennis_v0", num_games=5, seed=1)
    for _ in range(40):
        batch.step(batch.random_actions())
    other = wilddeck.make_batch("tennis_v0", num_games=5, seed=9)
    other.restore(batch.states.copy())
    for _ in range(300):
        assert (other.observation == batch.observation).all() and (other.action_mask == batch.action_mask).all()
        actions = batch.random_actions()
        batch.step(actions)
        other.step(actions)
        assert other.states.tobytes() == batch.states.tobytes()


def test_restore_refuses_other_games():
    batch = wilddeck.make_batch("tennis_v0", num_games=2, seed=1)
    before = batch.states.tobytes()
    with pytest.raises(ValueError, match=r"shape \(2,\), not \(1,\)"):
        batch.restore(batch.states[:1])
    with pytest.raises(ValueError, match="not records of tennis_v0"):
        batch.restore(np.zeros(2))
    with pytest.raises(ValueError, match="row 0: num_players is 3, allowed: 4"):
        batch.restore(wilddeck.make_batch("tennis_v0", num_games=2, num_players=3).states)
    assert batch.states.tobytes() == before


def test_threads_that_call_a_kernel_first_share_its_cached_program():
    compiler = pytest.importorskip("wilddeck.envs.core.compiler")
    function = compiler.DeviceFunction(lambda: 0, None)
    caches = []
    second = threading.Thread(target=lambda: caches.append(function.program._cache))

    def make_cache(_):
        second.start()
        second.join(0.2)  # time enough to be handed a program that has no cache yet
        return "cache"

    function._make_cache = make_cache
    caches.append(function.program._cache)
    second.join()
    assert caches == ["cache", "cache"]
