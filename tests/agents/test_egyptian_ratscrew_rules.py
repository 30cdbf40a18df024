"""Positions of Egyptian Ratscrew in which a sensible player has one sensible action."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from games.egyptian_ratscrew_positions import GAME as GAME_ID
from games.egyptian_ratscrew_positions import OFF, ON, PLAY, arranged, is_open, let_lie, play, window
from games.egyptian_ratscrew_reference import SLAP, WAIT, Table
from support import first_of
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate

GAME = envs.game(GAME_ID)


def choice(env: Any) -> str:
    agent = agents.make("rules", GAME, env.options)
    return env.action_label(agent.act(View.of(env), np.random.default_rng(0)))


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ({}, {}),
        ({"deal_52": True, "ask": "all", "burn": 2}, {**OFF, "top_bottom": True, "marriage": True}),
        ({"num_players": 4, "ask": "all"}, {**ON, "runs": 4}),
        ({"num_players": 2}, {**OFF, "runs": 3, "tens": True}),
        ({"num_players": 5}, {**OFF, "runs": 4, "tens_sandwich": True, "joker_slap": True}),
    ],
    ids=str,
)
def test_it_slaps_exactly_when_it_is_right(options: dict[str, Any], rules: dict[str, Any]) -> None:
    """In games beside the slow reference, in which the others play at random."""
    parsed = GAME.make_options({**options, **rules})
    agent, counts = agents.make("rules", GAME, parsed), {SLAP: 0, WAIT: 0}
    for seed in range(4):
        env, draw = envs.raw_env(GAME_ID, **options, **rules), random.Random(seed)
        deck = draw.sample(GAME.deck(parsed), len(GAME.deck(parsed)))
        env.reset(seed=seed, options={"deck": deck})
        table = Table(parsed, deck)
        for _ in range(150):
            table.drawn(env.current_player)
            if not env.legal_actions():
                break
            action = draw.choice(env.legal_actions())
            if is_open(env):
                decision = agent.act(View.of(env), np.random.default_rng(0))
                assert (decision == SLAP) == table.is_right()
                counts[decision] += 1
                action = WAIT if draw.random() < 0.7 else action
            env.step(action)
            table.step(action)
    assert min(counts.values()) >= 5


@pytest.mark.parametrize(
    ("stack", "rules", "declared"),
    [
        ("7c 9d", {}, "79"),
        ("9d", {}, "9"),
        ("9d Dr-c", {}, "9"),
        ("Dr-c", {}, "J"),
        ("7c 7d 7h 7s", {"sandwich": False}, "J"),  # four of the rank lie there
        ("7c 9d", OFF, "J"),
        ("9d", {**OFF, "tens": True}, "A"),
        ("Qd", {**OFF, "marriage": True}, "K"),
        ("4d 9d", {**OFF, "joker_slap": True}, "J"),
        ("7c 8d", {**OFF, "runs": 3}, "9"),
        ("4d 7c 8d", {**OFF, "top_bottom": True}, "4"),
        ("Jc", {}, "J"),
    ],
)
def test_a_joker_is_what_can_be_slapped(stack: str, rules: dict[str, Any], declared: str) -> None:
    env = arranged(["SJ 2c", "3h 4h", "5h 6h"], stack, **rules)
    env.step(PLAY)
    label = choice(env)
    assert label.removeprefix("declare ") in declared
    play(env, label)
    assert is_open(env)


def test_who_may_not_slap_plays_as_in_beggar_my_neighbor() -> None:
    for fields in ({"muted": 1}, {"banned": 1, "empty_wrong": "out"}):
        env = arranged(["SJ 2c", "3h 4h", "5h 6h"], "9d", **fields)
        env.step(PLAY)
        assert choice(env) == "declare J"


def test_drawn_cards_go_to_the_bottom_or_to_the_top_of_a_payment() -> None:
    env = arranged(["Dr-c 9c", "2c 3c", "7d 6d"], pile="6c 7c")
    env.step(PLAY)
    let_lie(env)
    assert choice(env) == "place under 2"
    env = arranged(["Kc 9c", "2c 3c 4c 5c", "7d 6d"], pile="6c 7c", seen="2c 3c 4c", draw=[0, 2, 0, 0, 0, 0])
    env.step(PLAY)
    let_lie(env)
    assert choice(env) == "place on top"


def test_the_one_card_to_play() -> None:
    env = arranged(["2c", "3c"])
    assert choice(env) == "play"


def test_a_wrong_slap_is_none() -> None:
    assert choice(window(["9c", "2h"], "7c 9d")) == "wait"
    assert choice(window(["9c", "2h"], "9c 9d")) == "slap"


@first_of(("options", "least"), [({}, 0.95), ({"num_players": 2}, 0.9), ({"num_players": 6}, 0.85)], ids=str)
@pytest.mark.long
def test_it_beats_random_players(options: dict[str, Any], least: float) -> None:
    parsed = GAME.make_options(options)
    result = evaluate(agents.make("rules", GAME, parsed), agents.make("random", GAME, parsed), GAME, parsed, 200, 1)
    assert result.mean > least
