"""Sets of cards as two words: `cards[0]` has the cards with a suit, `cards[1]` the Jokers.

The 52 standard cards are bits 0..51 of the first word, the twelve specials bits 52..63, so every fourth bit has the same suit,
including specials; Jokers have no suit (ED-03, ED-69). They are bits 0 and 1 of the second word.
"""

from __future__ import annotations

import numpy as np

from ..bits import count_bits, lowest_bit
from ..cards import DECK_66, SMALL_JOKER, STANDARD, SUITS
from ..jit import device_function

FIRST_SPECIAL = 54
SPECIALS = 12
DRAW, REVERSE, SKIP = range(3)  # kinds (ED-02)
NO_CARD = -1
NO_SUIT = -1
NO_RANK = -1

_JOKERS = FIRST_SPECIAL - STANDARD  # ids of Jokers, between the standard cards and the specials
ZERO, ONE = np.uint64(0), np.uint64(1)
AT_SPECIALS = np.uint64(STANDARD)  # the first special in the first word
STANDARD_CARDS = np.uint64((1 << STANDARD) - 1)
SPECIAL_CARDS = np.uint64(((1 << SPECIALS) - 1) << STANDARD)
ALL_CARDS = STANDARD_CARDS | SPECIAL_CARDS
SUIT_CARDS = np.array([0x1111111111111111 << suit for suit in range(SUITS)], np.uint64)
KIND_BITS = np.array([0xF << (SUITS * kind) for kind in range(3)], np.uint64)  # of the twelve specials only

# By id: the word, the bit in it, the index of the bit, suit and rank (a Joker has none). Specials of a kind share a
# rank, 13 to 15, which implies no order (ED-03, ED-04).
_BIT = [
    card - STANDARD if STANDARD <= card < FIRST_SPECIAL else card if card < STANDARD else card - _JOKERS for card in range(66)
]
PLACE = np.array(_BIT, np.int64)
BIT = np.array([1 << place for place in _BIT], np.uint64)
WORD = np.array([int(STANDARD <= card < FIRST_SPECIAL) for card in range(DECK_66)], np.int64)
RANK = np.array([NO_RANK if WORD[card] else _BIT[card] // SUITS for card in range(DECK_66)], np.int64)
SUIT = np.array([NO_SUIT if WORD[card] else _BIT[card] % SUITS for card in range(DECK_66)], np.int64)


@device_function
def is_joker(card):
    return SMALL_JOKER <= card < FIRST_SPECIAL


@device_function
def is_special(card):
    """Whether a card is a special (ED-02)."""
    return card >= FIRST_SPECIAL


@device_function
def kind_of(special):
    """DRAW, REVERSE or SKIP, for the id of a special (ED-02)."""
    return (special - FIRST_SPECIAL) >> 2


@device_function
def id_at(place):
    """The id of a card with a suit, from the index of its bit."""
    return place if place < STANDARD else place + _JOKERS


@device_function
def add(cards, card):
    cards[WORD[card]] |= BIT[card]


@device_function
def remove(cards, card):
    cards[WORD[card]] &= ~BIT[card]


@device_function
def has(cards, card):
    return cards[WORD[card]] & BIT[card] != ZERO


@device_function
def size_of(cards):
    return count_bits(cards[0]) + count_bits(cards[1])


@device_function
def specials_of(cards):
    """The specials of a set as twelve bits."""
    return cards[0] >> AT_SPECIALS


@device_function
def open_values(cards):
    """The cards that a Joker in a group may stand for, as bits: each standard card not in the group (ED-13, ED-14). The set
    must include the cards that other Jokers of the group stand for."""
    return STANDARD_CARDS & ~cards[0]


@device_function
def mark_cards(mask, offset, suited, jokers):
    """Mark the cards of two words as legal, starting at entry `offset`."""
    while suited != ZERO:
        mask[offset + id_at(lowest_bit(suited))] = 1
        suited &= suited - ONE
    while jokers != ZERO:
        mask[offset + SMALL_JOKER + lowest_bit(jokers)] = 1
        jokers &= jokers - ONE


@device_function
def write_cards(out, offset, cards):
    """Write a set of cards into 66 zeroed entries from `offset` on."""
    write_bits(out, offset, cards[0] & STANDARD_CARDS)
    if cards[0] >> AT_SPECIALS != ZERO:
        write_bits(out, offset + FIRST_SPECIAL, cards[0] >> AT_SPECIALS)
    if cards[1] != ZERO:
        write_bits(out, offset + SMALL_JOKER, cards[1])


@device_function
def write_bits(out, offset, bits):
    while bits != ZERO:
        out[offset + lowest_bit(bits)] = 1
        bits &= bits - ONE


def ids_of(cards: np.ndarray) -> list[int]:
    """The ids of a set in ascending order, for ordinary Python."""
    others = int(cards[0])
    return places(others & (1 << STANDARD) - 1 | int(cards[1]) << STANDARD | others >> STANDARD << STANDARD + _JOKERS)


def places(bits: int) -> list[int]:
    """The indices of set bits, ascending."""
    ascending = []
    while bits:
        ascending.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return ascending


def set_of(ids: list[int]) -> np.ndarray:
    """The set of these ids: uint64 [2], for ordinary Python."""
    cards = np.zeros(2, np.uint64)
    for card in ids:
        cards[WORD[card]] |= BIT[card]
    return cards
