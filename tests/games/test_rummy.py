"""Rummy clause by clause: cards, melds, turns, and the basic game."""

from __future__ import annotations

from typing import Any

import pytest
from games.rummy_positions import (
    GAME,
    arranged,
    field,
    hand,
    is_over,
    labels,
    melds,
    named,
    parse,
    payoffs,
    play,
    seen,
    sizes,
    started,
    turned_up,
    zone,
)
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.games.rummy.melds import BASIC_BOTH, BASIC_LOW, CONTRACT, CONTRACT_STANDARD
from wilddeck.envs.games.rummy.melds import GIN as GIN_RULES

# --- cards and the deal ---


@pytest.mark.rule("RM-01", "RM-02")
@pytest.mark.parametrize(
    ("options", "players", "hand_size"),
    [
        ({}, 2, 10),
        ({"num_players": 4}, 4, 7),
        ({"num_players": 5}, 5, 6),
        ({"variant": "gin"}, 2, 10),
        ({"variant": "contract"}, 4, 10),
        ({"variant": "contract", "first_deal": 3}, 4, 10),
        ({"variant": "contract", "first_deal": 4}, 4, 12),
    ],
)
def test_cards_are_dealt_one_at_a_time_from_seat_0(options: dict[str, Any], players: int, hand_size: int) -> None:
    env = started("", **options)
    deck = sorted(GAME.deck(env.options))
    for seat in range(players):
        assert sorted(env.zones()[f"hand/{seat}"]) == deck[seat : players * hand_size : players]
    assert env.zones()["discards"] == [deck[players * hand_size]]
    assert env.zones()["pile"] == deck[players * hand_size + 1 :]


@pytest.mark.rule("RM-03")
def test_a_special_turned_up_is_a_common_card() -> None:
    env = turned_up("Dr-c 4c 9d Th", num_players=3)
    assert zone(env, "discards") == "4c 9d"
    assert zone(env, "aside") == "Dr-c"
    assert env.current_player == 0
    env = turned_up("Rv-c 4c 9d", num_players=3)
    assert (zone(env, "discards"), field(env, "direction"), env.current_player) == ("4c", -1, 2)
    env = turned_up("Sk-c Dr-d Sk-h 4c 9d", num_players=3)
    assert (zone(env, "discards"), zone(env, "aside"), env.current_player) == ("4c 9d", "Dr-d Sk-c Sk-h", 2)
    env = turned_up("Sk-c 4c", variant="gin")
    assert env.current_player == 1
    assert labels(env) == {"take the discard", "pass"}


@pytest.mark.rule("RM-04")
def test_who_starts() -> None:
    assert turned_up("4c", num_players=3).current_player == 0
    for first_deal, seat in ((1, 0), (2, 1), (3, 2), (4, 0), (7, 0)):
        env = raw_env("rummy_v0", variant="contract", num_players=3, deck="standard", first_deal=first_deal)
        env.reset(seed=1)
        assert (env.current_player, field(env, "direction")) == (seat, 1)


@pytest.mark.rule("RM-05")
def test_cards_of_one_face_are_the_same_and_so_are_jokers() -> None:
    env = arranged(["SJ BJ 4c 5d", "9c 9d"])
    assert named(env) == {"Jk", "4c", "5d"}
    play(env, "Jk")
    assert env.zones()["discards"] == [52]
    env = arranged(["4c 4c 5d 9s", "9c 9d", "2c 2d"], variant="contract", num_players=3)
    assert env.zones()["hand/0"].count(8) == 2
    assert seen(env, 0, "hand")[8] == 1
    play(env, "4c")
    assert zone(env, "hand/0") == "4c 5d 9s"
    deck = GAME.deck(env.options)
    assert len(deck) == 132
    assert all(deck.count(card) == 2 for card in range(66))


# --- melds ---


@pytest.mark.rule("RM-10")
def test_groups() -> None:
    for rules in (BASIC_LOW, GIN_RULES, CONTRACT, CONTRACT_STANDARD):
        assert melds("group", "7c 7d 7h", rules)
        assert melds("group", "7c 7d 7h 7s", rules)
        assert not melds("group", "7c 7d", rules)
        assert not melds("group", "7c 7d 8h", rules)
    assert melds("group", "7h 7h 7c", CONTRACT)
    assert melds("group", "7c 7c 7d 7d 7h 7h 7s 7s", CONTRACT_STANDARD)
    assert not melds("group", "7c 7c 7d 7d 7h", CONTRACT)


