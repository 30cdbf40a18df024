"""Crazy eights against its slow reference, move by move and event by event, over random games."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from games.crazy_eights_positions import GAME, field
from games.crazy_eights_reference import Deal
from games.saying import jokers_last
from support import short
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import TEXT
from wilddeck.envs.core.rng import random_below, shuffle, start_stream

GAMES = 240
PARTS = 8


def drawn_options(draw: random.Random) -> dict[str, Any]:
    return {
        "num_players": draw.randint(2, 7),
        "deck": draw.choice(["extended", "extended", "standard"]),
        "max_draw_cards": draw.choice([1, 2, 3, 5, 52]),
        "max_turns": draw.choice([8, 30, 100, 100, 200]),
        "use_special_cards": draw.random() < 0.6,
        "reshuffle": draw.random() < 0.5,
        "card_points": draw.choice(["pips", "openspiel"]),
        "reward": draw.choice(["relative", "openspiel"]),
    }


def words(ids: list[int]) -> list[str]:
    return [TEXT[card] for card in ids]


def chosen(draw: random.Random, legal: list[str], liking: float) -> str:
    """Plays more often than other things, as far as it likes; specials are staged and redealt evenly."""
    plays = [action for action in legal if action.startswith("play")]
    return draw.choice(plays if plays and draw.random() < liking else legal)


def compare(env: Any, deal: Deal) -> None:
    zones = {name: words(ids) for name, ids in env.zones().items()}
    for seat, hand in enumerate(deal.hands):
        assert sorted(zones[f"hand/{seat}"]) == sorted(hand)
    assert zones["pile"] == deal.pile
    assert zones["top"] == [deal.top]
    assert sorted(zones["discards"]) == sorted(deal.below)
    assert sorted(zones["aside"]) == sorted(deal.aside)
    numbers = ("debt", "plays", "passes", "direction")
    assert [field(env, name) for name in numbers] == [getattr(deal, name) for name in numbers]
    assert field(env, "drawn")[: deal.n] == deal.drawn
    assert field(env, "skip")[: deal.n] == deal.skips
    assert field(env, "paused") == sum(1 << seat for seat in deal.paused)


class Chance:
    """What the game draws by lot, from the same stream of its own."""

    def __init__(self, env: CardGameEnv) -> None:
        self.state = env.record.copy()[0]
        self.shuffles = 0
        start_stream(self.state, np.uint64(1))

    def below(self, bound: int) -> int:
        return int(random_below(self.state, bound))

    def shuffle(self, those: list[str]) -> list[str]:
        self.shuffles += 1
        order = np.array(jokers_last(TEXT.index(card) for card in those))
        shuffle(self.state, order, len(order))
        return words(order)


def play_along(seed: int, seen: Counter[str]) -> None:
    draw = random.Random(seed)
    env = raw_env("crazy_eights_v0", **drawn_options(draw))
    deck = random.Random(seed).sample(GAME.deck(env.options), len(GAME.deck(env.options)))
    env.reset(seed=seed, options={"deck": deck})
    chance, liking = Chance(env), draw.choice([0.0, 0.5, 0.9])
    deal = Deal(env.options, words(deck), chance)
    while env.legal_actions():
        compare(env, deal)
        assert env.current_player == deal.turn
        legal = [env.action_label(action) for action in env.legal_actions()]
        assert sorted(legal) == sorted(deal.legal())
        action = chosen(draw, legal, liking)
        seen[action.split()[0]] += 1
        seen["debt"] += deal.debt > 2
        seen["resumed"] += bool(deal.paused)
        env.step(env.action_from_label(action))
        deal.act(action)
    assert deal.over
    seen["shuffles"] += chance.shuffles
    seen["won" if not all(deal.hands) else "stopped"] += 1
    compare(env, deal)
    assert list(env.rewards.values()) == pytest.approx(deal.rewards(), abs=1e-5)
    deal.saying.compare(env)


@pytest.mark.rule("CE-01", "CE-02", "CE-04", "CE-05", "CE-10", "CE-12", "CE-20", "CE-21", "CE-22", "CE-23", "CE-24")
@pytest.mark.rule("CE-30", "CE-32", "CE-33", "CE-40", "CE-41", "CE-42", "CE-43", "CE-44", "CE-60", "CE-61")
@pytest.mark.parametrize("part", short(range(PARTS), [0, 1]))
def test_random_games(part: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(part, GAMES, PARTS):
        play_along(seed, seen)
    assert all(
        seen[event] for event in ("declare", "nominate", "pass", "redeal", "debt", "resumed", "shuffles", "won", "stopped")
    )
