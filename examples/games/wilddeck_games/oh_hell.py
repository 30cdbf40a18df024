"""Oh Hell: players bid how many tricks they will win, and want to win neither fewer nor more.

3 to 7 players, trumps by a card turned up; one hand, or a game of hands of ever fewer and ever more cards.
Rules: oh_hell.md (clauses OH-01 to OH-16).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from wilddeck.envs.core import events, tricks
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import RANKS, STANDARD, SUITS, text
from wilddeck.envs.core.facts import Fact, FactRole, who
from wilddeck.envs.core.fields import Field, last_seat
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout, start
from wilddeck.envs.core.match import pay_relative
from wilddeck.envs.core.rng import random_below, shuffle
from wilddeck.envs.core.seats import clockwise
from wilddeck.envs.core.units import Unit
from wilddeck.envs.core.zones import ZoneRole

SEATS = 7
MOST_CARDS = 17  # in a hand
BIDS = MOST_CARDS + 1
NO_BID = -1
MET = 10  # points of a bid that is met
ONE, DOWN, UP, DOWN_UP, UP_DOWN = range(5)  # hands
EXACT, TRICKS, PENALTY = range(3)  # scoring
UNIT = 100  # points that the observation writes as 1


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Oh Hell."""

    num_players: int = opt.integer(4, 3, SEATS, "number of players")
    cards: int = opt.integer(7, 1, MOST_CARDS, "the most cards that are dealt to a player (OH-02)")
    hands: str = opt.one_of(
        "one", ("one", "down", "up", "down_up", "up_down"), "one hand, or hands of 1 to `cards` cards (OH-15)"
    )
    scoring: str = opt.one_of("exact", ("exact", "tricks", "penalty"), "what a bid brings that is not met (OH-14)")
    trick_points: int = opt.integer(1, 0, 10, "points of a trick (OH-13, OH-14)")
    hook: bool = opt.flag(True, "the bids of a hand must not add up to its tricks (OH-07)")
    dealer: Any = opt.seat("random", "who deals first (OH-03)")
    reward: str = opt.one_of("relative", ("relative", "points"), "see Rewards")
    ranks: int = opt.integer(RANKS, 2, RANKS, "the deck has so many ranks, from 2 on (OH-01)")

    def validate(self) -> None:
        most = (self.ranks * SUITS - 1) // self.num_players
        if self.cards > most:
            raise ValueError(
                f"option cards={self.cards} is not allowed with {self.num_players} players and this deck; at most {most}"
            )


FIELDS = [
    *tricks.trick_fields(SEATS),
    Field("dealer", "i1", high=last_seat),  # the option until play begins, then who deals this hand
    Field("trump_card", "u1", high=STANDARD - 1),
    Field("bids", "i1", (SEATS,), low=NO_BID, high=MOST_CARDS),
    Field("totals", "i2", (SEATS,), low=lambda options: points(options)[0], high=lambda options: points(options)[1]),
]
ACTIONS = Layout(*tricks.TRICK_ACTIONS, Block("bid", BIDS, "bid so many tricks, 0 to 17"))
OBSERVATION = Layout(
    *tricks.TRICK_OBSERVATION,
    Block("trump_card", STANDARD, "the card turned up, by id"),
    Block("bids", 0, "the bid of each player, clockwise from the viewer: none yet, 0..17, one-hot", each=BIDS + 1),
    Block("hand_number", 1, "hands that are over / 33"),
    Block("totals", 0, "points of each player, clockwise, in these hands: / 100", each=1,
          low=lambda options: points(options)[0] / UNIT, high=lambda options: points(options)[1] / UNIT),
)  # fmt: skip
EVENTS = (
    *tricks.TRICK_EVENTS,
    events.EventKind(events.TURN_UP, "a card is turned up for trumps (OH-04)", "{cards} is turned up"),
    events.EventKind(events.BID, "a player says how many tricks they will win (OH-06)", "{player} bids {amount}"),
    events.EventKind(events.SCORE, "what a player scores in the hand (OH-13, OH-14)", "{player} scores {amount}"),
)
_BID = ACTIONS.at("bid")
_TRUMP_CARD, _BIDS, _HAND_NUMBER, _TOTALS = OBSERVATION.places("trump_card", "bids", "hand_number", "totals")


@device_function
def deal(state):
    size = np.int64(state.ranks) * SUITS  # OH-01
    for card in range(size):
        state.deck[card] = card
    shuffle(state, state.deck, size)


@device_function
def begin(state):
    n = np.int64(state.num_players)
    if state.dealer == opt.RANDOM:
        state.dealer = random_below(state, n)
    elif state.deals > 1:
        state.dealer = clockwise(np.int64(state.dealer), 1, n)  # OH-03
    for seat in range(n):
        state.bids[seat] = NO_BID
    first, size = clockwise(np.int64(state.dealer), 1, n), np.int64(state.ranks) * SUITS
    tricks.deal_hands(state, first, cards_of_hand(state), size)
    state.trump_card = tricks.next_card(state)
    events.emit_card(state, events.TURN_UP, events.NOBODY, state.trump_card, events.EVERYBODY, events.NOBODY)


@device_function
def cards_of_hand(state):
    """OH-02, OH-15."""
    most, away = np.int64(state.cards), abs(np.int64(state.deals) - state.cards)
    if state.hands == ONE:
        return most
    return 1 + away if state.hands in (DOWN, DOWN_UP) else most - away


@device_function
def num_hands(state):
    if state.hands == ONE:
        return np.int64(1)
    return np.int64(state.cards) if state.hands in (DOWN, UP) else 2 * np.int64(state.cards) - 1


