"""Poker clause by clause: the deals of the games, who opens in stud, hands compared, pots."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.poker_positions import GAME, field, labels, of_seats, order, pass_on, play, seats, seen, table, won, zone
from wilddeck import cards
from wilddeck.envs import raw_env

STUD = "seven_card_stud"
# Of each street how many cards a player has face down and face up and how many lie on the board; streets of betting.
DEALS = {
    "texas_holdem": [(2, 0, 0), (2, 0, 3), (2, 0, 4), (2, 0, 5)],
    "omaha": [(4, 0, 0), (4, 0, 3), (4, 0, 4), (4, 0, 5)],
    "five_card_draw": [(5, 0, 0), (5, 0, 0)],
    "five_card_stud": [(1, 1, 0), (1, 2, 0), (1, 3, 0), (1, 4, 0)],
    "seven_card_stud": [(2, 1, 0), (2, 2, 0), (2, 3, 0), (2, 4, 0), (3, 4, 0)],
    "chicago": [(2, 1, 0), (2, 2, 0), (2, 3, 0), (2, 4, 0), (3, 4, 0)],
}


@pytest.mark.parametrize(
    ("options", "chips", "thousandths"),
    [
        ({"big_blind": 10}, 10, ("mbb/hand", 1000)),
        ({"hands": 4, "stacks": "reset"}, 2, ("mbb/hand", 250)),
        ({"hands": 4}, 2, ("mbb/match", 1000)),  # which may end early
        ({"variant": STUD, "small_bet": 4, "hands": 2, "stacks": "reset"}, 4, ("milli-bets/hand", 500)),
    ],
)
def test_what_a_return_of_1_is_told_as(options: dict[str, Any], chips: int, thousandths: tuple[str, float]) -> None:
    assert list(GAME.score_units(GAME.make_options(options)).items()) == [("chips", chips), thousandths]


@pytest.mark.rule("PK-14", "PK-15", "PK-16", "PK-17", "PK-18", "PK-21")
@pytest.mark.parametrize("burn", [True, False])
@pytest.mark.parametrize("variant", DEALS)
def test_the_streets_of_a_game(variant: str, burn: bool) -> None:
    env = raw_env("poker_v0", variant=variant, num_players=3, deck="standard", burn=burn)
    env.reset(seed=2)
    streets: list[tuple[int, int, int]] = []
    while env.legal_actions():
        zones = env.zones()
        now = (len(zones["hand/0"]), len(zones.get("up/0", [])), len(zones.get("community", [])))
        if field(env, "phase") == 0 and len(streets) <= field(env, "street"):
            streets.append(now)
            dealt = 3 * (now[0] + now[1]) + now[2]
            burned = field(env, "street") if burn else 0
            assert len(zones["muck"]) == burned
            assert len(zones["pile"]) == 52 - dealt - burned
        pass_on(env)
    assert streets == DEALS[variant]


@pytest.mark.rule("PK-03", "PK-17", "PK-18")
@pytest.mark.parametrize("variant", ["five_card_stud", STUD])
def test_stud_is_dealt_round_by_round(variant: str) -> None:
    down = 1 if variant == "five_card_stud" else 2
    env = raw_env("poker_v0", variant=variant, num_players=2, deck="standard", button=1, burn=True)
    env.reset(seed=0, options={"deck": list(range(52))})
    assert [zone(env, f"hand/{seat}") for seat in (0, 1)] == [
        cards.text([seat + 2 * k for k in range(down)]) for seat in (0, 1)
    ]
    assert [env.zones()[f"up/{seat}"] for seat in (0, 1)] == [[2 * down], [2 * down + 1]]
    order(env)
    first = 2 * down + 3  # behind the burned card
    assert [env.zones()[f"up/{seat}"][-1] for seat in (0, 1)] == [first, first + 1]
    assert env.zones()["muck"] == [first - 1]


def showdown(hands: list[str], board: str, **options: Any) -> list[int]:
    """What is won when all check and call to the end."""
    env = table(hands, board, button=len(hands) - 1, **options)
    while env.legal_actions():
        pass_on(env)
    return won(env)


@pytest.mark.rule("PK-14", "PK-22", "PK-24")
@pytest.mark.parametrize(
    ("hands", "board", "result"),
    [
        (["Ac Kc", "2d 2h"], "Qc Jc Tc 2s 2c", [2, -2]),  # straight flush, quads
        (["2d 2h", "Ac Ad"], "2s 2c As Kd 9c", [2, -2]),  # quads, full house
        (["Ac Ad", "Kh 9h"], "As Kc 2h 2d 3h", [2, -2]),
        (["Kh 9h", "Qc Jd"], "Th 4h 3h 8c Kd", [2, -2]),  # flush, straight draws
        (["5c 4d", "Kc Kd"], "Ah 2s 3c Ks 9d", [2, -2]),  # the wheel, trips
        (["6c 7d", "Ac Kd"], "2h 3s 4c 5d Ah", [2, -2]),  # a straight to seven, the wheel
        (["Ac 9d", "Ad 8d"], "Kh Qs 7c 5d 3h", [2, -2]),  # a kicker
        (["Ac 3d", "Ad 2d"], "Kh Qs Jc 9d 8h", [0, 0]),  # five on the board and an ace
        (["2c 3d", "4d 5d"], "Ah Kh Qh Jh Th", [0, 0]),
        (["Kc Kd", "Jk 3d"], "Kh 7s 7c 2d 9h", [2, -2]),
        (["Kc 9d", "Jk Kd"], "Ks Kh 7c 2d 9h", [-2, 2]),  # four kings with the Joker, an ace beside them impossible
    ],
    ids=str,
)
def test_the_best_five_of_seven(hands: list[str], board: str, result: list[int]) -> None:
    assert showdown(hands, board) == result


@pytest.mark.rule("PK-15", "PK-30")
def test_omaha_uses_two_and_three() -> None:
    """Four aces in the hand are a pair; four hearts on the board and one in the hand no flush; example 3."""
    assert showdown(["Ac Ad Ah As", "Kc Kd 2s 3s"], "Ks 9h 8d 4c 2c", variant="omaha") == [-2, 2]
    assert showdown(["Ah Kc Qd 2s", "9c 9d 3s 4s"], "Kh Th 8h 2h 5c", variant="omaha") == [2, -2]
    assert showdown(["Ah Kc Qd 3s", "2c 2d 5s 4s"], "Kh Th 8h 2h 6c", variant="omaha") == [-2, 2]
    royal = showdown(["Jk Ts 2c 3d", "Qc Qd Jc Jd"], "As Ks Qs Js 4d", variant="omaha")
    assert royal == [2, -2]


@pytest.mark.rule("PK-31", "ED-17")
def test_a_joker_on_the_board_is_for_each_what_helps_them_most() -> None:
    assert showdown(["Kc Kd", "5h 6h"], "Jk 7h 8h 2c Ks") == [-2, 2]  # quads, straight flush
    assert showdown(["Kc Qd", "Kd Qc"], "Jk 7h 8s 2c 3s") == [0, 0]


# --- the draw ---


@pytest.mark.rule("PK-16")
def test_the_draw() -> None:
    hands = ["2c 3c 4c 5d 7h", "6c 7c 8c 9d Jh", "2d 3d 4d 5h 7s"]
    env = table(hands, "Kc Kd Kh Ks Qc", variant="five_card_draw", max_discards=3)
    play(env, "0 call; 1 call; 2 check")
    assert (env.current_player, field(env, "phase")) == (1, 1)
    assert labels(env) == [*(f"discard {card}" for card in ["6c", "7c", "8c", "9d", "Jh"]), "stand pat"]
    play(env, "1 discard 7c")
    assert labels(env) == ["discard 8c", "discard 9d", "discard Jh", "draw 1"]
    play(env, "1 draw 1; 2 discard 2d; 2 discard 3d; 2 discard 4d")  # three are all that may go
    assert env.current_player == 0
    play(env, "0 discard 5d; 0 discard 7h")  # the last slot
    assert env.current_player == 1
    assert zone(env, "hand/1") == "6c 8c 9d Jh Kc"
    assert zone(env, "hand/2") == "5h 7s Kd Kh Ks"
    assert zone(env, "hand/0") == "2c 2h 3c 4c Qc"  # 2h is the lowest of the others
    assert of_seats(env, "exchanged") == [2, 1, 3]
    assert zone(env, "muck", viewer=1) == "7c ?? ?? ?? ?? ??"
    assert seen(env, 0, "seats")[17 + 11] == pytest.approx(1 / 9)


@pytest.mark.rule("PK-16", "PK-04")
def test_who_is_all_in_draws_too() -> None:
    hands = ["2c 3c 4c 5d 7h", "6c 7c 8c 9d Jh", "2d 3d 4d 5h 7s"]
    env = table(hands, variant="five_card_draw", stack=(50, 10, 50), raise_sizes=())
    play(env, "0 call; 1 raise to 10; 2,0 call")
    assert order(env) == [1, 2, 0]
    assert order(env) == [2, 0]


@pytest.mark.rule("PK-19")
def test_the_muck_becomes_the_stock() -> None:
    """Eight players exchange all they have: 40 cards and 40 more, of 52. Who is drawing is dealt none of their discards."""
    env = raw_env("poker_v0", variant="five_card_draw", num_players=8, deck="standard", burn=False)
    env.reset(seed=5)
    order(env)
    shuffled = 0
    while field(env, "phase") == 1:
        seat = env.current_player
        before = set(env.zones()[f"hand/{seat}"])
        pile = len(env.zones()["pile"])
        for _ in range(5):
            env.step(min(action for action in env.legal_actions() if action >= 23))
        after = env.zones()
        assert not before & set(after[f"hand/{seat}"])
        shuffled += len(after["pile"]) > pile
        assert len(after[f"hand/{seat}"]) == 5
        assert before <= set(after["muck"])
    assert shuffled > 0


@pytest.mark.rule("PK-19")
def test_burned_and_folded_cards_come_back_but_nothing_that_was_redealt() -> None:
    env = raw_env("poker_v0", variant="five_card_stud", num_players=10, deck="standard")
    env.reset(seed=1)
    while field(env, "street") < 3:
        pass_on(env)
    zones = env.zones()  # 50 cards, and of three burned the last deal took one back
    assert len(zones["pile"]) + len(zones["muck"]) == 2
    env = raw_env("poker_v0", num_players=10, variant="omaha")
    draw = random.Random(1)
    for seed in range(20):
        env.reset(seed=seed)
        while env.legal_actions():
            zones = env.zones()
            assert not set(zones["aside"]) & set(zones["muck"] + zones["pile"])
            env.step(draw.choice(env.legal_actions()))


@pytest.mark.rule("PK-18")
@pytest.mark.parametrize(("players", "common"), [(8, 1), (7, 0)])
def test_a_common_card_instead_of_the_seventh(players: int, common: int) -> None:
    env = raw_env("poker_v0", variant=STUD, num_players=players, deck="standard", burn=True)
    env.reset(seed=1)
    while field(env, "street") < 4:
        pass_on(env)
    zones = env.zones()
    assert len(zones["community"]) == common
    assert all(len(zones[f"hand/{seat}"]) == 3 - common for seat in range(players))


# --- who opens in stud ---


def stud(ups: list[str], button: int = 0, following: str = "", **options: Any) -> Any:
    downs = [f"{rank}c {rank}d" for rank in "23456"[: len(ups)]]
    hands = [f"{down} {up}" for down, up in zip(downs, ups, strict=True)]
    return table(hands, following, button=button, variant=STUD, **options)


@pytest.mark.rule("PK-20", "PK-32")
@pytest.mark.parametrize(
    ("ups", "button", "low", "high"),
    [
        (["9c", "8d", "Kh"], 0, 1, 2),
        (["8d", "8c", "8s"], 0, 1, 2),  # suits decide
        (["Ah", "As", "Ks"], 1, 2, 1),
        (["Jk", "Kc", "As"], 0, 1, 2),  # the Joker is As, and tied: the first from the seat after the button
        (["Jk", "Kc", "As"], 2, 1, 0),
        (["Jk", "Sk-c", "Jk"], 0, 2, 2),  # no ranked card: the first Joker from the seat after the button
        (["Dr-c", "Jk", "Rv-d"], 2, 1, 1),
        (["Dr-c", "Sk-c", "Rv-d"], 1, 2, 2),  # neither: the seat after the button
    ],
    ids=str,
)
def test_who_brings_in_or_opens(ups: list[str], button: int, low: int, high: int) -> None:
    env = stud(ups, button, "9d 9h 9s Td Th Ts Jd Jh")
    assert of_seats(env, "bet").index(1) == low
    env = stud(ups, button, "9d 9h 9s Td Th Ts Jd Jh", stud_open="high_card", ante=0)
    assert of_seats(env, "bet") == [0, 0, 0]
    if "-" not in ups[high]:
        assert env.current_player == high


@pytest.mark.rule("PK-20")
def test_the_bring_in_has_the_first_turn() -> None:
    env = stud(["9c", "8d", "Kh"])
    assert env.current_player == 1
    assert labels(env) == ["check", "raise to 2"]
    play(env, "1 check; 2 call 1; 0 call 1")
    assert field(env, "street") == 1
    env = stud(["9c", "8d", "Kh"], bring_in=3, small_bet=5, big_bet=5, stack=(50, 3, 50))
    assert of_seats(env, "bet") == [0, 2, 0]  # all they have
    assert env.current_player == 2
    env = stud(["9c", "8d", "Kh"], stack=(50, 1, 50))
    assert of_seats(env, "bet") == [0, 0, 1]  # they have no chips after the ante
    assert env.current_player == 2


@pytest.mark.rule("PK-20", "PK-25", "PK-32")
@pytest.mark.parametrize(
    ("ups", "second", "opens"),
    [
        (["9c", "8d", "Kh"], "8h 2h 9h", 0),  # dealt to 1, 2, 0: eights, a king, nines
        (["9c", "8d", "Kh"], "8h Ah 7h", 1),
        (["9c", "8d", "Kh"], "7h Qd 7s", 2),
        (["9c", "8d", "Jk"], "8h 2h 9h", 0),  # a pair of nines, of eights, of twos
        (["9c", "8d", "Jk"], "7h Th 6h", 2),
        (["9c", "8d", "9h"], "Ah As Ad", 2),  # equal: the first from the seat after the button
        (["9c", "8d", "9h"], "Ah Ks Ad", 0),
    ],
    ids=str,
)
def test_later_streets_are_opened_by_the_best_up_cards(ups: list[str], second: str, opens: int) -> None:
    env = stud(ups, 0, second)
    order(env)
    assert field(env, "street") == 1
    assert env.current_player == opens


@pytest.mark.rule("PK-20")
def test_an_all_in_player_with_the_best_up_cards_is_passed_over() -> None:
    env = stud(["9c", "8d", "Kh"], 0, "8h Kd 7h", stack=(50, 50, 3), betting="no_limit", raise_sizes=())
    play(env, "1 check; 2 raise to 2; 0 call; 1 call")
    assert seats(env, "live") == [0, 1, 2]
    assert env.current_player == 0  # the next after seat 2


# --- pots ---


@pytest.mark.rule("PK-24")
def test_odd_chips_go_to_the_first_winner_after_the_button() -> None:
    """Three share 13: the small blind has folded 1."""
    hands = ["Ac 2d", "3c 9d", "Ad 2h", "Ah 2c"]
    env = table(hands, "Ks Qs Js Td 9h", stack=4, raise_sizes=())
    play(env, "3 raise to 4; 0 call; 1 fold; 2 call")
    assert won(env) == [0, -1, 1, 0]


@pytest.mark.rule("PK-23")
def test_chips_of_folded_players_lie_in_the_pots() -> None:
    """20 of a folded player, 30 of each of the others; 70 of the raise come back."""
    env = table(["2c 7d", "Ac Ad", "Kc Kd"], "5h 6s Jh 9c 8s", stack=(200, 30, 100), raise_sizes=(3.6,))
    play(env, "0 raise to 20; 1 raise to 30; 2 raise to 100; 0 fold")
    assert won(env) == [-20, 50, -30]


@pytest.mark.rule("PK-21")
@pytest.mark.parametrize(("chicago", "holder"), [("high", 0), ("low", 1)])
def test_high_or_low_spade(chicago: str, holder: int) -> None:
    """Face down Qs against 3s; a king of spades that lies up counts for nothing. The third has the best hand."""
    downs, ups = [["Qs", "4d", "9c"], ["3s", "5c", "Qd"], ["Ac", "Ad", "8h"]], ["Ks 2d 6c Tc", "4h 6d Th Jd", "Ah 9d 2h Jc"]
    hands = [" ".join([*down[:2], up, down[2]]) for down, up in zip(downs, ups, strict=True)]
    env = table(hands, "", button=2, variant="chicago", chicago=chicago, ante=4, deck="standard")
    while env.legal_actions():
        pass_on(env)
    expected = [-5, -5, -5]
    expected[holder] += 7
    expected[2] += 8  # the odd chip
    assert won(env) == expected


@pytest.mark.rule("PK-21")
def test_without_a_spade_the_best_hand_takes_all() -> None:
    downs, ups = [["Qc", "4d", "9c"], ["3d", "5c", "7h"]], ["Ks 2d 6c Tc", "4h 6d Ts Jd"]
    hands = [" ".join([*down[:2], up, down[2]]) for down, up in zip(downs, ups, strict=True)]
    env = table(hands, "", button=1, variant="chicago", deck="standard")
    while env.legal_actions():
        pass_on(env)
    assert won(env) == [-2, 2]  # a straight to seven; the Ks lies face up


@pytest.mark.rule("PK-21", "PK-23")
def test_the_spade_must_belong_to_who_contests_the_pot() -> None:
    """The ace of spades is all-in for 3: of the side pot the other spade wins half."""
    downs = [["As", "4d", "9c"], ["Qs", "5c", "7h"], ["Ac", "Ad", "8h"]]
    ups = ["Kd 2d 6c Tc", "4h 6d Th Jd", "Ah 9d 2h Jc"]
    hands = [" ".join([*down[:2], up, down[2]]) for down, up in zip(downs, ups, strict=True)]
    env = table(
        hands, "", button=2, variant="chicago", ante=3, stack=(3, 40, 40), deck="standard", betting="no_limit", raise_sizes=()
    )
    play(env, f"{env.current_player} raise to 37")
    play(env, f"{env.current_player} call")
    main, side = 9, 74
    assert won(env) == [main // 2 - 3, side // 2 - 40, main - main // 2 + side // 2 - 40]


@pytest.mark.rule("PK-33")
@pytest.mark.parametrize(
    ("own", "other", "chicago", "half"),
    [
        ("Jk 2c 2d", "Ks 4d 9c", "high", [0]),
        ("Jk As 2d", "Ks 4d 9c", "high", [0]),  # they hold As
        ("Jk 2c 2d", "2s 4d 9c", "low", [0, 1]),
        ("Jk 2s 2d", "Ks 4d 9c", "low", [0]),
        ("2c 3d 2d", "Jk Ks 9c", "high", [1]),
    ],
)
def test_a_joker_face_down_is_a_spade(own: str, other: str, chicago: str, half: list[int]) -> None:
    """The third has the best hand: four kings or sixes."""
    downs = [own.split(), other.split(), ["6h", "6d", "6c"]]
    ups = ["4c 8d Tc Qd", "3c 9d Jc Ah", "6s 8c Td Qc"]
    hands = [" ".join([*down[:2], up, down[2]]) for down, up in zip(downs, ups, strict=True)]
    env = table(hands, "", button=2, variant="chicago", chicago=chicago, ante=3)
    while env.legal_actions():
        pass_on(env)
    expected = [-4, -4, -4]
    for seat in half:
        expected[seat] += 6 // len(half)
    expected[2] += 6
    assert won(env) == expected


@pytest.mark.rule("PK-25")
def test_hands_that_are_short_of_cards_are_compared() -> None:
    """Without a board, as the stock has run out, a pair beats the ace."""
    env = table(["2c 2d", "3h Ah"], "", button=1)
    env.record["pile_at"] = env.record["pile_end"]
    play(env, "1 call; 0 check; 0,1 check; 0,1 check; 0,1 check")
    assert zone(env, "community") == ""
    assert won(env) == [2, -2]
