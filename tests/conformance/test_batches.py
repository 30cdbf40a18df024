"""Batches row by row beside single games: what any seat sees, the whole truth, labels; and saves of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import wilddeck
from support import Case, each_case, step_alike
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.batch import Batch

ROWS = 3


def side_by_side(case: Case, steps: int) -> tuple[Batch, list[CardGameEnv]]:
    """A batch and single games that have come to the same point."""
    batch, envs = case.batch(ROWS, seed=case.seed), [case.raw() for _ in range(ROWS)]
    for row, env in enumerate(envs):
        env.reset(seed=case.seed + row)
    for _ in range(steps):
        step_alike(batch, envs)
    return batch, envs


@each_case
def test_a_batch_shows_what_single_games_show(case: Case) -> None:
    """To every seat, byte for byte, and no more; looking changes nothing."""
    for steps in (0, 9):
        batch, envs = side_by_side(case, steps)
        before = batch.states.tobytes()
        seen = {agent: batch.observe(seat) for seat, agent in enumerate(envs[0].possible_agents)}
        for agent, arrays in seen.items():
            for row, env in enumerate(envs):
                assert arrays[row].tobytes() == env.observe(agent)["observation"].tobytes()
        assert batch.observe(batch.current_player).tobytes() == batch.observation.tobytes()
        assert batch.state_vectors().tobytes() == np.stack([env.state() for env in envs]).tobytes()
        critic, private = batch.critic_observation(), batch.game.private_slices(batch.num_players).values()
        for row, env in enumerate(envs):
            others = [(env.current_player + step) % env.num_players for step in range(1, env.num_players)]
            shares = [batch.observation[row], *(seen[f"player_{seat}"][row, where] for seat in others for where in private)]
            assert critic[row].tobytes() == np.concatenate(shares).tobytes()
            legal = batch.legal_actions(row)
            assert legal == env.legal_actions()
            for action in legal[:5]:
                text = batch.action_label(row, action)
                assert text == env.action_label(action)
                assert batch.action_from_label(row, text) == action
        assert batch.states.tobytes() == before
        assert (batch.observation_layout, batch.state_layout) == (envs[0].observation_layout, case.game.state_layout)
        assert max(where.stop for where in batch.state_layout.values()) == envs[0].state().size


def content(batch: Batch) -> dict[str, Any]:
    names = ("states", "observation", "action_mask", "current_player", "rewards", "terminated", "truncated")
    return {name: getattr(batch, name).tobytes() for name in names}


@each_case
def test_a_saved_batch_goes_on_exactly(case: Case, tmp_path: Path) -> None:
    batch, _ = side_by_side(case, 7)
    path = tmp_path / "games" / "first.batch"
    batch.save(path)
    with wilddeck.load_batch(path, threads=2) as other:
        assert other.options == batch.options and other.game is batch.game
        assert content(other) == content(batch)
        for _ in range(20):
            actions = batch.random_actions()
            np.testing.assert_array_equal(actions, other.random_actions())
            batch.step(actions)
            other.step(actions)
            assert content(other) == content(batch)
