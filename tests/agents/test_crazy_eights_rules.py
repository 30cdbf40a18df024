"""Positions in which a sensible player of crazy eights has one sensible action."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.crazy_eights_positions import arranged, play
from support import first_of
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate

EIGHTS = envs.game("crazy_eights_v0")
OTHERS = ["5s 6s 9h Td", "9c Tc 3h 4s", "Js Ks 2c 6h"]
PILE = "2h 3c 4c 5c 6c Ts 9d Qs"


def choice(env: Any) -> str:
    """What the player to move does; a card alone is played."""
    agent = agents.make("rules", EIGHTS, env.options)
    return env.action_label(agent.act(View.of(env), np.random.default_rng(0))).removeprefix("play ")


def test_the_last_card_is_played() -> None:
    assert choice(arranged(["8c", *OTHERS], top="7h", pile=PILE)) == "8c"
    assert choice(arranged(["SJ", *OTHERS], top="7h", pile=PILE)) == "SJ"


def test_eights_and_jokers_are_kept_while_other_cards_can_be_played() -> None:
    assert choice(arranged(["8c SJ Kh 4d", *OTHERS], top="7h", pile=PILE)) == "Kh"


def test_an_eight_is_played_rather_than_a_card_drawn() -> None:
    assert choice(arranged(["8c 4d 5d", *OTHERS], top="7h", pile=PILE)) == "8c"


def test_the_longest_suit_is_followed_and_named() -> None:
    assert choice(arranged(["7d 7c Kd 4d 5d Jc", *OTHERS], top="7h", pile=PILE)) == "7d"
    env = arranged(["8c Kd 4d 5d Jc", *OTHERS], top="7h", pile=PILE)
    play(env, "8c")
    assert choice(env) == "nominate diamonds"


def test_a_joker_becomes_a_card_that_others_of_the_hand_follow() -> None:
    env = arranged(["SJ Kd 4d 5d Jc", *OTHERS], top="7h", pile=PILE)
    play(env, "SJ")
    assert choice(env) in ("declare 7d", "declare 8d", "declare 8c", "declare 8s", "declare 8h")


def test_dear_cards_go_first() -> None:
    assert choice(arranged(["Kh 4h Ac", *OTHERS], top="7h", pile=PILE)) == "Kh"


def test_specials_that_cannot_be_played_are_revealed_before_a_card_is_drawn() -> None:
    assert choice(arranged(["Dr-c 4d", *OTHERS], top="7h", pile=PILE)) == "reveal Dr-c"
    assert choice(arranged(["Sk-c 4d", *OTHERS], top="7h", pile=PILE)) == "reveal Sk-c"
    assert choice(arranged(["Sk-c 4h", *OTHERS], top="7h", pile=PILE)) == "4h"


def test_a_dangerous_neighbour_is_skipped() -> None:
    env = arranged(["Sk-h Jh 4d 7c", "5s", "9c Tc 3h 4s", "Js Ks 2c 6h"], top="7h", pile=PILE)
    assert choice(env) == "Sk-h"


ALL_RULES = {"use_special_cards": True, "reshuffle": True}


@first_of(("options", "least"), [({}, 0.72), ({"deck": "standard"}, 0.64), (ALL_RULES, 0.7)], ids=str)
@pytest.mark.long
def test_it_beats_three_random_players(options: dict[str, Any], least: float) -> None:
    """Of 6,000 games it wins 79 %, of those with 52 cards 71 %."""
    parsed = EIGHTS.make_options(options)
    result = evaluate(agents.make("rules", EIGHTS, parsed), agents.make("random", EIGHTS, parsed), EIGHTS, parsed, 200, 1)
    assert result.win_rate > least
    assert result.mean > 10 * result.standard_error


@pytest.mark.long
@pytest.mark.parametrize("num_players", [2, 7])
def test_it_plays_with_any_number(num_players: int) -> None:
    parsed = EIGHTS.make_options({"num_players": num_players, "reshuffle": True})
    result = evaluate(agents.make("rules", EIGHTS, parsed), agents.make("random", EIGHTS, parsed), EIGHTS, parsed, 60, 1)
    assert result.win_rate > 1.5 / num_players
