"""The showdown: specials redealt, hands compared, pots paid (PK-21 to PK-25, PK-33, PK-34, PK-54, PK-55)."""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits, highest_bit, lowest_bit
from ...core.cards import RANKS, SUITS
from ...core.compare.poker import omaha_strength, poker_strength, short_strength
from ...core.events import BANK, EVERYBODY, NOBODY, PAY, REDEAL, REVEAL, SCORE, WIN, emit, emit_card, emit_cards
from ...core.events import DRAW as DRAWN
from ...core.extended.pile import available
from ...core.extended.sets import (
    DRAW,
    FIRST_SPECIAL,
    NO_CARD,
    ONE,
    STANDARD_CARDS,
    SUIT_CARDS,
    ZERO,
    add,
    is_special,
    kind_of,
    remove,
    specials_of,
)
from ...core.extended.turns import has_bit
from ...core.jit import device_function
from ...core.seats import clockwise
from .betting import level
from .dealing import board_of, draw_card
from .state import CHICAGO, LOW, OMAHA

_SPADES = SUIT_CARDS[SUITS - 1] & STANDARD_CARDS
_FOUR, _LAST = np.uint64(4), np.uint64(15)  # of a list of specials: four bits each, the first lowest


# --- PK-54: specials of the hands that are shown ---


@device_function
def show_hands(state):
    """Show the live hands and redeal their specials, clockwise from the seat after the button."""
    state.shown = state.live
    n = np.int64(state.num_players)
    seat = np.int64(state.button)
    for _ in range(n):
        seat = clockwise(seat, 1, n)
        if has_bit(state.live, seat):
            down, jokers = state.hand[seat, 0] & ~state.up[seat, 0], state.hand[seat, 1] & ~state.up[seat, 1]
            emit_cards(state, REVEAL, seat, down, jokers, EVERYBODY, NOBODY)
            if not state.standard:
                redeal_shown(state, seat)


@device_function
def redeal_shown(state, seat):
    """Redeal until no special is left, or no card to replace it: a batch in ascending order, then new ones in order of
    arrival."""
    specials, batch, size = specials_of(state.hand[seat]), ZERO, 0
    while specials != ZERO:
        batch |= np.uint64(lowest_bit(specials)) << (_FOUR * np.uint64(size))
        specials &= specials - ONE
        size += 1
    while size > 0 and available(state) > 0:
        batch, size = redeal_batch_shown(state, seat, batch, min(size, available(state)))


@device_function
def redeal_batch_shown(state, seat, batch, size):
    """Replace this number of specials of a list, face up or down as before: one card each, then a second for each Draw. Returns
    the list of new specials, and its length."""
    faces, left = 0, batch
    for k in range(size):
        special = FIRST_SPECIAL + np.int64(left & _LAST)
        left >>= _FOUR
        emit_card(state, REDEAL, seat, special, EVERYBODY, NOBODY)
        faces |= np.int64(special_is_up(state, seat, special)) << k
        remove(state.hand[seat], special)
        remove(state.up[seat], special)
        remove(state.old[seat], special)
        state.aside = np.int64(state.aside) | 1 << (special - FIRST_SPECIAL)
    following, count = ZERO, 0
    for second in range(2):
        left = batch
        for k in range(size):
            special = FIRST_SPECIAL + np.int64(left & _LAST)
            left >>= _FOUR
            card = draw_card(state) if second == 0 or kind_of(special) == DRAW else np.int64(NO_CARD)
            if card != NO_CARD:
                emit_card(state, DRAWN, seat, card, EVERYBODY, NOBODY)
                add(state.hand[seat], card)
                if faces >> k & 1:
                    add(state.up[seat], card)
                if is_special(card):
                    following |= np.uint64(card - FIRST_SPECIAL) << (_FOUR * np.uint64(count))
                    count += 1
    return following, count


@device_function
def special_is_up(state, seat, special):
    return specials_of(state.up[seat]) >> np.uint64(special - FIRST_SPECIAL) & ONE != ZERO


# --- strengths ---


