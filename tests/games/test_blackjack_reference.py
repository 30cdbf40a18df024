"""Whole random games of blackjack beside the slow reference: movers, legal actions, hands, events, rewards."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.blackjack_positions import GAME, zone
from games.blackjack_reference import Episode, total
from games.shoe_positions import labels
from support import random_games
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv


def compare(env: CardGameEnv, draw: random.Random) -> None:
    options = env.options
    decks = []
    for _ in range(options.hands):
        decks.append(GAME.deck(options))
        draw.shuffle(decks[-1])
    env.reset(seed=1, options={"decks": decks})
    episode = Episode(options, decks)
    course, answer = episode.run(), None
    stands = draw.random() < 0.5
    while True:
        try:
            seat, legal = course.send(answer) if answer else next(course)
        except StopIteration:
            break
        if answer:
            check_rewards(env, episode)
        assert env.current_player == seat
        assert labels(env) == legal
        check_facts(env, episode)
        usual = sorted(legal - {"surrender", "stand"} if stands and draw.random() < 0.7 and len(legal) > 1 else legal)
        answer = draw.choice(usual or sorted(legal))
        env.step(env.action_from_label(answer))
    assert not env.legal_actions()
    check_rewards(env, episode)
    check_facts(env, episode)
    episode.say.compare(env)


def check_rewards(env: CardGameEnv, episode: Episode) -> None:
    assert list(env.rewards.values()) == pytest.approx([float(paid) for paid in episode.paid], abs=1e-4)
    episode.paid = [0] * len(episode.paid)


def check_facts(env: CardGameEnv, episode: Episode) -> None:
    zones, record = env.zones(), env.record[0]
    for seat, player in enumerate(episode.players):
        for k, hand in enumerate(player.hands):
            assert zones[zone(seat, k)] == sorted(hand.cards)
        assert record["num_hands"][seat] == len(player.hands)
    assert sorted(zones["dealer"]) == sorted(episode.dealer.hands[0].cards if episode.dealer.hands else [])
    assert zones["pile"] == episode.shoe
    assert record["direction"] == episode.direction
    assert (record["hole_card"] >= 0) == (bool(zones["dealer"]) and not episode.hole_up)


@random_games(3, 12)
@pytest.mark.parametrize("number", range(len(GAME.options.samples())))
def test_random_games(number: int, seeds: range) -> None:
    options: Any = vars(GAME.options.samples()[number])
    env, draw = raw_env("blackjack_v0", **{**options, "hands": min(options["hands"], 8)}), random.Random(f"{number} {seeds}")
    for _ in seeds:
        compare(env, draw)


@pytest.mark.rule("BJ-30", "BJ-31", "BJ-32", "BJ-33")
def test_totals_of_random_hands() -> None:
    """With many Jokers, and with many cards of a rank, of several decks."""
    from wilddeck.envs.games.blackjack.totals import total_of

    draw, counts = random.Random(5), [0] * 66
    import numpy as np

    for _ in range(3000):
        jokers = draw.choice((0, 1, 1, 2, 3, 4))
        low = draw.choice((list(range(52)), [*range(16), *range(48, 52)], [*range(4), *range(48, 52)]))
        held = [draw.choice(low) for _ in range(draw.randrange(9))] + [draw.choice((52, 53)) for _ in range(jokers)]
        counts = np.bincount(np.array(held, np.int64), minlength=66).astype(np.uint8)
        if held:
            assert tuple(total_of(counts)) == total(held), held
