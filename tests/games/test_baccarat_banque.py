"""Clauses of banque: the auction, tableaux, bets, who holds a hand, settlement."""

from __future__ import annotations

import pytest
from games.baccarat_positions import bank, banque, chips, phase, table
from games.shoe_positions import field, labels, play, seen
from wilddeck.envs.games.baccarat import state as names

FIVE = {"variant": "banque", "num_players": 5}
STOOD = "4c Kd"  # a hand that draws


@pytest.mark.rule("BA-30")
def test_the_auction() -> None:
    env = table([], "", "1 bid 16", num_players=3, variant="banque", first_banker=1, stack=30)
    assert env.current_player == 0 and labels(env) == {"no bid", "bid 24"}
    assert seen(env, 0, "bank") == [pytest.approx(16 / 64)] * 2 and chips(env) == [30, 30, 30]
    play(env, "0 no bid; 2 bid 24")
    assert field(env, "banker") == 2 and bank(env) == 24 and chips(env) == [30, 30, 6]
    assert phase(env) == names.BETTING and env.current_player == 1


@pytest.mark.rule("BA-30")
def test_the_last_must_bid_if_nobody_has() -> None:
    env = table([], "", "1 no bid; 0 no bid", num_players=3, variant="banque", first_banker=1, stack=20)
    assert env.current_player == 2 and labels(env) == {"bid 8", "bid 16"}
    env = table([], "", "1 no bid; 0 no bid; 2 no bid", num_players=3, variant="banque", first_banker=1, must_bet=False)
    assert field(env, "coup") == 2 and field(env, "due") == env.current_player == 0, "a void coup"


@pytest.mark.rule("BA-31")
@pytest.mark.parametrize(("players", "right"), [(3, [2]), (4, [3, 2]), (5, [4, 3]), (6, [5, 4, 3]), (9, [8, 7, 6, 5])])
def test_tableaux(players: int, right: list[int]) -> None:
    env = table([], "", "0 bid 64", num_players=players, variant="banque")
    others = [(0 - k) % players for k in range(1, players)]
    for seat in others[:-1]:
        play(env, f"{seat} bet 1")
        side = seen(env, seat, "seats")[names.SIDE]
        assert side == (1 if seat in right else -1)


@pytest.mark.rule("BA-32")
def test_bets_on_tableaux() -> None:
    env = table([], "", "0 bid 8; 4 no bid; 3 no bid; 2 no bid; 1 no bid", **FIVE)
    every = {f"{word} {stake}" for word in ("bet", "a cheval") for stake in range(1, 9)} - {"a cheval 1"}
    assert env.current_player == 4 and labels(env) == every
    play(env, "4 a cheval 5")
    assert field(env, "bet")[4] == [300, 200] and labels(env) == {"bet 1", "bet 2", "bet 3", "a cheval 2", "a cheval 3"}
    assert seen(env, 4, "seats")[2:5] == [5 / 8, 0, 1], "on no side, as it is on both"
    play(env, "3 bet 1; 2 a cheval 2")
    assert env.current_player != 1 and field(env, "bet")[2:4] == [[100, 100], [100, 0]], "the bank is covered"
    free = table([], "", "0 bid 8; 4 no bid; 3 no bid; 2 no bid; 1 no bid; 4 bet 4", a_cheval=False, must_bet=False, **FIVE)
    assert labels(free) == {"no bet", "bet 1", "bet 2", "bet 3", "bet 4"}
    play(free, "3 no bet; 2 bet 1; 1 no bet")
    assert field(free, "side")[:5] == [0, 0, names.ON_B, 0, names.ON_P]


@pytest.mark.rule("BA-32")
def test_no_bets() -> None:
    env = banque([], course="0 bid 8; 2 no bid; 1 no bid; 2 no bet; 1 no bet", must_bet=False)
    assert phase(env) == names.KEEPING and not env.zones()["used"] and bank(env) == 8


