"""Evaluate an agent against others, from every seat or team, on the same deals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from .. import agents, envs
from ..agents.base import Agent
from ..agents.play import Evaluation
from ..agents.play import evaluate as play
from ..envs.core.batch import check_count, fresh_seed
from ..envs.core.escape import literal
from ..envs.core.game import Game, Options

AGAINST = ("random", "rules")


def evaluate(
    agent: str | Path | Agent,
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    *,
    against: Sequence[str | Path | Agent] = AGAINST,
    games: int = 1000,
    seed: int | None = None,
    threads: int = 1,
    **rights: bool,
) -> dict[str, Evaluation]:
    """Evaluate an agent against each opponent. The agent plays one team (or seat), the opponent all others.

    Args:
        agent: an agent, agent string or weights file.
        game, options: the game and its options.
        against: opponents, as agents or agent strings.
        games: the least number of games against each opponent; every deal is played once from each team. Games run in batches
            if all agents can, otherwise one after another.
        seed: equal seeds give equal deals and results, and an agent that is told the seed knows the deals. None: a random seed,
            the same against all opponents, which the results report. Nearby seeds share most of their deals: for several
            evaluations take seeds from `wilddeck.spawn_seeds`.
        threads: threads for games in batches.
        **rights: `trust=True` loads files that can run code, `sandbox=True` runs bots (`cmd:`) in a sandbox.

    Returns:
        An `Evaluation` by the opponent's name: mean score (in chips in a game about money), standard error over deals, win
        rate, mean score by team, seed.

    Raises:
        ValueError: a game, option or agent is unknown, a file has no agent for this game, two opponents have the same name, or
            a number is out of range.
    """
    check_count("games", games)
    game, options = envs.resolve(game, options)
    evaluated = agents.make(agent, game, options, **rights)
    against = agents.available(AGAINST, game) if against is AGAINST else against
    deals = -(-games // len(game.teams(options)))
    seed = fresh_seed() if seed is None else seed
    results = {}
    for name, spec in agents.by_name(against).items():
        opponent = agents.make(spec, game, options, **rights)
        results[name] = play(evaluated, opponent, game, options, deals, seed, threads)
    return results


def table(results: Mapping[str, Evaluation]) -> Table:
    """The results as a table for the terminal."""
    unit = next((result.unit for result in results.values()), "") or "return"
    seeds = ", ".join(dict.fromkeys(str(result.seed) for result in results.values()))
    rows = Table("against", f"mean {unit}", "±", "wins", "games", "by seat or team", caption=f"seed {seeds}")
    for name, result in results.items():
        numbers = f"{result.mean:+.3f}", f"{result.standard_error:.3f}", f"{result.win_rate:.1%}", f"{result.games:,}"
        rows.add_row(literal(name), *numbers, " ".join(f"{mean:+.2f}" for mean in result.team_means))
    return rows
