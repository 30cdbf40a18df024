"""Sampling of hidden cards: hands, pile, and the cards that others exchanged.

Besides its own cards, a seat knows the cards that it gave, in the receiver's hand, and, if it received the best cards of
another (PR-40), that the rest of that hand was not better. Others' gifts, plays and passes are not used.
"""

from __future__ import annotations

import math

import numpy as np

from ...core.cards import DECK_66, STANDARD
from ...core.extended.hidden import deal_gathered, gather_hidden, random_card
from ...core.extended.sets import ZERO, add, has, remove, size_of
from ...core.hidden import pick
from ...core.jit import device_function
from ...core.rng import shuffle
from .exchange import cards_exchanged, exchanges, give_best, giver_of, move_card, receiver_of
from .rules import first_seat
from .state import EXCHANGE, MAX_PLAYERS
from .table import WORTH, best_card

_CHOOSE = np.array([[math.comb(cards, taken) for taken in range(DECK_66 + 1)] for cards in range(DECK_66 + 1)], np.float64)


@device_function
def determinize(state, viewer):
    n = np.int64(state.num_players)
    known, hidden = np.zeros((MAX_PLAYERS, 2), np.uint64), np.zeros(2, np.uint64)
    room, returned = np.zeros(n + 1, np.int64), np.zeros(MAX_PLAYERS, np.int64)
    for pair in range(exchanges(state)):
        above, below = receiver_of(state, pair), giver_of(state, pair)
        for word in range(2):
            if viewer == below:
                known[above, word] |= state.given[below, word] & state.hand[above, word]
            elif viewer == above:
                known[below, word] |= state.given[above, word] & state.hand[below, word]
    gather_hidden(state, viewer, known, hidden, room)
    for pair in range(exchanges(state)):
        above, below = receiver_of(state, pair), giver_of(state, pair)
        if viewer == above:
            deal_worse(state, above, below, hidden, room)
        elif viewer != below and state.phase == EXCHANGE:
            returned[pair] = size_of(state.given[above])
            room[above] += returned[pair] - cards_exchanged(state, pair)
            room[below] -= returned[pair] - cards_exchanged(state, pair)
    deal_gathered(state, viewer, hidden, room, np.zeros(2, np.uint64))
    for pair in range(exchanges(state)):
        above, below = receiver_of(state, pair), giver_of(state, pair)
        if viewer != above and viewer != below:
            if state.phase == EXCHANGE:
                exchange_again(state, above, below, cards_exchanged(state, pair), returned[pair])
            else:
                redraw_exchange(state, above, below)


# --- the giver of the best cards ---


@device_function
def worst_given(state, seat):
    """The worth of the worst card that a seat had to give."""
    worst = np.int64(3 * DECK_66)
    for card in range(DECK_66):
        if has(state.given[seat], card):
            worst = min(worst, WORTH[np.int64(state.twos_high), card])
    return worst


@device_function
def deal_worse(state, above, below, hidden, room):
    """Deal the hidden cards of the giver of the best cards. All are worse than these, except cards taken since.

    The number of better cards is drawn in proportion to the number of ways, as if all cards had been taken before any were
    played, which is exact while none have been taken.
    """
    limit, need = worst_given(state, below), room[below]
    better, worse = np.empty(DECK_66, np.int64), np.empty(DECK_66, np.int64)
    high, low = 0, 0
    for card in range(DECK_66):
        if has(hidden, card):
            if WORTH[np.int64(state.twos_high), card] > limit:
                better[high] = card
                high += 1
            else:
                worse[low] = card
                low += 1
    taken = np.int64(state.taken[below]) - better_cards(state, state.played[below], above, limit)
    others = had_at_first(state, below) + taken
    least, most = max(0, need - low), min(taken, min(need, high))
    weights = np.zeros(DECK_66, np.float64)
    for count in range(least, most + 1):
        weights[count - least] = _CHOOSE[high, count] * _CHOOSE[low, need - count] * _CHOOSE[others - count, taken - count]
    count = least + pick(state, weights, max(1, most + 1 - least))
    take_some(state, below, better, high, count, hidden)
    take_some(state, below, worse, low, need - count, hidden)
    room[below] = 0


@device_function
def better_cards(state, cards, above, limit):
    """The number of cards in a set worth more than the limit, except those given back."""
    count = 0
    for card in range(DECK_66):
        if has(cards, card) and not has(state.given[above], card) and WORTH[np.int64(state.twos_high), card] > limit:
            count += 1
    return count


@device_function
def had_at_first(state, seat):
    """The number of cards dealt to a player and not given away."""
    n = np.int64(state.num_players)
    dealt = np.int64(state.pile_end) if state.deals_all else np.int64(STANDARD)
    return (dealt + n - 1 - (seat - first_seat(state)) % n) // n - size_of(state.given[seat])


@device_function
def take_some(state, seat, cards, size, count, hidden):
    """Deal `count` cards of a list to a seat."""
    shuffle(state, cards, size)
    for k in range(count):
        add(state.hand[seat], cards[k])
        remove(hidden, cards[k])


# --- exchanges between others ---


@device_function
def exchange_again(state, above, below, count, returned):
    """Sample an unfinished exchange, from the hands before it: any cards may have been given back."""
    for seat in (above, below):
        for word in range(2):
            state.given[seat, word] = ZERO
    give_best(state, below, above, count)
    for _ in range(returned):
        move_card(state, above, below, random_card(state, state.hand[above]))


@device_function
def redraw_exchange(state, above, below):
    """Sample a finished exchange, about which the present hands reveal nothing: the best cards may have been given back. Cards
    that may have been exchanged are drawn."""
    returned, count = size_of(state.given[above]), size_of(state.given[below])
    kept, best = np.zeros(2, np.uint64), np.zeros(2, np.uint64)
    for word in range(2):
        kept[word] = state.hand[below, word] | state.played[below, word]
        best[word] = state.hand[above, word] | state.played[above, word]
        state.given[above, word] = ZERO
        state.given[below, word] = ZERO
    for _ in range(returned):
        card = random_card(state, kept)
        remove(kept, card)
        add(best, card)
        add(state.given[above], card)
    limit = WORTH[np.int64(state.twos_high), best_card(kept, state.twos_high)]
    for card in range(DECK_66):
        if has(best, card) and WORTH[np.int64(state.twos_high), card] < limit:
            remove(best, card)
    if size_of(best) >= count:
        for _ in range(count):
            card = random_card(state, best)
            remove(best, card)
            add(state.given[below], card)
        return
    for word in range(2):
        kept[word] |= state.given[above, word]
        state.given[above, word] = ZERO
    for _ in range(count):
        card = best_card(kept, state.twos_high)
        remove(kept, card)
        add(state.given[below], card)
        add(state.given[above], card)
