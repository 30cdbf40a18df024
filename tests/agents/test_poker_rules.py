"""Hands in which a sensible player of poker has one sensible action, and how strong the player is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.poker_positions import labels, play, table
from support import first_of
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate

POKER = envs.game("poker_v0")
JUNK = ["2c 7d", "3c 8s", "4c 9d"]
DRY = "Ac Kd 5h 6s Jh"


def choices(env: Any, style: str = "rules", seeds: int = 12) -> set[str]:
    """What the player to move does, with so many seeds."""
    agent = agents.make(style, POKER, env.options)
    return {env.action_label(agent.act(View.of(env), np.random.default_rng(seed))) for seed in range(seeds)}


def test_aces_are_raised_and_junk_is_folded() -> None:
    env = table(["As Ad", *JUNK[1:]], DRY, deck="standard")
    assert choices(env) == {"raise to 5"}  # three quarters of the pot
    env = table(JUNK, DRY, deck="standard", raise_sizes=(3.6,))
    assert choices(env) <= {"fold", "call 2"}
    play(env, "0 raise to 20")
    assert choices(env) == {"fold"}


def test_odds_are_called() -> None:
    """A flush draw on the flop against a small bet; nothing at all against a large one."""
    env = table(["2h 7h", "Kc Kd", "4c 9d"], "Ah 5h Ks Qs Jd", deck="standard", raise_sizes=(0.5, 8))
    play(env, "0,1 call; 2 check; 1 bet 3; 2 fold")
    assert "fold" not in choices(env)
    env = table(["3d 7s", "Kc Kd", "4c 9d"], "Ah 5h Ks Qs Jd", deck="standard", raise_sizes=(0.5, 8))
    play(env, "0,1 call; 2 check; 1 bet 48; 2 fold")
    assert choices(env) == {"fold"}


def test_a_draw_is_revealed_at_once() -> None:
    assert choices(table(["Dr-c 7d", *JUNK[1:]], DRY)) == {"reveal Dr-c"}


def test_a_reverse_is_revealed_while_others_have_to_act() -> None:
    env = table(["Rv-c 7d", *JUNK[1:]], DRY)
    assert choices(env) == {"reveal Rv-c"}
    env = table([*JUNK[:2], "Rv-c 4d"], DRY)
    play(env, "0,1 call")
    assert "reveal Rv-c" in labels(env)
    assert choices(env) != {"reveal Rv-c"}


def test_a_skip_is_revealed_instead_of_a_large_call() -> None:
    env = table(["2c 7d", "Sk-c 8s", "4c 9d"], DRY, raise_sizes=(3.6,))
    play(env, "0 raise to 20")
    assert choices(env) == {"reveal Sk-c"}


def test_what_is_staged_is_redealt() -> None:
    env = table(["Dr-c Sk-c", *JUNK[1:]], DRY)
    play(env, "0 reveal Dr-c")
    assert choices(env) == {"redeal"}


@pytest.mark.parametrize(
    ("hand", "first"),
    [
        ("2c 3d 5h 9c 9d", "discard 2c"),
        ("2c 3c 5c 9c Kd", "discard Kd"),  # four to a flush
        ("5c 6d 7h 8c Kd", "discard Kd"),
        ("2c 3c 5c 9c Kc", "stand pat"),
        ("2c 2d 5h 5c Jd", "discard Jd"),
        ("2c 2d 2h 5c 5d", "stand pat"),
        ("Jk 3d 5h 9c Kd", "discard 3d"),
        ("2c 3d 5h 9c Kd", "discard 2c"),
    ],
)
def test_what_is_discarded(hand: str, first: str) -> None:
    env = table([hand, "6c 6h Tc Td Qs"], variant="five_card_draw", button=1)
    play(env, "1 call; 0 check")
    assert choices(env) == {first}


def test_the_style_that_calls() -> None:
    env = table(JUNK, DRY, raise_sizes=(3.6,))
    assert choices(env, "rules:call") == {"call 2"}
    play(env, "0 raise to 20")
    assert choices(env, "rules:call") == {"call 19"}


def test_the_style_that_shoves() -> None:
    """With good hands, by a bound that varies, and now and then where it could check; never with nothing into a bet."""
    shove = "raise to 200, all-in"
    assert choices(table(["Ts Td", "3c 8s"], DRY, deck="standard"), "rules:shove") == {shove, "raise to 5"}
    env = table(["2s 7d", "3h 4d"], DRY, deck="standard")
    assert shove not in choices(env, "rules:shove")
    play(env, "0 call")
    assert choices(env, "rules:shove", seeds=100) == {"check", shove}


def test_chicago_is_played_for_spades() -> None:
    """The ace of spades face down is worth half the pot."""
    hands = ["As 3d 8c", "4c 5d 9h", "Tc Jd Kh", "6h 6c 7d"]
    env = table(hands, variant="chicago", button=3)
    while env.current_player != 0:
        play(env, f"{env.current_player} {'check' if 'check' in labels(env) else 'call 1'}")
    assert "raise to 2" in choices(env, "rules:chicago")
    assert "raise to 2" not in choices(env)


@pytest.mark.long
def test_monte_carlo_plays_it() -> None:
    env = table(["As Ad", *JUNK[1:]], DRY, deck="standard")
    assert choices(env, "mc:rollouts=600") - {"fold", "call 2"}
    env = table(JUNK, DRY, deck="standard", raise_sizes=(3.6,))
    play(env, "0 raise to 20")
    assert "fold" in choices(env, "mc:rollouts=600,policy=rules")


# --- strength ---


@pytest.mark.long
@pytest.mark.parametrize("opponent", ["random", "rules:call"])
@first_of(
    ("options", "least"),
    [
        ({}, 20),
        ({"deck": "standard", "num_players": 2}, 4),
        ({"variant": "omaha", "num_players": 3}, 10),
        ({"variant": "five_card_draw"}, 10),
        ({"variant": "five_card_stud"}, 2),
        ({"variant": "seven_card_stud"}, 2),
        ({"variant": "chicago"}, 1.5),
        ({"betting": "limit", "num_players": 4}, 2),
    ],
    ids=str,
)
def test_it_beats_random_players_and_those_who_call(options: dict[str, Any], least: float, opponent: str) -> None:
    """By chips a hand."""
    parsed = POKER.make_options(options)
    us, them = agents.make("rules", POKER, parsed), agents.make(opponent, POKER, parsed)
    result = evaluate(us, them, POKER, parsed, 200, 1)
    assert result.mean > least
    assert result.mean > 4 * result.standard_error
