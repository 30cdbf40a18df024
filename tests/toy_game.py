"""A game to test with: rewards at every move to every seat, skipped turns, and ends before some seats have moved at all."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from wilddeck.agents.base import Agent, PolicyAgent
from wilddeck.agents.views import Views
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.events import NOBODY, PLAY, EventKind, emit
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.game import Bounds, Game, Money
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout
from wilddeck.envs.core.rng import shuffle
from wilddeck.envs.core.zones import ZoneRole

DECK = 12
ACTIONS = 4


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.integer(3, 2, 6, "number of players")
    colour: int = opt.integer(0, 0, 3, "changes nothing")


@device_function
def deal(state):
    for card in range(DECK):
        state.deck[card] = card
    shuffle(state, state.deck, DECK)


@device_function
def begin(state):
    state.moves_left = 1 + np.int64(state.deck[0]) % 9
    state.current_player = np.int64(state.deck[1]) % np.int64(state.num_players)


@device_function
def legal_actions(state, mask):
    left = np.int64(state.moves_left)
    for action in range(ACTIONS):
        if (np.int64(state.deck[left]) + action) % 3 != 0:
            mask[action] = 1


@device_function
def step(state, action):
    n = np.int64(state.num_players)
    player = np.int64(state.current_player)
    emit(state, PLAY, player, action, NOBODY)
    state.moves_left -= 1
    left = np.int64(state.moves_left)
    for seat in range(n):
        state.rewards[seat] = np.float32((1 + action) * (((seat - player + n) % n) - 1))
        state.total[seat] += (1 + action) * (((seat - player + n) % n) - 1)
    if left == 0:
        state.terminated = 1
        for seat in range(n):
            state.rewards[seat] += np.float32(16 * (seat + 1))
    state.current_player = (player + 1 + np.int64(state.deck[left]) % 2) % n


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    out[0] = np.float32(np.int64(state.moves_left) / 16)
    out[1] = np.float32(np.int64(state.total[viewer]) / 64)
    out[2 + viewer] = 1
    left = np.int64(state.moves_left)
    for action in range(ACTIONS):
        if (np.int64(state.deck[left]) + action) % 3 != 0:
            out[2 + n + action] = 1


@device_function
def determinize(state, player):
    return


GAME = Game(
    name="toy",
    options=Options,
    fields=[("colour", "u1"), Field("moves_left", "i1", high=9), Field("total", "i4", (6,), low=-400, high=400)],
    actions=Layout(Block("play", ACTIONS, "a number")),
    observation=Layout(
        Block("facts", 2, "moves left, total", low=-8, high=8), Block("seat", 0, "viewer", each=1), Block("legal", 4, "legal")
    ),
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=lambda options: list(range(DECK)),
    zones=lambda state, viewer=None: {"deck": state.deck.tolist()},
    zone_roles={"deck": ZoneRole.STOCK},
    events=[EventKind(PLAY, "a number is played", "{player} plays {amount}")],
    bounds=Bounds(max_length=9, reward_range=(-200.0, 200.0), reward_sum=None),
)


def partners(options: Options) -> tuple[tuple[int, ...], ...]:
    """Every other seat is a partner; an odd number of players play alone."""
    n = options.num_players
    return tuple((seat,) for seat in range(n)) if n % 2 else (tuple(range(0, n, 2)), tuple(range(1, n, 2)))


TEAMS = replace(GAME, teams=partners)
MONEY = replace(GAME, money=Money(10.0))
TOLD_TWICE = replace(GAME, money=Money(10.0, lambda options: ("cents/card", options.num_players / 100)))


@device_function
def last_legal(observation, mask, num_players, noise):
    best = 0
    for action in range(mask.shape[0]):
        if mask[action]:
            best = action
    return best


class FirstLegal(Agent):
    """Plays the first legal action; not compiled."""

    name = "first"

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return views.action_mask.argmax(axis=1)


def last_agent(num_players: int) -> PolicyAgent:
    """Plays the last legal action; compiled."""
    return PolicyAgent("last", last_legal, num_players)
