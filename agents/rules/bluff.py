"""Rule-based bluff: plays truthfully while it can, and challenges unlikely claims.

To answer a claim, the player computes the probability that the claimant held this many cards of the rank, from the player's
hand, the unseen cards and the size of the claimant's hand. They always challenge a last play, five cards, and impossible
numbers. The threshold depends on the heap, on the players still to answer, and on the number claimed.

In their turn they play all true cards, but keep Jokers for ranks that they lack when the heap is high, and for the last play. A
bluff uses the card that can be played truthfully last: in ascending order they know their future ranks; in free order single
cards go first. Instead of bluffing they reveal specials, which are replaced by new cards, and mostly pass if allowed.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.bits import count_bits, lowest_bit
from ...envs.core.cards import DECK_66, RANKS, SMALL_JOKER, STANDARD, SUITS
from ...envs.core.extended.sets import (
    AT_SPECIALS,
    FIRST_SPECIAL,
    ONE,
    RANK,
    SKIP,
    SPECIALS,
    ZERO,
    has,
    is_joker,
    size_of,
)
from ...envs.core.jit import device_function
from ...envs.core.layout import start
from ...envs.core.rng import mix
from ...envs.games.bluff.state import (
    ACCEPT_AT,
    ALWAYS_FAILS,
    CHALLENGE_AT,
    CLAIMABLE,
    COMMIT_AT,
    MOST_PLAYED,
    NAME_AT,
    NO_RANK,
    OBSERVATION,
    PASS_AT,
    PLAY_AT,
    REVEAL_AT,
)
from .reading import hand_size_of, one_hot, pile_left, read_aside, read_set, whole

_HAND, _COMPOSITION, _REQUIRED, _HEAP = OBSERVATION.places("hand", "composition", "required", "heap_size")
_OWN, _PLAYER, _NUMBER, _CLAIMS = OBSERVATION.places("own_in_heap", "last_player", "last_number", "claims")
_CHALLENGER, _CHALLENGED, _HELD, _TURNED = OBSERVATION.places("challenger", "challenged", "claim_held", "turned")
_ASKED, _LAST_RANK = OBSERVATION.places("asked", "last_rank")

# Found by playing players with different weights against each other and against random ones.
_WEIGHTS = {
    "doubt": 0.3,  # a claim is challenged when this and what follows add up to more than its chance
    "more": -0.1,  # each card beyond the first
    "heap": -0.005,  # each card of the heap
    "later": -0.1,  # each player still to be asked
    "few": 0.5,  # shared by the claimant's cards
    "lead": -0.4,  # there was no heap before
    "shown": 0.5,  # added to the chance where the claimant took a card of the rank face up
    "joker": 6.0,  # without a true card a Joker is played from this heap on
    "pair": 3.0,  # less with both Jokers
    "group": 0.5,  # how much each card of a group is kept
    "bluff": 0.1,  # how often they bluff though they may pass: in free order, in ascending order
    "bluff_ascending": 0.5,
}
WEIGHTS = np.array([*_WEIGHTS.values()], np.float64)
DOUBT, MORE, HEAP, LATER, FEW, LEAD, SHOWN, JOKER, PAIR, GROUP, BLUFF, BLUFF_ASCENDING = range(len(_WEIGHTS))

_MOST_TRUE = SUITS
_JUNK = 20.0  # of a card that is never true
_JOKER_KINDS = 2


@device_function
def policy(observation, mask, num_players, noise):
    return decide(observation, mask, num_players, WEIGHTS)


@device_function
def decide(observation, mask, n, w):
    """What to do, by weights as in `_WEIGHTS`."""
    if mask[COMMIT_AT]:
        return np.int64(COMMIT_AT)
    hand = np.zeros(2, np.uint64)  # with what was put already
    read_set(observation, start(_HAND, n), hand)
    if mask[CHALLENGE_AT]:
        return np.int64(CHALLENGE_AT if doubts(observation, n, w, hand) else ACCEPT_AT)
    read_set(observation, start(_COMPOSITION, n), hand)
    counts = np.zeros(CLAIMABLE, np.int64)
    count_ranks(hand, counts)
    rank = one_hot(observation, start(_REQUIRED, n), CLAIMABLE)
    if rank == NO_RANK:
        return best_name(mask, counts)
    heap = whole(observation, start(_HEAP, n), DECK_66)
    if counts[rank] == 0:
        special = best_reveal(mask, heap)
        if special >= 0:
            return special
        if mask[PASS_AT] and not dares(observation, n, w, hand, counts, heap):
            return np.int64(PASS_AT)
    plan = np.zeros(2, np.uint64)
    make_plan(observation, n, w, hand, counts, rank, heap, plan)
    for card in range(DECK_66):
        if mask[card] and has(plan, card):
            return np.int64(card)
    return np.int64(PLAY_AT) if mask[PLAY_AT] else first_card(mask)


@device_function
def first_card(mask):
    for card in range(DECK_66):
        if mask[card]:
            return np.int64(card)
    return np.int64(PASS_AT)


@device_function
def count_ranks(cards, counts):
    for card in range(DECK_66):
        if RANK[card] >= 0 and has(cards, card):
            counts[RANK[card]] += 1


@device_function
def is_free(observation, n, counts):
    """Whether the order is free, as far as can be seen: the rank to be claimed is that of the play on the heap or, of a leader,
    the one of which they hold most."""
    last = one_hot(observation, start(_LAST_RANK, n), CLAIMABLE)
    rank = one_hot(observation, start(_REQUIRED, n), CLAIMABLE)
    if last != NO_RANK:
        return last == rank
    return counts[rank] > 0 and counts[rank] == counts.max()


# --- answers ---


@device_function
def doubts(observation, n, w, hand):
    """Whether to challenge."""
    player = one_hot(observation, start(_PLAYER, n), n)
    rank = one_hot(observation, start(_REQUIRED, n), CLAIMABLE)
    number = one_hot(observation, start(_NUMBER, n), MOST_PLAYED) + 1
    left = hand_size_of(observation, n, player, DECK_66)
    if number >= ALWAYS_FAILS or left == 0:
        return True
    seen = hand.copy()
    read_set(observation, start(_OWN, n), seen)
    read_aside(observation, seen)
    counts = np.zeros(CLAIMABLE, np.int64)
    count_ranks(seen, counts)
    heap = whole(observation, start(_HEAP, n), DECK_66)
    unseen = pile_left(observation, n) + heap
    for seat in range(1, n):
        unseen += hand_size_of(observation, n, seat, DECK_66)
    wild = _JOKER_KINDS - count_bits(seen[1]) if rank < RANKS and is_extended(observation, n, seen) else 0
    possible = SUITS - counts[rank] + wild
    if number > possible:
        return True
    chance = at_least(possible, min(1.0, (left + number) / max(1, unseen)), number)
    if took_in_sight(observation, n, player, rank):
        chance += w[SHOWN]
    later = n - 2
    for seat in range(n):
        later -= observation[start(_ASKED, n) + seat] > 0
    doubt = w[DOUBT] + w[MORE] * (number - 1) + w[HEAP] * heap + w[LATER] * later + w[FEW] / left
    if heap == number:
        doubt += w[LEAD]
    return doubt > chance


@device_function
def is_extended(observation, n, seen):
    """Whether there are Jokers, as far as can be seen."""
    return pile_left(observation, n) > 0 or seen[1] != ZERO or seen[0] >> AT_SPECIALS != ZERO


@device_function
def at_least(cards, share, number):
    """The chance that of some cards, each of which they hold with the chance `share`, a player holds so many."""
    fewer, term = 0.0, (1 - share) ** cards
    if share >= 1:
        return 1.0
    for k in range(number):
        fewer += term
        term *= (cards - k) / (k + 1) * share / (1 - share)
    return 1.0 - fewer


@device_function
def took_in_sight(observation, n, player, rank):
    """Whether the player took a card of the rank that the latest challenge turned up."""
    taker = one_hot(observation, start(_CHALLENGER if observation[start(_HELD, n)] > 0 else _CHALLENGED, n), n)
    if taker != player:
        return False
    turned = start(_TURNED, n)
    for card in range(DECK_66):
        if observation[turned + card] > 0 and (RANK[card] == rank or is_joker(card)):
            return True
    return False


# --- their own turn ---


@device_function
def best_name(mask, counts):
    """The rank of which they hold most."""
    most, choice = -1, NAME_AT
    for rank in range(CLAIMABLE):
        if mask[NAME_AT + rank] and counts[rank] > most:
            most, choice = counts[rank], NAME_AT + rank
    return np.int64(choice)


@device_function
def best_reveal(mask, heap):
    """A special to be redealt, -1 for none: a Skip before others, as it spares the bluff, but not without a heap."""
    for special in range(SPECIALS - 1, -1, -1):
        if mask[REVEAL_AT + special] and (heap > 0 or special // SUITS != SKIP):
            return np.int64(REVEAL_AT + special)
    return np.int64(-1)


@device_function
def lot(hand, heap):
    """A number between 0 and 1 that stays the same while a play is composed."""
    return np.float64(mix(hand[0] ^ mix(hand[1] + np.uint64(heap))) >> np.uint64(11)) / 2.0**53


@device_function
def dares(observation, n, w, hand, counts, heap):
    """Whether to play without a true card though they may pass."""
    return lot(hand, heap) < (w[BLUFF] if is_free(observation, n, counts) else w[BLUFF_ASCENDING])


@device_function
def make_plan(observation, n, w, hand, counts, rank, heap, plan):
    """The cards of a play under a claim of a rank."""
    size, jokers = size_of(hand), count_bits(hand[1])
    true = counts[rank]
    wild = jokers if rank < RANKS else 0
    for card in range(DECK_66):
        if RANK[card] == rank and has(hand, card):
            add_card(plan, card)
    if true + wild >= size and size <= _MOST_TRUE:
        plan[1] |= hand[1]
        return
    if true == 0:
        if wild > 0 and heap >= w[JOKER] - w[PAIR] * (jokers - 1):
            plan[1] |= ONE << np.uint64(lowest_bit(hand[1]))
        else:
            add_junk(w, hand, counts, rank, n, is_free(observation, n, counts), plan)


@device_function
def add_card(cards, card):
    if card < STANDARD:
        cards[0] |= ONE << np.uint64(card)
    elif card < FIRST_SPECIAL:
        cards[1] |= ONE << np.uint64(card - SMALL_JOKER)
    else:
        cards[0] |= ONE << np.uint64(card - 2)


@device_function
def add_junk(w, hand, counts, rank, n, free, plan):
    """One more card to a bluff: the one that will be true latest."""
    worst, choice = -100.0, -1
    for card in range(DECK_66):
        if has(hand, card) and not has(plan, card):
            value = -_JUNK if is_joker(card) else junk(w, counts, rank, RANK[card], n, free)
            if value > worst:
                worst, choice = value, card
    if choice >= 0:
        add_card(plan, choice)


@device_function
def junk(w, counts, due, rank, n, free):
    """How little a card of a rank is worth."""
    if free:
        return -np.float64(counts[rank])
    if rank >= RANKS:
        return _JUNK
    turns = 1
    while turns < RANKS and (due + turns * n) % RANKS != rank:
        turns += 1
    return turns - w[GROUP] * counts[rank]
