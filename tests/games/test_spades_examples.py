"""Spades: the worked examples of tricks."""

from __future__ import annotations

import pytest
from games.spades_positions import (
    LOSE,
    WIN,
    arranged,
    field,
    labels,
    parse,
    play,
    seen,
    won_by,
)


def test_example_7_one_spade_in_a_trick_of_three_cards() -> None:
    env = arranged(["5h 2d", "Sk-s 3d", "4h 4d", "Kh 5d"])
    play(env, "5h", "Sk-s", "Kh")
    assert won_by(env) == [1]
    assert field(env, "tricks_done") == 12


def test_example_8_two_spades_neither_ordered() -> None:
    env = arranged(["5h 2d", "Sk-s 3d", "4h 4d", "Rv-s 5d"])
    play(env, "5h", "Sk-s", "Rv-s")
    assert won_by(env) == []
    assert field(env, "direction") == -1
    assert field(env, "broken") == 1
    assert field(env, "leader_due") == 0
    for seat, card in ((3, "5d"), (2, "4d"), (1, "3d"), (0, "2d")):
        assert env.current_player == seat
        play(env, card)


@pytest.mark.parametrize(("choice", "winner"), [(WIN, 0), (LOSE, 2)])
def test_example_10_a_led_joker(choice: str, winner: int) -> None:
    env = arranged(["SJ 2h", "Kd 3h", "2s 4h", "4d 5h"])
    play(env, "SJ", "declare 9d", "Kd", "2s", "4d", choice)
    assert won_by(env) == [winner]
    assert field(env, "broken") == 1


@pytest.mark.parametrize(("choice", "winner"), [(WIN, 3), (LOSE, 1)])
def test_example_11_a_joker_against_a_special_spade(choice: str, winner: int) -> None:
    env = arranged(["9h 2d", "Sk-s 3d", "4h 4d", "SJ 5d"])
    play(env, "9h", "Sk-s", "SJ")
    assert env.current_player == 3
    play(env, choice)
    assert won_by(env) == [winner]


def test_example_13_a_draw_as_the_last_card() -> None:
    hands = ["2h 3h", "4h 3c", "Ah 4d", "Dr-c 5d"]
    env = arranged(hands, pile="7h 8h 9h")
    play(env, "2h", "4h", "Ah", "Dr-c")
    assert env.current_player == 2
    assert sorted(env.zones()["hand/2"]) == sorted(parse("4d 7h 8h"))
    last = arranged(hands, pile="7h 8h 9h", tricks_done=12)
    play(last, "2h", "4h", "Ah", "Dr-c")
    assert not last.legal_actions()
    assert last.zones()["hand/2"] == parse("4d")


def test_example_15_the_leader_reveals_a_reverse() -> None:
    env = arranged(["Rv-d 2h Rv-c", "3h 3c 2c", "4h 4c 2d", "5h 5c 3d"], pile="6h 7h 8h")
    play(env, "reveal Rv-d", "redeal")
    assert field(env, "direction") == -1
    assert seen(env, 1, "paused") == [0, 0, 0, 1]
    assert seen(env, 1, "hand_sizes") == pytest.approx([3 / 27] * 4)
    for seat, card in ((3, "5h"), (2, "4h"), (1, "3h")):
        assert env.current_player == seat
        play(env, card)
    assert env.current_player == 0
    assert "reveal Rv-c" in labels(env)
    assert "6h" in labels(env)
