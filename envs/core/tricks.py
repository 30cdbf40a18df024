"""A kit for trick games with standard cards: any number of seats, a deck of up to 52 cards, with or without trumps.

A game uses the fields, blocks and events defined here, puts the shared blocks first in its layouts, and calls:

    deal_hands(state, first, count, size)      # in `begin`; the rest of the deck is the stock, `next_card` takes from it
    mark_cards(mask, follow_suit(state))       # in `legal_actions`
    if play_card(state, action):               # in `step`: all have played to the trick
        take_trick(state, trick_winner(state, trump))
        if is_played_out(state): ...           # the hand is over
    observe_tricks(state, viewer, out)         # in `observe`

A game can use `determinize` unchanged, unless a player knows more about hands than the cards shown (`hands.show`) and the suits
they lack; then its own calls `redraw_hidden`. Tricks go clockwise, aces are high. Sets of cards, hands and the stock are as in
`hands.py`. (`extended/tricks.py` is for four players, with Jokers, Draws, Reverses and Skips.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import hands
from .cards import STANDARD, SUITS, text
from .events import EVERYBODY, NOBODY, PLAY, TRICK_WON, EventKind, emit_card, emit_list
from .extended.sets import ZERO, places, write_bits
from .facts import Fact, FactRole, who
from .fields import Field, last_seat
from .hands import ALL_CARDS, BIT, SUIT_CARDS
from .hands import next_card as next_card
from .jit import device_function
from .layout import Block, Layout, start
from .seats import clockwise
from .zones import ZoneRole

NO_SUIT = -1  # trumps: none; led suit: nothing is led
_ALL_SUITS = (1 << SUITS) - 1
_UNIT = 13  # scale of tricks in the observation


def _most_tricks(options: Any) -> int:
    return STANDARD // options.num_players


def trick_fields(seats: int) -> list[Field]:
    """The fields of a trick game's record for up to `seats` players. Card k of the trick was played by the seat k places
    clockwise of the leader."""
    return [
        *hands.hand_fields(seats),
        Field("played", "u8", (seats,), bits=ALL_CARDS),  # in earlier tricks of the hand
        Field("seen_void", "u1", (seats,), bits=_ALL_SUITS),  # suits, as bits, that a hand is publicly known to lack
        Field("tricks", "u1", (seats,), high=_most_tricks),  # won in this hand
        Field("trick", "u1", (seats,), high=STANDARD - 1),
        Field("trick_size", "u1", high=lambda options: options.num_players),
        Field("leader", "i1", high=last_seat),  # who leads or led the trick
    ]


TRICK_ACTIONS = (Block("play", STANDARD, "play this card, by id", label="play {card}"),)
TRICK_OBSERVATION = (
    hands.OWN_HAND,
    Block("led_suit", SUITS, "the led suit c, d, h, s: one-hot"),
    Block("trick_cards", 0, "the trick: of each player, clockwise from the viewer, their card by id", each=STANDARD),
    Block("played", 0, "cards played to earlier tricks of the hand by each player, clockwise, by id", each=STANDARD),
    Block("leader", 0, "who leads or led the trick, clockwise: one-hot", each=1),
    Block(
        "tricks",
        0,
        f"tricks won by each player, clockwise: / {_UNIT}",
        each=1,
        high=lambda options: max(1.0, _most_tricks(options) / _UNIT),
    ),
    Block("seen_void", 0, "of each player, clockwise, the suits that all know them to lack", each=SUITS, lacks="suit"),
)
TRICK_EVENTS = (
    hands.DEALT,
    EventKind(PLAY, "a card is played to the trick", "{player} plays {cards}"),
    EventKind(TRICK_WON, "who wins the trick, and its cards in the order played", "{player} wins the trick {cards}"),
)
_SHARED = Layout(*TRICK_OBSERVATION)
_HAND, _LED, _TRICK, _PLAYED = _SHARED.places("hand", "led_suit", "trick_cards", "played")
_LEADER, _TRICKS, _VOID = _SHARED.places("leader", "tricks", "seen_void")
_OF_TRICKS = np.float32(1 / _UNIT)


# --- the deal ---


@device_function
def deal_hands(state, first, count, size):
    """Deal `count` cards to every hand, one at a time clockwise from `first`, who moves next and leads the first trick. The
    rest of the `size` cards of the deck is the stock. Everything from an earlier hand is cleared."""
    for seat in range(np.int64(state.num_players)):
        state.played[seat] = ZERO
        state.seen_void[seat] = 0
        state.tricks[seat] = 0
        state.trick[seat] = 0
    state.trick_size = 0
    state.leader = first
    hands.deal_hands(state, first, count, size)


# --- tricks ---


@device_function
def led_suit(state):
    """The suit led; NO_SUIT before a lead."""
    return np.int64(state.trick[0]) & 3 if state.trick_size > 0 else np.int64(NO_SUIT)


@device_function
def follow_suit(state):
    """The cards that the player to move may play, as a set: the led suit if they have it, else any."""
    cards = state.hand[np.int64(state.current_player)]
    if state.trick_size > 0:
        same = cards & SUIT_CARDS[led_suit(state)]
        if same != ZERO:
            return same
    return cards


@device_function
def mark_cards(mask, cards):
    """Mark a set of cards as legal to play; TRICK_ACTIONS must be the first actions of the game."""
    write_bits(mask, 0, cards)


@device_function
def play_card(state, card):
    """Play a card and pass the turn clockwise. Returns whether all have played; then the game calls `take_trick`."""
    n, seat, size = np.int64(state.num_players), np.int64(state.current_player), np.int64(state.trick_size)
    led = led_suit(state)
    hands.leave_hand(state, seat, BIT[card])
    if size > 0 and card & 3 != led:
        state.seen_void[seat] = np.int64(state.seen_void[seat]) | 1 << led
    state.trick[size] = card
    state.trick_size = size + 1
    emit_card(state, PLAY, seat, card, EVERYBODY, NOBODY)
    state.current_player = clockwise(seat, 1, n)
    return size + 1 == n


@device_function
def trick_seat(state, k):
    """The seat that played card k of the trick."""
    return clockwise(np.int64(state.leader), k, np.int64(state.num_players))


@device_function
def trick_winner(state, trump):
    """The seat of the highest trump or, if none was played, of the highest card of the led suit. `trump` is a suit or
    NO_SUIT."""
    best, place = np.int64(state.trick[0]), 0
    for k in range(1, np.int64(state.trick_size)):
        card = np.int64(state.trick[k])
        if card > best if (card ^ best) & 3 == 0 else card & 3 == trump:
            best, place = card, k
    return trick_seat(state, place)


@device_function
def take_trick(state, winner):
    """Give the trick to `winner`, who moves next and leads the next trick."""
    size = np.int64(state.trick_size)
    emit_list(state, TRICK_WON, winner, state.trick, 0, size, EVERYBODY, NOBODY)
    for k in range(size):
        state.played[trick_seat(state, k)] |= BIT[np.int64(state.trick[k])]
        state.trick[k] = 0
    state.trick_size = 0
    state.tricks[winner] += 1
    state.leader = winner
    state.current_player = winner


@device_function
def is_played_out(state):
    """Whether the hands are empty, between two tricks."""
    return state.hand[np.int64(state.current_player)] == ZERO


# --- observation and hidden cards ---


@device_function
def observe_tricks(state, viewer, out):
    """Write TRICK_OBSERVATION, the first blocks of the game's observation."""
    n = np.int64(state.num_players)
    write_bits(out, start(_HAND, n), state.hand[viewer])
    played, tricks, void = start(_PLAYED, n), start(_TRICKS, n), start(_VOID, n)
    seat = np.int64(viewer)
    for place in range(n):
        write_bits(out, played + place * STANDARD, state.played[seat])
        write_bits(out, void + place * SUITS, np.uint64(state.seen_void[seat]))
        out[tricks + place] = np.float32(state.tricks[seat]) * _OF_TRICKS
        seat = clockwise(seat, 1, n)
    leader = clockwise(np.int64(state.leader), n - viewer, n)
    out[start(_LEADER, n) + leader] = 1
    if state.trick_size > 0:
        out[start(_LED, n) + led_suit(state)] = 1
    trick = start(_TRICK, n)
    for k in range(np.int64(state.trick_size)):
        out[trick + clockwise(leader, k, n) * STANDARD + np.int64(state.trick[k])] = 1


