"""Leduc hold'em: the poker of six cards and two rounds that algorithms are tried on.

Southey and others (2005) made it. Rules: leduc.md (clauses LE-01 to LE-10).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from wilddeck.envs.core import events
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import parse
from wilddeck.envs.core.events import EventKind
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout
from wilddeck.envs.core.parts import Label
from wilddeck.envs.core.rng import shuffle
from wilddeck.envs.core.units import Unit

from . import heads_up
from .heads_up import begin, determinize, owed, pay, show_hands, to_call

DECK = parse("Jh Js Qh Qs Kh Ks")
FOLD, CALL, RAISE = range(3)
JACK, QUEEN, KING = range(3)
MOST_RAISES = 2  # in a round, the first bet among them
MOVES = MOST_RAISES + 2  # of a round, at most
MOST_PAID = 13
_FIRST = DECK[0]
_BLUFF = np.uint64(4)


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Leduc hold'em."""

    num_players: int = opt.integer(2, 2, 2, "number of players")


OBSERVATION = Layout(
    Block("card", 3, "own card: jack, queen, king, one-hot"),
    Block("board", 3, "the card on the board, one-hot; zeros in the first round"),
    Block("seat", 2, "viewer: one-hot"),
    Block("moves", 4 * MOVES, "for each round the moves, the first in front: check or call, raise, one-hot"),
    Block("paid", 2, "chips paid by the viewer, and the other: / 13"),
)
_CARD, _BOARD, _SEAT, _MOVES, _PAID = OBSERVATION.places("card", "board", "seat", "moves", "paid", num_players=2)


@device_function
def deal(state):
    for k in range(6):
        state.deck[k] = _FIRST + 4 * (k // 2) + k % 2  # LE-01
    shuffle(state, state.deck, 6)


@device_function
def rank_of(card):
    return (np.int64(card) - _FIRST) >> 2


@device_function
def count_moves(state, least):
    """The moves of this round, or its raises."""
    count = 0
    for k in range(MOVES):
        count += state.moves[np.int64(state.board), k] >= least
    return count


@device_function
def legal_actions(state, mask):
    mask[FOLD] = owed(state) > 0  # LE-05
    mask[CALL] = 1
    mask[RAISE] = count_moves(state, RAISE) < MOST_RAISES  # LE-06


@device_function
def step(state, action):
    seat, due, number = np.int64(state.current_player), owed(state), count_moves(state, CALL)
    state.current_player = 1 - seat
    if action == FOLD:
        events.emit(state, events.FOLD, seat, 0, events.NOBODY)
        pay(state, 1 - seat)  # LE-08
        return
    state.moves[np.int64(state.board), number] = action
    if action == RAISE:
        size = 2 + 2 * np.int64(state.board)
        events.emit(state, events.RAISE if due else events.BET, seat, size, events.NOBODY)
        state.paid[seat] += due + size
        return
    events.emit(state, events.CALL if due else events.CHECK, seat, due, events.NOBODY)
    state.paid[seat] += due
    if number > 0:
        end_round(state)  # LE-07


@device_function
def end_round(state):
    if state.board == 0:
        state.board = 1
        state.current_player = 0
        events.emit_card(state, events.TURN_UP, events.NOBODY, state.deck[2], events.EVERYBODY, events.NOBODY)
        return
    show_hands(state)
    lead = strength(state, 0) - strength(state, 1)
    if lead != 0:
        pay(state, 0 if lead > 0 else 1)
    state.terminated = 1  # LE-10


@device_function
def strength(state, seat):
    """LE-09."""
    own = rank_of(state.deck[seat])
    return KING + 1 if own == rank_of(state.deck[2]) else own


@device_function
def observe(state, viewer, out):
    out[_CARD + rank_of(state.deck[viewer])] = 1
    if state.board:
        out[_BOARD + rank_of(state.deck[2])] = 1
    out[_SEAT + viewer] = 1
    for k in range(2 * MOVES):
        move = np.int64(state.moves[k // MOVES, k % MOVES])
        if move >= CALL:
            out[_MOVES + 2 * k + move - CALL] = 1
    for k in range(2):
        out[_PAID + k] = np.float32(np.int64(state.paid[viewer if k == 0 else 1 - viewer]) / MOST_PAID)


@device_function
def policy(observation, mask, num_players, noise):
    """Raises with a pair, and before the board with a king; bluffs at times; folds what is below a queen, then a king."""
    own, pair, is_open = JACK, False, False
    for rank in range(3):
        if observation[_CARD + rank] > 0:
            own, pair = rank, observation[_BOARD + rank] > 0
        is_open = is_open or observation[_BOARD + rank] > 0
    if mask[RAISE] and (pair or (own == KING and not is_open) or (not mask[FOLD] and noise % _BLUFF == np.uint64(0))):
        return RAISE
    if mask[FOLD] and not pair and own < (KING if is_open else QUEEN):
        return FOLD
    return CALL


GAME = Game(
    name="leduc_poker",
    title="Leduc hold'em",
    options=Options,
    fields=[*heads_up.shared_fields(MOST_PAID, board=1), Field("moves", "u1", (2, MOVES), high=RAISE)],
    actions=Layout(Block("fold", 1, "fold"), Block("call", 1, "call, or check"), Block("raise", 1, "raise, or bet")),
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=lambda options: list(DECK),
    labels={
        "call": lambda state, place: Label("call {amount}", {"amount": to_call(state)}) if to_call(state) else "check",
        "raise": lambda state, place: f"{'raise by' if to_call(state) else 'bet'} {4 if state.board else 2}",
    },
    events=(
        *heads_up.EVENTS,
        EventKind(events.RAISE, "so many chips are paid beyond a call", "{player} raises by {amount}"),
        EventKind(events.TURN_UP, "a card comes to the board", "{cards} comes to the board"),
    ),
    describe=heads_up.describe,
    zones=heads_up.zones,
    zone_roles=heads_up.ZONES,
    unit=Unit("chip"),
    bounds=Bounds(max_length=2 * MOVES, reward_range=(-float(MOST_PAID), float(MOST_PAID))),
    private=("card",),
    player="wilddeck_games.leduc",
    page="leduc.md",
)
