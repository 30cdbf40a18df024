"""Combinations of By The Skin of Your Teeth and their order, slow and obvious, written from the rules alone."""

from __future__ import annotations

from collections import Counter

SUIT_ORDER = "dchs"  # ST-16
SINGLE, PAIR, THREE, FOUR, STRAIGHT, FLUSH, FULL_HOUSE, STRAIGHT_FLUSH = range(1, 9)
ACE = 12
POINTS = {0: 12, 1: 11, 2: 10, 3: 9, 4: 8, 5: 7, 6: 6, 7: 5, 8: 4, 9: 3, 10: 2, 11: 1, ACE: 6}  # ST-28, by rank


def rank(card: int) -> int:
    return card // 4


def suit(card: int) -> int:
    return SUIT_ORDER.index("cdhs"[card % 4])


def reference(cards: list[int]) -> tuple[int, ...] | None:
    """Kind and what decides within it, to be compared in order; None for no valid combination."""
    if len(cards) == 1 and cards[0] >= 52:
        return (SINGLE, 99)
    if not 1 <= len(cards) <= 5 or max(cards) >= 52 or len(set(cards)) < len(cards):
        return None
    cards = sorted(cards, key=lambda card: (rank(card), suit(card)), reverse=True)
    ranks, suits = [rank(card) for card in cards], [suit(card) for card in cards]
    if len(cards) < 5:
        return (len(cards), ranks[0], *suits) if len(set(ranks)) == 1 else None
    straight = ranks == list(range(ranks[0], ranks[0] - 5, -1))
    flush = len(set(suits)) == 1
    if straight:
        return (STRAIGHT_FLUSH if flush else STRAIGHT, ranks[0], *suits)
    if flush:
        return (FLUSH, *ranks, suits[0])
    (three, threes), (pair, twos) = [*Counter(ranks).most_common(2), (0, 0)][:2]
    if (threes, twos) != (3, 2):
        return None
    of_three = [suit(card) for card in cards if rank(card) == three]
    return (FULL_HOUSE, three, pair, *of_three, *(suit(card) for card in cards if rank(card) == pair))


def reference_beats(attack: list[int], defence: list[int]) -> bool:
    a, d = reference(attack), reference(defence)
    if a is None:
        return False
    if d is None or defence[0] >= 52:
        return True
    if len(attack) != len(defence):
        return False
    if len(attack) < 5 and a[1] == 0 and d[1] == ACE:
        return True
    return a > d
