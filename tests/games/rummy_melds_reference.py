"""Melds, deadwood and contracts once more, slowly: every Joker is given a card to stand for, every arrangement is tried.

A hand is a sorted tuple of ids (0..51 standard, 54..65 specials, a face twice where there are two decks) and how many Jokers.
A meld is (kind, cards, Jokers): "group" or "run".
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations

RANKS = "23456789TJQKA"
LOW_LINE, HIGH_LINE = "A23456789TJQK", "23456789TJQKA"
Cards = tuple[int, ...]
Meld = tuple[str, Cards, int]


class Rules:
    def __init__(self, shortest: int, longest: int, most_of_group: int, ace_high: bool) -> None:
        self.shortest, self.longest, self.most_of_group = shortest, longest, most_of_group
        self.lines = [LOW_LINE, HIGH_LINE] if ace_high else [LOW_LINE]


# As they are laid, in the order of RULES of the game
LAID = [Rules(3, 13, 4, False), Rules(3, 13, 4, True), Rules(3, 5, 4, False), Rules(4, 4, 3, True), Rules(4, 4, 3, True)]
LAST_DEAL = Rules(4, 13, 0, True)
TABLE = [Rules(3, 13, 4, False), Rules(3, 13, 4, True), Rules(3, 13, 4, False), Rules(4, 13, 4, True), Rules(4, 13, 8, True)]


def faces_of_run(line: str, first: int, length: int, suit: int) -> Cards:
    return tuple(4 * RANKS.index(rank) + suit for rank in line[first : first + length])


def groups_of(hand: Cards, jokers: int, rules: Rules) -> set[Meld]:
    groups = set()
    for first in range(0, 68, 4):
        held = [card for card in hand if card // 4 == first // 4] if first < 52 else []
        if first >= 52:
            held = [card for card in hand if card >= 54 and (card - 54) // 4 == (first - 52) // 4]
        for size in range(1, min(len(held), rules.most_of_group) + 1):
            for naturals in set(combinations(held, size)):
                others = [first + suit for suit in range(4) if first + suit not in naturals] if first < 52 else []
                for used in range(jokers + 1):
                    if 3 <= size + used <= rules.most_of_group and any(True for _ in combinations(others, used)):
                        groups.add(("group", naturals, used))
    return groups


def runs_of(hand: Cards, jokers: int, rules: Rules) -> set[Meld]:
    runs = set()
    for suit in range(4):
        held = {card for card in hand if card < 52 and card % 4 == suit}
        for line in rules.lines if held else []:
            for length in range(rules.shortest, rules.longest + 1):
                for first in range(13 - length + 1):
                    faces = faces_of_run(line, first, length, suit)
                    own = [face for face in faces if face in held]
                    for replaced in range(jokers - (length - len(own)) + 1):
                        for given_up in combinations(own, replaced):
                            naturals = tuple(sorted(set(own) - set(given_up)))
                            if naturals:
                                runs.add(("run", naturals, length - len(naturals)))
    return runs


def melds_of(hand: Cards, jokers: int, rules: Rules) -> set[Meld]:
    return groups_of(hand, jokers, rules) | runs_of(hand, jokers, rules)


def without(hand: Cards, cards: Cards) -> Cards:
    return tuple(sorted((Counter(hand) - Counter(cards)).elements()))


def is_meld(kind: str, cards: Cards, jokers: int, rules: Rules) -> bool:
    return (kind, cards, jokers) in (groups_of if kind == "group" else runs_of)(cards, jokers, rules)


def card_points(card: int, ace: int) -> int:
    if card >= 52:
        return 10
    return ace if card // 4 == 12 else min(card // 4 + 2, 10)


def hand_points(hand: Cards, jokers: int, ace: int) -> int:
    absent = sorted(card_points(card, ace) for card in range(52) if card not in hand)
    return sum(card_points(card, ace) for card in hand) + sum(absent[:jokers])


def least_deadwood(hand: Cards, jokers: int) -> int:
    """One deck, aces low. What Jokers left over count depends on the cheapest cards left over alone."""
    melds: dict[int, list[tuple[frozenset[int], int]]] = {}
    for _, cards, used in melds_of(hand, jokers, LAID[2]):
        melds.setdefault(cards[0], []).append((frozenset(cards), used))

    @cache
    def least(rest: frozenset[int], free: int, cheap: Cards) -> int:
        if not rest:
            return hand_points(cheap, free, 1) - hand_points(cheap, 0, 1)
        first = min(rest)
        kept = (*cheap, first) if first // 4 in (12, 0, 1) else cheap
        best = card_points(first, 1) + least(rest - {first}, free, kept)
        for cards, used in melds.get(first, ()):
            if used <= free and cards <= rest:
                best = min(best, least(rest - cards, free - used, cheap))
        return best

    return least(frozenset(hand), jokers, ())


def knock_discards(hand: Cards, jokers: int, most: int) -> tuple[set[int], bool]:
    faces = {card for card in hand if least_deadwood(without(hand, (card,)), jokers) <= most}
    return faces, jokers > 0 and least_deadwood(hand, jokers - 1) <= most


@cache
def contract_possible(hand: Cards, jokers: int, groups: int, runs: int) -> bool:
    if groups:
        melds, left = groups_of(hand, jokers, LAID[3]), (groups - 1, runs)
    elif runs:
        melds, left = runs_of(hand, jokers, LAID[3]), (0, runs - 1)
    else:
        return True
    return any(contract_possible(without(hand, cards), jokers - used, *left) for _, cards, used in sorted(melds, key=cheapest))


def cheapest(meld: Meld) -> int:
    return meld[2]


@cache
def last_contract_possible(hand: Cards, jokers: int, runs: int) -> bool:
    if not runs:
        return not hand and not jokers
    if not hand or not 4 * runs <= len(hand) + jokers <= 13 * runs or hand[-1] >= 52:
        return False
    if len({card % 4 for card in hand}) > runs:
        return False
    with_first = (meld for meld in runs_of(hand, jokers, LAST_DEAL) if meld[1][0] == hand[0])
    return any(last_contract_possible(without(hand, cards), jokers - used, runs - 1) for _, cards, used in with_first)


def legal_melds(mode: int, kinds: int, hand: Cards, jokers: int, a: int, b: int, row: int) -> set[Meld]:
    """As composing.py's modes."""
    rules = LAST_DEAL if mode == 3 else LAID[row]
    melds = groups_of(hand, jokers, rules) if kinds & 1 and mode != 3 else set()
    melds |= runs_of(hand, jokers, rules) if kinds & 2 else set()
    legal = set()
    for meld in melds:
        rest, free = without(hand, meld[1]), jokers - meld[2]
        if mode == 1 and least_deadwood(rest, free) > a:
            continue
        if mode == 2 and not contract_possible(rest, free, a, b):
            continue
        if mode == 3 and not last_contract_possible(rest, free, b):
            continue
        legal.add(meld)
    return legal


