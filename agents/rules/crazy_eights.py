"""Rule-based crazy eights: the card that leaves the most to go on with, the dear ones first; eights and Jokers for when they help.

Every legal action has a value, a weighted sum of a few things, and the highest is chosen. A card is worth its penalty points,
more so the fewer cards an opponent has left, and the cards of the own hand that could follow it; what it does to the next player
counts too. Eights and Jokers are kept for turns in which nothing else can be played, and specials that cannot be played are
revealed rather than a card drawn.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.bits import count_bits
from ...envs.core.cards import DECK_66, STANDARD, SUITS
from ...envs.core.extended.sets import (
    BIT,
    DRAW,
    FIRST_SPECIAL,
    RANK,
    REVERSE,
    SKIP,
    SPECIALS,
    STANDARD_CARDS,
    SUIT,
    SUIT_CARDS,
    ZERO,
    is_joker,
    is_special,
    kind_of,
)
from ...envs.core.kernel import kernel
from ...envs.core.layout import start
from ...envs.games.crazy_eights.rules import RANK_CARDS
from ...envs.games.crazy_eights.scoring import POINTS
from ...envs.games.crazy_eights.state import (
    ACE,
    COMMIT_AT,
    DECLARE_AT,
    DRAW_AT,
    EIGHT,
    NOMINATE_AT,
    OBSERVATION,
    PASS_AT,
    PIPS,
    QUEEN,
    REVEAL_AT,
    TWO,
)
from .reading import hand_size_of, read_set

_HAND, _DIRECTION, _DISCARDS = OBSERVATION.places("hand", "direction", "discards")
_UNIT = 27  # of the sizes of hands

# Found by playing with different weights against each other. Of cards, unless something else is said.
_WEIGHTS = {
    "points": 0.02,  # each penalty point of a card got rid of
    "danger": 0.1,  # that, times what an opponent's last cards threaten
    "suit": 1.0,  # each card left that follows by its suit
    "rank": 0.7,  # by its rank
    "unseen": 0.0,  # each card of the suit to follow that nobody has seen
    "suits": 0.0,  # each suit among the cards left, each rank
    "ranks": 0.0,
    "late_eight": 0.0,  # to keep an eight, for one divided by the cards left
    "eight": 6.0,  # to keep an eight, a Joker
    "joker": 8.0,
    "draw": -10.0,  # the value of a draw
    "reveal_draw": -8.0,  # of a special revealed, by its kind
    "reveal_reverse": -9.0,
    "reveal_skip": -9.0,
    "harm": 2.0,  # what a Draw, a 2, a Skip or a Queen does to the next player, times what he threatens
    "turn": 1.0,  # of a Reverse or an Ace: that the other neighbour has more cards
}
WEIGHTS = np.array([*_WEIGHTS.values()], np.float64)
_at = list(_WEIGHTS).index
POINT, DANGER, OF_SUIT, OF_RANK, KEEP_EIGHT, KEEP_JOKER = (
    _at(name) for name in ("points", "danger", "suit", "rank", "eight", "joker")
)
UNSEEN, SUITS_HELD, RANKS_HELD, LATE_EIGHT = (_at(name) for name in ("unseen", "suits", "ranks", "late_eight"))
DRAWING, HARM, TURN = _at("draw"), _at("harm"), _at("turn")
REVEALS = _at("reveal_draw")  # and the other kinds behind it
_EIGHTS = RANK_CARDS[EIGHT]
_NO_EIGHTS = ~_EIGHTS


@kernel
def policy(observation, mask, num_players, noise):
    return best_action(observation, mask, num_players, WEIGHTS)


@kernel
def best_action(observation, mask, num_players, w):
    cards, seen = np.zeros(2, np.uint64), np.zeros(2, np.uint64)
    read_set(observation, start(_HAND, num_players), cards)
    read_set(observation, start(_DISCARDS, num_players), seen)
    unseen = STANDARD_CARDS & ~(seen[0] | cards[0])
    if mask[NOMINATE_AT]:
        return NOMINATE_AT + best_suit(cards[0], unseen, w)
    if mask[COMMIT_AT]:
        return np.int64(COMMIT_AT)
    threats = np.zeros(3)
    read_threats(observation, num_players, threats)
    best, most = np.int64(-1), -1e9
    for action in range(mask.shape[0]):
        if mask[action]:
            found = value(action, cards, unseen, w, threats)
            if found > most:
                best, most = np.int64(action), found
    return best


@kernel
def read_threats(observation, num_players, threats):
    """How near to the end opponents are, 1 for a single card: the next player, the one on the other side, the nearest."""
    clockwise = observation[start(_DIRECTION, num_players)] > 0
    for seat in range(1, num_players):
        threat = 1.0 / max(np.float64(hand_size_of(observation, num_players, seat, _UNIT)), 1.0)
        if seat == 1:
            threats[0 if clockwise else 1] = threat
        if seat == num_players - 1:
            threats[1 if clockwise else 0] = threat
        threats[2] = max(threats[2], threat)


@kernel
def value_of_suit(suit, rest, unseen, w):
    """What it is worth that this suit is to be followed."""
    cards = SUIT_CARDS[suit] & _NO_EIGHTS
    return w[OF_SUIT] * count_bits(rest & cards) + w[UNSEEN] * count_bits(unseen & cards)


@kernel
def best_suit(rest, unseen, w):
    """The suit to name after an eight."""
    best, most = 0, -1e9
    for suit in range(SUITS):
        found = value_of_suit(suit, rest, unseen, w)
        if found > most:
            best, most = suit, found
    return best


@kernel
def variety(rest, w):
    """What it is worth to be able to follow this and that."""
    plain, found = rest & _NO_EIGHTS, 0.0
    for suit in range(SUITS):
        if plain & SUIT_CARDS[suit] != ZERO:
            found += w[SUITS_HELD]
    for rank in range(16):
        if plain & RANK_CARDS[rank] != ZERO:
            found += w[RANKS_HELD]
    return found


@kernel
def value(action, cards, unseen, w, threats):
    if action < DECLARE_AT:
        return value_of_play(action, cards, unseen, w, threats)
    if action < NOMINATE_AT:
        return value_of_card(action - DECLARE_AT, cards[0], unseen, w, threats)
    if action == DRAW_AT:
        return w[DRAWING]
    if REVEAL_AT <= action < COMMIT_AT:
        return w[REVEALS + (action - REVEAL_AT) // SUITS]
    return -1e6  # a pass


@kernel
def value_of_play(card, cards, unseen, w, threats):
    if is_joker(card):
        if cards[0] == ZERO and count_bits(cards[1]) == 1:
            return 1e6
        return -w[KEEP_JOKER]
    rest = cards[0] & ~BIT[card]
    if rest == ZERO and cards[1] == ZERO:
        return 1e6
    place = card if card < STANDARD else np.int64(STANDARD)
    points = POINTS[PIPS, place]
    found = points * (w[POINT] + w[DANGER] * threats[2] * threats[2])
    if RANK[card] == EIGHT:
        found -= w[KEEP_EIGHT] + w[LATE_EIGHT] / (count_bits(rest) + count_bits(cards[1]))
    return found + value_of_card(card, rest, unseen, w, threats)


@kernel
def value_of_card(card, rest, unseen, w, threats):
    """What it is worth that this card is on top, with the cards left in hand."""
    rank = RANK[card]
    if rank == EIGHT:
        return value_of_suit(best_suit(rest, unseen, w), rest, unseen, w) + variety(rest, w)
    found = value_of_suit(SUIT[card], rest, unseen, w) + w[OF_RANK] * count_bits(rest & RANK_CARDS[rank]) + variety(rest, w)
    kind = kind_of(card) if is_special(card) else np.int64(-1)
    if kind == DRAW or kind == SKIP or rank == TWO or rank == QUEEN:
        found += w[HARM] * threats[0]
    elif kind == REVERSE or rank == ACE:
        found += w[TURN] * (threats[0] - threats[1])
    return found
