"""Dealing hidden cards again, for `determinize`: to places of so much room each, of which some cannot hold some kinds of card.

A kind is what is known of places: a suit, say, that a player has not followed. Places and kinds are small numbers, and what is
true of places is kept as bits.
"""

from __future__ import annotations

import numpy as np

from .kernel import kernel
from .rng import random_below

_SWAPS = 12  # tried for each card


@kernel
def place_with_room(state, room, allowed):
    """One of the places `allowed`, as bits, every free slot in them being as likely. There must be one."""
    slots = np.int64(0)
    for place in range(room.shape[0]):
        if allowed >> place & 1:
            slots += room[place]
    left, place = random_below(state, slots), np.int64(-1)
    while left >= 0:
        place += 1
        if allowed >> place & 1:
            left -= room[place]
    return place


@kernel
def deal_hidden(state, kinds, count, room, allowed, places):
    """Deal `count` cards at random to places; it never fails where there is a way at all.

    Without bars all ways are as likely. With some, the cards are dealt one by one so that the rest still fits, and then
    exchanged in pairs at random, which makes all ways that lead to one another about as likely.

    Args:
        kinds: int64, the kind of each card. The order must not depend on where the cards are.
        room: int64, free slots of each place, `count` in all; zero afterwards.
        allowed: int64, of each kind the places that can hold it, as bits.
        places: int64, filled with the place of each card.
    """
    everywhere = (1 << room.shape[0]) - 1
    left = np.zeros(allowed.shape[0], np.int64)  # cards of each kind that are still to be dealt and cannot go everywhere
    barred = False
    for k in range(count):
        if allowed[kinds[k]] != everywhere:
            left[kinds[k]] += 1
            barred = True
    for k in range(count):
        kind = kinds[k]
        if allowed[kind] != everywhere:
            left[kind] -= 1
            places[k] = fitting_place(state, left, room, allowed, kind)
    for k in range(count):
        if allowed[kinds[k]] == everywhere:
            places[k] = place_with_room(state, room, everywhere)
            room[places[k]] -= 1
    if barred:
        swap_places(state, kinds, count, allowed, places)


@kernel
def fitting_place(state, left, room, allowed, kind):
    """A random place for a card, such that the others fit afterwards; it has one slot less then."""
    choices = allowed[kind]
    while True:
        place = place_with_room(state, room, choices)
        room[place] -= 1
        if all_fit(left, room, allowed):
            return place
        room[place] += 1
        choices &= ~(1 << place)


@kernel
def all_fit(left, room, allowed):
    """Whether the cards left fit: any set of kinds must find as many slots as it has cards (Hall's theorem)."""
    for chosen in range(1, 1 << left.shape[0]):
        cards, places, slots = np.int64(0), np.int64(0), np.int64(0)
        for kind in range(left.shape[0]):
            if chosen >> kind & 1 and left[kind] > 0:
                cards += left[kind]
                places |= allowed[kind]
        for place in range(room.shape[0]):
            if places >> place & 1:
                slots += room[place]
        if cards > slots:
            return False
    return True


@kernel
def swap_places(state, kinds, count, allowed, places):
    for _ in range(_SWAPS * count):
        one, other = random_below(state, count), random_below(state, count)
        if allowed[kinds[one]] >> places[other] & 1 and allowed[kinds[other]] >> places[one] & 1:
            place = places[one]
            places[one] = places[other]
            places[other] = place
