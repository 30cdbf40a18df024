"""What rule-based players read from an observation vector.

Observations of trick games with the Extended Deck start with the same blocks, so these readers serve all of them.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.cards import DECK_66, STANDARD
from ...envs.core.extended.sets import ALL_CARDS, FIRST_SPECIAL, SPECIALS, STANDARD_CARDS, ZERO, add, size_of
from ...envs.core.extended.state import TRICK_PLAYERS
from ...envs.core.extended.view import EXTENDED_OBSERVATION, MOST_CARDS, TRICK_OBSERVATION, extended_observation
from ...envs.core.jit import device_function
from ...envs.core.layout import Layout, start

_SIZES, _PILE, _ASIDE, _TRICK, _PLAYED = Layout(*EXTENDED_OBSERVATION, *TRICK_OBSERVATION).places(
    "hand_sizes", "pile", "aside", "trick_cards", "played", num_players=TRICK_PLAYERS
)
_BOTH_JOKERS = np.uint64(3)
_SHARED = Layout(*extended_observation())  # its first blocks are where they are in a trick game, for any number of players
_SIZES_OF_ALL, _PILE_OF_ALL = _SHARED.places("hand_sizes", "pile")


@device_function
def whole(observation, index, unit):
    """The number that an entry encodes as a share of `unit`."""
    return np.int64(observation[index] * np.float32(unit) + np.float32(0.5))


@device_function
def one_hot(observation, offset, size):
    """The place of the entry that is set in a block, -1 if none is."""
    for place in range(size):
        if observation[offset + place] > 0:
            return place
    return -1


@device_function
def read_set(observation, offset, cards):
    """Add the cards of a block of 66 to a set, as two words (envs/core/extended/sets.py)."""
    for card in range(DECK_66):
        if observation[offset + card] > 0:
            add(cards, card)


# --- games with the Extended Deck, for any number of players ---


@device_function
def hand_size_of(observation, num_players, seat, unit):
    """Cards in the hand of a player, counted clockwise from the viewer; `unit` is what an entry is a share of."""
    return whole(observation, start(_SIZES_OF_ALL, num_players) + seat, unit)


@device_function
def pile_left(observation, num_players):
    """Cards in the pile."""
    return whole(observation, start(_PILE_OF_ALL, num_players), DECK_66)


@device_function
def read_aside(observation, cards):
    """Add the specials that were redealt to a set."""
    for special in range(SPECIALS):
        if observation[_ASIDE + special] > 0:
            add(cards, FIRST_SPECIAL + special)


# --- trick games ---


@device_function
def hand_size(observation, seat):
    """Cards in the hand of a player, counted clockwise from the viewer."""
    return whole(observation, _SIZES + seat, MOST_CARDS)


@device_function
def read_unseen(observation, seen, unseen):
    """Fill in the cards that are in hidden hands or in the pile: neither in the hands that are `seen`, nor played, nor aside.

    Args:
        seen: uint64 [2], a set; what was played or put aside is added.
        unseen: uint64 [2], filled in.
    """
    gone = np.zeros(2, np.uint64)
    for seat in range(TRICK_PLAYERS):
        read_set(observation, _PLAYED + seat * DECK_66, gone)
        read_set(observation, _TRICK + seat * DECK_66, gone)
    read_aside(observation, gone)
    total = size_of(gone) + whole(observation, _PILE, DECK_66)
    for seat in range(TRICK_PLAYERS):
        total += hand_size(observation, seat)
    for word in range(2):
        seen[word] |= gone[word]
    extended = total > STANDARD
    unseen[0] = (ALL_CARDS if extended else STANDARD_CARDS) & ~seen[0]
    unseen[1] = (_BOTH_JOKERS if extended else ZERO) & ~seen[1]
