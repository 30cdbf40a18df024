"""Tennis: a trick game with ranks in a circle, in which a card beats the two ranks below it; the last player with cards wins.

Invented by Jimmy Kaplowitz and JC Ravage; 2, 3, 4 or 6 players and 48 cards without Aces. Suits never matter.
Rules: docs/rules/tennis.md (clauses TN-01 to TN-15).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import options as opt
from ..core.cards import HIDDEN, SUITS
from ..core.events import (
    DEAL,
    DISCARD,
    DRAW,
    EVERYBODY,
    NOBODY,
    PLAY,
    ROUND,
    SET_ASIDE,
    TRICK_WON,
    WIN,
    EventKind,
    emit,
    emit_card,
    emit_list,
)
from ..core.facts import Fact, FactRole, who
from ..core.fields import Field, last_seat
from ..core.game import Bounds, Game
from ..core.jit import device_function
from ..core.layout import Block, Circles, Layout, start
from ..core.rng import random_below, shuffle
from ..core.seats import clockwise
from ..core.units import wins
from ..core.zones import ZoneRole

MAX_PLAYERS = 6
RANKS = 12  # 2..K, a cycle (TN-03)
DECK = RANKS * SUITS
HAND = 6
NO_CARD = -1


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of tennis."""

    num_players: int = opt.one_of(4, (2, 3, 4, 6), "number of players")
    max_tricks: int = opt.integer(1000, 50, 10000, "the game ends with the round in which this many tricks are reached (TN-15)")
    dealer: Any = opt.seat("random", "dealer of the first round (TN-07)")


# Piles are top first. Cards as first dealt, which nobody has seen, come first in a pile and in a hand: `pile_unseen` and
# `hand_unseen` count them. All cards after them were won openly.
FIELDS = [
    Field("max_tricks", "u2"),
    Field("dealer", "i1", high=last_seat),  # the option until play begins, then the dealer of the round
    Field("lead", "i1", high=last_seat),  # who leads this trick
    Field("tricks_left", "u1", high=HAND),  # in this round, including the current trick
    Field("tricks_played", "u2", high=lambda options: options.max_tricks + HAND - 1),
    Field("in_round", "u1", (MAX_PLAYERS,), high=1),
    Field("pile", "u1", (MAX_PLAYERS, DECK), high=DECK - 1),
    Field("pile_size", "u1", (MAX_PLAYERS,), high=DECK),
    Field("pile_unseen", "u1", (MAX_PLAYERS,), high=DECK),
    Field("hand", "u1", (MAX_PLAYERS, HAND), high=DECK - 1),
    Field("hand_size", "u1", (MAX_PLAYERS,), high=HAND),
    Field("hand_unseen", "u1", (MAX_PLAYERS,), high=HAND),
    Field("table", "i1", (MAX_PLAYERS,), low=NO_CARD, high=DECK - 1),  # the card of each seat in this trick
    Field("set_aside", "u1", (DECK,), high=DECK - 1),
    Field("set_aside_size", "u1", high=DECK),
    Field("removed", "u1", (DECK,), high=DECK - 1),
    Field("removed_size", "u1", high=DECK),
]

ALL_ALIKE = Circles(RANKS, (range(RANKS),))  # TN-03

ACTIONS = Layout(Block("play", RANKS, "play a card of this rank, 2..K", label="play {rank}", circles=ALL_ALIKE))

