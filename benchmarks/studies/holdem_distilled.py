"""A network that copies what `resolve` computes at the table: hold'em for two with stacks of 100 big blinds.

python -m wilddeck.benchmarks.studies.holdem_distilled FILE [--steps 1400000] [--workers 2]

Hands are played by the agent `resolve`, which solves the rest of the hand again on each street, for all hands of both players.
Of each solution the network learns many positions, and what mistakes there would cost.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import envs
from ...agents.holdem.hands import BOARD, HANDS, MOVED, PERMUTED, SETS, STREETS, run_outs, set_of
from ...agents.holdem.regrets import PLAYERS, mean_cost, public
from ...agents.holdem.resolving import Position, ResolvingAgent, of_street
from ...agents.learned import LearnedAgent, plain_options
from ...agents.tensors import suffix
from ...cli.arguments import Parser, integer, whole
from ...envs.core.aec import CardGameEnv
from ...envs.core.cards import STANDARD
from ...envs.core.game import Game, Options
from ...envs.games.poker.state import ALL_IN, CALL, FOLD
from .holdem_network import MISTAKES, copy, views
from .local_best_response import options

Numbers = np.ndarray
# What is solved at positions: actions, and of each hand or bucket their probabilities and costs.
Solved = dict[tuple[int, ...], tuple[Numbers, Numbers, Numbers]]
STEPS = 1_400_000
STACK = 100
ITERATIONS = 100
_REPEATED = 20  # how often a position is learned, with its suits exchanged
# For each subgame by its street: hands that find positions, and those that go on to the next street.
_PLAYED = 400, 200, 120, 60
_BRANCHES = 12, 3, 4, 1
_FLOP = 3  # cards
_RANDOM = {FOLD: 0.0, CALL: 1.0, ALL_IN: 0.05}  # weights of mistakes that lead to other subgames; of all other raises 0.15
_OTHER_RAISE = 0.15
_SAME = np.tile(np.arange(HANDS), (STREETS, 1))  # each hand is its own bucket


class Learned(NamedTuple):
    """Positions of some subgames.

    Attributes:
        records: of games, [R]; their cards do not matter.
        place: int64 [P], of the position's record.
        hand, player: int64 [P]; the hand of the player to move, among all.
        board: uint8 [P, 5].
        strategy, cost: float16 [P, A], of each action the probability, and what it costs in chips.
    """

    records: Numbers
    place: Numbers
    hand: Numbers
    player: Numbers
    board: Numbers
    strategy: Numbers
    cost: Numbers


class Gatherer:
    """Plays hands, and keeps positions."""

    def __init__(self, game: Game, options: Options, iterations: int, seed: tuple[int, ...]) -> None:
        self.agent, self.rng = ResolvingAgent(game, options, iterations), np.random.default_rng(seed)
        self.records: dict[tuple[int, ...], tuple[int, Numbers]] = {}
        self.found: list[tuple[Any, ...]] = []

    def gather(self) -> Learned:
        """The positions of some hands that begin alike."""
        self._explore(self.agent.beginning())
        records = np.concatenate([record for _, record in self.records.values()])
        place, hand, player, board, strategy, cost = map(np.array, zip(*self.found, strict=True))
        self.records, self.found = {}, []
        half = np.float16
        return Learned(records, place, hand, player, board.astype(np.uint8), strategy.astype(half), cost.astype(half))

    def _explore(self, at: Position) -> None:
        """Solve the rest of the hand, keep positions of it, and go on to the next street."""
        if at.street:
            boards = run_outs(at.board, self.rng)
            solution = self.agent.solve(at, boards, self.rng)
            at = at._replace(subgame=of_street(solution, at.street))
            found = {}
            for street in range(at.street, STREETS):
                costs = of_street(solution, street, mean_cost)
                for key, (actions, likely) in of_street(solution, street).items():
                    found[key] = actions, likely, costs[key][1]
            for k in self.rng.integers(len(boards.board), size=_PLAYED[at.street]).tolist():
                self._look(at, found, tuple(boards.board[k].tolist()), boards.buckets[k])
        else:
            found = {key: (actions, likely, np.zeros_like(likely)) for key, (actions, likely) in at.subgame.items()}
            for _ in range(_PLAYED[at.street]):
                self._look(at, found, (), _SAME)
        for _ in range(_BRANCHES[at.street]):
            after = self._play(at)
            if after is not None:
                self._explore(after)

    def _look(self, at: Position, found: Solved, board: tuple[int, ...], buckets: Numbers) -> None:
        """Keep positions with two hands, to the end of the hand if it is solved.

        Args:
            board: of all streets that are solved.
            buckets: int [4, 1326], of hands on each street.
        """
        hands, bold, env = self._hands(at.dealt(board[len(at.board) :])), self._bold(), at.env.clone()
        while not env.is_over and (key := public(env)) in found:
            player, street = env.current_player, int(env.record[0]["street"])
            actions, likely, cost = found[key]
            row = buckets[street, hands[player]]
            self._keep(env, board, hands[player], actions, likely[row], cost[row])
            # All bets are as likely: the answers to those that are never made are learned, too.
            mistakes = np.where(actions == FOLD, 0.0, 1.0) if bold[player] else None
            env.step(self._action(actions, likely[row], mistakes))

    def _play(self, at: Position) -> Position | None:
        """Play the street with two hands. Returns the position after it, or after a bet that is not solved; None: the hand is
        over."""
        hands, bold, street = self._hands(at), self._bold(), at.street
        while at.street == street:
            if street and public(at.env) not in at.subgame:
                return at
            at, likely = self.agent.solved_at(at)
            player, legal = at.env.current_player, np.array(at.env.legal_actions())
            own = likely[hands[player], legal]
            if not street:
                self._keep(at.env, at.board, hands[player], legal, own, np.zeros(len(legal)))
            random = np.array([_RANDOM.get(action, _OTHER_RAISE) for action in legal.tolist()])
            at = self.agent.follow(at, self._action(legal, own, random if bold[player] else None))
            if at.env.is_over:
                return None
        left = np.flatnonzero((int(SETS[hands].sum()) | set_of(at.board)) >> np.arange(STANDARD) & 1 == 0)
        return at.dealt(tuple(self.rng.choice(left, 1 if at.board else _FLOP, replace=False).tolist()))

    def _hands(self, at: Position) -> Numbers:
        """One of each player, without a card in common."""
        while True:
            hands = np.array([self.rng.choice(HANDS, p=held / held.sum()) for held in at.held])
            if not SETS[hands[0]] & SETS[hands[1]]:
                return hands

    def _bold(self) -> Numbers:
        """Whether each player makes mistakes, so that the other has to answer them."""
        return self.rng.random(PLAYERS) < 0.5

    def _action(self, actions: Numbers, likely: Numbers, mistakes: Numbers | None = None) -> int:
        """An action by how likely each is, or a mistake if the player makes some."""
        if mistakes is not None and self.rng.random() < MISTAKES:
            likely = mistakes
        return int(self.rng.choice(actions, p=likely / likely.sum()))

    def _keep(
        self, env: CardGameEnv, board: tuple[int, ...], hand: int, actions: Numbers, likely: Numbers, cost: Numbers
    ) -> None:
        full, both = (*board, *(0,) * (BOARD - len(board))), np.zeros((2, self.agent.num_actions))
        both[:, actions] = likely, cost
        place, _ = self.records.setdefault(public(env), (len(self.records), env.record.copy()))
        self.found.append((place, hand, env.current_player, full, *both))


def _gather(iterations: int, seed: tuple[int, ...]) -> Learned:
    """In a process of its own."""
    return Gatherer(*envs.resolve("poker_v0", options(STACK)), iterations, seed).gather()


def gather(steps: int, iterations: int, workers: int, seed: int) -> Learned:
    """So many positions, or a few more: the same ones with any number of workers."""
    found: list[Learned] = []
    records = 0
    count, begun, said = 0, time.monotonic(), 0.0
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        seeds = itertools.count()
        waiting = deque(pool.submit(_gather, iterations, (seed, next(seeds))) for _ in range(2 * workers))
        while count < steps:
            learned = waiting.popleft().result()
            found.append(learned._replace(place=learned.place + records))
            records += len(learned.records)
            waiting.append(pool.submit(_gather, iterations, (seed, next(seeds))))
            count += len(learned.hand)
            if time.monotonic() > said + 60:
                said = time.monotonic()
                print(f"{count:,} positions in {said - begun:.0f} s", flush=True)
        pool.shutdown(cancel_futures=True)
    return Learned(*(np.concatenate(each) for each in zip(*found, strict=True)))


class Positions:
    """Endless positions from those gathered, with their suits exchanged: what `holdem_network.copy` learns from."""

    def __init__(self, env: CardGameEnv, learned: Learned, seed: int = 1) -> None:
        self.env, self.learned, self.rng = env, learned, np.random.default_rng(seed)
        self.sizes = env.game.observation_size(env.options), env.game.num_actions(env.options)

    def draw(self, count: int) -> tuple[Numbers, ...]:
        """Observations, float32 [P, D], action masks, uint8 [P, A], probabilities and costs, float [P, A]."""
        records, place, hand, player, board, strategy, cost = self.learned
        rows, suits = self.rng.integers(len(hand), size=count), self.rng.integers(len(MOVED), size=count)
        seen = views(
            self.env, records[place[rows]], player[rows], PERMUTED[suits, hand[rows]], MOVED[suits[:, None], board[rows]]
        )
        return *seen, strategy[rows].astype(np.float32), cost[rows].astype(np.float32)


def make_agent(game: Game, options: Options, steps: int = STEPS, seed: int = 1, workers: int = 2) -> LearnedAgent:
    """Gather so many positions, and copy the strategies there."""
    env = CardGameEnv(game, game.make_options(plain_options(options) | {"button": 0}))
    return copy(Positions(env, gather(steps, ITERATIONS, workers, seed), seed), _REPEATED * steps, seed=seed)


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.holdem_distilled", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="weights to write, .safetensors or .npz")
    parser.add_argument("--steps", type=whole(1, 10**9), default=STEPS, help=f"number of positions (default: {STEPS:,})")
    parser.add_argument("--workers", type=whole(1, 256), default=2, help="processes that play hands")
    parser.add_argument("--seed", type=integer, default=1)
    settings = parser.parse_args(arguments)
    with parser.refusing():
        suffix(settings.file)  # refused before the work, not after it
        settings.file.parent.mkdir(parents=True, exist_ok=True)
        game, checked = envs.resolve("poker_v0", options(STACK))
        make_agent(game, checked, settings.steps, settings.seed, settings.workers).save(settings.file, game, checked)
        print(settings.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
