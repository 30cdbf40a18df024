"""The order of turns, and the effects of specials on it (ED-35 to ED-42, ED-50 to ED-64).

There are two modes. In ROTATION, turns go round indefinitely, and `state.out` marks seats that have left the game; in a CYCLE
each player has one turn, and `out` marks seats whose turn is over. All functions that pass the turn set `state.turn` to the
next seat to act (NOBODY at the end of a cycle), set `state.new_turn` unless a paused turn resumes, and store the seats skipped
on the way in `state.skipped`.

With DRAWS_WAIT, the cards that a player draws at the beginning of their turn are not put into their hand: `state.turn` stays
with the player while there are such cards (`draws_due`). The game handles them and calls `begin_turn` again.

With REFILLS, the pile is refilled as soon as it is empty, not only when the next card is taken.

The effects of specials played in a turn are a number, `state.effects` of the player: two bits per card, kind + 1, the first
card lowest (ED-39).
"""

from __future__ import annotations

import numpy as np

from ..bits import highest_bit
from ..events import DIRECTION, PAUSE, SKIPPED, emit
from ..jit import device_function
from ..seats import seats_with
from .pile import available, refill_pile, take
from .redeal import redeal_face_up
from .sets import DRAW, REVERSE, SKIP, is_special, kind_of, specials_of
from .state import NOBODY

ROTATION, CYCLE, DRAWS_WAIT, REFILLS = 0, 1, 2, 4  # the mode: one of the first two, plus the other flags


@device_function
def has_bit(seats, seat):
    return np.int64(seats) >> seat & 1 != 0


@device_function
def successor(state, seat, excluded):
    """The next seat in the order of play that is neither out nor `excluded` (bits); `seat` itself comes last."""
    return next_place(np.int64(state.direction), seat, np.int64(state.num_players), np.int64(state.out) | excluded)


@device_function
def next_place(direction, place, places, closed):
    """The next of `places` places in the order of play that is not `closed` (bits); `place` itself comes last. NOBODY if there
    is none. Places are seats, and may include others, such as a dealer's."""
    for _ in range(places):
        place += direction
        if place == places:
            place = 0
        elif place < 0:
            place = places - 1
        if closed >> place & 1 == 0:
            return place
    return NOBODY


@device_function
def queue_kind(queue, kind):
    """Append an effect to a list of effects."""
    return queue | (kind + 1) << (((highest_bit(queue) + 2) >> 1) << 1)


@device_function
def note_effect(state, seat, card):
    """Record a played card: if it is special, it takes effect at the end of the turn (ED-35, ED-40, ED-42)."""
    if is_special(card):
        state.effects[seat] = queue_kind(np.int64(state.effects[seat]), kind_of(card))


@device_function
def apply_effects(state, queue, player, first, mode):
    """Apply effects to the players from `first` on, who follows `player` (ED-50). If `player` is NOBODY, they come from the
    table (ED-45, ED-59). Effects for which no player is left are carried over. Returns the seat to begin."""
    affected, start = first, first
    while queue != 0 and affected != NOBODY:
        kind = (queue & 3) - 1
        queue >>= 2
        if kind == DRAW:  # ED-36
            state.draw[affected] += 2
        elif kind == SKIP:  # ED-37
            if player == NOBODY and all_to_be_skipped(state):  # ED-45
                continue
            state.skip[affected] += 1
            affected = successor(state, affected, to_be_skipped(state) if mode & CYCLE and player != NOBODY else 0)
        elif kind == REVERSE:  # ED-38
            turn_round(state)
            start = successor(state, affected if player == NOBODY else player, 1 << affected)
            if start == NOBODY:
                start = affected
            affected = start
    state.carry = queue
    return start


@device_function
def turn_round(state):
    """Reverse the order of play (ED-38)."""
    state.direction = -state.direction
    emit(state, DIRECTION, NOBODY, state.direction, NOBODY)


@device_function
def to_be_skipped(state):
    return seats_with(state, state.skip)


@device_function
def all_to_be_skipped(state):
    everybody = (1 << np.int64(state.num_players)) - 1
    return to_be_skipped(state) | np.int64(state.out) == everybody


@device_function
def after_turn(state, player, mode):
    """ED-50: the seat to begin after a player's turn, once the effects of their specials are applied."""
    if mode & CYCLE:
        state.out = np.int64(state.out) | 1 << player
    return act_on(state, player, successor(state, player, 0), mode)


@device_function
def act_on(state, player, first, mode):
    """Apply the effects of a player's specials to `first` and the following seats (ED-50); a game may choose another `first`
    than the next in the order of play. Returns the seat to begin."""
    queue = np.int64(state.effects[player])
    if queue == 0:
        return first
    state.effects[player] = 0
    return apply_effects(state, queue, player, first, mode)


@device_function
def own_effect(state, player, reverses, skips, mode):
    """ED-26, ED-51: the seat to begin after Reverses or Skips of a player were redealt in their turn."""
    if reverses & 1:
        turn_round(state)
    if skips > 0:
        emit(state, SKIPPED, player, 0, NOBODY)
        return after_turn(state, player, mode)  # ED-27, ED-29
    state.paused = np.int64(state.paused) | 1 << player
    emit(state, PAUSE, player, 0, NOBODY)
    return successor(state, player, 0)  # ED-52: possibly the same player


@device_function
def begin_turn(state, seat, mode):
    """ED-57: begin the turn of `seat`, or of the seat that acts if it is skipped or postponed; ED-53: none if `seat` is
    NOBODY."""
    state.skipped = 0
    while seat != NOBODY:
        if state.draw[seat] > 0:  # ED-58: before a Skip
            if mode & DRAWS_WAIT and draws_due(state, seat) > 0:
                break
            count = np.int64(state.draw[seat])
            state.draw[seat] = 0
            take(state, seat, count)
            if mode & REFILLS:
                refill_pile(state)
        resumed = has_bit(state.paused, seat) and not has_bit(state.put_off, seat)
        if np.int64(state.paused) != 0:
            state.paused = np.int64(state.paused) & ~(1 << seat)
            state.put_off = np.int64(state.put_off) & ~(1 << seat)
        if state.skip[seat] > 0:  # ED-41: also of a paused turn
            state.skip[seat] -= 1
            state.skipped = np.int64(state.skipped) | 1 << seat
            emit(state, SKIPPED, seat, 0, NOBODY)
            seat = after_turn(state, seat, mode)
            continue
        reverses = skips = np.int64(0)
        if has_bit(state.face_up, seat):  # ED-31
            reverses, skips = redeal_face_up(state, seat, specials_of(state.hand[seat]))
        if reverses + skips == 0:
            if not resumed:
                state.new_turn = 1
            break
        if skips == 0 and not resumed:
            state.put_off = np.int64(state.put_off) | 1 << seat
        seat = own_effect(state, seat, reverses, skips, mode)
    state.turn = seat


@device_function
def draws_due(state, seat):
    """The number of available cards that a player still has to draw at the beginning of their turn (ED-36, ED-10)."""
    return min(np.int64(state.draw[seat]), available(state))


@device_function
def end_turn(state, mode):
    """End the turn of `state.turn`, and begin the next (ED-50)."""
    begin_turn(state, after_turn(state, np.int64(state.turn), mode), mode)


@device_function
def start_cycle(state, leader, closed):
    """ED-59: begin a new cycle with `leader`, after applying the effects left over from the last. `closed` has the seats
    without a turn, as bits."""
    state.out = closed
    queue = np.int64(state.carry)
    if queue != 0:
        leader = apply_effects(state, queue, NOBODY, leader, CYCLE)
    begin_turn(state, leader, CYCLE)
