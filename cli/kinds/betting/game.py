"""My Game: bet on a private card and a common one.

A small poker for 2 to 6 players: two rounds of bets, and a pair beats any rank. Rules: rules.md (clauses MG-01 to MG-09).
"""

from dataclasses import dataclass

import numpy as np
from wilddeck.envs.core import events, hands
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import RANKS, STANDARD, text
from wilddeck.envs.core.facts import Fact, FactRole
from wilddeck.envs.core.fields import Field, all_seats
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout, start
from wilddeck.envs.core.match import pay_pot
from wilddeck.envs.core.seats import clockwise, seats_with_most
from wilddeck.envs.core.units import Unit
from wilddeck.envs.core.zones import ZoneRole

SEATS, NO_CARD = 6, -1
ANTE, BET, MOST_RAISES = 1, 2, 2  # bets double in the second round; raises per round include the first bet
MOST_PAID = ANTE + MOST_RAISES * 3 * BET
FOLD, CHECK, CALL, RAISE = range(4)


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.integer(3, 2, SEATS, "number of players")


FIELDS = [
    *hands.hand_fields(SEATS),
    Field("board", "i1", low=NO_CARD, high=STANDARD - 1),
    Field("paid", "u1", (SEATS,), high=MOST_PAID),
    Field("folded", "u1", bits=all_seats),
    Field("raises", "u1", high=MOST_RAISES),  # in this round
    Field("to_act", "u1", high=lambda options: options.num_players),  # players who have yet to act in this round
]
ACTIONS = Layout(
    Block("fold", 1, "fold"),
    Block("check", 1, "check if there is nothing to call"),
    Block("call", 1, "call"),
    Block("raise", 1, "raise, or make the first bet"),
)
OBSERVATION = Layout(
    hands.OWN_HAND,
    Block("board", STANDARD, "the card on the board, by id; zeros in the first round"),
    Block("seat", 0, "the viewer's seat: one-hot", each=1),
    Block("paid", 0, f"chips paid by each player, clockwise from the viewer: / {MOST_PAID}", each=1),
    Block("folded", 0, "whether each player has folded, clockwise from the viewer", each=1),
    Block("raises", MOST_RAISES + 1, "raises in this round: one-hot"),
)
EVENTS = (
    hands.DEALT,
    events.EventKind(events.FOLD, "a player gives up (MG-04)", "{player} folds"),
    events.EventKind(events.CHECK, "a player checks", "{player} checks"),
    events.EventKind(events.CALL, "a player pays chips to call", "{player} calls {amount}"),
    events.EventKind(events.RAISE, "a player pays chips to call and raise", "{player} raises, and pays {amount}"),
    events.EventKind(events.TURN_UP, "a card comes to the board (MG-06)", "{cards} comes to the board"),
    hands.SHOWN,
)
KINDS = (events.FOLD, events.CHECK, events.CALL, events.RAISE)  # by action
_HAND, _BOARD, _SEAT, _PAID, _FOLDED, _RAISES = OBSERVATION.places("hand", "board", "seat", "paid", "folded", "raises")


@device_function
def begin(state):
    n = np.int64(state.num_players)
    for seat in range(n):
        state.paid[seat] = ANTE
    state.board = NO_CARD
    state.to_act = n
    hands.deal_hands(state, 0, 1, STANDARD)  # seat 0 is to move


@device_function
def owed(state):
    return np.int64(state.paid.max()) - np.int64(state.paid[state.current_player])


@device_function
def is_in(state, seat):
    return np.int64(state.folded) >> seat & 1 == 0


@device_function
def players_in(state):
    return np.int64(state.num_players) - hands.count_bits(np.int64(state.folded))


@device_function
def next_in(state, seat):
    seat = clockwise(seat, 1, np.int64(state.num_players))
    while not is_in(state, seat):
        seat = clockwise(seat, 1, np.int64(state.num_players))
    return seat


@device_function
def legal_actions(state, mask):
    mask[FOLD] = mask[CALL] = owed(state) > 0
    mask[CHECK] = owed(state) == 0
    mask[RAISE] = state.raises < MOST_RAISES  # MG-05


@device_function
def step(state, action):
    seat, amount = np.int64(state.current_player), 0 if action == FOLD else owed(state)
    state.to_act -= 1
    if action == FOLD:
        state.folded |= 1 << seat
    elif action == RAISE:
        amount += BET if state.board == NO_CARD else 2 * BET  # MG-06
        state.raises += 1
        state.to_act = players_in(state) - 1
    state.paid[seat] += amount
    events.emit(state, KINDS[action], seat, amount, events.NOBODY)
    if players_in(state) == 1 or (state.to_act == 0 and state.board != NO_CARD):
        pay(state)  # MG-04, MG-07
    elif state.to_act == 0:
        turn_up(state)
    else:
        state.current_player = next_in(state, seat)


@device_function
def turn_up(state):
    state.board = hands.next_card(state)
    state.raises = 0
    state.to_act = players_in(state)
    state.current_player = next_in(state, np.int64(state.num_players) - 1)
    events.emit_card(state, events.TURN_UP, events.NOBODY, state.board, events.EVERYBODY, events.NOBODY)


@device_function
def pay(state):
    strengths = np.full(SEATS, -1)
    for seat in range(np.int64(state.num_players)):
        if is_in(state, seat):
            rank = hands.lowest_bit(state.hand[seat]) >> 2
            strengths[seat] = rank + RANKS if rank == np.int64(state.board) >> 2 else rank  # MG-08
            if players_in(state) > 1:
                hands.show(state, seat, state.hand[seat])
    pay_pot(state, state.paid, seats_with_most(state, strengths))  # MG-09


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    hands.write_bits(out, start(_HAND, n), state.hand[viewer])
    if state.board != NO_CARD:
        out[start(_BOARD, n) + np.int64(state.board)] = 1
    out[start(_SEAT, n) + viewer] = 1
    for place in range(n):
        seat = clockwise(np.int64(viewer), place, n)
        out[start(_PAID, n) + place] = np.float32(np.int64(state.paid[seat]) / MOST_PAID)
        out[start(_FOLDED, n) + place] = np.int64(state.folded) >> seat & 1
    out[start(_RAISES, n) + np.int64(state.raises)] = 1


def zones(state, viewer=None):
    board = [] if state.board == NO_CARD else [int(state.board)]
    return {**hands.hand_zones(state, viewer), "board": board}


def describe(state, viewer=None):
    board = "no card" if state.board == NO_CARD else text([int(state.board)])
    paid = [int(chips) for chips in state.paid[: int(state.num_players)]]
    return [
        Fact(f"{board} on the board"),
        *(Fact(f"paid {chips}", seat, FactRole.BET, chips) for seat, chips in enumerate(paid)),
    ]


GAME = Game(
    name="my_game",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, hands.determinize),
    zones=zones,
    zone_roles={**hands.HAND_ZONES, "board": ZoneRole.ROW},
    describe=describe,
    unit=Unit("chip"),
    bounds=Bounds(
        max_length=lambda options: 2 * (MOST_RAISES + 1) * options.num_players,
        reward_range=lambda options: (-float(MOST_PAID), float(MOST_PAID * (options.num_players - 1))),
    ),
    private=("hand",),
    events=EVENTS,
    player="my_game.player",
    page="rules.md",
)
