"""A population is harder to exploit than self-play alone. It takes minutes, so that it runs with the frameworks' tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kuhn
import pytest
from wilddeck.agents import learned
from wilddeck.agents.learned import LearnedAgent
from wilddeck.training import population
from wilddeck.training.population import train_population
from wilddeck.training.ppo import PPO
from wilddeck.training.settings import Settings

pytest.importorskip("ray")

KUHN: dict[str, Any] = {
    "num_envs": 32,
    "rollout_steps": 64,
    "batch_size": 1024,
    "hidden": (32,),
    "learning_rate": 6e-3,
    "ent_coef": 0.05,
    "reward_scale": 0.5,
}


def self_play(seed: int, steps: int) -> LearnedAgent:
    settings = Settings.make({**population.DEFAULTS, "game": kuhn.GAME.id, "seed": seed, "self_play_prob": 1.0, **KUHN})
    learner = PPO(settings, kuhn.GAME, kuhn.GAME.make_options({}), [], None, 0.5, lambda: 1 - learner.steps / steps)
    while learner.steps < steps:
        learner.update()
    learner.close()
    return learner.agent()


def test_it_is_less_exploitable_than_self_play(tmp_path: Path) -> None:
    """After as many decisions of the learner, in Kuhn poker, where a best response is exact."""
    settings: dict[str, Any] = {"exploiters": 1, "round_steps": 20_000, "generation": 4, "total_steps": 800_000, **KUHN}
    together, alone = [], []
    for seed in range(2):
        run = train_population(kuhn.GAME, out=tmp_path / str(seed), seed=seed, **settings)
        together.append(kuhn.worth(kuhn.policy_of(learned.load(run.weights, kuhn.GAME))))
        alone.append(kuhn.worth(kuhn.policy_of(self_play(seed, run.steps))))
    assert sum(together) < 0.8 * sum(alone), (together, alone)
