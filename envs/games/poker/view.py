"""The observation of poker."""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits, lowest_bit
from ...core.cards import DECK_66, RANKS, SUITS
from ...core.compare.packed import RANKS_ONCE, RUN
from ...core.compare.poker import parts_of, poker_strength, up_cards_strength
from ...core.extended.pile import pile_size
from ...core.extended.sets import FIRST_SPECIAL, STANDARD_CARDS, ZERO, size_of, write_bits, write_cards
from ...core.extended.turns import has_bit
from ...core.extended.view import seat_from
from ...core.jit import device_function
from .betting import all_of, least_raise, level, may_raise, most_raise, pot_of, to_call
from .dealing import board_of
from .showdown import strength_of
from .state import (
    BETTING,
    HAND,
    KINDS,
    LIMIT,
    MIN_PLAYERS,
    OBSERVATION,
    OF_CAP,
    OF_CARDS,
    OF_RAISES,
    OF_REVEALED,
    SEAT,
)

_PHASE, _STREET, _DOWN, _UP, _COMMUNITY, _REMOVED, _DISCARDS, _STAGED, _MARKS, _SEATS, _OTHERS_UP, _NUMBERS, *_HANDS = (
    OBSERVATION.places(*(block.name for block in OBSERVATION.blocks), num_players=MIN_PLAYERS)
)
_BEST_HAND, _BOARD_HAND, _OTHERS_HAND, _DRAWS, _ODDS = _HANDS
_KINDS = 3
_ACE = SUITS * (RANKS - 1)  # the place of an Ace in a set of ranks, one in four bits
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
            if state.up[seat, 0] | state.up[seat, 1] != ZERO:
                strength = up_cards_strength(state.up[seat, 0], count_bits(state.up[seat, 1]))
                write_strength(strength, out, _OTHERS_HAND + (place - 1) * HAND)
    observe_numbers(state, viewer, of_stack, out)
    observe_hands(state, viewer, out)


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


@device_function
def observe_hands(state, viewer, out):
    """What the cards are worth, and what a call costs beside the pot: it could be computed from the other blocks."""
    board, jokers = board_of(state)
    wild = count_bits(state.hand[viewer, 1]) + count_bits(jokers)
    write_strength(strength_of(state, viewer), out, _BEST_HAND)
    if board | jokers != ZERO:
        write_strength(poker_strength(board & STANDARD_CARDS, count_bits(jokers)), out, _BOARD_HAND)
    cards = np.int64((state.hand[viewer, 0] | board) & STANDARD_CARDS)
    most, ranks = np.int64(0), np.int64(0)
    for suit in range(SUITS):
        suited = (cards >> suit) & RANKS_ONCE
        most, ranks = max(most, count_bits(suited)), ranks | suited
    out[_DRAWS] = np.float32(min(most + wild, 5)) * np.float32(0.2)
    if count_bits(ranks) + wild >= 4:
        out[_DRAWS + 1] = np.float32(completing(ranks, wild)) * np.float32(1 / RANKS)
    pot, call, stack = pot_of(state), to_call(state, viewer), np.int64(state.chips[viewer])
    if call > 0 and has_bit(state.live, viewer):
        out[_ODDS] = np.float32(call / (pot + call))
    if stack > 0:
        out[_ODDS + 1] = np.float32(stack / (pot + stack))


@device_function
def completing(ranks, wild):
    """The number of ranks of which one card would complete a straight."""
    found, ranks = np.int64(0), ranks << SUITS | ranks >> _ACE  # Aces also below twos
    for low in range(RANKS - 3):
        lacking = np.int64(RUN) << SUITS * low & ~ranks
        if count_bits(lacking) == wild + 1:
            found |= lacking
    found |= (found & 1) << _ACE + SUITS
    return count_bits(found >> SUITS)


@device_function
def write_strength(strength, out, offset):
    if strength > 0:
        kind, first, below = parts_of(strength)
        out[offset + kind - 1] = 1
        out[offset + KINDS + first] = 1
        while below:
            out[offset + KINDS + RANKS + (lowest_bit(below) >> 2)] = 1
            below &= below - 1
