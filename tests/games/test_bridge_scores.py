"""What deals of bridge are worth: duplicate, in a rubber, with honors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.bridge_positions import GAME, call, contract, end_deal, new, play, points, put, rubber
from support import determinizations, see_anew


def score(bid: str, tricks: int, vulnerable: bool = False, doubling: str = "", dead: int = 0, declarer: int = 0) -> int:
    """Duplicate: what the deal brings declarer's side."""
    sides = ("ns", "ew")[declarer % 2] if vulnerable else "none"
    env = end_deal(new(vulnerability=sides), bid, tricks, declarer, doubling, dead)
    return -points(env) if declarer % 2 else points(env)


@pytest.mark.rule("BR-50", "BR-60", "BR-61", "BR-62", "BR-63", "BR-64", "BR-65")
@pytest.mark.parametrize(
    ("bid", "vulnerable", "doubling", "tricks", "expected"),
    [
        ("3NT", False, "", 10, 430),
        ("4s", True, "x", 11, 990),
        ("2h", False, "xx", 8, 640),
        ("6d", True, "", 12, 1370),
        ("7NT", False, "", 13, 1520),
        ("1NT", False, "x", 3, -800),
        ("3c", True, "xx", 6, -1600),
    ],
    ids=[f"example {number}" for number in range(1, 8)],
)
def test_examples_1_to_7(bid: str, vulnerable: bool, doubling: str, tricks: int, expected: int) -> None:
    for declarer in range(4):
        assert score(bid, tricks, vulnerable, doubling, declarer=declarer) == expected


@pytest.mark.rule("BR-50")
def test_example_8_a_disregarded_trick_is_won_by_nobody() -> None:
    assert score("4s", 9, dead=1) == -50
    assert score("4s", 10, dead=3) == 420


@pytest.mark.rule("BR-60", "BR-64")
@pytest.mark.parametrize(
    ("bid", "doubling", "expected"),
    [
        ("1c", "", 20 + 50),
        ("1d", "", 20 + 50),
        ("1h", "", 30 + 50),
        ("1s", "", 30 + 50),
        ("1NT", "", 40 + 50),
        ("2NT", "", 70 + 50),
        ("3NT", "", 100 + 300),
        ("3s", "", 90 + 50),
        ("4h", "", 120 + 300),
        ("4d", "", 80 + 50),
        ("5c", "", 100 + 300),
        ("1NT", "x", 80 + 50 + 50),
        ("2s", "x", 120 + 50 + 300),
        ("2d", "xx", 160 + 100 + 300),
        ("1c", "xx", 80 + 100 + 50),
    ],
)
def test_contracts_just_made(bid: str, doubling: str, expected: int) -> None:
    tricks = 6 + int(bid[0])
    assert score(bid, tricks, doubling=doubling) == expected
    game = expected > 400 or bid in ("3NT", "5c")
    assert score(bid, tricks, True, doubling) == expected + (200 if game else 0)


@pytest.mark.rule("BR-61")
@pytest.mark.parametrize(
    ("vulnerable", "doubling", "value"),
    [(False, "", 30), (True, "", 30), (False, "x", 100), (True, "x", 200), (False, "xx", 200), (True, "xx", 400)],
)
def test_overtricks(vulnerable: bool, doubling: str, value: int) -> None:
    made = score("2s", 8, vulnerable, doubling)
    assert all(score("2s", 8 + over, vulnerable, doubling) - made == over * value for over in range(1, 6))
    assert score("2d", 11) - score("2d", 8) == 60


@pytest.mark.rule("BR-62", "BR-63")
def test_slams() -> None:
    assert score("6c", 12) == 120 + 500 + 300
    assert score("6c", 13, True) == 120 + 20 + 750 + 500
    assert score("6s", 12, True, "x") == 360 + 50 + 750 + 500
    assert score("7d", 13) == 140 + 1000 + 300
    assert score("7NT", 13, True, "xx") == 880 + 100 + 1500 + 500
    assert score("4s", 13) == 120 + 90 + 300  # only those that were bid


@pytest.mark.rule("BR-65")
@pytest.mark.parametrize(
    ("vulnerable", "doubling", "down"),
    [
        (False, "", [50, 100, 150, 200, 250]),
        (True, "", [100, 200, 300, 400, 500]),
        (False, "x", [100, 300, 500, 800, 1100]),
        (True, "x", [200, 500, 800, 1100, 1400]),
        (False, "xx", [200, 600, 1000, 1600, 2200]),
        (True, "xx", [400, 1000, 1600, 2200, 2800]),
    ],
)
def test_undertricks(vulnerable: bool, doubling: str, down: list[int]) -> None:
    assert [score("5h", 11 - lack, vulnerable, doubling) for lack in range(1, 6)] == [-points for points in down]


