"""Hands of hold'em, all 1,326 at once: what each wins on a board, and buckets of hands that are alike.

Sets of cards are int64 with a bit for each card. Boards that differ only by a permutation of suits are alike; the least of them
is the *canonical* one. The equity of a hand is its share of the pot if both players only check, and the other may hold any
hand.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from ...envs.core.cards import RANKS, STANDARD, SUITS
from ...envs.core.compare.packed import RANKS_ONCE
from ...envs.core.compare.poker import poker_strength
from ...envs.core.jit import device_function, kernel

Numbers = np.ndarray
BOARD, _FLOP = 5, 3
STREETS = 4
TWO = np.array(list(itertools.combinations(range(STANDARD), 2)))  # the possible hands of a player, [1326, 2]
SETS = (1 << TWO).sum(axis=1)
HANDS = len(SETS)
KINDS = RANKS * RANKS  # starting hands: suited above the diagonal, pairs on it, offsuit below it


def kind_of(cards: Numbers) -> Numbers:
    """The kind 0..168 of two cards, int [N, 2]."""
    ranks = np.sort(cards.astype(np.int64) // SUITS, axis=1)
    suited = cards[:, 0] % SUITS == cards[:, 1] % SUITS
    return np.where(suited, ranks[:, 0] * RANKS + ranks[:, 1], ranks[:, 1] * RANKS + ranks[:, 0])


_PERMUTATIONS = np.array(list(itertools.permutations(range(SUITS))))
_PLACE = np.zeros((STANDARD, STANDARD), np.int64)  # of two cards in `TWO`
_PLACE[TWO[:, 0], TWO[:, 1]] = _PLACE[TWO[:, 1], TWO[:, 0]] = np.arange(HANDS)
_CARDS = np.arange(STANDARD)
MOVED = _CARDS - _CARDS % SUITS + _PERMUTATIONS[:, _CARDS % SUITS]  # the cards after each permutation of suits, [24, 52]
PERMUTED = _PLACE[MOVED[:, TWO[:, 0]], MOVED[:, TWO[:, 1]]]  # [24, 1326], the place of each hand after a permutation of suits
_KINDS = kind_of(TWO)  # before the flop

# Buckets: by the texture of the board; by equity, finest where it is high; and after flop and turn by how much the equity may
# still change, on the river by the equity against hands that were strong on the turn.
_LEVELS = 8
_EQUITIES = np.concatenate([np.arange(0, 0.7, 0.035), np.arange(0.7, 1, 0.015)])
_RIVER_EQUITIES = np.concatenate([np.arange(0, 0.8, 0.025), np.arange(0.8, 0.96, 0.01), np.arange(0.96, 1, 0.0025)])
_MOST_CHANGE = 0.42  # standard deviation
_STRONG = 0.6  # equity on the turn
# Textures are clusters of boards on which hands of the same kind win as much (k-means). Without them an equity does not say how
# strong a hand is among those that are played on a board.
TEXTURES = np.array([1, 30, 40, 40])  # on each street
_SAMPLED, _ROUNDS = 20_000, 25
_OF_KIND = np.eye(KINDS, dtype=np.float32)[_KINDS]
BUCKETS = TEXTURES * [KINDS, *(len(bounds) * _LEVELS for bounds in (_EQUITIES, _EQUITIES, _RIVER_EQUITIES))]


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


def _buckets(mean: Numbers, square: Numbers, texture: Numbers) -> Numbers:
    """Buckets on flop or turn, by the means of equities and of their squares over the rivers that may follow."""
    change = np.sqrt(np.maximum(square - mean**2, 0)) / _MOST_CHANGE
    return _bucket(texture, mean, _EQUITIES, change)


def _bucket(texture: Numbers, equity: Numbers, bounds: Numbers, share: Numbers) -> Numbers:
    """Buckets by texture, int64 [B], equity, and what is divided into levels, from 0 to 1, float [B, 1326]."""
    of_texture = texture[:, None] * len(bounds) + np.searchsorted(bounds, equity, side="right") - 1
    return (of_texture * _LEVELS + np.minimum(share * _LEVELS, _LEVELS - 1).astype(np.int32)).astype(np.int32)


def profiles(found: Numbers, boards: Numbers) -> Numbers:
    """What hands of each kind win on boards: the mean and the standard deviation of their equities, float32 [B, 2 * 169]. Kinds
    count by their numbers of hands.

    Args:
        found: float32 [B, 1326], the equities of hands.
        boards: int64 [B], sets of cards.
    """
    possible = (SETS & boards[:, None] == 0).astype(np.float32)
    count = np.maximum(possible @ _OF_KIND, 1)
    mean, square = (possible * found) @ _OF_KIND / count, (possible * found**2) @ _OF_KIND / count
    deviation = np.sqrt(np.maximum(square - mean**2, 0))
    return np.concatenate([mean, deviation], axis=1) * np.sqrt(np.tile(_OF_KIND.mean(axis=0), 2))


def nearest(points: Numbers, centres: Numbers) -> Numbers:
    """The nearest centre of each point, int64 [P]."""
    return ((centres**2).sum(axis=1) - 2 * points @ centres.T).argmin(axis=1)


def clusters(points: Numbers, count: int, rng: np.random.Generator) -> Numbers:
    """The centres of clusters, by k-means, float [count, K]."""
    centres = points[rng.choice(len(points), count, replace=False)]
    for _ in range(_ROUNDS):
        of = nearest(points, centres)
        for k in np.unique(of):
            centres[k] = points[of == k].mean(axis=0)
    return centres


def boards(rng: np.random.Generator, count: int) -> Numbers:
    """The cards of boards, int64 [count, 5], in the order in which they are dealt."""
    return rng.random((count, STANDARD)).argsort(axis=1)[:, :BOARD]


def _textures(points: Numbers, sampled: Numbers, count: int, rng: np.random.Generator) -> Numbers:
    """The texture of each canonical board, by the clusters of those that were sampled."""
    return nearest(points, clusters(points[sampled], count, rng))


def set_of(cards: Iterable[int]) -> int:
    return sum(1 << card for card in cards)


def _left(board: int) -> list[int]:
    """The cards that may follow."""
    return [card for card in range(STANDARD) if not board >> card & 1]


def _after(board: int) -> Numbers:
    """The boards with one more card."""
    return board | 1 << np.array(_left(board), np.int64)


def _on_rivers(turn: int) -> tuple[Numbers, Numbers]:
    """The strengths and equities of all hands on the rivers that may follow, int64 and float32 [48, 1326]."""
    ranked = strengths(_after(turn))
    (found,) = equities(ranked, np.ones(ranked.shape, np.uint8))
    return ranked, found


def _mean(found: Numbers) -> Numbers:
    """Over the rivers that may follow a hand, of what is 0 where it is impossible."""
    mean: Numbers = found.sum(axis=0) / (len(found) - 2)  # without the hand's own cards
    return mean


def _on_turn(board: int) -> tuple[Numbers, Numbers]:
    _, found = _on_rivers(board)
    return _mean(found), _mean(found**2)


class HandBuckets:
    """The buckets of all hands on any board. Made in about a minute on two cores."""

    def __init__(self, threads: int = 2) -> None:
        flops = np.array([set_of(cards) for cards in itertools.combinations(range(STANDARD), 3)], np.int64)
        self.flops = np.unique(canonicals(flops)[0])
        self.turns = np.unique(canonicals(np.concatenate([_after(int(board)) for board in self.flops]))[0])
        with ThreadPoolExecutor(threads) as pool:
            found_on_turns = list(pool.map(_on_turn, self.turns.tolist()))
        mean, square = (np.array(each, np.float32) for each in zip(*found_on_turns, strict=True))
        flop_mean, flop_square = np.zeros((2, len(self.flops), HANDS), np.float32)
        for k, board in enumerate(self.flops.tolist()):
            forms, permutations = canonicals(_after(board))
            places, hands = np.searchsorted(self.turns, forms)[:, None], PERMUTED[permutations]
            possible = SETS & _after(board)[:, None] == 0
            count = np.maximum(possible.sum(axis=0), 1)
            flop_mean[k] = (mean[places, hands] * possible).sum(axis=0) / count
            flop_square[k] = (square[places, hands] * possible).sum(axis=0) / count
        self._strong = mean > _STRONG
        rng = np.random.default_rng(0)
        cards = 1 << boards(rng, _SAMPLED)
        sampled = [
            np.searchsorted(known, canonicals(cards[:, :count].sum(axis=1))[0])
            for known, count in ((self.flops, _FLOP), (self.turns, _FLOP + 1))
        ]
        texture = _textures(profiles(flop_mean, self.flops), sampled[0], TEXTURES[1], rng)
        self._flop_buckets = _buckets(flop_mean, flop_square, texture)
        texture = _textures(profiles(mean, self.turns), sampled[1], TEXTURES[2], rng)
        self._turn_buckets = _buckets(mean, square, texture)
        rivers = cards.sum(axis=1)
        ranked = strengths(rivers)
        (found,) = equities(ranked, np.ones(ranked.shape, np.uint8))
        self._rivers = clusters(profiles(found, rivers), TEXTURES[3], rng)

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
        texture = nearest(profiles(all_equities, bits.sum(axis=1)), self._rivers)
        found[:, 3] = _bucket(texture, all_equities, _RIVER_EQUITIES, against_strong)
        return found, ranked


_RIVERS = 6  # after each turn


class RunOuts(NamedTuple):
    """Boards that may follow some cards.

    Attributes:
        buckets: int32 [B, 4, 1326], of all hands. On the streets that were dealt each hand is its own bucket; on those that
            follow, textures are not told apart.
        ranked: int64 [B, 1326], the strengths of all hands, -1 for impossible ones.
        board: int64 [B, 5], the cards in the order in which they are dealt.
    """

    buckets: Numbers
    ranked: Numbers
    board: Numbers


def run_outs(board: tuple[int, ...], rng: np.random.Generator) -> RunOuts:
    """All rivers after a turn, some of them after each turn if the cards are a flop, or the board itself."""
    if len(board) == BOARD:
        buckets = np.tile(np.arange(HANDS, dtype=np.int32), (1, STREETS, 1))
        return RunOuts(buckets, strengths(np.array([set_of(board)])), np.array([board]))
    flop = len(board) == _FLOP
    turns = [(*board, card) for card in _left(set_of(board))] if flop else [board]
    return RunOuts(*(np.concatenate(each) for each in zip(*(_rivers_of(turn, flop, rng) for turn in turns), strict=True)))


def _rivers_of(turn: tuple[int, ...], follows: bool, rng: np.random.Generator) -> RunOuts:
    """The run-outs of a turn: all, or some if the turn follows, too."""
    ranked, found = _on_rivers(set_of(turn))
    mean, none = _mean(found), np.zeros(1, np.int64)
    some = rng.permutation(len(ranked))[: _RIVERS if follows else None]
    strong = np.broadcast_to(mean > _STRONG, (len(some), HANDS)).astype(np.uint8)
    (against_strong,) = equities(ranked[some], strong)
    buckets = np.tile(np.arange(HANDS, dtype=np.int32), (len(some), STREETS, 1))
    if follows:
        buckets[:, 2] = _buckets(mean[None], _mean(found**2)[None], none)
    buckets[:, 3] = _bucket(none, found[some], _RIVER_EQUITIES, against_strong)
    return RunOuts(buckets, ranked[some], np.array([(*turn, card) for card in _left(set_of(turn))])[some])
