"""Kuhn poker, clause by clause, beside OpenSpiel's, and solved."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck_games.kuhn import DECK, GAME, policy

VALUE = -1 / 18


def dealt(hands: str) -> Any:
    held = cards.parse(hands)
    env = raw_env(GAME)
    env.reset(seed=0, options={"deck": held + [card for card in DECK if card not in held]})
    return env


def move(env: Any, *labels: str) -> None:
    for label in labels:
        env.step([env.action_label(action) for action in env.legal_actions()].index(label))


def solvable() -> Any:
    """With its six deals."""
    pytest.importorskip("pyspiel")
    from wilddeck.frameworks import openspiel

    return openspiel.load_game(GAME, decks=list(itertools.permutations(DECK)))


@pytest.mark.rule("KU-01", "KU-02", "KU-03")
def test_the_deal() -> None:
    env = dealt("Ks Js")
    assert env.zones() == {"hand/0": cards.parse("Ks"), "hand/1": cards.parse("Js"), "stock": cards.parse("Qs")}
    assert env.zones("player_1") == {"hand/0": [-1], "hand/1": cards.parse("Js"), "stock": [-1]}
    assert [event.text(1) for event in env.history("player_1")][1:] == ["player 0 is dealt a card", "you are dealt Js"]
    assert env.record["paid"][0].tolist() == [1, 1]
    deals = set()
    for seed in range(60):
        env.reset(seed=seed)
        deals.add(tuple(env.record["deck"][0]))
    assert len(deals) == 6


@pytest.mark.rule("KU-04", "KU-05", "KU-06", "KU-07", "KU-08")
@pytest.mark.parametrize(
    ("hands", "moves", "won"),
    [
        pytest.param("Ks Qs", ["check", "check"], 1, id="example 1"),
        pytest.param("Js Qs", ["bet", "fold"], 1, id="example 2"),
        pytest.param("Qs Ks", ["bet", "call"], -2, id="example 3"),
        pytest.param("Qs Js", ["check", "bet", "fold"], -1, id="example 4"),
        pytest.param("Qs Js", ["check", "bet", "call"], 2, id="example 5"),
    ],
)
def test_examples(hands: str, moves: list[str], won: int) -> None:
    env = dealt(hands)
    for number, label in enumerate(moves):
        assert env.current_player == number % 2 and not env.is_over
        after_bet = number and moves[number - 1] == "bet"
        assert [env.action_label(action) for action in env.legal_actions()] == (
            ["fold", "call"] if after_bet else ["check", "bet"]
        )
        move(env, label)
    assert env.is_over and list(env.rewards.values()) == [won, -won]
    shown = moves[-1] != "fold"
    assert (env.zones("player_0")["hand/1"] == cards.parse(hands)[1:]) is shown
    assert [event.kind for event in env.history()].count("reveal") == 2 * shown


def test_what_a_player_does_not_see_is_dealt_again() -> None:
    game = solvable()
    state = game.new_initial_state()
    state.apply_action(0)
    draw = np.random.default_rng(1)
    drawn = [state.resample_from_infostate(1, draw.random).record["deck"][0].tolist() for _ in range(300)]
    truth = state.record["deck"][0].tolist()
    assert {deck[1] for deck in drawn} == {truth[1]}
    assert 100 < sum(deck == truth for deck in drawn) < 200


def test_the_tree_is_openspiels() -> None:
    """With the same actions, returns, and sets of histories that a player cannot tell apart."""
    pyspiel = pytest.importorskip("pyspiel")
    sets = set()

    def compare(ours: Any, theirs: Any) -> None:
        assert (ours.is_terminal(), ours.returns()) == (theirs.is_terminal(), theirs.returns())
        if not ours.is_terminal():
            assert (ours.current_player(), ours.legal_actions()) == (theirs.current_player(), theirs.legal_actions())
            sets.add((ours.information_state_string(), theirs.information_state_string()))
            for action in ours.legal_actions():
                compare(ours.child(action), theirs.child(action))

    for number, ranks in enumerate(itertools.permutations(range(3))):
        theirs = pyspiel.load_game("kuhn_poker").new_initial_state()
        for card in ranks[:2]:
            theirs.apply_action(card)
        compare(solvable().new_initial_state().child(number), theirs)
    assert len(sets) == len({ours for ours, _ in sets}) == len({theirs for _, theirs in sets}) == 12


def test_nobody_wins_anything_against_the_player() -> None:
    """The exact chances of its moves, which it draws in thirds."""
    game = solvable()
    from open_spiel.python.algorithms import best_response, expected_game_score, exploitability
    from open_spiel.python.policy import TabularPolicy

    table = TabularPolicy(game)
    for state in table.states:
        seen = np.array(state.observation_tensor(), np.float32)
        moves = [policy(seen, np.ones(2, np.uint8), 2, np.uint64(noise)) for noise in range(3)]
        table.policy_for_key(state.information_state_string())[:] = np.bincount(moves, minlength=2) / 3
    assert expected_game_score.policy_value(game.new_initial_state(), [table] * 2) == pytest.approx([VALUE, -VALUE], abs=1e-6)
    assert exploitability.exploitability(game, table) == pytest.approx(0, abs=1e-6)
    for seat, value in enumerate([VALUE, -VALUE]):
        best = best_response.BestResponsePolicy(game, seat, table)
        assert best.value(game.new_initial_state()) == pytest.approx(value, abs=1e-6)


def test_counterfactual_regret_minimisation_solves_it() -> None:
    game = solvable()
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

    solver = cfr.CFRPlusSolver(game)
    for _ in range(40):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert exploitability.exploitability(game, average) < 0.01
    values = expected_game_score.policy_value(game.new_initial_state(), [average] * 2)
    assert values == pytest.approx([VALUE, -VALUE], abs=0.005)
