"""Chips: forced bets, legal raises, the end of a street (PK-02, PK-06 to PK-13)."""

from __future__ import annotations

import numpy as np

from ...core.events import COLLECT, DECLARE, NOBODY, POST, emit
from ...core.extended.turns import has_bit
from ...core.jit import device_function
from ...core.seats import clockwise
from .state import (
    ALL_IN,
    BRING_IN,
    FIVE_STUD,
    LIMIT,
    MOST_SIZES,
    POT_LIMIT,
    RAISE,
    RAISE_SIZE,
    SMALL_STREETS,
    THOUSAND,
)

# --- who has chips ---


@device_function
def able(state):
    """Live players with chips, as bits."""
    seats = 0
    for seat in range(np.int64(state.num_players)):
        seats |= (np.int64(state.chips[seat]) > 0) << seat
    return seats & np.int64(state.live)


@device_function
def pot_of(state):
    """All chips of the hand that are not in stacks."""
    pot = np.int64(0)
    for seat in range(np.int64(state.num_players)):
        pot += np.int64(state.paid[seat])
    return pot


@device_function
def to_call(state, seat):
    return max(np.int64(state.highest) - np.int64(state.bet[seat]), 0)


@device_function
def level(state, seat):
    """PK-34."""
    return np.int64(state.paid[seat]) + np.int64(state.saved[seat])


# --- forced bets ---


@device_function
def pay(state, seat, amount):
    """Move up to this number of chips from a stack into the pot, as part of the bet."""
    amount = min(amount, np.int64(state.chips[seat]))
    state.chips[seat] -= amount
    state.paid[seat] += amount
    state.bet[seat] += amount


@device_function
def tell_all_in(state, seat):
    """Emit an event if a player is all-in after paying."""
    if state.chips[seat] == 0:
        emit(state, DECLARE, seat, 0, NOBODY)


@device_function
def post(state, seat, amount):
    """Post a blind or a bring-in (PK-02): the highest amount actually posted must be called."""
    if state.chips[seat] == 0:  # the ante was their last chip
        return
    pay(state, seat, amount)
    emit(state, POST, seat, state.bet[seat], NOBODY)
    tell_all_in(state, seat)
    state.highest = max(np.int64(state.highest), np.int64(state.bet[seat]))


@device_function
def post_antes(state):
    """PK-02: antes are no bets."""
    for seat in range(np.int64(state.num_players)):
        if has_bit(state.present, seat):
            pay(state, seat, np.int64(state.ante))
            if state.ante > 0:
                emit(state, POST, seat, state.bet[seat], NOBODY)
                tell_all_in(state, seat)
            state.bet[seat] = 0


@device_function
def next_present(state, seat):
    """The next seat clockwise that is in the hand."""
    n = np.int64(state.num_players)
    for _ in range(n):
        seat = clockwise(seat, 1, n)
        if has_bit(state.present, seat):
            break
    return seat


@device_function
def post_blinds(state):
    """PK-02. Returns the seat of the big blind."""
    button = np.int64(state.button)
    small = next_present(state, button)
    big = next_present(state, small)
    if big == button:  # two players
        small, big = big, small
    post(state, small, np.int64(state.small_blind))
    post(state, big, np.int64(state.big_blind))
    return big


# --- raises ---


@device_function
def street_size(state):
    """The minimal bet or raise: in limit by street (PK-10), otherwise as at the start of the hand (PK-07)."""
    stud = state.variant >= FIVE_STUD
    small = np.int64(state.small_bet) if stud else np.int64(state.big_blind)
    if state.betting != LIMIT or state.street < SMALL_STREETS[np.int64(state.variant)]:
        return small
    return np.int64(state.big_bet) if stud else 2 * small


@device_function
def is_brought_in(state):
    """Whether there is only a bring-in, which can be raised."""
    return state.variant >= FIVE_STUD and state.street == 0 and state.stud_open == BRING_IN and state.raises == 0


@device_function
def least_raise(state):
    """The smallest full raise, as an amount to raise to (PK-07)."""
    if is_brought_in(state):
        return np.int64(state.small_bet)
    return np.int64(state.highest) + np.int64(state.raise_size)


