"""Clauses of baccarat with Jokers, Draws, Reverses and Skips, and the worked examples with them."""

from __future__ import annotations

import pytest
from games.baccarat_positions import bank, banque, chemin, chips, phase, punto, table
from games.pack_positions import told
from games.shoe_positions import field, labels, play, seen, short_shoe
from wilddeck import cards
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.games.baccarat import state as names

# --- punto banco ---


@pytest.mark.parametrize(
    ("hands", "following", "bet", "won"),
    [
        pytest.param(["Sk-h 4c", "2d 3d"], "Ah Kc", "tie 8", 64, marks=pytest.mark.rule("BA-49", "BA-51"), id="3"),
        pytest.param(["Rv-c 2d", "5c Qd"], "2h 8h", "P 8", 8, marks=pytest.mark.rule("BA-47", "BA-48", "BA-50"), id="4"),
        pytest.param(["Rv-c 2d", "Rv-d 5c"], "2h Qd 8h", "B 8", 7.6, marks=pytest.mark.rule("BA-43", "BA-50"), id="5"),
        pytest.param(["Dr-s 5h", "Jc 2c"], "7c 6d 7d", "B 8", 7.6, marks=pytest.mark.rule("BA-42", "BA-46"), id="6"),
        pytest.param(["Jk 4h", "Dr-c 8d"], "Kd As", "tie 8", 64, marks=pytest.mark.rule("BA-40", "BA-42", "BA-54"), id="7"),
        pytest.param(["2h 3c", "Kc 4d"], "Dr-h 4c 9d 6s", "P 8", 8, marks=pytest.mark.rule("BA-45", "BA-53"), id="8"),
        pytest.param(["As 2d", "6c Kd"], "Jk Qh", "P 8", 8, marks=pytest.mark.rule("BA-40", "BA-53"), id="9"),
    ],
)
def test_examples_of_punto_banco(hands: list[str], following: str, bet: str, won: float) -> None:
    assert punto(hands, following, bet) == won


def used_in(hands: list[str], following: str) -> list[int]:
    """The cards used up by a coup, those redealt left out."""
    env = table(hands, following, "0 no bet", num_players=1, variant="punto_banco", coups=2)
    return env.zones()["used"]


@pytest.mark.rule("BA-43")
def test_all_specials_are_redealt_before_they_act() -> None:
    """Ascending: the Draw gets 2c, the Skip the Reverse, the Draw's second card is 3c; the Reverse becomes 9c. With 4 P would
    draw, but is skipped."""
    env = table(["Sk-c Dr-c", "6d Kh"], "2c Rv-c 3c 9c", "0 tie 1", num_players=1, variant="punto_banco", coups=2)
    assert sorted(env.zones()["used"]) == sorted(cards.parse("2c 3c 9c 6d Kh"))
    assert sorted(env.zones()["aside"]) == sorted(cards.parse("Sk-c Dr-c Rv-c"))


@pytest.mark.rule("BA-49")
def test_a_skip_with_a_reverse() -> None:
    """P is skipped, not paused: it stands on 2, and B draws as Player on 5."""
    assert used_in(["Sk-c Rv-c", "2d 3d"], "2c Kc 4h") == cards.parse("2c 2d 3d 4h Kc")


@pytest.mark.rule("BA-48")
def test_a_pause_with_nobody_left_to_play() -> None:
    """B reverses after P is done, and goes on at once by the tableau: 4 against an 8 stands."""
    assert used_in(["Kc Qc", "Rv-c 2d"], "8h 2h") == sorted(cards.parse("Kc Qc 8h 2h 2d"))


@pytest.mark.rule("BA-50", "BA-51", "BA-52")
def test_p_after_a_b_that_was_skipped() -> None:
    """P is paused, B skipped on 7, so P draws on 5: the tableau of a B that did not draw. Bets stay with P and B."""
    env = table(["Rv-c 2d", "Sk-d 5c"], "3h 2s 3d", "0 P 8", num_players=1, variant="punto_banco", coups=2)
    assert chips(env) == [108], "8 to 7"
    assert len(env.zones()["used"]) == 5


@pytest.mark.rule("BA-52")
def test_payments_stay_though_rules_are_exchanged() -> None:
    assert punto(["Rv-c 2d", "5c Qd"], "2h 4h", "B 8") == 7.6, "B plays first, and wins as B: 9 to 4"


