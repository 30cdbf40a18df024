"""The worked examples of the page on rummy."""

from __future__ import annotations

import pytest
from games.rummy_positions import arranged, field, hand, labels, melds, named, payoffs, play, sizes
from games.test_rummy_gin import gin, knocked
from wilddeck.envs.games.rummy.melds import BASIC_LOW, CONTRACT
from wilddeck.envs.games.rummy.state import DEFENCE_MELDS


@pytest.mark.rule("RM-37")
@pytest.mark.parametrize("reach", ["two", "full"])
def test_2_reach_of_lay_offs(reach: str) -> None:
    env = knocked(["Kd", "6h 7h 8h 2s"], ("run 3h 4h 5h",), layoff_reach=reach)
    play(env, "lay off on meld 0", "lay off on meld 0")
    assert hand(env, 1) == "2s 8h"
    assert ("lay off on meld 0" in labels(env)) == (reach == "full")


@pytest.mark.rule("RM-62")
@pytest.mark.parametrize(("held", "points"), [("SJ SJ BJ BJ 2c", 11), ("Jk Dr-h Kc", 22), ("Jk 2c 2c", 6)])
def test_3_jokers_at_the_end_of_a_deal(held: str, points: int) -> None:
    env = arranged(["8c", held, "3d"], variant="contract", deals=1, num_deals=1, first_deal=7)
    play(env, "8c")
    assert field(env, "total")[1] == points


@pytest.mark.rule("RM-62", "RM-60")
@pytest.mark.parametrize("held", ["Jk Ac 4d", "SJ BJ 4d"])
def test_4_jokers_in_gin(held: str) -> None:
    """Where an ace counts 1 a Joker is an ace."""
    env = knocked(["2d", held], ("group 9c 9h 9s",), deck="extended", phase=DEFENCE_MELDS)
    play(env, "pass")
    assert payoffs(env) == [6 - 2, 2 - 6]


@pytest.mark.rule("RM-18", "RM-20")
def test_5_a_run_grows() -> None:
    env = arranged(["7h 9h 3h BJ 2c", "9d"], melds=("run 5h 6h SJ",))
    play(env, "lay off on meld 0")
    assert "7h" in named(env)
    play(env, "7h", "lay off on meld 0", "9h", "lay off on meld 0")
    assert hand(env, 0) == "2c 3h"  # the Joker alone fitted
    env = arranged(["3h BJ 2c", "9d"], melds=("run 5h 6h 7h 9h SJ",))
    play(env, "lay off on meld 0")
    assert hand(env, 0) == "2c 3h"


@pytest.mark.rule("RM-19", "RM-20")
def test_6_a_group_grows() -> None:
    env = arranged(["7h 7s 2c", "9d"], melds=("group 7c 7d Jk",))
    play(env, "lay off on meld 0", "7h")
    assert "lay off on meld 0" not in labels(env)
    env = arranged(["Sk-s Jk 2c", "9d"], melds=("group Sk-c Sk-d Sk-h",))
    play(env, "lay off on meld 0")
    assert hand(env, 0) == "2c Jk"


@pytest.mark.rule("RM-51", "RM-23")
def test_7_a_reverse_is_discarded() -> None:
    env = arranged(["Rv-c 2h", "9d Tc", "4c 5c", "4d 5d"])
    play(env, "Rv-c")
    for seat in (3, 2, 1, 0):
        assert env.current_player == seat
        play(env, "draw")
        env.step(env.legal_actions()[0])
    env = arranged(["Rv-c 2h", "9d Tc"])
    play(env, "Rv-c")
    assert (env.current_player, labels(env)) == (0, {"draw"})


@pytest.mark.rule("RM-53")
def test_8_draws_melded_and_a_skip_discarded() -> None:
    held = ["Dr-c Dr-d Dr-h Sk-c 2h", "9d Tc", "4c 5c", "4d 5d"]
    env = arranged(held)
    play(env, "meld", "Sk-c")
    assert (sizes(env)[1], env.current_player) == (8, 2)
    env = arranged(held, meld_effects="discard_only")
    play(env, "meld", "Sk-c")
    assert (sizes(env)[1], env.current_player) == (2, 2)


@pytest.mark.rule("RM-53")
@pytest.mark.parametrize(("players", "following"), [(3, 1), (4, 0)])
def test_9_skips_melded(players: int, following: int) -> None:
    env = arranged(["Sk-c Sk-d Sk-h 9c 2h", *["9d Tc", "4c 5c", "4d 5d"][: players - 1]])
    play(env, "meld", "9c")
    assert env.current_player == following


