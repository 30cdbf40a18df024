"""Spades: two partnerships bid how many of thirteen tricks they will win; spades are trumps, too many extra tricks cost points.

Played with the Extended Deck, or with 52 cards; one hand, or a match to 500.
Rules: docs/rules/spades.md (clauses SP-01 to SP-47).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import options as opt
from ..core.cards import DECK_66, SUITS
from ..core.events import BID, SCORE, EventKind, emit
from ..core.extended.events import EXTENDED_EVENTS, TRICK_EVENTS
from ..core.extended.hidden import redraw_hidden
from ..core.extended.sets import NO_SUIT, SUIT, SUIT_CARDS, ZERO, size_of
from ..core.extended.state import (
    NOBODY,
    TRICK_PLAYERS,
    TRICKS,
    clear_deal,
    deal_hands,
    deck_option,
    extended_fields,
    trick_fields,
)
from ..core.extended.tricks import (
    DECLARE_AT,
    MAX_STEPS,
    REVEAL_AT,
    WINS,
    ask_jokers,
    clear_tricks,
    end_trick,
    following,
    led_suit,
    mark_trick,
    start_tricks,
    step_trick,
    trick_winner,
)
from ..core.extended.view import (
    EXTENDED_OBSERVATION,
    EXTENDED_ZONES,
    OF_HAND,
    TRICK_ACTIONS,
    TRICK_OBSERVATION,
    TRICK_ZONES,
    extended_facts,
    extended_zones,
    observe_extended,
    observe_tricks,
    trick_facts,
    trick_zones,
)
from ..core.facts import Fact, FactRole, counted, joined, who
from ..core.fields import Field
from ..core.game import Bounds, Game
from ..core.jit import device_function
from ..core.layout import Block, Layout, start
from ..core.match import hands_of, is_last_hand, match_option
from ..core.parts import Part
from ..core.seats import clockwise
from ..core.units import Unit

PLAYERS, TEAMS = TRICK_PLAYERS, 2
SPADES = 3
NO_BID = -1
BIDS = TRICKS + 1
FIRST_SPADE, NEVER, FREE = range(3)  # breaking
RELATIVE, OPENSPIEL = range(2)  # reward
NO_MERCY = -(10**6)

PER_TRICK, NIL, BAGS = 10, 100, 10  # points of a trick bid, of a nil; ten bags cost as much as a nil
UNIT = 500  # points of a reward of 1
MOST_HANDS, MOST_POINTS = 200, 2000
# The range of a team's points in a single hand. Most: 13 tricks bid and won, a nil kept and 9 bags. Least: two nils broken and
# 20 bags, 12 of them leftover cards: no more are possible, as a Draw brings at most two, and a Skip keeps one.
LOWEST, HIGHEST = 20 - 2 * NIL - 2 * NIL, TRICKS * PER_TRICK + NIL + 9


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Spades."""

    num_players: int = opt.one_of(PLAYERS, (PLAYERS,), "number of players")
    deck: str = deck_option()
    match: str = match_option("match", "an episode is one hand, or a match of hands (SP-45)")
    target: int = opt.integer(500, 1, MOST_POINTS, "a match ends when a team has this many points (SP-45)")
    mercy: int | None = opt.integer(
        -350, -MOST_POINTS, -1, "a match also ends when a team's points fall this low; none: it does not (SP-45)", none=NO_MERCY
    )
    max_hands: int = opt.integer(40, 1, MOST_HANDS, "a match ends after this many hands (SP-45)")
    breaking: str = opt.one_of(
        "first_spade",
        ("first_spade", "never", "free"),
        "when spades may be led: once one was played; never; always (SP-16, SP-17)",
    )
    team_cap: bool = opt.flag(True, "the bids of partners may not add up to more than 13 (SP-05)")
    leftover_bags: bool = opt.flag(False, "cards left in hands after the last trick are bags (SP-44)")
    reward: str = opt.one_of("relative", ("relative", "openspiel"), "see Rewards; openspiel: of a hand only")

    def validate(self) -> None:
        if self.reward == "openspiel" and self.match == "match":
            raise ValueError("option reward='openspiel' is not allowed in a match; allowed with match='match': relative")


