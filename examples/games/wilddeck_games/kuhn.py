"""Kuhn poker: three cards, one bet, and a solution that fits into a table.

H. W. Kuhn (1950) solved it: the game is worth -1/18 to the first player. Rules: kuhn.md (clauses KU-01 to KU-08).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from wilddeck.envs.core import events
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import parse
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout
from wilddeck.envs.core.rng import shuffle
from wilddeck.envs.core.units import Unit

from . import heads_up
from .heads_up import begin, determinize, owed, pay, show_hands, to_call

DECK = parse("Js Qs Ks")
JACK, QUEEN, KING = range(3)
PASS, BET = 0, 1
_JACK, _APART = DECK[0], DECK[1] - DECK[0]  # ids
_THIRDS = np.uint64(3)


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Kuhn poker."""

    num_players: int = opt.integer(2, 2, 2, "number of players")


@device_function
def deal(state):
    for rank in range(3):
        state.deck[rank] = _JACK + _APART * rank  # KU-01
    shuffle(state, state.deck, 3)


@device_function
def legal_actions(state, mask):
    mask[:] = 1


@device_function
def step(state, action):
    seat, is_behind = np.int64(state.current_player), owed(state) > 0
    if action == BET:
        events.emit(state, events.CALL if is_behind else events.BET, seat, 1, events.NOBODY)
        state.paid[seat] = 2
    else:
        events.emit(state, events.FOLD if is_behind else events.CHECK, seat, 0, events.NOBODY)
    if action == PASS and is_behind:
        pay(state, 1 - seat)  # KU-06
    elif is_behind or (action == PASS and seat == 1):
        show_hands(state)
        pay(state, 1 if state.deck[1] > state.deck[0] else 0)  # KU-07
    state.current_player = 1 - seat


@device_function
def observe(state, viewer, out):
    out[(np.int64(state.deck[viewer]) - _JACK) // _APART] = 1
    out[3 + viewer] = 1
    out[5] = np.int64(state.paid[viewer]) - 1
    out[6] = np.int64(state.paid[1 - viewer]) - 1


@device_function
def policy(observation, mask, num_players, noise):
    """The equilibrium of the page: how often it bets or calls, in thirds."""
    is_first, is_behind, thirds = observation[3] > 0, observation[5] < observation[6], 0
    if observation[KING] > 0:
        thirds = 3
    elif observation[JACK] > 0 and not is_behind:
        thirds = 1
    elif observation[QUEEN] > 0 and is_behind:
        thirds = 2 if is_first else 1
    return BET if noise % _THIRDS < np.uint64(thirds) else PASS


GAME = Game(
    name="kuhn_poker",
    options=Options,
    fields=heads_up.shared_fields(2, board=0),
    actions=Layout(Block("pass", 1, "check, or after a bet fold"), Block("bet", 1, "bet 1, or after a bet call")),
    observation=Layout(
        Block("card", 3, "own card: jack, queen, king, one-hot"),
        Block("seat", 2, "viewer: one-hot"),
        Block("bets", 2, "whether the viewer has bet or called, and the other"),
    ),
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=lambda options: list(DECK),
    labels={
        "pass": lambda state, place: "fold" if to_call(state) else "check",
        "bet": lambda state, place: "call" if to_call(state) else "bet",
    },
    events=heads_up.EVENTS,
    describe=heads_up.describe,
    zones=heads_up.zones,
    zone_roles=heads_up.ZONES,
    unit=Unit("chip"),
    bounds=Bounds(max_length=3, reward_range=(-2.0, 2.0)),
    private=("card",),
    player="wilddeck_games.kuhn",
    page="kuhn.md",
)