@pytest.mark.rule("BA-54")
def test_specials_are_redealt_beside_a_natural() -> None:
    assert used_in(["9c Kd", "Dr-c 2c"], "3c 4c 5c") == cards.parse("2c 3c 4c 9c Kd"), "but nothing is drawn"
    assert used_in(["Rv-c 2d", "Dr-d 2c"], "7h 3c 4c 5c") == sorted(cards.parse("7h 2d 2c 3c 4c")), "P paused on a natural"


@pytest.mark.rule("BA-59")
def test_payments_are_the_same_with_the_extended_deck() -> None:
    for deck in ("standard", "extended"):
        won = [punto(["8c Kd", "9h Ks"], "", bet, deck=deck) for bet in ("P 8", "B 8", "tie 8")]
        assert won == [-8, 7.6, -8]


# --- Jokers ---


@pytest.mark.rule("BA-41")
def test_what_a_joker_stands_for_is_found_anew() -> None:
    """With Dr-c it stands for nothing yet, then beside 2 and 3 for a four."""
    env = chemin(["Dr-c Jk", "7h Ks"], "2d 3d 9s", punter_rule="free")
    play(env, "1 reveal Dr-c")
    assert env.current_player == 0 and field(env, "stood") == 1, "2, 3 and a four: 9 without a choice"


@pytest.mark.rule("BA-42")
def test_eight_and_nine_of_three_cards_have_no_choice() -> None:
    for rule in ("free", "custom"):
        env = chemin(["Dr-c 2c", "3h Ks"], "2d 4d 2s 9s", punter_rule=rule)
        play(env, "1 reveal Dr-c")
        assert env.current_player == 0 and field(env, "stood") == 1 and not any(seen(env, 0, "hands")[:66]), "not shown"


@pytest.mark.rule("BA-42")
def test_a_hand_with_a_special_is_no_natural() -> None:
    env = chemin(["Sk-c 9c", "3h Ks"])
    assert env.current_player == 1 and {"draw", "stand", "reveal Sk-c"} == labels(env)
    assert seen(env, 1, "own_state") == [0, 1], "it has no total"


# --- face down ---


@pytest.mark.rule("BA-44")
def test_revealing() -> None:
    env = chemin(["Dr-c Rv-c", "3h Ks"], "Sk-d 2c 5c")
    assert labels(env) == {"draw", "stand", "reveal Dr-c", "reveal Rv-c"}
    play(env, "1 reveal Dr-c")
    assert labels(env) == {"redeal", "reveal Rv-c"} and seen(env, 0, "staged")[0] == 1
    assert env.zones("player_0")["hand/P"] == [*cards.parse("Dr-c"), -1]
    play(env, "1 redeal")
    assert sorted(env.zones()["hand/P"]) == sorted(cards.parse("Rv-c Sk-d 2c")), "the new ones are hidden again"
    assert env.zones("player_0")["hand/P"] == [-1] * 3 and env.current_player == 1
    assert labels(env) == {"draw", "stand", "reveal Rv-c", "reveal Sk-d"}, "their turn goes on"
    assert seen(env, 0, "hands")[names.REDEALT : names.HAND] == [0.25, 0, 0]


@pytest.mark.rule("BA-44")
def test_the_environment_redeals_when_nothing_else_can_be_staged() -> None:
    env = chemin(["Dr-c 2c", "3h Ks"], "2d Ad 2s 9s")
    play(env, "1 reveal Dr-c")
    assert env.zones()["aside"] == cards.parse("Dr-c")
    two = chemin(["Dr-c Dr-d", "3h Ks"], "2d Ad 2s Kh")
    play(two, "1 reveal Dr-c; 1 reveal Dr-d")
    assert sorted(two.zones()["hand/P"]) == sorted(cards.parse("2d 2s Kh Ad")), "both at once, and two cards each"


@pytest.mark.rule("BA-44")
def test_copies_are_staged_one_by_one() -> None:
    env = chemin(["Dr-c Dr-c", "3h Ks"], "2d Ad 2s Kh")
    play(env, "1 reveal Dr-c")
    assert labels(env) == {"redeal", "reveal Dr-c"}
    play(env, "1 reveal Dr-c")
    assert env.zones()["aside"] == cards.parse("Dr-c Dr-c")


