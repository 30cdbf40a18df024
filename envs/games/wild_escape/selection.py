"""The second stage: the legal next cards when cards are chosen one by one, in ascending order of type.

`next_cards` gives the legal types as bits. Four bits of these belong to a rank, one a suit, so that they combine with flags by
rank; bits 52 and 53 are the Jokers. A type is legal if some set that the stage asks for begins with the cards chosen and goes
on with it: wilds come last, so that what must be checked is how the ordinary cards from this type on can complete the set.
"""

from __future__ import annotations

import numpy as np

from ...core.cards import BIG_JOKER, DECK_54, RANKS, SMALL_JOKER, STANDARD, SUITS
from ...core.compare.packed import RANKS_ONCE
from ...core.compare.wild_escape import ranks_present, trump_on_top
from ...core.jit import device_function
from .combinations import (
    ABOVE,
    BELOW,
    FAMILY,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    NEAR,
    RANK,
    SIZE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    SUIT,
    WINDOW,
    all_suits,
    at_least,
    count_flags,
    has_lower,
    rank_of,
    read_hand,
    suit_of_lone,
)
from .flush import best_flush, flush_of, is_flush
from .state import ALL, CARDS, LOWEST_LEVEL, NOBODY, OFFER, RETURN, TRIBUTE

_ONE = np.int64(1)
_ALL_RANKS = 15 * RANKS_ONCE
_ACE_RANK = RANKS - 1
_FIVE_TOP = 3


@device_function
def cards_wanted(state):
    """The number of cards chosen in this stage."""
    if state.stage == CARDS:
        return SIZE[FAMILY[np.int64(state.kind)]]
    return np.int64(2 if state.stage == OFFER else 1)


@device_function
def next_cards(state):
    """The card types that may be chosen now, as bits; none in a stage without cards."""
    hand = state.hand[np.int64(state.current_player)]
    if state.stage == CARDS:
        return next_of_play(state, hand)
    held = np.int64(0)
    for card in range(DECK_54):
        held |= np.int64(hand[card] > 0) << card
    if state.stage == TRIBUTE:
        return highest_held(held, np.int64(state.trump))
    if state.stage == RETURN:
        return held  # WE-30
    if state.stage == OFFER:
        return next_offered(state, hand, held)
    return held & higher_than_both(state)


@device_function
def highest_held(held, trump):
    """WE-25: the cards of the highest rank held."""
    if held >> BIG_JOKER:
        return _ONE << BIG_JOKER
    if held >> SMALL_JOKER:
        return _ONE << SMALL_JOKER
    trumps = held & (np.int64(15) << (4 * (trump - LOWEST_LEVEL)))
    if trumps:
        return trumps
    rank = _ACE_RANK
    while (held >> (4 * rank)) & 15 == 0:
        rank -= 1
    return held & (np.int64(15) << (4 * rank))


@device_function
def next_offered(state, hand, held):
    """WE-32: any two cards. Of the highest type the first can be chosen only if there is a second."""
    if state.chosen_size == 0:
        for card in range(DECK_54 - 1, -1, -1):
            if hand[card] > 0:
                return held if hand[card] > 1 else held ^ (_ONE << card)
    first = np.int64(state.chosen[0])
    offered = held >> first << first
    return offered if hand[first] > 1 else offered & ~(_ONE << first)


@device_function
def higher_than_both(state):
    """WE-32: the types higher in rank than both offered cards."""
    trump, types = np.int64(state.trump), np.int64(-1)
    for k in range(2):
        above = ABOVE[trump, rank_of(np.int64(state.answer[np.int64(state.exchange), k]))]
        ordinary = (above & RANKS_ONCE) * 15
        types &= ordinary | ((above >> STANDARD & 1) << SMALL_JOKER) | ((above >> (STANDARD + 4) & 1) << BIG_JOKER)
    return types


# --- cards of a play ---


@device_function
def next_of_play(state, hand):
    kind, size = np.int64(state.kind), np.int64(state.chosen_size)
    family, rank, suit, trump = FAMILY[kind], RANK[kind], SUIT[kind], np.int64(state.trump)
    need = SIZE[family] - size
    last = np.int64(state.chosen[size - 1]) if size else np.int64(0)
    small, big = np.int64(hand[SMALL_JOKER]), np.int64(hand[BIG_JOKER])
    for k in range(size):
        small -= state.chosen[k] == SMALL_JOKER
        big -= state.chosen[k] == BIG_JOKER
    if rank >= RANKS:  # WE-12
        return next_jokers(small if rank == RANKS else np.int64(0), big, need, last, size > 0 or rank > RANKS)
    jokers = next_jokers(small, big, need, last, True)
    if last >= STANDARD:
        return jokers
    if family == FLUSH:
        return next_of_flush(state, hand, suit, rank, need, last, jokers)
    if family in (STRAIGHT, STRAIGHT_FLUSH):
        return next_of_straight(state, hand, suit if family == STRAIGHT_FLUSH else np.int64(-1), rank, last, jokers)
    if family == FULL_HOUSE:
        return next_of_full_house(state, hand, rank, last, jokers)
    if family == FOUR:
        return next_of_four(state, hand, rank, last, jokers, trump)
    return next_of_set(state, hand, rank, need, last, small + big, jokers)


