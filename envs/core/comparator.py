"""Strength of combinations of cards, by the batch, and whether one beats another.

    wilddeck.compare.skin_of_your_teeth.strength(cards)          # int64 [N]
    wilddeck.compare.skin_of_your_teeth.beats(attack, defence)   # bool [N]

A family is one game's order of combinations. All families read a row of cards as three numbers (the set of its cards, how
many it has of each rank, how many in all), each turns these into a strength by bit arithmetic, and the games' own kernels
call the same arithmetic, so a batch of rows and a game in play cannot disagree.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .cards import DECK_54, HIDDEN, STANDARD, TEXT
from .kernel import bind, kernel

ABSENT = HIDDEN  # fills rows of fewer cards
KIND_SHIFT = 54  # a strength is its kind, then 54 bits that order the combinations of a kind

_RANKS_ONCE = 0x1111111111111  # one card of each rank, as counts; the lowest suit of each rank, as a card set
_RUN = 0x11111  # five ranks in a row
_JOKERS = 3 << STANDARD
_ACES = 15 << (STANDARD - 4)
_TWOS = 15


@kernel
def card_bit(card):
    """The card's bit in a card set: ordered by rank, then suit d < c < h < s, which is id order but for the lower two suits."""
    return np.int64(1) << ((card ^ ((~card >> 1) & 1)) & 63)


@kernel
def rank_unit(card):
    """One card of this rank, in counts of four bits a rank; a Joker is rank 13."""
    return np.int64(1) << (card & 60)


@kernel
def rank_index(unit):
    """The rank of which `unit` is one card."""
    rank = 0
    while unit > 1:
        unit >>= 4
        rank += 1
    return rank


# --- By The Skin of Your Teeth: numbers as in docs/rules/skin_of_your_teeth.md ---

SKIN_SINGLE, SKIN_PAIR, SKIN_THREE, SKIN_FOUR = 1, 2, 3, 4  # kinds; so far also the number of cards
SKIN_STRAIGHT, SKIN_FLUSH, SKIN_FULL_HOUSE, SKIN_STRAIGHT_FLUSH = 5, 6, 7, 8  # ST-20
_SKIN_JOKER = (SKIN_SINGLE << KIND_SHIFT) | (1 << STANDARD)  # ST-24: above every single card


@kernel
def skin_strength(cards, counts, size):
    """Strength of a card set; 0 if it is no valid combination (ST-04)."""
    if size == 5:
        return _skin_five(cards, counts)
    if cards & _JOKERS:
        return np.int64(_SKIN_JOKER if size == 1 else 0)
    low = counts & -counts
    if size > 0 and (counts == low or (size == 3 and counts == 3 * low)):  # all of one rank; 3 is no single bit
        return (size << KIND_SHIFT) | cards  # ST-17 to ST-19: by rank, then by suits from the highest down
    return np.int64(0)


@kernel
def _skin_five(cards, counts):
    if cards & _JOKERS:
        return np.int64(0)
    if counts & _RANKS_ONCE == counts:  # five ranks
        suit = _common_suit(cards)
        if counts == (counts & -counts) * _RUN:  # ST-05; ST-21: by the top card, its suit, the next card's suit, ...
            return (np.int64(SKIN_STRAIGHT if suit < 0 else SKIN_STRAIGHT_FLUSH) << KIND_SHIFT) | cards
        if suit >= 0:  # ST-23: ranks from the highest down, then the suit
            return (np.int64(SKIN_FLUSH) << KIND_SHIFT) | (counts << 2) | suit
        return np.int64(0)
    odd, several = counts & _RANKS_ONCE, (counts >> 1) & _RANKS_ONCE  # ranks with 1 or 3 cards, with 2 or 3
    if odd == several or odd & several != odd:  # three and two singles; no three at all
        return np.int64(0)
    three, pair = rank_index(odd), rank_index(several ^ odd)
    suits = ((cards >> (4 * three)) & 15) * 16 + ((cards >> (4 * pair)) & 15)
    return (np.int64(SKIN_FULL_HOUSE) << KIND_SHIFT) | ((three * 16 + pair) * 256 + suits)  # ST-22


@kernel
def _common_suit(cards):
    """The suit of all cards of a set, 0..3 = d, c, h, s; -1 if they differ."""
    for suit in range(4):
        if cards & (_RANKS_ONCE << suit) == cards:
            return suit
    return -1


@kernel
def skin_beats(attack, defence):
    """Whether an attack of one strength beats a defence of another (ST-12 to ST-24). A Joker cannot defend."""
    if attack <= 0:
        return False
    if defence <= 0 or defence == _SKIN_JOKER:
        return True
    kind, other = attack >> KIND_SHIFT, defence >> KIND_SHIFT
    if kind != other and (kind < SKIN_STRAIGHT or other < SKIN_STRAIGHT):  # another number of cards
        return False
    if kind < SKIN_STRAIGHT:
        cards = (np.int64(1) << KIND_SHIFT) - 1
        if (attack & cards) <= _TWOS and (defence & cards) & _ACES:
            return True
    return attack > defence


