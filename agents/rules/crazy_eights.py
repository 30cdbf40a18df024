"""Rule-based crazy eights: plays the card that keeps the most cards playable, and saves eights and Jokers.

Every legal action has a value, a weighted sum of features, and the highest is chosen. A card's value grows with its penalty
points (more so near the end) and with the cards of the player's hand that could follow it (its suit, and the longest run); it
falls with the number of unseen cards of its suit. The effect of a special on the next player also counts. Eights and Jokers are
kept for turns without another play, and unplayable specials are revealed in preference to a draw.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.bits import count_bits, lowest_bit
from ...envs.core.cards import STANDARD, SUITS
from ...envs.core.extended.sets import (
    BIT,
    ONE,
    PLACE,
    RANK,
    REVERSE,
    STANDARD_CARDS,
    SUIT,
    SUIT_CARDS,
    ZERO,
    is_joker,
    is_special,
    kind_of,
)
from ...envs.core.jit import device_function
from ...envs.core.layout import start
from ...envs.games.crazy_eights.rules import RANK_CARDS
from ...envs.games.crazy_eights.scoring import POINTS
from ...envs.games.crazy_eights.state import (
    COMMIT_AT,
    DECLARE_AT,
    DRAW_AT,
    EIGHT,
    NOMINATE_AT,
    OBSERVATION,
    PIPS,
    REVEAL_AT,
)
from .reading import hand_size_of, pile_left, read_set

_HAND, _DIRECTION, _DISCARDS = OBSERVATION.places("hand", "direction", "discards")
_UNIT = 27  # of the sizes of hands

# Found by playing with different weights against each other, and against random players. Of cards, if nothing else is said.
_WEIGHTS = {
    "points": 0.02,  # each penalty point of a card got rid of
    "danger": 0.1,  # that, times the square of what an opponent's last cards threaten
    "late": 3.0,  # that, of other cards than eights, as the pile runs out
    "suit": 1.0,  # each card left that follows by its suit
    "chain": 1.0,  # each card of the longest run of cards left that could follow one another
    "unseen": -0.2,  # each card of the suit to follow that nobody has seen: what others may follow with
    "eight": 7.0,  # to keep an eight, a Joker
    "joker": 8.0,
    "draw": -10.0,  # the value of a draw
    "reveal_draw": -8.0,  # of a special revealed, by its kind
    "reveal_reverse": -9.0,
    "reveal_skip": -9.0,
    "harm": 2.0,  # what a Draw or a Skip does to the next player, times what they threaten
    "turn": 1.0,  # of a Reverse: that the other neighbour has more cards
}
WEIGHTS = np.array([*_WEIGHTS.values()], np.float64)
_at = list(_WEIGHTS).index
POINT, DANGER, LATE, OF_SUIT, CHAIN, UNSEEN = (_at(name) for name in ("points", "danger", "late", "suit", "chain", "unseen"))
KEEP_EIGHT, KEEP_JOKER, DRAWING, HARM, TURN = (_at(name) for name in ("eight", "joker", "draw", "harm", "turn"))
NEXT, PREVIOUS, NEAREST, NO_PILE = range(4)  # what is read of the table, each 0 to 1
REVEALS = _at("reveal_draw")  # and the other kinds behind it
_EIGHTS = RANK_CARDS[EIGHT]
_NO_EIGHTS = ~_EIGHTS
_SEARCHED = 200  # steps
_WINS, _LAST_CHOICE = 1e6, -1e6


@device_function
def policy(observation, mask, num_players, noise):
    return best_action(observation, mask, num_players, WEIGHTS)


@device_function
def best_action(observation, mask, num_players, w):
    cards, seen = np.zeros(2, np.uint64), np.zeros(2, np.uint64)
    read_set(observation, start(_HAND, num_players), cards)
    read_set(observation, start(_DISCARDS, num_players), seen)
    unseen = STANDARD_CARDS & ~(seen[0] | cards[0])
    if mask[NOMINATE_AT]:
        return NOMINATE_AT + best_suit(cards[0], unseen, w)
    if mask[COMMIT_AT]:
        return np.int64(COMMIT_AT)
    threats = np.zeros(4)
    read_threats(observation, num_players, threats)
    best, most = np.int64(-1), -1e9
    for action in range(mask.shape[0]):
        if mask[action]:
            worth = value(action, cards, unseen, w, threats)
            if worth > most:
                best, most = np.int64(action), worth
    return best


@device_function
def read_threats(observation, num_players, threats):
    """How near the end is, by the opponents' hands (1 for a single card) and by the pile."""
    threats[NO_PILE] = 1.0 / (1.0 + pile_left(observation, num_players))
    clockwise = observation[start(_DIRECTION, num_players)] > 0
    for seat in range(1, num_players):
        threat = 1.0 / max(np.float64(hand_size_of(observation, num_players, seat, _UNIT)), 1.0)
        if seat == 1:
            threats[NEXT if clockwise else PREVIOUS] = threat
        if seat == num_players - 1:
            threats[PREVIOUS if clockwise else NEXT] = threat
        threats[NEAREST] = max(threats[NEAREST], threat)


