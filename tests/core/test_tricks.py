"""The kit of tricks: whist for two to five against rules written slowly, and what conformance demands of every game."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from core.toy_whist import GAME
from support import Case, first_of
from wilddeck.envs import raw_env
from wilddeck.envs.core import cards
from wilddeck.envs.core.cards import suit_of
from wilddeck.testing import events, leaks, play
from wilddeck.testing.checks import checks_of

CASES = [
    Case(GAME, options, 7)
    for options in [(), (("num_players", 2),), (("num_players", 5), ("cards", 10)), (("num_players", 4), ("open_hand", True))]
]
BATTERY = [check for module in (leaks, events, play) for check in checks_of(module)]
each_case = first_of("case", CASES, ids=["default", "two", "five", "open"])


@each_case
@pytest.mark.parametrize("conforms", BATTERY, ids=lambda check: check.name)
def test_it_is_a_game(case: Case, conforms: Any) -> None:
    conforms(case)


def slow_winner(trick: list[tuple[int, int]], trump: int) -> int:
    """The seat of the best (seat, card), the first of which was led."""
    led = suit_of(trick[0][1])
    return max(trick, key=lambda played: (suit_of(played[1]) == trump, suit_of(played[1]) == led, played[1]))[0]


def slowly(env: Any, draw: random.Random) -> Counter[int]:
    """Play a game at random beside slow rules; returns how often each of them mattered."""
    n = env.num_players
    zones = env.zones()
    hands, trump = [set(zones[f"hand/{seat}"]) for seat in range(n)], suit_of(zones["trump"][0])
    voids: list[set[int]] = [set() for _ in range(n)]
    assert all(len(hand) == env.options.cards for hand in hands)
    assert len(zones["stock"]) == 51 - n * env.options.cards
    mover, trick, met = 1, list[tuple[int, int]](), Counter[int]()
    while any(hands):
        assert env.current_player == mover
        hand = hands[mover]
        same = {card for card in hand if trick and suit_of(card) == suit_of(trick[0][1])}
        assert set(env.legal_actions()) == (same or hand)
        seen = env.observe(f"player_{mover}")["observation"]
        for place in range(n):
            void = env.block(seen, "seen_void")[4 * place : 4 * place + 4]
            assert {suit for suit in range(4) if void[suit]} == voids[(mover + place) % n]
        card = draw.choice(sorted(same or hand))
        if trick and not same:
            voids[mover].add(suit_of(trick[0][1]))
        hand.remove(card)
        trick.append((mover, card))
        env.step(card)
        mover = (mover + 1) % n
        if len(trick) == n:
            mover = slow_winner(trick, trump)
            met[suit_of(dict(trick)[mover]) == trump, suit_of(trick[0][1]) == trump] += 1  # type: ignore[index]
            assert env.rewards == {f"player_{seat}": float(seat == mover) for seat in range(n)}
            trick = []
    assert env.is_over
    return met


@each_case
def test_against_slow_rules(case: Case) -> None:
    env, draw, met = case.raw(), random.Random(5), Counter[int]()
    env.block = lambda seen, name: seen[env.observation_layout[name]]
    for seed in range(60):
        env.reset(seed=seed)
        met += slowly(env, draw)
    assert min(met[True, True], met[True, False], met[False, False]) > 10  # type: ignore[index]


def test_samples_are_uniform_and_respect_what_is_known() -> None:
    """Player 2 did not follow hearts, so of the hidden cards the hearts go to player 0 or the stock: each way as often."""
    env = raw_env(GAME, cards=2)
    held = cards.parse("Ah 2h 3c 4c 5c 6h 7s")  # dealt from player 1 on: 1 has Ah 4c, 2 has 2h 5c, 0 has 3c 6h
    held[1], held[6] = held[6], held[1]  # 2 has 7s 5c, and trumps are hearts
    env.reset(seed=1, options={"deck": held + [card for card in range(52) if card not in held]})
    env.step(held[0])
    env.step(cards.parse("7s")[0])
    assert env.current_player == 0
    two, hearts = Counter[int](), 0
    for seed in range(4000):
        zones = env.determinize("player_1", seed).zones()
        assert [len(zones[f"hand/{seat}"]) for seat in range(3)] == [2, 1, 1]
        assert zones["hand/1"] == cards.parse("4c")
        two[zones["hand/2"][0]] += 1
        hearts += sum(suit_of(card) == 2 for card in zones["hand/0"])
    unseen = set(range(52)) - set(cards.parse("Ah 7s 4c 2h"))
    assert set(two) == {card for card in unseen if suit_of(card) != 2}
    assert all(0.5 < count / (4000 / len(two)) < 1.6 for count in two.values())
    expected = 4000 * 2 * 11 / 47  # of the 47 cards that player 2 does not hold 11 are hearts
    assert abs(hearts - expected) < 5 * expected**0.5


def test_a_known_hand_stays() -> None:
    env = raw_env(GAME, num_players=4, open_hand=True)
    env.reset(seed=3)
    samples = [env.determinize("player_2", seed).zones() for seed in range(20)]
    assert all(zones["hand/0"] == env.zones()["hand/0"] for zones in samples)
    assert len({tuple(zones["hand/1"]) for zones in samples}) > 15