@pytest.mark.rule("BR-65")
def test_the_worst_deal_is_the_bound() -> None:
    assert score("7NT", 0, True, "xx") == -7600
    low, high = GAME.reward_range(GAME.make_options({"reward": "openspiel"}))
    assert low == -high < -7600
    assert GAME.reward_range(GAME.make_options({}))[1] == pytest.approx(high / 1000)


@pytest.mark.rule("BR-12")
def test_passed_out() -> None:
    env = call(new(reward="openspiel"), "pass pass pass pass")
    assert set(env.rewards.values()) == {0}
    env = end_deal(new(reward="openspiel"), "3NT", 9)
    assert list(env.rewards.values()) == [400, -400, 400, -400]


# --- rubber ---


@pytest.mark.rule("BR-66", "BR-68")
def test_examples_18_and_19_a_rubber() -> None:
    env = end_deal(new(scoring="rubber"), "2s", 9)
    assert (rubber(env, "below"), rubber(env, "total")) == ([60, 0], [90, 0])
    end_deal(env, "1NT", 7, declarer=1)
    assert (rubber(env, "below"), rubber(env, "total")) == ([60, 40], [90, 40])
    end_deal(env, "2c", 8, declarer=2)
    assert (rubber(env, "below"), rubber(env, "games"), rubber(env, "total")) == ([0, 0], [1, 0], [130, 40])
    end_deal(env, "3NT", 9)
    assert rubber(env, "total") == [930, 40]
    assert points(env) == 890


@pytest.mark.rule("BR-66", "BR-68")
def test_a_side_with_a_game_is_vulnerable_and_the_loser_may_have_one() -> None:
    env = end_deal(new(scoring="rubber", reward="openspiel"), "4s", 10)
    end_deal(env, "4s", 9)
    assert rubber(env, "total") == [120, 100]  # vulnerable
    end_deal(env, "1c", 6, declarer=3)
    assert rubber(env, "total") == [170, 100]  # not
    end_deal(env, "5d", 11, declarer=3)
    assert (rubber(env, "games"), rubber(env, "total")) == ([1, 1], [170, 200])
    end_deal(env, "2c", 8, doubling="x")
    assert rubber(env, "below") == [80, 0]
    assert env.legal_actions()
    end_deal(env, "3h", 10, declarer=1, doubling="x")
    assert rubber(env, "total") == [170 + 80 + 50, 200 + 180 + 50 + 200 + 500]
    assert env.rewards["player_1"] == 1130 - 300
    assert env.rewards["player_2"] == 300 - 1130


@pytest.mark.rule("BR-66")
def test_undertricks_and_overtricks_count_above_the_line() -> None:
    env = end_deal(new(scoring="rubber"), "1h", 13)
    assert (rubber(env, "below"), rubber(env, "total")) == ([30, 0], [210, 0])
    end_deal(env, "1h", 3, doubling="x")
    assert (rubber(env, "below"), rubber(env, "total")) == ([30, 0], [210, 800])
    end_deal(env, "6s", 12, declarer=1)
    assert (rubber(env, "games"), rubber(env, "total")) == ([0, 1], [210, 800 + 180 + 500])


@pytest.mark.rule("BR-67")
def test_the_deal_passes_clockwise() -> None:
    env = new(scoring="rubber", dealer=2)
    assert env.current_player == 2
    end_deal(env, "1c", 7)
    assert env.current_player == 3
    call(env, "pass pass pass pass")
    assert env.current_player == 0
    assert (rubber(env, "below"), int(env.record["deals"][0])) == ([20, 0], 3)


