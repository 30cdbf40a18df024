"""Worked examples of docs/rules/skin.md."""

from __future__ import annotations

from typing import Any

import pytest
from games.skin_game_positions import (
    CENTRAL,
    LEVEL,
    NO,
    after_the_banker_fell,
    chips,
    dead,
    labels,
    mains,
    phase,
    play,
    rewards,
    side,
    table,
    waits,
    with_chips,
    zone,
)
from wilddeck.envs.core.aec import CardGameEnv


@pytest.mark.rule("SK-01", "SK-22", "SK-27", "SK-31", "SK-33")
def test_example_1_a_whole_hand() -> None:
    env = table("7 K 4 7 K", hands=2)
    play(env, "2 pass; 1 accept")
    assert waits(env) == (1, "STAKE")
    assert zone(env, "live/0") == "K"
    play(env, "1 stake 6 chips")
    assert labels(env) == [f"bet {k} chip{'s' * (k > 1)}" for k in range(1, 7)]
    play(env, "0 bet 4 chips")
    assert waits(env) == (2, "OFFER"), "no other live card: no side bets"
    play(env, "2 accept; 2 stake 8 chips; 0 bet 8 chips; 2 side bet with player_1; 2 propose 5 chips; 1 accept 3 chips")
    assert (env.record["banker"][0], env.record["deals"][0]) == (2, 2), "complete, and seat 2 is the next banker"
    assert chips(env) == [96, 93, 111]
    env = table("7 K 4 7 K", hands=1)
    play(env, "2 pass; 1 accept; 1 stake 6 chips; 0 bet 4 chips; 2 accept; 2 stake 8 chips; 0 bet 8 chips")
    play(env, "2 side bet with player_1; 2 propose 5 chips; 1 accept 3 chips")
    assert rewards(env) == [-4 / 8, -7 / 8, 11 / 8]
    assert dead(env) == "7 K"


@pytest.mark.rule("SK-13", "SK-14", "SK-40", "SK-42")
def test_example_2_dead_before_anybody_has_a_card() -> None:
    env = table("9 9 9 2", num_players=2, first_banker=1)
    assert zone(env, "offered") == "9"
    play(env, "0 pass")
    assert waits(env) == (0, "OFFER")
    assert zone(env, "offered") == "2"
    assert (dead(env), zone(env, "central"), zone(env, "discard")) == ("9", "", "9 9 9")


@pytest.mark.rule("SK-16", "SK-14")
@pytest.mark.parametrize("dead_on_fall", [True, False])
def test_example_3_a_matching_first_pair(dead_on_fall: bool) -> None:
    """The rank is dead whatever the option says of falls."""
    env = table("Q Q 5 Q 6", dead_on_fall=dead_on_fall)
    play(env, "2 accept")
    assert (dead(env), zone(env, "discard"), zone(env, "live/2"), zone(env, "live/0")) == ("Q", "Q Q", "", "")
    assert chips(env) == [100, 100, 100]
    assert zone(env, "offered") == "5"
    play(env, "1 pass; 2 pass")
    assert zone(env, "offered") == "6", "the third queen is dead"
    assert waits(env) == (1, "OFFER")


@pytest.mark.rule("SK-33", "SK-34", "SK-35")
def test_example_4_a_new_card_for_the_bank() -> None:
    env = after_the_banker_fell("8 T 6", hands=1)
    assert waits(env) == (0, "BANK_NEW")
    assert labels(env) == ["just reveal", "new card"]
    assert chips(env) == [93, 100, 98, 101]
    assert (mains(env), side(env, 2, 3), dead(env)) == ([0, 0, 0, 0], 4, "J")
    assert (zone(env, "live/3"), zone(env, "live/2")) == ("A", "6")
    play(env, "0 new card")
    assert (dead(env), zone(env, "live/0")) == ("8 J", "T")
    assert waits(env) == (3, "STAKE"), "on the right of the banker"
    play(env, "3 stake 3 chips; 0 bet 1 chip")
    assert labels(env) == ["no side bet", "side bet with player_2"]
    play(env, "3 no side bet")
    assert waits(env) == (2, "STAKE")
    play(env, "2 no stake")
    assert waits(env) == (1, "OFFER"), "seat 1 had no card and was not asked; the 6 turned up, and seat 2 has lost"
    assert chips(env) == [92, 100, 98, 108]
    assert zone(env, "live/2") == ""


