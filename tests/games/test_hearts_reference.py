"""Whole random games of hearts beside the slow reference: who is asked, what is legal, all cards, points, ends, events."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from games.hearts_positions import CLAIM, DECLINE, LOSE, WIN, field
from games.hearts_reference import Hearts
from support import random_games
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

CHOICES: list[dict[str, Any]] = [
    {},
    {"passing": "left", "jd_bonus": True, "avoid_all_tricks_bonus": True},
    {"passing": "hold", "no_pts_on_first_trick": False, "moon": "self", "jd_bonus": True},
    {"must_break_hearts": False, "reward": "openspiel"},
    {"qs_breaks_hearts": False, "can_lead_hearts_instead_of_qs": True},
    {"deck": "standard", "can_lead_any_club": True, "avoid_all_tricks_bonus": True},
    {"match": "match", "target": 40, "jd_bonus": True},
    {"match": "match", "max_hands": 3, "target": 500, "moon": "self"},
]
TWO_OF_CLUBS, SMALL_JOKER, BIG_JOKER = cards.parse("2c SJ BJ")
HIGHEST = range(51, 38, -1)


def dealt(env: CardGameEnv, draw: random.Random, moonstruck: bool) -> list[int]:
    """A deck that is no misdeal (HE-03). Of the moonstruck, seat 0 has the highest cards."""
    while True:
        deck = draw.sample(env.game.deck(env.options), len(env.game.deck(env.options)))
        if moonstruck:
            others = [card for card in deck if card not in HIGHEST]
            deck = [card for high in HIGHEST for card in (high, *(others.pop(0) for _ in range(3)))] + others
        if {TWO_OF_CLUBS, SMALL_JOKER, BIG_JOKER} & set(deck[:52]):
            return deck


def chosen(draw: random.Random, legal: list[str], moonstruck: bool) -> str:
    """The moonstruck play the highest card they may; others rather often specials, so that they meet."""
    plays = [text for text in legal if text.startswith("play")]
    specials = [text for text in plays if "-" in text]
    if moonstruck and plays:
        return max(plays, key=lambda text: "23456789TJQKA".find(text[5]))
    return draw.choice(specials if specials and draw.random() < 0.5 else legal)


def compare(env: CardGameEnv, game: Hearts) -> None:
    zones = {name: cards.text(ids, joker_kinds=True).split() for name, ids in env.zones().items()}
    assert [sorted(zones[f"hand/{seat}"]) for seat in range(4)] == [sorted(hand) for hand in game.hands]
    assert field(env, "totals") == game.totals
    if game.play:
        assert zones["pile"] == game.play.pile
        assert field(env, "direction") == game.play.direction
        assert field(env, "tricks") == game.play.won
        assert field(env, "broken") == game.play.broken


@pytest.mark.rule("HE-10", "HE-11", "HE-12", "HE-13", "HE-14", "HE-15", "HE-16", "HE-17", "HE-18", "HE-19", "HE-20", "HE-22")
@pytest.mark.rule("HE-34", "HE-36", "HE-37", "HE-38", "HE-40", "HE-41", "HE-43", "HE-46", "HE-47", "HE-50", "HE-51")
@pytest.mark.parametrize("options", CHOICES, ids=str)
@random_games(4, 12)
def test_random_games(options: dict[str, Any], seeds: range) -> None:
    env, seen = raw_env("hearts_v0", **options), Counter[str]()
    for seed in seeds[::2] if env.options.match == "match" else seeds:
        draw, moonstruck = random.Random(seed), seed % 2 == 1
        decks = [dealt(env, draw, moonstruck) for _ in range(env.options.max_hands if env.options.match == "match" else 1)]
        env.reset(seed=seed, options={"decks": decks})
        game, steps = Hearts(env.options, decks, lambda: field(env, "pass_direction")), Counter[int]()
        while not game.over:
            compare(env, game)
            legal = [env.action_label(action) for action in env.legal_actions()]
            assert (env.current_player, set(legal)) == (game.actor, game.legal())
            text = chosen(draw, legal, moonstruck)
            seen[text] += 1
            steps[game.number] += game.play is not None
            env.step(env.action_from_label(text))
            game.step(text)
        assert not env.legal_actions()
        assert max(steps.values()) <= 115
        unit = env.options.target if env.options.match == "match" else 26
        expected = [(sum(game.totals) / 4 - total) / unit for total in game.totals]
        if env.options.reward == "openspiel":
            expected = [26 - total for total in game.totals]
        assert list(env.rewards.values()) == pytest.approx(expected, abs=1e-6)
        game.say.compare(env)
    if env.options.deck == "extended" and len(seeds) > 4:
        assert min(seen[text] for text in (CLAIM, DECLINE, WIN, LOSE)) > 0
