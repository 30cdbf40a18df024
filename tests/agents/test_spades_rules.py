"""Hands in which a sensible Spades player has one sensible action."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.spades_positions import BID, LOSE, WIN, arranged, deck_of_hands, labels, play
from support import first_of
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate
from wilddeck.envs import raw_env

SPADES = envs.game("spades_v0")


def choice(env: Any) -> str:
    """What the player to move does; a card alone is played."""
    agent = agents.make("rules", SPADES, env.options)
    return env.action_label(agent.act(View.of(env), np.random.default_rng(0))).removeprefix("play ")


def bid(hand: str, before: tuple[int, ...] = (), deck: str = "standard") -> int:
    """The bid of a hand after other bids."""
    hands = ["", "", "", ""]
    hands[len(before)] = hand
    env = raw_env("spades_v0", deck=deck)
    env.reset(seed=0, options={"deck": deck_of_hands(hands, standard=deck == "standard")})
    for earlier in before:
        env.step(BID + earlier)
    text = choice(env).removeprefix("bid ")
    return 0 if text == "nil" else int(text)


# --- bids ---


def test_strong_hands_bid_more() -> None:
    hands = [
        "2s 4s 7s 3c 5c 7c Tc 4d 6d 8d Jd 5h 9h",
        "Qs 4s 7s Ac 5c 7c Tc 4d 6d 8d Jd 5h 9h",
        "Ks Qs 4s 7s Ac 5c 7c Ad 6d 8d Jd 5h 9h",
        "As Ks Qs 4s 7s Ac Kc 7c Ad 6d 8d 5h 9h",
        "As Ks Qs Js 9s 8s 7s 2s Ac Ad Kd Ah Kh",
    ]
    bids = [bid(hand) for hand in hands]
    assert bids == sorted(set(bids))
    assert bids[-1] >= 9
    assert bids[1] <= 3


def test_a_joker_is_a_trick() -> None:
    hand = "Ks 4s 7s Ac 5c 7c Tc 4d 6d 8d Jd"
    plain, wild = bid(f"{hand} 5h 9h", deck="extended"), bid(f"{hand} SJ BJ", deck="extended")
    assert wild >= plain + 1


def test_a_hand_of_low_cards_is_bid_nil_but_not_by_two_partners() -> None:
    hand = "2s 2c 3c 4c 6c 2d 3d 5d 7d 2h 3h 4h 6h"
    assert bid(hand) == 0
    assert bid(hand, (4, 3)) == 0
    assert bid(hand, (0, 3)) == 1
    assert bid(hand.replace("2s", "As")) > 0


def test_the_cap_of_the_partners_is_kept() -> None:
    assert bid("As Ks Qs Js Ts 9s 8s 7s Ac Ad Ah Kc Kd", (10, 0)) == 3
    assert bid("As Ks Qs Js Ts 9s 8s 7s Ac Ad Ah Kc Kd", (13, 0)) == 0


# --- last to play ---


def last(hand: str, trick: tuple[str, str, str], bids: tuple[int, ...] = (3, 3, 3, 3), **values: Any) -> str:
    """What seat 3, whose partner is seat 1, plays to the cards of 0, 1 and 2."""
    rest = ["3c 4c 5c", "6c 7c 8c", "9c Tc Jc"]
    values = {"deck": "standard", "broken": 1, "tricks_done": 5, **values}
    env = arranged([*(f"{card} {others}" for card, others in zip(trick, rest, strict=True)), hand], bids=bids, **values)
    play(env, *trick)
    return choice(env)


def test_a_trick_is_won_with_the_lowest_card_that_wins() -> None:
    assert last("Ah Kh 2h 4d", ("5h", "6h", "Qh")) == "Kh"
    assert last("Ah Kh Jh 2h", ("5h", "6h", "8h")) == "Jh"
    assert last("Ks 5s 2s 4d", ("5h", "6h", "Qh")) == "2s"
    assert last("Ks 5s 2s 4d", ("5h", "4s", "Qh")) in ("5s", "4d")


def test_the_partner_is_left_the_trick() -> None:
    assert last("Ah Kh 2h 4d", ("5h", "Qh", "6h")) == "2h"
    assert last("Ks 4d 5d 6d", ("5h", "Qh", "6h")) != "Ks"


def test_what_cannot_win_is_paid_low() -> None:
    assert last("Kh 7h 2h 4d", ("5h", "6h", "Ah")) == "2h"


def test_a_nil_plays_its_highest_card_that_does_not_win() -> None:
    assert last("Ah Th 7h 2h", ("5h", "6h", "Jh"), (3, 3, 3, 0)) == "Th"
    assert last("Ks Kd 4d 2d", ("5h", "6h", "Jh"), (3, 3, 3, 0)) == "Kd"


def test_a_nil_of_the_partner_is_covered() -> None:
    assert last("Ah 7h 2h 4d", ("5h", "9h", "6h"), (3, 0, 3, 3)) == "Ah"
    made = {"tricks": (3, 0, 3, 3), "tricks_done": 9}
    assert last("Ah 7h 2h 4d", ("5h", "9h", "6h"), (3, 0, 3, 3), **made) == "Ah"
    assert last("Ah 7h 2h 4d", ("5h", "9h", "Th"), (3, 0, 3, 3), **made) == "7h"  # no danger, and a bag


def test_a_nil_of_an_opponent_is_left_the_trick() -> None:
    assert last("Ah 7h 2h 4d", ("5h", "4h", "9h"), (3, 3, 0, 3)) in ("7h", "2h")


def test_bags_are_avoided_when_the_contracts_are_made() -> None:
    made = {"tricks": (2, 2, 2, 2), "bids": (1, 1, 1, 1), "tricks_done": 8}
    assert last("Ah Kh 7h 2h", ("5h", "6h", "Qh"), **made) == "7h"


def test_a_contract_of_the_opponents_is_broken_at_the_price_of_a_bag() -> None:
    """They need all the tricks that are left."""
    need = {"tricks": (1, 4, 1, 3), "bids": (3, 3, 3, 3), "tricks_done": 9}
    assert last("Ah Kh 7h 2h", ("5h", "6h", "Qh"), **need) == "Kh"


# --- leads ---


def test_who_needs_tricks_leads_what_wins() -> None:
    env = arranged(["Ad 3c", "5d 7c", "Jd 9c", "6d 8c"], deck="standard", bids=(3, 3, 3, 3), tricks=(3, 3, 2, 3))
    assert choice(env) == "Ad"


def test_a_nil_leads_low() -> None:
    env = arranged(
        ["Kh 2h 9d 3c", "5c 6c 7h 8h", "Tc Jc Qh 9h", "4d 5d Th 7d"], deck="standard", bids=(0, 4, 4, 4), tricks=(0, 3, 3, 3)
    )
    assert choice(env) in ("2h", "3c")


# --- Jokers and specials ---


@pytest.mark.parametrize(
    ("bids", "tricks", "expected"),
    [
        ((3, 3, 3, 3), (2, 2, 2, 2), WIN),
        ((3, 3, 3, 0), (3, 3, 3, 0), LOSE),  # a nil
        ((1, 1, 1, 1), (2, 2, 2, 2), LOSE),  # a bag
        ((3, 3, 0, 3), (5, 1, 0, 3), LOSE),  # who would win has bid nil
    ],
)
def test_a_joker_wins_where_the_trick_is_wanted(bids: Any, tricks: Any, expected: str) -> None:
    env = arranged(["5h 3c", "6h 4c", "Qh 5c", "SJ 6c"], bids=bids, tricks=tricks, tricks_done=10)
    play(env, "5h", "6h", "Qh", "SJ")
    assert choice(env) == expected


def test_a_joker_is_declared_a_suit_that_others_hold() -> None:
    env = arranged(["SJ 3c", "6h 4h", "Qh 5h", "7h 8h"])
    play(env, "SJ")
    assert choice(env).endswith("h")


def test_draws_are_revealed_before_a_card_is_played() -> None:
    env = arranged(["Dr-h 3d 4d", "6h 4c 8d", "Qh 5c 9d", "7h 6c Td"], pile="7c 8c 9c Tc", tricks=(0, 2, 1, 3))
    assert choice(env) == "reveal Dr-h"


def test_a_nil_in_danger_reveals_a_skip() -> None:
    env = arranged(["2h 3d", "3h 4c", "4h 5c", "Ah Sk-d"], pile="7c 8c 9c", bids=(4, 4, 4, 0), tricks=(4, 4, 3, 0))
    play(env, "2h", "3h", "4h")
    assert choice(env) == "reveal Sk-d"


def test_what_is_staged_is_redealt() -> None:
    env = arranged(["Dr-h Dr-d 4d", "6h 4c 8d", "Qh 5c 9d", "7h 6c Td"], pile="7c 8c 9c Tc")
    play(env, "reveal Dr-h")
    assert labels(env) == {"reveal Dr-d", "redeal"}
    assert choice(env) == "redeal"


# --- strength ---


@first_of("options", [{}, {"deck": "standard"}, {"match": "match", "max_hands": 6}], ids=str)
@pytest.mark.long
def test_it_beats_random_players_by_far(options: dict[str, Any]) -> None:
    """A reward of 0.25 is 125 points a hand."""
    parsed = SPADES.make_options(options)
    result = evaluate(agents.make("rules", SPADES, parsed), agents.make("random", SPADES, parsed), SPADES, parsed, 150, 1)
    assert result.mean > 0.25
    assert result.mean > 10 * result.standard_error
