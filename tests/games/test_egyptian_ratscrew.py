"""Egyptian Ratscrew clause by clause: windows, right and wrong slaps, burned cards, packs without cards, the end."""

from __future__ import annotations

from typing import Any

import pytest
from games.egyptian_ratscrew_positions import (
    GAME,
    OFF,
    ON,
    PLAY,
    SLAP,
    WAIT,
    arranged,
    is_open,
    let_lie,
    packs,
    play,
    slap,
    who_is_asked,
    window,
)
from games.pack_positions import debt, declarations, field, labels, pack, returns, stack, zone
from support import see_anew
from wilddeck.envs import raw_env

REST = "2d 4h 6s 8d Th"  # cards that are no part of any pattern below


# --- from card to card ---


@pytest.mark.rule("ER-01")
def test_a_card_is_declared_then_slapped_then_takes_its_course() -> None:
    env = arranged(["SJ 9c", "2h 3h 4h 5h", "9s 8s"])
    env.step(PLAY)
    assert stack(env) == "SJ"
    assert env.current_player == 0
    assert len(declarations(env)) == 13
    play(env, "declare K")
    assert is_open(env)
    assert debt(env) is None  # the King has not demanded anything yet
    let_lie(env)
    assert stack(env) == "SJ 2h"
    assert debt(env) == (1, 3, 0)


@pytest.mark.rule("ER-01", "ER-35")
def test_specials_act_when_the_window_is_closed() -> None:
    env = arranged(["Sk-c 9c", "2h 3h", "4h 5h"])
    env.step(PLAY)
    assert is_open(env)
    assert field(env, "skip")[:3] == [0, 0, 0]
    let_lie(env)
    assert stack(env) == "Sk-c 4h"


@pytest.mark.rule("ER-02")
def test_a_window_after_each_card_of_a_payment() -> None:
    env = arranged(["Kc 9c", "2h 3h 4h 5h", "6h 7h"])
    for text in ("Kc", "2h", "3h", "4h"):
        play(env, text)
        assert sorted(who_is_asked(env)) == [0, 1, 2]
    assert packs(env)[0] == "9c"  # after the last card too the stack still lies there
    assert debt(env) == (1, 1, 0)
    let_lie(env)
    assert stack(env) == "9c"
    assert packs(env)[0] == "Kc 2h 3h 4h"


@pytest.mark.rule("ER-02")
def test_waiting_specials_come_with_windows_too() -> None:
    env = arranged(["Qc 9c", "Sk-c 3h 4h", "6h 7h"])
    play(env, "Qc", "Sk-c")
    assert is_open(env)
    assert field(env, "queue") == 0
    play(env, "3h")
    assert field(env, "queue") == 3  # the Skip waits
    let_lie(env)
    assert stack(env) == "4h"  # 0 has taken the stack and is skipped: 1 leads


@pytest.mark.rule("ER-03")
def test_a_game_that_goes_round_is_not_stopped() -> None:
    """The endless deal of Beggar My Neighbor (its example 1), with nothing to slap, goes on to the last play."""
    first, second = "---K---Q-KQAJ-----AAJ--J--", "----------Q----KQ-J-----KA"
    left = {"A": [48, 49, 50, 51], "K": [44, 45, 46, 47], "Q": [40, 41, 42, 43], "J": [36, 37, 38, 39], "-": list(range(36))}
    deck = [left[kind].pop() for pair in zip(first, second, strict=True) for kind in pair]
    env = raw_env(GAME, num_players=2, deck="standard", ask="valid", **OFF, stalemate="draw", max_plays=1500)
    env.reset(seed=1, options={"deck": deck})
    assert (field(env, "plays"), labels(env)) == (1499, ["play"])
    env.step(PLAY)
    assert returns(env) == [0, 0]


# --- who is asked ---


@pytest.mark.rule("ER-10")
def test_all_are_asked_once_the_player_of_the_card_too() -> None:
    env = arranged(["2c 9c", "3h 4h", "", "5h 6h"])
    env.step(PLAY)
    assert sorted(who_is_asked(env)) == [0, 1, 2, 3]
    env = arranged(["2c 9c", "3h 4h", "", "5h 6h"], slap_in=False)
    env.step(PLAY)
    assert sorted(who_is_asked(env)) == [0, 1, 3]
    env = arranged(["2c", "3h 4h", "7h", "5h 6h"], slap_in=False)
    env.step(PLAY)
    assert sorted(who_is_asked(env)) == [1, 2, 3]  # 0 has no card left


