"""The order of turns: the opener of a street, and the effects of specials on turns (PK-04, PK-05, PK-20, PK-32, PK-35 to PK-45,
PK-52)."""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits, lowest_bit
from ...core.cards import STANDARD
from ...core.compare.poker import up_cards_strength
from ...core.events import PAUSE, SKIPPED, emit
from ...core.extended.pile import available
from ...core.extended.reveal import ENDED, GOES_ON, redeal, redeal_in_turn, stage
from ...core.extended.sets import AT_SPECIALS, KIND_BITS, SKIP, STANDARD_CARDS, ZERO, specials_of
from ...core.extended.state import NOBODY
from ...core.extended.turns import CYCLE, begin_turn, has_bit, next_place, successor, turn_round
from ...core.jit import device_function
from ...core.seats import clockwise
from .betting import able, post
from .dealing import has_muck, note_dealt, note_mixed
from .state import BETTING, BRING_IN, COMMIT_AT, DRAWING, FIVE_STUD, REVEAL_AT

_ACE_OF_SPADES = STANDARD - 1
_ABOVE = STANDARD  # any up-card
_KINDS = 3

# --- who opens ---


@device_function
def first_after_button(state, closed):
    """PK-04: the first seat in the order of play that is not `closed`, from the seat after the button on, in the other
    direction from the button on. NOBODY if there is none."""
    n = np.int64(state.num_players)
    button = np.int64(state.button)
    direction = np.int64(state.direction)
    return next_place(direction, button if direction > 0 else clockwise(button, 1, n), n, closed)


@device_function
def first_able(state, seat, closed):
    """The seat itself or, if it cannot act, the next in the order of play that can."""
    if closed >> seat & 1 == 0:
        return seat
    return next_place(np.int64(state.direction), seat, np.int64(state.num_players), closed)


@device_function
def lowest_up_card(state, seat):
    """The lowest ranked up-card by id; _ABOVE for a Joker without one, and above it for none (PK-20, PK-32)."""
    ranked = state.up[seat, 0] & STANDARD_CARDS
    if ranked != ZERO:
        return lowest_bit(ranked)
    return _ABOVE if state.up[seat, 1] != ZERO else _ABOVE + 1


@device_function
def highest_up_card(state, seat):
    """The highest ranked up-card by id, a Joker As, and -1 for none: of the one card of the first street."""
    if state.up[seat, 1] != ZERO:
        return np.int64(_ACE_OF_SPADES)
    ranked = state.up[seat, 0] & STANDARD_CARDS
    return lowest_bit(ranked) if ranked != ZERO else np.int64(-1)


@device_function
def worth_of_up_cards(state, seat):
    """The criterion by which a live player opens: the greatest value (PK-20, PK-32)."""
    if state.street > 0:
        return up_cards_strength(state.up[seat, 0], count_bits(state.up[seat, 1]))
    return -lowest_up_card(state, seat) if state.stud_open == BRING_IN else highest_up_card(state, seat)


@device_function
def stud_opener(state):
    """The live player who opens by their up-cards; among equals, the first clockwise from the seat after the button."""
    n = np.int64(state.num_players)
    seat, opener, best = np.int64(state.button), np.int64(NOBODY), np.int64(0)
    for _ in range(n):
        seat = clockwise(seat, 1, n)
        if has_bit(state.live, seat):
            worth = worth_of_up_cards(state, seat)
            if opener == NOBODY or worth > best:
                opener, best = seat, worth
    return opener


@device_function
def opener(state, big_blind):
    """The opener of a betting street; NOBODY if nobody can act. `big_blind` is its seat, on the first street with blinds."""
    closed = everybody(state) & ~able(state)
    if state.variant >= FIVE_STUD:
        return first_able(state, stud_opener(state), closed)
    if state.street == 0:
        return next_place(np.int64(state.direction), big_blind, np.int64(state.num_players), closed)
    return first_after_button(state, closed)


@device_function
def everybody(state):
    return (1 << np.int64(state.num_players)) - 1


# --- streets ---


@device_function
def clear_turns(state):
    state.acted = 0
    state.by_skip = 0
    state.paused = 0
    state.raises = 0


