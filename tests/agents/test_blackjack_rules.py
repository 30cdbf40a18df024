"""Hands in which basic strategy is agreed on, and how it fares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.blackjack_positions import table
from support import first_of
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate
from wilddeck.envs import raw_env

BLACKJACK = envs.game("blackjack_v0")


def choice(env: Any) -> str:
    """What the player to move does."""
    agent = agents.make("rules", BLACKJACK, env.options)
    return env.action_label(agent.act(View.of(env), np.random.default_rng(0)))


@pytest.mark.parametrize(
    ("cards", "up", "expected"),
    [
        ("5c 3d", "6c", "hit"),
        ("5c 4d", "2c", "hit"),
        ("5c 4d", "3c", "double"),
        ("6c 4d", "9c", "double"),
        ("6c 4d", "Tc", "hit"),
        ("6c 5d", "Tc", "double"),
        ("Tc 2d", "3c", "hit"),
        ("Tc 2d", "4c", "stand"),
        ("Tc 6d", "6c", "stand"),
        ("Tc 6d", "7c", "hit"),
        ("Tc 6d", "Kc", "surrender"),
        ("Tc 6d", "9c", "surrender"),
        ("Tc 5d", "Kc", "surrender"),
        ("Tc 5d", "9c", "hit"),
        ("Tc 7d", "Kc", "stand"),
        ("As 2d", "5c", "double"),
        ("As 2d", "4c", "hit"),
        ("As 6d", "3c", "double"),
        ("As 7d", "2c", "stand"),
        ("As 7d", "3c", "double"),
        ("As 7d", "9c", "hit"),
        ("As 8d", "6c", "stand"),
        ("As Ad", "Tc", "split"),
        ("8c 8d", "Tc", "split"),
        ("Tc Kd", "6c", "stand"),
        ("9c 9d", "7c", "stand"),
        ("9c 9d", "8c", "split"),
        ("5c 5d", "6c", "double"),
        ("4c 4d", "5c", "split"),
        ("4c 4d", "4c", "hit"),
        ("2c 2d", "2h", "split"),
        ("2c 2d", "8h", "hit"),
    ],
)
def test_the_table(cards: str, up: str, expected: str) -> None:
    assert choice(table([cards], f"3h {up.replace('4c', '4h')}", deck="standard")) == expected


def test_what_takes_the_place_of_a_double() -> None:
    assert choice(table(["6c 5d"], "3h 6h", double="none")) == "hit"
    assert choice(table(["As 7d"], "3h 6h", double="none")) == "stand"
    assert choice(table(["Tc 6d"], "3h Kh", surrender="none")) == "hit"
    assert choice(table(["2c 2d"], "3h 2h", double="none")) == "hit"


def test_a_special_is_taken_for_a_ten_and_a_joker_for_an_ace() -> None:
    assert choice(table(["Tc 5d"], "3h Sk-c")) == "surrender"
    assert choice(table(["Tc 5d"], "3h Jk", insurance=False)) == "hit"
    assert choice(table(["Jk 6d"], "3h 6h")) == "double"


def test_neither_insurance_nor_more_than_the_least_bet() -> None:
    assert choice(table(["Tc 5d"], "3h Ac")) == "decline"
    env = raw_env("blackjack_v0", bets=(2, 5))
    env.reset(seed=1)
    assert choice(env) == "bet 2"


@pytest.mark.parametrize(("cards", "expected"), [("Tc 5d", "surrender"), ("Tc 7d", "decline"), ("8c 8d", "surrender")])
def test_early_surrender(cards: str, expected: str) -> None:
    assert choice(table([cards], "3h Kc", surrender="early")) == expected


def test_against_a_dealer_who_has_played() -> None:
    env = table(["Rv-h 8c"], "9c 7d", "Ts 5h 3d")
    assert choice(env) == "hit", "21 beats 18"
    env = table(["Rv-h 8c"], "9c 8d", "Ts")
    assert choice(env) == "stand"
    env = table(["Rv-h 5c"], "9c 7d", "Ts Kh")
    assert choice(env) == "stand", "the dealer is bust"


@first_of("options", [{}, {"deck": "standard", "num_players": 1}, {"decks": 6, "hands": 5}], ids=str)
@pytest.mark.long
def test_it_beats_random_players_by_far(options: dict[str, Any]) -> None:
    parsed = BLACKJACK.make_options(options)
    rules, random = (agents.make(name, BLACKJACK, parsed) for name in ("rules", "random"))
    good, bad = (evaluate(agent, random, BLACKJACK, parsed, 400, 1) for agent in (rules, random))
    assert good.mean > bad.mean + 6 * good.standard_error
    assert good.mean > -0.15 * parsed.hands
