"""Hands of hold'em, all 1,326 at once: what each wins on a board, and buckets of hands that are alike.

Sets of cards are int64 with a bit for each card. Boards that differ only by a permutation of suits are alike; the least of them
is the *canonical* one. The equity of a hand is its share of the pot if both players only check, and the other may hold any
hand.
"""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ...envs.core.cards import RANKS, STANDARD, SUITS
from ...envs.core.compare.packed import RANKS_ONCE
from ...envs.core.compare.poker import poker_strength
from ...envs.core.jit import device_function, kernel
from .push_fold import KINDS, kind_of

Numbers = np.ndarray
BOARD, _FLOP = 5, 3
STREETS = 4
TWO = np.array(list(itertools.combinations(range(STANDARD), 2)))  # the possible hands of a player, [1326, 2]
SETS = (1 << TWO).sum(axis=1)
HANDS = len(SETS)

_PERMUTATIONS = np.array(list(itertools.permutations(range(SUITS))))
_PLACE = np.zeros((STANDARD, STANDARD), np.int64)  # of two cards in `TWO`
_PLACE[TWO[:, 0], TWO[:, 1]] = _PLACE[TWO[:, 1], TWO[:, 0]] = np.arange(HANDS)
_CARDS = np.arange(STANDARD)
_MOVED = _CARDS - _CARDS % SUITS + _PERMUTATIONS[:, _CARDS % SUITS]  # the cards after each permutation of suits, [24, 52]
PERMUTED = _PLACE[_MOVED[:, TWO[:, 0]], _MOVED[:, TWO[:, 1]]]  # [24, 1326], the place of each hand after a permutation of suits
_KINDS = kind_of(TWO)  # before the flop

# Buckets: by the texture of the board; by equity, on the river finest where it is high; and after flop and turn by how much the
# equity may still change, on the river by the equity against hands that were strong on the turn.
_EQUITIES = 60
_LEVELS = 8
_HIGH = np.array([8, 11])  # a ten, a King
_RIVER_EQUITIES = np.concatenate([np.arange(0, 0.8, 0.02), np.arange(0.8, 0.95, 0.005), np.arange(0.95, 1, 0.001)])
_MOST_CHANGE = 0.42  # standard deviation
_STRONG = 0.6  # equity on the turn
TEXTURES = np.array([1, 18, 24, 24])  # on each street
BUCKETS = TEXTURES * [KINDS, _EQUITIES * _LEVELS, _EQUITIES * _LEVELS, len(_RIVER_EQUITIES) * _LEVELS]


@device_function
def canonical(cards):  # type: ignore[no-untyped-def]
    """A board's canonical form, and the number of the permutation of suits that leads to it."""
    best, number = cards, 0
    for k in range(len(_PERMUTATIONS)):
        moved = np.int64(0)
        for suit in range(SUITS):
            moved |= ((cards >> suit) & RANKS_ONCE) << _PERMUTATIONS[k, suit]
        if moved < best:
            best, number = moved, k
    return best, number


@kernel
def _canonicals(boards, forms, permutations):  # type: ignore[no-untyped-def]
    for k in range(len(boards)):
        forms[k], permutations[k] = canonical(boards[k])


@kernel
def _strengths(boards, out):  # type: ignore[no-untyped-def]
    """Of all hands on each board of five cards, -1 for impossible ones."""
    for k in range(len(boards)):
        for hand in range(HANDS):
            out[k, hand] = -1 if SETS[hand] & boards[k] else poker_strength(SETS[hand] | boards[k], 0)


