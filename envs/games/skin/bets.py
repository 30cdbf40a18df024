"""Bets of Skin, with the banker and between players. Nothing here turns a card."""

from __future__ import annotations

import numpy as np

from ...core.cards import SUITS
from ...core.events import ASK, BET, BID, PASS, emit
from ...core.jit import device_function
from ...core.seats import clockwise
from .state import (
    BANK,
    LEVEL_AT,
    LEVELS,
    NO_AT,
    NO_CARD,
    NOBODY,
    SIDE_AMOUNT,
    SIDE_REPLY,
    SIDE_TARGET,
    STAKE,
    TARGET_AT,
    TURN,
)

_WITHOUT_LIMIT = np.int64(2**62)


@device_function
def right_of(state, player, steps):
    """The seat `steps` places (0..num_players) to the right of a player, the direction of offers and of the bank."""
    n = np.int64(state.num_players)
    return clockwise(np.int64(player), n - steps, n)


@device_function
def rank_of(card):
    return np.int64(card) >> 2  # // SUITS (SK-07)


# --- bets with the banker ---


@device_function
def level_chips(state, level):
    """SK-08."""
    low, high = np.int64(state.min_bid), np.int64(state.max_bid)
    return low + (high - low) * (level - 1) // (LEVELS - 1)


@device_function
def most_for(state, player, other):
    """SK-09: the chips that both can bet."""
    if state.stack == 0:
        return _WITHOUT_LIMIT
    return min(np.int64(state.chips[player]), np.int64(state.chips[other]))


@device_function
def can_bet(state, player, other):
    return most_for(state, player, other) >= state.min_bid


@device_function
def mark_levels(state, mask, most):
    """The levels of at most `most` chips, each amount once (SK-08)."""
    before = 0
    for level in range(1, LEVELS + 1):
        chips = level_chips(state, level)
        if chips > most:
            return
        if chips > before:
            mask[LEVEL_AT + level - 1] = 1
        before = chips


@device_function
def only_least(state, most):
    """Whether min_bid is the only amount of at most `most` chips."""
    for level in range(2, LEVELS + 1):
        chips = level_chips(state, level)
        if chips > state.min_bid:
            return chips > most
    return True


@device_function
def level_of(action):
    """The level that an action names; 0 for none."""
    return 0 if action == NO_AT else action - LEVEL_AT + 1


@device_function
def ask_stake(state, player):
    """Ask for the player's bet; skipped if no level is legal (SK-23)."""
    if can_bet(state, player, state.banker):
        state.bettor = player
        state.phase = STAKE
        state.current_player = player
    else:
        state.phase = TURN


@device_function
def ask_rebid(state, player):
    """SK-35: the first player from `player` going right who has a live card and can bet."""
    while player != state.banker:
        if state.card[player] != NO_CARD and can_bet(state, player, state.banker):
            ask_stake(state, player)
            return
        player = right_of(state, player, 1)
    state.rebid = 0
    state.phase = TURN


@device_function
def end_bets(state):
    """End the bettor's turn to bet."""
    bettor = np.int64(state.bettor)
    state.bettor = NOBODY
    state.asked[:] = 0
    if state.rebid:
        ask_rebid(state, right_of(state, bettor, 1))
    else:
        state.phase = TURN


@device_function
def legal_stake(state, mask):
    mask[NO_AT] = 1  # SK-20
    mark_levels(state, mask, most_for(state, state.bettor, state.banker))


@device_function
def step_stake(state, action):
    if action == NO_AT:
        emit(state, PASS, state.bettor, STAKE, NOBODY)
        end_bets(state)  # SK-29
        return
    level = level_of(action)
    emit(state, BID, state.bettor, level_chips(state, level), NOBODY)
    if only_least(state, level_chips(state, level)):
        bet(state, 1)
        return
    state.proposal = level
    state.phase = BANK
    state.current_player = state.banker


