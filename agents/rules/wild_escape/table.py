"""What a seat of Wild Escape reads from its observation, and the probabilities that nobody beats its plays.

The probability that no opponent beats a play is modelled as 1 / (1 + E), where E grows with the expected number of opponents'
higher plays: for sets from the unseen cards, for five cards from the rank of the play among all.
"""

from __future__ import annotations

import numpy as np

from ....envs.core.cards import DECK_54, RANKS, SUITS
from ....envs.core.jit import device_function
from ....envs.core.layout import start
from ....envs.games.wild_escape.combinations import FLUSH, PAIR, SINGLE, STRAIGHT, STRAIGHT_FLUSH, THREE
from ....envs.games.wild_escape.state import (
    DECKS,
    FAMILIES,
    HAND,
    LOWEST_LEVEL,
    OBSERVATION,
    PLAYERS,
    RANK_INDICES,
    STAGES,
    TOPS,
)
from ..reading import one_hot, whole
from .plans import FIRST_TOP, FLUSHES, PLACES, SETS, STRAIGHT_FLUSHES, STRAIGHTS

_OWN_HAND, _STAGE, _KIND, _CHOSEN = OBSERVATION.places("hand", "stage", "kind", "chosen")
_BEAT, _BEAT_OWNER, _HAND_SIZE = OBSERVATION.places("beat", "beat_owner", "hand_size")
_PASSED, _PLAYED, _TRUMP, _ANSWER = OBSERVATION.places("passed", "played", "trump", "answer")

# Found by playing teams with different weights against each other. A unit is about a turn.
_WEIGHTS = {
    # E: of plays by their size
    "single": 0.17,
    "pair": 0.16,
    "three": 0.33,
    "five_cards": 1.48,
    # the price of a play of one card, two, three, five; how much less of one that stands, and of a high one
    "turn_1": 1.17,
    "turn_2": 1.05,
    "turn_3": 1.11,
    "turn_5": 1.05,
    "stand_1": 1.12,
    "stand_2": 1.13,
    "stand_3": 1.07,
    "stand_5": 1.49,
    "high_1": 0.33,
    "high_2": 0.45,
    "high_3": 0.36,
    "high_5": 0.55,
    # the lead, with one turn, two, three, or more left after it
    "lead_1": 3.98,
    "lead_2": 1.05,
    "lead_3": 0.76,
    "lead": 0.32,
    # the lead of another with so many cards left, at most
    "cards_1": 3.28,
    "cards_2": 1.47,
    "cards_3": 1.80,
    "cards_5": 1.74,
    "cards_8": 0.85,
    "cards_12": 0.77,
    "cards_27": 0.34,
    # how much that counts, of an opponent and of a team mate
    "opponent": 0.68,
    "mate": 0.89,
    # a chance to play the last cards
    "finish_opponent": 2.59,
    "finish_mate": 1.10,
    # how much more it all counts for a team of which one, two are out
    "second": 1.29,
    "third": 1.74,
    # to pass; and the share of a hand's chance to beat a play that is left after a pass in the trick
    "pass": 0.002,
    "passed": 0.59,
}
WEIGHTS = np.array(list(_WEIGHTS.values()))
_at = list(_WEIGHTS).index
SINGLE_E, PAIR_E, THREE_E, FIVE_E = map(_at, ("single", "pair", "three", "five_cards"))
TURN, STAND, HIGH = map(_at, ("turn_1", "stand_1", "high_1"))  # followed by those of two, three and five cards
LEAD_1, LEAD, CARDS_1 = map(_at, ("lead_1", "lead", "cards_1"))
CARDS_5, CARDS_8, CARDS_12, CARDS_27 = map(_at, ("cards_5", "cards_8", "cards_12", "cards_27"))
OPPONENT, MATE, FINISH_OPPONENT, FINISH_MATE = map(_at, ("opponent", "mate", "finish_opponent", "finish_mate"))
SECOND, THIRD, PASS, PASSED = map(_at, ("second", "third", "pass", "passed"))

