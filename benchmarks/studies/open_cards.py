"""The headroom of a game: rules, trained player and search compared with a search that sees all cards.

python -m wilddeck.benchmarks.studies.open_cards [hearts_v0 ...] [--among trained] [--rollouts 100] [--seconds 150]

Five players take one seat (in a team game: the team) in turn, among fixed other players, on equal deals and in every place:
random play, the rules, the trained player, search over sampled hidden cards (`mc`), and the same search with the true cards.
The last one knows every hand and every card that was dealt face down or set aside in secret; it samples the order of a stock
and later random events as the other search does. `--among` plays all other seats and all playouts.

The table has a row per game, with 95 % intervals: the advantage of the others over the rules; the position of the rules, the
trained player and search on the scale from random play (0) to open cards (1); and the milliseconds of CPU time per decision of
the two searches. Open cards are no upper bound: this search looks one move ahead, and deeper planning wins more.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ... import agents, envs
from ...agents.base import Agent, View
from ...agents.play import legal_action, seat_seed
from ...agents.search import Model, SearchAgent
from ...cli.arguments import Parser, integer, whole
from ...envs.core.aec import CardGameEnv
from ...envs.core.game import Game, Options, as_record
from ...envs.core.zones import Roles, ZoneRole, owner_of, role_of

PLAYERS = ("random", "rules", "trained", "search", "open cards")
_LUCK = ("seed", "seed_high", "rng", "rng_key")  # the fields of a record that determine its random numbers
_LOOKED = 3  # games without a hidden card, after which the game has none
_95 = 1.96  # standard errors


class OpenCards(SearchAgent):
    """Search with the true cards. Because it cheats, it plays only in the environment given to it, and has no agent string."""

    def __init__(self, env: CardGameEnv, rollouts: int, policy: str | Agent) -> None:
        super().__init__(env.game, env.options, rollouts, policy, beliefs=False)
        self.name, self._env = "open cards", env

    def _models(self, view: View, seed: int) -> list[Model]:
        return [Model(self.players[0], functools.partial(worlds, view.game, self._env.record))]


def worlds(game: Game, truth: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Copies of the game, each with another order of the stock and other future random numbers.

    Raises:
        ValueError: the stock is not part of the record's `deck`, as it is in all games of the suite.
    """
    rng = np.random.default_rng(seed)
    drawn = np.repeat(truth, count)
    for field in _LUCK:
        drawn[field] = rng.integers(2**64, size=count, dtype=np.uint64)
    for zone, cards in game.zones(as_record(truth), None).items():
        if len(cards) > 1 and _is_luck(zone, game.zone_roles):
            first = truth["deck"][0].tobytes().rfind(bytes(cards))
            if first < 0:
                raise ValueError(f"the stock of {game.id} cannot be shuffled: {zone!r} is no part of the record's deck")
            stock = drawn["deck"][:, first : first + len(cards)]
            stock[:] = rng.permuted(stock, axis=1)
    return drawn


def _is_luck(zone: str, roles: Roles) -> bool:
    """Whether it is a stock on the table, whose cards are still to be drawn."""
    return role_of(zone, roles) is ZoneRole.STOCK and owner_of(zone, roles) is None


def check_hides(game: Game, options: Options) -> None:
    """Refuse a game in which open cards give no information.

    Raises:
        ValueError: only cards of the stock are ever hidden from a player with a choice, or there is never a choice.
    """
    env, rng = CardGameEnv(game, options), np.random.default_rng(0)
    for seed in range(_LOOKED):
        env.reset(seed=seed)
        while not env.is_over:
            actions = env.legal_actions()
            shown = View.of(env).zones().items() if len(actions) > 1 else ()
            if any(-1 in cards and not _is_luck(zone, game.zone_roles) for zone, cards in shown):
                return
            env.step(rng.choice(actions))
    raise ValueError(f"{game.id} hides only the order of its stock from players with a choice: open cards give no information")


