"""The worked examples of poker that are hands; those of single strengths stand with the comparator."""

from __future__ import annotations

import pytest
from games.poker_positions import field, labels, levels, of_seats, order, pass_on, play, seats, table, won, zone
from wilddeck.envs.core.aec import CardGameEnv

JUNK = ["2c 7d", "3c 8s", "4c 9d", "Qc Td"]


@pytest.mark.rule("PK-30", "PK-31")
def test_two_players_use_one_joker_each_for_the_same_card() -> None:
    """Example 4: both have a royal flush, and the pot is split."""
    env = table(["Jk 2c", "Jk 2d"], "As Ks Qs Js 3h", button=1)
    play(env, "1 call; 0 check; 0 bet 4; 1 call; 0,1 check; 0,1 check")
    assert zone(env, "community") == "As Ks Qs Js 3h"
    assert won(env) == [0, 0]


def skipped(course: str = "") -> CardGameEnv:
    """Examples 5 and 6: seat 1 holds a Skip, and the best cards."""
    env = table(["Kc 7d", "Sk-h Ah", "Qc 8d"], "Ad As 2h 3c 9c Jd", raise_sizes=(0.8, 1.08))
    play(env, "0 raise to 6; 1 reveal Sk-h")
    return env


@pytest.mark.rule("PK-34", "PK-41")
def test_a_skip_calls_without_chips() -> None:
    """Example 5."""
    env = skipped()
    assert env.current_player == 2
    assert seats(env, "by_skip") == [1]
    play(env, "2 call")
    assert (of_seats(env, "paid"), levels(env)) == ([6, 1, 6], [6, 6, 6])
    assert env.describe().splitlines()[0].endswith("flop; pot 13")
    for _ in range(3):
        play(env, "1,2,0 check")
    assert won(env) == [-6, 12, -6]
    assert list(env.rewards.values()) == [-3, 6, -3]


@pytest.mark.rule("PK-13", "PK-42")
def test_a_raise_undoes_a_skip() -> None:
    """Example 6."""
    env = skipped()
    play(env, "2 raise to 20; 0 fold")
    assert env.current_player == 1
    assert "call 19" in labels(env)
    play(env, "1 fold")
    assert won(env) == [-6, -1, 7]


@pytest.mark.rule("PK-34", "PK-23", "PK-07")
def test_a_short_stack_is_skipped_for_what_it_could_call() -> None:
    """Example 7."""
    env = table(["Kc 7d", "Sk-h Ah", "Qc 8d"], "Ad As 2h 3c 9c Jd", stack=(200, 5, 200), raise_sizes=(3.6,))
    play(env, "0 raise to 20; 1 reveal Sk-h; 2 call")
    assert levels(env) == [20, 5, 20]
    play(env, "1 bet 4")  # a full bet, of all their chips
    assert field(env, "raise_size") == 4
    play(env, "2,0 call 4")
    assert (of_seats(env, "paid"), levels(env)) == ([24, 5, 24], [24, 9, 24])
    play(env, "2,0 check; 2,0 check")
    assert won(env) == [6, 18, -24]  # 23 to seat 1, and 30 to the kings of seat 0


FLOPS = {
    # common cards and those that replace them -> the board, who checks without a turn, the order of the street
    "Rv-c Dr-h 8d 2h Kc 4s": ("2h Kc 4s 8d", [], [3, 2, 1, 0], -1),
    "Sk-h Rv-c 8d 5c Jd": ("5c Jd 8d", [0], [3, 2, 1], -1),
    "Rv-c Sk-h 8d 5c Jd": ("5c Jd 8d", [3], [2, 1, 0], -1),
}


@pytest.mark.rule("PK-40", "PK-50", "PK-51", "PK-52", "PK-04")
@pytest.mark.parametrize("dealt", FLOPS)
def test_specials_on_the_flop(dealt: str) -> None:
    """Example 8; which card replaces which changes nothing."""
    board, checked, turns, direction = FLOPS[dealt]
    env = table(JUNK, dealt, button=3, deck="extended")
    play(env, "2,3,0 call; 1 check")
    assert sorted(zone(env, "community").split()) == sorted(board.split())
    assert field(env, "direction") == direction
    assert seats(env, "by_skip") == checked
    if dealt.startswith("Rv"):
        assert seats(env, "paused") == [0]
    assert order(env) == turns
    assert order(env) == [3, 2, 1, 0]  # the turn card is plain: the button opens, in the new order


@pytest.mark.rule("PK-52", "PK-53")
def test_who_was_skipped_on_the_flop_has_a_turn_when_somebody_bets() -> None:
    """Example 8: 3, 2 and 1; 2 bets: then 1, 0 and 3."""
    env = table(JUNK, "Sk-h Rv-c 8d 5c Jd", button=3)
    play(env, "2,3,0 call; 1 check; 3 check; 2 bet 2")
    assert order(env) == [1, 0, 3]


def river(n: int, hands: list[str], button: int, opening: str) -> CardGameEnv:
    env = table(hands, "2s 3s 4s 5s 6d", button=button, betting="limit")
    play(env, opening)
    everybody = ",".join(str((button + 1 + k) % n) for k in range(n))
    play(env, f"{everybody} check; {everybody} check")
    return env


