"""A hand that another might hold, of a player of whom it is known that he has melds: for determinize.py.

A pool is the first `count` of an array of ids; `room` is how many of them the hand takes yet, -1 once that has failed. `spare`
are cards known to be in the hand that no meld has used yet.
"""

from __future__ import annotations

import numpy as np

from ...core.bits import highest_bit, lowest_bit
from ...core.extended.sets import ONE, ZERO, id_at
from ...core.kernel import kernel
from ...core.rng import random_below
from .contracts import GROUPS
from .hands import JOKER, add, card_of, count_of, face_of, jokers_of, remove, size_of
from .melding import contract_size, deal_number, fits_on, rules_row
from .melds import ACE_HIGH, GROUP, GROUP_LAID, LONGEST, RULES, RUN, SHORTEST
from .state import COMPOSE, CONTRACT, DEALS, DEFENCE_LAYOFFS, DEFENCE_MELDS, GIN, JOKERS, LAY_CARD, ONCE

_FAILED = np.int64(-1)
_RANKS, _KINDS = 13, 16  # of groups, without and with specials
_ACE, _HIGH_ACE = 12, 13
_MOST_MELDS = 3  # that are drawn for a hand
_CHEAP = 3  # of so many cards the cheapest is drawn, where a hand counts little


@kernel
def draw_any(state, pool, count, hand, among):
    """A card of the pool comes into a hand: of so many drawn the cheapest. Returns how many are left in the pool."""
    best = random_below(state, count)
    for _ in range(among - 1):
        other = random_below(state, count)
        if cost(pool[other]) < cost(pool[best]):
            best = other
    add(hand, pool[best])
    pool[best] = pool[count - 1]
    return count - 1


@kernel
def cost(card):
    """How dear a card is in gin, an ace the cheapest."""
    rank = card >> 2
    return 0 if rank == _ACE else min(rank + 1, 9)


@kernel
def fetch(pool, count, room, hand, spare, face):
    """A card of a face for a meld, one known to be in the hand or else of the pool."""
    if count_of(spare, face) > 0:
        remove(spare, card_of(spare, face))
        return count, room
    if room > 0:
        for k in range(count):
            if face_of(pool[k]) == face:
                add(hand, pool[k])
                pool[k] = pool[count - 1]
                return count - 1, room - 1
    return count, _FAILED


@kernel
def draw_hand(state, seat, pool, count, room, hand, spare):
    """Draw what the player must hold to be asked what he is asked."""
    phase = np.int64(state.phase)
    if phase == LAY_CARD:
        for _ in range(2):
            count, room = draw_fitting(state, np.int64(state.slot), pool, count, room, hand, spare)
        return count, room
    if phase == DEFENCE_LAYOFFS:
        return draw_fitting(state, random_below(state, np.int64(state.melds)), pool, count, room, hand, spare)
    number = np.int64(1)
    if state.variant == CONTRACT:
        number = contract_size(state) - np.int64(state.contract_melds)
    elif state.variant == GIN and phase != DEFENCE_MELDS and state.knocker != 1 - seat:
        number = 1 + random_below(state, _MOST_MELDS)
    for k in range(number):
        count, room = draw_meld(state, k, number, pool, count, room, hand, spare)
        if room < 0:
            break
    return count, room


@kernel
def draw_fitting(state, slot, pool, count, room, hand, spare):
    """A card that may be laid off on a meld."""
    faces, joker = fits_on(state, slot)
    first = random_below(state, 64)
    if room < 0:
        return count, room
    for k in range(64):
        bit = ONE << np.uint64((first + k) & 63)
        if faces & bit != ZERO:
            left, after = fetch(pool, count, room, hand, spare, id_at((first + k) & 63))
            if after >= 0:
                return left, after
    if joker:
        return fetch(pool, count, room, hand, spare, JOKER)
    return count, _FAILED