@pytest.mark.rule("RM-11")
def test_runs() -> None:
    assert melds("run", "Ah 2h 3h", BASIC_LOW)
    assert not melds("run", "Qh Kh Ah", BASIC_LOW)
    assert not melds("run", "Qh Kh Ah", GIN_RULES)
    assert melds("run", "Qh Kh Ah", BASIC_BOTH)
    assert melds("run", "Ah 2h 3h", BASIC_BOTH)
    assert not melds("run", "Kh Ah 2h", BASIC_BOTH)
    assert not melds("run", "Ah 2h 3h", CONTRACT)
    assert melds("run", "Ah 2h 3h 4h", CONTRACT)
    assert melds("run", "Jh Qh Kh Ah", CONTRACT)
    assert not melds("run", "2h 3h 4s", BASIC_LOW)
    assert not melds("run", "2h 3h 5h", BASIC_LOW)
    assert not melds("run", "2h 3h 3h 4h 5h", CONTRACT)
    assert melds("run", "Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh", BASIC_BOTH)


@pytest.mark.rule("RM-12", "RM-19")
def test_a_joker_is_a_card_that_is_not_in_the_meld() -> None:
    assert melds("group", "7c 7d Jk", BASIC_LOW)
    assert melds("group", "7c Jk Jk", BASIC_LOW)
    assert melds("group", "7c 7d Jk Jk", BASIC_LOW)
    assert not melds("group", "7c 7d 7h 7s Jk", BASIC_LOW)
    assert melds("group", "7h 7h Jk", CONTRACT)
    assert melds("group", "7h 7h Jk Jk", CONTRACT)
    assert not melds("group", "7c 7c 7d 7h 7s Jk", CONTRACT_STANDARD)
    assert melds("run", "5h 6h Jk", BASIC_LOW)
    assert melds("run", "5h Jk 7h", BASIC_LOW)
    assert not melds("run", "5h 8h Jk", BASIC_LOW)


@pytest.mark.rule("RM-13")
def test_five_of_a_kind_is_no_meld() -> None:
    assert not melds("group", "7c 7c 7d 7h 7s", CONTRACT)
    assert not melds("group", "7c 7d 7h 7s Jk", CONTRACT)
    env = arranged(["7s 9c 2d", "9c 9d", "2c"], melds=("group 7c 7d 7h 7s",), variant="contract", down=1)
    assert "lay off on meld 0" not in labels(env)


@pytest.mark.rule("RM-14", "RM-15")
def test_specials_meld_with_their_kind_alone() -> None:
    assert melds("group", "Dr-c Dr-d Dr-h", BASIC_LOW)
    assert melds("group", "Sk-c Sk-d Sk-h Sk-s", BASIC_LOW)
    assert not melds("group", "Dr-c Dr-d Rv-h", BASIC_LOW)
    assert not melds("run", "Dr-c Rv-c Sk-c", BASIC_LOW)
    assert not melds("run", "Qc Kc Dr-c", BASIC_LOW)
    assert not melds("group", "Dr-c Dr-d Jk", BASIC_LOW)
    assert "meld" not in labels(arranged(["Dr-c Dr-d Jk 9c 2d", "9d"]))
    env = arranged(["Dr-c Dr-d Jk 9c 9d 2d", "9h"])
    play(env, "meld")  # there is one way
    assert zone(env, "meld/0") == "9c 9d Jk"


@pytest.mark.rule("RM-16")
def test_a_meld_has_a_natural_card() -> None:
    assert not melds("group", "Jk Jk SJ", CONTRACT)
    assert not melds("run", "SJ SJ BJ BJ", CONTRACT)
    env = arranged(["SJ BJ 9c", "9d"])
    play(env, "meld")
    assert field(env, "composition")[0]  # the only natural card was added by itself
    assert labels(env) == {"as a group", "as a run"}


