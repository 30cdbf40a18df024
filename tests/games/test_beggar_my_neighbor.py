"""Beggar My Neighbor clause by clause: the deal, debts, Jokers, packs without cards, specials. Each card is a step here."""

from __future__ import annotations

from typing import Any

import pytest
from games import pack_positions
from games.pack_positions import PLAY, debt, declarations, field, from_here_on, labels, pack, play, returns, stack, told, zone
from wilddeck import cards
from wilddeck.envs import raw_env

GAME = "beggar_my_neighbor_v0"
REST = "2h 3h 5h 6h 7h 8h"  # cards that matter nowhere below


def arranged(packs: list[str], stack: str = "", pile: str = "", **values: Any) -> Any:
    return pack_positions.arranged(GAME, packs, stack, pile, **{"auto": "every", **values})


# --- the deal and the play ---


@pytest.mark.rule("BM-01")
@pytest.mark.parametrize(
    ("options", "sizes", "pile"),
    [
        ({}, [33, 33], 0),
        ({"num_players": 4}, [17, 17, 16, 16], 0),
        ({"num_players": 5, "deal_52": True}, [11, 11, 10, 10, 10], 14),
        ({"num_players": 3, "deck": "standard", "deal_52": True}, [18, 17, 17], 0),
    ],
)
def test_the_deal(options: dict[str, Any], sizes: list[int], pile: int) -> None:
    env = raw_env(GAME, auto="every", **options)
    size = 52 if options.get("deck") else 66
    env.reset(seed=1, options={"deck": list(range(size))})
    zones, n = env.zones(), env.num_players
    assert [len(zones[f"pack/{seat}"]) for seat in range(n)] == sizes
    assert zones["pack/1"] == list(range(size - pile))[1::n]
    assert zones["pile"] == list(range(size - pile, size))
    for seat in range(n):
        seen = env.zones(f"player_{seat}")
        assert all(set(ids) <= {-1} for ids in seen.values())


@pytest.mark.rule("BM-02")
def test_cards_are_played_in_turn() -> None:
    env = raw_env(GAME, auto="every", num_players=3)
    env.reset(seed=1)
    assert env.current_player == 0
    env = arranged(["2c 3c", "4c 5c", "6c 7c"])
    play(env, "2c", "4c", "6c", "3c")
    assert stack(env) == "2c 4c 6c 3c"
    assert env.current_player == 1


@pytest.mark.rule("BM-03", "BM-04")
@pytest.mark.parametrize(("card", "demand"), [("As", 4), ("Kh", 3), ("Qd", 2), ("Jc", 1)])
def test_pay_cards(card: str, demand: int) -> None:
    env = arranged([f"{card} 2c", f"{REST} 9d", REST])
    play(env, card)
    assert debt(env) == (1, demand, 0)
    for left in range(demand, 0, -1):
        assert debt(env) == (1, left, 0)
        play(env, pack(env, 1)[0])
    assert debt(env) is None
    assert env.current_player == 0


@pytest.mark.rule("BM-03", "ED-05")
@pytest.mark.parametrize("card", ["Tc", "2s", "9d", "Dr-c", "Rv-c", "Sk-c"])
def test_other_cards_demand_nothing(card: str) -> None:
    env = arranged([f"{card} 2c", "3c 4c", "5c 6c"])
    play(env, card)
    assert debt(env) is None
    assert stack(env) == card


@pytest.mark.rule("BM-05", "BM-06")
def test_example_3_a_pay_card_in_payment() -> None:
    env = arranged(["As 9c", "5c Kd 9d", "2h 3h 4h 9h"])
    play(env, "As", "5c", "Kd")
    assert debt(env) == (2, 3, 1)
    play(env, "2h", "3h", "4h")
    assert pack(env, 1) == ["9d", "As", "5c", "Kd", "2h", "3h", "4h"]
    assert stack(env) == ""
    assert env.current_player == 1
    assert debt(env) is None


# --- Jokers ---