@dataclass(frozen=True)
class Reached:
    """The results of the players in a game.

    Attributes:
        scores: for each of `PLAYERS` float64 [deals], its team's mean over all places; in a game about money in chips.
        milliseconds: the median CPU time of a decision with a choice.
    """

    title: str
    scores: dict[str, np.ndarray]
    milliseconds: dict[str, float]

    def gain(self, player: str, over: str = "rules") -> tuple[float, float]:
        """A player's advantage over another, and half of its 95 % interval."""
        gains = self.scores[player] - self.scores[over]
        return float(gains.mean()), _95 * _error(gains)

    def share(self, player: str) -> tuple[float, float]:
        """A player's share of the way from random play to open cards, and half of its 95 % interval (linearised)."""
        way = self.scores["open cards"] - self.scores["random"]
        gone = self.scores[player] - self.scores["random"]
        share = float(gone.mean() / way.mean())
        return share, abs(_95 * _error(gone - share * way) / float(way.mean()))

    def __str__(self) -> str:
        gains = ["{:+.4f} ± {:.4f}".format(*self.gain(player)) for player in PLAYERS if player != "rules"]
        shares = ["{:.1%} ± {:.1%}".format(*self.share(player)) for player in PLAYERS[1:-1]]
        times = ", ".join(f"{self.milliseconds[player]:.0f}" for player in PLAYERS[-2:])
        return f"| {' | '.join([self.title, str(len(self.scores['rules'])), *gains, *shares, times])} |"


HEAD = ["", "deals", *(f"{player}: gain over rules" for player in PLAYERS if player != "rules")]
HEAD += [*(f"{player} reach" for player in PLAYERS[1:-1]), "ms of search, of open cards"]


def _error(values: np.ndarray) -> float:
    """The standard error of the mean."""
    return float(values.std(ddof=1)) / len(values) ** 0.5


def reached(game: Game, options: Options, among: str, rollouts: int, seconds: float, seed: int) -> Reached:
    """Play as many deals as possible in this CPU time in seconds, at least two.

    Raises:
        ValueError: open cards give no information in this game, or it has no such player, or none with compiled playouts.
    """
    check_hides(game, options)
    env, other = CardGameEnv(game, options), agents.make(among, game, options)
    searches = SearchAgent(game, options, rollouts, other), OpenCards(env, rollouts, other)
    players = [*(agents.make(spec, game, options) for spec in PLAYERS[:3]), *searches]
    times: dict[str, list[float]] = {player: [] for player in PLAYERS}
    deals: list[list[float]] = []
    start = time.process_time()
    while len(deals) < 2 or time.process_time() - start < seconds:
        named = zip(PLAYERS, players, strict=True)
        deals.append([_score(env, agent, other, seed + len(deals), times[player]) for player, agent in named])
        if len(deals) == 1:  # the first deal also compiles
            start = time.process_time()
    scores = dict(zip(PLAYERS, np.array(deals).T, strict=True))
    return Reached(game.title, scores, {player: 1000 * float(np.median(of_player)) for player, of_player in times.items()})


def _score(env: CardGameEnv, agent: Agent, other: Agent, seed: int, times: list[float]) -> float:
    """The agent's mean score in a deal, over the places of all teams."""
    team_of, scores = env.game.team_of(env.options), list[float]()
    for own, team in enumerate(env.game.teams(env.options)):
        returns = _play(env, [agent if of_seat == own else other for of_seat in team_of], agent, seed, times)
        scores.append(float(returns[list(team)].mean()) * env.game.score_unit(env.options))
    return float(np.mean(scores))


def _play(env: CardGameEnv, seated: Sequence[Agent], timed: Agent, seed: int, times: list[float]) -> np.ndarray:
    """Play a game in a given environment (`play.play_game` makes its own). Returns each seat's score."""
    env.reset(seed=seed)
    rngs = [np.random.default_rng(seat_seed(seed, seat)) for seat in range(env.num_players)]
    while not env.is_over:
        view = View.of(env)
        start = time.process_time()
        action = legal_action(seated[view.seat], view, rngs[view.seat])
        if seated[view.seat] is timed and len(view.legal_actions) > 1:
            times.append(time.process_time() - start)
        env.step(action)
    return np.array(list(env.returns.values()))


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.open_cards", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", help="default: hearts_v0 spades_v0 crazy_eights_v0 wild_escape_v0")
    parser.add_argument("--among", default="trained", help="the player of all other seats and all playouts: trained or rules")
    parser.add_argument("--rollouts", type=whole(1, 1_000_000), default=100, help="playouts a decision")
    parser.add_argument("--seconds", type=whole(0, 1_000_000), default=150, help="of CPU time for each game")
    parser.add_argument("--seed", type=integer, default=1)
    settings = parser.parse_args(arguments)
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}", flush=True)
    with parser.refusing():
        for name in settings.games or ("hearts_v0", "spades_v0", "crazy_eights_v0", "wild_escape_v0"):
            game, options = envs.resolve(name, None)
            print(reached(game, options, settings.among, settings.rollouts, settings.seconds, settings.seed), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
