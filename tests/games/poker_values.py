"""What poker hands are worth, slowly, from the clauses: every five cards, and every card that a Joker may stand for.

A value is a tuple, the kind and then ranks 2..14 by weight; the greater tuple wins.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

JOKERS = (52, 53)
STANDARD = range(52)

Value = tuple[int, ...]


def rank(card: int) -> int:
    return card // 4 + 2


@functools.cache
def of_groups(cards: tuple[int, ...]) -> Value:
    """PK-22 and PK-25 of at most five cards, without straights and flushes."""
    counts = Counter(map(rank, cards))
    groups = sorted(((count, height) for height, count in counts.items()), reverse=True)
    sizes = [count for count, _ in groups]
    kind = {(4,): 8, (3, 2): 7, (3,): 4, (2, 2): 3, (2,): 2}.get(tuple(size for size in sizes if size > 1), 1)
    return (kind, *(height for _, height in groups)) if cards else (0,)


@functools.cache
def of_five(cards: tuple[int, ...]) -> Value:
    """PK-22 of five cards, PK-25 of fewer."""
    grouped = of_groups(cards)
    ranks = sorted(map(rank, cards))
    if len(cards) < 5:
        return grouped
    flush = len({card % 4 for card in cards}) == 1
    top = 5 if ranks == [2, 3, 4, 5, 14] else ranks[4] if ranks == list(range(ranks[0], ranks[0] + 5)) else 0
    if top:
        return (9, top) if flush else max((5, top), grouped)
    return max((6, *reversed(ranks)), grouped) if flush else grouped


def as_number(value: Value) -> int:
    """A value as events tell it: the kind, the rank of the greatest group, what decides between equal ones; ranks from 0."""
    kind, ranks = value[0], [height - 2 for height in value[1:]]
    if kind in (5, 9):
        return kind << 17 | ranks[0]
    if kind in (0, 1, 6):
        return kind << 17 | sum(1 << height for height in ranks)
    group, *rest = ranks
    if kind == 3:  # the second pair, and the kicker plus one
        return (kind << 4 | group) << 13 | rest[0] << 4 | sum(kicker + 1 for kicker in rest[1:])
    return (kind << 4 | group) << 13 | sum(1 << height for height in rest)


def choices(cards: Sequence[int], taken: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """The cards with all that their Jokers may stand for (PK-30): no card that is taken, and two different ones."""
    real = [card for card in cards if card not in JOKERS]
    free = set(STANDARD) - set(taken)
    for stand_in in itertools.combinations(sorted(free), len(cards) - len(real)):
        yield tuple(sorted([*real, *stand_in]))


def best(cards: Sequence[int], of: Callable[[tuple[int, ...]], Value] = of_five) -> Value:
    """The best five of any number of cards with Jokers; specials are none."""
    cards = sorted(card for card in cards if card <= max(JOKERS))
    size = min(5, len(cards))
    return max(of(five) for stood in choices(cards, cards) for five in itertools.combinations(stood, size))


def best_open(cards: Sequence[int]) -> Value:
    """What cards are worth that lie open (PK-20, PK-25, PK-32)."""
    return best(cards, of_groups)


def best_omaha(own: Sequence[int], board: Sequence[int]) -> Value:
    """PK-15. A Joker that is not used takes no card from the others: there are always enough that are worth nothing."""
    own, board = ([card for card in part if card <= max(JOKERS)] for part in (own, board))
    pairs = itertools.combinations(sorted(own), min(2, len(own)))
    threes = list(itertools.combinations(sorted(board), min(3, len(board))))
    fives = {(*two, *three) for two, three in itertools.product(pairs, threes)}
    return max(of_five(stood) for five in fives for stood in choices(five, [*own, *board]))
