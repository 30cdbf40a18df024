"""Sampling of hidden cards: others' face-down cards, the cards they threw away, burned cards, the pile.

Besides its own cards, a seat knows: face-up and shown cards, staged specials, its own cards in the muck, and after a shuffle of
the muck that the cards it knew there are now in the stock or were dealt since (`recalled` and `old`, see dealing.py). Others'
bets and draws are not used: that would require a model of their play.
"""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits
from ...core.cards import DECK_66
from ...core.extended.hidden import lay_pile
from ...core.extended.pile import pile_size
from ...core.extended.sets import AT_SPECIALS, ZERO, add, has, size_of
from ...core.extended.turns import has_bit
from ...core.jit import device_function
from ...core.rng import shuffle
from .dealing import note_mixed
from .state import MAX_PLAYERS

# Places of hidden cards: the hand of each seat, the cards each threw away, the burned cards, the pile.
GONE, BURNED, PILE = MAX_PLAYERS, 2 * MAX_PLAYERS, 2 * MAX_PLAYERS + 1
PLACES = PILE + 1


@device_function
def determinize(state, viewer):
    turn = np.int64(state.turn)
    if viewer != turn:
        state.marks = 0
        if state.staged != 0:
            note_mixed(state, turn)
    hidden = np.zeros(2, np.uint64)
    # For each place the number of cards dealt since the last shuffle of the muck, and the number dealt before.
    room = np.zeros((PLACES, 2), np.int64)
    gather(state, viewer, hidden, room)
    deal_again(state, viewer, hidden, room)
    for seat in range(np.int64(state.num_players)):
        if seat != viewer:
            state.recalled[seat, 0] = ZERO
            state.recalled[seat, 1] = ZERO


@device_function
def gather(state, viewer, hidden, room):
    """Move the cards hidden from the viewer into the set `hidden`, and store the room that they leave."""
    burned = np.zeros(2, np.uint64)
    for word in range(2):
        burned[word] = state.refill[word] & ~state.gone[viewer, word]
    for seat in range(np.int64(state.num_players)):
        if not has_bit(state.live, seat):
            for word in range(2):
                burned[word] &= ~state.up[seat, word]
        if seat != viewer:
            for word in range(2):
                burned[word] &= ~state.gone[seat, word]
                state.refill[word] &= ~state.gone[seat, word]
            take_out(state, seat, state.gone[seat], GONE + seat, ZERO, ZERO, hidden, room)
            if not has_bit(state.shown, seat):
                seen = state.up[seat, 0]
                if seat == state.turn:
                    seen |= np.uint64(state.staged) << AT_SPECIALS
                take_out(state, seat, state.hand[seat], seat, seen, state.up[seat, 1], hidden, room)
    for word in range(2):
        state.refill[word] &= ~burned[word]
        hidden[word] |= burned[word]
    room[BURNED, 0] = size_of(burned)
    first, size = np.int64(state.pile_at), pile_size(state)
    for k in range(first, first + size):
        add(hidden, np.int64(state.deck[k]))
    room[PILE, 0] = size


@device_function
def take_out(state, seat, cards, place, seen, seen_jokers, hidden, room):
    """Move the cards of a place, except visible ones, into the set `hidden`."""
    suited, jokers = cards[0] & ~seen, cards[1] & ~seen_jokers
    room[place, 1] = count_bits(suited & state.old[seat, 0]) + count_bits(jokers & state.old[seat, 1])
    room[place, 0] = count_bits(suited) + count_bits(jokers) - room[place, 1]
    cards[0] &= seen
    cards[1] &= seen_jokers
    state.old[seat, 0] &= ~suited
    state.old[seat, 1] &= ~jokers
    hidden[0] |= suited
    hidden[1] |= jokers


@device_function
def deal_again(state, viewer, hidden, room):
    """Deal uniformly among the ways in which the cards that the viewer recalls are where cards were dealt since the shuffle."""
    slots, cards, fresh, count = np.empty(DECK_66, np.int64), np.empty(DECK_66, np.int64), 0, 0
    for place in range(PLACES):
        for _ in range(room[place, 0]):
            slots[fresh] = place
            fresh += 1
    size = fresh
    for place in range(PLACES):
        for _ in range(room[place, 1]):
            slots[size] = place
            size += 1
    for recalled in (True, False):  # cards with fewer slots first
        for card in range(DECK_66):
            if has(hidden, card) and has(state.recalled[viewer], card) == recalled:
                cards[count] = card
                count += 1
        if recalled:
            known = min(count, fresh)
    shuffle(state, slots, fresh)
    shuffle(state, cards[known:], size - known)
    pile = np.zeros(2, np.uint64)
    for k in range(size):
        put_back(state, cards[k], slots[k], k >= fresh, pile)
    lay_pile(state, pile)


@device_function
def put_back(state, card, place, is_old, pile):
    if place == PILE:
        add(pile, card)
        return
    if place == BURNED:
        add(state.refill, card)
        return
    seat = place if place < GONE else place - GONE
    if place < GONE:
        add(state.hand[seat], card)
    else:
        add(state.gone[seat], card)
        add(state.refill, card)
    if is_old:
        add(state.old[seat], card)
