"""Whole games of Egyptian Ratscrew beside the slow reference: who may be asked what, what happens, where each
card lies, what is paid."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games import test_beggar_my_neighbor_reference as beggar
from games.egyptian_ratscrew_reference import SLAP, WAIT, Table
from support import random_games, short
from wilddeck import cards
from wilddeck.envs import raw_env

EVERYTHING = {"tens": True, "tens_sandwich": True, "top_bottom": True, "marriage": True, "runs": 3, "joker_slap": True}
CHOICES: list[dict[str, Any]] = [
    {},
    {"deal_52": True, "ask": "all", "burn": 2, "empty_wrong": "out", "payer_out": "next"},
    {"ask": "valid", "runs": 4, "marriage": True, "joker_first": False, "deal_52": True},
    {**EVERYTHING, "nonpay_face_ends_pay": True, "payer_out": "next", "stalemate": "draw", "max_plays": 150},
    {**EVERYTHING, "deck": "standard", "burn": 3, "slap_in": False, "empty_wrong": "none"},
    {"doubles": False, "sandwich": False, "tens": True, "ask": "all", "reaction": "weights", "max_plays": 100},
    {"deck": "standard", "slap_in": False, "ask": "valid", "sandwich": False, "max_plays": 60},
    {"doubles": False, "top_bottom": True, "slap_in": False, "empty_wrong": "none", "burn": 3},
    {"empty_wrong": "out", "burn": 3, "top_bottom": True, "deal_52": True, "runs": 4},
]
MOST = 250  # steps of a game that are looked at


def same(env: Any, table: Table) -> None:
    table.drawn(env.current_player)
    beggar.same(env, table)
    zones, record = env.zones(), env.record[0]
    assert cards.text(zones["burned"], joker_kinds=True).split() == table.burned
    for name, seats in (("asked", table.had), ("wrong", table.wrong), ("muted", table.muted), ("banned", table.banned)):
        if table.asked is not None:
            assert record[name] == sum(1 << seat for seat in seats), name


def play_beside(options: dict[str, Any], seed: int, most: int) -> int:
    """A game; returns how many steps it took. Players slap often, and more or less often wrongly."""
    env, draw = raw_env("egyptian_ratscrew_v0", **options), random.Random(seed)
    deck = env.game.deck(env.options)
    draw.shuffle(deck)
    env.reset(seed=seed, options={"deck": deck})
    table = Table(env.options, deck)
    same(env, table)
    boldness, steps = draw.choice([0.02, 0.1, 0.5]), 0
    while table.asked is not None and steps < most:
        legal = table.actions()
        action = draw.choice(legal)
        if legal == [SLAP, WAIT]:
            action = SLAP if draw.random() < (0.7 if table.is_right() else boldness) else WAIT
        env.step(action)
        table.step(action)
        same(env, table)
        steps += 1
    table.say.compare(env)
    return steps


@pytest.mark.rule("ER-01", "ER-02", "ER-10", "ER-11", "ER-13", "ER-14", "ER-15", "ER-16", "ER-17", "ER-18")
@pytest.mark.rule("ER-30", "ER-31", "ER-32", "ER-33", "ER-34", "ER-35", "ER-40")
@pytest.mark.parametrize("num_players", short([2, 3, 4, 5, 6], [2, 4, 6]))
@pytest.mark.parametrize("options", CHOICES, ids=str)
@random_games(1, 2)
def test_games_beside_the_reference(options: dict[str, Any], num_players: int, seeds: range) -> None:
    for seed in seeds:
        play_beside({**options, "num_players": num_players}, seed, MOST)
