"""The auction of bridge (BR-10 to BR-13): the calls made, the legal calls, and the contract."""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core.bits import highest_bit, lowest_bit
from ...core.events import NOBODY, PASS, emit
from ...core.extended.sets import ONE, ZERO
from ...core.jit import device_function
from ...core.layout import start
from ...core.seats import clockwise
from .state import ACTIONS, BID, BIDS, DOUBLE, NO_BID, PLAYERS, REDOUBLE, STRAIN_BIDS, STRAINS

_PASS, _DOUBLE, _BID = (ACTIONS.at(name) for name in ("pass", "double", "bid"))


@device_function
def clear_calls(state):
    for seat in range(PLAYERS):
        for kind in range(3):
            state.calls[kind, seat] = ZERO
    state.passes = 0


@device_function
def calls_of(state, kind):
    """The bids made (BID), doubled or redoubled by any player, one bit per bid."""
    return state.calls[kind, 0] | state.calls[kind, 1] | state.calls[kind, 2] | state.calls[kind, 3]


@device_function
def last_bid(state):
    """The highest bid so far, which after the auction is that of the contract; NO_BID if there is none."""
    return highest_bit(calls_of(state, BID))


@device_function
def caller_of(state, kind, bid):
    """The player who made, doubled or redoubled a bid. There must be one."""
    seat = 0
    while state.calls[kind, seat] >> np.uint64(bid) & ONE == ZERO:
        seat += 1
    return seat


@device_function
def doubling_of(state, bid):
    """0, 1 of a doubled bid, 2 of a redoubled one. A new bid is neither (BR-11)."""
    bit = ONE << np.uint64(bid)
    return np.int64(calls_of(state, DOUBLE) & bit != ZERO) + np.int64(calls_of(state, REDOUBLE) & bit != ZERO)


@device_function
def strain_of(bid):
    return bid % STRAINS


@device_function
def declarer_of(state):
    """BR-13: the player of the last bid's side who first bid its strain. There must be a bid."""
    bid = last_bid(state)
    seat, strain = caller_of(state, BID, bid), STRAIN_BIDS[strain_of(bid)]
    partner = clockwise(seat, 2, PLAYERS)
    first, other = lowest_bit(state.calls[BID, seat] & strain), lowest_bit(state.calls[BID, partner] & strain)
    return seat if first < other else partner


@device_function
def opening_passes(state):
    """The number of passes before the first bid, from the dealer on."""
    bids = calls_of(state, BID)
    if bids == ZERO:
        return np.int64(state.passes)
    return (caller_of(state, BID, lowest_bit(bids)) - np.int64(state.dealer)) & 3


@device_function
def mark_calls(state, mask):
    """Mark the legal calls of the player to move (BR-10, BR-11)."""
    mask[start(_PASS, PLAYERS)] = 1
    bid, bids = last_bid(state), start(_BID, PLAYERS)
    for higher in range(bid + 1, BIDS):
        mask[bids + higher] = 1
    if bid != NO_BID:
        others = (caller_of(state, BID, bid) ^ np.int64(state.current_player)) & 1
        doubling = doubling_of(state, bid)
        if doubling < 2 and doubling != others:
            mask[start(_DOUBLE, PLAYERS) + doubling] = 1


@device_function
def step_call(state, action):
    """Make a call for the player to move. Returns whether the auction is over (BR-12)."""
    player = np.int64(state.current_player)
    if action == start(_PASS, PLAYERS):
        state.passes += 1
        emit(state, PASS, player, 0, NOBODY)
        if state.passes == (PLAYERS if last_bid(state) == NO_BID else PLAYERS - 1):
            return True
    else:
        state.passes = 0
        if action < start(_BID, PLAYERS):
            doubling = action - start(_DOUBLE, PLAYERS)
            state.calls[DOUBLE + doubling, player] |= ONE << np.uint64(last_bid(state))
            emit(state, events.REDOUBLE if doubling else events.DOUBLE, player, 0, NOBODY)
        else:
            bid = action - start(_BID, PLAYERS)
            state.calls[BID, player] |= ONE << np.uint64(bid)
            emit(state, events.BID, player, bid, NOBODY)
    state.current_player = clockwise(player, 1, PLAYERS)
    return False
