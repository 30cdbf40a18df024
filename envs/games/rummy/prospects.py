"""What a hand of basic rummy or gin promises: the cards that are in melds, and how many cards would put others into one.

Melds are of natural standard cards here, without Jokers and specials. Sets of cards are as in melds.py.
"""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits, lowest_bit
from ...core.cards import RANKS, SUITS
from ...core.extended.sets import BIT, ONE, STANDARD_CARDS, ZERO
from ...core.jit import device_function
from .hands import is_joker
from .melding import rules_row
from .melds import ACE_HIGH, LEAST_GROUP, NIBBLE, RULES, faces_of, positions_of, ranks_at, ranks_of
from .state import ONCE


@device_function
def melded(state, cards):
    """Those of some cards that are in a group or a run."""
    inside = ZERO
    for suit in range(SUITS):
        held = positions(state, cards, suit)
        first = held & held >> 1 & held >> 2  # of runs of three
        inside |= faces_of(ranks_at(first | first << 1 | first << 2), suit)
    for rank in range(RANKS):
        same = cards & NIBBLE << np.uint64(4 * rank)
        if count_bits(same) >= LEAST_GROUP:
            inside |= same
    return inside


@device_function
def positions(state, cards, suit):
    """Where cards of a suit may stand in runs; an ace that is high or low at both ends."""
    return positions_of(ranks_of(cards, suit), 1, RULES[rules_row(state), ACE_HIGH])


@device_function
def count_outs(state, viewer, out, each):
    """To the entry of each standard card that the viewer holds and that is in no meld, add `each` for every unseen card that
    would put it into one."""
    held, unseen = state.hand[viewer, ONCE] & STANDARD_CARDS, unseen_cards(state, viewer)
    single = held & ~melded(state, held)
    for suit in range(SUITS):
        have, miss, lone = positions(state, held, suit), positions(state, unseen, suit), positions(state, single, suit)
        # The missing card is two below, one below, one above, two above.
        add_each(out, faces_of(ranks_at(lone & have << 1 & miss << 2), suit), each)
        add_each(out, faces_of(ranks_at(lone & miss << 1 & (have << 2 | have >> 1)), suit), each)
        add_each(out, faces_of(ranks_at(lone & miss >> 1 & (have >> 2 | have << 1)), suit), each)
        add_each(out, faces_of(ranks_at(lone & have >> 1 & miss >> 2), suit), each)
    for rank in range(RANKS):
        same = NIBBLE << np.uint64(4 * rank)
        if count_bits(held & same) == LEAST_GROUP - 1:
            add_each(out, single & same, each * np.float32(count_bits(unseen & same)))


@device_function
def add_each(out, cards, each):
    while cards != ZERO:
        out[lowest_bit(cards)] += each
        cards &= cards - ONE


@device_function
def unseen_cards(state, viewer):
    """The standard cards that the viewer does not hold and that are neither discarded, nor melded, nor known to be in another
    hand."""
    seen = state.hand[viewer, ONCE]
    for k in range(np.int64(state.discards)):
        card = np.int64(state.discard[k])
        if not is_joker(card):
            seen |= BIT[card]
    for slot in range(np.int64(state.melds)):
        seen |= state.meld[slot, ONCE]
    for seat in range(np.int64(state.num_players)):
        seen |= state.known[seat, ONCE]
    return STANDARD_CARDS & ~seen