@device_function
def is_bidding(state):
    return state.bids[np.int64(state.dealer)] == NO_BID  # OH-06: the dealer bids last


@device_function
def legal_actions(state, mask):
    if is_bidding(state):
        legal_bids(state, mask)
    else:
        tricks.mark_cards(mask, tricks.follow_suit(state))  # OH-09


@device_function
def legal_bids(state, mask):
    n, left = np.int64(state.num_players), cards_of_hand(state)
    first = start(_BID, n)
    mask[first : first + left + 1] = 1
    if state.hook and state.current_player == state.dealer:  # OH-07
        for seat in range(n):
            left -= max(0, np.int64(state.bids[seat]))
        if left >= 0:
            mask[first + left] = 0


@device_function
def step(state, action):
    n, seat = np.int64(state.num_players), np.int64(state.current_player)
    if is_bidding(state):
        state.bids[seat] = action - start(_BID, n)
        events.emit(state, events.BID, seat, state.bids[seat], events.NOBODY)
        state.current_player = clockwise(seat, 1, n)
    elif tricks.play_card(state, action):
        tricks.take_trick(state, tricks.trick_winner(state, state.trump_card & 3))  # OH-10, OH-11
        if tricks.is_played_out(state):
            end_hand(state)


@device_function
def end_hand(state):
    n = np.int64(state.num_players)
    for seat in range(n):
        scored = points_of_hand(state, seat)
        state.totals[seat] += scored
        events.emit(state, events.SCORE, seat, scored, events.NOBODY)
    if state.deals < num_hands(state):
        state.deal_pending = 1  # OH-15
    elif state.reward:
        state.rewards[:n] = state.totals[:n]
        state.terminated = 1
    else:
        pay_relative(state, state.totals, MET * num_hands(state))


@device_function
def points_of_hand(state, seat):
    bid, won, each = np.int64(state.bids[seat]), np.int64(state.tricks[seat]), np.int64(state.trick_points)
    if bid == won:
        return MET + each * won  # OH-13
    if state.scoring == TRICKS:
        return each * won  # OH-14
    return -each * abs(bid - won) if state.scoring == PENALTY else np.int64(0)


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    tricks.observe_tricks(state, viewer, out)
    out[start(_TRUMP_CARD, n) + np.int64(state.trump_card)] = 1
    out[start(_HAND_NUMBER, n)] = np.float32((np.int64(state.deals) - 1) / (2 * MOST_CARDS - 1))
    for place in range(n):
        seat = clockwise(np.int64(viewer), place, n)
        out[start(_BIDS, n) + place * (BIDS + 1) + 1 + np.int64(state.bids[seat])] = 1
        out[start(_TOTALS, n) + place] = np.float32(np.int64(state.totals[seat]) / UNIT)


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, trick/<seat>, played/<seat>, stock (top first), trump_card."""
    return {**tricks.trick_zones(state, viewer), "trump_card": [int(state.trump_card)]}


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    n, trump = int(state.num_players), text([int(state.trump_card)])
    facts = [Fact(f"{trump} turned up by {who(state.dealer)}", role=FactRole.TRUMP, value=trump), *tricks.trick_facts(state)]
    for seat in range(n):
        bid, won = int(state.bids[seat]), int(state.tricks[seat])
        if bid != NO_BID:
            facts.append(Fact(f"{who(seat)} bid {bid}", seat, FactRole.BID, bid))
            facts.append(Fact(f"has {won}", seat, FactRole.TRICKS, won, sep=", "))
    if state.deals > 1 or state.terminated:
        totals = tuple(int(total) for total in state.totals[:n])
        facts.append(Fact(f"points: {', '.join(map(str, totals))}", role=FactRole.SCORE, value=totals))
    return facts


def cards_of_hands(options: Options) -> list[int]:
    """Of each hand, in no order."""
    up = range(1, options.cards + 1)
    hands = {"one": up[-1:], "down": up, "up": up, "down_up": [*up[1:], *up], "up_down": [*up[:-1], *up]}
    return list(hands[options.hands])


def points(options: Options) -> tuple[int, int]:
    """The least and the most that a player can have at the end, and before."""
    hands = cards_of_hands(options)
    most = options.trick_points * sum(hands)
    return (-most if options.scoring == "penalty" else 0), MET * len(hands) + most


def _reward_range(options: Options) -> tuple[float, float]:
    low, high = points(options)
    most = (high - low) * (1 - 1 / options.num_players) / (MET * len(cards_of_hands(options)))
    return (float(low), float(high)) if options.reward == "points" else (-most, most)


def _unit(options: Options) -> Unit:
    relative = Unit("point", MET * len(cards_of_hands(options)), "ahead")
    return relative if options.reward == "relative" else Unit("point", form="count")


GAME = Game(
    name="oh_hell",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, tricks.determinize),
    deck=lambda options: list(range(options.ranks * SUITS)),
    describe=describe,
    zones=zones,
    zone_roles={**tricks.TRICK_ZONES, "trump_card": ZoneRole.ROW},
    unit=_unit,
    bounds=Bounds(
        max_length=lambda options: options.num_players * sum(size + 1 for size in cards_of_hands(options)),  # OH-16
        reward_range=_reward_range,
        reward_sum=lambda options: 0.0 if options.reward == "relative" else None,
    ),
    private=("hand",),
    events=EVENTS,
    player="wilddeck_games.oh_hell_player",
    page="oh_hell.md",
)
