"""President clause by clause: specials that are led, and specials that are revealed."""

from __future__ import annotations

import pytest
from games.president_positions import (
    PILE,
    arranged,
    field,
    hand,
    labels,
    parse,
    play,
    returns,
    seats,
    table,
)

# --- specials that are led ---


@pytest.mark.rule("PR-16")
@pytest.mark.parametrize(("pile", "taken"), [(PILE, 4), ("4c 4d 4h", 3), ("", 0)])
def test_draws_are_taken_by_the_next_player(pile: str, taken: int) -> None:
    """Examples 4 and 5."""
    env = arranged(["Dr-c Dr-h 3c", "9c 9d Kc", "Tc Td 3d", "Jc Jd 3h"], pile=pile)
    play(env, "Dr Dr")
    assert env.current_player == 1
    assert hand(env, 1) == sorted(parse("9c 9d Kc") + parse(pile)[:taken])
    assert {"9 9", "pass"} <= labels(env)
    assert field(env, "taken")[:4] == [0, taken, 0, 0]
    assert not any(field(env, "draw"))


@pytest.mark.rule("PR-17", "PR-14")
@pytest.mark.parametrize(("count", "following"), [(1, [3, 2, 1, 0]), (2, [1, 2, 3]), (3, [3, 2, 1, 0]), (4, [1, 2, 3])])
def test_an_odd_number_of_reverses_turns_the_order(count: int, following: list[int]) -> None:
    """Example 9: the player who was next comes last of the others."""
    held = [" ".join(f"{rank}{suit}" for suit in "cdhs") for rank in "3456"]
    env = arranged([f"{held[0]} Rv-c Rv-d Rv-h Rv-s", f"{held[1]} 7c", f"{held[2]} 8c", f"{held[3]} 9c"], ask_forced_pass=True)
    play(env, " ".join(["Rv"] * count))
    movers = []
    while table(env):
        movers.append(env.current_player)
        assert "pass" in labels(env)
        play(env, "pass")
    assert movers == following[:3]
    assert env.current_player == 0
    assert field(env, "direction") == (-1 if count % 2 else 1)


@pytest.mark.rule("PR-17")
def test_of_two_players_who_reverses_has_the_turn_again() -> None:
    """Example 10."""
    env = arranged(["Rv-s 5c 3c", "", "7c 8c"])
    play(env, "Rv")
    assert env.current_player == 0
    assert labels(env) == {"5", "3", "pass"}
    after = env.clone()
    play(env, "5")
    assert env.current_player == 2
    assert labels(env) == {"7", "8", "pass"}
    play(after, "pass")  # which does not count
    assert after.current_player == 2
    assert table(after) == "Rv"
    assert seats(after, "passed") == [0]
    play(after, "pass")
    assert after.current_player == 0
    assert table(after) == ""


@pytest.mark.rule("PR-18", "PR-19")
def test_a_skipped_turn_is_a_pass() -> None:
    """Example 6."""
    env = arranged(["Sk-c 3c", "9c Tc", "4c 5c", "6c 7c"])
    play(env, "Sk")
    assert env.current_player == 2
    assert seats(env, "passed") == [1]
    play(env, "pass", "pass")
    assert env.current_player == 0
    assert table(env) == ""


@pytest.mark.rule("PR-18", "PR-19")
@pytest.mark.parametrize(
    ("players", "skips", "leader"),
    [(3, 2, 0), (3, 3, 1), (3, 4, 2), (4, 3, 0), (4, 4, 1)],  # examples 7 and 8
)
def test_when_all_others_are_skipped_the_trick_is_over(players: int, skips: int, leader: int) -> None:
    held = ["3c Sk-c Sk-d Sk-h Sk-s", "9c Tc", "4c 5c", "6c 7c"][:players]
    env = arranged(held)
    play(env, " ".join(["Sk"] * skips))
    assert env.current_player == leader
    assert table(env) == ""
    assert "pass" not in labels(env)
    assert seats(env, "passed") == []


@pytest.mark.rule("PR-19", "PR-24")
def test_who_was_skipped_is_not_barred() -> None:
    env = arranged(["Sk-c 3c", "9c Tc", "4c 5c", "6c 7c"], pass_is_final=True)
    play(env, "Sk", "4", "6")
    assert env.current_player == 1
    assert labels(env) == {"9", "T", "pass"}
    assert seats(env, "barred") == [0]  # a forced pass


@pytest.mark.rule("PR-30")
@pytest.mark.parametrize(
    ("led", "following", "expected"),
    [("Dr", 1, "Dr"), ("Rv", 3, "Rv"), ("Sk", 2, "Sk"), ("Sk Sk Sk", 1, ""), ("Sk Sk Sk Sk", 2, "")],
)
def test_who_goes_out_with_specials_inflicts_them(led: str, following: int, expected: str) -> None:
    kind, count = led[:2], len(led.split())
    env = arranged([" ".join(f"{kind}-{suit}" for suit in "cdhs"[:count]), "9c Tc", "6d 7d", "6c 7c"], pile=PILE)
    play(env, led)
    assert field(env, "place")[:4] == [1, 0, 0, 0]
    assert env.current_player == following
    assert table(env) == expected
    assert len(hand(env, 1)) == (4 if kind == "Dr" else 2)


@pytest.mark.rule("PR-30")
def test_nothing_acts_when_the_deal_is_over() -> None:
    env = arranged(["Dr-c", "9c Tc", ""], pile=PILE)
    play(env, "Dr")
    assert not env.legal_actions()
    assert len(hand(env, 1)) == 2
    assert returns(env) == [0, -1, 1]


# --- reveals ---


