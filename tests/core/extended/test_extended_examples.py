"""The worked examples of docs/rules/extended_deck.md, by number."""

from __future__ import annotations

import pytest
from core.extended.positions import (
    CLOCKWISE,
    COUNTERCLOCKWISE,
    hand,
    legal,
    next_turns,
    order,
    play,
    rotation,
    tricks,
    turn,
    value,
    zone,
)


@pytest.mark.rule("ED-61")
def test_example_1() -> None:
    env = play(rotation(["Rv-c 5c", ""]), "0 play Rv-c; 0 end")
    assert (order(env), turn(env)) == (COUNTERCLOCKWISE, 0)


@pytest.mark.rule("ED-38", "ED-62")
@pytest.mark.parametrize(("players", "turns"), [(3, [2, 1, 0]), (4, [3, 2, 1])], ids=["example 2", "example 3"])
def test_examples_2_and_3(players: int, turns: list[int]) -> None:
    env = play(rotation(["Rv-c 5c"] + [""] * (players - 1)), "0 play Rv-c; 0 end")
    assert order(env) == COUNTERCLOCKWISE
    assert next_turns(env, 3) == turns


@pytest.mark.rule("ED-37", "ED-39")
@pytest.mark.parametrize(("players", "acts"), [(3, 2), (2, 1), (4, 1)])
def test_example_4(players: int, acts: int) -> None:
    env = rotation(["Sk-c Sk-d Sk-h Sk-s 5c"] + [""] * (players - 1))
    play(env, "0 play Sk-c; 0 play Sk-d; 0 play Sk-h; 0 play Sk-s; 0 end")
    assert turn(env) == acts
    assert not any(value(env, "skip", seat) for seat in range(players))


@pytest.mark.rule("ED-36", "ED-39", "ED-58")
def test_example_5() -> None:
    env = rotation(["Sk-c Dr-c 5c", "", ""], "6h 7h 8h")
    play(env, "0 play Sk-c; 0 play Dr-c; 0 end")
    assert (turn(env), hand(env, 1), hand(env, 2)) == (2, "3c 3d", "3c 3d 6h 7h")
    env = rotation(["Sk-c Dr-c 5c", "", ""], "6h 7h 8h")
    play(env, "0 play Dr-c; 0 play Sk-c; 0 end")
    assert (turn(env), hand(env, 1), hand(env, 2)) == (2, "3c 3d 6h 7h", "3c 3d")


@pytest.mark.rule("ED-50")
def test_example_6() -> None:
    env = play(rotation(["Sk-c Rv-c 5c", "", "", ""]), "0 play Sk-c; 0 play Rv-c; 0 end")
    assert (order(env), turn(env), value(env, "skip", 1)) == (COUNTERCLOCKWISE, 3, 1)
    assert next_turns(env, 3) == [3, 2, 0]


@pytest.mark.rule("ED-30", "ED-63")
def test_example_7() -> None:
    env = rotation(["Rv-c 5c", "", "", "Rv-d 5d"], "6h 7h")
    play(env, "0 reveal Rv-c")
    assert (order(env), value(env, "paused", 0)) == (COUNTERCLOCKWISE, 1)
    play(env, "3 reveal Rv-d")
    assert (order(env), value(env, "paused", 0), value(env, "paused", 3)) == (CLOCKWISE, 0, 1)
    turns = value(env, "turns")
    assert next_turns(env, 4) == [0, 1, 2, 3]
    assert value(env, "turns") == turns + 3, "0 and 3 went on; new are the turns of 1, 2 and, in the end, 0"


@pytest.mark.rule("ED-26")
def test_example_8() -> None:
    env = rotation(["Rv-c Rv-d 5c", "", "", ""], "6h 7h 8h")
    play(env, "0 reveal Rv-c; 0 reveal Rv-d")
    assert (order(env), value(env, "paused", 0)) == (CLOCKWISE, 1)
    assert next_turns(env, 4) == [1, 2, 3, 0]


@pytest.mark.rule("ED-27")
def test_example_9() -> None:
    env = rotation(["Rv-c Sk-c 5c", "", "", ""], "6h 7h 8h")
    play(env, "0 reveal Rv-c; 0 reveal Sk-c")
    assert (order(env), turn(env), value(env, "paused")) == (COUNTERCLOCKWISE, 3, 0)


