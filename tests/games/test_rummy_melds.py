"""Melds, least deadwood, contracts and composing against the literal reference, over random hands, dense ones among them.

RUMMY_HANDS asks for more of each kind than the gate takes.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from games import rummy_melds_reference as slow
from games.rummy_positions import is_meld
from wilddeck.envs.core.extended.sets import BIT, id_at
from wilddeck.envs.games.rummy import composing, contracts, deadwood, melds

HANDS = int(os.environ.get("RUMMY_HANDS", "150"))
SEED = int(os.environ.get("RUMMY_SEED", "1"))
JOKER = 66
whole = np.int64


def words(hand: slow.Cards) -> tuple[np.uint64, np.uint64]:
    once = twice = 0
    for card in hand:
        bit = int(BIT[card])
        twice |= once & bit
        once |= bit
    return np.uint64(once), np.uint64(twice)


def ids(faces: Any) -> set[int]:
    return {int(id_at(place)) for place in range(64) if int(faces) >> place & 1}


def drawn(draw: random.Random, size: int, decks: int) -> slow.Cards:
    """A hand, often of few ranks or of ranks that are neighbours, with special cards or without."""
    width, first = draw.choice([3, 4, 5, 6, 8, 13]), draw.randrange(13)
    ranks = [(first + k) % 13 for k in range(width)] if draw.random() < 0.5 else draw.sample(range(13), width)
    pool = [4 * rank + suit for rank in ranks for suit in range(4)] + list(range(54, 66)) * (draw.random() < 0.3)
    return tuple(sorted(draw.sample(pool * decks, min(size, len(pool) * decks))))


def hand_of_runs(draw: random.Random, runs: int, jokers: int) -> slow.Cards:
    """Runs from which some cards are taken away, and now and then one is another."""
    cards: list[int] = []
    for _ in range(runs):
        length, suit = draw.randint(4, draw.choice([5, 6, 9])), draw.choice([0, draw.randrange(4)])
        first = draw.randrange(14 - length + 1)
        cards += [4 * ((first + k + 12) % 13) + suit for k in range(length)]
    for _ in range(min(draw.choice([jokers, jokers + 1, max(jokers - 1, 0)]), len(cards) - 1)):
        cards.remove(draw.choice(cards))
    if draw.random() < 0.3:
        cards[draw.randrange(len(cards))] = draw.randrange(52)
    return tuple(sorted(card for card, copies in Counter(cards).items() for _ in range(min(copies, 2))))


def hands(offset: int) -> Any:
    draw = random.Random(SEED * 100 + offset)
    for _ in range(HANDS):
        yield draw


@pytest.mark.rule("RM-10", "RM-11", "RM-12", "RM-13", "RM-14", "RM-15", "RM-16", "RM-17", "RM-18", "RM-19", "RM-20")
def test_melds_and_what_may_be_laid_off() -> None:
    for draw in hands(1):
        row = draw.randrange(len(slow.TABLE))
        rules, decks = slow.TABLE[row], 2 if row > 2 else 1
        jokers = draw.randrange(3) if row != melds.CONTRACT_STANDARD else 0
        some, used = drawn(draw, draw.randint(1, 7), decks), draw.randint(0, jokers)
        for kind, name in ((melds.GROUP, "group"), (melds.RUN, "run")):
            assert is_meld(kind, *words(some), whole(used), whole(row)) == slow.is_meld(name, some, used, rules)
        for name, cards, used in sorted(slow.melds_of(drawn(draw, 9, decks), jokers, rules))[:: 1 + draw.randrange(20)]:
            kind = melds.GROUP if name == "group" else melds.RUN
            meld = (kind, *words(cards), whole(used), whole(row))
            assert is_meld(*meld)
            others = [card for card in [*range(52), *range(54, 66)] if cards.count(card) < decks]
            expected = {card for card in others if slow.is_meld(name, tuple(sorted((*cards, card))), used, rules)}
            assert ids(melds.layable(*meld)) == expected
            assert bool(melds.joker_layable(*meld)) == slow.is_meld(name, cards, used + 1, rules)


@pytest.mark.rule("RM-60", "RM-61", "RM-62")
def test_points_of_a_hand() -> None:
    for draw in hands(2):
        hand, jokers = drawn(draw, draw.randint(0, 12), 2), draw.randrange(5)
        for ace in (1, 15):
            assert melds.points(*words(hand), whole(jokers), whole(ace)) == slow.hand_points(hand, jokers, ace)


@pytest.mark.rule("RM-32", "RM-41")
def test_least_deadwood_and_knocking() -> None:
    for draw in hands(3):
        hand, jokers = drawn(draw, draw.randint(1, 12), 1), draw.choice([0, 0, 1, 2])
        once, least = words(hand)[0], slow.least_deadwood(hand, jokers)
        assert deadwood.least_deadwood(once, whole(jokers)) == least
        most = draw.choice([0, 5, 10])
        assert bool(deadwood.deadwood_within(once, whole(jokers), whole(most))) == (least <= most)
        if draw.random() < 0.3:
            faces, joker = deadwood.knock_discards(once, whole(jokers), whole(most))
            expected = slow.knock_discards(hand, jokers, most)
            assert (ids(faces), bool(joker)) == expected
            assert bool(deadwood.can_knock(once, whole(jokers), whole(most))) == bool(expected[0] or expected[1])


@pytest.mark.rule("RM-42", "RM-43", "RM-46")
def test_contracts() -> None:
    possible = 0
    for draw in hands(4):
        jokers, deal = draw.choice([0, 0, 1, 1, 2, 3, 4]), draw.randint(1, 6)
        groups, runs = int(contracts.GROUPS[deal]), int(contracts.RUNS[deal])
        hand = drawn(draw, 3 * groups + 4 * runs - jokers + draw.randint(-1, 3), 2)
        expected = slow.contract_possible(hand, jokers, groups, runs)
        assert bool(contracts.contract_possible(*words(hand), whole(jokers), whole(groups), whole(runs))) == expected
        possible += expected
    assert HANDS / 10 < possible < HANDS * 9 / 10


@pytest.mark.rule("RM-44")
def test_the_last_contract() -> None:
    possible = 0
    for draw in hands(5):
        jokers, runs = draw.randint(0, 4), draw.choice([1, 2, 3, 3])
        hand = hand_of_runs(draw, runs, jokers)
        expected = slow.last_contract_possible(hand, jokers, runs)
        assert bool(contracts.last_contract_possible(*words(hand), whole(jokers), whole(runs))) == expected
        possible += expected
    assert HANDS / 10 < possible < HANDS * 9 / 10


def to_lay(draw: random.Random) -> tuple[int, int, slow.Cards, int, int, int, int]:
    """(mode, kinds, hand, Jokers, a, b, rules) from which a legal meld can be composed, or not."""
    mode = draw.randrange(4)
    if mode == composing.FREE:
        return mode, 3, drawn(draw, draw.randint(2, 11), 1), draw.randrange(3), 0, 0, draw.randrange(3)
    if mode == composing.KNOCK:
        while True:
            hand, jokers, most = drawn(draw, draw.randint(3, 10), 1), draw.randrange(3), draw.choice([0, 5, 10])
            if slow.least_deadwood(hand, jokers) <= most:
                return mode, 3, hand, jokers, most, 0, int(melds.GIN)
    if mode == composing.CONTRACT_DEAL:
        jokers, deal = draw.randrange(4), draw.randint(1, 6)
        groups, runs = int(contracts.GROUPS[deal]), int(contracts.RUNS[deal])
        hand = drawn(draw, 3 * groups + 4 * runs - jokers + draw.randint(0, 2), 2)
        follow = (1, groups - 1, runs) if groups else (2, 0, runs - 1)
        return mode, follow[0], hand, jokers, follow[1], follow[2], int(melds.CONTRACT)
    jokers, runs = draw.randint(0, 3), draw.randint(1, 3)
    return mode, 2, hand_of_runs(draw, runs, jokers), jokers, 0, runs - 1, int(melds.CONTRACT)


@pytest.mark.rule("RM-33", "RM-34", "RM-43", "RM-44")
def test_composing_reaches_every_legal_meld_and_no_other() -> None:
    for draw in hands(6):
        mode, kinds, hand, jokers, a, b, row = to_lay(draw)
        legal = slow.legal_melds(mode, kinds, hand, jokers, a, b, row)
        all_groups, all_runs = (a + 1, b) if kinds == 1 else (a, b + 1)
        contract = mode in (composing.CONTRACT_DEAL, composing.LAST_DEAL_RUNS)
        whole_contract = (all_groups if mode == composing.CONTRACT_DEAL else a, all_runs if contract else b)
        held = composing.Cards(*words(hand), whole(jokers))
        begin = composing.Aim(*map(whole, (mode, kinds, *whole_contract, row)))
        assert bool(composing.can_begin(begin, held)) == bool(legal)
        kinds_of: dict[slow.Cards, set[str]] = {}
        for meld in legal:
            kinds_of.setdefault(slow.spelled(meld), set()).add(meld[0])
        prefixes = sorted({meld[:size] for meld in kinds_of for size in range(1, len(meld) + 1)})
        for so_far in [(), *draw.sample(prefixes, min(len(prefixes), 12))]:
            wilds = so_far.count(JOKER)
            composed = composing.Cards(*words(so_far[: len(so_far) - wilds]), whole(wilds))
            aim = composing.Aim(*map(whole, (mode, kinds, a, b, row)))
            additions = ids(composing.additions(aim, held, composed))
            if composing.joker_addition(aim, held, composed):
                additions.add(JOKER)
            assert additions == {meld[len(so_far)] for meld in kinds_of if meld[: len(so_far)] == so_far != meld}
            for kind, name in ((melds.GROUP, "group"), (melds.RUN, "run")):
                closes = composing.may_close(kind, aim, held, composed)
                assert bool(closes) == (name in kinds_of.get(so_far, ()))
