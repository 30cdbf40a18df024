"""Sampling for baccarat: the order of the shoe, burned cards, and others' face-down cards.

Some facts about hands are public: a hand not shown at once is not a natural, and its rule must agree with whether its holder
was asked (`what_is_possible`). Each hand is redrawn until it is possible, and all of them until no card is in two hands, so
every arrangement is equally likely. The work is bounded: after a maximal number of tries the last draw is kept, which happens
only if the known facts are extremely unlikely for the shoe.
"""

from __future__ import annotations

import numpy as np

from ...core.cards import DECK_66
from ...core.extended.sets import FIRST_SPECIAL
from ...core.extended.shoe import gather_pile, list_cards, specials_in
from ...core.jit import device_function
from ...core.rng import random_below, shuffle
from .coup import is_in_play, what_is_possible
from .drawing import total_of
from .state import HAS_SPECIAL, PLACES

_TRIES = 20_000  # number of draws of hands


@device_function
def determinize(state, viewer):
    count, room = np.zeros(DECK_66, np.int64), np.zeros(PLACES, np.int64)
    for position in range(np.int64(state.pile_at), np.int64(state.pile_end)):
        count[np.int64(state.deck[position])] += 1
    burned = np.int64(0)
    for card in range(DECK_66):
        burned += np.int64(state.burned[card])
        count[card] += np.int64(state.burned[card])
        state.burned[card] = 0
    for place in range(PLACES):
        if is_in_play(state, place) and state.holder[place] != viewer:
            room[place] = take_hidden(state, place, count)
    deal_hands_anew(state, count, room)
    for _ in range(burned):
        card = random_counted(state, count)
        count[card] -= 1
        state.burned[card] += 1
    gather_pile(state, count)
    begin, end = np.int64(state.pile_at), np.int64(state.pile_end)
    shuffle(state, state.deck[begin:], end - begin)


@device_function
def staged_of(state, place, card):
    return np.int64(state.staged[card - FIRST_SPECIAL]) if place == state.turn and card >= FIRST_SPECIAL else np.int64(0)


@device_function
def take_hidden(state, place, count):
    """Move the face-down cards of a hand, except staged ones, into `count`. Returns their number."""
    number = np.int64(0)
    for card in range(DECK_66):
        hidden = np.int64(state.hand[place, card]) - np.int64(state.shown[place, card]) - staged_of(state, place, card)
        state.hand[place, card] -= hidden
        count[card] += hidden
        number += hidden
    return number


@device_function
def random_counted(state, count):
    """A uniformly random card among those counted."""
    number = np.int64(0)
    for card in range(DECK_66):
        number += count[card]
    left = random_below(state, number)
    for card in range(DECK_66):
        left -= count[card]
        if left < 0:
            return card
    return 0


@device_function
def deal_hands_anew(state, count, room):
    """Draw the hidden cards of hands from `count`."""
    cards = np.empty(count.sum(), np.int64)
    list_cards(count, cards)
    size, held = cards.shape[0], np.zeros(DECK_66, np.uint8)
    order = np.empty((PLACES, size), np.int64)  # the first `room` entries are a hand, as indices of `cards`
    for place in range(PLACES):
        for k in range(size):
            order[place, k] = k
    tries = 0
    while True:
        for place in range(PLACES):
            possible = what_is_possible(state, place)
            tries += 1
            draw_some(state, order[place], room[place])
            while room[place] > 0 and tries < _TRIES and not is_possible(cards, order[place], room[place], possible, held):
                tries += 1
                draw_some(state, order[place], room[place])
        if tries >= _TRIES or are_apart(order, room):
            break
    if not are_apart(order, room):
        share_out(order, room)
    for place in range(PLACES):
        for k in range(room[place]):
            card = cards[order[place, k]]
            count[card] -= 1
            state.hand[place, card] += 1


@device_function
def draw_some(state, order, number):
    """Put a random choice of `number` entries first."""
    for k in range(number):
        other = k + random_below(state, order.shape[0] - k)
        first = order[k]
        order[k] = order[other]
        order[other] = first


@device_function
def is_possible(cards, order, number, possible, held):
    """Whether a hand can be these cards; `held` is a hand without cards."""
    for k in range(number):
        held[cards[order[k]]] += 1
    bit = np.int64(HAS_SPECIAL) if specials_in(held) > 0 else total_of(held)
    for k in range(number):
        held[cards[order[k]]] = 0
    return possible >> bit & 1 != 0


@device_function
def are_apart(order, room):
    """Whether the hands have no card in common."""
    for one in range(1, PLACES):
        for other in range(one):
            for k in range(room[one]):
                for j in range(room[other]):
                    if order[one, k] == order[other, j]:
                        return False
    return True


@device_function
def share_out(order, room):
    """Give each hand the next cards of one random order."""
    next_card = room[0]
    for place in range(1, PLACES):
        for k in range(room[place]):
            order[place, k] = order[0, next_card]
            next_card += 1