@pytest.mark.rule("RM-17")
def test_the_type_is_chosen_and_stays_while_jokers_do_not() -> None:
    for kind, fits in (("group", {"7c", "7s"}), ("run", {"8h", "9h", "4h"})):
        env = arranged(["7h SJ BJ 7c 7s 8h 9h 4h Kd", "9d"])
        play(env, "meld", "7h", "Jk")
        assert {"as a group", "as a run"} <= labels(env)
        play(env, f"as a {kind}")
        assert field(env, "meld_kind")[0] == (kind == "run")
        play(env, "lay off on meld 0")
        assert named(env) == fits
    env = arranged(["7h 9c", "9d"], melds=("run 5h 6h Jk",))  # the Joker was the 7 or the 4
    play(env, "lay off on meld 0")
    assert zone(env, "meld/0") == "5h 6h 7h Jk"


@pytest.mark.rule("RM-18")
def test_the_test_of_a_run() -> None:
    assert melds("run", "5h 6h 7h 9h Jk Jk", BASIC_LOW)
    assert not melds("run", "3h 5h 6h 7h 9h Jk", BASIC_LOW)
    assert melds("run", "Ah Jk Jk", BASIC_LOW)
    assert melds("run", "Jh Qh Kh Jk", BASIC_LOW)
    assert melds("run", "Th Jk Kh Jk", BASIC_LOW)
    assert not melds("run", "Ah Kh Jk", BASIC_LOW)
    assert melds("run", "Ah Kh Jk", BASIC_BOTH)
    assert not melds("run", "Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Jk", BASIC_BOTH)  # fourteen


@pytest.mark.rule("RM-20")
def test_laying_off() -> None:
    env = arranged(["7s 2h Jk Kd", "9d"], melds=("group 7c 7d 7h", "run 3h 4h 5h"))
    assert {"lay off on meld 0", "lay off on meld 1"} <= labels(env)
    play(env, "lay off on meld 1")
    assert named(env) == {"2h", "Jk"}
    play(env, "2h")
    assert zone(env, "meld/1") == "2h 3h 4h 5h"
    play(env, "lay off on meld 0", "7s")
    assert labels(env) == {"lay off on meld 1", "Jk", "Kd"}
    play(env, "lay off on meld 1")  # the Joker alone fits, and is laid by itself
    assert (zone(env, "meld/1"), hand(env, 0)) == ("2h 3h 4h 5h Jk", "Kd")


# --- the turn ---


@pytest.mark.rule("RM-21")
def test_a_turn_is_a_draw_what_is_laid_and_a_discard() -> None:
    env = arranged(["7s 2h", "9d Tc"], discards="3c", drawn=False, stock="Kd")
    assert labels(env) == {"draw", "take the discard"}
    play(env, "draw")
    assert hand(env, 0) == "2h 7s Kd"
    assert named(env) == {"2h", "7s", "Kd"}
    play(env, "Kd")
    assert (zone(env, "discards"), env.current_player) == ("3c Kd", 1)
    play(env, "take the discard")
    assert (hand(env, 1), zone(env, "discards")) == ("9d Tc Kd", "3c")
    play(env, "9d")
    assert env.current_player == 0


@pytest.mark.rule("RM-22")
def test_a_card_taken_is_not_discarded_at_once() -> None:
    env = arranged(["7s 2h", "9d"], discards="3c", drawn=False)
    play(env, "take the discard")
    assert named(env) == {"7s", "2h"}
    play(env, "2h", "draw", "9d", "draw")
    assert "3c" in named(env)
    env = arranged(["7s 3c", "9d", "9h"], discards="3c", drawn=False, variant="contract")
    play(env, "take the discard")
    assert "3c" in named(env)  # they have two
    env = arranged(["7s Rv-c", "9d Tc"], discards="3c", drawn=False, stock="5d 6d 8d")
    play(env, "take the discard", "reveal Rv-c", "draw", "9d")  # paused and resumed
    assert named(env) == {"7s", "5d"}
    env = arranged(["Jk 2h", "9d"], discards="Jk", drawn=False)
    play(env, "take the discard")
    assert "Jk" in named(env)
    env = arranged(["6c 7c 9h", "9d"], discards="8c", drawn=False)
    play(env, "take the discard", "meld")  # it may be melded
    assert zone(env, "meld/0") == "6c 7c 8c"
    env = arranged(["3c", "9d"], taken=[9, 0, 0, 0, 0, 0])
    play(env, "3c")  # the last card may go
    assert is_over(env)
    env = arranged(["2h 3c", "9d"], discards="8c", drawn=False, variant="gin")
    play(env, "take the discard")
    assert "8c" in named(env)


