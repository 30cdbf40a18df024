"""The rules of Skin. The banker turns cards until a player must decide; each decision is a phase with two functions."""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core import options as opt
from ...core.cards import RANKS
from ...core.events import EVERYBODY, emit, emit_card
from ...core.jit import device_function
from ...core.rng import random_below, shuffle
from .bets import (
    ask_rebid,
    ask_stake,
    legal_answer,
    legal_side_amount,
    legal_side_reply,
    legal_side_target,
    legal_stake,
    rank_of,
    right_of,
    step_bank,
    step_side_amount,
    step_side_reply,
    step_side_target,
    step_stake,
)
from .state import (
    BANK,
    BANK_NEW,
    BETWEEN,
    BETWEEN_AT,
    BROKE,
    CARD_LOST,
    CENTRAL,
    CENTRAL_AT,
    DECK,
    DRAWS,
    HOLDS,
    JOIN_AT,
    NO_AT,
    NO_CARD,
    NOBODY,
    NONE_YET,
    OFFER,
    REVEALS,
    SIDE_AMOUNT,
    SIDE_REPLY,
    SIDE_TARGET,
    STAKE,
    STAY_AT,
    TURN,
    WAITS,
    YES_AT,
)

# --- a hand ---


@device_function
def deal(state):
    for card in range(DECK):  # SK-02, SK-06
        state.deck[card] = card
    shuffle(state, state.deck, DECK)


@device_function
def begin(state):
    if players_in(state) == 0:
        take_seats(state)
    state.turned = 0
    state.card[:] = NO_CARD
    state.central[:] = 0
    state.dead[:] = 0
    state.bank = NONE_YET
    state.last_receiver = NOBODY
    state.settled = 0
    state.bettor = NOBODY
    state.target = NOBODY
    state.phase = TURN
    emit(state, events.BANK, state.banker, 0, NOBODY)
    play_on(state)


@device_function
def players_in(state):
    count = 0
    for player in range(np.int64(state.num_players)):
        count += state.in_game[player]
    return count


@device_function
def take_seats(state):
    n = np.int64(state.num_players)
    for player in range(n):
        state.in_game[player] = 1
        state.chips[player] = state.stack
    state.banker = state.first_banker
    if state.banker == opt.RANDOM:
        state.banker = random_below(state, n)  # SK-04


@device_function
def play_on(state):
    """Turn cards until a player must decide or the hand is complete (SK-30)."""
    while state.phase == TURN:
        if is_complete(state) or state.turned == DECK:  # SK-50, SK-52
            end_hand(state)
        else:
            turn_card(state)


@device_function
def is_complete(state):
    """SK-50: a bet was settled, and none is outstanding."""
    return state.settled and not side_bet_outstanding(state) and not main_bet_outstanding(state)


@device_function
def main_bet_outstanding(state):
    for player in range(np.int64(state.num_players)):
        if state.main[player] > 0:
            return True
    return False


@device_function
def side_bet_outstanding(state):
    n = np.int64(state.num_players)
    for player in range(n):
        for other in range(player):
            if state.side[player, other] > 0:
                return True
    return False


@device_function
def turn_card(state):
    card = state.deck[state.turned]
    rank = rank_of(card)
    emit_card(state, events.TURN_UP, state.banker, card, EVERYBODY, NOBODY)
    state.turned += 1
    if state.dead[rank]:
        emit_card(state, events.DISCARD, NOBODY, card, EVERYBODY, NOBODY)  # SK-42
        return
    if state.central[rank]:
        emit_card(state, events.DISCARD, NOBODY, card, EVERYBODY, NOBODY)
        state.central[rank] = 0  # SK-40, SK-17
        state.dead[rank] = 1  # SK-41: to the end of the hand
        return
    for player in range(np.int64(state.num_players)):
        if state.card[player] == rank:
            state.card[player] = NO_CARD
            emit(state, events.OUT, player, CARD_LOST, NOBODY)
            if player == state.banker:
                state.dead[rank] = state.dead_on_fall  # SK-43
                banker_falls(state)
            else:
                state.dead[rank] = state.dead_on_fall or state.bank == DRAWS  # SK-43, SK-16
                player_falls(state, player)
            return
    fresh_card(state, rank)


