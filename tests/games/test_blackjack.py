"""Clauses of docs/rules/blackjack.md: the game with ordinary cards."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
import wilddeck
from games.blackjack_positions import dealer, dealt, hand, rewards, table
from games.shoe_positions import deck_of, field, labels, play, seen, short_shoe
from wilddeck.envs import raw_env

TURN = {"stand", "hit", "double", "surrender"}


# --- options ---


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 0}, "num_players=0 is not allowed; allowed: 1..7"),
        ({"num_players": 8}, "num_players=8 is not allowed"),
        ({"decks": 9}, "decks=9 is not allowed; allowed: 1..8"),
        ({"hands": 0}, "hands=0 is not allowed; allowed: 1..100"),
        ({"bets": ()}, "bets=() is not allowed; allowed: 1 to 8 numbers above 0, up to 1000, ascending"),
        ({"bets": (2, 1)}, "bets=(2, 1) is not allowed"),
        ({"bets": (1, 1)}, "bets=(1, 1) is not allowed"),
        ({"bets": (0,)}, "bets=(0,) is not allowed"),
        ({"bets": (1.001,)}, "bets=(1.001,) is not allowed"),
        ({"bets": (1e9,)}, "is not allowed"),
        ({"bets": (float("nan"),)}, "is not allowed"),
        ({"bets": "12"}, "bets='12' is not allowed"),
        ({"bets": 5}, "bets=5 is not allowed"),
        ({"bets": (True,)}, "is not allowed"),
        ({"bets": tuple(range(1, 10))}, "is not allowed"),
        ({"naturals": "2:1"}, "naturals='2:1' is not allowed; allowed: 3:2, 6:5, 1:1, none"),
        ({"double": "all"}, "double='all' is not allowed; allowed: any, 9-11, 10-11, none"),
        ({"max_split_hands": 5}, "max_split_hands=5 is not allowed; allowed: 1..4"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^blackjack_v0") as error:
        wilddeck.make("blackjack_v0", **options)
    assert message in str(error.value)


@pytest.mark.parametrize("num_players", range(1, 8))
def test_players_and_cards(num_players: int) -> None:
    for deck, size in (("standard", 52), ("extended", 66)):
        env = raw_env("blackjack_v0", num_players=num_players, deck=deck, decks=2)
        env.reset(seed=1)
        count = Counter(card for ids in env.zones().values() for card in ids)
        assert count == dict.fromkeys(range(size), 2)


# --- totals, bets, the deal ---


@pytest.mark.rule("BJ-01")
@pytest.mark.parametrize(
    ("cards", "count", "soft"),
    [
        ("Kc 9d", 19, 0),
        ("As Kd", 21, 1),
        ("As 6d", 17, 1),
        ("As Ad", 12, 1),
        ("2c 3d", 5, 0),
        ("Tc Jd", 20, 0),
        ("Qc Kd", 20, 0),
    ],
)
def test_totals(cards: str, count: int, soft: int) -> None:
    env = table([cards, "2c 4d"], "5c 6d", deck="standard", naturals="none", decks=2)
    assert seen(env, 0, "summary")[:2] == pytest.approx([count / 31, soft])


@pytest.mark.rule("BJ-01")
def test_an_ace_counts_1_where_11_would_be_too_much() -> None:
    env = table(["As 6d"], "5c 6h", "9c Ac", deck="standard")
    play(env, "0 hit")
    assert seen(env, 0, "summary")[:2] == pytest.approx([16 / 31, 0])
    play(env, "0 hit")
    assert seen(env, 0, "summary")[:2] == pytest.approx([17 / 31, 0])


@pytest.mark.rule("BJ-02")
def test_bets_come_first_in_the_order_of_the_seats() -> None:
    env = raw_env("blackjack_v0", bets=(0.5, 2, 10), num_players=2)
    env.reset(seed=1)
    assert labels(env) == {"bet 0.5", "bet 2", "bet 10"}
    assert not env.zones()["dealer"] and seen(env, 0, "up_card")[66] == 1
    assert sum(seen(env, 0, "own_hand")) == 0
    play(env, "0 bet 10; 1 bet 2")
    assert field(env, "bet")[:2] == [3, 2]
    assert seen(env, 0, "seats")[5] == 1 and seen(env, 0, "seats")[17] == pytest.approx(0.2)
    assert not raw_env("blackjack_v0").options.bets[1:]


@pytest.mark.rule("BJ-02", "BJ-16")
def test_a_bet_is_what_is_won() -> None:
    env = raw_env("blackjack_v0", bets=(2, 5), num_players=2, deck="standard")
    env.reset(seed=0, options={"deck": deck_of(env.options, dealt(["Kc 9c", "Kd 7d"], "Tc 8d"))})
    play(env, "0 bet 5; 1 bet 2; 0 stand; 1 stand")
    assert rewards(env) == [5, -2]


@pytest.mark.rule("BJ-03")
def test_the_deal() -> None:
    env = table(["2c 3c", "4c 5c"], "6c 7c", deck="standard")
    assert (hand(env, 0), hand(env, 1), dealer(env)) == ("2c 3c", "4c 5c", "6c 7c")
    assert [int(card) for card in env.record["deck"][0][:6]] == [0] * 6
    assert env.zones("player_0")["dealer"] == [-1, 20]
    assert seen(env, 1, "up_card")[20] == 1
    assert sum(seen(env, 0, "dealer")) == 0


# --- naturals, surrender, insurance, peek ---


@pytest.mark.rule("BJ-04", "BJ-08", "BJ-16")
@pytest.mark.parametrize(("naturals", "pay"), [("3:2", 1.5), ("6:5", 1.2), ("1:1", 1)])
def test_a_natural_ends_the_turn_and_is_paid(naturals: str, pay: float) -> None:
    env = table(["As Kc", "9c 9d"], "Tc 8d", naturals=naturals, deck="standard")
    play(env, "1 stand")
    assert rewards(env) == [pay, 0]


@pytest.mark.rule("BJ-04")
def test_without_naturals_two_cards_are_an_ordinary_21() -> None:
    env = table(["As Kc", "9c 9d"], "Kd Ad", "5c", naturals="none", deck="standard")
    assert "hit" in labels(env)
    assert env.current_player == 0, "neither insurance nor a peek"
    play(env, "0 hit; 0 stand; 1 stand")
    assert rewards(env) == [-1, -1]
    env = table(["As Kc", "9c 9d"], "Kd Ad", naturals="none", deck="standard")
    play(env, "0 stand; 1 stand")
    assert rewards(env) == [0, -1]


@pytest.mark.rule("BJ-04", "BJ-11", "BJ-16")
def test_a_natural_is_of_two_cards_that_were_not_split() -> None:
    env = table(["As Ad"], "Tc 8d", "Kc Kd", deck="standard")
    play(env, "0 split")
    assert rewards(env) == [2]
    env = table(["5s 6d"], "Tc 8d", "Kc", deck="standard")
    play(env, "0 hit; 0 stand")
    assert rewards(env) == [1]


@pytest.mark.rule("BJ-05")
@pytest.mark.parametrize(
    ("up", "asked"), [("Ac", True), ("Tc", True), ("Kc", True), ("Jk", True), ("9c", False), ("Sk-c", False)]
)
def test_early_surrender(up: str, asked: bool) -> None:
    env = table(["9s 7c", "Ks 9h"], f"7d {up}", surrender="early", insurance=False)
    assert (labels(env) == {"surrender", "decline"}) == asked
    assert (seen(env, 0, "phase") == [0, 1, 0, 0]) == asked
    if asked:
        play(env, "0 surrender; 1 decline")
        assert env.current_player == 1 and labels(env) == {"stand", "hit", "double"}
        assert seen(env, 0, "seats")[3] == 1
        play(env, "1 stand")
        assert rewards(env)[0] == -0.5


@pytest.mark.rule("BJ-05", "BJ-06")
def test_early_surrender_comes_before_insurance() -> None:
    env = table(["9s 7c", "Ks 9h"], "Kd Ac", surrender="early", deck="standard")
    play(env, "0 surrender; 1 decline")
    assert env.current_player == 1 and labels(env) == {"insure", "decline"}
    play(env, "1 insure")
    assert rewards(env) == [-0.5, 0]


@pytest.mark.rule("BJ-06")
@pytest.mark.parametrize(("hole", "won"), [("Kd", 0), ("7d", 0.5)])
def test_insurance(hole: str, won: float) -> None:
    """It pays 1 against a natural, or half a bet is lost."""
    env = table(["Ks 9h", "Qs 9c"], f"{hole} Ac", deck="standard")
    assert seen(env, 0, "phase") == [0, 0, 1, 0]
    play(env, "0 insure; 1 decline")
    if hole == "7d":
        assert seen(env, 0, "seats")[4] == 1
        play(env, "0 stand; 1 stand")
    assert rewards(env) == [won, 1 if hole == "7d" else -1]


@pytest.mark.rule("BJ-06")
def test_no_insurance_unless_an_ace_is_shown_and_the_option_allows_it() -> None:
    assert "insure" not in labels(table(["Ks 9h"], "Kd Tc", naturals="none", deck="standard"))
    assert "insure" not in labels(table(["Ks 9h"], "7d Ac", insurance=False, deck="standard"))
    assert "insure" not in labels(table(["Ks 9h"], "7d Kc", deck="standard"))


@pytest.mark.rule("BJ-07", "BJ-16")
@pytest.mark.parametrize("cards", ["Kd Ac", "Ad Kc", "Ad Tc"])
def test_a_peek_ends_the_hand(cards: str) -> None:
    env = table(["Ks 9h", "As Qd", "5c 5h"], cards, deck="standard", insurance=False)
    assert rewards_after_stand(env) == [-1, 0, -1]


def rewards_after_stand(env: Any) -> list[float]:
    """Of a hand without a decision: seat 0 is asked at its end (BJ-49)."""
    assert env.current_player == 0 and labels(env) == {"stand"}
    env.step(0)
    return rewards(env)


@pytest.mark.rule("BJ-07", "BJ-44")
def test_without_a_peek_doubled_bets_are_lost_to_a_natural() -> None:
    env = table(["5s 6h", "8c 8d", "As Kc"], "Ad Kd", "2c 3c 4c", deck="standard", hole="no_peek")
    play(env, "0 double; 1 split; 1 stand; 1 stand")
    assert rewards(env) == [-2, -2, 0]


# --- turns ---


@pytest.mark.rule("BJ-08")
def test_turns_go_round_to_the_dealer() -> None:
    env = table(["Ks 9h", "Qs 9c", "Js 9d"], "Kd 7c", deck="standard")
    assert seen(env, 1, "order") == pytest.approx([1, 0, 2 / 8])
    play(env, "0 stand; 1 stand; 2 stand")
    assert rewards(env) == [1, 1, 1]


@pytest.mark.rule("BJ-09")
def test_hit_until_stand_or_bust() -> None:
    env = table(["5s 6h", "Ks 6c"], "Td 7c", "Kc 9c Kh", deck="standard")
    play(env, "0 hit")
    assert env.current_player == 0 and labels(env) == {"stand", "hit"}, "21 ends nothing"
    play(env, "0 stand; 1 hit")
    assert rewards(env) == [1, -1]


@pytest.mark.rule("BJ-10")
def test_double_is_one_card_for_twice_the_bet() -> None:
    env = table(["5s 6h", "5d 6c"], "Td 7c", "Kc 2c", deck="standard")
    play(env, "0 double; 1 double")
    assert rewards(env) == [2, -2]


@pytest.mark.rule("BJ-10")
@pytest.mark.parametrize(
    ("double", "allowed"),
    [("any", {5, 8, 9, 10, 11, 12, 19}), ("9-11", {9, 10, 11}), ("10-11", {10, 11}), ("none", set())],
)
def test_totals_that_may_be_doubled(double: str, allowed: set[int]) -> None:
    hands = {5: "2c 3c", 8: "3c 5c", 9: "4c 5c", 10: "4c 6c", 11: "5c 6c", 12: "5c 7c", 19: "Ac 8c"}
    doubled = {count for count, cards in hands.items() if "double" in labels(table([cards], "Td 7d", double=double))}
    assert doubled == allowed


@pytest.mark.rule("BJ-10")
@pytest.mark.parametrize("allowed", [True, False])
def test_double_after_a_split_and_with_two_cards(allowed: bool) -> None:
    env = table(["8s 8h"], "Td 7c", "3c 2c 2d", deck="standard", double_after_split=allowed)
    play(env, "0 split")
    assert ("double" in labels(env)) == allowed
    play(env, "0 hit")
    assert labels(env) == {"stand", "hit"}
    play(env, "0 stand")
    assert ("double" in labels(env)) == allowed


@pytest.mark.rule("BJ-11")
def test_split() -> None:
    env = table(["8s 8h"], "Td 7c", "3c 2c Kc 9c", deck="standard")
    play(env, "0 split")
    assert (hand(env, 0, 0), hand(env, 0, 1)) == ("3c 8h", "2c 8s")
    assert seen(env, 0, "summary")[3:] == pytest.approx([1 / 4, 2 / 4, 1 / 2])
    play(env, "0 hit; 0 stand; 0 hit; 0 stand")
    assert rewards(env) == [2]


@pytest.mark.rule("BJ-11")
def test_a_hand_that_is_split_again_stays_before_the_later_ones() -> None:
    env = table(["8s 8h"], "Td 7c", "8c 8d 2c 3c", deck="standard", max_split_hands=3)
    play(env, "0 split; 0 split")
    assert [hand(env, 0, k) for k in range(3)] == ["2c 8c", "3c 8h", "8d 8s"]
    play(env, "0 hit; 0 stand; 0 stand")
    assert field(env, "ended")[0] == 3
    assert labels(env) == {"stand", "hit", "double"}, "three hands are the most"
    others = seen(env, 0, "other_hands")
    assert others[4:8] == pytest.approx([11 / 31, 1, 0, 1 / 2])
    assert "split" not in labels(table(["8s 8h"], "Td 7c", max_split_hands=1))


@pytest.mark.rule("BJ-11")
def test_the_state_of_later_hands_moves_with_them() -> None:
    """The first is doubled, then the second is split."""
    env = table(["8s 8h"], "Td 7c", "3c 8d Kc 2c 2d 9c Kd", deck="standard")
    play(env, "0 split; 0 double; 0 split")
    assert (field(env, "doubled")[0], field(env, "ended")[0]) == (1, 1)
    play(env, "0 hit; 0 stand; 0 stand")
    assert rewards(env) == [2 + 1 - 1]


@pytest.mark.rule("BJ-11")
@pytest.mark.parametrize(("split_by", "pair"), [("value", True), ("rank", False)])
def test_pairs_by_value_or_rank(split_by: str, pair: bool) -> None:
    env = table(["Ks Th", "Kd Kh"], "Td 7c", split_by=split_by, deck="standard")
    assert ("split" in labels(env)) == pair
    assert seen(env, 0, "summary")[2] == pair
    play(env, "0 stand")
    assert "split" in labels(env)


@pytest.mark.rule("BJ-11", "BJ-47")
def test_split_aces_get_one_card() -> None:
    env = table(["As Ah", "Ks 9h"], "Td 7c", "3c Ac", deck="standard")
    play(env, "0 split")
    assert env.current_player == 1
    env = table(["As Ah", "Ks 9h"], "Td 7c", "3c Ac", deck="standard", hit_split_aces=True)
    play(env, "0 split")
    assert labels(env) == {"stand", "hit"}, "split aces are never doubled"
    play(env, "0 stand")
    assert env.current_player == 0 and labels(env) == {"stand", "hit"}
    env = table(["As Ah", "Ks 9h"], "Td 7c", "3c Ac 5c 6c", deck="standard", resplit_aces=True)
    play(env, "0 split")
    assert labels(env) == {"stand", "split"} and field(env, "ended")[0] == 1
    play(env, "0 split")
    assert env.current_player == 1 and [hand(env, 0, k) for k in range(3)] == ["3c Ah", "5c Ac", "6c As"]


@pytest.mark.rule("BJ-12", "BJ-46")
def test_late_surrender() -> None:
    env = table(["Ks 6h", "8s 8h"], "Td 9c", "2c 2d 3c", deck="standard")
    assert labels(env) == TURN
    play(env, "0 surrender; 1 split")
    assert "surrender" not in labels(env)
    play(env, "1 hit; 1 stand; 1 stand")
    assert rewards(env) == [-0.5, -2]
    env = table(["Ks 4h"], "Td 9c", "2c", deck="standard")
    play(env, "0 hit")
    assert "surrender" not in labels(env)
    for surrender in ("none", "early"):
        assert "surrender" not in labels(table(["Ks 4h"], "Td 9c", surrender=surrender))


@pytest.mark.rule("BJ-12")
def test_insurance_is_settled_after_a_surrender() -> None:
    env = table(["Ks 6h"], "Kd Ac", deck="standard", hole="no_peek")
    play(env, "0 insure; 0 surrender")
    assert rewards(env) == [0.5]


# --- the dealer and the settlement ---


@pytest.mark.rule("BJ-13")
@pytest.mark.parametrize(
    ("cards", "following", "rule", "final"),
    [
        ("Td 6c", "5c", "stand", "5c 6c Td"),
        ("Td 7c", "5c", "stand", "7c Td"),
        ("6d Ac", "5c", "stand", "6d Ac"),
        ("6d Ac", "4c", "hit", "4c 6d Ac"),
        ("6d Kc", "Ac 4c", "hit", "6d Kc Ac"),
        ("2d Ac", "4c 9c Kc", "stand", "2d 4c Ac"),
        ("2d 3c", "Kc Ac 5c", "stand", "2d 3c Kc Ac 5c"),
        ("7d Ac", "5c", "hit", "7d Ac"),
    ],
)
def test_the_dealer(cards: str, following: str, rule: str, final: str) -> None:
    env = table(["Ks 9h"], cards, following, deck="standard", dealer_soft17=rule, insurance=False)
    play(env, "0 stand")
    assert set(dealer(env).split()) == set(final.split())


@pytest.mark.rule("BJ-13")
@pytest.mark.parametrize(
    ("rule", "known"),
    [
        ("stand", [0.145126, 0.139497, 0.133464, 0.180252, 0.120068, 0.281593]),
        ("hit", [0.133260, 0.141507, 0.135474, 0.182262, 0.122078, 0.285419]),
    ],
)
def test_final_totals_of_the_dealer_with_endless_decks(rule: str, known: list[float]) -> None:
    """17, 18, 19, 20, 21 (naturals included), bust, as in tables of endless decks (28.16 % bust, standing on soft 17): every
    sequence of cards is reckoned through. All that matters of a hand is its least total and whether it has an ace; in each such
    state it is asked of the game whether the dealer draws."""
    env = table(["Ks 9h"], "5d 7c", deck="standard", dealer_soft17=rule, decks=8)
    for (least, ace), draws in draws_by_rule(rule).items():
        assert dealer_draws(env, least, ace) == draws, (least, ace)
    exact = endless_table(rule)
    assert [exact[count] for count in (17, 18, 19, 20, 21, 22)] == pytest.approx(known, abs=1e-6)


def draws_by_rule(rule: str) -> dict[tuple[int, bool], bool]:
    """Of hands of at least two cards."""
    draws = {}
    for least in range(4, 22):
        for ace in (False, True):
            soft = ace and least + 10 <= 21
            count = least + 10 * soft
            draws[least, ace] = count < 17 or (count == 17 and soft and rule == "hit")
    return draws


def endless_table(rule: str) -> Counter[int]:
    draws, final = draws_by_rule(rule), Counter[int]()
    waiting = {(0, False, 0): 1.0}
    while waiting:
        following: Counter[tuple[int, bool, int]] = Counter()
        for (least, ace, number), chance in waiting.items():
            if number >= 2 and (least > 21 or not draws.get((least, ace), True)):
                final[22 if least > 21 else least + 10 * (ace and least <= 11)] += chance
                continue
            for value in range(1, 11):
                part = chance * (4 if value == 10 else 1) / 13
                following[least + value, ace or value == 1, min(number + 1, 2)] += part
        waiting = following
    return final


def dealer_draws(env: Any, least: int, ace: bool) -> bool:
    """Whether the dealer of the game takes a card with such a hand."""
    values = [1] * ace
    left = least - ace
    while left > 0:
        values.append(min(left, 10) if left - min(left, 10) != 1 or ace else min(left, 10) - 1)
        left -= values[-1]
    if len(values) < 2:
        return draws_by_rule(env.options.dealer_soft17)[least, ace]
    clone = env.clone()
    record = clone.record[0]
    counts = np.bincount([48 if value == 1 else 4 * (value - 2) for value in values], minlength=66)
    record["dealer"] = counts
    record["hole_card"], record["begun"], record["out"] = -1, 3, 0
    before = int(record["pile_at"])
    clone.step(0)
    return bool(clone.record["pile_at"][0] > before)


@pytest.mark.rule("BJ-14", "BJ-15")
def test_the_dealer_takes_no_card_if_nobody_is_in() -> None:
    env = table(["Ks 6h", "Qs 5h", "As Kd"], "Td 6c", "Kc 9c", deck="standard")
    play(env, "0 hit; 1 surrender")
    assert rewards(env) == [-1, -0.5, 1.5]
    assert dealer(env) == "6c Td"


@pytest.mark.rule("BJ-15")
def test_a_bust_loses_though_the_dealer_busts() -> None:
    env = table(["Ks 6h", "Qs 5h"], "Td 6c", "Kc 9c", deck="standard")
    play(env, "0 hit; 1 stand")
    assert rewards(env) == [-1, 1]
    assert dealer(env) == "6c 9c Td"


@pytest.mark.rule("BJ-16")
def test_settlement() -> None:
    env = table(["Ks 9h", "Qs 8h", "Js 7h", "As Kd"], "Td 8c", deck="standard")
    play(env, "0 stand; 1 stand; 2 stand")
    assert rewards(env) == [1, 0, -1, 1.5]


@pytest.mark.rule("BJ-17")
def test_the_dealer_wins_pushes() -> None:
    env = table(["Ks 9h", "Qs 8h", "Js 7h"], "Td 8c", deck="standard", dealer_wins_pushes=True)
    play(env, "0 stand; 1 stand; 2 stand")
    assert rewards(env) == [1, -1, -1]
    env = table(["As Kd"], "Ad Kc", deck="standard", dealer_wins_pushes=True)
    assert rewards_after_stand(env) == [-1]
    env = table(["As Kd", "2c 2d"], "5d 6c", "Kc", deck="standard", dealer_wins_pushes=True)
    play(env, "1 stand")
    assert rewards(env) == [1.5, -1], "a natural beats another 21"


@pytest.mark.rule("BJ-18")
def test_payments_are_those_of_the_ordinary_game() -> None:
    """The same hands with both decks."""
    for deck in ("standard", "extended"):
        env = table(["Ks 9h", "Qs 8h", "5s 6h", "As Kd"], "Td 8c", "Tc", deck=deck)
        play(env, "0 stand; 1 stand; 2 double")
        assert rewards(env) == [1, 0, 2, 1.5]


# --- episodes ---


@pytest.mark.rule("BJ-48")
@pytest.mark.parametrize(("reshuffle", "shuffles"), [("every_hand", 12), ("quarter", 2)])
def test_when_the_shoe_is_shuffled(reshuffle: str, shuffles: int) -> None:
    """Hands of four cards each: of 52 there are 12 left after ten, which is less than a quarter."""
    env = raw_env(
        "blackjack_v0", num_players=1, hands=12, reshuffle=reshuffle, deck="standard", naturals="none", surrender="none"
    )
    env.reset(seed=0, options={"decks": [four_by_four(env.options) for _ in range(12)]})
    used = []
    for _ in range(12):
        used.append(len(env.zones()["used"]))
        env.step(0)
    assert field(env, "deals") == shuffles
    assert used == ([0] * 12 if reshuffle == "every_hand" else [*range(0, 40, 4), 0, 4])


def four_by_four(options: Any) -> list[int]:
    """A shoe in which the dealer gets 20, and later 17, in two cards each."""
    dealers = [*range(32, 48), *(card for k in range(4) for card in (24 + k, 28 + k))]
    others = iter([*range(24), *range(48, 52)])
    hands = [(next(others), dealers[2 * k], next(others), dealers[2 * k + 1]) for k in range(12)]
    assert options.decks == 1
    return [card for four in hands for card in four] + list(others)


@pytest.mark.rule("BJ-48")
def test_a_hand_goes_on_without_cards() -> None:
    env = short_shoe(table(["4s 3h", "8s 8h"], "4d 7c", deck="standard"), "2c")
    assert labels(env) == {"stand", "hit", "double", "surrender"}
    play(env, "0 hit")
    assert env.current_player == 1, "only to stand is left to 0"
    assert labels(env) == {"stand", "surrender"}
    play(env, "1 stand")
    assert rewards(env) == [-1, 1], "the dealer stands on 11"
    env = short_shoe(table(["8s 8h"], "4d 7c", deck="standard"), "2c")
    assert "split" not in labels(env)


@pytest.mark.rule("BJ-49")
def test_every_hand_begins_clockwise() -> None:
    env = raw_env("blackjack_v0", num_players=2, hands=2, insurance=False)
    first = deck_of(env.options, dealt(["Rv-c 9h", "Qs 8h"], "Td 8c", "9c"))
    env.reset(seed=0, options={"decks": [first, deck_of(env.options, dealt(["Ks 9h", "Qs 8h"], "Td 8c"))]})
    assert field(env, "direction") == -1
    play(env, "1 stand")
    play(env, "0 stand")
    assert (field(env, "hand_number"), field(env, "direction")) == (2, 1)


@pytest.mark.rule("BJ-49")
def test_hands_without_a_decision_are_paid_with_the_first_step() -> None:
    env = raw_env("blackjack_v0", num_players=1, hands=3, deck="standard")
    natural = deck_of(env.options, dealt(["As Kd"], "5d 6c"))
    env.reset(seed=0, options={"decks": [natural, natural, deck_of(env.options, dealt(["Ks 9h"], "Td 8c"))]})
    assert field(env, "hand_number") == 3
    assert list(env.rewards.values()) == [0]
    play(env, "0 stand")
    assert rewards(env) == [4]
    env.reset(seed=0, options={"decks": [natural, natural, natural]})
    assert rewards_after_stand(env) == [4.5]


@pytest.mark.rule("BJ-49")
def test_a_player_has_few_decisions() -> None:
    """A hit raises the least total: of aces alone, and four hands of them."""
    env = raw_env(
        "blackjack_v0", num_players=1, decks=8, deck="standard", hit_split_aces=True, resplit_aces=True, surrender="none"
    )
    aces = [48 + k % 4 for k in range(32)]
    env.reset(seed=0, options={"deck": deck_of(env.options, [48, 0, 49, 1, *aces[2:], *[0] * 7, *[1] * 7])})
    steps = 0
    while env.legal_actions():
        best = "split" if "split" in labels(env) else "hit"
        env.step(env.action_from_label(best))
        steps += 1
    assert 30 < steps < 90