@pytest.mark.rule("SK-34", "SK-38", "SK-32")
def test_example_5_just_reveal() -> None:
    env = after_the_banker_fell("T 6", hands=1)
    play(env, "0 just reveal")
    assert phase(env) is None, "the T was not offered, and seat 2 has no choice of a central card"
    assert zone(env, "central") == "8 T"
    assert chips(env) == [93, 100, 98, 109]
    assert rewards(env) == [-7 / 8, 0, -2 / 8, 9 / 8]


@pytest.mark.rule("SK-32", "SK-50")
def test_example_6_a_central_card() -> None:
    env = table("3 K 9 3 9", hands=1)
    play(env, "2 accept; 2 stake 5 chips; 0 bet 5 chips; 1 pass")
    assert waits(env) == (2, "CENTRAL")
    assert env.legal_actions() == [NO, CENTRAL + 7]
    assert (chips(env), dead(env)) == ([105, 100, 95], "3")
    play(env, "2 take the central 9")
    assert (zone(env, "central"), zone(env, "live/2")) == ("", "9")
    play(env, "2 stake 2 chips; 0 bet 2 chips")
    assert phase(env) is None
    assert rewards(env) == [7 / 8, 0, -7 / 8]


@pytest.mark.rule("SK-09", "SK-23")
def test_example_7_what_both_can_lay_out() -> None:
    env = with_chips(table("3 K 4 9 4"), [2, 100, 3])
    play(env, "2 accept")
    assert env.legal_actions() == [NO, LEVEL, LEVEL + 1]
    play(env, "2 stake 2 chips; 0 bet 2 chips; 1 accept")
    assert chips(env)[0] == 0
    assert waits(env) == (1, "CENTRAL"), "the banker's chips are all laid out, and two cards later 1 has lost"
    assert mains(env)[1] == 0


@pytest.mark.rule("SK-50", "SK-51")
def test_example_8_nothing_at_stake() -> None:
    env = table("5 K 5 6 7 K", hands=1)
    play(env, "2 accept; 2 no stake")
    assert (zone(env, "live/2"), dead(env), chips(env)) == ("", "5", [100, 100, 100])
    assert waits(env) == (1, "OFFER"), "no bet was settled: dealing goes on"
    play(env, "1 pass; 2 pass")
    assert zone(env, "offered") == "7"
    play(env, "1 pass; 2 pass")
    assert phase(env) is None
    assert rewards(env) == [0, 0, 0]