def spelled(meld: Meld) -> Cards:
    """The cards of a meld in the order in which they are added, a Joker as 66 (after all others)."""
    return (*meld[1], *[66] * meld[2])


def valid(kind: str, naturals: list[int], jokers: int, rules: Rules) -> bool:
    """Whether the Jokers can stand for cards that make it a meld (RM-17): every run of the right length is looked at."""
    if not naturals:
        return False
    if kind == "group":
        ranks = {card // 4 if card < 52 else 13 + (card - 54) // 4 for card in naturals}
        suits = len(set(naturals))
        if len(ranks) > 1 or not 3 <= len(naturals) + jokers <= rules.most_of_group:
            return False
        return not jokers or (naturals[0] < 52 and jokers <= 4 - suits)
    if naturals[-1] >= 52 or len({card % 4 for card in naturals}) > 1 or len(set(naturals)) < len(naturals):
        return False
    length = len(naturals) + jokers
    if not rules.shortest <= length <= 13:
        return False
    suit = naturals[0] % 4
    starts = range(13 - length + 1)
    return any(set(naturals) <= set(faces_of_run(line, first, length, suit)) for line in rules.lines for first in starts)


def least_after_discard(naturals: tuple[int, ...], jokers: int) -> int:
    """The least deadwood after the best discard, all arrangements tried."""
    best = min((least_deadwood(naturals, jokers - 1) for _ in range(min(jokers, 1))), default=10_000)
    melds: dict[int, list[tuple[frozenset[int], int]]] = {}
    for _, cards, used in melds_of(naturals, jokers, LAID[2]):
        melds.setdefault(cards[0], []).append((frozenset(cards), used))
    seen: dict[tuple[frozenset[int], int, tuple[int, ...], bool], int] = {}

    def least(rest: frozenset[int], free: int, cheap: tuple[int, ...], gone: bool) -> int:
        key = (rest, free, cheap, gone)
        if key not in seen:
            seen[key] = work_out(*key)
        return seen[key]

    def work_out(rest: frozenset[int], free: int, cheap: tuple[int, ...], gone: bool) -> int:
        if not rest:
            return hand_points(cheap, free, 1) - hand_points(cheap, 0, 1) if gone else 10_000
        first = min(rest)
        kept = (*cheap, first) if first // 4 in (12, 0, 1) else cheap
        fewest = card_points(first, 1) + least(rest - {first}, free, kept, gone)
        if not gone:
            fewest = min(fewest, least(rest - {first}, free, cheap, True))
        for cards, used in melds.get(first, ()):
            if used <= free and cards <= rest:
                fewest = min(fewest, least(rest - cards, free - used, cheap, gone))
        return fewest

    return min(best, least(frozenset(naturals), jokers, (), False))
