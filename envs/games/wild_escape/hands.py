"""Cards entering and leaving a hand, and the cards being chosen."""

from __future__ import annotations

from typing import Any

from ...core.cards import DECK_54
from ...core.events import DEAL, NOBODY, emitter, write
from ...core.jit import device_function
from .state import MOST


@device_function
def take(state, player, card):
    """Remove a card from a hand. Of equal cards, a publicly known one goes first, so that the knowledge stays exact."""
    state.hand[player, card] -= 1
    state.hand_size[player] -= 1
    if state.known[player, card] > 0:
        state.known[player, card] -= 1


@device_function
def put(state, player, card):
    """Put a card into a hand openly (WE-29)."""
    state.hand[player, card] += 1
    state.hand_size[player] += 1
    state.known[player, card] += 1


@device_function
def clear_chosen(state):
    for k in range(MOST):
        state.chosen[k] = 0
    state.chosen_size = 0


@emitter
def tell_hand(state: Any, player: Any) -> None:
    """The cards dealt to a player, in order."""
    count = int(state.hand_size[player])
    left = count
    for card in range(DECK_54):
        for _ in range(int(state.hand[player, card])):
            left -= 1
            write(state, DEAL, player, card, NOBODY, count, 1 << int(player), left)
