"""Positions in which a sensible Go Fish player has one sensible action, and how it does against random players."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.go_fish_positions import RANKS, SKIPS, arranged, bits, short
from support import first_of, see_anew
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import play_batch

FISH = envs.game("go_fish_v0")
STOCK = "2d 3d 4h 5s 6c 8d 9d Td Jd"


def choice(env: Any) -> str:
    """What the player to move does."""
    agent = agents.make("rules", FISH, env.options)
    return short(env.action_label(agent.act(View.of(env), np.random.default_rng(0))))


def informed(env: Any, seat: int, known: str = "", asked: str = "", lacks: str = "") -> Any:
    """Add what is known of a hand."""
    for rank in known.split():
        env.record["known"][0, seat, RANKS.index(rank)] += 1
    env.record["asked"][0, seat] |= bits(f"{known} {asked}")
    env.record["owned"][0, seat] |= bits(asked)
    env.record["lacks"][0, seat] |= bits(lacks)
    see_anew(env)
    return env


def test_it_asks_where_the_cards_are_known_to_be() -> None:
    env = arranged(["7s 2c 9c", "7c Kd", "2d 3c"], pile=STOCK[3:])
    assert choice(informed(env, 1, known="7")) == "ask player 1 for 7s"
    assert choice(informed(env, 2, asked="2")) in ("ask player 1 for 7s", "ask player 2 for 2s")


def test_it_asks_first_for_what_makes_a_book() -> None:
    env = arranged(["7s 7d 7h 2c 2s", "7c Kd", "2d 2h 3c"], pile=STOCK[3:])
    informed(env, 2, known="2")
    assert choice(informed(env, 1, known="7")) == "ask player 1 for 7s"


def test_it_does_not_ask_for_what_is_known_to_be_lacking() -> None:
    env = arranged(["7s 7d 2c", "Qc Kd", "Jh 3c"], pile=STOCK[3:])
    informed(env, 1, lacks="7 2")
    assert choice(informed(env, 2, lacks="7")) == "ask player 2 for 2s"


def test_it_asks_for_the_rank_of_which_it_holds_most() -> None:
    """Unless a card of it is much less likely to be there."""
    env = arranged(["7s 7d 2c 9c Jh", "Qc Kd", "Jd 3c"], pile="Td")
    assert choice(env) in ("ask player 1 for 7s", "ask player 2 for 7s")


def test_it_asks_who_holds_most() -> None:
    env = arranged(["7s", "Qc Kd", "Jh 3c Ah Ad As"], pile=STOCK)
    assert choice(env) == "ask player 2 for 7s"


def test_a_rank_whose_book_is_made_is_left_alone() -> None:
    env = arranged(["7s 2c", "Qc Kd", "Jh 3c"], pile=STOCK[3:], joker_book=(5, -1), laid=0x7 << 20)
    env.record["books"][0, 1] = bits("7")
    see_anew(env)
    assert choice(env) in ("ask player 1 for 2s", "ask player 2 for 2s")


def test_books_are_laid_at_once_unless_the_fourth_card_can_be_had() -> None:
    env = arranged(["7s 7d 7h SJ 2c", "7c Kd", "2d 3c"], pile=STOCK[3:])
    assert choice(env) == "lay the book of 7s"
    assert choice(informed(env, 1, known="7")) == "ask player 1 for 7s"
    assert choice(arranged([f"{SKIPS} 2c", "7c"], pile=STOCK)) == "lay the book of Skips"


@pytest.mark.parametrize(
    ("hand", "fished", "expected"),
    [
        ("Dr-c 2c", 0, {"reveal Dr-c"}),
        ("Dr-c Dr-d Dr-h 2c", 0, {f"ask player 1 for {rank}" for rank in ("2s", "Draws")}),
        ("Sk-c 2c", 0, {f"ask player 1 for {rank}" for rank in ("2s", "Skips")}),
        ("Sk-c 2c", 1, {"reveal Sk-c"}),
        ("Rv-c 2c", 1, {"end the turn"}),
    ],
)
def test_which_specials_it_reveals(hand: str, fished: int, expected: set[str]) -> None:
    env = arranged([hand, "Kd"], pile=STOCK[3:], fished=fished, acted=fished)
    assert choice(env) in expected


def test_reverses_go_along_with_a_skip() -> None:
    env = arranged(["Sk-c Rv-c 2c", "Kd"], pile=STOCK[3:], fished=1, acted=1)
    said = []
    while env.current_player == 0 and len(said) < 3:
        said.append(choice(env))
        env.step(env.action_from_label(said[-1]))
    assert said == ["reveal Sk-c", "reveal Rv-c"]


@first_of("deck", ["extended", "standard"])
@pytest.mark.long
def test_it_beats_three_random_players(deck: str) -> None:
    """It wins or shares 92 % of the games; a random player a quarter and some."""
    options = {"deck": deck}
    won = []
    for seat in range(4):
        seats = [agents.make("rules" if k == seat else "random", FISH, options) for k in range(4)]
        won.append(play_batch(FISH, options, seats, 150, seed=seat)[:, seat] > 0)
    assert np.mean(won) > 0.86
