"""The observation of poker."""

from __future__ import annotations

import numpy as np

from ...core.cards import DECK_66
from ...core.extended.pile import pile_size
from ...core.extended.sets import FIRST_SPECIAL, ZERO, size_of, write_bits, write_cards
from ...core.extended.turns import has_bit
from ...core.extended.view import seat_from
from ...core.jit import device_function
from .betting import all_of, least_raise, level, may_raise, most_raise, pot_of, to_call
from .state import (
    BETTING,
    LIMIT,
    MIN_PLAYERS,
    OBSERVATION,
    OF_CAP,
    OF_CARDS,
    OF_RAISES,
    OF_REVEALED,
    SEAT,
)

_PHASE, _STREET, _DOWN, _UP, _COMMUNITY, _REMOVED, _DISCARDS, _STAGED, _MARKS, _SEATS, _OTHERS_UP, _NUMBERS = (
    OBSERVATION.places(*(block.name for block in OBSERVATION.blocks), num_players=MIN_PLAYERS)
)
_KINDS = 3
_OF_CARDS, _OF_REVEALED, _OF_RAISES = np.float32(1 / OF_CARDS), np.float32(1 / OF_REVEALED), np.float32(1 / OF_RAISES)
_OF_CAP, _OF_PILE = np.float32(1 / OF_CAP), np.float32(1 / DECK_66)


@device_function
def greatest_stack(state):
    most = np.int64(0)
    for seat in range(np.int64(state.num_players)):
        most = max(most, np.int64(state.buy_in[seat]))
    return most


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    out[_PHASE + np.int64(state.phase)] = 1
    out[_STREET + np.int64(state.street)] = 1
    observe_cards(state, viewer, out)
    of_stack = np.float32(1 / greatest_stack(state))
    for seat in range(n):
        place = seat_from(viewer, seat, n)
        if has_bit(state.present, seat):
            observe_seat(state, seat, _SEATS + place * SEAT, of_stack, out)
        if place > 0:
            write_cards(out, _OTHERS_UP + (place - 1) * DECK_66, state.up[seat])
    observe_numbers(state, viewer, of_stack, out)


@device_function
def observe_cards(state, viewer, out):
    write_cards(out, _DOWN, state.hand[viewer])
    if state.up[viewer, 0] | state.up[viewer, 1] != ZERO:
        write_cards(out, _UP, state.up[viewer])
        for card in range(DECK_66):
            if out[_UP + card] > 0:
                out[_DOWN + card] = 0
    for k in range(np.int64(state.common_size)):
        out[_COMMUNITY + np.int64(state.common[k])] = 1
    write_cards(out, _DISCARDS, state.gone[viewer])
    if not state.standard:
        write_bits(out, _REMOVED + FIRST_SPECIAL, np.uint64(state.aside))
        write_bits(out, _STAGED, np.uint64(state.staged))
    if viewer == state.turn:
        write_bits(out, _MARKS, np.uint64(state.marks))


@device_function
def observe_seat(state, seat, offset, of_stack, out):
    live, rich = has_bit(state.live, seat), state.chips[seat] > 0
    over = live and has_bit(state.out, seat)
    out[offset] = 1
    out[offset + 1] = not live
    out[offset + 2] = live and not rich
    out[offset + 3] = over and (rich or state.phase != BETTING)
    out[offset + 4] = has_bit(state.paused, seat)
    out[offset + 5] = has_bit(state.by_skip, seat)
    out[offset + 6] = np.float32(np.int64(state.bet[seat])) * of_stack
    out[offset + 7] = np.float32(np.int64(state.paid[seat])) * of_stack
    out[offset + 8] = np.float32(level(state, seat)) * of_stack
    out[offset + 9] = np.float32(np.int64(state.chips[seat])) * of_stack
    if live:
        out[offset + 10] = np.float32(size_of(state.hand[seat]) - size_of(state.up[seat])) * _OF_CARDS
    out[offset + 11] = np.float32(state.exchanged[seat]) * _OF_CARDS
    if not state.standard:
        for kind in range(_KINDS):
            out[offset + 12 + kind] = np.float32(state.revealed[seat, kind]) * _OF_REVEALED
    out[offset + 15] = seat == state.button
    out[offset + 16] = np.float32(np.int64(state.made[seat])) * _OF_RAISES


@device_function
def observe_numbers(state, viewer, of_stack, out):
    n, offset = np.int64(state.num_players), _NUMBERS
    out[offset] = np.float32(pot_of(state) / n) * of_stack
    if has_bit(state.live, viewer):
        out[offset + 1] = np.float32(to_call(state, viewer)) * of_stack
    if viewer == state.turn and state.phase == BETTING and state.staged == 0 and may_raise(state, viewer):
        out[offset + 2] = np.float32(min(least_raise(state), all_of(state, viewer))) * of_stack
        out[offset + 3] = np.float32(most_raise(state, viewer)) * of_stack
    out[offset + 4] = np.float32(np.int64(state.raise_size)) * of_stack
    if state.betting == LIMIT:
        left = np.int64(state.raise_cap[np.int64(state.street)]) - np.int64(state.raises)
        out[offset + 5] = np.float32(max(left, 0)) * _OF_CAP
    out[offset + 6] = state.direction > 0
    out[offset + 7] = state.direction < 0
    out[offset + 8] = np.float32(pile_size(state)) * _OF_PILE
    out[offset + 9] = np.float32((np.int64(state.hands) - np.int64(state.deals)) / np.int64(state.hands))
    waiting = np.int64(state.live) & ~np.int64(state.out) & ~(1 << viewer)
    out[offset + 10] = waiting == 0
