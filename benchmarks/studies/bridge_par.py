"""Bridge compared with a double-dummy solver (DDS, through endplay): how far from par deals end, and where tricks are lost.

python -m wilddeck.benchmarks.studies.bridge_par [rules trained ...] [--play mc:rollouts=300,policy=rules] [--deals 300]

Each player bids and plays on all four seats, on equal deals: the standard deck, nobody vulnerable, a random dealer. Par is the
score of a deal if both sides see all cards and bid and play optimally. The table has a row per player, with standard errors:
IMPs from par; the same with double-dummy play in the contract reached, which is the cost of the auction; the shares of deals
with a game and with a slam bid; declarers' tricks above double dummy; tricks lost per deal against double dummy by the opening
lead, by declarer and by the later defence; and the share of opening leads that lose no trick.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from typing import Any

import numpy as np

from ... import agents, envs
from ...agents import play
from ...agents.base import Agent, View
from ...cli.arguments import Parser, integer, whole
from ...envs.core.aec import CardGameEnv
from ...envs.core.cards import STANDARD, SUITS, TEXT
from ...envs.core.facts import FactRole
from ...envs.core.jit import plain
from ...envs.games.bridge.score import duplicate_points, level_of, trick_points
from ...envs.games.bridge.state import GAME_POINTS, OBSERVATION, PLAYERS, STRAIN_TEXT, STRAINS

OPTIONS = {"deck": "standard", "dealer": "random"}
BOOK, _SMALL_SLAM = 6, 6
# The smallest differences of points that are worth 1, 2, ... IMPs.
_IMPS = [20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600, 750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000]
IMPS = np.array([*_IMPS, 3500, 4000])


def imps(points: int) -> int:
    """The absolute difference of points in IMPs."""
    return int(np.searchsorted(IMPS, abs(points), side="right"))


@dataclass(frozen=True)
class Contract:
    """The result of an auction: the bid 0..34 as in the actions, the declarer, and 1 if it is doubled, 2 if redoubled."""

    bid: int
    declarer: int
    doubling: int

    @property
    def is_game(self) -> bool:
        return bool(plain(trick_points)(self.bid, 0) >= GAME_POINTS)

    def points(self, tricks: int) -> int:
        """The score of North-South for this number of declarer's tricks."""
        over, sign = tricks - BOOK - plain(level_of)(self.bid), 1 - 2 * (self.declarer & 1)
        return sign * int(duplicate_points(self.bid, self.doubling, 0, over))


@dataclass(frozen=True)
class Played:
    """A played deal: the hands, the contract if there is one, and the cards in the order of play."""

    dealer: int
    hands: tuple[tuple[int, ...], ...]
    contract: Contract | None
    cards: tuple[int, ...]
    tricks: int  # of declarer


@dataclass(frozen=True)
class Beside:
    """The figures of a deal against double dummy; nan if there was no play."""

    IMPs_from_par: float
    as_bid: float
    games: float
    slams: float
    tricks_more: float = np.nan
    lost_by_lead: float = np.nan
    by_declarer: float = np.nan
    by_defence: float = np.nan
    best_leads: float = np.nan


_FIGURES = [field.name for field in fields(Beside)]


@dataclass(frozen=True)
class Summary:
    """A player's deals."""

    player: str
    deals: list[Beside]

    def means(self) -> dict[str, tuple[float, float]]:
        """The mean of each figure and its standard error."""
        figures = np.array([astuple(deal) for deal in self.deals])
        counts = np.maximum((~np.isnan(figures)).sum(axis=0), 1)
        means = np.nansum(figures, axis=0) / counts
        errors = (np.nansum((figures - means) ** 2, axis=0) / np.maximum(counts - 1, 1) / counts) ** 0.5
        return dict(zip(_FIGURES, zip(means.tolist(), errors.tolist(), strict=True), strict=True))

    def __str__(self) -> str:
        cells = [f"{mean:.2f} ± {error:.2f}" for mean, error in self.means().values()]
        return f"| {' | '.join([self.player, *cells])} |"


class BidsAndPlays(Agent):
    """One agent for the auction, another for the play of the cards."""

    def __init__(self, bidder: Agent, player: Agent) -> None:
        self.name = f"{bidder.name}, play {player.name}"
        self._by_phase = bidder, player

    def act(self, view: View, rng: np.random.Generator) -> int:
        return self._by_phase[int(view.observation[OBSERVATION.slices(PLAYERS)["phase"]].argmax())].act(view, rng)


