"""Random games, and queries of games in progress."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import game_kernels
from ..envs.core.game import as_records
from ..envs.core.rng import start_stream
from .cases import Case
from .checks import expect


@functools.cache
def actions_of(case: Case) -> tuple[int, ...]:
    """The actions of a whole random game of a case."""
    env = case.raw()
    env.reset(seed=case.seed)
    draw = random.Random(case.seed)
    actions: list[int] = []
    longest = case.game.max_length(env.options)
    while not env.is_over:
        legal = env.legal_actions()
        ended = "after step, which did not set `terminated`" if actions else "after begin"
        expect(legal, f"{env.agent_selection} has to move, but has no legal action {ended}", env, "legal_actions")
        expect(len(actions) < longest, f"the game continues after max_length, {longest} moves", env, "step")
        action = draw.choice(legal)
        env.step(action)
        actions.append(action)
    return tuple(actions)


@functools.cache
def moments(case: Case) -> tuple[CardGameEnv, ...]:
    """About forty moments of a random game: its beginning, its last steps, its end, those after a new deal, and others in
    between. Clone them before playing on."""
    actions = actions_of(case)
    numbers = {*range(12), *range(len(actions) - 6, len(actions) + 1), *range(0, len(actions), len(actions) // 20 + 1)}
    env = case.raw()
    env.reset(seed=case.seed)
    games = [env.clone()]
    deals = 1
    for number, action in enumerate(actions, 1):
        env.step(action)
        dealt = int(env.record["deals"][0])
        if number in numbers or (dealt != deals and len(games) < 60):
            games.append(env.clone())
        deals = dealt
    return tuple(games)


@functools.cache
def has_secrets(case: Case) -> bool:
    """Whether in any of these moments a player sees cards that another does not."""
    return any(env.zones(one) != env.zones(env.possible_agents[0]) for env in moments(case) for one in env.possible_agents[1:])


def running(case: Case) -> tuple[CardGameEnv, ...]:
    """The moments with a player to move."""
    return tuple(env for env in moments(case) if env.legal_actions())


@functools.cache
def remembering(case: Case) -> tuple[CardGameEnv, ...]:
    """The same moments, with their histories, computed by interpreted rules; each continues that of the moment before, also at
    the end of the game."""
    for env, following in itertools.pairwise(moments(case)):
        env.history()
        following._history = env._history and env._history.copy()
    return running(case)


def play_random(env: Any, seed: int, steps: int) -> Iterator[int]:
    """Plays up to `steps` random legal actions and the dead agents' None; yields the action after each step."""
    draw = random.Random(seed)
    for _ in range(steps):
        if not env.agents:
            return
        legal = env.unwrapped.legal_actions()
        action = draw.choice(legal) if legal else None
        env.step(action)
        yield -1 if action is None else action


def first_deck(env: CardGameEnv, seed: int) -> list[int]:
    """The deck, as shuffled, of the first deal of the game that `reset(seed=seed)` starts."""
    record = as_records(env.game.template(env.options)).view(np.recarray)
    record["seed"] = np.uint64(seed)
    start_stream(record[0], np.uint64(0))
    env.game.functions["deal"](record[0])
    return record["deck"][0][: len(env.game.deck(env.options))].tolist()


def determinizations(env: CardGameEnv, seat: int, seeds: list[int] | range, of: np.ndarray | None = None) -> np.ndarray:
    """Determinizations of `env` (or of one record `of`) for a seat, one per seed."""
    records = as_records(np.repeat(env.record if of is None else of, len(seeds)))
    numbers = np.array([(seed % 2**64, seed >> 64) for seed in seeds], np.uint64)
    game_kernels(env.game)["determinize_games"](records, seat, numbers)
    return records.view(np.ndarray)


def sight(env: CardGameEnv, seat: int) -> tuple[Any, ...]:
    """All that a seat can observe now: observation and mask, cards by zone, facts, the player to move, the end of the game."""
    agent = env.possible_agents[seat]
    seen = env.observe(agent)
    asked = (seen["observation"].tobytes(), seen["action_mask"].tobytes(), repr(env.zones(agent)), repr(env.facts(agent)))
    return (*asked, env.agent_selection, *env.terminations.values())


def step_alike(batch: Any, envs: Iterable[CardGameEnv]) -> None:
    """Play a random step of a batch, and the same of single games, which are reset when they end."""
    actions = batch.random_actions()
    batch.step(actions)
    for env, action in zip(envs, actions, strict=True):
        env.step(action)
        if env.is_over:
            env.reset()


def snapshot(env: Any) -> dict[str, Any]:
    """All that can be queried of a game in progress, for comparison."""
    raw = env.unwrapped
    seen = {agent: raw.observe(agent) for agent in raw.possible_agents}
    return {
        "record": raw.record.tobytes(),
        "state": raw.state().tobytes(),
        "agents": list(env.agents),
        "selected": env.agent_selection,
        "rewards": dict(env.rewards),
        "returns": dict(raw.returns),
        "terminations": dict(env.terminations),
        "truncations": dict(env.truncations),
        "infos": {agent: {name: value.tolist() for name, value in info.items()} for agent, info in env.infos.items()},
        "cumulative": dict(env._cumulative_rewards),
        "observations": {agent: (view["observation"].tobytes(), view["action_mask"].tobytes()) for agent, view in seen.items()},
        "legal": raw.legal_actions(),
        "zones": raw.zones(),
        "facts": raw.facts(),
        "options": raw.options,
    }
