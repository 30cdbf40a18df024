"""Shoes of several decks, and hands dealt from them, as counts by id, because a card has several copies.

The shoe is the undealt part of `deck`: `deck[pile_at:pile_end]`, top first. A hand is `u1 [66]`. Redealt specials go to `aside`
(counts by kind and suit), and nothing is refilled before the whole shoe is shuffled (ED-09). Places in the order of play need
not be seats: a dealer may also have a turn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import events
from .. import options as opt
from ..cards import BIG_JOKER, DECK_66, SMALL_JOKER, STANDARD, SUITS
from ..events import EVERYBODY, NOBODY, EventKind, emit, emit_card, emit_list
from ..fields import Field
from ..jit import device_function
from ..rng import shuffle
from .events import EXTENDED_EVENTS
from .pile import pile_size
from .sets import DRAW, FIRST_SPECIAL, REVERSE, SKIP, SPECIALS

MAX_DECKS = 8
SHOE = MAX_DECKS * DECK_66
JOKERS = 2 * MAX_DECKS  # in one hand


def decks_option(default: int | None, suffix: str = "") -> Any:
    """The option `decks` of a game. The game's `validate` replaces None, by the rule described in `suffix`."""
    none = 0 if default is None else None
    return opt.integer(default, 1, MAX_DECKS, f"decks in the shoe{suffix}", none=none)


def shoe_of(options: Any) -> list[int]:
    """The ids of the shoe, for `Game.deck`, each repeated by the number of decks."""
    return [card for card in range(STANDARD if options.deck == "standard" else DECK_66) for _ in range(options.decks)]


def copies(options: Any) -> int:
    """The bound of a count by id."""
    return int(options.decks)


def shoe_fields() -> list[Any]:
    """Fields of all games with a shoe."""
    return [
        Field("standard", "u1"),  # the option `deck`
        Field("decks", "u1"),
        Field("pile_at", "u2", high=SHOE),
        Field("pile_end", "u2", high=SHOE),
        Field("aside", "u1", (SPECIALS,), high=copies),  # specials redealt since the last shuffle
        Field("used", "u1", (DECK_66,), high=copies),  # cards of earlier hands since the last shuffle
        Field("direction", "i1", low=-1, high=1),  # the order of play, +1 or -1
    ]


# --- events ---


DEALER = "the dealer"  # acts without a player
_SHARED = (events.DRAW, events.REDEAL, events.SKIPPED, events.DIRECTION, events.PAUSE)
SHOE_EVENTS = (
    EventKind(events.HAND, "a shoe is begun, which lasts for several hands: its number in the episode", "shoe {amount}"),
    EventKind(events.SHUFFLE, "the shoe is shuffled: so many cards (ED-09)", "the shoe of {amount} cards is shuffled"),
    EventKind(events.DEAL, "the first cards of a hand, which who holds it sees, and everybody if they lie face up",
              "{player} is dealt {cards}", nobody=DEALER),
    *(replace(kind, nobody=DEALER) for kind in EXTENDED_EVENTS if kind.kind in _SHARED),
)  # fmt: skip


@events.emitter
def emit_rest(state: Any, kind: Any, seat: Any, hand: Any, shown: Any, seen: Any, other: Any) -> None:
    """As `emit_list`, for the cards of a hand that are not among those `shown`, both counted by id."""
    count = 0
    for card in range(hand.shape[0]):
        count += int(hand[card]) - int(shown[card])
    left = count
    for card in range(hand.shape[0]):
        for _ in range(int(hand[card]) - int(shown[card])):
            left -= 1
            events.write(state, kind, seat, card, other, count, seen, left)


# --- the shoe ---


@device_function
def shoe_size(state):
    return np.int64(state.decks) * (STANDARD if state.standard else DECK_66)


@device_function
def shuffle_shoe(state):
    """`deal`: all decks, shuffled."""
    size, decks = shoe_size(state), np.int64(state.decks)
    card = position = 0
    while position < size:
        for k in range(position, position + decks):
            state.deck[k] = card
        card += 1
        position += decks
    shuffle(state, state.deck, size)


@device_function
def open_shoe(state):
    """Make the whole shoe available again."""
    state.pile_at = 0
    state.pile_end = shoe_size(state)
    emit(state, events.SHUFFLE, NOBODY, state.pile_end, NOBODY)
    state.aside[:] = 0
    state.used[:] = 0


