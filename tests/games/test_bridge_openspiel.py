"""Bridge with the ordinary deck against OpenSpiel's, move by move: players to move, masks, returns."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import wilddeck
from wilddeck.envs.core.extended.sets import ids_of

pyspiel = pytest.importorskip("pyspiel")

DEALS = 320  # of each dealer and vulnerability: 5,120 in all
VULNERABLE = {"none": (False, False), "ns": (True, False), "ew": (False, True), "both": (True, True)}
CALLS, OURS, THEIRS = 38, 133, 52  # calls, and the first of them
CARDS = 52
NOBODY = -1


def game(dealer: int, vulnerability: str) -> Any:
    """OpenSpiel says which of the dealer's side and the other is vulnerable."""
    north_south, east_west = VULNERABLE[vulnerability]
    own, other = (east_west, north_south) if dealer % 2 else (north_south, east_west)
    parameters = {"use_double_dummy_result": False, "dealer": dealer, "dealer_vul": own, "non_dealer_vul": other}
    return pyspiel.load_game("bridge", parameters)


def batch(dealer: int, vulnerability: str, seed: int, count: int = DEALS) -> Any:
    options = {"deck": "standard", "reward": "openspiel", "dealer": dealer, "vulnerability": vulnerability}
    return wilddeck.make_batch("bridge_v0", count, seed, **options)


def dealt(state: Any, hands: np.ndarray) -> Any:
    """The state after the same deal: card k of the deck goes to seat k % 4, as here (BR-01)."""
    seats = [ids_of(hand) for hand in hands]
    for k in range(CARDS):
        state.apply_action(seats[k % 4][k // 4])
    return state


def theirs(action: int) -> int:
    return action if action < CARDS else action - OURS + THEIRS


def mask_of(state: Any) -> np.ndarray:
    """Their legal actions as our mask."""
    mask = np.zeros(171, np.uint8)
    legal = np.array(state.legal_actions())
    mask[np.where(legal < CARDS, legal, legal - THEIRS + OURS)] = 1
    return mask


def choose(draw: np.random.Generator, mask: np.ndarray) -> np.ndarray:
    """A legal action a row: at random, but mostly low bids and many passes, doubles and redoubles, for long auctions."""
    weight = np.ones(mask.shape[1])
    weight[OURS : OURS + 3] = 4, 3, 6
    weight[OURS + 3 :] = np.exp(-np.arange(CALLS - 3) / draw.choice([0.7, 3, 12]))
    keys = draw.random(mask.shape) ** (1 / weight)  # the largest is a draw by weight
    return np.argmax(keys * mask, axis=1)


@pytest.mark.rule("BR-10", "BR-11", "BR-12", "BR-13", "BR-20", "BR-21")
@pytest.mark.rule("BR-50", "BR-60", "BR-61", "BR-62", "BR-63", "BR-64", "BR-65")
@pytest.mark.parametrize(("dealer", "vulnerability"), list(itertools.product(range(4), VULNERABLE)))
def test_equal_to_openspiel(dealer: int, vulnerability: str) -> None:
    number = 4 * dealer + list(VULNERABLE).index(vulnerability)
    ours, other, draw = batch(dealer, vulnerability, 1000 * number), game(dealer, vulnerability), np.random.default_rng(number)
    states = [dealt(other.new_initial_state(), hands) for hands in ours.states["hand"]]
    running = np.arange(DEALS)
    returns = np.zeros((DEALS, 4))
    while len(running):
        assert ours.current_player[running].tolist() == [states[row].current_player() for row in running]
        expected = np.array([mask_of(states[row]) for row in running])
        np.testing.assert_array_equal(ours.action_mask[running], expected)
        actions = choose(draw, expected)
        ours.step(actions, running)
        for row, action in zip(running, actions, strict=True):
            states[row].apply_action(theirs(int(action)))
        over = ours.terminated[running]
        returns[running[over]] = ours.rewards[running[over]]
        assert over.tolist() == [states[row].is_terminal() for row in running]
        running = running[~over]
    np.testing.assert_array_equal(returns, [state.returns() for state in states])
    assert len(np.unique(returns)) > 30
