"""What a seat is told of the moves of others."""

from __future__ import annotations

from typing import Any

import pytest
from games import hearts_positions, skin_positions, wild_escape_positions
from wilddeck.agents.hearsay import Hearsay, seen
from wilddeck.envs.core.aec import CardGameEnv


@pytest.mark.parametrize(
    ("labels", "before", "after", "visible"),
    [
        ("play 7h", {"hand/1": [-1, -1]}, {"hand/1": [-1], "table/1": [22]}, [True]),
        ("play 7h", {"hand/1": [-1, -1]}, {"hand/1": [-1], "under": [-1]}, [False]),
        ("play 7h", {"hand/1": [-1], "discard": [22]}, {"hand/1": [], "under": [-1], "discard": [22]}, [False]),  # another 7h
        ("play 7h 7h", {"hand/1": [-1, -1]}, {"table/1": [22, -1]}, [False]),
        ("play 7h 7h", {"hand/1": [-1, -1]}, {"table/1": [22, 22]}, [True]),
        ("pile Jk", {"hand/1": [-1]}, {"attack": [53]}, [True]),
        ("bid 3", {}, {}, [True]),
        ("pass", {"hand/1": [-1]}, {"hand/1": [-1]}, [True]),
        ("attack 7h|target pile 2", {"hand/1": [-1], "defence": [-1]}, {"discard": [22, 3]}, [True, True]),
        ("pile 7h|attack 7h|pass", {"hand/1": [-1, -1]}, {"pile": [-1], "discard": [22]}, [False, False, True]),
    ],
)
def test_a_label_is_told_if_its_cards_came_into_sight(labels: str, before: Any, after: Any, visible: list[bool]) -> None:
    assert seen(labels.split("|"), before, after) == visible


def heard(env: CardGameEnv, *labels: str, viewer: int = 3) -> list[tuple[int, str]]:
    """What a seat is told when others play these actions."""
    hearsay, lines = Hearsay(f"player_{viewer}"), []
    for label in labels:
        if hearsay.mover != env.current_player:
            lines += hearsay.lines(env)
        action = env.action_from_label(label)
        hearsay.note(env, action)
        env.step(action)
    return lines + hearsay.lines(env)


def test_nobody_is_told_who_declined_the_lead() -> None:
    declined = hearts_positions.dealt(["SJ", "2c"], pile="3h")
    nothing = hearts_positions.dealt(["3h", "2c"], pile="SJ")
    assert heard(declined, "decline the lead", "play 2c") == heard(nothing, "play 2c") == [(1, "play 2c")]
    claimed = hearts_positions.dealt(["SJ", "2c"], pile="3h")
    assert heard(claimed, "claim the lead", "play SJ") == [(0, "claim the lead"), (0, "play SJ")]
    declared = hearts_positions.arranged(["SJ 4d", "5d 6d", "7d 8d", "9d Td"])
    assert heard(declared, "play SJ", "declare Qd") == [(0, "play SJ"), (0, "declare Qd")]


def test_nobody_is_told_what_another_chose_from() -> None:
    """Neither whether there was a second card of the rank nor whether there was a choice but to pass shows in a line."""
    others = ["8c 9c", "8d 9d", "8h 9h", "8s 9s", "Tc Td"]
    two, one = (wild_escape_positions.arranged([hand, *others]) for hand in ("7c 7h Kd", "7c Qh Kd"))
    assert heard(two, "single 7", "card 7c") == heard(one, "single 7") == [(0, "single 7 (7c)")]
    follows = wild_escape_positions.arranged(["Kd 3c", *others[:4], "6c 6d"], beat="5c", owner=5)
    assert heard(follows, "pass") == []


def test_cards_of_attacks_that_were_not_seen_are_not_told() -> None:
    def table(visibility: str) -> CardGameEnv:
        seats = ("7h 7h", "Kd Ks"), ("3d", "6c"), ("4d", "9c"), ("5d", "Tc")
        return skin_positions.position(*seats, num_decks=2, visibility=visibility)

    turn = "attack 7h/2", "target player 1 pile 0"
    assert heard(table("open"), *turn) == [(0, "attack 7h"), (0, "target player 1 pile 0 (6c)")]
    assert heard(table("private"), *turn) == [(0, "makes a move you cannot see"), (0, "target player 1 pile 0")]
    own = skin_positions.position(("", "Kd Ks"), ("3d", "6c"), ("4d", "9c"), ("5d", "Tc"), visibility="private")
    turn = "attack Kd@0", "target player 1 pile 0"
    assert heard(own, *turn) == [(0, "makes a move you cannot see"), (0, "target player 1 pile 0")]