@pytest.mark.rule("RM-57")
def test_10_reverse_and_skip_revealed() -> None:
    env = arranged(["4c 5c", "Rv-d Sk-h 9d", "4d 5d"], turn=1)
    play(env, "reveal Rv-d", "reveal Sk-h")
    assert (sizes(env)[1], field(env, "direction"), env.current_player) == (3, -1, 0)


@pytest.mark.rule("RM-56")
def test_11_a_reverse_revealed() -> None:
    env = arranged(["4c 5c", "Rv-d 9d Tc", "4d 5d"], turn=1)
    play(env, "reveal Rv-d")
    for seat in (0, 2):
        assert env.current_player == seat
        play(env, "draw")
        env.step(env.legal_actions()[0])
    assert env.current_player == 1
    assert "draw" not in labels(env)
    play(env, "9d")
    assert env.current_player == 0


@pytest.mark.rule("RM-29")
def test_12_a_blocked_deal() -> None:
    env = arranged(["9h 3d 2c", "5c", "5d"], only=True, recycled=1, discards="3c")
    play(env, "2c")
    assert payoffs(env) == [-7, 3.5, 3.5]


@pytest.mark.rule("RM-11", "RM-12")
def test_13_an_ace_is_low() -> None:
    assert not melds("run", "Qh Kh Ah", BASIC_LOW)
    assert melds("run", "Ah 2h Jk", BASIC_LOW)
    assert melds("run", "Kh Qh Jk", BASIC_LOW)


@pytest.mark.rule("RM-10", "RM-13", "RM-43")
def test_14_groups_of_two_decks() -> None:
    env = arranged(["7h 7h 7c 9c 9d Jk 2s", "3c", "3d"], variant="contract", first_deal=1)
    assert "meld" in labels(env)
    assert melds("group", "Dr-c Dr-c Dr-h", CONTRACT)
    assert not melds("group", "7h 7h 7c 7d 7s", CONTRACT)


@pytest.mark.rule("RM-32")
def test_15_a_knock_that_openspiel_misses() -> None:
    env = gin(["Ah 2h 3c 3d 3h 4c 4d 4h 5c 5d 5s", "9c Tc"], discards="Ks", knock=0)
    play(env, "knock")
    assert labels(env) == {"5s"}


@pytest.mark.rule("RM-17", "RM-18", "RM-20")
def test_16_an_ace_at_either_end() -> None:
    for first, others in (("Kh", {"2h"}), ("2h", {"Kh"})):
        env = arranged(["Kh 2h 9c", "9d"], melds=("run Ah SJ BJ",), ace="both")
        play(env, "lay off on meld 0")
        assert named(env) == {"Kh", "2h"}
        play(env, first)
        assert "lay off on meld 0" not in labels(env)
        assert others <= named(env)
    env = arranged(["9h 4h 2c", "9d"], melds=("run Qh Kh Ah SJ BJ",), ace="both")
    play(env, "lay off on meld 0")
    assert hand(env, 0) == "2c 4h"


@pytest.mark.rule("RM-47")
def test_17_a_card_is_bought() -> None:
    hands = ["2c 3d 4h 5s 7c 8d 9h Ts Qc Kd", "2d 3h 4s 5c 7d 8h 9s Tc Qd Kh"]
    hands += ["2h 3s 4c 5d 7h 8s 9d Td Qh Ks", "2s 3c 4d 5h 7s 8c 9d Th Qs Kc"]
    env = arranged(hands, variant="contract", discards="9c", drawn=False)
    play(env, "draw", "pass", "buy the discard")
    assert sizes(env) == [11, 10, 12, 10]
    assert env.current_player == 0
    play(env, "2c", "draw")
    assert env.current_player == 2
    play(env, "pass")
    assert env.current_player == 3
    play(env, "pass")
    assert env.current_player == 1


@pytest.mark.rule("RM-53", "RM-56")
def test_18_a_skip_ends_a_paused_turn_and_its_queue_acts() -> None:
    env = arranged(["Dr-c Dr-d Dr-h Rv-s 2h 3h", "Sk-c Tc", "4d 5d"], stock="9c 9d")
    play(env, "meld", "reveal Rv-s")
    assert env.current_player == 2
    play(env, "draw", "4d")
    assert env.current_player == 1
    before = sizes(env)
    play(env, "draw", "Sk-c")
    assert env.current_player == 2
    assert sizes(env) == [before[0], before[1], before[2] + 6]
