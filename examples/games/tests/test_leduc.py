"""Leduc hold'em, clause by clause, equal to OpenSpiel's on its whole tree, and solved."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from wilddeck import cards
from wilddeck.agents.base import PolicyAgent, View
from wilddeck.agents.play import evaluate
from wilddeck.agents.random import RandomAgent
from wilddeck.envs import raw_env
from wilddeck_games.leduc import CALL, DECK, FOLD, GAME, OBSERVATION, RAISE, policy

DEALS = list(itertools.permutations(range(6), 3))  # both hands and the board, as OpenSpiel numbers the cards
VALUE = -0.0856  # to the first player


def full(dealt: list[int]) -> list[int]:
    return dealt + [card for card in DECK if card not in dealt]


def dealt(held: str) -> Any:
    env = raw_env(GAME)
    env.reset(seed=0, options={"deck": full(cards.parse(held))})
    return env


@functools.cache
def solvable() -> Any:
    """With its 120 deals."""
    pytest.importorskip("pyspiel")
    from wilddeck.frameworks import openspiel

    return openspiel.load_game(GAME, decks=[full([DECK[card] for card in deal]) for deal in DEALS])


# --- the clauses ---


@pytest.mark.rule("LE-01", "LE-02", "LE-03", "LE-04")
def test_the_deal() -> None:
    env = dealt("Kh Js Qh")
    assert cards.text(DECK) == "Jh Js Qh Qs Kh Ks"
    assert env.zones("player_0") == {"hand/0": cards.parse("Kh"), "hand/1": [-1], "stock": [-1] * 4}
    assert [event.text(0) for event in env.history("player_0")][1:] == ["you are dealt Kh", "player 1 is dealt a card"]
    assert env.record["paid"][0].tolist() == [1, 1] and env.current_player == 0
    for action in (RAISE, CALL):
        env.step(action)
    assert env.zones("player_0") == {"hand/0": cards.parse("Kh"), "hand/1": [-1], "board": cards.parse("Qh"), "stock": [-1] * 3}
    assert env.history()[-1].text() == "Qh comes to the board" and env.current_player == 0
    env.reset(seed=3)
    assert sorted(card for zone in env.zones().values() for card in zone) == DECK


@pytest.mark.rule("LE-05", "LE-06", "LE-07")
def test_a_round() -> None:
    env = dealt("Kh Js Qh")
    said = []
    for action in (CALL, RAISE, RAISE, CALL, RAISE, RAISE):
        labels = {legal: env.action_label(legal) for legal in env.legal_actions()}
        said.append((list(labels.values()), labels[action], env.record["paid"][0].tolist()))
        env.step(action)
    assert said == [
        (["check", "bet 2"], "check", [1, 1]),
        (["check", "bet 2"], "bet 2", [1, 1]),
        (["fold", "call 2", "raise by 2"], "raise by 2", [1, 3]),
        (["fold", "call 2"], "call 2", [5, 3]),
        (["check", "bet 4"], "bet 4", [5, 5]),
        (["fold", "call 4", "raise by 4"], "raise by 4", [9, 5]),
    ]
    assert env.legal_actions() == [FOLD, CALL] and env.record["paid"][0].tolist() == [9, 13]


@pytest.mark.rule("LE-08", "LE-09", "LE-10")
@pytest.mark.parametrize(
    ("held", "moves", "won"),
    [
        pytest.param("Kh Qs", "rf", 1, id="example 1"),
        pytest.param("Kh Qs Js", "cccc", 1, id="example 2"),
        pytest.param("Kh Js Jh", "rccrc", -7, id="example 3"),
        pytest.param("Kh Ks Jh", "rrccc", 0, id="example 4"),
        pytest.param("Qh Qs Kh", "crrcrrf", -9, id="example 5"),
        pytest.param("Kh Qs Ks", "crrccrrc", 13, id="example 6"),
    ],
)
def test_examples(held: str, moves: str, won: int) -> None:
    env = dealt(held)
    for number, letter in enumerate(moves):
        assert not env.is_over, number
        env.step("fcr".index(letter))
    assert env.is_over and list(env.rewards.values()) == [won, -won]
    shown = moves[-1] != "f"
    assert (env.zones("player_0")["hand/1"] == cards.parse(held)[1:2]) is shown
    assert env.history()[-2].text().endswith(f"wins {abs(won)}" if won else "shows Ks")


# --- OpenSpiel ---


@pytest.mark.rule("LE-03", "LE-04", "LE-05", "LE-06", "LE-07", "LE-08", "LE-09", "LE-10")
def test_the_whole_tree_is_openspiels() -> None:
    """Who is to move, what is legal, what it brings, and which histories a player cannot tell apart. Their board is dealt when
    it is turned up, ours before."""
    pyspiel = pytest.importorskip("pyspiel")
    decisions, ends, sets = set(), set(), set()

    def compare(ours: Any, theirs: Any, board: int) -> None:
        if theirs.is_chance_node():
            theirs.apply_action(board)
        history = tuple(theirs.history())
        assert (ours.is_terminal(), ours.returns()) == (theirs.is_terminal(), theirs.returns())
        if ours.is_terminal():
            ends.add(history)
            return
        assert (ours.current_player(), ours.legal_actions()) == (theirs.current_player(), theirs.legal_actions())
        decisions.add(history)
        sets.add((ours.information_state_string(), theirs.information_state_string()))
        for action in ours.legal_actions():
            compare(ours.child(action), theirs.child(action), board)

    for number, deal in enumerate(DEALS):
        theirs = pyspiel.load_game("leduc_poker").new_initial_state()
        for card in deal[:2]:
            theirs.apply_action(card)
        compare(solvable().new_initial_state().child(number), theirs, deal[2])
    assert (len(decisions), len(ends)) == (3780, 5520)
    assert len(sets) == len({ours for ours, _ in sets}) == len({theirs for _, theirs in sets}) == 936


@pytest.mark.long
def test_counterfactual_regret_minimisation_solves_it() -> None:
    """Random moves are as exploitable as in OpenSpiel's; some dozens of iterations leave little."""
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability
    from open_spiel.python.policy import UniformRandomPolicy

    game, theirs = solvable(), pyspiel.load_game("leduc_poker")
    gains = [exploitability.exploitability(each, UniformRandomPolicy(each)) for each in (game, theirs)]
    assert gains[0] == pytest.approx(gains[1], abs=1e-6) and gains[0] > 2
    solver = cfr.CFRPlusSolver(game)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert exploitability.exploitability(game, average) < 0.12
    values = expected_game_score.policy_value(game.new_initial_state(), [average] * 2)
    assert values == pytest.approx([VALUE, -VALUE], abs=0.02)


