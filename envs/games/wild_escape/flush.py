"""The highest flush that given cards can be part of. Counts of one suit by rank in the order of WE-04, four bits a rank, 2
(or 3) the lowest, the trump rank on top; of two flushes the higher one, compared card by card, is the greater number (WE-09).
"""

from __future__ import annotations

import numpy as np

from ...core.cards import RANKS, STANDARD, SUITS
from ...core.compare.wild_escape import ranks_present, straight_top
from ...core.jit import device_function
from .state import LOWEST_LEVEL

_TRUMP_PLACE = RANKS - 1
_MOST_WILDS = 2


@device_function
def place_of(rank, trump):
    """Place 0..12 of an ordinary rank in the order of WE-04."""
    trump_rank = np.int64(trump) - LOWEST_LEVEL
    if rank == trump_rank:
        return np.int64(_TRUMP_PLACE)
    return np.int64(rank) - np.int64(rank > trump_rank)


@device_function
def natural_order(counts, trump):
    """Counts in the order of WE-04 as counts by rank."""
    place = 4 * (np.int64(trump) - LOWEST_LEVEL)
    below = (np.int64(1) << place) - 1
    rest = counts & ((np.int64(1) << (4 * _TRUMP_PLACE)) - 1)
    return (rest & below) | ((rest & ~below) << 4) | ((counts >> (4 * _TRUMP_PLACE)) << place)


@device_function
def flush_of(cards, size, trump):
    """The counts of a flush that was played; wilds are cards of the trump rank (WE-11)."""
    counts = np.int64(0)
    for k in range(size):
        card = np.int64(cards[k])
        place = place_of(card // SUITS, trump) if card < STANDARD else np.int64(_TRUMP_PLACE)
        counts += np.int64(1) << (4 * place)
    return counts


@device_function
def is_flush(counts, trump):
    """Whether three to five ordinary cards of a suit, wilds filling up to five, are worth a flush: of two ranks they are worth
    a full house or more, and different ranks that fit in a straight are worth a straight flush."""
    ranks = ranks_present(counts)
    if ranks & (ranks - 1) == 0:
        return False
    others = ranks & (ranks - 1)
    if others & (others - 1) == 0:
        return False
    return counts != ranks or straight_top(natural_order(ranks, trump)) == 0


@device_function
def best_flush(held, pool, room, wilds, rank, trump):
    """The highest flush whose highest card is of `rank`, made of the cards `held`, and `room` more of `pool` and `wilds`.

    held, pool: counts in the order of WE-04. Returns the flush so, wilds as trump cards; -1 if there is none.
    """
    top = place_of(rank, trump)
    if held >> (4 * top + 4):
        return np.int64(-1)
    if top < _TRUMP_PLACE:  # a wild would be higher
        return _best_of_suit(held, pool, room, top, trump)
    best = np.int64(-1)
    for used in range(min(wilds, room, np.int64(_MOST_WILDS)) + 1):
        flush = _best_of_suit(held, pool, room - used, np.int64(-1 if used else top), trump)
        if flush >= 0:
            best = max(best, flush + (np.int64(used) << (4 * _TRUMP_PLACE)))
    return best


@device_function
def _best_of_suit(held, pool, room, top, trump):
    """Without wilds: the highest flush with `room` cards of `pool`; its highest card at the place `top` (-1: anywhere).

    Cards are tried from the highest down, copies one after another, so that the first flush found is the highest.
    """
    highest = top if top >= 0 else np.int64(_TRUMP_PLACE)
    pool &= (np.int64(16) << (4 * highest)) - 1
    open_top = top >= 0 and (held >> (4 * highest)) & 15 == 0  # the highest card is still to come
    if room == 0:
        return held if not open_top and is_flush(held, trump) else np.int64(-1)
    counts, left, depth, places, place = held, pool, np.int64(0), np.int64(0), highest
    while True:
        lowest = highest if open_top and depth == 0 else np.int64(0)
        while place >= lowest and (left >> (4 * place)) & 15 == 0:
            place -= 1
        if place >= lowest:
            one = np.int64(1) << (4 * place)
            counts += one
            left -= one
            places = (places << 4) | place
            depth += 1
            if depth < room:
                continue
            if is_flush(counts, trump):
                return counts
        if depth == 0:
            return np.int64(-1)
        place = places & 15  # without this card: the next lower one in its place
        places >>= 4
        depth -= 1
        one = np.int64(1) << (4 * place)
        counts -= one
        left += one
        place -= 1
