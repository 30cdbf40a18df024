"""Whole random games of President beside the slow reference: who moves, what is legal, where all cards are, what happens."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.president_reference import Match, names, number
from support import random_games
from wilddeck.envs import game, raw_env

CHOICES: list[dict[str, Any]] = [
    *({"num_players": n} for n in range(3, 8)),
    {"deck": "standard", "twos_high": False},
    {"deal": "all", "num_players": 3},
    {"pass_is_final": True, "ask_forced_pass": True},
    {"pass_is_final": True, "num_players": 3},
    {"pass_is_final": True, "num_players": 6, "twos_high": False},
    {"ask_forced_pass": True, "num_players": 5},
    {"match": "points", "max_hands": 4},
    {"match": "points", "exchange": 2, "next_lead": "scum", "max_hands": 4, "twos_high": False},
    {"match": "points", "exchange": 2, "num_players": 3, "max_hands": 4, "deal": "all"},
    {"match": "points", "exchange": 2, "num_players": 7, "max_hands": 3, "pass_is_final": True},
    {"match": "points", "exchange": 0, "num_players": 3, "target": 4, "next_lead": "scum"},
]


def compare(env: Any, match: Match) -> None:
    """Everything that both of them know."""
    record, n = env.record[0], match.n
    zones = env.zones()
    for seat in range(n):
        assert sorted(zones[f"hand/{seat}"]) == sorted(map(number, match.hands[seat]))
        assert zones[f"played/{seat}"] == sorted(map(number, match.played[seat]))
        place = match.going_out.index(seat) + 1 if seat in match.going_out else 0
        assert record["place"][seat] == place
    assert names(zones["pile"]) == match.pile
    assert zones["aside"] == sorted(map(number, match.aside))
    assert env.current_player == match.mover
    assert env.legal_actions() == match.options_now()
    assert record["direction"] == match.direction
    for name, seats in (("passed", match.passed), ("barred", match.barred), ("paused", match.paused)):
        assert record[name] == sum(1 << seat for seat in seats), name
    assert record["last"] == (-1 if match.table is None else match.table[3])
    assert record["totals"][:n].tolist() == match.totals


def play(options: dict[str, Any], seed: int) -> int:
    env = raw_env("president_v0", **options)
    match, draw = Match(env.options), random.Random(seed)
    decks = []
    for _ in range(env.options.max_hands):
        decks.append(draw.sample(game("president_v0").deck(env.options), 66 if env.options.deck == "extended" else 52))
    env.reset(seed=seed, options={"decks": decks})
    match.start_deal(decks[0])
    bold = draw.random()  # how often a special is led or revealed where it can be
    steps = 0
    while env.legal_actions():
        compare(env, match)
        legal = env.legal_actions()
        special = [action for action in legal if 143 <= action < 155 or 156 <= action < 168]
        action = draw.choice(special if special and draw.random() < bold else legal)
        env.step(action)
        match.act(action)
        steps += 1
        if match.over and match.rewards is None:
            match.start_deal(decks[match.deals])
    assert match.rewards is not None
    assert list(env.rewards.values()) == pytest.approx(match.rewards, abs=1e-6)
    assert steps < env.game.max_length(env.options)
    match.saying.compare(env)
    return match.deals


@pytest.mark.rule("PR-03", "PR-05", "PR-07", "PR-11", "PR-19", "PR-22", "PR-24", "PR-25", "PR-40", "PR-41", "PR-42", "PR-43")
@pytest.mark.parametrize("options", CHOICES, ids=str)
@random_games(1, 2)
def test_random_games(options: dict[str, Any], seeds: range) -> None:
    for seed in seeds:
        play(options, seed)
