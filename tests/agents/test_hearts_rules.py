"""What the rule-based hearts player does where a sensible player has one sensible choice, and how it fares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.hearts_positions import DECLINE, GAME, LOSE, RED, WIN, arranged, dealt, field, play
from wilddeck import agents
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate
from wilddeck.envs.core.aec import CardGameEnv

SPECIALS = "Dr-h Sk-c"


def choices(env: CardGameEnv) -> set[str]:
    """What the player does now, with several draws of luck."""
    agent = agents.make("rules", GAME, env.options)
    return {env.action_label(agent.act(View.of(env), np.random.default_rng(seed))).removeprefix("play ") for seed in range(6)}


def passes(hand: str, **options: Any) -> set[str]:
    env, found = dealt([hand], passing="left", **options), set()
    for _ in range(3):
        (choice,) = choices(env)
        play(env, choice)
        found.add(choice.removeprefix("pass "))
    return found


def test_it_passes_what_is_dangerous() -> None:
    assert passes("Qs Ks As 2c 3c 4c 2d 3d 4d 2h 3h 4h 5h", deck="standard") == {"Qs", "Ks", "As"}
    assert passes("Ah Kh Qh 2s 3s 4s 5s 2d 3d 4d 2c 3c 4c", deck="standard") == {"Ah", "Kh", "Qh"}
    assert not passes(f"SJ BJ {SPECIALS} Kh Qs 8d 9c Tc 9d Td Jd 7c") & {"SJ", "BJ", *SPECIALS.split()}


def test_it_keeps_the_queen_among_many_spades_rather_than_bare_high_cards() -> None:
    assert "Qs" not in passes("Qs 2s 3s 4s 5s 6s 7s Ah Kh Qh Jh Ad Ac", deck="standard")


def test_it_does_not_claim() -> None:
    assert choices(dealt(["SJ", "2c"])) == {DECLINE}


def test_it_ducks_with_its_highest_card_below() -> None:
    env = play(arranged(["9d 2c", "4d 7d Kd", "3d 3c", "5d 4c"], broken=1), "9d")
    assert choices(env) == {"7d"}


def test_it_plays_the_queen_under_the_king() -> None:
    env = play(arranged(["Ks 2c", "Qs 7s", "3s 3c", "5s 4c"]), "Ks")
    assert choices(env) == {"Qs"}
    env = play(arranged(["4s 2c", "Qs 3s", "3d 3c", "5s 4c"]), "4s")
    assert choices(env) == {"3s"}


@pytest.mark.parametrize(("hand", "thrown"), [("Qs Ah Kd", "Qs"), ("As Ah 2d", "As"), ("Ah 2h 3d", "Ah")])
def test_it_throws_off_the_worst(hand: str, thrown: str) -> None:
    others = ["9c 2s 3s", "Tc Qs 4s" if "Qs" not in hand else "Tc 5s 4s", "8c 6s 7s"]
    env = play(arranged([others[0], hand, others[1], others[2]], tricks_done=6), "9c")
    assert choices(env) == {thrown}


def test_it_leads_low() -> None:
    env = arranged(["2d Kd Ac", "3d 4d 5d", "6d 7d 8d", "9d Td Jd"], broken=1, tricks_done=8)
    assert choices(env) == {"2d"}


def test_the_last_player_takes_an_empty_trick_with_its_highest_card() -> None:
    env = arranged(["2d 3c 9h", "5d 4c 8h", "6d 5c 7h", "Ad Td 2c"], tricks_done=6)
    play(env, "2d", "5d", "6d")
    assert choices(env) == {"Ad"}


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
    mine = RED.replace("2h ", "").replace("Ah", "").replace("Kh", "")
    position = ["2h 2c", "Ah 3h 3c", "4c 5c", "6c 7c"]
    mine = mine.replace("3h ", "")
    env = arranged(position, 0, won=["", "", f"Qs {mine}"], tricks=[0, 0, 9, 0], tricks_done=11, broken=1)
    assert choices(play(env, "2h")) == {"Ah"}


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


@pytest.mark.parametrize("deck", ["extended", "standard"])
def test_it_beats_random(deck: str) -> None:
    """By more than three points a hand."""
    options = GAME.make_options({"deck": deck})
    result = evaluate(agents.make("rules", GAME, options), agents.make("random", GAME, options), GAME, options, 200, 1)
    assert 26 * (result.mean - 3 * result.standard_error) > 3
