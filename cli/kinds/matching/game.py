"""My Game: ask others for ranks that you hold, and lay sets of them.

A small Go Fish for 2 to 5 players, in which a pair counts 1, three of a rank 3, and four 6. Rules: rules.md (clauses MG-01 to
MG-09).
"""

from dataclasses import dataclass

import numpy as np
from wilddeck.envs.core import events, hands
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import RANK_TEXT, RANKS, STANDARD
from wilddeck.envs.core.facts import Fact, FactRole
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout, start
from wilddeck.envs.core.match import pay_relative
from wilddeck.envs.core.seats import clockwise
from wilddeck.envs.core.units import Unit
from wilddeck.envs.core.zones import ZoneRole

SEATS = 5


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.integer(3, 2, SEATS, "number of players")
    cards: int = opt.integer(5, 1, 10, "cards dealt to each player (MG-01)")


FIELDS = [
    *hands.hand_fields(SEATS),
    Field("lacks", "u2", (SEATS,), bits=(1 << RANKS) - 1),  # ranks that, as all know, the hidden part of the hand lacks
    Field("laid", "u8", (SEATS,), bits=hands.ALL_CARDS),
]
ACTIONS = Layout(
    Block("lay", RANKS, "lay all your cards of a rank", label="lay {rank}"),
    Block("ask", -RANKS, "ask another player for a rank, the next one first", each=RANKS, label="ask player {seat} for {rank}"),
    Block("draw", 1, "draw a card instead"),
)
OBSERVATION = Layout(
    *hands.HAND_OBSERVATION,
    Block("shown", 0, "each player's cards that all have seen, clockwise from the viewer, by id", each=STANDARD),
    Block("lacks", 0, "the ranks that each player's hidden cards lack, as all know, clockwise", each=RANKS, lacks="rank"),
    Block("laid", 0, "each player's laid cards, clockwise, by id", each=STANDARD),
)
EVENTS = (
    hands.DEALT,
    hands.DRAWN,
    hands.SHOWN,
    events.EventKind(events.ASK, "a player asks another for a rank (MG-03)", "{player} asks {other} for {amount}", RANK_TEXT),
    events.EventKind(events.GIVE, "a player gives cards (MG-04)", "{player} gives {other} {cards}"),
    events.EventKind(events.MELD, "a player lays cards of a rank (MG-06)", "{player} lays {cards}"),
)
_ASK, _DRAW = ACTIONS.places("ask", "draw")
_SHOWN, _LACKS, _LAID = OBSERVATION.places("shown", "lacks", "laid")


@device_function
def begin(state):
    hands.deal_hands(state, 0, np.int64(state.cards), STANDARD)  # seat 0 begins; the rest is the stock


@device_function
def legal_actions(state, mask):
    n, seat = np.int64(state.num_players), np.int64(state.current_player)
    mask[start(_DRAW, n)] = 1
    for rank in range(RANKS):
        held = hands.count_bits(state.hand[seat] & hands.RANK_CARDS[rank])
        mask[rank] = held > 1  # MG-06
        for place in range(n - 1):
            asked = may_have(state, clockwise(seat, 1 + place, n), rank)
            mask[start(_ASK, n) + place * RANKS + rank] = held > 0 and asked  # MG-03


@device_function
def may_have(state, seat, rank):
    return np.int64(state.lacks[seat]) >> rank & 1 == 0 or state.shown[seat] & hands.RANK_CARDS[rank] != hands.ZERO


@device_function
def step(state, action):
    n, seat = np.int64(state.num_players), np.int64(state.current_player)
    if action < RANKS:
        lay(state, seat, action)
    elif action == start(_DRAW, n):
        draw(state, seat)
    else:
        place = action - start(_ASK, n)
        ask(state, seat, clockwise(seat, 1 + place // RANKS, n), place % RANKS)
    is_over = hands.stock_size(state) == 0
    for other in range(n):
        is_over = is_over or state.hand[other] == hands.ZERO
    if is_over:
        finish(state)  # MG-07


@device_function
def lay(state, seat, rank):
    cards = state.hand[seat] & hands.RANK_CARDS[rank]
    hands.leave_hand(state, seat, cards)
    state.laid[seat] |= cards
    state.lacks[seat] |= 1 << rank
    events.emit_cards(state, events.MELD, seat, cards, hands.ZERO, events.EVERYBODY, events.NOBODY)


@device_function
def ask(state, seat, other, rank):
    events.emit(state, events.ASK, seat, rank, other)
    hands.show(state, seat, state.hand[seat] & hands.RANK_CARDS[rank])
    state.lacks[seat] |= 1 << rank
    state.lacks[other] |= 1 << rank
    given = state.hand[other] & hands.RANK_CARDS[rank]
    if given == hands.ZERO:
        draw(state, seat)
        return
    hands.leave_hand(state, other, given)
    state.hand[seat] |= given
    state.shown[seat] |= given
    events.emit_cards(state, events.GIVE, other, given, hands.ZERO, events.EVERYBODY, seat)  # MG-04


@device_function
def draw(state, seat):
    hands.draw_card(state, seat)
    state.lacks[seat] = 0  # the card may be of any rank
    state.current_player = clockwise(seat, 1, np.int64(state.num_players))  # MG-05


@device_function
def finish(state):
    points = np.zeros(SEATS, np.int64)
    for seat in range(np.int64(state.num_players)):
        for rank in range(RANKS):
            laid = hands.count_bits(state.laid[seat] & hands.RANK_CARDS[rank])
            points[seat] += laid * (laid - 1) // 2  # MG-08
    pay_relative(state, points, 10)  # MG-09


@device_function
def observe(state, viewer, out):
    n, seat = np.int64(state.num_players), np.int64(viewer)
    hands.observe_hands(state, viewer, out)
    for place in range(n):
        hands.write_bits(out, start(_SHOWN, n) + place * STANDARD, state.shown[seat])
        hands.write_bits(out, start(_LACKS, n) + place * RANKS, np.uint64(state.lacks[seat]))
        hands.write_bits(out, start(_LAID, n) + place * STANDARD, state.laid[seat])
        seat = clockwise(seat, 1, n)


@device_function
def determinize(state, viewer):
    barred = np.zeros(SEATS, np.uint64)  # per hand, the cards that the viewer knows are not in it
    for seat in range(np.int64(state.num_players)):
        for rank in range(RANKS):
            if np.int64(state.lacks[seat]) >> rank & 1:
                barred[seat] |= hands.RANK_CARDS[rank]
    hands.redraw_hidden(state, viewer, state.shown, barred)


def zones(state, viewer=None):
    laid = {f"laid/{seat}": hands.places(int(state.laid[seat])) for seat in range(int(state.num_players))}
    return {**hands.hand_zones(state, viewer), **laid}


def describe(state, viewer=None):
    laid = [int(cards).bit_count() for cards in state.laid[: int(state.num_players)]]
    return [Fact(f"has laid {count} cards", seat, FactRole.SCORE, count) for seat, count in enumerate(laid)]


GAME = Game(
    name="my_game",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, determinize),
    zones=zones,
    zone_roles={**hands.HAND_ZONES, "laid": ZoneRole.ROW},
    describe=describe,
    unit=Unit("point", 10, "ahead"),
    bounds=Bounds(lambda options: 2 * STANDARD, (-8.0, 8.0)),
    private=("hand",),
    events=EVENTS,
    player="my_game.player",
    page="rules.md",
)