@pytest.mark.rule("BM-07")
def test_a_joker_is_what_it_is_declared() -> None:
    env = arranged(["SJ 9c", "2h 3h 4h 5h", "9s"])
    play(env, "SJ")
    assert env.current_player == 0
    assert labels(env) == [f"declare {rank}" for rank in pack_positions.RANKS]
    other = env.clone()
    play(env, "declare K")
    assert debt(env) == (1, 3, 0)
    play(other, "declare 7")
    assert debt(other) is None
    assert other.current_player == 1
    env = arranged(["As 9c", "3h SJ 5h 6h", "9s 8s"])
    play(env, "As", "3h", "SJ")
    assert debt(env) == (1, 3, 0)  # the Joker is not counted yet
    other = env.clone()
    play(env, "declare J")
    assert debt(env) == (2, 1, 1)
    play(other, "declare T")
    assert debt(other) == (1, 2, 0)


@pytest.mark.rule("BM-08")
def test_example_11_no_fifth_card_of_a_rank() -> None:
    env = arranged(["BJ 9c", "2h 3h"], stack="7c 7d 7h SJ", declared=[5, -1])
    play(env, "BJ")
    assert declarations(env) == "234568 9TJQKA".replace(" ", "")
    assert 5 not in env.legal_actions()
    env = arranged(["BJ 9c", "7s 3h"], stack="7c 7d SJ", declared=[5, -1])
    play(env, "BJ")
    assert "7" in declarations(env)
    play(env, "declare 7", "7s")  # the fifth
    assert stack(env) == "7c 7d SJ BJ 7s"
    assert field(env, "declared") == [5, 5]


@pytest.mark.rule("BM-08", "BM-52")
def test_when_all_ranks_are_barred_nothing_is_declared() -> None:
    everything = cards.text([card for card in range(52) if card != 51])
    env = arranged(["SJ Dr-c", "Dr-d Dr-h"], stack=everything)
    play(env, "SJ")
    assert declarations(env) == "A"  # one is left: a decision
    env = arranged(["SJ Dr-c", "Dr-d Dr-h"], stack=f"{everything} As")
    play(env, "SJ")
    assert field(env, "declared") == [-1, -1]
    assert env.current_player == 1
    assert labels(env) == ["play"]
    assert pack_positions.seen(env, 0, "stack_jokers") == [0.5]
    env = arranged(["BJ Dr-c", "Dr-d Dr-h"], stack=everything.replace("Ad", "SJ As"), owner=1, owed=2)
    play(env, "BJ")  # three Aces and a Joker without a value
    assert declarations(env) == "A"
    env = arranged(["BJ Dr-c", "Dr-d Dr-h"], stack=everything.replace("Ad", "SJ As"), owner=1, owed=2, declared=[12, -1])
    play(env, "BJ")
    assert debt(env) == (0, 1, 1)  # a card paid


@pytest.mark.rule("BM-09")
def test_a_joker_won_is_declared_anew() -> None:
    env = arranged(["SJ 9c", "2h 3h"])
    play(env, "SJ", "declare J", "2h")
    assert field(env, "declared") == [-1, -1]
    play(env, "9c", "3h")
    assert env.legal_actions() == []
    env = arranged(["9c", "8c Jd 4d", "2h 3h"], stack="SJ", declared=[9, -1], owner=0, owed=1, turn=2)
    play(env, "2h")
    assert pack(env, 0) == ["9c", "SJ", "2h"]
    play(env, "9c", "8c", "3h", "SJ")
    assert len(declarations(env)) == 13


# --- packs without cards ---


@pytest.mark.rule("BM-15")
def test_who_has_no_cards_is_passed_over_until_they_win() -> None:
    env = arranged(["2c 3c", "", "4c 5c", "6c 7c"])
    play(env, "2c")
    assert env.current_player == 2
    env = arranged(["Kc 3c", "", "4c 5c 8c 9c", "6c 7c"])
    play(env, "Kc")
    assert debt(env) == (2, 3, 0)
    env = arranged(["Jc", "4c 5c", "6c 7c"])
    play(env, "Jc", "4c")  # the owner has no cards, and wins
    assert env.current_player == 0
    play(env, "Jc", "5c", "4c")
    assert env.current_player == 2


