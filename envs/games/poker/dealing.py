"""Cards: the deal of each street, the muck, and players' memory of it (PK-14 to PK-19, PK-50)."""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits
from ...core.events import DEAL, EVERYBODY, NOBODY, SET_ASIDE, TURN_UP, emit_card, emit_cards, emit_list
from ...core.extended.common import deal_common
from ...core.extended.pile import available, next_card
from ...core.extended.sets import AT_SPECIALS, BIT, NO_CARD, WORD, ZERO, add
from ...core.extended.turns import has_bit
from ...core.jit import device_function
from ...core.seats import clockwise
from .state import DEALT, SEVEN_STUD

DOWN, UP, BOARD = range(3)  # columns of DEALT


@device_function
def draw_card(state):
    """The next card (PK-19); NO_CARD if stock and muck are empty."""
    muck = has_muck(state)
    card = next_card(state)
    if muck and not has_muck(state):
        note_shuffle(state)
    return card


@device_function
def has_muck(state):
    return (state.refill[0] | state.refill[1]) != ZERO


# --- knowledge about cards in the muck ---


@device_function
def note_shuffle(state):
    """Record that the muck has become the stock: cards that a player knew to be in it are now in the stock, and not among the
    face-down cards that others held before. Only the last shuffle is recorded."""
    for seat in range(np.int64(state.num_players)):
        for word in range(2):
            state.recalled[seat, word] = state.gone[seat, word]
            state.gone[seat, word] = ZERO
            state.old[seat, word] = state.hand[seat, word] & ~state.up[seat, word]
    for seat in range(np.int64(state.num_players)):
        if not has_bit(state.live, seat):
            for word in range(2):
                folded = state.up[seat, word]
                state.up[seat, word] = ZERO
                for other in range(np.int64(state.num_players)):
                    state.recalled[other, word] |= folded


@device_function
def note_dealt(state, seat, muck, suited, jokers):
    """Called after the shared functions have dealt to a hand that held these cards, while there was a muck."""
    if muck and not has_muck(state):
        note_shuffle(state)
        state.old[seat, 0] &= suited
        state.old[seat, 1] &= jokers


@device_function
def note_mixed(state, seat):
    """Record that cards left a hand without others knowing their age: all the remaining cards may have been dealt after the
    shuffle."""
    down, jokers = state.hand[seat, 0] & ~state.up[seat, 0], state.hand[seat, 1] & ~state.up[seat, 1]
    if (down & ~state.old[seat, 0]) | (jokers & ~state.old[seat, 1]) != ZERO:
        state.old[seat, 0] &= ~down
        state.old[seat, 1] &= ~jokers


@device_function
def throw_away(state, seat, suited, jokers):
    """Move cards of a hand face down into the muck."""
    state.refill[0] |= suited
    state.refill[1] |= jokers
    state.gone[seat, 0] |= suited
    state.gone[seat, 1] |= jokers


@device_function
def fold_hand(state, seat):
    """Move a folded hand into the muck; all players remember its face-up cards."""
    state.live = np.int64(state.live) & ~(1 << seat)
    throw_away(state, seat, state.hand[seat, 0], state.hand[seat, 1])
    for word in range(2):
        state.gone[seat, word] &= ~state.up[seat, word]
        state.hand[seat, word] = ZERO


# --- the streets ---


@device_function
def deal_street(state):
    """Deal the cards of `state.street`. Returns the effects of specials among common cards, for `begin_common`."""
    street = np.int64(state.street)
    if street > 0 and state.burn:
        card = draw_card(state)
        if card != NO_CARD:
            add(state.refill, card)
    counts = DEALT[np.int64(state.variant), street]
    if state.variant >= SEVEN_STUD and counts[DOWN] == 1 and available(state) < count_bits(np.int64(state.live)):
        return deal_board(state, np.int64(1))  # PK-18
    for _ in range(counts[DOWN]):
        deal_round(state, False)
    if street == 0:
        tell_hands(state)
    for _ in range(counts[UP]):
        deal_round(state, True)
    return deal_board(state, counts[BOARD]) if counts[BOARD] > 0 else np.int64(0)


@device_function
def deal_round(state, face_up):
    """PK-03: a card to each, clockwise from the seat after the button."""
    n = np.int64(state.num_players)
    seat = np.int64(state.button)
    for _ in range(n):
        seat = clockwise(seat, 1, n)
        if has_bit(state.live, seat):
            card = draw_card(state)
            if card == NO_CARD:
                return
            add(state.hand[seat], card)
            if face_up:
                add(state.up[seat], card)
            if face_up or state.street > 0:
                emit_card(state, DEAL, seat, card, EVERYBODY if face_up else 1 << seat, NOBODY)


@device_function
def tell_hands(state):
    """Emit the face-down cards of the first street hand by hand, not one by one."""
    for seat in range(np.int64(state.num_players)):
        emit_cards(state, DEAL, seat, state.hand[seat, 0], state.hand[seat, 1], 1 << seat, NOBODY)


@device_function
def deal_board(state, count):
    """PK-50, PK-51."""
    laid = np.int64(state.common_size)
    muck, aside = has_muck(state), np.int64(state.aside)
    dealt, queue = deal_common(state, count, state.common[laid:], 0)
    if muck and not has_muck(state):
        note_shuffle(state)
    state.common_size = laid + dealt
    redealt = np.uint64(np.int64(state.aside) & ~aside)
    emit_cards(state, SET_ASIDE, NOBODY, redealt << AT_SPECIALS, ZERO, EVERYBODY, NOBODY)
    emit_list(state, TURN_UP, NOBODY, state.common, laid, laid + dealt, EVERYBODY, NOBODY)
    return queue


@device_function
def board_of(state):
    """The board as the two words of a set."""
    suited, jokers = ZERO, ZERO
    for k in range(np.int64(state.common_size)):
        card = np.int64(state.common[k])
        if WORD[card] == 1:
            jokers |= BIT[card]
        else:
            suited |= BIT[card]
    return suited, jokers
