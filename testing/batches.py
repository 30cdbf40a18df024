"""Batches, compared row by row with single games: observations of all seats, states, labels, histories; and saved batches."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import Batch
from ..envs.core.tokens import TOKEN, encode_history, token_sizes
from .cases import Case
from .checks import check, expect, same
from .played import step_alike

ROWS = 3
HISTORY = 40  # tokens


def single_games(case: Case, rows: int) -> list[CardGameEnv]:
    """Single games equal to a batch's rows."""
    envs = [case.raw() for _ in range(rows)]
    for row, env in enumerate(envs):
        env.reset(seed=case.seed + row)
    return envs


def side_by_side(case: Case, steps: int) -> tuple[Batch, list[CardGameEnv]]:
    """A batch and the single games equal to its rows, after the same steps."""
    batch, envs = case.batch(ROWS, seed=case.seed), single_games(case, ROWS)
    for _ in range(steps):
        step_alike(batch, envs)
    return batch, envs


@check("observe", "labels", compiled=True)
def check_a_batch_shows_what_single_games_show(case: Case) -> None:
    """Every seat's observation is equal, byte for byte; observing changes nothing."""
    for steps in (0, 9):
        batch, envs = side_by_side(case, steps)
        before = batch.states.tobytes()
        seen = {agent: batch.observe(seat) for seat, agent in enumerate(envs[0].possible_agents)}
        for agent, arrays in seen.items():
            for row, env in enumerate(envs):
                same(arrays[row], env.observe(agent)["observation"], f"{agent} observes something different in a batch", env)
        same(batch.observe(batch.current_player), batch.observation, "a batch's observation is not for the player to move")
        same(batch.state_vectors(), np.stack([env.state() for env in envs]), "a batch's state vectors are not the games'")
        critic, private = batch.critic_observation(), batch.game.private_slices(batch.num_players).values()
        for row, env in enumerate(envs):
            others = [(env.current_player + step) % env.num_players for step in range(1, env.num_players)]
            shares = [batch.observation[row], *(seen[f"player_{seat}"][row, where] for seat in others for where in private)]
            same(critic[row], np.concatenate(shares), "a critic's observation must be all private blocks", env)
            legal = batch.legal_actions(row)
            same(legal, env.legal_actions(), "a batch's legal actions differ from the single game's", env, "legal_actions")
            for action in legal[:5]:
                text = batch.action_label(row, action)
                same(text, env.action_label(action), f"a batch labels action {action} differently", env, "labels")
                same(batch.action_from_label(row, text), action, f"a batch misreads the label {text!r}", env, "labels")
        same(batch.states.tobytes(), before, "observing a batch changes its states")
        same(batch.observation_layout, envs[0].observation_layout, "a batch's observation layout differs")
        same(batch.state_layout, case.game.state_layout, "a batch's state layout differs")
        same(
            max(where.stop for where in batch.state_layout.values()),
            envs[0].state().size,
            "state layout and vector differ in size",
        )


def content(batch: Batch) -> dict[str, Any]:
    names = ("states", "observation", "action_mask", "current_player", "rewards", "terminated", "truncated")
    return {name: getattr(batch, name).tobytes() for name in names}


@check("step", compiled=True)
def check_a_saved_batch_goes_on_exactly(case: Case) -> None:
    batch, _ = side_by_side(case, 7)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games" / "first.batch"
        batch.save(path)
        with Batch.load(path, case.game, threads=2) as other:
            same(other.options, batch.options, "a loaded batch differs from the saved one in its options")
            same(content(other), content(batch), "a loaded batch differs from the saved one")
            for step in range(20):
                actions = batch.random_actions()
                same(other.random_actions(), actions, f"a loaded batch draws different random actions in step {step}")
                batch.step(actions)
                other.step(actions)
                same(content(other), content(batch), f"a loaded batch differs from the saved one after step {step}")


@check("step", scope="first", compiled=True, full=True)
def check_a_batch_tells_what_single_games_tell(case: Case) -> None:
    """Histories are equal, token by token, also across games, and tokens are within their vocabulary."""
    batch, envs = case.batch(2, case.seed, history=HISTORY), single_games(case, 2)
    expect_equal_histories(batch, envs)
    for _ in range(60):
        step_alike(batch, envs)
        expect_equal_histories(batch, envs)
        assert batch.history is not None
        for column, size in token_sizes(batch.num_players, len(batch.game.cards)).items():
            values = batch.history[:, :, TOKEN.index(column)]
            good = values.min() >= 0 and values.max() < size
            expect(good, f"a token has {column} {values.min()}..{values.max()}, outside its vocabulary 0..{size - 1}")


def expect_equal_histories(batch: Batch, envs: list[CardGameEnv], size: int = HISTORY) -> None:
    assert batch.history is not None and batch.history_length is not None
    for row, env in enumerate(envs):
        events = env.history(env.agent_selection)
        tokens, length = encode_history(events, env.current_player, env.num_players, size)
        same(batch.history[row], tokens, f"the history of {env.agent_selection} in a batch differs from the single game's", env)
        same(int(batch.history_length[row]), length, f"the history length of {env.agent_selection} in a batch differs", env)