@device_function
def use_up(state, hand):
    """Set the cards of a hand aside until the next shuffle."""
    for card in range(DECK_66):
        state.used[card] += hand[card]
        hand[card] = 0


# --- hands ---


@device_function
def cards_in(hand):
    number = 0
    for card in range(DECK_66):
        number += np.int64(hand[card])
    return number


@device_function
def jokers_in(hand):
    return np.int64(hand[SMALL_JOKER]) + np.int64(hand[BIG_JOKER])


@device_function
def specials_in(hand):
    number = 0
    for card in range(FIRST_SPECIAL, DECK_66):
        number += np.int64(hand[card])
    return number


@device_function
def kinds_in(hand, kind):
    """The number of Draws, Reverses or Skips in a hand."""
    first, number = FIRST_SPECIAL + SUITS * kind, 0
    for card in range(first, first + SUITS):
        number += np.int64(hand[card])
    return number


@device_function
def open_suits(hand, rank):
    """The number of cards of a rank (0..12) not in a hand, ignoring copies; at most this many Jokers may be one (ED-14)."""
    number = 0
    for card in range(SUITS * rank, SUITS * (rank + 1)):
        number += hand[card] == 0
    return number


# --- redealing face-up specials ---


@device_function
def redeal_shown(state, hand, seat):
    """Replace all specials of a face-up hand of `seat` until none is left, or no card to replace one: a batch in ascending
    order, one card each and then the second cards of Draws; then the specials among these in order of arrival (ED-31 to ED-33).
    Returns the numbers of Reverses and Skips redealt.

    The cards dealt for a batch stay in `deck` until the next batch is determined from them.
    """
    reverses = skips = 0
    number = draws = 0
    left = pile_size(state)
    for card in range(FIRST_SPECIAL, DECK_66):
        kind = (card - FIRST_SPECIAL) >> 2
        replaced = min(np.int64(hand[card]), left - number)
        if replaced > 0:
            put_aside(state, hand, card, replaced, seat)
            number += replaced
            draws += replaced * (kind == DRAW)
            reverses += replaced * (kind == REVERSE)
            skips += replaced * (kind == SKIP)
    while number > 0:
        begin, number = np.int64(state.pile_at), number + min(draws, left - number)
        end = begin + number
        emit_list(state, events.DRAW, seat, state.deck, begin, end, EVERYBODY, NOBODY)
        for position in range(begin, end):
            hand[state.deck[position]] += 1
        state.pile_at = end
        left -= number
        number = draws = 0
        for position in range(begin, end):
            card = np.int64(state.deck[position])
            state.deck[position] = 0
            if card >= FIRST_SPECIAL and number < left:
                kind = (card - FIRST_SPECIAL) >> 2
                put_aside(state, hand, card, 1, seat)
                number += 1
                draws += kind == DRAW
                reverses += kind == REVERSE
                skips += kind == SKIP
    return reverses, skips


@device_function
def put_aside(state, hand, card, number, seat):
    """ED-09."""
    for _ in range(number):
        emit_card(state, events.REDEAL, seat, card, EVERYBODY, NOBODY)
    hand[card] -= number
    state.aside[card - FIRST_SPECIAL] += number


# --- sampling ---


@device_function
def gather_pile(state, count):
    """Replace the shoe by the cards counted in `count` (int64 [66], all unseen cards), ascending. Returns their number."""
    return list_cards(count, state.deck[np.int64(state.pile_at) :])


@device_function
def list_cards(count, out):
    """Write the ids of cards counted by id, ascending. Returns their number."""
    size = 0
    for card in range(DECK_66):
        for _ in range(count[card]):
            out[size] = card
            size += 1
    return size


# --- ordinary Python ---


def listed(counts: Any) -> list[int]:
    """The ids of a hand in ascending order."""
    return [card for card, number in enumerate(counts) for _ in range(int(number))]


def pile_of(state: Any) -> list[int]:
    return [int(card) for card in state.deck[int(state.pile_at) : int(state.pile_end)]]


def aside_of(state: Any) -> list[int]:
    return [FIRST_SPECIAL + special for special, number in enumerate(state.aside) for _ in range(int(number))]