@device_function
def legal_answer(state, mask):
    """The levels up to the one proposed (SK-21, SK-27)."""
    mark_levels(state, mask, level_chips(state, np.int64(state.proposal)))


@device_function
def step_bank(state, action):
    state.proposal = 0
    bet(state, level_of(action))


@device_function
def bet(state, level):
    """SK-22."""
    chips = level_chips(state, level)
    emit(state, BET, state.bettor, chips, state.banker)
    state.chips[state.bettor] -= chips
    state.chips[state.banker] -= chips
    state.main[state.bettor] += chips
    pay_by_odds(state, np.int64(state.bettor), np.int64(state.banker), chips)
    ask_target(state)


@device_function
def pay_by_odds(state, player, other, chips):
    """The value of a bet: of two live cards with a and b matches left, the first falls first with probability a / (a + b)."""
    if state.by_odds:
        mine, theirs = matches_left(state, state.card[player]), matches_left(state, state.card[other])
        worth = np.float32(chips * (theirs - mine) / ((theirs + mine) * np.int64(state.max_bid)))
        state.rewards[player] += worth
        state.rewards[other] -= worth


@device_function
def matches_left(state, rank):
    """The number of cards of a rank in the stock."""
    count = SUITS
    for place in range(np.int64(state.turned)):
        count -= rank_of(state.deck[place]) == rank
    return count


# --- side bets ---


@device_function
def may_target(state, player):
    """SK-25, SK-29: whether another player has a live card, was not yet asked on this occasion, and both can bet."""
    return (
        player != state.bettor
        and player != state.banker
        and state.card[player] != NO_CARD
        and not state.asked[player]
        and can_bet(state, state.bettor, player)
    )


@device_function
def ask_target(state):
    if state.side_bets:
        for player in range(np.int64(state.num_players)):
            if may_target(state, player):
                state.phase = SIDE_TARGET
                state.current_player = state.bettor
                return
    end_bets(state)


@device_function
def legal_side_target(state, mask):
    mask[NO_AT] = 1
    n = np.int64(state.num_players)
    for steps in range(1, n):
        if may_target(state, clockwise(np.int64(state.bettor), steps, n)):
            mask[TARGET_AT + steps] = 1


@device_function
def step_side_target(state, action):
    if action == NO_AT:
        emit(state, PASS, state.bettor, SIDE_TARGET, NOBODY)
        end_bets(state)
        return
    state.target = clockwise(np.int64(state.bettor), action - TARGET_AT, np.int64(state.num_players))
    state.asked[state.target] = 1
    emit(state, ASK, state.bettor, 0, state.target)
    if only_least(state, most_for(state, state.bettor, state.target)):
        propose_side_bet(state, 1)
    else:
        state.phase = SIDE_AMOUNT


@device_function
def legal_side_amount(state, mask):
    mark_levels(state, mask, most_for(state, state.bettor, state.target))  # SK-26


@device_function
def step_side_amount(state, action):
    propose_side_bet(state, level_of(action))


@device_function
def propose_side_bet(state, level):
    emit(state, BID, state.bettor, level_chips(state, level), state.target)
    state.proposal = level
    state.phase = SIDE_REPLY
    state.current_player = state.target


@device_function
def legal_side_reply(state, mask):
    mask[NO_AT] = 1
    legal_answer(state, mask)


@device_function
def step_side_reply(state, action):
    if action == NO_AT:
        emit(state, PASS, state.target, SIDE_REPLY, NOBODY)
    else:
        bettor, target = np.int64(state.bettor), np.int64(state.target)
        chips = level_chips(state, level_of(action))  # SK-27
        emit(state, BET, bettor, chips, target)
        state.chips[bettor] -= chips
        state.chips[target] -= chips
        state.side[bettor, target] += chips  # SK-28
        state.side[target, bettor] += chips
        pay_by_odds(state, bettor, target, chips)
    state.proposal = 0
    state.target = NOBODY
    ask_target(state)
