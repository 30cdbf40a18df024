"""Tests of the clauses of rules.md."""

import pytest


def do(env, *labels):
    for label in labels:
        env.step(env.action_from_label(label))


@pytest.mark.parametrize(("cards", "rewards"), [(["Kc", "Qd"], [-5, 5]), (["Kc", "Kd"], [0, 0]), (["Ac", "Kd"], [5, -5])])
def test_who_wins(deal, cards, rewards):
    """MG-06 to MG-09, and the worked examples."""
    env = deal(cards, "Qh")
    do(env, "check", "check", "raise", "call")
    assert list(env.rewards.values()) == rewards


def test_a_round_has_two_raises(deal):
    """MG-04, MG-05."""
    env = deal(["Kc", "Qd", "2s"])
    do(env, "raise", "raise")
    assert [env.action_label(action) for action in env.legal_actions()] == ["fold", "call"]
    do(env, "fold", "fold")
    assert list(env.rewards.values()) == [-3, 4, -1]
