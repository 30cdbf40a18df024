"""Hearts with 52 cards against OpenSpiel's, decision for decision."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
import wilddeck
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import ids_of

pyspiel = pytest.importorskip("pyspiel")

OPTIONS: dict[str, Any] = {"deck": "standard", "reward": "openspiel"}
FLAGS = (  # as both call them
    "no_pts_on_first_trick",
    "can_lead_any_club",
    "must_break_hearts",
    "qs_breaks_hearts",
    "can_lead_hearts_instead_of_qs",
    "jd_bonus",
    "avoid_all_tricks_bonus",
)
SETTINGS = [dict(zip(FLAGS, values, strict=True)) for values in itertools.product((False, True), repeat=len(FLAGS))]
DEALS = 24  # of each setting with a pass, and as many without
ACTIONS = 135
DIRECTIONS = ("hold", "left", "across", "right")  # in the order of OpenSpiel's
SUITED = [" ".join(f"{rank}{suit}" for rank in "23456789TJQKA") for suit in "chds"]  # player 0 holds all the clubs


def theirs(deck: list[int], direction: int = 0, pass_cards: bool = True, **flags: bool) -> Any:
    """OpenSpiel's game with this deal."""
    state = pyspiel.load_game("hearts", {"pass_cards": pass_cards, **flags}).new_initial_state()
    for action in (direction, *deck):
        state.apply_action(action)
    return state


def deck_of(hands: list[str]) -> list[int]:
    held = [cards.parse(hand) for hand in hands]
    return [held[k % 4][k // 4] for k in range(52)]


def both(hands: list[str], direction: int = 0, **flags: bool) -> tuple[Any, CardGameEnv]:
    """The same deal in OpenSpiel and here."""
    env = raw_env("hearts_v0", **OPTIONS, passing=DIRECTIONS[direction], **flags)
    env.reset(seed=0, options={"deck": deck_of(hands)})
    return theirs(deck_of(hands), direction, **flags), env


def play_on(state: Any, env: CardGameEnv, text: str = "") -> None:
    """These cards in both games; without any, the lowest legal one to the end."""
    for card in cards.parse(text):
        state.apply_action(card)
        env.step(card)
    while not text and not state.is_terminal():
        assert env.legal_actions() == state.legal_actions()
        action = state.legal_actions()[0]
        state.apply_action(action)
        env.step(action)


@pytest.mark.rule("HE-01", "HE-04", "HE-06", "HE-10", "HE-16", "HE-18", "HE-19", "HE-20", "HE-22", "HE-40", "HE-46", "HE-47")
@pytest.mark.parametrize("pass_cards", [True, False], ids=["pass", "hold"])
def test_every_decision_of_random_deals(pass_cards: bool) -> None:
    """Who is to move, what is legal, and the returns, with every setting of all options."""
    passing = "random" if pass_cards else "hold"
    batches = [
        wilddeck.make_batch("hearts_v0", DEALS, seed=number, **OPTIONS, passing=passing, **flags)
        for number, flags in enumerate(SETTINGS)
    ]
    seen: Counter[str] = Counter()
    for batch, flags in zip(batches, SETTINGS, strict=True):
        states = []
        for row in range(DEALS):
            hands = [ids_of(hand) for hand in batch.states["hand"][row]]
            direction = int(batch.states["pass_direction"][row])
            seen[DIRECTIONS[direction]] += 1
            states.append(theirs([hands[k % 4][k // 4] for k in range(52)], direction, pass_cards, **flags))
        compare(batch, states, seen)
    assert sum(seen[name] for name in DIRECTIONS) == DEALS * len(SETTINGS)
    assert pass_cards is (seen["left"] > 0)
    assert seen["moon"] > 2


def compare(batch: Any, states: list[Any], seen: Counter[str]) -> None:
    running = [not state.is_terminal() for state in states]
    expected = np.zeros_like(batch.action_mask)
    while any(running):
        expected[:] = 0
        for row, state in enumerate(states):
            if running[row]:
                assert batch.current_player[row] == state.current_player()
                expected[row, state.legal_actions()] = 1
        np.testing.assert_array_equal(batch.action_mask[running], expected[running])
        actions = batch.random_actions().copy()
        batch.step(actions)
        for row, state in enumerate(states):
            if running[row]:
                state.apply_action(int(actions[row]))
                running[row] = not state.is_terminal()
                assert batch.terminated[row] == state.is_terminal()
                if not running[row]:
                    assert batch.rewards[row].tolist() == state.returns()
                    seen["moon"] += state.returns().count(0.0) == 3


# --- quirks, each as it stands in OpenSpiel ---


def test_without_a_pass_the_direction_is_still_drawn() -> None:
    """`legal_actions` of the first node says that cards are held; `chance_outcomes` draws among all directions."""
    state = pyspiel.load_game("hearts", {"pass_cards": False}).new_initial_state()
    assert state.legal_actions() == [0]
    assert state.chance_outcomes() == [(direction, 0.25) for direction in range(4)]


@pytest.mark.rule("HE-04")
@pytest.mark.parametrize("direction", [1, 2, 3])
def test_passes_go_one_card_an_action_in_any_order(direction: int) -> None:
    state, env = both(SUITED, direction)
    play_on(state, env, "Tc 2c 6c 5h 3h Ah 2d 3d 4d Qs Ks As")
    play_on(state, env)
    assert list(env.rewards.values()) == state.returns()


@pytest.mark.rule("HE-46")
@pytest.mark.parametrize(("jd_bonus", "shooter"), [(False, 26.0), (True, 36.0)])
def test_returns_are_26_less_the_points(jd_bonus: bool, shooter: float) -> None:
    """A moon is 0 points for the shooter and 26 for the others; the jack of diamonds is added."""
    state, env = both(SUITED, jd_bonus=jd_bonus)
    play_on(state, env)
    assert state.returns() == [shooter, 0.0, 0.0, 0.0]
    assert list(env.rewards.values()) == state.returns()


@pytest.mark.rule("HE-47")
def test_who_wins_no_trick_gets_nothing_if_there_was_a_moon() -> None:
    state, env = both(SUITED, avoid_all_tricks_bonus=True)
    play_on(state, env)
    assert state.returns() == [26.0, 0.0, 0.0, 0.0]
    assert list(env.rewards.values()) == state.returns()


@pytest.mark.rule("HE-19")
@pytest.mark.parametrize("instead", [False, True])
def test_the_queen_must_be_led_if_all_else_is_hearts(instead: bool) -> None:
    hands = [
        "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc 2d",
        "Ac Qs 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh",
        "3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2s",
        "Kh Ah 3s 4s 5s 6s 7s 8s 9s Ts Js Ks As",
    ]
    state, env = both(hands, can_lead_hearts_instead_of_qs=instead)
    play_on(state, env, "2c Ac 2s 3s")
    assert env.legal_actions() == state.legal_actions()
    assert (len(env.legal_actions()) == 1) is not instead
    assert cards.parse("Qs")[0] in env.legal_actions()
