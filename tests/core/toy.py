"""A game of a few lines for tests of core: several deals an episode, rewards in each, deals that bring rewards themselves.

Twelve cards. Each player is dealt two; the first card of the rest is turned up, and if it is card 0 player 0 gets 1 at once and
is dealt anew. Everybody plays one of two cards in turn; the highest card gets 2. After `hands` hands the episode ends,
truncated if `truncate` is set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.facts import Fact
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout
from wilddeck.envs.core.rng import shuffle
from wilddeck.envs.core.zones import ZoneRole

DECK = 12


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.one_of(2, (2, 3), "players")
    hands: int = opt.integer(3, 1, 5, "hands of an episode")
    truncate: bool = opt.flag(False, "whether the episode is cut off")


FIELDS = [
    ("hands", "u1"),
    ("truncate", "u1"),
    ("played", "i1", (3,)),
    ("hand", "u1", (3, 2)),
    ("finished", "u1"),  # hands played to their end
]


@device_function
def deal(state):  # type: ignore[no-untyped-def]
    for card in range(DECK):
        state.deck[card] = card
    shuffle(state, state.deck, DECK)


@device_function
def begin(state):  # type: ignore[no-untyped-def]
    n = np.int64(state.num_players)
    for player in range(n):
        state.hand[player, 0] = state.deck[player]
        state.hand[player, 1] = state.deck[n + player]
        state.played[player] = -1
    if state.deck[2 * n] == 0:
        state.rewards[0] += 1
        state.deal_pending = 1
    state.current_player = 0


@device_function
def legal_actions(state, mask):  # type: ignore[no-untyped-def]
    mask[0] = 1
    mask[1] = 1


@device_function
def step(state, action):  # type: ignore[no-untyped-def]
    player = np.int64(state.current_player)
    state.played[player] = state.hand[player, action]
    if player + 1 < np.int64(state.num_players):
        state.current_player = player + 1
        return
    best = 0
    for other in range(np.int64(state.num_players)):
        if state.played[other] > state.played[best]:
            best = other
    state.rewards[best] += 2
    state.finished += 1
    if state.finished < state.hands:
        state.deal_pending = 1
    elif state.truncate:
        state.truncated = 1
    else:
        state.terminated = 1


@device_function
def observe(state, player, out):  # type: ignore[no-untyped-def]
    out[0] = np.float32(np.int64(state.hand[player, 0]) / DECK)
    out[1] = np.float32(np.int64(state.hand[player, 1]) / DECK)


@device_function
def determinize(state, player):  # type: ignore[no-untyped-def]
    pass


def zones(state: Any, viewer: int | None) -> dict[str, list[int]]:
    return {f"hand/{player}": state.hand[player].tolist() for player in range(int(state.num_players))}


GAME = Game(
    name="toy",
    version=3,
    options=Options,
    fields=FIELDS,
    actions=Layout(
        Block("play", 2, "play the first or the second card", label="play {place}", parts={"place": ("first", "second")})
    ),
    observation=Layout(Block("hand", 2, "the two cards / 12")),
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=lambda options: list(range(DECK)),
    describe=lambda state, viewer: [Fact(f"hand {int(state.finished) + 1}")],
    zones=zones,
    zone_roles={"hand": ZoneRole.HAND},
    bounds=Bounds(lambda options: options.num_players * options.hands, (0.0, 8.0), reward_sum=None),
)
