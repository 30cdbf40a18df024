"""The fixtures of the tests."""

import pytest
from my_game import GAME
from wilddeck import cards
from wilddeck.envs import raw_env


@pytest.fixture
def deal():
    """Deal a game: `deal(["7c Kd", "2h 2s"], then="As", cards=2)` deals 7c Kd to seat 0; As is the next card of the deck."""

    def dealt(hands, then="", **options):
        held = [cards.parse(hand) for hand in hands]
        deck = [card for in_turn in zip(*held, strict=True) for card in in_turn] + cards.parse(then)
        env = raw_env(GAME, num_players=len(hands), **options)
        env.reset(options={"deck": deck + [card for card in range(52) if card not in deck]})
        return env

    return dealt
