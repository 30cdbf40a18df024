"""Poker clause by clause: forced bets, turns, what may be raised to, what comes back."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.poker_positions import GAME, field, labels, of_seats, order, pass_on, play, raises, seats, seen, table, won
from wilddeck.envs import raw_env

TWO = ["2c 7d", "3c 8s"]
THREE = ["2c 7d", "3c 8s", "4c 9d"]
FOUR = [*THREE, "Qc Td"]
BOARD = "Ac Kd 5h 6s Jh"


# --- hands, buttons, blinds ---


@pytest.mark.rule("PK-01")
def test_the_button_goes_on_and_who_has_no_chips_is_out() -> None:
    """Seat 1 loses all in the first hand; the button goes from 0 to 2, and two players are left."""
    env = table(["Ac Ad", "2c 7d", "3c 8s"], "Ah Ks 9h 5d Jc", stack=(50, 20, 50), hands=3, raise_sizes=())
    play(env, "0 raise to 50; 1 call; 2 fold")
    assert field(env, "deals") == 2
    assert (seats(env, "present"), field(env, "button")) == ([0, 2], 2)
    assert of_seats(env, "chips") == [72 - 2, 0, 48 - 1]
    assert env.current_player == 2  # heads-up the button is small blind, and opens
    assert of_seats(env, "bet") == [2, 0, 1]
    play(env, "2 fold")
    assert field(env, "button") == 0
    play(env, "0 fold")
    assert not env.legal_actions()


@pytest.mark.rule("PK-01")
def test_the_episode_ends_when_one_player_has_all_chips() -> None:
    env = table(["Ac Ad", "2c 7d"], "Ah Ks 9h 5d Jc", stack=(20, 30), hands=50, raise_sizes=())
    for _ in range(200):
        if not env.legal_actions():
            break
        action = env.legal_actions()[-1]
        env.step(action)
    assert field(env, "deals") < 50
    assert sorted(of_seats(env, "chips")) == [0, 50]


@pytest.mark.rule("PK-01")
def test_stacks_may_be_set_anew_for_every_hand() -> None:
    env = table(["Ac Ad", "2c 7d"], "Ah Ks 9h 5d Jc", stack=(20, 30), hands=3, stacks="reset", raise_sizes=())
    play(env, "0 raise to 20; 1 call")
    assert (field(env, "deals"), field(env, "button")) == (2, 1)
    assert [chips + bet for chips, bet in zip(of_seats(env, "chips"), of_seats(env, "bet"), strict=True)] == [20, 30]
    assert won(env) == [20, -20]


@pytest.mark.rule("PK-01", "PK-03")
@pytest.mark.parametrize("button", range(3))
def test_cards_are_dealt_from_the_seat_after_the_button(button: int) -> None:
    env = raw_env("poker_v0", num_players=3, button=button, deck="standard")
    env.reset(seed=0, options={"deck": list(range(52))})
    for k in range(3):
        assert env.zones()[f"hand/{(button + 1 + k) % 3}"] == [k, k + 3]


def test_a_random_button_is_any_seat() -> None:
    env, buttons = raw_env("poker_v0", num_players=3), set()
    for seed in range(30):
        env.reset(seed=seed)
        buttons.add(field(env, "button"))
    assert buttons == {0, 1, 2}


@pytest.mark.rule("PK-02", "PK-04")
@pytest.mark.parametrize(
    ("hands", "options", "bets", "mover", "owed"),
    [
        (FOUR, {}, [0, 1, 2, 0], 3, 2),
        (TWO, {}, [1, 2], 0, 1),
        (FOUR, {"small_blind": 3, "big_blind": 5, "ante": 2}, [0, 3, 5, 0], 3, 5),
        (FOUR, {"stack": (200, 200, 1, 200)}, [0, 1, 1, 0], 3, 1),  # a short big blind: what was really posted is called
        (FOUR, {"stack": (200, 3, 200, 200), "small_blind": 4, "big_blind": 8}, [0, 3, 8, 0], 3, 8),
        (FOUR, {"stack": (200, 5, 5, 200), "ante": 4, "small_blind": 2, "big_blind": 3}, [0, 1, 1, 0], 3, 1),
        (TWO, {"stack": (1000, 2000), "big_blind": 100, "small_blind": 50}, [50, 100], 0, 50),
    ],
    ids=str,
)
def test_blinds_and_antes(hands: list[str], options: dict[str, Any], bets: list[int], mover: int, owed: int) -> None:
    env = table(hands, **options)
    assert (of_seats(env, "bet"), env.current_player) == (bets, mover)
    assert f"call {owed}" in labels(env)
    ante = options.get("ante", 0)
    assert of_seats(env, "paid") == [bet + ante for bet in bets]
    assert field(env, "highest") == max(bets)


@pytest.mark.rule("PK-04", "PK-05")
def test_who_opens_later_streets() -> None:
    env = table(FOUR, BOARD, button=1)
    assert order(env) == [0, 1, 2, 3]
    assert order(env) == [2, 3, 0, 1]
    play(env, "2 check; 3 bet 2")
    assert order(env) == [0, 1, 2]
    assert order(env) == [2, 3, 0, 1]


@pytest.mark.rule("PK-04")
@pytest.mark.parametrize(("button", "turns"), [(0, [0, 3, 2, 1]), (2, [2, 1, 0, 3])])
def test_in_the_other_direction_the_button_opens(button: int, turns: list[int]) -> None:
    """A Reverse is revealed before the flop, by who is to move first; R4."""
    hands = list(FOUR)
    opener = (button + 3) % 4
    hands[opener] = "Rv-c 2d"
    env = table(hands, f"2h {BOARD}", button=button)
    play(env, f"{opener} reveal Rv-c")
    while field(env, "street") == 0:
        pass_on(env)
    assert order(env) == turns
    assert order(env) == turns


@pytest.mark.rule("PK-05")
def test_the_last_live_player_wins_at_once_and_unseen() -> None:
    env = table(THREE, BOARD)
    play(env, "0 raise to 4; 1 fold; 2 fold")
    assert won(env) == [3, -1, -2]
    assert env.zones("player_1")["hand/0"] == [-1, -1]
    assert env.zones("player_1")["community"] == []


@pytest.mark.rule("PK-05")
def test_nobody_is_asked_when_nobody_could_call() -> None:
    """Two are all-in, the third has called: the cards are dealt to the end."""
    env = table(["Ac Ad", *THREE[1:]], BOARD.replace("Ac", "As"), stack=(20, 40, 40), raise_sizes=())
    play(env, "0 raise to 20; 1 raise to 40; 2 call")
    assert not env.legal_actions()
    assert len(env.zones()["community"]) == 5
    assert sum(won(env)) == 0
    assert won(env)[0] == 40


@pytest.mark.rule("PK-05", "PK-12")
def test_the_last_who_can_act_may_only_call_or_fold() -> None:
    env = table(TWO, BOARD, stack=(20, 100), raise_sizes=())
    play(env, "0 raise to 20")
    assert labels(env) == ["fold", "call 18"]


@pytest.mark.rule("PK-12")
def test_no_raise_that_nobody_could_call() -> None:
    env = table(THREE, BOARD, stack=(100, 10, 10), raise_sizes=())
    play(env, "0 raise to 100")
    assert labels(env) == ["fold", "call 9, all-in"]


# --- turns ---


@pytest.mark.rule("PK-06")
def test_fold_and_call() -> None:
    env = table(THREE, BOARD, stack=(200, 200, 8))
    assert labels(env)[:2] == ["fold", "call 2"]
    play(env, "0 raise to 9; 1 call")
    assert labels(env) == ["fold", "call 6, all-in"]
    play(env, "2 call")
    assert of_seats(env, "paid") == [9, 9, 8]
    assert labels(env)[0] == "check"
    assert "fold" not in labels(env)


@pytest.mark.rule("PK-07")
def test_the_smallest_raise_is_the_largest_so_far() -> None:
    env = table(FOUR, BOARD, raise_sizes=(1, 2))
    assert raises(env)[0] == 4
    play(env, "3 raise to 7")  # by 5
    assert raises(env)[0] == 12
    play(env, "0 raise to 12; 1 raise to 45")  # by 33
    assert raises(env)[0] == 78
    play(env, "2 fold; 3,0 call")
    assert field(env, "street") == 1
    assert raises(env)[0] == 2  # anew on every street
    play(env, "1 check; 3 check; 0 bet 2; 1 raise to 4")
    assert raises(env)[0] == 6


@pytest.mark.rule("PK-07")
def test_a_raise_asks_everybody_again() -> None:
    env = table(FOUR, BOARD)
    play(env, "3 call; 0 call; 1 raise to 4")
    assert order(env) == [2, 3, 0]


@pytest.mark.rule("PK-07", "PK-08")
def test_a_short_all_in_does_not_reopen_the_betting() -> None:
    """Seat 0 bets 20, seat 1 goes all-in for 25: seat 2 may raise, seat 0 may not."""
    env = table(THREE, BOARD, stack=(200, 25, 200), raise_sizes=(3.6,))
    play(env, "0 raise to 20; 1 raise to 25")
    assert raises(env)[0] == 25 + 18
    play(env, "2 call")
    assert labels(env) == ["fold", "call 5"]
    play(env, "0 call")
    assert field(env, "street") == 1


@pytest.mark.rule("PK-08")
def test_short_all_ins_that_add_up_reopen_it() -> None:
    """20, then 30 and 40 all-in: to the first the second raise alone was none, both together are one."""
    stack = (200, 30, 40, 200)
    env = table(FOUR, BOARD, stack=stack, button=1, raise_sizes=(3.6,))
    play(env, "0 raise to 20; 1 raise to 30; 2 raise to 40")
    play(env, "3 call")
    assert raises(env)[0] == 58
    env = table(FOUR, BOARD, stack=(200, 30, 37, 200), button=1, raise_sizes=(3.6,))
    play(env, "0 raise to 20; 1 raise to 30; 2 raise to 37; 3 call")
    assert labels(env) == ["fold", "call 17"]


@pytest.mark.rule("PK-08")
def test_who_checked_may_raise_a_full_bet_but_not_a_short_one() -> None:
    for stack, reopened in ((4, True), (3, False)):
        env = table(THREE, BOARD, stack=(200, 200, stack))
        play(env, "0,1 call; 2 check; 1 check; 2 bet " + str(stack - 2))
        play(env, "0 call")
        assert env.current_player == 1
        assert bool(raises(env)) == reopened


@pytest.mark.rule("PK-09")
def test_pot_limit() -> None:
    """The pot, the bets and the call: 3 + 2 above the blind; then with 7 in front of the player 7 + 10 + 7."""
    env = table(THREE, BOARD, betting="pot_limit", raise_sizes=(1, 2))
    assert raises(env) == [4, 7]
    play(env, "0 raise to 7")
    assert raises(env) == [12, 7 + 10 + 6]
    play(env, "1 raise to 23")
    assert max(raises(env)) == 23 + (7 + 23 + 2) + 21
    env = table(THREE, BOARD, betting="pot_limit", stack=(7, 200, 6), raise_sizes=(1, 2))
    assert labels(env)[2:] == ["raise to 4", "raise to 7, all-in"]  # exactly the pot
    env = table(THREE, BOARD, betting="pot_limit", stack=(8, 200, 6), raise_sizes=(1, 2))
    assert labels(env)[2:] == ["raise to 4", "raise to 7"]


@pytest.mark.rule("PK-09")
def test_pot_limit_never_less_than_the_smallest_raise() -> None:
    """Short blinds: 1 is to be called and the pot is 2, but a raise is by 10 at least."""
    stack = (200, 1, 1, 200)
    env = table(FOUR, BOARD, betting="pot_limit", stack=stack, small_blind=5, big_blind=10, raise_sizes=(1,))
    assert raises(env) == [11]


@pytest.mark.rule("PK-10")
def test_fixed_limit() -> None:
    """Small bets on two streets, then big ones; three raises before the flop, then four bets and raises."""
    env = table(THREE, BOARD, betting="limit")
    for amount in (4, 6, 8):
        assert raises(env) == [amount]
        play(env, f"{env.current_player} raise to {amount}")
    assert labels(env) == ["fold", "call 4"]
    play(env, "0,1 call")
    for street, size in ((1, 2), (2, 4), (3, 4)):
        assert field(env, "street") == street
        for number in range(1, 5):
            assert raises(env) == [number * size]
            play(env, f"{env.current_player} {'bet' if number == 1 else 'raise to'} {number * size}")
        assert raises(env) == []
        play(env, f"{env.current_player} call")
        play(env, f"{env.current_player} call")
    assert not env.legal_actions()


@pytest.mark.rule("PK-10")
def test_caps_by_street_and_draw() -> None:
    env = table(["2c 3d 4h 5s 7c", "2d 3h 4s 5c 7d"], variant="five_card_draw", betting="limit", raise_cap=(1, 2))
    play(env, "0 raise to 4")
    assert raises(env) == []
    play(env, "1 call; 1 stand pat; 0 stand pat; 1 bet 4; 0 raise to 8")
    assert raises(env) == []


@pytest.mark.rule("PK-10")
def test_in_limit_a_short_raise_counts() -> None:
    env = table(THREE, BOARD, betting="limit", raise_cap=(1, 1, 1, 1), stack=(3, 200, 200))
    play(env, "0 raise to 3")
    assert raises(env) == []


@pytest.mark.rule("PK-10", "PK-20")
def test_the_first_raise_over_a_bring_in_completes() -> None:
    hands = ["2c 2d 9h", "3c 3d 7d", "4c 4d 8c"]
    env = table(hands, variant="seven_card_stud", bring_in=2, small_bet=5, big_bet=10, button=2)
    assert (env.current_player, of_seats(env, "bet")) == (1, [0, 2, 0])
    assert raises(env) == [5]
    play(env, "1 check; 2 raise to 5")
    assert raises(env) == [10]
    play(env, "0 raise to 10; 1 raise to 15; 2 raise to 20")
    assert raises(env) == []


@pytest.mark.rule("PK-11")
def test_raises_by_parts_of_the_pot() -> None:
    """3 in the pot and 2 to call: 2 + a half, three quarters, one, two of 5; below 4 it is the smallest raise."""
    env = table(THREE, BOARD, raise_sizes=(0.33, 0.5, 0.75, 1, 2))
    assert raises(env) == [4, 5, 7, 12, 200]
    mask = [action for action in env.legal_actions() if 2 <= action <= 9]
    assert mask == [2, 5, 6, 7, 9]
    env = table(THREE, BOARD, raise_sizes=(0.33, 0.5, 0.75, 1, 2), min_raise_action=False)
    assert [action for action in env.legal_actions() if 2 <= action <= 9] == [3, 5, 6, 7, 9]
    assert raises(env) == [4, 5, 7, 12, 200]
    env = table(THREE, BOARD, raise_sizes=(0.33, 0.5, 0.75, 1, 2), stack=7)
    assert raises(env) == [4, 5, 7]
    assert env.legal_actions()[-1] == 9  # all their chips: only as an all-in


@pytest.mark.rule("PK-11")
def test_a_raise_below_the_smallest_is_only_an_all_in() -> None:
    env = table(THREE, BOARD, stack=(3, 200, 200))
    assert labels(env) == ["fold", "call 2", "raise to 3, all-in"]
    assert env.legal_actions() == [0, 1, 9]


@pytest.mark.rule("PK-11")
def test_parts_of_the_pot_by_their_formula() -> None:
    """Random games: every raise offered, against the words of the clause."""
    env, draw = raw_env("poker_v0", num_players=4, stack=(500, 40, 90, 300)), random.Random(1)
    checked = 0
    for seed in range(60):
        env.reset(seed=seed)
        while env.legal_actions():
            seat, size = env.current_player, env.options.raise_sizes
            cur, pot = field(env, "highest"), sum(of_seats(env, "paid"))
            owed, everything = cur - of_seats(env, "bet")[seat], of_seats(env, "bet")[seat] + of_seats(env, "chips")[seat]
            least = cur + field(env, "raise_size")
            offered = [action for action in env.legal_actions() if 2 <= action <= 8]
            if offered:
                amounts, used = {}, set()
                for index in range(2, 9):
                    part = 0 if index == 2 else int(size[index - 3] * 1000 + 0.5) * (pot + owed) // 1000
                    amount = min(max(cur + part, least), everything)
                    if amount < everything and amount not in used:
                        amounts[index] = amount
                        used.add(amount)
                assert offered == list(amounts)
                assert [int(env.action_label(action).split()[-1]) for action in offered] == list(amounts.values())
                checked += len(offered)
            env.step(draw.choice(env.legal_actions()))
    assert checked > 500


# --- what nobody called ---


@pytest.mark.rule("PK-13")
def test_what_nobody_called_comes_back() -> None:
    """200 against 50 and 30, and the aces lose nothing of the other 150."""
    env = table(["2c 7d", "Ac Ad", "3c 8s"], "Kd 5h 6s Jh 9c", stack=(200, 50, 30), raise_sizes=())
    play(env, "0 raise to 200; 1 call; 2 call")
    assert won(env) == [-50, 80, -30]
    assert of_seats(env, "chips") == [150, 130, 0]


@pytest.mark.rule("PK-13")
def test_levels_of_folded_players_count() -> None:
    env = table(THREE, BOARD, raise_sizes=(1,))
    play(env, "0 call; 1 call; 2 check; 1 bet 2; 2 raise to 4; 0 fold; 1 fold")
    assert won(env) == [-2, -4, 6]
    assert of_seats(env, "chips") == [198, 196, 206]


@pytest.mark.rule("PK-13", "PK-02")
def test_of_an_ante_comes_back_what_nobody_matched() -> None:
    """Antes of 50 from two who have 10 and 20, blinds from who has chips: 30 of the third are unmatched, and their blind."""
    env = table(["2c 7d", "Ac Ad", "Kc Kd"], "5h 6s Jh 9c 8s", stack=(200, 100, 53), ante=50, big_blind=2)
    play(env, "0 fold; 1 fold")
    assert won(env) == [-50, -51, 101]
    env = table(["2c 3d", "Ac Ad", "Kc Kd"], "5h 6s Jh 9c 8s", stack=(10, 200, 200), ante=50, button=2)
    assert of_seats(env, "paid") == [10, 52, 50]
    play(env, "2 call; 1 check; 1,2 check; 1,2 check; 1,2 check")
    assert won(env) == [-10, 62, -52]


# --- bounds ---


@pytest.mark.rule("PK-56")
def test_a_hand_has_an_end() -> None:
    """The longest hand of a few hundred in which everybody raises as little as they can."""
    env = raw_env("poker_v0", num_players=3, stack=40)
    for seed in range(100):
        env.reset(seed=seed)
        steps = 0
        while env.legal_actions():
            small = [action for action in env.legal_actions() if action == 2]
            env.step(small[0] if small else max(env.legal_actions(), key=lambda action: (action != 0, action)))
            steps += 1
        assert steps <= GAME.max_length(env.options)
    assert GAME.max_length(env.options) == 3 * (4 + 120 // 2 + 3 + 4) + 24
    limit = GAME.make_options({"num_players": 3, "betting": "limit"})
    assert GAME.max_length(limit) == 3 * (4 + 3 + 4 + 4 + 4) + 24


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"small_blind": 3}, r"small_blind=3 is not allowed; allowed: 1..2 \(big_blind\)"),
        ({"stack": 2}, "stack=2 is not allowed; allowed: two players with more than 2"),
        ({"stack": (200, 2, 2), "num_players": 3}, "two players with more than 2"),
        ({"stack": (200, 200)}, "so many numbers as players"),
        ({"variant": "chicago", "num_players": 9}, "num_players=9 is not allowed in chicago; allowed: 2..8"),
        ({"variant": "chicago", "bring_in": 2}, "bring_in=2 is not allowed; allowed: 1..1"),
        ({"variant": "chicago", "small_bet": 8}, "small_bet=8 is not allowed; allowed: 2..4"),
        ({"raise_cap": (3, 4)}, "raise_cap=.* is not allowed in texas_holdem; allowed: 4 numbers or more"),
        ({"raise_sizes": (1, 0.5)}, "ascending"),
        ({"raise_sizes": "abc"}, "0 to 6 numbers"),
        ({"button": 6}, "random, or a seat"),
    ],
    ids=str,
)
def test_options_that_contradict_each_other(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        raw_env("poker_v0", **options)


@pytest.mark.parametrize(
    ("variant", "betting", "ante"),
    [
        ("texas_holdem", "no_limit", 0),
        ("omaha", "pot_limit", 0),
        ("five_card_draw", "no_limit", 0),
        ("five_card_stud", "limit", 1),
        ("seven_card_stud", "limit", 1),
        ("chicago", "limit", 1),
    ],
)
def test_what_follows_from_the_variant(variant: str, betting: str, ante: int) -> None:
    options = GAME.make_options({"variant": variant})
    assert (options.betting, options.ante) == (betting, ante)
    assert options.raise_cap == (3 if ante == 0 else 4, 4, 4, 4, 4)
    assert GAME.score_unit(options) == 2


def test_numbers_in_the_observation() -> None:
    env = table(THREE, BOARD, stack=(100, 200, 200))
    play(env, "0 raise to 12")
    numbers = seen(env, 1, "numbers")
    expected = [15 / 600, 11 / 200, 22 / 200, 1, 10 / 200, 0, 1, 0, (66 - 6) / 66, 0, 0]
    assert numbers == pytest.approx(expected, abs=1e-6)
    assert seen(env, 0, "numbers")[1:4] == [0, 0, 0]