@device_function
def determinize(state, viewer):
    """Deal the cards of the other hands and of the stock again, uniformly among all possible ways: shown cards stay, and no
    hand gets a suit of its `seen_void`."""
    redraw_hidden(state, viewer, state.shown)


@device_function
def redraw_hidden(state, viewer, known):
    """As `determinize`, for a viewer who knows more cards than those shown to all: `known`, uint64 [seats], a set per hand."""
    n = np.int64(state.num_players)
    barred = np.zeros(n, np.uint64)
    for seat in range(n):
        for suit in range(SUITS):
            if np.int64(state.seen_void[seat]) >> suit & 1:
                barred[seat] |= SUIT_CARDS[suit]
    hands.redraw_hidden(state, viewer, known, barred)


# --- text and zones, for ordinary Python ---


TRICK_ZONES = {**hands.HAND_ZONES, "trick": ZoneRole.PLAYED, "played": ZoneRole.ROW}


def trick_zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, trick/<seat>, played/<seat> to earlier tricks, stock (top first)."""
    n, leader = int(state.num_players), int(state.leader)
    by_zone = hands.hand_zones(state, viewer)
    for seat in range(n):
        place = (seat - leader) % n
        by_zone[f"trick/{seat}"] = [int(state.trick[place])] if place < state.trick_size else []
        by_zone[f"played/{seat}"] = places(int(state.played[seat]))
    return by_zone


def trick_facts(state: Any) -> list[Fact]:
    """The number of the trick, and who led it with which card, for `describe`."""
    number, leader = sum(map(int, state.tricks)) + bool(any(state.hand) or state.trick_size), int(state.leader)
    facts = [Fact(f"trick {number}", role=FactRole.COURSE, value=number)]
    if state.trick_size:
        facts.append(Fact(f"{who(leader)} led {text([int(state.trick[0])])}", leader, FactRole.LEAD))
    return facts
