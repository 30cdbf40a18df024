"""What a record of an Extended Deck game holds, and the deal."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import options as opt
from ..cards import DECK_66, STANDARD
from ..kernel import kernel
from ..rng import shuffle
from ..seats import clockwise
from .sets import ZERO, add

NOBODY = -1  # no seat
TRICK_PLAYERS = 4
TRICKS = 13  # of a deal of a trick game (ED-65)


def deck_option() -> Any:
    """The option `deck` of a game; the record says it in the field `standard`."""
    doc = "extended: 66 cards with Jokers, Draws, Reverses and Skips; standard: the 52 ordinary cards alone"
    return opt.one_of("extended", ("extended", "standard"), doc, stored_as="standard")


def deck_of(options: Any) -> list[int]:
    """The ids of the deck, for `Game.deck`: all 66, or the 52 standard cards (ED-01)."""
    return list(range(STANDARD if options.deck == "standard" else DECK_66))


def extended_fields(seats: int) -> list[Any]:
    """Fields that every Extended Deck game has, for up to `seats` (at most 16) players. Seats are bits where there is one a
    seat. The pile is what of `deck` has not been dealt: `deck[pile_at:pile_end]`, top first."""
    return [
        ("standard", "u1"),  # the option `deck`
        ("hand", "u8", (seats, 2)),  # sets of cards
        ("face_up", "u2"),  # hands that lie face up: their specials are redealt at once (ED-31)
        ("seen_void", "u1", (seats,)),  # suits, as bits, that everybody knows a hand to lack
        ("pile_at", "u1"),
        ("pile_end", "u1"),
        ("refill", "u8", (2,)),  # cards that would be the pile if it ran out; the game puts them there (ED-10)
        ("aside", "u2"),  # specials redealt in this deal, as bits (ED-09)
        ("staged", "u2"),  # specials revealed but not yet redealt; they are still in the hand of `turn` (ED-21)
        ("direction", "i1"),  # the order of play, +1 or -1
        ("turn", "i1"),  # whose turn it is; NOBODY when a cycle is over
        ("new_turn", "u1"),  # set as a turn begins that does not go on after a pause; the game may clear it
        ("out", "u2"),  # rotation: has left the game; cycle: the turn of this cycle is over
        ("paused", "u2"),  # seats with a paused turn
        ("put_off", "u2"),  # of these, those paused before the game ever saw the turn: it will be new
        ("draw", "u1", (seats,)),  # cards to take as the next turn begins (ED-36)
        ("skip", "u1", (seats,)),  # turns to be skipped (ED-37)
        ("effects", "u4", (seats,)),  # what specials played in the turn will do, see turns.py
        ("carry", "u4"),  # what those of the last turn of a cycle will do in the next
    ]


def trick_fields() -> list[Any]:
    """Fields that a trick game has besides. A trick is a list in the order of play: `trick_card[k]` of `trick_seat[k]`."""
    return [
        ("question", "u1"),  # of the seat in `turn`: PLAY, DECLARE or SETTLE; 0 outside the play of cards
        ("trick_size", "u1"),
        ("trick_card", "u1", (TRICK_PLAYERS,)),
        ("trick_seat", "u1", (TRICK_PLAYERS,)),
        ("claim", "u1", (TRICK_PLAYERS,)),  # of a Joker: OPEN, WINS, LOSES or FIXED
        ("declared", "i1"),  # what a Joker that was led was declared to be, else NO_CARD (ED-70)
        ("leader_due", "i1"),  # who was to lead the trick
        ("tricks_done", "u1"),
        ("played", "u8", (TRICK_PLAYERS, 2)),  # cards played to earlier tricks
        ("dead", "u8", (2,)),  # cards of disregarded tricks (ED-76), which are also in `played`
    ]


@kernel
def shuffle_deck(state):
    """The deck of the option, shuffled: what `deal` does in most games (ED-12)."""
    size = STANDARD if state.standard else DECK_66
    for card in range(size):
        state.deck[card] = card
    shuffle(state, state.deck, size)


@kernel
def clear_deal(state):
    """Empty hands, all cards in the pile, no effect left of an earlier deal (ED-12, ED-60)."""
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
    state.turn = NOBODY
    state.direction = 1
    state.pile_at = 0
    state.pile_end = STANDARD if state.standard else DECK_66


@kernel
def deal_hands(state, first, each):
    """`each` cards to every seat from the top of the pile, one at a time clockwise from `first`."""
    n = np.int64(state.num_players)
    seat, at = first, np.int64(state.pile_at)
    for k in range(at, at + n * each):
        add(state.hand[seat], np.int64(state.deck[k]))
        state.deck[k] = 0
        seat = clockwise(seat, 1, n)
    state.pile_at = at + n * each
