"""Old Maid move by move against a slow second implementation: events too, and what each seat sees against what it says."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from games.old_maid_reference import RANKS, OldMaid
from support import random_games, short
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

TYPES = [*RANKS, "the Old Maid", "Dr", "Rv", "Sk", "Joker"]
SUITS = "cdhs"


def both(seed: int, **options: Any) -> tuple[CardGameEnv, OldMaid]:
    """A game and the reference, dealt the same deck; which Queens are drawn by lot, the game says."""
    env = raw_env("old_maid_v0", **options)
    deck = random.Random(seed).sample(env.game.deck(env.options), len(env.game.deck(env.options)))
    env.reset(seed=seed, options={"deck": deck})
    return env, OldMaid(env.options, deck, SUITS[env.record["removed_queen"][0]], SUITS[env.record["old_maid"][0] % 4])


def compare(env: CardGameEnv, game: OldMaid) -> None:
    assert env.current_player == game.mover
    assert env.legal_actions() == game.legal()
    zones = env.zones()
    for seat, hand in enumerate(game.hands):
        ids = [cards.parse(card)[0] for card in hand]
        assert zones[f"hand/{seat}"] == (sorted(ids) if game.options.fan == "shuffled" else ids)
    assert zones["pairs"] == sorted(cards.parse(card)[0] for card in game.table)
    assert zones["removed"] == cards.parse(f"Q{game.removed}")
    assert int(env.record["turns"][0]) == game.turn


def type_of(game: OldMaid, card: str) -> int:
    return TYPES.index("Joker" if card in ("SJ", "BJ") else game.value(card))


def hot(size: int, *places: int) -> list[float]:
    return [float(place in places) for place in range(size)]


def expected(game: OldMaid, viewer: int) -> dict[str, list[float]]:
    """docs/rules/old_maid.md, Observation."""
    n, hand = game.n, game.hands[viewer]
    arranged = game.options.fan == "arranged"
    around = [(viewer + k) % n for k in range(n)]
    laid = [next(iter(card.split("-"))) if "-" in card else card[0] for card in game.table if card not in ("SJ", "BJ")]
    fan = [hot(19, type_of(game, hand[k]) if k < len(hand) else 18) if arranged else [0.0] * 19 for k in range(20)]
    by, source, kept, position = game.last_draw or (None, None, False, None)
    known = {where: [] for where in around}  # type: dict[int, list[str]]
    for card, (who, where) in game.known.items():
        if who == viewer:
            known[where].append(card)
    named = game.options.named_maid
    return {
        "hand": hot(66, *(cards.parse(card)[0] for card in hand)),
        "fan": [x for place in fan for x in place],
        "hand_sizes": [len(game.hands[seat]) / 33 for seat in around],
        "pairs_laid": [laid.count(kind) / 4 for kind in [*RANKS, "Dr", "Rv", "Sk"]],
        "jokers_laid": [sum(card in ("SJ", "BJ") for card in game.table) / 2],
        "joker_pair": [float(game.joker_pair)],
        "bound": hot(13, RANKS.index(game.bound) if game.bound else -1),
        "old_maid": hot(4, SUITS.index(game.maid) if named else -1),
        "removed_queen": hot(4, SUITS.index(game.removed)),
        "drawer": hot(n, -1 if by is None else around.index(by)),
        "drawn_from": hot(n, -1 if source is None else around.index(source)),
        "kept": [float(kept)],
        "drawn_at": hot(20, position if position is not None and arranged else -1),
        "known": [x for seat in around for x in hot(18, *(type_of(game, card) for card in known[seat]))],
        "target": hot(n, around.index(game.after(game.mover)) if game.asks == "draw" else -1),
        "phase": hot(4, ["setup", "draw", "pair", "place"].index(game.asks)),
    }


def compare_views(env: CardGameEnv, game: OldMaid) -> None:
    for viewer, agent in enumerate(env.possible_agents):
        seen, blocks = env.observe(agent)["observation"], expected(game, viewer)
        assert list(blocks) == list(env.observation_layout)
        for name, where in env.observation_layout.items():
            np.testing.assert_allclose(seen[where], blocks[name], rtol=1e-6, err_msg=f"{name} of {agent}")


def play(env: CardGameEnv, game: OldMaid, draw: random.Random) -> int:
    """A random game to its end; returns the number of steps."""
    steps = 0
    while game.rewards is None:
        compare(env, game)
        if steps % 11 == 0:
            compare_views(env, game)
        action = draw.choice(env.legal_actions())
        source = game.after(game.mover)
        held = set(env.zones()[f"hand/{source}"])
        drawing = game.asks == "draw"
        env.step(action)
        gave = held - set(env.zones()[f"hand/{source}"])
        if len(gave) > 1:
            gave -= {52, 53}  # these were laid by force
        shuffled = drawing and game.options.fan == "shuffled"
        game.play(action, cards.text(gave, joker_kinds=True) if shuffled else "")
        steps += 1
    assert all(env.terminations.values())
    assert list(env.rewards.values()) == pytest.approx(game.rewards)
    assert sum(game.rewards) == pytest.approx(0)
    game.say.compare(env)
    return steps


SETTINGS: list[dict[str, Any]] = [
    {},
    {"joker_bind": False},
    {"deck": "standard"},
    {"deck": "standard", "named_maid": True},
    {"fan": "shuffled", "joker_bind": False},
    {"fan": "shuffled", "deck": "standard", "removed_queen": "random"},
    {"removed_queen": "random", "old_maid": "random", "max_turns": 20},
    {"deck": "standard", "old_maid": "h", "max_turns": 9},
]


def many(games: int, first: int = 0) -> tuple[int, int]:
    """Games of all settings and numbers of players; returns how many games and steps were compared."""
    played = steps = 0
    for seed in range(first, first + games):
        for number, options in enumerate(SETTINGS):
            for n in range(2, 9):
                key = seed * 1000 + number * 10 + n
                env, game = both(key, num_players=n, **options)
                assert not game.is_misdeal
                steps += play(env, game, random.Random(key))
                played += 1
    return played, steps


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("n", short(range(2, 9), [2, 5, 8]))
@random_games(1, 3)
def test_whole_games_equal_the_reference(n: int, options: dict[str, Any], seeds: range) -> None:
    for seed in seeds:
        play(*both(seed * 100 + n, num_players=n, **options), random.Random(seed))