AUCTION = "0 bid 64"
ALL_BET = "4 bet 1; 3 bet 1; 2 bet 1; 1 bet 1"
LOSES, WINS = ["6c Kd", "6d Kh", "7h Ks"], ["7c Kd", "7d Kh", "6h Ks"]
AGAIN = "0 keep the bank"


def coups(*hands: list[str]) -> str:
    """What the shoe gives in coups without third cards."""
    return " ".join(hand.split()[k] for hand_pair in hands for k in range(2) for hand in hand_pair)


@pytest.mark.rule("BA-33")
def test_the_right_to_a_hand_lasts_until_it_loses() -> None:
    """R is 4 and 3, L is 2 and 1."""
    env = table([], coups(WINS, LOSES, LOSES, WINS), AUCTION, decks=8, **FIVE)
    holders = []
    for _ in range(4):
        play(env, ALL_BET)
        holders.append(field(env, "holder"))
        play(env, "0 stand")
        play(env, AGAIN)
    assert holders == [[4, 2, 0], [4, 2, 0], [3, 1, 0], [4, 2, 0]], "kept after a gain, handed on after losses, and round"


@pytest.mark.rule("BA-33")
def test_who_has_no_money_there_is_passed_over() -> None:
    env = table([], coups(WINS, WINS), AUCTION, must_bet=False, **FIVE)
    play(env, "4 no bet; 3 bet 1; 2 bet 1; 1 bet 1; 0 stand; 0 keep the bank; " + ALL_BET)
    assert field(env, "holder") == [3, 2, 0], "the search starts at the last holder"


@pytest.mark.rule("BA-33")
def test_the_other_tableau_holds_a_hand_without_own_money() -> None:
    """R has money of L's players alone: the nearest of them holds both hands; a loss moves L's right, not R's."""
    env = table([], coups(LOSES, LOSES), AUCTION, must_bet=False, **FIVE)
    play(env, "4 no bet; 3 no bet; 2 a cheval 4; 1 a cheval 4")
    assert field(env, "holder") == [2, 2, 0] and field(env, "right") == [-1, 2]
    play(env, "0 stand; 0 keep the bank")
    assert field(env, "right") == [-1, 1]
    play(env, ALL_BET)
    assert field(env, "holder") == [4, 1, 0]


@pytest.mark.rule("BA-33")
def test_who_holds_two_hands_sees_the_one_in_turn() -> None:
    env = table(["5c Kd", "5d Qh", "2h Ks"], "", AUCTION, must_bet=False, **FIVE)
    play(env, "4 no bet; 3 no bet; 2 a cheval 4; 1 no bet")
    first = seen(env, 2, "own_hand")
    assert env.current_player == 2 and -1 not in env.zones("player_2")["hand/L"]
    play(env, "2 stand")
    assert env.current_player == 2 and seen(env, 2, "own_hand") != first


@pytest.mark.rule("BA-33")
def test_a_tableau_without_money_gets_no_hand() -> None:
    env = table(["5c Kd", "2h Ks"], "", AUCTION, must_bet=False, **FIVE)
    play(env, "4 bet 1; 3 no bet; 2 no bet; 1 no bet")
    assert field(env, "holder") == [4, -1, 0] and env.zones()["hand/L"] == [] and len(env.zones()["hand/B"]) == 2
    assert not any(seen(env, 0, "hands")[names.HAND : 2 * names.HAND])


@pytest.mark.rule("BA-33")
def test_a_new_bank_begins_anew() -> None:
    env = table([], coups(LOSES, LOSES), AUCTION, **FIVE)
    play(env, ALL_BET + "; 0 stand")
    assert field(env, "right") == [3, 1]
    play(env, "0 pass the bank on")
    assert field(env, "right") == [-1, -1] and field(env, "due") == 4


@pytest.mark.rule("BA-34")
def test_the_turns_of_three_hands() -> None:
    env = banque(["5c Kd", "5d Qh", "7h Ks"])
    order = []
    for _ in range(3):
        order.append((env.current_player, field(env, "turn")))
        assert labels(env) == {"draw", "stand"}
        play(env, f"{env.current_player} stand")
    assert order == [(2, names.P), (1, names.L), (0, names.B)]
    env = banque([STOOD, "7d Qh", "3h Ks"], "2c")
    assert env.current_player == 0 and field(env, "drew") == 1, "4 draws, 7 stands, by custom"