# --- rows of cards ---

if TYPE_CHECKING:  # bound to a family
    WIDTH: int
    DISTINCT: bool
    strength: Any
    beats: Any


def strength_rows(rows, strengths):
    """Strengths of rows of `WIDTH` cards; returns the first row that is no set of cards, -1 if there is none."""
    wrong_row = -1
    for i in range(rows.shape[0]):
        cards, total, counts, size, outside = np.int64(0), np.int64(0), np.int64(0), np.int64(0), False
        for j in range(WIDTH):  # a constant, so that the compiler unrolls
            card = np.int64(rows[i, j])
            there = np.int64(card >= 0)
            outside |= card < ABSENT or card >= DECK_54
            bit = there * card_bit(card)
            cards |= bit
            total += bit
            counts += there * rank_unit(card)
            size += there
        if (outside or (DISTINCT and cards != total)) and wrong_row < 0:
            wrong_row = i
        strengths[i] = strength(cards, counts, size)
    return wrong_row


def beats_rows(attack, defence, wins):
    for i in range(attack.shape[0]):
        wins[i] = beats(attack[i], defence[i])


class Family:
    """The order of one game's combinations.

    Args:
        name: as in `wilddeck.compare.<name>`.
        width: the most cards a combination has.
        distinct: whether two equal cards in a row are an error.
        kernels: `strength(cards, counts, size)` and `beats(attack, defence)` of strengths.
    """

    def __init__(self, name: str, width: int, distinct: bool, kernels: Mapping[str, Callable[..., Any]]) -> None:
        self.name, self.width, self.distinct = name, width, distinct
        self._kernels = {**kernels, "WIDTH": width, "DISTINCT": distinct}

    @functools.cached_property
    def _loops(self) -> dict[str, Any]:
        loops = {function.__name__: function for function in (strength_rows, beats_rows)}
        return bind(loops, self._kernels, f"compare.{self.name}", unroll=True)

    def strength(self, cards: Any) -> np.ndarray:
        """Strengths of combinations: of two with equally many cards, the one of higher strength is the higher.

        Args:
            cards: integers [N, k], k up to `width`: card ids 0..53 in any order, -1 for none.

        Returns:
            int64 [N]; 0 where the cards are no valid combination.

        Raises:
            ValueError: wrong shape or dtype, a number that is no card, or a card twice in a row that may not hold it twice.
        """
        return self._strength("cards", cards)

    def beats(self, attack: Any, defence: Any) -> np.ndarray:
        """Whether each attack beats the defence in the same row.

        Args:
            attack, defence: integers [N, k] as for `strength`; k may differ.

        Returns:
            bool [N]. An attack that is no valid combination beats nothing; a defence that is none falls to any that is.

        Raises:
            ValueError: as for `strength`, or different numbers of rows.
        """
        attacks, defences = self._strength("attack", attack), self._strength("defence", defence)
        if len(attacks) != len(defences):
            raise ValueError(f"attack and defence must have equally many rows, not {len(attacks)} and {len(defences)}")
        wins = np.empty(len(attacks), np.bool_)
        self._loops["beats_rows"](attacks, defences, wins)
        return wins

    def _strength(self, what: str, cards: Any) -> np.ndarray:
        rows = self._checked(what, cards)
        strengths = np.empty(len(rows), np.int64)
        wrong = int(self._loops["strength_rows"](rows, strengths))
        if wrong >= 0:
            raise ValueError(f"{what}, row {wrong}: {_explain(np.asarray(cards)[wrong].tolist())}")
        return strengths

    def _checked(self, what: str, cards: Any) -> np.ndarray:
        """The rows as the loops take them: int8 or int64, contiguous, `width` columns."""
        rows = np.asarray(cards)
        if rows.ndim != 2 or not 1 <= rows.shape[1] <= self.width:
            raise ValueError(f"{what} must have shape [N, k] with k from 1 to {self.width}, not {list(rows.shape)}")
        if rows.dtype.kind not in "iu":
            raise ValueError(f"{what} must be integers (card ids), not {rows.dtype}")
        if rows.dtype == np.uint64:
            rows = np.minimum(rows, np.uint64(DECK_54))  # large numbers would turn negative
        dtype = np.int8 if rows.dtype == np.int8 else np.int64
        if rows.shape[1] == self.width:
            return np.ascontiguousarray(rows, dtype)
        wide = np.full((len(rows), self.width), ABSENT, dtype)
        wide[:, : rows.shape[1]] = rows
        return wide

    def __repr__(self) -> str:
        return f"<combinations of {self.name}>"


def _explain(row: list[int]) -> str:
    for card in row:
        if not ABSENT <= card < DECK_54:
            return f"{card} is no card; ids are 0..{DECK_54 - 1}, or -1 for none"
    twice = next(card for card in row if card != ABSENT and row.count(card) > 1)
    return f"{TEXT[twice]} (id {twice}) occurs twice; a combination never holds two identical cards"


skin_of_your_teeth = Family("skin_of_your_teeth", 5, True, {"strength": skin_strength, "beats": skin_beats})