@pytest.mark.rule("RM-23")
def test_nobody_takes_their_own_discard() -> None:
    env = arranged(["Rv-c 2h 7s", "9d Tc"], discards="3c")
    play(env, "Rv-c")
    assert env.current_player == 0
    assert labels(env) == {"draw"}
    env = arranged(["Rv-c 2h 7s", "9d Tc", "4c 5c"], discards="3c", num_players=3)
    play(env, "Rv-c", "take the discard", "4c")
    assert env.current_player == 1
    assert "take the discard" in labels(env)  # another's
    env = arranged(["Sk-c 2h 7s", "9d Tc"], discards="3c")
    play(env, "Sk-c")
    assert labels(env) == {"draw"}
    env = arranged(["9h 2h 7s", "Sk-c Tc 4d"], discards="3c Sk-d")  # once it was taken, the card below is free to all
    play(env, "9h")
    assert labels(env) == {"draw", "take the discard", "reveal Sk-c"}
    play(env, "take the discard", "reveal Sk-c")
    assert env.current_player == 0
    assert "take the discard" in labels(env)
    env = arranged(["2h 7s", "9d Tc", "4c 5c"], discards="3c", drawn=False, variant="contract", discarder=1, turn=0)
    play(env, "draw")
    assert env.current_player == 2  # seat 1 does not buy their own


@pytest.mark.rule("RM-24")
def test_the_discards_are_shuffled_once_the_stock_is_empty() -> None:
    env = arranged(["2h 7s", "9d Tc"], discards="3c 4c 5c 6c", drawn=False, stock="", only=True)
    assert "draw" in labels(env)
    play(env, "draw")
    assert zone(env, "discards") == "6c"
    assert len(env.zones()["pile"]) == 2
    assert set(parse("3c 4c 5c")) == {*env.zones()["pile"], *env.zones()["hand/0"]} - set(parse("2h 7s"))
    assert field(env, "recycled") == 1
    assert seen(env, 0, "clock")[1] == 0
    orders = set()
    for seed in range(6):
        env = arranged(["2h 7s", "9d Tc"], discards="3c 4c 5c 6c", drawn=False, only=True, rng=seed)
        play(env, "draw")
        orders.add(tuple(env.zones()["pile"]))
    assert len(orders) > 1


@pytest.mark.rule("RM-25")
def test_a_deal_is_blocked() -> None:
    env = arranged(["2h 7s", "9d Tc"], discards="3c", only=True, recycled=1)
    play(env, "2h")
    assert is_over(env)  # though there are discards
    env = arranged(["2h 7s", "9d Tc"], only=True, stock="5c", discards="", recycled=1, drawn=False)
    play(env, "draw")
    play(env, "5c")
    assert is_over(env)
    env = arranged(["Dr-c 7s", "9d Tc"], only=True, stock="5c", recycled=1, drawn=False)
    play(env, "reveal Dr-c")
    assert is_over(env)  # nothing left to draw after a reveal
    env = arranged(["2h 7s", "9d Tc"], discards="3c", turns=400)
    play(env, "2h")
    assert is_over(env)
    env = arranged(["2h 7s", "9d Tc"], discards="3c", turns=9, max_turns=10)
    play(env, "2h", "draw")
    assert field(env, "turns") == 10
    play(env, "9d")
    assert is_over(env)


