"""What the rule-based hearts player does where a sensible player has one sensible choice, and how it fares."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from games.hearts_positions import DECLINE, GAME, LOSE, RED, WIN, arranged, dealt, field, parse, play
from support import first_of
from wilddeck import agents, cards
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate
from wilddeck.envs.core.aec import CardGameEnv


def choices(env: CardGameEnv) -> set[str]:
    """What the player does now, with several draws of luck."""
    agent = agents.make("rules", GAME, env.options)
    return {env.action_label(agent.act(View.of(env), np.random.default_rng(seed))).removeprefix("play ") for seed in range(6)}


def facing(hand: str, *trick: str, won: tuple[str, ...] = ("",) * 4, **values: Any) -> CardGameEnv:
    """The player holds a hand after these cards of a trick, led by seat 0; the others hold as many, at random."""
    mover, held = len(trick), parse(hand)
    taken = {*held, *parse(" ".join([*trick, *won]))}
    rest = random.Random(3).sample([card for card in range(1, 52) if card not in taken], 50 - len(taken - {0}))
    hands = []
    for seat in range(4):
        mine = held if seat == mover else parse(trick[seat]) if seat < mover else []
        hands.append(cards.text(mine + [rest.pop() for _ in range(len(held) - len(mine))], joker_kinds=True))
    env = arranged(hands, won=list(won), tricks=[int(bool(cards_won)) for cards_won in won], **values)
    for card in trick:
        env.step(parse(card)[0])  # whether or not it follows suit
    return env


def passes(hand: str, **options: Any) -> set[str]:
    env, passed = dealt([hand], passing="left", **options), set()
    for _ in range(3):
        (choice,) = choices(env)
        play(env, choice)
        passed.add(choice.removeprefix("pass "))
    return passed


def test_it_passes_what_is_dangerous() -> None:
    assert passes("Qs Ks As 2c 3c 4c 2d 3d 4d 2h 3h 4h 5h", deck="standard") == {"Qs", "Ks", "As"}
    assert passes("Ah Kh Qh 2s 3s 4s 5s 2d 3d 4d 2c 3c 4c", deck="standard") == {"Ah", "Kh", "Qh"}
    assert not passes("SJ BJ Rv-d Sk-c Kh Qs 8d 9c Tc 9d Td Jd 7c") & {"SJ", "BJ", "Rv-d", "Sk-c"}


def test_it_keeps_the_queen_among_many_spades_rather_than_bare_high_cards() -> None:
    assert "Qs" not in passes("Qs 2s 3s 4s 5s 6s 7s Ah Kh Qh Jh Ad Ac", deck="standard")


def test_it_does_not_claim() -> None:
    assert choices(dealt(["SJ", "2c"])) == {DECLINE}


def test_it_ducks_with_its_highest_card_below() -> None:
    assert choices(facing("4d 8d Kd 5c 9c 3s 4h Jh Tc 2c 5h 2s", "9d")) == {"8d"}


def test_it_plays_the_queen_under_the_king() -> None:
    assert choices(facing("Qs 7s 5c 9c 3d 4h", "Ks")) == {"Qs"}
    assert choices(facing("Qs 3s 5c 9c 3d 4h", "4s")) == {"3s"}


@pytest.mark.parametrize(
    ("hand", "thrown"),
    [("Qs Ah Kd 2d 3h 4h", "Qs"), ("As 2s Th 9h 2h Kd 2d 3h 4d 5d 6d 7d", "As"), ("Ah 2h 3h 2d 3d 4s", "Ah")],
)
def test_it_throws_off_the_worst(hand: str, thrown: str) -> None:
    assert choices(facing(hand, "9c")) == {thrown}


def test_it_leads_low() -> None:
    assert choices(facing("2h Ah Kh Qh 2d Ad 3s", broken=1)) <= {"2h", "2d", "3s"}


def test_the_last_player_takes_an_empty_trick_with_its_highest_card() -> None:
    assert choices(facing("Ad Td 2d 3c 4h 9h 4s 5s 2c", "9d", "5d", "6d")) == {"Ad"}


def test_a_joker_loses() -> None:
    env = arranged(["9d 2c", "Qs 3c", "SJ 4c", "2d 5c"])
    play(env, "9d", "Qs", "SJ", "2d")
    assert choices(env) == {LOSE}


def test_a_joker_wins_where_a_moon_is_near() -> None:
    mine = RED.replace("2h ", "").replace("3h ", "")
    env = arranged(["9d 2c", "3h 3c", "SJ 4c", "2d 2h"], won=[f"Qs {mine}"], tricks=[9, 0, 0, 0], tricks_done=11, broken=1)
    play(env, "9d", "3h", "SJ", "2d")
    assert choices(env) == {WIN}


def test_it_takes_a_point_to_break_a_moon() -> None:
    mine = "Qs 6h 7h 8h 9h Th Jh Qh"
    for won, card in ((("", "", mine, ""), "Ah"), (("7h", "", mine.replace(" 7h", ""), ""), "3h")):
        assert choices(facing("Ah 3h 3c 2c 4d", "4h", won=won, broken=1)) == {card}


def test_a_skip_spares_the_worst_trick() -> None:
    env = arranged(["9s 2c", "Qs 3c", "As Sk-d", "2s 5c"], pile="8h 7h", tricks_done=6)
    play(env, "9s", "Qs")
    assert choices(env) == {"reveal Sk-d"}


def test_a_joker_that_leads_is_a_low_card_of_a_common_suit() -> None:
    env = play(arranged(["SJ", "3d 2c", "4d 3c", "5d 4c"], tricks_done=11), "SJ")
    (choice,) = choices(env)
    assert choice in {"declare 2c", "declare 2d"}


def test_whole_games_among_themselves_are_played_by_the_rules() -> None:
    """What is staged is redealt, and no choice is illegal."""
    for seed in range(6):
        env = dealt([]) if seed == 0 else arranged(["5c 4h Sk-d", "3c 2d Rv-h", "4c SJ 3d", "6c 5d BJ"], pile="7h 8h 9h 8s")
        env.reset(seed=seed)
        agent, rng = agents.make("rules", GAME, env.options), np.random.default_rng(seed)
        while env.legal_actions():
            env.step(agent.act(View.of(env), rng))
        assert field(env, "terminated") == 1


@first_of("deck", ["extended", "standard"])
@pytest.mark.long
def test_it_beats_random(deck: str) -> None:
    """By more than three points a hand."""
    options = GAME.make_options({"deck": deck})
    result = evaluate(agents.make("rules", GAME, options), agents.make("random", GAME, options), GAME, options, 200, 1)
    assert 26 * (result.mean - 3 * result.standard_error) > 3
