"""The stock, the discard pile, the order of turns, and revealed specials (RM-21 to RM-25, RM-50 to RM-59).

Specials affect turns as in core/extended/turns.py; this module has the parts that depend on where cards are, because two decks
have two of each special.
"""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core.bits import count_bits
from ...core.events import EVERYBODY, emit, emit_card
from ...core.extended.pile import pile_size, top_card
from ...core.extended.sets import DRAW, FIRST_SPECIAL, NO_CARD, REVERSE, SKIP, SPECIALS, ZERO
from ...core.extended.state import NOBODY
from ...core.extended.turns import ROTATION, after_turn, has_bit, own_effect
from ...core.jit import device_function
from ...core.rng import shuffle
from .hands import ALL_SPECIALS, add, add_special, remove, specials_held
from .scoring import block
from .state import DRAW as DRAWING
from .state import GIN, PLAY, WALL

_KIND_BITS = np.array([0xF << 4 * kind | 0xF << 4 * kind + SPECIALS for kind in range(3)], np.int64)
_DRAWS, _REVERSES, _SKIPS = _KIND_BITS[DRAW], _KIND_BITS[REVERSE], _KIND_BITS[SKIP]


# --- the stock and the discard pile ---


@device_function
def recyclable(state):
    """RM-24: the cards that would become the stock if it were empty."""
    if state.variant == GIN or state.recycled >= state.recycles or state.discards < 2:
        return np.int64(0)
    return np.int64(state.discards) - 1


@device_function
def available(state):
    """ED-11."""
    return pile_size(state) + recyclable(state)


@device_function
def recycle(state):
    """RM-24: all discards but the top become the stock."""
    below = np.int64(state.discards) - 1
    for k in range(below):
        state.deck[k] = state.discard[k]
        state.discard[k] = 0
    state.discard[0] = state.discard[below]
    state.discard[below] = 0
    state.discards = 1
    state.recycled += 1
    state.pile_at = 0
    state.pile_end = below
    shuffle(state, state.deck, below)
    emit(state, events.SHUFFLE, NOBODY, below, NOBODY)


@device_function
def take_stock(state, seat):
    """Move a card from the stock into a hand. Returns whether there was one; missing cards are forfeited (ED-10)."""
    if pile_size(state) == 0 and recyclable(state) > 0:
        recycle(state)
    card = top_card(state)
    if card == NO_CARD:
        return False
    emit_card(state, events.DRAW, seat, card, 1 << seat, NOBODY)
    add(state.hand[seat], card)
    state.idle_turns = 0
    return True


@device_function
def take_discard(state, seat):
    """Move the top discard into a hand; everybody sees it. The card below it is then free to all (RM-23)."""
    top = np.int64(state.discards) - 1
    card = np.int64(state.discard[top])
    state.discard[top] = 0
    state.discards = top
    state.discarder = NOBODY
    emit_card(state, events.COLLECT, seat, card, EVERYBODY, NOBODY)
    add(state.hand[seat], card)
    add(state.known[seat], card)
    return card


@device_function
def may_take(state, seat):
    """RM-23: whether there is a discard that is not the player's own."""
    return state.discards > 0 and state.discarder != seat


@device_function
def lay_discard(state, seat, card):
    emit_card(state, events.TURN_UP if seat == NOBODY else events.DISCARD, seat, card, EVERYBODY, NOBODY)
    state.discard[np.int64(state.discards)] = card
    state.discards += 1
    state.discarder = seat


@device_function
def at_wall(state):
    """RM-38."""
    return state.variant == GIN and state.phase == DRAWING and pile_size(state) <= WALL


# --- turns ---


@device_function
def end_turn(state):
    """The turn of `state.turn` is over; the next begins."""
    seat = np.int64(state.turn)
    forget_turn(state, seat)
    begin_turn(state, after_turn(state, seat, ROTATION))


