"""What a seat cannot know, dealt again: the hidden cards of other hands and the stock.

Known are the cards taken from the discard pile and not shown since, those staged and those of a composition. The others are
dealt at random, each way being as likely; discards that became the stock are as unknown as the rest. But of a player who is
asked something because of what he holds (who composes, lays off, or has knocked), the hand is drawn first, and anew until he
would be asked: at random for some times, then by drawing melds (guessing.py), where hands are not all as likely.
"""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits
from ...core.cards import DECK_66, SMALL_JOKER
from ...core.extended.sets import FIRST_SPECIAL, SPECIALS
from ...core.extended.state import NOBODY
from ...core.kernel import kernel
from ...core.rng import shuffle
from .deadwood import deadwood_within
from .guessing import draw_any, draw_hand
from .hands import add, count_of, jokers_of, remove, size_of
from .rules import choices, is_automatic
from .scoring import hand_points
from .state import (
    COMPOSE,
    DEFENCE_LAYOFFS,
    DEFENCE_MELDS,
    GIN,
    KNOCK_DISCARD,
    KNOCK_MELDS,
    LAY_CARD,
    MAX_PLAYERS,
    MOST_CARDS,
    ONCE,
    WORDS,
)
from .turns import at_wall

_PLAIN, _TRIES = 48, 1500  # times a hand is drawn at random, and in all
_CHEAPEST_OF = 3


@kernel
def determinize(state, viewer):
    n = np.int64(state.num_players)
    known, pool = np.zeros((MAX_PLAYERS, WORDS), np.uint64), np.empty(MOST_CARDS, np.int64)
    for seat in range(n):
        if seat != viewer:
            known_of(state, seat, known[seat])
    truth = np.zeros((MAX_PLAYERS, WORDS), np.uint64)
    truth[:] = state.hand
    count = gather(state, viewer, known, pool)
    asked = seat_asked(state, viewer)
    if asked != NOBODY:
        count = guess_hand(state, asked, known[asked], truth[asked], pool, count)
    shuffle(state, pool, count)
    for seat in range(n):
        if seat not in (viewer, asked):
            room = size_of(truth[seat]) - size_of(known[seat])
            state.hand[seat] = known[seat]
            for k in range(count - room, count):
                add(state.hand[seat], pool[k])
            count -= room
    first = np.int64(state.pile_at)
    for k in range(count):
        state.deck[first + k] = pool[k]


@kernel
def known_of(state, seat, known):
    """What all know to be in a hand: of each face as many as one of the ways to know of it says."""
    known[:] = state.known[seat]
    if seat == state.turn and state.staged != 0:
        staged = np.int64(state.staged)
        known[0] |= np.uint64(staged & ((1 << SPECIALS) - 1)) << np.uint64(52)
        known[1] |= np.uint64(staged >> SPECIALS) << np.uint64(52)
    if seat == state.current_player and state.phase == COMPOSE:
        for word in range(WORDS):
            known[word] |= state.composition[word]


@kernel
def gather(state, viewer, known, pool):
    """All that the viewer cannot see, in ascending order of ids. Returns how many."""
    left = np.zeros(DECK_66, np.int64)
    for seat in range(np.int64(state.num_players)):
        if seat != viewer:
            count_cards(state.hand[seat], left, 1)
            count_cards(known[seat], left, -1)
    for k in range(np.int64(state.pile_at), np.int64(state.pile_end)):
        left[np.int64(state.deck[k])] += 1
    count = 0
    for card in range(DECK_66):
        for _ in range(left[card]):
            pool[count] = card
            count += 1
    return count


@kernel
def count_cards(cards, left, by):
    for card in range(DECK_66):
        if SMALL_JOKER <= card < FIRST_SPECIAL:
            left[card] += by * count_bits(cards[2] >> np.uint64(2 * (card - SMALL_JOKER)) & np.uint64(3))
        else:
            left[card] += by * count_of(cards, card)


@kernel
def seat_asked(state, viewer):
    """Another of whose hand more is known, because of what he is or was asked; NOBODY if there is none."""
    phase, mover = np.int64(state.phase), np.int64(state.current_player)
    if state.terminated:
        return np.int64(NOBODY)
    if mover == viewer:  # of the knocker, that he could stop (RM-33)
        knocked = state.variant == GIN and phase >= COMPOSE and state.knocker == 1 - viewer
        return 1 - viewer if knocked else np.int64(NOBODY)
    asked = phase in (COMPOSE, LAY_CARD, KNOCK_DISCARD, KNOCK_MELDS, DEFENCE_LAYOFFS, DEFENCE_MELDS)
    return mover if asked or at_wall(state) else np.int64(NOBODY)


@kernel
def could_be_asked(state, seat):
    """Whether, with the hand he has now, the player would be asked as he is."""
    hand = state.hand[seat]
    if seat != state.current_player:
        return hand_points(state, seat) <= np.int64(state.knock)
    if state.phase == KNOCK_MELDS and not deadwood_within(hand[ONCE], jokers_of(hand), np.int64(state.knock)):
        return False
    faces, joker, others = choices(state)
    return count_bits(faces) + np.int64(joker) + count_bits(others) > np.int64(is_automatic(state))


@kernel
def guess_hand(state, seat, known, truth, pool, count):
    """Draw the hand of a player of whom it is known that he could be asked; where none is found, it stays. Returns how many
    cards are left in the pool."""
    all_cards, spare = pool.copy(), np.empty(WORDS, np.uint64)
    whole, size = count, size_of(truth) - size_of(known)
    cheap = seat != state.current_player or (state.variant == GIN and state.knocker == seat)
    for attempt in range(_TRIES):
        pool[:] = all_cards
        count, room = whole, size
        state.hand[seat] = known
        if attempt >= _PLAIN and seat == state.current_player:
            spare_cards(state, known, spare)
            count, room = draw_hand(state, seat, pool, count, room, state.hand[seat], spare)
        for _ in range(room):
            count = draw_any(state, pool, count, state.hand[seat], _CHEAPEST_OF if cheap and attempt >= _PLAIN else 1)
        if room >= 0 and could_be_asked(state, seat):
            return count
    state.hand[seat] = truth
    pool[:] = all_cards
    return take_out(state, known, truth, pool, whole)


@kernel
def spare_cards(state, known, spare):
    """Known cards of the player to move that he has not composed."""
    spare[:] = known
    if state.phase == COMPOSE:
        for card in range(DECK_66):
            if not SMALL_JOKER <= card < FIRST_SPECIAL:
                for _ in range(count_of(state.composition, card)):
                    remove(spare, card)
        spare[2] &= ~state.composition[2]


@kernel
def take_out(state, known, truth, pool, count):
    """Take the hidden cards of a hand out of the pool."""
    left = np.zeros(DECK_66, np.int64)
    count_cards(truth, left, 1)
    count_cards(known, left, -1)
    kept = 0
    for k in range(count):
        if left[pool[k]] > 0:
            left[pool[k]] -= 1
        else:
            pool[kept] = pool[k]
            kept += 1
    return kept