@pytest.mark.rule("BM-15")
def test_the_owner_who_lost_the_debt_is_out() -> None:
    env = arranged(["Jc", "Kc 5c", "6c 7c 8c 9c", "2c 3c"])
    play(env, "Jc", "Kc", "6c", "7c", "8c")
    assert pack(env, 1)[:2] == ["5c", "Jc"]
    play(env, "5c", "9c", "2c")
    assert env.current_player == 1


@pytest.mark.rule("BM-15", "BM-24")
def test_the_new_owner_is_counted_the_old_one_is_not() -> None:
    """0 has no cards left; the two Skips of 1 fall on 2 and then on 1 himself, not on 0."""
    env = arranged(["As", "Sk-c Sk-d Jd", "2c 3c 4c"])
    play(env, "As", "Sk-c", "Sk-d", "Jd")
    assert field(env, "skip")[:3] == [0, 0, 0]
    assert debt(env) == (2, 1, 1)


@pytest.mark.rule("BM-16")
def test_a_payer_who_runs_out_loses_the_stack() -> None:
    env = arranged(["As 9c", "2c", "3c 4c"])
    play(env, "As", "2c")
    assert pack(env, 0) == ["9c", "As", "2c"]
    assert env.current_player == 0


@pytest.mark.rule("BM-16")
def test_or_the_next_player_pays_the_rest() -> None:
    env = arranged(["As 9c", "2c", "3c 4c 5c 6c"], payer_out="next")
    play(env, "As", "2c")
    assert debt(env) == (2, 3, 0)
    play(env, "3c", "4c", "5c")
    assert env.current_player == 0
    env = arranged(["As 9c", "2c", "3c"], payer_out="next")
    play(env, "As", "2c", "3c")
    assert returns(env) == [1, -0.5, -0.5]  # nobody else is there to pay


@pytest.mark.rule("BM-16")
def test_what_waits_is_reckoned_from_the_last_payer() -> None:
    """The Reverse falls on the owner, who takes the stack; in the new order 1 has no cards: it is 3."""
    env = arranged(["Kc 9c", "Rv-c", "3c 4c 6c", "5c 8c"], payer_out="next")
    play(env, "Kc", "Rv-c", "3c", "4c")
    assert pack(env, 0) == ["9c", "Kc", "Rv-c", "3c", "4c"]
    assert field(env, "direction") == -1
    assert env.current_player == 3  # 1 has no cards, 0 is put off: from 2 on round to 3


@pytest.mark.rule("BM-16")
def test_a_skip_waits_for_who_would_pay_the_rest() -> None:
    env = arranged(["Kc 9c", "2c", "3c 4c 6c", "5c 8c 7c"], payer_out="next", skip=[0, 0, 1, 0, 0, 0])
    play(env, "Kc", "2c")
    assert debt(env) == (3, 2, 0)
    env = arranged(["Kc 9c", "2c", "3c 4c 6c"], payer_out="next", skip=[0, 0, 1, 0, 0, 0])
    play(env, "Kc", "2c")
    assert debt(env) == (2, 2, 0)  # not the owner


@pytest.mark.rule("BM-16")
def test_example_17_next() -> None:
    env = arranged(["Ac", "4d", "8h 8s 7h 2c"], payer_out="next")
    play(env, "Ac", "4d", "8h", "8s", "7h")
    assert pack(env, 0) == ["Ac", "4d", "8h", "8s", "7h"]
    assert env.current_player == 0


@pytest.mark.rule("BM-17")
def test_an_owner_whom_nobody_can_pay_takes_the_stack_and_leads() -> None:
    env = arranged(["Kc 9c", "Sk-c Js 5c"])
    play(env, "Kc", "Sk-c", "Js")
    assert pack(env, 1) == ["5c", "Kc", "Sk-c", "Js"]
    assert env.current_player == 1
    env = arranged(["Kc", "", "Js 5c"], turn=2, stack="2c 3c")
    play(env, "Js")
    assert debt(env) == (0, 1, 2)
    env = arranged(["", "", "Js 5c"], turn=2, stack="2c 3c", owner=0, owed=2)
    play(env, "Js")
    assert returns(env) == [-0.5, -0.5, 1]