@device_function
def next_jokers(small, big, need, last, big_first):
    """Jokers that may come next if only Jokers follow: all `need` cards are Jokers."""
    types = np.int64(0)
    if small > 0 and last <= SMALL_JOKER and small + big >= need:
        types |= _ONE << SMALL_JOKER
    if big >= need and big_first:
        types |= _ONE << BIG_JOKER
    return types


@device_function
def left_of(state, hand, card):
    """The cards of a type in hand that are not yet chosen."""
    left = np.int64(hand[card])
    for k in range(np.int64(state.chosen_size)):
        left -= state.chosen[k] == card
    return left


@device_function
def left_of_rank(state, hand, rank, card):
    """Cards of a rank in hand that are not chosen yet, from the type `card` on."""
    left = np.int64(0)
    for other in range(max(np.int64(card), SUITS * rank), SUITS * rank + SUITS):
        left += left_of(state, hand, other)
    return left


@device_function
def chosen_of_rank(state, rank):
    count = np.int64(0)
    for k in range(np.int64(state.chosen_size)):
        count += np.int64(state.chosen[k]) // SUITS == rank
    return count


@device_function
def next_of_set(state, hand, rank, need, last, wilds, jokers):
    """Equal cards: one of the rank at least, then wilds."""
    types = jokers if state.chosen_size else np.int64(0)
    left = np.int64(0)
    for card in range(SUITS * rank + SUITS - 1, max(last, SUITS * rank) - 1, -1):
        count = left_of(state, hand, card)
        left += count
        if count > 0 and left + wilds >= need:
            types |= _ONE << card
    return types