FIELDS = [
    *extended_fields(PLAYERS),
    *trick_fields(),
    Field("target", "i4"),
    Field("mercy", "i4"),
    Field("max_hands", "u2"),
    Field("match", "u1"),
    Field("breaking", "u1"),
    Field("team_cap", "u1"),
    Field("leftover_bags", "u1"),
    Field("reward", "u1"),
    Field("bids", "i1", (PLAYERS,), low=NO_BID, high=TRICKS),  # NO_BID before
    Field("tricks", "u1", (PLAYERS,), high=TRICKS),  # won in this hand
    Field("broken", "u1", high=1),  # whether spades may be led (SP-17)
    # The player who led a spade before spades were broken, and so has no plain suit (SP-16): the pile's position then, plus 1.
    # Cleared once anybody has taken a card.
    Field("only_spades", "u1", (PLAYERS,), high=DECK_66 + 1),
    # Points of finished hands.
    Field(
        "totals", "i4", (TEAMS,), low=lambda options: options.max_hands * LOWEST, high=lambda options: options.target + HIGHEST
    ),
    Field("bags", "u1", (TEAMS,), high=BAGS - 1),  # of these, minus each ten already penalised (SP-43)
]
_NIL = Part("nil", amounts=(0,))
ACTIONS = Layout(
    *TRICK_ACTIONS,
    Block("bid", BIDS, "bid this many tricks, 0 (nil) to 13", label="bid {amount}", parts={"amount": [_NIL, *range(1, BIDS)]}),
)
OBSERVATION = Layout(
    *EXTENDED_OBSERVATION,
    *TRICK_OBSERVATION,
    Block("phase", 2, "bidding, play: one-hot"),
    Block("bids", PLAYERS * (BIDS + 1), "each player's bid, clockwise: none yet, 0..13, one-hot"),
    Block("tricks", PLAYERS, "tricks won by each player, clockwise: / 13"),
    Block(
        "totals",
        TEAMS,
        "points of the viewer's team and of the other in the hands that are over: / 500; below target + 239, and above "
        "mercy - 500 (without mercy, -500 for each of max_hands)",
        low=lambda options: -options.max_hands if options.mercy is None else options.mercy / UNIT - 1,
        high=lambda options: (options.target + HIGHEST) / UNIT,
    ),
    Block("bags", TEAMS, "bags of the viewer's team and of the other from these hands: / 10"),
    Block("broken", 1, "1 if spades may be led (SP-17)"),
)
EVENTS = (
    *EXTENDED_EVENTS,
    *TRICK_EVENTS,
    EventKind(BID, "a bid of this many tricks (SP-05)", "{player} bids {amount}", words=("nil", *range(1, BIDS))),
    EventKind(SCORE, "what a team scores in the hand (SP-40 to SP-44)", "{player} and {other} score {amount}"),
)
_BID = ACTIONS.at("bid")
_PHASE, _BIDS, _TRICKS = OBSERVATION.at("phase"), OBSERVATION.at("bids"), OBSERVATION.at("tricks")
_TOTALS, _BAGS, _BROKEN = OBSERVATION.at("totals"), OBSERVATION.at("bags"), OBSERVATION.at("broken")

_ALL_SUITS = (1 << SUITS) - 1
_PLAIN_SUITS = _ALL_SUITS & ~(1 << SPADES)
_SPADE_CARDS = SUIT_CARDS[SPADES]
_OF_TRICKS, _OF_POINTS, _OF_BAGS = np.float32(1 / TRICKS), np.float32(1 / UNIT), np.float32(1 / BAGS)


@device_function
def begin(state):
    clear_deal(state)
    clear_tricks(state)
    for seat in range(PLAYERS):
        state.bids[seat] = NO_BID
        state.tricks[seat] = 0
        state.only_spades[seat] = 0
    state.broken = state.breaking == FREE
    first = first_seat(state)
    deal_hands(state, first, TRICKS)  # SP-02
    state.current_player = first


@device_function
def first_seat(state):
    """SP-01: the seat that gets the first card, bids first and leads the first trick of this hand."""
    return (np.int64(state.deals) - 1) & 3


# --- bidding ---


