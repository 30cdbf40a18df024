"""The value of single decisions: how much an agent's choice gains over a random legal one, estimated by playouts.

    from wilddeck.agents.judge import judge
    print(judge(["rules", "trained", "mc:rollouts=100,policy=trained"], "tennis_v0", positions=200))

Most of a game's result is luck, which takes thousands of games to average out. Here all agents decide at the same positions,
and each legal action is played out in the same determinizations with the same luck. That removes most of the variance: minutes
are enough where matches take hours. The value is that of one decision, after which the playout policy plays all seats: a plan
of several decisions that this policy would not follow gets no credit.
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
    """A decision with more than one legal action, and the value of each action.

    Attributes:
        view: the view of the player to move; valid until the next position is requested.
        values: float64 [3, legal actions], by ascending action: the seat's mean return in all determinizations, in the even
            ones and in the odd ones, each minus the mean over all actions. In chips in a game about money.
        game: the number of the game that the position is from.
    """

    view: View
    values: np.ndarray
    game: int


class Gain(NamedTuple):
    """A mean over positions, and the half-width of its 95 % interval; NaN if all positions are from one game."""

    mean: float
    interval: float

    @classmethod
    def of(cls, values: np.ndarray, games: np.ndarray) -> Gain:
        """The mean of values [positions], with an interval clustered by game: positions of one game are not independent."""
        mean, (_, game) = values.mean(), np.unique(games, return_inverse=True)
        by_game = np.bincount(game, values - mean)
        number = len(by_game)
        error = (number / (number - 1) * (by_game**2).sum()) ** 0.5 / len(values) if number > 1 else np.nan
        return cls(float(mean), float(_95 * error))

    def __str__(self) -> str:
        return f"{self.mean:+.4f} ± {self.interval:.4f}"


@dataclass(frozen=True)
class Judgement:
    """The gains of agents' decisions over random legal ones.

    Attributes:
        gains: by agent name, float64 [positions]: the value of its choice minus the mean over all legal actions. In chips in a
            game about money.
        best: float64 [positions], the gain of the best action in hindsight. To avoid selection bias it is chosen in one half
            of the determinizations and valued in the other, both ways. No agent knows this much; search comes close.
        games: int64 [positions], the number of the game that each position is from. Intervals are over games.
        seconds: the median time per decision, by agent.
        seed: equal seeds give the same positions and determinizations, whichever agents are judged.
    """

    gains: dict[str, np.ndarray]
    best: np.ndarray
    games: np.ndarray
    seconds: dict[str, float]
    seed: int

    def gain(self, agent: str) -> Gain:
        """An agent's mean gain over random choices."""
        return self.mean(self.gains[agent])

    def difference(self, agent: str, other: str) -> Gain:
        """An agent's mean gain over another agent at the same positions."""
        return self.mean(self.gains[agent] - self.gains[other])

    def mean(self, values: np.ndarray) -> Gain:
        """The mean of values [positions], with an interval clustered by game."""
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

    At each position an agent decides as if it had just taken over the seat: it can read the history (`View.history`), but has
    no memory of decisions of its own.

    Args:
        agents: agents, agent strings or weights files.
        game, options: the game and its options.
        positions: the number of positions.
        progress: called with the number of finished positions and the total.
        trust: load files that can run code.
        sandbox: run bots (`cmd:`) in a sandbox.
        **judging: `worlds`, `policy`, `among` and `seed` of `judged_positions`.

    Raises:
        ValueError: a game, option or agent is unknown, there is no agent or two with the same name, a number is out of range,
            or the game has no decisions.
        AgentError: an agent chose an illegal action or failed otherwise.
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
    """An endless stream of positions with more than one legal action, sampled uniformly from games between agents.

    Args:
        game, options: the game and its options.
        worlds: the number of determinizations per position, at least 2, sampled as in search and shared by all actions.
        policy: the playout policy, as in `SearchAgent`: "trained", "rules", a weights file, "trained+rules", ...
        among: who plays the games: one agent or agent string for all seats, or one per seat; None: the (first) playout policy.
        seed: None: a random one.

    Raises:
        ValueError: see `judge`.
    """
    game, options = envs.resolve(game, options)
    if check_count("worlds", worlds) < 2:
        raise ValueError(
            "worlds must be an integer of at least 2, not 1: the best action in hindsight is chosen in one half of them"
        )
    seed = check_seed(fresh_seed() if seed is None else seed)
    search = SearchAgent(game, options, worlds, policy)
    among = search.players[0] if among is None else among
    given = [among] * options.num_players if isinstance(among, (str, Agent)) else list(among)
    if len(given) != options.num_players:
        raise ValueError(f"among must be one agent or a list of {options.num_players}, one per seat, not {len(given)}")
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
                raise ValueError(f"there is nothing to judge: {number} games of {game.id} had only forced moves")


def _values(search: SearchAgent, view: View, worlds: int, seed: int) -> np.ndarray:
    """See `Position`."""
    returns = search.playouts(view, view.legal_actions, worlds, seed) * view.game.score_unit(view.options)
    returns -= returns.mean(axis=0)
    return np.stack([returns.mean(axis=1), returns[:, ::2].mean(axis=1), returns[:, 1::2].mean(axis=1)])