@pytest.mark.rule("SK-08")
@pytest.mark.parametrize(
    ("low", "high", "levels", "amounts"),
    [
        (6, 20, range(1, 9), [6, 8, 10, 12, 14, 16, 18, 20]),
        (1, 3, [1, 5, 8], [1, 2, 3]),
        (1, 8, range(1, 9), range(1, 9)),
        (5, 5, [1], [5]),
        (1, 1_000_000, range(1, 9), [1 + 999_999 * k // 7 for k in range(8)]),
    ],
)
def test_example_9_levels(low: int, high: int, levels: Any, amounts: Any) -> None:
    env = table("3 K", min_bid=low, max_bid=high, stack=0)
    play(env, "2 accept")
    assert env.legal_actions() == [NO, *(LEVEL + level - 1 for level in levels)]
    assert labels(env) == ["no stake", *(f"stake {k} chip{'s' * (k > 1)}" for k in amounts)]
    play(env, f"2 {labels(env)[-1]}")
    if len(amounts) > 1:
        assert labels(env) == [f"bet {k} chip{'s' * (k > 1)}" for k in amounts]
        play(env, f"0 {labels(env)[0]}")
    assert mains(env) == [0, 0, low]


# --- events ---

EXAMPLE_4 = """\
hand 1
player 0 is the banker
player 0 turns Ac
player 3 takes Ac
player 0 turns Jc
player 0 takes Jc
player 3 proposes 5 chips
player 3 bets 5 chips with player 0
player 0 turns 6c
player 2 takes 6c
player 2 proposes 2 chips
player 2 bets 2 chips with player 0
player 2 asks player 3 for a side bet
player 2 proposes 4 chips
player 2 bets 4 chips with player 3
player 0 turns 8c
player 1 passes
8c becomes central
player 0 turns Jd
player 0 loses their card
player 0 pays 2 chips to player 2
player 0 pays 5 chips to player 3
player 0 will take another card
player 0 turns 8d
8d is discarded: its rank is dead
player 0 turns Tc
player 0 takes Tc
player 3 proposes 3 chips
player 3 bets 1 chip with player 0
player 3 asks player 2 for a side bet
player 3 proposes 5 chips
player 2 accepts no side bet
player 2 stakes nothing
player 0 turns 6d
player 2 loses their card
player 2 pays 4 chips to player 3
player 0 turns Td
player 0 loses their card
player 0 pays 1 chip to player 3
player 0 leaves
player 1 stays
player 2 stays
player 3 stays
hand 2
player 3 is the banker
player 3 turns 3c
player 2 takes 3c
player 3 turns 3d
player 2 loses their card
player 3 turns 9c
"""


def events_of(env: CardGameEnv) -> str:
    """The events, which all perceive alike."""
    truth = env.history()
    assert all(env.history(agent) == truth for agent in env.possible_agents)
    return "".join(event.text() + "\n" for event in truth)


def test_events_of_example_4() -> None:
    env = after_the_banker_fell("8 T 6 T", hands=2, cash_out=True, next_hands=("3 3 9",))
    play(env, "0 new card; 3 stake 3 chips; 0 bet 1 chip; 3 side bet with player_2; 3 propose 5 chips; 2 accept none")
    play(env, "2 no stake; 0 leave; 1 stay; 2 stay; 3 stay; 2 accept")
    assert events_of(env) == EXAMPLE_4


CENTRAL_AND_BROKE = """\
hand 1
player 0 is the banker
player 0 turns 3c
player 2 takes 3c
player 0 turns Kc
player 0 takes Kc
player 2 proposes 3 chips
player 2 bets 3 chips with player 0
player 0 turns 9c
player 1 passes
9c becomes central
player 0 turns 3d
player 2 loses their card
player 2 pays 3 chips to player 0
player 2 takes the central 9
player 2 proposes 2 chips
player 2 bets 2 chips with player 0
player 0 turns 9d
player 2 loses their card
player 2 pays 2 chips to player 0
player 2 is broke and out for good
"""


def test_events_of_a_central_card_and_of_who_is_broke() -> None:
    env = table("3 K 9 3 9", stack=5, hands=3)
    play(env, "2 accept; 2 stake 3 chips; 0 bet 3 chips; 1 pass; 2 take the central 9; 2 stake 2 chips; 0 bet 2 chips")
    assert events_of(env).startswith(CENTRAL_AND_BROKE)


def test_events_of_the_end() -> None:
    env = after_the_banker_fell("T 6", hands=1)
    play(env, "0 just reveal")
    assert events_of(env).splitlines()[-10:] == [
        "player 0 turns Tc",
        "Tc becomes central",
        "player 0 turns 6d",
        "player 2 loses their card",
        "player 2 pays 4 chips to player 3",
        "player 0 loses 7 chips",
        "player 1 ends even",
        "player 2 loses 2 chips",
        "player 3 wins 9 chips",
        "the game is over",
    ]
