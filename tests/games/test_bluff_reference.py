"""Whole random games of bluff beside the slow reference: who moves, what is legal, where the cards are, events, rewards."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.bluff_positions import GAME, field
from games.bluff_reference import CHALLENGE, PASS, PLAY, REVEAL, Table
from support import random_games
from wilddeck.envs import raw_env

MORE: list[dict[str, Any]] = [
    {"rank_order": "free", "after_challenge": after, "check": check, "num_players": n, "max_turns": 120}
    for n, (after, check) in enumerate([("next", "one"), ("taker", "all"), ("winner", "one")], 2)
]


def choice(draw: random.Random, legal: list[int], style: int) -> int:
    """An action: at random, or with few challenges so that heaps go out and hands run empty, or with many reveals."""
    if style and CHALLENGE in legal and draw.random() < 0.9:
        return CHALLENGE + 1
    reveals = [action for action in legal if action >= REVEAL]
    if reveals and draw.random() < (0.7 if style == 2 else 0.1):
        return draw.choice(reveals)
    if style and PASS in legal and draw.random() < 0.6:
        return PASS
    if PLAY in legal and draw.random() < 0.3:
        return PLAY
    return draw.choice(legal)


def compare(options: dict[str, Any], seed: int) -> int:
    """One game; returns its steps."""
    env = raw_env("bluff_v0", **options)
    env.reset(seed=seed)
    deck = list(GAME.deck(env.options))
    random.Random(seed).shuffle(deck)
    env.reset(seed=seed, options={"deck": deck})
    table, draw, style, steps = Table(env.options, deck), random.Random(seed + 1), seed % 3, 0
    while env.legal_actions():
        assert env.current_player == table.mover
        assert env.legal_actions() == table.legal()
        action = choice(draw, table.legal(), style)
        env.step(action)
        steps += 1
        turned = [card for card in range(66) if field(env, "turned")[card in (52, 53)] >> place_of(card) & 1]
        table.act(action, turned[0] if turned else None)
        zones = env.zones()
        assert [zones[f"hand/{seat}"] for seat in range(env.num_players)] == [
            staged_first(table, seat) for seat in range(env.num_players)
        ]
        assert zones["pile"] == table.stock
        assert zones["heap"] == [card for play in table.heap for card in play.cards]
        assert (zones["out"], zones["aside"], zones["put"]) == (table.out, sorted(table.aside), table.chosen)
        assert field(env, "turns") == table.turns
        if table.rewards is None:
            assert field(env, "required") == (-1 if table.rank is None else table.rank)
            assert field(env, "passed") == sum(1 << seat for seat in table.passes)
            assert field(env, "paused") == sum(1 << seat for seat in table.paused)
            assert (field(env, "direction") > 0) == table.clockwise
    assert table.rewards == pytest.approx(list(env.rewards.values()), abs=1e-6)
    assert not table.legal()
    table.saying.compare(env)
    return steps


def place_of(card: int) -> int:
    return card if card < 52 else card - 52 if card < 54 else card - 2


def staged_first(table: Table, seat: int) -> list[int]:
    staged = sorted(table.staged) if seat == table.player else []
    return staged + [card for card in table.hands[seat] if card not in staged]


@pytest.mark.rule("BL-04", "BL-13", "BL-20", "BL-22", "BL-23", "BL-30", "BL-35", "BL-36", "BL-42", "BL-43", "BL-51", "BL-52")
@pytest.mark.parametrize("options", [*(vars(sample) for sample in GAME.options.samples()), *MORE], ids=str)
@random_games(1, 6)
def test_random_games(options: dict[str, Any], seeds: range) -> None:
    for seed in seeds:
        assert compare(options, seed) <= GAME.max_length(GAME.make_options(options))
