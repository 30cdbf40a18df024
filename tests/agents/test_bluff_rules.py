"""Positions in which a sensible player of bluff has one sensible action."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.bluff_positions import GAME, arranged, labels, play
from support import first_of
from wilddeck import agents
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate

PILE = "2c 3c 4c 5c 6c 7c"


def choice(env: Any) -> str:
    """What the player to move does."""
    agent = agents.make("rules", GAME, env.options)
    return env.action_label(agent.act(View.of(env), np.random.default_rng(0)))


def whole_play(env: Any) -> str:
    """The cards of their play."""
    seat, cards = env.current_player, []
    while env.current_player == seat:
        label = choice(env)
        if label.startswith("put"):
            cards.append(label.removeprefix("put "))
        play_one(env, label)
    return " ".join(cards)


def play_one(env: Any, label: str) -> None:
    env.step(env.action_from_label(label))


# --- plays ---


def test_all_true_cards_are_played_and_nothing_else() -> None:
    env = arranged(["9c 9d 9h Kd 4s Jk", "2s 2d", "3s 3d", "4h 4d"], "Nines", pile=PILE)
    assert whole_play(env) == "9c 9d 9h"


def test_jokers_go_with_the_last_true_cards() -> None:
    env = arranged(["9c 9d Jk Jk", "2s 2d", "3s 3d", "4h 4d"], "Nines", pile=PILE)
    assert whole_play(env) == "9c 9d SJ BJ"


def test_a_bluff_is_of_the_card_that_will_be_true_latest() -> None:
    """Of four players the next ranks of one who claims Nines are Kings and Fours."""
    env = arranged(["Kd 4s Td Jk", "2s 2d", "3s 3d", "4h 4d"], "Nines", pile=PILE)
    assert whole_play(env) == "Td"


def test_specials_are_put_first_where_there_is_no_stock() -> None:
    env = arranged(["Kd 4s Dr-c", "2s 2d", "3s 3d", "4h 4d"], "Nines", heap=((3, "Qs"),), pile="")
    assert whole_play(env) == "Dr-c"


def test_a_joker_is_played_to_a_high_heap() -> None:
    env = arranged(["Kd 4s Td Jk", "2s 2d", "3s 3d"], "Nines", heap=((2, "Qs Qd Qh Qc"), (1, "7d 7h 7s 8d")), pile=PILE)
    assert whole_play(env) == "SJ"


def test_specials_are_revealed_rather_than_a_bluff_made() -> None:
    env = arranged(["Kd 4s Rv-d Sk-c", "2s 2d", "3s 3d"], "Nines", heap=((2, "Qs"),), pile=PILE)
    assert choice(env) == "reveal Sk-c"
    play(env, "reveal Sk-c")
    assert labels(env) == {"reveal Rv-d", "redeal"}
    assert choice(env) == "redeal"
    env = arranged(["Kd 9s Rv-d Sk-c", "2s 2d", "3s 3d"], "Nines", heap=((2, "Qs"),), pile=PILE)
    assert choice(env) == "put 9s"


def test_a_leader_names_what_they_hold_most_of() -> None:
    env = arranged(["9c 9d 9h Kd Ks 4s", "2s 2d", "3s 3d"], rank_order="free", pile=PILE)
    assert choice(env) == "name Nines"
    play(env, "name Nines")
    assert whole_play(env) == "9c 9d 9h"
    env = arranged(["9c 9d Dr-c Dr-d Dr-h 4s", "2s 2d", "3s 3d"], rank_order="free", pile="")
    assert choice(env) == "name Draws"


def test_who_may_pass_mostly_does_without_a_true_card() -> None:
    passed = 0
    for other in ["3c", "4c", "5c", "6c", "7c", "8c", "9c", "Tc", "Jc", "Qc"]:
        env = arranged([f"Kd {other} 4s", "2s 2d", "3s 3d"], "Aces", heap=((2, "As"),), rank_order="free", pile="8d 8h")
        passed += choice(env) == "pass"
    assert passed >= 6
    env = arranged(["Kd Ad 4s", "2s 2d", "3s 3d"], "Aces", heap=((2, "As"),), rank_order="free", pile=PILE)
    assert choice(env) == "put Ad"


# --- answers ---


@pytest.mark.parametrize(
    ("hand", "play_of", "expected"),
    [
        ("Ad Ah Kd", "As Ac", "accept"),  # possible still, and little in the heap
        ("Ad Ah Ac Jk Jk Kd", "Qs Qc", "challenge"),  # more than there can be
        ("Ad Kd", "As Ac Ah Qs Qc", "challenge"),  # five
    ],
)
def test_what_cannot_be_is_challenged(hand: str, play_of: str, expected: str) -> None:
    others = "6d 6h 6s 7d 7h 7s 8d 8h 8s 9d 9h 9s"
    env = arranged([f"{play_of} 2s 2d {others}", hand, "3s 3d", "4d 4s"], "Aces", pile=PILE)
    play(env, f"put {play_of}")
    assert choice(env) == expected


def test_a_last_play_is_challenged_whatever_it_is() -> None:
    env = arranged(["As", "3d 4d", "3s 4s"], "Aces", pile=PILE)
    play(env, "put As")
    assert choice(env) == "challenge"


def test_a_card_that_was_taken_in_sight_of_all_is_believed() -> None:
    """1 challenged two Twos, and took them; now they claim two, or two Kings, to a heap before."""
    choices = []
    for rank in (0, 11):
        env = arranged(["2c 2d 9h Tc 7c", "5s 6s 7s 8s", "3s 4s Jd Jh"], "Twos", turn=0, pile="6c 8c")
        play(env, "put 2c 2d", "challenge")
        env.record["required"] = rank
        play(env, "put 5s")
        env.record["turn"] = 1
        env.record["required"] = rank
        choices.append(choice(env))
    assert "accept" in choices


# --- strength ---


@first_of(
    ("options", "least"),
    [
        ({}, 0.9),
        ({"deck": "standard"}, 0.95),
        ({"rank_order": "free"}, 0.95),
        ({"rank_order": "free", "deck": "standard"}, 0.95),
        ({"num_players": 8, "check": "one"}, 0.5),
        ({"num_players": 2, "rank_order": "free"}, 0.9),
    ],
    ids=str,
)
@pytest.mark.long
def test_it_beats_random_players_by_far(options: dict[str, Any], least: float) -> None:
    parsed = GAME.make_options(options)
    result = evaluate(agents.make("rules", GAME, parsed), agents.make("random", GAME, parsed), GAME, parsed, 100, 1)
    assert result.mean > least
