"""Sampling of hidden cards: the cards of the other hands and their order.

No hand holds two cards that would pair by force, so each value (a rank, a kind, the Old Maid; see `value_of`) goes to as many
hands as it has cards. All ways are equally likely. They are counted hand by hand; the counts for later hands depend only on how
many values have one, two, three and four cards left. A card that the viewer knows to be in a hand (`known_by`) bars its value
from that hand. There is at most one such hand, that of the last player with cards before the viewer, because nobody else draws
from the viewer.

A player asked about pairs has a Joker to pair. If the Jokers are hidden, one of them is put into that hand, and the deal is
accepted with probability 1 / (number of Jokers in it), so that all arrangements are again equally likely.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...core.cards import DECK_66, SMALL_JOKER, SUITS
from ...core.extended.sets import NO_CARD, is_joker
from ...core.extended.state import NOBODY
from ...core.jit import device_function
from ...core.rng import random_below, shuffle
from .hands import is_wild_pair, jokers_must_pair, value_of
from .state import ARRANGED, JOKER, MAX_PLAYERS, MOST, PAIR, SETUP, TYPES

_VALUES = TYPES + 1  # the second Joker is its own value if a hand may hold both
_TRIES = 1000  # the acceptance rate is at least one in thirty
_CHOOSE = np.array([[math.comb(cards, taken) for taken in range(MOST + 1)] for cards in range(MOST + 1)], np.float64)
_HALF = 26  # of the bits of a random share
_NOWHERE = -1


class _Hidden(NamedTuple):
    """The cards to deal."""

    values: np.ndarray  # int64 [DECK_66], of each hidden card its value, -1 of others
    room: np.ndarray  # int64 [seats], what they leave in each hand
    left: np.ndarray  # int64 [_VALUES], how many there are of each value
    barred: np.ndarray  # int64 [_VALUES], 1 for what the viewer knows to be in another hand


@device_function
def determinize(state, viewer):
    n = np.int64(state.num_players)
    mover = np.int64(state.current_player)
    asked = mover if state.phase in (SETUP, PAIR) and mover != viewer and not state.terminated else NOBODY
    values, where = np.full(DECK_66, _NOWHERE, np.int64), np.full(DECK_66, _NOWHERE, np.int64)
    hidden = _Hidden(values, np.zeros(n, np.int64), np.zeros(_VALUES, np.int64), np.zeros(_VALUES, np.int64))
    before = gather(state, viewer, hidden)
    joker = hidden_joker(state, values) if asked != NOBODY and not knows_joker(state, viewer, asked) else np.int64(NO_CARD)
    if joker != NO_CARD:
        hidden.room[asked] -= 1
        hidden.left[values[joker]] -= 1
    seats = order_of_hands(hidden.room, before)
    table = ways_table(hidden.room, seats, hidden.left)
    for _ in range(_TRIES):
        deal_values(state, hidden, seats, table, joker, asked, where)
        if asked == NOBODY or is_taken(state, viewer, where, asked, joker):
            break
    write_hands(state, viewer, where)


@device_function
def gather(state, viewer, hidden):
    """Collect the hidden cards. Returns the seat in whose hand the viewer knows, or could know, cards."""
    n, apart = np.int64(state.num_players), jokers_must_pair(state)
    for seat in range(n):
        if seat == viewer:
            continue
        for k in range(np.int64(state.hand_size[seat])):
            card = np.int64(state.hand[seat, k])
            value = value_of(state, card)
            if value == JOKER and card != SMALL_JOKER and not apart:
                value += 1
            if state.known_by[card] == viewer:
                hidden.barred[value] = 1
            else:
                hidden.values[card] = value
                hidden.left[value] += 1
                hidden.room[seat] += 1
    before = viewer
    for k in range(1, n):
        before = (viewer + n - k) % n
        if state.hand_size[before] > 0:
            break
    return before


@device_function
def knows_joker(state, viewer, seat):
    """Whether the viewer knows the hand of a free Joker."""
    for k in range(np.int64(state.hand_size[seat])):
        card = np.int64(state.hand[seat, k])
        if is_joker(card) and state.known_by[card] == viewer:
            return True
    return False


@device_function
def hidden_joker(state, values):
    """A uniformly random hidden Joker; NO_CARD if there is none."""
    small, big = values[SMALL_JOKER] != _NOWHERE, values[SMALL_JOKER + 1] != _NOWHERE
    if small and big:
        return SMALL_JOKER + random_below(state, 2)
    return np.int64(SMALL_JOKER if small else SMALL_JOKER + 1 if big else NO_CARD)


@device_function
def order_of_hands(room, before):
    """The seats whose hands are dealt; the one from which values are barred comes first."""
    seats, count = np.zeros(MAX_PLAYERS, np.int64), 0
    for k in range(room.shape[0]):
        seat = (before + k) % room.shape[0]
        if room[seat] > 0 or k == 0:
            seats[count] = seat
            count += 1
    return seats[:count]


# --- counting ---
# `values_left[i]` is how many values have more than i cards left. A hand takes at most one card of a value, and takes[i]
# cards of values with i + 1 left lower values_left[i] by as many.


@device_function
def more_than(left):
    values_left = np.zeros(SUITS, np.int64)
    for value in range(_VALUES):
        for i in range(left[value]):
            values_left[i] += 1
    return values_left


@device_function
def ways_table(room, seats, left):
    """`table[k, values_left[3], values_left[2], values_left[1]]`: in how many ways the hands from the k-th on can be dealt what
    is left then."""
    most, count = more_than(left), seats.shape[0]
    table = np.zeros((count + 1, most[3] + 1, most[2] + 1, most[1] + 1), np.float64)
    table[count, 0, 0, 0] = 1
    values_left, free, takes = np.zeros(SUITS, np.int64), np.zeros(SUITS, np.int64), np.zeros(SUITS, np.int64)
    cards = np.int64(0)
    for k in range(count - 1, 0, -1):
        cards += room[seats[k]]
        hands = count - k
        for a in range(most[3] + 1 if hands > 3 else 1):
            for b in range(a, most[2] + 1 if hands > 2 else 1):
                for c in range(b, most[1] + 1 if hands > 1 else 1):
                    values_left[3], values_left[2], values_left[1] = a, b, c
                    values_left[0] = cards - a - b - c
                    if values_left[0] < c or values_left[0] > most[0]:
                        continue
                    free_values(values_left, free)
                    table[k, a, b, c] = try_takes(table, k + 1, room[seats[k]], values_left, free, takes, np.inf)
    return table


@device_function
def free_values(values_left, free):
    for i in range(SUITS):
        free[i] = values_left[i] - (values_left[i + 1] if i + 1 < SUITS else 0)


@device_function
def try_takes(table, following, need, values_left, free, takes, share):
    """Go through what a hand can take, `need` cards in all and at most free[i] of values with i + 1 left, until the ways add up
    to more than `share`; `takes` is then the last that was looked at. Returns the ways."""
    ways = 0.0
    for a in range(min(need, free[3]) + 1):
        for b in range(min(need - a, free[2]) + 1):
            for c in range(min(need - a - b, free[1]) + 1):
                d = need - a - b - c
                if d > free[0]:
                    continue
                rest = table[following, values_left[3] - a, values_left[2] - b, values_left[1] - c]
                if rest > 0:
                    takes[3], takes[2], takes[1], takes[0] = a, b, c, d
                    ways += _CHOOSE[free[3], a] * _CHOOSE[free[2], b] * _CHOOSE[free[1], c] * _CHOOSE[free[0], d] * rest
                    if ways > share:
                        return ways
    return ways


# --- dealing ---


@device_function
def deal_values(state, hidden, seats, table, joker, asked, where):
    """Fill `where` with the seat of each hidden card."""
    barred, rest, values_left = hidden.barred, hidden.left.copy(), more_than(hidden.left)
    free, takes, eligible = np.zeros(SUITS, np.int64), np.zeros(SUITS, np.int64), np.zeros(SUITS, np.int64)
    holders = np.zeros((_VALUES, SUITS), np.int64)  # of the cards of each value
    for k in range(seats.shape[0]):
        free_values(values_left, free)
        if k == 0:
            for value in range(_VALUES):
                if barred[value] and rest[value] > 0:
                    free[rest[value] - 1] -= 1
        takes[:] = 0
        total = try_takes(table, k + 1, hidden.room[seats[k]], values_left, free, takes, np.inf)
        bits = random_below(state, 1 << _HALF) << _HALF | random_below(state, 1 << _HALF)
        try_takes(table, k + 1, hidden.room[seats[k]], values_left, free, takes, bits / (1 << 2 * _HALF) * total)
        eligible[:] = free
        for i in range(SUITS):
            values_left[i] -= takes[i]
        for value in range(_VALUES):
            i = rest[value] - 1
            if i >= 0 and not (k == 0 and barred[value]):
                if random_below(state, eligible[i]) < takes[i]:
                    takes[i] -= 1
                    rest[value] = i
                    holders[value, i] = seats[k]
                eligible[i] -= 1
    rest[:] = hidden.left
    for card in range(DECK_66):  # which of its cards a hand has of a value
        value = hidden.values[card]
        if card == joker:
            where[card] = asked
        elif value != _NOWHERE:
            i = random_below(state, rest[value])
            where[card] = holders[value, i]
            rest[value] -= 1
            holders[value, i] = holders[value, rest[value]]


@device_function
def is_taken(state, viewer, where, asked, joker):
    """Whether who is asked about pairs can lay one; of two hidden Jokers in their hand, each was as likely put there."""
    wild, jokers = False, 0
    for card in range(DECK_66):
        if where[card] == asked:
            jokers += is_joker(card)
            wild = wild or is_wild_pair(state, card)
    hidden = jokers
    for k in range(np.int64(state.hand_size[asked])):
        card = np.int64(state.hand[asked, k])
        if state.known_by[card] == viewer:
            jokers += is_joker(card)
            wild = wild or is_wild_pair(state, card)
    if jokers == 0 or (jokers == 1 and not wild):
        return False
    return joker == NO_CARD or hidden < 2 or random_below(state, 2) == 0


@device_function
def card_drawn(state, viewer, where):
    """The last card of the mover's hand while it is not placed: whose was drawn knows it, others that it is none they know."""
    mover = np.int64(state.current_player)
    if not state.fresh or mover == viewer:
        return np.int64(NO_CARD)
    if state.drawn_from == viewer:
        return np.int64(state.hand[mover, np.int64(state.hand_size[mover]) - 1])
    count, drawn = 0, np.int64(NO_CARD)
    for card in range(DECK_66):
        if where[card] == mover:
            count += 1
            if random_below(state, count) == 0:
                drawn = np.int64(card)
    return drawn


@device_function
def write_hands(state, viewer, where):
    """Hands in ascending order or, where cards have positions, in any. What others know of one another's cards is forgotten,
    but for the card that was just drawn."""
    last = card_drawn(state, viewer, where)
    for seat in range(np.int64(state.num_players)):
        if seat == viewer:
            continue
        for k in range(np.int64(state.hand_size[seat])):
            card = np.int64(state.hand[seat, k])
            if state.known_by[card] == viewer:
                where[card] = seat
            else:
                state.known_by[card] = NOBODY
    for seat in range(np.int64(state.num_players)):
        if seat == viewer:
            continue
        size = 0
        for card in range(DECK_66):
            if where[card] == seat and card != last:
                state.hand[seat, size] = card
                size += 1
        if state.fan == ARRANGED:
            shuffle(state, state.hand[seat], size)
        if seat == state.current_player and last != NO_CARD:
            state.hand[seat, size] = last
            state.known_by[last] = state.drawn_from
