"""Spades clause by clause: the deal, bids, leads, who wins, what the specials and Jokers do, the score, what is seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.spades_positions import (
    BID,
    GAME,
    LOSE,
    WIN,
    arranged,
    deck_of_hands,
    field,
    labels,
    last_trick,
    parse,
    play,
    seen,
    won_by,
)
from support import determinizations
from wilddeck.envs import raw_env

PILE = "2c 3c 4c 5c 6c 7c"  # for positions without these


def returns(env: Any) -> list[float]:
    return list(env.rewards.values())


# --- the deal and the bids ---


@pytest.mark.rule("SP-01")
def test_the_deal_the_bids_and_the_lead_go_round() -> None:
    """Hand h is dealt from seat h mod 4, who bids first and leads."""
    assert GAME.teams(GAME.make_options({})) == ((0, 2), (1, 3))
    env = raw_env("spades_v0", match="match", max_hands=6)
    deck = list(range(66))
    env.reset(seed=3, options={"decks": [deck] * 6})
    for hand in range(6):
        first = hand % 4
        assert sorted(env.zones()[f"hand/{first}"]) == deck[0:52:4]
        assert sorted(env.zones()[f"hand/{(first + 1) % 4}"]) == deck[1:52:4]
        for turn in range(4):
            assert env.current_player == (first + turn) % 4
            play(env, f"bid {turn + 1}")
        assert env.current_player == first == field(env, "leader_due")
        while env.legal_actions() and field(env, "deals") == hand + 1:
            env.step(env.legal_actions()[0])
    assert not env.legal_actions()


@pytest.mark.rule("SP-02")
@pytest.mark.parametrize(("deck", "left"), [("extended", 14), ("standard", 0)])
def test_thirteen_cards_each_and_a_pile(deck: str, left: int) -> None:
    env = raw_env("spades_v0", deck=deck)
    env.reset(seed=3)
    zones = env.zones()
    assert [len(zones[f"hand/{seat}"]) for seat in range(4)] == [13] * 4
    assert len(zones["pile"]) == left


@pytest.mark.rule("SP-05")
def test_each_player_bids_once() -> None:
    env = raw_env("spades_v0")
    env.reset(seed=3, options={"deck": deck_of_hands(["Rv-c Sk-s SJ", "Dr-c", "", ""])})
    for seat, bid in enumerate((4, 13, 9, 0)):
        most = 13 if seat < 2 else (9, 0)[seat - 2]
        assert labels(env) == {"bid nil", *(f"bid {number}" for number in range(1, most + 1))}  # and no reveals
        assert seen(env, seat, "phase") == [1, 0]
        env.step(BID + bid)
    assert field(env, "bids") == [4, 13, 9, 0]
    assert seen(env, 0, "phase") == [0, 1]
    assert not any(action >= BID for action in env.legal_actions())


@pytest.mark.rule("SP-05")
def test_without_the_cap_partners_bid_what_they_like() -> None:
    env = raw_env("spades_v0", team_cap=False)
    env.reset(seed=3)
    for _ in range(4):
        assert env.legal_actions() == [*range(BID, BID + 14)]
        env.step(BID + 13)
    assert field(env, "bids") == [13] * 4


# --- leads and following ---


@pytest.mark.rule("SP-10")
def test_who_wins_a_trick_leads_the_next() -> None:
    env = arranged(["5h 2d", "Kh 3d", "Ah 4d", "6h 5d"])
    play(env, "5h", "Kh", "Ah", "6h")
    assert env.current_player == 2
    assert won_by(env) == [2]
    assert labels(env) == {"4d"}


@pytest.mark.rule("SP-11")
def test_suit_is_followed_specials_included() -> None:
    env = arranged(["5h 2d", "Rv-h 2h Ks SJ", "3d", "4d"])
    play(env, "5h")
    assert labels(env) == {"Rv-h", "2h", "SJ"}
    env = arranged(["5h 2d", "2c Rv-c Ks SJ", "3d", "4d"])
    play(env, "5h")
    assert labels(env) == {"2c", "Rv-c", "Ks", "SJ"}  # no duty to trump


@pytest.mark.rule("SP-12")
@pytest.mark.parametrize(
    ("hands", "winner"),
    [
        (["5h", "Ah", "2s", "3s"], 3),
        (["5h", "Ah", "Ac", "Ad"], 1),
        (["5h", "Dr-s", "2h", "2s"], 3),  # an ordered spade beats a special one
        (["5h", "Kh", "Rv-h", "Ac"], 1),  # specials of the led suit are left out
    ],
)
def test_the_highest_spade_wins_or_the_highest_card_led(hands: list[str], winner: int) -> None:
    env = arranged(hands)
    while env.legal_actions():
        env.step(env.legal_actions()[0])
    assert won_by(env) == [winner]


@pytest.mark.rule("SP-13")
def test_the_only_spade_wins_though_special() -> None:
    env = arranged(["5h 2c", "Dr-s 3c", "Ah 4c", "Kh 5c"])
    play(env, "5h", "Dr-s", "Ah", "Kh")
    assert won_by(env) == [1]


@pytest.mark.rule("SP-13")
def test_a_losing_joker_is_no_second_spade() -> None:
    """Counted over real cards; the Joker could have won."""
    for choice, winner in ((WIN, 3), (LOSE, 1)):
        env = arranged(["5h 2c", "Dr-s 3c", "Ah 4c", "SJ 5c"])
        play(env, "5h", "Dr-s", "Ah", "SJ", choice)
        assert won_by(env) == [winner]


@pytest.mark.rule("SP-14")
def test_the_only_card_of_the_led_suit_wins_though_special() -> None:
    env = arranged(["Dr-d 2h", "Ah 3h", "Ac 4h", "Kc 5h"])
    play(env, "Dr-d", "Ah", "Ac", "Kc")
    assert won_by(env) == [0]


@pytest.mark.rule("SP-15", "SP-46")
def test_only_specials_of_the_winning_suit_win_nothing() -> None:
    """The trick is counted for nobody, and who led it leads again."""
    env = arranged(["Ah 2d", "Dr-h 3d", "4c 4d", "Dr-s 5d"])
    play(env, "Ah", "Dr-h", "4c", "Dr-s")
    assert won_by(env) == [3]  # one spade
    env = arranged(["Dr-d 2h 2c", "Dr-h 3h", "4c 4h", "Rv-d 5h"], tricks_done=10, leader=3)
    play(env, "Rv-d", "4c", "Dr-h", "Dr-d")  # led by 3, backwards
    assert won_by(env) == []
    assert env.zones()["dead"] == sorted(parse("Dr-d Dr-h 4c Rv-d"))
    assert field(env, "leader_due") == env.current_player == 3
    assert field(env, "tricks_done") == 11
    assert sum(field(env, "tricks")) == 0


@pytest.mark.rule("SP-46")
def test_tricks_of_a_hand_may_add_to_less_than_13() -> None:
    env = last_trick((2, 2, 2, 2), (5, 2, 0, 1))
    assert sum(field(env, "tricks")) == 8
    assert field(env, "totals") == [41, -40]


@pytest.mark.rule("SP-16")
@pytest.mark.parametrize(
    ("hand", "options", "legal", "suits"),
    [
        ("Ks 4d SJ", {}, {"4d", "SJ"}, "cdh"),  # example 12
        ("Ks Sk-s SJ", {}, {"Ks", "Sk-s", "SJ"}, "cdhs"),
        ("Ks Sk-c SJ", {}, {"Sk-c", "SJ"}, "cdh"),  # a special is of its suit
        ("SJ BJ", {}, {"SJ", "BJ"}, "cdhs"),
        ("Ks 4d SJ", {"broken": 1}, {"Ks", "4d", "SJ"}, "cdhs"),
        ("Ks 4d SJ", {"breaking": "free"}, {"Ks", "4d", "SJ"}, "cdhs"),
        ("Ks 4d SJ", {"breaking": "never"}, {"4d", "SJ"}, "cdh"),
        ("Ks 2s SJ", {"breaking": "never"}, {"Ks", "2s", "SJ"}, "cdhs"),
    ],
)
def test_when_spades_may_be_led(hand: str, options: dict[str, Any], legal: set[str], suits: str) -> None:
    env = arranged([hand, "2c 3c 4c", "5c 6c 7c", "8c 9c Tc"], **options)
    assert labels(env) == legal
    play(env, "SJ")
    assert labels(env) == {f"declare {rank}{suit}" for rank in "23456789TJQKA" for suit in suits}


@pytest.mark.rule("SP-16")
def test_a_later_player_who_leads_is_under_the_same_rule() -> None:
    """ED-67: the one due to lead lost their turn."""
    env = arranged(["Sk-d 2d", "Ks 4d", "5c 6c", "8c 9c"], pile=PILE.replace("5c 6c", "7h 8h"))
    play(env, "reveal Sk-d")
    assert env.current_player == 1
    assert labels(env) == {"4d"}


@pytest.mark.rule("SP-17")
@pytest.mark.parametrize(("breaking", "before", "after"), [("first_spade", 0, 1), ("never", 0, 0), ("free", 1, 1)])
def test_what_breaking_does_to_the_flag(breaking: str, before: int, after: int) -> None:
    env = raw_env("spades_v0", breaking=breaking, deck="standard")
    env.reset(seed=3, options={"deck": deck_of_hands(["Ah", "As", "2h", "3h"], standard=True)})
    for _ in range(4):
        env.step(BID + 1)
    assert [seen(env, seat, "broken") for seat in range(4)] == [[before]] * 4
    while not any(card % 4 == 3 for card in env.legal_actions()):
        env.step(env.legal_actions()[0])
    env.step(next(card for card in env.legal_actions() if card % 4 == 3))
    assert [seen(env, seat, "broken") for seat in range(4)] == [[after]] * 4


@pytest.mark.rule("SP-17", "SP-22")
@pytest.mark.parametrize(
    ("texts", "broken"),
    [
        (["2h", "3s"], 1),
        (["2h", "Dr-s"], 1),  # a special spade too
        (["2h", "Rv-c"], 0),
        (["2h", "reveal Dr-s", "redeal"], 0),  # a revealed card is not played (ED-28)
        (["SJ", "declare 9d"], 0),
        (["SJ", "declare 9s"], 1),
        (["2h", "SJ"], 0),
        (["2h", "SJ", "4h", "5h", LOSE], 0),
        (["2h", "SJ", "4h", "5h", WIN], 1),
    ],
)
def test_spades_are_broken_by(texts: list[str], broken: int) -> None:
    leads_joker = texts[0] == "SJ"
    hands = ["2h SJ 2s 3d", "3s Dr-s Rv-c BJ", "4h 4d", "5h 5d"]
    if leads_joker:
        hands[0] = "SJ 2s"  # who may lead spades
    else:
        hands[0], hands[1] = "2h 3d", "3s Dr-s Rv-c SJ"
    env = arranged(hands, pile="7h 8h 9h")
    play(env, *texts)
    assert field(env, "broken") == broken


@pytest.mark.rule("SP-17", "SP-20")
def test_a_joker_that_can_only_win_breaks_spades_unasked() -> None:
    """Led as a diamond, with neither diamonds nor spades from the others, it has nothing to lose to."""
    env = arranged(["SJ 2c", "Ah 3c", "Kh 4c", "Qh 5c"])
    play(env, "SJ", "declare 9d", "Ah", "Kh", "Qh")
    assert won_by(env) == [0]
    assert field(env, "broken") == 1


# --- Jokers ---


@pytest.mark.rule("SP-20")
def test_two_jokers_do_not_both_stand_for_the_ace() -> None:
    env = arranged(["9h 2c", "SJ 3c", "BJ 4c", "2h 5c"])
    play(env, "9h", "SJ", "BJ", "2h")
    assert (env.current_player, labels(env)) == (1, {WIN, LOSE})
    second = env.clone()
    play(env, WIN)
    assert won_by(env) == [1]
    play(second, LOSE)
    assert (second.current_player, labels(second)) == (2, {WIN, LOSE})
    assert seen(second, 0, "question") == [0, 0, 1]
    play(second, LOSE)
    assert won_by(second) == [0]


@pytest.mark.rule("SP-21")
def test_a_joker_does_not_beat_the_ace_of_spades() -> None:
    """Example 9: it must lose, and nobody is asked. Against the King it may win."""
    env = arranged(["5h 3h", "SJ 3c", "As 4c", "2h 5c"])
    play(env, "5h", "SJ", "As", "2h")
    assert won_by(env) == [2]
    assert env.current_player == 2
    env = arranged(["5h 3h", "SJ 3c", "Ks 4c", "2h 5c"])
    play(env, "5h", "SJ", "Ks", "2h", WIN)
    assert won_by(env) == [1]


@pytest.mark.rule("SP-22")
def test_a_joker_that_leads_is_declared_and_stays_open() -> None:
    """The suit is to be followed, whatever the Joker stands for in the end."""
    env = arranged(["SJ 3h", "Kd 3c", "4c 5c", "2d 6c"])
    play(env, "SJ")
    assert env.current_player == 0
    assert seen(env, 1, "question") == [0, 1, 0]
    play(env, "declare Ad")
    assert seen(env, 1, "led_suit") == [0, 1, 0, 0]
    assert np.flatnonzero(seen(env, 1, "declared")).tolist() == parse("Ad")
    assert labels(env) == {"Kd"}
    play(env, "Kd", "4c", "2d")
    assert env.current_player == 0
    play(env, LOSE)
    assert won_by(env) == [1]  # Kd, though the Joker was declared Ad


# --- specials ---


@pytest.mark.rule("SP-23")
def test_a_draw_makes_the_next_player_take_two() -> None:
    env = arranged(["Dr-h 3h", "Kh 3c", "4h 4d", "5h 5d"], pile="7h 8h 9h")
    play(env, "Dr-h")
    assert sorted(env.zones()["hand/1"]) == sorted(parse("Kh 3c 7h 8h"))
    assert labels(env) == {"Kh", "7h", "8h"}
    assert seen(env, 0, "hand_sizes") == pytest.approx([1 / 27, 4 / 27, 2 / 27, 2 / 27])


@pytest.mark.rule("SP-24")
def test_a_reverse_puts_the_next_player_off() -> None:
    env = arranged(["2h 3h", "Rv-h 3c", "4h 4d", "5h 5d"])
    play(env, "2h", "Rv-h")
    assert field(env, "direction") == -1
    assert env.current_player == 3
    play(env, "5h")
    assert env.current_player == 2


@pytest.mark.rule("SP-25")
def test_a_skip_costs_the_next_player_their_card() -> None:
    env = arranged(["2h 3h", "Sk-h 3c", "4h 4d", "5h 5d"])
    play(env, "2h", "Sk-h")
    assert env.current_player == 3
    play(env, "5h")
    assert field(env, "tricks_done") == 12
    assert env.zones()["hand/2"] == parse("4d 4h")
    assert won_by(env) == [3]


@pytest.mark.rule("SP-26")
@pytest.mark.parametrize(("special", "leader", "direction", "held"), [("Dr-c", 2, 1, 3), ("Sk-c", 3, 1, 1), ("Rv-c", 1, -1, 1)])
def test_a_special_played_last_acts_on_the_next_leader(special: str, leader: int, direction: int, held: int) -> None:
    env = arranged(["2h 3h", "4h 3c", "Ah 4d", f"{special} 5d"], pile="7h 8h 9h")
    play(env, "2h", "4h", "Ah", special)
    assert won_by(env) == [2]
    assert field(env, "leader_due") == 2
    assert env.current_player == leader
    assert field(env, "direction") == direction
    assert len(env.zones()["hand/2"]) == held


@pytest.mark.rule("SP-27")
@pytest.mark.parametrize(("special", "mover", "direction", "held"), [("Dr-c", 0, 1, 4), ("Sk-c", 1, 1, 3), ("Rv-c", 3, -1, 3)])
def test_a_revealed_special_acts_on_oneself(special: str, mover: int, direction: int, held: int) -> None:
    env = arranged([f"2h 3h {special}", "4h 3c", "Ah 4d", "5h 5d"], pile="7h 8h 9h", tricks_done=11)
    assert f"reveal {special}" in labels(env)
    play(env, f"reveal {special}")
    assert env.current_player == mover
    assert field(env, "direction") == direction
    assert len(env.zones()["hand/0"]) == held
    assert env.zones()["aside"] == parse(special)


# --- the end of a hand ---


@pytest.mark.rule("SP-03")
def test_the_thirteenth_trick_is_the_last() -> None:
    env = last_trick((1, 1, 1, 1), (4, 3, 3, 3), left=(2, 0, 1, 0))
    assert not env.legal_actions()
    assert field(env, "tricks_done") == 13
    assert [len(env.zones()[f"hand/{seat}"]) for seat in range(4)] == [2, 0, 1, 0]
    assert field(env, "totals") == [25, 24]


@pytest.mark.rule("SP-40", "SP-41", "SP-42", "SP-43")
@pytest.mark.parametrize(
    ("bids", "tricks", "bags", "totals", "after"),
    [
        ((4, 3, 3, 2), (5, 3, 3, 2), (0, 0), (71, 50), (1, 0)),  # example 1
        ((4, 3, 3, 2), (5, 2, 4, 2), (0, 0), (72, -50), (2, 0)),  # 2
        ((0, 4, 5, 3), (0, 4, 6, 3), (0, 0), (151, 70), (1, 0)),  # 3
        ((0, 4, 5, 3), (1, 4, 5, 3), (0, 0), (-49, 70), (1, 0)),  # 4
        ((0, 4, 0, 3), (2, 4, 0, 3), (0, 0), (2, 70), (2, 0)),  # 5
        ((3, 4, 3, 3), (4, 2, 5, 2), (8, 3), (-37, -70), (1, 3)),  # 6
        ((3, 4, 3, 3), (3, 5, 3, 2), (9, 9), (60, 70), (9, 9)),  # no bag more
        ((3, 4, 3, 2), (3, 5, 3, 2), (9, 9), (60, -39), (9, 0)),  # the tenth bag
        ((0, 0, 0, 0), (10, 0, 0, 3), (0, 0), (-90, 3), (0, 3)),  # ten bags in a hand; one nil of each team kept
        ((1, 2, 1, 2), (7, 0, 6, 0), (9, 0), (-169, -40), (0, 0)),  # two tens at once
        ((13, 0, 0, 0), (12, 1, 0, 0), (0, 0), (-30, 1), (0, 1)),
    ],
)
def test_the_score_of_a_hand(bids: Any, tricks: Any, bags: Any, totals: Any, after: Any) -> None:
    env = last_trick(bids, tricks, bags=bags)
    assert field(env, "totals") == list(totals)
    assert field(env, "bags") == list(after)
    assert returns(env) == pytest.approx([(totals[0] - totals[1]) / 500, (totals[1] - totals[0]) / 500] * 2, abs=1e-7)
    assert sum(returns(env)) == 0
    other = last_trick(bids, tricks, bags=bags, reward="openspiel")
    assert returns(other) == [*totals, *totals]


@pytest.mark.rule("SP-44")
@pytest.mark.parametrize(
    ("tricks", "left", "leftover", "totals", "bags"),
    [
        ((3, 3, 2, 3), (2, 0, 1, 0), True, (-57, 60), (3, 0)),  # example 14
        ((3, 3, 2, 3), (2, 0, 1, 0), False, (-60, 60), (0, 0)),
        ((4, 3, 3, 3), (2, 0, 1, 1), True, (64, 61), (4, 1)),
        ((4, 3, 3, 3), (5, 0, 4, 0), True, (-30, 60), (0, 0)),  # a bag of a trick and nine cards
    ],
)
def test_cards_left_are_bags(tricks: Any, left: Any, leftover: bool, totals: Any, bags: Any) -> None:
    env = last_trick((3, 3, 3, 3), tricks, left, leftover_bags=leftover)
    assert field(env, "totals") == list(totals)
    assert field(env, "bags") == list(bags)


@pytest.mark.rule("SP-45")
@pytest.mark.parametrize(
    ("before", "options", "rewards"),
    [
        ((440, 0), {}, [1, -1, 1, -1]),  # 60 points more: the target is reached
        ((439, 0), {}, None),
        ((139, 0), {"target": 199}, [1, -1, 1, -1]),
        ((440, 520), {}, [-1, 1, -1, 1]),  # the higher total, whoever reached the target
        ((440, 440), {}, [0, 0, 0, 0]),
        ((0, -280), {}, None),
        ((0, -410), {}, [1, -1, 1, -1]),  # mercy
        ((0, -409), {}, None),
        ((0, -410), {"mercy": None}, None),
        ((0, -410), {"mercy": -351}, None),
        ((0, 0), {"max_hands": 1}, [0, 0, 0, 0]),
        ((-1, 0), {"max_hands": 1}, [-1, 1, -1, 1]),
        ((0, 0), {"max_hands": 2}, None),
    ],
)
def test_the_end_of_a_match(before: Any, options: dict[str, Any], rewards: list[int] | None) -> None:
    """Both teams make 60 in this hand."""
    env = last_trick((3, 3, 3, 3), (3, 3, 3, 3), totals=before, match="match", **options)
    assert [total - 60 for total in field(env, "totals")] == list(before)
    assert bool(env.legal_actions()) == (rewards is None)
    assert returns(env) == (rewards or [0, 0, 0, 0])
    assert field(env, "deals") == (2 if rewards is None else 1)


@pytest.mark.rule("SP-43", "SP-45")
def test_points_and_bags_go_on_to_the_next_hand() -> None:
    env = last_trick((3, 3, 3, 3), (4, 3, 3, 3), totals=(10, 20), bags=(3, 8), match="match", only_spades=(53, 0, 0, 0))
    assert seen(env, 0, "totals") == pytest.approx([71 / 500, 80 / 500])
    assert seen(env, 1, "totals") == pytest.approx([80 / 500, 71 / 500])
    assert seen(env, 2, "bags") == pytest.approx([0.4, 0.8])
    assert field(env, "bids") == [-1] * 4
    assert field(env, "only_spades") == [0] * 4
    assert seen(env, 1, "bids") == [1, *[0] * 14] * 4
    assert seen(env, 1, "tricks") == [0] * 4
    assert [len(env.zones()[f"hand/{seat}"]) for seat in range(4)] == [13] * 4
    assert env.current_player == 1


@pytest.mark.rule("SP-45")
def test_a_random_match_ends() -> None:
    batch_options = {"match": "match", "mercy": None, "max_hands": 3}
    env = raw_env("spades_v0", **batch_options)
    env.reset(seed=8)
    while env.legal_actions():
        env.step(env.legal_actions()[-1])
    assert field(env, "deals") == 3
    assert sorted(returns(env)) in ([-1, -1, 1, 1], [0, 0, 0, 0])


@pytest.mark.rule("SP-47")
@pytest.mark.parametrize(("options", "longest"), [({}, 119), ({"match": "match", "max_hands": 7}, 7 * 119)])
def test_the_longest_hand(options: dict[str, Any], longest: int) -> None:
    assert GAME.max_length(GAME.make_options(options)) == longest


# --- what is seen ---


def test_bids_and_tricks_are_seen_from_each_seat() -> None:
    env = arranged(["2h 3d", "Ah 3c", "4h 4d", "5h 5d"], bids=(0, 5, 13, 2))
    play(env, "2h", "Ah", "4h", "5h")
    for viewer in range(4):
        bids = np.array(seen(env, viewer, "bids")).reshape(4, 15)
        assert np.argmax(bids, axis=1).tolist() == [[1, 6, 14, 3][(viewer + place) % 4] for place in range(4)]
        assert bids.sum() == 4
        won = [(viewer + place) % 4 == 1 for place in range(4)]
        assert seen(env, viewer, "tricks") == pytest.approx([float(tricks) / 13 for tricks in won])


def test_a_sample_gives_no_hand_a_suit_it_has_shown_to_lack() -> None:
    env = arranged(["2h 3d 4c", "6s 6c 8d", "4h 4d 7c", "5h 5d 8c"], pile="7h 8h 9h Tc")
    play(env, "2h", "6s")
    for record in determinizations(env, 0, range(40)):
        assert not int(record["hand"][1, 0]) & 0x4444444444444444
        assert record["hand"][0].tolist() == field(env, "hand")[0]


@pytest.mark.rule("SP-16")
@pytest.mark.parametrize(
    ("breaking", "lead", "certain"),
    [
        ("first_spade", ["2s"], True),
        ("never", ["2s"], True),
        ("free", ["2s"], False),
        ("first_spade", ["SJ", "declare 2s"], True),
        ("never", ["SJ", "declare 2d"], False),
    ],
)
def test_a_sample_knows_who_led_a_spade_too_early(breaking: str, lead: list[str], certain: bool) -> None:
    env = arranged(["2s Ks Sk-s SJ", "3d 3c 4c 5c", "4d 6s 4h 5h", "5d 6h 7h 8h"], pile="7c 8c 9c Tc", breaking=breaking)
    play(env, *lead)
    plain = [int(record["hand"][0, 0]) & 0x7777777777777777 for record in determinizations(env, 1, range(40))]
    assert (not any(plain)) == certain
    assert seen(env, 1, "seen_void") == [0] * 16
    env.record["pile_at"][0] += 1  # somebody has taken a card
    assert any(int(record["hand"][0, 0]) & 0x7777777777777777 for record in determinizations(env, 1, range(40)))


def test_what_is_said_of_a_game() -> None:
    env = arranged(["2h 3d", "Ah 3c", "4h 4d", "5h 5d"], bids=(0, 5, 1, 2), match="match", totals=(70, -30))
    play(env, "2h", "Ah", "4h", "5h")
    said = env.describe()
    for part in ("hand 1", "trick 13", "player 0 bid nil and has 0", "player 1 bid 5 and has 1", "players 1 and 3: -30 points"):
        assert part in said
    env.reset(seed=1)
    assert env.describe().startswith("hand 1; bidding")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward": "openspiel", "match": "match"}, "option reward='openspiel' is not allowed in a match"),
        ({"mercy": 0}, r"option mercy=0 is not allowed; allowed: -2000\.\.-1, none"),
        ({"target": 0}, r"option target=0 is not allowed; allowed: 1\.\.2000"),
        ({"deck": "54"}, "option deck='54' is not allowed; allowed: extended, standard"),
        ({"num_players": 3}, "option num_players=3 is not allowed; allowed: 4"),
        ({"bags": 10}, "spades_v0 has no option 'bags'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        raw_env("spades_v0", **options)


@pytest.mark.parametrize(("deck", "wrong"), [("extended", 52), ("standard", 66)])
def test_a_deck_with_other_cards_is_refused(deck: str, wrong: int) -> None:
    env = raw_env("spades_v0", deck=deck)
    with pytest.raises(ValueError, match=r"not a permutation of the \d\d cards of spades_v0"):
        env.reset(options={"deck": list(range(wrong))})