@device_function
def strength_of(state, seat):
    """PK-14 to PK-17, PK-22, PK-25, PK-30, PK-31."""
    suited, jokers = board_of(state)
    own, own_jokers = state.hand[seat, 0], count_bits(state.hand[seat, 1])
    if state.variant == OMAHA:
        return omaha_strength(own, own_jokers, suited, count_bits(jokers))
    return poker_strength((own | suited) & STANDARD_CARDS, own_jokers + count_bits(jokers))


@device_function
def spade_of(state, seat):
    """PK-21, PK-33: the rank of the best spade dealt face down to a player, 1 the worst, 0 if there is none."""
    board, _ = board_of(state)
    spades = state.hand[seat, 0] & ~state.up[seat, 0] & _SPADES
    low = state.chicago == LOW
    if state.hand[seat, 1] & ~state.up[seat, 1] != ZERO:
        free = _SPADES & ~(state.hand[seat, 0] | board)
        spades |= ONE << np.uint64(lowest_bit(free) if low else highest_bit(free))
    if spades == ZERO:
        return np.int64(0)
    return RANKS - (lowest_bit(spades) >> 2) if low else (highest_bit(spades) >> 2) + 1


# --- pots ---


@device_function
def pay_pots(state):
    """PK-23, PK-34: pay the pots from the lowest up; the highest includes what folded players paid beyond it."""
    n = np.int64(state.num_players)
    bottom, number, strengths, spades = np.int64(0), 0, np.zeros(n, np.int64), np.zeros(n, np.int64)
    for seat in range(n):
        if has_bit(state.live, seat):
            strengths[seat] = strength_of(state, seat)
            emit(state, SCORE, seat, short_strength(strengths[seat]), NOBODY)
            spades[seat] = spade_of(state, seat) if state.variant == CHICAGO else 0
    while True:
        contestants, top = pot_above(state, bottom)
        if contestants == 0:
            break
        _, above = pot_above(state, top)
        amount = np.int64(0)
        for seat in range(n):
            paid = np.int64(state.paid[seat])
            amount += max((min(paid, top) if above > 0 else paid) - bottom, 0)
        if above > 0 or number > 0:
            emit(state, BANK, NOBODY, number, NOBODY)
        number += 1
        pay_pot(state, contestants, amount, strengths, spades)
        bottom = top


@device_function
def pot_above(state, bottom):
    """The players, as bits, who contest the pot above a level, and the top level of this pot; 0 and 0 if there is none."""
    top, contestants = np.int64(0), 0
    for seat in range(np.int64(state.num_players)):
        seat_level = level(state, seat)
        if has_bit(state.live, seat) and seat_level > bottom:
            contestants |= 1 << seat
            top = seat_level if top == 0 else min(top, seat_level)
    return contestants, top


@device_function
def pay_pot(state, contestants, amount, strengths, spades):
    """PK-21, PK-24."""
    if state.variant == CHICAGO:
        holders = best_of(contestants, spades)
        if spades[lowest_bit(holders)] > 0:
            emit(state, PAY, NOBODY, amount // 2, NOBODY)
            share(state, holders, amount // 2)
            amount -= amount // 2
    share(state, best_of(contestants, strengths), amount)


@device_function
def best_of(seats, values):
    """The seats (bits) with the greatest value, among some seats."""
    best, winners = np.int64(-1), 0
    for seat in range(values.shape[0]):
        if seats >> seat & 1 and values[seat] >= best:
            winners = winners | 1 << seat if values[seat] == best else 1 << seat
            best = values[seat]
    return winners


@device_function
def share(state, winners, amount):
    """PK-24: divide a pot; the first winner clockwise from the seat after the button gets the remainder."""
    n, count = np.int64(state.num_players), count_bits(winners)
    seat = np.int64(state.button)
    part, odd = amount // count, amount % count
    for _ in range(n):
        seat = clockwise(seat, 1, n)
        if winners >> seat & 1:
            if part + odd > 0:
                emit(state, WIN, seat, part + odd, NOBODY)
            state.chips[seat] += part + odd
            state.result[seat] += part + odd
            odd = np.int64(0)
