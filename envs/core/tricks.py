"""A kit for games of tricks with ordinary cards: any number of seats, a deck of any size up to 52, with trumps or without.

A game takes the fields, the blocks and the events from here, puts the shared blocks first in its layouts, and calls:

    deal_hands(state, first, count, size)      # in `begin`; the rest of the deck is the stock, `next_card` takes from it
    mark_cards(mask, follow_suit(state))       # in `legal_actions`
    if play_card(state, action):               # in `step`: all have played to the trick
        take_trick(state, trick_winner(state, trump))
        if is_played_out(state): ...           # the hand is over
    observe_tricks(state, viewer, out)         # in `observe`

`determinize` is a game's own as it stands, unless more is known of hands than which suits they lack: then it calls
`redraw_hidden`. Tricks go clockwise, aces are high. A set of cards is one word, bit k being the card of id k.
(`extended/tricks.py` is for four players, with Jokers, Draws, Reverses and Skips.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bits import count_bits
from .cards import HIDDEN, STANDARD, SUITS, text
from .events import DEAL, EVERYBODY, NOBODY, PLAY, TRICK_WON, EventKind, emit_card, emit_cards, emit_list
from .extended.sets import ZERO, places, write_bits
from .fields import Field, last_seat
from .hidden import deal_hidden
from .jit import device_function
from .layout import Block, Layout, start
from .rng import shuffle
from .seats import clockwise
from .zones import ZoneRole

NO_SUIT = -1  # as trumps: none; as the led suit: nothing is led
SUIT_CARDS = np.array([sum(1 << card for card in range(suit, STANDARD, SUITS)) for suit in range(SUITS)], np.uint64)
BIT = np.array([1 << card for card in range(STANDARD)], np.uint64)
_ALL_CARDS, _ALL_SUITS = (1 << STANDARD) - 1, (1 << SUITS) - 1
_UNIT = 13  # tricks that the observation writes as 1


def _most_tricks(options: Any) -> int:
    return STANDARD // options.num_players


def trick_fields(seats: int) -> list[Field]:
    """What the record of a game of tricks holds, for up to `seats` players. Card k of the trick was played k seats clockwise of
    the leader. The stock is `deck[stock_at:stock_end]`, top first."""
    return [
        Field("hand", "u8", (seats,), bits=_ALL_CARDS),  # sets of cards
        Field("played", "u8", (seats,), bits=_ALL_CARDS),  # to earlier tricks of the hand
        Field("seen_void", "u1", (seats,), bits=_ALL_SUITS),  # suits, as bits, that everybody knows a hand to lack
        Field("tricks", "u1", (seats,), high=_most_tricks),  # won in this hand
        Field("trick", "u1", (seats,), high=STANDARD - 1),
        Field("trick_size", "u1", high=lambda options: options.num_players),
        Field("leader", "i1", high=last_seat),  # who leads or led the trick
        Field("stock_at", "u1", high=STANDARD),
        Field("stock_end", "u1", high=STANDARD),
    ]


TRICK_ACTIONS = (Block("play", STANDARD, "play this card, by id", label="play {card}"),)
TRICK_OBSERVATION = (
    Block("hand", STANDARD, "own hand: 1 for each card, by id"),
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
    EventKind(DEAL, "the cards dealt to a hand, which its player sees", "{player} is dealt {cards}"),
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
    """Deal `count` cards to every hand, one at a time clockwise from `first`, who is to move and leads the first trick. What is
    left of the `size` cards of the deck is the stock. Nothing stays of a hand played before."""
    n = np.int64(state.num_players)
    for seat in range(n):
        state.hand[seat] = ZERO
        state.played[seat] = ZERO
        state.seen_void[seat] = 0
        state.tricks[seat] = 0
        state.trick[seat] = 0
    state.trick_size = 0
    state.stock_at = 0
    state.stock_end = size
    seat = np.int64(first)
    for _ in range(n * count):
        state.hand[seat] |= BIT[next_card(state)]
        seat = clockwise(seat, 1, n)
    for _ in range(n):
        emit_cards(state, DEAL, seat, state.hand[seat], ZERO, 1 << seat, NOBODY)
        seat = clockwise(seat, 1, n)
    state.leader = seat
    state.current_player = seat


@device_function
def next_card(state):
    """Take the top card of the stock, which must have one. Of a hand that takes it in play, clear `seen_void`."""
    position = np.int64(state.stock_at)
    card = np.int64(state.deck[position])
    state.deck[position] = 0
    state.stock_at = position + 1
    return card


# --- tricks ---


@device_function
def led_suit(state):
    """NO_SUIT before a lead."""
    return np.int64(state.trick[0]) & 3 if state.trick_size > 0 else np.int64(NO_SUIT)


@device_function
def follow_suit(state):
    """The set of cards that the player to move may play: of the led suit if they have one, else any."""
    cards = state.hand[np.int64(state.current_player)]
    if state.trick_size > 0:
        same = cards & SUIT_CARDS[led_suit(state)]
        if same != ZERO:
            return same
    return cards


@device_function
def mark_cards(mask, cards):
    """Mark a set of cards as legal to play; TRICK_ACTIONS are the first of the game's actions."""
    write_bits(mask, 0, cards)


