"""Histories of batches, where a check of every game (`wilddeck.testing.batches`) does not look."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import wilddeck
from support import Case
from wilddeck.envs.core.batch import Batch
from wilddeck.testing.batches import HISTORY, expect_equal_histories, single_games


def batch_of_tennis(rows: int = 3, threads: int = 1) -> Batch:
    return wilddeck.make_batch("tennis_v0", rows, 7, threads, history=HISTORY)


def test_rows_are_stepped_and_restarted_with_their_histories() -> None:
    batch = batch_of_tennis()
    envs = single_games(Case(batch.game, (), 7), 3)
    action = batch.random_actions()[1]
    batch.step([action], [1])
    envs[1].step(action)
    expect_equal_histories(batch, envs)
    batch.restart([2])
    envs[2].reset()
    expect_equal_histories(batch, envs)


def test_copies_and_threads_tell_the_same() -> None:
    batch, threaded = batch_of_tennis(), batch_of_tennis(threads=2)
    copies = [batch, threaded, copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    for _ in range(30):
        actions = batch.random_actions()
        for other in copies:
            other.step(actions)
            np.testing.assert_array_equal(other.history, batch.history)
            np.testing.assert_array_equal(other.history_length, batch.history_length)
    assert batch.history is not None and not batch.history.flags.writeable
    threaded.close()


def test_games_from_elsewhere_begin_their_histories() -> None:
    batch = batch_of_tennis()
    batch.restore(batch.states.copy())
    assert batch.history is not None and batch.history_length is not None
    assert not batch.history.any() and not batch.history_length.any()
    batch.step(batch.random_actions())
    assert batch.history_length.all()


def test_what_tells_no_histories_refuses(tmp_path: object) -> None:
    batch = batch_of_tennis()
    for call in (lambda: batch.rollout(1), lambda: batch.save(f"{tmp_path}/games")):
        with pytest.raises(ValueError, match="does not support histories; make the batch without `history`"):
            call()
    with pytest.raises(ValueError, match="history must be an integer from 1 to 4,096, not 5000"):
        wilddeck.make_batch("tennis_v0", 2, history=5000)
    with pytest.raises(ValueError, match="history must be an integer from 1 to 4,096, not -1"):
        wilddeck.make_batch("tennis_v0", 2, history=-1)
    without = wilddeck.make_batch("tennis_v0", 2, 1)
    assert without.history is None and without.history_length is None
