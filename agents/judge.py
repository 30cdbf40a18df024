"""How good single decisions are: what an agent's choice gains over a random legal one, judged by many worlds.

    from wilddeck.agents.judge import judge
    print(judge(["rules", "trained", "mc:rollouts=100,policy=trained"], "tennis_v0", positions=200))

Most of a game's result is luck, which takes thousands of games to average out. Here all agents are asked at the same decisions,
and each legal action is played on in the same worlds with the same luck: little is left of chance, and minutes tell apart what
takes matches hours. It is the value of one decision, after which the judge's policy plays for all seats: a plan of several
decisions that the policy would not follow gets no credit.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import envs
from ..envs.core.batch import check_count, check_seed, fresh_seed
from ..envs.core.game import Game, Options
from .base import Agent, View
from .match import Match
from .play import legal_action, made
from .search import SearchAgent
from .seeds import agent_seed, keyed
from .specs import by_name

PER_GAME = 2  # positions, on average: those of one game are alike, and to play games takes time
_BARREN = 1000  # games without a choice, after which none is expected
_95 = 1.96  # standard errors


class Position(NamedTuple):
    """A decision with a choice, and what each action is worth.

    Attributes:
        view: of the player to move; good until the next position is asked for.
        values: float64 [3, legal actions], ascending by action: the seat's mean return in all worlds, in every second, in the
            others, each less the mean of all actions. In a game about money in chips.
        game: the number of the game it is from.
    """

    view: View
    values: np.ndarray
    game: int


class Gain(NamedTuple):
    """A mean over positions, and half of its 95 % interval; nan where all positions are from one game."""

    mean: float
    interval: float

    @classmethod
    def of(cls, values: np.ndarray, games: np.ndarray) -> Gain:
        """Of values at positions, and the numbers of the games that these are from: those of one game are not independent."""
        mean, (_, game) = values.mean(), np.unique(games, return_inverse=True)
        by_game = np.bincount(game, values - mean)
        number = len(by_game)
        error = (number / (number - 1) * (by_game**2).sum()) ** 0.5 / len(values) if number > 1 else np.nan
        return cls(float(mean), float(_95 * error))

    def __str__(self) -> str:
        return f"{self.mean:+.4f} ± {self.interval:.4f}"


@dataclass(frozen=True)
class Judgement:
    """What agents' decisions gain over random legal ones.

    Attributes:
        gains: float64 [positions] of each agent by its name: its choice's value less the mean of all legal actions'. In a game
            about money in chips.
        best: float64 [positions], the same of the best action in hindsight: chosen by half of the worlds and valued by the
            others, both ways, or it would be flattered by luck. No agent can know so much; search comes near to it.
        games: int64 [positions], the number of the game that each is from. Intervals are over games.
        seconds: the median time of a decision, by agent.
        seed: of all of it; equal seeds give the same positions and worlds, whoever is judged.
    """

    gains: dict[str, np.ndarray]
    best: np.ndarray
    games: np.ndarray
    seconds: dict[str, float]
    seed: int

    def gain(self, agent: str) -> Gain:
        """What an agent gains over random choices."""
        return self.mean(self.gains[agent])

    def difference(self, agent: str, other: str) -> Gain:
        """What an agent gains over another, position by position."""
        return self.mean(self.gains[agent] - self.gains[other])

    def mean(self, values: np.ndarray) -> Gain:
        """The mean of values [positions]. Positions of one game are not taken for independent."""
        return Gain.of(values, self.games)

    def __str__(self) -> str:
        lines = [f"{name}: {self.gain(name)}" for name in self.gains]
        return "\n".join([*lines, f"best in hindsight: {self.mean(self.best)}"])


def judge(
    agents: Sequence[str | Path | Agent],
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    *,
    positions: int = 2000,
    progress: Callable[[int, int], object] | None = None,
    trust: bool = False,
    sandbox: bool = False,
    **judging: Any,
) -> Judgement:
    """Judge agents' decisions at the same positions.

    An agent is asked at each as if it took the seat over there: it may look back (`View.history`), but what it would have
    remembered of its own decisions it has not.

    Args:
        agents: agents, their specs or weights files.
        game, options: what is played.
        positions: at how many decisions.
        progress: called with the number of positions that are done, and of all.
        trust: load files that can run code.
        sandbox: run bots (`cmd:`) in a sandbox.
        **judging: `worlds`, `policy`, `among` and `seed` of `judged_positions`.

    Raises:
        ValueError: an unknown game, option or agent, no agent or two of one name, a number that is not allowed, or a game in
            which nothing is to be decided.
        AgentError: an agent answered an action that is not legal, or failed otherwise.
    """
    game, options = envs.resolve(game, options)
    check_count("positions", positions)
    seed = judging["seed"] = check_seed(fresh_seed() if judging.get("seed") is None else judging["seed"])
    named = by_name(agents)
    if not named:
        raise ValueError("name at least one agent to judge")
    rngs = {name: np.random.default_rng(keyed(seed, "judged", name)) for name in named}
    answers: dict[str, list[tuple[float, float]]] = {name: [] for name in named}  # gains and seconds
    best, games = np.zeros(positions), np.zeros(positions, np.int64)
    with (
        made(list(named.values()), game, options, trust=trust, sandbox=sandbox) as asked,
        contextlib.closing(judged_positions(game, options, **judging)) as judged,
    ):
        for k, position in enumerate(itertools.islice(judged, positions)):
            everywhere, even, odd = position.values
            best[k], games[k] = (odd[even.argmax()] + even[odd.argmax()]) / 2, position.game
            for name, agent in zip(named, asked, strict=True):
                agent.begin(game, options, position.view.seat, agent_seed(seed, name, k))
                start = time.perf_counter()
                action = legal_action(agent, position.view, rngs[name])
                seconds = time.perf_counter() - start
                answers[name].append((float(everywhere[position.view.legal_actions == action][0]), seconds))
            if progress is not None:
                progress(k + 1, positions)
    columns = {name: np.array(of_agent).T for name, of_agent in answers.items()}
    gains = {name: column[0] for name, column in columns.items()}
    return Judgement(gains, best, games, {name: float(np.median(column[1])) for name, column in columns.items()}, seed)


def judged_positions(
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    worlds: int = 128,
    policy: str | Agent = "trained",
    among: str | Agent | Sequence[str | Agent] | None = None,
    seed: int | None = None,
) -> Generator[Position, None, None]:
    """Decisions with a choice, drawn at random from games that agents play, each as likely; there is no end of them.

    Args:
        worlds: how many each action is tried in, at least 2: games that the seat cannot tell from the true one, drawn as search
            draws them, the same with the same luck for all actions.
        policy: who plays them out, as `SearchAgent` takes it: "trained", "rules", a file of weights, ...
        among: who plays the games that decisions are from: an agent or its spec for all seats, or one for each; None: `policy`.
        seed: None: a fresh one.

    Raises:
        ValueError: see `judge`.
    """
    game, options = envs.resolve(game, options)
    if check_count("worlds", worlds) < 2:
        raise ValueError("worlds must be an integer of at least 2, not 1: the best in hindsight is chosen in half of them")
    seed = check_seed(fresh_seed() if seed is None else seed)
    search = SearchAgent(game, options, worlds, policy)
    among = policy if among is None else among
    given = [among] * options.num_players if isinstance(among, (str, Agent)) else list(among)
    if len(given) != options.num_players:
        raise ValueError(f"{options.num_players} players need one agent for all or {options.num_players}, not {len(given)}")
    rng, decisions = np.random.default_rng(keyed(seed, "positions")), 0
    with made(given, game, options) as seated:
        for number in itertools.count():
            share = PER_GAME * number / max(decisions, 1)  # by the games before: the first is played to know how long they are
            with Match(game, options, seated, keyed(seed, "game", number)) as match:
                while not match.over:
                    view = View.of(match.env)
                    if len(view.legal_actions) > 1:
                        decisions += 1
                        if rng.random() < share:
                            yield Position(view, _values(search, view, worlds, int(rng.integers(2**63))), number)
                    match.move()
            if number == _BARREN and not decisions:
                raise ValueError(f"there is nothing to judge: in {number} games of {game.id} no move was a choice")


def _values(search: SearchAgent, view: View, worlds: int, seed: int) -> np.ndarray:
    """See `Position`."""
    returns = search.playouts(view, view.legal_actions, worlds, seed) * view.game.score_unit(view.options)
    returns -= returns.mean(axis=0)
    return np.stack([returns.mean(axis=1), returns[:, ::2].mean(axis=1), returns[:, 1::2].mean(axis=1)])
