"""Other libraries to compare with: OpenSpiel, PettingZoo's classic games, poker hand evaluators
(`pip install 'wilddeck[peers]'`).

Each function prepares a peer and returns `work() -> units done` (see measure.py), or an environment. It is the fastest code we
found that a user of that library would write.
"""

from __future__ import annotations

import importlib
import itertools
import random
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..envs.core.cards import STANDARD, TEXT
from .measure import Work

T = TypeVar("T")


def installed(prepare: Callable[..., T], *arguments: Any) -> T | None:
    """What `prepare` returns, None if its library is not installed."""
    try:
        return prepare(*arguments)
    except ImportError:
        return None


# OpenSpiel's games, with parameters for complete card play, by short names.
OPENSPIEL = {
    "hearts": "hearts",
    "spades": "spades",
    "bridge": "bridge(use_double_dummy_result=false)",
    "go_fish": "go_fish(players=4)",
    "crazy_eights": "crazy_eights(players=4)",
    "gin_rummy": "gin_rummy",
    "dou_dizhu": "dou_dizhu",
}
_DECK, _SUITS = 52, 4


def _deal(game: Any, draw: random.Random) -> tuple[Any, list[int]]:
    """A state after a random deal, and the remaining cards, from which play draws, last card first.

    The chance node before the cards is, in hearts, the direction of passing, in crazy eights the dealer, in Dou Dizhu the first
    bidder. If cards are only ranks, as in Go Fish, there are four of each.
    """
    state = game.new_initial_state()
    deck = state.legal_actions()
    if len(deck) * _SUITS == _DECK:
        deck *= _SUITS
    elif len(deck) != _DECK:
        state.apply_action(draw.choice(deck))
        deck = state.legal_actions()
    draw.shuffle(deck)
    _take_lots(state, deck, draw)
    return state, deck


def _take_lots(state: Any, deck: list[int], draw: random.Random) -> None:
    """Resolve chance nodes: deal from the deck, or sample if it is empty (as after a reshuffle)."""
    while state.is_chance_node():
        state.apply_action(deck.pop() if deck else draw.choice(state.legal_actions()))


def openspiel_steps(name: str) -> Work:
    """Random legal play of an OpenSpiel card game from Python, with observation and mask as numpy arrays; counts decisions.

    The fastest way to get observations is the C++ observer that writes into one numpy array: five times as fast as
    `state.observation_tensor()`, which builds a list. The mask is filled from the list of legal actions, which the choice needs
    anyway. Cards are dealt from a shuffled deck, without asking for the outcomes of each of 52 chance nodes. Hearts has no
    observation, so its information state is used.
    """
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(OPENSPIEL[name])
    recall = pyspiel.IIGObservationType(perfect_recall=True)
    observe = (make_observation(game) or make_observation(game, recall)).set_from
    mask = np.zeros(game.num_distinct_actions(), np.int8)
    draw = random.Random(1)
    chance = draw.random

    def play() -> int:
        (state, stock), decisions = _deal(game, draw), 0
        step, has_stock = state.apply_action, bool(stock)
        while not state.is_terminal():
            observe(state, state.current_player())
            legal = state.legal_actions()
            mask.fill(0)
            mask[legal] = 1
            step(legal[int(chance() * len(legal))])
            if has_stock:
                _take_lots(state, stock, draw)
            decisions += 1
        return decisions

    return play


def openspiel_rollouts(name: str, rollouts: int = 500) -> Work:
    """Random rollouts of a card game inside OpenSpiel's C++; counts decisions.

    `RandomRolloutEvaluator` plays them. Python cannot call it directly, but a Monte Carlo tree search of one simulation
    evaluates its root state `rollouts` times and does little else. A rollout copies the state after the deal and plays on from
    there, so the peer's time excludes the deal; ours includes it. The number of decisions per rollout is counted in Python,
    over as many games.
    """
    import pyspiel

    game = pyspiel.load_game(OPENSPIEL[name])
    draw = random.Random(1)
    root, rest = _deal(game, draw)
    decisions = 0
    for _ in range(rollouts):
        state, stock = root.clone(), draw.sample(rest, len(rest))
        while not state.is_terminal():
            state.apply_action(draw.choice(state.legal_actions()))
            _take_lots(state, stock, draw)
            decisions += 1
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    search = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 1, False, 1, False)  # uct_c, simulations, megabytes, solve, seed, verbose

    def play() -> int:
        search.mcts_search(root)
        return decisions

    return play


def texas_holdem(raw: bool) -> Any:
    """PettingZoo's texas_holdem_v4, a game of RLCard, with or without wrappers."""
    module = importlib.import_module("pettingzoo.classic.texas_holdem_v4")
    return module.raw_env() if raw else module.env()


def eval7_hands(hands: np.ndarray) -> Work:
    """eval7's evaluation (Cython) of five-card hands in a Python loop, since it has no batches; counts hands.

    Args:
        hands: card ids [N, 5] in wilddeck's order. The lists of Card objects are made beforehand.
    """
    import eval7

    cards = [eval7.Card(name) for name in TEXT[:STANDARD]]
    made = [[cards[card] for card in hand] for hand in hands.tolist()]
    evaluate = eval7.evaluate

    def play() -> int:
        for hand in made:
            evaluate(hand)
        return len(made)

    return play


def eval7_monte_carlo(trials: int = 20_000) -> Work:
    """eval7's evaluation inside its own compiled loop over random hands; counts hands.

    In each trial, `py_hand_vs_range_monte_carlo` deals a board and evaluates two seven-card hands, one with the given two cards
    and one with the next pair of a range. Its time includes dealing, as ours includes reading and checking rows. (eval7's loop
    over all hands on one board is three to four times as fast: similar hands in sequence make branches predictable.)
    """
    import eval7

    deck = [eval7.Card(name) for name in TEXT[:STANDARD]]
    any_two = [(pair, 1.0) for pair in itertools.combinations(deck, 2)]
    hand = [deck[0], deck[21]]

    def play() -> int:
        eval7.py_hand_vs_range_monte_carlo(hand, any_two, [], trials)
        return 2 * trials

    return play


def phevaluator_hands(hands: np.ndarray) -> Work:
    """phevaluator's evaluation in a Python loop, since it has no batches; counts hands.

    Args:
        hands: card ids [N, 5 to 7], the same as phevaluator's. They are converted to Python integers beforehand.
    """
    from phevaluator import evaluate_cards

    made = hands.tolist()

    def play() -> int:
        for hand in made:
            evaluate_cards(*hand)
        return len(made)

    return play
