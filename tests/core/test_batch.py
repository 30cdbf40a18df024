"""Batches: what they refuse, what can be written to, what they hold."""

from __future__ import annotations

import copy
import multiprocessing
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wilddeck
from wilddeck.envs.core import memory
from wilddeck.envs.core.batch import Batch


@pytest.fixture
def batch() -> Batch:
    played = wilddeck.make_batch("tennis_v0", 4, seed=3)
    for _ in range(5):
        played.step(played.random_actions())
    return played


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
    with pytest.raises(ValueError, match="threads must be an integer from 1 to 1,024"):
        wilddeck.make_batch("tennis_v0", 2, threads=value)
    with pytest.raises(ValueError, match="steps must be an integer from 1 to"):
        wilddeck.make_batch("tennis_v0", 2).rollout(value)


def test_more_than_there_can_be_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (10**12, 10**18, 10**30):
        with pytest.raises(ValueError, match=rf"num_games={number} needs about .* TiB of memory, but only .* are free"):
            wilddeck.make_batch("tennis_v0", number)
        with pytest.raises(ValueError, match=f"threads must be an integer from 1 to 1,024, not {number}"):
            wilddeck.make_batch("tennis_v0", 2, threads=number)
    batch = wilddeck.make_batch("tennis_v0", 2)
    before = content(batch)
    with pytest.raises(ValueError, match="steps must be an integer from 1 to"):
        batch.rollout(10**30)
    assert content(batch) == before
    monkeypatch.setattr(memory, "available", lambda: batch_bytes(batch) - 1)
    with pytest.raises(ValueError, match=r"num_games=2 needs about [\d.]+ \w+ of memory, but only [\d.]+ \w+ are free"):
        wilddeck.make_batch("tennis_v0", 2)
    monkeypatch.setattr(memory, "available", lambda: batch_bytes(batch) + 100)
    wilddeck.make_batch("tennis_v0", 2)
    monkeypatch.setattr(memory, "available", lambda: None)
    wilddeck.make_batch("tennis_v0", 2)


def batch_bytes(batch: Batch) -> int:
    """Of the arrays that a batch shows."""
    arrays = (batch.states, batch.observation, batch.action_mask, batch.current_player, batch.rewards)
    return sum(array.nbytes for array in (*arrays, batch.terminated, batch.truncated))


def test_free_memory_is_what_the_system_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    free = memory.available()
    assert free is None or free > 2**20
    meminfo, limit = tmp_path / "meminfo", tmp_path / "memory.max"
    meminfo.write_text("MemTotal:  9 kB\nMemAvailable:       4000 kB\nSwapFree:  96 kB\n")
    monkeypatch.setattr(memory, "_MEMINFO", meminfo)
    monkeypatch.setattr(memory, "_CGROUP", limit)
    assert memory.available() == 4096 * 1024
    for text, expected in (("max\n", 4096 * 1024), ("1000\n", 1000), ("9999999999\n", 4096 * 1024)):
        limit.write_text(text)
        assert memory.available() == expected
    meminfo.unlink()
    assert memory.available() is not None


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


def test_rows_begin_their_next_game(batch: Batch) -> None:
    """The one that `reset()` of the PettingZoo environment begins; the other rows go on, and the last step's rewards stay."""
    before = content(batch)
    batch.restart(np.arange(0))
    assert content(batch) == before
    env = wilddeck.envs.raw_env("tennis_v0")
    env.reset(seed=4)
    env.reset()
    rewards, others = batch.rewards.copy(), batch.states[[0, 2, 3]].tobytes()
    batch.restart([1])
    seen = env.observe(env.agent_selection)
    assert batch.states[1].tobytes() == env.record[0].tobytes()
    assert batch.observation[1].tobytes() == seen["observation"].tobytes()
    assert batch.action_mask[1].tolist() == seen["action_mask"].tolist()
    assert batch.current_player[1] == env.current_player
    assert batch.states[[0, 2, 3]].tobytes() == others
    np.testing.assert_array_equal(batch.rewards, rewards)
    for bad in ([4], [1, 1], 1, [0.5]):
        with pytest.raises(ValueError, match="rows must be"):
            batch.restart(bad)


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


def stepped(batch: Batch) -> bytes:
    for _ in range(5):
        batch.step(batch.random_actions())
    return b"".join(content(batch))


def in_a_fork(work: Callable[[], bytes], seconds: float = 60.0) -> bytes:
    """What `work` gives in a forked child, which is ended if it takes longer."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send_bytes(work()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # from Python 3.12 on, of forks beside threads
        child.start()
    try:
        assert receiver.poll(seconds), "the child hangs"
        return receiver.recv_bytes()
    finally:
        child.kill()
        child.join()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no forks here")
def test_threads_in_a_forked_process() -> None:
    """Threads do not follow into it: a batch makes them anew there, and its own stand as they were."""
    batch, same = (wilddeck.make_batch("tennis_v0", 64, seed=1, threads=2) for _ in range(2))
    stepped(batch)
    stepped(same)
    expected = stepped(same)

    def closed() -> bytes:
        batch.close()
        return stepped(batch)

    def forked_again() -> bytes:
        return in_a_fork(lambda: stepped(batch))

    for work in (lambda: stepped(batch), closed, forked_again, lambda: stepped(copy.copy(batch))):
        assert in_a_fork(work) == expected
    assert stepped(batch) == expected
    batch.close()
    same.close()
    assert stepped(batch) == stepped(same), "closed threads are made anew"


def test_calls_that_take_arrays_to_torch(batch: Batch) -> None:
    """Those which the documentation names copy and do not warn (a warning is an error here)."""
    torch = pytest.importorskip("torch")
    arrays = (batch.observation, batch.action_mask, batch.current_player, batch.rewards, batch.terminated, batch.truncated)
    kept = [torch.tensor(array) for array in arrays] + [torch.from_numpy(array.copy()) for array in arrays]
    before = [array.tobytes() for array in arrays] * 2
    batch.step(batch.random_actions())
    assert [tensor.numpy().tobytes() for tensor in kept] == before
    assert batch.observation.tobytes() != before[0]


def test_calls_that_take_arrays_to_torch_from_training() -> None:
    """The vector environment hands out fresh arrays; they may be shared and written to."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    from wilddeck.agents.random import RandomAgent
    from wilddeck.seats.sb3_vec_env import SelfPlayVecEnv

    game = wilddeck.envs.game("tennis_v0")
    env = SelfPlayVecEnv(game, game.make_options({}), [RandomAgent()], num_envs=4, seed=1)
    kept = [env.reset(), env.action_masks()]
    before = [array.tobytes() for array in kept]
    tensors = [torch.as_tensor(array) for array in kept]
    env.step(kept[1].argmax(axis=1))
    assert [tensor.numpy().tobytes() for tensor in tensors] == before
    env.close()