@device_function
def all_of(state, seat):
    """The amount that an all-in raises to."""
    return np.int64(state.bet[seat]) + np.int64(state.chips[seat])


@device_function
def may_raise(state, seat):
    """PK-08, PK-10, PK-12."""
    highest = np.int64(state.highest)
    if all_of(state, seat) <= highest:
        return False
    if has_bit(state.acted, seat) and to_call(state, seat) < state.raise_size:
        return False
    if state.betting == LIMIT and state.raises >= state.raise_cap[np.int64(state.street)]:
        return False
    for other in range(np.int64(state.num_players)):
        if other != seat and has_bit(state.live, other) and all_of(state, other) > highest:
            return True
    return False


@device_function
def most_raise(state, seat):
    """The greatest legal amount to raise to (PK-09, PK-10)."""
    most = all_of(state, seat)
    if state.betting == POT_LIMIT:
        pot_raise = np.int64(state.highest) + pot_of(state) + to_call(state, seat)
        most = min(most, max(pot_raise, least_raise(state)))
    elif state.betting == LIMIT:
        most = min(most, least_raise(state))
    return most


@device_function
def sized_raise(state, seat, size):
    """PK-11: the amount to raise to for this many thousandths of the pot, before other limits."""
    amount = np.int64(state.highest) + size * (pot_of(state) + to_call(state, seat)) // THOUSAND
    return min(max(amount, least_raise(state)), most_raise(state, seat))


@device_function
def amount_of(state, seat, action):
    """The amount that a legal raise is to."""
    if action == ALL_IN:
        return all_of(state, seat)
    if action == RAISE:
        return min(least_raise(state), all_of(state, seat))
    return sized_raise(state, seat, np.int64(state.raise_sizes[action - RAISE_SIZE]))


@device_function
def mark_raises(state, seat, mask):
    """PK-07 to PK-12."""
    if not may_raise(state, seat):
        return
    if state.betting == LIMIT:
        mask[RAISE] = 1
        return
    everything, least, most = all_of(state, seat), least_raise(state), most_raise(state, seat)
    last = np.int64(0)
    if state.min_raise_action and least < everything:
        mask[RAISE] = 1
        last = least
    unit = pot_of(state) + to_call(state, seat)
    for k in range(MOST_SIZES):
        size = np.int64(state.raise_sizes[k])
        if size == 0:
            break
        amount = min(max(np.int64(state.highest) + size * unit // THOUSAND, least), most)
        if amount >= everything:
            break
        if amount > last:
            mask[RAISE_SIZE + k] = 1
            last = amount
    mask[ALL_IN] = everything <= most


@device_function
def raise_to(state, seat, amount):
    """PK-07, PK-08: raise. All players who have not folded and have chips must act again, except the raiser."""
    added = amount - np.int64(state.highest)
    if amount >= least_raise(state):
        state.acted = 0
        state.raise_size = max(np.int64(state.raise_size), added)
    pay(state, seat, amount - np.int64(state.bet[seat]))
    state.highest = amount
    state.raises += 1
    state.made[seat] += 1
    state.by_skip = 0  # PK-42


# --- the end of a street ---


@device_function
def settle_street(state):
    """Return amounts saved by Skips (PK-34) and uncalled bets (PK-13), and clear the bets."""
    n = np.int64(state.num_players)
    for seat in range(n):
        if has_bit(state.by_skip, seat):
            state.saved[seat] += min(np.int64(state.chips[seat]), to_call(state, seat))
    state.by_skip = 0
    return_uncalled(state)
    for seat in range(n):
        state.bet[seat] = 0
    state.highest = 0


@device_function
def return_uncalled(state):
    """PK-13."""
    top, second, holder = np.int64(-1), np.int64(-1), np.int64(0)
    for seat in range(np.int64(state.num_players)):
        seat_level = level(state, seat)
        if seat_level > top:
            top, second, holder = seat_level, top, seat
        elif seat_level > second:
            second = seat_level
    if top > second and has_bit(state.live, holder):
        put = np.int64(state.paid[holder]) if state.street == 0 else np.int64(state.bet[holder])
        back = min(top - second, put)
        state.chips[holder] += back
        state.paid[holder] -= back
        state.saved[holder] -= top - second - back
        if back > 0:
            emit(state, COLLECT, holder, back, NOBODY)