@device_function
def play_card(state, card):
    """The player to move plays a card, and the next one clockwise is to move. Returns whether all have played: then the trick
    is to be taken (`take_trick`)."""
    n, seat, size = np.int64(state.num_players), np.int64(state.current_player), np.int64(state.trick_size)
    led = led_suit(state)
    state.hand[seat] &= ~BIT[card]
    if size > 0 and card & 3 != led:
        state.seen_void[seat] = np.int64(state.seen_void[seat]) | 1 << led
    state.trick[size] = card
    state.trick_size = size + 1
    emit_card(state, PLAY, seat, card, EVERYBODY, NOBODY)
    state.current_player = clockwise(seat, 1, n)
    return size + 1 == n


@device_function
def trick_seat(state, k):
    """Who played card k of the trick."""
    return clockwise(np.int64(state.leader), k, np.int64(state.num_players))


@device_function
def trick_winner(state, trump):
    """Who has played the highest trump or, if there is none, the highest card of the led suit. `trump` is a suit or NO_SUIT."""
    best, place = np.int64(state.trick[0]), 0
    for k in range(1, np.int64(state.trick_size)):
        card = np.int64(state.trick[k])
        if card > best if (card ^ best) & 3 == 0 else card & 3 == trump:
            best, place = card, k
    return trick_seat(state, place)


@device_function
def take_trick(state, winner):
    """The trick counts for `winner`, who is to move and leads the next."""
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
    """Between two tricks: whether the hands are empty."""
    return state.hand[np.int64(state.current_player)] == ZERO


# --- as seen ---


@device_function
def observe_tricks(state, viewer, out):
    """Write TRICK_OBSERVATION, with which the game's observation begins."""
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
    """`redraw_hidden` where the viewer knows of the other hands only which suits they lack."""
    redraw_hidden(state, viewer, np.zeros(np.int64(state.num_players), np.uint64))


@device_function
def redraw_hidden(state, viewer, known):
    """Deal the cards of the other hands and of the stock again, each way being as likely: no hand gets a suit of its
    `seen_void`.

    Args:
        known: uint64 [seats], of each hand the set of cards that the viewer knows to be in it, and that therefore stay.
    """
    n = np.int64(state.num_players)
    room, allowed, hidden = np.zeros(n + 1, np.int64), np.empty(SUITS, np.int64), ZERO
    allowed[:] = (1 << (n + 1)) - 1
    for seat in range(n):
        if seat != viewer:
            unseen = state.hand[seat] & ~known[seat]
            hidden |= unseen
            room[seat] = count_bits(unseen)
            state.hand[seat] &= known[seat]
            for suit in range(SUITS):
                if np.int64(state.seen_void[seat]) >> suit & 1:
                    allowed[suit] &= ~(1 << seat)
    first, end = np.int64(state.stock_at), np.int64(state.stock_end)
    for k in range(first, end):
        hidden |= BIT[np.int64(state.deck[k])]
    room[n] = end - first
    deal_again(state, hidden, room, allowed)


@device_function
def deal_again(state, hidden, room, allowed):
    """Deal a set of cards to hands and stock, so many to each place (`deal_hidden`)."""
    n, position, count = np.int64(state.num_players), np.int64(state.stock_at), 0
    cards, kinds, where = np.empty(STANDARD, np.int64), np.empty(STANDARD, np.int64), np.empty(STANDARD, np.int64)
    for card in range(STANDARD):  # in order of id, so that the true arrangement leaves no trace
        if hidden & BIT[card] != ZERO:
            cards[count] = card
            kinds[count] = card & 3
            count += 1
    deal_hidden(state, kinds, count, room, allowed, where)
    for k in range(count):
        if where[k] == n:
            state.deck[position] = cards[k]
            position += 1
        else:
            state.hand[where[k]] |= BIT[cards[k]]
    first = np.int64(state.stock_at)
    shuffle(state, state.deck[first:], position - first)


# --- text and zones, for ordinary Python ---


TRICK_ZONES = {
    "hand": ZoneRole.HAND,
    "trick": ZoneRole.PLAYED,
    "played": ZoneRole.ROW,
    "stock": ZoneRole.STOCK,
}


def trick_zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, trick/<seat>, played/<seat> to earlier tricks, stock (top first)."""
    n, leader = int(state.num_players), int(state.leader)
    by_zone: dict[str, list[int]] = {}
    for seat in range(n):
        hand = places(int(state.hand[seat]))
        by_zone[f"hand/{seat}"] = hand if viewer in (None, seat) else [HIDDEN] * len(hand)
        place = (seat - leader) % n
        by_zone[f"trick/{seat}"] = [int(state.trick[place])] if place < state.trick_size else []
        by_zone[f"played/{seat}"] = places(int(state.played[seat]))
    stock = [int(card) for card in state.deck[int(state.stock_at) : int(state.stock_end)]]
    by_zone["stock"] = stock if viewer is None else [HIDDEN] * len(stock)
    return by_zone


def trick_facts(state: Any) -> list[str]:
    """The number of the trick, and who led it with what, in a few words each: for `describe`."""
    done = sum(int(number) for number in state.tricks)
    facts = [f"trick {done + 1 if any(state.hand) or state.trick_size else done}"]
    if state.trick_size:
        facts.append(f"player {int(state.leader)} led {text([int(state.trick[0])])}")
    return facts
