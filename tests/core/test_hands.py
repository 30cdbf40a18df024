"""The kit of hands and a stock: what is dealt again, and what stays. (The games of `wilddeck new` try the rest of it.)"""

from __future__ import annotations

import itertools
from collections import Counter

from support import determinizations, see_anew
from wilddeck.cli.kinds.matching.game import GAME
from wilddeck.envs import raw_env
from wilddeck.envs.core.cards import parse
from wilddeck.envs.core.extended.sets import places
from wilddeck.envs.core.game import as_record
from wilddeck.envs.core.jit import only_interpreted

SAMPLES = 900


def bits(cards: str) -> int:
    return sum(1 << card for card in parse(cards))


def test_every_arrangement_that_can_be_is_as_likely() -> None:
    """Seat 1 is known to hold 7c, and no other seven; seat 2 no king."""
    env = raw_env(GAME, num_players=3, cards=2)
    env.reset(seed=1)
    record = env.record[0]
    for seat, hand in enumerate(("2c 2d", "7c 3c", "7d 4c")):
        record["hand"][seat] = bits(hand)
    record["shown"][1] = bits("7c")
    record["lacks"][1], record["lacks"][2] = 1 << 5, 1 << 11
    first = int(record["stock_end"]) - 2
    record["stock_at"], record["deck"][first:] = first, parse("Kc 5c")
    see_anew(env)
    possible = Counter[tuple[int, ...]]()
    for order in itertools.permutations(
        parse("3c 7d 4c Kc 5c")
    ):  # to seat 1 one card, to seat 2 two, to the stock two in order
        one, two, stock = order[:1], order[1:3], order[3:]
        if two == tuple(sorted(two)) and one != tuple(parse("7d")) and not set(two) & set(parse("Kc")):
            possible[(*one, *two, *stock)] = 0
    assert len(possible) == 30
    with only_interpreted():
        samples = determinizations(env, 0, range(SAMPLES))
    for sample in samples:
        zones = GAME.zones(as_record(sample.reshape(1)), 0)
        assert zones["hand/0"] == parse("2c 2d") and zones["hand/1"] == [*parse("7c"), -1] and zones["hand/2"] == [-1, -1]
        (one,) = places(int(sample["hand"][1]) & ~bits("7c"))
        possible[(one, *places(int(sample["hand"][2])), *sample["deck"][first:].tolist())] += 1
    assert len(possible) == 30
    assert min(possible.values()) > 9 and max(possible.values()) < 55  # 30 are expected