@device_function
def next_of_straight(state, hand, suit, top, last, jokers):
    """Of one suit a straight flush; with `suit` -1 a straight, whose cards are of two suits at least."""
    size = np.int64(state.chosen_size)
    cards = read_hand(hand)
    wilds = cards[4] + cards[5]
    held = np.int64(0)
    for other in range(SUITS):
        if suit < 0 or suit == other:
            held |= ranks_present(cards[other]) << other
    window = WINDOW[top]
    least = max(np.int64(3 if suit < 0 else 2), 5 - wilds)
    common = common_suit(state) if suit < 0 else np.int64(-1)
    first = last // SUITS + 1 if size else np.int64(0)
    final = RANKS
    if size == 0 and _FIVE_TOP < top < _ACE_RANK:  # WE-11: else wilds would make it higher
        final = top - 4 + 1
        first = top - 4
    types = np.int64(0)
    for rank in range(first, final):
        suits = (held >> (4 * rank)) & 15 & ((window >> (4 * rank)) & 1) * 15
        if suits == 0:
            continue
        later = held & (window >> (4 * rank + 4) << (4 * rank + 4)) * 15
        if size + 1 + count_flags(at_least(later, 1)) < least:
            continue
        for other in range(SUITS):
            if suits >> other & 1 and (suit >= 0 or two_suits(size, common, np.int64(other), later)):
                types |= _ONE << (4 * rank + other)
    complete = size >= least and (suit >= 0 or common < 0)
    if complete and (top != _FIVE_TOP or last // SUITS == _ACE_RANK):
        types |= jokers
    return types


@device_function
def common_suit(state):
    """The suit of all cards chosen so far, -1 if they are of several."""
    suit = np.int64(state.chosen[0]) % SUITS
    for k in range(np.int64(state.chosen_size)):
        if np.int64(state.chosen[k]) % SUITS != suit:
            return np.int64(-1)
    return suit


@device_function
def two_suits(size, common, suit, later):
    """Whether cards of one suit (-1: of several), one more of `suit`, and some of `later` can be of two suits."""
    if size and common != suit:
        return True
    return later & ~(RANKS_ONCE << suit) != 0


@device_function
def next_of_full_house(state, hand, rank, last, jokers):
    size, trump = np.int64(state.chosen_size), np.int64(state.trump)
    counts = all_suits(read_hand(hand))
    wild = hand[SMALL_JOKER] + hand[BIG_JOKER] > 0
    triple = chosen_of_rank(state, rank)
    pair = size - triple
    pair_rank = np.int64(-1)
    for k in range(size):
        if np.int64(state.chosen[k]) // SUITS != rank:
            pair_rank = np.int64(state.chosen[k]) // SUITS
    lower = BELOW[trump, rank]
    types = np.int64(0)
    for card in range(last, STANDARD):
        if left_of(state, hand, card) <= 0:
            continue
        card_rank = np.int64(card) // SUITS
        after = left_of_rank(state, hand, card_rank, card) - 1
        if card_rank == rank:
            pairs = at_least(counts, 2) >> (4 * rank + 4) << (4 * rank + 4)  # ranks the pair may still be of
            if pair == 1 or triple == 3:
                continue
            if pair == 2:
                pairs = np.int64(1) << (4 * pair_rank)
            if fills_up(triple + 1, after, pairs, lower, wild):
                types |= _ONE << card
        elif (pair == 0 or (pair == 1 and card_rank == pair_rank)) and pair + 1 + after >= 2:
            to_come = left_of_rank(state, hand, rank, card)
            if fills_up(triple, to_come, np.int64(1) << (4 * card_rank), lower, wild):
                types |= _ONE << card
    if triple == 2 and pair == 2 and (lower >> (4 * pair_rank)) & 1:
        types |= jokers
    return types


@device_function
def fills_up(triple, to_come, pairs, lower, wild):
    """Whether a triple of which some cards are there, up to `to_come` more, and one of `pairs` can be a full house: with a wild
    as third card only if the pair is lower (WE-11)."""
    if triple + to_come >= 3:
        return pairs != 0
    return triple + to_come == 2 and wild and (pairs & lower) != 0


@device_function
def next_of_four(state, hand, rank, last, jokers, trump):
    size = np.int64(state.chosen_size)
    cards = read_hand(hand)
    counts = all_suits(cards)
    wilds = cards[4] + cards[5]
    four = chosen_of_rank(state, rank)
    other, own = np.int64(-1), np.int64(-1)
    for k in range(size):
        if np.int64(state.chosen[k]) // SUITS == rank:
            own = np.int64(state.chosen[k])
        else:
            other = np.int64(state.chosen[k])
    types = np.int64(0)
    for card in range(last, STANDARD):
        if left_of(state, hand, card) <= 0:
            continue
        card_rank = np.int64(card) // SUITS
        if card_rank == rank:
            total = four + left_of_rank(state, hand, rank, card)
            after = at_least(counts, 1) >> (4 * rank + 4) << (4 * rank + 4)  # ranks the other card may still be of
            good = four < 4 and (other >= 0 or after != 0)
            if good and total == 1:  # three wilds
                if other >= 0:
                    good = wilds >= 3 and is_lower(other, np.int64(card), trump)
                else:
                    good = wilds >= 3 and has_lower(cards, rank, np.int64(card) % SUITS, after, trump)
            else:
                good = good and total + wilds >= 4
        else:
            to_come = left_of_rank(state, hand, rank, card)
            total = four + to_come
            good = other < 0 and total + wilds >= 4
            if good and total == 1:
                lone = own if four else SUITS * rank + suit_of_lone(cards, rank)
                good = wilds >= 3 and is_lower(np.int64(card), lone, trump)
            good = good and total >= 1
        if good:
            types |= _ONE << card
    if other >= 0 and (four >= 2 or (four == 1 and is_lower(other, own, trump))):
        types |= jokers
    return types


@device_function
def is_lower(other, card, trump):
    """Whether three wilds make four of the rank of `card`, not of `other`, and no straight flush (WE-11)."""
    rank, other_rank = card // SUITS, other // SUITS
    if (BELOW[trump, rank] >> (4 * other_rank)) & 1 == 0:
        return False
    return card % SUITS != other % SUITS or (NEAR[rank] >> (4 * other_rank)) & 1 == 0


@device_function
def next_of_flush(state, hand, suit, top, need, last, jokers):
    trump = np.int64(state.trump)
    size = np.int64(state.chosen_size)
    held = flush_of(state.chosen, size, trump)
    counts = read_hand(hand)[suit]
    wilds = np.int64(hand[SMALL_JOKER]) + np.int64(hand[BIG_JOKER])
    to_beat = np.int64(-1)
    beat = np.int64(state.beat)
    if state.owner != NOBODY and FAMILY[beat] == FLUSH and RANK[beat] == top and state.flush_compare == ALL:
        owner = np.int64(state.owner)
        to_beat = flush_of(state.last[owner], np.int64(state.last_size[owner]), trump)
    chosen_last = np.int64(0)
    for k in range(size):
        chosen_last += state.chosen[k] == last
    types = np.int64(0)
    for rank in range(last // SUITS, RANKS):
        card = SUITS * rank + suit
        left = (counts >> (4 * rank)) & 15
        if size and card == last:
            left -= chosen_last
        if left <= 0:
            continue
        pool = counts >> (4 * rank + 4) << (4 * rank + 4) | (left << (4 * rank))
        one = np.int64(1) << (4 * rank)
        before = held + trump_on_top(one, trump)
        if best_flush(before, trump_on_top(pool - one, trump), need - 1, wilds, top, trump) > to_beat:
            types |= _ONE << card
    if size >= 3 and top == trump - LOWEST_LEVEL and is_flush(held, trump) and held + (need << 4 * (RANKS - 1)) > to_beat:
        types |= jokers
    return types
