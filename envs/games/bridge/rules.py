"""The course of play of bridge."""

from __future__ import annotations

import numpy as np

from ...core import options as opt
from ...core.events import CONTRACT, EVERYBODY, PASS, ROUND, TURN_UP, emit, emit_cards
from ...core.extended.hidden import redraw_hidden
from ...core.extended.sets import BIT, NO_SUIT, is_joker
from ...core.extended.state import NOBODY, TRICKS, clear_deal, deal_hands
from ...core.extended.tricks import (
    ask_jokers,
    clear_tricks,
    end_trick,
    following,
    mark_trick,
    start_tricks,
    step_trick,
    trick_winner,
)
from ...core.extended.turns import has_bit
from ...core.jit import device_function
from ...core.rng import random_below
from ...core.seats import clockwise
from .auction import clear_calls, declarer_of, last_bid, mark_calls, step_call, strain_of
from .score import is_vulnerable, rubber_won, score_contract, score_honors, score_unfinished
from .state import DUPLICATE, NO_BID, NO_TRUMP, PLAYERS, RANDOM_VULNERABILITY, SCALED, SIDES

_ALL_SUITS = 15


@device_function
def begin(state):
    if state.dealer == opt.RANDOM:
        state.dealer = random_below(state, PLAYERS)
    if state.vulnerability == RANDOM_VULNERABILITY:
        state.vulnerability = random_below(state, RANDOM_VULNERABILITY)
    clear_deal(state)
    clear_tricks(state)
    clear_calls(state)
    emit(state, ROUND, state.dealer, is_vulnerable(state, 0) | is_vulnerable(state, 1) << 1, NOBODY)
    deal_hands(state, 0, TRICKS)  # BR-01, BR-02
    for seat in range(PLAYERS):
        state.dealt[seat] = state.hand[seat, 0]
    for side in range(SIDES):
        state.tricks[side] = 0
    state.current_player = state.dealer  # BR-10


@device_function
def legal_actions(state, mask):
    if state.question == 0:
        mark_calls(state, mask)
    else:  # BR-21: the only duty is to follow suit; none in leading
        mark_trick(state, mask, following(state), state.hand[np.int64(state.turn), 1], _ALL_SUITS)


@device_function
def step(state, action):
    if state.question > 0:
        lay_open = not exposed(state)
        step_trick(state, action)
        if lay_open and exposed(state):
            dummy = clockwise(declarer_of(state), 2, PLAYERS)
            emit_cards(state, TURN_UP, dummy, state.hand[dummy, 0], state.hand[dummy, 1], EVERYBODY, NOBODY)
        go_on(state)
    elif step_call(state, action):
        if last_bid(state) == NO_BID:
            emit(state, PASS, NOBODY, 0, NOBODY)
            end_deal(state)  # BR-12
        else:
            begin_play(state)


@device_function
def begin_play(state):
    bid, declarer = last_bid(state), declarer_of(state)
    emit(state, CONTRACT, declarer, bid, NOBODY)
    # The present state, for the redeal at the beginning of dummy's turn (BR-33, BR-35); others see the hand later (`exposed`).
    state.face_up = 1 << clockwise(declarer, 2, PLAYERS)
    start_tricks(state, clockwise(declarer, 1, PLAYERS))
    go_on(state)


@device_function
def go_on(state):
    """Continue until a player has to decide, or the deal is over."""
    while state.turn == NOBODY:
        trump = trump_of(state)
        if ask_jokers(state, trump, False):
            break
        winner = trick_winner(state, trump)
        if winner != NOBODY:
            state.tricks[winner & 1] += 1
        end_trick(state, winner)
        if state.tricks_done == TRICKS:  # BR-03
            score_contract(state)
            end_deal(state)
            return
    player = np.int64(state.turn)
    state.current_player = clockwise(player, 2, PLAYERS) if has_bit(state.face_up, player) else player  # BR-20


@device_function
def trump_of(state):
    """The trump suit; NO_SUIT at no trump (BR-21)."""
    strain = strain_of(last_bid(state))
    return NO_SUIT if strain == NO_TRUMP else strain


@device_function
def end_deal(state):
    """Score the deal; end the episode, or request the next deal (BR-67, BR-68)."""
    if state.scoring != DUPLICATE:
        if state.honors and last_bid(state) != NO_BID:
            score_honors(state)
        if not rubber_won(state):
            if state.deals < state.max_deals:
                state.dealer = clockwise(np.int64(state.dealer), 1, PLAYERS)
                state.deal_pending = 1
                return
            score_unfinished(state)
    for seat in range(PLAYERS):
        points = np.int64(state.total[seat & 1]) - np.int64(state.total[1 - (seat & 1)])
        state.rewards[seat] = np.float32(points / 1000 if state.reward == SCALED else points)
    state.terminated = 1


@device_function
def in_play(state):
    """Whether the auction has ended in a contract."""
    return state.question > 0 or state.tricks_done > 0


@device_function
def exposed(state):
    """BR-20: whether dummy's hand is face up: a card has been played, or a turn of dummy has begun."""
    if state.tricks_done > 0 or state.trick_size > 0:
        return True
    begun = np.int64(state.out) | np.int64(state.paused)
    if state.turn != NOBODY:
        begun |= 1 << np.int64(state.turn)
    return begun & np.int64(state.face_up) != 0


@device_function
def determinize(state, viewer):
    face_up = np.int64(state.face_up) if exposed(state) else 0
    known = np.zeros((PLAYERS, 2), np.uint64)
    for seat in range(PLAYERS):
        if has_bit(face_up, seat):
            known[seat, 0], known[seat, 1] = state.hand[seat, 0], state.hand[seat, 1]
    redraw_hidden(state, viewer, known)
    for seat in range(PLAYERS):
        if seat != viewer and not has_bit(face_up, seat):
            state.dealt[seat] = cards_had(state, seat)


@device_function
def cards_had(state, seat):
    """The suited cards that a player holds or has played. Others do not know which were dealt and which came later from a Draw;
    determinizations treat all as dealt."""
    cards = state.hand[seat, 0] | state.played[seat, 0]
    for k in range(np.int64(state.trick_size)):
        card = np.int64(state.trick_card[k])
        if state.trick_seat[k] == seat and not is_joker(card):
            cards |= BIT[card]
    return cards