OBSERVATION = Layout(
    Block("hand", RANKS, "own hand: cards of each rank / 4", circles=ALL_ALIKE),
    Block(
        "table",
        0,
        "card on the table of each player, clockwise from the viewer: one-hot by rank",
        each=RANKS,
        circles=ALL_ALIKE,
    ),
    Block("lead", 0, "who leads the trick, clockwise from the viewer: one-hot", each=1),
    Block("tricks_left", 1, "tricks left in the round / 6"),
    Block("progress", 1, "tricks played / max_tricks, at most 1"),
    Block("set_aside", RANKS, "cards set aside of each rank / 4", circles=ALL_ALIKE),
    Block("removed", RANKS, "cards out of the game of each rank / 4", circles=ALL_ALIKE),
    Block("pile_size", 0, "pile of each player, clockwise from the viewer: cards / 48", each=1),
    Block("hand_size", 0, "hand of each player, clockwise from the viewer: cards / 6", each=1),
    Block("out", 0, "1 for each player without cards, clockwise from the viewer", each=1),
    Block(
        "known",
        0,
        "cards publicly known to be of each player, clockwise: cards of each rank / 4",
        each=RANKS,
        circles=ALL_ALIKE,
    ),
    Block(
        "known_in_hand",
        0,
        "those of them that are in the hand, of each player, clockwise: cards of each rank / 4",
        each=RANKS,
        circles=ALL_ALIKE,
    ),
    Block("wins", RANKS, "ranks in the own hand that win the trick so far; none before a lead", circles=ALL_ALIKE),
    Block("ties", RANKS, "ranks in the own hand with which nobody wins the trick so far", circles=ALL_ALIKE),
)
EVENTS = (
    EventKind(DEAL, "the pile of each player, face down (TN-02)", "{player} is dealt {cards}"),
    EventKind(ROUND, "a round begins; the player deals and leads it, the amount is its number of tricks (TN-04, TN-06)",
              "{player} deals a round of {amount} trick{s}"),
    EventKind(DRAW, "a player takes the cards of the round from their pile; only they see them", "{player} takes {cards}"),
    EventKind(PLAY, "a card is played", "{player} plays {cards}"),
    EventKind(TRICK_WON, "a player puts the cards of the trick and those set aside under their pile (TN-08, TN-10)",
              "{player} wins {cards}"),
    EventKind(SET_ASIDE, "a tie: the cards of the trick are set aside (TN-09)", "a tie: {cards} are set aside"),
    EventKind(DISCARD, "what is still set aside at the end of a round leaves the game (TN-11)", "{cards} leave the game"),
    EventKind(WIN, "one of the winners; the amount is how many cards they have (TN-13 to TN-15)",
              "{player} wins with {amount} card{s}"),
)  # fmt: skip
_PLAY = ACTIONS.at("play")
_HAND, _TABLE, _LEAD = OBSERVATION.at("hand"), OBSERVATION.at("table"), OBSERVATION.at("lead")
_TRICKS_LEFT, _PROGRESS = OBSERVATION.at("tricks_left"), OBSERVATION.at("progress")
_SET_ASIDE, _REMOVED = OBSERVATION.at("set_aside"), OBSERVATION.at("removed")
_PILE_SIZE, _HAND_SIZE, _OUT = OBSERVATION.at("pile_size"), OBSERVATION.at("hand_size"), OBSERVATION.at("out")
_KNOWN, _KNOWN_IN_HAND = OBSERVATION.at("known"), OBSERVATION.at("known_in_hand")
_WINS, _TIES = OBSERVATION.at("wins"), OBSERVATION.at("ties")

_QUARTER = np.float32(1 / SUITS)


@device_function
def rank_of(card):
    return np.int64(card) >> 2  # // SUITS


@device_function
def deal(state):
    for card in range(DECK):  # TN-01: ids 0..47 are the ranks 2..K
        state.deck[card] = card
    shuffle(state, state.deck, DECK)


