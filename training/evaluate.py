"""How good an agent is: its results against others, as every team or seat, on the same deals. Needs no extra."""

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
    """Results against each opponent. The agent holds all seats of a team, the opponent those of all others; a seat that plays
    alone is a team of its own.

    Args:
        agent: an agent, its spec, or its weights file.
        game, options: what is played.
        against: opponents, or their specs.
        games: at least so many against each: every deal is played once as each team. Games are played together where all
            agents can, else one after another.
        seed: equal seeds give equal deals and results, and an agent that was told the seed knows the deals. None: a fresh one,
            the same against all opponents; the results tell it. Seeds that are neighbours have most deals in common:
            for several evaluations take `wilddeck.spawn_seeds`.
        threads: for games played together.
        **rights: `trust=True` loads files that can run code, `sandbox=True` runs bots (`cmd:`) in a sandbox.

    Returns:
        By the opponent's name, `Evaluation`: mean score (in a game about money in chips), standard error over deals, win rate,
        mean score by team, seed.

    Raises:
        ValueError: an unknown game, option or agent, a file that holds no agent of this game, two opponents of one name, or a
            number that is not allowed.
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
    """The results for the terminal."""
    unit = next((result.unit for result in results.values()), "") or "return"
    seeds = ", ".join(dict.fromkeys(str(result.seed) for result in results.values()))
    rows = Table("against", f"mean {unit}", "±", "wins", "games", "by seat or team", caption=f"seed {seeds}")
    for name, result in results.items():
        numbers = f"{result.mean:+.3f}", f"{result.standard_error:.3f}", f"{result.win_rate:.1%}", f"{result.games:,}"
        rows.add_row(literal(name), *numbers, " ".join(f"{mean:+.2f}" for mean in result.team_means))
    return rows
