"""Skin against a slow second implementation: who moves, what is legal, seen, told and won, move by move."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from games.skin_game_reference import PHASES, Skin
from support import few, short
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

GAME = find_game("skin_v0")
DEFAULTS = vars(GAME.options())
SETTINGS: list[dict[str, Any]] = [
    *({"num_players": n, "hands": 4} for n in range(2, 9)),
    *({"num_players": n, "hands": 6, "stack": 12, "cash_out": True, "dead_on_fall": n % 2 == 0} for n in range(2, 9)),
    {"num_players": 4, "hands": 8, "stack": 0, "dead_on_fall": False, "min_bid": 6, "max_bid": 20},
    {"num_players": 7, "hands": 5, "stack": 0, "cash_out": True, "max_bid": 3},
    {"num_players": 5, "hands": 5, "stack": 10, "min_bid": 3, "max_bid": 3},
    {"num_players": 5, "hands": 9, "stack": 30, "side_bets": False, "max_bid": 40},
    {"num_players": 6, "hands": 5, "take_central": False, "dead_on_fall": False},
    {"num_players": 6, "hands": 5, "bank_new_card": False},
]
EPISODES = 12


def both(settings: dict[str, Any], seed: int) -> tuple[CardGameEnv, Skin]:
    draw = random.Random(seed)
    options = {**DEFAULTS, **settings, "first_banker": draw.randrange(settings["num_players"])}
    decks = [draw.sample(range(52), 52) for _ in range(options["hands"])]
    env = raw_env("skin_v0", **options)
    env.reset(seed=seed, options={"decks": decks})
    rules = {name: options[name] for name in options if name not in ("num_players", "first_banker")}
    return env, Skin(options["num_players"], options["first_banker"], decks, **rules)


def choose(draw: random.Random, game: Skin) -> int:
    """Any legal action; cards and bets are taken more often than not, so that much is on the table."""
    eager = [action for action in game.legal if action not in (0, 32)]
    return draw.choice(eager if eager and draw.random() < 0.6 else game.legal)


@pytest.mark.parametrize("settings", short(SETTINGS, few(SETTINGS, 8)), ids=str)
def test_play_equals_the_reference(settings: dict[str, Any]) -> None:
    phases: Counter[str] = Counter()
    for seed in range(EPISODES):
        env, game = both(settings, seed)
        draw = random.Random(seed)
        while game.returns is None:
            assert env.current_player == game.seat
            assert env.legal_actions() == game.legal, game.phase
            assert len(game.legal) > 1
            record = env.record[0]
            assert PHASES[record["phase"]] == game.phase
            assert record["chips"][: game.n].tolist() == game.chips
            assert record["main"][: game.n].tolist() == [game.mains.get(seat, 0) for seat in range(game.n)]
            assert not any(env.rewards.values())
            phases[game.phase] += 1
            action = choose(draw, game)
            env.step(action)
            game.play(action)
        assert env.legal_actions() == []
        assert list(env.rewards.values()) == pytest.approx(game.returns)
        game.say.compare(env)
    options = {**DEFAULTS, **settings}
    without = {
        *((phase for phase in PHASES if phase.startswith("SIDE") or phase == "BANK_NEW") if not options["side_bets"] else ()),
        *(("SIDE_TARGET", "SIDE_AMOUNT", "SIDE_REPLY", "CENTRAL", "BANK_NEW") if options["num_players"] == 2 else ()),
        *(("CENTRAL",) if not options["take_central"] else ()),
        *(("BANK_NEW",) if not options["bank_new_card"] else ()),
        *(("BETWEEN",) if not options["cash_out"] else ()),
        *(("BANK", "SIDE_AMOUNT") if options["min_bid"] == options["max_bid"] else ()),
    }
    assert set(PHASES) - set(phases) <= without | ({"BANK_NEW", "CENTRAL"} if options["num_players"] < 4 else set())


def one_hot(size: int, index: int | None) -> list[int]:
    return [int(place == index) for place in range(size)]


def expected_observation(game: Skin, viewer: int) -> dict[str, list[float]]:
    """docs/rules/skin.md, Observation; players clockwise from the viewer."""
    n, options = game.n, game.options
    stack = options["stack"] or 100 * options["max_bid"]
    seats: list[float] = []
    for k in range(8):
        seat = (viewer + k) % n
        if k >= n:
            seats += [0] * 19
            continue
        card = game.bank_card if seat == game.banker else game.cards.get(seat)
        seats += [seat in game.seated, seat == game.banker, *one_hot(13, card)]
        seats += [game.mains.get(seat, 0) / options["max_bid"], game.chips[seat] / stack, seat == game.last, seat in game.asked]
    sides = [
        game.sides.get(frozenset({(viewer + i) % n, (viewer + j) % n}), 0) / options["max_bid"] if max(i, j) < n else 0
        for i in range(8)
        for j in range(8)
    ]
    without = game.bank_card is None
    partner = (game.partner - viewer) % n if game.partner is not None else None
    seen = Counter(card // 4 for card in game.seen)
    blocks: dict[str, list[Any]] = {
        "phase": one_hot(9, PHASES.index(game.phase)),
        "seats": seats,
        "side_bets": sides,
        "bank_card": one_hot(13, game.bank_card),
        "bank_state": [
            without and not game.has_lost,
            without and game.has_lost and not game.reveals,
            without and game.has_lost and game.reveals,
        ],
        "central": [rank in game.central for rank in range(13)],
        "dead": [rank in game.dead for rank in range(13)],
        "seen": [seen[rank] / 4 for rank in range(13)],
        "offered": one_hot(13, game.offered),
        "proposal": one_hot(8, game.proposal - 1 if game.proposal else None),
        "partner": one_hot(8, partner),
        "counts": [len(game.stock) / 52, (options["hands"] - game.number) / options["hands"], game.rebid],
    }
    return {name: [float(value) for value in values] for name, values in blocks.items()}


@pytest.mark.parametrize("settings", short(SETTINGS[5:], few(SETTINGS[5:], 2)), ids=str)
def test_observations_equal_the_reference(settings: dict[str, Any]) -> None:
    env, game = both(settings, 77)
    draw = random.Random(5)
    while game.returns is None:
        for viewer in range(game.n):
            seen = env.observe(f"player_{viewer}")["observation"]
            expected = expected_observation(game, viewer)
            assert list(expected) == list(env.observation_layout)
            for name, where in env.observation_layout.items():
                assert seen[where].tolist() == pytest.approx(expected[name]), (name, game.phase)
        action = choose(draw, game)
        env.step(action)
        game.play(action)
