"""Revealing specials of one's own hand, by choice (ED-20 to ED-30), and a face-up hand that is dealt more (ED-31)."""

from __future__ import annotations

import numpy as np

from ..bits import count_bits, lowest_bit
from ..kernel import kernel
from .pile import available
from .redeal import redeal_face_up, redeal_staged
from .sets import ONE, SPECIALS, ZERO, specials_of
from .turns import begin_turn, has_bit, own_effect


@kernel
def revealable(state):
    """Specials, as twelve bits, that the player whose turn it is may stage: as long as there is a card to replace each
    (ED-22), and of a hidden hand only."""
    seat, staged = np.int64(state.turn), np.uint64(state.staged)
    held = specials_of(state.hand[seat]) & ~staged
    if held == ZERO or has_bit(state.face_up, seat) or count_bits(staged) >= available(state):
        return ZERO
    return held


@kernel
def mark_reveals(state, mask, at):
    """Mark the twelve reveals from entry `at` on, and the commit after them. Returns whether something is staged: then nothing
    else is legal (ED-21)."""
    if state.standard:
        return False
    specials = revealable(state)
    while specials != ZERO:
        mask[at + lowest_bit(specials)] = 1
        specials &= specials - ONE
    if state.staged == 0:
        return False
    mask[at + SPECIALS] = 1
    return True


@kernel
def reveal(state, special, mode):
    """Stage a special, 0..11; once no other can be, all are redealt (ED-21, ED-23)."""
    state.staged = np.int64(state.staged) | 1 << special
    if revealable(state) == ZERO:
        commit(state, mode)


@kernel
def commit(state, mode):
    """Redeal what is staged; the turn goes on, is paused or ends (ED-24, ED-26)."""
    reverses, skips = redeal_staged(state, np.int64(state.turn))
    act_on_oneself(state, reverses, skips, mode)


@kernel
def redeal_in_turn(state, mode):
    """The hand of `state.turn` lies face up and has been dealt cards in its turn: specials among them are redealt, and act
    (ED-31)."""
    reverses, skips = redeal_face_up(state, np.int64(state.turn))
    act_on_oneself(state, reverses, skips, mode)


@kernel
def act_on_oneself(state, reverses, skips, mode):
    if reverses + skips > 0:
        begin_turn(state, own_effect(state, np.int64(state.turn), reverses, skips, mode), mode)