@pytest.mark.rule("RM-25")
def test_a_deal_is_blocked_when_nothing_happens() -> None:
    env = arranged(["2h 7s", "9d Tc"], discards="3c 4c", drawn=False, idle_turns=1)
    for k in range(8):
        assert field(env, "idle_turns") == k + 1
        play(env, "take the discard")
        play(env, sorted(named(env))[0])
    assert is_over(env)
    env = arranged(["2h 7s 8s 9s", "9d Tc"], discards="3c", idle_turns=8)
    play(env, "meld")
    assert field(env, "idle_turns") == 0
    play(env, "2h")
    assert is_over(env) and payoffs(env)[0] > 0  # their last card
    env = arranged(["2h 7s", "9d Tc"], discards="3c 4c", drawn=False, idle_turns=8)
    play(env, "draw", "2h")
    assert field(env, "idle_turns") == 1
    skipped = arranged(["Sk-c 7s", "9d Tc"], discards="3c", turns=5, idle_turns=2)
    play(skipped, "Sk-c")
    assert field(skipped, "turns") == 6  # the turn that was skipped does not count


# --- basic ---


@pytest.mark.rule("RM-26")
def test_new_melds_of_a_turn() -> None:
    cards_held = "2h 3h 4h 9c 9d 9s Kd 8c"
    env = arranged([cards_held, "9h"], melds=("group 8d 8h 8s",))
    play(env, "lay off on meld 0", "meld", "2h")
    assert labels(env).isdisjoint({"meld"})
    play(env, "Kd")
    env = arranged([cards_held, "9h"], melds_per_turn=0)
    play(env, "meld", "2h", "meld")
    assert field(env, "melds") == 2
    assert named(env) == {"8c", "Kd"}


@pytest.mark.rule("RM-27")
@pytest.mark.parametrize("last", ["meld", "lay off", "discard"])
def test_who_has_no_card_wins_at_once(last: str) -> None:
    env = {
        "meld": arranged(["Dr-c Dr-d Dr-h", "9h Kd"], discards="3c"),
        "lay off": arranged(["8c", "9h Kd"], melds=("group 8d 8h 8s",)),
        "discard": arranged(["Dr-c", "9h Kd"], discards="3c"),
    }[last]
    play(env, {"meld": "meld", "lay off": "lay off on meld 0", "discard": "Dr-c"}[last])
    if not is_over(env):
        play(env, "Dr-c")
    assert is_over(env)
    assert payoffs(env) == [19, -19]
    assert sizes(env)[1] == 2  # nothing they played takes effect


@pytest.mark.rule("RM-28")
def test_the_winner_is_paid_what_the_others_hold() -> None:
    env = arranged(["8c", "9h Kd", "2c Jk"], discards="3c")
    play(env, "8c")
    assert payoffs(env) == [19 + 2 + 1, -19, -3]
    for before, now, factor in ((0, 1, 2), (1, 1, 1), (0, 0, 1), (1, 0, 1)):
        env = arranged(["8c", "9h Kd"], rummy_double=True, laid_before=before, laid_now=now, discards="3c")
        play(env, "8c")
        assert payoffs(env) == [19 * factor, -19 * factor]
    env = arranged(["8c 9c Tc", "9h Kd"], rummy_double=True)
    play(env, "meld")
    assert payoffs(env) == [38, -38]
    env = arranged(["8c 9c Tc 2d 4d", "9h Kd"], rummy_double=True)
    play(env, "meld", "2d", "draw", "9h")
    assert field(env, "laid_before") == 1
    assert seen(env, 1, "flags")[3] == 1


@pytest.mark.rule("RM-29")
def test_a_blocked_deal_is_shared_by_the_lowest() -> None:
    env = arranged(["2h 7s 5c", "5d Tc", "Kd 5s"], only=True, recycled=1, discards="3c")
    play(env, "2h")
    assert payoffs(env) == [6, -3, -3]
    env = arranged(["2h 7s 5c", "4d 8c", "Kd 5s"], only=True, recycled=1, discards="3c")
    play(env, "2h")
    assert payoffs(env) == [1.5, 1.5, -3]


# --- special cards ---


@pytest.mark.rule("RM-50")
def test_a_discarded_draw() -> None:
    env = arranged(["Dr-c 7s", "9d Tc"], discards="3c", stock="2c 2d")
    play(env, "Dr-c")
    assert (hand(env, 1), env.current_player) == ("2c 2d 9d Tc", 1)
    assert "take the discard" in labels(env)
    env = arranged(["Dr-c 7s", "9d Tc"], discards="3c", stock="2c", only=True, recycled=1)
    play(env, "Dr-c")
    assert is_over(env)  # they take what there is, and find nothing to draw


