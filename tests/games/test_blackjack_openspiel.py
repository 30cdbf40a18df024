"""Blackjack with ordinary cards beside OpenSpiel's, hand by hand with the same cards."""

from __future__ import annotations

import random

import pytest
from games.shoe_positions import labels
from wilddeck.envs import raw_env

pyspiel = pytest.importorskip("pyspiel")

HANDS = 2000
SAME = {
    "num_players": 1,
    "deck": "standard",
    "naturals": "none",
    "hole": "no_peek",
    "double": "none",
    "max_split_hands": 1,
    "insurance": False,
    "surrender": "none",
}
NAMES = {"Hit": "hit", "Stand": "stand"}


def number_of(card: int) -> int:
    """OpenSpiel's number: by suits, from the ace up."""
    return card % 4 * 13 + (card // 4 + 1) % 13


@pytest.mark.rule("BJ-01", "BJ-03", "BJ-09", "BJ-13", "BJ-16")
def test_hands_with_the_same_cards_and_choices() -> None:
    """OpenSpiel deals the player their two cards first, then the dealer; it still asks a player with 21."""
    game, env, draw, total = pyspiel.load_game("blackjack"), raw_env("blackjack_v0", **SAME), random.Random(1), 0
    for _ in range(HANDS):
        deck = draw.sample(range(52), 52)
        env.reset(seed=0, options={"deck": deck})
        state, cards = game.new_initial_state(), iter([deck[0], deck[2], deck[1], deck[3], *deck[4:]])
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(number_of(next(cards)))
                continue
            theirs = {NAMES[state.action_to_string(0, action)]: action for action in state.legal_actions()}
            assert labels(env) == set(theirs)
            label = "hit" if draw.random() < 0.35 else "stand"
            state.apply_action(theirs[label])
            env.step(env.action_from_label(label))
        assert not env.legal_actions()
        assert env.rewards["player_0"] == state.returns()[0]
        total += state.returns()[0]
    assert -0.5 * HANDS < total < 0
