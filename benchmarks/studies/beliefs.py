"""The gain of search from weighting determinizations by the others' actions (`agents/belief.py`), game by game.

python -m wilddeck.benchmarks.studies.beliefs [hearts_v0 ...] [--seconds 200] [--policy trained] [--rollouts 100]

One agent plays all seats. At some of its decisions it queries two searches with this playout policy: one with beliefs, and one
without, which gets more playouts for the same time. Where they disagree, both actions are continued in the true deal with
common random numbers. The difference is the gain of beliefs per decision. Hundreds of decisions suffice; matches would take
days.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ... import envs
from ...agents import belief
from ...agents.base import View
from ...agents.judge import Gain
from ...agents.match import Match
from ...agents.search import Model, SearchAgent
from ...agents.specs import make
from ...cli.arguments import Parser, integer, whole
from ...envs.core.aec import CardGameEnv
from ...envs.core.batch import game_kernels, row_seeds
from ...envs.core.game import Game, Options, as_records

_TIMED = 20  # decisions to time both searches, before one gets the other's time
_PLAYOUTS = 100  # of each action, in the true deal
_SHARE = 0.1  # share of the decisions with a choice that are measured


class Look(NamedTuple):
    """A decision.

    Attributes:
        game: the number of its game.
        fits: the share of determinizations that are consistent with the actions; nan if the hand cannot be replayed.
        gain: of the choice with beliefs over the one without, in the true deal, in the unit of the game's scores.
    """

    game: int
    fits: float
    gain: float


def decisions(game: Game, options: Options, policy: str, seed: int) -> Iterator[tuple[int, CardGameEnv]]:
    """An endless stream of decisions with a choice, from self-play games of this agent."""
    agent, rng, number = make(policy, game, options), np.random.default_rng(seed), 0
    while True:
        number += 1
        with Match(game, options, [agent] * options.num_players, seed + number) as match:
            while not match.over:
                if len(match.env.legal_actions()) > 1 and rng.random() < _SHARE:
                    yield number, match.env
                match.move()


def look(number: int, env: CardGameEnv, plain: SearchAgent, believing: SearchAgent, seed: int) -> Look:
    """Query both at a decision."""
    view = View.of(env)
    possible = view.replay(view.sample(belief.TRIED, seed), seed, 1, lambda rows, seen, mask, alike: alike.argmax(axis=1))
    fits = np.nan if possible is None else float(possible.mean())
    choices = [agent.act(view, np.random.default_rng(seed)) for agent in (plain, believing)]
    if choices[0] == choices[1]:
        return Look(number, fits, 0.0)

    def the_true_deal(count: int, seed: int) -> np.ndarray:
        """A copy with new random numbers from here on."""
        games, seeds = as_records(np.repeat(env.record.view(np.ndarray), count)), row_seeds(seed, count)
        for i in range(count):
            game_kernels(env.game)["reseed_for_sample"](games[i], seeds[i])
        return games.view(np.ndarray)

    true_deal = Model(plain.players[0], the_true_deal)
    without, with_beliefs = plain.playouts(view, np.array(choices), _PLAYOUTS, seed, [true_deal]).mean(axis=1)
    return Look(number, fits, float(with_beliefs - without) * env.game.score_unit(env.options))


def at_equal_time(
    game: Game, options: Options, policy: str, rollouts: int, seed: int
) -> tuple[SearchAgent, SearchAgent, float]:
    """Searches without and with beliefs that take equal time, and the milliseconds per decision."""
    believing = SearchAgent(game, options, rollouts, policy, beliefs=True)
    plain, times = SearchAgent(game, options, rollouts, policy, beliefs=False), []
    for k, (_, env) in zip(range(_TIMED), decisions(game, options, policy, seed), strict=False):
        clock = [time.perf_counter()]
        for agent in (plain, believing):
            agent.act(View.of(env), np.random.default_rng(k))
            clock.append(time.perf_counter())
        times.append(np.diff(clock))
    without, with_beliefs = np.median(times[1:], axis=0)  # the first compiles
    more = max(rollouts, round(rollouts * with_beliefs / without))
    return SearchAgent(game, options, more, policy, beliefs=False), believing, 1000 * with_beliefs


def looks(
    game: Game, options: Options, policy: str, searches: tuple[SearchAgent, SearchAgent], seconds: float, seed: int
) -> list[Look]:
    """Measure as many decisions as time allows, at least two."""
    found: list[Look] = []
    start = time.monotonic()
    for number, env in decisions(game, options, policy, seed + 2**40):
        found.append(look(number, env, *searches, seed + len(found)))
        if len(found) > 1 and time.monotonic() - start > seconds:
            return found
    raise AssertionError("there is no end of decisions")


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.beliefs", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", help="default: all")
    parser.add_argument("--seconds", type=whole(0, 1_000_000), default=200, help="for each game")
    parser.add_argument("--policy", default="trained", help="the agent of all seats and playouts")
    parser.add_argument("--rollouts", type=whole(1, 1_000_000), default=100, help="of the search with beliefs")
    parser.add_argument("--seed", type=integer, default=1)
    settings = parser.parse_args(arguments)
    print("|  | decisions | replayed | deals that fit | other choices | gain a decision | ms | playouts without |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with parser.refusing():
        for name in settings.games or envs.OWN:
            game, options = envs.resolve(name, None)
            *searches, ms = at_equal_time(game, options, settings.policy, settings.rollouts, settings.seed)
            found = looks(game, options, settings.policy, (searches[0], searches[1]), settings.seconds, settings.seed)
            gains, fits = np.array([each.gain for each in found]), np.array([each.fits for each in found])
            replayed = ~np.isnan(fits)
            fitting = f"{fits[replayed].mean():.0%}" if replayed.any() else ""
            gain = Gain.of(gains, np.array([each.game for each in found]))
            row = [game.title, f"{len(found):,}", f"{replayed.mean():.0%}", fitting, f"{(gains != 0).mean():.0%}"]
            row += [str(gain), f"{ms:.0f}", f"{searches[0].rollouts:,}"]
            print(f"| {' | '.join(row)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
