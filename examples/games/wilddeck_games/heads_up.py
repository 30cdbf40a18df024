"""What the two small pokers share: two hands of a card, chips paid, a winner.

The cards stay in the deck as dealt: the hand of seat 0, that of seat 1, so many as `board` says that lie open, and those that
nobody sees. The record has besides `paid`, the chips that each seat has paid, and `shown`, whether the hands lie open.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from wilddeck.envs.core import events
from wilddeck.envs.core.cards import HIDDEN, STANDARD
from wilddeck.envs.core.events import EventKind
from wilddeck.envs.core.facts import Fact, FactRole, who
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.rng import shuffle
from wilddeck.envs.core.zones import ZoneRole

EVENTS = (
    EventKind(events.DEAL, "a card is dealt, which its player sees", "{player} is dealt {cards}"),
    EventKind(events.CHECK, "nothing was to be called", "{player} checks"),
    EventKind(events.BET, "the first chips of a round are bet", "{player} bets {amount}"),
    EventKind(events.FOLD, "a player gives up", "{player} folds"),
    EventKind(events.CALL, "so many chips are paid to call", "{player} calls {amount}"),
    EventKind(events.REVEAL, "a card is shown at the end", "{player} shows {cards}"),
    EventKind(events.WIN, "so many chips of the other are won", "{player} wins {amount}"),
)


def shared_fields(most_paid: int, board: int) -> list[Field]:
    """With the most that a seat pays, and the cards that come to the board."""
    return [
        Field("paid", "i1", (2,), low=1, high=most_paid),
        Field("board", "u1", high=board),
        Field("shown", "u1", high=1),
    ]


@device_function
def begin(state):
    for seat in range(2):
        state.paid[seat] = 1
        events.emit_card(state, events.DEAL, seat, state.deck[seat], 1 << seat, events.NOBODY)


@device_function
def owed(state):
    """The chips that the player to move must pay to call."""
    seat = np.int64(state.current_player)
    return np.int64(state.paid[1 - seat]) - state.paid[seat]


@device_function
def show_hands(state):
    state.shown = 1
    for seat in range(2):
        events.emit_card(state, events.REVEAL, seat, state.deck[seat], events.EVERYBODY, events.NOBODY)


@device_function
def pay(state, winner):
    """The winner gets what the loser has paid."""
    amount = np.int64(state.paid[1 - winner])
    events.emit(state, events.WIN, winner, amount, events.NOBODY)
    state.rewards[winner] = amount
    state.rewards[1 - winner] = -amount
    state.terminated = 1


@device_function
def determinize(state, player):
    """Shuffle the cards that a player does not see."""
    hidden, count, cards = np.int64(0), 0, np.zeros(state.deck.shape[0], np.uint8)
    for place in range(state.deck.shape[0]):
        if is_hidden(state, player, place):
            hidden |= np.int64(1) << np.int64(state.deck[place])
    for card in range(STANDARD):  # in an order that says nothing
        if hidden >> card & 1:
            cards[count] = card
            count += 1
    shuffle(state, cards, count)
    for place in range(state.deck.shape[0]):
        if is_hidden(state, player, place):
            count -= 1
            state.deck[place] = cards[count]


@device_function
def is_hidden(state, player, place):
    return place >= 2 + np.int64(state.board) or (place == 1 - player and not state.shown)


ZONES = {"hand": ZoneRole.HAND, "board": ZoneRole.ROW, "stock": ZoneRole.STOCK}


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>; board, when there is one; stock."""
    dealt, first = [int(card) for card in state.deck], 2 + int(state.board)
    if viewer is not None:
        dealt[first:] = [HIDDEN] * len(dealt[first:])
        if not state.shown:
            dealt[1 - viewer] = HIDDEN
    board = {"board": dealt[2:first]} if state.board else {}
    return {"hand/0": dealt[:1], "hand/1": dealt[1:2], **board, "stock": dealt[first:]}


def to_call(state: Any) -> int:
    """As `owed`, for texts."""
    return int(max(state.paid)) - int(state.paid[state.current_player])


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    first, second = (int(paid) for paid in state.paid)
    return [
        Fact(f"{who(0)} has paid {first}", 0, FactRole.BET, first),
        Fact(f"{who(1)} {second}", 1, FactRole.BET, second, sep=", "),
    ]
