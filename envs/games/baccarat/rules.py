"""The rules of baccarat: banks and bets before a coup, payments, and the course of an episode. The hands are in coup.py."""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core.events import EVERYBODY, emit, emit_card, emit_list
from ...core.extended.pile import pile_size, top_card
from ...core.extended.shoe import cards_in, open_shoe, shuffle_shoe, use_up
from ...core.extended.state import NOBODY
from ...core.extended.turns import has_bit
from ...core.jit import device_function
from ...core.rng import random_below
from .coup import deal_hands, legal_in_turn, outcome, show_all, step_in_turn
from .drawing import POINTS, TEN
from .state import (
    BANK,
    BANQUE,
    BET,
    BETS,
    BETTING,
    CHEMIN,
    HUNDREDTHS,
    KEEP,
    KEEPING,
    LEVELS,
    NOTHING,
    OFFERING,
    ON_B,
    ON_P,
    ON_TIE,
    PASS,
    PERCENT,
    PLACES,
    PUNTO,
    SECOND,
    TAKES_BANK,
    TIE,
    TURN,
    B,
    L,
    P,
)

_EIGHTHS = LEVELS * HUNDREDTHS
BANCO = LEVELS - 1  # its level, from 0 on


@device_function
def deal(state):
    shuffle_shoe(state)


@device_function
def begin(state):
    open_shoe(state)
    state.burned[:] = 0
    if state.burn:
        burn_cards(state)
    if state.coup == 0:
        n = np.int64(state.num_players)
        for seat in range(n):
            state.chips[seat] = np.int64(state.stack) * HUNDREDTHS
        state.banker = NOBODY
        if state.first_banker != NOBODY:
            state.due = np.int64(state.first_banker)
        elif state.variant != PUNTO:
            state.due = random_below(state, n)
        state.right[:] = NOBODY
        state.last[:] = NOBODY
    begin_coup(state)


@device_function
def burn_cards(state):
    card = top_card(state)
    state.used[card] += 1
    number = POINTS[card] if POINTS[card] > 0 else TEN
    emit_card(state, events.TURN_UP, NOBODY, card, EVERYBODY, NOBODY)
    emit_list(state, events.DISCARD, NOBODY, state.deck, state.pile_at, state.pile_at + number, 0, NOBODY)
    for _ in range(number):
        state.burned[top_card(state)] += 1


@device_function
def right_of(state, seat):
    return seat - 1 if seat > 0 else np.int64(state.num_players) - 1


@device_function
def begin_coup(state):
    """Begin the next coup: play to its first decision, a shuffle that it needs, or the end of the episode."""
    while not state.terminated and not state.deal_pending:
        clear_table(state)
        if is_over(state):
            finish(state)
        elif pile_size(state) < state.cut and not is_untouched(state):
            state.deal_pending = 1
        else:
            state.coup += 1
            emit(state, events.ROUND, NOBODY, state.coup, NOBODY)
            if open_coup(state):
                return


@device_function
def is_untouched(state):
    """Whether nothing has been dealt from the shoe, although a card may have been turned and others burned."""
    return state.pile_at == cards_in(state.burned) + np.int64(state.burn)


@device_function
def clear_table(state):
    """Use up the cards of a coup, and clear its state."""
    for place in range(PLACES):
        use_up(state, state.hand[place])
        state.shown[place, :] = 0
        state.holder[place] = NOBODY
        state.value[place] = 0
        state.possible[place] = 0
        state.redealt[place, :] = 0
    for seat in range(np.int64(state.num_players)):
        state.bet[seat, 0] = 0
        state.bet[seat, 1] = 0
        state.side[seat] = 0
    state.asked = 0
    state.begun = 0
    state.out = 0
    state.drew = 0
    state.stood = 0
    state.turn = NOBODY
    state.direction = 1


@device_function
def is_over(state):
    """BA-60, between coups. (The bank is the banker's.)"""
    if state.coup == state.coups:
        return True
    if state.variant == PUNTO and state.stack == 0:
        return False
    able = banks = 0
    for seat in range(np.int64(state.num_players)):
        chips = np.int64(state.chips[seat]) + (np.int64(state.bank) if seat == state.banker else 0)
        able += chips >= np.int64(state.min_bet) * HUNDREDTHS
        banks += chips >= np.int64(state.max_bet) * HUNDREDTHS
    if state.variant == PUNTO:
        return able == 0
    return able < 2 or (state.banker == NOBODY and banks == 0)


