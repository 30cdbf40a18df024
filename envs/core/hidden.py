"""Sampling of hidden cards for `determinize`: deal cards to places with limited room, some of which cannot hold some kinds of
card.

Cards of one kind are barred from the same places: for example, the cards of a suit that a player failed to follow. Places and
kinds are small integers, and sets of places are bits. Samples are uniform over all consistent deals. The deals are counted, not
tried by rejection, so the work is bounded whatever the constraints are.
"""

from __future__ import annotations

import math

import numpy as np

from .cards import DECK_66
from .jit import device_function
from .rng import random_below, shuffle

_CHOOSE = np.array([[math.comb(cards, taken) for taken in range(DECK_66 + 1)] for cards in range(DECK_66 + 1)], np.float64)
_HALF = 26  # bits of a random share


@device_function
def place_with_room(state, room, allowed):
    """One of the places `allowed` (bits), chosen in proportion to its free slots. At least one must be free."""
    slots = np.int64(0)
    for place in range(room.shape[0]):
        if allowed >> place & 1:
            slots += room[place]
    left = random_below(state, slots)
    for place in range(room.shape[0]):
        if allowed >> place & 1:
            left -= room[place]
            if left < 0:
                return np.int64(place)
    return np.int64(0)


@device_function
def deal_hidden(state, kinds, count, room, allowed, places):
    """Deal `count` cards to places, uniformly among all consistent deals. If there is none, some bars are ignored.

    Places barred from some kind take their cards first; the number of each kind is drawn in proportion to the number of
    completions. The other places share the rest.

    Args:
        kinds: int64, the kind of each card. The order must not depend on the true places of the cards.
        room: int64, the free slots of each place, `count` in total; zero afterwards.
        allowed: int64, the places (bits) that can hold each kind.
        places: int64, filled with the place of each card.
    """
    left, rest, size = np.zeros(allowed.shape[0], np.int64), np.empty(count, np.int64), 0
    for k in range(count):
        places[k] = -1
        left[kinds[k]] += 1
    closed = barred_places(left, room, allowed)
    if closed.shape[0] > 0:
        deal_barred(state, kinds, count, room, allowed, closed, left, places)
    for k in range(count):
        if places[k] < 0:
            rest[size] = k
            size += 1
    shuffle(state, rest, size)
    place = 0
    for k in range(size):
        while room[place] == 0 and place < room.shape[0] - 1:
            place += 1
        places[rest[k]] = place
        room[place] -= 1


@device_function
def deal_barred(state, kinds, count, room, allowed, closed, left, places):
    rooms, marks = rooms_of(room, closed), marks_of(allowed, closed)
    table, taken = table_of(left, marks, closed.shape[0]), np.empty(1 << closed.shape[0], np.int64)
    for number in range(closed.shape[0]):
        draw_numbers(state, table, rooms, number, taken)
        for k in range(count):
            mark = marks[kinds[k]] >> number
            if places[k] < 0 and mark & 1 == 0:
                if random_below(state, table[number, mark]) < taken[mark >> 1]:
                    taken[mark >> 1] -= 1
                    places[k] = closed[number]
                    room[closed[number]] -= 1
                table[number, mark] -= 1


@device_function
def ways_to_deal(left, room, allowed):
    """The number of ways to deal `left` cards of each kind to places as in `deal_hidden`: a float64, 0 if there is none."""
    closed = barred_places(left, room, allowed)
    rooms, free, ways = rooms_of(room, closed), np.int64(0), 1.0
    for kind in range(left.shape[0]):
        free += left[kind]
    if rooms.shape[0] > 0:
        table = table_of(left, marks_of(allowed, closed), closed.shape[0])
        ways = ways_to_go_on(table, rooms, 0, 0, rooms[0])
    barred = 0
    for k in range(rooms.shape[0]):
        free -= rooms[k]
        barred |= 1 << closed[k]
    for place in range(room.shape[0]):
        if barred >> place & 1 == 0:
            ways *= _CHOOSE[free, room[place]]
            free -= room[place]
    return ways


# --- places barred from some kind ---
# They are numbered 0, 1, ... The mark of a card has a bit for each of them that cannot hold it. `table[k]` counts the cards
# that the places before k leave over, by mark with the bits of these places shifted out.


@device_function
def barred_places(left, room, allowed):
    """The places with room that cannot hold some of the cards."""
    closed, count = np.empty(room.shape[0], np.int64), 0
    for place in range(room.shape[0]):
        barred = False
        for kind in range(left.shape[0]):
            if left[kind] > 0 and allowed[kind] >> place & 1 == 0:
                barred = True
        if barred and room[place] > 0:
            closed[count] = place
            count += 1
    return closed[:count]


