"""Hands as lists, what pairs with what, and laying pairs (OM-03 to OM-05, OM-20 to OM-25)."""

from __future__ import annotations

import numpy as np

from ...core.cards import SMALL_JOKER, STANDARD
from ...core.events import EVERYBODY, MELD, OUT, emit, emit_list
from ...core.extended.sets import NO_CARD, NO_RANK, is_joker
from ...core.extended.state import NOBODY
from ...core.jit import device_function
from ...core.seats import clockwise, seats_with
from .state import FIRST_QUEEN, JOKER, OLD_MAID, SHUFFLED, TYPE


@device_function
def type_of(state, card):
    """OM-03, OM-04."""
    if state.named_maid and card == FIRST_QUEEN + np.int64(state.old_maid):
        return np.int64(OLD_MAID)
    return TYPE[card]


@device_function
def value_of(state, card):
    """The type that a card pairs as: a Joker that is bound counts as a card of its rank (OM-24)."""
    if is_joker(card) and state.bound != NO_RANK:
        return np.int64(state.bound)
    return type_of(state, card)


@device_function
def is_wild_pair(state, card):
    """OM-20, OM-21: whether a Joker may be paired with a card, other than the other Joker."""
    return card < STANDARD and type_of(state, card) != OLD_MAID


# --- hands ---


@device_function
def next_with_cards(state, seat):
    """OM-11: the next player after a seat who has cards, perhaps himself."""
    n = np.int64(state.num_players)
    for _ in range(n):
        seat = clockwise(seat, 1, n)
        if state.hand_size[seat] > 0:
            break
    return seat


@device_function
def position_of(state, seat, card):
    """Where a card lies in a hand, -1 if it does not."""
    for k in range(np.int64(state.hand_size[seat])):
        if state.hand[seat, k] == card:
            return k
    return -1


@device_function
def position_of_value(state, seat, value):
    """Where the first card that pairs as `value` lies in a hand, -1 if there is none."""
    for k in range(np.int64(state.hand_size[seat])):
        if value_of(state, np.int64(state.hand[seat, k])) == value:
            return k
    return -1


@device_function
def take_out(state, seat, position):
    """The id of the card at a position, which leaves the hand; the gap closes (OM-13)."""
    card, last = np.int64(state.hand[seat, position]), np.int64(state.hand_size[seat]) - 1
    for k in range(position, last):
        state.hand[seat, k] = state.hand[seat, k + 1]
    state.hand[seat, last] = 0
    state.hand_size[seat] = last
    return card


@device_function
def put_in(state, seat, card, position):
    size = np.int64(state.hand_size[seat])
    for k in range(size, position, -1):
        state.hand[seat, k] = state.hand[seat, k - 1]
    state.hand[seat, position] = card
    state.hand_size[seat] = size + 1


@device_function
def place_of_new(state, seat, card):
    """Where a card that is drawn comes in the hand: at its end, or where the order of the ids says."""
    size = np.int64(state.hand_size[seat])
    if state.fan == SHUFFLED:
        while size > 0 and state.hand[seat, size - 1] > card:
            size -= 1
    return size


# --- pairs ---


@device_function
def lay(state, seat, card):
    """OM-05: a card of a hand is laid on the table, and known to all."""
    position = position_of(state, seat, card)
    if state.fresh and seat == state.current_player and position == np.int64(state.hand_size[seat]) - 1:
        state.fresh = 0
    state.known_by[take_out(state, seat, position)] = NOBODY


@device_function
def lay_pair(state, seat, card, other):
    emit_list(state, MELD, seat, (min(card, other), max(card, other)), 0, 2, EVERYBODY, NOBODY)
    lay(state, seat, card)
    lay(state, seat, other)
    if state.hand_size[seat] == 0:
        emit(state, OUT, seat, 0, NOBODY)


@device_function
def lay_forced(state, seat):
    """Lay the pair without a free Joker that a hand holds, if there is one (OM-05, OM-24). Returns its type, -1 for none."""
    seen = np.int64(0)
    for k in range(np.int64(state.hand_size[seat])):
        card = np.int64(state.hand[seat, k])
        value = value_of(state, card)
        if value != JOKER and seen >> value & 1:
            lay_pair(state, seat, card, np.int64(state.hand[seat, position_of_value(state, seat, value)]))
            return value
        seen |= 1 << value
    return np.int64(-1)


@device_function
def free_jokers(state, seat):
    """How many Jokers that are not bound a hand holds."""
    jokers = 0
    if state.bound == NO_RANK:
        for k in range(np.int64(state.hand_size[seat])):
            jokers += is_joker(state.hand[seat, k])
    return jokers


@device_function
def jokers_must_pair(state):
    """OM-23: no card is left in any hand that a free Joker may be paired with."""
    for seat in range(np.int64(state.num_players)):
        for k in range(np.int64(state.hand_size[seat])):
            if is_wild_pair(state, np.int64(state.hand[seat, k])):
                return False
    return True


@device_function
def lay_jokers(state, seat):
    """The two Jokers of a hand as a pair."""
    lay_pair(state, seat, np.int64(SMALL_JOKER), np.int64(SMALL_JOKER + 1))
    state.joker_pair = 1


@device_function
def settle_jokers(state):
    """OM-23: two free Jokers of a hand are laid by force when nothing else is left for them."""
    for seat in range(np.int64(state.num_players)):
        if free_jokers(state, seat) == 2:
            if jokers_must_pair(state):
                lay_jokers(state, seat)
            return


@device_function
def may_pair(state, seat):
    """OM-22: whether a hand holds a free Joker and a card to pair it with."""
    jokers = free_jokers(state, seat)
    if jokers == 0:
        return False
    if jokers == 2:
        return True
    for k in range(np.int64(state.hand_size[seat])):
        if is_wild_pair(state, np.int64(state.hand[seat, k])):
            return True
    return False


@device_function
def pair_joker(state, seat, rank):
    """Lay a Joker, of two the lower id (OM-23), with the card of a rank; the other Joker is bound to it (OM-24)."""
    joker = NO_CARD
    for k in range(np.int64(state.hand_size[seat])):
        card = np.int64(state.hand[seat, k])
        if is_joker(card) and (joker == NO_CARD or card < joker):
            joker = card
    lay_pair(state, seat, joker, np.int64(state.hand[seat, position_of_value(state, seat, rank)]))
    if state.joker_bind:
        state.bound = rank
        for other in range(np.int64(state.num_players)):
            lay_forced(state, other)


# --- the end ---


@device_function
def with_cards(state):
    """The players who have cards, as bits."""
    return seats_with(state, state.hand_size)


@device_function
def can_pair(state):
    """OM-42: whether two cards that are still in hands can ever pair."""
    seen, joker, wild = np.int64(0), False, False
    for seat in range(np.int64(state.num_players)):
        for k in range(np.int64(state.hand_size[seat])):
            card = np.int64(state.hand[seat, k])
            value = value_of(state, card)
            joker = joker or value == JOKER
            wild = wild or is_wild_pair(state, card)
            if seen >> value & 1 or (joker and wild):
                return True
            seen |= 1 << value
    return False
