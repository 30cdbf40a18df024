"""PPO in one file: what it learns from, and that it learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
import torch
from wilddeck import agents
from wilddeck.frameworks import cleanrl
from wilddeck.training.evaluate import evaluate

TINY = {"num_envs": 8, "num_steps": 48, "total_steps": 600, "minibatch": 64, "hidden": 8, "epochs": 2}


def settings(**values: Any) -> Any:
    return cleanrl.parsed([f"--{name.replace('_', '-')}={value}" for name, value in {**TINY, **values}.items()])


@pytest.mark.long
def test_it_trains_and_writes_an_agent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[int] = []
    where = tmp_path / "agent.safetensors"
    agent = cleanrl.train(settings(out=where), lambda done, agent: told.append(done))
    assert capsys.readouterr().out.count("decisions") == len(told) > 2 and told[-2] < 600 <= told[-1]
    loaded = agents.make(str(where), "tennis_v0", {})
    assert isinstance(loaded, type(agent)) and loaded.greedy
    assert all((a == b).all() for a, b in zip(agent.tensors().values(), loaded.tensors().values(), strict=True))
    again = cleanrl.train(settings())
    assert all((a == b).all() for a, b in zip(agent.tensors().values(), again.tensors().values(), strict=True))


@pytest.mark.parametrize("share", [0.0, 0.6])
def test_it_learns_from_its_own_choices_on_all_seats(share: float) -> None:
    """With a critic that expects nothing: targets are what a seat got from a decision on, and advantages as much."""
    steps, rows = 200, np.arange(8)
    games = cleanrl.Games(settings(opponent_share=share, opponents="random", gae_lambda=1.0, num_steps=steps))
    batch = games.batch
    sizes = batch.observation_size, batch.critic_observation().shape[1]
    torch.manual_seed(1)
    policy, critic = cleanrl.network(sizes[0], 8, batch.num_actions, 1.0), cleanrl.network(sizes[1], 8, 1, 0.0)
    players, seats, rewards, dones = [], [], [], []
    step = batch.step

    def recorded(actions: np.ndarray) -> None:
        free = batch.action_mask.sum(axis=1) > 1
        players.append(np.where(free, games.players[rows, batch.current_player], -1))
        seats.append(batch.current_player.copy())
        step(actions)
        rewards.append(batch.rewards.copy())
        dones.append(batch.terminated | batch.truncated)

    batch.step = recorded  # type: ignore[method-assign]
    decisions = games.play(policy, critic)
    expected = []
    for t, row in np.argwhere(np.array(players) == 0):
        end = next((k for k in range(t, steps) if dones[k][row]), None)
        last = steps if end is None else end + 1
        own = [k for k in range(t, last) if players[k][row] == 0 and seats[k][row] == seats[t][row]]
        until = last if end is not None else own[-1]  # what came after the last decision is not known yet
        if until > t:
            expected.append(sum(float(rewards[k][row, seats[t][row]]) for k in range(t, until)))
    assert np.allclose(decisions.targets, games.scale * np.array(expected), atol=1e-5) and np.any(expected)
    assert torch.equal(decisions.advantages, decisions.targets)
    assert ((np.array(players) > 0).mean() > 0.2) == (share > 0)
    assert (decisions.legal.sum(dim=1) > 1).all() and decisions.legal.gather(1, decisions.actions[:, None]).all()
    every = cleanrl.log_probs(policy, decisions.seen, decisions.legal)
    assert torch.allclose(every.gather(1, decisions.actions[:, None])[:, 0], decisions.likely, atol=1e-5)
    assert torch.equal(decisions.shown[:, : sizes[0]], decisions.seen) and decisions.shown.shape[1] == sizes[1]


def test_who_plays_the_seats_of_a_game() -> None:
    """In every game a team is the network's, and partners are the same player."""
    games = cleanrl.Games(settings(game="spades_v0", num_envs=400, opponent_share=1.0, opponents="random random"))
    assert (games.players == 0).any(axis=1).all() and (games.players > 0).any(axis=1).all()
    assert (games.players[:, 0] == games.players[:, 2]).all() and (games.players[:, 1] == games.players[:, 3]).all()
    assert set(np.unique(games.players)) == {0, 1, 2}
    assert not cleanrl.Games(settings(opponents="")).players.any()


@pytest.mark.long
def test_it_learns() -> None:
    """Who does not wins a quarter of the games."""
    torch.set_num_threads(1)
    agent = cleanrl.train(settings(num_envs=64, num_steps=96, total_steps=60_000, minibatch=512, hidden=64, epochs=4))
    assert evaluate(agent, "tennis_v0", against=["random"], games=1000, seed=1)["random"].win_rate > 0.5