@pytest.mark.rule("ER-10")
def test_a_window_with_nobody_to_ask_is_closed() -> None:
    env = arranged(["2c 9c", "3h 4h", "5h 6h"], empty_wrong="out", banned=0b111)
    env.step(PLAY)
    assert not is_open(env)
    assert field(env, "plays") > 3
    env = arranged(["2c 9c", "3h 4h", "5h 6h"], empty_wrong="out", banned=0b101)
    env.step(PLAY)
    assert who_is_asked(env) == [1]
    env = arranged(["2c 9c", "3h 4h", "5h 6h"], muted=0b110, stack="Tc")
    env.step(PLAY)
    assert who_is_asked(env) == [0]


@pytest.mark.rule("ER-11")
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_example_1_the_first_right_slap_takes_the_stack(seat: int) -> None:
    env = arranged(["9h 2c Tc", "3h 4h", "5h 6h"], "9c")
    env.step(PLAY)
    other = (seat + 2) % 3
    env.record["asked"], env.record["current_player"] = 1 << other, other
    see_anew(env)
    env.step(WAIT)
    top, *others = pack(env, seat)
    slap(env, seat)
    assert stack(env) == top  # they lead, and the third player was not asked
    assert pack(env, seat) == [*others, "9c", "9h"]


# --- right slaps ---


@pytest.mark.rule("ER-14")
def test_example_3_a_slap_ends_a_debt() -> None:
    env = arranged(["As 9c", "5c 5d 6h", "2h 3h"])
    play(env, "As", "5c", "5d")
    assert debt(env) == (1, 3, 0)
    slap(env, 1)
    assert debt(env) is None
    assert stack(env) == "6h"  # 1 leads
    assert packs(env) == ["9c", "As 5c 5d", "2h 3h"]


@pytest.mark.rule("ER-02", "ER-14")
def test_example_4_nobody_slaps() -> None:
    env = arranged(["Qs 9c", "3c 7d 6h", "2h 3h"])
    play(env, "Qs", "3c", "7d")
    let_lie(env)
    assert stack(env) == "9c"
    assert packs(env)[0] == "Qs 3c 7d"


@pytest.mark.rule("ER-14", "ER-35")
def test_a_slap_ends_what_waits_and_what_is_pending() -> None:
    env = arranged(["Ac 9c", "Sk-c 5d 5h 6h", "2h 3h", "4h 7h"], pile="Tc Td", draw=[0, 0, 2, 0, 0, 0], skip=[0, 0, 0, 1, 0, 0])
    play(env, "Ac", "Sk-c", "5d", "5h")
    assert (field(env, "queue"), field(env, "draw")[2], field(env, "skip")[3]) == (3, 2, 1)
    slap(env, 0)
    assert (field(env, "queue"), field(env, "draw"), field(env, "skip")) == (0, [0] * 6, [0] * 6)
    assert stack(env) == "9c"
    play(env, "6h", "2h", "4h")


@pytest.mark.rule("ER-14", "ER-35")
def test_example_9_a_slap_on_two_skips() -> None:
    env = arranged(["Sk-c 9c", "3h 4h", "Sk-d 5h"])
    play(env, "Sk-c", "Sk-d")
    other = env.clone()
    slap(env, 2)
    assert stack(env) == "5h"  # 2 leads
    assert packs(env)[2] == "Sk-c Sk-d"
    play(env, "9c")  # 0 is not skipped
    let_lie(other)
    assert stack(other) == "Sk-c Sk-d 3h"  # 0 is


@pytest.mark.rule("ER-14")
def test_the_direction_stays() -> None:
    env = arranged(["2c 9c", "3h 4h", "2d 5h", "8h 7h"], direction=-1)
    play(env, "2c", "8h", "2d")
    slap(env, 2)
    let_lie(env)
    assert stack(env) == "5h 3h"


# --- wrong slaps ---


@pytest.mark.rule("ER-15")
def test_example_7_a_wrong_slap_costs_a_card() -> None:
    env = arranged(["7c 9c", "Sk-c 4h 5h 6h 8h 2h", "3h 2d"])
    env.step(PLAY)
    slap(env, 1)
    assert packs(env)[1] == "4h 5h 6h 8h 2h"
    assert (zone(env, "burned"), stack(env)) == (["Sk-c"], "7c")
    let_lie(env)
    assert stack(env) == "7c 4h"  # a burned Skip skips nobody
    let_lie(env)
    assert stack(env) == "7c 4h 3h"