@device_function
def legal_bids(state, mask):
    """SP-05."""
    most = np.int64(TRICKS)
    partner = np.int64(state.bids[clockwise(np.int64(state.current_player), 2, PLAYERS)])
    if state.team_cap and partner != NO_BID:
        most -= partner
    first = start(_BID, PLAYERS)
    for bid in range(most + 1):
        mask[first + bid] = 1


@device_function
def step_bid(state, bid):
    seat = np.int64(state.current_player)
    state.bids[seat] = bid
    emit(state, BID, seat, bid, NOBODY)
    seat = clockwise(seat, 1, PLAYERS)
    state.current_player = seat
    if seat == first_seat(state):
        start_tricks(state, seat)


# --- play ---


@device_function
def may_lead_spades(state):
    """SP-16: whether spades are broken, or the player in turn has no other suit."""
    return state.broken != 0 or state.hand[np.int64(state.turn), 0] & ~_SPADE_CARDS == ZERO


@device_function
def legal_plays(state, mask):
    cards, suits = following(state), _ALL_SUITS
    if led_suit(state) == NO_SUIT and not may_lead_spades(state):
        cards &= ~_SPADE_CARDS
        suits = _PLAIN_SUITS
    mark_trick(state, mask, cards, state.hand[np.int64(state.turn), 1], suits)


@device_function
def break_spades(state):
    """SP-17."""
    state.broken = state.breaking != NEVER


@device_function
def note_spade(state, leads):
    if leads and not state.broken:
        state.only_spades[np.int64(state.turn)] = np.int64(state.pile_at) + 1
    break_spades(state)


@device_function
def step_play(state, action):
    if action < DECLARE_AT:
        if SUIT[action] == SPADES:
            note_spade(state, state.trick_size == 0)
    elif action < REVEAL_AT:
        if SUIT[action - DECLARE_AT] == SPADES:
            note_spade(state, True)
    step_trick(state, action)
    go_on(state)


@device_function
def go_on(state):
    while state.turn == NOBODY:
        if ask_jokers(state, SPADES, False):  # SP-20, SP-21
            break
        for k in range(np.int64(state.trick_size)):
            if state.claim[k] == WINS:
                break_spades(state)
        winner = trick_winner(state, SPADES)  # SP-12 to SP-15
        if winner != NOBODY:
            state.tricks[winner] += 1
        end_trick(state, winner)  # SP-10
        if state.tricks_done == TRICKS:  # SP-03
            end_hand(state)
            return
    state.current_player = state.turn


# --- the end of a hand ---


@device_function
def hand_score(state, team):
    """A team's points in this hand, and its bags afterwards (SP-40 to SP-44)."""
    contract, tricks, left, nils = 0, 0, 0, 0
    for seat in range(team, PLAYERS, TEAMS):
        bid, won = np.int64(state.bids[seat]), np.int64(state.tricks[seat])
        contract += bid
        tricks += won
        left += size_of(state.hand[seat])
        if bid == 0:
            nils += NIL if won == 0 else -NIL  # SP-42
    made = tricks >= contract
    new_bags = tricks - contract if made else 0  # SP-41
    if state.leftover_bags:
        new_bags += left  # SP-44
    bags = np.int64(state.bags[team]) + new_bags
    score = (contract if made else -contract) * PER_TRICK + nils + new_bags
    return score - bags // BAGS * NIL, bags % BAGS  # SP-43


@device_function
def end_hand(state):
    for team in range(TEAMS):
        score, bags = hand_score(state, team)
        emit(state, SCORE, team, score, team + TEAMS)
        state.totals[team] += score
        state.bags[team] = bags
    high, low = max(state.totals[0], state.totals[1]), min(state.totals[0], state.totals[1])
    if not is_last_hand(state, high >= state.target or low <= state.mercy):  # SP-45
        state.deal_pending = 1
        return
    for seat in range(PLAYERS):
        state.rewards[seat] = reward_of(state, seat & 1)
    state.terminated = 1


@device_function
def reward_of(state, team):
    own, other = np.int64(state.totals[team]), np.int64(state.totals[1 - team])
    if state.match:
        return np.float64(own > other) - np.float64(other > own)
    if state.reward == OPENSPIEL:
        return np.float64(own)
    return (own - other) / UNIT


# --- observation and texts ---


@device_function
def legal_actions(state, mask):
    if is_bidding(state):
        legal_bids(state, mask)
    else:
        legal_plays(state, mask)