@pytest.mark.rule("BM-17", "BM-18", "BM-52")
def test_the_owner_may_draw_into_an_empty_pack() -> None:
    """The Skip falls on 0, the Draw on 1 himself. The first card has one place, the second two."""
    env = arranged(["Ac 9c", "Sk-c Dr-c Js"], pile="2c 3c 4c")
    play(env, "Ac", "Sk-c", "Dr-c", "Js")
    assert env.current_player == 1
    assert pack(env, 1) == ["2c"]
    assert labels(env) == ["place on top", "place under 1"]
    play(env, "place under 1")
    assert pack(env, 1) == ["2c", "3c", "Ac", "Sk-c", "Dr-c", "Js"]
    assert zone(env, "pile") == ["4c"]
    assert env.current_player == 1
    assert labels(env) == ["play"]


@pytest.mark.rule("BM-18")
def test_a_draw_passes_over_who_has_no_cards() -> None:
    env = arranged(["Dr-c 9c", "", "2d 3d"], pile="2c 3c 4c")
    play(env, "Dr-c")
    assert env.current_player == 2
    assert len(labels(env)) == 3
    assert field(env, "placing") == 2


# --- specials ---


@pytest.mark.rule("BM-20", "BM-21", "BM-26", "BM-27", "BM-28", "BM-29")
def test_example_4_specials_outside_a_payment() -> None:
    for special in ("Rv-c", "Sk-d"):
        env = arranged([f"{special} 9c", "2c 3c"])
        play(env, special)
        assert env.current_player == 0
        assert stack(env) == special
    env = arranged(["Dr-h 9c", "2c 3c"], pile="4c")
    play(env, "Dr-h")
    assert (env.current_player, field(env, "placing")) == (1, 1)
    assert zone(env, "pile") == ["4c"]  # until it is placed
    play(env, "place under 2")
    assert pack(env, 1) == ["2c", "3c", "4c"]
    assert (env.current_player, labels(env)) == (1, ["play"])


@pytest.mark.rule("BM-22", "BM-23")
def test_example_5_a_skip_costs_the_owner_the_lead() -> None:
    env = arranged(["Qc 9c", "Sk-c 6d 2c", "3c 4c"])
    play(env, "Qc", "Sk-c")
    assert (debt(env), field(env, "skip")[:3]) == ((1, 1, 0), [0, 0, 0])  # it waits
    play(env, "6d")
    assert pack(env, 0) == ["9c", "Qc", "Sk-c", "6d"]
    assert env.current_player == 1


@pytest.mark.rule("BM-23", "BM-28")
def test_example_6_a_reverse_puts_the_owner_off() -> None:
    env = arranged(["Qc 9c", "Rv-c 6d 2c", "3c 4c"])
    play(env, "Qc", "Rv-c", "6d")
    for seat, card in ((2, "3c"), (1, "2c"), (0, "9c")):
        assert env.current_player == seat
        play(env, card)


@pytest.mark.rule("BM-23")
def test_effects_are_reckoned_from_the_last_payer_not_from_the_owner() -> None:
    env = arranged(["Jc 9c", "2c 5c", "Rv-c 3c", "4c 6c"], skip=[0, 1, 0, 0, 0, 0])
    play(env, "Jc", "Rv-c")
    assert pack(env, 0) == ["9c", "Jc", "Rv-c"]
    assert env.current_player == 1  # from 2 on in the new order; from 0 on it would be 3


@pytest.mark.rule("BM-17", "BM-24")
def test_example_7_a_reverse_and_a_pay_card() -> None:
    env = arranged(["Kc 9c", "Rv-c Js 2c"])
    play(env, "Kc", "Rv-c", "Js")
    assert pack(env, 1) == ["2c", "Kc", "Rv-c", "Js"]
    assert env.current_player == 1


@pytest.mark.rule("BM-24", "BM-29")
def test_example_8_the_player_after_the_skipped_one_pays() -> None:
    env = arranged(["Kc 9c", "Sk-c Ah 2c", "3c", "4c 5c 6c 7c"])
    play(env, "Kc", "Sk-c", "Ah")
    assert debt(env) == (3, 4, 1)


