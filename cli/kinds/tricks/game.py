"""My Game: bid the number of tricks that you will win, and win exactly as many.

A small Oh Hell for 3 to 5 players. Rules: rules.md (clauses MG-01 to MG-08).
"""

from dataclasses import dataclass

import numpy as np
from wilddeck.envs.core import events, tricks
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import STANDARD
from wilddeck.envs.core.facts import Fact, FactRole
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout, start
from wilddeck.envs.core.match import pay_relative
from wilddeck.envs.core.seats import clockwise
from wilddeck.envs.core.units import Unit
from wilddeck.envs.core.zones import ZoneRole

SEATS, CARDS, NO_BID = 5, 10, -1  # maximal numbers of players and cards; no bid yet


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.integer(3, 3, SEATS, "number of players")
    cards: int = opt.integer(5, 1, CARDS, "cards dealt to each player (MG-01)")


FIELDS = [
    *tricks.trick_fields(SEATS),
    Field("trump_card", "u1", high=STANDARD - 1),
    Field("bids", "i1", (SEATS,), low=NO_BID, high=CARDS),
]
ACTIONS = Layout(*tricks.TRICK_ACTIONS, Block("bid", CARDS + 1, "bid a number of tricks, 0 to 10"))
OBSERVATION = Layout(
    *tricks.TRICK_OBSERVATION,
    Block("trump_card", STANDARD, "the card turned up, by id"),
    Block("bids", 0, "each player's bid, clockwise from the viewer: none yet, 0..10, one-hot", each=CARDS + 2),
)
EVENTS = (
    *tricks.TRICK_EVENTS,
    events.EventKind(events.TURN_UP, "a card is turned up for trumps (MG-02)", "{cards} is turned up"),
    events.EventKind(events.BID, "a player bids (MG-03)", "{player} bids {amount}"),
)
_BID = ACTIONS.at("bid")
_TRUMP_CARD, _BIDS = OBSERVATION.places("trump_card", "bids")


@device_function
def begin(state):
    n = np.int64(state.num_players)
    for seat in range(n):
        state.bids[seat] = NO_BID
    tricks.deal_hands(state, 0, np.int64(state.cards), STANDARD)  # seat 0 bids and leads first; the rest is the stock
    state.trump_card = tricks.next_card(state)
    events.emit_card(state, events.TURN_UP, events.NOBODY, state.trump_card, events.EVERYBODY, events.NOBODY)


@device_function
def is_bidding(state):
    return state.bids[np.int64(state.num_players) - 1] == NO_BID


@device_function
def legal_actions(state, mask):
    first = start(_BID, np.int64(state.num_players))
    if is_bidding(state):
        mask[first : first + np.int64(state.cards) + 1] = 1  # MG-03
    else:
        tricks.mark_cards(mask, tricks.follow_suit(state))  # MG-05


@device_function
def step(state, action):
    n, seat = np.int64(state.num_players), np.int64(state.current_player)
    if is_bidding(state):
        state.bids[seat] = action - start(_BID, n)
        events.emit(state, events.BID, seat, state.bids[seat], events.NOBODY)
        state.current_player = clockwise(seat, 1, n)
    elif tricks.play_card(state, action):  # all have played
        tricks.take_trick(state, tricks.trick_winner(state, state.trump_card & 3))  # MG-06
        if tricks.is_played_out(state):
            finish(state)


@device_function
def finish(state):
    points = np.zeros(SEATS, np.int64)
    for seat in range(np.int64(state.num_players)):
        if state.bids[seat] == state.tricks[seat]:
            points[seat] = 10 + np.int64(state.tricks[seat])  # MG-07
    pay_relative(state, points, 10)  # MG-08


@device_function
def observe(state, viewer, out):
    tricks.observe_tricks(state, viewer, out)
    n = np.int64(state.num_players)
    out[start(_TRUMP_CARD, n) + np.int64(state.trump_card)] = 1
    for place in range(n):
        seat = clockwise(np.int64(viewer), place, n)
        out[start(_BIDS, n) + place * (CARDS + 2) + 1 + np.int64(state.bids[seat])] = 1


def zones(state, viewer=None):
    return {**tricks.trick_zones(state, viewer), "trump_card": [int(state.trump_card)]}


def describe(state, viewer=None):
    facts = tricks.trick_facts(state)
    for seat in range(int(state.num_players)):
        if state.bids[seat] != NO_BID:
            facts.append(Fact(f"bid {state.bids[seat]}", seat, FactRole.BID, int(state.bids[seat])))
            facts.append(Fact(f"has won {state.tricks[seat]}", seat, FactRole.TRICKS, int(state.tricks[seat])))
    return facts


GAME = Game(
    name="my_game",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, tricks.determinize),
    zones=zones,
    zone_roles={**tricks.TRICK_ZONES, "trump_card": ZoneRole.ROW},
    describe=describe,
    unit=Unit("point", 10, "ahead"),
    bounds=Bounds(lambda options: options.num_players * (options.cards + 1), (-2.0, 2.0)),
    private=("hand",),
    events=EVENTS,
    player="my_game.player",
    page="rules.md",
)
