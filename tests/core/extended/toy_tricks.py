"""Plain tricks for four with the Extended Deck: the model of a trick game, with trumps, and a hand that may lie face up.

Seat 0 leads; whoever wins a trick gets 1. The option `dummy` is the seat of a hand that lies face up, whose partner plays it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import DECK_66, SUITS
from wilddeck.envs.core.extended.hidden import redraw_hidden
from wilddeck.envs.core.extended.sets import NO_SUIT, add, write_cards
from wilddeck.envs.core.extended.state import (
    NOBODY,
    TRICK_PLAYERS,
    TRICKS,
    clear_deal,
    deal_hands,
    deck_option,
    extended_fields,
    trick_fields,
)
from wilddeck.envs.core.extended.tricks import (
    MAX_STEPS,
    ask_jokers,
    clear_tricks,
    end_trick,
    following,
    mark_trick,
    start_tricks,
    step_trick,
    trick_winner,
)
from wilddeck.envs.core.extended.view import (
    EXTENDED_OBSERVATION,
    EXTENDED_ZONES,
    OF_HAND,
    TRICK_ACTIONS,
    TRICK_OBSERVATION,
    TRICK_ZONES,
    extended_facts,
    extended_zones,
    observe_extended,
    observe_tricks,
    trick_facts,
    trick_zones,
)
from wilddeck.envs.core.facts import Fact
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout, start
from wilddeck.envs.core.seats import clockwise

NO_DUMMY = 4
_ALL_SUITS = 15


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.one_of(4, (4,), "number of players")
    deck: str = deck_option()
    trump: str = opt.one_of("none", ("c", "d", "h", "s", "none"), "trumps")
    dummy: int = opt.integer(NO_DUMMY, 0, NO_DUMMY, "the seat of a hand that lies face up, 4 for none")


FIELDS = [
    *extended_fields(TRICK_PLAYERS),
    *trick_fields(),
    ("trump", "i1"),
    ("dummy", "u1"),
    ("won", "u8", (TRICK_PLAYERS, 2)),
    ("tricks", "u1", (TRICK_PLAYERS,)),
]
ACTIONS = Layout(*TRICK_ACTIONS)
OBSERVATION = Layout(
    *EXTENDED_OBSERVATION,
    *TRICK_OBSERVATION,
    Block("won", TRICK_PLAYERS * DECK_66, "cards won by each player"),
    Block("dummy", DECK_66, "the hand that lies face up"),
    Block("tricks", TRICK_PLAYERS, "tricks won by each player / 13"),
)
_WON, _DUMMY, _TRICKS = OBSERVATION.at("won"), OBSERVATION.at("dummy"), OBSERVATION.at("tricks")


@device_function
def begin(state):
    clear_deal(state)
    clear_tricks(state)
    deal_hands(state, 0, TRICKS)
    if state.dummy < NO_DUMMY:
        state.face_up = 1 << np.int64(state.dummy)
    start_tricks(state, 0)
    go_on(state)


@device_function
def go_on(state):
    while state.turn == NOBODY:
        trump = trump_of(state)
        if ask_jokers(state, trump, False):
            break
        winner = trick_winner(state, trump)
        if winner != NOBODY:
            state.tricks[winner] += 1
            state.rewards[winner] += 1
            for k in range(np.int64(state.trick_size)):
                add(state.won[winner], np.int64(state.trick_card[k]))
        end_trick(state, winner)
        if state.tricks_done == TRICKS:
            state.terminated = 1
            return
    player = np.int64(state.turn)
    state.current_player = clockwise(player, 2, 4) if player == state.dummy else player


@device_function
def legal_actions(state, mask):
    mark_trick(state, mask, following(state), state.hand[np.int64(state.turn), 1], _ALL_SUITS)


@device_function
def step(state, action):
    step_trick(state, action)
    go_on(state)


@device_function
def trump_of(state):
    return np.int64(state.trump) if state.trump < SUITS else np.int64(NO_SUIT)


@device_function
def observe(state, viewer, out):
    observe_extended(state, viewer, out, OF_HAND)
    observe_tricks(state, viewer, out, state.hand[viewer, 0], trump_of(state))
    won, tricks = start(_WON, TRICK_PLAYERS), start(_TRICKS, TRICK_PLAYERS)
    for seat in range(TRICK_PLAYERS):
        place = (seat - viewer) & 3
        write_cards(out, won + place * DECK_66, state.won[seat])
        out[tricks + place] = np.float32(np.int64(state.tricks[seat]) / TRICKS)
    if state.dummy < NO_DUMMY:
        write_cards(out, start(_DUMMY, TRICK_PLAYERS), state.hand[np.int64(state.dummy)])


@device_function
def determinize(state, viewer):
    known = np.zeros((TRICK_PLAYERS, 2), np.uint64)
    if state.dummy < NO_DUMMY:
        dummy = np.int64(state.dummy)
        known[dummy, 0], known[dummy, 1] = state.hand[dummy, 0], state.hand[dummy, 1]
    redraw_hidden(state, viewer, known)


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    return {**extended_zones(state, viewer, 1 << int(state.dummy)), **trick_zones(state)}


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    return [*trick_facts(state), *extended_facts(state)]


GAME = Game(
    name="toy_tricks",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, **TRICK_ZONES},
    bounds=Bounds(MAX_STEPS, (0.0, 4.0), reward_sum=None),
)
