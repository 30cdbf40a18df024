"""Sets of President: the sets in a hand, those that can be played, and the cards they use."""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits, lowest_bit
from ...core.cards import DECK_66, RANKS, STANDARD, SUITS
from ...core.events import EVERYBODY, PLAY, emit_cards
from ...core.extended.sets import FIRST_SPECIAL, ONE, STANDARD_CARDS, ZERO, has
from ...core.extended.state import NOBODY
from ...core.jit import device_function
from .state import CARDS_OF, CODES, EMPTY, FIRST_KIND, JOKERS_OF, KINDS, LEAD_AT, MOST_JOKERS, SET_CARDS

_RANK, _FOUR = np.uint64(15), np.uint64(SUITS)
_NUMBER = np.array([bin(cards).count("1") for cards in range(16)])  # cards of a rank, from its four bits
_LOWEST_RANK_UP = np.uint64(STANDARD - SUITS)

# Sets that so many natural cards of a rank and so many Jokers make, as bits by code; and by the number of cards of a set, all
# that have as many, for no number all.
_MADE = np.zeros((SUITS + 1, MOST_JOKERS + 1), np.int64)
_OF_SIZE = np.zeros(SET_CARDS + 1, np.int64)
for _code in range(CODES):
    _OF_SIZE[[0, CARDS_OF[_code]]] |= 1 << _code
    for _naturals in range(SUITS + 1):
        for _jokers in range(MOST_JOKERS + 1):
            if CARDS_OF[_code] - JOKERS_OF[_code] <= _naturals and JOKERS_OF[_code] <= _jokers:
                _MADE[_naturals, _jokers] |= 1 << _code

# The worth of a card that is given by force (PR-40), by the option `twos_high`: of Jokers and specials the lower
# id is worth more.
_ABOVE = 2 * DECK_66  # any rank
WORTH = np.zeros((2, DECK_66), np.int64)
for _card in range(DECK_66):
    for _high in range(2):
        if _card < STANDARD:
            WORTH[_high, _card] = ((_card // SUITS - _high) % RANKS) * SUITS + _card % SUITS
        else:
            WORTH[_high, _card] = (_ABOVE if _card < FIRST_SPECIAL else 0) - _card


@device_function
def order_of(rank, twos_high):
    """The place of a rank 0..12 (2..A) in the order of PR-03."""
    return (RANKS - 1 if rank == 0 else rank - 1) if twos_high else rank


@device_function
def rank_at(place, twos_high):
    """The rank at a place in the order of PR-03."""
    return (0 if place == RANKS - 1 else place + 1) if twos_high else place


@device_function
def in_order(suited, twos_high):
    """The standard cards of a set, four bits a rank, the lowest rank of PR-03 first."""
    cards = suited & STANDARD_CARDS
    return cards >> _FOUR | (cards & _RANK) << _LOWEST_RANK_UP if twos_high else cards


@device_function
def first_to_beat(state):
    """The lowest place in the order that may be played now (PR-05, PR-14)."""
    table = np.int64(state.table)
    return order_of(table, state.twos_high) + 1 if EMPTY < table < FIRST_KIND else 0


@device_function
def can_beat(state, seat):
    """Whether a player holds a set that may be played on the table, on which there is one."""
    first, short = first_to_beat(state), np.int64(state.table_cards) - count_bits(state.hand[seat, 1])
    if short <= 0:
        return first < RANKS
    cards = in_order(state.hand[seat, 0], state.twos_high) >> (_FOUR * np.uint64(first))
    while cards != ZERO:
        if _NUMBER[np.int64(cards & _RANK)] >= short:
            return True
        cards >>= _FOUR
    return False


@device_function
def mark_sets(state, seat, mask):
    """Mark the sets that may be played."""
    first, jokers = first_to_beat(state), count_bits(state.hand[seat, 1])
    cards = in_order(state.hand[seat, 0], state.twos_high) >> (_FOUR * np.uint64(first))
    fitting = _OF_SIZE[np.int64(state.table_cards)]
    for place in range(first, RANKS):
        codes = _MADE[_NUMBER[np.int64(cards & _RANK)], jokers] & fitting
        cards >>= _FOUR
        if codes != 0:
            offset = rank_at(place, state.twos_high) * CODES
            while codes != 0:
                mask[offset + lowest_bit(codes)] = 1
                codes &= codes - 1


@device_function
def mark_specials(state, seat, mask):
    """Mark the specials that may be led (PR-13)."""
    specials = np.int64(state.hand[seat, 0] >> np.uint64(STANDARD))
    for kind in range(KINDS):
        for count in range(_NUMBER[specials >> SUITS * kind & 15]):
            mask[LEAD_AT + kind * SET_CARDS + count] = 1


@device_function
def lowest_cards(cards, count):
    """The cards with the lowest ids among some cards of a word (PR-03)."""
    rest = cards
    for _ in range(count):
        rest &= rest - ONE
    return cards & ~rest


@device_function
def move_set(state, seat, rank, count, jokers):
    """Move a set, or specials with their kind as rank, from the hand to the played cards."""
    hand, played = state.hand[seat], state.played[seat]
    cards = lowest_cards(hand[0] & _RANK << (_FOUR * np.uint64(rank)), count - jokers)
    wild = lowest_cards(hand[1], jokers)
    hand[0] &= ~cards
    hand[1] &= ~wild
    played[0] |= cards
    played[1] |= wild
    emit_cards(state, PLAY, seat, cards, wild, EVERYBODY, NOBODY)


@device_function
def best_card(hand, twos_high):
    """The card of a hand that must be given (PR-40)."""
    best, worth = np.int64(0), np.int64(-DECK_66)
    for card in range(DECK_66):
        if has(hand, card) and WORTH[np.int64(twos_high), card] > worth:
            best, worth = np.int64(card), WORTH[np.int64(twos_high), card]
    return best
