"""Tribute and its answers, before a round of a match is played."""

from __future__ import annotations

import numpy as np

from ...core.cards import STANDARD
from ...core.events import ANSWER as ANSWERED
from ...core.events import EVERYBODY, EXCHANGE, GIVE, SELECT, emit, emit_card, emit_list
from ...core.jit import device_function
from .hands import clear_chosen, put, take
from .state import ANSWER, EXCHANGES, HIGHER, KEEP, NO_CARD, NOBODY, OFFER, PLAY, PLAYERS, RETURN, TRIBUTE

_BOTH = 2


@device_function
def plan_exchanges(state):
    """Determine who pays whom from the places of the last round (WE-26); nobody after a draw."""
    escaped = np.int64(state.escaped)
    trapped = PLAYERS - escaped
    state.exchanges = 0
    payers = team_at(state, PLAYERS)
    if team_at(state, 1) == payers:
        return  # WE-19, WE-21
    receiver = 0
    for k in range(trapped):
        state.giver[k] = at_place(state, PLAYERS - k)
        receiver += 1
        while team_at(state, receiver) == payers:
            receiver += 1
        state.receiver[k] = at_place(state, receiver)
    state.exchanges = trapped


@device_function
def at_place(state, place):
    """The seat with a place."""
    player = 0
    while state.place[player] != place:
        player += 1
    return player


@device_function
def team_at(state, place):
    return at_place(state, place) % 2


@device_function
def start_exchanges(state):
    for k in range(EXCHANGES):
        state.tribute[k] = NO_CARD
        state.answer[k, 0] = NO_CARD
        state.answer[k, 1] = NO_CARD
        state.higher[k] = NO_CARD
        state.kept[k] = 0
        if k >= state.exchanges:
            state.giver[k] = NOBODY
            state.receiver[k] = NOBODY
    next_tribute(state, np.int64(0))


@device_function
def ask(state, exchange, stage, player):
    state.exchange = exchange
    state.stage = stage
    state.current_player = player
    clear_chosen(state)


@device_function
def next_tribute(state, k):
    """All tributes come first, from the worst place upward (WE-28)."""
    if k < state.exchanges:
        ask(state, k, TRIBUTE, np.int64(state.giver[k]))
    else:
        next_answer(state, np.int64(0))


@device_function
def next_answer(state, k):
    """By the receivers' places, best first (WE-28). After the last, the leader leads (WE-24)."""
    while k < state.exchanges and state.tribute[k] >= STANDARD and state.joker_tribute == KEEP:
        k += 1  # WE-31
    if k == state.exchanges:
        ask(state, k, PLAY, np.int64(state.leader))
    elif state.tribute[k] >= STANDARD:
        ask(state, k, OFFER, np.int64(state.receiver[k]))  # WE-32
    else:
        ask(state, k, RETURN, np.int64(state.receiver[k]))  # WE-27


@device_function
def hand_over(state):
    """Hand over the chosen cards, or lay them out as an offer."""
    k, card = np.int64(state.exchange), np.int64(state.chosen[0])
    giver, receiver = np.int64(state.giver[k]), np.int64(state.receiver[k])
    if state.stage == TRIBUTE:
        emit_card(state, GIVE, giver, card, EVERYBODY, receiver)
        state.tribute[k] = card
        take(state, giver, card)
        put(state, receiver, card)
        next_tribute(state, k + 1)
    elif state.stage == RETURN:
        emit_card(state, GIVE, receiver, card, EVERYBODY, giver)
        state.answer[k, 0] = card
        take(state, receiver, card)
        put(state, giver, card)
        next_answer(state, k + 1)
    elif state.stage == OFFER:
        for place in range(2):
            state.answer[k, place] = state.chosen[place]
            take(state, receiver, np.int64(state.chosen[place]))
        emit_list(state, EXCHANGE, receiver, state.answer[k], 0, 2, EVERYBODY, giver)
        ask(state, k, ANSWER, giver)
    else:
        emit(state, ANSWERED, giver, _BOTH, NOBODY)
        emit_card(state, GIVE, giver, card, EVERYBODY, receiver)
        state.higher[k] = card
        take(state, giver, card)
        put(state, receiver, card)
        keep(state, k, True, True)


@device_function
def answer_offer(state, choice):
    """WE-32: the first card, the second, or both; then a higher card is still to be chosen."""
    k = np.int64(state.exchange)
    if choice == _BOTH:
        emit_list(state, SELECT, state.giver[k], state.answer[k], 0, 2, 1 << np.int64(state.giver[k]), NOBODY)
        ask(state, k, HIGHER, np.int64(state.giver[k]))
    else:
        emit(state, ANSWERED, state.giver[k], choice, NOBODY)
        keep(state, k, choice == 0, choice == 1)


@device_function
def keep(state, k, first, second):
    """The giver keeps these of the offered cards; the receiver gets the others back."""
    giver, receiver = np.int64(state.giver[k]), np.int64(state.receiver[k])
    put(state, giver if first else receiver, np.int64(state.answer[k, 0]))
    put(state, giver if second else receiver, np.int64(state.answer[k, 1]))
    state.kept[k] = np.int64(first) + 2 * np.int64(second)
    next_answer(state, k + 1)
