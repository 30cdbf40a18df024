"""What search gains by weighing imagined worlds by what others did (`agents/belief.py`), game by game.

python -m wilddeck.benchmarks.studies.beliefs [hearts_v0 ...] [--seconds 200] [--policy rules] [--rollouts 100]

One seat (or team) searches among rules: what it gets with beliefs less what it gets without, on equal deals and every place.
Of some decisions besides: how often the hand can be played again, in what share of the worlds it can have come so, and how long
a decision takes with and without.
"""

from __future__ import annotations

import sys
import time
from typing import NamedTuple

import numpy as np

from ... import agents, envs
from ...agents import belief, play
from ...agents.base import View
from ...agents.search import SearchAgent
from ...cli.arguments import Parser, integer, whole
from ...envs.core.aec import CardGameEnv
from ...envs.core.game import Game, Options

Searches = tuple[SearchAgent, ...]  # without beliefs and with them
_LOOKS = 0.1  # share of the decisions that are looked at


class Looks(NamedTuple):
    """Of decisions: the share at which the hand is played again, there the share of worlds in which it can have come so, and
    the median milliseconds of a search without beliefs and with them."""

    replayed: float
    possible: float
    without: float
    believing: float


def looks(game: Game, options: Options, searches: Searches, decisions: int, seed: int) -> Looks:
    """At decisions with a choice, in deals that rules play."""
    rng = np.random.default_rng(seed)
    possible: list[float] = []
    times: list[np.ndarray] = []
    game_seed = seed

    def look(env: CardGameEnv, action: int) -> None:
        if len(env.legal_actions()) < 2 or rng.random() > _LOOKS or len(times) > decisions:
            return
        view, share = View.of(env), np.nan
        for worlds, *_ in view.decisions(view.sample(belief.TRIED, seed), seed, 1):
            share = worlds.mean()
        possible.append(share)
        clock = [time.perf_counter()]
        for search in searches:
            search.act(view, np.random.default_rng(seed))
            clock.append(time.perf_counter())
        times.append(np.diff(clock) * 1000)

    while len(times) <= decisions:
        game_seed += 1
        play.play_game(game, options, [agents.make("rules", game, options)] * options.num_players, game_seed, on_step=look)
    replayed = ~np.isnan(possible)
    share = float(np.mean(np.array(possible)[replayed])) if replayed.any() else 0.0
    return Looks(float(replayed.mean()), share, *np.median(times[1:], axis=0).tolist())  # the first compiles


def gains(game: Game, options: Options, searches: Searches, seconds: float, seed: int) -> list[float]:
    """Of each deal, as many as can be played in so many seconds, two at least."""
    others = [agents.make("rules", game, options)] * (len(game.teams(options)) - 1)
    results: list[float] = []
    start = time.monotonic()
    while len(results) < 2 or time.monotonic() - start < seconds:
        without, believing = (
            play.rotated(agent, others, game, options, 1, seed + len(results))[0].mean() for agent in searches
        )
        results.append(float(believing - without))
    return results


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.beliefs", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", help="default: all")
    parser.add_argument("--decisions", type=whole(1, 1_000_000), default=60, help="that are looked at")
    parser.add_argument("--seconds", type=whole(0, 1_000_000), default=200, help="of play for each game; 0: none")
    parser.add_argument("--policy", default="rules", help="who plays out")
    parser.add_argument("--rollouts", type=whole(1, 1_000_000), default=100)
    parser.add_argument("--seed", type=integer, default=1)
    settings = parser.parse_args(arguments)
    print("|  | decisions replayed | deals that fit | gain | deals | ms without, with |\n| --- | --- | --- | --- | --- | --- |")
    for name in settings.games or envs.OWN:
        game, options = envs.resolve(name, None)
        searches = tuple(
            SearchAgent(game, options, settings.rollouts, settings.policy, beliefs=beliefs) for beliefs in (False, True)
        )
        looked = looks(game, options, searches, settings.decisions, settings.seed)
        row = [game.title, f"{looked.replayed:.0%}", f"{looked.possible:.0%}", "", ""]
        if settings.seconds:
            results = gains(game, options, searches, settings.seconds, settings.seed)
            error = np.std(results, ddof=1) / len(results) ** 0.5
            row[3:] = f"{np.mean(results):+.4f} ± {1.96 * error:.4f}", str(len(results))
        print(f"| {' | '.join(row)} | {looked.without:.0f}, {looked.believing:.0f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
