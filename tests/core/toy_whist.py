"""Whist for 2 to 5 players on the kit of tricks: as small as a game of tricks can be, with a stock and a hand that is known.

Each is dealt `cards`; the next card lies face up, its suit is trumps. With `open_hand` the dealer's hand, seat 0's, lies face
up. Every trick pays its winner 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from wilddeck.envs.core import options as opt
from wilddeck.envs.core import tricks
from wilddeck.envs.core.cards import STANDARD
from wilddeck.envs.core.events import EVERYBODY, NOBODY, REVEAL, EventKind, emit_card, emit_cards
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout, start
from wilddeck.envs.core.zones import ZoneRole

SEATS = 5


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.integer(3, 2, SEATS, "number of players")
    cards: int = opt.integer(5, 1, 10, "cards of each")
    open_hand: bool = opt.flag(False, "the hand of seat 0 lies face up")


OBSERVATION = Layout(
    *tricks.TRICK_OBSERVATION,
    Block("trump", STANDARD, "the card turned up, by id"),
    Block("open", STANDARD, "the hand that lies face up, by id"),
)
_TRUMP, _OPEN = OBSERVATION.places("trump", "open")


@device_function
def begin(state):
    tricks.deal_hands(state, 1, np.int64(state.cards), STANDARD)
    state.trump = tricks.next_card(state)
    emit_card(state, REVEAL, NOBODY, state.trump, EVERYBODY, NOBODY)
    if state.open_hand:
        emit_cards(state, REVEAL, 0, state.hand[0], np.uint64(0), EVERYBODY, NOBODY)


@device_function
def legal_actions(state, mask):
    tricks.mark_cards(mask, tricks.follow_suit(state))


@device_function
def step(state, action):
    if tricks.play_card(state, action):
        winner = tricks.trick_winner(state, state.trump & 3)
        state.rewards[winner] = 1
        tricks.take_trick(state, winner)
        state.terminated = tricks.is_played_out(state)


@device_function
def observe(state, viewer, out):
    tricks.observe_tricks(state, viewer, out)
    n = np.int64(state.num_players)
    out[start(_TRUMP, n) + np.int64(state.trump)] = 1
    if state.open_hand:
        tricks.write_bits(out, start(_OPEN, n), state.hand[0])


@device_function
def determinize(state, viewer):
    known = np.zeros(SEATS, np.uint64)
    if state.open_hand:
        known[0] = state.hand[0]
    tricks.redraw_hidden(state, viewer, known)


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    seen = tricks.trick_zones(state, viewer)
    if state.open_hand:
        seen["hand/0"] = tricks.trick_zones(state)["hand/0"]
    return {**seen, "trump": [int(state.trump)]}


GAME = Game(
    name="toy_whist",
    options=Options,
    fields=[*tricks.trick_fields(SEATS), Field("trump", "u1", high=STANDARD - 1)],
    actions=Layout(*tricks.TRICK_ACTIONS),
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=lambda state, viewer: tricks.trick_facts(state),
    zones=zones,
    zone_roles={**tricks.TRICK_ZONES, "trump": ZoneRole.ROW},
    bounds=Bounds(lambda options: options.num_players * options.cards, (0.0, 1.0), lambda options: (0.0, options.cards), None),
    private=("hand",),
    events=(*tricks.TRICK_EVENTS, EventKind(REVEAL, "the card, or the hand, that lies face up", "{cards} lies face up")),
)
