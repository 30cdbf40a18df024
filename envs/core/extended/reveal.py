"""Revealing specials of the player's own hand, by choice (ED-20 to ED-30), and new cards of a face-up hand (ED-31)."""

from __future__ import annotations

import numpy as np

from ..bits import count_bits, lowest_bit
from ..events import EVERYBODY, NOBODY, REVEAL, emit_card
from ..jit import device_function
from .pile import available, refill_pile
from .redeal import redeal_face_up, redeal_staged
from .sets import FIRST_SPECIAL, ONE, SPECIALS, ZERO, specials_of
from .turns import REFILLS, begin_turn, has_bit, own_effect

GOES_ON, PAUSED, ENDED = range(3)  # what happens to a turn in which specials are redealt (ED-26)


@device_function
def revealable(state):
    """The specials, as twelve bits, that the player in turn may stage: only from a hidden hand, and while there is a card to
    replace each (ED-22)."""
    seat, staged = np.int64(state.turn), np.uint64(state.staged)
    held = specials_of(state.hand[seat]) & ~staged
    if held == ZERO or has_bit(state.face_up, seat) or count_bits(staged) >= available(state):
        return ZERO
    return held


@device_function
def mark_reveals(state, mask, offset):
    """Mark the twelve reveals from entry `offset` on, and the commit after them. Returns whether a special is staged; then
    nothing else is legal (ED-21)."""
    if state.standard:
        return False
    specials = revealable(state)
    while specials != ZERO:
        mask[offset + lowest_bit(specials)] = 1
        specials &= specials - ONE
    if state.staged == 0:
        return False
    mask[offset + SPECIALS] = 1
    return True


@device_function
def stage(state, special):
    """Stage a special, 0..11. Returns whether no other can be staged; then the environment redeals (ED-21, ED-23)."""
    emit_card(state, REVEAL, np.int64(state.turn), FIRST_SPECIAL + special, EVERYBODY, NOBODY)
    state.staged = np.int64(state.staged) | 1 << special
    return revealable(state) == ZERO


@device_function
def reveal(state, special, mode):
    """Stage a special; when no other can be staged, redeal all. Returns what happens to the turn, as `commit` does."""
    return commit(state, mode) if stage(state, special) else GOES_ON


@device_function
def commit(state, mode):
    """Redeal the staged specials; unless the turn continues, the next begins. Returns GOES_ON, PAUSED or ENDED."""
    became, following = redeal(state, mode)
    if became != GOES_ON:
        begin_turn(state, following, mode)
    return became


@device_function
def redeal(state, mode):
    """Redeal the staged specials (ED-24, ED-26), for games that do something before the next turn begins. Returns what happens
    to the turn and, unless it continues, the seat for `begin_turn`."""
    reverses, skips = redeal_staged(state, np.int64(state.turn))
    if mode & REFILLS:
        refill_pile(state)
    return act_on_oneself(state, reverses, skips, mode)


@device_function
def redeal_in_turn(state, specials, mode):
    """Redeal and apply the `specials` among face-up cards dealt to `state.turn` in its turn (ED-31). Returns what happens to
    the turn, as `commit` does."""
    reverses, skips = redeal_face_up(state, np.int64(state.turn), specials)
    became, following = act_on_oneself(state, reverses, skips, mode)
    if became != GOES_ON:
        begin_turn(state, following, mode)
    return became


@device_function
def act_on_oneself(state, reverses, skips, mode):
    player = np.int64(state.turn)
    if reverses + skips == 0:
        return GOES_ON, player
    return ENDED if skips > 0 else PAUSED, own_effect(state, player, reverses, skips, mode)
