"""Bridge clause by clause: dummy."""

from __future__ import annotations

import pytest
from games.bridge_positions import (
    arranged,
    dummy_seen,
    hand,
    ids,
    legal,
    nonzero,
    order,
    play,
    seen,
    turn,
    value,
    zone,
)
from wilddeck import cards


@pytest.mark.rule("BR-20")
def test_dummy_is_laid_open_with_the_first_card_and_played_by_declarer() -> None:
    env = arranged(["2h 2c", "5h 6c", "Kh 7h 9c", "4h 8c"])
    for seat in (0, 1, 3):
        assert dummy_seen(env, seat) == (False, set(), [-1, -1, -1])
    play(env, "1 play 5h")
    for seat in (0, 1, 3):
        assert dummy_seen(env, seat) == (True, ids("Kh 7h 9c"), sorted(ids("Kh 7h 9c")))
    assert env.agent_selection == "player_0"
    assert legal(env) == {"play Kh", "play 7h"}
    assert [bool(seen(env, seat, "for_dummy")[0]) for seat in range(4)] == [True, False, False, False]
    assert set(nonzero(seen(env, 0, "hand"))) == ids("2h 2c")  # their own
    assert not env.observe("player_2")["action_mask"].any()
    assert set(nonzero(seen(env, 2, "hand"))) == ids("Kh 7h 9c")
    play(env, "2 play Kh; 3 play 4h")
    assert env.agent_selection == "player_0"
    assert not seen(env, 0, "for_dummy")[0]
    assert legal(env) == {"play 2h"}
    play(env, "0 play 2h; 2 play 7h; 3 play 8c")
    assert dummy_seen(env, 3) == (True, ids("9c"), [cards.parse("9c")[0]])


@pytest.mark.rule("BR-20")
def test_dummy_is_laid_open_when_a_joker_is_led() -> None:
    env = play(arranged(["2h 2c", "Jk 6c", "Kh 9c", "4h 8c"]), "1 play SJ")
    assert dummy_seen(env, 1) == (True, ids("Kh 9c"), sorted(ids("Kh 9c")))


@pytest.mark.rule("BR-20", "BR-47")
def test_dummy_is_laid_open_as_its_turn_begins() -> None:
    """Example 13, and dummies that are gone again by the time anybody sees them."""
    env = play(arranged(["2h 2c", "Sk-h 6c", "Kh 9c", "4h 8c"], pile="5s"), "1 reveal Sk-h")
    assert (turn(env), env.current_player) == (2, 0)
    assert [dummy_seen(env, seat)[0] for seat in range(4)] == [True] * 4
    assert legal(env) == {"play Kh", "play 9c"}
    play(env, "2 play Kh; 3 play 4h; 0 play 2h")
    assert turn(env) == 2
    assert value(env, "tricks", 0) == 1
    # A Skip of dummy, and a Reverse: turn over, turn paused.
    for special, out in (("Sk-c", True), ("Rv-c", False)):
        env = play(arranged(["2h 2c", "Sk-h 6c", f"Kh {special}", "4h 8c"], pile="5s 6s"), "1 reveal Sk-h")
        assert (value(env, "out", 2), value(env, "paused", 2)) == (int(out), int(not out))
        assert turn(env) == (3 if out else 0)
        assert value(env, "trick_size") == 0
        assert dummy_seen(env, 3) == (True, ids("Kh 6s"), sorted(ids("Kh 6s")))


@pytest.mark.rule("BR-47")
def test_a_paused_opening_leader_does_not_change_who_is_dummy() -> None:
    env = play(arranged(["2h 2c", "Rv-h 6c", "Kh 9c", "4h 8c"], pile="5s"), "1 reveal Rv-h")
    assert (turn(env), env.current_player, order(env)) == (0, 0, -1)
    assert not seen(env, 1, "exposed")[0]
    play(env, "0 play 2h; 3 play 4h; 2 play Kh; 1 play 5s")
    assert turn(env) == 2
    assert nonzero(seen(env, 0, "declarer")) == [0]


@pytest.mark.rule("BR-33", "BR-34")
def test_example_9_a_skip_of_dummy() -> None:
    env = arranged(["2h 2c", "5h 6c", "Dr-d Sk-c Kh", "4h 8c"], pile="7c 8d 9c Ts")
    play(env, "1 play 5h")
    assert set(nonzero(seen(env, 3, "dummy"))) == ids("Kh 7c 8d 9c")
    assert zone(env, "aside") == "Dr-d Sk-c"
    assert zone(env, "pile") == "Ts"
    play(env, "3 play 4h; 0 play 2h")  # a trick of three cards
    assert value(env, "tricks", 1) == 1
    assert turn(env) == 1


@pytest.mark.rule("BR-33", "BR-34")
def test_example_10_two_reverses_of_dummy() -> None:
    env = play(arranged(["2h 2c", "5h 6c", "Rv-h Kh", "4h 8c"], pile="Rv-s 4c"), "1 play 5h")
    assert order(env) == 1
    assert hand(env, 2) == "4c Kh"
    play(env, "3 play 4h; 0 play 2h; 2 play Kh; 2 play 4c")
    assert value(env, "tricks", 0) == 1


