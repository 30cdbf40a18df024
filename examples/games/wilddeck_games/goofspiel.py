"""Goofspiel: all bid for a prize at once, each bid can be made once, the highest takes the prize.

2 to 4 players, 3 to 13 prizes. Rules: goofspiel.md (clauses GO-01 to GO-08).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from wilddeck.envs.core import events
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import HIDDEN, RANKS, SUITS
from wilddeck.envs.core.events import EventKind
from wilddeck.envs.core.facts import Fact, FactRole
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function, plain
from wilddeck.envs.core.layout import Block, Layout, start
from wilddeck.envs.core.match import pay_relative
from wilddeck.envs.core.rng import random_below, shuffle
from wilddeck.envs.core.seats import clockwise
from wilddeck.envs.core.units import Unit
from wilddeck.envs.core.zones import ZoneRole

SEATS, MOST, DIAMONDS = 4, RANKS, 1
NOBODY = 255  # won a prize
SHUFFLED, DESCENDING, ASCENDING = range(3)
UNIT = 10.0  # points that a return of 1 is


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Goofspiel."""

    num_players: int = opt.integer(2, 2, SEATS, "number of players")
    prizes: int = opt.integer(13, 3, MOST, "how many prizes there are, and bids (GO-01)")
    order: str = opt.one_of("shuffled", ("shuffled", "descending", "ascending"), "in which prizes come up (GO-02)")


FIELDS = [
    Field("left", "u2", (SEATS,), high=(1 << MOST) - 1),  # bids of each, as bits
    Field("bids", "u1", (SEATS,), high=MOST),  # of the prize that lies there; 0: not yet
    Field("won_by", "u1", (MOST,), high=NOBODY),
    Field("turn", "u1", high=MOST),
]
ACTIONS = Layout(Block("bid", MOST, "a bid, by its value", label="bid {amount}", parts={"amount": range(1, MOST + 1)}))
OBSERVATION = Layout(
    Block("prize", MOST, "value of the prize that lies there: one-hot"),
    Block("to_come", MOST, "prizes that are still to come, by value"),
    Block("left", 0, "of each player, clockwise, the bids that they have left", each=MOST),
    Block("points", 0, "of each player, clockwise, points / 91", each=1),
)
_PRIZE, _TO_COME, _LEFT, _POINTS = OBSERVATION.places("prize", "to_come", "left", "points")


def deck_of(options: Options) -> list[int]:
    """Diamonds: the ace, which is 1, and up."""
    return [(value + RANKS - 2) % RANKS * SUITS + DIAMONDS for value in range(1, options.prizes + 1)]


