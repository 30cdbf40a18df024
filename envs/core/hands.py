"""A kit for games with standard cards in hands and a stock: the deal, drawing, and hidden cards. (`tricks.py` builds on it.)

A game uses the fields and events defined here, puts the shared blocks first in its observation, and calls:

    deal_hands(state, first, count, size)      # in `begin`; the rest of the deck is the stock
    draw_card(state, seat)                     # in `step`: the top card of the stock goes into a hand
    show(state, seat, cards)                   # show cards of a hand to all; they stay in it
    leave_hand(state, seat, cards)             # remove cards from a hand
    observe_hands(state, viewer, out)          # in `observe`
    hand_zones(state, viewer)                  # in `zones`

A game can use `determinize` unchanged, unless players know more about hands than what was shown; then its own calls
`redraw_hidden`. A set of cards is one word, whose bit k is the card with id k: `hand & SUIT_CARDS[suit]`, `pile | BIT[card]`.
`count_bits`, `lowest_bit` and `write_bits` are for device functions, `places` is for ordinary Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bits import count_bits as count_bits
from .bits import lowest_bit as lowest_bit
from .cards import HIDDEN, RANKS, STANDARD, SUITS
from .events import DEAL, DRAW, EVERYBODY, NOBODY, REVEAL, EventKind, emit_card, emit_cards
from .extended.sets import ZERO as ZERO
from .extended.sets import places as places
from .extended.sets import write_bits as write_bits
from .fields import Field
from .hidden import deal_hidden
from .jit import device_function
from .layout import Block, Layout, start
from .rng import shuffle
from .seats import clockwise
from .zones import ZoneRole

ALL_CARDS = (1 << STANDARD) - 1
BIT = np.array([1 << card for card in range(STANDARD)], np.uint64)
SUIT_CARDS = np.array([sum(1 << card for card in range(suit, STANDARD, SUITS)) for suit in range(SUITS)], np.uint64)
RANK_CARDS = np.array([0xF << SUITS * rank for rank in range(RANKS)], np.uint64)


def hand_fields(seats: int) -> list[Field]:
    """The fields of the record for up to `seats` players. The stock is `deck[stock_at:stock_end]`, top first."""
    return [
        Field("hand", "u8", (seats,), bits=ALL_CARDS),  # sets of cards
        Field("shown", "u8", (seats,), bits=ALL_CARDS),  # cards in each hand that all players know
        Field("stock_at", "u1", high=STANDARD),
        Field("stock_end", "u1", high=STANDARD),
    ]


OWN_HAND = Block("hand", STANDARD, "own hand: 1 for each card, by id")
HAND_OBSERVATION = (
    OWN_HAND,
    Block("hand_sizes", 0, f"cards in the hand of each player, clockwise from the viewer: / {STANDARD}", each=1),
    Block("stock", 1, f"cards in the stock: / {STANDARD}"),
)
DEALT = EventKind(DEAL, "the cards dealt to a hand, which its player sees", "{player} is dealt {cards}")
DRAWN = EventKind(DRAW, "the top card of the stock goes into a hand, whose player sees it", "{player} draws {cards}")
SHOWN = EventKind(REVEAL, "cards of a hand that all see, and that stay in it", "{player} shows {cards}")
_HAND, _SIZES, _STOCK = Layout(*HAND_OBSERVATION).places("hand", "hand_sizes", "stock")
_OF_CARDS = np.float32(1 / STANDARD)


# --- the deal, and the stock ---


@device_function
def deal_hands(state, first, count, size):
    """Deal `count` cards to every hand, one at a time clockwise from `first`, who moves first. The rest of the `size` cards of
    the deck is the stock."""
    n = np.int64(state.num_players)
    for seat in range(n):
        state.hand[seat] = ZERO
        state.shown[seat] = ZERO
    state.stock_at = 0
    state.stock_end = size
    seat = np.int64(first)
    for _ in range(n * count):
        state.hand[seat] |= BIT[next_card(state)]
        seat = clockwise(seat, 1, n)
    for _ in range(n):
        emit_cards(state, DEAL, seat, state.hand[seat], ZERO, 1 << seat, NOBODY)
        seat = clockwise(seat, 1, n)
    state.current_player = seat


@device_function
def stock_size(state):
    return np.int64(state.stock_end) - np.int64(state.stock_at)


@device_function
def next_card(state):
    """Take the top card of the stock, which must not be empty. Knowledge about a hand that gets the card may become invalid."""
    position = np.int64(state.stock_at)
    card = np.int64(state.deck[position])
    state.deck[position] = 0
    state.stock_at = position + 1
    return card


@device_function
def draw_card(state, seat):
    """Move the top card of the stock, which must not be empty, into a hand. Only its player sees the card."""
    card = next_card(state)
    state.hand[seat] |= BIT[card]
    emit_card(state, DRAW, seat, card, 1 << np.int64(seat), NOBODY)
    return card


@device_function
def show(state, seat, cards):
    """Show a set of cards of a player's hand to all."""
    state.shown[seat] |= cards
    emit_cards(state, REVEAL, seat, cards, ZERO, EVERYBODY, NOBODY)