@device_function
def step(state, action):
    if is_bidding(state):
        step_bid(state, action - start(_BID, PLAYERS))
    else:
        step_play(state, action)


@device_function
def is_bidding(state):
    return state.bids[(first_seat(state) + PLAYERS - 1) & 3] == NO_BID


@device_function
def observe(state, viewer, out):
    observe_extended(state, viewer, out, OF_HAND)
    observe_tricks(state, viewer, out, state.hand[viewer, 0], SPADES)
    out[start(_PHASE, PLAYERS) + (0 if is_bidding(state) else 1)] = 1
    bids, tricks = start(_BIDS, PLAYERS), start(_TRICKS, PLAYERS)
    for seat in range(PLAYERS):
        place = (seat - viewer) & 3
        out[bids + place * (BIDS + 1) + 1 + np.int64(state.bids[seat])] = 1
        out[tricks + place] = np.float32(state.tricks[seat]) * _OF_TRICKS
    totals, bags = start(_TOTALS, PLAYERS), start(_BAGS, PLAYERS)
    for team in range(TEAMS):
        place = (team ^ viewer) & 1
        out[totals + place] = np.float32(state.totals[team]) * _OF_POINTS
        out[bags + place] = np.float32(state.bags[team]) * _OF_BAGS
    out[start(_BROKEN, PLAYERS)] = state.broken


@device_function
def determinize(state, viewer):
    seen_void = np.empty(PLAYERS, np.uint8)
    for seat in range(PLAYERS):
        seen_void[seat] = state.seen_void[seat]
        if state.only_spades[seat] == np.int64(state.pile_at) + 1:
            state.seen_void[seat] = np.int64(state.seen_void[seat]) | _PLAIN_SUITS
    redraw_hidden(state, viewer, np.zeros((PLAYERS, 2), np.uint64))
    for seat in range(PLAYERS):
        state.seen_void[seat] = seen_void[seat]


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, trick/<seat>, played/<seat>, pile (top first), aside, dead."""
    return {**extended_zones(state, viewer), **trick_zones(state)}


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    bids = []
    for seat in range(PLAYERS):
        bid, tricks = int(state.bids[seat]), int(state.tricks[seat])
        if bid != NO_BID:
            bids.append(Fact(f"{who(seat)} bid {bid or 'nil'}", seat, FactRole.BID, bid))
            bids.append(Fact(f"has {tricks}", seat, FactRole.TRICKS, tricks, " and "))
    facts = [Fact(f"hand {int(state.deals)}", role=FactRole.COURSE, value=int(state.deals))] if state.match else []
    if state.question or state.tricks_done:
        facts += trick_facts(state)
    facts += [*(joined(", ", bids) or [Fact("bidding")]), *extended_facts(state)]
    if state.broken:
        facts.append(Fact("spades may be led"))
    for team in range(TEAMS) if state.match or state.terminated else ():
        points = int(state.totals[team])
        words = f"players {team} and {team + TEAMS}: {counted(points, 'point')}, {counted(state.bags[team], 'bag')}"
        facts.append(Fact(words, role=FactRole.SCORE, value=points))
    return facts


def _max_length(options: Options) -> int:
    return hands_of(options) * (PLAYERS + MAX_STEPS)  # SP-47


def _reward_range(options: Options) -> tuple[float, float]:
    if options.match == "match":
        return -1.0, 1.0
    if options.reward == "openspiel":
        return float(LOWEST), float(HIGHEST)
    return (LOWEST - HIGHEST) / UNIT, (HIGHEST - LOWEST) / UNIT


def _unit(options: Options) -> Unit:
    if options.match == "match":
        return Unit("win", 0.5, "count", 0.5)
    return Unit("point") if options.reward == "openspiel" else Unit("point", UNIT, "ahead")


GAME = Game(
    name="spades",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, **TRICK_ZONES},
    unit=_unit,
    bounds=Bounds(
        _max_length,
        reward_range=_reward_range,
        reward_sum=lambda options: 0.0 if options.reward == "relative" else None,
    ),
    teams=lambda options: ((0, 2), (1, 3)),
    private=("hand",),
    events=EVENTS,
    player="wilddeck.agents.rules.spades",
    page="docs/rules/spades.md",
    weights="agents/weights",
)