@device_function
def value_of(card):
    return (np.int64(card) // SUITS + 1) % RANKS + 1


@device_function
def deal(state):
    n = np.int64(state.prizes)
    for k in range(n):
        value = n - k if state.order == DESCENDING else k + 1
        state.deck[k] = (value + RANKS - 2) % RANKS * SUITS + DIAMONDS
    if state.order == SHUFFLED:
        shuffle(state, state.deck, n)


@device_function
def begin(state):
    for seat in range(np.int64(state.num_players)):
        state.left[seat] = (1 << np.int64(state.prizes)) - 1  # GO-03
    turn_up(state)


@device_function
def turn_up(state):
    state.current_player = 0
    events.emit_card(state, events.TURN_UP, events.NOBODY, state.deck[np.int64(state.turn)], events.EVERYBODY, events.NOBODY)


@device_function
def legal_actions(state, mask):
    left = np.int64(state.left[np.int64(state.current_player)])
    for value in range(np.int64(state.prizes)):
        mask[value] = left >> value & 1


@device_function
def step(state, action):
    n, seat = np.int64(state.num_players), np.int64(state.current_player)
    state.bids[seat] = action + 1
    state.current_player = clockwise(seat, 1, n)
    if seat == n - 1:  # GO-04: they are shown when all have bid
        award(state)
        state.turn += 1
        if state.turn == state.prizes:
            pay_relative(state, points_of(state), UNIT)  # GO-08
        else:
            turn_up(state)


@device_function
def award(state):
    """GO-05, GO-06."""
    n, turn = np.int64(state.num_players), np.int64(state.turn)
    highest, winner = np.int64(0), np.int64(NOBODY)
    for seat in range(n):
        bid = np.int64(state.bids[seat])
        events.emit(state, events.BID, seat, bid, events.NOBODY)
        state.left[seat] = np.int64(state.left[seat]) & ~(1 << (bid - 1))
        if bid >= highest:
            winner = NOBODY if bid == highest else seat
            highest = bid
        state.bids[seat] = 0
    state.won_by[turn] = winner
    if winner != NOBODY:
        events.emit_card(state, events.WIN, winner, state.deck[turn], events.EVERYBODY, events.NOBODY)


@device_function
def points_of(state):
    points = np.zeros(SEATS, np.int64)
    for turn in range(np.int64(state.turn)):
        winner = np.int64(state.won_by[turn])
        if winner != NOBODY:
            points[winner] += value_of(state.deck[turn])
    return points


@device_function
def observe(state, viewer, out):
    n, turn, points = np.int64(state.num_players), np.int64(state.turn), points_of(state)
    for k in range(turn, np.int64(state.prizes)):
        out[start(_PRIZE if k == turn else _TO_COME, n) + value_of(state.deck[k]) - 1] = 1
    for place in range(n):
        seat = clockwise(np.int64(viewer), place, n)
        for value in range(MOST):
            out[start(_LEFT, n) + place * MOST + value] = np.int64(state.left[seat]) >> value & 1
        out[start(_POINTS, n) + place] = points[seat] / np.float32(91)


@device_function
def determinize(state, viewer):
    """What others have bid is any of their bids, prizes to come are in any order."""
    for seat in range(np.int64(state.num_players)):
        if state.bids[seat] and seat != viewer:
            left = np.int64(state.left[seat])
            place = random_below(state, np.int64(state.prizes) - np.int64(state.turn))
            value = 0
            while place or not left >> value & 1:
                place -= left >> value & 1
                value += 1
            state.bids[seat] = value + 1
    if state.order == SHUFFLED and state.turn < state.prizes:
        cards = np.sort(state.deck[np.int64(state.turn) + 1 : np.int64(state.prizes)])
        shuffle(state, cards, len(cards))
        state.deck[np.int64(state.turn) + 1 : np.int64(state.prizes)] = cards


def at_once(state: Any) -> range:
    """GO-04."""
    return range(int(state.current_player), int(state.num_players))


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """won/<seat>; prize; lost, what nobody has won; stock, the prizes to come."""
    dealt, turn = [int(card) for card in state.deck[: int(state.prizes)]], int(state.turn)
    winners = [int(state.won_by[k]) for k in range(turn)]
    won = {f"won/{seat}": [dealt[k] for k in range(turn) if winners[k] == seat] for seat in range(int(state.num_players))}
    lost = [dealt[k] for k in range(turn) if winners[k] == NOBODY]
    hidden = viewer is not None and state.order == SHUFFLED
    stock = [HIDDEN if hidden else card for card in dealt[turn + 1 :]]
    return {**won, "prize": dealt[turn : turn + 1], "lost": lost, "stock": stock}


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    points, facts = [int(total) for total in plain(points_of)(state)], []
    for seat in range(int(state.num_players)):
        left = " ".join(str(value + 1) for value in range(MOST) if int(state.left[seat]) >> value & 1)
        facts += [Fact(f"{points[seat]} points", seat, FactRole.SCORE, points[seat]), Fact(f"bids left: {left}", seat)]
    return facts


GAME = Game(
    name="goofspiel",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=deck_of,
    deck_size=MOST,
    zones=zones,
    zone_roles={"won": ZoneRole.HEAP, "prize": ZoneRole.ROW, "lost": ZoneRole.HEAP, "stock": ZoneRole.STOCK},
    describe=describe,
    at_once=at_once,
    events=[
        EventKind(events.TURN_UP, "a prize comes up", "{cards} is the prize"),
        EventKind(events.BID, "what a player has bid is shown", "{player} has bid {amount}"),
        EventKind(events.WIN, "a player takes the prize", "{player} takes {cards}"),
    ],
    unit=Unit("point", UNIT, "ahead"),
    bounds=Bounds(
        max_length=lambda options: options.num_players * options.prizes,
        reward_range=lambda options: (-9.1, 9.1),
    ),
    private=(),
    page="goofspiel.md",
)
