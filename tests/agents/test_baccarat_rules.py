"""Positions in which it is agreed what to do, and how the rule-based player fares."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from games.baccarat_positions import banque, chemin, table
from games.shoe_positions import play
from support import first_of
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate
from wilddeck.envs.core.aec import CardGameEnv

BACCARAT = envs.game("baccarat_v0")


def choice(env: CardGameEnv, seed: int = 0) -> str:
    """What the player to move does."""
    agent = agents.make("rules", BACCARAT, env.options)
    return env.action_label(agent.act(View.of(env), np.random.default_rng(seed)))


def test_specials_are_revealed_first_and_together() -> None:
    env = chemin(["Dr-c Rv-c", "3h Ks"])
    assert choice(env) == "reveal Dr-c"
    play(env, "1 reveal Dr-c")
    assert choice(env) == "reveal Rv-c"


@pytest.mark.parametrize(("hand", "expected"), [("3c Kd", "draw"), ("4c Kd", "draw"), ("6c Kd", "stand"), ("7c Kd", "stand")])
def test_who_comes_first(hand: str, expected: str) -> None:
    assert choice(chemin([hand, "3h Ks"], punter_rule="free")) == expected


def test_five_is_mixed() -> None:
    env = chemin(["5c Kd", "3h Ks"])
    counts = Counter(choice(env, seed) for seed in range(400))
    assert counts["draw"] / 400 == pytest.approx(9 / 11, abs=0.08)


@pytest.mark.parametrize(
    ("drawn", "hand", "expected"),
    [
        ("8d", "3h Ks", "stand"),
        ("7d", "3h Ks", "draw"),
        ("7d", "6h Ks", "draw"),
        ("5d", "6h Ks", "stand"),
        ("Ad", "4h Ks", "stand"),
    ],
)
def test_the_banker_plays_the_tableau(drawn: str, hand: str, expected: str) -> None:
    assert choice(chemin(["Qc Kd", hand], drawn)) == expected


def test_after_a_banker_who_came_first() -> None:
    """4 stands against an 8, and draws against a 7."""
    for drawn, expected in (("8d", "stand"), ("7d", "draw")):
        env = chemin(
            ["Rv-c 2d", "5h Ks"], f"2h {drawn}", "0 take the bank with 8; 1 banco; 1 reveal Rv-c; 0 draw", punter_rule="free"
        )
        assert choice(env) == expected


@pytest.mark.parametrize(("bets", "expected"), [("2 bet 8; 1 bet 1", "stand"), ("2 bet 1; 1 bet 8", "draw")])
def test_the_banker_of_two_tableaux_looks_at_the_greater(bets: str, expected: str) -> None:
    """R drew an 8, L a 7; the bank has 3."""
    assert choice(banque(["Qc Kd", "Qh Kh", "3h Ks"], "8d 7d", f"0 bid 64; {bets}")) == expected


def test_bets_and_banks() -> None:
    env = table([], num_players=3, must_bet=False)
    assert choice(env) == "take the bank with 64"
    play(env, "0 take the bank with 64")
    assert choice(env) == "no bet"
    assert choice(table([], "", "0 take the bank with 64", num_players=3)) == "bet 8"
    assert choice(table([], num_players=3, variant="punto_banco")) == "no bet"
    env = chemin(["6c Kd", "7h Kh"])
    play(env, "0 stand")
    assert choice(env) == "keep the bank"


@first_of(
    ("options", "lead"),
    [({}, 5), ({"num_players": 2, "punter_rule": "free"}, 5), ({"variant": "banque"}, 2)],
    ids=str,
)
@pytest.mark.long
def test_it_beats_random_players(options: dict[str, Any], lead: float) -> None:
    """By so many chips an episode."""
    parsed = BACCARAT.make_options(options)
    rules, random = (agents.make(name, BACCARAT, parsed) for name in ("rules", "random"))
    good = evaluate(rules, random, BACCARAT, parsed, 3000, 1)
    assert good.mean > lead
    assert good.mean > 2 * good.standard_error