@device_function
def rooms_of(room, closed):
    rooms = np.empty(closed.shape[0], np.int64)
    for k in range(closed.shape[0]):
        rooms[k] = room[closed[k]]
    return rooms


@device_function
def marks_of(allowed, closed):
    """The mark of each kind."""
    marks = np.zeros(allowed.shape[0], np.int64)
    for kind in range(allowed.shape[0]):
        for k in range(closed.shape[0]):
            if allowed[kind] >> closed[k] & 1 == 0:
                marks[kind] |= 1 << k
    return marks


@device_function
def table_of(left, marks, closed):
    table = np.zeros((closed + 1, 1 << closed), np.int64)
    for kind in range(left.shape[0]):
        table[0, marks[kind]] += left[kind]
    return table


@device_function
def draw_numbers(state, table, rooms, place, taken):
    """Draw how many cards of each mark a place takes; `table[place + 1]` counts the cards it leaves over.

    The marks 2 s (which the place can hold) and 2 s + 1 (which it cannot) become one mark s for the places after it.
    """
    need, weights = rooms[place], np.empty(rooms[place] + 1, np.float64)
    pairs = 1 << (rooms.shape[0] - 1 - place)
    for s in range(pairs):
        most = min(need, table[place, 2 * s])
        taken[s] = most
        if most > 0 and s < pairs - 1:
            for number in range(most + 1):
                leave(table, place, s, number)
                ways = ways_to_go_on(table, rooms, place, s + 1, need - number)
                weights[number] = _CHOOSE[table[place, 2 * s], number] * ways
            taken[s] = pick(state, weights, most + 1)
        leave(table, place, s, taken[s])
        need -= taken[s]


@device_function
def leave(table, place, s, taken):
    table[place + 1, s] = table[place, 2 * s] - taken + table[place, 2 * s + 1]


@device_function
def ways_to_go_on(table, rooms, place, s, need):
    """The number of ways in which a place can take `need` more cards of the marks from 2 s on, and the places after it all of
    theirs.

    A depth-first search over the number of cards taken of each mark; the number for the last mark of a place is what it still
    needs. A level of the search is a place and a mark. (A recursive function would be shorter, but crashes when loaded from
    numba's cache.)
    """
    last = rooms.shape[0] - 1
    if place == last:
        return _CHOOSE[table[place, 0], need]
    levels = 1 << (last + 1)  # more than needed
    number, needed, ways = np.empty(levels, np.int64), np.empty(levels, np.int64), np.empty(levels, np.float64)
    level, total = 0, 0.0
    needed[0], ways[0] = need, 1.0
    number[0] = first_number(table, rooms, place, s, need)
    while level >= 0:
        if number[level] > min(needed[level], table[place, 2 * s]):  # return to the previous level
            level -= 1
            s -= 1
            if s < 0:
                place -= 1
                s = (1 << (last - place)) - 1
            if level >= 0:
                number[level] += 1
            continue
        leave(table, place, s, number[level])
        sofar, left = ways[level] * _CHOOSE[table[place, 2 * s], number[level]], needed[level] - number[level]
        s += 1
        if s == 1 << (last - place):
            place, s, left = place + 1, 0, rooms[place + 1]
        if place == last:
            total += sofar * _CHOOSE[table[place, 0], left]
            place -= 1
            s = (1 << (last - place)) - 1
            number[level] += 1
        else:
            level += 1
            needed[level], ways[level] = left, sofar
            number[level] = first_number(table, rooms, place, s, left)
    return total


@device_function
def first_number(table, rooms, place, s, need):
    """The least number of cards that a place takes of a mark; for its last mark, all it needs."""
    return need if s == (1 << (rooms.shape[0] - 1 - place)) - 1 else np.int64(0)


@device_function
def pick(state, weights, count):
    """One of 0..count-1, drawn in proportion to its weight (float64, not negative); 0 if all weights are 0."""
    total = 0.0
    for k in range(count):
        total += weights[k]
    bits = random_below(state, 1 << _HALF) << _HALF | random_below(state, 1 << _HALF)
    point, picked = bits / (1 << 2 * _HALF) * total, np.int64(0)
    for k in range(count):
        if weights[k] > 0:
            picked = np.int64(k)
            if point < weights[k]:
                break
            point -= weights[k]
    return picked
