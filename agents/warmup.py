"""Compile all that playing a game needs, so that nothing has to wait later."""

from __future__ import annotations

import numpy as np

from ..envs.core.batch import Batch
from ..envs.core.game import Game, Options
from . import make
from .base import Agent
from .play import play_game


def warmup(game: Game, options: Options | None = None) -> None:
    """Compile a game's batches, rollouts, single games and agents, or load them from numba's cache."""
    checked: Options = options or game.make_options({})
    batch = Batch(game, checked, 2, seed=0)
    batch.step(batch.random_actions())
    batch.rollout(1)
    rules = make("rules", game, checked)
    rules.act_batch(batch.observation, batch.action_mask, np.random.default_rng(0))
    search = make("mc:rollouts=2", game, checked)
    agents: list[Agent] = [search, *[make("random", game, checked)] * (checked.num_players - 1)]
    play_game(game, checked, agents, seed=0)
