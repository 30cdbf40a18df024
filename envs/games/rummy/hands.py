"""Sets of cards with up to two of a face, as three words (see state.py), and the hands of players."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...core.bits import count_bits, lowest_bit
from ...core.cards import BIG_JOKER, DECK_66, SMALL_JOKER, STANDARD
from ...core.events import EVERYBODY, NOBODY, emitter, write
from ...core.extended.sets import BIT, FIRST_SPECIAL, ONE, PLACE, SPECIALS, ZERO, id_at, is_joker, places
from ...core.jit import device_function
from .state import JOKERS, ONCE, TWICE

JOKER = np.int64(SMALL_JOKER)  # the face of every Joker
_SMALL = np.uint64(3)  # of the third word, the bits of small Jokers
_TWO = np.uint64(2)


@device_function
def joker_bit(card):
    """The first of the two bits of a Joker's id."""
    return ONE if card == SMALL_JOKER else ONE << _TWO


@device_function
def add(cards, card):
    if is_joker(card):
        bit = joker_bit(card)
        cards[JOKERS] |= bit << ONE if cards[JOKERS] & bit != ZERO else bit
        return
    bit = BIT[card]
    cards[TWICE] |= cards[ONCE] & bit
    cards[ONCE] |= bit


@device_function
def remove(cards, card):
    """Take a card of this id out of a set that holds one."""
    if is_joker(card):
        bit = joker_bit(card)
        cards[JOKERS] &= ~(bit << ONE if cards[JOKERS] & bit << ONE != ZERO else bit)
        return
    bit = BIT[card]
    if cards[TWICE] & bit != ZERO:
        cards[TWICE] &= ~bit
    else:
        cards[ONCE] &= ~bit


@device_function
def lowest_joker(jokers):
    """RM-05: the id of the Joker that leaves a set first."""
    return np.int64(SMALL_JOKER if jokers & _SMALL != ZERO else BIG_JOKER)


@device_function
def count_of(cards, face):
    if face == JOKER:
        return count_bits(cards[JOKERS])
    bit = BIT[face]
    return np.int64(cards[ONCE] & bit != ZERO) + np.int64(cards[TWICE] & bit != ZERO)


@device_function
def size_of(cards):
    return count_bits(cards[ONCE]) + count_bits(cards[TWICE]) + count_bits(cards[JOKERS])


@device_function
def jokers_of(cards):
    """How many Jokers there are in a set."""
    return count_bits(cards[JOKERS])


@device_function
def clear(cards):
    cards[ONCE] = ZERO
    cards[TWICE] = ZERO
    cards[JOKERS] = ZERO


@device_function
def face_of(card):
    """Jokers are interchangeable, at face 52 (RM-05)."""
    return JOKER if is_joker(card) else card


@device_function
def card_of(cards, face):
    """The id with which a face leaves a set (RM-05)."""
    return lowest_joker(cards[JOKERS]) if face == JOKER else face


@device_function
def lowest_face(cards):
    """The first face of a set in the order of composing: Jokers last."""
    return JOKER if cards[ONCE] == ZERO else id_at(lowest_bit(cards[ONCE]))


@device_function
def give_up(state, seat, face):
    """A player shows a card of this face, which leaves their hand. Returns its id."""
    card = card_of(state.hand[seat], face)
    remove(state.hand[seat], card)
    if count_of(state.known[seat], face) > 0:
        remove(state.known[seat], card_of(state.known[seat], face))
    return card


@emitter
def emit_set(state: Any, kind: Any, seat: Any, cards: Any, amount: Any) -> None:
    """As `emit_list`, of a set of cards that all see, Jokers last, with an amount that is not their number."""
    left = 0
    for word in range(3):
        for bit in range(64):
            left += int(cards[word]) >> bit & 1
    for bit in range(64):
        for word in (ONCE, TWICE):
            if int(cards[word]) >> bit & 1:
                left -= 1
                write(state, kind, seat, bit if bit < STANDARD else bit + 2, NOBODY, amount, EVERYBODY, left)
    for bit in range(4):
        if int(cards[JOKERS]) >> bit & 1:
            left -= 1
            write(state, kind, seat, SMALL_JOKER + bit // 2, NOBODY, amount, EVERYBODY, left)


# --- sets of specials: twelve bits for those held once, and above them twelve for those held twice ---

ALL_SPECIALS = (1 << SPECIALS) - 1


@device_function
def add_special(specials, special):
    """A set of specials with one more, 0..11."""
    bit = 1 << special
    return specials | (bit << SPECIALS if specials & bit else bit)


@device_function
def specials_held(cards):
    """The specials of a set of cards."""
    return np.int64(cards[ONCE] >> np.uint64(52)) | np.int64(cards[TWICE] >> np.uint64(52)) << SPECIALS


# --- ordinary Python ---


def ids_of(cards: Any) -> list[int]:
    """The ids of a set in ascending order."""
    once, twice, jokers = (int(word) for word in cards)
    ids = [_CARD_AT[place] for word in (once, twice) for place in places(word)]
    return sorted(ids + [(SMALL_JOKER, SMALL_JOKER, BIG_JOKER, BIG_JOKER)[k] for k in places(jokers)])


def is_joker_id(card: int) -> bool:
    return card in (SMALL_JOKER, BIG_JOKER)


_CARD_AT = {int(PLACE[card]): card for card in range(DECK_66) if not is_joker_id(card)}  # by its bit


def set_of(ids: Iterable[int]) -> np.ndarray:
    """uint64 [3], the set of some ids."""
    words = [0, 0, 0]
    for card in ids:
        if is_joker_id(card):
            bit = 1 if card == SMALL_JOKER else 4
            words[JOKERS] |= bit << 1 if words[JOKERS] & bit else bit
        else:
            bit = int(BIT[card])
            words[TWICE] |= words[ONCE] & bit
            words[ONCE] |= bit
    return np.array(words, np.uint64)


def specials_of(specials: Any) -> list[int]:
    """The ids of a set of specials, ascending."""
    bits = int(specials)
    return [FIRST_SPECIAL + k for k in range(SPECIALS) for high in (0, SPECIALS) if bits >> (k + high) & 1]