@pytest.mark.rule("BA-03", "BA-34")
def test_naturals_of_three_hands() -> None:
    env = banque(["2c Kd", "5d Qh", "9h Ks"])
    assert phase(env) == names.KEEPING and bank(env) == 80, "that of B ends the coup"
    env = banque(["9c Kd", "5d Qh", "9h 8s"])
    assert env.current_player == 1 and field(env, "out") == 1, "that of R its turn only"
    assert sorted(env.zones("player_0")["hand/R"]) == sorted(env.zones()["hand/R"]), "it is shown"
    play(env, "1 stand; 0 draw")
    assert phase(env) == names.KEEPING


@pytest.mark.rule("BA-35", "BA-47")
def test_example_13() -> None:
    """R reverses the order: B, then L, then R, which must stand on 7."""
    env = table(["Rv-s 2c", "Kd Qc", "4c Kh"], "5d 3c", num_players=3, variant="banque", first_banker=1)
    play(env, "1 bid 16; 0 no bid; 2 no bid; 0 bet 1; 2 bet 1")
    assert field(env, "turn") == names.P
    play(env, "0 reveal Rv-s")
    assert (env.current_player, field(env, "turn"), field(env, "direction")) == (1, names.B, -1)
    assert seen(env, 0, "hands")[names.PAUSED] == 1 and seen(env, 0, "order") == [0, 1]
    play(env, "1 stand")
    assert phase(env) == names.KEEPING, "L must draw, R must stand"
    assert chips(env) == [101, 84, 99] and bank(env) == 16


@pytest.mark.rule("BA-35")
def test_a_cheval_is_settled_on_both() -> None:
    env = table(["7c Kd", "6d Qh", "6h Ks"], "", "0 bid 64; 2 a cheval 5; 1 bet 8", num_players=3, variant="banque")
    play(env, "0 stand")
    assert chips(env) == [36, 100, 103] and bank(env) == 61, "R wins 3, L ties"


@pytest.mark.rule("BA-36")
def test_keeping_the_bank() -> None:
    env = banque(["7c Kd", "7d Qh", "6h Ks"])
    play(env, "0 stand")
    assert bank(env) == 48 and labels(env) == {"keep the bank", "pass the bank on"}, "after a loss too"
    play(env, "0 pass the bank on")
    assert chips(env) == [84, 108, 108] and env.current_player == 2 and phase(env) == names.OFFERING
    env = banque(["7c Kd", "7d Qh", "6h Ks"], course="0 bid 8; 2 no bid; 1 no bid; 2 bet 4; 1 bet 2", min_bet=2)
    play(env, "0 stand")
    assert bank(env) == 2 and phase(env) == names.KEEPING
    env = banque(["7c Kd", "7d Qh", "6h Ks"], course="0 bid 8; 2 no bid; 1 no bid; 2 bet 4; 1 bet 2", min_bet=2, commission=0.1)
    play(env, "0 stand")
    assert bank(env) == 2 and phase(env) == names.KEEPING, "no commission on a loss"
    env = banque(["7c Kd", "7d Qh", "6h Ks"], course="0 bid 8; 2 no bid; 1 no bid; 2 bet 4; 1 bet 4")
    play(env, "0 stand")
    assert chips(env) == [92, 104, 104] and phase(env) == names.OFFERING, "with nothing in it they must"


@pytest.mark.rule("BA-36")
def test_a_commission_on_the_net_gain() -> None:
    env = banque(["7c Kd", "5d Qh", "6h Ks"], course="0 bid 64; 2 bet 1; 1 bet 8", commission=0.1)
    play(env, "1 stand; 0 stand")
    assert bank(env) == 64 + 0.9 * (8 - 1)
