"""Push-or-fold hold'em, heads-up with short stacks: its equilibrium by fictitious play, and the losses of our players to a best
response.

python -m wilddeck.benchmarks.studies.push_fold [--stack 10] [--deals 10000000]

It is poker_v0 without raise sizes, so that every raise is all-in; unlike there, the small blind may not call. There are 169
starting hands; the probability that two meet, and the winner, are estimated from random deals.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ... import envs
from ...agents import make
from ...agents.base import Agent
from ...agents.holdem.hands import KINDS, kind_of
from ...cli.arguments import Parser, integer, whole
from ...envs.core.cards import RANKS, STANDARD
from ...envs.core.compare import poker
from ..comparator import random_hands
from .asking import frequencies

SMALL_BLIND = 0.5  # in big blinds
_FOLD, _CALL, _PUSH = 0, 1, 9  # actions of poker_v0
_CHUNK = 500_000  # deals per batch
_ROUNDS = 3000  # of fictitious play

Numbers = np.ndarray


def matchups(deals: int, seed: int = 1) -> tuple[Numbers, Numbers]:
    """The probability that two kinds meet, and the first one's mean result (1 or -1): float [169, 169] each."""
    met, won = np.zeros((KINDS, KINDS)), np.zeros((KINDS, KINDS))
    for part in range(0, deals, _CHUNK):
        cards = random_hands(min(_CHUNK, deals - part), seed * 10_000 + part // _CHUNK, 9)
        one, other = (poker.strength(np.hstack([cards[:, k : k + 2], cards[:, 4:]])) for k in (0, 2))
        place = kind_of(cards[:, :2]), kind_of(cards[:, 2:4])
        np.add.at(met, place, 1)
        np.add.at(won, place, np.sign(one - other))
    met, won = met + met.T, won - won.T  # either may sit first
    return met / met.sum(), won / np.maximum(met, 1)


class PushFold:
    """The game, in big blinds. Strategies are the probabilities of pushing and of calling a push, one for each kind."""

    def __init__(self, stack: float, met: Numbers, won: Numbers) -> None:
        self.met, self.called = met, met * won * stack

    def pusher(self, call: Numbers) -> tuple[Numbers, Numbers]:
        """The value of pushing and of folding for each kind, weighted by its probability."""
        return self.met @ (1 - call) + self.called @ call, -SMALL_BLIND * self.met.sum(axis=1)

    def caller(self, push: Numbers) -> tuple[Numbers, Numbers]:
        """The value of calling a push and of folding to it for each kind, weighted by the probability of the decision."""
        return -self.called.T @ push, -self.met.T @ push

    def best_pusher(self, call: Numbers) -> float:
        """The value of the small blind's best response."""
        return float(np.maximum(*self.pusher(call)).sum())

    def best_caller(self, push: Numbers) -> float:
        """The value of the big blind's best response."""
        return float(np.maximum(*self.caller(push)).sum() + SMALL_BLIND * (self.met @ np.ones(KINDS) @ (1 - push)))

    def exploitability(self, push: Numbers, call: Numbers) -> float:
        """The value of best responses against a player who sits in both seats equally often, in big blinds per hand."""
        return (self.best_pusher(call) + self.best_caller(push)) / 2

    def equilibrium(self, rounds: int = _ROUNDS) -> tuple[Numbers, Numbers]:
        """An approximate equilibrium by fictitious play: each player best-responds to the other's average strategy."""
        push, call = np.ones(KINDS), np.ones(KINDS)
        for k in range(1, rounds):
            pushing, folding = self.pusher(call)
            calling, giving_up = self.caller(push)
            push, call = push + ((pushing > folding) - push) / (k + 1), call + ((calling > giving_up) - call) / (k + 1)
        return push, call


def strategy(agent: Agent, stack: int, asked: int, push: bool) -> Numbers:
    """The probability that an agent pushes with each kind, or calls a push, from repeated queries."""
    env = envs.raw_env("poker_v0", **options(stack))
    rows, masks = [], []
    for kind in range(KINDS):
        first, second = divmod(kind, RANKS)
        own = [4 * first, 4 * second + (first >= second)]
        rest = [card for card in range(STANDARD) if card not in own]
        deal = [rest[0], own[0], rest[1], own[1]] if push else [own[0], rest[0], own[1], rest[1]]  # the big blind's cards first
        env.reset(seed=1, options={"deck": deal + rest[2:]})
        if not push:
            env.step(_PUSH)
        seen = env.observe(env.agent_selection)
        mask = seen["action_mask"].astype(np.uint8)
        mask[_CALL] = not push
        rows.append(seen["observation"])
        masks.append(mask)
    return 1 - frequencies(agent, np.array(rows), np.array(masks), asked, np.random.default_rng(1))[:, _FOLD]


def options(stack: int) -> dict[str, Any]:
    """Blinds of 1 and 2, stacks in big blinds, raises all-in only; seat 0 has the button and the small blind."""
    settings = {"num_players": 2, "deck": "standard", "stack": 2 * stack, "button": 0}
    return {**settings, "raise_sizes": (), "min_raise_action": False}


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.push_fold", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("agents", nargs="*", default=["rules", "trained"])
    parser.add_argument("--stack", type=whole(2, 1000), default=10, help="in big blinds")
    parser.add_argument("--deals", type=whole(1, 1_000_000_000), default=10_000_000)
    parser.add_argument("--asked", type=whole(1, 100_000), default=100, help="number of queries for each kind")
    parser.add_argument("--seed", type=integer, default=1)
    settings = parser.parse_args(arguments)
    met, won = matchups(settings.deals, settings.seed)
    game = PushFold(settings.stack, met, won)
    weight = met.sum(axis=1)
    always, never, half = np.ones(KINDS), np.zeros(KINDS), np.full(KINDS, 0.5)
    players = {"random": (half, half), "equilibrium": game.equilibrium(), "always": (always, always), "never": (never, never)}
    with parser.refusing():
        for name in settings.agents:
            agent = make(name, "poker_v0", options(settings.stack))
            push, call = (strategy(agent, settings.stack, settings.asked, push) for push in (True, False))
            players[name] = push, call
    random = game.exploitability(*players["random"])
    for name, (push, call) in players.items():
        loses = game.exploitability(push, call)
        print(
            f"{name}: pushes {weight @ push:.1%}, calls {weight @ call:.1%}; loses {1000 * loses:.1f} mbb/hand to the best "
            f"response, score {1 - loses / random:.3f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