@pytest.mark.rule("BM-23", "BM-26", "BM-27")
def test_example_9_the_owner_draws_before_leading() -> None:
    env = arranged(["Kc 9c", "Dr-c Dr-d 9s 2c", "3c", "4c"], pile="2d 3d 4d 5d 6d")
    play(env, "Kc", "Dr-c", "Dr-d", "9s")
    assert (env.current_player, field(env, "placing")) == (0, 4)
    assert pack(env, 0) == ["9c", "Kc", "Dr-c", "Dr-d", "9s"]
    play(env, "place on top", "place under 1", "place under 1", "place under 8")
    assert pack(env, 0) == ["2d", "4d", "3d", "9c", "Kc", "Dr-c", "Dr-d", "9s", "5d"]
    assert (env.current_player, labels(env)) == (0, ["play"])


@pytest.mark.rule("BM-25")
def test_example_10_a_special_ends_a_payment() -> None:
    env = arranged(["Kc 9c", "Sk-c 2c", "3c"], nonpay_face_ends_pay=True)
    play(env, "Kc", "Sk-c")
    assert debt(env) is None
    assert stack(env) == "Kc Sk-c"
    assert env.current_player == 0
    play(env, "9c")
    assert stack(env) == "Kc Sk-c 9c"


@pytest.mark.rule("BM-25", "BM-40")
def test_a_game_may_end_with_a_payment_nobody_wins() -> None:
    env = arranged(["Kc 9c", "Sk-c"], nonpay_face_ends_pay=True)
    play(env, "Kc", "Sk-c")
    assert returns(env) == [1, -1]
    env = arranged(["Kc 9c", "Sk-c 2c", ""], nonpay_face_ends_pay=True)
    play(env, "Kc", "Sk-c")
    assert env.current_player == 1


@pytest.mark.rule("BM-26")
def test_without_a_pile_nothing_is_drawn() -> None:
    env = arranged(["Dr-c 9c", "2c 3c"])
    play(env, "Dr-c")
    assert (env.current_player, labels(env)) == (1, ["play"])
    assert field(env, "draw")[:2] == [0, 0]


@pytest.mark.rule("BM-26", "BM-29")
def test_who_is_skipped_draws_first_and_a_payer_before_paying() -> None:
    env = arranged(["Kc 9c", "Dr-c Sk-c 2c 4c", "3c 5c"], pile="6c 7c")
    play(env, "Kc", "Dr-c", "Sk-c", "2c")
    assert (env.current_player, field(env, "placing"), field(env, "skip")[0]) == (0, 2, 1)
    play(env, "place on top", "place on top")
    assert env.current_player == 1
    env = arranged(["Kc 9c", "Dr-c Js 2c", "3c 5c"], pile="6c 7c")
    play(env, "Kc", "Dr-c", "Js")
    assert (debt(env), field(env, "placing")) == ((2, 1, 1), 2)
    play(env, "place on top", "place on top", "7c")
    assert pack(env, 1) == ["2c", "Kc", "Dr-c", "Js", "7c"]


@pytest.mark.rule("BM-27")
def test_nobody_sees_what_is_drawn_and_all_see_where_it_goes() -> None:
    env = arranged(["Dr-h 9c", "2c 3c"], pile="4c 5c", seen="2c 3c")
    play(env, "Dr-h", "place under 1")
    for seat in range(2):
        assert cards.text(env.zones(f"player_{seat}")["pack/1"]) == "2c ?? 3c"
        assert cards.text(env.zones(f"player_{seat}")["pile"]) == "??"


@pytest.mark.rule("BM-24")
def test_example_14_two_effects_with_two_players() -> None:
    env = arranged(["Ac 9c", "Sk-c Sk-d Js 2c"])
    play(env, "Ac", "Sk-c", "Sk-d", "Js")
    assert debt(env) == (0, 1, 1)
    env = arranged(["Ac 9c", "Rv-c Sk-c Js 2c"])
    play(env, "Ac", "Rv-c", "Sk-c", "Js")
    assert debt(env) == (0, 1, 1)
    env = arranged(["Ac 9c", "Sk-c Rv-c Js 2c"])
    play(env, "Ac", "Sk-c", "Rv-c", "Js")
    assert pack(env, 1) == ["2c", "Ac", "Sk-c", "Rv-c", "Js"]
    assert env.current_player == 1


