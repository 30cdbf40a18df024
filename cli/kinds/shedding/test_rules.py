"""Tests of the clauses of rules.md."""


def legal(env):
    return {env.action_label(action) for action in env.legal_actions()}


def test_playable_cards(deal):
    """MG-03 to MG-05, and the worked example."""
    env = deal(["7c 2h 8s Kd", "3c 4c 5c 6c"], "7h", cards=4)
    assert legal(env) == {"play 7c", "play 2h", "play 8s", "draw"}
    env.step(env.action_from_label("play 8s"))
    assert legal(env) == {"draw"}


def test_the_first_player_without_cards_wins(deal):
    """MG-06."""
    env = deal(["7c", "2h", "3h"], "7h", cards=1)
    env.step(env.action_from_label("play 7c"))
    assert env.is_over
    assert list(env.rewards.values()) == [1, -0.5, -0.5]
