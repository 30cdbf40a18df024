"""Kuhn poker and Leduc hold'em: the exact exploitability of players, in thousandths of the ante per game.

PYTHONPATH=examples/games python -m wilddeck.benchmarks.studies.solved_pokers [rules ...] [--game wilddeck_games.kuhn:GAME]

The game tree is enumerated once through OpenSpiel's interface (extra `openspiel`). A player sits in both seats equally often.
The reference is the average policy of CFR+ (O. Tammelin, "Solving large imperfect information games using CFR+", 2014), which
is close to an equilibrium.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...agents import make
from ...agents.base import Agent, check_batches
from ...cli.arguments import Parser, whole
from ...cli.shared import find_game
from ...envs.core.game import Game
from .asking import frequencies

GAMES = "wilddeck_games.kuhn:GAME", "wilddeck_games.leduc:GAME"
MILLI = 1000  # of the ante, one chip
_DEALT = 3  # maximal number of cards in play

Numbers = np.ndarray


@dataclass(frozen=True)
class Level:
    """All histories of one length: the index of the parent history and the move from it, the chance probability, the player to
    move and their information state (-1: the game is over), and player 0's return."""

    parent: Numbers
    action: Numbers
    chance: Numbers
    player: Numbers
    state: Numbers
    won: Numbers


class Tree:
    """A two-player game whose only chance is the deal, and whose information states have histories of one length each.

    Attributes:
        levels: the histories by their number of moves.
        observation, action_mask: for each information state, [I, D] and [I, A].
    """

    def __init__(self, game: Game) -> None:
        from ...frameworks import openspiel

        cards = game.deck(game.make_options({}))
        decks = [[*first, *(card for card in cards if card not in first)] for first in itertools.permutations(cards, _DEALT)]
        root = openspiel.load_game(game, decks=decks).new_initial_state()
        number: dict[str, int] = {}
        seen: list[tuple[list[float], list[int]]] = []
        self.levels: list[Level] = []
        states = [(0, deal, likely, root.child(deal)) for deal, likely in root.chance_outcomes()]
        while states:
            rows = []
            for parent, action, chance, state in states:
                player, place = -1, -1
                if not state.is_terminal():
                    player, told = state.current_player(), state.information_state_string()
                    place = number.setdefault(told, len(number))
                    if place == len(seen):
                        seen.append((state.observation_tensor(), state.legal_actions_mask()))
                rows.append((parent, action, chance, player, place, state.returns()[0]))
            columns = [np.array(column) for column in zip(*rows, strict=True)]
            self.levels.append(Level(*columns))
            states = [
                (parent, action, chance, state.child(action))
                for parent, (_, _, chance, state) in enumerate(states)
                if not state.is_terminal()
                for action in state.legal_actions()
            ]
        self.observation = np.array([row for row, _ in seen], np.float32)
        self.action_mask = np.array([mask for _, mask in seen], np.uint8)

    def reach(self, policy: Numbers) -> list[Numbers]:
        """The probability that each player makes their moves of a history, [2, N] for each level."""
        reach = [np.ones((2, len(self.levels[0].parent)))]
        for before, level in itertools.pairwise(self.levels):
            following = reach[-1][:, level.parent]
            mover = before.player[level.parent]
            following[mover, np.arange(len(mover))] *= policy[before.state[level.parent], level.action]
            reach.append(following)
        return reach

    def sweep(self, policy: Numbers, player: int, best: bool = False) -> tuple[float, Numbers, Numbers]:
        """The value of a policy, or of the best response to it, for a player; the counterfactual advantage of each action in
        each of their information states [I, A]; their own reach probability of each [I]."""
        more, own, after = np.zeros(policy.shape), np.zeros(len(policy)), np.zeros(0)
        reach, sign = self.reach(policy), 1 - 2 * player
        for k in reversed(range(len(self.levels))):
            level = self.levels[k]
            value, brings = sign * level.won, np.zeros((len(level.won), policy.shape[1]))
            if k + 1 < len(self.levels):
                brings[self.levels[k + 1].parent, self.levels[k + 1].action] = after
            is_own = level.player == player
            state, weight = level.state[is_own], (level.chance * reach[k][1 - player])[is_own]
            worth = np.zeros(policy.shape)
            np.add.at(worth, state, weight[:, None] * brings[is_own])
            played = policy
            if best:
                played = np.eye(policy.shape[1])[np.where(self.action_mask, worth, -np.inf).argmax(axis=1)]
            moves = level.player >= 0
            value[moves] = (brings * np.where(is_own[:, None], played[level.state], policy[level.state])).sum(axis=1)[moves]
            more[state] = worth[state] - (worth * played).sum(axis=1, keepdims=True)[state]
            own[state] = reach[k][player][is_own]
            after = value
        return float(self.levels[0].chance @ after), more * self.action_mask, own

    def exploitability(self, policy: Numbers) -> float:
        """The mean value of best responses over both seats."""
        return sum(self.sweep(policy, player, best=True)[0] for player in range(2)) / 2

    def uniform(self) -> Numbers:
        return self.action_mask / self.action_mask.sum(axis=1, keepdims=True)

    def policy_of(self, agent: str | Agent, game: Game, asked: int) -> Numbers:
        """An agent's action probabilities; a stochastic agent is queried `asked` times in each information state."""
        made = make(agent, game)
        check_batches(made, made.name, "too slow to be queried in every information state")
        return frequencies(made, self.observation, self.action_mask, asked, np.random.default_rng(1))


def cfr_plus(tree: Tree) -> Iterator[Numbers]:
    """Yields the average policy after each iteration, weighted towards later ones."""
    regrets, total = np.zeros(tree.action_mask.shape), np.zeros(tree.action_mask.shape)
    for iteration in itertools.count(1):
        for player in range(2):
            policy = normal(regrets, tree.uniform())
            _, more, own = tree.sweep(policy, player)
            regrets = np.maximum(regrets + more, 0)
            total += iteration * own[:, None] * policy
        yield normal(total, tree.uniform())


def normal(weights: Numbers, otherwise: Numbers) -> Numbers:
    """Normalise rows to sum 1; rows of zeros become uniform."""
    sums = weights.sum(axis=1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1), otherwise)


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.solved_pokers", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("agents", nargs="*", default=["rules"])
    parser.add_argument("--game", nargs="+", default=GAMES, help="modules of two-player games that deal at most three cards")
    parser.add_argument("--iterations", type=whole(1, 1_000_000), default=1000, help="of CFR+")
    parser.add_argument(
        "--asked", type=whole(1, 1_000_000), default=10_000, help="queries per information state, if stochastic"
    )
    settings = parser.parse_args(arguments)
    with parser.refusing():
        for name in settings.game:
            game = find_game(name)
            tree = Tree(game)
            solved = next(itertools.islice(cfr_plus(tree), settings.iterations - 1, None))
            players = {"random": tree.uniform(), f"CFR+, {settings.iterations:,} iterations": solved}
            players |= {agent: tree.policy_of(agent, game, settings.asked) for agent in settings.agents}
            value = tree.sweep(solved, 0)[0]
            print(f"{game.title}: {len(tree.observation)} information states, worth {MILLI * value:+.2f} to the first player")
            random = tree.exploitability(players["random"])
            for player, policy in players.items():
                loses = tree.exploitability(policy)
                told = f"loses {MILLI * loses:,.2f} to the best response, score {1 - loses / random:.3f}"
                print(f"  {player}: {told}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
