"""Hearts clause by clause: points, the moon, rewards, the match, what contradictory options say."""

from __future__ import annotations

from typing import Any

import pytest
from games.hearts_positions import ALL_HEARTS, GAME, RED, arranged, dealt, ended, field, parse, play, points, seen, won
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

MINE = f"Qs {ALL_HEARTS}"
SIX = MINE.replace(" 6h", "")


# --- points ---


@pytest.mark.rule("HE-16", "HE-40")
def test_the_points_of_a_trick() -> None:
    """Worked example 1."""
    env = arranged(["5c", "Kc", "9h", "Qs"], deck="standard", tricks_done=3)
    play(env, "5c", "Kc", "9h", "Qs")
    assert won(env, 1) == {"5c", "Kc", "9h", "Qs"}
    assert seen(env, 1, "points") == pytest.approx([14 / 26, 0, 0, 0])
    assert seen(env, 1, "broken") == [1]


@pytest.mark.rule("HE-40")
@pytest.mark.parametrize(("jd_bonus", "jack"), [(False, 0), (True, -10)])
def test_what_cards_count(jd_bonus: bool, jack: int) -> None:
    env = ended(["2h Dr-h", "Qs As Dr-s", "Jd Qd Rv-d", "Ah Kh"], jd_bonus=jd_bonus)
    assert points(env) == [2, 13, jack, 2]
    assert seen(env, 0, "points") == pytest.approx([2 / 26, 0.5, jack / 26, 2 / 26])


@pytest.mark.rule("HE-41")
def test_a_joker_won_counts_nothing() -> None:
    assert points(ended(["SJ BJ Ac", "Qs", "8h 9h"])) == [0, 13, 2, 0]


@pytest.mark.rule("HE-41")
def test_a_joker_is_the_jack_of_diamonds_if_that_counts() -> None:
    """One of a player's Jokers, and none of who has won the Jack himself."""
    assert points(ended(["SJ BJ 2h", "Qs 8h 9h"], jd_bonus=True)) == [-9, 15, 0, 0]
    assert points(ended(["SJ Jd 2h", "Qs 8h 9h"], jd_bonus=True)) == [-9, 15, 0, 0]
    assert points(ended(["Jd 8h 9h", "SJ Qs", "BJ 2h"], jd_bonus=True)) == [-8, 3, -9, 0]
    assert points(ended(["SJ BJ 2h", "Qs 8h 9h"])) == [1, 15, 0, 0]
    env = ended(["SJ BJ 2h", "Qs 8h 9h"], jd_bonus=True)
    assert seen(env, 0, "points") == pytest.approx([1 / 26, 15 / 26, 0, 0])  # what is seen is without Jokers


@pytest.mark.rule("HE-41", "HE-43")
def test_the_moon_needs_jokers_first() -> None:
    others = ["", "", "6h"]
    assert points(ended([f"{SIX} SJ", *others], jd_bonus=True)) == [0, 26, 26, 26]
    assert points(ended([f"{SIX} SJ BJ", *others], jd_bonus=True)) == [-10, 26, 26, 26]
    assert points(ended([f"{MINE} SJ"], jd_bonus=True)) == [-10, 26, 26, 26]
    assert points(ended([SIX, "", "6h SJ"], jd_bonus=True)) == [28, 0, -9, 0]


# --- the moon ---


@pytest.mark.rule("HE-46")
@pytest.mark.parametrize(("reward", "expected"), [("relative", [-0.25, -0.25, 0.75, -0.25]), ("openspiel", [0, 0, 26, 0])])
def test_shooting_the_moon(reward: str, expected: list[float]) -> None:
    """Worked example 2."""
    env = ended(["", "", f"Qs {RED}"], last=2, deck="standard", reward=reward)
    assert list(env.rewards.values()) == expected


@pytest.mark.rule("HE-43", "HE-46")
def test_a_joker_stands_for_a_card_another_has_won() -> None:
    """Worked examples 9 and 10: a special cannot be stood for."""
    assert points(ended([f"{SIX} SJ", "", "6h"])) == [0, 26, 26, 26]
    mine = SIX.replace(" Sk-h", "")
    assert points(ended([f"{mine} SJ", "Sk-h", "6h"])) == [27, 1, 1, 0]
    assert points(ended([SIX, "", "6h"])) == [28, 0, 1, 0]
    without = SIX.replace(" 7h", "").replace(" 8h", "")
    assert points(ended([f"{without} SJ BJ", "7h 8h", "6h"])) == [26, 2, 1, 0]
    assert points(ended([f"{without} 7h SJ BJ", "8h", "6h"])) == [0, 26, 26, 26]


