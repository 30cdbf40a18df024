"""Tests of the clauses of rules.md."""

import pytest


def do(env, *labels):
    for label in labels:
        env.step(env.action_from_label(label))


@pytest.mark.parametrize(("trick", "winner"), [("Kc Ac 2h", 2), ("5c Ad 3c", 0), ("5c 9c 6c", 1), ("4h Ad Ah", 2)])
def test_who_wins_a_trick(deal, trick, winner):
    """MG-04, MG-06, and the worked examples."""
    env = deal([f"{card} {other}" for card, other in zip(trick.split(), ("7d", "8d", "9d"), strict=True)], "3h", cards=2)
    do(env, "bid 0", "bid 0", "bid 1", *(f"play {card}" for card in trick.split()))
    assert env.history()[-1].text() == f"player {winner} wins the trick {trick}"
    assert env.current_player == winner


def test_suits_are_followed(deal):
    """MG-05."""
    env = deal(["5c 6d", "9c Ah", "Ad 2s"], "2h", cards=2)
    do(env, "bid 0", "bid 0", "bid 1", "play 5c")
    assert [env.action_label(action) for action in env.legal_actions()] == ["play 9c"]
