"""Histories of batches, in compiled code, beside those of single games, which play them again as plain Python."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import wilddeck
from support import Case, cases, first_of, step_alike
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.batch import Batch
from wilddeck.envs.core.tokens import TOKEN, encode_history, token_sizes

SIZE = 40


def single_games(batch: Batch, seed: int) -> list[CardGameEnv]:
    envs = [wilddeck.envs.raw_env(batch.game.id) for _ in range(batch.num_games)]
    for row, env in enumerate(envs):
        env.reset(seed=seed + row)
    return envs


def assert_equal_histories(batch: Batch, envs: list[CardGameEnv], size: int = SIZE) -> None:
    assert batch.history is not None and batch.history_length is not None
    for row, env in enumerate(envs):
        events = env.history(env.agent_selection)
        tokens, length = encode_history(events, env.current_player, env.num_players, size)
        np.testing.assert_array_equal(batch.history[row], tokens)
        assert batch.history_length[row] == length


@first_of("case", [case for case in cases() if not case.options], ids=str)
def test_a_batch_tells_what_single_games_tell(case: Case) -> None:
    """Token by token, from game to game, and each within its vocabulary."""
    batch = wilddeck.make_batch(case.game_id, 2, case.seed, history=SIZE)
    envs = single_games(batch, case.seed)
    assert_equal_histories(batch, envs)
    for _ in range(60):
        step_alike(batch, envs)
        assert_equal_histories(batch, envs)
        assert batch.history is not None
        for column, size in token_sizes(batch.num_players).items():
            values = batch.history[:, :, TOKEN.index(column)]
            assert values.min() >= 0 and values.max() < size


def batch_of_tennis(rows: int = 3, threads: int = 1) -> Batch:
    return wilddeck.make_batch("tennis_v0", rows, 7, threads, history=SIZE)


def test_rows_are_stepped_and_restarted_with_their_histories() -> None:
    batch = batch_of_tennis()
    envs = single_games(batch, 7)
    action = batch.random_actions()[1]
    batch.step([action], [1])
    envs[1].step(action)
    assert_equal_histories(batch, envs)
    batch.restart([2])
    envs[2].reset()
    assert_equal_histories(batch, envs)


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
    for call in (lambda: batch.rollout(1), lambda: batch.save(f"{tmp_path}/games"), lambda: batch.drive(None, np.arange(3))):
        with pytest.raises(ValueError, match="keeps no histories: make the batch without `history`"):
            call()
    with pytest.raises(ValueError, match="history must be an integer from 1 to 4,096, not 5000"):
        wilddeck.make_batch("tennis_v0", 2, history=5000)
    with pytest.raises(ValueError, match="history must be an integer from 1 to 4,096, not -1"):
        wilddeck.make_batch("tennis_v0", 2, history=-1)
    without = wilddeck.make_batch("tennis_v0", 2, 1)
    assert without.history is None and without.history_length is None