@pytest.mark.rule("BM-17", "BM-26")
def test_example_15_draws_before_the_stack_is_taken() -> None:
    env = arranged(["Ac 9c", "Sk-c Dr-d Js 2c"], pile="3c 4c 5c")
    play(env, "Ac", "Sk-c", "Dr-d", "Js")
    assert (debt(env), field(env, "placing")) == ((1, 1, 1), 2)
    play(env, "place under 1", "place under 2")
    assert pack(env, 1) == ["2c", "3c", "4c", "Ac", "Sk-c", "Dr-d", "Js"]
    assert (env.current_player, debt(env)) == (1, None)


@pytest.mark.rule("BM-30")
def test_example_16_what_is_assigned_stays() -> None:
    env = arranged(["Ac 4h 5h", "Sk-c Rv-c Js 9c 2c", "3c", "6c 7c"])
    play(env, "Ac", "Sk-c", "Rv-c", "Js")
    assert (debt(env), field(env, "direction")) == ((0, 1, 1), -1)
    play(env, "4h")
    assert pack(env, 1) == ["9c", "2c", "Ac", "Sk-c", "Rv-c", "Js", "4h"]
    play(env, "9c", "5h", "6c")
    assert env.current_player == 1  # 2 was skipped
    env = arranged(["Ac 4h", "2c", "3c 5c"], draw=[0, 0, 2, 0, 0, 0], pile="6c 7c")
    play(env, "Ac", "2c", "4h")
    assert (env.current_player, field(env, "placing")) == (2, 2)


# --- events ---


def test_what_is_told() -> None:
    env = from_here_on(arranged(["As 9c 3c", "2c SJ Dr-c 7c", "Rv-c 8c 9d"], pile="Tc Td", max_plays=8))
    play(env, "As", "2c", "SJ", "declare K", "Rv-c", "8c", "9d", "9c", "Dr-c", "place under 1", "place on top")
    lines = [
        "player 0 plays As",
        "player 1 plays 2c",
        "player 1 plays SJ",
        "player 1 declares the Joker to be a King",
        "player 2 plays Rv-c",
        "player 2 plays 8c",
        "player 2 plays 9d",
        "player 1 takes As 2c SJ Rv-c 8c 9d from the stack",
        "play now goes counterclockwise",
        "player 0 plays 9c",
        "player 1 plays Dr-c",
        "player 0 draws a card",
        "player 0 puts it under 1 card of their pack",
        "player 0 draws a card",
        "player 0 puts it on top of their pack",
        "player 0 shares the game that is stopped with 1 other",
        "player 1 shares the game that is stopped with 1 other",
        "the game is over",
    ]
    assert told(env, 0) == told(env, 2) == lines
    assert [text for text in told(env) if text not in lines] == ["player 0 draws Tc", "player 0 draws Td"]


@pytest.mark.rule("BM-51")
@pytest.mark.parametrize("seed", range(3))
def test_the_end_is_not_told_before_it_comes(seed: int) -> None:
    """Though the game was played to its end to see whether there is a decision."""
    env = raw_env(GAME, deck="standard")
    env.reset(seed=seed)
    assert [text.split()[0] for text in told(env)[:3]] == ["hand", "player", "player"]
    plays = [event for event in env.history("player_0") if event.kind == "play"]
    assert len(plays) == field(env, "plays")
    assert set(told(env, 0)[1:3]) == {f"player {seat} is dealt 26 cards" for seat in range(2)}
    env.step(PLAY)
    assert len([event for event in env.history() if event.kind == "play"]) == len(plays) + 1 == field(env, "plays")
    winner = list(env.rewards.values()).index(1.0)
    assert told(env, 1)[-2:] == [f"player {winner} wins", "the game is over"]
