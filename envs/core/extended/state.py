"""The record of an Extended Deck game, and the deal."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import options as opt
from ..cards import DECK_66, STANDARD, SUITS
from ..events import DEAL, emit_cards
from ..fields import Field, all_seats, last_seat
from ..jit import device_function
from ..seats import clockwise
from .sets import ALL_CARDS, NO_CARD, SPECIALS, ZERO, add

NOBODY = -1  # no seat
TRICK_PLAYERS = 4
TRICKS = 13  # in a deal of a trick game (ED-65)
SET = np.array([ALL_CARDS, 3], np.uint64)  # the bits of a field with sets of cards
_ALL_SUITS, _ALL_SPECIALS = (1 << SUITS) - 1, (1 << SPECIALS) - 1
_OF_A_KIND = 4  # Draws, Reverses, Skips
_ALL_EFFECTS = 4**SPECIALS - 1  # two bits each


def deck_option() -> Any:
    """The option `deck` of a game, stored in the field `standard`."""
    doc = "extended: 66 cards with Jokers, Draws, Reverses and Skips; standard: the 52 ordinary cards alone"
    return opt.one_of("extended", ("extended", "standard"), doc, stored_as="standard")


def extended_fields(seats: int) -> list[Any]:
    """The fields of every Extended Deck game, for up to `seats` (at most 16) players. Sets of seats are bits. The pile is the
    undealt part of `deck`: `deck[pile_at:pile_end]`, top first."""
    return [
        Field("standard", "u1"),  # the option `deck`
        Field("hand", "u8", (seats, 2), bits=SET),  # sets of cards
        Field("face_up", "u2", bits=all_seats),  # face-up hands: their specials are redealt at once (ED-31)
        Field("seen_void", "u1", (seats,), bits=_ALL_SUITS),  # suits, as bits, that a hand is publicly known to lack
        Field("pile_at", "u1", high=DECK_66),
        Field("pile_end", "u1", high=DECK_66),
        Field("refill", "u8", (2,), bits=SET),  # cards of the next pile once it is empty; filled by the game (ED-10)
        Field("aside", "u2", bits=_ALL_SPECIALS),  # specials redealt in this deal, as bits (ED-09)
        # Specials revealed but not yet redealt; they are still in the hand of `turn` (ED-21).
        Field("staged", "u2", bits=_ALL_SPECIALS),
        Field("direction", "i1", low=-1, high=1),  # the order of play, +1 or -1
        Field("turn", "i1", low=NOBODY, high=last_seat),  # whose turn it is; NOBODY when a cycle is over
        Field("new_turn", "u1", high=1),  # set when a turn begins, but not when one resumes; the game may clear it
        Field("skipped", "u2", bits=all_seats),  # seats whose turns were skipped before the latest turn
        Field("out", "u2", bits=all_seats),  # rotation: has left the game; cycle: the turn of this cycle is over
        Field("paused", "u2", bits=all_seats),  # seats with a paused turn
        Field("put_off", "u2", bits=all_seats),  # of these, those paused before the game saw the turn: it will be new
        Field("draw", "u1", (seats,), high=2 * _OF_A_KIND),  # cards to take as the next turn begins (ED-36)
        Field("skip", "u1", (seats,), high=_OF_A_KIND),  # turns to skip (ED-37)
        Field("effects", "u4", (seats,), high=_ALL_EFFECTS),  # effects of specials played in the turn, see turns.py
        Field("carry", "u4", high=_ALL_EFFECTS),  # effects from the last turn of a cycle on the next cycle
    ]


def trick_fields() -> list[Any]:
    """Additional fields of a trick game. A trick is a list in the order of play: `trick_card[k]` was played by
    `trick_seat[k]`."""
    return [
        Field("question", "u1", high=3),  # for the seat in `turn`: PLAY, DECLARE or SETTLE; 0 outside the play of cards
        Field("trick_size", "u1", high=TRICK_PLAYERS),
        Field("trick_card", "u1", (TRICK_PLAYERS,), high=DECK_66 - 1),
        Field("trick_seat", "u1", (TRICK_PLAYERS,), high=TRICK_PLAYERS - 1),
        Field("claim", "u1", (TRICK_PLAYERS,), high=3),  # for a Joker: OPEN, WINS, LOSES or FIXED
        # The card that a led Joker was declared to be, else NO_CARD (ED-70).
        Field("declared", "i1", low=NO_CARD, high=STANDARD - 1),
        Field("leader_due", "i1", high=TRICK_PLAYERS - 1),  # who was to lead the trick
        Field("tricks_done", "u1", high=TRICKS),
        Field("played", "u8", (TRICK_PLAYERS, 2), bits=SET),  # cards played to earlier tricks
        Field("dead", "u8", (2,), bits=SET),  # cards of disregarded tricks (ED-76), which are also in `played`
    ]


@device_function
def clear_deal(state):
    """Clear the hands and the effects of an earlier deal, and put all cards into the pile (ED-12, ED-60)."""
    for seat in range(np.int64(state.num_players)):
        state.hand[seat, 0] = ZERO
        state.hand[seat, 1] = ZERO
        state.seen_void[seat] = 0
        state.draw[seat] = 0
        state.skip[seat] = 0
        state.effects[seat] = 0
    state.refill[0] = ZERO
    state.refill[1] = ZERO
    state.face_up = 0
    state.aside = 0
    state.staged = 0
    state.out = 0
    state.paused = 0
    state.put_off = 0
    state.carry = 0
    state.new_turn = 0
    state.skipped = 0
    state.turn = NOBODY
    state.direction = 1
    state.pile_at = 0
    state.pile_end = STANDARD if state.standard else DECK_66


@device_function
def deal_hands(state, first, count):
    """Deal `count` cards to every seat from the top of the pile, one at a time clockwise from `first`."""
    n = np.int64(state.num_players)
    seat, position = first, np.int64(state.pile_at)
    for k in range(position, position + n * count):
        add(state.hand[seat], np.int64(state.deck[k]))
        state.deck[k] = 0
        seat = clockwise(seat, 1, n)
    state.pile_at = position + n * count
    for _ in range(n):
        emit_cards(state, DEAL, seat, state.hand[seat, 0], state.hand[seat, 1], 1 << seat, NOBODY)
        seat = clockwise(seat, 1, n)
