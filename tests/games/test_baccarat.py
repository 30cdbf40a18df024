"""Clauses of baccarat with ordinary cards: the deal, punto banco, chemin de fer. The worked examples with ordinary cards."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import wilddeck
from games.baccarat_positions import GAME, bank, banque, chemin, chips, phase, punto, table
from games.shoe_positions import deck_of, field, labels, play, seen
from support import play_random, see_anew
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.jit import INTERPRETED
from wilddeck.envs.games.baccarat import state as names

# --- the cards ---


@pytest.mark.rule("BA-02", "BA-06")
def test_the_deal_goes_round_twice() -> None:
    env = chemin(["2c 3d", "4h 3s"], course="0 take the bank with 8; 1 bet 1")
    assert env.zones()["hand/P"] == cards.parse("2c 3d") and env.zones()["hand/B"] == sorted(cards.parse("4h 3s"))
    assert field(env, "turn") == names.P and field(env, "direction") == 1
    env = banque(["2c 3d", "4h 2d", "6h 7s"])
    assert [env.zones()[f"hand/{name}"] for name in "RLB"] == [cards.parse(hand) for hand in ("2c 3d", "2d 4h", "6h 7s")]


@pytest.mark.rule("BA-03", "BA-11", "BA-12")
@pytest.mark.parametrize(
    ("player", "banker", "following", "winner"),
    [
        ("9c Kd", "2h Ks", "7d 7h", "P"),  # nobody draws against a natural: 9 to 2
        ("2c Kd", "8h Ks", "7d", "B"),
        ("9c Kd", "9h Ks", "", "tie"),
        ("5c Kd", "7h Ks", "3d", "P"),  # 5 draws
        ("6c Kd", "7h Ks", "3d", "B"),  # 6 stands
        ("7c Kd", "6h Ks", "3d", "P"),  # B stands on 6 if P has
        ("7c Kd", "5h Ks", "4d", "B"),  # and draws on 5
    ],
)
def test_who_draws(player: str, banker: str, following: str, winner: str) -> None:
    won = {side: punto([player, banker], following, f"{side} 8", commission=0) > 0 for side in ("P", "B", "tie")}
    assert won == {side: side == winner for side in won}


@pytest.mark.rule("BA-04")
def test_a_hand_draws_one_card_at_most() -> None:
    env = chemin(["2c Kd", "3h Ks"], "2d 9h 9s", punter_rule="free")
    play(env, "1 draw")
    assert env.current_player == 0 and sorted(env.zones()["hand/P"]) == cards.parse("2c 2d Kd"), "four, and their turn is over"


@pytest.mark.rule("BA-13")
@pytest.mark.parametrize(
    ("total", "draws"),
    [(0, "0123456789"), (1, "0123456789"), (2, "0123456789"), (3, "012345679"), (4, "234567"), (5, "4567"), (6, "67"), (7, "")],
)
def test_what_the_bank_does_when_p_drew(total: int, draws: str) -> None:
    """P has 0, so t is what it draws; B draws a ten, or stands: told by the cards that are left."""
    two = {0: "Kh Qh", 1: "Ah Kh"}.get(total, f"{total}h Kh")
    for value, text in enumerate(["Td", "Ad", *(f"{pips}d" for pips in range(2, 10))]):
        env = table(["Kc Qc", two], f"{text} Jd", num_players=1, variant="punto_banco", deck="standard", coups=2)
        play(env, "0 no bet")
        assert (len(env.zones()["used"]) == 6) == (str(value) in draws), (total, value)


# --- punto banco ---


@pytest.mark.rule("BA-10")
def test_bets_of_punto_banco() -> None:
    env = table(["9c Kd", "8h Ks"], num_players=3, variant="punto_banco", stack=5, coups=2)
    assert labels(env) == {"no bet"} | {f"{side} {level}" for side in ("P", "B", "tie") for level in range(1, 6)}
    play(env, "0 P 2; 1 no bet; 2 tie 5")
    assert chips(env) == [7, 5, 0] and phase(env) == names.BETTING
    assert env.current_player == 0
    play(env, "0 no bet")
    assert env.current_player == 1
    play(env, "1 no bet")
    assert not env.legal_actions(), "2 has nothing to bet with, and is not asked"


@pytest.mark.rule("BA-10")
def test_levels() -> None:
    env = table(["9c Kd", "8h Ks"], num_players=1, variant="punto_banco", min_bet=3, max_bet=6)
    assert {label for label in labels(env) if label.startswith("P")} == {"P 3", "P 4", "P 5", "P 6"}
    assert [action - names.BET for action in env.legal_actions() if names.BET <= action < names.SECOND] == [0, 3, 5, 7]
    env = raw_env("baccarat_v0", variant="punto_banco", num_players=1, stack=0, min_bet=10, max_bet=80)
    env.reset(seed=1)
    assert {label for label in labels(env) if label.startswith("B")} == {f"B {10 * k}" for k in range(1, 9)}


@pytest.mark.rule("BA-10")
def test_cards_are_dealt_though_nobody_bets() -> None:
    env = table(["9c Kd", "8h Ks"], num_players=1, variant="punto_banco")
    play(env, "0 no bet")
    assert env.zones()["used"] == cards.parse("8h 9c Kd Ks") and field(env, "coup") == 2


@pytest.mark.rule("BA-15")
@pytest.mark.parametrize(
    ("player", "banker", "bet", "won"),
    [
        ("9c Kd", "8h Ks", "P 8", 8),
        ("9c Kd", "8h Ks", "B 8", -8),
        ("9c Kd", "8h Ks", "tie 8", -8),
        ("8c Kd", "9h Ks", "B 8", 7.6),
        ("8c Kd", "9h Ks", "B 3", 2.85),
        ("8c Kd", "9h Ks", "P 3", -3),
        ("8c Kd", "8h Ks", "P 3", 0),
        ("8c Kd", "8h Ks", "B 3", 0),
        ("8c Kd", "8h Ks", "tie 3", 24),
    ],
)
def test_payments(player: str, banker: str, bet: str, won: float) -> None:
    assert punto([player, banker], "", bet) == won


@pytest.mark.rule("BA-15")
def test_payments_by_the_options() -> None:
    assert punto(["8c Kd", "8h Ks"], "", "tie 3", tie_pays=9) == 27
    assert punto(["8c Kd", "9h Ks"], "", "B 8", commission=0.1) == 7.2
    assert punto(["8c Kd", "9h Ks"], "", "B 8", commission=0) == 8
    assert punto(["8c Kd", "9h Ks"], "", "B 1", commission=0.01) == 0.99


@pytest.mark.rule("BA-01", "BA-05", "BA-11", "BA-13", "BA-15")
@pytest.mark.parametrize(
    ("hands", "following", "bet", "won"),
    [
        (["9c 6d", "Kc 3h"], "8s", "tie 8", 64),
        (["9c 6d", "Kc 3h"], "8s", "P 8", 0),
        (["9c 6d", "Kc 3h"], "8s", "B 8", 0),
        (["2c Kh", "4d Ts"], "6h 5s", "B 8", 7.6),
    ],
)
def test_examples_1_and_2(hands: list[str], following: str, bet: str, won: float) -> None:
    assert punto(hands, following, bet) == won


# --- chemin de fer: the bank ---


@pytest.mark.rule("BA-20")
def test_the_offer_of_the_bank() -> None:
    env = table([], num_players=3, first_banker=1, stack=30, must_bet=False)
    assert env.current_player == 1 and labels(env) == {"refuse", *(f"take the bank with {price}" for price in (8, 16, 24))}
    play(env, "1 refuse; 0 refuse")
    assert env.current_player == 2 and phase(env) == names.OFFERING
    play(env, "2 take the bank with 24")
    assert field(env, "banker") == 2 and chips(env) == [30, 30, 6] and bank(env) == 24
    assert env.current_player == 1, "bets are made from the banker to the right"


@pytest.mark.rule("BA-20", "BA-60")
def test_a_coup_is_void_if_all_refuse() -> None:
    env = table([], num_players=3, first_banker=1, must_bet=False, coups=2)
    play(env, "1 refuse; 0 refuse; 2 refuse")
    assert (env.current_player, field(env, "coup"), field(env, "due")) == (0, 2, 0) and not env.zones()["used"]
    play(env, "0 refuse; 2 refuse; 1 refuse")
    assert not env.legal_actions(), "void coups count"


@pytest.mark.rule("BA-20")
def test_who_can_take_the_bank_must() -> None:
    env = table([], num_players=2, first_banker=0, stack=16)
    assert labels(env) == {"take the bank with 8", "take the bank with 16"}
    env = table([], num_players=2, first_banker=1, stack=15)
    assert field(env, "banker") == 1 and env.current_player == 0, "with a single level they are not asked"


@pytest.mark.rule("BA-21", "BA-23", "BA-47")
def test_example_11() -> None:
    env = table(["Rv-h 9d", "3h Kd"], "6c 4s 3c", "0 take the bank with 8; 2 bet 4", num_players=3)
    assert env.current_player == 1 and labels(env) == {"bet 1", "bet 2", "bet 3", "bet 4", "banco"}
    assert env.action_from_label("bet 4") == names.BET + 3, "of equal amounts the lowest"
    play(env, "1 banco")
    assert chips(env) == [92, 92, 100] and env.current_player == 1
    play(env, "1 reveal Rv-h")
    assert env.current_player == 0, "paused"
    assert -1 in env.zones("player_0")["hand/P"], "face down"
    play(env, "0 draw")
    assert env.current_player == 1 and labels(env) == {"draw", "stand"}, "5 is free"
    play(env, "1 draw")
    assert chips(env) == [92, 108, 100] and bank(env) == 0
    assert field(env, "banker") == -1 and field(env, "due") == env.current_player == 2


@pytest.mark.rule("BA-21", "BA-22")
def test_eighths_of_the_bank() -> None:
    env = table([], "", "0 take the bank with 24", num_players=4, stack=30, max_bet=8)
    assert labels(env) == {"bet 3", "bet 6", "bet 9", "bet 12", "bet 15", "bet 18", "bet 21", "banco"}
    play(env, "3 bet 21")
    assert labels(env) == {"bet 3", "banco"}, "three are uncovered"
    play(env, "2 bet 3")
    assert env.current_player == 1 and labels(env) == {"no bet", "banco"}
    env = table([], "", "0 take the bank with 50", num_players=3, max_bet=10)
    assert labels(env) == {"banco", *(f"bet {stake}" for stake in (7, 13, 19, 25, 32, 38, 44))}, "rounded up"


@pytest.mark.rule("BA-21")
def test_nobody_bets_more_than_they_have() -> None:
    env = chemin(["2c Kd", "7h Kh"], "3d", "1 banco", stack=12, punter_rule="free")
    play(env, "1 stand; 0 stand; 0 keep the bank")
    assert chips(env) == [4, 4] and bank(env) == 16
    assert labels(env) == {"bet 2", "bet 4"}, "no BANCO of 16"


@pytest.mark.rule("BA-21", "BA-27")
def test_parts_of_chips_after_a_commission() -> None:
    """B wins 8, less 3 of a hundred: a bank of 15.76, whose eighths are rounded up, and what is uncovered is not."""
    env = chemin(["2c Kd", "7h Kh"], "3d", commission=0.03, punter_rule="free")
    play(env, "1 stand; 0 stand")
    assert bank(env) == 15.76 and sum(chips(env)) + bank(env) == 199.76
    play(env, "0 keep the bank")
    assert labels(env) == {"banco", *(f"bet {stake}" for stake in (2, 4, 6, 8, 10, 12, 14))}
    env = table(
        ["2c Kd", "7h Kh"], "3d", "0 take the bank with 8; 2 bet 7; 1 bet 1", num_players=3, commission=0.03, punter_rule="free"
    )
    play(env, "2 stand; 0 stand; 0 keep the bank; 2 bet 14")
    assert labels(env) == {"bet 1.76", "banco"}


@pytest.mark.rule("BA-22")
def test_no_bets() -> None:
    env = table([], "", "0 take the bank with 8; 2 no bet; 1 no bet", num_players=3, must_bet=False)
    assert phase(env) == names.KEEPING and env.current_player == 0 and not env.zones()["used"]
    assert field(env, "coup") == 1 and bank(env) == 8
    play(env, "0 keep the bank")
    assert field(env, "coup") == 2 and env.current_player == 2


@pytest.mark.rule("BA-22", "BA-23")
def test_who_holds_the_hand() -> None:
    env = table(["2c 3d", "2h 3h"], "", "0 take the bank with 16; 3 bet 2; 2 bet 4; 1 bet 4", num_players=4)
    assert field(env, "holder") == [2, -1, 0] and env.current_player == 2
    assert -1 not in env.zones("player_2")["hand/P"] and env.zones("player_1")["hand/P"] == [-1, -1]
    assert env.zones("player_2")["hand/B"] == [-1, -1]
    assert seen(env, 2, "own_hand")[cards.parse("2c")[0]] == 1 and not any(seen(env, 1, "own_hand"))
    assert seen(env, 2, "own_state") == [pytest.approx(5 / 9), 1] and seen(env, 1, "own_state") == [0, 0]


@pytest.mark.rule("BA-24")
@pytest.mark.parametrize(("hands", "won"), [(["9c Kd", "2h Kh"], 8), (["2c Kd", "9h Kh"], -8), (["8c Kd", "8h Kh"], 0)])
def test_a_natural_ends_the_coup(hands: list[str], won: float) -> None:
    env = chemin(hands, "9d 9s")
    assert chips(env)[1] == 100 + won and len(env.zones()["used"]) == 4


@pytest.mark.rule("BA-25")
@pytest.mark.parametrize(("total", "legal"), [(4, "draw"), (5, ""), (6, "stand"), (7, "stand")])
def test_what_custom_demands(total: int, legal: str) -> None:
    env = chemin([f"{total}c Kd", "2h 3h"], "Td")
    assert env.current_player == (0 if legal else 1)
    assert bool(field(env, "drew") & 1) == (legal == "draw") and bool(field(env, "stood") & 1) == (legal == "stand")
    assert env.zones("player_0")["hand/P"][0] == (cards.parse("Td")[0] if legal == "draw" else -1), "face up"
    assert chemin([f"{total}c Kd", "2h 3h"], punter_rule="free").current_player == 1


@pytest.mark.rule("BA-26")
def test_the_banker_is_free() -> None:
    env = chemin(["7c Kd", "7h Kh"])
    assert env.current_player == 0 and labels(env) == {"draw", "stand"}
    env = chemin(["Qc Kd", "2h Kh"], "3d 4d")
    assert labels(env) == {"draw", "stand"}
    play(env, "0 draw")
    assert chips(env) == [92, 92] and bank(env) == 16, "6 to 3"


@pytest.mark.rule("BA-14", "BA-26")
def test_the_tableau_binds_the_banker() -> None:
    env = chemin(["Qc Kd", "3h Kh"], "8d 9d", banker_rule="tableau")
    assert bank(env) == 0 and chips(env) == [92, 108], "3 stands against an 8"
    env = chemin(["Qc Kd", "3h Kh"], "7d 6d", banker_rule="tableau")
    assert bank(env) == 16 and chips(env) == [92, 92], "and draws against a 7: 9"


@pytest.mark.rule("BA-27")
@pytest.mark.parametrize(
    ("hands", "after"),
    [(["7c Kd", "6h Kh"], [112, 101, 87]), (["6c Kd", "7h Kh"], [84, 99, 97]), (["6c Kd", "6h Kh"], [84, 100, 100])],
)
def test_settlement_and_what_is_not_at_risk(hands: list[str], after: list[float]) -> None:
    """Of a bank of 16 four are covered, by 3 and 1."""
    env = table(hands, "", "0 take the bank with 16; 2 bet 2; 1 bet 2", num_players=3, must_bet=False)
    play(env, "0 stand")
    if hands[0].startswith("7"):
        assert bank(env) == 0 and chips(env) == [96, 102, 102], "the bank is lost and passes: 12 are left of it"
    else:
        assert bank(env) == (20 if hands[1].startswith("7") else 16)
        assert sum(chips(env)) + bank(env) == 300 and phase(env) == names.KEEPING


@pytest.mark.rule("BA-28")
def test_keeping_and_passing_the_bank() -> None:
    env = chemin(["6c Kd", "7h Kh"], "2c")
    play(env, "0 stand")
    assert labels(env) == {"keep the bank", "pass the bank on"} and bank(env) == 16
    kept, passed = env.clone(), env.clone()
    play(kept, "0 keep the bank")
    assert bank(kept) == 16 and phase(kept) == names.BETTING and kept.current_player == 1
    play(passed, "0 pass the bank on")
    assert bank(passed) == 0 and chips(passed) == [108, 92] and passed.current_player == field(passed, "due") == 1
    lost = chemin(["7c Kd", "6h Kh"], course="0 take the bank with 16; 1 bet 2")
    play(lost, "0 stand")
    assert chips(lost) == [98, 102] and lost.current_player == field(lost, "due") == 1 and phase(lost) == names.OFFERING


@pytest.mark.rule("BA-28", "BA-60")
def test_the_last_coup() -> None:
    env = chemin(["6c Kd", "7h Kh"], coups=1)
    play(env, "0 stand")
    assert not env.legal_actions() and chips(env) == [108, 92]
    assert list(env.rewards.values()) == [1.0, -1.0]


@pytest.mark.rule("BA-60")
def test_the_end_without_chips() -> None:
    env = chemin(["6c Kd", "7h Kh"], "", "1 banco", stack=8, coups=5)
    play(env, "0 stand")
    assert not env.legal_actions() and chips(env) == [16, 0], "one alone has chips"
    env = chemin(["7c Kd", "6h Kh"], "", "1 bet 1", stack=8, coups=5)
    play(env, "0 stand")
    assert chips(env) == [7, 1] and bank(env) == 8 and env.current_player == 0, "1 has 9 chips, and the bank, without a choice"
    env = table(["9c Kd", "8h Ks"], "", "0 B 3", num_players=1, variant="punto_banco", stack=3, coups=5)
    assert not env.legal_actions() and chips(env) == [0]


@pytest.mark.rule("BA-60")
@pytest.mark.parametrize(("left", "over"), [((7.9, 7.9), True), ((7.9, 8.0), False), ((0.9, 7.9), True)])
def test_nobody_has_what_a_bank_takes(left: tuple[float, float], over: bool) -> None:
    """As commissions can bring about. As long as the banker keeps their bank it does not matter."""
    env = chemin(["6c Kd", "7h Kh"], "", "0 take the bank with 8; 1 bet 1; 0 stand", coups=5)
    record = env.record[0]
    record["bank"], record["chips"][:2] = round(left[0] * 100), (0, round(left[1] * 100))
    see_anew(env)
    kept = env.clone()
    play(env, "0 pass the bank on")
    assert bool(env.legal_actions()) != over
    play(kept, "0 keep the bank")
    assert bool(kept.legal_actions()) == (left[0] >= 1), "fewer than two have min_bet"


@pytest.mark.rule("BA-60")
def test_a_coup_has_at_most_so_many_decisions() -> None:
    assert GAME.max_length(GAME.make_options({})) == 12 * (8 + 24 * 6 + 3)
    assert GAME.max_length(GAME.make_options({"variant": "punto_banco"})) == 24 * 4


# --- shoes ---


def test_a_new_shoe() -> None:
    """A shoe from which a coup would begin with fewer than `cut` cards is not used any more."""
    env = table(["9c Kd", "8h Ks"], "9d Kc 8s Kh", num_players=1, variant="punto_banco", decks=1, cut=59, coups=5)
    left = []
    for _ in range(3):
        play(env, "0 no bet")
        left.append((len(env.zones()["pile"]), field(env, "deals")))
    assert left[0] == (62, 1)
    assert left[1] == (66, 2), "58 were left"
    assert left[2][1] == 2 + (left[2][0] == 66)


@pytest.mark.parametrize(("first", "burned"), [("Ac", 1), ("7c", 7), ("Kd", 10), ("Jk", 10), ("Sk-c", 10)])
def test_a_card_is_turned_and_others_burned(first: str, burned: int) -> None:
    env = raw_env("baccarat_v0", burn=True, decks=1, cut=60)
    env.reset(seed=1, options={"deck": deck_of(env.options, cards.parse(first))})
    zones = env.zones("player_0")
    assert zones["used"] == cards.parse(first) and zones["burned"] == [-1] * burned and len(zones["pile"]) == 65 - burned
    assert seen(env, 0, "seen")[cards.parse(first)[0]] == 1 and sum(seen(env, 0, "seen")) == 1
    assert field(env, "deals") == 1, "nothing was dealt of it, so it is not shuffled again"


@pytest.mark.parametrize("number", range(len(GAME.options.samples())))
def test_chips_are_conserved(number: int) -> None:
    """After every step; what is paid to the house, or by it, apart."""
    options: Any = vars(GAME.options.samples()[number])
    if options["variant"] == "punto_banco":
        pytest.skip("against the house")
    env = raw_env("baccarat_v0", **options)
    env.reset(seed=number)
    before = env.num_players * options["stack"]
    for _ in play_random(env, number, 600):
        taken = bank(env) if phase(env) != names.OFFERING else 0
        there = sum(chips(env)) + taken + sum(map(sum, field(env, "bet"))) / 100
        assert there == pytest.approx(before) if not options["commission"] else there <= before + 1e-9
        assert min(chips(env)) >= 0
        before = there


# --- options ---


def test_what_follows_from_the_form() -> None:
    for variant, defaults in (("punto_banco", (8, 24, 0.05)), ("chemin_de_fer", (6, 12, 0.0)), ("banque", (3, 12, 0.0))):
        options = GAME.make_options({"variant": variant})
        assert (options.decks, options.coups, options.commission) == defaults
    options = GAME.make_options({"variant": "banque", "decks": 2, "coups": "none", "commission": 0.07})
    assert (options.decks, options.coups, options.commission) == (2, 12, 0.07)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 1}, r"num_players=1 is not allowed in chemin_de_fer; allowed: 2\.\.9"),
        ({"num_players": 2, "variant": "banque"}, r"num_players=2 is not allowed in banque; allowed: 3\.\.9"),
        ({"min_bet": 9}, r"max_bet=8 is not allowed with min_bet=9; allowed: 9\.\.1000"),
        ({"stack": 7}, r"stack=7 is not allowed in chemin_de_fer with such bets; allowed: 8\.\.10000"),
        ({"stack": 0}, "stack=0 is not allowed in chemin_de_fer"),
        ({"stack": 3, "min_bet": 4, "variant": "punto_banco"}, r"stack=3 is not .* allowed: 0, 4\.\.10000"),
        ({"commission": 0.055}, r"commission=0.055 is not allowed; allowed: 0\.\.0.1 in steps of 0.01, none"),
        ({"commission": True}, "commission=True is not allowed"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GAME.make_options(options)


# --- frequencies ---


@pytest.mark.rule("BA-59")
@pytest.mark.skipif(INTERPRETED, reason="slow")
@pytest.mark.parametrize(("deck", "expected"), [("standard", (0.4587, 0.4462, 0.0951)), ("extended", (0.4482, 0.4473, 0.1044))])
def test_example_14(deck: str, expected: tuple[float, ...]) -> None:
    """Eight decks, a new shoe for each coup: B, P, ties."""
    games, times = 4096, 30
    batch = wilddeck.make_batch("baccarat_v0", games, 1, variant="punto_banco", num_players=1, deck=deck, coups=1, stack=0)
    batch.reset(seed=1)
    won = []
    for _ in range(times):
        batch.step(np.full(games, names.BET))
        won.append(np.sign(batch.rewards[:, 0]))
    shares = [(np.concatenate(won) == sign).mean() for sign in (-1, 1, 0)]
    assert shares == pytest.approx(expected, abs=5 * 0.5 / (games * times) ** 0.5)


def test_random_games_differ() -> None:
    draw = random.Random(1)
    env = raw_env("baccarat_v0")
    bankers = set()
    for seed in range(12):
        env.reset(seed=seed)
        bankers.add(env.current_player)
        env.step(draw.choice(env.legal_actions()))
    assert bankers == {0, 1, 2, 3}, "the first banker is drawn by lot"
