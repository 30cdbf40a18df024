"""The pile: the available cards, and taking them (ED-07 to ED-12)."""

from __future__ import annotations

import numpy as np

from ..bits import lowest_bit
from ..cards import SMALL_JOKER
from ..events import DRAW, EVERYBODY, NOBODY, SHUFFLE, emit, emit_cards
from ..jit import device_function
from ..rng import shuffle
from .sets import NO_CARD, ONE, ZERO, add, id_at, size_of


@device_function
def pile_size(state):
    return np.int64(state.pile_end) - np.int64(state.pile_at)


@device_function
def available(state):
    """ED-11: the number of cards in the pile, and of those that a refill would add."""
    return pile_size(state) + size_of(state.refill)


@device_function
def refill_pile(state):
    """If the pile is empty, shuffle the cards of `refill` into it. `next_card` does this when needed (ED-10)."""
    if pile_size(state) > 0 or (state.refill[0] | state.refill[1]) == ZERO:
        return
    suited, jokers, count = state.refill[0], state.refill[1], 0
    while suited != ZERO:
        state.deck[count] = id_at(lowest_bit(suited))
        suited &= suited - ONE
        count += 1
    while jokers != ZERO:
        state.deck[count] = SMALL_JOKER + lowest_bit(jokers)
        jokers &= jokers - ONE
        count += 1
    state.refill[0] = ZERO
    state.refill[1] = ZERO
    shuffle(state, state.deck, count)
    emit(state, SHUFFLE, NOBODY, count, NOBODY)
    state.pile_at = 0
    state.pile_end = count


@device_function
def next_card(state):
    """Take the top card from the pile and return its id; NO_CARD if there is none and nothing to refill it with (ED-10)."""
    refill_pile(state)
    return top_card(state)


@device_function
def top_card(state):
    """Take the top card from the pile and return its id; NO_CARD if it is empty."""
    position = np.int64(state.pile_at)
    if position == np.int64(state.pile_end):
        return NO_CARD
    card = np.int64(state.deck[position])
    state.deck[position] = 0
    state.pile_at = position + 1
    return card


@device_function
def take(state, seat, count):
    """Move up to `count` cards from the pile into a hand; missing cards are forfeited (ED-10). Returns the number taken."""
    suited, jokers, taken = state.hand[seat, 0], state.hand[seat, 1], np.int64(0)
    while taken < count:
        card = next_card(state)
        if card == NO_CARD:
            break
        add(state.hand[seat], card)
        state.seen_void[seat] = 0
        taken += 1
    emit_cards(state, DRAW, seat, state.hand[seat, 0] & ~suited, state.hand[seat, 1] & ~jokers, who_sees(state, seat), NOBODY)
    return taken


@device_function
def who_sees(state, seat):
    """The seats, as bits, that see cards entering a hand: everybody if it is face up."""
    return EVERYBODY if np.int64(state.face_up) >> seat & 1 else 1 << seat