@device_function
def finish(state):
    close_bank(state)
    for seat in range(np.int64(state.num_players)):
        won = np.int64(state.chips[seat]) - np.int64(state.stack) * HUNDREDTHS
        state.rewards[seat] = np.float32(won / (np.int64(state.max_bet) * HUNDREDTHS))
    state.terminated = 1


@device_function
def close_bank(state):
    if state.banker != NOBODY:
        emit(state, events.BANK, state.banker, 0, NOBODY)
        state.chips[np.int64(state.banker)] += state.bank
        state.due = right_of(state, np.int64(state.banker))
    state.bank = 0
    state.banker = NOBODY
    state.right[:] = NOBODY


@device_function
def open_coup(state):
    """Whether there is a decision before, during or after the hands; otherwise the coup is over."""
    state.phase = BETTING
    if state.variant == PUNTO:
        return advance(state, np.int64(0))
    if state.banker != NOBODY:
        return advance(state, right_of(state, np.int64(state.banker)))
    state.phase = OFFERING
    emit(state, events.ASK, state.due, TAKES_BANK, NOBODY)
    return advance(state, np.int64(state.due))


@device_function
def advance(state, seat):
    """Offers and bets from `seat` on, then the hands. Returns whether a player must decide; otherwise the coup is over."""
    if ask_next(state, seat):
        return True
    if state.phase == OFFERING:  # BA-20, BA-30
        state.due = right_of(state, np.int64(state.due))
        return False
    state.asked = 0
    if state.variant == PUNTO or find_holders(state):
        return play(state)
    return ask_to_keep(state)  # BA-22


# --- legal bets ---


