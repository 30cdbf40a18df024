"""The course of play of Wild Escape."""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_54
from ...core.events import EVERYBODY, emit, emit_list, emit_secret
from ...core.jit import device_function
from ...core.layout import start
from ...core.rng import random_below, shuffle
from ...core.seats import clockwise
from .combinations import can_beat, mark_kinds
from .hands import clear_chosen, take, tell_hand
from .selection import cards_wanted, higher_than_both, next_cards
from .state import (
    ACTIONS,
    ANSWER,
    CARDS,
    DECK,
    DRAWN,
    HAND,
    HIGHEST_LEVEL,
    KINDS,
    MATCH,
    MATCH_WON,
    MOST,
    NOBODY,
    PLAY,
    PLAYERS,
    ROUND_WON,
)
from .tribute import answer_offer, at_place, hand_over, plan_exchanges, start_exchanges

_PASS, _KEEP, _CARD = (ACTIONS.at(name) for name in ("pass", "keep", "card"))
_WIN, _MATCH_WIN = np.float32(1), np.float32(3)


@device_function
def deal(state):
    for k in range(DECK):  # WE-01
        state.deck[k] = k % DECK_54
    shuffle(state, state.deck, DECK)


@device_function
def begin(state):
    if state.round_number == 0:
        if state.leader == opt.RANDOM:
            state.leader = random_below(state, PLAYERS)  # WE-03
        state.exchanges = 0
    else:
        state.leader = at_place(state, 1)
        plan_exchanges(state)
    state.round_number += 1
    state.trump = min(np.int64(state.levels[np.int64(state.leader) % 2]), HIGHEST_LEVEL)  # WE-04, WE-24
    emit(state, events.ROUND, state.leader, state.trump, NOBODY)
    clear_table(state)
    for k in range(DECK):  # WE-01
        player, card = k % PLAYERS, np.int64(state.deck[k])
        state.hand[player, card] += 1
        state.deck[k] = 0
    state.hand_size[:] = HAND
    for player in range(PLAYERS):
        tell_hand(state, player)
    start_exchanges(state)
    go_on(state)


@device_function
def clear_table(state):
    for player in range(PLAYERS):
        for card in range(DECK_54):
            state.hand[player, card] = 0
            state.known[player, card] = 0
            state.played[player, card] = 0
        state.place[player] = 0
    state.escaped = 0
    clear_trick(state)


@device_function
def clear_trick(state):
    for player in range(PLAYERS):
        for k in range(MOST):
            state.last[player, k] = 0
        state.last_size[player] = 0
        state.passed[player] = 0
    state.owner = NOBODY
    state.beat = 0
    state.passes = 0


@device_function
def legal_actions(state, mask):
    if state.stage == PLAY:
        if state.owner != NOBODY:
            mask[start(_PASS, PLAYERS)] = 1
        mark_kinds(state, np.int64(state.current_player), mask)
        return
    if state.stage == ANSWER:
        keep = start(_KEEP, PLAYERS)
        mask[keep] = 1
        mask[keep + 1] = 1
        mask[keep + 2] = holds_higher(state, np.int64(state.current_player))
        return
    first, cards = start(_CARD, PLAYERS), next_cards(state)
    for card in range(DECK_54):
        mask[first + card] = (cards >> card) & 1


@device_function
def holds_higher(state, player):
    higher = higher_than_both(state)
    for card in range(DECK_54):
        if state.hand[player, card] > 0 and (higher >> card) & 1:
            return True
    return False


@device_function
def step(state, action):
    player = np.int64(state.current_player)
    if action == start(_PASS, PLAYERS):
        note_pass(state, player)
        next_turn(state, player)
    elif action < KINDS:
        emit_secret(state, events.CHOOSE, player, action, 1 << player, NOBODY)
        state.kind = action
        state.stage = CARDS
    elif action < start(_CARD, PLAYERS):
        answer_offer(state, action - start(_KEEP, PLAYERS))
    else:
        choose(state, action - start(_CARD, PLAYERS))
    go_on(state)


@device_function
def choose(state, card):
    state.chosen[np.int64(state.chosen_size)] = card
    state.chosen_size += 1


@device_function
def go_on(state):
    """Continue until a player has a choice: forced choices of cards are made, and complete choices are carried out."""
    while state.stage >= CARDS:
        while state.chosen_size < cards_wanted(state):
            cards = next_cards(state)
            if cards & (cards - 1):
                tell_choice(state)
                return
            choose(state, place_of_bit(cards))
        if state.stage == CARDS:
            play_cards(state)
        else:
            hand_over(state)


