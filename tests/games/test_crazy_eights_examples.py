"""The worked examples of the page of crazy eights, by their numbers."""

from __future__ import annotations

import pytest
from games.crazy_eights_positions import arranged, field, hand, is_over, labels, parse, payoffs, play, plays, turned_up

OTHERS = ["5s 6s", "9c Tc", "Js Ks"]


def movers(env: object, count: int) -> list[int]:
    """Who moves in so many turns, in each of which one card is drawn, as long as there are any, and nothing played."""
    seats = []
    for _ in range(count):
        seats.append(env.current_player)
        play(env, *(["draw"] if "draw" in labels(env) else []), "pass")
    return seats


def test_1_what_can_be_played() -> None:
    env = arranged(["7s 2h 8c Kd Dr-h Sk-c SJ", "5s 6s"], top="7h")
    assert plays(env) == {"7s", "2h", "8c", "Dr-h", "SJ"}


def test_2_on_a_special() -> None:
    env = arranged(["Dr-c 5h 5c Rv-h", "5s 6s"], top="Dr-h")
    assert plays(env) == {"Dr-c", "5h", "Rv-h"}


@pytest.mark.parametrize("draws", [0, 5])
def test_3_a_draw_and_another(draws: int) -> None:
    pile = "3c 4c 5c 6c 7c 9d Td 2d 3d"
    env = arranged(["Dr-h 4d", "Dr-c 6d", "4s 9s"], top="7h", pile=pile)
    play(env, "Dr-h")
    assert (env.current_player, len(env.zones()["hand/1"])) == (1, 4)
    play(env, *["draw"] * draws)
    assert ("draw" in labels(env)) == (draws < 5)
    assert "reveal Dr-c" in labels(env)
    play(env, "Dr-c")
    assert (env.current_player, len(env.zones()["hand/2"])) == (2, 4)


def test_4_two_players_and_the_order() -> None:
    env = arranged(["Rv-c Ac 4d", "5s 6s"], top="7c", use_special_cards=True)
    play(env, "Rv-c")
    assert (env.current_player, field(env, "direction")) == (0, -1)
    env = arranged(["Rv-c Ac 4d", "5s 6s"], top="7c", use_special_cards=True)
    play(env, "Ac")
    assert (env.current_player, field(env, "direction")) == (1, -1)


def test_5_a_skip_counterclockwise() -> None:
    env = arranged(["Sk-d 4d", *OTHERS], top="7d", direction=-1)
    play(env, "Sk-d")
    assert env.current_player == 2


def test_6_a_turn_put_off() -> None:
    pile = "3c 4c 5c 6c 7c 9d Td 2d 3d Qd Kd Ad"
    env = arranged(["Rv-c 4h", *OTHERS], top="7h", pile=pile)
    play(env, "draw", "draw", "draw", "reveal Rv-c")
    assert field(env, "direction") == -1
    for seat in (3, 2, 1):
        assert env.current_player == seat
        play(env, *["draw"] * (labels(env) == {"draw"}))
        while "pass" not in labels(env):
            play(env, "draw")
        play(env, "pass")
    assert (env.current_player, field(env, "drawn")[0]) == (0, 3)


def test_6_they_may_draw_two_more_and_are_followed_counterclockwise() -> None:
    env = arranged(["Rv-c 4d", "7s 6s", "7d Tc", "7c Ks"], top="7h", pile="3c 4c 5c 6c 9c 9d Td 2d 3d Qd Kd Ad")
    play(env, "draw", "draw", "draw", "reveal Rv-c", "7c", "7d", "7s")
    assert env.current_player == 0
    play(env, "draw", "draw")
    assert "draw" not in labels(env)
    play(env, "pass")
    assert env.current_player == 3


def test_7_a_reverse_turned_up() -> None:
    env = turned_up("Rv-d 9c", max_draw_cards=1)
    assert env.zones()["top"] == parse("9c")
    assert movers(env, 4) == [3, 2, 1, 0]


def test_8_a_skip_turned_up() -> None:
    env = turned_up("Sk-h 4d", max_draw_cards=1)
    assert env.zones()["top"] == parse("4d")
    assert movers(env, 4) == [1, 2, 3, 0]


def test_9_a_draw_turned_up() -> None:
    env = turned_up("Dr-s 6c Jh")
    assert (env.zones()["top"], env.zones()["discards"]) == (parse("Jh"), parse("6c"))
    assert env.current_player == 0


def test_10_a_2_turned_up() -> None:
    env = turned_up("2c", use_special_cards=True)
    assert env.current_player == 0
    assert labels(env) <= {"2d", "2h", "2s", "draw"}
    env = arranged(["2h 4d", *OTHERS], top="2c", pile="3c 4c 5c 6c 7c", use_special_cards=True, debt=2)
    play(env, "2h")
    assert (env.current_player, field(env, "debt")) == (1, 4)
    play(env, "draw")
    assert (env.current_player, hand(env, 1)) == (2, "3c 4c 5c 5s 6c 6s")


def test_11_a_joker_as_an_eight() -> None:
    env = arranged(["SJ 4c", "5d 8c BJ 9s Tc", "6c"], top="7h")
    play(env, "SJ", "declare 8s", "nominate diamonds")
    assert plays(env) == {"5d", "8c", "BJ"}


def test_12_cards_owed() -> None:
    env = arranged(["SJ 2d 8c Sk-h", "5s 6s"], top="2h", pile="3c 4c", use_special_cards=True, debt=2)
    assert labels(env) == {"SJ", "2d", "draw"}
    play(env, "SJ")
    assert labels(env) == {"declare 2c", "declare 2d", "declare 2h", "declare 2s"}


def test_13_no_pile() -> None:
    env = arranged(["Sk-c 4d", *OTHERS], top="7h")
    for _ in range(5):
        assert labels(env) == {"pass"}
        play(env, "pass")
    assert is_over(env)


@pytest.mark.parametrize(
    ("cards", "how", "points"), [("8c Kd 5s Dr-c SJ", "pips", 76), ("Ac Ad Ah As SJ", "pips", 6), ("7s Ac", "openspiel", 35)]
)
def test_14_what_hands_cost(cards: str, how: str, points: int) -> None:
    env = arranged(["Td", cards], top="9d", card_points=how, reward="openspiel")
    play(env, "Td")
    assert payoffs(env) == [0, -points]


def test_15_rewards() -> None:
    env = arranged(["Td", "Jc Qc", "Kc Ks Jh 5s", "4c Ah"], top="9d")
    play(env, "Td")
    assert payoffs(env) == [0.15, -0.05, -0.2, 0.1]
