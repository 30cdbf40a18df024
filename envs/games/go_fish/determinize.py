"""Sampling of hidden cards: the other hands and the stock.

The seat knows the cards that it has seen itself, the minimal number of cards of a rank in a hand (those received openly and, if
its player asked for the rank, one of their own or a Joker), the ranks that it lacks, and that no hand keeps four of a standard
rank.

There are too many deals to count them jointly, but they can be counted rank by rank. If each place has a weight, the product of
the weights of all cards' places is the same for every deal that fills the places exactly. Therefore each rank is dealt
separately, with probabilities by weight, and the deal is accepted if it fills the places; then all deals are equally likely.
The weights make acceptance likely. The rank with the most splits comes last, and is dealt as the others require.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.bits import count_bits, lowest_bit
from ...core.cards import DECK_66, RANKS, SMALL_JOKER
from ...core.extended.hidden import gather_hidden
from ...core.extended.pile import pile_size
from ...core.extended.sets import ONE, ZERO, add, id_at
from ...core.extended.turns import has_bit
from ...core.jit import device_function
from ...core.rng import random_below, shuffle
from .state import ALL_RANKS, BOOK, FEWEST_OF_A_BOOK, JOKERS, MAX_PLAYERS, OF_RANK

_PLACES = MAX_PLAYERS  # the other hands and the stock
_LANE = 8  # bits for the cards of a place, if the numbers of all places are packed into one number
_WAYS = 126  # to deal four cards to six places
_ROUNDS = 6  # in which weights are found
_TRIES = 20_000
_BITS = 31  # of a random share
_NOWHERE = -1
_FACTORIAL = np.array([1.0, 1.0, 2.0, 6.0, 24.0])
_MORE = 0.05  # keeps weights from 0

# The bounds of each place for the cards of each rank dealt to it.
_LEAST, _MOST, _ON_JOKER = range(3)


class _Splits(NamedTuple):
    """The splits of each rank's hidden cards among the places, as arrays [ALL_RANKS, _WAYS]."""

    numbers: np.ndarray  # int64, the number of cards for each place, packed into one number
    on_joker: np.ndarray  # int64, the places that then need a Joker, as bits
    weights: np.ndarray  # float64
    ways: np.ndarray  # int64 [ALL_RANKS], the number of splits


@device_function
def determinize(state, viewer):
    n = np.int64(state.num_players)
    known, hidden, room = np.zeros((MAX_PLAYERS, 2), np.uint64), np.zeros(2, np.uint64), np.zeros(n + 1, np.int64)
    for seat in range(n):
        known[seat, 0] = state.hand[seat, 0] & state.met[viewer]
    gather_hidden(state, viewer, known, hidden, room)
    places, count = np.empty(_PLACES, np.int64), 0
    for place in range(n + 1):
        if room[place] > 0:
            places[count] = place
            count += 1
    if count > 0:
        deal_hidden_ranks(state, viewer, hidden, room, places[:count])
    for seat in range(n):
        if seat != viewer:
            state.met[seat] = ZERO


@device_function
def deal_hidden_ranks(state, viewer, hidden, room, places):
    count = places.shape[0]
    left = np.empty(ALL_RANKS, np.int64)
    for rank in range(ALL_RANKS):
        left[rank] = count_bits(hidden[0] & OF_RANK[rank])
    bounds = bounds_of(state, viewer, left, room, places, count_bits(hidden[1]))
    shape = (ALL_RANKS, _WAYS)
    numbers, on_joker, weights = np.empty(shape, np.int64), np.empty(shape, np.int64), np.empty(shape, np.float64)
    splits = _Splits(numbers, on_joker, weights, np.zeros(ALL_RANKS, np.int64))
    for rank in range(ALL_RANKS):
        list_splits(rank, left[rank], bounds[rank], count, splits)
    share = weigh(room, places, left, bounds, count_bits(hidden[1]), splits)
    chosen, jokers = np.zeros(ALL_RANKS, np.int64), np.full(JOKERS, _NOWHERE, np.int64)
    success = draw(state, room, places, hidden, share, splits, chosen, jokers)
    hand_out(state, hidden, room, places, chosen, jokers, success)