def played(agent: Agent, seed: int) -> Played:
    """Play a deal with the agent on all seats."""
    begun: list[CardGameEnv] = []
    zones: dict[str, list[int]] = {}

    def look(env: CardGameEnv, action: int) -> None:
        if not begun:
            begun.append(env)
            zones.update(env.zones())

    result = play.play_game("bridge_v0", OPTIONS, [agent] * PLAYERS, seed, on_step=look)
    facts: dict[FactRole, Any] = {fact.role: fact for fact in begun[0].facts()}
    contract, tricks = None, 0
    if FactRole.CONTRACT in facts:
        declarer, text = facts[FactRole.CONTRACT].seat, facts[FactRole.CONTRACT].value
        bid = text.rstrip("x")
        number = STRAINS * (int(bid[0]) - 1) + STRAIN_TEXT.index(bid[1:])
        contract = Contract(number, declarer, len(text) - len(bid))
        tricks = facts[FactRole.TRICKS].value[declarer]
    hands = tuple(tuple(zones[f"hand/{seat}"]) for seat in range(PLAYERS))
    cards = tuple(action for action in result.actions if action < STANDARD)
    return Played(facts[FactRole.DEALER].seat, hands, contract, cards, tricks)


# --- double dummy ---


def as_deal(hands: Sequence[Sequence[int]]) -> Any:
    """The deal in endplay's format; seat 0 is North."""
    import endplay

    suits = [["".join(TEXT[card][0] for card in hand if card % SUITS == suit) for suit in (3, 2, 1, 0)] for hand in hands]
    return endplay.Deal("N:" + " ".join(map(".".join, suits)))


@cache
def _solved(hands: tuple[tuple[int, ...], ...]) -> Any:
    """Double-dummy tricks of each declarer in each strain."""
    import endplay

    return endplay.calc_dd_table(as_deal(hands))


def par(deal: Played) -> int:
    """Of North-South."""
    import endplay

    return int(endplay.par(_solved(deal.hands), endplay.Vul.none, endplay.Player(deal.dealer)).score)


def double_dummy(deal: Played) -> list[int]:
    """Declarer's tricks with double-dummy play from each card on: before the lead, after it, ..., at the end."""
    import endplay

    assert deal.contract is not None
    solving = as_deal(deal.hands)
    solving.trump = endplay.Denom.find(STRAIN_TEXT[deal.contract.bid % STRAINS])
    solving.first = endplay.Player((deal.contract.declarer + 1) % PLAYERS)
    cards = [endplay.Card(TEXT[card][1] + TEXT[card][0]) for card in deal.cards]
    return list(endplay.analyse_play(solving, cards))


def beside(deal: Played) -> Beside:
    best, contract = par(deal), deal.contract
    if contract is None:
        return Beside(imps(best), imps(best), 0, 0)
    tricks = np.array(double_dummy(deal))
    lost = np.diff(tricks)  # negative: by declarer; positive: by the defence
    return Beside(
        IMPs_from_par=imps(contract.points(deal.tricks) - best),
        as_bid=imps(contract.points(int(tricks[0])) - best),
        games=contract.is_game,
        slams=plain(level_of)(contract.bid) >= _SMALL_SLAM,
        tricks_more=deal.tricks - tricks[0],
        lost_by_lead=lost[0],
        by_declarer=-lost[lost < 0].sum(),
        by_defence=lost[1:][lost[1:] > 0].sum(),
        best_leads=lost[0] == 0,
    )


def check_solver(parser: Parser) -> None:
    """End the command if there is no solver."""
    try:
        import endplay  # noqa: F401
    except ImportError as error:
        parser.error(f"the solver is in the extra `bridge`: pip install 'wilddeck[bridge]' ({error})")


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.bridge_par", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("players", nargs="*", help="default: rules trained")
    parser.add_argument("--play", metavar="SPEC", help="the agent that plays the cards; default: the one that bids")
    parser.add_argument("--deals", type=whole(1, 1_000_000), default=300)
    parser.add_argument("--seed", type=integer, default=1)
    settings = parser.parse_args(arguments)
    check_solver(parser)
    game, options = envs.resolve("bridge_v0", OPTIONS)
    with parser.refusing():
        players = [agents.make(spec, game, options) for spec in settings.players or ("rules", "trained")]
        if settings.play:
            players = [BidsAndPlays(player, agents.make(settings.play, game, options)) for player in players]
    names = ["player", *(name.replace("_", " ") for name in _FIGURES)]
    print(f"| {' | '.join(names)} |\n|{' --- |' * len(names)}")
    for player in players:
        deals = [beside(played(player, settings.seed + k)) for k in range(settings.deals)]
        print(Summary(player.name, deals), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