@pytest.mark.rule("RM-51")
def test_a_discarded_reverse() -> None:
    env = arranged(["Rv-c 7s", "9d", "4c", "5c"], discards="3c")
    play(env, "Rv-c")
    assert (env.current_player, field(env, "direction")) == (3, -1)
    play(env, "draw", "5c")
    assert env.current_player == 2


@pytest.mark.rule("RM-52")
def test_a_discarded_skip() -> None:
    env = arranged(["Sk-c 7s", "9d", "4c"], discards="3c", stock="2c 2d", draw=[0, 2, 0, 0, 0, 0])
    play(env, "Sk-c")
    assert (env.current_player, hand(env, 1)) == (2, "2c 2d 9d")


@pytest.mark.rule("RM-53")
def test_melded_and_laid_off_specials_act_with_the_discard() -> None:
    held = ["Sk-c Sk-d Sk-h Dr-s 7s 8s", "9d Tc", "4c 5c", "4d 5d"]
    env = arranged(held, melds=("group Dr-c Dr-d Dr-h",), stock="2c 2d 2h 2s")
    play(env, "lay off on meld 0", "meld", "7s")  # a Draw: 1 takes two; Skips: 1, 2, 3
    assert (hand(env, 1), env.current_player) == ("2c 2d 9d Tc", 0)
    env = arranged(held, melds=("group Dr-c Dr-d Dr-h",), meld_effects="discard_only")
    play(env, "lay off on meld 0", "meld", "7s")
    assert (hand(env, 1), env.current_player) == ("9d Tc", 1)
    env = arranged(["Rv-c Rv-d Rv-h Rv-s 7s 8s", "9d", "4c"])  # four Reverses do nothing
    play(env, "meld", "Rv-c", "Rv-d", "Rv-h", "Rv-s", "7s")
    assert (env.current_player, field(env, "direction")) == (1, 1)


@pytest.mark.rule("RM-53")
def test_a_turn_that_a_revealed_skip_ends_lets_its_queue_act() -> None:
    env = arranged(["Dr-c Dr-d Dr-h Sk-c 7s 8s", "9d Tc", "4c 5c"], stock="3c 2c 2d 2h 2s 6c 6d")
    play(env, "meld", "reveal Sk-c")
    assert (env.current_player, hand(env, 1)) == (1, "2c 2d 2h 2s 6c 6d 9d Tc")
    env = arranged(["Dr-c Dr-d Dr-h Sk-c Rv-c 7s", "9d Tc", "4c 5c"], stock="3c 3d 2c 2d 2h 2s 6c 6d")
    play(env, "meld", "reveal Sk-c", "reveal Rv-c")
    assert (env.current_player, field(env, "direction")) == (2, -1)  # the order was flipped first
    assert hand(env, 2) == "2c 2d 2h 2s 4c 5c 6c 6d"


@pytest.mark.rule("RM-54", "RM-59")
def test_where_specials_may_be_revealed() -> None:
    reveals = {"reveal Dr-c"}
    env = arranged(["Dr-c 7s", "9d"], discards="3c", drawn=False)
    assert reveals <= labels(env)
    play(env, "reveal Dr-c")
    assert zone(env, "aside") == "Dr-c"
    assert zone(env, "discards") == "3c"
    assert reveals <= labels(arranged(["Dr-c 7s", "9d"], discards="3c"))
    assert not reveals & labels(turned_up_with_draw())
    env = arranged(["Kd 7s", "Dr-c 9d", "2c"], discards="3c", drawn=False, variant="contract")
    play(env, "draw")
    assert labels(env) == {"buy the discard", "pass"}
    env = arranged(["Dr-c 7s 8c", "9d"], discards="3c", drawn=False, variant="gin", stock="2c 2d", only=True)
    assert not reveals & labels(env)  # at the wall
    env = arranged(["Dr-c Dr-d 7s", "9d"], discards="3c", drawn=False)
    play(env, "reveal Dr-c")
    assert labels(env) == {"reveal Dr-d", "redeal"}
    play(env, "redeal")
    assert sizes(env)[0] == 4


