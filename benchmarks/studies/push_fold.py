"""A hold'em game of pushing or folding, heads-up with short stacks: its equilibrium by fictitious play, and what our players
lose there to the best answer.

python -m wilddeck.benchmarks.studies.push_fold [--stack 10] [--deals 10000000]

Of poker_v0 only options are needed: without raise sizes every raise is all-in. The small blind may then not call, which the
game allows. Hands are of 169 kinds; how often two kinds meet, and who wins, is counted over random deals.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ... import envs
from ...agents import make
from ...agents.base import Agent
from ...cli.arguments import Parser, integer, whole
from ...envs.core.cards import RANKS, STANDARD
from ...envs.core.compare import poker
from ..comparator import random_hands
from .asking import frequencies

KINDS = RANKS * RANKS  # of two cards: suited above the diagonal, the others and pairs below and on it
SMALL_BLIND = 0.5  # of the big one
_FOLD, _CALL, _PUSH = 0, 1, 9  # actions of poker_v0
_CHUNK = 500_000  # deals at a time
_ROUNDS = 3000  # of fictitious play

Numbers = np.ndarray


def kind_of(cards: Numbers) -> Numbers:
    """The kind 0..168 of two cards, int [N, 2]."""
    ranks = np.sort(cards.astype(np.int64) // 4, axis=1)
    suited = cards[:, 0] % 4 == cards[:, 1] % 4
    return np.where(suited, ranks[:, 0] * RANKS + ranks[:, 1], ranks[:, 1] * RANKS + ranks[:, 0])


def matchups(deals: int, seed: int = 1) -> tuple[Numbers, Numbers]:
    """How likely two kinds meet and what the first then wins, 1 or -1, in the mean: float [169, 169] each."""
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
    """The game in big blinds. Strategies are the probabilities of pushing and of calling a push, one for each kind."""

    def __init__(self, stack: float, met: Numbers, won: Numbers) -> None:
        self.met, self.called = met, met * won * stack

    def pusher(self, call: Numbers) -> tuple[Numbers, Numbers]:
        """What each kind wins by pushing and by folding, weighed by how often it is held."""
        return self.met @ (1 - call) + self.called @ call, -SMALL_BLIND * self.met.sum(axis=1)

    def caller(self, push: Numbers) -> tuple[Numbers, Numbers]:
        """What each kind wins by calling a push and by folding to it, weighed by how often it comes to that."""
        return -self.called.T @ push, -self.met.T @ push

    def best_pusher(self, call: Numbers) -> float:
        """What the best answer of the small blind wins."""
        return float(np.maximum(*self.pusher(call)).sum())

    def best_caller(self, push: Numbers) -> float:
        """What the best answer of the big blind wins."""
        return float(np.maximum(*self.caller(push)).sum() + SMALL_BLIND * (self.met @ np.ones(KINDS) @ (1 - push)))

    def exploitability(self, push: Numbers, call: Numbers) -> float:
        """What best answers win against a player who sits in both seats equally often, in big blinds a hand."""
        return (self.best_pusher(call) + self.best_caller(push)) / 2

    def equilibrium(self, rounds: int = _ROUNDS) -> tuple[Numbers, Numbers]:
        """Nearly, by fictitious play: each answers what the other has done so far."""
        push, call = np.ones(KINDS), np.ones(KINDS)
        for k in range(1, rounds):
            pushing, folding = self.pusher(call)
            calling, giving_up = self.caller(push)
            push, call = push + ((pushing > folding) - push) / (k + 1), call + ((calling > giving_up) - call) / (k + 1)
        return push, call


def strategy(agent: Agent, stack: int, asked: int, push: bool) -> Numbers:
    """How often an agent pushes with each kind, or calls a push; asked so many times."""
    env = envs.raw_env("poker_v0", **options(stack))
    rows, masks = [], []
    for kind in range(KINDS):
        first, second = divmod(kind, RANKS)
        own = [4 * first, 4 * second + (first >= second)]
        rest = [card for card in range(STANDARD) if card not in own]
        deal = [rest[0], own[0], rest[1], own[1]] if push else [own[0], rest[0], own[1], rest[1]]  # the big blind's first
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
    """Blinds of 1 and 2, stacks of so many big blinds, raises all-in only; seat 0 has the button and the small blind."""
    settings = {"num_players": 2, "deck": "standard", "stack": 2 * stack, "button": 0}
    return {**settings, "raise_sizes": (), "min_raise_action": False}


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.push_fold", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("agents", nargs="*", default=["rules", "trained"])
    parser.add_argument("--stack", type=whole(2, 1000), default=10, help="in big blinds")
    parser.add_argument("--deals", type=whole(1, 1_000_000_000), default=10_000_000)
    parser.add_argument("--asked", type=whole(1, 100_000), default=100, help="how often the player is asked for each kind")
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
