"""Batches: what they refuse, what can be written to, what they hold."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import wilddeck
from wilddeck.envs.core.batch import Batch


@pytest.fixture
def batch() -> Batch:
    found = wilddeck.make_batch("tennis_v0", 4, seed=3)
    for _ in range(5):
        found.step(found.random_actions())
    return found


def content(batch: Batch) -> tuple[bytes, ...]:
    arrays = (batch.states, batch.observation, batch.action_mask, batch.current_player, batch.rewards, batch.terminated)
    return tuple(array.tobytes() for array in arrays)


def test_arrays(batch: Batch) -> None:
    """As documented: shapes, dtypes, and the sizes as attributes."""
    assert (batch.num_games, batch.num_players, batch.num_actions, len(batch)) == (4, 4, 12, 4)
    for array, shape, dtype in (
        (batch.observation, (4, batch.observation_size), np.float32),
        (batch.action_mask, (4, 12), np.uint8),
        (batch.current_player, (4,), np.int64),
        (batch.rewards, (4, 4), np.float32),
        (batch.terminated, (4,), np.bool_),
        (batch.truncated, (4,), np.bool_),
        (batch.states, (4,), batch.game.state),
    ):
        assert array.shape == shape
        assert array.dtype == dtype
        assert array.flags.c_contiguous
    actions = batch.random_actions()
    assert actions.dtype == np.int64
    assert batch.action_mask[np.arange(4), actions].all()


@pytest.mark.parametrize("name", ["observation", "action_mask", "current_player", "rewards", "terminated", "truncated"])
def test_arrays_are_read_only(batch: Batch, name: str) -> None:
    with pytest.raises(ValueError, match="read-only"):
        getattr(batch, name)[0] = 1


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([1, 2, 3], r"actions must have shape \(4,\), not \(3,\)"),
        ([[1, 2, 3, 4]], r"actions must have shape \(4,\), not \(1, 4\)"),
        (3, r"actions must have shape \(4,\), not \(\)"),
        (None, r"actions must have shape \(4,\), not \(\)"),
        ([1.0, 2.0, 3.0, 4.0], "actions must be integers, not float64"),
        ([True, True, True, True], "actions must be integers, not bool"),
        (["a", "b", "c", "d"], "actions must be integers, not <U1"),
        ([None, 1, 2, 3], "actions must be integers, not object"),
    ],
)
def test_actions_of_a_wrong_kind(batch: Batch, actions: Any, message: str) -> None:
    before = content(batch)
    with pytest.raises(ValueError, match=message):
        batch.step(actions)
    assert content(batch) == before


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("bad", [-1, 12, 2**40, "illegal"])
def test_an_illegal_action_names_its_row_and_changes_nothing(row: int, threads: int, bad: Any) -> None:
    batch = wilddeck.make_batch("tennis_v0", 4, seed=3, threads=threads)
    before = content(batch)
    actions = batch.random_actions()
    actions[row] = np.flatnonzero(batch.action_mask[row] == 0)[0] if bad == "illegal" else bad
    legal = np.flatnonzero(batch.action_mask[row])
    expected = f"row {row}: action {actions[row]} is not legal; legal actions: {legal[0]}, .* No game was changed"
    with pytest.raises(ValueError, match=expected):
        batch.step(actions)
    assert content(batch) == before
    batch.close()


def test_actions_of_all_integer_kinds(batch: Batch) -> None:
    for kind in (np.int8, np.uint8, np.int32, np.uint64):
        batch.step(batch.random_actions().astype(kind))
    batch.step(batch.random_actions().tolist())
    batch.step(np.repeat(batch.random_actions(), 2)[::2])
    actions = batch.random_actions().astype(np.uint64)
    actions[2] = 2**64 - 1
    with pytest.raises(ValueError, match="row 2: action"):
        batch.step(actions)


@pytest.mark.parametrize("value", [0, -1, 1.5, "4", None])
def test_counts(value: Any) -> None:
    with pytest.raises(ValueError, match="num_games must be an integer of at least 1"):
        wilddeck.make_batch("tennis_v0", value)
    with pytest.raises(ValueError, match="threads must be an integer of at least 1"):
        wilddeck.make_batch("tennis_v0", 2, threads=value)
    with pytest.raises(ValueError, match="steps must be an integer of at least 1"):
        wilddeck.make_batch("tennis_v0", 2).rollout(value)


def test_policies(batch: Batch) -> None:
    for policy in ("rules", None, 5):
        with pytest.raises(ValueError, match="policy"):
            batch.rollout(1, policy=policy)


def test_reset_starts_anew(batch: Batch) -> None:
    fresh = wilddeck.make_batch("tennis_v0", 4, seed=8)
    batch.reset(seed=8)
    assert content(batch) == content(fresh)
    np.testing.assert_array_equal(batch.random_actions(), fresh.random_actions())
    batch.reset()
    assert content(batch) != content(fresh)


def test_nothing_grows_with_steps() -> None:
    """The arrays stay the same objects, and repeated steps and rollouts leave no memory behind."""
    batch = wilddeck.make_batch("tennis_v0", 64, seed=1)
    arrays = [batch.states, batch.observation, batch.action_mask, batch.rewards]
    places = [array.ctypes.data for array in arrays]

    def play() -> None:
        for _ in range(50):
            batch.step(batch.random_actions())
        batch.rollout(50)

    play()
    tracemalloc.start()
    play()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(3):
        play()
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 4096
    assert peak - before < 20_000
    assert places == [array.ctypes.data for array in (batch.states, batch.observation, batch.action_mask, batch.rewards)]


def test_memory_is_that_of_the_arrays() -> None:
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    batch = wilddeck.make_batch("tennis_v0", 2000, seed=1)
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    row = batch.game.state.itemsize + 4 * batch.observation_size + batch.num_actions + 4 * batch.num_players + 8 + 8 + 8 + 2
    assert held < 2000 * row * 1.02 + 50_000
