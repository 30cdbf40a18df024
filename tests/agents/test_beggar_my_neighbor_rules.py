"""Positions of Beggar My Neighbor in which a sensible player has one sensible action."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games import pack_positions
from games.pack_positions import play
from support import first_of
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate

GAME = envs.game("beggar_my_neighbor_v0")


def choice(env: Any) -> str:
    agent = agents.make("rules", GAME, env.options)
    return env.action_label(agent.act(View.of(env), np.random.default_rng(0)))


def arranged(packs: list[str], stack: str = "", pile: str = "", **values: Any) -> Any:
    return pack_positions.arranged(GAME.id, packs, stack, pile, **{"auto": "every", **values})


@pytest.mark.parametrize(
    ("known", "declared"),
    [
        ("", "J"),
        ("3c", "J"),
        ("3c 4c", "Q"),
        ("3c 4c 5c", "K"),
        ("3c 4c 5c Dr-c", "A"),
        ("3c 4c 5c 6c", "K"),  # the fourth card is Dr-c, of which nothing is known
    ],
)
def test_a_joker_is_the_highest_card_that_cannot_be_answered(known: str, declared: str) -> None:
    env = arranged(["SJ 9c", "3c 4c 5c Dr-c Ad"], seen=known)
    play(env, "SJ")
    assert choice(env) == f"declare {declared}"


def test_a_joker_is_a_jack_though_it_is_answered() -> None:
    env = arranged(["SJ 9c", "Kc 4c", "2c"], seen="Kc")
    play(env, "SJ")
    assert choice(env) == "declare J"
    env = arranged(["SJ 9c", "3c 4c"], stack="Jc Jd Jh Js", seen="3c")
    play(env, "SJ")
    assert choice(env) == "declare 2"


def test_who_is_next_is_looked_at() -> None:
    """The next with cards and a turn, in the order of play."""
    for direction, skip, declared in ((1, 0, "J"), (-1, 0, "Q"), (1, 1, "Q")):
        env = arranged(["SJ 9c", "Kc 4c", "2c 3c 5c", ""], seen="Kc 2c 3c", direction=direction, skip=[0, skip, 0, 0, 0, 0])
        play(env, "SJ")
        assert choice(env) == f"declare {declared}"


@pytest.mark.parametrize(("known", "where"), [("2c 3c", "place on top"), ("2c 3c Qh", "place under 4")])
def test_a_payer_hopes_for_a_drawn_card(known: str, where: str) -> None:
    env = arranged(["Kc 9c", "2c 3c Qh 4h"], pile="6c 7c", turn=0, stack="Dr-c", seen=known)
    env.record["draw"][0][1] = 2
    play(env, "Kc")
    assert choice(env) == where


def test_without_a_debt_drawn_cards_go_to_the_bottom() -> None:
    env = arranged(["Dr-c 9c", "2c 3c Qh 4h"], pile="6c 7c")
    play(env, "Dr-c")
    assert choice(env) == "place under 4"
    play(env, "place under 4", "place under 5")
    assert choice(env) == "play"


@first_of(("options", "least"), [({}, 0.45), ({"deal_52": True}, 0.45), ({"num_players": 4}, 0.28)], ids=str)
@pytest.mark.long
def test_it_beats_random_players(options: dict[str, Any], least: float) -> None:
    parsed = GAME.make_options(options)
    result = evaluate(agents.make("rules", GAME, parsed), agents.make("random", GAME, parsed), GAME, parsed, 500, 1)
    assert result.mean > least
    assert result.mean > 10 * result.standard_error
