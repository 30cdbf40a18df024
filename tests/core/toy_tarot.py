"""A game with cards of its own: two packs of a tarot, 78 cards of which 22 are trumps with pictures, shuffled together.

Each of 2 to 4 players has three cards; all lay one, of equal cards the first, and the highest is worth 1. It has more ids than
the suite's cards, and every card twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import HIDDEN, TEXT, CardSet
from wilddeck.envs.core.events import DEAL, NOBODY, PLAY, TRICK_WON, EventKind, emit, emit_card
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout, start
from wilddeck.envs.core.render.pictures import NAVY
from wilddeck.envs.core.rng import shuffle
from wilddeck.envs.core.seats import clockwise
from wilddeck.envs.core.zones import ZoneRole

SEATS, HAND, IDS, COPIES = 4, 3, 78, 2
EMPTY = 255


def picture(pen: Any, card: int) -> None:
    """The court of knights and the trumps, which the suite has no drawings of."""
    pen.circle(35, 50, 24, NAVY)
    pen.text(CARDS.texts[card], 35, 50, 16, (255, 255, 255), 40)


def _texts() -> tuple[str, ...]:
    ranks = [TEXT[4 * rank : 4 * rank + 4] for rank in range(13)]
    knights = tuple(f"N{suit}" for suit in "cdhs")
    by_rank = [ranks[12], *ranks[:10], knights, *ranks[10:12]]  # the Ace is low, the knight below the Queen
    return (*(word for words in by_rank for word in words), "Fool", *(f"T{number}" for number in range(1, 22)))


CARDS = CardSet(_texts(), picture=picture)


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.integer(3, 2, SEATS, "number of players")


ACTIONS = Layout(Block("play", IDS, "a card by id", label="play {card}", parts={"card": range(IDS)}))
OBSERVATION = Layout(
    Block("hand", IDS, "how many of each card, by id", high=COPIES),
    Block("table", 0, "what each player laid, clockwise, by id", each=IDS),
)
_HAND, _TABLE = OBSERVATION.places("hand", "table")


def deck(options: Options) -> list[int]:
    return [card for card in range(IDS) for _ in range(COPIES)]


@device_function
def deal(state):
    for card in range(IDS * COPIES):
        state.deck[card] = card // COPIES
    shuffle(state, state.deck, IDS * COPIES)


@device_function
def begin(state):
    for seat in range(np.int64(state.num_players)):
        state.table[seat] = EMPTY
        for slot in range(HAND):
            state.hand[seat, slot] = state.deck[seat * HAND + slot]
            state.deck[seat * HAND + slot] = 0  # nobody looks there again
            emit_card(state, DEAL, seat, state.hand[seat, slot], 1 << seat, NOBODY)
    state.current_player = 0


@device_function
def legal_actions(state, mask):
    for slot in range(HAND):
        mask[np.int64(state.hand[np.int64(state.current_player), slot])] = 1


@device_function
def step(state, action):
    n, seat = np.int64(state.num_players), np.int64(state.current_player)
    for slot in range(HAND):
        if state.hand[seat, slot] == action:
            state.hand[seat, slot] = EMPTY
            break
    state.table[seat] = action
    emit_card(state, PLAY, seat, action, (1 << n) - 1, NOBODY)
    state.current_player = clockwise(seat, 1, n)
    if seat == n - 1:
        winner = np.argmax(state.table[:n])
        state.rewards[winner] = 1
        emit(state, TRICK_WON, winner, 0, NOBODY)
        state.terminated = 1


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    for slot in range(HAND):
        if state.hand[viewer, slot] != EMPTY:
            out[start(_HAND, n) + np.int64(state.hand[viewer, slot])] += 1
    for place in range(n):
        card = np.int64(state.table[clockwise(np.int64(viewer), place, n)])
        if card != EMPTY:
            out[start(_TABLE, n) + place * IDS + card] = 1


@device_function
def determinize(state, viewer):
    """What the others hold and the stock are as good as any cards that are left."""
    n = np.int64(state.num_players)
    left = np.full(IDS, COPIES, np.int64)
    for seat in range(n):
        if state.table[seat] != EMPTY:
            left[np.int64(state.table[seat])] -= 1
    for slot in range(HAND):
        if state.hand[viewer, slot] != EMPTY:
            left[np.int64(state.hand[viewer, slot])] -= 1
    unseen = np.empty(IDS * COPIES, np.uint8)
    count = 0
    for card in range(IDS):
        for _ in range(left[card]):
            unseen[count] = card
            count += 1
    shuffle(state, unseen, count)
    for seat in range(n):
        for slot in range(HAND):
            if seat != viewer and state.hand[seat, slot] != EMPTY:
                count -= 1
                state.hand[seat, slot] = unseen[count]
    for place in range(n * HAND, IDS * COPIES):
        count -= 1
        state.deck[place] = unseen[count]


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    n = int(state.num_players)
    by_zone = {}
    for seat in range(n):
        hand = [int(card) for card in state.hand[seat] if card != EMPTY]
        by_zone[f"hand/{seat}"] = hand if viewer in (None, seat) else [HIDDEN] * len(hand)
        by_zone[f"table/{seat}"] = [int(state.table[seat])] if state.table[seat] != EMPTY else []
    stock = [int(card) for card in state.deck[n * HAND :]]
    return {**by_zone, "stock": stock if viewer is None else [HIDDEN] * len(stock)}


GAME = Game(
    name="toy_tarot",
    options=Options,
    fields=[Field("hand", "u1", (SEATS, HAND), high=EMPTY), Field("table", "u1", (SEATS,), high=EMPTY)],
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    cards=CARDS,
    deck=deck,
    zones=zones,
    zone_roles={"hand": ZoneRole.HAND, "table": ZoneRole.PLAYED, "stock": ZoneRole.STOCK},
    events=[
        EventKind(DEAL, "a card is dealt", "{player} is dealt {cards}"),
        EventKind(PLAY, "a card is laid", "{player} lays {cards}"),
        EventKind(TRICK_WON, "the highest card wins", "{player} has the highest card"),
    ],
    bounds=Bounds(SEATS, (0.0, 1.0), reward_sum=1.0),
)
