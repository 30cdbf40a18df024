"""Plays of Wild Escape and their order, slow and obvious, written from the rules alone.

`value` says what cards are worth that are what they are. `reference` tries everything that the Jokers of a play may stand for.
`Plays` does the same for all plays there are: `value` speaks of ranks and of whether all cards are of one suit, so plays are
grouped by their ranks and common suit, and what a Joker adds is looked up, card by card. `alike` are plays of a hand.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter

import numpy as np
from wilddeck.envs.core.cards import BIG_JOKER, DECK_54, SMALL_JOKER

SINGLE, PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR_ONE, STRAIGHT_FLUSH, FIVE = range(1, 10)  # WE-06
SMALL, BIG = 13, 14  # ranks, after 0..12 = 2..A
ACE = 12
STRAIGHTS = {tuple(range(low, low + 5)): low + 4 for low in range(9)} | {(0, 1, 2, 3, ACE): 3}  # WE-08: ranks and the top one

Value = tuple[int, ...]


def rank(card: int) -> int:
    return card // 4 if card < SMALL_JOKER else SMALL + card - SMALL_JOKER


@functools.cache
def order(trump: int) -> tuple[int, ...]:
    """All ranks from the lowest up (WE-04)."""
    return (*(other for other in range(13) if other != trump - 2), trump - 2, SMALL, BIG)


def value(ranks: tuple[int, ...], one_suit: bool, trump: int, flush_compare: str) -> Value | None:
    """What cards are worth that stand for themselves, to be compared in order; None for no legal play (WE-05)."""
    places = sorted((order(trump).index(member) for member in ranks), reverse=True)
    if len(ranks) in (1, 2, 3):
        return (len(ranks), places[0]) if len(set(ranks)) == 1 else None
    if len(ranks) != 5:
        return None
    (most, times), *_ = Counter(ranks).most_common()
    top = STRAIGHTS.get(tuple(sorted(ranks)))
    values: list[Value] = []
    if times == 5:
        values.append((FIVE, order(trump).index(most)))
    if times == 4:
        values.append((FOUR_ONE, order(trump).index(most)))  # WE-07
    if times == 3 and len(set(ranks)) == 2:
        values.append((FULL_HOUSE, order(trump).index(most)))
    if one_suit and top is not None:
        values.append((STRAIGHT_FLUSH, top))
    if one_suit:
        values.append((FLUSH, *places) if flush_compare == "all" else (FLUSH, places[0]))  # WE-09
    if top is not None:
        values.append((STRAIGHT, top))
    return max(values, default=None)  # WE-11


def may_stand_for(joker: int) -> range:
    """WE-10: itself, or any single lower card."""
    return range(joker + 1)


def reference(cards: list[int], trump: int, flush_compare: str = "all") -> Value | None:
    """The highest value of a play, whatever its Jokers stand for. Takes seconds for three Jokers among five cards."""
    choices = [may_stand_for(card) if card >= SMALL_JOKER and len(cards) > 1 else (card,) for card in cards]
    seen = {tuple(sorted(chosen)) for chosen in itertools.product(*choices)}
    values = [value(tuple(map(rank, chosen)), one_suit(chosen), trump, flush_compare) for chosen in seen]
    return max((candidate for candidate in values if candidate is not None), default=None)


def one_suit(cards: tuple[int, ...]) -> bool:
    return max(cards) < SMALL_JOKER and len({card % 4 for card in cards}) == 1


def top_rank(play: Value, trump: int) -> int:
    """The rank that a value speaks of: its set's, or that of its highest card."""
    return play[1] if play[0] in (STRAIGHT, STRAIGHT_FLUSH) else order(trump)[play[1]]


def action(play: Value, suit: int, trump: int) -> int:
    """The number 1..192 of a value among the actions; `suit` is that of a flush."""
    before = {
        SINGLE: 1,
        PAIR: 16,
        THREE: 31,
        STRAIGHT: 46 - 3,
        FLUSH: 56 + suit * 13,
        FULL_HOUSE: 108,
        FOUR_ONE: 123,
        STRAIGHT_FLUSH: 138 - 3 + suit * 10,
        FIVE: 178,
    }
    return before[play[0]] + top_rank(play, trump)


# --- all plays ---

RANKS = 15
ANY_SUIT, NO_SUIT, SUITS = 4, 5, 6  # common suits beside 0..3: of no cards; of cards of several suits, and with Jokers

# Common suit of some cards and one more, by the common suit before and that of the card (NO_SUIT of a Joker).
JOIN = np.full((SUITS, SUITS), NO_SUIT)
for suit in range(4):
    JOIN[suit, suit] = JOIN[ANY_SUIT, suit] = suit

SUIT_OF = np.array([card % 4 if card < SMALL_JOKER else NO_SUIT for card in range(DECK_54)])
RANK_OF = np.array([rank(card) for card in range(DECK_54)])


@functools.cache
def ranks_of(size: int) -> list[tuple[int, ...]]:
    """The ranks of `size` cards, sorted, in all ways."""
    return list(itertools.combinations_with_replacement(range(RANKS), size))