@device_function
def fresh_card(state, rank):
    banker = np.int64(state.banker)
    if state.bank == REVEALS:
        put_in_centre(state)  # SK-38
    elif state.bank == DRAWS:
        emit_card(state, events.DRAW, banker, state.deck[state.turned - 1], EVERYBODY, NOBODY)
        state.card[banker] = rank  # SK-15
        state.bank = HOLDS
        ask_stake(state, np.int64(state.last_receiver))  # SK-20
    elif state.bank == WAITS:
        emit_card(state, events.DRAW, banker, state.deck[state.turned - 1], EVERYBODY, NOBODY)
        state.card[banker] = rank  # SK-35
        state.bank = HOLDS
        state.rebid = 1
        ask_rebid(state, right_of(state, banker, 1))
    else:
        offer(state, 1)  # SK-10, SK-14, SK-36


@device_function
def player_falls(state, player):
    """SK-31. Without bets nothing is paid."""
    stake = np.int64(state.main[player])
    if stake > 0:
        emit(state, events.PAY, player, stake, state.banker)
        state.chips[state.banker] += 2 * stake
        state.main[player] = 0
        state.settled = 1
    for other in range(np.int64(state.num_players)):
        stake = np.int64(state.side[player, other])
        if stake > 0:
            emit(state, events.PAY, player, stake, other)
            state.chips[other] += 2 * stake
            state.side[player, other] = 0
            state.side[other, player] = 0
            state.settled = 1
    if state.bank == DRAWS:
        state.bank = NONE_YET  # SK-16: dealing goes on as before
    elif state.bank == HOLDS and state.take_central:  # SK-32
        for rank in range(RANKS):
            if state.central[rank]:
                state.phase = CENTRAL
                state.current_player = player
                return


@device_function
def banker_falls(state):
    """SK-33."""
    for player in range(np.int64(state.num_players)):
        stake = np.int64(state.main[player])
        if stake > 0:
            emit(state, events.PAY, state.banker, stake, player)
            state.chips[player] += 2 * stake
            state.main[player] = 0
            state.settled = 1
    state.bank = WAITS if state.bank_new_card else REVEALS
    if not side_bet_outstanding(state):
        end_hand(state)  # SK-34, SK-51
    elif state.bank_new_card:
        state.phase = BANK_NEW
        state.current_player = state.banker


# --- offers ---


@device_function
def offer(state, first):
    """Offer the card just turned to the first entitled player, from `first` places to the right of the last receiver on; the
    receiver comes last. If nobody is left, it becomes central."""
    for steps in range(first, np.int64(state.num_players) + 1):
        player = right_of(state, offers_begin_at(state), steps)
        if state.in_game[player] and player != state.banker and state.card[player] == NO_CARD:  # SK-12, SK-36, SK-39
            state.phase = OFFER
            state.current_player = player
            return
    put_in_centre(state)  # SK-13, SK-37
    state.phase = TURN


@device_function
def put_in_centre(state):
    """The card just turned becomes central."""
    card = state.deck[state.turned - 1]
    emit_card(state, events.SET_ASIDE, NOBODY, card, EVERYBODY, NOBODY)
    state.central[rank_of(card)] = 1


@device_function
def offers_begin_at(state):
    """Offers begin to the right of this player."""
    return np.int64(state.banker) if state.last_receiver == NOBODY else np.int64(state.last_receiver)


@device_function
def legal_offer(state, mask):
    mask[NO_AT] = 1  # SK-11
    mask[YES_AT] = 1


@device_function
def step_offer(state, action):
    player = np.int64(state.current_player)
    if action == NO_AT:
        emit(state, events.PASS, player, OFFER, NOBODY)
        n = np.int64(state.num_players)
        passed = (offers_begin_at(state) - player + n) % n
        offer(state, (n if passed == 0 else passed) + 1)  # SK-12
    else:
        card = state.deck[state.turned - 1]
        emit_card(state, events.DRAW, player, card, EVERYBODY, NOBODY)
        receive(state, player, rank_of(card))


@device_function
def receive(state, player, rank):
    state.card[player] = rank
    state.last_receiver = player
    if state.bank == NONE_YET:
        state.bank = DRAWS  # SK-15
        state.phase = TURN
    else:
        ask_stake(state, player)  # SK-20, SK-24, SK-37


# --- after a fall ---


@device_function
def legal_central(state, mask):
    mask[NO_AT] = 1
    for rank in range(RANKS):
        mask[CENTRAL_AT + rank] = state.central[rank]


