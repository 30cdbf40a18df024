"""Whole random games of Spades beside the slow reference: what is legal, who wins each trick, the flag, points, bags, ends."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.saying import Sayings
from games.spades_positions import GAME, field
from games.spades_reference import BID, COMMIT, DECLARE, REVEAL, WIN, Hand, suit_of
from support import random_games
from wilddeck.envs import raw_env

CHOICES: list[dict[str, Any]] = [
    {},
    {"leftover_bags": True, "breaking": "never"},
    {"breaking": "free", "team_cap": False},
    {"deck": "standard"},
    {"match": "match", "leftover_bags": True, "max_hands": 6},
    {"match": "match", "deck": "standard", "mercy": -150, "target": 100, "max_hands": 12},
]


def check_mask(env: Any, hand: Hand) -> None:
    seat, legal = env.current_player, env.legal_actions()
    held = env.zones()[f"hand/{seat}"]
    if len(hand.bids) < 4:
        most = 13 - hand.bids.get((seat + 2) % 4, 0) if env.options.team_cap else 13
        assert legal == [*range(BID, BID + most + 1)]
    elif legal[0] >= WIN:
        assert legal == [WIN, WIN + 1]
    elif field(env, "staged"):
        assert all(REVEAL <= action <= COMMIT for action in legal)
    elif hand.trick and not hand.led:
        suits = "cdhs" if hand.may_lead_spades(held) else "cdh"
        assert legal == [DECLARE + card for card in range(52) if suit_of(card) in suits]
    else:
        assert {action for action in legal if action < DECLARE} == hand.legal_cards(held)
        assert all(action < DECLARE or REVEAL <= action < COMMIT for action in legal)


@pytest.mark.rule("SP-12", "SP-13", "SP-14", "SP-15", "SP-16", "SP-17", "SP-20", "SP-21", "SP-41", "SP-43", "SP-44", "SP-45")
@pytest.mark.parametrize("options", CHOICES, ids=str)
@random_games(4, 20)
def test_random_games(options: dict[str, Any], seeds: range) -> None:
    env = raw_env("spades_v0", **options)
    for seed in seeds:
        env.reset(seed=seed)
        draw, totals, bags = random.Random(seed), [0, 0], [0, 0]
        say = Sayings("bid", "play", "trick_won", "set_aside", "score")
        while env.legal_actions():
            hand, steps, deals = Hand(env.options, say=say), 0, field(env, "deals")
            assert env.current_player == (deals - 1) % 4
            left = []
            while field(env, "deals") == deals and env.legal_actions():
                check_mask(env, hand)
                tricks, done = field(env, "tricks"), field(env, "tricks_done")
                sizes = [len(env.zones()[f"hand/{seat}"]) for seat in range(4)]
                seat, legal = env.current_player, env.legal_actions()
                # Bids that may come true, so that contracts are made as often as not.
                action = draw.choice(legal if len(hand.bids) == 4 else legal[:5])
                env.step(action)
                hand.act(seat, action)
                steps += 1
                over = field(env, "deals") != deals or not env.legal_actions()
                if over or field(env, "tricks_done") != done:
                    won = hand.settle()
                    expected = [count + (who == won) for who, count in enumerate(tricks)]
                    assert hand.tricks == expected
                    if not over:
                        assert field(env, "tricks") == expected
                        assert field(env, "broken") == hand.broken
                    sizes[seat] -= action < DECLARE
                    left = sizes
            assert steps <= 119
            for team in range(2):
                points, bags[team] = hand.score(team, left, bags[team])
                totals[team] += points
            assert field(env, "totals") == totals
            assert field(env, "bags") == bags
            if env.options.match == "match":
                target, mercy = env.options.target, env.options.mercy
                ends = max(totals) >= target or min(totals) <= mercy or deals == env.options.max_hands
                assert ends == (not env.legal_actions())
        sign = (totals[0] > totals[1]) - (totals[1] > totals[0])
        reward = sign if env.options.match == "match" else (totals[0] - totals[1]) / 500
        assert list(env.rewards.values()) == pytest.approx([reward, -reward] * 2, abs=1e-6)
        say.compare(env)


def test_no_score_is_outside_the_range_of_rewards() -> None:
    """Of every pair of bids, tricks and number of cards left."""
    for leftover in (False, True):
        options = GAME.make_options({"reward": "openspiel", "leftover_bags": leftover, "team_cap": False})
        low, high = GAME.reward_range(options)
        scores = []
        for first in range(14):
            for second in range(first, 14):
                for won in range(14):
                    for other in range(14 - won):
                        for left in range(13):
                            hand = Hand(options, {0: first, 2: second}, [won, 0, other, 0])
                            scores.append(hand.score(0, [left, 0, 0, 0], 0)[0])
        assert low <= min(scores)
        assert max(scores) <= high