@functools.cache
def with_rank(size: int) -> np.ndarray:
    """The place in `ranks_of(size + 1)`, by the place in `ranks_of(size)` and a rank more."""
    place = {ranks: number for number, ranks in enumerate(ranks_of(size + 1))}
    return np.array([[place[tuple(sorted((*ranks, added)))] for added in range(RANKS)] for ranks in ranks_of(size)])


def groups(cards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place in `ranks_of` and the common suit of each row of cards [N, k]."""
    ranks, suits = np.zeros(len(cards), np.int64), np.full(len(cards), ANY_SUIT)
    for size, column in enumerate(cards.T):
        ranks, suits = with_rank(size)[ranks, RANK_OF[column]], JOIN[suits, SUIT_OF[column]]
    return ranks, suits


@functools.cache
def all_plays(size: int, trump: int, flush_compare: str) -> Plays:
    return Plays(size, trump, flush_compare)


class Plays:
    """Values of all plays of `size` cards under a trump rank.

    `values` has them in order, `places[small, big]` by the ranks and common suit of the other cards the place of the best one
    that the Small and Big Jokers allow, -1 for none.
    """

    def __init__(self, size: int, trump: int, flush_compare: str) -> None:
        of_group = {
            suited: [
                value(ranks, suited, trump, flush_compare) if not suited or max(ranks) < SMALL else None
                for ranks in ranks_of(size)
            ]
            for suited in (False, True)
        }
        self.values: list[Value] = sorted({play for of in of_group.values() for play in of if play is not None})
        place = {None: -1} | {play: number for number, play in enumerate(self.values)}
        columns = [of_group[suit < 4] for suit in range(SUITS)]
        natural = np.array([[place[play] for play in of] for of in columns]).T
        self.places = {(0, 0): natural}
        if size == 1:
            return
        for small, big in sorted(itertools.product(range(4), repeat=2), key=sum)[1:]:
            if small + big <= size:
                self.places[small, big] = self._with_joker(size, small, big)

    def _with_joker(self, size: int, small: int, big: int) -> np.ndarray:
        """The best that the last of the Jokers may stand for."""
        joker, before = (SMALL_JOKER, (small - 1, big)) if small else (BIG_JOKER, (small, big - 1))
        ranks = with_rank(size - small - big)
        return np.max(
            [self.places[before][ranks[:, RANK_OF[card], None], JOIN[None, :, SUIT_OF[card]]] for card in may_stand_for(joker)],
            axis=0,
        )


# --- the plays of a hand ---


def worth(rows: np.ndarray, trump: int, flush_compare: str) -> tuple[np.ndarray, np.ndarray]:
    """Of each row of cards, ascending, its place among the values of all plays of the size, -1 for none; and its action."""
    size = rows.shape[1]
    plays = all_plays(size, trump, flush_compare)
    places, suits = np.full(len(rows), -1), np.full(len(rows), NO_SUIT)
    numbers = [(rows == joker).sum(axis=1) * (size > 1) for joker in (SMALL_JOKER, BIG_JOKER)]
    for small, big in {*zip(*(number.tolist() for number in numbers), strict=True)}:
        those = (numbers[0] == small) & (numbers[1] == big)
        ranks, suits[those] = groups(rows[those, : size - small - big])
        places[those] = plays.places[small, big][ranks, suits[those]]
    keys, inverse = np.unique(places * SUITS + suits, return_inverse=True)
    actions = [action(plays.values[key // SUITS], key % SUITS, trump) if key >= 0 else 0 for key in keys.tolist()]
    return places, np.array(actions)[inverse.ravel()]


def one_worth(cards: list[int], trump: int, flush_compare: str) -> tuple[int, int]:
    """The place and the action of a play."""
    ((place,), (named,)) = worth(np.array([cards]), trump, flush_compare)
    return int(place), int(named)


def alike(hand: list[int], cards: list[int], to_beat: list[int], trump: int, flush_compare: str) -> list[tuple[int, ...]]:
    """The plays of a hand that the action names which names `cards`, higher than `to_beat` if there is such; all ascending."""
    size = len(cards)
    place, named = one_worth(cards, trump, flush_compare)
    least = one_worth(to_beat, trump, flush_compare)[0] if to_beat else -1
    play = all_plays(size, trump, flush_compare).values[place]
    core = [card for card in hand if card >= SMALL_JOKER or may_name(card, play, cards[0] % 4, trump)]
    others = [card for card in hand if card not in core]
    sets = {
        tuple(sorted(some + rest))
        for more in range({FULL_HOUSE: 2, FOUR_ONE: 1}.get(play[0], 0) + 1)
        for some in {*itertools.combinations(core, size - more)}
        for rest in {*itertools.combinations(others, more)}
    }
    rows = np.array(sorted(sets))
    places, actions = worth(rows, trump, flush_compare)
    return [tuple(row) for row in rows[(places > least) & (actions == named)].tolist()]


def may_name(card: int, play: Value, suit: int, trump: int) -> bool:
    """Whether a card may be one of those that give a play its name: of its set's rank, of its straight, of its suit."""
    if play[0] in (FLUSH, STRAIGHT_FLUSH) and card % 4 != suit:
        return False
    if play[0] in (STRAIGHT, STRAIGHT_FLUSH):
        return any(rank(card) in ranks for ranks, top in STRAIGHTS.items() if top == play[1])
    return play[0] == FLUSH or rank(card) == top_rank(play, trump)
