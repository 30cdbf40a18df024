"""Bots of others that play gin: what they decide, and that OpenSpiel's decides so."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from games.rummy_positions import arranged, labels, play
from wilddeck.agents.base import View
from wilddeck.benchmarks.studies import gin_bots
from wilddeck.benchmarks.studies.gin_bots import BOTS, OPTIONS, bot
from wilddeck.envs.games.rummy.state import DEFENCE_LAYOFFS, DEFENCE_MELDS, MELD

SIMPLE, NOVICE = BOTS
OTHER = "2d 4s 6d 9s Jd Qs Kd 3h 5h 7h"


def position(hand: str, **fields: Any) -> Any:
    return arranged([hand, OTHER], **{**OPTIONS, "knock": 10, **fields})


def choices(name: str, env: Any, asked: int = 1) -> set[str]:
    rng, agent = np.random.default_rng(1), bot(name)
    return {env.action_label(agent.act(View.of(env), rng)).removeprefix("discard ").removeprefix("add ") for _ in range(asked)}


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("hand", "upcard", "taken"),
    [
        ("2c 3c 8d 8h Tc Ts Jh Qd Ks 9c", "8s", True),  # a meld
        ("2c 3c 8d 8h Tc Ts Jh Qd Ks 9c", "5c", False),
        ("Ac 2c 3c 8d 8h 8s Tc Jc Qc 9h", "Ad", True),  # no meld, but it may knock
        ("7s 8s 9s 8d 8h 2c 4d 6h Jc Kd", "8c", True),  # the group is looked at first, and no better than the run
    ],
)
def test_the_simple_bot_takes_upcards_for_melds_and_to_knock(hand: str, upcard: str, taken: bool) -> None:
    env = position(hand, discards=upcard, drawn=False)
    assert choices(SIMPLE, env) == {"take the discard" if taken else "draw"}


@pytest.mark.interpreted
def test_the_simple_bot_discards_the_highest_unmelded_card() -> None:
    assert choices(SIMPLE, position("2c 3c 8d 8h 8s Tc Ts Jh Qd Kd Ks")) == {"Kd"}
    assert choices(SIMPLE, position("2c 3c 8d 8h 8s Jc Qc Kc 9d 7h Ad")) == {"9d"}


@pytest.mark.interpreted
def test_both_knock_as_soon_as_they_may_and_lay_the_best_melds() -> None:
    for name in BOTS:
        env = position("Ac Ad Ah As 2s 3s 8d 8h 8s Kd 2c")
        assert choices(name, env) == {"knock"}
        play(env, "knock", "Kd")
        while "pass" not in labels(env) or "meld" in labels(env):
            play(env, *choices(name, env))
        assert env.zones()["hand/0"] == [0], "three aces and a run of the fourth leave the deuce alone"


@pytest.mark.interpreted
@pytest.mark.parametrize(("left", "simple"), [("Ac", "meld"), ("", "pass")])
def test_neither_lays_off_and_the_simple_bot_melds_nothing_against_gin(left: str, simple: str) -> None:
    laid = "run 7c 8c 9c", "group 3c 3d 3s", "group Tc Td Ts Th"
    for phase, expected in ((DEFENCE_LAYOFFS, ("pass", "pass")), (DEFENCE_MELDS, (simple, "meld"))):
        env = arranged([left, "4c 4d 4h 6c Kd"], turn=1, knocker=0, phase=phase, melds=laid, **OPTIONS)
        assert [choices(name, env) for name in BOTS] == [{choice} for choice in expected]


@pytest.mark.interpreted
def test_the_novice_draws_at_random_and_keeps_the_least_deadwood() -> None:
    assert choices(NOVICE, position("2c 3c 8d 8h Tc Ts Jh Qd Ks 9c", discards="8s", drawn=False), 20) == {
        "take the discard",
        "draw",
    }
    assert choices(NOVICE, position("2c 3c 8d 8h 8s Tc Ts Jh Qd Kd 9h"), 60) == {"Tc", "Ts", "Jh", "Qd", "Kd"}


def test_the_simple_bot_is_that_of_openspiel() -> None:
    """In all of its decisions; it lays its melds in another order."""
    pyspiel = pytest.importorskip("pyspiel")
    from games.test_rummy_openspiel import MELDS, OURS, Pair

    agent, rng, decisions = bot(SIMPLE), np.random.default_rng(1), 0
    for seed in range(25):
        pair = Pair(random.Random(seed).sample(range(52), 52))
        bots = [pyspiel.make_simple_gin_rummy_bot(pair.state.get_game().get_parameters(), seat) for seat in range(2)]
        while not pair.state.is_terminal():
            action = bots[pair.state.current_player()].step(pair.state)
            expected, ours = MELDS.get(action, OURS.get(action)), agent.act(View.of(pair.env), rng)
            assert ours == (MELD if isinstance(expected, tuple) else expected)
            decisions += 1
            pair.play(expected)
    assert decisions > 500


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert gin_bots.main(["rules", "--deals", "20"]) == 0
    head, _, row = capsys.readouterr().out.splitlines()
    assert head == f"| | deals | {SIMPLE} | {NOVICE} |" and row.startswith("| rules | 20 | ") and row.count(" ± ") == 2
