"""Rule-based rummy: melds and lays off all it can, takes a discard only for a meld, knocks as soon as possible.

It discards cards with many points and few neighbours in the hand (cards of the same rank, or near it in the same suit); in
contract rummy only neighbours that the deal's contract can use count. It keeps Jokers. In gin, the hand is arranged as the
rules count it: the discard is the card that leaves the least deadwood.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.bits import count_bits, highest_bit, lowest_bit
from ...envs.core.cards import DECK_66, STANDARD
from ...envs.core.extended.sets import BIT, ONE, PLACE, ZERO, id_at
from ...envs.core.jit import device_function
from ...envs.games.rummy.contracts import GROUPS, RUNS
from ...envs.games.rummy.deadwood import least_deadwood
from ...envs.games.rummy.melds import BASIC_LOW, CONTRACT, GIN, GROUP, RUN, layable
from ...envs.games.rummy.state import (
    CELL_AT,
    CLOSE_GROUP,
    CLOSE_RUN,
    COMMIT,
    DEALS,
    DRAW_STOCK,
    JOKERS_AT,
    KNOCK,
    LAY_OFF_AT,
    MAX_PLAYERS,
    MELD,
    MELD_CELLS,
    OBSERVATION,
    PASS,
    RANK_AT,
    REVEAL_AT,
    SLOTS,
    SUIT_AT,
    TAKE_DISCARD,
)
from .reading import one_hot, whole

_HAND, _BEGUN, _TOP, _MELDS, _PHASE, _MATCH, _GIN, _SEATS = OBSERVATION.places(
    "hand", "composition", "top_discard", "melds", "phase", "match", "gin", "seats", num_players=2
)
_DEAL = _MATCH + MAX_PLAYERS
_COMPOSE = _PHASE + 4
_JOKER = STANDARD
_ACE, _RANKS = 12, 13
_KINDS = 3  # of specials
_NEAR = 2  # ranks apart, of cards that one card joins to a run

# Found by playing against random players and against one another: points of a card, of each of its rank, of each neighbour.
_OF_POINTS, _OF_RANK, _OF_NEXT, _OF_NEAR = 1.0, 6.0, 5.0, 3.0
_OF_DEADWOOD = 10.0  # gin: each point of deadwood that is left
_SPECIAL = 4.0  # a discarded special acts on the next player
_ENOUGH_TO_BUY = 2  # cards that go with the one that is bought


@device_function
def policy(observation, mask, num_players, noise):
    once, twice, jokers = read_cards(observation, _HAND)
    gin = observation[_GIN] > 0 or observation[_GIN + 1] > 0
    if mask[COMMIT]:
        return np.int64(COMMIT)
    if observation[_COMPOSE] > 0:
        return compose_best(observation, once, jokers) if gin else compose(mask)
    if mask[KNOCK]:
        return np.int64(KNOCK)
    if mask[TAKE_DISCARD]:
        return take_or_not(observation, mask, once, twice, jokers, gin)
    if mask[DRAW_STOCK]:
        return np.int64(DRAW_STOCK)
    if mask[MELD]:
        return np.int64(MELD)
    if gin and mask[PASS]:
        return lay_off_or_pass(observation, mask, once, jokers)
    for action in range(LAY_OFF_AT, LAY_OFF_AT + SLOTS):
        if mask[action]:
            return np.int64(action)
    if mask[PASS]:
        return np.int64(PASS)
    return name_card(observation, mask, once, twice, jokers, gin)


@device_function
def read_cards(observation, offset):
    """The cards of a block: faces held at least once, those held twice, and the number of Jokers."""
    once, twice = ZERO, ZERO
    for card in range(DECK_66):
        number = observation[offset + card]
        if number > 0 and not STANDARD <= card < STANDARD + 2:
            once |= BIT[card]
            if number > 0.75:
                twice |= BIT[card]
    return once, twice, whole(observation, offset + _JOKER, 2)


@device_function
def compose(mask):
    """Natural cards while they fit, then the end of the meld; Jokers only if necessary."""
    for card in range(DECK_66):
        if mask[card] and card != _JOKER:
            return np.int64(card)
    if mask[CLOSE_RUN]:
        return np.int64(CLOSE_RUN)
    return np.int64(CLOSE_GROUP) if mask[CLOSE_GROUP] else np.int64(_JOKER)


# --- the end of gin ---


@device_function
def compose_best(observation, once, jokers):
    """A meld of an arrangement that leaves the least deadwood: natural cards, Jokers, then the end."""
    begun, _, begun_jokers = read_cards(observation, _BEGUN)
    meld, used, close = best_meld(once, jokers, begun, begun_jokers)
    left = meld & ~begun
    if left != ZERO:
        return np.int64(id_at(lowest_bit(left)))
    return np.int64(_JOKER) if used > begun_jokers else np.int64(close)


@device_function
def best_meld(once, jokers, begun, begun_jokers):
    """Of an arrangement that leaves the least deadwood a meld that begins with these cards: naturals, Jokers, how it is closed.
    Large melds come first, and groups, on which less can be laid off."""
    least = least_deadwood(once, jokers)
    for size in (4, 3):
        for rank in range(_RANKS + _KINDS):
            for suits in range(1, 16):
                meld = np.uint64(suits) << np.uint64(4 * rank)
                used = size - count_bits(meld)
                fits = meld & ~once == ZERO and begun_jokers <= used <= (jokers if rank < _RANKS else 0)
                if fits and belongs(meld, once, jokers - used, begun, least):
                    return meld, used, CLOSE_GROUP
    for size in (5, 4, 3):
        for suit in range(4):
            for lowest in range(_RANKS + 1 - size):
                meld = ZERO
                for position in range(lowest, lowest + size):
                    meld |= once & ONE << np.uint64(4 * ((position + _ACE) % _RANKS) + suit)
                used = size - count_bits(meld)
                if begun_jokers <= used <= jokers and belongs(meld, once, jokers - used, begun, least):
                    return meld, used, CLOSE_RUN
    return ZERO, np.int64(0), CLOSE_GROUP


@device_function
def belongs(meld, once, jokers, begun, least):
    """Whether a meld begins with these cards and without it, and with so many Jokers left, the least deadwood is left."""
    if meld == ZERO or (begun != ZERO and meld & ((ONE << np.uint64(highest_bit(begun)) << ONE) - ONE) != begun):
        return False
    return least_deadwood(once & ~meld, jokers) == least


@device_function
def lay_off_or_pass(observation, mask, once, jokers):
    """The lay-off that leaves the least deadwood, if that is no more than there is."""
    best, least = np.int64(PASS), least_deadwood(once, jokers)
    for slot in range(SLOTS if least > 0 else 0):
        if mask[LAY_OFF_AT + slot]:
            fitting = once & fits_meld(observation, slot, GIN)
            while fitting != ZERO:
                bit = fitting & (~fitting + ONE)
                left = least_deadwood(once & ~bit, jokers)
                if left < least or (left == least and best == PASS):
                    best, least = np.int64(LAY_OFF_AT + slot), left
                fitting ^= bit
    return best


# --- drawing ---


@device_function
def take_or_not(observation, mask, once, twice, jokers, gin):
    """The discard, if it melds or saves; else the stock, or to pass."""
    card = np.int64(one_hot(observation, _TOP, DECK_66))
    if is_wanted(observation, once, twice, jokers, gin, card):
        return np.int64(TAKE_DISCARD)
    return np.int64(DRAW_STOCK) if mask[DRAW_STOCK] else np.int64(PASS)


@device_function
def is_wanted(observation, once, twice, jokers, gin, card):
    if card == _JOKER:
        return True
    if gin:
        return deadwood_after(once | BIT[card], jokers) < least_deadwood(once, jokers) - cost(card)
    deal = one_hot(observation, _DEAL, DEALS) + 1
    if deal > 0:
        if observation[_SEATS] > 0:  # they are down
            return fits_table(observation, BIT[card])
        return partners(once, twice, BIT[card], GROUPS[deal], RUNS[deal]) >= _ENOUGH_TO_BUY
    return fits_table(observation, BIT[card]) or makes_meld(once, jokers, PLACE[card])


@device_function
def deadwood_after(once, jokers):
    """The least deadwood that is left after the best discard of a card that is no Joker."""
    best, rest = np.int64(10_000), once
    while rest != ZERO:
        bit = rest & (~rest + ONE)
        best = min(best, least_deadwood(once & ~bit, jokers))
        rest ^= bit
    return best


@device_function
def cost(card):
    """What a card in hand must at least save to be worth taking: with a dear one there is less to win from the stock."""
    return 3 if card < STANDARD else 0


@device_function
def makes_meld(once, jokers, place):
    """Whether a card makes a meld with cards of the hand."""
    rank, suit = place >> 2, place & 3
    of_rank = count_bits(once & (np.uint64(15) << np.uint64(4 * rank)))
    if of_rank >= 2:
        return True
    if rank >= _RANKS:
        return False
    if jokers > 0 and of_rank >= 1:
        return True
    low_rank = (rank + 1) % _RANKS  # the ace is low
    for first in range(max(low_rank - 2, 0), min(low_rank, _RANKS - 3) + 1):
        missing = np.int64(0)
        for position in range(first, first + 3):
            other = 4 * ((position + _ACE) % _RANKS) + suit
            missing += other != place and once >> np.uint64(other) & ONE == ZERO
        if missing <= jokers:
            return True
    return False


@device_function
def partners(once, twice, bit, groups, runs):
    """How many cards of the hand go into one meld with a card, groups or runs, as far as the contract has them."""
    place = lowest_bit(bit)
    rank, most = place >> 2, np.int64(0)
    if groups > 0:
        same = np.uint64(15) << np.uint64(4 * rank)
        most = count_bits(once & same) + count_bits(twice & same)
    if runs > 0 and rank < _RANKS and once & bit == ZERO:
        near = np.int64(0)
        for other in range(max(rank - 3, 0), min(rank + 3, _RANKS - 1) + 1):
            near += np.int64(once >> np.uint64(4 * other + (place & 3)) & ONE)
        most = max(most, near)
    return most


@device_function
def fits_table(observation, bit):
    """Whether a card may be laid off on a meld of the table (as far as an ace is low, outside contract rummy)."""
    rules = CONTRACT if one_hot(observation, _DEAL, DEALS) >= 0 else BASIC_LOW
    for slot in range(SLOTS):
        offset = _MELDS + MELD_CELLS * slot
        if observation[offset] == 0 and observation[offset + 1] == 0:
            return False
        if fits_meld(observation, slot, rules) & bit != ZERO:
            return True
    return False


@device_function
def fits_meld(observation, slot, rules):
    """The faces of which a card may be laid off on a meld of the table."""
    offset = _MELDS + MELD_CELLS * slot
    group = observation[offset] > 0
    once, twice = read_meld(observation, offset, group)
    return layable(GROUP if group else RUN, once, twice, whole(observation, offset + JOKERS_AT, 4), rules)


@device_function
def read_meld(observation, offset, group):
    """The naturals of a meld."""
    once, twice = ZERO, ZERO
    if group:
        rank = one_hot(observation, offset + RANK_AT, 16)
        for suit in range(4):
            number, bit = observation[offset + CELL_AT + suit], ONE << np.uint64(4 * rank + suit)
            if number > 0:
                once |= bit
            if number > 0.75:
                twice |= bit
        return once, twice
    suit = one_hot(observation, offset + SUIT_AT, 4)
    for position in range(_RANKS + 1):
        if observation[offset + CELL_AT + position] > 0:
            once |= ONE << np.uint64(4 * ((position + _ACE) % _RANKS) + suit)
    return once, twice


# --- discards and lay-offs ---


@device_function
def name_card(observation, mask, once, twice, jokers, gin):
    """The least useful card, Jokers last."""
    deal = one_hot(observation, _DEAL, DEALS) + 1
    best, most = np.int64(-1), -1e9
    for card in range(DECK_66):
        if mask[card]:
            worth = -1e6
            if card != _JOKER:
                worth = spare(once, twice, PLACE[card], deal)
                if gin:
                    worth -= _OF_DEADWOOD * least_deadwood(once & ~BIT[card], jokers)
            if worth > most:
                best, most = np.int64(card), worth
    return best if best >= 0 else last_choice(mask)


@device_function
def spare(once, twice, place, deal):
    """How little a card is needed: its points less the value of its neighbours."""
    rank, suit = place >> 2, place & 3
    same = np.uint64(15) << np.uint64(4 * rank)
    of_rank = count_bits(once & same) + count_bits(twice & same) - 1
    groups = deal == 0 or GROUPS[deal] > 0
    worth = -_OF_RANK * of_rank if groups else 0.0
    if rank >= _RANKS:
        return worth + 10 * _OF_POINTS + _SPECIAL
    points = 1 if rank == _ACE and deal == 0 else 15 if rank == _ACE else min(rank + 2, 10)
    worth += _OF_POINTS * points
    if deal == 0 or RUNS[deal] > 0:
        if twice >> np.uint64(place) & ONE != ZERO and not groups:
            return worth + 1.0  # of no use to a run
        for apart in range(1, _NEAR + 1):
            weight = _OF_NEXT if apart == 1 else _OF_NEAR
            for other in (rank - apart, rank + apart):
                if other == -1:
                    other = _ACE
                if 0 <= other < _RANKS and once >> np.uint64(4 * other + suit) & ONE != ZERO:
                    worth -= weight
    return worth


@device_function
def last_choice(mask):
    """To reveal a special, or whatever there is."""
    for action in range(REVEAL_AT, COMMIT):
        if mask[action]:
            return np.int64(action)
    for action in range(mask.shape[0]):
        if mask[action]:
            return np.int64(action)
    return np.int64(-1)
