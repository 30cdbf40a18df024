"""Hands in which a sensible player of President has one sensible action."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.president_positions import arranged, labels, next_deal, play
from support import first_of
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate

PRESIDENT = envs.game("president_v0")


def choice(env: Any) -> str:
    """What the player to move does."""
    agent = agents.make("rules", PRESIDENT, env.options)
    text = env.action_label(agent.act(View.of(env), np.random.default_rng(0)))
    return text.removeprefix("play ").removeprefix("lead ")


# --- leads ---


def test_low_sets_are_led_first_and_whole() -> None:
    env = arranged(["3c 3d 7c 7d Kc Kd 2c", "4c 5c 6c 8c 9c", "Tc Jc Qc 8d 9d", "4d 5d 6d Td Jd"], deck="standard")
    assert choice(env) == "3 3"
    env = arranged(["3c 7c 7d 7h Kc 2c", "4c 5c 6c 8c 9c", "Tc Jc Qc 8d 9d", "4d 5d 6d Td Jd"], deck="standard")
    assert choice(env) in ("3", "7 7 7")


def test_the_last_cards_are_played_at_once() -> None:
    env = arranged(["9c 9d 9h", "4c 5c 6c", "Tc Jc Qc", "4d 5d 6d"], deck="standard")
    assert choice(env) == "9 9 9"
    env = arranged(["Sk-c Sk-d", "4c 5c 6c", "Tc Jc Qc", "4d 5d 6d"])
    assert choice(env) == "Sk Sk"


def test_what_nobody_beats_is_led_before_the_last_set() -> None:
    env = arranged(["2c 4h", "5c 6c", "Tc Jc", "4d 5d"], deck="standard")
    assert choice(env) == "2"


def test_skips_of_all_others_are_led_before_the_last_set() -> None:
    env = arranged(["Sk-c Sk-d 4h", "5c 6c", "Tc Jc"])
    assert choice(env) == "Sk Sk"


# --- on the table ---


def test_a_set_is_beaten_with_the_lowest_that_does() -> None:
    env = arranged(["4c 4d 5h", "7c 8c Kc", "9d Td Qd", "9h Th Qh"], deck="standard")
    play(env, "4")
    assert choice(env) == "7"


def test_the_last_card_is_played() -> None:
    env = arranged(["4c 4d 5h", "2c", "9d Td Qd", "9h Th Qh"], deck="standard")
    play(env, "4")
    assert choice(env) == "2"


def test_a_jokers_pair_is_not_thrown_at_a_low_card() -> None:
    env = arranged(["4c 4d 5h 6h", "7c 8c SJ BJ 9c", "9d Td Qd 3d 3h", "9h Th Qh 3c 3s"])
    play(env, "4")
    assert not choice(env).startswith("Joker")


# --- reveals ---


def test_who_can_only_pass_reveals_a_skip() -> None:
    env = arranged(["Kc 4d 5h 6h", "7c 8c Sk-c 9c", "9d Td Qd 3d", "9h Th Qh 3c"], pile="Ac Ad Ah As 2d 2h")
    play(env, "K")
    assert choice(env) == "reveal Sk-c"


def test_a_draw_is_not_revealed() -> None:
    env = arranged(["Kc 4d 5h 6h", "7c 8c Dr-c 9c", "9d Td Qd 3d", "9h Th Qh 3c"], pile="Ac Ad Ah As 2d 2h")
    play(env, "K")
    assert choice(env) == "pass"


def test_what_is_staged_is_redealt() -> None:
    env = arranged(["Kc 4d 5h 6h", "7c Sk-d Sk-c Dr-c", "9d Td Qd 3d", "9h Th Qh 3c"], pile="Ac Ad Ah As 2d 2h")
    play(env, "K", "reveal Sk-c")
    assert "redeal" in labels(env)
    assert choice(env) in ("reveal Sk-d", "redeal")
    if choice(env) == "reveal Sk-d":
        play(env, "reveal Sk-d")
        assert choice(env) == "redeal"


# --- the exchange ---


def test_a_single_low_card_is_given_back() -> None:
    low = "3d 3h 3s 5d 5h 5s 6d 6h 6s 8d 8h 8s"
    env = next_deal(["4c 9c 9d Tc Td Jc Jd Qc Qd Kc Kd Ac Ad", "", "", f"2h {low}"], [0, 1, 2, 3])
    assert choice(env) == "give 4"


# --- strength ---


@first_of(
    ("options", "least"),
    [({}, 0.61), ({"deck": "standard"}, 0.69), ({"match": "points", "max_hands": 6}, 0.25), ({"num_players": 7}, 0.33)],
    ids=str,
)
@pytest.mark.long
def test_it_beats_random_players_by_far(options: dict[str, Any], least: float) -> None:
    parsed = PRESIDENT.make_options(options)
    result = evaluate(
        agents.make("rules", PRESIDENT, parsed), agents.make("random", PRESIDENT, parsed), PRESIDENT, parsed, 150, 1
    )
    assert result.mean > least
    assert result.mean > 10 * result.standard_error