@device_function
def bounds_of(state, viewer, left, room, places, jokers):
    """For each rank and place: the least and the most cards dealt to it, and whether it needs one more, or a Joker."""
    n = np.int64(state.num_players)
    bounds = np.zeros((ALL_RANKS, _PLACES, 3), np.int64)
    for k in range(places.shape[0]):
        seat = places[k]
        for rank in range(ALL_RANKS):
            most = BOOK
            if seat < n:
                in_hand = count_bits(state.hand[seat, 0] & OF_RANK[rank])
                least = np.int64(state.known[seat, rank]) - in_hand
                if np.int64(state.owned[seat]) >> rank & 1:
                    if state.joker_asks and rank < RANKS and jokers > 0:
                        bounds[rank, k, _ON_JOKER] = least + 1 > 0
                    else:
                        least += 1
                bounds[rank, k, _LEAST] = max(least, 0)
                most = (BOOK - 1 if rank < RANKS else BOOK) - in_hand
                if np.int64(state.lacks[seat]) >> rank & 1:
                    most = 0
            bounds[rank, k, _MOST] = min(most, left[rank], room[seat])
    return bounds


@device_function
def list_splits(rank, cards, bounds, count, splits):
    """The splits of this number of cards of a rank, weighted by the number of choices of cards."""
    number, left, size = np.zeros(_PLACES, np.int64), np.zeros(_PLACES + 1, np.int64), 0
    place = 0
    left[0] = cards
    number[0] = bounds[0, _LEAST] - 1
    while place >= 0:
        number[place] += 1
        if number[place] > min(bounds[place, _MOST], left[place]):
            place -= 1
            continue
        left[place + 1] = left[place] - number[place]
        if place < count - 1:
            place += 1
            number[place] = bounds[place, _LEAST] - 1
        elif left[count] == 0:
            split, needy, weight = np.int64(0), np.int64(0), _FACTORIAL[cards]
            for k in range(count):
                split |= number[k] << (_LANE * k)
                weight /= _FACTORIAL[number[k]]
                if bounds[k, _ON_JOKER] and number[k] == bounds[k, _LEAST]:
                    needy |= 1 << k
            splits.numbers[rank, size], splits.on_joker[rank, size], splits.weights[rank, size] = split, needy, weight
            size += 1
    splits.ways[rank] = size


@device_function
def cards_at(split, k):
    return split >> (_LANE * k) & ((1 << _LANE) - 1)


@device_function
def weigh(room, places, left, bounds, jokers, splits):
    """Find weights of the places for which the expected number of cards about equals the room, and multiply the weights of the
    splits by them. Returns the weights of the places."""
    count = places.shape[0]
    share, powers = np.ones(_PLACES, np.float64), np.ones((_PLACES, BOOK + 1), np.float64)
    least, most = np.zeros(_PLACES, np.float64), np.zeros(_PLACES, np.float64)
    for k in range(count):
        share[k] = room[places[k]] / room[places[count - 1]]
        most[k] = jokers
        for rank in range(ALL_RANKS):
            least[k] += bounds[rank, k, _LEAST]
            most[k] += bounds[rank, k, _MOST]
    mean, part = np.empty(_PLACES, np.float64), np.empty(_PLACES, np.float64)
    for _ in range(_ROUNDS if count > 1 else 0):
        take_powers(share, powers, count)
        total = 0.0
        for k in range(count):
            total += share[k]
        for k in range(count):
            mean[k] = jokers * share[k] / total
        for rank in range(ALL_RANKS):
            if left[rank] > 0:
                whole = 0.0
                for k in range(count):
                    part[k] = 0.0
                for way in range(splits.ways[rank]):
                    weight = splits.weights[rank, way] * weight_of(splits.numbers[rank, way], powers, count)
                    if splits.on_joker[rank, way] != 0:
                        weight *= _MORE
                    whole += weight
                    for k in range(count):
                        part[k] += weight * cards_at(splits.numbers[rank, way], k)
                for k in range(count):
                    mean[k] += part[k] / whole
        for k in range(count):
            size = np.float64(room[places[k]])
            up = (size - least[k] + _MORE) / (mean[k] - least[k] + _MORE)
            down = (most[k] - mean[k] + _MORE) / (most[k] - size + _MORE)
            share[k] = min(max(share[k] * up * down, 1e-6), 1e6)
    take_powers(share, powers, count)
    for rank in range(ALL_RANKS):
        for way in range(splits.ways[rank]):
            splits.weights[rank, way] *= weight_of(splits.numbers[rank, way], powers, count)
    return share