@pytest.mark.rule("PR-20")
def test_a_revealed_draw_brings_two_cards_and_the_turn_goes_on() -> None:
    env = arranged(["9c 3c", "Dr-c Kc 3d", "4s 5s"], pile="Ac Ad 2c")
    play(env, "9")
    assert labels(env) == {"K", "pass", "reveal Dr-c"}
    play(env, "reveal Dr-c")
    assert env.current_player == 1
    assert hand(env, 1) == sorted(parse("Kc 3d Ac Ad"))
    assert labels(env) == {"K", "A", "pass"}
    assert env.zones()["aside"] == parse("Dr-c")
    assert field(env, "taken")[:3] == [0, 2, 0]


@pytest.mark.rule("PR-20")
def test_without_a_pile_nothing_is_revealed() -> None:
    for pile in ("", "4c"):
        env = arranged(["9c 3c", "Dr-c Sk-c 3d Tc", "4s 5s"], pile=pile)
        play(env, "9")
        assert ("reveal Dr-c" in labels(env)) == bool(pile)
    env = arranged(["9c 3c", "Dr-c Sk-c 3d Tc", "4s 5s"], pile="4c 4d")
    play(env, "9", "reveal Dr-c")
    assert labels(env) == {"reveal Sk-c", "redeal"}
    play(env, "redeal")
    assert hand(env, 1) == sorted(parse("Sk-c 3d Tc 4c 4d"))


@pytest.mark.rule("PR-21", "PR-19")
@pytest.mark.parametrize("final", [False, True])
def test_a_revealed_skip_ends_the_turn_as_a_pass(final: bool) -> None:
    env = arranged(["9c 3c Jc", "Sk-c Tc 3d", "Qs Ks 6s"], pile=PILE, pass_is_final=final)
    play(env, "9", "reveal Sk-c")
    assert env.current_player == 2
    assert seats(env, "passed") == [1]
    assert seats(env, "barred") == []
    assert len(hand(env, 1)) == 3
    after = env.clone()
    play(env, "pass")
    assert env.current_player == 0
    assert table(env) == ""
    play(after, "Q")
    assert table(after) == ""  # nobody has a King


@pytest.mark.rule("PR-21", "PR-23", "PR-19")
def test_who_is_to_lead_and_reveals_a_skip_loses_the_lead() -> None:
    env = arranged(["Sk-c 3c", "9c Tc", "6s Js"], pile="Ac Kc Qc")
    play(env, "reveal Sk-c")
    assert env.current_player == 1
    assert table(env) == ""
    assert seats(env, "passed") == []
    assert "pass" not in labels(env)
    play(env, "9", "pass")
    assert env.current_player == 0
    play(env, "A")


@pytest.mark.rule("PR-22", "PR-23")
def test_who_is_to_lead_and_reveals_a_reverse_loses_the_lead() -> None:
    env = arranged(["Rv-c 3c", "9c Tc", "4s 5s", "6s 7s"], pile="Ac Kc Qc")
    play(env, "reveal Rv-c")
    assert env.current_player == 3
    assert table(env) == ""
    assert seats(env, "paused") == [0]
    play(env, "6")
    assert env.current_player == 1  # 2 can only pass
    play(env, "pass")
    assert env.current_player == 0
    assert seats(env, "paused") == []
    assert table(env) == "6"
    play(env, "A")


@pytest.mark.rule("PR-22")
def test_a_revealed_reverse_puts_the_turn_off_and_is_no_pass() -> None:
    """Example 11."""
    env = arranged(["5c 6d 3c", "Rv-c 9c Tc", "7s 8s", "6s 7d"], pile="Ac Kc Qc")
    play(env, "5", "reveal Rv-c")
    assert env.current_player == 0
    assert labels(env) == {"6", "pass"}
    play(env, "pass")
    assert seats(env, "passed") == [0]
    assert env.current_player == 3
    play(env, "pass")
    assert env.current_player == 2
    play(env, "pass")
    assert env.current_player == 1
    assert table(env) == "5"
    after = env.clone()
    play(env, "pass")
    assert env.current_player == 0
    assert table(env) == ""
    play(after, "9")
    assert parse("9c")[0] in after.zones()["played/1"]
    assert after.current_player == 1  # nobody has a Jack


@pytest.mark.rule("PR-22")
def test_a_pass_is_taken_back_by_a_reverse() -> None:
    """1 has passed, is asked again after a Reverse of 2, and reveals one."""
    env = arranged(["5c 6d 3c", "Rv-c 9c Tc", "Rv-d 8s 9s", "6s 7d Jc"], pile="3d 3h 3s 4c 4d")
    play(env, "5", "pass", "reveal Rv-d")
    assert env.current_player == 1
    assert seats(env, "passed") == [1]
    play(env, "reveal Rv-c")
    assert seats(env, "passed") == []
    assert seats(env, "paused") == [1]
    assert env.current_player == 2  # whose turn goes on
    play(env, "pass", "pass", "pass")
    assert env.current_player == 1
    assert table(env) == "5"
    assert seats(env, "passed") == [0, 2, 3]
    play(env, "pass")
    assert env.current_player == 0
    assert table(env) == ""


@pytest.mark.rule("PR-22")
def test_a_pause_of_the_last_to_play_holds_nothing_up() -> None:
    env = arranged(["5c 6d 3c Rv-d", "Rv-c 9c Tc", "7s 8s", "6s 7d"], pile="3d 3h 3s 4c 4d")
    play(env, "5", "reveal Rv-c", "reveal Rv-d")  # 0 pauses, the last to play
    assert env.current_player == 1
    assert seats(env, "paused") == [0]
    play(env, "pass", "pass", "pass")
    assert env.current_player == 0
    assert table(env) == ""
    assert seats(env, "paused") == []