@device_function
def forget_turn(state, seat):
    """Clear the state of a finished turn, except whether the player has laid anything (RM-28)."""
    state.laid_before = np.int64(state.laid_before) | np.int64(state.laid_now) & 1 << seat
    state.laid_now = np.int64(state.laid_now) & ~(1 << seat)
    state.drawn = np.int64(state.drawn) & ~(1 << seat)
    state.taken[seat] = 0
    state.new_melds[seat] = 0


@device_function
def begin_turn(state, seat):
    """ED-57: begin the turn of `seat`, or of the seat that acts if it is skipped."""
    while True:
        for _ in range(np.int64(state.draw[seat])):  # RM-50, ED-58
            take_stock(state, seat)
        state.draw[seat] = 0
        resumed = has_bit(state.paused, seat)
        state.paused = np.int64(state.paused) & ~(1 << seat)
        if state.skip[seat] == 0:
            break
        state.skip[seat] -= 1  # RM-52, ED-41: a paused turn too
        emit(state, events.SKIPPED, seat, 0, NOBODY)
        forget_turn(state, seat)
        seat = after_turn(state, seat, ROTATION)
    state.turn = seat
    state.current_player = seat
    if not resumed and state.variant != GIN:
        count_turn(state)
        if state.terminated or state.deal_pending:
            return
    if has_bit(state.drawn, seat):
        state.phase = PLAY
    else:
        decide_draw(state)


@device_function
def count_turn(state):
    """RM-25."""
    if state.turns == state.max_turns or np.int64(state.idle_turns) == 4 * np.int64(state.num_players):
        block(state)
        return
    state.turns += 1
    state.idle_turns += 1


@device_function
def decide_draw(state):
    """Ask for a draw. RM-25: with nothing to draw, the deal is blocked."""
    state.phase = DRAWING
    if state.variant != GIN and available(state) == 0:
        block(state)


# --- revealing specials (ED-20 to ED-30) ---


@device_function
def revealable(state):
    """RM-54, RM-58: the specials that the player in turn may stage now, as twelve bits; of one face one after another."""
    held, staged = specials_held(state.hand[np.int64(state.turn)]), np.int64(state.staged)
    if held == 0 or count_bits(staged) >= available(state):
        return np.int64(0)
    unstaged = held & ~staged
    return (unstaged | unstaged >> SPECIALS) & ALL_SPECIALS


@device_function
def stage(state, special):
    """ED-21; ED-23: once no other can be staged, all are redealt."""
    emit_card(state, events.REVEAL, np.int64(state.turn), FIRST_SPECIAL + special, EVERYBODY, NOBODY)
    state.staged = add_special(np.int64(state.staged), special)
    if revealable(state) == 0:
        redeal(state)


@device_function
def redeal(state):
    """ED-24: the staged cards leave the game and are replaced."""
    seat, staged = np.int64(state.turn), np.int64(state.staged)
    state.staged = 0
    for special in range(SPECIALS):
        for copy in range(2):
            if staged >> (special + copy * SPECIALS) & 1:
                put_aside(state, seat, special)
    for _ in range(count_bits(staged) + count_bits(staged & _DRAWS)):  # RM-55
        take_stock(state, seat)
    reverses, skips = count_bits(staged & _REVERSES), count_bits(staged & _SKIPS)
    if skips > 0:  # RM-57
        forget_turn(state, seat)
        state.repeated = 0  # RM-36
    if reverses + skips > 0:  # RM-56
        begin_turn(state, own_effect(state, seat, reverses, skips, ROTATION))
    elif state.phase == DRAWING:
        decide_draw(state)


@device_function
def put_aside(state, seat, special):
    card = FIRST_SPECIAL + special
    emit_card(state, events.REDEAL, seat, card, EVERYBODY, NOBODY)
    remove(state.hand[seat], card)
    state.aside = add_special(np.int64(state.aside), special)
    if state.known[seat, 0] >> np.uint64(52 + special) & np.uint64(1) != ZERO:
        remove(state.known[seat], card)