@pytest.mark.rule("HE-42", "HE-43")
def test_cards_out_of_play_do_not_count() -> None:
    """Worked examples 11 and 12: aside, in the pile, in a disregarded trick; a card in a hand is in play."""
    mine = SIX.replace(" Rv-h", "")
    assert points(ended([mine], pile="6h", aside="Rv-h")) == [0, 26, 26, 26]
    assert points(ended([mine])) == [0, 26, 26, 26]  # both were in disregarded tricks
    left = ("", "", "", "6h")
    assert points(ended([mine], left, aside="Rv-h")) == [27, 0, 0, 0]
    assert points(ended([f"{mine} SJ"], left, aside="Rv-h")) == [0, 26, 26, 26]
    assert points(ended([mine], ("", "6h", "", "Rv-h"))) == [27, 0, 0, 0]
    assert points(ended([f"{mine} SJ"], ("", "6h", "", "Rv-h"))) == [27, 0, 0, 0]


@pytest.mark.rule("HE-43")
def test_who_has_won_none_of_them_does_not_shoot() -> None:
    assert points(ended(["SJ BJ Ac"], ("", "6h", "", ""))) == [0, 0, 0, 0]
    assert points(ended(["SJ Ac 7h"], ("", "6h", "", ""))) == [0, 26, 26, 26]
    assert points(ended(["Ac"])) == [0, 0, 0, 0]


@pytest.mark.rule("HE-44")
def test_if_two_shoot_nobody_does() -> None:
    assert points(ended(["SJ 7h", "BJ 6h"])) == [1, 1, 0, 0]
    assert points(ended(["SJ 7h", "6h"])) == [0, 26, 26, 26]
    assert points(ended(["SJ 7h", "BJ 6h"], jd_bonus=True)) == [-9, -9, 0, 0]


@pytest.mark.rule("HE-46")
def test_the_moon_on_oneself() -> None:
    assert points(ended([f"{SIX} SJ", "", "6h"], moon="self")) == [-26, 0, 0, 0]
    assert points(ended([f"{MINE} Jd"], moon="self", jd_bonus=True)) == [-36, 0, 0, 0]
    assert points(ended([MINE, "Jd"], moon="self", jd_bonus=True)) == [-26, -10, 0, 0]
    assert points(ended([MINE, "Jd"], jd_bonus=True)) == [0, 16, 26, 26]
    assert points(ended([f"{MINE} Jd"], jd_bonus=True)) == [-10, 26, 26, 26]


@pytest.mark.rule("HE-47")
def test_who_avoids_all_tricks() -> None:
    assert points(ended(["2h", "Qs"], avoid_all_tricks_bonus=True)) == [1, 13, -5, -5]
    assert points(ended(["2h", "Qs"])) == [1, 13, 0, 0]
    assert points(ended([MINE, "3s"], avoid_all_tricks_bonus=True)) == [0, 26, 26, 26]
    assert points(ended([MINE, "3s"], avoid_all_tricks_bonus=True, moon="self")) == [-26, 0, 0, 0]


@pytest.mark.rule("HE-38")
def test_points_of_a_disregarded_trick_are_lost() -> None:
    """Worked example 4, as the last trick."""
    env = arranged(
        ["Sk-h", "4c", "Rv-h", "7d"], won=["2h", "3h"], tricks=[1, 1, 0, 0], tricks_done=12, broken=1, reward="openspiel"
    )
    play(env, "Sk-h", "Rv-h", "7d")
    assert points(env) == [1, 1, 0, 0]


# --- rewards ---


