"""Whole games of rummy beside the slow reference: who moves, what is legal, where every card is, rewards, events."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from games import rummy_reference as slow
from games.rummy_course_reference import JOKER, kind
from games.rummy_reference import Table
from support import random_games
from wilddeck.envs import raw_env
from wilddeck.envs.core.interpret import interpreted
from wilddeck.envs.core.rng import shuffle

MOST_STEPS = 1500  # of a match of contract
PARTS = {"basic": 2, "gin": 1, "contract": 3}


def drawn_options(draw: random.Random, variant: str) -> dict[str, Any]:
    deck = draw.choice(["extended", "extended", "standard"])
    effects = {"meld_effects": draw.choice(["rule3", "rule3", "discard_only"])}
    limits = {"recycles": draw.randrange(3), "max_turns": draw.choice([400, 400, 60, 9])}
    if variant == "gin":
        bonuses = {"gin_bonus": draw.choice([25, 0, 20]), "undercut_bonus": draw.choice([25, 10])}
        reach = None if draw.random() < 0.5 else "full"
        cap = draw.choice([50, 50, 50, 50, 50, 5, 1])
        knock = {
            "knock_card": draw.choice([10, 10, 5, 0]),
            "oklahoma": draw.random() < 0.3,
            "undercut_tie": draw.random() < 0.5,
        }
        return {"variant": variant, "deck": deck, "layoff_reach": reach, "upcard_cap": cap, **bonuses, **knock}
    if variant == "contract":
        first = draw.randint(1, 7)
        chosen_options = {"first_deal": first, "deals": draw.randint(1, 2), "buys": draw.choice([0, 1, 3, 9])}
        return {"variant": variant, "deck": deck, "num_players": draw.randint(3, 5), **chosen_options, **effects, **limits}
    basic = {"ace": draw.choice(["low", "both"]), "melds_per_turn": draw.randrange(2), "rummy_double": draw.random() < 0.5}
    return {"variant": variant, "deck": deck, "num_players": draw.randint(2, 6), **basic, **effects, **limits}


def arranged(draw: random.Random, deck: list[int], players: int, hand_size: int, length: int, groups: float) -> list[int]:
    """A shuffled deck; often with special cards and Jokers on top, or with hands of melds."""
    deck = list(deck)
    draw.shuffle(deck)
    way = draw.random()
    if way < 0.25:
        return deck
    if way < 0.5:
        return sorted(deck, key=lambda card: draw.random() * (4 if card >= 52 else 10))
    left, hands = list(deck), []
    for _ in range(players):
        hand: list[int] = []
        while len(hand) < hand_size:
            cards = meld_to_deal(draw, length, groups) if draw.random() < 0.9 else [draw.choice(left)]
            if draw.random() < 0.4 and 52 in left:
                cards[draw.randrange(len(cards))] = 52
            cards = cards[: hand_size - len(hand)]
            if not Counter(cards) - Counter(left):
                hand += cards
                left = list((Counter(left) - Counter(cards)).elements())
        draw.shuffle(hand)
        hands.append(hand)
    draw.shuffle(left)
    longer: list[int] = []
    for hand in hands if not groups else []:
        longer.append(next_of_a_run(hand, left))
        left.remove(longer[-1])
    return [hand[k] for k in range(hand_size) for hand in hands] + left[:1] + longer + left[1:]


def next_of_a_run(hand: list[int], left: list[int]) -> int:
    """A card that makes a run of the hand longer."""
    tops = [card for card in hand if card < 48 and card - 4 in hand and card + 4 not in hand and card + 4 in left]
    return tops[0] + 4 if tops else left[0]


def meld_to_deal(draw: random.Random, length: int, groups: float) -> list[int]:
    if draw.random() < groups:
        return [4 * draw.randrange(13) + suit for suit in draw.sample(range(4), 3)]
    if draw.random() < groups / 5:
        return [54 + 4 * draw.randrange(3) + suit for suit in draw.sample(range(4), 3)]
    first, suit = draw.randrange(14 - length + 1), draw.randrange(4)
    return [4 * ((first + k + 12) % 13) + suit for k in range(length)]


def chosen(draw: random.Random, table: Table, legal: list[int], eager: float) -> int:
    """Melds, knocks and lay-offs as far as the player is eager; they throw cards that have no neighbours in their hand."""
    melding = [action for action in legal if slow.KNOCK <= action < slow.REVEAL]
    if melding and draw.random() < eager:
        return draw.choice(melding)
    throws = [action for action in legal if action < 66 and action != JOKER]
    if table.phase == "play" and throws and draw.random() < eager:
        hand = table.hands[table.seat]
        return min(throws, key=lambda card: (neighbours(card, hand), -min(card // 4, 9), draw.random()))
    rest = [action for action in legal if not slow.REVEAL <= action < slow.COMMIT]
    return draw.choice(rest if rest and draw.random() < 0.7 else legal)


def neighbours(card: int, hand: list[int]) -> int:
    if card >= 54:
        return sum(kind(other) == kind(card) for other in hand) - 2
    ranks = [other // 4 for other in hand if other < 52 and other != card and other % 4 == card % 4]
    return sum(other < 52 and other // 4 == card // 4 for other in hand) + sum(abs(rank - card // 4) <= 2 for rank in ranks)


def compare(env: Any, table: Table) -> None:
    zones = env.zones()
    assert table.over or env.current_player == table.seat
    assert env.legal_actions() == table.legal(), table.phase
    for seat in range(table.n):
        assert sorted(zones[f"hand/{seat}"]) == sorted(table.hands[seat])
    assert zones["pile"] == table.stock
    assert zones["discards"] == table.discards
    assert sorted(zones["aside"]) == sorted(table.aside)
    for slot, meld in enumerate(table.melds):
        assert sorted(zones[f"meld/{slot}"]) == sorted(meld.cards)
    assert list(env.rewards.values()) == pytest.approx(table.rewards, abs=1e-4)


def shuffler(env: Any) -> Callable[[list[int]], list[int]]:
    """How the game will shuffle cards in its next step: chance, which its generator has."""
    state = SimpleNamespace(rng=env.record["rng"][0], rng_key=env.record["rng_key"][0])

    def shuffled(cards: list[int]) -> list[int]:
        with np.errstate(over="ignore"):
            interpreted(shuffle)(state, cards, len(cards))
        return cards

    return shuffled


def play_beside(variant: str, seed: int, seen: Counter[str]) -> None:
    draw = random.Random(f"{variant} {seed}")
    options = drawn_options(draw, variant)
    env = raw_env("rummy_v0", **options)
    deals = options.get("deals", 1)
    hand_size = 12 if options.get("first_deal", 1) > 3 else 10
    if variant == "basic":
        hand_size = {2: 10, 3: 7, 4: 7, 5: 6, 6: 6}[options["num_players"]]
    length = 4 if variant == "contract" else 3
    groups = 0.0 if options.get("first_deal") == 7 else 0.2 if variant == "contract" else 0.5
    deck = env.game.deck(env.options)
    decks = [arranged(draw, deck, env.num_players, hand_size, length, groups) for _ in range(deals)]
    env.reset(seed=seed, options={"decks": decks} if variant == "contract" else {"deck": decks[0]})
    table = Table(env.options, decks)
    compare(env, table)
    eager = draw.choice([0.0, 0.5, 0.95])
    for _ in range(MOST_STEPS):
        if table.over:
            seen["ended"] += 1
            break
        legal = table.legal()
        action = chosen(draw, table, legal, eager)
        seen[table.phase if action < slow.REVEAL else "reveal"] += 1
        seen["paused"] += bool(table.paused)
        dealt, recycles = table.dealt, table.recycles
        shuffled = shuffler(env)
        env.step(action)
        table.act(action, shuffled)
        seen["new deal"] += table.dealt - dealt
        seen["recycled"] += table.recycles < recycles
        seen["Joker in a meld"] += any(meld.jokers for meld in table.melds)
        seen["laid off"] += any(len(meld.cards) > len(meld.first) for meld in table.melds)
        seen["contract laid"] += sum(table.down)
        seen["last contract laid"] += table.deal_number == 7 and len(table.melds) == 3
        compare(env, table)
    table.saying.compare(env)
    seen["out"] += table.over and not all(table.hands)
    seen["knocked"] += table.knocker >= 0


SHARED = {"ended", "draw", "play", "compose", "reveal", "paused", "Joker in a meld"}
MET = {
    "basic": {*SHARED, "laid off", "out", "recycled"},
    "gin": {*SHARED, "first", "laid off", "knock_discard", "knock_melds", "defence_layoffs", "defence_melds", "knocked"},
    "contract": {*SHARED, "offer", "new deal", "contract laid", "last contract laid", "laid off", "recycled"},
}


@pytest.mark.rule("RM-01", "RM-02", "RM-03", "RM-04", "RM-05", "RM-21", "RM-22", "RM-23", "RM-24", "RM-25", "RM-26", "RM-27")
@pytest.mark.rule("RM-28", "RM-29", "RM-30", "RM-31", "RM-35", "RM-36", "RM-37", "RM-38", "RM-39", "RM-40", "RM-45", "RM-47")
@pytest.mark.rule("RM-48", "RM-50", "RM-51", "RM-52", "RM-53", "RM-54", "RM-55", "RM-56", "RM-57", "RM-58", "RM-59", "RM-63")
@pytest.mark.parametrize("variant", PARTS)
@random_games(16, 48)
def test_random_games(variant: str, seeds: range) -> None:
    seen: Counter[str] = Counter()
    for seed in seeds[:: PARTS[variant]]:
        play_beside(variant, seed, seen)
    assert seeds.start or not {event for event in MET[variant] if not seen[event]}  # the first games show it
