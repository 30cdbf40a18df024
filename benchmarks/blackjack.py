"""Values of blackjack hands: one player, a fresh shoe for each hand, the default options of blackjack_v0.

They are computed by dynamic programming over the cards of a hand; player and dealer draw from the shoe without the up card and
the hand's cards. This is exact except for splits: the hands of a split pair are valued without knowledge of one another's
cards, and get further cards of the pair's rank independently.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

import numpy as np

from ..envs.games.blackjack.state import DO_DOUBLE, DO_HIT, DO_SPLIT, DO_STAND, DO_SURRENDER, MOST_HANDS

VALUES = 10  # ace, 2, ..., 9, ten
ACE, SEVEN, NINE, TEN = 0, 6, 8, 9
PIPS = np.arange(1, VALUES + 1)
COPIES = np.array([4] * TEN + [16])  # in a deck
BEST, DEALER_STANDS, NATURAL_PAYS = 21, 17, 1.5
NO_PAIR = -1  # for hands that come from no split
ACTIONS = {DO_STAND: "stand", DO_HIT: "hit", DO_DOUBLE: "double", DO_SPLIT: "split", DO_SURRENDER: "surrender"}
NAMES = "A23456789T"

Numbers = np.ndarray
Cards = tuple[int, ...]  # the number of cards of each value


def cards_of(text: str) -> Cards:
    return tuple(text.count(name) for name in NAMES)


def total_of(cards: Cards) -> tuple[int, bool]:
    """The total and whether it is soft."""
    hard = int(np.dot(cards, PIPS))
    soft = cards[ACE] > 0 and hard + 10 <= BEST
    return hard + 10 * soft, soft


def hands_up_to(most: int, highest: int = TEN) -> Iterator[Cards]:
    """All sets of cards with at most this total, aces counting 1."""
    if highest < ACE:
        yield ()
        return
    for count in range(most // (highest + 1) + 1):
        for fewer in hands_up_to(most - count * (highest + 1), highest - 1):
            yield (*fewer, count)


@functools.cache
def dealers(up: int) -> dict[Cards, tuple[int, int]]:
    """The sets of cards that bring a dealer from an up card to 17..21 without a natural: the total and the number of orders."""
    found: dict[Cards, tuple[int, int]] = {}

    def draw(drawn: Cards) -> None:
        total, _ = total_of(tuple(count + (value == up) for value, count in enumerate(drawn)))
        if total >= DEALER_STANDS:
            if total <= BEST and not (sum(drawn) == 1 and total == BEST):
                found[drawn] = total, found.get(drawn, (total, 0))[1] + 1
            return
        for value in range(VALUES):
            draw(tuple(count + (value == k) for k, count in enumerate(drawn)))

    draw((0,) * VALUES)
    return found


def falling(counts: Numbers, times: int) -> Numbers:
    """Falling factorials of a number of cards, float [times + 1, ...], for 0, 1, ... draws."""
    return np.cumprod([np.ones(counts.shape), *(np.maximum(counts - k, 0.0) for k in range(times))], axis=0)


class Blackjack:
    """All hands and the values of decisions in them, given that the dealer has no natural.

    Attributes:
        place: the index of each hand by the value of the pair that it was split from, and its cards; the first axis below.
        cards: int [H, 10].
        drawn: the probability of each value as the next card, float [H, U, 10], for each up card.
        final: the probabilities that the dealer ends with 17 to 21, or bust, float [H, U, 6].
        worth: the value of each action, float [H, U, 5]; -inf if it is not allowed.
        splits: the values of pairs, by the number of hands from the split and of the pairs still to be played among them.
    """

    def __init__(self, decks: float = 6) -> None:
        self.decks = decks
        keys = [(NO_PAIR, cards) for cards in hands_up_to(BEST) if sum(cards) >= 2]
        keys += [(pair, cards) for pair in range(VALUES) for _, cards in keys if cards[pair] and (pair or sum(cards) == 2)]
        self.place = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        self.keys = list(self.place)
        self.pair, self.cards = np.array([pair for pair, _ in self.keys]), np.array([cards for _, cards in self.keys])
        self.own_natural = self.place[NO_PAIR, cards_of("AT")]
        self.hard = self.cards @ PIPS
        self.total = np.array([total_of(cards)[0] for _, cards in self.keys])
        more = np.eye(VALUES, dtype=int)
        self.child = np.array(
            [[self.place.get((pair, tuple(cards + more[value])), -1) for value in range(VALUES)] for pair, cards in self.keys]
        )
        known = self.cards + np.where(self.pair[:, None] >= 0, more[self.pair], 0)
        self.left = (decks * COPIES - known)[:, None, :] - np.eye(VALUES)
        self.natural = np.zeros(self.left.shape[:2])  # the probability that the dealer has one
        self.natural[:, ACE], self.natural[:, TEN] = (
            self.left[:, up, hole] / self.left[:, up].sum(axis=1) for up, hole in ((ACE, TEN), (TEN, ACE))
        )
        self.drawn, self.final = self._drawn(), self._final()
        self._play()

    def _drawn(self) -> Numbers:
        """After a peek, the hole card is no ten under an ace, and no ace under a ten."""
        cards = self.left.sum(axis=2, keepdims=True)
        drawn = self.left / cards
        for up, excluded in ((ACE, TEN), (TEN, ACE)):
            left, number = self.left[:, up], cards[:, up]
            share = 1 - 1 / (number - left[:, excluded : excluded + 1])  # of other cards that are not the hole card
            drawn[:, up] = left * np.where(np.arange(VALUES) == excluded, 1, share) / (number - 1)
        return drawn

    def _final(self) -> Numbers:
        _, first, places = np.unique(self.left[:, 0], axis=0, return_index=True, return_inverse=True)
        final = np.zeros((len(first), VALUES, BEST - DEALER_STANDS + 2))
        for up in range(VALUES):
            sets = np.array(list(dealers(up)))
            totals, orders = np.array(list(dealers(up).values())).T
            left, sizes = self.left[first, up], sets.sum(axis=1)
            likely = orders[:, None] / falling(left.sum(axis=1), sizes.max())[sizes]
            for value in range(VALUES):
                likely *= falling(left[:, value], sets[:, value].max())[sets[:, value]]
            of_total = (totals == np.arange(DEALER_STANDS, BEST + 1)[:, None]) @ likely
            final[:, up, :-1] = of_total.T / (1 - self.natural[first, up, None])
        final[:, :, -1] = 1 - final.sum(axis=2)
        return final[places.ravel()]

    def _play(self) -> None:
        worth = self.worth = np.full((*self.left.shape[:2], len(ACTIONS)), -np.inf)
        sign = np.sign(self.total[:, None] - np.array([*range(DEALER_STANDS, BEST + 1), 0]))
        worth[:, :, DO_STAND] = np.einsum("hud,hd->hu", self.final, sign)
        two = self.cards.sum(axis=1) == 2
        for hard in range(BEST, 1, -1):  # hands with more cards come first
            of = np.flatnonzero((self.hard == hard) & (self.pair != ACE))
            child, drawn = self.child[of], self.drawn[of]
            lost = (child < 0)[:, None, :]
            after = {DO_HIT: worth[child].max(axis=3), DO_DOUBLE: 2 * worth[child, :, DO_STAND]}
            for action, values in after.items():
                bust = -2.0 if action == DO_DOUBLE else -1.0
                worth[of, :, action] = (drawn * np.where(lost, bust, values.swapaxes(1, 2))).sum(axis=2)
            worth[of[~two[of]], :, DO_DOUBLE] = -np.inf
        worth[two & (self.pair == NO_PAIR), :, DO_SURRENDER] = -0.5
        self.best_unsplit = worth.max(axis=2)
        self.splits = [self._split(pair) for pair in range(VALUES)]
        for pair, of_pairs in enumerate(self.splits):
            worth[self.twin(NO_PAIR, pair), :, DO_SPLIT] = of_pairs[1, 1][1]
        self.best = worth.max(axis=2)

    def twin(self, pair: int, value: int) -> int:
        """The index of a pair of a value."""
        return self.place[pair, tuple(2 * np.eye(VALUES, dtype=int)[value])]

    def halves(self, pair: int) -> Numbers:
        """The indices of the hands that a split pair can become, by the card dealt to them."""
        own = np.eye(VALUES, dtype=int)
        return np.array([self.place[pair, tuple(own[pair] + own[value])] for value in range(VALUES)])

    def _split(self, pair: int) -> dict[tuple[int, int], tuple[Numbers, Numbers]]:
        """For h hands with p pairs still to be played: the value of these p if the first is not split, and if it is."""
        drawn, halves = self.drawn[self.twin(NO_PAIR, pair)], self.halves(pair)
        again = drawn[:, pair].copy() if pair != ACE else np.zeros(VALUES)
        other = drawn.copy()
        if pair != ACE:
            other[:, pair] = 0
        single = (other * self.best_unsplit[halves].T).sum(axis=1)  # unless the second card makes a pair
        unsplit = self.best_unsplit[halves[pair]]
        found: dict[tuple[int, int], tuple[Numbers, Numbers]] = {}
        for hands in range(MOST_HANDS, 0, -1):
            for pairs in range(1, hands + 1):
                kept = unsplit + (np.max(found[hands, pairs - 1], axis=0) if pairs > 1 else 0)
                divided = np.full(VALUES, -np.inf)
                if hands < MOST_HANDS:
                    nothing = (np.zeros(VALUES), np.zeros(VALUES))
                    divided = 2 * single + sum(
                        chance * np.max(found.get((hands + 1, pairs - 1 + new), nothing), axis=0)
                        for new, chance in enumerate(both(again))
                    )
                found[hands, pairs] = kept, divided
        return found

    @functools.cached_property
    def dealt(self) -> Numbers:
        """The probability of each two-card hand with each up card, float [H, U]; 0 for all other hands."""
        dealt = np.zeros(self.left.shape[:2])
        shoe = self.decks * COPIES
        for first, second in itertools.product(range(VALUES), repeat=2):
            own = np.eye(VALUES, dtype=int)
            rest = shoe - own[first]
            hand = self.place[NO_PAIR, tuple(own[first] + own[second])]
            following = rest - own[second]
            likely = shoe[first] / shoe.sum() * rest[second] / rest.sum()
            dealt[hand] += likely * following / following.sum()
        return dealt

    def expectation(self) -> float:
        """The expected win of the best strategy, in bets per hand."""
        own = np.arange(len(self.keys)) == self.own_natural
        played = np.where(own[:, None], NATURAL_PAYS, self.best)
        value = self.natural * np.where(own, 0, -1)[:, None] + (1 - self.natural) * played
        return float((self.dealt * np.where(self.dealt > 0, value, 0)).sum())


def both(again: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The probabilities that none, one and both of two hands become pairs again."""
    return (1 - again) ** 2, 2 * again * (1 - again), again**2
