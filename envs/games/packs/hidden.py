"""Sampling of the cards that nobody knows, for determinizations."""

from __future__ import annotations

import numpy as np

from ...core.cards import DECK_66, STANDARD
from ...core.extended.sets import has
from ...core.jit import device_function
from ...core.rng import shuffle
from .rules import place_in


@device_function
def redraw_unknown(state, becomes):
    """Shuffle the cards that were never turned up among their places in packs, burned cards and the pile, uniformly among all
    ways.

    Args:
        becomes: int64 [66], filled with the card that replaces each.
    """
    cards, count = np.empty(DECK_66, np.int64), 0
    for card in range(STANDARD if state.standard else DECK_66):
        if not has(state.seen, card):
            cards[count] = card
            count += 1
    for card in range(DECK_66):
        becomes[card] = card
    shuffle(state, cards, count)
    count = 0
    for seat in range(np.int64(state.num_players)):
        for k in range(np.int64(state.pack_size[seat])):
            count = redraw_at(state, state.pack[seat], place_in(state, seat, k), cards, count, becomes)
    for k in range(np.int64(state.burned)):
        count = redraw_at(state, state.stack, k, cards, count, becomes)
    for k in range(np.int64(state.pile_at), np.int64(state.pile_end)):
        count = redraw_at(state, state.deck, k, cards, count, becomes)


@device_function
def redraw_at(state, places, k, cards, count, becomes):
    """Replace the card at one place by the next of `cards`, unless it is known. Returns the number of these used."""
    card = np.int64(places[k])
    if has(state.seen, card):
        return count
    becomes[card] = cards[count]
    places[k] = cards[count]
    return count + 1