# --- what a player sees; the player ---


def test_the_observation_tells_all_moves() -> None:
    env = dealt("Kh Js Qh")
    for action in (CALL, RAISE, CALL, RAISE):
        env.step(action)
    seen = env.observe("player_1")["observation"]
    blocks = {name: seen[place].tolist() for name, place in OBSERVATION.slices(2).items()}
    assert blocks["card"] == [1, 0, 0] and blocks["board"] == [0, 1, 0] and blocks["seat"] == [0, 1]
    assert blocks["moves"] == [1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert blocks["paid"] == pytest.approx([3 / 13, 7 / 13])


def test_what_a_player_does_not_see_is_dealt_again() -> None:
    """The board too, until it is turned up."""
    env = dealt("Kh Js Qh")
    for moves, unseen in (([CALL], 5), ([CALL, CALL], 4)):
        for action in moves:
            env.step(action)
        samples = View.of(env).sample(600, seed=3)["deck"]
        assert set(samples[:, 1].tolist()) == {DECK[1]}
        counts = np.unique(samples[:, 0], return_counts=True)[1]
        assert len(counts) == unseen and counts.min() > 600 / unseen / 1.5
        assert len(set(samples[:, 2].tolist())) == (5 if unseen == 5 else 1)


def test_the_player_beats_random_moves() -> None:
    result = evaluate(PolicyAgent("rules", policy, 2), RandomAgent(), GAME, GAME.make_options({}), 2000, seed=1)
    assert result.mean > 0.3 and result.mean > 5 * result.standard_error