@pytest.mark.rule("ER-15")
@pytest.mark.parametrize(("burn", "left"), [(1, "3h"), (2, ""), (3, "")])
def test_so_many_cards_as_there_are(burn: int, left: str) -> None:
    env = window(["9c 9d", "2h 3h", "5h 6h"], "7c", burn=burn)
    env.step(SLAP)
    assert packs(env)[1] == left
    assert zone(env, "burned") == ["2h", "3h"][: min(burn, 2)]
    assert field(env, "muted") == 0
    assert is_open(env)  # the window goes on
    assert env.current_player != 1
    assert 1 not in who_is_asked(env)


@pytest.mark.rule("ER-15")
def test_example_15_burned_cards_are_not_played() -> None:
    env = arranged(["7c 7s 2h 9c", "7d SJ Tc", "7h 6c"], top_bottom=True)
    env.step(PLAY)
    slap(env, 0)
    assert zone(env, "burned") == ["7s"]
    play(env, "7d", "7h", "2h", "SJ")
    assert "7" in declarations(env)  # only three of them were played
    play(env, "declare 7")
    slap(env, 1)
    assert packs(env)[1] == "7s 7c 7d 7h 2h SJ"  # right, for 7c is the first card; they lead Tc


@pytest.mark.rule("ER-15")
def test_burned_cards_make_no_patterns() -> None:
    env = window(["9c 9d", "2h 3h", "5h 6h"], "7c", burned="7d 7h", **ON)
    env.step(SLAP)
    assert zone(env, "burned") == ["7d", "7h", "2h"]


@pytest.mark.rule("ER-15", "ER-18")
def test_example_8_burned_cards_are_taken_first_the_last_one_first() -> None:
    env = arranged(["4d 9c", "Tc 3h", "Td 6h"], "4c", owner=2, owed=4)
    env.record["doubles"] = 0
    env.step(PLAY)
    slap(env, 1)
    slap(env, 2)
    assert zone(env, "burned") == ["Tc", "Td"]
    env.record["doubles"] = 1
    slap(env, 0)
    assert packs(env)[0] == "Td Tc 4c 4d"
    assert stack(env) == "9c"


@pytest.mark.rule("ER-18")
def test_an_owner_takes_burned_cards_too() -> None:
    env = arranged(["Jc 9c", "4d 6h", "Td 3h"])
    play(env, "Jc", "4d")
    slap(env, 2)
    let_lie(env)
    assert packs(env)[0] == "Td Jc 4d"
    assert (stack(env), field(env, "burned")) == ("9c", 0)


@pytest.mark.rule("ER-16")
@pytest.mark.parametrize("empty_wrong", ["out", "mute", "none"])
def test_example_12_a_wrong_slap_without_cards(empty_wrong: str) -> None:
    env = window(["9c 8c 7s", "", "5h 6h Jd"], "7c", empty_wrong=empty_wrong)
    env.step(SLAP)
    assert zone(env, "burned") == []
    for card in ("5h", "9c", "6h", "8c"):
        play(env, card)
        assert (1 in who_is_asked(env)) == (empty_wrong == "none")
    assert [field(env, name) for name in ("banned", "muted")] == [2 * (empty_wrong == name) for name in ("out", "mute")]


@pytest.mark.rule("ER-16")
@pytest.mark.parametrize("empty_wrong", ["out", "mute"])
@pytest.mark.parametrize("how", ["slap", "debt"])
def test_until_the_stack_is_taken_by_anyone(empty_wrong: str, how: str) -> None:
    env = window(["Qc 8c 7s", "", "5h 5d 4d"], "7c", empty_wrong=empty_wrong, turn=2)
    env.step(SLAP)
    play(env, "Qc", "5h", "5d")
    assert 1 not in who_is_asked(env)
    if how == "slap":
        slap(env, 2)
    else:
        let_lie(env)
    assert len(zone(env, "stack")) == 1  # the next lead
    assert (1 in who_is_asked(env)) == (empty_wrong == "mute")


@pytest.mark.rule("ER-16")
def test_example_14_who_is_out_may_still_win_their_debt() -> None:
    env = arranged(["Jd", "4s 5s", "6s 8s"], empty_wrong="out")
    env.step(PLAY)
    slap(env, 0)
    assert field(env, "banned") == 1
    play(env, "4s")
    let_lie(env)
    assert stack(env) == "Jd"  # they have taken Jd and 4s, and lead
    assert packs(env)[0] == "4s"
    assert sorted(who_is_asked(env)) == [1, 2]


