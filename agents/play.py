"""Games between agents: one game, thousands at once, and evaluations from every seat or team."""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import envs
from ..envs.core import memory
from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import MAX_SEED, MAX_THREADS, Batch, check_count, check_seed, fresh_seed
from ..envs.core.game import Game, Options
from ..envs.core.jit import begins_interpreted
from .base import Agent, AgentError, View
from .seeds import agent_seed, keyed
from .specs import make
from .views import BatchViews, most_history

BLOCK = 1024  # games played together; fixed, so that results do not depend on the number of threads


@dataclass(frozen=True)
class GameResult:
    """A finished game.

    Attributes:
        returns: float64 [P], the sum of each seat's rewards.
        actions: all actions in order.
        seeds: the seed of each seat's agent.
    """

    returns: np.ndarray
    actions: list[int]
    seeds: list[int]


def seat_seed(seed: int, seat: int) -> int:
    """The seed of a seat's agent in the game with this seed, 0..2**64-1. The game's seed cannot be computed from it."""
    return agent_seed(check_seed(seed), seat)


def legal_action(agent: Agent, view: View, rng: np.random.Generator) -> int:
    """The agent's action, checked.

    Raises:
        AgentError: the answer is not legal.
    """
    answer = agent.act(view, rng)
    try:
        action = operator.index(answer)
    except TypeError:
        action = -1
    if not 0 <= action < len(view.action_mask) or not view.action_mask[action]:
        legal = view.legal_actions
        listed = ", ".join(f"{choice} ({view.label(choice)})" for choice in legal[:6].tolist())
        rest = f", and {len(legal) - 6} more" if len(legal) > 6 else ""
        raise AgentError(
            "illegal", f"{agent.name} on seat {view.seat} answered {answer!r}, which is not legal; legal: {listed}{rest}"
        )
    return action


def rehearse(env: CardGameEnv) -> None:
    """If games start interpreted (`jit.begin_interpreted`), call once, on a copy, the functions that a game at a table calls
    later, so that their compilation starts now."""
    if begins_interpreted() and not env.is_over:
        copy = env.determinize(env.agent_selection, 0)
        copy.views(range(copy.num_players))
        copy.step(copy.legal_actions()[0])


@contextlib.contextmanager
def made(agents: Sequence[str | Path | Agent], game: Game, options: Options, **rights: bool) -> Iterator[list[Agent]]:
    """A context with the agents given as agent strings or objects; equal strings give one agent. `rights` are passed to
    `make`."""
    with contextlib.ExitStack() as stack:
        by_spec: dict[Any, Agent] = {}
        for spec in agents:
            if not isinstance(spec, Agent) and spec not in by_spec:
                by_spec[spec] = stack.enter_context(contextlib.closing(make(spec, game, options, **rights)))
        yield [spec if isinstance(spec, Agent) else by_spec[spec] for spec in agents]


def play_game(
    game: Game | str,
    options: Options | Mapping[str, Any] | None,
    agents: Sequence[str | Agent],
    seed: int,
    *,
    deck: Sequence[int] | None = None,
    decks: Sequence[Sequence[int]] | None = None,
    on_step: Callable[[CardGameEnv, int], None] | None = None,
) -> GameResult:
    """Play one game to its end.

    Args:
        game, options: a game or its id, and options, a mapping, or None for the defaults.
        agents: one agent or agent string per seat; an agent may play several seats, and equal strings are one agent.
        seed: determines the deals (as `env.reset(seed=seed)`) and each agent's randomness. Agents get only digests of it
            (`seat_seed`); an agent that knows or guesses the seed knows the deals.
        deck, decks: cards to deal instead, as in `env.reset(options=...)`.
        on_step: called with the environment and the action before each step.

    Raises:
        ValueError: the number of agents differs from the number of seats, or an agent is unknown.
        AgentError: an agent chose an illegal action or failed otherwise.
    """
    game, options = envs.resolve(game, options)
    _check_seats(options, agents)
    env = CardGameEnv(game, options)
    deal = {"deck": deck, "decks": decks}
    env.reset(seed=seed, options={name: cards for name, cards in deal.items() if cards is not None})
    seeds = [seat_seed(seed, seat) for seat in range(options.num_players)]
    rngs = [np.random.default_rng(seed) for seed in seeds]
    actions: list[int] = []
    with made(agents, game, options) as seated:
        for seat, agent in enumerate(seated):
            agent.begin(game, options, seat, seeds[seat])
        while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            seat = env.current_player
            action = legal_action(seated[seat], View.of(env), rngs[seat])
            if on_step is not None:
                on_step(env, action)
            env.step(action)
            actions.append(action)
        returns = np.array(list(env.returns.values()))
        for seat, agent in enumerate(seated):
            agent.end(seat, returns)
    return GameResult(returns, actions, seeds)


