"""Crazy eights with 52 cards against OpenSpiel's, decision for decision."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import wilddeck
from games.crazy_eights_positions import arranged
from wilddeck import cards
from wilddeck.envs.core.extended.sets import ids_of
from wilddeck.envs.games.crazy_eights.state import DRAW_AT, NOMINATE_AT, PASS_AT

pyspiel = pytest.importorskip("pyspiel")

OPTIONS: dict[str, Any] = {"deck": "standard", "card_points": "openspiel", "reward": "openspiel"}
DEALS = int(os.environ.get("CRAZY_EIGHTS_DEALS", "20"))  # of each of 16 sets of options; cards have the same numbers in both
DRAW = 52
SUITS = {NOMINATE_AT + suit: 54 + suit for suit in range(4)}
THEIRS = {card: card for card in range(52)} | {DRAW_AT: DRAW, PASS_AT: 53} | SUITS
OURS = {theirs: action for action, theirs in THEIRS.items()}
AS_OURS = np.array([OURS[theirs] for theirs in range(58)])


def dealt(record: Any, **options: Any) -> Any:
    """OpenSpiel's game of the deal in a record in which nothing was played yet."""
    n, dealer = int(record["num_players"]), int(record["dealer"])
    state = pyspiel.load_game("crazy_eights", {"players": n, **options}).new_initial_state()
    state.apply_action(52 + dealer)
    hands = [ids_of(hand) for hand in record["hand"][:n]]
    for k in range(n * len(hands[0])):
        state.apply_action(hands[(dealer + 1 + k) % n][k // n])
    state.apply_action(int(record["top"]))
    return state


def follow(state: Any, action: int, before: Any, after: Any) -> None:
    """Play our action there. Cards are drawn in the order in which they lay; those of a new pile come last."""
    seat = int(before["turn"])
    state.apply_action(THEIRS[action])
    pile = [int(card) for card in before["deck"][int(before["pile_at"]) : int(before["pile_end"])]]
    drawn = set(ids_of(after["hand"][seat])) - set(ids_of(before["hand"][seat]))
    order = [card for card in pile if card in drawn] + sorted(drawn.difference(pile))
    for card in order if action == DRAW_AT else []:
        assert state.is_chance_node()
        state.apply_action(card)
    assert not state.is_chance_node()


@pytest.mark.rule("CE-01", "CE-03", "CE-10", "CE-11", "CE-20", "CE-21", "CE-22", "CE-23", "CE-24")
@pytest.mark.rule("CE-40", "CE-41", "CE-42", "CE-43", "CE-44", "CE-60")
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("reshuffle", [False, True])
def test_every_decision_of_random_deals(players: int, special: bool, reshuffle: bool) -> None:
    """Who is to move, what is legal, and the returns; draws are limited to 5 or, with three players or five, to 2."""
    options = {"use_special_cards": special, "reshuffle": reshuffle, "max_draw_cards": 5 - 3 * (players % 2)}
    batch = wilddeck.make_batch("crazy_eights_v0", DEALS, seed=players, num_players=players, **OPTIONS, **options)
    theirs = {row: dealt(batch.states[row], **options) for row in range(DEALS)}
    while theirs:
        for row, state in theirs.items():
            assert batch.current_player[row] == state.current_player()
            assert np.flatnonzero(batch.action_mask[row]).tolist() == sorted(AS_OURS[state.legal_actions()])
        before, actions = batch.states.copy(), batch.random_actions()
        batch.step(actions)
        for row, state in list(theirs.items()):
            if batch.terminated[row]:
                follow_to_the_end(state, int(actions[row]), before[row])
                assert batch.rewards[row].tolist() == state.returns()
                del theirs[row]
            else:
                follow(state, int(actions[row]), before[row], batch.states[row])


def follow_to_the_end(state: Any, action: int, before: Any) -> None:
    """The last action: a play or a pass, so nothing is drawn."""
    assert action != DRAW_AT
    state.apply_action(THEIRS[action])
    assert state.is_terminal()


@pytest.mark.rule("CE-60")
def test_cards_left_cost_their_number_and_two_there() -> None:
    """The comment there speaks of the face value; what is subtracted is the card's number plus two."""
    env = arranged(["2c", "3h", "7s Tc Ac", "8c Kd 2d"], top="3c", **OPTIONS)
    env.step(env.action_from_label("play 2c"))
    three, seven, ten, two = (cards.parse(text)[0] for text in ("3h", "7s", "Tc", "2d"))
    expected = [0, -(three + 2), -(seven + 2 + ten + 2 + 10), -(50 + 10 + two + 2)]
    assert list(env.rewards.values()) == expected == [0, -8, -69, -63]


def test_their_returns_are_these_quirks() -> None:
    """A whole deal there, without a winner: draws are exhausted and all pass."""
    state = pyspiel.load_game("crazy_eights", {"players": 2}).new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        else:
            legal = state.legal_actions()
            state.apply_action(next((action for action in (DRAW, 53) if action in legal), legal[0]))
    costs = {card: 50 if card // 4 == 6 else 10 if card // 4 >= 9 else card + 2 for card in range(52)}
    assert -sum(state.returns()) == sum(costs.values()) - costs[top_of(state)]


def top_of(state: Any) -> int:
    """The card that lies on the discard pile."""
    text = str(state).split("Last card: ")[1][:2]
    return cards.parse(text[1] + text[0].lower())[0]
