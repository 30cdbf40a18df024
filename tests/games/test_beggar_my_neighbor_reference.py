"""Whole random games of Beggar My Neighbor beside the slow reference: who is asked what,
what happens, where each card lies, what is paid."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.beggar_my_neighbor_reference import Table
from support import random_games
from wilddeck import cards
from wilddeck.envs import raw_env

CHOICES: list[dict[str, Any]] = [
    {},
    {"deal_52": True},
    {"deal_52": True, "payer_out": "next"},
    {"nonpay_face_ends_pay": True, "payer_out": "next", "stalemate": "most_cards", "max_plays": 120},
    {"deal_52": True, "nonpay_face_ends_pay": True, "auto": "every", "max_plays": 300},
    {"auto": "every", "payer_out": "next", "cycle_check": False, "max_plays": 250, "stalemate": "most_cards"},
    {"deck": "standard", "payer_out": "next"},
    {"deck": "standard", "max_plays": 60},
]


def same(env: Any, table: Table) -> None:
    zones = env.zones()
    assert [cards.text(zones[f"pack/{seat}"], joker_kinds=True).split() for seat in range(table.n)] == table.packs
    assert cards.text(zones["stack"], joker_kinds=True).split() == table.stack
    assert cards.text(zones["pile"], joker_kinds=True).split() == table.pile
    record = env.record[0]
    assert record["plays"] == table.played
    if table.asked is None:
        assert env.legal_actions() == []
        assert list(env.rewards.values()) == pytest.approx(table.rewards)
        return
    assert (env.current_player, env.legal_actions()) == (table.asked[0], table.actions())
    assert record["direction"] == table.direction
    assert record["owner"] == (-1 if table.owner is None else table.owner)
    assert (record["owed"], record["placing"]) == (table.due, table.placing)
    assert (record["draw"].tolist()[: table.n], record["skip"].tolist()[: table.n]) == (table.draws, table.skips)


def play_beside(options: dict[str, Any], seed: int) -> int:
    """A random game; returns how many cards were played."""
    env, draw = raw_env("beggar_my_neighbor_v0", **options), random.Random(seed)
    deck = env.game.deck(env.options)
    draw.shuffle(deck)
    env.reset(seed=seed, options={"deck": deck})
    table = Table(env.options, deck)
    same(env, table)
    pay = [10, 11, 12, 9]
    while table.asked is not None:
        legal = table.actions()
        paying = [action for action in legal if action in pay]
        action = draw.choice(paying if paying and draw.random() < 0.5 else legal)
        env.step(action)
        table.step(action)
        same(env, table)
    table.say.compare(env)
    return table.played


@pytest.mark.rule("BM-02", "BM-06", "BM-15", "BM-16", "BM-22", "BM-24", "BM-25", "BM-40", "BM-43", "BM-50", "BM-51")
@random_games(1, 3)
@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("options", CHOICES, ids=str)
def test_random_games(options: dict[str, Any], num_players: int, seeds: range) -> None:
    for seed in seeds:
        play_beside({**options, "num_players": num_players}, seed)