def play_batch(
    game: Game | str,
    options: Options | Mapping[str, Any] | None,
    agents: Sequence[str | Agent],
    num_games: int,
    seed: int,
    threads: int = 1,
) -> np.ndarray:
    """Play `num_games` games; game i is dealt as by `env.reset(seed=seed + i)`.

    Games run in batches if every agent can, otherwise one after another. The result does not depend on the number of threads.

    Args:
        agents: see `play_game`.

    Returns:
        float64 [num_games, P], the sum of each seat's rewards.

    Raises:
        ValueError: the number of agents differs from the number of seats, an agent is unknown, or there are too many games or
            threads.
        AgentError: an agent chose an illegal action or failed otherwise.
    """
    game, options = envs.resolve(game, options)
    _check_seats(options, agents)
    check_seed(seed)
    check_count("threads", threads, MAX_THREADS)
    memory.check(f"num_games={num_games}", num_games * 8 * options.num_players)
    with made(agents, game, options) as seated:
        if not all(agent.plays_batches for agent in seated):
            played = [play_game(game, options, seated, (seed + i) % MAX_SEED).returns for i in range(num_games)]
            return np.array(played).reshape(num_games, options.num_players)
        block = functools.partial(_play_block, game, options, seated, num_games, seed)
        firsts = range(0, num_games, BLOCK)
        if threads == 1 or len(firsts) < 2:
            blocks = [block(first) for first in firsts]
        else:
            with ThreadPoolExecutor(threads) as pool:
                blocks = list(pool.map(block, firsts))
    return np.concatenate([np.zeros((0, options.num_players)), *blocks])


def _play_block(game: Game, options: Options, agents: Sequence[Agent], num_games: int, seed: int, first: int) -> np.ndarray:
    """The games from `first` to the end of its block."""
    count = min(BLOCK, num_games - first)
    batch = Batch(game, options, count, (seed + first) % MAX_SEED, history=most_history(agents))
    batch_views = BatchViews(batch)
    rngs = [np.random.default_rng(keyed(seed, "batch", first, seat)) for seat in range(options.num_players)]
    seats: dict[int, list[int]] = {}
    for seat, agent in enumerate(agents):  # an agent on several seats is asked once for all of them
        seats.setdefault(id(agent), []).append(seat)
    returns, alive = np.zeros((count, options.num_players)), np.arange(count)
    actions = np.empty(count, np.int64)
    while len(alive):
        for group in seats.values():
            rows = alive[np.isin(batch.current_player[alive], group)]
            if len(rows):
                answers = agents[group[0]].act_batch(batch_views.views(agents[group[0]], rows), rngs[group[0]])
                actions[rows] = _checked_answers(agents[group[0]], batch, rows, answers)
        batch.step(actions[alive], alive)
        returns[alive] += batch.rewards[alive]
        alive = alive[~(batch.terminated | batch.truncated)[alive]]
    return returns


def _checked_answers(agent: Agent, batch: Batch, rows: np.ndarray, answers: np.ndarray) -> np.ndarray:
    inside = (answers >= 0) & (answers < batch.num_actions)
    legal = inside & (batch.action_mask[rows, np.where(inside, answers, 0)] != 0)
    if not legal.all():
        place = int(np.flatnonzero(~legal)[0])
        seat, some = batch.current_player[rows[place]], np.flatnonzero(batch.action_mask[rows[place]])[:8].tolist()
        raise AgentError("illegal", f"{agent.name} on seat {seat} answered {answers[place]}, which is not legal; legal: {some}")
    return answers


def _check_seats(options: Options, agents: Sequence[str | Agent]) -> None:
    if len(agents) != options.num_players:
        raise ValueError(f"{options.num_players} players need {options.num_players} agents, not {len(agents)}")


