"""My Game: play cards that match the suit or rank of the pile's top card, and empty your hand first.

A small Crazy Eights for 2 to 5 players. Rules: rules.md (clauses MG-01 to MG-07).
"""

from dataclasses import dataclass

import numpy as np
from wilddeck.envs.core import events, hands
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import STANDARD, text
from wilddeck.envs.core.facts import Fact, FactRole
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout, start
from wilddeck.envs.core.match import pay_winners
from wilddeck.envs.core.seats import clockwise, seats_with_most
from wilddeck.envs.core.units import wins
from wilddeck.envs.core.zones import ZoneRole

SEATS = 5
EIGHTS = hands.RANK_CARDS[6]


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.integer(3, 2, SEATS, "number of players")
    cards: int = opt.integer(5, 1, 9, "cards dealt to each player (MG-01)")


FIELDS = [
    *hands.hand_fields(SEATS),
    Field("top", "u1", high=STANDARD - 1),
    Field("below", "u8", bits=hands.ALL_CARDS),  # a set, like a hand
    Field("passes", "u1", high=lambda options: options.num_players),  # since a card was played
]
ACTIONS = Layout(
    Block("play", STANDARD, "play this card, by id", label="play {card}"),
    Block("draw", 1, "draw a card"),
    Block("pass", 1, "pass if there is no card to draw"),
)
OBSERVATION = Layout(
    *hands.HAND_OBSERVATION,
    Block("top", STANDARD, "the top card of the pile, by id"),
    Block("below", STANDARD, "the cards of the pile below it, by id"),
    Block("passes", 0, "number of players who have passed since a card was played, one-hot; zeros for none", each=1),
)
EVENTS = (
    hands.DEALT,
    hands.DRAWN,
    events.EventKind(events.TURN_UP, "the first card of the pile (MG-02)", "{cards} is turned up"),
    events.EventKind(events.PLAY, "a card is played on the pile (MG-03)", "{player} plays {cards}"),
    events.EventKind(events.PASS, "a player passes (MG-05)", "{player} passes"),
)
_DRAW, _PASS = ACTIONS.places("draw", "pass")
_TOP, _BELOW, _PASSES = OBSERVATION.places("top", "below", "passes")


@device_function
def begin(state):
    hands.deal_hands(state, 0, np.int64(state.cards), STANDARD)  # seat 0 begins; the rest is the stock
    state.top = hands.next_card(state)
    events.emit_card(state, events.TURN_UP, events.NOBODY, state.top, events.EVERYBODY, events.NOBODY)


@device_function
def matching(top):
    return hands.SUIT_CARDS[top & 3] | hands.RANK_CARDS[top >> 2] | EIGHTS  # MG-03, MG-04


@device_function
def legal_actions(state, mask):
    n = np.int64(state.num_players)
    hands.write_bits(mask, 0, state.hand[state.current_player] & matching(np.int64(state.top)))
    mask[start(_DRAW if hands.stock_size(state) > 0 else _PASS, n)] = 1  # MG-05


@device_function
def step(state, action):
    n, seat = np.int64(state.num_players), np.int64(state.current_player)
    if action < STANDARD:
        play(state, seat, action)
    elif action == start(_DRAW, n):
        hands.draw_card(state, seat)
    else:
        state.passes += 1
        events.emit(state, events.PASS, seat, 0, events.NOBODY)
    if state.hand[seat] == hands.ZERO or state.passes == n:
        finish(state)
    else:
        state.current_player = clockwise(seat, 1, n)


@device_function
def play(state, seat, card):
    hands.leave_hand(state, seat, hands.BIT[card])
    state.below |= hands.BIT[state.top]
    state.top = card
    state.passes = 0
    events.emit_card(state, events.PLAY, seat, card, events.EVERYBODY, events.NOBODY)


@device_function
def finish(state):
    cards = np.zeros(SEATS, np.int64)
    for seat in range(np.int64(state.num_players)):
        cards[seat] = hands.count_bits(state.hand[seat])
    pay_winners(state, seats_with_most(state, -cards))  # MG-06, MG-07


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    hands.observe_hands(state, viewer, out)
    out[start(_TOP, n) + np.int64(state.top)] = 1
    hands.write_bits(out, start(_BELOW, n), state.below)
    if state.passes > 0:
        out[start(_PASSES, n) + np.int64(state.passes) - 1] = 1


def zones(state, viewer=None):
    return {**hands.hand_zones(state, viewer), "discard": [*hands.places(int(state.below)), int(state.top)]}


def describe(state, viewer=None):
    sizes = [int(hand).bit_count() for hand in state.hand[: int(state.num_players)]]
    top = text([int(state.top)])
    return [
        Fact(f"{top} on the pile", role=FactRole.TO_BEAT, value=top),
        *(Fact(f"{size} cards in hand", seat) for seat, size in enumerate(sizes)),
    ]


GAME = Game(
    name="my_game",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, hands.determinize),
    zones=zones,
    zone_roles={**hands.HAND_ZONES, "discard": ZoneRole.HEAP},
    describe=describe,
    unit=wins,
    bounds=Bounds(lambda options: STANDARD * (options.num_players + 1), (-1.0, 1.0)),
    private=("hand",),
    events=EVENTS,
    player="my_game.player",
    page="rules.md",
)