@pytest.mark.rule("ED-41")
def test_example_10() -> None:
    env = rotation(["Rv-c 5c", "Sk-c 5d", ""], "6h")
    play(env, "0 reveal Rv-c; 2 end; 1 play Sk-c; 1 end")
    assert (turn(env), order(env), value(env, "paused"), value(env, "skip", 0)) == (2, COUNTERCLOCKWISE, 0, 0)


@pytest.mark.rule("ED-66")
def test_example_11() -> None:
    env = tricks(["Rv-h 2c", "5h 2d", "6h 4c", "7h 4d"])
    play(env, "0 play Rv-h; 3 play 7h; 2 play 6h; 1 play 5h")
    assert (value(env, "tricks_done"), turn(env), order(env)) == (1, 3, COUNTERCLOCKWISE)


def test_example_12() -> None:
    play(tricks(["4h 2c", "Rv-h 2d", "6h 4c", "7h 4d"]), "0 play 4h; 1 play Rv-h; 3 play 7h; 2 play 6h; 3 play 4d")


@pytest.mark.rule("ED-64")
def test_example_13() -> None:
    env = play(tricks(["4h 2c", "5h 2d", "Rv-h 4c", "7h 4d"]), "0 play 4h; 1 play 5h; 2 play Rv-h; 3 play 7h")
    assert (value(env, "tricks_done"), order(env)) == (1, COUNTERCLOCKWISE)
    play(env, "3 play 4d; 2 play 4c; 1 play 2d; 0 play 2c")


def test_example_14() -> None:
    env = tricks(["4h 2c", "Rv-h 2d 5h", "6h 4c", "Sk-h 4d"], "9c 8c")
    play(env, "0 play 4h; 1 reveal Rv-h; 3 play Sk-h")
    assert (turn(env), order(env)) == (1, COUNTERCLOCKWISE)
    play(env, "1 play 5h")
    assert (value(env, "tricks_done"), zone(env, "played/2"), turn(env)) == (1, "", 1)


@pytest.mark.rule("ED-52")
def test_example_15() -> None:
    env = tricks(["4h 2c", "5h 2d", "6h 4c", "Rv-h 7h 4d"], "9c 8c")
    play(env, "0 play 4h; 1 play 5h; 2 play 6h; 3 reveal Rv-h")
    assert (turn(env), order(env), value(env, "trick_size")) == (3, COUNTERCLOCKWISE, 3)
    play(env, "3 play 7h; 3 play 4d; 2 play 4c")


@pytest.mark.rule("ED-59", "ED-78")
def test_examples_16_and_17() -> None:
    env = tricks(["4h 2c", "Kh 2d", "6h 4c", "Rv-h 4d"])
    play(env, "0 play 4h; 1 play Kh; 2 play 6h; 3 play Rv-h; 0 play 2c; 3 play 4d; 2 play 4c; 1 play 2d")
    env = tricks(["4h 2c", "Kh 2d", "6h 4c 5c", "Sk-h 4d"])
    play(env, "0 play 4h; 1 play Kh; 2 play 6h; 3 play Sk-h; 2 play 4c; 3 play 4d; 0 play 2c; 2 play 5c")
    assert hand(env, 1) == "2d"


@pytest.mark.rule("ED-53", "ED-66", "ED-76", "ED-77")
def test_example_18() -> None:
    env = tricks(["4h Sk-c", "Kh Sk-d", "6h Sk-h", "5h Sk-s"], "9c 8c 7c 6c", leader_due=0)
    play(env, "0 reveal Sk-c; 1 reveal Sk-d; 2 reveal Sk-h; 3 reveal Sk-s")
    assert (value(env, "tricks_done"), turn(env), value(env, "leader_due")) == (1, 0, 0)
    assert env.record["tricks"][0].tolist() == [0] * 4
    assert zone(env, "aside") == "Sk-c Sk-d Sk-h Sk-s"


@pytest.mark.rule("ED-24")
def test_example_19() -> None:
    env = rotation(["Dr-c Dr-d 5c", "", ""], "6h 7h 8h")
    play(env, "0 reveal Dr-c; 0 reveal Dr-d")
    assert (turn(env), hand(env, 0), zone(env, "pile")) == (0, "5c 6h 7h 8h", "")


