"""Crazy eights clause by clause; the worked examples of the page are in test_crazy_eights_examples.py,
specials, twos, Queens and Aces in test_crazy_eights_specials.py."""

from __future__ import annotations

import random

import pytest
import wilddeck
from games.crazy_eights_positions import (
    GAME,
    arranged,
    field,
    hand,
    is_over,
    labels,
    parse,
    payoffs,
    play,
    plays,
    seen,
    started,
    turned_up,
)
from support import history_text
from wilddeck.envs import raw_env

ALL_SUITS = {f"nominate {suit}" for suit in ("clubs", "diamonds", "hearts", "spades")}


# --- the start ---


@pytest.mark.rule("CE-01")
@pytest.mark.parametrize(("num_players", "hand_size"), [(2, 7), (3, 5), (7, 5)])
def test_cards_are_dealt_one_by_one_from_the_dealers_left(num_players: int, hand_size: int) -> None:
    env = turned_up("4c", dealer=1, num_players=num_players)
    deck = [card for card in range(52) if card // 4 != 6 and card != 8][::-1]
    for k in range(num_players):
        seat = (2 + k) % num_players
        assert sorted(env.zones()[f"hand/{seat}"]) == sorted(deck[k : hand_size * num_players : num_players])
    assert len(env.zones()["pile"]) == 66 - hand_size * num_players - 1
    assert field(env, "direction") == 1


@pytest.mark.rule("CE-01")
def test_the_dealer_is_drawn_or_named() -> None:
    batch = wilddeck.make_batch("crazy_eights_v0", 700, seed=1, num_players=7)
    assert all(70 < (batch.states["dealer"] == seat).sum() < 135 for seat in range(7))
    assert (wilddeck.make_batch("crazy_eights_v0", 50, seed=1, dealer=2).states["dealer"] == 2).all()


@pytest.mark.rule("CE-02")
@pytest.mark.parametrize("wild", ["8h", "SJ", "BJ"])
def test_an_eight_or_a_joker_turned_up_goes_back(wild: str) -> None:
    env = turned_up(f"{wild} 4c 9d Th")
    assert env.zones()["top"] == parse("4c")
    assert parse(wild)[0] in env.zones()["pile"]
    assert f"put back into the pile at the start: {wild}" in env.describe()


@pytest.mark.rule("CE-02")
def test_it_goes_to_any_place_alike() -> None:
    """The others keep their order; turned up once more it goes back once more."""
    places = []
    for seed in range(600):
        env = turned_up("8h 4c 9d Th", seed=seed, deck="standard")
        pile = env.zones()["pile"]
        assert env.zones()["top"] == parse("4c")
        assert [card for card in pile if card != 26][:2] == parse("9d Th")
        places.append(pile.index(26))
    assert len(pile) == 31
    assert set(places) == set(range(31))
    assert max(map(places.count, places)) < 45


@pytest.mark.rule("CE-03")
@pytest.mark.parametrize("dealer", range(4))
def test_the_player_on_the_dealers_left_begins(dealer: int) -> None:
    assert turned_up("4c", dealer=dealer).current_player == (dealer + 1) % 4


@pytest.mark.rule("CE-03", "CE-44")
@pytest.mark.parametrize("starter", ["2c", "Qc", "Ac"])
def test_without_special_cards_these_begin_as_others(starter: str) -> None:
    env = turned_up(starter)
    assert (env.current_player, field(env, "direction"), field(env, "debt")) == (0, 1, 0)


@pytest.mark.rule("CE-04")
def test_specials_turned_up_are_redealt_draws_by_two() -> None:
    env = turned_up("Dr-s Rv-c 6c 8h Sk-d Dr-h 5c SJ Jh 9s")
    zones = env.zones()
    assert zones["top"] == parse("Jh")  # three cards laid: 6c, 5c and Jh
    assert zones["discards"] == parse("5c 6c")
    assert zones["aside"] == parse("Dr-h Dr-s Rv-c Sk-d")
    assert {*parse("8h SJ 9s")} <= set(zones["pile"])
    assert field(env, "put_back") == [1 << 26, 1]


@pytest.mark.rule("CE-05")
@pytest.mark.parametrize(
    ("starter", "direction", "order"),
    [
        ("Sk-h 4d", 1, [1, 2, 3, 0]),
        ("Rv-h 4d", -1, [3, 2, 1, 0]),
        ("Sk-h Sk-d 4d", 1, [2, 3, 0, 1]),
        ("Rv-h Sk-d 4d", -1, [2, 1, 0, 3]),
        ("Rv-h Rv-d 4d", 1, [0, 1, 2, 3]),
        ("Sk-h Rv-d 4d", -1, [3, 2, 1, 0]),  # 0 is skipped, 1 put off: 0 would be next, and loses their turn
        ("Sk-h Rv-c Rv-d 4d", 1, [1, 2, 3, 1]),  # 0 loses a turn that comes later
        ("Sk-c Sk-d Sk-h Sk-s 4d", 1, [0, 1, 2, 3]),
    ],
)
def test_reverses_and_skips_turned_up_act_on_who_is_to_begin(starter: str, direction: int, order: list[int]) -> None:
    env = turned_up(starter, max_draw_cards=1)
    assert field(env, "direction") == direction
    movers = []
    for _ in order:
        movers.append(env.current_player)
        play(env, "draw", "pass")
    assert movers == order


@pytest.mark.rule("CE-05", "CE-44")
@pytest.mark.parametrize(
    ("starter", "mover", "direction"), [("Sk-h Qc", 2, 1), ("Rv-h Qc", 0, -1), ("Sk-h Ac", 1, -1), ("Rv-h Ac", 3, 1)]
)
def test_they_act_after_a_queen_or_an_ace_on_top(starter: str, mover: int, direction: int) -> None:
    """3 deals: after a Queen 1 is to begin, after an Ace 2."""
    env = turned_up(starter, use_special_cards=True)
    assert (env.current_player, field(env, "direction")) == (mover, direction)


@pytest.mark.rule("CE-05", "CE-41")
def test_a_lost_turn_pays_no_debt() -> None:
    env = turned_up("Sk-h 2c", use_special_cards=True)
    assert (env.current_player, field(env, "debt")) == (1, 2)
    play(env, "draw")
    assert (env.current_player, field(env, "debt")) == (2, 0)


@pytest.mark.rule("CE-06")
def test_what_is_asked_for_is_seen() -> None:
    env = arranged(["8c Kd 3s", "4d 5d", "6d"], top="7h")
    assert seen(env, 1, "rank").index(1) == 5
    assert seen(env, 1, "suit") == [0, 0, 1, 0]
    play(env, "8c")
    assert (seen(env, 0, "rank").index(1), seen(env, 0, "suit")) == (6, [1, 0, 0, 0])  # its own until one is named
    assert seen(env, 2, "phase") == [0, 0, 1]
    play(env, "nominate diamonds")
    assert (seen(env, 0, "rank").index(1), seen(env, 0, "suit")) == (6, [0, 1, 0, 0])


@pytest.mark.rule("CE-06", "CE-12")
def test_a_joker_asks_for_what_it_was_declared() -> None:
    env = arranged(["SJ Kd 3s", "4d Th BJ 9c", "6d"], top="Rv-h")
    play(env, "SJ")
    assert (seen(env, 1, "rank").index(1), seen(env, 1, "suit")) == (14, [0, 0, 1, 0])  # of the card beneath, so far
    assert seen(env, 1, "phase") == [0, 1, 0]
    assert seen(env, 1, "top").index(1) == 52
    play(env, "declare Th")
    assert (seen(env, 1, "rank").index(1), seen(env, 1, "suit")) == (8, [0, 0, 1, 0])
    assert plays(env) == {"Th", "BJ"}


# --- playing ---


@pytest.mark.rule("CE-10")
def test_suit_or_rank_or_an_eight() -> None:
    env = arranged(["2h Sk-h 7s 7c 8d 8h Kd Sk-c 2s", "4d 5d"], top="7h")
    assert plays(env) == {"2h", "Sk-h", "7s", "7c", "8d", "8h"}


@pytest.mark.rule("CE-10")
def test_after_an_eight_rank_8_and_the_suit_named() -> None:
    env = arranged(["8c 4d", "8d Ks Th 3c Sk-s"], top="7h")
    play(env, "8c", "nominate spades")
    assert plays(env) == {"8d", "Ks", "Sk-s"}


@pytest.mark.rule("CE-11")
def test_after_an_eight_a_suit_is_named() -> None:
    env = arranged(["8c 4d", "5d 6d"], top="7h")
    play(env, "8c")
    assert env.current_player == 0
    assert labels(env) == ALL_SUITS
    play(env, "nominate clubs")  # its own
    assert env.current_player == 1


@pytest.mark.rule("CE-12")
def test_a_joker_is_declared_a_card_that_could_be_played() -> None:
    env = arranged(["SJ 4d", "5d 6d"], top="7h")
    assert "SJ" in plays(env)
    play(env, "SJ")
    hearts, sevens, eights = "23456789TJQKA", ["7c", "7d", "7s"], ["8c", "8d", "8s"]
    assert labels(env) == {f"declare {card}" for card in [*(rank + "h" for rank in hearts), *sevens, *eights]}


@pytest.mark.rule("CE-12")
def test_on_a_special_a_joker_is_of_its_suit_or_an_eight() -> None:
    env = arranged(["SJ 4d", "5d 6d"], top="Sk-c")
    play(env, "SJ")
    clubs = {f"{rank}c" for rank in "23456789TJQKA"}
    assert {label.removeprefix("declare ") for label in labels(env)} == clubs | {"8d", "8h", "8s"}


@pytest.mark.rule("CE-12")
@pytest.mark.parametrize(
    ("card", "mover", "direction", "debt"), [("2h", 1, 1, 2), ("Qh", 2, 1, 0), ("Ah", 3, -1, 0), ("Kh", 1, 1, 0)]
)
def test_a_joker_acts_as_what_it_is_declared(card: str, mover: int, direction: int, debt: int) -> None:
    env = arranged(["SJ 4d", "5d 6d", "4c 5c", "6c 7c"], top="7h", pile="9c Tc Jc", use_special_cards=True)
    play(env, "SJ", f"declare {card}")
    assert (env.current_player, field(env, "direction"), field(env, "debt")) == (mover, direction, debt)


@pytest.mark.rule("CE-12", "CE-11")
def test_a_joker_declared_an_eight_has_a_suit_named() -> None:
    env = arranged(["SJ 4d", "5d 6s", "4c 5c"], top="7h")
    play(env, "SJ", "declare 8s")
    assert (env.current_player, labels(env)) == (0, ALL_SUITS)
    play(env, "nominate diamonds")
    assert plays(env) == {"5d"}


@pytest.mark.rule("CE-13")
def test_a_joker_may_be_a_card_that_lies_elsewhere() -> None:
    """On the pile, in the own hand and in another."""
    env = arranged(["SJ 4h", "5h 6s"], top="7h")
    play(env, "SJ")
    assert {"declare 7h", "declare 4h", "declare 5h"} <= labels(env)
    play(env, "declare 7h")
    assert plays(env) == {"5h"}


# --- the turn ---


@pytest.mark.rule("CE-20")
def test_draws_are_allowed_beside_plays_as_many_as_the_option_says() -> None:
    env = arranged(["7s 4d", "5d 6d"], top="7h", pile="3c 4c 5c 6c", max_draw_cards=2)
    assert labels(env) == {"7s", "draw"}
    play(env, "draw")
    assert labels(env) == {"7s", "draw"}
    play(env, "draw")
    assert labels(env) == {"7s", "pass"}
    play(env, "pass")
    assert (env.current_player, field(env, "drawn")[:2]) == (1, [0, 0])


@pytest.mark.rule("CE-20")
def test_without_a_pile_one_passes() -> None:
    env = arranged(["7s 4d", "5d 6d"], top="7h")
    assert labels(env) == {"7s", "pass"}


@pytest.mark.rule("CE-21")
def test_a_draw_brings_a_card_and_a_play_ends_the_turn() -> None:
    env = arranged(["4d 5s", "5d 6d"], top="7h", pile="7c 4c")
    play(env, "draw")
    assert (env.current_player, hand(env, 0)) == (0, "4d 5s 7c")
    assert seen(env, 1, "drawn") == pytest.approx([0.2])
    play(env, "7c")
    assert env.current_player == 1
    assert seen(env, 1, "drawn") == [0]


@pytest.mark.rule("CE-21")
def test_a_draw_of_the_last_card_counts_as_all() -> None:
    env = arranged(["4d 5s", "5d 6d"], top="7h", pile="7c")
    play(env, "draw")
    assert seen(env, 0, "drawn") == [1]
    assert labels(env) == {"7c", "pass"}


@pytest.mark.rule("CE-21", "CE-22")
def test_a_pile_made_anew_lets_the_player_draw_on() -> None:
    env = arranged(["4d 5s", "5d 6d"], top="7h", pile="3c", reshuffle=True)
    play(env, "draw")
    assert seen(env, 0, "drawn") == pytest.approx([0.2])
    assert "draw" in labels(env)
    assert len(env.zones()["pile"]) == 66 - 6
    assert env.zones()["discards"] == []
    assert [card for card in range(66) if seen(env, 0, "discards")[card]] == parse("7h")


@pytest.mark.rule("CE-22")
def test_the_pile_is_made_anew_in_the_middle_of_a_draw() -> None:
    env = arranged(["4d 5s", "5d 6d"], top="2h", pile="3c", reshuffle=True, use_special_cards=True, debt=4)
    play(env, "draw")
    assert len(env.zones()["hand/0"]) == 6
    assert 4 in env.zones()["hand/0"]
    assert len(env.zones()["pile"]) == 66 - 8 - 1


@pytest.mark.rule("CE-22")
def test_a_play_lays_the_card_for_it_before_anything_is_declared() -> None:
    """All other cards are in hands, so the pile is the card that was on top; its 2 then makes a debt."""
    rest = [card for card in GAME.deck(GAME.make_options({})) if card not in parse("SJ 4d 7h")]
    others = " ".join(wilddeck.cards.text([card], joker_kinds=True) for card in rest)
    env = arranged(["SJ 4d", others], top="7h", reshuffle=True, use_special_cards=True)
    assert labels(env) == {"SJ", "pass"}
    play(env, "SJ")
    assert env.zones()["pile"] == parse("7h")
    play(env, "declare 2h")
    assert field(env, "debt") == 2


@pytest.mark.rule("CE-22", "CE-41")
def test_a_2_owes_cards_of_the_pile_that_it_makes() -> None:
    rest = [card for card in range(52) if card not in parse("2h 4d 7h")]
    env = arranged(["2h 4d", wilddeck.cards.text(rest)], top="7h", deck="standard", reshuffle=True, use_special_cards=True)
    play(env, "2h")
    assert (field(env, "debt"), env.zones()["pile"]) == (2, parse("7h"))
    play(env, "draw")
    assert (env.current_player, field(env, "debt"), field(env, "passes")) == (0, 0, 0)


@pytest.mark.rule("CE-22", "CE-24")
def test_the_last_play_of_a_deal_does_not() -> None:
    env = arranged(["7d", "5d 6d"], top="7h", reshuffle=True, refill=[0, 0], aside="")
    play(env, "7d")
    assert is_over(env)
    assert env.zones()["pile"] == []


@pytest.mark.rule("CE-22")
def test_without_the_option_the_pile_stays_empty() -> None:
    env = arranged(["4d 5s", "5d 6d"], top="7h", pile="3c")
    play(env, "draw")
    assert env.zones()["pile"] == []
    assert len(env.zones()["discards"]) == 66 - 6


@pytest.mark.rule("CE-23")
def test_passes_without_a_pile_end_the_deal() -> None:
    env = arranged(["4d 5s", "5d 6d", "9c 9s"], top="7h")
    for count in range(4):
        assert field(env, "passes") == count
        assert seen(env, 0, "passes") == pytest.approx([count / 4])
        play(env, "pass")
    assert is_over(env)
    assert payoffs(env) == [round((9 + 11 + 18) / 300 - q / 100, 4) for q in (9, 11, 18)]


@pytest.mark.rule("CE-23")
def test_a_play_sets_the_count_to_0() -> None:
    env = arranged(["4d 5s", "5d 7d Kd", "9c 9s"], top="7h")
    play(env, "pass", "7d")
    assert field(env, "passes") == 0


@pytest.mark.rule("CE-23")
def test_a_pass_with_a_pile_does_not_count() -> None:
    env = arranged(["4d 5s", "5d 6d"], top="7h", pile="3c 4c", max_draw_cards=1)
    play(env, "draw", "pass")
    assert field(env, "passes") == 0


@pytest.mark.rule("CE-24", "CE-30")
@pytest.mark.parametrize("last", ["7d", "Dr-h", "8c", "SJ", "Qh"])
def test_the_last_card_ends_the_deal_and_does_nothing(last: str) -> None:
    env = arranged([last, "5d 6d", "4s 9s"], top="7h", pile="3c 4c 5c", use_special_cards=True)
    play(env, last)
    assert is_over(env)
    assert hand(env, 1) == "5d 6d"
    assert payoffs(env) == [0.08, -0.03, -0.05]


@pytest.mark.rule("CE-24")
def test_the_deal_ends_with_so_many_cards_played() -> None:
    env = arranged(["8c 4d", "5d 6d"], top="7h", plays=19, max_turns=20)
    assert seen(env, 0, "plays") == pytest.approx([0.95])
    play(env, "8c")
    assert is_over(env)
    assert payoffs(env) == [0.035, -0.035]


# --- the end ---


@pytest.mark.rule("CE-60", "ED-05")
@pytest.mark.parametrize(
    ("cards", "pips", "by_id"),
    [
        ("8c 8s", 100, 100),
        ("Tc Jd Qh Ks", 40, 64),
        ("Ac As", 2, 20),
        ("2c 3d 9s", 14, 2 + 7 + 33),
        ("4c 5d 6h 7s", 22, 10 + 15 + 20 + 25),
        ("Dr-c Rv-d Sk-s", 30, 30),
    ],
)
def test_what_cards_cost(cards: str, pips: int, by_id: int) -> None:
    for how, points in (("pips", pips), ("openspiel", by_id)):
        env = arranged(["Td", cards], top="9d", card_points=how, reward="openspiel")
        play(env, "Td")
        assert payoffs(env) == [0, -points]


@pytest.mark.rule("CE-61", "ED-17")
@pytest.mark.parametrize(
    ("cards", "pips", "by_id"),
    [("SJ", 1, 2), ("SJ BJ", 2, 5), ("SJ Ac Ad Ah As", 6, 42), ("SJ BJ Ac Ad Ah", 6, 35), ("BJ 2c", 3, 5)],
)
def test_a_joker_costs_the_least_it_can(cards: str, pips: int, by_id: int) -> None:
    for how, points in (("pips", pips), ("openspiel", by_id)):
        env = arranged(["Td", cards], top="9d", card_points=how, reward="openspiel")
        play(env, "Td")
        assert payoffs(env) == [0, -points]


@pytest.mark.rule("CE-62")
def test_without_a_winner_points_decide_and_ties_stand() -> None:
    env = arranged(["4d 5s", "3d 6c", "9c 9s"], top="7h")
    play(env, *["pass"] * 4)
    assert payoffs(env) == [0.03, 0.03, -0.06]
    assert sum(payoffs(env)) == pytest.approx(0)


@pytest.mark.rule("CE-60", "CE-62", "ED-34")
def test_specials_that_are_left_are_paid_for_and_not_redealt() -> None:
    env = arranged(["8c 4d", "5d Dr-c Sk-h"], top="7h", plays=19, max_turns=20, reward="openspiel")
    play(env, "8c")
    assert is_over(env)
    assert payoffs(env) == [-4, -25]
    assert env.zones()["aside"] == [] and len(env.zones()["hand/1"]) == 3


@pytest.mark.rule("CE-63")
@pytest.mark.parametrize("reshuffle", [False, True])
@pytest.mark.parametrize("deck", ["standard", "extended"])
def test_a_deal_has_an_end(deck: str, reshuffle: bool) -> None:
    """Also where players play as seldom as they can."""
    for seed in range(4):
        env = raw_env("crazy_eights_v0", deck=deck, reshuffle=reshuffle, use_special_cards=True, max_turns=20, num_players=3)
        env.reset(seed=seed)
        draw, steps = random.Random(seed), 0
        while env.legal_actions():
            legal = env.legal_actions()
            lazy = [action for action in legal if action >= 118]
            env.step(draw.choice(lazy if lazy and draw.random() < 0.9 else legal))
            steps += 1
        assert steps <= 5 * 20 + 157 + 3 * 21


def test_an_unknown_value_of_an_option_is_refused() -> None:
    with pytest.raises(ValueError, match=r"option num_players=8 is not allowed; allowed: 2\.\.7"):
        GAME.make_options({"num_players": 8})


def test_a_given_deck_begins_with_the_hands() -> None:
    env = started("2c 3c 4c 5c 6c 7c", num_players=3, dealer=0)
    assert 0 in env.zones()["hand/1"]
    assert 4 in env.zones()["hand/2"]
    assert 8 in env.zones()["hand/0"]


# --- what is told ---


@pytest.mark.rule("CE-02", "CE-04")
def test_the_start_as_it_is_told() -> None:
    env = turned_up("8h Dr-c SJ 4c Sk-d 5d", dealer=3)
    assert history_text(env, 1) == [
        "hand 1",
        "player 3 deals 5 cards to each",
        "player 0 is dealt 5 cards",
        "player 1 is dealt Th Jh Qh Kh Ah",
        "player 2 is dealt 5 cards",
        "player 3 is dealt 5 cards",
        "8h is turned up",
        "1 card is shuffled into the pile",
        "Dr-c is turned up",
        "SJ is turned up",
        "1 card is shuffled into the pile",
        "4c is turned up",
        "Sk-d is turned up",
        "5d is turned up",
        "player 0 is skipped",
    ]


def test_play_as_it_is_told() -> None:
    hands = ["SJ 2c Qd 3d 4d", "2d 9d Rv-h 5c", "Kd 6c 7c"]
    env = arranged(hands, top="9h", pile="Tc Td", use_special_cards=True, reshuffle=True, max_draw_cards=1)
    play(env, "SJ", "declare 8s", "nominate diamonds", "2d", "draw", "Qd", "Kd", "3d", "reveal Rv-h")
    assert history_text(env, 2) == [
        "player 0 plays SJ",
        "player 0 declares the Joker to be 8s",
        "player 0 names diamonds",
        "player 1 plays 2d",
        "player 2 draws Tc Td",
        "53 cards are shuffled into the pile",
        "player 0 plays Qd",
        "player 1 is skipped",
        "player 2 plays Kd",
        "player 0 plays 3d",
        "player 1 reveals Rv-h",
        "player 1 redeals Rv-h",
        "player 1 draws a card",
        "play now goes counterclockwise",
        "player 1's turn is paused",
    ]
    assert "player 2 draws 2 cards" in history_text(env, 0)
    assert "player 1 draws a card" not in history_text(env, 1)


@pytest.mark.rule("CE-42")
def test_who_takes_none_of_the_cards_owed_passes() -> None:
    env = arranged(["2c 3s", "SJ 3d Sk-h", "8h 9c"], top="2h", turn=1, use_special_cards=True, debt=2)
    play(env, "draw")
    assert history_text(env, 0) == ["player 1 passes"]


def test_the_end_as_it_is_told() -> None:
    env = arranged(["2c", "SJ 3d Sk-h", "8h 9c"], top="2h", pile="Tc")
    play(env, "2c")
    assert history_text(env, 2) == [
        "player 0 plays 2c",
        "player 0 is out of cards",
        "player 0 is left with 0 points",
        "player 1 is left with 14 points",
        "player 2 is left with 59 points",
        "the game is over",
    ]