@kernel
def draw_meld(state, k, number, pool, count, room, hand, spare):
    """The k-th of so many melds; the first holds what is composed."""
    rules = rules_row(state)
    sofar = np.zeros(3, np.uint64)
    if k == 0 and state.phase == COMPOSE:
        sofar[:] = state.composition
    kind = random_below(state, 2)
    if state.variant == CONTRACT:
        kind = GROUP if np.int64(state.contract_melds) + k < GROUPS[deal_number(state)] else RUN
    anchor = place_to_begin(state, sofar, spare)
    if kind == GROUP:
        most = RULES[rules, GROUP_LAID]
        size = max(3 + random_below(state, most - 2), size_of(sofar))
        return draw_group(state, anchor, size, sofar, pool, count, room, hand, spare)
    size = np.int64(RULES[rules, SHORTEST])
    longest = np.int64(RULES[rules, LONGEST])
    if state.variant == CONTRACT and deal_number(state) == DEALS:  # RM-44: the melds take all cards
        left = size_of(sofar) + size_of(spare) + room - size * (number - 1)
        size = left if k == number - 1 else size + random_below(state, max(left - size, 0) + 1)
    else:
        size += random_below(state, min(longest - size, 2) + 1)
    size = max(size, size_of(sofar))
    if size > 13:
        return count, _FAILED
    return draw_run(state, anchor, size, RULES[rules, ACE_HIGH], sofar, pool, count, room, hand, spare)


@kernel
def place_to_begin(state, sofar, spare):
    """The place of a card to draw a meld around: of what is composed, often of a known card, or any."""
    if sofar[ONCE] != ZERO:
        return highest_bit(sofar[ONCE])
    if spare[ONCE] != ZERO and random_below(state, 2) == 0:
        bits = spare[ONCE]
        for _ in range(random_below(state, size_of(spare))):
            if bits & (bits - ONE) != ZERO:
                bits &= bits - ONE
        return lowest_bit(bits)
    return random_below(state, 4 * (_RANKS if state.standard else _KINDS))


@kernel
def draw_group(state, anchor, size, sofar, pool, count, room, hand, spare):
    """Cards for a group of the rank of a place; they are added in ascending order, after those there are."""
    rank, need = anchor >> 2, size - size_of(sofar)
    first = random_below(state, 4)
    for k in range(4):
        place = 4 * rank + ((first + k) & 3)
        if need > 0 and sofar[JOKERS] == ZERO and (sofar[ONCE] == ZERO or place > anchor):
            left, after = fetch(pool, count, room, hand, spare, id_at(place))
            if after >= 0:
                count, room, need = left, after, need - 1
    for _ in range(need):
        if room < 0 or rank >= _RANKS:
            return count, _FAILED
        count, room = fetch(pool, count, room, hand, spare, JOKER)
    return count, room


@kernel
def draw_run(state, anchor, size, ace_high, sofar, pool, count, room, hand, spare):
    """Cards for a run of the suit of a place, with that card in it."""
    suit, rank = anchor & 3, anchor >> 2
    if rank >= _RANKS:
        return count, _FAILED
    at = rank + 1  # positions: the ace 0, 2 to King 1 to 12, the ace 13
    if rank == _ACE and (ace_high == 0 or random_below(state, 2) == 0):
        at = np.int64(0)
    low, high = max(at - size + 1, 0), min(at, 13 + ace_high - size)
    if low > high:
        return count, _FAILED
    start = low + random_below(state, high - low + 1)
    held, wild = np.int64(0), jokers_of(sofar)
    for position in range(start, start + size):
        place = 4 * ((position + _ACE) % 13) + suit
        if sofar[ONCE] >> np.uint64(place) & ONE != ZERO:
            held += 1
            continue
        left, after = count, _FAILED
        if sofar[JOKERS] == ZERO and (sofar[ONCE] == ZERO or place > anchor):
            left, after = fetch(pool, count, room, hand, spare, id_at(place))
        if after >= 0:
            count, room = left, after
        elif wild > 0:
            wild -= 1
        else:
            count, room = fetch(pool, count, room, hand, spare, JOKER)
            if room < 0:
                return count, room
    if wild > 0 or held != size_of(sofar) - jokers_of(sofar):
        return count, _FAILED
    return count, room
