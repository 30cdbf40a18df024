"""The course of a deal of President: turns, tricks, leaving. exchange.py has the exchange before it."""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits
from ...core.cards import STANDARD
from ...core.events import DEAL, DECLARE, OUT, PASS, RANKED, SCORE, TRICK_WON, emit, emit_cards
from ...core.extended.pile import pile_size
from ...core.extended.reveal import ENDED, PAUSED, mark_reveals, redeal, revealable, stage
from ...core.extended.sets import ZERO, add, size_of
from ...core.extended.state import NOBODY, clear_deal
from ...core.extended.turns import ROTATION, act_on, begin_turn, has_bit, queue_kind, successor
from ...core.jit import device_function
from ...core.match import is_last_hand, pay_relative
from ...core.seats import clockwise
from .exchange import begin_exchange, mark_gifts, seat_at, step_gift
from .state import (
    CARDS_OF,
    CODES,
    COMMIT_AT,
    EMPTY,
    EXCHANGE,
    FIRST_KIND,
    JOKERS_OF,
    LEAD_AT,
    PASS_AT,
    PLAY,
    PRESIDENT_POINTS,
    REVEAL_AT,
    SCUM_LEADS,
    SET_CARDS,
    VICE_POINTS,
    WITH_VICES,
)
from .table import can_beat, mark_sets, mark_specials, move_set

# --- the deal ---


@device_function
def begin(state):
    n = np.int64(state.num_players)
    for seat in range(n):
        state.before[seat] = state.place[seat]
        state.place[seat] = 0
        state.taken[seat] = 0
        state.played[seat, 0] = ZERO
        state.played[seat, 1] = ZERO
    clear_deal(state)
    clear_table(state)
    leader = first_seat(state)
    deal_out(state, leader)
    if begin_exchange(state):
        state.phase = EXCHANGE
    else:
        start_play(state, leader)


@device_function
def first_seat(state):
    """PR-01: the seat that is dealt the first card, and leads."""
    if state.deals == 1:
        return np.int64(0)
    return seat_at(state, np.int64(state.num_players) if state.next_lead == SCUM_LEADS else np.int64(1))


@device_function
def deal_out(state, first):
    """PR-01, PR-02."""
    n, seat = np.int64(state.num_players), first
    count = np.int64(state.pile_end) if state.deals_all else np.int64(STANDARD)
    for k in range(count):
        add(state.hand[seat], np.int64(state.deck[k]))
        state.deck[k] = 0
        seat = clockwise(seat, 1, n)
    state.pile_at = count
    for seat in range(n):
        emit_cards(state, DEAL, seat, state.hand[seat, 0], state.hand[seat, 1], 1 << seat, NOBODY)


@device_function
def start_play(state, leader):
    state.phase = PLAY
    begin_turn(state, leader, ROTATION)
    go_on(state)


# --- tricks ---


@device_function
def clear_table(state):
    state.table = EMPTY
    state.table_cards = 0
    state.table_jokers = 0
    state.last = NOBODY
    state.passed = 0
    state.barred = 0


@device_function
def trick_is_over(state):
    """PR-07: whether all players with cards, except the last to play, have passed or been skipped since, or may no longer
    play."""
    if state.last == NOBODY:
        return False
    done = np.int64(state.out) | np.int64(state.passed) | np.int64(state.barred) | 1 << np.int64(state.last)
    return done == (1 << np.int64(state.num_players)) - 1


@device_function
def end_trick(state):
    """PR-07: the last to play leads, or the next player after them."""
    last = np.int64(state.last)
    emit(state, TRICK_WON, last, 0, NOBODY)
    clear_table(state)
    begin_turn(state, successor(state, last, 0) if has_bit(state.out, last) else last, ROTATION)


@device_function
def next_turn(state, seat):
    """Pass the turn after a turn of `seat` without specials."""
    if trick_is_over(state):
        end_trick(state)
    else:
        begin_turn(state, successor(state, seat, np.int64(state.barred)), ROTATION)  # PR-24


@device_function
def go_on(state):
    """PR-25: continue until a player has a choice."""
    while not state.ask_forced_pass and can_only_pass(state):
        pass_turn(state)
    state.new_turn = 0
    state.current_player = state.turn


@device_function
def can_only_pass(state):
    return state.last != NOBODY and not can_beat(state, np.int64(state.turn)) and revealable(state) == ZERO


@device_function
def pass_turn(state):
    seat = np.int64(state.turn)
    emit(state, PASS, seat, 0, NOBODY)
    state.passed = np.int64(state.passed) | 1 << seat
    if state.pass_is_final:
        state.barred = np.int64(state.barred) | 1 << seat
    next_turn(state, seat)


