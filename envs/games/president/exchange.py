"""The exchange before a deal: the best cards of the Scum for cards of the President's choice (PR-40, PR-41)."""

from __future__ import annotations

import numpy as np

from ...core.bits import lowest_bit
from ...core.cards import RANKS, SMALL_JOKER, SUITS
from ...core.events import GIVE, emit_card, emit_cards
from ...core.extended.sets import ZERO, add, id_at, remove, size_of
from ...core.jit import device_function
from .state import GIVE_AT, GIVE_JOKER_AT, GIVE_SPECIAL_AT, KINDS, WITH_VICES
from .table import best_card

_RANK, _FOUR = np.uint64(15), np.uint64(SUITS)


@device_function
def seat_at(state, place):
    """The seat with this place in the previous deal."""
    for seat in range(np.int64(state.num_players)):
        if state.before[seat] == place:
            return seat
    return np.int64(0)


@device_function
def exchanges(state):
    """The number of pairs that exchange cards in this deal (PR-40): President and Scum, then the Vices."""
    if state.deals == 1 or state.exchange == 0:
        return 0
    return 2 if state.exchange == 2 and state.num_players >= WITH_VICES else 1


@device_function
def cards_exchanged(state, pair):
    """The number of cards that each of a pair gives."""
    return np.int64(state.exchange) - pair


@device_function
def receiver_of(state, pair):
    """President or Vice-President, who receives the best cards."""
    return seat_at(state, 1 + pair)


@device_function
def giver_of(state, pair):
    """Scum or Vice-Scum, who gives them."""
    return seat_at(state, np.int64(state.num_players) - pair)


@device_function
def move_card(state, giver, receiver, card):
    remove(state.hand[giver], card)
    add(state.hand[receiver], card)
    add(state.given[giver], card)


@device_function
def give_best(state, giver, receiver, count):
    """PR-40."""
    for _ in range(count):
        move_card(state, giver, receiver, best_card(state.hand[giver], state.twos_high))


@device_function
def begin_exchange(state):
    """Let the lower places give their best cards, then ask the higher ones. Returns whether anybody is asked."""
    for seat in range(np.int64(state.num_players)):
        state.given[seat, 0] = ZERO
        state.given[seat, 1] = ZERO
    for pair in range(exchanges(state)):
        giver, receiver = giver_of(state, pair), receiver_of(state, pair)
        give_best(state, giver, receiver, cards_exchanged(state, pair))
        emit_cards(state, GIVE, giver, state.given[giver, 0], state.given[giver, 1], 1 << giver | 1 << receiver, receiver)
    return ask_for_gift(state)


@device_function
def ask_for_gift(state):
    """PR-41: ask the next player who must give a card back. Returns whether there is one."""
    pair = pair_to_give(state)
    if pair < exchanges(state):
        state.current_player = receiver_of(state, pair)
        return True
    return False


@device_function
def pair_to_give(state):
    """The first pair with cards still to give back; past the last if there is none."""
    for pair in range(exchanges(state)):
        if size_of(state.given[receiver_of(state, pair)]) < cards_exchanged(state, pair):
            return pair
    return exchanges(state)


@device_function
def mark_gifts(state, mask):
    """Mark the legal gifts; a card is named by its rank (PR-03)."""
    hand = state.hand[np.int64(state.current_player)]
    cards = hand[0]
    for rank in range(RANKS):
        mask[GIVE_AT + rank] = cards & _RANK != ZERO
        cards >>= _FOUR
    mask[GIVE_JOKER_AT] = hand[1] != ZERO
    for kind in range(KINDS):
        mask[GIVE_SPECIAL_AT + kind] = cards & _RANK != ZERO
        cards >>= _FOUR


@device_function
def step_gift(state, action):
    """Give a card back. Returns whether another card must be given."""
    giver = np.int64(state.current_player)
    receiver = giver_of(state, pair_to_give(state))
    card = lowest_named(state.hand[giver], action)
    move_card(state, giver, receiver, card)
    emit_card(state, GIVE, giver, card, 1 << giver | 1 << receiver, receiver)
    return ask_for_gift(state)


@device_function
def lowest_named(hand, action):
    """The card with the lowest id among those that an exchange action names."""
    if action == GIVE_JOKER_AT:
        return SMALL_JOKER + lowest_bit(hand[1])
    rank = action - GIVE_AT if action < GIVE_JOKER_AT else RANKS + action - GIVE_SPECIAL_AT
    return id_at(lowest_bit(hand[0] & _RANK << (_FOUR * np.uint64(rank))))