def test_relative_rewards_are_the_difference_to_the_mean() -> None:
    env = ended(["2h 3h 4h 5h", "Qs"], reward="relative")
    assert list(env.rewards.values()) == pytest.approx([(4.25 - 4) / 26, (4.25 - 13) / 26, 4.25 / 26, 4.25 / 26])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"deck": "standard"},
        {"jd_bonus": True},
        {"jd_bonus": True, "moon": "self"},
        {"avoid_all_tricks_bonus": True},
        {"avoid_all_tricks_bonus": True, "jd_bonus": True},
    ],
)
def test_rewards_lie_in_their_range(options: dict[str, Any]) -> None:
    """Of the worst hands there are."""
    plain = options.get("deck") == "standard"
    mine = f"Qs {RED}" if plain else MINE
    hands = [[mine], [mine.replace(" 6h", ""), "6h"], [f"{mine} Jd"], ["", "", "Jd"]]
    if not plain:
        hands += [[mine, "Jd", "SJ"], [mine.replace(" 6h", ""), "6h Jd", "SJ", "BJ"]]
    for taken in hands:
        for reward in ("relative", "openspiel"):
            env = ended(taken, reward=reward, **options)
            low, high = GAME.reward_range(env.options)
            assert all(low <= value <= high for value in env.rewards.values()), (taken, reward)
    assert GAME.reward_range(GAME.make_options({})) == (-1, 1)
    assert GAME.reward_range(GAME.make_options({"reward": "openspiel"})) == (-2, 26)
    assert GAME.reward_range(GAME.make_options({"reward": "openspiel", "deck": "standard"})) == (0, 26)


# --- the match ---


def last_hand(totals: list[int], won: list[str], **values: Any) -> CardGameEnv:
    return ended(won, match="match", totals=totals, **values)


@pytest.mark.rule("HE-50")
def test_a_match_ends_when_a_total_has_reached_the_target() -> None:
    """Worked example 14."""
    hearts = ["2h 3h 4h 5h 6h", "7h 8h 9h Th Jh Qh Kh Ah", "Qs"]
    env = last_hand([96, 40, 55, 71], hearts)
    assert list(env.rewards.values()) == pytest.approx([-0.29, 0.24, 0.04, 0.01])
    assert all(env.terminations.values())
    assert seen(env, 0, "totals") == pytest.approx([0.96, 0.4, 0.55, 0.71])  # before this hand
    env = last_hand([95, 40, 55, 71], hearts)
    assert all(env.terminations.values())  # 100 is enough
    env = last_hand([94, 40, 55, 71], hearts)
    assert not any(env.terminations.values())
    assert field(env, "totals") == [99, 48, 68, 71]
    assert field(env, "deals") == 2
    assert list(env.rewards.values()) == [0, 0, 0, 0]
    assert seen(env, 1, "totals") == pytest.approx([0.48, 0.68, 0.71, 0.99])


@pytest.mark.rule("HE-50")
def test_a_match_ends_after_so_many_hands() -> None:
    env = last_hand([1, 2, 3, 4], ["2h", "3h"], max_hands=1)
    assert all(env.terminations.values())
    assert list(env.rewards.values()) == pytest.approx([0.01, 0, 0, -0.01])
    env = last_hand([1, 2, 3, 4], ["2h"], max_hands=2)
    assert not any(env.terminations.values())
    env = last_hand([1, 2, 3, 4], ["2h"], max_hands=2, deals=2)
    assert all(env.terminations.values())


@pytest.mark.rule("HE-50")
def test_the_lowest_total_has_the_highest_reward_and_equal_totals_share() -> None:
    env = last_hand([90, 40, 41, 71], ["Qs", "2h"], target=50)
    assert list(env.rewards.values()) == pytest.approx([(64 - 103) / 50, 23 / 50, 23 / 50, -7 / 50])


@pytest.mark.rule("HE-50")
def test_matches_add_up_their_hands() -> None:
    env = raw_env("hearts_v0", match="match", target=30)
    for seed in range(5):
        env.reset(seed=seed)
        before = [0, 0, 0, 0]
        while env.legal_actions():
            deals = field(env, "deals")
            env.step(env.legal_actions()[seed % len(env.legal_actions())])
            if field(env, "deals") != deals:
                totals = field(env, "totals")
                assert max(totals) < 30
                assert sum(totals) - sum(before) in range(79)
                before = totals
        assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-6)


# --- options ---


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward": "openspiel", "match": "match"}, "reward='openspiel' is not allowed with match='match'; allowed: relative"),
        ({"passing": "up"}, "passing='up' is not allowed; allowed: default, random, cycle, left, right, across, hold"),
        ({"target": 0}, r"target=0 is not allowed; allowed: 1\.\.10000"),
        ({"num_players": 3}, "num_players=3 is not allowed; allowed: 4"),
        ({"deck": "large"}, "deck='large' is not allowed; allowed: extended, standard"),
        ({"shoot": True}, "hearts_v0 has no option 'shoot'; options: num_players, deck, match"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        raw_env("hearts_v0", **options)


def test_any_club_has_no_meaning_in_the_extended_deck() -> None:
    env = dealt(["2c 5c Qc"], can_lead_any_club=True)
    assert env.legal_actions() == parse("2c")