# Columns of the table of seats: cards left; the share of the unseen cards, by size of a play the chance to hold as many of
# something; what the lead of that seat is worth to the viewer, below zero for opponents; the same for playing out.
CARDS, SHARE, LEADS, FINISHES = 0, 0, 6, 7
SEAT_COLUMNS = 8

# How high a play of five cards is among all, 0..1, by family and place; squared distance from the top.
_HEIGHT = np.zeros((FAMILIES, PLACES))
for _family in range(FAMILIES):
    _HEIGHT[_family] = np.arange(PLACES) / (PLACES - 1)
for _family in range(STRAIGHT, FAMILIES):
    for _place in range(PLACES):
        _HEIGHT[_family, _place] = min(1.0, (_family - STRAIGHT + _place / RANKS) / (FAMILIES - STRAIGHT))
_DEPTH = (1 - _HEIGHT) ** 2


@device_function
def stage_of(observation):
    return one_hot(observation, start(_STAGE, PLAYERS), STAGES)


@device_function
def trump_of(observation):
    return np.int64(LOWEST_LEVEL + one_hot(observation, start(_TRUMP, PLAYERS), RANKS))


@device_function
def chosen_kind(observation):
    return read_kind(observation, start(_KIND, PLAYERS))


@device_function
def kind_to_beat(observation):
    """The action that named the play to beat; 0 to lead."""
    return read_kind(observation, start(_BEAT, PLAYERS))


@device_function
def owner_of_beat(observation):
    return one_hot(observation, start(_BEAT_OWNER, PLAYERS), PLAYERS)


@device_function
def read_kind(observation, offset):
    family = one_hot(observation, offset, FAMILIES)
    if family < 0:
        return np.int64(0)
    rank = one_hot(observation, offset + FAMILIES, RANK_INDICES)
    suit = max(one_hot(observation, offset + FAMILIES + RANK_INDICES, SUITS), 0)
    if family == STRAIGHT:
        return np.int64(STRAIGHTS + rank - FIRST_TOP)
    if family == FLUSH:
        return np.int64(FLUSHES + suit * RANKS + rank)
    if family == STRAIGHT_FLUSH:
        return np.int64(STRAIGHT_FLUSHES + suit * TOPS + rank - FIRST_TOP)
    return np.int64(SETS[family] + rank)


@device_function
def own_hand(observation, counts):
    """Own cards of each type."""
    for card in range(DECK_54):
        counts[card] = whole(observation, start(_OWN_HAND, PLAYERS) + card, DECKS)


@device_function
def chosen_cards(observation, counts):
    for card in range(DECK_54):
        counts[card] = whole(observation, start(_CHOSEN, PLAYERS) + card, DECKS)


@device_function
def offered_card(observation, exchange, k):
    """The type of an offered card, -1 if there is none."""
    offset = start(_ANSWER, PLAYERS) + 4 * exchange + 2 * k
    rank, suit = whole(observation, offset, RANK_INDICES) - 1, whole(observation, offset + 1, SUITS) - 1
    return rank * SUITS + suit if rank < RANKS else SUITS * RANKS + rank - RANKS


@device_function
def read_seats(observation, w, seats):
    """The table of seats; see the columns."""
    others, out = 0, 0
    for seat in range(PLAYERS):
        cards = whole(observation, start(_HAND_SIZE, PLAYERS) + seat, HAND + 1)
        seats[seat, CARDS] = cards
        others += cards if seat else 0
        out += (cards == 0) << (2 * (seat % 2))
    for seat in range(1, PLAYERS):
        cards = np.int64(seats[seat, CARDS])
        share = cards / max(others, 1)
        for size in range(1, 4):
            seats[seat, SHARE + size] = share**size if cards >= size else 0.0
        seats[seat, SHARE + 5] = (cards - 4) / (HAND - 4) if cards >= 5 else 0.0
        mate = seat % 2 == 0
        count = urgency(out >> (2 * (seat % 2)) & 3, w)
        seats[seat, LEADS] = (
            w[MATE] * count * worth_of_lead(cards, w) if mate else -w[OPPONENT] * count * worth_of_lead(cards, w)
        )
        seats[seat, FINISHES] = w[FINISH_MATE] * count if mate else -w[FINISH_OPPONENT] * count
    seats[0, LEADS] = urgency(out & 3, w)


