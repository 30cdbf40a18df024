"""Kuhn poker as a game of wilddeck: so small that it is solved exactly, and its value is known.

Three cards, an ante of 1 each; a player passes or bets 1. Two passes, or a bet that is passed, end it; a bet that is met
shows the cards. H. W. Kuhn (1950): the game is worth -1/18 to the first player.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from wilddeck.envs.core import events
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import HIDDEN
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout
from wilddeck.envs.core.rng import shuffle
from wilddeck.envs.core.zones import ZoneRole

CARDS = 3
PASS, BET = 0, 1


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.integer(2, 2, 2, "number of players")


@device_function
def deal(state):
    for card in range(CARDS):
        state.deck[card] = card
    shuffle(state, state.deck, CARDS)


@device_function
def begin(state):
    for player in range(2):
        state.card[player] = state.deck[player]
        state.paid[player] = 1
        events.emit_card(state, events.DEAL, player, state.card[player], 1 << player, events.NOBODY)
    state.stock = state.deck[2]
    state.deck[:] = 0
    state.current_player = 0


@device_function
def legal_actions(state, mask):
    mask[PASS] = 1
    mask[BET] = 1


@device_function
def step(state, action):
    player = np.int64(state.current_player)
    other = 1 - player
    behind = state.paid[player] < state.paid[other]
    events.emit(state, events.BET if action == BET else events.PASS, player, 0, events.NOBODY)
    if action == BET:
        state.paid[player] = 2
    if (action == BET and behind) or (action == PASS and not behind and state.moves > 0):
        finish(state, 0 if state.card[0] > state.card[1] else 1)
    elif action == PASS and behind:
        finish(state, other)
    state.moves += 1
    state.current_player = other


@device_function
def finish(state, winner):
    amount = np.float32(state.paid[1 - winner])
    state.rewards[winner] = amount
    state.rewards[1 - winner] = -amount
    state.terminated = 1


@device_function
def observe(state, viewer, out):
    out[np.int64(state.card[viewer])] = 1
    out[3 + viewer] = 1
    out[5] = np.float32(np.int64(state.paid[viewer]) / 2)
    out[6] = np.float32(np.int64(state.paid[1 - viewer]) / 2)
    out[7] = np.float32(np.int64(state.moves) / 3)


@device_function
def determinize(state, player):
    other = 1 - player
    hidden = np.zeros(2, np.uint8)
    hidden[0] = min(state.card[other], state.stock)
    hidden[1] = max(state.card[other], state.stock)
    shuffle(state, hidden, 2)
    state.card[other] = hidden[0]
    state.stock = hidden[1]


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, stock."""
    hands = {f"hand/{seat}": [int(state.card[seat]) if viewer in (None, seat) else HIDDEN] for seat in range(2)}
    return {**hands, "stock": [int(state.stock) if viewer is None else HIDDEN]}


GAME = Game(
    name="kuhn",
    title="Kuhn poker",
    options=Options,
    fields=[
        Field("card", "u1", (2,), high=CARDS - 1),
        Field("stock", "u1", high=CARDS - 1),
        Field("paid", "i1", (2,), high=2),
        Field("moves", "i1", high=3),
    ],
    actions=Layout(Block("pass", 1, "pass"), Block("bet", 1, "bet 1")),
    observation=Layout(
        Block("card", CARDS, "own card: one-hot"),
        Block("seat", 2, "viewer: one-hot"),
        Block("paid", 2, "chips paid by the viewer and the other / 2"),
        Block("moves", 1, "moves made / 3"),
    ),
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=lambda options: list(range(CARDS)),
    events=(
        events.EventKind(events.DEAL, "a card is dealt; its player sees it", "{player} is dealt {cards}"),
        events.EventKind(events.PASS, "a player passes", "{player} passes"),
        events.EventKind(events.BET, "a player bets 1", "{player} bets 1"),
    ),
    describe=lambda state, viewer=None: f"{int(state.paid[0])} and {int(state.paid[1])} paid",
    zones=zones,
    zone_roles={"hand": ZoneRole.HAND, "stock": ZoneRole.STOCK},
    bounds=Bounds(max_length=3, reward_range=(-2.0, 2.0)),
)
