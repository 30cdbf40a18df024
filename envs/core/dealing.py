"""The default decks of games, and their shuffles."""

from __future__ import annotations

from typing import Any

from .cards import DECK_66, STANDARD
from .jit import device_function
from .rng import shuffle


def deck_of(options: Any) -> list[int]:
    """The card ids of the option `deck`: all 66, or the 52 standard cards (ED-01)."""
    return list(range(STANDARD if options.deck == "standard" else DECK_66))


@device_function
def shuffle_deck(state):
    """`deal` for games with the option `deck`, which is `standard` in the record (ED-12)."""
    size = STANDARD if state.standard else DECK_66
    for card in range(size):
        state.deck[card] = card
    shuffle(state, state.deck, size)


def standard_deck(options: Any) -> list[int]:
    """The ids of the 52 standard cards."""
    return list(range(STANDARD))


@device_function
def shuffle_standard(state):
    """`deal` for games without the option `deck`."""
    for card in range(STANDARD):
        state.deck[card] = card
    shuffle(state, state.deck, STANDARD)