@device_function
def open_street(state, big_blind, queue):
    """Begin the betting of a street, after effects of specials on the board (PK-52, PK-53)."""
    state.phase = BETTING
    clear_turns(state)
    state.out = everybody(state) & ~able(state)
    seat = opener(state, big_blind)
    if state.variant >= FIVE_STUD and state.street == 0 and state.stud_open == BRING_IN and seat != NOBODY:
        post(state, seat, np.int64(state.bring_in))
        state.out = everybody(state) & ~able(state)
        seat = first_able(state, seat, np.int64(state.out))
    few = count_bits(able(state)) < 2
    while queue != 0:
        skip = (queue & 3) - 1 == SKIP
        queue >>= 2
        if not skip:
            turn_round(state)
        if few or seat == NOBODY:
            continue
        if skip:
            emit(state, SKIPPED, seat, 0, NOBODY)
            end_by_skip(state, seat)
            state.out = np.int64(state.out) | 1 << seat
        else:
            state.paused = np.int64(state.paused) | 1 << seat
            emit(state, PAUSE, seat, 0, NOBODY)
        seat = successor(state, seat, 0)
    give_turn(state, seat)


@device_function
def open_draw(state):
    """PK-16."""
    state.phase = DRAWING
    clear_turns(state)
    state.out = everybody(state) & ~np.int64(state.live)
    give_turn(state, first_after_button(state, np.int64(state.out)))


@device_function
def end_by_skip(state, seat):
    """PK-41, PK-42, PK-53."""
    state.by_skip = np.int64(state.by_skip) | 1 << seat
    state.acted = np.int64(state.acted) | 1 << seat
    state.paused = np.int64(state.paused) & ~(1 << seat)


# --- turns ---


@device_function
def nothing_left_to_bet(state):
    """PK-05: at most one player can act, and they have nothing to call."""
    seats = able(state)
    if count_bits(seats) > 1:
        return False
    return seats == 0 or state.bet[lowest_bit(seats)] >= state.highest


@device_function
def give_turn(state, seat):
    """Begin the turn of `seat`, or of the seat that acts after its up-cards are redealt (PK-37). NOBODY: the street is over."""
    if state.phase == BETTING and nothing_left_to_bet(state):
        seat = np.int64(NOBODY)
    begin_turn(state, seat, CYCLE)
    if state.variant >= FIVE_STUD and not state.standard:
        while state.turn != NOBODY and special_up_cards(state) != ZERO and available(state) > 0:
            redeal_up_cards(state)


@device_function
def next_turn(state, seat):
    """After the turn of `seat`."""
    state.out = np.int64(state.out) | 1 << seat
    give_turn(state, successor(state, seat, 0))


@device_function
def special_up_cards(state):
    return specials_of(state.up[np.int64(state.turn)])


@device_function
def redeal_up_cards(state):
    """PK-37: redeal up-cards; the replacements are face up."""
    seat = np.int64(state.turn)
    suited, jokers, aside, muck = state.hand[seat, 0], state.hand[seat, 1], np.int64(state.aside), has_muck(state)
    became = redeal_in_turn(state, special_up_cards(state), CYCLE)
    state.up[seat, 0] = (state.up[seat, 0] | state.hand[seat, 0] & ~suited) & state.hand[seat, 0]
    state.up[seat, 1] |= state.hand[seat, 1] & ~jokers
    note_dealt(state, seat, muck, suited, jokers)
    note_revealed(state, seat, aside)
    if became == ENDED:
        end_by_skip(state, seat)


@device_function
def reveal_special(state, action):
    """PK-35: stage a special, or redeal the staged ones."""
    if action < COMMIT_AT and not stage(state, action - REVEAL_AT):
        return
    seat = np.int64(state.turn)
    note_mixed(state, seat)
    suited, jokers, aside, muck = state.hand[seat, 0], state.hand[seat, 1], np.int64(state.aside), has_muck(state)
    became, following = redeal(state, CYCLE)
    note_dealt(state, seat, muck, suited, jokers)
    note_revealed(state, seat, aside)
    if became == ENDED:
        end_by_skip(state, seat)
    if became != GOES_ON:
        give_turn(state, following)


@device_function
def note_revealed(state, seat, aside):
    """Count the specials redealt since, which are no longer in the hand."""
    redealt = np.uint64(np.int64(state.aside) & ~aside)
    state.old[seat, 0] &= ~(redealt << AT_SPECIALS)
    for kind in range(_KINDS):
        state.revealed[seat, kind] += count_bits(redealt & KIND_BITS[kind])