@device_function
def step_central(state, action):
    """SK-32."""
    if action == NO_AT:
        emit(state, events.PASS, state.current_player, CENTRAL, NOBODY)
        state.phase = TURN
        return
    rank = action - CENTRAL_AT
    emit(state, events.COLLECT, state.current_player, rank, NOBODY)
    state.central[rank] = 0
    receive(state, np.int64(state.current_player), rank)


@device_function
def step_bank_new(state, action):
    """SK-34."""
    if action == YES_AT:
        emit(state, events.DECLARE, state.banker, 0, NOBODY)
        state.bank = WAITS
    else:
        emit(state, events.PASS, state.banker, BANK_NEW, NOBODY)
        state.bank = REVEALS
    state.phase = TURN


# --- between hands ---


@device_function
def end_hand(state):
    return_bets(state)
    state.phase = BETWEEN
    solvent = 0
    for player in range(np.int64(state.num_players)):
        if is_broke(state, player):
            if state.in_game[player]:
                emit(state, events.OUT, player, BROKE, NOBODY)
            state.in_game[player] = 0  # SK-54
        else:
            solvent += 1
    if state.deals >= state.hands or solvent < 2:
        finish(state)  # SK-55
    elif state.cash_out:
        ask_between(state, 0)
    else:
        pass_bank(state)


@device_function
def return_bets(state):
    """SK-52."""
    n = np.int64(state.num_players)
    for player in range(n):
        state.chips[player] += state.main[player]
        state.chips[state.banker] += state.main[player]
        for other in range(n):
            state.chips[player] += state.side[player, other]
    state.main[:] = 0
    state.side[:] = 0


@device_function
def is_broke(state, player):
    return state.stack != 0 and state.chips[player] < state.min_bid


@device_function
def ask_between(state, first):
    """SK-53: decisions between hands, one pass by seat."""
    for player in range(first, np.int64(state.num_players)):
        if not is_broke(state, player):
            state.current_player = player
            return
    if players_in(state) < 2:
        finish(state)  # SK-55
    else:
        pass_bank(state)


@device_function
def legal_between(state, mask):
    first = STAY_AT if state.in_game[state.current_player] else JOIN_AT
    mask[first] = 1
    mask[first + 1] = 1


@device_function
def step_between(state, action):
    player = np.int64(state.current_player)
    emit(state, events.CHOOSE, player, action - BETWEEN_AT, NOBODY)
    state.in_game[player] = action in (STAY_AT, JOIN_AT)
    ask_between(state, player + 1)


@device_function
def pass_bank(state):
    state.banker = right_of(state, state.banker, 1)  # SK-05
    while not state.in_game[state.banker]:
        state.banker = right_of(state, state.banker, 1)
    state.deal_pending = 1


@device_function
def finish(state):
    for player in range(np.int64(state.num_players)):
        won = np.int64(state.chips[player]) - np.int64(state.stack)
        emit(state, events.SCORE, player, won, NOBODY)
        if not state.by_odds:
            state.rewards[player] = np.float32(won / np.int64(state.max_bid))  # SK-01
    state.terminated = 1


# --- dispatch ---


@device_function
def legal_actions(state, mask):
    phase = state.phase
    if phase in (OFFER, BANK_NEW):
        legal_offer(state, mask)
    elif phase == STAKE:
        legal_stake(state, mask)
    elif phase == BANK:
        legal_answer(state, mask)
    elif phase == SIDE_TARGET:
        legal_side_target(state, mask)
    elif phase == SIDE_AMOUNT:
        legal_side_amount(state, mask)
    elif phase == SIDE_REPLY:
        legal_side_reply(state, mask)
    elif phase == CENTRAL:
        legal_central(state, mask)
    else:
        legal_between(state, mask)


@device_function
def step(state, action):
    phase = state.phase
    if phase == OFFER:
        step_offer(state, action)
    elif phase == STAKE:
        step_stake(state, action)
    elif phase == BANK:
        step_bank(state, action)
    elif phase == SIDE_TARGET:
        step_side_target(state, action)
    elif phase == SIDE_AMOUNT:
        step_side_amount(state, action)
    elif phase == SIDE_REPLY:
        step_side_reply(state, action)
    elif phase == CENTRAL:
        step_central(state, action)
    elif phase == BANK_NEW:
        step_bank_new(state, action)
    else:
        step_between(state, action)
    play_on(state)