@kernel
def _equities(strengths, order, counted, weaker, equal, out):  # type: ignore[no-untyped-def]
    """Of all hands on each board, against those of the `counted` hands with which they have no card in common.

    Args:
        order: int64 [B, 1326], the hands of each board from weak to strong.
        counted: uint8 [B, 1326].
        weaker, equal: int64 [53], working memory: counted hands that have a card, and at the end all of them.
        out: float32 [B, 1326], not written where a hand is impossible.
    """
    for k in range(len(strengths)):
        weaker[:] = 0
        everyone = 0
        first = 0
        while strengths[k, order[k, first]] < 0:
            first += 1
        equal[:] = 0
        for hand in range(HANDS):
            if strengths[k, hand] >= 0 and counted[k, hand]:
                equal[TWO[hand, 0]] += 1
                equal[TWO[hand, 1]] += 1
                everyone += 1
        # `out` holds the number of opponents first, and then what is won from them.
        for hand in range(HANDS):
            own = 1 if counted[k, hand] else 0
            out[k, hand] = max(everyone - equal[TWO[hand, 0]] - equal[TWO[hand, 1]] + own, 0)
        while first < HANDS:
            end = first
            equal[:] = 0
            while end < HANDS and strengths[k, order[k, end]] == strengths[k, order[k, first]]:
                hand = order[k, end]
                if counted[k, hand]:
                    equal[TWO[hand, 0]] += 1
                    equal[TWO[hand, 1]] += 1
                    equal[STANDARD] += 1
                end += 1
            for place in range(first, end):
                hand = order[k, place]
                one, other = TWO[hand, 0], TWO[hand, 1]
                own = 1 if counted[k, hand] else 0
                won = weaker[STANDARD] - weaker[one] - weaker[other]
                won += 0.5 * (equal[STANDARD] - equal[one] - equal[other] + own)
                out[k, hand] = won / out[k, hand] if out[k, hand] > 0 else 0.5
            for card in range(STANDARD + 1):
                weaker[card] += equal[card]
            first = end


def canonicals(boards: Numbers) -> tuple[Numbers, Numbers]:
    """The canonical forms of boards, int64 [B], and the permutations that lead to them."""
    forms, permutations = np.zeros_like(boards), np.zeros_like(boards)
    _canonicals(boards, forms, permutations)
    return forms, permutations


def strengths(boards: Numbers) -> Numbers:
    """The strengths of all hands on boards of five cards, int64 [B, 1326]; -1 for impossible ones."""
    out = np.zeros((len(boards), HANDS), np.int64)
    _strengths(boards, out)
    return out


def equities(ranked: Numbers, *counted: Numbers) -> list[Numbers]:
    """The equities of hands against each set of `counted` ones, uint8 [B, 1326], by their strengths; 0 for impossible ones."""
    order = np.argsort(ranked, axis=1)
    found = []
    for each in counted:
        out = np.zeros(ranked.shape, np.float32)
        _equities(ranked, order, each, np.zeros(STANDARD + 1, np.int64), np.zeros(STANDARD + 1, np.int64), out)
        found.append(np.where(ranked < 0, 0, out))
    return found


def _buckets(mean: Numbers, square: Numbers) -> Numbers:
    """Buckets on flop or turn, by the means of equities and of their squares over the rivers that may follow."""
    change = np.sqrt(np.maximum(square - mean**2, 0)) / _MOST_CHANGE
    level = np.minimum(change * _LEVELS, _LEVELS - 1).astype(np.uint16)
    return np.minimum(mean * _EQUITIES, _EQUITIES - 1).astype(np.uint16) * np.uint16(_LEVELS) + level


def textures(cards: Numbers) -> Numbers:
    """The texture of each board, int64 [B], below `TEXTURES`: whether it has a flush draw, a pair or high cards, for instance.
    Equities do not say how strong a hand is among those that are played on such a board.

    Args:
        cards: int [B, 3 to 5], in the order in which they are dealt.
    """
    ranks, suits, count = cards // SUITS, cards % SUITS, cards.shape[1]
    suited = (suits[:, :, None] == np.arange(SUITS)).sum(axis=1).max(axis=1)
    paired = (np.diff(np.sort(ranks, axis=1), axis=1) == 0).any(axis=1)
    flush = np.clip(suited - (1 if count == _FLOP else 2), 0, 2)
    if count == _FLOP:
        return (flush * 2 + paired) * 3 + np.digitize(ranks.max(axis=1), _HIGH)
    over = ranks[:, -1] > ranks[:, :-1].max(axis=1)
    present = (ranks[:, :, None] == np.arange(RANKS)).any(axis=1)
    runs = np.lib.stride_tricks.sliding_window_view(np.concatenate([present[:, -1:], present], axis=1), BOARD, axis=1)
    connected = runs.sum(axis=2).max(axis=1) >= count - 1  # of one straight, on the turn three cards, on the river four
    return ((flush * 2 + paired) * 2 + over) * 2 + connected


