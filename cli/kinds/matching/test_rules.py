"""Tests of the clauses of rules.md."""

import pytest
from wilddeck import cards


def do(env, *labels):
    for label in labels:
        env.step(env.action_from_label(label))


def hand(env, seat, viewer=None):
    return cards.text(env.zones(viewer)[f"hand/{seat}"])


def test_a_player_gives_all_cards_of_the_rank(deal):
    """MG-03, MG-04, and worked example 1."""
    env = deal(["7c 7d Kc", "7h 2h 2s"], cards=3)
    do(env, "ask player 1 for 7")
    assert hand(env, 0, "player_1") == "7c 7d 7h ??" and hand(env, 1) == "2h 2s"
    assert env.current_player == 0


def test_a_player_who_gets_nothing_draws(deal):
    """MG-05, and worked example 2."""
    env = deal(["7c Kc", "2h 2s"], then="As", cards=2)
    do(env, "ask player 1 for 7")
    assert hand(env, 0) == "7c Kc As" and hand(env, 0, "player_1") == "7c ?? ??"
    assert env.current_player == 1


def test_laid_cards_score(deal):
    """MG-06 to MG-09, and worked example 3."""
    env = deal(["7c 7d Kc Kd Ac Ad Ah As", "2c 3c 4c 5c 6c 8c 9c Tc"], cards=8)
    do(env, "lay 7", "lay K", "lay A")
    assert env.is_over
    assert list(env.rewards.values()) == pytest.approx([0.4, -0.4])
