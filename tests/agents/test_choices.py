"""What a person types at the terminal, and which of the legal actions it means."""

from __future__ import annotations

import pytest
from support import choices_of
from wilddeck.agents.choices import words_of
from wilddeck.agents.terminal import HELP
from wilddeck.envs.core import cards

ATTACKS = ["attack 7h", "attack 7h 7s", "attack 7s", "attack Th 9h 8h 7h 6h", "attack Jk", "draw", "pass on"]
TARGETS = ["target player_1 pile 1", "target player_1 pile 3", "target player_2 pile 1"]
PLAYS = ["play 2", "play 7", "play T"]


@pytest.mark.parametrize(
    ("labels", "typed", "meant"),
    [
        (ATTACKS, "attack 7h", ["attack 7h"]),
        (ATTACKS, "  ATTACK   7H ", ["attack 7h"]),
        (ATTACKS, "7h", ["attack 7h"]),
        (ATTACKS, "7♥", ["attack 7h"]),
        (ATTACKS, "7s 7h", ["attack 7h 7s"]),
        (ATTACKS, "7s, 7h", ["attack 7h 7s"]),
        (ATTACKS, "10h", ["attack Th 9h 8h 7h 6h"]),
        (ATTACKS, "jk", ["attack Jk"]),
        (ATTACKS, "2", []),
        (ATTACKS, "#2", ["attack 7h 7s"]),
        (ATTACKS, "99", []),
        (ATTACKS, "dr", ["draw"]),
        (ATTACKS, "pa", ["pass on"]),
        (ATTACKS, "att 7s", ["attack 7s"]),
        (ATTACKS, "attack", ATTACKS[:5]),
        (ATTACKS, "7c", []),
        (ATTACKS, "7h 7h", []),
        (ATTACKS, "", []),
        (TARGETS, "player_1 3", [TARGETS[1]]),
        (TARGETS, "1", [TARGETS[0], TARGETS[2]]),
        (TARGETS, "#1", [TARGETS[0]]),
        (TARGETS, "player_2", [TARGETS[2]]),
        (PLAYS, "7", ["play 7"]),
        (PLAYS, "#1", ["play 2"]),
        (PLAYS, "3", []),
        (PLAYS, "10", ["play T"]),
        (PLAYS, "p t", ["play T"]),
    ],
)
def test_what_a_text_means(labels: list[str], typed: str, meant: list[str]) -> None:
    choices = choices_of(labels)
    assert [choice.label for choice in choices.find(typed)] == meant


def test_a_place_in_the_list_is_named_one_way() -> None:
    """Whatever the labels are: a number alone is never a place, so that it never does what was not meant."""
    for labels in (ATTACKS, TARGETS, PLAYS):
        choices = choices_of(labels)
        names = [choices.name(choice) for choice in choices.all]
        assert names == [f"#{place}" for place in range(1, len(labels) + 1)]
        assert [choices.find(name) for name in names] == [[choice] for choice in choices.all]
        for number in range(100):
            assert all(str(number) in choice.label or number == 10 for choice in choices.find(str(number)))
    assert "#3" in HELP


def test_near_matches_of_a_typo() -> None:
    choices = choices_of(ATTACKS)
    assert choices.near("atack 7s")[0].label == "attack 7s"
    assert choices.near("drwa")[0].label == "draw"
    assert choices.near("zzzz") == []


def test_every_label_of_tennis_finds_its_action() -> None:
    choices = choices_of([f"play {text}" for text in cards.RANK_TEXT[:12]])
    assert [choices.find(choice.label)[0].action for choice in choices.all] == list(range(12))


def test_words_of_a_text() -> None:
    assert words_of("Play 10♥, Jk (Dr-h)") == ["play", "th", "jk", "dr-h"]


def test_many_actions_are_grouped() -> None:
    groups = choices_of(ATTACKS).groups()
    assert {group: len(members) for group, members in groups.items()} == {
        "attack, 1 card": 3,
        "attack, 2 cards": 1,
        "attack, 5 cards": 1,
        "draw": 1,
        "pass on": 1,
    }


def test_ranks_do_not_make_groups() -> None:
    groups = choices_of(["pair of 7", "pair of T", "pair of A", "T"]).groups()
    assert {group: len(members) for group, members in groups.items()} == {"pair of": 3, "play": 1}