@device_function
def leave_hand(state, seat, cards):
    """Remove a set of cards from a hand. The game records where they go and emits the event."""
    state.hand[seat] &= ~cards
    state.shown[seat] &= ~cards


# --- observation and hidden cards ---


@device_function
def observe_hands(state, viewer, out):
    """Write HAND_OBSERVATION, the first blocks of the game's observation."""
    n, seat = np.int64(state.num_players), np.int64(viewer)
    write_bits(out, start(_HAND, n), state.hand[seat])
    for place in range(n):
        out[start(_SIZES, n) + place] = np.float32(count_bits(state.hand[seat])) * _OF_CARDS
        seat = clockwise(seat, 1, n)
    out[start(_STOCK, n)] = np.float32(stock_size(state)) * _OF_CARDS


@device_function
def determinize(state, viewer):
    """`redraw_hidden` for games in which players know only the sizes of other hands and the cards shown."""
    redraw_hidden(state, viewer, state.shown, np.zeros(np.int64(state.num_players), np.uint64))


@device_function
def redraw_hidden(state, viewer, known, barred):
    """Deal the cards of the other hands and of the stock again, uniformly among all possible ways.

    Args:
        known: uint64 [seats], the cards that the viewer knows to be in each hand, which therefore stay: `shown`, if nobody
            knows more.
        barred: uint64 [seats], the cards that the viewer knows not to be among the other cards of each hand.
    """
    n, first, end = np.int64(state.num_players), np.int64(state.stock_at), np.int64(state.stock_end)
    room, hidden = np.zeros(n + 1, np.int64), ZERO
    for seat in range(n):
        if seat != viewer:
            unseen = state.hand[seat] & ~known[seat]
            hidden |= unseen
            room[seat] = count_bits(unseen)
            state.hand[seat] &= known[seat]
    for k in range(first, end):
        hidden |= BIT[np.int64(state.deck[k])]
    room[n] = end - first
    deal_again(state, hidden, room, barred)


@device_function
def deal_again(state, hidden, room, barred):
    """Deal a set of cards to hands and stock, a given number to each place (`deal_hidden`)."""
    n, position, count = np.int64(state.num_players), np.int64(state.stock_at), 0
    cards, allowed, where = np.empty(STANDARD, np.int64), np.empty(STANDARD, np.int64), np.empty(STANDARD, np.int64)
    for card in range(STANDARD):  # in order of id, so that the sample does not depend on the true arrangement
        if hidden & BIT[card] != ZERO:
            cards[count] = card
            allowed[count] = 1 << n
            for seat in range(n):
                if barred[seat] & BIT[card] == ZERO:
                    allowed[count] |= 1 << seat
            count += 1
    deal_hidden(state, np.arange(count), count, room, allowed[:count], where)  # each card is its own kind
    for k in range(count):
        if where[k] == n:
            state.deck[position] = cards[k]
            position += 1
        else:
            state.hand[where[k]] |= BIT[cards[k]]
    first = np.int64(state.stock_at)
    shuffle(state, state.deck[first:], position - first)


# --- zones, for ordinary Python ---


HAND_ZONES = {"hand": ZoneRole.HAND, "stock": ZoneRole.STOCK}


def hand_zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, shown cards first; stock (top first)."""
    by_zone = {}
    for seat in range(int(state.num_players)):
        hand, shown = int(state.hand[seat]), int(state.shown[seat])
        others = places(hand & ~shown)
        by_zone[f"hand/{seat}"] = places(hand & shown) + (others if viewer in (None, seat) else [HIDDEN] * len(others))
    stock = [int(card) for card in state.deck[int(state.stock_at) : int(state.stock_end)]]
    by_zone["stock"] = stock if viewer is None else [HIDDEN] * len(stock)
    return by_zone