@device_function
def level_chips(state, level):
    """Hundredths of level 0..7."""
    low, high = np.int64(state.min_bet), np.int64(state.max_bet)
    return (low + (high - low) * level // (LEVELS - 1)) * HUNDREDTHS


@device_function
def uncovered(state):
    left = np.int64(state.bank)
    for seat in range(np.int64(state.num_players)):
        left -= state.bet[seat, 0] + state.bet[seat, 1]
    return left


@device_function
def can_pay(state, seat, amount):
    return (state.variant == PUNTO and state.stack == 0) or amount <= state.chips[seat]


@device_function
def share_of_bank(state, seat, level, left):
    """BA-21: the share of the bank for levels 0..6, if at least this much is uncovered."""
    whole = (np.int64(state.bank) * (level + 1) + _EIGHTHS - 1) // _EIGHTHS * HUNDREDTHS
    return max(min(whole, left, np.int64(state.chips[seat])), 0)


@device_function
def mark_choices(state, seat, mask):
    """Mark the bets or bids of a player. Returns the number of actions."""
    if state.phase == OFFERING:
        number = mark_offers(state, seat, mask)
    elif state.variant == CHEMIN:
        number = mark_shares(state, seat, mask)
    else:
        number = mark_levels(state, seat, mask)
    return number + mark(mask, NOTHING, may_pass(state, seat, number))


@device_function
def mark_offers(state, seat, mask):
    """BA-20, BA-30."""
    number = 0
    for level in range(LEVELS):
        amount = (level + 1) * np.int64(state.max_bet) * HUNDREDTHS
        number += mark(mask, BANK + level, amount <= state.chips[seat] and amount > state.bank)
    return number


@device_function
def mark_shares(state, seat, mask):
    """BA-21, BA-22."""
    before, number, left = np.int64(0), 0, uncovered(state)
    for level in range(BANCO):
        amount = share_of_bank(state, seat, level, left)
        number += mark(mask, BET + level, amount > before)
        before = max(before, amount)
    return number + mark(mask, BET + BANCO, state.bank <= state.chips[seat])


@device_function
def mark_levels(state, seat, mask):
    """BA-10, BA-32."""
    before, number, left = np.int64(0), 0, uncovered(state)
    for level in range(LEVELS):
        amount = level_chips(state, level)
        free = amount > before and can_pay(state, seat, amount) and (state.variant == PUNTO or amount <= left)
        before = amount
        number += mark(mask, BET + level, free)
        if state.variant == PUNTO:
            number += mark(mask, SECOND + level, free) + mark(mask, TIE + level, free)
        else:
            number += mark(mask, SECOND + level, free and state.a_cheval != 0 and amount >= 2 * HUNDREDTHS)
    return number


@device_function
def mark(mask, action, legal):
    mask[action] = legal
    return np.int64(legal)


@device_function
def may_pass(state, seat, choices):
    """BA-20, BA-22, BA-30, BA-32."""
    if state.variant == PUNTO or not state.must_bet or choices == 0:
        return True
    if state.phase == OFFERING:
        return state.variant != CHEMIN and (state.banker != NOBODY or not is_last_able(state, seat))
    return state.variant == CHEMIN and uncovered(state) <= 0


@device_function
def is_last_able(state, seat):
    """BA-30: whether no later player can bid."""
    seat = right_of(state, seat)
    while seat != state.due:
        if state.chips[seat] >= np.int64(state.max_bet) * HUNDREDTHS:
            return False
        seat = right_of(state, seat)
    return True


@device_function
def legal_actions(state, mask):
    if state.phase == TURN:
        legal_in_turn(state, mask)
    elif state.phase == KEEPING:
        mask[KEEP] = 1
        mask[PASS] = 1
    else:
        mark_choices(state, np.int64(state.current_player), mask)


# --- bets and banks ---


@device_function
def ask_next(state, seat):
    """Ask `seat`, or a player after them, for the bank or a bet. Returns whether a player must decide. If not, the phase tells
    whether all refused the bank or all bets are made."""
    mask = np.zeros(BANK + LEVELS, np.uint8)
    while True:
        while not has_bit(state.asked, seat) and not (state.phase == BETTING and seat == state.banker):
            mask[:] = 0
            if mark_choices(state, seat, mask) > 1:
                state.current_player = seat
                return True
            action = 0
            while mask[action] == 0:
                action += 1
            choose(state, seat, action)
            seat = next_asked(state, seat)
        if state.phase == BETTING or state.banker == NOBODY:
            return False
        state.asked = 0
        state.chips[np.int64(state.banker)] -= state.bank
        emit(state, events.BANK, state.banker, state.bank, NOBODY)
        state.phase = BETTING
        seat = right_of(state, np.int64(state.banker))


@device_function
def next_asked(state, seat):
    if state.variant != PUNTO:
        return right_of(state, seat)
    return seat + 1 if seat + 1 < np.int64(state.num_players) else np.int64(0)


@device_function
def choose(state, seat, action):
    """Apply a bet, a bid, or a pass. A choice that ends the round marks all players as asked."""
    state.asked = np.int64(state.asked) | 1 << seat
    if action == NOTHING:
        emit(state, events.PASS, seat, TAKES_BANK if state.phase == OFFERING else BETS, NOBODY)
        return
    if state.phase == OFFERING:
        state.bank = (action - BANK + 1) * np.int64(state.max_bet) * HUNDREDTHS
        emit(state, events.BID, seat, state.bank, NOBODY)
        state.banker = seat
        if state.variant == CHEMIN:
            close_round(state)
    elif state.variant == CHEMIN:
        choose_share(state, seat, action - BET)
    else:
        amount = level_chips(state, (action - BET) % LEVELS)
        state.chips[seat] -= amount
        if state.variant == PUNTO:
            state.side[seat] = ON_P + (action - BET) // LEVELS
            emit(state, events.SELECT, seat, state.side[seat], NOBODY)
            emit(state, events.BET, seat, amount, NOBODY)
            state.bet[seat, 0] = amount
            return
        own = P if on_right(state, seat) else L
        other = amount // (2 * HUNDREDTHS) * HUNDREDTHS if action >= SECOND else 0
        state.side[seat] = ON_TIE if action >= SECOND else ON_P + own
        emit(state, events.SELECT, seat, state.side[seat], NOBODY)
        emit(state, events.BET, seat, amount, NOBODY)
        state.bet[seat, own] = amount - other
        state.bet[seat, 1 - own] = other


@device_function
def choose_share(state, seat, level):
    """BA-21, BA-22."""
    amount = share_of_bank(state, seat, level, uncovered(state))
    if level == BANCO:
        for other in range(np.int64(state.num_players)):
            state.chips[other] += state.bet[other, 0]
            state.bet[other, 0] = 0
            state.side[other] = 0
        amount = np.int64(state.bank)
        close_round(state)
    emit(state, events.CALL if level == BANCO else events.BET, seat, amount, NOBODY)
    state.side[seat] = ON_P
    state.bet[seat, 0] = amount
    state.chips[seat] -= amount


@device_function
def close_round(state):
    state.asked = (1 << np.int64(state.num_players)) - 1


@device_function
def on_right(state, seat):
    """BA-31."""
    n = np.int64(state.num_players)
    return (np.int64(state.banker) - seat + n) % n <= n // 2


@device_function
def find_holders(state):
    """BA-23, BA-33: find the holders of the hands. Returns whether there is a bet."""
    n, banker, any_bet = np.int64(state.num_players), np.int64(state.banker), False
    if state.variant == CHEMIN:
        best, seat = np.int64(0), right_of(state, banker)
        for _ in range(n - 1):
            if state.bet[seat, 0] > best:
                best = np.int64(state.bet[seat, 0])
                state.holder[P] = seat
            seat = right_of(state, seat)
        any_bet = best > 0
    else:
        for place in (P, L):
            holder = holder_of(state, np.int64(place))
            state.holder[place] = holder
            any_bet = any_bet or holder != NOBODY
    if any_bet:
        state.holder[B] = banker
    return any_bet


@device_function
def holder_of(state, place):
    """The first of the tableau's own players with a bet on it, starting on the right; otherwise the nearest other player."""
    n, banker = np.int64(state.num_players), np.int64(state.banker)
    first = np.int64(state.right[place])
    seat = right_of(state, banker) if first == NOBODY else first
    for _ in range(n):
        if seat != banker and on_right(state, seat) == (place == P) and state.bet[seat, place] > 0:
            state.right[place] = seat
            return seat
        seat = right_of(state, seat)
    seat = right_of(state, banker)
    for _ in range(n - 1):
        if state.bet[seat, place] > 0:
            return seat
        seat = right_of(state, seat)
    return np.int64(NOBODY)


@device_function
def play(state):
    state.phase = TURN
    deal_hands(state)
    if state.turn != NOBODY:
        state.current_player = np.int64(state.holder[np.int64(state.turn)])
        return True
    return settle(state)


@device_function
def step(state, action):
    seat, waits = np.int64(state.current_player), True
    if state.phase == TURN:
        step_in_turn(state, action)
        if state.turn != NOBODY:
            state.current_player = np.int64(state.holder[np.int64(state.turn)])
        else:
            waits = settle(state)
    elif state.phase == KEEPING:
        if action == PASS:
            close_bank(state)
        else:
            emit(state, events.BANK, seat, state.bank, NOBODY)
        waits = False
    else:
        choose(state, seat, action)
        waits = advance(state, next_asked(state, seat))
    if not waits:
        begin_coup(state)


# --- settlement ---


@device_function
def settle(state):
    """BA-05, BA-27, BA-35: settle the coup. Returns whether the banker must decide."""
    show_all(state)
    if state.variant == PUNTO:
        settle_punto(state)
        return False
    gain = np.int64(0)
    lost = False
    for place in (P, L):
        if state.holder[place] != NOBODY:
            result = outcome(state, place)
            gain += settle_tableau(state, place, result)
            lost = lost or result > 0
            holder = np.int64(state.holder[place])
            if state.variant == BANQUE and result < 0 and on_right(state, holder) == (place == P):
                state.right[place] = right_of(state, holder)  # BA-33
    state.bank += gain - (commission_of(state, gain) if gain > 0 else 0)
    if state.bank > 0:
        emit(state, events.BANK, state.banker, state.bank, NOBODY)
    if lost and state.variant == CHEMIN:  # BA-28
        close_bank(state)
        return False
    return ask_to_keep(state)


@device_function
def commission_of(state, won):
    return won * np.int64(state.commission) // PERCENT


@device_function
def settle_tableau(state, place, result):
    """Pay the bets on a hand; returns the bank's gain."""
    gain = np.int64(0)
    for seat in range(np.int64(state.num_players)):
        bet = np.int64(state.bet[seat, place])
        if bet > 0:
            emit(state, events.PAY, seat, bet * result, NOBODY)
        if result >= 0:
            state.chips[seat] += bet * (1 + result)
        gain -= bet * result
        state.bet[seat, place] = 0
    return gain


@device_function
def settle_punto(state):
    """BA-15."""
    result = outcome(state, P)
    for seat in range(np.int64(state.num_players)):
        bet, side = np.int64(state.bet[seat, 0]), np.int64(state.side[seat])
        brought = -bet
        if side == ON_TIE:
            brought = bet * np.int64(state.tie_pays) if result == 0 else -bet
        elif result == 0:
            brought = np.int64(0)
        elif side == ON_P and result > 0:
            brought = bet
        elif side == ON_B and result < 0:
            brought = bet - commission_of(state, bet)
        if bet > 0:
            emit(state, events.PAY, seat, brought, NOBODY)
        state.chips[seat] += bet + brought
        state.bet[seat, 0] = 0


@device_function
def ask_to_keep(state):
    """BA-28, BA-36: ask the banker whether to keep the bank. Returns whether they must decide."""
    least = np.int64(state.min_bet) * HUNDREDTHS if state.variant == BANQUE else np.int64(1)
    if state.bank < least:
        close_bank(state)
        return False
    if is_over(state):
        return False
    clear_table(state)
    state.phase = KEEPING
    state.current_player = np.int64(state.banker)
    return True