@pytest.mark.rule("BA-45")
def test_a_special_that_is_drawn() -> None:
    """It is redealt face up, at once; one that lies face down stays."""
    env = chemin(["Sk-c 2c", "3h Ks"], "Rv-d Sk-d 4d")
    play(env, "1 draw")
    assert env.current_player == 0 and field(env, "direction") == -1
    assert sorted(env.zones("player_0")["hand/P"], reverse=True) == [*cards.parse("4d"), -1, -1]
    assert cards.parse("Sk-c")[0] in env.zones()["hand/P"]
    assert seen(env, 0, "hands")[names.REDEALT : names.HAND] == [0, 0.25, 0.25]
    assert seen(env, 0, "hands")[names.VALUE] == pytest.approx(4 / 9)


@pytest.mark.rule("BA-53")
@pytest.mark.parametrize(
    ("banker", "following", "draws"),
    [
        ("4h Ks", "Jk 6d", False),  # a Joker is 9, though P's total changes by 7
        ("4h Ks", "Dr-h 4c 9d 6d", True),  # a Draw the sum of its cards, 3
        ("3h Ks", "Ac 6d", True),
    ],
)
def test_the_value_of_what_is_drawn_face_down(banker: str, following: str, draws: bool) -> None:
    env = chemin(["2c Kd", banker], following, banker_rule="tableau", coups=2)
    assert (cards.parse("6d")[0] in env.zones()["used"]) == draws


@pytest.mark.rule("BA-54")
def test_a_natural_made_by_a_redeal() -> None:
    env = chemin(["Rv-c 7h", "6h Kc"], "2d 9d")
    play(env, "1 reveal Rv-c")
    assert chips(env) == [92, 108], "P's ends the coup, unpaused"
    env = banque(["Rv-c 7h", "5d Kh", "6h Kc"], "2d 9d")
    play(env, "2 reveal Rv-c")
    assert field(env, "direction") == -1 and field(env, "turn") == names.B and field(env, "out") == 1, "R's its own turn"
    assert -1 not in env.zones("player_0")["hand/R"]
    env = banque(["5c 7h", "Kd Kh", "Sk-c 7c"], "4c 2d 2s")
    play(env, "0 reveal Sk-c")
    assert phase(env) == names.KEEPING, "B's the coup"


@pytest.mark.rule("BA-49", "BA-55")
@pytest.mark.parametrize("reveals", [False, True])
def test_example_12(reveals: bool) -> None:
    env = chemin(["Sk-c 7h", "6h Kc"], "2d")
    if reveals:
        play(env, "1 reveal Sk-c")
    else:
        play(env, "1 stand; 0 stand")
    assert chips(env) == [92, 108]


@pytest.mark.rule("BA-49")
def test_a_skip_that_is_revealed() -> None:
    env = chemin(["Sk-c 7h", "6h Kc"], "4d")
    play(env, "1 reveal Sk-c")
    assert env.current_player == 0 and not field(env, "stood"), "it stands on 1"
    play(env, "0 stand")
    assert bank(env) == 16


@pytest.mark.rule("BA-55")
def test_what_is_left_is_redealt_before_the_comparison() -> None:
    """A Draw as two cards, in the order of the hands; a Reverse does nothing more."""
    env = chemin(["Dr-c 3d", "Rv-d 3c"], "4c Sk-c 9c 2d")
    play(env, "1 stand; 0 stand")
    assert chips(env) == [92, 108], "3, 4 and 9 to 3 and 2"
    assert len(env.zones()["aside"]) == 3


@pytest.mark.rule("BA-56")
def test_rules_do_not_bind_who_has_a_special() -> None:
    env = chemin(["Sk-c 7h", "Rv-c Kc"], "2d 3s", banker_rule="tableau")
    assert {"draw", "stand"} <= labels(env)
    play(env, "1 draw")
    assert env.current_player == 0 and {"draw", "stand"} <= labels(env)
    play(env, "0 draw")
    assert phase(env) != names.TURN, "no reveal after the draw"


@pytest.mark.rule("BA-56", "BA-57", "ED-05")
def test_an_empty_shoe() -> None:
    """Nothing is dealt, nothing can be revealed; what cannot be replaced counts nothing."""
    env = short_shoe(chemin(["Sk-c 7h", "6h Kc"]), "")
    assert labels(env) == {"draw", "stand"}
    play(env, "1 draw")
    assert field(env, "drew") == 0 and field(env, "stood") == 1 and env.current_player == 0
    play(env, "0 stand")
    assert chips(env) == [92, 108], "7 to 6"


