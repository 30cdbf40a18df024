"""Sampling of the cards that a seat cannot know: the hidden hands, and the pile."""

from __future__ import annotations

import numpy as np

from ..cards import DECK_66, SUITS
from ..hidden import deal_hidden, ways_to_deal
from ..jit import device_function
from ..rng import random_below, shuffle
from .pile import pile_size
from .sets import AT_SPECIALS, NO_CARD, NO_SUIT, SUIT, add, has, size_of

_KINDS = SUITS + 1  # the suits, and Jokers, which have none


@device_function
def redraw_hidden(state, viewer, known):
    """Deal the hidden cards of all hands but the viewer's, and the pile, again; no hand gets a suit that it is known to lack.

    Args:
        known: uint64 [seats, 2], sets of cards that the viewer knows to be in a hand (given by them, or visible), which
            therefore stay. Staged cards are added.
    """
    n = np.int64(state.num_players)
    room, hidden = np.zeros(n + 1, np.int64), np.zeros(2, np.uint64)
    gather_hidden(state, viewer, known, hidden, room)
    deal_gathered(state, viewer, hidden, room, np.zeros(2, np.uint64))


@device_function
def gather_hidden(state, viewer, known, hidden, room):
    """Move the hidden cards of the hands and the pile into the set `hidden`, and store the room that they leave: of each hand,
    then of the pile."""
    n = np.int64(state.num_players)
    if state.staged > 0:
        known[np.int64(state.turn), 0] |= np.uint64(state.staged) << AT_SPECIALS
    for seat in range(n):
        if seat != viewer:
            before = size_of(state.hand[seat])
            for word in range(2):
                hidden[word] |= state.hand[seat, word] & ~known[seat, word]
                state.hand[seat, word] &= known[seat, word]
            room[seat] = before - size_of(state.hand[seat])
    first, size = np.int64(state.pile_at), pile_size(state)
    for k in range(first, first + size):
        add(hidden, np.int64(state.deck[k]))
    room[n] = size


@device_function
def deal_gathered(state, viewer, hidden, room, pile):
    """Deal the set `hidden` into the free room; `pile` has cards that are already in the pile."""
    n = np.int64(state.num_players)
    cards, kinds, places = np.empty(DECK_66, np.int64), np.empty(DECK_66, np.int64), np.empty(DECK_66, np.int64)
    count = 0
    for card in range(DECK_66):
        if has(hidden, card):
            cards[count] = card
            kinds[count] = kind_of_card(card)
            count += 1
    deal_hidden(state, kinds, count, room, allowed_places(state, viewer), places)
    for k in range(count):
        if places[k] == n:
            add(pile, cards[k])
        else:
            add(state.hand[places[k]], cards[k])
    lay_pile(state, pile)


@device_function
def lay_pile(state, cards):
    """Make a set of cards the pile, in random order."""
    first, position = np.int64(state.pile_at), np.int64(state.pile_at)
    for card in range(DECK_66):
        if has(cards, card):
            state.deck[position] = card
            position += 1
    shuffle(state, state.deck[first:], position - first)


@device_function
def ways_to_deal_gathered(state, viewer, hidden, room):
    """The number of ways in which `deal_gathered` can deal: a float64."""
    left = np.zeros(_KINDS, np.int64)
    for card in range(DECK_66):
        if has(hidden, card):
            left[kind_of_card(card)] += 1
    return ways_to_deal(left, room, allowed_places(state, viewer))


@device_function
def kind_of_card(card):
    return SUITS if SUIT[card] == NO_SUIT else SUIT[card]


@device_function
def allowed_places(state, viewer):
    """For each suit, and for Jokers, the places that may hold it, as bits, including the viewer's hand, which has no room."""
    n = np.int64(state.num_players)
    allowed = np.empty(_KINDS, np.int64)
    for kind in range(_KINDS):
        allowed[kind] = (1 << (n + 1)) - 1
        for seat in range(n):
            if seat != viewer and np.int64(state.seen_void[seat]) >> kind & 1:
                allowed[kind] &= ~(1 << seat)
    return allowed


@device_function
def random_card(state, cards):
    """A random card of a nonempty set."""
    left = random_below(state, size_of(cards))
    for card in range(DECK_66):
        if has(cards, card):
            if left == 0:
                return card
            left -= 1
    return NO_CARD