@device_function
def take_powers(share, powers, count):
    for k in range(count):
        for cards in range(1, BOOK + 1):
            powers[k, cards] = powers[k, cards - 1] * share[k]


@device_function
def weight_of(split, powers, count):
    weight = 1.0
    for k in range(count):
        weight *= powers[k, cards_at(split, k)]
    return weight


@device_function
def random_share(state):
    return random_below(state, 1 << _BITS) / (1 << _BITS)


@device_function
def draw(state, room, places, hidden, share, splits, chosen, jokers):
    """Draw the split of each rank, and the place of each hidden Joker. Returns whether the draw fills the places."""
    count, number = places.shape[0], count_bits(hidden[1])
    last, space = 0, np.int64(0)
    for rank in range(ALL_RANKS):
        if splits.ways[rank] > splits.ways[last]:
            last = rank
    for k in range(count):
        space |= room[places[k]] << (_LANE * k)
    heaviest = 0.0
    for way in range(splits.ways[last]):
        heaviest = max(heaviest, splits.weights[last, way])
    wholes = np.full((1 << _PLACES, ALL_RANKS), -1.0)  # by the places with Jokers
    spots = count**number
    likely = np.zeros(spots, np.float64)
    total = 0.0
    for spot in range(spots):
        likely[spot] = weight_of_jokers(state, spot, number, room, places, share)
        if likely[spot] > 0:
            with_joker = places_with_jokers(spot, number, count)
            if wholes[with_joker, 0] < 0:
                weigh_ranks(with_joker, splits, wholes[with_joker])
            for rank in range(ALL_RANKS):
                if rank != last:
                    likely[spot] *= wholes[with_joker, rank]
        total += likely[spot]
    for _ in range(_TRIES):
        spot, point = 0, random_share(state) * total
        while spot < spots - 1 and point >= likely[spot]:
            point -= likely[spot]
            spot += 1
        with_joker, filled, digits = places_with_jokers(spot, number, count), np.int64(0), spot
        for joker in range(number):
            jokers[joker] = digits % count
            filled += 1 << (_LANE * jokers[joker])
            digits //= count
        for rank in range(ALL_RANKS):
            if rank != last:
                chosen[rank] = pick_split(state, with_joker, wholes[with_joker, rank], splits, rank)
                filled += chosen[rank]
        for way in range(splits.ways[last]):
            if splits.numbers[last, way] == space - filled and splits.on_joker[last, way] & ~with_joker == 0:
                chosen[last] = splits.numbers[last, way]
                is_taken = random_share(state) * heaviest < splits.weights[last, way]
                if is_taken and mover_can_act(state, places, room, chosen, jokers):
                    return True
    return False


@device_function
def places_with_jokers(spot, number, count):
    """The places of the Jokers as bits; `spot` holds them as digits."""
    with_joker = np.int64(0)
    for _ in range(number):
        with_joker |= 1 << (spot % count)
        spot //= count
    return with_joker


@device_function
def weight_of_jokers(state, spot, number, room, places, share):
    """The weight of such places for the Jokers; 0 where they cannot be there."""
    n, count, turn = np.int64(state.num_players), places.shape[0], np.int64(state.turn)
    weight, digits = 1.0, spot
    for _ in range(number):
        weight *= share[digits % count]
        digits //= count
    for k in range(count):
        seat, jokers, digits = places[k], 0, spot
        for _ in range(number):
            jokers += digits % count == k
            digits //= count
        if jokers > room[seat]:
            return 0.0
        if seat < n:
            if jokers < np.int64(state.jokers[seat]):
                return 0.0
            # They are to ask, but cannot ask with only Jokers.
            asks = seat == turn and not has_bit(state.fished, turn) and not state.joker_asks and not state.terminated
            if asks and jokers == room[seat] and state.hand[seat, 0] == ZERO:
                return 0.0
    return weight