@device_function
def value_of_suit(suit, rest, unseen, w):
    """The value of this suit as the one to follow."""
    cards = SUIT_CARDS[suit] & _NO_EIGHTS
    return w[OF_SUIT] * count_bits(rest & cards) + w[UNSEEN] * count_bits(unseen & cards)


@device_function
def best_suit(rest, unseen, w):
    """The suit to name after an eight."""
    best, most = 0, -1e9
    for suit in range(SUITS):
        worth = value_of_suit(suit, rest, unseen, w)
        if worth > most:
            best, most = suit, worth
    return best


@device_function
def following(place, rest):
    """The cards of a hand that can follow the one at this place of a set."""
    rank = place >> 2
    if rank == EIGHT:
        return rest
    return rest & (SUIT_CARDS[place & 3] | RANK_CARDS[rank] | _EIGHTS)


@device_function
def longest_chain(card, rest):
    """The longest run of cards of a hand that can follow one another, found by a short search."""
    rests, choices = np.zeros(65, np.uint64), np.zeros(65, np.uint64)
    rests[0], choices[0] = rest, following(PLACE[card], rest)
    level, best, size = 0, 0, count_bits(rest)
    for _ in range(_SEARCHED):
        if choices[level] == ZERO:
            level -= 1
            if level < 0:
                break
            continue
        place = lowest_bit(choices[level])
        choices[level] &= choices[level] - ONE
        rests[level + 1] = rests[level] & ~(ONE << np.uint64(place))
        level += 1
        choices[level] = following(place, rests[level])
        if level > best:
            best = level
            if best == size:
                break
    return best


@device_function
def value(action, cards, unseen, w, threats):
    if action < DECLARE_AT:
        return value_of_play(action, cards, unseen, w, threats)
    if action < NOMINATE_AT:
        return value_of_card(action - DECLARE_AT, cards[0], unseen, w, threats)
    if action == DRAW_AT:
        return w[DRAWING]
    if REVEAL_AT <= action < COMMIT_AT:
        return w[REVEALS + (action - REVEAL_AT) // SUITS]
    return _LAST_CHOICE  # a pass


@device_function
def value_of_play(card, cards, unseen, w, threats):
    if is_joker(card):
        if cards[0] == ZERO and count_bits(cards[1]) == 1:
            return _WINS
        return -w[KEEP_JOKER]
    rest = cards[0] & ~BIT[card]
    if rest == ZERO and cards[1] == ZERO:
        return _WINS
    place = card if card < STANDARD else np.int64(STANDARD)
    points = POINTS[PIPS, place]
    worth = points * (w[POINT] + w[DANGER] * threats[NEAREST] * threats[NEAREST])
    if RANK[card] == EIGHT:
        worth -= w[KEEP_EIGHT]
    else:
        worth += points * w[LATE] * threats[NO_PILE]
    return worth + value_of_card(card, rest, unseen, w, threats)


@device_function
def value_of_card(card, rest, unseen, w, threats):
    """The value of this card on top of the pile, given the cards left in hand."""
    worth = w[CHAIN] * longest_chain(card, rest)
    if RANK[card] == EIGHT:
        return worth + value_of_suit(best_suit(rest, unseen, w), rest, unseen, w)
    worth += value_of_suit(SUIT[card], rest, unseen, w)
    if is_special(card):
        kind = kind_of(card)
        if kind == REVERSE:
            worth += w[TURN] * (threats[NEXT] - threats[PREVIOUS])
        else:
            worth += w[HARM] * threats[NEXT]
    return worth