@pytest.mark.rule("ER-16")
def test_who_has_cards_is_not_out() -> None:
    env = window(["9c 8c", "2c", "5h 6h"], "7c", empty_wrong="out")
    env.step(SLAP)
    assert field(env, "banned") == 0


# --- after which cards ---


@pytest.mark.rule("ER-17")
@pytest.mark.parametrize(
    ("lies", "card", "asks"),
    [
        ("", "7d", "a"),
        ("4c", "7d", "a"),
        ("7c", "7d", "apv"),
        ("7c 2c", "7d", "apv"),
        ("8c", "2d", "ap"),
        ("8c 5c", "2d", "ap"),
        ("7c 2c 4c", "7d", "ap"),
        ("Kc", "Qd", "ap"),
        ("7c 8d", "9d", "ap"),
        ("7c 8d Td", "9d", "a"),
    ],
)
@pytest.mark.parametrize("ask", ["all", "patterns", "valid"])
def test_windows_open(lies: str, card: str, asks: str, ask: str) -> None:
    """After which cards, doubles and sandwiches being right."""
    env = arranged([f"{card} 9c Js", "4h 6h", "Th 5h"], lies, ask=ask)
    env.step(PLAY)
    assert ((zone(env, "stack") or [""])[-1] == card and is_open(env)) == (ask[0] in asks)


@pytest.mark.rule("ER-17")
@pytest.mark.parametrize(
    ("runs", "lies", "opens"), [(0, "7c 8d", True), (3, "7c 8d", True), (4, "7c 8d", False), (4, "6c 7c 8d", True)]
)
def test_runs_of_three_are_looked_for_where_no_length_is_said(runs: int, lies: str, opens: bool) -> None:
    env = arranged(["9d Ac Js", "4h 6h", "Th 5h"], lies, ask="patterns", runs=runs)
    env.step(PLAY)
    assert (stack(env) == f"{lies} 9d") == opens


@pytest.mark.rule("ER-17", "ER-26")
def test_a_joker_opens_a_window_whatever_it_is() -> None:
    for ask, joker_slap, opens in (("patterns", False, True), ("valid", False, False), ("valid", True, True)):
        env = arranged(["SJ Ac Js", "4h 6h", "Th 5h"], ask=ask, joker_slap=joker_slap)
        env.step(PLAY)
        play(env, "declare 9")
        assert (stack(env) == "SJ") == opens


# --- packs without cards, the end ---


@pytest.mark.rule("ER-30")
def test_who_has_no_cards_comes_back_by_a_slap() -> None:
    env = arranged(["7c 9c", "", "7d 8d"])
    play(env, "7c", "7d")  # 1 has no turn
    slap(env, 1)
    assert stack(env) == "7c"
    assert packs(env)[1] == "7d"


@pytest.mark.rule("ER-30")
def test_or_as_the_owner_of_a_debt() -> None:
    env = arranged(["7c 9c", "Jc", "5d 8d"])
    play(env, "7c", "Jc", "5d")
    let_lie(env)
    assert stack(env) == "7c"
    assert packs(env) == ["9c", "Jc 5d", "8d"]


@pytest.mark.rule("ER-31")
def test_example_11_the_window_comes_before_the_end() -> None:
    env = arranged(["8d", "4s 5s"], "8c")
    env.step(PLAY)
    other = env.clone()
    let_lie(env)
    assert returns(env) == [-1, 1]
    slap(other, 0)
    assert other.legal_actions()
    assert stack(other) == "8c"  # 0 leads
    assert packs(other)[0] == "8d"


@pytest.mark.rule("ER-31")
def test_a_right_slap_may_win_the_game() -> None:
    env = arranged(["8d", "4s", ""], "8c")
    env.step(PLAY)
    env.record["pack_size"][0][1] = 0
    slap(env, 2)
    assert returns(env) == [-0.5, -0.5, 1]
    env = arranged(["Ac 9c", "5c 5d", ""])
    play(env, "Ac", "5c", "5d")
    slap(env, 0)
    assert returns(env) == [1, -0.5, -0.5]  # the debt is gone, and 1 has no card


