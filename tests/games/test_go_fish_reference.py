"""Whole random games of Go Fish beside the slow reference: movers, legal actions, hands, books, knowledge, rewards, events."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.go_fish_positions import RANKS, field
from games.go_fish_reference import Table
from support import random_games
from wilddeck import cards
from wilddeck.envs import raw_env

CHOICES: list[dict[str, Any]] = [
    {},
    {"joker_asks": False, "reward": "margin"},
    {"num_players": 2},
    {"num_players": 3, "fish_again": False},
    {"num_players": 5, "hand_size": 9},
    {"num_players": 6, "end_rule": "first_out"},
    {"num_players": 2, "hand_size": 1, "joker_asks": False, "max_turns": 40},
    {"num_players": 3, "hand_size": 2, "joker_asks": False},
    {"deck": "standard"},
    {"deck": "standard", "turn_passes": "fished", "num_players": 3},
    {"deck": "standard", "num_players": 2, "end_rule": "first_out", "reward": "margin"},
    {"num_players": 6, "max_turns": 5},
]


def ranks(bits: int) -> set[str]:
    return {rank for k, rank in enumerate(RANKS) if bits >> k & 1}


def compare(env: Any, table: Table) -> None:
    zones = env.zones()
    assert env.legal_actions() == table.legal()
    assert table.over or env.current_player == table.seat
    assert zones["pile"] == cards.parse(" ".join(table.stock))
    for seat in range(env.num_players):
        assert sorted(zones[f"hand/{seat}"]) == sorted(cards.parse(" ".join(table.hands[seat])))
        laid = [card for book in table.books[seat].values() for card in book]
        assert zones[f"books/{seat}"] == sorted(cards.parse(" ".join(laid)))
        assert ranks(field(env, "books")[seat]) == set(table.books[seat])
        assert field(env, "known")[seat] == list(table.known[seat].values())
        assert ranks(field(env, "asked")[seat]) == table.asked[seat]
        assert ranks(field(env, "lacks")[seat]) == table.lacks[seat]
    assert field(env, "turns") == table.turns
    assert field(env, "direction") == table.direction
    if table.last:
        asker, target, rank, handed = table.last
        last = (field(env, "last_asker"), field(env, "last_target"), RANKS[field(env, "last_rank")], field(env, "last_given"))
        assert last == (asker, target, rank, handed)
    assert list(env.rewards.values()) == pytest.approx(table.rewards(), abs=1e-6)


def likely(draw: random.Random, legal: list[int]) -> int:
    """Books and reveals rather often, so that they meet."""
    special = [action for action in legal if action >= 80]
    return draw.choice(special if special and draw.random() < 0.5 else legal)


def play_beside(options: dict[str, Any], seed: int) -> None:
    env = raw_env("go_fish_v0", **options)
    deck = env.game.deck(env.options)
    draw = random.Random(seed)
    draw.shuffle(deck)
    if seed % 2:  # many specials and Jokers early
        deck.sort(key=lambda card: draw.random() * (3 if card >= 52 else 10))
    env.reset(seed=seed, options={"deck": deck})
    table = Table(env.options, deck)
    compare(env, table)
    while not table.over:
        action = likely(draw, table.legal())
        env.step(action)
        table.act(action)
        compare(env, table)
    table.say.compare(env)


@pytest.mark.rule("GF-01", "GF-03", "GF-08", "GF-09", "GF-10", "GF-11", "GF-21", "GF-33", "GF-36", "GF-50", "GF-52", "GF-53")
@pytest.mark.parametrize("options", CHOICES, ids=str)
@random_games(2, 8)
def test_random_games(options: dict[str, Any], seeds: range) -> None:
    for seed in seeds:
        play_beside(options, seed)