@device_function
def tell_choice(state):
    """Emit the cards chosen so far, if there are alternatives."""
    player = np.int64(state.current_player)
    emit_list(state, events.SELECT, player, state.chosen, 0, state.chosen_size, 1 << player, NOBODY)


@device_function
def place_of_bit(bit):
    """The place 0..63 of a single bit."""
    place = 0
    for width in (32, 16, 8, 4, 2, 1):
        if bit >> width:
            bit >>= width
            place += width
    return place


@device_function
def play_cards(state):
    player, size = np.int64(state.current_player), np.int64(state.chosen_size)
    for k in range(MOST):
        state.last[player, k] = state.chosen[k]
    for k in range(size):
        card = np.int64(state.chosen[k])
        take(state, player, card)
        state.played[player, card] += 1
    emit_list(state, events.PLAY, player, state.last[player], 0, size, EVERYBODY, NOBODY)
    if size == MOST:
        emit(state, events.DECLARE, player, state.kind, NOBODY)
    state.last_size[player] = size
    state.passed[player] = 0
    state.owner = player
    state.beat = state.kind
    state.passes = 0
    state.kind = 0
    clear_chosen(state)
    state.stage = PLAY
    if state.hand_size[player] == 0:
        state.escaped += 1
        state.place[player] = state.escaped  # WE-16
        emit(state, events.OUT, player, state.escaped, NOBODY)
        if team_is_out(state, player % 2):
            end_round(state, player)
            return
    next_turn(state, player)


@device_function
def team_is_out(state, team):
    for player in range(team, PLAYERS, 2):  # WE-02
        if state.hand_size[player] > 0:
            return False
    return True


@device_function
def note_pass(state, player):
    emit(state, events.PASS, player, 0, NOBODY)
    state.passed[player] = 1
    state.passes += 1


@device_function
def next_turn(state, player):
    """Pass the turn to the next player who can do more than pass; if nobody is left, the trick is won (WE-14, WE-15)."""
    owner = np.int64(state.owner)
    others = PLAYERS - np.int64(state.escaped) - np.int64(state.hand_size[owner] > 0)
    while state.passes < others:
        player = next_with_cards(state, player)
        if state.ask_forced_pass or can_beat(state, player):
            state.current_player = player
            return
        note_pass(state, player)
    emit(state, events.TRICK_WON, owner, 0, NOBODY)
    clear_trick(state)
    state.current_player = owner if state.hand_size[owner] > 0 else next_with_cards(state, owner)


@device_function
def next_with_cards(state, player):
    player = clockwise(player, 1, PLAYERS)
    while state.hand_size[player] == 0:
        player = clockwise(player, 1, PLAYERS)
    return player


@device_function
def end_round(state, last):
    """End the round: `last` has just escaped as the third of a team."""
    rank_trapped(state, last)
    team, offense = last % 2, np.int64(state.leader) % 2
    if at_place(state, 1) % 2 == team:  # WE-18, WE-20; else a draw: WE-19, WE-21
        reward(state, team, _WIN)
        emit(state, events.WIN, at_place(state, 1), ROUND_WON, NOBODY)
        if team == offense:
            state.levels[team] += 1  # WE-22
            emit(state, events.SCORE, state.leader, state.levels[team], NOBODY)
    else:
        emit(state, events.WIN, at_place(state, 1), DRAWN, NOBODY)
    if state.episode != MATCH:
        state.terminated = 1
    elif state.levels[offense] >= state.target_level or state.round_number >= state.max_rounds:  # WE-23
        state.terminated = 1
        if state.levels[0] != state.levels[1]:
            winners = np.int64(state.levels[1] > state.levels[0])
            reward(state, winners, _MATCH_WIN)
            emit(state, events.WIN, winners, MATCH_WON, NOBODY)
    else:
        state.deal_pending = 1


@device_function
def rank_trapped(state, last):
    """Give places to players who still hold cards (WE-17)."""
    for place in range(np.int64(state.escaped) + 1, PLAYERS + 1):
        best, player = np.int64(-1), last
        for _ in range(PLAYERS):
            player = clockwise(player, 1, PLAYERS)
            if state.place[player] == 0 and (best < 0 or state.hand_size[player] < state.hand_size[best]):
                best = player
        state.place[best] = place
        emit(state, events.RANKED, best, place, NOBODY)


@device_function
def reward(state, team, amount):
    for player in range(PLAYERS):
        state.rewards[player] += amount if player % 2 == team else -amount
