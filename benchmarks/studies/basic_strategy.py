"""Blackjack, one player and a fresh shoe for each hand: the value of the best strategy, and the losses of a player's decisions.

python -m wilddeck.benchmarks.studies.basic_strategy [rules trained ...] [--decks 6] [--asked 1]

The best strategy knows the cards of its hand and the up card. It is exact except for splits (see `benchmarks/blackjack.py`). A
decision costs its difference to the best one, weighted by the probability that the player reaches it; the sum is the player's
loss. The agent is queried for each set of cards in one order, with tens in place of other cards that count 10.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import envs
from ...agents import make
from ...agents.base import Agent, check_batches
from ...cli.arguments import Parser, whole
from ...envs.games.blackjack.state import DO_DECLINE, DO_HIT, DO_INSURE, DO_SPLIT, MOST_HANDS
from ..blackjack import ACE, ACTIONS, BEST, NAMES, NINE, NO_PAIR, SEVEN, TEN, VALUES, Blackjack, Cards, both, total_of
from .asking import frequencies

_TIE = 1e-9  # rounding differences between decisions of equal value

Numbers = np.ndarray


def options(decks: int) -> dict[str, Any]:
    return {"deck": "standard", "num_players": 1, "decks": decks}


class Player:
    """An agent that is queried for its actions in given hands."""

    def __init__(self, agent: Agent, decks: int, asked: int) -> None:
        self.agent, self.asked, self.rng = agent, asked, np.random.default_rng(1)
        self.env = envs.raw_env("blackjack_v0", **options(decks))
        self.shoe = Counter(self.env.game.deck(self.env.options))

    def decisions(self, hands: list[tuple[int, Cards, int]], insurance: bool = False) -> Numbers:
        """Its action probabilities, float [M, A].

        Args:
            hands: for each, the pair that it was split from, its cards and the up card.
            insurance: query the insurance decision.
        """
        seen = []
        for pair, cards, up in hands:
            self.env.reset(seed=1, options={"deck": self.deck(pair, cards, up)})
            if not insurance:
                moves = [DO_DECLINE] * (up == ACE) + [DO_SPLIT] * (pair != NO_PAIR) + [DO_HIT] * (sum(cards) - 2)
                for move in moves:
                    self.env.step(move)
            seen.append(self.env.observe(self.env.agent_selection))
        rows, masks = (np.array([each[name] for each in seen]) for name in ("observation", "action_mask"))
        return frequencies(self.agent, rows, masks.astype(np.uint8), self.asked, self.rng)

    def deck(self, pair: int, cards: Cards, up: int) -> list[int]:
        """A shoe that deals these cards. If there are more than two, the first two are no natural: a single ten comes last."""
        values = [value for value in range(VALUES) for _ in range(cards[value])]
        if cards[TEN] != 1:
            values.reverse()
        if pair != NO_PAIR:
            values.remove(pair)
            values = [pair, pair, values[0], NINE if pair != NINE else TEN, *values[1:]]
        first, second, *rest = values
        number: Counter[int] = Counter()
        deck = []
        for value in (first, SEVEN, second, up, *rest):
            rank = (value - 1) % 13  # an ace is highest
            deck.append(4 * rank + number[value] % 4)
            number[value] += 1
        return [*deck, *(self.shoe - Counter(deck)).elements()]


@dataclass(frozen=True)
class Difference:
    """A suboptimal decision: its probability and its cost in bets, per hand dealt."""

    hand: str
    up: str
    played: str
    best: str
    often: float
    cost: float

    def __str__(self) -> str:
        return (
            f"  {self.hand} against {self.up}: {self.played}, best {self.best}; in {self.often:.3%} of hands, {self.cost:.5%}"
        )


@dataclass(frozen=True)
class Costs:
    """The best strategy's expected win per hand, in bets, and a player's deviations from it, the most costly first."""

    agent: str
    decks: int
    best: float
    differences: list[Difference]

    @property
    def cost(self) -> float:
        return sum(each.cost for each in self.differences)

    def __str__(self) -> str:
        wins = f"wins {self.best - self.cost:+.4%} of a bet a hand, {self.cost:.4%} less than the best strategy"
        return f"{self.agent}, {self.decks} decks: {wins} ({self.best:+.4%}); {len(self.differences)} decisions differ"


def label(pair: int, cards: Cards) -> str:
    """The name of a hand in tables."""
    total, soft = total_of(cards)
    name = 2 * NAMES[cards.index(2)] if sum(cards) == 2 and 2 in cards else f"{'soft ' if soft else ''}{total}"
    return name if pair == NO_PAIR else f"{name} after a split"


class Ledger:
    """Follows a player through all hands and records the costs of their decisions."""

    def __init__(self, player: Player, game: Blackjack) -> None:
        self.player, self.game = player, game
        self.found: dict[tuple[str, str, str, str], Numbers] = defaultdict(lambda: np.zeros(2))
        self.insure()
        reach = game.dealt * (1 - game.natural)
        reach[game.own_natural] = 0
        split = self.play(reach, NO_PAIR)
        for pair in range(ACE + 1, VALUES):  # split aces take no other cards
            halves = np.zeros(reach.shape)
            for up in np.flatnonzero(split[pair]):
                self.divide(halves, pair, int(up), (1, 1), split[pair, up])
            self.play(halves, pair)

    def charge(self, hand: int, up: int, played: str, best: str, often: float, cost: float) -> None:
        if often and cost > _TIE:
            self.found[label(*self.game.keys[hand]), NAMES[up], played, best] += often, often * cost

    def insure(self) -> None:
        hands = np.flatnonzero(self.game.dealt[:, ACE])
        asked = self.player.decisions([(*self.game.keys[hand], ACE) for hand in hands], insurance=True)
        for hand, often in zip(hands, asked[:, DO_INSURE] * self.game.dealt[hands, ACE], strict=True):
            wins = (3 * self.game.natural[hand, ACE] - 1) / 2  # two to one for half a bet
            self.charge(int(hand), ACE, "insure", "decline", often, -wins)

    def play(self, reach: Numbers, pair: int) -> Numbers:
        """Process all hands from a split pair, or from none. Returns the probability that each pair is split, float [V, U].

        Args:
            reach: the probabilities of their two cards, float [H, U]; those of hands with more cards are added.
        """
        game, split = self.game, np.zeros((VALUES, VALUES))
        for hard in range(2, BEST + 1):
            of = np.argwhere((reach > 0) & ((game.hard == hard) & (game.pair == pair))[:, None])
            if not len(of):
                continue
            asked = self.player.decisions([(*game.keys[hand], int(up)) for hand, up in of])
            for (hand, up), often in zip(of, asked, strict=True):
                worth = game.worth[hand, up]
                if pair != NO_PAIR:
                    often = without_split(often, worth)
                best = int(worth.argmax())
                for action in np.flatnonzero(often):
                    self.charge(
                        hand, up, ACTIONS[action], ACTIONS[best], reach[hand, up] * often[action], worth[best] - worth[action]
                    )
                drawn = reach[hand, up] * often[DO_HIT] * game.drawn[hand, up]
                lives = game.child[hand] >= 0
                reach[game.child[hand][lives], up] += drawn[lives]
                if often[DO_SPLIT]:
                    split[game.keys[hand][1].index(2), up] = reach[hand, up] * often[DO_SPLIT]
        return split

    def divide(self, halves: Numbers, pair: int, up: int, number: tuple[int, int], often: float) -> None:
        """Split one more pair with this probability, given the number of hands and of pairs still to be played."""
        hands, pairs = number
        drawn = self.game.drawn[self.game.twin(NO_PAIR, pair), up]
        places = self.game.halves(pair)
        for value in set(range(VALUES)) - {pair}:
            halves[places[value], up] += 2 * often * drawn[value]
        for new, chance in enumerate(both(drawn[pair])):
            self.decide(halves, pair, up, (hands + 1, pairs - 1 + new), often * float(chance))

    def decide(self, halves: Numbers, pair: int, up: int, number: tuple[int, int], often: float) -> None:
        """Whether the next of the pairs still to be played is split."""
        hands, pairs = number
        if not pairs or not often:
            return
        twin = self.game.twin(pair, pair)
        splits = self.player.decisions([(*self.game.keys[twin], up)])[0, DO_SPLIT] if hands < MOST_HANDS else 0.0
        kept, divided = (worth[up] for worth in self.game.splits[pair][number])
        self.charge(twin, up, "split", "no split", often * splits, kept - divided)
        self.charge(twin, up, "no split", "split", often * (1 - splits), divided - kept)
        halves[twin, up] += often * (1 - splits)
        self.decide(halves, pair, up, (hands, pairs - 1), often * (1 - splits))
        if splits:
            self.divide(halves, pair, up, number, often * splits)


def without_split(often: Numbers, worth: Numbers) -> Numbers:
    """The action in place of a split at the maximal number of hands: the best one, if the player always splits."""
    rest = np.where(np.arange(len(often)) == DO_SPLIT, 0, often)
    return rest / rest.sum() if rest.any() else np.eye(len(often))[worth.argmax()]


def costs(agent: str | Agent, decks: int = 6, asked: int = 1) -> Costs:
    """The loss of an agent (or agent string) to the best strategy; a stochastic agent is queried `asked` times per position."""
    made, game = make(agent, "blackjack_v0", options(decks)), Blackjack(decks)
    check_batches(made, made.name, "too slow to be queried for all hands")
    found = Ledger(Player(made, decks, asked), game).found
    differences = [Difference(*key, *map(float, value)) for key, value in found.items()]
    return Costs(made.name, decks, game.expectation(), sorted(differences, key=lambda each: -each.cost))


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.basic_strategy", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("agents", nargs="*", default=["rules"])
    parser.add_argument("--decks", type=whole(2, 8), default=6)
    parser.add_argument("--asked", type=whole(1, 100_000), default=1, help="queries per position for a stochastic player")
    parser.add_argument("--show", type=whole(0, 10_000), default=20, help="number of differing decisions to print")
    settings = parser.parse_args(arguments)
    with parser.refusing():
        for agent in settings.agents:
            found = costs(agent, settings.decks, settings.asked)
            print("\n".join(map(str, [found, *found.differences[: settings.show]])), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
