"""Clauses of docs/rules/blackjack.md with the Extended Deck, and its worked examples."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import wilddeck
from games.blackjack_positions import dealer, dealt, hand, rewards, table
from games.pack_positions import told
from games.shoe_positions import deck_of, field, labels, play, seen, short_shoe
from support import ROOT, determinizations
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.jit import INTERPRETED
from wilddeck.envs.games.blackjack.totals import total_of


def count(text: str) -> tuple[int, bool]:
    """Total of some cards, and whether it is soft."""
    totals = total_of(np.bincount(cards.parse(text), minlength=66).astype(np.uint8))
    return int(totals[0]), bool(totals[1])


# --- Jokers ---


@pytest.mark.rule("BJ-30", "BJ-31", "BJ-32", "BJ-33")
@pytest.mark.parametrize(
    ("text", "total", "soft"),
    [
        ("Jk Kc", 21, True),
        ("Jk As", 21, True),
        ("Jk 6d", 17, True),
        ("Jk 5c 2d", 18, True),
        ("Jk Jk", 21, True),
        ("Ac Ad Ah As Kc 6d Jk", 22, False),
        ("Ac Ad Ah As Kc 5d Jk", 21, False),
        ("Jk Kc 7c", 21, False),
        ("Jk Kc Qc", 21, False),
        ("Jk Kc Qc 2c", 23, False),
        ("Jk Jk Kc Qc", 22, False),  # an ace each, of two suits
        ("Ac Ad Ah Jk Jk Kc 6d", 22, False),  # one ace is left: 1 and 2
        ("2c 2d 2h 2s 6c 5d Jk", 20, False),  # 19: no 2 is left, an ace makes 20
        ("Jk Jk 9c", 21, False),
        ("Kc Qc Jc", 30, False),
    ],
)
def test_totals_with_jokers(text: str, total: int, soft: bool) -> None:
    assert count(text) == (total, soft)


@pytest.mark.rule("BJ-32")
def test_copies_of_a_card_count_once_for_jokers() -> None:
    """Of eight aces of one suit three suits are left; of all suits none."""
    assert count("Ac Ac Ac Ac Ac Ac Ac Kc 3c Jk") == (21, False)
    assert count("Ac Ad Ah As 2c 2d 2h 2s 7d Jk") == (22, False)
    assert count("Tc Td Th Ts Jc Jd Jh Js Qc Qd Qh Qs Kc Kd Kh Ks Jk") == (161, False)


@pytest.mark.rule("BJ-31")
def test_the_value_is_found_anew_with_each_card() -> None:
    env = table(["Jk 6d"], "Td 7c", "9c 5c")
    values = []
    for _ in range(2):
        values.append(round(seen(env, 0, "summary")[0] * 31))
        play(env, "0 hit")
    assert values == [17, 21]
    assert hand(env, 0) == "5c 6d 9c Jk"
    assert round(seen(env, 0, "summary")[0] * 31) == 21, "an ace"


@pytest.mark.rule("BJ-33")
@pytest.mark.parametrize(("rule", "final"), [("stand", "6h Jk"), ("hit", "4c 6h Jk")])
def test_example_2(rule: str, final: str) -> None:
    env = table(["Kc 9h"], "Jk 6h", "4c", dealer_soft17=rule)
    play(env, "0 stand")
    assert dealer(env) == final


# --- specials ---


@pytest.mark.rule("BJ-34")
def test_specials_lie_there_until_the_turn() -> None:
    env = table(["Kc 9h", "As Sk-c", "Dr-c Rv-d"], "7d Ac", surrender="early")
    assert hand(env, 1) == "As Sk-c"
    play(env, "0 decline; 1 decline; 2 decline; 0 decline; 1 insure; 2 decline")
    features = seen(env, 0, "seats")
    assert features[12 + 7 : 12 + 12] == pytest.approx([0, 0, 0, 0, 1 / 4])
    assert features[24 + 7 : 24 + 12] == pytest.approx([0, 0, 1 / 4, 1 / 4, 0])
    assert seen(env, 1, "summary")[:3] == [0, 0, 0]
    assert "player 1: insured; no total yet" in env.describe()


@pytest.mark.rule("BJ-35", "BJ-37")
def test_specials_are_redealt_together_with_chains() -> None:
    """Dr-c, Sk-d: one card each, then the second of the Draw; Rv-s among them is redealt again. All act together."""
    env = table(["Sk-d Dr-c", "9c 9d"], "Td 7c", "2c Rv-s 3d 4c")
    assert hand(env, 0) == "2c 3d 4c"
    assert sorted(cards.text(env.zones()["aside"]).split()) == ["Dr-c", "Rv-s", "Sk-d"]
    assert field(env, "direction") == -1, "the Reverse turns the order; the Skip ends the turn"
    assert field(env, "out") & 1
    assert env.current_player == 1


@pytest.mark.rule("BJ-35", "BJ-48")
def test_a_batch_is_taken_in_ascending_order() -> None:
    """With one card left the Draw gets it, though the Skip was dealt first; the Skip stays, counts 10 and does nothing."""
    env = table(["9c 9d", "Sk-d Dr-c"], "Td 7c", "2c 3c 4c")
    short_shoe(env, "2c")
    play(env, "0 stand")
    assert hand(env, 1) == "2c Sk-d"
    assert env.current_player == 1 and labels(env) == {"stand", "surrender"}
    assert round(seen(env, 1, "summary")[0] * 31) == 12
    play(env, "1 stand")
    assert rewards(env) == [1, -1]


@pytest.mark.rule("BJ-36")
def test_the_dealer_turns_up_the_hole_card_first() -> None:
    env = table(["9c 9d"], "Sk-c Dr-d", "2c 3c 4c")
    assert sum(seen(env, 0, "dealer")) == 0
    play(env, "0 stand")
    assert dealer(env) == "2c 3c 4c", "the Draw comes first"
    assert rewards(env) == [1]


@pytest.mark.rule("BJ-37", "BJ-14")
def test_example_5() -> None:
    """A Draw busts the hand; the dealer does not draw."""
    env = raw_env("blackjack_v0", num_players=1)
    env.reset(seed=0, options={"deck": deck_of(env.options, dealt(["Dr-c 7h"], "Kc 8d", "9s 8s"))})
    assert (env.current_player, labels(env)) == (0, {"stand"})
    play(env, "0 stand")
    assert rewards(env) == [-1]
    assert dealer(env) == "8d Kc"


@pytest.mark.rule("BJ-38", "BJ-39", "BJ-17")
@pytest.mark.parametrize(("dealer_wins", "won"), [(False, [0, 0, -1]), (True, [-1, -1, -1])])
def test_example_4(dealer_wins: bool, won: list[float]) -> None:
    env = table(["Rv-h 8c", "6c 6d", "Kd 9d"], "9c 7d", "Ts 5h 9h 3d", dealer_wins_pushes=dealer_wins)
    assert env.current_player == 2
    assert dealer(env) == "5h 7d 9c"
    assert seen(env, 2, "dealer_state") == pytest.approx([21 / 31, 0, 1, 0])
    assert seen(env, 2, "order") == pytest.approx([0, 1, 3 / 8])
    assert seen(env, 0, "seats")[2] == 1, "paused"
    play(env, "2 stand; 1 hit; 1 stand")
    assert env.current_player == 0 and "surrender" in labels(env) and "double" in labels(env)
    play(env, "0 hit; 0 stand")
    assert rewards(env) == won


@pytest.mark.rule("BJ-38")
def test_an_even_number_of_reverses_pauses_only() -> None:
    env = table(["Rv-h Rv-c", "6c 6d"], "9c 7d", "Ts 8s 5h")
    assert env.current_player == 1 and field(env, "direction") == 1
    play(env, "1 stand")
    assert env.current_player == 0 and dealer(env) == "5h 7d 9c"
    assert hand(env, 0) == "8s Ts"


@pytest.mark.rule("BJ-39")
def test_alone_the_dealer_plays_first_and_the_turn_resumes() -> None:
    env = table(["Rv-h 8c"], "9c 7d", "Ts 5h 3d")
    assert env.current_player == 0 and dealer(env) == "5h 7d 9c"
    play(env, "0 hit; 0 stand")
    assert rewards(env) == [0]


@pytest.mark.rule("BJ-40", "BJ-41")
def test_example_6() -> None:
    env = raw_env("blackjack_v0", num_players=2)
    deck = deck_of(env.options, dealt(["Sk-d 4h", "Rv-s Sk-h"], "5c 6d", "3c 9c 2c Td"))
    env.reset(seed=0, options={"deck": deck})
    assert labels(env) == {"stand"} and (hand(env, 0), hand(env, 1)) == ("3c 4h", "2c 9c")
    assert field(env, "direction") == -1
    play(env, "0 stand")
    assert rewards(env) == [-1, -1]


@pytest.mark.rule("BJ-40")
def test_example_7() -> None:
    env = table(["Ks 8c", "7d 5s"], "Sk-c 7h", "5d")
    play(env, "0 stand; 1 stand")
    assert dealer(env) == "5d 7h"
    assert rewards(env) == [1, 0]


@pytest.mark.rule("BJ-41")
def test_a_natural_after_a_reverse_is_over_and_the_order_is_turned() -> None:
    env = table(["Rv-h As", "6c 6d", "Kd 9d"], "9c 7d", "Ks 5h")
    assert field(env, "direction") == -1 and env.current_player == 2
    assert field(env, "out") & 1
    play(env, "2 stand; 1 stand")
    assert rewards(env) == [1.5, -1, -1]


@pytest.mark.rule("BJ-41")
def test_a_bust_after_a_reverse_is_over_and_the_order_is_turned() -> None:
    env = table(["Rv-h Dr-c", "6c 6d"], "9c 7d", "Ks Qs 8d 5h")
    assert field(env, "direction") == -1 and env.current_player == 1
    assert field(env, "out") & 1 and dealer(env) == "5h 7d 9c"


@pytest.mark.rule("BJ-42")
def test_a_special_that_is_hit_pauses_the_turn() -> None:
    env = table(["5c 4c", "6c 6d"], "9c 7d", "Rv-c 3s 5h")
    play(env, "0 hit")
    assert hand(env, 0) == "3s 4c 5c" and env.current_player == 1, "the dealer has played"
    assert dealer(env) == "5h 7d 9c"
    play(env, "1 stand")
    assert env.current_player == 0


@pytest.mark.rule("BJ-42")
def test_a_bust_or_a_double_with_a_reverse_pauses_nobody() -> None:
    env = table(["9h Kc", "6c 6d", "Kd 9d"], "9c 7d", "Rv-c 8s 5h")
    play(env, "0 hit")
    assert field(env, "out") & 1 and field(env, "direction") == -1 and env.current_player == 2
    env = table(["5s 6h", "6c 6d", "Kd 9d"], "9c 7d", "Rv-c 8s 5h")
    play(env, "0 double")
    assert field(env, "out") & 1 and field(env, "direction") == -1 and env.current_player == 2


@pytest.mark.rule("BJ-42")
def test_of_two_hands_the_other_is_played_after_the_pause() -> None:
    env = table(["8h 8c", "6c 6d"], "9c 7d", "Kc Kd Rv-c Ks 5h")
    play(env, "0 split; 0 hit")
    assert hand(env, 0) == "8c Kc Ks" and not field(env, "out") & 1
    assert env.current_player == 1 and dealer(env) == "5h 7d 9c"
    play(env, "1 stand; 0 stand")
    assert rewards(env) == [-2, -1]


@pytest.mark.rule("BJ-42", "BJ-40")
def test_example_10() -> None:
    env = table(["8c 8d"], "Tc 9d", "Sk-h 3c 2h")
    play(env, "0 split")
    assert rewards(env) == [-2]
    assert (hand(env, 0, 0), hand(env, 0, 1)) == ("3c 8c", "2h 8d")


@pytest.mark.rule("BJ-37", "BJ-42")
@pytest.mark.parametrize(("following", "won"), [("Dr-h 4s 7d", -2), ("Dr-h 4s 6h", 2)])
def test_example_11(following: str, won: float) -> None:
    env = table(["5c 6d"], "Tc 9d", following)
    play(env, "0 double")
    assert rewards(env) == [won]


@pytest.mark.rule("BJ-42")
def test_example_12() -> None:
    env = table(["9h Kd"], "Rv-c 6d", "4c 9c")
    play(env, "0 stand")
    assert rewards(env) == [0]
    assert field(env, "direction") == -1


@pytest.mark.rule("BJ-42")
def test_a_reverse_pauses_a_dealer_who_would_stand() -> None:
    """Reached first by a Reverse of seat 0, the dealer draws Rv-c: the order turns again and seat 0 is next."""
    env = table(["Rv-h 8c", "6c 6d"], "9c 7d", "Ts Rv-c 4h 3d")
    assert dealer(env) == "4h 7d 9c" and field(env, "direction") == 1
    assert env.current_player == 0, "20 stands, but the dealer is paused"
    assert seen(env, 0, "dealer_state") == pytest.approx([20 / 31, 0, 0, 1])


@pytest.mark.rule("BJ-43")
@pytest.mark.parametrize("up", ["Dr-c", "Rv-c", "Sk-c"])
def test_a_special_as_up_card_asks_nothing(up: str) -> None:
    env = table(["9h Kd"], f"As {up}", surrender="early")
    assert labels(env) == {"stand", "hit", "double"}


@pytest.mark.rule("BJ-43")
def test_a_joker_as_up_card_is_an_ace() -> None:
    env = table(["9h Kd"], "Kc Jk")
    assert labels(env) == {"insure", "decline"}
    play(env, "0 insure")
    assert rewards(env) == [0]
    env = table(["9h Kd"], "9c Jk")
    play(env, "0 decline")
    assert labels(env) >= {"stand", "hit"}


@pytest.mark.rule("BJ-43", "BJ-44", "BJ-06")
def test_example_8() -> None:
    env = table(["Kd 9h"], "Sk-c As", "Qd")
    play(env, "0 insure; 0 stand")
    assert rewards(env) == [0]
    assert dealer(env) == "Qd As"


@pytest.mark.rule("BJ-44", "BJ-45")
def test_a_natural_in_the_middle_of_the_order_ends_the_hand() -> None:
    """Seat 0 is paused, seat 1 has not played: its Draw is redealt before the hands are compared."""
    env = raw_env("blackjack_v0", num_players=2)
    env.reset(seed=0, options={"deck": deck_of(env.options, dealt(["Rv-h 8c", "Dr-c As"], "Sk-c Ac", "Ts Kh 2c 3c"))})
    play(env, "0 insure; 1 decline")
    assert rewards(env) == [0, -1]
    assert hand(env, 1) == "2c 3c As" and dealer(env) == "Kh Ac"


@pytest.mark.rule("BJ-45")
def test_example_9() -> None:
    env = table(["Ah Rv-d", "Dr-s 5c"], "Ks Ac", "Jh Kh 6s")
    play(env, "0 decline; 1 decline")
    assert rewards(env) == [0, -1]
    assert hand(env, 1) == "5c 6s Kh"


@pytest.mark.rule("BJ-45")
def test_a_surrendered_hand_is_not_redealt() -> None:
    env = table(["Ah Rv-d", "Sk-s Kd"], "Ks Ac", "As", surrender="early")
    play(env, "0 surrender; 1 decline; 1 decline")
    assert rewards(env) == [-0.5, 0]
    assert hand(env, 0) == "Ah Rv-d" and hand(env, 1) == "Kd As"


@pytest.mark.rule("BJ-46")
def test_what_a_hand_of_two_redealt_cards_may_do() -> None:
    env = table(["Rv-d 8h", "Dr-c 8s"], "Td 7c", "8c 2c 3c")
    assert (env.current_player, hand(env, 0), hand(env, 1)) == (1, "8c 8h", "2c 3c 8s")
    assert labels(env) == {"stand", "hit"}
    play(env, "1 stand")
    assert labels(env) == {"stand", "hit", "double", "split", "surrender"}, "also after the pause"


@pytest.mark.rule("BJ-46")
def test_a_hand_grown_by_a_draw_is_no_hand_of_two() -> None:
    env = table(["Dr-c As"], "Td 7c", "5c 5d")
    assert labels(env) == {"stand", "hit"}
    play(env, "0 stand")
    assert rewards(env) == [1], "21 of three cards is no natural"


@pytest.mark.rule("BJ-47")
@pytest.mark.parametrize(("cards_held", "aces"), [("Jk 8c", False), ("Jk Jk", False), ("Jk Ac", True)])
def test_a_joker_makes_a_pair(cards_held: str, aces: bool) -> None:
    env = table([cards_held], "Td 7c", "2c 3c", naturals="none")
    assert "split" in labels(env)
    play(env, "0 split")
    if aces:
        assert rewards(env) == [-2], "13 and 13, with a card each"
        assert field(env, "split_aces")[0] == 3
    else:
        assert labels(env) == {"stand", "hit", "double"} | ({"split"} if cards_held == "Jk Jk" else set())
        assert field(env, "split_aces")[0] == 0


@pytest.mark.rule("BJ-47")
def test_a_joker_and_a_special_are_no_pair() -> None:
    env = table(["Kc 9c", "Jk Sk-c"], "Td 7c")
    assert seen(env, 1, "summary")[2] == 0
    assert seen(table(["Kc 9c", "Jk 2c"], "Td 7c"), 1, "summary")[2] == 1


@pytest.mark.rule("BJ-48")
def test_a_second_half_may_get_no_card() -> None:
    env = short_shoe(table(["8h 8c"], "Td 7c"), "Dr-c 2c")
    play(env, "0 split")
    assert (hand(env, 0, 0), hand(env, 0, 1)) == ("2c 8c", "8h")
    assert rewards(env) == [-2], "nothing is left to decide"


@pytest.mark.rule("BJ-48")
def test_redealt_cards_stay_away_until_the_shuffle() -> None:
    env = raw_env("blackjack_v0", num_players=1, hands=2, reshuffle="quarter")
    env.reset(seed=0, options={"deck": deck_of(env.options, dealt(["Dr-c 8h"], "Td 7c", "2c 3c 4c 5c 6c 7d"))})
    play(env, "0 stand")
    assert cards.text(env.zones()["aside"]) == "Dr-c"
    assert set(cards.text(env.zones()["used"]).split()) >= {"2c", "3c", "8h", "Td", "7c"}
    assert seen(env, 0, "seen")[54] == 1


# --- what is known ---


@pytest.mark.rule("BJ-07", "BJ-43")
@pytest.mark.parametrize(
    ("cards_shown", "banned"),
    [("7d Ac", [*range(32, 48), 52, 53]), ("7d Kc", [*range(48, 52), 52, 53]), ("7d Jk", [*range(32, 52), 53]), ("Kc 7d", [])],
)
def test_samples_respect_what_a_peek_has_told(cards_shown: str, banned: list[int]) -> None:
    env = table(["9h 8d"], cards_shown, insurance=False, deck="extended")
    sampled = {int(record["hole_card"]) for record in determinizations(env, 0, range(1500))}
    unseen = {*range(66)} - {*env.zones()["hand/0"], field(env, "up_card")}
    assert sampled == unseen - {*banned}
    free = table(["9h 8d"], cards_shown, insurance=False, hole="no_peek")
    sampled = {int(record["hole_card"]) for record in determinizations(free, 0, range(1500))}
    assert sampled == unseen


def test_all_hole_cards_are_equally_likely() -> None:
    env = table(["9h 8d"], "7d Kc", deck="standard")
    drawn = np.bincount([int(record["hole_card"]) for record in determinizations(env, 0, range(9000))], minlength=52)
    expected = 9000 / 45
    assert np.count_nonzero(drawn) == 45
    assert ((drawn[drawn > 0] - expected) ** 2 / expected).sum() < 90


def test_bets_are_dealt_before_the_cards_are_known() -> None:
    env: Any = raw_env("blackjack_v0", bets=(1, 2))
    env.reset(seed=1)
    assert env.zones("player_0")["pile"] == [-1] * 66


@pytest.mark.long
@pytest.mark.skipif(INTERPRETED, reason="slow")
@pytest.mark.rule("BJ-17")
def test_example_13() -> None:
    """The frequencies on the page are those of 700,000 hands, and its means follow from them."""
    row = re.search(r"^\| 13 \|.*", (ROOT / "docs/rules/blackjack.md").read_text(encoding="utf-8"), re.M)
    assert row
    numbers = [float(number) for number in re.findall(r"-?\d\.\d{3}", row[0])]
    for deck, (*outcomes, mean), without_pushes in (
        ("standard", numbers[:4], numbers[8]),
        ("extended", numbers[4:8], numbers[9]),
    ):
        assert outcomes == pytest.approx(outcomes_below_17(deck=deck), abs=0.003)
        lost, pushed, won = outcomes
        assert outcomes_below_17(deck=deck, dealer_wins_pushes=True) == pytest.approx([lost + pushed, 0, won], abs=0.003)
        assert (mean, without_pushes) == pytest.approx((won - lost, won - lost - pushed), abs=0.0015)


def outcomes_below_17(**options: Any) -> list[float]:
    """How often a player loses, pushes and wins who draws below 17 and then stands."""
    games = 8192
    batch = wilddeck.make_batch("blackjack_v0", games, 1, num_players=1, naturals="none", hole="no_peek", **options)
    batch.reset(seed=1)
    total = batch.observation_layout["summary"].start
    won = []
    for _ in range(150):
        hits = (batch.observation[:, total] < 16.5 / 31) & (batch.action_mask[:, 1] > 0)
        batch.step(hits.astype(np.int64))
        won.append(batch.rewards[batch.terminated > 0, 0])
    return [float((np.concatenate(won) == reward).mean()) for reward in (-1, 0, 1)]


# --- what only the state of turns tells ---


@pytest.mark.rule("BJ-42")
def test_a_dealer_who_is_bust_is_not_paused() -> None:
    """Reached by a Reverse of seat 0, the dealer has 16 and draws Rv-c, redealt to Ts."""
    env = table(["Rv-h 8c", "6c 6d"], "9c 7d", "Th Rv-c Ts")
    assert field(env, "direction") == 1 and env.current_player == 0
    assert seen(env, 0, "dealer_state") == pytest.approx([26 / 31, 1, 1, 0])


@pytest.mark.rule("BJ-11", "BJ-42")
def test_split_aces_with_a_reverse_have_ended_and_are_not_paused() -> None:
    env = table(["Ah Ac", "6c 6d", "Kd 9d"], "9c 7d", "Rv-c 2c 3c 5h")
    play(env, "0 split")
    assert field(env, "direction") == -1 and env.current_player == 2
    assert field(env, "out") & 1
    assert seen(env, 2, "seats")[12 + 1 : 12 + 3] == [1, 0]


@pytest.mark.rule("BJ-48", "ED-05")
def test_a_replacement_that_is_special_stays_when_the_shoe_is_empty() -> None:
    env = short_shoe(table(["5h 4c", "6c 6d"], "Td 7d"), "Dr-d Sk-c 2c")
    play(env, "0 hit")
    assert hand(env, 0) == "2c 4c 5h Sk-c"
    assert seen(env, 1, "seats")[12 + 7] == pytest.approx(21 / 31), "the special counts 10"


@pytest.mark.rule("BJ-11", "BJ-47")
def test_halves_of_a_pair_that_is_not_of_aces_are_no_split_aces() -> None:
    """A Joker that was split off an ace is a king beside a king."""
    env = table(["Ac Jk"], "Td 7c", "2c Kd 5c 6c", resplit_aces=True, naturals="none")
    play(env, "0 split")
    assert hand(env, 0, 1) == "Kd Jk" and labels(env) == {"stand", "split"}
    play(env, "0 split")
    assert field(env, "split_aces")[0] == 1 and hand(env, 0, 1) == "5c Kd"
    assert labels(env) == {"stand", "hit", "double"}


# --- events ---


def test_what_is_told() -> None:
    env = table(["8c 8d", "Kc Ah", "Tc 6c"], "9d Ad", "3h Rv-c 2d Kh Qs 5s", bets=(1, 2.5))
    play(env, "0 bet 2.5; 1 bet 1; 2 bet 1; 0 insure; 1 decline; 2 decline; 0 split; 2 surrender; 0 double; 0 hit; 0 hit")
    lines = [
        "shoe 1",
        "the shoe of 66 cards is shuffled",
        "round 1 begins",
        "player 0 bets 2.5",
        "player 1 bets 1",
        "player 2 bets 1",
        "player 0 is dealt 8c 8d",
        "player 1 is dealt Kc Ah",
        "player 2 is dealt Tc 6c",
        "the dealer lays a card face down",
        "the dealer turns up Ad",
        "player 0 takes insurance for 1.25",
        "player 1 declines",
        "player 2 declines",
        "player 0 splits",
        "player 0 draws 3h",
        "player 0 draws Rv-c",
        "player 0 redeals Rv-c",
        "player 0 draws 2d",
        "play now goes counterclockwise",
        "player 0's turn is paused",
        "the dealer turns up 9d",
        "player 2 surrenders",
        "player 0 doubles the first hand",
        "player 0 draws Kh",
        "player 0 hits the second hand",
        "player 0 draws Qs",
        "player 0 hits the second hand",
        "player 0 draws 5s",
        "the dealer has 20",
        "player 0 loses 1.25",
        "player 0 has 21",
        "player 0 wins 5",
        "player 0 is bust with 25",
        "player 0 loses 2.5",
        "player 1 has a natural",
        "player 1 has 21",
        "player 1 wins 1.5",
        "player 2 loses 0.5",
        "the game is over",
    ]
    assert told(env, 0) == told(env, 1) == lines
    assert [text for text in told(env) if text not in lines] == ["the dealer lays 9d face down"]


def test_what_is_told_of_the_dealer() -> None:
    env = table(["Tc 7c"], "Sk-c 5d", "9h Kd")
    play(env, "0 stand")
    assert told(env, 0)[-8:-1] == [
        "the dealer turns up Sk-c",
        "the dealer redeals Sk-c",
        "the dealer draws 9h",
        "the dealer is skipped",
        "the dealer has 14",
        "player 0 has 17",
        "player 0 wins 1",
    ]
