"""Dealing hidden cards again, for `determinize`: to places of so much room each, of which some cannot hold some kinds of card.

A kind is what is known of places: a suit, say, that a player has not followed. Places and kinds are small numbers, and what is
true of places is kept as bits. All ways that are left are equally likely: they are counted, not tried out, so the work is
bounded whatever the bars are.
"""

from __future__ import annotations

import math

import numpy as np

from .cards import DECK_66
from .jit import device_function
from .rng import random_below, shuffle

_CHOOSE = np.array([[math.comb(cards, taken) for taken in range(DECK_66 + 1)] for cards in range(DECK_66 + 1)], np.float64)
_HALF = 26  # of the bits of a random share


@device_function
def place_with_room(state, room, allowed):
    """One of the places `allowed`, as bits, every free slot in them being as likely. There must be one."""
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
    """Deal `count` cards at random to places, each way being as likely. Where there is none at all, some bars are ignored.

    Each place that is barred from some kind takes its cards first, so many of each as drawn by the number of ways to go on;
    the others share what is left.

    Args:
        kinds: int64, the kind of each card. The order must not depend on where the cards are.
        room: int64, free slots of each place, `count` in all; zero afterwards.
        allowed: int64, of each kind the places that can hold it, as bits.
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
    """In how many ways `left` cards of each kind can be dealt to places as in `deal_hidden`: a float64, 0 if there is none."""
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


# --- places that are barred from a kind ---
# They are numbered 0, 1, ... A card's mark says, as bits, which of them cannot hold it; `table[k]` counts the cards that the
# places before k have left over by marks, in which the bits of these places are shifted out.


@device_function
def barred_places(left, room, allowed):
    """The places with room that cannot hold some card."""
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
    """Draw how many cards of each mark a place takes; `table[place + 1]` is what it leaves over.

    The marks 2 s and 2 s + 1, which the place can hold and cannot, are one mark s to those after it.
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
    """In how many ways a place can take `need` more cards, of the marks from 2 s on, and those after it all of theirs.

    Depth first over the numbers taken of each mark, the last of a place being what it still needs. A level of the search is a
    place and a mark. (A function that calls itself would be shorter, but crashes when it comes from numba's cache.)
    """
    last = rooms.shape[0] - 1
    if place == last:
        return _CHOOSE[table[place, 0], need]
    levels = 1 << (last + 1)  # more than there are
    number, needed, ways = np.empty(levels, np.int64), np.empty(levels, np.int64), np.empty(levels, np.float64)
    level, total = 0, 0.0
    needed[0], ways[0] = need, 1.0
    number[0] = first_number(table, rooms, place, s, need)
    while level >= 0:
        if number[level] > min(needed[level], table[place, 2 * s]):  # back to the level before
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
    """The least that a place takes of a mark, of its last one all it needs."""
    return need if s == (1 << (rooms.shape[0] - 1 - place)) - 1 else np.int64(0)


@device_function
def pick(state, weights, count):
    """One of 0..count-1, as likely as its weight (float64, not negative) says; 0 if all are 0."""
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