@device_function
def begin(state):
    n = np.int64(state.num_players)
    state.table[:] = NO_CARD
    for k in range(DECK):  # TN-02
        state.pile[k % n, k // n] = state.deck[k]
    state.deck[:] = 0
    for player in range(n):
        state.pile_size[player] = DECK // n
        state.pile_unseen[player] = DECK // n
        emit_list(state, DEAL, player, state.pile[player], 0, DECK // n, 0, NOBODY)
    if state.dealer == opt.RANDOM:
        state.dealer = random_below(state, n)  # TN-07
    start_round(state)


@device_function
def start_round(state):
    n = np.int64(state.num_players)
    take = HAND
    for player in range(n):
        size = np.int64(state.pile_size[player])
        state.in_round[player] = size > 0
        if 0 < size < take:
            take = size  # TN-04: everyone takes as many cards as the shortest pile has
    emit(state, ROUND, state.dealer, take, NOBODY)
    for player in range(n):
        if state.in_round[player]:
            take_hand(state, player, take)
    state.tricks_left = take
    state.lead = state.dealer  # TN-06
    state.current_player = state.dealer


@device_function
def take_hand(state, player, take):
    left = np.int64(state.pile_size[player]) - take
    for k in range(take):
        state.hand[player, k] = state.pile[player, k]
    for k in range(left):
        state.pile[player, k] = state.pile[player, k + take]
    for k in range(left, left + take):
        state.pile[player, k] = 0
    unseen = min(np.int64(state.pile_unseen[player]), take)
    emit_list(state, DRAW, player, state.hand[player], 0, unseen, 1 << player, NOBODY)
    emit_list(state, DRAW, player, state.hand[player], unseen, take, EVERYBODY, NOBODY)
    state.hand_size[player] = take
    state.hand_unseen[player] = unseen
    state.pile_size[player] = left
    state.pile_unseen[player] -= unseen


@device_function
def next_in_round(state, player):
    """The next player clockwise in the round (TN-06)."""
    n = np.int64(state.num_players)
    player = clockwise(player, 1, n)
    while not state.in_round[player]:
        player = clockwise(player, 1, n)
    return player


@device_function
def legal_actions(state, mask):
    player = np.int64(state.current_player)
    play = start(_PLAY, np.int64(state.num_players))
    for k in range(np.int64(state.hand_size[player])):  # TN-05
        mask[play + rank_of(state.hand[player, k])] = 1


@device_function
def step(state, action):
    player = np.int64(state.current_player)
    rank = action - start(_PLAY, np.int64(state.num_players))
    play_rank(state, player, rank)
    following = next_in_round(state, player)
    if following != state.lead:
        state.current_player = following
        return
    resolve_trick(state)
    state.tricks_played += 1
    state.tricks_left -= 1
    if state.tricks_left == 0:
        end_round(state)
    else:
        state.lead = next_in_round(state, np.int64(state.lead))  # TN-06
        state.current_player = state.lead


@device_function
def play_rank(state, player, rank):
    """Play the last card of a rank in the hand: one won openly, if possible, so that knowledge about the hand stays exact for
    players who see only ranks."""
    last = np.int64(state.hand_size[player]) - 1
    place = last
    while rank_of(state.hand[player, place]) != rank:
        place -= 1
    state.table[player] = state.hand[player, place]
    emit_card(state, PLAY, player, state.table[player], EVERYBODY, NOBODY)
    for k in range(place, last):
        state.hand[player, k] = state.hand[player, k + 1]
    state.hand[player, last] = 0
    state.hand_size[player] = last
    if place < state.hand_unseen[player]:
        state.hand_unseen[player] -= 1


@device_function
def resolve_trick(state):
    best, best_record, tied = -1, -MAX_PLAYERS, False
    n = np.int64(state.num_players)
    for player in range(n):
        if state.in_round[player]:
            record = card_record(state, player)
            if record > best_record:
                best, best_record, tied = player, record, False
            elif record == best_record:
                tied = True
    in_pile, aside = np.int64(state.pile_size[best]), np.int64(state.set_aside_size)
    if not tied:  # TN-10: first the cards set aside, oldest first
        for k in range(np.int64(state.set_aside_size)):
            put_under(state, best, state.set_aside[k])
            state.set_aside[k] = 0
        state.set_aside_size = 0
    player = np.int64(state.lead)
    while state.table[player] != NO_CARD:  # in order of play
        if tied:  # TN-09
            state.set_aside[state.set_aside_size] = state.table[player]
            state.set_aside_size += 1
        else:
            put_under(state, best, state.table[player])
        state.table[player] = NO_CARD
        player = next_in_round(state, player)
    if tied:
        emit_list(state, SET_ASIDE, NOBODY, state.set_aside, aside, state.set_aside_size, EVERYBODY, NOBODY)
    else:
        emit_list(state, TRICK_WON, best, state.pile[best], in_pile, state.pile_size[best], EVERYBODY, NOBODY)


@device_function
def card_record(state, player):
    """TN-08: wins minus losses of a player's card against the other cards of the trick."""
    return record_of(state, rank_of(state.table[player]))


@device_function
def record_of(state, rank):
    """The same for a rank against the cards on the table."""
    record = 0
    for other in range(np.int64(state.num_players)):
        if state.table[other] != NO_CARD:
            record += compare(rank, rank_of(state.table[other]))
    return record


@device_function
def compare(rank, other):
    """TN-03: 1 if a rank beats another, -1 if it is beaten, 0 in a tie."""
    above = (rank - other + RANKS) % RANKS
    if above == 1 or above == 2:
        return 1
    return -1 if above >= RANKS - 2 else 0


@device_function
def put_under(state, player, card):
    state.pile[player, state.pile_size[player]] = card  # TN-12: it enters a hand in a later round
    state.pile_size[player] += 1


@device_function
def end_round(state):
    emit_list(state, DISCARD, NOBODY, state.set_aside, 0, state.set_aside_size, EVERYBODY, NOBODY)
    for k in range(np.int64(state.set_aside_size)):  # TN-11
        state.removed[state.removed_size] = state.set_aside[k]
        state.removed_size += 1
        state.set_aside[k] = 0
    state.set_aside_size = 0
    n = np.int64(state.num_players)
    with_cards = 0
    for player in range(n):
        if state.pile_size[player] > 0:
            with_cards += 1
    if with_cards <= 1 or state.tricks_played >= state.max_tricks:  # TN-13, TN-15
        finish(state)
        return
    dealer = clockwise(np.int64(state.dealer), 1, n)
    while state.pile_size[dealer] == 0:  # TN-07
        dealer = clockwise(dealer, 1, n)
    state.dealer = dealer
    start_round(state)


@device_function
def finish(state):
    """The players with the most cards win; if nobody has any, those of the last round (TN-13, TN-14, TN-15)."""
    n = np.int64(state.num_players)
    most = 0
    for player in range(n):
        most = max(most, np.int64(state.pile_size[player]))
    winners = 0
    for player in range(n):
        winners += won(state, player, most)
    share = np.float32((n - winners) / ((n - 1) * winners))
    for player in range(n):
        if won(state, player, most):
            emit(state, WIN, player, most, NOBODY)
        state.rewards[player] = share if won(state, player, most) else np.float32(-1 / (n - 1))
    state.terminated = 1


@device_function
def won(state, player, most):
    if most == 0:
        return state.in_round[player] != 0
    return state.pile_size[player] == most


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    hand = start(_HAND, n)
    for k in range(np.int64(state.hand_size[viewer])):
        out[hand + rank_of(state.hand[viewer, k])] += _QUARTER
    out[start(_LEAD, n) + clockwise(np.int64(state.lead), n - viewer, n)] = 1
    out[start(_TRICKS_LEFT, n)] = np.float32(np.int64(state.tricks_left) / HAND)
    out[start(_PROGRESS, n)] = np.float32(min(1.0, np.int64(state.tricks_played) / np.int64(state.max_tricks)))
    set_aside = start(_SET_ASIDE, n)
    for k in range(np.int64(state.set_aside_size)):
        out[set_aside + rank_of(state.set_aside[k])] += _QUARTER
    removed = start(_REMOVED, n)
    for k in range(np.int64(state.removed_size)):
        out[removed + rank_of(state.removed[k])] += _QUARTER
    for seat in range(n):
        observe_player(state, clockwise(viewer, seat, n), seat, out)
    if state.table[np.int64(state.lead)] != NO_CARD and state.table[viewer] == NO_CARD:
        observe_replies(state, viewer, out)


@device_function
def observe_replies(state, viewer, out):
    """Which cards of a hand win the trick so far, and with which nobody does (TN-08, TN-09)."""
    n = np.int64(state.num_players)
    for k in range(np.int64(state.hand_size[viewer])):
        rank = rank_of(state.hand[viewer, k])
        own, best, tied = record_of(state, rank), -MAX_PLAYERS, False  # of the cards on the table
        for player in range(n):
            if state.table[player] != NO_CARD:
                record = card_record(state, player) - compare(rank, rank_of(state.table[player]))
                best, tied = max(best, record), record == best or (record < best and tied)
        out[start(_WINS, n) + rank] = own > best
        out[start(_TIES, n) + rank] = own == best or (own < best and tied)


@device_function
def observe_player(state, player, seat, out):
    n = np.int64(state.num_players)
    if state.table[player] != NO_CARD:
        out[start(_TABLE, n) + seat * RANKS + rank_of(state.table[player])] = 1
    pile_size, hand_size = np.int64(state.pile_size[player]), np.int64(state.hand_size[player])
    out[start(_PILE_SIZE, n) + seat] = np.float32(pile_size / DECK)
    out[start(_HAND_SIZE, n) + seat] = np.float32(hand_size / HAND)
    out[start(_OUT, n) + seat] = not state.in_round[player] and pile_size == 0
    known, in_hand = start(_KNOWN, n) + seat * RANKS, start(_KNOWN_IN_HAND, n) + seat * RANKS
    for k in range(np.int64(state.hand_unseen[player]), hand_size):
        out[known + rank_of(state.hand[player, k])] += _QUARTER
        out[in_hand + rank_of(state.hand[player, k])] += _QUARTER
    for k in range(np.int64(state.pile_unseen[player]), pile_size):
        out[known + rank_of(state.pile[player, k])] += _QUARTER


@device_function
def determinize(state, viewer):
    """Redeal the cards nobody has seen played or won, except those in the viewer's hand."""
    n = np.int64(state.num_players)
    unseen = np.zeros(DECK, np.uint8)
    for player in range(n):
        for k in range(unseen_in_hand(state, player, viewer)):
            unseen[state.hand[player, k]] = 1
        for k in range(np.int64(state.pile_unseen[player])):
            unseen[state.pile[player, k]] = 1
    count = 0
    for card in range(DECK):  # in order of id, so that the sample does not depend on the true arrangement
        if unseen[card]:
            unseen[count] = card
            count += 1
    shuffle(state, unseen, count)
    for player in range(n):
        for k in range(unseen_in_hand(state, player, viewer)):
            count -= 1
            state.hand[player, k] = unseen[count]
        for k in range(np.int64(state.pile_unseen[player])):
            count -= 1
            state.pile[player, k] = unseen[count]


@device_function
def unseen_in_hand(state, player, viewer):
    return 0 if player == viewer else np.int64(state.hand_unseen[player])


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, pile/<seat> (top first), table/<seat>, set_aside, removed."""
    by_zone: dict[str, list[int]] = {}
    for player in range(int(state.num_players)):
        hand = [int(card) for card in state.hand[player][: state.hand_size[player]]]
        pile = [int(card) for card in state.pile[player][: state.pile_size[player]]]
        if viewer is not None:
            pile[: int(state.pile_unseen[player])] = [HIDDEN] * int(state.pile_unseen[player])
            if viewer != player:
                hand[: int(state.hand_unseen[player])] = [HIDDEN] * int(state.hand_unseen[player])
        by_zone[f"hand/{player}"] = hand
        by_zone[f"pile/{player}"] = pile
        by_zone[f"table/{player}"] = [int(state.table[player])] if state.table[player] != NO_CARD else []
    by_zone["set_aside"] = [int(card) for card in state.set_aside[: state.set_aside_size]]
    by_zone["removed"] = [int(card) for card in state.removed[: state.removed_size]]
    return by_zone


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    number, lead = int(state.tricks_played) + 1, int(state.lead)
    return [
        Fact(f"trick {number}, {int(state.tricks_left)} left in the round", role=FactRole.COURSE, value=number),
        Fact(f"{who(lead)} leads", lead, FactRole.LEAD),
    ]


def _max_length(options: Options) -> int:
    return options.num_players * (options.max_tricks + HAND - 1)  # the round in which the limit is reached is finished


GAME = Game(
    name="tennis",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=lambda options: list(range(DECK)),
    describe=describe,
    zones=zones,
    zone_roles={
        "hand": ZoneRole.HAND,
        "pile": ZoneRole.STOCK,
        "table": ZoneRole.PLAYED,
        "set_aside": ZoneRole.ROW,
        "removed": ZoneRole.HEAP,
    },
    unit=wins,
    bounds=Bounds(_max_length, (-1.0, 1.0)),
    private=("hand",),
    events=EVENTS,
    player="wilddeck.agents.rules.tennis",
    page="docs/rules/tennis.md",
    weights="agents/weights",
)
