"""Positions in which a sensible player of rummy has one sensible action, and how they do against random play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.rummy_positions import arranged, play, seen
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate
from wilddeck.envs.games.rummy.state import DEFENCE_LAYOFFS

RUMMY = envs.game("rummy_v0")
OTHER = "2d 4s 6d 9s Jd"


def choice(env: Any) -> str:
    agent = agents.make("rules", RUMMY, env.options)
    label = env.action_label(agent.act(View.of(env), np.random.default_rng(0)))
    return label.removeprefix("discard ").removeprefix("add ")


def test_the_discard_is_taken_if_it_melds() -> None:
    assert choice(arranged(["7c 8c Kd 2h", OTHER], discards="9c", drawn=False)) == "take the discard"
    assert choice(arranged(["7c 7d Kd 2h", OTHER], discards="7s", drawn=False)) == "take the discard"
    assert choice(arranged(["7c Kd 2h", OTHER], discards="Th", drawn=False, melds=("run 7h 8h 9h",))) == "take the discard"
    assert choice(arranged(["7c 8d Kd 2h", OTHER], discards="9c", drawn=False)) == "draw"
    assert choice(arranged(["7c 8d Kd 2h", OTHER], discards="Jk", drawn=False)) == "take the discard"


def test_what_can_be_laid_is_laid() -> None:
    assert choice(arranged(["7c 8c 9c Kd 2h", OTHER])) == "meld"
    assert choice(arranged(["Th Kd 2h", OTHER], melds=("run 7h 8h 9h",))) == "lay off on meld 0"


def test_the_dearest_card_without_neighbours_goes_and_no_joker() -> None:
    assert choice(arranged(["7c 8c Qd Qh Ks 3d", OTHER])) == "Ks"
    assert choice(arranged(["Jk 3d", OTHER])) == "3d"


def test_gin_is_knocked_as_soon_as_it_may_be() -> None:
    held = "2c 3c 4c 8d 8h 8s Tc Jc Qc Kd 9h"
    assert choice(arranged([held, OTHER], variant="gin", discards="4s", knock=10)) == "knock"
    env = arranged([held, OTHER], variant="gin", discards="4s", knock=10)
    play(env, "knock")
    assert choice(env) == "Kd"


GIN: dict[str, Any] = {"variant": "gin", "knock": 10}


def lay_all(env: Any) -> list[str]:
    """Plays until the turn ends or nothing more is laid; what was played."""
    played, seat = [], env.current_player
    while env.legal_actions() and env.current_player == seat and (not played or played[-1] != "pass"):
        played.append(choice(env))
        play(env, played[-1])
    return played


@pytest.mark.parametrize(
    ("held", "discard", "left"),
    [
        ("Ac Ad Ah As 2s 3s 8d 8h 8s 2c Kd", "Kd", 2),  # with all aces in a group it would be 5, which may be knocked with too
        ("5c 5d 5h 5s 6s 7s 8s 2d 3d 4d Kd", "Kd", 0),
        ("7c 8c 9c Jk 5d 5h 2s 3s 4s Kd Ac", "Kd", 1),
        ("2d 3d 4d 5d 6d 7d Jk Tc Ts 4c Kc", "Kc", 4),
    ],
)
def test_in_gin_all_melds_leave_the_least_deadwood(held: str, discard: str, left: int) -> None:
    env = arranged([held, "Jh Qc 3c"], discards="9d", **GIN)
    play(env, "knock", discard)
    assert round(100 * seen(env, 0, "gin")[1]) == left
    lay_all(env)
    assert sum(min(card // 4 + 2, 10) if card // 4 < 12 else 1 for card in env.zones()["hand/0"]) == left


@pytest.mark.parametrize(
    ("held", "laid"),
    [
        ("7h 8h 9h Kd", []),  # the seven goes on the group, and costs a run
        ("7h 8h Kd", ["lay off on meld 0"]),
        ("Jc Qc Kc 2h", []),
        ("Jc Jd Jh Js Qc", ["lay off on meld 1"] * 2),  # the jack costs nothing, and opens the way for the queen
    ],
)
def test_in_gin_what_is_laid_off_breaks_no_meld(held: str, laid: list[str]) -> None:
    melds = "group 7s 7c 7d", "run 8c 9c Tc"
    env = arranged(["Ac", held], turn=1, knocker=0, phase=DEFENCE_LAYOFFS, melds=melds, **GIN)
    assert [label for label in lay_all(env) if label.startswith("lay off")] == laid


def test_natural_cards_are_melded_before_jokers() -> None:
    env = arranged(["7c 8c 9c Jk Kd 2h", OTHER])
    play(env, "meld")
    while env.record["melds"][0] == 0:
        label = choice(env)
        assert label != "Jk"
        env.step(env.action_from_label(label if label.startswith("as") else f"add {label}"))


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"variant": "gin"}, {"variant": "gin", "deck": "standard"}], ids=str)
def test_nine_games_of_ten_are_won_against_random_play(options: dict[str, Any]) -> None:
    agent, other = (agents.make(name, RUMMY, options) for name in ("rules", "random"))
    assert evaluate(agent, other, RUMMY, options, 100, seed=3).win_rate > 0.9
