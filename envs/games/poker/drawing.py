"""The draw of five-card draw (PK-16, PK-44)."""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits, highest_bit, lowest_bit
from ...core.cards import SMALL_JOKER
from ...core.events import DISCARD, DRAW, NOBODY, SELECT, STAND, emit, emit_card, emit_cards
from ...core.extended.sets import BIT, NO_CARD, ONE, STANDARD_CARDS, WORD, ZERO, add, id_at, remove, size_of
from ...core.jit import device_function
from .dealing import draw_card, note_mixed, throw_away
from .state import DISCARD_AT, DRAW_AT
from .turns import next_turn, reveal_special


@device_function
def card_in_slot(cards, slot):
    """The card of a hand by its place in the order of ids; NO_CARD beyond its last."""
    for part in range(3):
        bits = cards[0] & STANDARD_CARDS if part == 0 else cards[1] if part == 1 else cards[0] & ~STANDARD_CARDS
        count = count_bits(bits)
        if slot < count:
            for _ in range(slot):
                bits &= bits - ONE
            return SMALL_JOKER + lowest_bit(bits) if part == 1 else id_at(lowest_bit(bits))
        slot -= count
    return np.int64(NO_CARD)


@device_function
def mark_draw(state, mask):
    """PK-16: slots above the last one marked."""
    seat = np.int64(state.turn)
    for slot in range(highest_bit(np.int64(state.marks)) + 1, size_of(state.hand[seat])):
        mask[DISCARD_AT + slot] = 1
    mask[DRAW_AT] = 1


@device_function
def step_draw(state, action):
    if action < DISCARD_AT:
        reveal_special(state, action)
        return
    if action < DRAW_AT:
        seat, slot = np.int64(state.turn), action - DISCARD_AT
        emit_card(state, SELECT, seat, card_in_slot(state.hand[seat], slot), 1 << seat, NOBODY)
        state.marks = np.int64(state.marks) | 1 << slot
        if not completes_draw(state, np.int64(state.marks), slot):
            return
    exchange(state)


@device_function
def completes_draw(state, marks, slot):
    """Whether no other card can be marked after this slot."""
    return slot + 1 == size_of(state.hand[np.int64(state.turn)]) or count_bits(marks) == state.max_discards


@device_function
def exchange(state):
    """Replace the marked cards, which go into the muck only then (PK-19)."""
    seat, marks = np.int64(state.turn), np.int64(state.marks)
    count = count_bits(marks)
    if count > 0:
        note_mixed(state, seat)
    suited, jokers = ZERO, ZERO
    while marks != 0:
        slot = highest_bit(marks)  # from the top, so that the places of the others stay
        marks ^= 1 << slot
        card = card_in_slot(state.hand[seat], slot)
        remove(state.hand[seat], card)
        suited |= BIT[card] if WORD[card] == 0 else ZERO
        jokers |= BIT[card] if WORD[card] == 1 else ZERO
    state.marks = 0
    state.exchanged[seat] = count
    if count == 0:
        emit(state, STAND, seat, 0, NOBODY)
    emit_cards(state, DISCARD, seat, suited, jokers, 1 << seat, NOBODY)
    kept, kept_jokers = state.hand[seat, 0], state.hand[seat, 1]
    for _ in range(count):
        card = draw_card(state)
        if card == NO_CARD:
            break
        add(state.hand[seat], card)
    emit_cards(state, DRAW, seat, state.hand[seat, 0] & ~kept, state.hand[seat, 1] & ~kept_jokers, 1 << seat, NOBODY)
    throw_away(state, seat, suited, jokers)
    next_turn(state, seat)