def turned_up_with_draw() -> Any:
    """The first upcard of gin, offered to a player with a Draw."""
    plain = [card for card in range(51, 0, -1) if card != 8][:19]
    return started(cards.text([54, *plain, 8]), variant="gin")


@pytest.mark.rule("RM-55")
def test_a_revealed_draw_is_two_cards() -> None:
    env = arranged(["Dr-c 7s", "9d"], discards="3c", stock="2c 2d")
    play(env, "reveal Dr-c")
    assert (hand(env, 0), env.current_player) == ("2c 2d 7s", 0)


@pytest.mark.rule("RM-56")
def test_a_revealed_reverse_pauses_the_turn() -> None:
    env = arranged(["Rv-c 7s 8s 9s 2c", "9d Tc", "4c 5c"], stock="2d")
    play(env, "meld", "reveal Rv-c")
    assert (env.current_player, field(env, "direction")) == (2, -1)
    assert seen(env, 0, "seats")[4] == 1
    play(env, "draw", "4c", "draw", "9d")
    assert env.current_player == 0
    assert labels(env) == {"2c", "2d"}  # drawn already, and melded
    env = arranged(["Rv-c 7s", "9d Tc"], drawn=False, discards="3c", stock="2d")
    play(env, "reveal Rv-c", "draw", "9d")
    assert "draw" in labels(env)


@pytest.mark.rule("RM-57")
def test_a_revealed_skip_ends_the_turn() -> None:
    env = arranged(["Sk-c 7s", "9d Tc", "4c"], discards="3c", stock="2d", drawn=False)
    play(env, "reveal Sk-c")
    assert (env.current_player, hand(env, 0), zone(env, "discards")) == (1, "2d 7s", "3c")
    env = arranged(["Sk-c Rv-c 7s", "9d Tc", "4c"], discards="3c", stock="2d")
    play(env, "reveal Sk-c", "reveal Rv-c")
    assert (env.current_player, field(env, "paused")) == (2, 0)


@pytest.mark.rule("RM-58")
def test_a_reveal_needs_a_card_to_replace_it() -> None:
    env = arranged(["Dr-c Dr-d 7s", "9d"], discards="3c", only=True, recycled=1)
    assert labels(env) == {"Dr-c", "Dr-d", "7s"}
    env = arranged(["Dr-c Dr-d 7s", "9d"], discards="3c", only=True, stock="2c", recycled=1)
    play(env, "reveal Dr-c")
    assert hand(env, 0) == "2c 7s Dr-d"  # one was there, and is not two
    env = arranged(["Dr-c 7s", "9d"], discards="3c 4c 5c", only=True)
    play(env, "reveal Dr-c")  # of the discards
    assert (sizes(env)[0], zone(env, "discards")) == (3, "5c")


# --- points ---


@pytest.mark.rule("RM-60", "RM-61", "ED-05")
@pytest.mark.parametrize(("ace", "points"), [("low", 1), ("both", 15)])
def test_points(ace: str, points: int) -> None:
    env = arranged(["8c", "2c 9h Td Jd Qd Kd Ad Dr-c Rv-c Sk-c"], ace=ace, discards="3c")
    play(env, "8c")
    assert payoffs(env)[0] == 2 + 9 + 40 + points + 30


@pytest.mark.rule("RM-62", "RM-63", "ED-17")
def test_jokers_left_are_the_cheapest_cards_that_are_not_held() -> None:
    for held, points in (("Jk", 1), ("Jk Jk Ac", 1 + 1 + 1), ("Ac Ad Ah As Jk", 4 + 2), ("Ac Ad Ah Jk Jk", 3 + 1 + 2)):
        env = arranged(["8c", held], discards="3c")
        play(env, "8c")
        assert payoffs(env)[0] == points
    env = arranged(["8c", "Jk 2c"], ace="both", discards="3c", melds=("group 2d 2h 2s",))  # melds are not in the hand
    play(env, "8c")
    assert payoffs(env)[0] == 2 + 2