def _after(board: int) -> Numbers:
    """The boards with one more card."""
    return board | 1 << np.array([card for card in range(STANDARD) if not board >> card & 1], np.int64)


def _on_turn(board: int) -> tuple[Numbers, Numbers]:
    ranked = strengths(_after(board))
    (found,) = equities(ranked, np.ones(ranked.shape, np.uint8))
    rivers = len(ranked) - 2  # without the hand's own cards
    return found.sum(axis=0) / rivers, (found**2).sum(axis=0) / rivers


class HandBuckets:
    """The buckets of all hands on any board. Made in about a minute on two cores."""

    def __init__(self, threads: int = 2) -> None:
        flops = np.array([sum(1 << card for card in cards) for cards in itertools.combinations(range(STANDARD), 3)], np.int64)
        self.flops = np.unique(canonicals(flops)[0])
        self.turns = np.unique(canonicals(np.concatenate([_after(int(board)) for board in self.flops]))[0])
        with ThreadPoolExecutor(threads) as pool:
            of_turns = list(pool.map(_on_turn, self.turns.tolist()))
        mean, square = (np.array(each, np.float32) for each in zip(*of_turns, strict=True))
        self._turn_buckets, self._strong = _buckets(mean, square), mean > _STRONG
        flop_mean, flop_square = np.zeros((2, len(self.flops), HANDS), np.float32)
        for k, board in enumerate(self.flops.tolist()):
            forms, permutations = canonicals(_after(board))
            places, hands = np.searchsorted(self.turns, forms)[:, None], PERMUTED[permutations]
            possible = SETS & _after(board)[:, None] == 0
            count = np.maximum(possible.sum(axis=0), 1)
            flop_mean[k] = (mean[places, hands] * possible).sum(axis=0) / count
            flop_square[k] = (square[places, hands] * possible).sum(axis=0) / count
        self._flop_buckets = _buckets(flop_mean, flop_square)

    def of(self, cards: Numbers) -> tuple[Numbers, Numbers]:
        """The buckets on each street, int32 [B, 4, 1326], and the strengths, int64 [B, 1326], of all hands.

        Args:
            cards: int [B, 5], the cards of boards in the order in which they are dealt. A bucket on a street says nothing about
                the cards after it.
        """
        found = np.empty((len(cards), STREETS, HANDS), np.int32)
        found[:, 0] = _KINDS
        bits = np.int64(1) << cards.astype(np.int64)
        flop = bits[:, :3].sum(axis=1)
        forms, permutations = canonicals(flop)
        found[:, 1] = self._flop_buckets[np.searchsorted(self.flops, forms)[:, None], PERMUTED[permutations]]
        forms, permutations = canonicals(flop + bits[:, 3])
        places, hands = np.searchsorted(self.turns, forms)[:, None], PERMUTED[permutations]
        found[:, 2] = self._turn_buckets[places, hands]
        ranked = strengths(bits.sum(axis=1))
        strong = self._strong[places, hands].view(np.uint8)
        all_equities, against_strong = equities(ranked, np.ones(ranked.shape, np.uint8), strong)
        level = np.minimum(against_strong * _LEVELS, _LEVELS - 1).astype(np.int32)
        found[:, 3] = (np.searchsorted(_RIVER_EQUITIES, all_equities, side="right") - 1) * _LEVELS + level
        for street in range(1, STREETS):
            found[:, street] += (textures(cards[:, : street + 2]) * (BUCKETS // TEXTURES)[street])[:, None].astype(np.int32)
        return found, ranked