@pytest.mark.rule("PK-39")
def test_a_reverse_on_the_river() -> None:
    """Example 9."""
    env = river(4, ["Ac Kc", "Rv-d Qc", "9c Tc", "7c 8c"], 3, "2,3,0 call; 1 check")
    play(env, "0 check; 1 reveal Rv-d")
    assert (env.current_player, field(env, "direction"), seats(env, "paused")) == (3, -1, [1])
    play(env, "3 bet 4; 2 fold")
    assert env.current_player == 1
    assert seats(env, "paused") == []
    assert "call 4" in labels(env)
    play(env, "1 call; 0 call")
    assert not env.legal_actions()


@pytest.mark.rule("PK-39")
def test_heads_up_a_reverse_resumes_at_once() -> None:
    """Example 9."""
    env = river(2, ["Ac Kc", "Rv-d Qc"], 1, "1 call; 0 check")
    play(env, "0 check; 1 reveal Rv-d")
    assert (env.current_player, field(env, "direction")) == (1, -1)
    play(env, "1 bet 4; 0 call")
    assert not env.legal_actions()


@pytest.mark.rule("PK-54")
@pytest.mark.parametrize(
    ("hand", "following", "final"),
    [("Dr-h Ac", "Ad Kd", "Kd Ac Ad"), ("Rv-s Ac", "Dr-c 9h 9d", "9d 9h Ac")],
)
def test_specials_at_the_showdown(hand: str, following: str, final: str) -> None:
    """Example 10: quads of aces, and aces over nines; the other has a full house of sevens."""
    env = table([hand, "7d 7h"], f"As Ah 7c 2d 9s {following}", button=1)
    play(env, "1 call; 0 check; 0,1 check; 0,1 check; 0,1 check")
    assert sorted(zone(env, "hand/0").split()) == sorted(final.split())
    assert zone(env, "hand/0", viewer=1) == zone(env, "hand/0")
    assert won(env) == [2, -2]


@pytest.mark.rule("PK-20", "PK-32", "PK-37", "PK-45")
def test_stud_with_a_special_up_card() -> None:
    """Example 11."""
    hands = ["2c 2d Sk-c", "3c 3d 7d", "4c 4d 7c", "5c 5d Jk"]
    env = table(hands, "Qh", button=3, variant="seven_card_stud")
    assert (env.current_player, of_seats(env, "bet")) == (2, [0, 0, 1, 0])
    assert zone(env, "up/0") == "Sk-c"  # the bring-in is posted before any reveal
    play(env, "2 check; 3 call 1")
    assert zone(env, "up/0") == "Qh"
    assert (env.current_player, seats(env, "by_skip")) == (1, [0])
    play(env, "1 raise to 2")
    assert "call 1" in labels(env)
    assert order(env) == [2, 3, 0]
    assert of_seats(env, "paid") == [3, 3, 3, 3]


CHICAGO = {
    "Ks 4d 9c": [1],
    "As 4d 9c": [0, 1],
}


@pytest.mark.rule("PK-21", "PK-33")
@pytest.mark.parametrize("first", CHICAGO)
def test_the_spade_half_of_chicago(first: str) -> None:
    """Example 12: cards in the order of the deal: two down, four up, one down."""
    downs = [first.split(), ["Jk", "2c", "2d"], ["Sk-s", "5h", "5d"]]
    ups = [["6c", "8d", "Tc", "Qd"], ["7c", "9d", "Jc", "Kd"], ["6d", "8c", "Td", "Qc"]]
    hands = [" ".join([*down[:2], *up, down[2]]) for down, up in zip(downs, ups, strict=True)]
    env = table(hands, "3s", button=2, variant="chicago", ante=2)
    while env.legal_actions():
        pass_on(env)
    assert zone(env, "hand/2").split() == ["3s", "5d", "5h"]
    pot = 3 * 3  # antes and the bring-in
    halves = [0, 0, 0]
    best = 1  # three twos with the Joker
    halves[best] += pot - pot // 2
    holders = CHICAGO[first]
    for seat in holders:
        halves[seat] += pot // 2 // len(holders)
    assert won(env) == [half - 3 for half in halves]


@pytest.mark.rule("PK-16", "PK-44", "PK-24")
def test_specials_in_the_draw() -> None:
    """Example 13."""
    hands = ["Rv-h Dr-s 2c 3c 4c", "5c 6c 7c 8c 9d", "5d 6d 7d 8d 9c"]
    env = table(hands, "Kc Kd Kh As Ah Ad", button=2, variant="five_card_draw")
    play(env, "2,0 call; 1 check; 0 reveal Rv-h; 0 reveal Dr-s")
    assert sorted(zone(env, "hand/0").split()) == sorted(["2c", "3c", "4c", "Kc", "Kd", "Kh"])
    assert (env.current_player, field(env, "direction"), seats(env, "paused")) == (2, -1, [0])
    play(env, "2,1 stand pat; 0 discard 2c; 0 discard 3c; 0 discard 4c; 0 draw 3")
    assert sorted(zone(env, "hand/0").split()) == sorted(["Kc", "Kd", "Kh", "As", "Ah", "Ad"])
    assert of_seats(env, "exchanged") == [3, 0, 0]
    assert order(env) == [2, 1, 0]


@pytest.mark.rule("PK-23", "PK-24")
def test_side_pots() -> None:
    """Example 14: A, B, C, D have 50, 100, 200 and 200; C and D tie for the best hand."""
    hands = ["2c 3d", "4c 5d", "Ac Kd", "Ad Kc"]
    env = table(hands, "Qs Jh 9s 8c 7h", stack=(50, 100, 200, 200), button=3, raise_sizes=())
    play(env, "2 raise to 200; 3 call; 0 call; 1 call")
    assert won(env) == [-50, -100, 75, 75]