@pytest.mark.rule("ER-32")
def test_nobody_has_cards() -> None:
    env = arranged(["", "8d", ""], "2c", turn=1)
    env.step(PLAY)
    let_lie(env)
    assert returns(env) == [-0.5, 1, -0.5]
    env = arranged(["", "Jd", ""], "2c", turn=1)
    env.step(PLAY)
    let_lie(env)
    assert returns(env) == [-0.5, 1, -0.5]
    env = arranged(["", "8d", ""], "2c", turn=1, owner=2, owed=3)
    env.step(PLAY)
    let_lie(env)
    assert returns(env) == [-0.5, -0.5, 1]


@pytest.mark.rule("ER-33")
def test_who_burned_their_last_card_is_passed_over() -> None:
    env = arranged(["7c 9c", "2h", "5h 6h"])
    env.step(PLAY)
    slap(env, 1)
    let_lie(env)
    assert stack(env) == "7c 5h"
    env = arranged(["Jc 9c", "2h", "5h 6h"])
    env.step(PLAY)
    slap(env, 1)
    let_lie(env)
    assert stack(env) == "Jc 5h"
    assert debt(env) == (2, 1, 0)


@pytest.mark.rule("ER-33")
@pytest.mark.parametrize("payer_out", ["win", "next"])
def test_example_16_a_payer_burns_their_last_card(payer_out: str) -> None:
    env = arranged(["Kc 9c", "4d 5d", "2h 3h 6h"], payer_out=payer_out)
    play(env, "Kc", "4d")
    slap(env, 1)
    let_lie(env)
    if payer_out == "win":
        assert stack(env) == "9c"
        assert packs(env)[0] == "5d Kc 4d"
    else:
        assert stack(env) == "Kc 4d 2h"
        assert debt(env) == (2, 2, 0)


@pytest.mark.rule("ER-34")
def test_the_window_of_the_last_card() -> None:
    env = arranged(["7c 9c", "7d 3h", "5h"], max_plays=2)
    play(env, "7c", "7d")
    assert is_open(env)
    other = env.clone()
    let_lie(env)
    assert returns(env) == [0, 0, 0]
    slap(other, 2)
    assert returns(other) == [-0.5, -0.5, 1]  # three cards are the largest pack
    env = arranged(["7c 9c", "7d 3h", "5h"], max_plays=2, stalemate="draw")
    play(env, "7c", "7d")
    slap(env, 2)
    assert returns(env) == [0, 0, 0]


@pytest.mark.rule("ER-35")
def test_drawn_cards_are_placed() -> None:
    env = arranged(["Dr-c 9c", "2c 3c", "4h 5h"], pile="4c 5c")
    env.step(PLAY)
    let_lie(env)
    assert labels(env) == ["place on top", "place under 1", "place under 2"]
    play(env, "place on top", "place under 3")
    assert stack(env) == "Dr-c 4c"
    assert packs(env)[1] == "2c 3c 5c"


# --- steps ---


@pytest.mark.rule("ER-40")
def test_plays_are_made_without_asking() -> None:
    env = arranged(["2c 7d 9c", "4h 7h 8h", "6s Th 5h"], ask="valid")
    env.step(PLAY)
    assert stack(env) == "2c 4h 6s 7d 7h"
    assert is_open(env)
    let_lie(env)
    assert returns(env) == [-0.5, -0.5, 1]  # Th, 9c, 8h: only 2 has a card left


@pytest.mark.rule("ER-40")
@pytest.mark.parametrize("seed", range(3))
def test_a_game_without_decisions_is_one_step(seed: int) -> None:
    env = raw_env(GAME, deck="standard", ask="valid", **OFF)
    env.reset(seed=seed)
    assert labels(env) == ["play"]
    env.step(PLAY)
    assert len(returns(env)) == 3


@pytest.mark.rule("ER-40")
def test_the_most_steps() -> None:
    game = raw_env(GAME).game
    assert game.max_length(game.make_options({"max_plays": 30, "num_players": 2})) == 104
    assert game.max_length(game.make_options({"num_players": 6})) == 21014


def test_bad_options() -> None:
    wrong: list[tuple[str, Any]] = [("runs", 2), ("burn", 0), ("burn", 4), ("ask", "some"), ("empty_wrong", "all")]
    for name, value in [*wrong, ("weights", (1, 2)), ("weights", (1, 2, 0)), ("reaction", "fair"), ("num_players", 7)]:
        with pytest.raises(ValueError, match="is not allowed; allowed: "):
            raw_env(GAME, **{name: value})
