"""Rule-based President: rates a play by the turns that it saves the hand, and by the value of the lead afterwards.

A hand is counted as its sets, a rank each: a set costs a turn, less what it is worth in winning the lead, which is likelier the
fewer higher sets of its size the others can be expected to hold. A play is rated by what it takes off that cost, so that sets
stay together and low ones go first, and by the chance that it stands, times what the lead is worth with so few turns left.
Specials cost one turn per kind and can only be led. Instead of passing, it may reveal a Skip or a Reverse for a playable card.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.cards import DECK_66, RANKS, STANDARD, SUITS
from ...envs.core.extended.sets import FIRST_SPECIAL, REVERSE, SKIP, SPECIALS
from ...envs.core.jit import device_function
from ...envs.core.layout import start
from ...envs.games.president.state import (
    CARDS_OF,
    CODES,
    COMMIT_AT,
    GIVE_AT,
    GIVE_JOKER_AT,
    GIVE_SPECIAL_AT,
    JOKERS_OF,
    KINDS,
    LEAD_AT,
    OBSERVATION,
    PASS_AT,
    REVEAL_AT,
    SET_CARDS,
    UNIT,
)
from ...envs.games.president.table import order_of, rank_at
from .reading import hand_size_of

_HAND, _ASIDE, _PLAYED, _PHASE = OBSERVATION.places("hand", "aside", "played", "phase")

# Found by playing variants against each other. A unit is about a turn.
_WEIGHTS = {
    # how much others who hold a higher set of one, two, three, four cards will beat one
    "beat_1": 0.25,
    "beat_2": 0.49,
    "beat_3": 0.04,
    "beat_4": 0.42,
    # the price of a set, and how much less of one that stands
    "turn_1": 1.00,
    "turn_2": 1.00,
    "turn_3": 1.13,
    "turn_4": 0.88,
    "high_1": 0.98,
    "high_2": 0.89,
    "high_3": 1.11,
    "high_4": 0.75,
    # and how much less by the height of its rank, from lowest to highest
    "rank": 0.24,
    # the price of the first Joker, of the second; of a kind of specials
    "joker_1": -0.07,
    "joker_2": 0.28,
    "draw": 1.53,
    "reverse": 0.21,
    "skip": 0.62,
    # the lead with one turn, two, three, four, more left
    "lead_1": 2.46,
    "lead_2": 0.97,
    "lead_3": 0.92,
    "lead_4": 0.45,
    "lead": 0.55,
    # specials that are led: how much others will play on them; what each Draw is worth
    "beat_special": 0.22,
    "each_draw": 0.28,
    # to pass; to reveal
    "pass": -0.17,
    "reveal_draw": -1.36,
    "reveal_reverse": 0.70,
    "reveal_skip": 0.72,
    "reveal_more": 0.40,
}
WEIGHTS = np.array(list(_WEIGHTS.values()))
_at = list(_WEIGHTS).index
BEAT, TURN, HIGH = map(_at, ("beat_1", "turn_1", "high_1"))  # followed by those of two, three and four cards
JOKER, KIND, LEAD_1 = map(_at, ("joker_1", "draw", "lead_1"))  # followed by those of the others
BEAT_SPECIAL, EACH_DRAW, PASS, REVEAL, REVEAL_MORE, HEIGHT = map(
    _at, ("beat_special", "each_draw", "pass", "reveal_draw", "reveal_more", "rank")
)

# A row of numbers of cards: by the place of their rank in the order of PR-03, Jokers, Draws, Reverses, Skips.
JOKERS, FIRST_KIND = RANKS, RANKS + 1
COLUMNS = FIRST_KIND + KINDS
OUT = 1000.0  # to play the last card
_WAYS = np.array(
    [[1, cards, cards * (cards - 1) / 2, cards * (cards - 1) * (cards - 2) / 6, float(cards == 4)] for cards in range(5)]
)
TWOS_HIGH = True  # the order is not to be seen; this is the usual one
_LOOKED_AHEAD = 5


@device_function
def policy(observation, mask, num_players, noise):
    return decide(observation, mask, num_players, WEIGHTS)


@device_function
def decide(observation, mask, n, w):
    """What to do, by weights as above."""
    held, unseen = np.zeros(COLUMNS, np.int64), np.zeros(COLUMNS, np.int64)
    read_cards(observation, n, held, unseen)
    others, players = 0, 0
    for seat in range(1, n):
        size = hand_size_of(observation, n, seat, UNIT)
        others += size
        players += size > 0
    stands, price = np.zeros((SET_CARDS + 1, RANKS + 1)), np.zeros((SET_CARDS + 1, RANKS + 1))
    rate_sets(unseen, others, max(players, 1), w, stands, price)
    if observation[start(_PHASE, n)] > 0:
        return best_gift(mask, held, price, w)
    cost = cost_of(held, price, w)
    choice, best = np.int64(-1), -1.0e9
    if mask[PASS_AT]:
        choice, best = np.int64(PASS_AT), w[PASS]
    if mask[COMMIT_AT]:
        choice, best = np.int64(COMMIT_AT), 0.0
    for place in range(RANKS):
        for code in range(CODES):
            action = CODES * rank_at(place, TWOS_HIGH) + code
            if mask[action]:
                size, wild = CARDS_OF[code], JOKERS_OF[code]
                held[place] -= size - wild
                held[JOKERS] -= wild
                value = cost - cost_of(held, price, w) + worth_of_lead(held, stands[size, place + 1], w)
                held[place] += size - wild
                held[JOKERS] += wild
                if value > best:
                    choice, best = np.int64(action), value
    for kind in range(KINDS):
        for count in range(1, SET_CARDS + 1):
            action = LEAD_AT + SET_CARDS * kind + count - 1
            if mask[action]:
                held[FIRST_KIND + kind] -= count
                value = cost - cost_of(held, price, w)
                value += worth_of_lead(held, special_stands(stands, kind, count, players, w), w)
                held[FIRST_KIND + kind] += count
                if kind == 0:
                    value += w[EACH_DRAW] * count
                if value > best:
                    choice, best = np.int64(action), value
    staged = mask[COMMIT_AT] != 0
    for special in range(SPECIALS):
        if mask[REVEAL_AT + special]:
            value = w[REVEAL + special // SUITS] if not staged else w[REVEAL_MORE] if special >= SUITS else -1.0
            if value > best:
                choice, best = np.int64(REVEAL_AT + special), value
    return choice


@device_function
def read_cards(observation, n, held, unseen):
    """The numbers of each column that the viewer holds, and that are unseen."""
    gone, hand = np.zeros(COLUMNS, np.int64), start(_HAND, n)
    for card in range(DECK_66):
        column = column_of(card)
        held[column] += observation[hand + card] > 0
        for seat in range(n):
            gone[column] += observation[start(_PLAYED, n) + seat * DECK_66 + card] > 0
    for special in range(SPECIALS):
        gone[FIRST_KIND + special // SUITS] += observation[start(_ASIDE, n) + special] > 0
    for column in range(RANKS):
        unseen[column] = SUITS - gone[column] - held[column]
    unseen[JOKERS] = 2 - gone[JOKERS] - held[JOKERS]


@device_function
def column_of(card):
    if card < STANDARD:
        return order_of(card // SUITS, TWOS_HIGH)
    if card < FIRST_SPECIAL:
        return np.int64(JOKERS)
    return np.int64(FIRST_KIND + (card - FIRST_SPECIAL) // SUITS)


@device_function
def rate_sets(unseen, others, players, w, stands, price):
    """By size and place (column place + 1; column 0 is for specials that were led): the chance of a set to stand, its price.

    Others hold each unseen card alike, so a set of a rank with a certain chance is in one hand.
    """
    left = 0
    for column in range(RANKS + 1):
        left += unseen[column]
    share = min(1.0, others / max(left, 1))
    for size in range(1, SET_CARDS + 1):
        chance = share * (share / players) ** (size - 1)
        higher = 0.0
        for place in range(RANKS - 1, -2, -1):
            stands[size, place + 1] = 1 / (1 + w[BEAT + size - 1] * chance * higher)
            if place >= 0:
                higher += _WAYS[unseen[place], size] + 0.5 * unseen[JOKERS] * _WAYS[unseen[place], size - 1]
                price[size, place + 1] = w[TURN + size - 1] - w[HIGH + size - 1] * stands[size, place + 1]
                price[size, place + 1] -= w[HEIGHT] * place / (RANKS - 1)


@device_function
def cost_of(held, price, w):
    """The cost of playing out a hand."""
    cost = 0.0
    for place in range(RANKS):
        cost += price[held[place], place + 1]
    for number in range(held[JOKERS]):
        cost += w[JOKER + number]
    for kind in range(KINDS):
        if held[FIRST_KIND + kind] > 0:
            cost += w[KIND + kind]
    return cost


@device_function
def worth_of_lead(held, stands, w):
    """What the chance of the lead is worth with these cards left."""
    turns = 0
    for column in range(COLUMNS):
        turns += held[column] > 0
    if turns == 0:
        return OUT
    return stands * w[LEAD_1 + min(turns, _LOOKED_AHEAD) - 1]


@device_function
def special_stands(stands, kind, count, players, w):
    """The chance that specials which are led stand: those who are skipped cannot play on them."""
    asked = players
    if kind == SKIP:
        asked = players - count if count <= players else players
    if kind == REVERSE and players == 1 and count % 2 == 1:
        return 1.0
    against = (1 / stands[count, 0] - 1) / max(w[BEAT + count - 1], 1.0e-9) * w[BEAT_SPECIAL]
    return 1 / (1 + against * asked / max(players, 1))


@device_function
def best_gift(mask, held, price, w):
    """The card whose loss leaves the cheapest hand."""
    choice, best = np.int64(-1), 1.0e9
    for column in range(COLUMNS):
        action = gift(column)
        if mask[action]:
            held[column] -= 1
            cost = cost_of(held, price, w)
            held[column] += 1
            if cost < best:
                choice, best = action, cost
    return choice


@device_function
def gift(column):
    """The action that gives away a card of a column."""
    if column < RANKS:
        return GIVE_AT + rank_at(column, TWOS_HIGH)
    return np.int64(GIVE_JOKER_AT if column == JOKERS else GIVE_SPECIAL_AT + column - FIRST_KIND)