@pytest.mark.rule("BA-57")
def test_a_shoe_that_fails() -> None:
    env = short_shoe(chemin(["Dr-c Dr-d", "6h Kc"]), "2c")
    play(env, "1 reveal Dr-d")
    assert sorted(env.zones()["hand/P"]) == sorted(cards.parse("Dr-c 2c")), "one card, and no second special to stage"
    assert env.zones()["aside"] == cards.parse("Dr-d")


@pytest.mark.rule("BA-57")
def test_what_was_redealt_stays_away() -> None:
    env = chemin(["Sk-c 7h", "6h Kc"], "4d", "0 take the bank with 8; 1 banco; 1 reveal Sk-c; 0 stand; 0 keep the bank")
    assert env.zones()["aside"] == cards.parse("Sk-c") and seen(env, 0, "seen")[cards.parse("Sk-c")[0]] == pytest.approx(1 / 6)


# --- the tableau of a banker who may come first ---


def reversed_coup(player: str, banker: str, following: str) -> CardGameEnv:
    """P reveals a Reverse; the banker goes by rule."""
    env = chemin([f"Rv-h {player}", banker], following, banker_rule="tableau")
    play(env, "1 reveal Rv-h")
    return env


@pytest.mark.rule("BA-58")
def test_the_banker_goes_first_as_a_punter() -> None:
    env = reversed_coup("9d", "5h Kd", "6c 3c")
    assert env.current_player == 0 and labels(env) == {"draw", "stand"}, "free on 5, as punters are"
    env = reversed_coup("2d", "4h Kd", "2c 8c Qs")
    assert phase(env) != names.TURN and bank(env) == 0, "4 draws 8: 2; P's 4 stands against an 8"
    env = reversed_coup("2d", "6h Kd", "2c 4c")
    assert phase(env) != names.TURN and bank(env) == 0, "6 stands; P's 4 draws: 8"


@pytest.mark.rule("BA-58")
def test_p_goes_by_the_punters_rule_if_the_banker_was_skipped() -> None:
    env = chemin(
        ["Rv-h 9d", "Sk-c Kd"],
        "6c 4c 3c",
        "0 take the bank with 8; 1 banco; 1 reveal Rv-h; 0 reveal Sk-c",
        banker_rule="tableau",
    )
    assert env.current_player == 1 and labels(env) == {"draw", "stand"}, "5 is free"


@pytest.mark.rule("BA-58")
def test_the_banker_plays_the_tableau_after_a_skip() -> None:
    env = chemin(["Sk-h 9d", "5h Kd"], "6c 4s", "0 take the bank with 8; 1 banco; 1 reveal Sk-h", banker_rule="tableau")
    assert phase(env) == names.KEEPING and bank(env) == 16, "5 draws against a hand that did not: 9 to 5"


@pytest.mark.rule("BA-47")
def test_an_even_number_of_reverses_pauses_too() -> None:
    env = banque(["Rv-c Rv-d", "5d Kh", "6h Kc"], "5c Qd")
    play(env, "2 reveal Rv-c; 2 reveal Rv-d")
    assert field(env, "direction") == 1 and field(env, "turn") == names.L
    play(env, "1 stand; 0 stand")
    assert field(env, "turn") == names.P and labels(env) == {"draw", "stand"}


@pytest.mark.rule("BA-48")
def test_alone_a_pause_goes_on_at_once() -> None:
    env = chemin(["7c Kd", "Rv-c 2h"], "3h")
    play(env, "0 reveal Rv-c")
    assert env.current_player == 0 and labels(env) == {"draw", "stand"} and field(env, "direction") == -1


@pytest.mark.rule("BA-06", "BA-47")
def test_a_new_coup_has_its_order_anew() -> None:
    env = chemin(["7c Kd", "Rv-c 2h"], "3h", "0 take the bank with 8; 1 banco; 0 reveal Rv-c; 0 draw")
    assert field(env, "direction") == 1


@pytest.mark.rule("BA-40", "BA-41", "BA-46")
def test_example_10() -> None:
    """Ac Ad Ah As 4c Jk is 8, and not 9: a tie with 8."""
    env = chemin(["Ac Dr-c", "5h Ks"], "Ad Dr-d Ah Dr-h As Dr-s 4c Jk 3d")
    play(env, "; ".join(f"1 reveal Dr-{suit}" for suit in "cdhs"))
    assert env.current_player == 0 and seen(env, 0, "hands")[names.SIZE] == 6 / 8
    assert seen(env, 1, "own_state") == [pytest.approx(8 / 9), 1]
    play(env, "0 draw")
    assert chips(env) == [92, 100] and bank(env) == 8


