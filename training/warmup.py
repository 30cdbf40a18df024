"""Compile everything that playing a game and training on it need, ahead of their first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import envs
from ..agents import rules
from ..agents.base import Agent, PolicyAgent, View
from ..agents.learned import LearnedAgent
from ..agents.random import RandomAgent
from ..agents.search import SearchAgent
from ..agents.views import Views
from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import Batch
from ..envs.core.game import Game, Options
from ..envs.core.kernels import BEGIN
from ..envs.core.tokens import Log, history_kernels
from ..seats.opponents import Pool
from .ppo import PPO
from .settings import Settings


def warmup(
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> None:
    """Compile the code of a game for batches, single games, search, leagues, evaluation, OpenSpiel's algorithms, single-seat
    environments and training, or load it from numba's cache. The compiled code does not depend on the options.

    Args:
        game, options: a game or its id, and options or a mapping.
        progress: called before each part with its name, its number (from 1) and the number of parts.
    """
    game, checked = envs.resolve(game, options)
    for number, (name, part) in enumerate(_PARTS.items(), 1):
        if progress is not None:
            progress(name, number, len(_PARTS))
        part(game, checked)


def _batches(game: Game, options: Options) -> None:
    batch = Batch(game, options, 2, seed=0)
    batch.step(batch.random_actions())
    batch.step(batch.random_actions()[1:], [1])
    batch.rollout(1)
    telling = Batch(game, options, 1, seed=0, history=1)
    telling.step(telling.random_actions())
    state, log = game.template(options), Log(game)  # single steps, as OpenSpiel's algorithms make them
    history_kernels(game)["step_logged"](
        state, *log.arrays, BEGIN, np.empty(batch.observation_size, np.float32), np.empty(batch.num_actions, np.uint8)
    )


def _single_games(game: Game, options: Options) -> None:
    env = CardGameEnv(game, options)
    env.reset(seed=0)
    env.step(env.legal_actions()[0])
    for agent in env.agents:
        env.observe(agent)
    env.determinize("player_0", seed=0)
    env.reset()


def _rules(game: Game, options: Options) -> None:
    for policy in rules.policies(game):
        _act(game, options, PolicyAgent("rules", policy, options.num_players))


def _search(game: Game, options: Options) -> None:
    env = CardGameEnv(game, options)
    env.reset(seed=0)
    env.step(env.legal_actions()[0])  # which is played again
    if env.is_over:
        env.reset(seed=0)
    view = View.of(env)
    players: list[Any] = [RandomAgent(), *([rules.make(game, options)] if rules.policies(game) else [])]
    for player in players:
        Batch(game, options, 1, seed=0).rollout(1, player.policy)
    for player in [*players, _network(game, options)]:
        SearchAgent(game, options, policy=player).playouts(view, view.legal_actions[:1], 1, seed=0)


def _networks(game: Game, options: Options) -> None:
    agent, batch = _network(game, options), Batch(game, options, 1, seed=0)
    _act(game, options, agent)
    agent.action_probs(batch.observation[0], batch.action_mask[0])


def _seats(game: Game, options: Options) -> None:
    batch, pool = Batch(game, options, 2, seed=0), Pool(game, [_network(game, options)])
    seats = pool.seats(batch, 0)
    seats.asked[:] = batch.current_player
    pool.play(batch, np.arange(2), seats)


def _learning(game: Game, options: Options) -> None:
    settings = Settings(game.id, num_envs=1, rollout_steps=1, hidden=(1,), fixed_opponents=(), self_play_prob=1.0, threads=1)
    PPO(settings, game, options, [], None, 1.0, lambda: 1.0).update()


_PARTS: dict[str, Callable[[Game, Options], None]] = {
    "batches": _batches,
    "single games": _single_games,
    "rule-based agents": _rules,
    "search": _search,
    "networks": _networks,
    "training": _learning,
    "single-seat environments": _seats,
}


def _network(game: Game, options: Options) -> LearnedAgent:
    sizes = game.observation_size(options), game.num_actions(options)
    return LearnedAgent([(np.zeros(sizes, np.float32), np.zeros(sizes[1], np.float32))])


def _act(game: Game, options: Options, agent: Agent) -> None:
    batch = Batch(game, options, 1, seed=0)
    agent.act_batch(Views.of(batch.observation, batch.action_mask), np.random.default_rng(0))
