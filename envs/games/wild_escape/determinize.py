"""Sampling of hidden cards: the other hands, except cards given openly.

A player who has paid a tribute had no higher card (WE-25), and now has only higher cards received openly.
"""

from __future__ import annotations

import numpy as np

from ...core.cards import DECK_54
from ...core.hidden import place_with_room
from ...core.jit import device_function, plain
from .combinations import ABOVE, rank_of
from .hands import clear_chosen
from .state import ANSWER, CARDS, HIGHER, HIGHEST_LEVEL, LOWEST_LEVEL, NO_CARD, PLAY, PLAYERS, RANK_INDICES

# By level, the card types from the highest rank to the lowest.
_DOWN = np.zeros((HIGHEST_LEVEL + 1, DECK_54), np.int64)
for _level in range(LOWEST_LEVEL, HIGHEST_LEVEL + 1):
    _DOWN[_level] = sorted(range(DECK_54), key=lambda card: (bin(ABOVE[_level, plain(rank_of)(card)]).count("1"), card))


@device_function
def determinize(state, viewer):
    if viewer != state.current_player:
        forget_choice(state)
    trump = np.int64(state.trump)
    unseen, room = np.zeros(DECK_54, np.int64), np.zeros(PLAYERS, np.int64)
    for player in range(PLAYERS):
        if player != viewer:
            for card in range(DECK_54):
                hidden = np.int64(state.hand[player, card]) - np.int64(state.known[player, card])
                unseen[card] += hidden
                room[player] += hidden
                state.hand[player, card] = state.known[player, card]
    allowed = hands_that_may_hold(state)
    for k in range(DECK_54):
        # The highest first: a hand that may hold a card may hold all later ones, so all ways are equally likely.
        card = _DOWN[trump, k]
        for _ in range(unseen[card]):
            player = place_with_room(state, room, allowed[rank_of(card)])
            room[player] -= 1
            state.hand[player, card] += 1


@device_function
def hands_that_may_hold(state):
    """For each rank, the hands that may hold it, as bits."""
    allowed = np.empty(RANK_INDICES, np.int64)
    for rank in range(RANK_INDICES):
        allowed[rank] = (1 << PLAYERS) - 1
    for k in range(np.int64(state.exchanges)):
        if state.tribute[k] != NO_CARD:
            giver, barred = np.int64(state.giver[k]), ABOVE[np.int64(state.trump), rank_of(np.int64(state.tribute[k]))]
            for rank in range(RANK_INDICES):
                if (barred >> (4 * rank)) & 1:
                    allowed[rank] &= ~(1 << giver)
    return allowed


@device_function
def forget_choice(state):
    """Clear the choice of the player to move, which nobody else has seen. Keeping both offered cards is announced with the
    higher one."""
    clear_chosen(state)
    if state.stage == CARDS:
        state.stage = PLAY
        state.kind = 0
    elif state.stage == HIGHER:
        state.stage = ANSWER