# --- events ---


def test_what_is_told_of_a_bank() -> None:
    course = "0 take the bank with 8; 2 bet 3; 1 bet 5"
    env = table(["Dr-c 5c", "3h Ks"], "2s Rv-h 9h 4d", course, num_players=3, coups=1)
    play(env, "1 reveal Dr-c; 1 reveal Rv-h; 0 draw")
    lines = [
        "shoe 1",
        "the shoe of 396 cards is shuffled",
        "coup 1 begins",
        "player 0 is offered the bank",
        "player 0 takes the bank with 8",
        "player 0 has a bank of 8",
        "player 2 bets 3",
        "player 1 bets 5",
        "player 1 is dealt 2 cards",
        "player 0 is dealt 2 cards",
        "player 1 plays hand P",
        "player 1 may draw or stand",
        "player 1 reveals Dr-c",
        "player 1 redeals Dr-c",
        "player 1 draws 2 cards",
        "player 1 plays hand P",
        "player 1 may draw or stand",
        "player 1 reveals Rv-h",
        "player 1 redeals Rv-h",
        "player 1 draws a card",
        "play now goes counterclockwise",
        "player 1's turn is paused",
        "player 0 plays hand B",
        "player 0 may draw or stand",
        "player 0 draws 4d",
        "player 1 plays hand P",
        "player 1 stands",
        "player 1 shows hand P",
        "player 1 turns up 2s 5c 9h",
        "player 1 has 6",
        "player 0 shows hand B",
        "player 0 turns up 3h Ks",
        "player 0 has 7",
        "player 1 loses 5",
        "player 2 loses 3",
        "player 0 has a bank of 16",
        "player 0 no longer has the bank",
        "the game is over",
    ]
    assert told(env, 2) == lines
    assert [text for text in told(env, 1) if text not in lines] == [
        "player 1 is dealt Dr-c 5c",
        "player 1 draws 2s Rv-h",
        "player 1 draws 9h",
    ]
    assert [text for text in told(env, 0) if text not in lines] == ["player 0 is dealt 3h Ks"]


def test_what_is_told_of_bets_against_the_house() -> None:
    env = table(["Sk-h 4c", "2d 3d"], "Ah Kc", "0 tie 8; 1 B 8", num_players=2, variant="punto_banco", coups=1, decks=1, cut=16)
    assert told(env, 0)[3:] == [
        "player 0 bets on a tie",
        "player 0 bets 8",
        "player 1 bets on B",
        "player 1 bets 8",
        "the dealer is dealt Sk-h 4c",
        "the dealer is dealt 2d 3d",
        "the dealer plays hand P",
        "the dealer redeals Sk-h",
        "the dealer draws Ah",
        "the dealer is skipped",
        "the dealer plays hand B",
        "the dealer draws Kc",
        "the dealer shows hand P",
        "the dealer has 5",
        "the dealer shows hand B",
        "the dealer has 5",
        "player 0 wins 64",
        "player 1 gets the bet back",
        "the game is over",
    ]


def test_what_is_told_of_tableaux() -> None:
    env = banque(
        ["8c Kd", "2h 3h", "5h 9s"],
        "4d",
        "0 bid 64; 2 a cheval 5; 1 no bet; 2 draw; 0 stand",
        must_bet=False,
        coups=1,
        commission=0,
    )
    assert told(env, 1)[6:] == [
        "player 1 declines the bank",
        "player 0 has a bank of 64",
        "player 2 bets on both",
        "player 2 bets 5",
        "player 1 bets nothing",
        "player 2 is dealt 2 cards",
        "player 2 is dealt 2 cards",
        "player 0 is dealt 2 cards",
        "player 2 turns up 8c Kd",
        "player 2 plays hand L",
        "player 2 may draw or stand",
        "player 2 draws 4d",
        "player 0 plays hand B",
        "player 0 may draw or stand",
        "player 0 stands",
        "player 2 shows hand R",
        "player 2 has 8",
        "player 2 shows hand L",
        "player 2 turns up 2h 3h",
        "player 2 has 9",
        "player 0 shows hand B",
        "player 0 turns up 5h 9s",
        "player 0 has 4",
        "player 2 wins 3",
        "player 2 wins 2",
        "player 0 has a bank of 59",
        "player 0 no longer has the bank",
        "the game is over",
    ]
    assert told(env, 2)[11:13] == ["player 2 is dealt 8c Kd", "player 2 is dealt 2h 3h"]
