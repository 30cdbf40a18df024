"""Getting rid of cards in rotation with the Extended Deck: the model of a game without tricks.

In a turn a player may draw one card and play up to four, whichever they like, and end it when they like. Who ends a turn
without cards is out; the game ends when one player is left, or after so many turns. With the option `reshuffle` the cards
played are shuffled when the pile is empty. `open_hands` are seats, as bits, whose hands lie face up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.bits import count_bits
from wilddeck.envs.core.cards import DECK_66
from wilddeck.envs.core.extended.hidden import redraw_hidden
from wilddeck.envs.core.extended.pile import take
from wilddeck.envs.core.extended.reveal import commit, mark_reveals, redeal_in_turn, reveal
from wilddeck.envs.core.extended.sets import add, ids_of, mark_cards, remove, size_of, specials_of, write_cards
from wilddeck.envs.core.extended.state import clear_deal, deal_hands, deck_option, extended_fields
from wilddeck.envs.core.extended.turns import ROTATION, begin_turn, end_turn, has_bit, note_effect
from wilddeck.envs.core.extended.view import (
    EXTENDED_ZONES,
    OF_HAND,
    REVEAL_ACTIONS,
    extended_facts,
    extended_observation,
    extended_zones,
    observe_extended,
    seat_from,
)
from wilddeck.envs.core.facts import Fact
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout, start
from wilddeck.envs.core.zones import ZoneRole

MAX_PLAYERS = 6
MOST = 4  # cards played in a turn


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.integer(4, 2, MAX_PLAYERS, "number of players")
    deck: str = deck_option()
    dealt: int = opt.integer(5, 1, 8, "cards dealt to each")
    reshuffle: bool = opt.flag(False, "whether the cards played become the pile when it is empty")
    open_hands: int = opt.integer(0, 0, 63, "seats whose hands lie face up, as bits")
    max_turns: int = opt.integer(60, 10, 200, "the game ends after so many turns")


FIELDS = [
    *extended_fields(MAX_PLAYERS),
    ("dealt", "u1"),
    ("reshuffle", "u1"),
    ("open_hands", "u1"),
    ("max_turns", "u1"),
    ("turns", "u1"),  # begun so far
    ("laid", "u1", (MAX_PLAYERS,)),  # cards each has played in their turn, which may be paused
    ("drawn", "u1", (MAX_PLAYERS,)),  # cards they have drawn in it
    ("table", "u8", (2,)),  # cards played, unless they are in `refill`
]
ACTIONS = Layout(
    Block("play", DECK_66, "play this card", label="play {card}"),
    *REVEAL_ACTIONS,
    Block("draw", 1, "draw a card"),
    Block("end", 1, "end the turn"),
)
OBSERVATION = Layout(
    *extended_observation(),
    Block("played", DECK_66, "cards played"),
    Block("open", MAX_PLAYERS * DECK_66, "hands that lie face up"),
    Block("turn", 2, "cards played in this turn / 4, cards drawn"),
)
REVEAL, COMMIT, DRAW, END = (ACTIONS.slices(4)[name].start for name in ("reveal", "commit", "draw", "end"))
_PLAYED, _OPEN, _TURN = OBSERVATION.at("played"), OBSERVATION.at("open"), OBSERVATION.at("turn")


@device_function
def begin(state):
    clear_deal(state)
    deal_hands(state, 0, np.int64(state.dealt))
    state.face_up = state.open_hands
    begin_turn(state, 0, ROTATION)
    go_on(state)


@device_function
def go_on(state):
    player = np.int64(state.turn)
    state.current_player = player
    if state.new_turn:
        state.new_turn = 0
        state.laid[player] = 0
        state.drawn[player] = 0
        state.turns += 1
        if state.turns > state.max_turns:
            finish(state)


@device_function
def finish(state):
    state.terminated = 1
    for seat in range(np.int64(state.num_players)):
        state.rewards[seat] = -np.float32(size_of(state.hand[seat]))


@device_function
def legal_actions(state, mask):
    seat = np.int64(state.turn)
    if mark_reveals(state, mask, REVEAL):
        return
    if state.laid[seat] < MOST:
        mark_cards(mask, 0, state.hand[seat, 0], state.hand[seat, 1])
    mask[DRAW] = state.drawn[seat] == 0
    mask[END] = 1


@device_function
def step(state, action):
    seat = np.int64(state.turn)
    if action < REVEAL:
        play_card(state, seat, action)
    elif action < COMMIT:
        reveal(state, action - REVEAL, ROTATION)
    elif action == COMMIT:
        commit(state, ROTATION)
    elif action == DRAW:
        state.drawn[seat] = 1
        take(state, seat, 1)
        if has_bit(state.face_up, seat):
            redeal_in_turn(state, specials_of(state.hand[seat]), ROTATION)
    else:
        finish_turn(state, seat)
    if not state.terminated:
        go_on(state)


@device_function
def play_card(state, seat, card):
    remove(state.hand[seat], card)
    if state.reshuffle:
        add(state.refill, card)
    else:
        add(state.table, card)
    note_effect(state, seat, card)
    state.laid[seat] += 1


@device_function
def finish_turn(state, seat):
    if size_of(state.hand[seat]) == 0:
        state.out = np.int64(state.out) | 1 << seat
        if count_bits(np.int64(state.out)) == np.int64(state.num_players) - 1:
            finish(state)
            return
    end_turn(state, ROTATION)


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    observe_extended(state, viewer, out, OF_HAND)
    write_cards(out, start(_PLAYED, n), state.table)
    write_cards(out, start(_PLAYED, n), state.refill)
    for seat in range(n):
        if has_bit(state.face_up, seat):
            write_cards(out, start(_OPEN, n) + seat_from(viewer, seat, n) * DECK_66, state.hand[seat])
    if viewer == state.turn:
        out[start(_TURN, n)] = np.float32(np.int64(state.laid[viewer]) / MOST)
        out[start(_TURN, n) + 1] = state.drawn[viewer]


@device_function
def determinize(state, viewer):
    known = np.zeros((MAX_PLAYERS, 2), np.uint64)
    for seat in range(np.int64(state.num_players)):
        if has_bit(state.face_up, seat):
            known[seat, 0] = state.hand[seat, 0]
            known[seat, 1] = state.hand[seat, 1]
    redraw_hidden(state, viewer, known)


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    shown_zones = extended_zones(state, viewer, int(state.face_up))
    return {**shown_zones, "table": ids_of(state.table), "refill": ids_of(state.refill)}


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    return [Fact(f"turn {int(state.turns)}"), *extended_facts(state)]


GAME = Game(
    name="toy_rotation",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, "table": ZoneRole.ROW, "refill": ZoneRole.ROW},
    bounds=Bounds(lambda options: 24 + (MOST + 2) * (options.max_turns + 1), (-66.0, 0.0), reward_sum=None),
)
