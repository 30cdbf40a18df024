"""The course of a hand of poker, and of consecutive hands. The parts are in the other modules of this package."""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core.bits import count_bits
from ...core.events import emit
from ...core.extended.reveal import mark_reveals
from ...core.extended.sets import ZERO
from ...core.extended.state import NOBODY, clear_deal
from ...core.extended.turns import has_bit
from ...core.jit import device_function
from ...core.rng import random_below
from .betting import (
    able,
    amount_of,
    mark_raises,
    next_present,
    pay,
    post_antes,
    post_blinds,
    pot_of,
    raise_to,
    settle_street,
    street_size,
    tell_all_in,
    to_call,
)
from .dealing import deal_street, fold_hand
from .drawing import mark_draw, step_draw
from .showdown import pay_pots, share, show_hands
from .state import CALL, DRAWING, FIVE_DRAW, FIVE_STUD, FOLD, RESET, REVEAL_AT, STREETS_OF
from .turns import everybody, next_turn, open_draw, open_street, reveal_special

# --- a hand begins ---


@device_function
def begin(state):
    seat_players(state)
    clear_hand(state)
    post_antes(state)
    big_blind = np.int64(NOBODY)
    if state.variant < FIVE_STUD:
        big_blind = post_blinds(state)
    queue = deal_street(state)
    open_street(state, big_blind, queue)
    go_on(state)


@device_function
def seat_players(state):
    """PK-01: who takes part, and the button."""
    n = np.int64(state.num_players)
    if state.deals == 1 or state.stacks == RESET:
        for seat in range(n):
            state.chips[seat] = state.buy_in[seat]
    state.live = everybody(state)
    state.live = able(state)
    state.present = state.live
    if state.deals > 1:
        state.button = next_present(state, np.int64(state.button))
    elif state.first_button >= 0:
        state.button = state.first_button
    else:
        state.button = random_below(state, n)
    emit(state, events.ROUND, state.button, 0, NOBODY)


@device_function
def clear_hand(state):
    clear_deal(state)
    for seat in range(np.int64(state.num_players)):
        state.bet[seat] = 0
        state.paid[seat] = 0
        state.saved[seat] = 0
        state.made[seat] = 0
        state.exchanged[seat] = 0
        for kind in range(state.revealed.shape[1]):
            state.revealed[seat, kind] = 0
        for word in range(2):
            state.up[seat, word] = ZERO
            state.gone[seat, word] = ZERO
            state.recalled[seat, word] = ZERO
            state.old[seat, word] = ZERO
    for k in range(np.int64(state.common_size)):
        state.common[k] = 0
    state.common_size = 0
    state.street = 0
    state.highest = 0
    state.marks = 0
    state.shown = 0
    state.raise_size = street_size(state)


# --- streets ---


@device_function
def go_on(state):
    """Continue until a player has a turn, or the hand is over."""
    while state.turn == NOBODY:
        if state.phase == DRAWING:
            open_street(state, np.int64(NOBODY), np.int64(0))
            continue
        settle_street(state)
        last = np.int64(state.street) + 1 == STREETS_OF[np.int64(state.variant)]
        if last or count_bits(np.int64(state.live)) == 1:
            end_hand(state)
            break
        state.street += 1
        state.raise_size = street_size(state)
        queue = deal_street(state)
        if state.variant == FIVE_DRAW:
            open_draw(state)
        else:
            open_street(state, np.int64(NOBODY), queue)
    state.new_turn = 0  # no turns are counted
    if state.turn != NOBODY:
        state.current_player = state.turn


@device_function
def end_hand(state):
    """PK-05, PK-54: end the hand, and add its results to the rewards."""
    n, live = np.int64(state.num_players), np.int64(state.live)
    for seat in range(n):
        state.result[seat] = -np.int64(state.paid[seat])
    if count_bits(live) == 1:
        share(state, live, pot_of(state))
    else:
        show_hands(state)
        pay_pots(state)
    unit = np.int64(state.small_bet) if state.variant >= FIVE_STUD else np.int64(state.big_blind)
    for seat in range(n):
        state.paid[seat] = 0
        state.saved[seat] = 0
        state.rewards[seat] += np.float32(np.int64(state.result[seat]) / unit)
        if has_bit(state.present, seat) and state.chips[seat] == 0 and state.stacks != RESET:
            emit(state, events.OUT, seat, 0, NOBODY)
    state.live = everybody(state)
    rich = count_bits(able(state))
    state.live = live
    if state.deals >= state.hands or (rich < 2 and state.stacks != RESET):
        state.terminated = 1
    else:
        state.deal_pending = 1


# --- turns ---


@device_function
def legal_actions(state, mask):
    seat = np.int64(state.turn)
    if state.marks == 0 and mark_reveals(state, mask, REVEAL_AT):
        return
    if state.phase == DRAWING:
        mark_draw(state, mask)
        return
    mask[FOLD] = to_call(state, seat) > 0
    mask[CALL] = 1
    mark_raises(state, seat, mask)


@device_function
def step(state, action):
    if action >= REVEAL_AT:
        if state.phase == DRAWING:
            step_draw(state, action)
        else:
            reveal_special(state, action)
    else:
        step_bet(state, action)
    go_on(state)


@device_function
def step_bet(state, action):
    """PK-06, PK-07."""
    seat = np.int64(state.turn)
    if action == FOLD:
        emit(state, events.FOLD, seat, 0, NOBODY)
        fold_hand(state, seat)
        if count_bits(np.int64(state.live)) == 1:
            state.turn = NOBODY
            return
    elif action == CALL:
        owed = min(to_call(state, seat), np.int64(state.chips[seat]))
        emit(state, events.CALL if owed > 0 else events.CHECK, seat, owed, NOBODY)
        pay(state, seat, to_call(state, seat))
    else:
        amount = amount_of(state, seat, action)
        emit(state, events.RAISE if state.highest > 0 else events.BET, seat, amount, NOBODY)
        raise_to(state, seat, amount)
        state.out = everybody(state) & ~able(state)
    tell_all_in(state, seat)
    state.acted = np.int64(state.acted) | 1 << seat
    next_turn(state, seat)
