"""Specials among common cards (ED-43 to ED-45)."""

from __future__ import annotations

import numpy as np

from ..jit import device_function
from .pile import available, next_card
from .sets import DRAW, FIRST_SPECIAL, NO_CARD, is_special, kind_of
from .state import NOBODY
from .turns import apply_effects, begin_turn, queue_kind


@device_function
def deal_common(state, count, cards, queue):
    """ED-44: deal common cards. Specials are put aside and replaced at once, Draws by two cards; with an empty pile they stay.

    Args:
        count: how many cards to deal.
        cards: filled from its start with the ids of the cards finally on the table (at most `count` + 4).
        queue: the effects of common cards dealt earlier; 0 if there are none.

    Returns:
        The number of cards on the table, and the effects for `begin_common`.
    """
    laid, owed = 0, count
    while owed > 0:
        card = next_card(state)
        if card == NO_CARD:
            break
        if is_special(card) and available(state) > 0:
            state.aside = np.int64(state.aside) | 1 << (card - FIRST_SPECIAL)
            if kind_of(card) == DRAW:
                owed += 1
            else:
                queue = queue_kind(queue, kind_of(card))
        else:
            cards[laid] = card
            laid += 1
            owed -= 1
    return laid, queue


@device_function
def begin_common(state, player, queue, mode):
    """ED-45: begin the turn of `player`, or of the player who acts after the effects of common cards."""
    begin_turn(state, apply_effects(state, queue, NOBODY, player, mode), mode)