@device_function
def weigh_ranks(with_joker, splits, wholes):
    """For each rank the weight of all its splits, given the places of Jokers."""
    for rank in range(ALL_RANKS):
        whole = 0.0
        for way in range(splits.ways[rank]):
            if splits.on_joker[rank, way] & ~with_joker == 0:
                whole += splits.weights[rank, way]
        wholes[rank] = whole


@device_function
def pick_split(state, with_joker, whole, splits, rank):
    """Draw a split of a rank by weight."""
    picked = np.int64(0)
    if splits.ways[rank] == 1:
        return splits.numbers[rank, 0]
    point = random_share(state) * whole
    for way in range(splits.ways[rank]):
        if splits.on_joker[rank, way] & ~with_joker == 0:
            picked = splits.numbers[rank, way]
            if point < splits.weights[rank, way]:
                break
            point -= splits.weights[rank, way]
    return picked


@device_function
def mover_can_act(state, places, room, chosen, jokers):
    """GF-09: a player asked after the end of their asking has a book to lay or a special to reveal."""
    turn = np.int64(state.turn)
    if state.terminated or state.staged != 0 or not has_bit(state.fished, turn):
        return True
    for k in range(places.shape[0]):
        if places[k] == turn:
            wild = 0
            for joker in range(JOKERS):
                wild += jokers[joker] == k
            for rank in range(ALL_RANKS):
                held = count_bits(state.hand[turn, 0] & OF_RANK[rank]) + cards_at(chosen[rank], k)
                if rank < RANKS:
                    if held >= FEWEST_OF_A_BOOK and held + wild >= BOOK:
                        return True
                elif held == BOOK or (held > 0 and pile_size(state) > 0):
                    return True
            return False
    return True


@device_function
def hand_out(state, hidden, room, places, chosen, jokers, success):
    """Deal the cards as drawn, at random within a rank; if no draw was found, all but the Jokers at random."""
    n, count = np.int64(state.num_players), places.shape[0]
    cards, size = np.empty(DECK_66, np.int64), 0
    pile, drawn = np.empty(DECK_66, np.int64), 0
    wild = hidden[1]
    for joker in range(count_bits(wild)):
        seat, card = places[jokers[joker]], SMALL_JOKER + lowest_bit(wild)
        wild &= wild - ONE
        room[seat] -= 1
        if seat == n:
            pile[drawn] = card
            drawn += 1
        else:
            add(state.hand[seat], card)
    for rank in range(ALL_RANKS):
        of_rank = hidden[0] & OF_RANK[rank]
        if success:
            size = 0
        first = size
        while of_rank != ZERO:
            cards[size] = id_at(lowest_bit(of_rank))
            of_rank &= of_rank - ONE
            size += 1
        if success:
            shuffle(state, cards, size)
            for k in range(count):
                for _ in range(cards_at(chosen[rank], k)):
                    drawn = put(state, cards[first], places[k], pile, drawn)
                    first += 1
    if not success:
        shuffle(state, cards, size)
        k = 0
        for index in range(size):
            while room[places[k]] == 0:
                k += 1
            room[places[k]] -= 1
            drawn = put(state, cards[index], places[k], pile, drawn)
    top = np.int64(state.pile_at)
    shuffle(state, pile, drawn)
    for k in range(drawn):
        state.deck[top + k] = pile[k]


@device_function
def put(state, card, seat, pile, drawn):
    """Put a card into a hand, or to the `drawn` cards of the pile. Returns the number of these."""
    if seat == np.int64(state.num_players):
        pile[drawn] = card
        return drawn + 1
    add(state.hand[seat], card)
    return drawn
