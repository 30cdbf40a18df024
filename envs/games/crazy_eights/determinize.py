"""Sampling of hidden cards.

The cards in the pile at each reshuffle are public, and so is the number that each player takes. Each hand therefore holds a
known number of hidden cards from each shuffle, and the cards are sampled for each shuffle separately. Cards of the first
shuffle that were put back at the start cannot be in hands of players who have taken none of it.
"""

from __future__ import annotations

import numpy as np

from ...core.cards import DECK_66
from ...core.extended.pile import pile_size
from ...core.extended.sets import FIRST_SPECIAL, add, has, is_special, remove
from ...core.hidden import deal_hidden
from ...core.jit import device_function
from ...core.rng import shuffle
from .state import MAX_PLAYERS

_PILE = MAX_PLAYERS  # the place after the hands
_PLACES = MAX_PLAYERS + 1
_NOWHERE = -1


@device_function
def determinize(state, viewer):
    place_of = np.full(DECK_66, _NOWHERE, np.int64)
    last = hide(state, viewer, place_of)
    cards, kinds, places = np.empty(DECK_66, np.int64), np.empty(DECK_66, np.int64), np.empty(DECK_66, np.int64)
    room, allowed = np.zeros(_PLACES, np.int64), np.empty(2, np.int64)
    allowed[0] = (1 << _PLACES) - 1
    allowed[1] = np.int64(state.taken) | 1 << _PILE | 1 << viewer
    position = np.int64(state.pile_at)
    for number in range(last + 1):
        count = 0
        for card in range(DECK_66):
            if place_of[card] != _NOWHERE and state.shuffled[card] == number:
                cards[count] = card
                kinds[count] = has(state.put_back, card)
                room[place_of[card]] += 1
                count += 1
        if count > 0:
            deal_hidden(state, kinds, count, room, allowed, places)
            for k in range(count):
                if places[k] == _PILE:
                    state.deck[position] = cards[k]
                    position += 1
                else:
                    add(state.hand[places[k]], cards[k])
    first = np.int64(state.pile_at)
    shuffle(state, state.deck[first:], position - first)


@device_function
def hide(state, viewer, place_of):
    """Take the hidden cards out of others' hands and the pile, and record the place of each. Returns the highest number of a
    shuffle."""
    last = 0
    for seat in range(np.int64(state.num_players)):
        if seat == viewer:
            continue
        staged_bits = np.int64(state.staged) if seat == state.turn else 0
        for card in range(DECK_66):
            staged = is_special(card) and staged_bits >> (card - FIRST_SPECIAL) & 1 != 0
            if has(state.hand[seat], card) and not staged:
                place_of[card] = seat
                remove(state.hand[seat], card)
                last = max(last, np.int64(state.shuffled[card]))
    first = np.int64(state.pile_at)
    for k in range(first, first + pile_size(state)):
        card = np.int64(state.deck[k])
        place_of[card] = _PILE
        last = max(last, np.int64(state.shuffled[card]))
    return last
