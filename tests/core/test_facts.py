"""Facts: the text that is made of them, and what each game says with which role."""

from __future__ import annotations

import pytest
from support import Case, cases_of, each_game, play_random
from wilddeck.envs.core.facts import Fact, FactRole, joined, lines, status, who

ROLES = {
    "baccarat_v0": "course bid banker direction chips bet",
    "beggar_my_neighbor_v0": "course penalty direction",
    "blackjack_v0": "course direction bet total out",
    "bluff_v0": "course lead to_beat direction pause",
    "bridge_v0": "dealer level score bid auction contract title tricks course lead partner",
    "crazy_eights_v0": "dealer to_beat penalty course direction pause",
    "egyptian_ratscrew_v0": "course penalty direction title pause",
    "go_fish_v0": "course direction pause score known lacked",
    "hearts_v0": "course direction lead tricks score",
    "old_maid_v0": "course",
    "poker_v0": "course stakes dealer chips bet out total direction pause",
    "president_v0": "course lead to_beat out score title direction pause",
    "rummy_v0": "course contract score level direction pause",
    "skin_of_your_teeth_v0": "course",
    "skin_v0": "course banker chips bet out",
    "spades_v0": "course lead bid tricks score direction partner",
    "tennis_v0": "course lead",
    "wild_escape_v0": "course trump level lead to_beat out partner",
}
TABLE = [
    Fact("pot 9", role=FactRole.STAKES, value=9),
    Fact(f"{who(1)} asked {who(12)}", 1),
    *joined(", ", [Fact(f"{who(0)} bid 3", 0), Fact("has 2", 0, sep=" and "), Fact(f"{who(1)} bid 4", 1)]),
    Fact("over", sep="\n"),
    Fact("", 0, FactRole.TRICKS, 2),
    Fact("out", 1, FactRole.OUT),
    Fact("3 chips", 0, FactRole.CHIPS, 3),
    Fact(f"with {who(0)}", 1),
    Fact("points 1 2", sep="\n"),
]


def test_the_status_is_made_of_facts() -> None:
    head = "pot 9; player 1 asked player 12; player 0 bid 3 and has 2, player 1 bid 4"
    assert lines(TABLE) == [(None, head), (None, "over"), (1, "out, with player 0"), (0, "3 chips"), (None, "points 1 2")]
    assert status(TABLE).splitlines() == [head, "over", "player 1: out, with player 0", "player 0: 3 chips", "points 1 2"]
    assert status([]) == ""


def test_a_player_is_told_where_they_are_meant() -> None:
    said = status(TABLE, you=1).splitlines()
    assert said[0] == "pot 9; player 1 (you) asked player 12; player 0 bid 3 and has 2, player 1 (you) bid 4"
    assert said[2] == "player 1 (you): out, with player 0"


def test_labels_do_not_name_whom_they_are_about() -> None:
    assert [fact.label for fact in TABLE[:3]] == ["pot 9", "asked player 12", "bid 3"]
    assert Fact("", 0, FactRole.TRICKS, 2).label == "tricks 2"
    assert Fact(f"to beat: 9 9 of {who(3)}", 3).label == "to beat: 9 9"
    assert Fact("", 3, FactRole.TITLE, "West").label == "West" and Fact("", 3, FactRole.DEALER).label == "dealer"


@each_game
@pytest.mark.interpreted
def test_the_roles_of_the_facts_of_every_game(case: Case) -> None:
    """What a table draws of a game is said with its role, in some case and some position of a random game."""
    missing = {FactRole(name) for name in ROLES[case.game_id].split()}
    for seed, other in enumerate(cases_of(case.game_id) * 3):
        env = other.raw()
        env.reset(seed=seed)
        for _ in play_random(env, seed, 60):
            missing -= {fact.role for fact in env.facts(env.agent_selection)}
            if not missing:
                return
    assert not missing