@pytest.mark.rule("BR-68")
@pytest.mark.parametrize(
    ("deals", "expected"),
    [
        (["-"], [0, 0]),
        (["1c 7 0", "-"], [20 + 100, 0]),
        (["1c 7 0", "1h 7 1"], [20, 30]),  # two part scores
        (["4s 10 1", "-", "-"], [0, 120 + 300]),
        (["4s 10 1", "2s 8 0"], [60 + 100, 120 + 300]),
        (["1c 7 0", "4s 10 1"], [20, 120 + 300]),  # the part score was of the game that is won
        (["4s 10 1", "4s 10 0", "1c 7 0"], [120 + 20 + 100, 120]),  # a game each
    ],
)
def test_the_rubber_is_cut_off(deals: list[str], expected: list[int]) -> None:
    env = new(scoring="rubber", max_deals=len(deals))
    for number, deal in enumerate(deals):
        assert env.legal_actions(), number
        if deal == "-":
            call(env, "pass pass pass pass")
        else:
            bid, tricks, declarer = deal.split()
            end_deal(env, bid, int(tricks), int(declarer))
    assert rubber(env, "total") == expected
    assert points(env) == expected[0] - expected[1]


HONORS: list[tuple[str, str, list[str], list[int]]] = [
    ("five", "1h", ["Ah Kh Qh Jh Th", "", "", ""], [150, 0]),
    ("four", "1h", ["", "Ah Kh Jh Th", "Qh", ""], [0, 100]),
    ("three and two", "1h", ["Ah Kh Qh", "", "Jh Th", ""], [0, 0]),
    ("of another suit", "1s", ["Ah Kh Qh Jh Th", "", "", ""], [0, 0]),
    ("aces at a suit", "1h", ["Ac Ad Ah As", "", "", ""], [0, 0]),
    ("aces", "1NT", ["", "", "", "Ac Ad Ah As"], [0, 150]),
    ("three aces", "1NT", ["", "", "", "Ac Ad Ah Jk"], [0, 0]),
    ("five at no trump", "1NT", ["Ah Kh Qh Jh Th", "", "", ""], [0, 0]),
    ("a Joker", "1h", ["Ah Kh Qh Jk Rv-h", "", "", ""], [0, 0]),
]


def with_hands(hands: list[str], **options: Any) -> Any:
    return put(new(scoring="rubber", **options), [f"{held} 2s" for held in hands])


@pytest.mark.rule("BR-69")
@pytest.mark.parametrize(("bid", "hands", "expected"), [case[1:] for case in HONORS], ids=[case[0] for case in HONORS])
def test_honors(bid: str, hands: list[str], expected: list[int]) -> None:
    made = end_deal(with_hands(hands, honors=True), bid, 7)
    trick = rubber(made, "below")[0]
    assert [rubber(made, "total")[side] - (trick if side == 0 else 0) for side in range(2)] == expected
    down = end_deal(with_hands(hands, honors=True), bid, 6)
    assert rubber(down, "total") == [expected[0], expected[1] + 50]
    assert rubber(down, "below") == [0, 0]
    assert rubber(end_deal(with_hands(hands), bid, 7), "total") == [trick, 0]


@pytest.mark.rule("BR-69")
def test_honors_count_in_the_last_deal_and_not_when_it_is_passed_out() -> None:
    env = end_deal(with_hands(["Ah Kh Qh Jh Th", "", "", ""], honors=True, max_deals=1), "1h", 7)
    assert points(env) == 30 + 150 + 100
    env = call(with_hands(["Ac Ad Ah As", "", "", ""], honors=True, max_deals=1), "pass pass pass pass")
    assert points(env) == 0


@pytest.mark.rule("BR-69")
def test_honors_are_of_the_cards_dealt() -> None:
    env = new(scoring="rubber", honors=True)
    for deal in range(2):
        assert env.record["dealt"][0].tolist() == env.record["hand"][0][:, 0].tolist()
        end_deal(env, "1c", 6 + deal)


@pytest.mark.rule("BR-69")
def test_cards_taken_from_the_pile_are_no_honors() -> None:
    env = put(new(scoring="rubber", honors=True), ["2h", "Dr-h", "Ah Kh Qh Jh", "3h"], "Th 9c")
    contract(env, "1h")
    env.record["tricks_done"] = 12
    see_anew(env)
    play(env, "1 play Dr-h; 2 play Th; 3 play 3h; 0 play 2h")
    assert rubber(env, "total") == [100, 6 * 50]


def test_a_determinization_does_not_know_who_has_honors() -> None:
    env = new(scoring="rubber", honors=True)
    samples = determinizations(env, 1, range(20))
    assert len({record["dealt"][0].tobytes() for record in samples}) > 1
    for record in samples:
        assert record["dealt"][1] == env.record["dealt"][0][1]
        np.testing.assert_array_equal(record["dealt"], record["hand"][:, 0])