@pytest.mark.rule("BR-33", "BR-34")
def test_example_11_one_reverse_of_dummy() -> None:
    env = play(arranged(["2h 2c", "5h 6c", "Rv-h Kh", "4h 8c"], pile="4c"), "1 play 5h")
    assert order(env) == -1
    play(env, "0 play 2h; 3 play 4h; 2 play Kh; 2 play 4c")


@pytest.mark.rule("BR-33")
def test_dummy_turn_skipped_by_a_played_skip_redeals_nothing() -> None:
    """The redeal is that of the first turn that is not skipped."""
    env = arranged(["2h 2c", "Sk-h Kh", "Dr-d 6h Qh", "4h 8h"], pile="7c 8c 9c")
    play(env, "1 play Sk-h; 3 play 4h; 0 play 2h")  # 4h is the highest
    assert value(env, "tricks", 1) == 1
    assert hand(env, 2) == "6h Qh Dr-d"
    assert seen(env, 1, "exposed")[0]
    play(env, "3 play 8h; 0 play 2c; 1 play Kh; 2 play 6h")
    assert zone(env, "aside") == "Dr-d"


@pytest.mark.rule("BR-34")
def test_reverse_and_skip_of_dummy_together() -> None:
    env = play(arranged(["2h 2c", "5h 6c", "Rv-h Sk-h Kh", "4h 8c"], pile="4c 7c"), "1 play 5h")
    assert (order(env), value(env, "paused", 2)) == (-1, 0)
    play(env, "0 play 2h; 3 play 4h; 1 play 6c")


@pytest.mark.rule("BR-35", "BR-37")
def test_example_12_dummy_takes_a_special() -> None:
    env = play(arranged(["2h 2c", "Dr-h 6c", "Kh", "4h 8c"], pile="Sk-d 9c 2d"), "1 play Dr-h")
    assert set(nonzero(seen(env, 1, "dummy"))) == ids("Kh 9c 2d")
    assert zone(env, "aside") == "Sk-d"
    assert turn(env) == 3  # and dummy has played nothing
    play(env, "3 play 4h; 0 play 2h")
    assert value(env, "trick_size") == 0


@pytest.mark.rule("BR-35")
def test_specials_that_come_to_dummy_later_are_redealt_too() -> None:
    env = arranged(["2h 3h 2c", "5h 6h 6c", "Kh Ah 9c", "4h Dr-s 8c"], pile="Rv-d 7d 8d", bid="1NT")
    play(env, "1 play 5h; 2 play Kh; 3 play 4h; 0 play 2h; 2 play 9c; 3 play 8c; 0 play 2c; 1 play 6c")
    play(env, "2 play Ah; 3 play Dr-s; 0 play 3h; 1 play 6h")
    assert hand(env, 0) == "7d Rv-d"  # a hidden hand keeps what it takes
    env = arranged(["Dr-h Tc", "5h 6c", "Kh Ah", "4h 8c"], pile="Rv-d 7d 8d 9d")
    play(env, "1 play 5h; 2 play Kh; 3 play 4h; 0 play Dr-h")  # as last card it acts on the next leader, dummy
    assert zone(env, "aside") == "Rv-d"
    assert hand(env, 2) == "7d 8d Ah"
    assert (turn(env), order(env)) == (1, -1)  # the redealt Reverse has paused dummy, who was to lead


@pytest.mark.rule("BR-36")
def test_a_special_that_stays_in_dummy_is_played_like_any_card() -> None:
    env = play(arranged(["2h 2c", "5h 6c", "Sk-h Kc", "4h 8c"]), "1 play 5h")
    assert (turn(env), env.current_player) == (2, 0)
    assert legal(env) == {"play Sk-h"}  # it is a heart; there is nothing to reveal it for
    play(env, "2 play Sk-h; 0 play 2h")  # 3 is skipped
    assert value(env, "tricks", 1) == 1
    assert turn(env) == 1
    for pile, stays in (("7c", "Sk-h"), ("7c 8c", "")):  # the first of a batch is replaced first
        env = play(arranged(["2h 2c", "5h 6c", "Dr-h Sk-h Kc", "4h 8c"], pile=pile), "1 play 5h")
        assert zone(env, "hand/2").endswith(stays)
        assert (turn(env) == 2) == bool(stays)


@pytest.mark.rule("BR-37", "BR-38", "BR-39")
def test_played_specials_act_on_the_next_hand() -> None:
    env = play(arranged(["2h 2c", "5h 6c", "Kh", "Dr-h 8c"], pile="7c 8d 9c"), "1 play 5h; 2 play Kh; 3 play Dr-h")
    assert hand(env, 0) == "2c 2h 7c 8d"
    assert env.zones("player_1")["hand/0"] == [-1] * 4
    env = play(arranged(["2h 2c", "5h 6c", "Kh 9h", "Rv-h 8c"]), "1 play 5h; 2 play Kh; 3 play Rv-h; 0 play 2h")
    assert order(env) == -1
    env = play(arranged(["2h 2c", "5h 6c", "Kh 9h", "Sk-h 8c"]), "1 play 5h; 2 play Kh; 3 play Sk-h; 2 play 9h")


@pytest.mark.rule("BR-38")
def test_example_14_a_reverse_as_opening_lead() -> None:
    env = play(arranged(["2h 2c", "Rv-h 6c", "Kh", "4h 8c"]), "1 play Rv-h")
    assert order(env) == -1
    play(env, "0 play 2h; 3 play 4h; 2 play Kh")
    assert value(env, "tricks", 0) == 1
