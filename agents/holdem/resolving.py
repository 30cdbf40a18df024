"""An agent of heads-up hold'em that solves the rest of the hand again on each street after the first.

Its agent string is `resolve[:iterations=N,policy=trained|FILE]`. Before the flop it plays as solved beforehand (`preflop`),
where nothing is solved as the trained network. Then it finds out how likely each hand of both players is, if both play as it
does, and minimises the regrets of both (`regrets`) in the rest of the hand: on the present street no hands are played alike,
and the strategy fits this board (S. Ganzfried, T. Sandholm, "Endgame solving in large imperfect-information games", 2015). The
smaller game of the flop has only raises of the pot. After a bet that the smaller game does not have, it solves again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ... import envs
from ...envs.core.aec import CardGameEnv
from ...envs.core.batch import check_count, game_kernels
from ...envs.core.events import Event
from ...envs.core.game import Game, Options, as_records
from ...envs.games.poker.state import CALL, FOLD
from .. import learned, tensors, trained
from ..base import Agent, View
from ..learned import LearnedAgent, is_known, plain_options
from ..thoughts import Thoughts
from . import preflop
from .hands import BUCKETS, HANDS, SETS, TEXTURES, RunOuts, run_outs, set_of
from .preflop import Strategies
from .regrets import (
    PLAYERS,
    POTS,
    TREMBLE,
    Betting,
    Solution,
    Tables,
    betting,
    learn,
    mean_strategy,
    on_board,
    public,
    weight_at,
    workspace,
)

Numbers = np.ndarray
ITERATIONS = 150
_PLAYED = {"variant": "texas_holdem", "num_players": PLAYERS, "deck": "standard", "betting": "no_limit", "hands": 1}
_FLOP = 1
_FORGOTTEN = 0.25  # of the iterations; the strategies after them are averaged
_KEPT = 64  # subgames and strategies
_MOST_ITERATIONS = 1_000_000
_BETS = {"fold": FOLD, "check": CALL, "call": CALL, "bet": None, "raise": None}  # events, and their actions if they are one


def with_all_hands(env: CardGameEnv, record: Numbers) -> tuple[Numbers, Numbers]:
    """What the player to move sees and can do with each hand, float32 [1326, D] and uint8 [1326, A].

    Args:
        record: of the game, [1].
    """
    games = np.repeat(record, len(SETS))
    games["hand"][:, env.current_player, 0] = SETS
    sizes = env.game.observation_size(env.options), env.game.num_actions(env.options)
    rows, masks = np.zeros((len(SETS), sizes[0]), np.float32), np.zeros((len(SETS), sizes[1]), np.uint8)
    game_kernels(env.game)["view_games"](as_records(games), rows, masks, np.zeros(len(SETS), np.int64))
    return rows, masks


class HandsAgent(Agent):
    """An agent of hold'em that knows its strategy with each of the 1,326 hands."""

    def likelihoods(self, env: CardGameEnv) -> Numbers:
        """Its action probabilities at the decision, float [1326, A]; what they are with impossible hands does not matter."""
        raise NotImplementedError


class Position(NamedTuple):
    """What is public, and the players' hands.

    Attributes:
        env: a game with the same betting; its cards do not matter.
        held: float64 [2, 1326], how likely each player has each hand; 1 on average.
        subgame: that of the last decision; before the flop what is solved of it.
    """

    env: CardGameEnv
    board: tuple[int, ...]
    actions: tuple[int, ...]
    held: Numbers
    subgame: Strategies

    @property
    def street(self) -> int:
        return int(self.env.record[0]["street"])

    def dealt(self, cards: tuple[int, ...]) -> Position:
        """The position with these cards more on the board."""
        return self._replace(board=self.board + cards, held=np.where(SETS & set_of(cards), 0, self.held))