@pytest.mark.rule("ED-10", "ED-22")
def test_example_20() -> None:
    env = rotation(["Dr-c Dr-d 5c", "", ""])
    assert legal(env) == {"play Dr-c", "play Dr-d", "play 5c", "draw", "end"}
    play(env, "0 play Dr-c; 0 end")
    assert (turn(env), hand(env, 1), value(env, "draw", 1)) == (1, "3c 3d", 0)


@pytest.mark.rule("ED-75", "ED-78")
def test_example_21() -> None:
    env = tricks(["5h 2c", "Kh 2d", "2h 4c", "Sk-s 4d"], trump="s")
    play(env, "0 play 5h; 1 play Kh; 2 play 2h; 3 play Sk-s")
    assert env.record["tricks"][0].tolist() == [0, 0, 0, 1]
    assert (value(env, "leader_due"), turn(env)) == (3, 0)
    env = tricks(["5h 2c", "Kh 2d", "Rv-s 4c", "Sk-s 4d"], trump="s")
    play(env, "0 play 5h; 1 play Kh; 2 play Rv-s; 3 play Sk-s")
    assert env.record["tricks"][0].tolist() == [0] * 4
    assert zone(env, "dead") == "5h Kh Rv-s Sk-s"
    env = tricks(["5h 2c", "3s 2d", "Rv-s 4c", "Sk-s 4d"], trump="s")
    play(env, "0 play 5h; 1 play 3s; 2 play Rv-s; 3 play Sk-s")
    assert env.record["tricks"][0].tolist() == [0, 1, 0, 0]


@pytest.mark.rule("ED-76", "ED-77")
def test_example_22() -> None:
    env = tricks(["Dr-d 2c", "Ah 2h", "4c 4s", "Sk-d 4d"], "9c 8c")
    play(env, "0 play Dr-d; 1 play Ah; 2 play 4c; 3 play Sk-d")
    assert env.record["tricks"][0].tolist() == [0] * 4
    assert (value(env, "leader_due"), turn(env), hand(env, 1)) == (0, 1, "2h 8c 9c")


@pytest.mark.rule("ED-73", "ED-74")
def test_example_23() -> None:
    for choice, winner in (("win", 0), ("lose", 1)):
        env = tricks(["SJ 2c", "Dr-d 2h", "Ah 4s", "4c 4h"])
        play(env, "0 play SJ; 0 declare 5d; 1 play Dr-d; 2 play Ah; 3 play 4c")
        assert (turn(env), env.current_player) == (0, 0)
        assert legal(env) == {"win with the Joker", "lose with the Joker"}
        play(env, f"0 {choice} with the Joker")
        assert env.record["tricks"][0].tolist().index(1) == winner


@pytest.mark.rule("ED-73", "ED-74")
def test_example_24() -> None:
    env = tricks(["SJ 2c", "Ah 2h", "4c 4s", "2s 4h"])
    play(env, "0 play SJ; 0 declare 5d; 1 play Ah; 2 play 4c; 3 play 2s")
    assert env.record["tricks"][0].tolist() == [1, 0, 0, 0]
    assert (turn(env), value(env, "trick_size")) == (0, 0)


@pytest.mark.rule("ED-73")
def test_example_25() -> None:
    env = tricks(["9h 2c", "SJ 2h", "As 4s", "2h 4h"], trump="s")
    play(env, "0 play 9h; 1 play SJ; 2 play As; 3 play 2h")
    assert env.record["tricks"][0].tolist() == [0, 0, 1, 0]


@pytest.mark.rule("ED-72", "ED-74")
def test_example_26() -> None:
    course = "0 play 9h; 1 play SJ; 2 play BJ; 3 play 2h"
    hands = ["9h 2c", "SJ 3h", "BJ 4s", "2h 4h"]
    env = play(tricks(hands, trump="s"), f"{course}; 1 win with the Joker")
    assert env.record["tricks"][0].tolist() == [0, 1, 0, 0]
    env = play(tricks(hands, trump="s"), f"{course}; 1 lose with the Joker; 2 lose with the Joker")
    assert env.record["tricks"][0].tolist() == [1, 0, 0, 0]
    env = play(tricks(hands, trump="s"), f"{course}; 1 lose with the Joker; 2 win with the Joker")
    assert env.record["tricks"][0].tolist() == [0, 0, 1, 0]