@device_function
def play_set(state, rank, count, jokers):
    """Play a set, or lead specials, whose kind is then used as a rank."""
    seat = np.int64(state.turn)
    move_set(state, seat, rank, count, jokers)
    state.table = rank
    state.table_cards = count
    state.table_jokers = jokers
    if jokers == count:
        emit(state, DECLARE, seat, rank, NOBODY)  # PR-10
    state.last = seat
    state.passed = 0
    if size_of(state.hand[seat]) == 0 and leave(state, seat):
        return
    if rank >= FIRST_KIND:
        act_on_next(state, seat, rank - FIRST_KIND, count)
    else:
        next_turn(state, seat)


@device_function
def act_on_next(state, seat, kind, count):
    """PR-16 to PR-19, PR-30: apply led specials. Nobody is barred on a lead."""
    queue = 0
    for _ in range(count):
        queue = queue_kind(queue, kind)
    state.effects[seat] = queue
    left = pile_size(state)
    begin_turn(state, act_on(state, seat, successor(state, seat, 0), ROTATION), ROTATION)
    state.taken[np.int64(state.turn)] += left - pile_size(state)
    state.passed = np.int64(state.skipped)
    state.skipped = 0
    if trick_is_over(state):
        emit(state, TRICK_WON, seat, 0, NOBODY)
        clear_table(state)  # PR-19: and whose turn it is leads


@device_function
def leave(state, seat):
    """PR-08, PR-09: remove a player without cards. Returns whether the deal is over."""
    n = np.int64(state.num_players)
    state.out = np.int64(state.out) | 1 << seat
    gone = count_bits(np.int64(state.out))
    state.place[seat] = gone
    emit(state, OUT, seat, gone, NOBODY)
    if gone < n - 1:
        return False
    for other in range(n):
        if not has_bit(state.out, other):
            state.place[other] = n
            emit(state, RANKED, other, n, NOBODY)
    end_deal(state)
    return True


@device_function
def reveal_special(state, action):
    """PR-20 to PR-22: stage a special, or redeal the staged ones; the turn continues, is postponed, or ends."""
    if action < COMMIT_AT and not stage(state, action - REVEAL_AT):
        return
    seat, left = np.int64(state.turn), pile_size(state)
    became, _ = redeal(state, ROTATION)  # the next player is determined again, because some are barred
    state.taken[seat] += left - pile_size(state)
    if became == PAUSED:
        state.passed = np.int64(state.passed) & ~(1 << seat)
        next_turn(state, seat)
    elif became == ENDED:
        if state.last != NOBODY:
            state.passed = np.int64(state.passed) | 1 << seat
        next_turn(state, seat)


# --- the end of a deal ---


@device_function
def end_deal(state):
    n = np.int64(state.num_players)
    if not state.match:
        for seat in range(n):
            state.rewards[seat] = np.float32(1 - 2 * (np.int64(state.place[seat]) - 1) / (n - 1))
        state.terminated = 1
        return
    most = np.int64(0)
    for seat in range(n):  # PR-42
        if state.place[seat] == 1:
            state.totals[seat] += PRESIDENT_POINTS
            emit(state, SCORE, seat, PRESIDENT_POINTS, NOBODY)
        elif state.place[seat] == 2 and n >= WITH_VICES:
            state.totals[seat] += VICE_POINTS
            emit(state, SCORE, seat, VICE_POINTS, NOBODY)
        most = max(most, np.int64(state.totals[seat]))
    if is_last_hand(state, most >= state.target):
        pay_relative(state, state.totals, np.int64(state.target))
    else:
        state.deal_pending = 1


# --- dispatch ---


@device_function
def legal_actions(state, mask):
    if state.phase == EXCHANGE:
        mark_gifts(state, mask)
        return
    if mark_reveals(state, mask, REVEAL_AT):
        return
    seat = np.int64(state.turn)
    mark_sets(state, seat, mask)
    if state.last == NOBODY:
        mark_specials(state, seat, mask)
    else:
        mask[PASS_AT] = 1


@device_function
def step(state, action):
    if state.phase == EXCHANGE:
        if not step_gift(state, action):
            start_play(state, first_seat(state))
        return
    if action < LEAD_AT:
        code = action % CODES
        play_set(state, action // CODES, CARDS_OF[code], JOKERS_OF[code])
    elif action < PASS_AT:
        place = action - LEAD_AT
        play_set(state, FIRST_KIND + place // SET_CARDS, place % SET_CARDS + 1, np.int64(0))
    elif action == PASS_AT:
        pass_turn(state)
    else:
        reveal_special(state, action)
    if not state.terminated and not state.deal_pending and state.staged == 0:
        go_on(state)
