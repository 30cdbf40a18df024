"""Redealing specials of a hand: the staged ones of a hidden hand, or all of a face-up hand (ED-24, ED-31 to ED-34)."""

from __future__ import annotations

import numpy as np

from ..bits import count_bits, lowest_bit
from ..events import DRAW as DRAWN
from ..events import EVERYBODY, NOBODY, REDEAL, emit_card, emit_cards
from ..jit import device_function
from .pile import available, next_card, take
from .sets import AT_SPECIALS, DRAW, FIRST_SPECIAL, KIND_BITS, NO_CARD, ONE, REVERSE, SKIP, ZERO, add, is_special

_FOUR, _LAST = np.uint64(4), np.uint64(15)  # per entry of a list of specials: four bits each, the first lowest


@device_function
def put_aside(state, seat, specials):
    """ED-09: remove specials of a hand, given as twelve bits, from the game."""
    emit_cards(state, REDEAL, seat, specials << AT_SPECIALS, ZERO, EVERYBODY, NOBODY)
    state.hand[seat, 0] &= ~(specials << AT_SPECIALS)
    state.aside = np.int64(state.aside) | np.int64(specials)


@device_function
def redeal_staged(state, seat):
    """Replace the staged specials, Draws by two cards, while there are cards (ED-24, ED-25). All replacements enter one hidden
    hand, so their order does not matter. Returns the numbers of Reverses and Skips redealt."""
    staged = np.uint64(state.staged)
    state.staged = 0
    put_aside(state, seat, staged)
    take(state, seat, count_bits(staged))
    take(state, seat, count_bits(staged & KIND_BITS[DRAW]))
    return count_bits(staged & KIND_BITS[REVERSE]), count_bits(staged & KIND_BITS[SKIP])


@device_function
def redeal_face_up(state, seat, specials):
    """Replace the specials of a face-up hand (`specials`, twelve bits) until none is left, or no card to replace one: a batch
    in ascending order of ids, then the specials among the replacements in order of arrival (ED-31 to ED-33). Returns the
    numbers of Reverses and Skips redealt; when hands are compared these have no further effect (ED-34)."""
    redealt, batch, size = ZERO, ZERO, 0
    while specials != ZERO:
        batch |= np.uint64(lowest_bit(specials)) << (_FOUR * np.uint64(size))
        specials &= specials - ONE
        size += 1
    while size > 0 and available(state) > 0:
        batch, size, now = redeal_batch(state, seat, batch, min(size, available(state)))
        redealt |= now
    return count_bits(redealt & KIND_BITS[REVERSE]), count_bits(redealt & KIND_BITS[SKIP])


@device_function
def redeal_batch(state, seat, batch, size):
    """Replace the first `size` specials of a list. Returns the list of specials among the replacements, its length, and the
    redealt specials as twelve bits."""
    redealt = ZERO
    for _ in range(size):
        redealt |= ONE << (batch & _LAST)
        batch >>= _FOUR
    put_aside(state, seat, redealt)
    following, count = ZERO, 0
    for _ in range(size + count_bits(redealt & KIND_BITS[DRAW])):
        card = next_card(state)
        if card != NO_CARD:
            emit_card(state, DRAWN, seat, card, EVERYBODY, NOBODY)
            add(state.hand[seat], card)
            if is_special(card):
                following |= np.uint64(card - FIRST_SPECIAL) << (_FOUR * np.uint64(count))
                count += 1
    state.seen_void[seat] = 0
    return following, count, redealt