@device_function
def note_passes(observation, w, seats):
    """Whoever has passed in this trick is less likely to beat the next play of it.

    What all opponents had before is kept in row 0.
    """
    for size in range(1, 6):
        seats[0, SHARE + size] = opponents_share(seats, size)
    for seat in range(1, PLAYERS):
        if observation[start(_PASSED, PLAYERS) + seat] > 0:
            for size in range(1, 6):
                seats[seat, SHARE + size] *= w[PASSED]


@device_function
def urgency(out, w):
    """The weight of escapes for a team with this number of players out."""
    return 1.0 if out == 0 else w[SECOND] if out == 1 else w[THIRD]


@device_function
def worth_of_lead(cards, w):
    """The value of the lead to a player with this number of cards; if they escaped, it goes to the next (WE-15)."""
    if cards <= 3:
        return w[CARDS_1 + max(cards - 1, 0)]
    if cards <= 5:
        return w[CARDS_5]
    return w[CARDS_8] if cards <= 8 else w[CARDS_12] if cards <= 12 else w[CARDS_27]


@device_function
def opponents_share(seats, size):
    return seats[1, SHARE + size] + seats[3, SHARE + size] + seats[5, SHARE + size]


@device_function
def read_chances(observation, w, counts, seats, trump, expected, price):
    """expected [family, place]: higher plays that opponents may hold; price: what a play costs to keep.

    counts: own cards of each type.
    """
    natural = trump - LOWEST_LEVEL
    singles, pairs, threes = opponents_share(seats, 1), opponents_share(seats, 2), opponents_share(seats, 3)
    above_1, above_2, above_3 = 0.0, 0.0, 0.0
    jokers = 0.0
    played = start(_PLAYED, PLAYERS)
    for place in range(PLACES - 1, -1, -1):
        expected[SINGLE, place] = w[SINGLE_E] * singles * above_1
        expected[PAIR, place] = w[PAIR_E] * pairs * above_2
        expected[THREE, place] = w[THREE_E] * threes * above_3
        if place >= RANKS:
            card = SUITS * RANKS + place - RANKS
            unseen = 1.0 * (DECKS - counts[card] - whole(observation, played + card, DECKS))
            jokers += unseen
            like = jokers
        else:
            rank = natural if place == RANKS - 1 else place + (place >= natural)
            unseen = 0.0
            for card in range(SUITS * rank, SUITS * rank + SUITS):
                unseen += DECKS - counts[card] - whole(observation, played + card, DECKS)
            like = unseen + 0.5 * jokers if unseen > 0 else 0.0
        above_1 += unseen
        above_2 += max(0.0, like * (like - 1) / 2)
        above_3 += max(0.0, like * (like - 1) * (like - 2) / 6)
    fives = w[FIVE_E] * opponents_share(seats, 5)
    for family in range(FAMILIES):
        size = min(family, STRAIGHT)  # in the order of the weights
        for place in range(PLACES):
            if family >= STRAIGHT:
                expected[family, place] = fives * _DEPTH[family, place]
            stand = stands(expected[family, place])
            price[family, place] = w[TURN + size] - w[STAND + size] * stand - w[HIGH + size] * _HEIGHT[family, place]


@device_function
def stands(expected):
    """The probability that nobody beats a play."""
    return 1 / (1 + expected)