@dataclass(frozen=True)
class Evaluation:
    """An agent's results against opponents. A game without teams counts each seat as a team.

    Attributes:
        mean: the mean score: the return (for a team the mean over its seats), in chips in a game about money.
        standard_error: of the mean, over deals, because the games of one deal (the agent as each team) are not independent.
        win_rate: the share of games in which the agent's team had the highest score; ties count as a fraction.
        games: the number of games.
        team_means: the mean score as each team.
        unit: the unit of scores: "chips", or "" for the game's own.
        seed: the seed of the deals, to repeat the evaluation.
    """

    mean: float
    standard_error: float
    win_rate: float
    games: int
    team_means: tuple[float, ...] = ()
    unit: str = ""
    seed: int | None = None

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.mean:+.3f} ± {self.standard_error:.3f}{unit}, wins {self.win_rate:.1%} of {self.games} games"


def evaluate(
    agent: str | Agent,
    opponents: str | Agent | Sequence[str | Agent],
    game: Game | str,
    options: Options | Mapping[str, Any] | None,
    num_deals: int,
    seed: int | None = None,
    threads: int = 1,
    instead_of: str | Agent | None = None,
) -> Evaluation:
    """Evaluate an agent: play `num_deals` deals, each once with the agent as every team (in all its seats).

    Args:
        agent: the agent to evaluate, or its agent string, as for all agents here.
        opponents: one agent for all other teams, or one for each, in the order of the teams after the agent's (clockwise from
            the agent if every seat plays for itself).
        game, options: a game or its id, and options, a mapping, or None for the defaults.
        num_deals: the number of deals; the number of games is this times the number of teams.
        seed: seed of the first deal; the others count on from it. None: a random one, which no agent can know, and which the
            result reports. An agent that is told the seed knows all deals. Nearby seeds share most of their deals
            (`wilddeck.spawn_seeds` gives independent ones).
        threads: see `play_batch`.
        instead_of: a baseline agent that plays the same deals in the agent's place; scores are then the agent's advantage over
            it. In a zero-sum game between the players the advantage is 0 on average for a baseline against itself; against a
            bank it shows who plays better.

    Raises:
        ValueError: the number of opponents is wrong, an agent is unknown, or there are too many deals or threads.
        AgentError: see `play_batch`.
    """
    game, options = envs.resolve(game, options)
    seed = fresh_seed() if seed is None else check_seed(seed)
    n = len(game.teams(options))
    check_count("num_deals", num_deals)
    memory.check(f"{n * num_deals} games", num_deals * 8 * (2 * n + 2 * options.num_players))
    others = [opponents] * (n - 1) if isinstance(opponents, (str, Agent)) else list(opponents)
    if len(others) != n - 1:
        raise ValueError(f"opponents must be one agent or a list of {n - 1} for {n} teams, not {len(others)}")
    with made([agent, *others, *([] if instead_of is None else [instead_of])], game, options) as playing:
        scores, wins = rotated(playing[0], playing[1:n], game, options, num_deals, seed, threads)
        if instead_of is not None:
            scores -= rotated(playing[n], playing[1:n], game, options, num_deals, seed, threads)[0]
    by_deal = scores.mean(axis=0)
    error = float(by_deal.std(ddof=1) / num_deals**0.5) if num_deals > 1 else float("nan")
    unit = "" if game.money is None else "chips"
    team_means = tuple(float(mean) for mean in scores.mean(axis=1))
    return Evaluation(float(by_deal.mean()), error, float(wins.mean()), n * num_deals, team_means, unit, seed)


def rotated(
    agent: Agent, others: Sequence[Agent], game: Game, options: Options, num_deals: int, seed: int, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """The games of `evaluate`: the agent's scores and shares of wins, float64 [teams, num_deals], as each team and in each
    deal. `others` are the other teams' agents, in the order of the teams after the agent's."""
    teams, team_of = game.teams(options), game.team_of(options)
    n = len(teams)
    scores, wins = np.zeros((2, n, num_deals))
    playing = [agent, *others]
    for own in range(n):
        seated = [playing[(team - own) % n] for team in team_of]
        returns = play_batch(game, options, seated, num_deals, seed, threads)
        by_team = np.stack([returns[:, list(team)].mean(axis=1) for team in teams], axis=1) * game.score_unit(options)
        best = by_team == by_team.max(axis=1, keepdims=True)
        scores[own] = by_team[:, own]
        wins[own] = best[:, own] / best.sum(axis=1)
    return scores, wins