class ResolvingAgent(HandsAgent):
    """Plays hold'em with two players and 52 cards, one hand an episode. Equal public histories give equal strategies.

    The first decision on a street takes one to two seconds.

    Args:
        iterations: the number of boards on which regrets are minimised at each solution.
        policy: the network that plays before the flop where nothing is solved, "trained" or a weights file.

    Raises:
        ValueError: other options, too many iterations or none, or the policy is no network.
    """

    # As in an agent string: `resolve:iterations=500`.
    PARAMETERS: ClassVar[dict[str, type]] = {"iterations": int, "policy": str}

    def __init__(
        self,
        game: Game | str,
        options: Options | Mapping[str, Any] | None,
        iterations: int = ITERATIONS,
        policy: str | Path = "trained",
    ) -> None:
        game, options = envs.resolve(game, options)
        if game.id != "poker_v0":
            raise ValueError(f"agent 'resolve' plays poker_v0, not {game.id}")
        for name, value in _PLAYED.items():
            if getattr(options, name) != value:
                raise ValueError(f"agent 'resolve' plays with {name}={value}, not {name}={getattr(options, name)}")
        self.iterations = check_count("iterations", iterations, _MOST_ITERATIONS)
        self.network = _network(policy, game, options)
        self.name = f"resolve:iterations={iterations},policy={self.network.name}"
        self._env = CardGameEnv(game, game.make_options(plain_options(options) | {"button": 0}))
        self._env.reset(seed=0)  # its cards do not matter
        self.num_actions = self._env.num_actions
        self._before_flop = preflop.strategies(options)
        self._subgames: OrderedDict[Any, Strategies] = OrderedDict()  # the oldest first
        self._strategies: OrderedDict[Any, Numbers] = OrderedDict()

    def act(self, view: View, rng: np.random.Generator) -> int:
        return int(rng.choice(len(view.action_mask), p=self._strategy(view)))

    def thoughts(self, view: View, rng: np.random.Generator) -> Thoughts:
        """The probabilities of its actions; it does not say what they are worth."""
        return Thoughts(view.legal_actions, self._strategy(view)[view.legal_actions])

    def _strategy(self, view: View) -> Numbers:
        (own,) = np.flatnonzero(set_of(view.zones()[f"hand/{view.seat}"]) == SETS)
        likely: Numbers = self.strategies(view.history())[own]
        return likely

    def likelihoods(self, env: CardGameEnv) -> Numbers:
        return self.strategies(env.public_history())

    def strategies(self, history: Iterable[Event]) -> Numbers:
        """The probabilities of actions with each hand after these events, float64 [1326, A]."""
        at = self.beginning()
        for event in history:
            if event.kind == "turn_up":
                at = at.dealt(event.cards)
            elif event.kind in _BETS:
                at = self.follow(at, _action_of(at.env, event))
        return self.solved_at(at)[1]

    def beginning(self) -> Position:
        """The position before the first decision of a hand."""
        return Position(self._env.clone(), (), (), np.ones((PLAYERS, HANDS)), self._before_flop)

    def follow(self, at: Position, action: int) -> Position:
        """The position after a decision."""
        at, likely = self.solved_at(at)
        if not likely[:, action].any():  # a bet that the subgame does not have
            likely = self._by_network(at)
        env, held, player = at.env.clone(), at.held.copy(), at.env.current_player
        held[player] *= (1 - TREMBLE) * likely[:, action] + TREMBLE / len(env.legal_actions())
        held[player] *= HANDS / held[player].sum()
        env.step(action)
        return at._replace(env=env, held=held, actions=(*at.actions, action))

    def solved_at(self, at: Position) -> tuple[Position, Numbers]:
        """The position, with its subgame from the flop on, and how likely actions are with each hand, float64 [1326, A]."""
        key = public(at.env)
        if key not in at.subgame:
            if at.street < _FLOP:
                return at, self._by_network(at)
            at = at._replace(subgame=_kept(self._subgames, at, self._solve))
        actions, likely = at.subgame[key]
        found = np.zeros((HANDS, self.num_actions))
        found[:, actions] = likely
        return at, found

    def _by_network(self, at: Position) -> Numbers:
        return _kept(self._strategies, at, self._ask)

    def _ask(self, at: Position) -> Numbers:
        record = at.env.record.copy()
        record["common"][0, : len(at.board)] = at.board
        return self.network.probabilities(*with_all_hands(at.env, record), np.random.default_rng(0))

    def _solve(self, at: Position) -> Strategies:
        rng = np.random.default_rng(0)
        return of_street(self.solve(at, run_outs(at.board, rng), rng), at.street)

    def solve(self, at: Position, boards: RunOuts, rng: np.random.Generator) -> Solution:
        """The rest of the hand from a position on the flop or later, on these boards."""
        number = BUCKETS // TEXTURES
        number[: at.street + 1] = HANDS
        tree, records, keys = betting(at.env, number, after=POTS if at.street == _FLOP else None)
        tables, work = Tables(*np.zeros((2, tree.base[-1]), np.float32)), workspace(tree)
        ordered = [on_board(*each) for each in zip(boards.buckets, boards.ranked, strict=True)]
        held = [at.held[:, each.hand].astype(np.float32) for each in ordered]
        order = np.concatenate([rng.permutation(len(ordered)) for _ in range(-(-self.iterations // len(ordered)))])
        for k in range(self.iterations):
            if k == int(_FORGOTTEN * self.iterations):
                tables.sums[:] = 0
            weight, noise = weight_at((k + 1) / self.iterations), rng.integers(2**64, dtype=np.uint64)
            learn(tree, tables, work, ordered[order[k]], held[order[k]], weight, noise)
        return Solution(tree, records, keys, tables)


def of_street(
    solution: Solution, street: int, found: Callable[[Betting, Tables, int], tuple[Numbers, Numbers]] = mean_strategy
) -> Strategies:
    """The strategies, or else what is found, at the positions of a street."""
    tree, _, keys, tables = solution
    return {keys[node]: found(tree, tables, node) for node in np.flatnonzero(tree.street == street).tolist()}


def _network(policy: str | Path, game: Game, options: Options) -> LearnedAgent:
    if policy == "trained":
        return trained.make(game, options)
    if Path(policy).suffix.lower() in tensors.SUFFIXES:
        network = learned.load(policy, game, options)
        if is_known(network):
            return network
    raise ValueError(
        f"agent 'resolve': policy={str(policy)!r} is not allowed; allowed: trained, a weights file without an expert"
    )


def _action_of(env: CardGameEnv, event: Event) -> int:
    """The action that an event reports."""
    action = _BETS[event.kind]
    if action is not None:
        return action
    raises = (action for action in env.legal_actions() if action > CALL)
    return next(action for action in raises if env.action_parts(action).amounts[0] == event.amount)


def _kept(store: OrderedDict[Any, Any], at: Position, make_one: Callable[[Position], Any]) -> Any:
    """What is stored of a position; it is made if it is missing, and the oldest one is dropped."""
    key = at.actions, at.board
    if key not in store:
        store[key] = make_one(at)
    store.move_to_end(key)
    if len(store) > _KEPT:
        store.popitem(last=False)
    return store[key]
