"""Dealing hidden cards again: all ways are counted, and equally likely."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from wilddeck.envs import raw_env
from wilddeck.envs.core.hidden import deal_hidden, pick, ways_to_deal
from wilddeck.envs.core.jit import device_function

SHARE = 60  # samples for each way


@device_function
def deal_many(states, kinds, room, allowed, places):  # type: ignore[no-untyped-def]
    for row in range(places.shape[0]):
        left = room.copy()
        deal_hidden(states[0], kinds, kinds.shape[0], left, allowed, places[row])
        places[row, -1] = left.sum()


@device_function
def pick_many(states, weights, picked):  # type: ignore[no-untyped-def]
    for k in range(picked.shape[0]):
        picked[k] = pick(states[0], weights, weights.shape[0])


def problem(draw: random.Random) -> tuple[list[int], list[int], list[int]]:
    """Kinds of some cards, room of some places, and which places each kind may be in, any of which may have no solution."""
    places, cards = draw.randint(2, 5), draw.randint(2, 7)
    kinds = [draw.randrange(draw.randint(1, 5)) for _ in range(cards)]
    where = [draw.randrange(places) for _ in range(cards)]
    allowed = [draw.getrandbits(places) | draw.getrandbits(places) for _ in range(5)]
    return kinds, [where.count(place) for place in range(places)], allowed


def all_ways(kinds: list[int], room: list[int], allowed: list[int]) -> set[tuple[int, ...]]:
    slots = [place for place, count in enumerate(room) for _ in range(count)]
    return {
        way
        for way in itertools.permutations(slots)
        if all(allowed[kind] >> place & 1 for kind, place in zip(kinds, way, strict=True))
    }


def surprise(counts: np.ndarray, ways: int) -> float:
    """By how many standard deviations the chi-square of these counts is above its mean."""
    expected, freedom = counts.sum() / ways, ways - 1
    chi = ((counts - expected) ** 2 / expected).sum() + (ways - len(counts)) * expected
    return float((chi - freedom) / (2 * freedom) ** 0.5)


def test_ways_are_counted() -> None:
    draw = random.Random(2)
    counted = set()
    for _ in range(400):
        kinds, room, allowed = problem(draw)
        left = np.bincount(kinds, minlength=5).astype(np.int64)
        ways = len(all_ways(kinds, room, allowed))
        assert ways_to_deal(left, np.array(room), np.array(allowed)) == ways
        counted.add(ways)
    assert len(counted) > 40 and 0 in counted


def test_ways_are_equally_likely() -> None:
    """Every way comes, no other does, and the counts are as those of fair dice."""
    draw, env = random.Random(3), raw_env("tennis_v0")
    env.reset(seed=1)
    surpluses: list[float] = []
    while len(surpluses) < 120:
        kinds, room, allowed = problem(draw)
        ways = all_ways(kinds, room, allowed)
        if not 2 <= len(ways) <= 500:
            continue
        places = np.zeros((SHARE * len(ways), len(kinds) + 1), np.int64)
        deal_many(env.record.view(type(env._states)), np.array(kinds), np.array(room), np.array(allowed), places)
        assert not places[:, -1].any(), "room is left"
        seen, counts = np.unique(places[:, :-1], axis=0, return_counts=True)
        assert {tuple(way) for way in seen.tolist()} == ways
        surpluses.append(surprise(counts, len(ways)))
    assert max(surpluses) < 4.5
    assert abs(np.mean(surpluses)) < 0.35


def test_problems_without_a_solution_end_too() -> None:
    """Some bars are ignored then, but each card has a place and each place as many as it has room for."""
    draw, env, looked = random.Random(4), raw_env("tennis_v0"), 0
    env.reset(seed=1)
    for _ in range(600):
        kinds, room, allowed = problem(draw)
        if not all_ways(kinds, room, allowed):
            places = np.zeros((3, len(kinds) + 1), np.int64)
            deal_many(env.record.view(type(env._states)), np.array(kinds), np.array(room), np.array(allowed), places)
            for row in places[:, :-1].tolist():
                assert [row.count(place) for place in range(len(room))] == room
            looked += 1
    assert looked > 20


@pytest.mark.parametrize("weights", [[1.0], [0.0, 3.0, 0.0, 1.0], [1e-9, 1.0], [1e30, 3e30, 2e30]], ids=str)
def test_weights_are_respected(weights: list[float]) -> None:
    env, picked = raw_env("tennis_v0"), np.zeros(40_000, np.int64)
    env.reset(seed=2)
    pick_many(env.record.view(type(env._states)), np.array(weights), picked)
    shares = np.bincount(picked, minlength=len(weights)) / len(picked)
    assert np.abs(shares - np.array(weights) / sum(weights)).max() < 0.012
    assert not shares[np.array(weights) == 0].any()
