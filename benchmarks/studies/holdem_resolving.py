"""An agent of heads-up hold'em that solves the rest of the hand again on each street after the first.

wilddeck play poker -n 2 -o deck=standard --agent wilddeck.benchmarks.studies.holdem_resolving:make_agent

Before the flop it plays as the trained network. Then it finds out how likely each hand of both players is, if both play as it
does itself, and minimises the regrets of both (`holdem_regrets`) in the rest of the hand: on the present street no hands are
played alike, and the strategy fits this board (S. Ganzfried, T. Sandholm, "Endgame solving in large imperfect-information
games", 2015). The smaller game of the flop has only raises of the pot. After a bet that the smaller game does not have, it
solves again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ... import envs
from ...agents import make
from ...agents.base import View
from ...agents.learned import plain_options
from ...envs.core.aec import CardGameEnv
from ...envs.core.events import Event
from ...envs.core.game import Game, Options
from ...envs.games.poker.state import CALL, FOLD
from .asking import HandsAgent, is_known
from .holdem_hands import BUCKETS, HANDS, SETS, TEXTURES, run_outs
from .holdem_regrets import PLAYERS, POTS, TREMBLE, Betting, Tables, betting, learn, on_board, public, weight_at, workspace
from .local_best_response import with_all_hands

Numbers = np.ndarray
ITERATIONS = 150
_PLAYED = {"variant": "texas_holdem", "num_players": PLAYERS, "deck": "standard", "hands": 1}
_FLOP = 1
_FORGOTTEN = 0.25  # of the iterations; the strategies after them are averaged
_KEPT = 64  # subgames and strategies
_BETS = {"fold": FOLD, "check": CALL, "call": CALL, "bet": None, "raise": None}  # events, and their actions if they are one


class _Subgame(NamedTuple):
    """The betting from a position on, and the strategies of its street.

    Attributes:
        nodes: those of the street, by what distinguishes them.
    """

    tree: Betting
    nodes: dict[tuple[int, ...], int]
    sums: Numbers

    def strategy(self, node: int, num_actions: int) -> Numbers:
        """The probabilities of actions with each hand, float64 [1326, A]."""
        first, end = self.tree.first[node], self.tree.first[node + 1]
        rows = self.sums[self.tree.base[node] : self.tree.base[node + 1]].reshape(HANDS, -1)[:, :-1].astype(np.float64)
        total = rows.sum(axis=1, keepdims=True)
        found = np.zeros((HANDS, num_actions))
        found[:, self.tree.action[first:end]] = np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / rows.shape[1])
        return found


class _Position(NamedTuple):
    """What is public, and the players' hands.

    Attributes:
        env: a game with the same betting; its cards do not matter.
        held: float64 [2, 1326], how likely each player has each hand.
        subgame: that of the last decision; None before the flop.
    """

    env: CardGameEnv
    board: tuple[int, ...]
    actions: tuple[int, ...]
    held: Numbers
    subgame: _Subgame | None


class ResolvingAgent(HandsAgent):
    """Plays hold'em with two players and 52 cards, one hand an episode. Equal public histories give equal strategies.

    The first decision on a street takes one to two seconds.

    Args:
        iterations: the number of boards on which regrets are minimised at each solution.
        policy: the network that plays before the flop, "trained" or a weights file.

    Raises:
        ValueError: other options, or the policy is no network.
    """

    def __init__(
        self,
        game: Game | str,
        options: Options | Mapping[str, Any] | None,
        iterations: int = ITERATIONS,
        policy: str = "trained",
    ) -> None:
        game, options = envs.resolve(game, options)
        if game.id != "poker_v0":
            raise ValueError(f"the re-solving agent plays poker_v0, not {game.id}")
        for name, value in _PLAYED.items():
            if getattr(options, name) != value:
                raise ValueError(f"the re-solving agent plays with {name}={value}, not {name}={getattr(options, name)}")
        network = make(policy, game, options)
        if not is_known(network):
            raise ValueError(f"{policy!r} is no network; the re-solving agent needs the trained one or a weights file")
        self.network = network
        self.name, self.iterations = f"resolving {policy}", iterations
        self._env = CardGameEnv(game, game.make_options(plain_options(options) | {"button": 0}))
        self._env.reset(seed=0)  # its cards do not matter
        self._subgames: OrderedDict[Any, _Subgame] = OrderedDict()  # the oldest first
        self._strategies: OrderedDict[Any, Numbers] = OrderedDict()

    def act(self, view: View, rng: np.random.Generator) -> int:
        (own,) = np.flatnonzero(_set_of(view.zones()[f"hand/{view.seat}"]) == SETS)
        return int(rng.choice(len(view.action_mask), p=self.strategies(view.history())[own]))

    def likelihoods(self, env: CardGameEnv) -> Numbers:
        return self.strategies(env.public_history())

    def strategies(self, history: Iterable[Event]) -> Numbers:
        """The probabilities of actions with each hand after these events, float64 [1326, A]."""
        at = _Position(self._env.clone(), (), (), np.ones((PLAYERS, HANDS)), None)
        for event in history:
            if event.kind == "turn_up":
                at = at._replace(board=at.board + event.cards)
                at.held[:, SETS & _set_of(event.cards) != 0] = 0
            elif event.kind in _BETS:
                at, likely = self._at(at)
                action, player = _action_of(at.env, event), at.env.current_player
                if not likely[:, action].any():  # a bet that the subgame does not have
                    likely = self._by_network(at)
                at.held[player] *= (1 - TREMBLE) * likely[:, action] + TREMBLE / len(at.env.legal_actions())
                at.held[player] *= HANDS / at.held[player].sum()
                at.env.step(action)
                at = at._replace(actions=(*at.actions, action))
        return self._at(at)[1]

    def _at(self, at: _Position) -> tuple[_Position, Numbers]:
        """The position, with its subgame from the flop on, and the strategies there."""
        street, key = int(at.env.record[0]["street"]), public(at.env)
        if street < _FLOP:
            return at, self._by_network(at)
        if at.subgame is None or key not in at.subgame.nodes:
            at = at._replace(subgame=_kept(self._subgames, at, self._solve))
        assert at.subgame is not None
        return at, at.subgame.strategy(at.subgame.nodes[key], self._env.num_actions)

    def _by_network(self, at: _Position) -> Numbers:
        return _kept(self._strategies, at, self._ask)

    def _ask(self, at: _Position) -> Numbers:
        record = at.env.record.copy()
        record["common"][0, : len(at.board)] = at.board
        return self.network.probabilities(*with_all_hands(at.env, record), np.random.default_rng(0))

    def _solve(self, at: _Position) -> _Subgame:
        street, rng = int(at.env.record[0]["street"]), np.random.default_rng(0)
        number = BUCKETS // TEXTURES
        number[: street + 1] = HANDS
        tree, _, keys = betting(at.env, number, POTS if street == _FLOP else None)
        tables, work = Tables(*np.zeros((2, tree.base[-1]), np.float32)), workspace(tree)
        boards = [on_board(*each) for each in zip(*run_outs(_set_of(at.board), rng), strict=True)]
        held = [at.held[:, each.hand].astype(np.float32) for each in boards]
        order = np.concatenate([rng.permutation(len(boards)) for _ in range(-(-self.iterations // len(boards)))])
        for k in range(self.iterations):
            if k == int(_FORGOTTEN * self.iterations):
                tables.sums[:] = 0
            weight, noise = weight_at((k + 1) / self.iterations), rng.integers(2**64, dtype=np.uint64)
            learn(tree, tables, work, boards[order[k]], held[order[k]], weight, noise)
        return _Subgame(tree, {key: node for node, key in enumerate(keys) if tree.street[node] == street}, tables.sums)


def _set_of(cards: Iterable[int]) -> int:
    return sum(1 << card for card in cards)


def _action_of(env: CardGameEnv, event: Event) -> int:
    """The action that an event reports."""
    action = _BETS[event.kind]
    if action is not None:
        return action
    raises = (action for action in env.legal_actions() if action > CALL)
    return next(action for action in raises if env.action_parts(action).amounts[0] == event.amount)


def _kept(store: OrderedDict[Any, Any], at: _Position, make_one: Callable[[_Position], Any]) -> Any:
    """What is stored of a position; it is made if it is missing, and the oldest one is dropped."""
    key = at.actions, at.board
    if key not in store:
        store[key] = make_one(at)
    store.move_to_end(key)
    if len(store) > _KEPT:
        store.popitem(last=False)
    return store[key]


def make_agent(game: Game, options: Options) -> ResolvingAgent:
    """For agent strings: `wilddeck.benchmarks.studies.holdem_resolving:make_agent`."""
    return ResolvingAgent(game, options)
