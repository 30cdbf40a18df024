"""Sampling of hidden cards: the hidden cards of other hands and the stock.

Public are the cards taken from the discard pile and not shown since, staged cards, and those of a composition. The others are
dealt uniformly at random; discards that became the stock count as unknown. If a player is asked something because of their
cards (they compose, lay off, or have knocked), their hand is drawn first, and redrawn until they would be asked: a number of
times at random, then by a search for melds (guessing.py), which is not uniform. Their true hand is never used.
"""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits
from ...core.cards import DECK_66, SMALL_JOKER
from ...core.extended.sets import FIRST_SPECIAL, SPECIALS, ZERO
from ...core.extended.shoe import list_cards
from ...core.extended.state import NOBODY
from ...core.jit import device_function
from ...core.rng import shuffle
from .deadwood import deadwood_within
from .guessing import (
    COMPOSED,
    NO_BOUND,
    NODE,
    NODES,
    PLACES,
    POOL,
    SHAPES,
    SPARE,
    count_places,
    draw_found,
    draw_rest,
    find_fitting,
    find_melds,
    left_over,
    most_left,
    number_of_melds,
    place_of,
)
from .hands import add, count_of, jokers_of, size_of
from .rules import choices, is_automatic
from .scoring import hand_points
from .state import (
    COMPOSE,
    DEFENCE_LAYOFFS,
    DEFENCE_MELDS,
    GIN,
    JOKERS,
    KNOCK_DISCARD,
    KNOCK_MELDS,
    LAY_CARD,
    MAX_PLAYERS,
    MOST_CARDS,
    ONCE,
    WORDS,
)
from .turns import at_wall

_PLAIN, _TRIES = 48, 448  # times a hand is drawn at random, and in all
_SMALL, _BIG = np.uint64(3), np.uint64(12)  # Jokers of a set
_WORK, _DOUBLE = np.int64(400), 40  # steps of a search, while none finds a hand twice as many after so many tries


@device_function
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
        count = guess_hand(state, asked, known[asked], size_of(truth[asked]), pool, count)
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


@device_function
def known_of(state, seat, known):
    """The cards of a hand that all know, counting for each face the largest number known from one source."""
    known[:] = state.known[seat]
    if seat == state.turn and state.staged != 0:
        staged = np.int64(state.staged)
        known[0] |= np.uint64(staged & ((1 << SPECIALS) - 1)) << np.uint64(52)
        known[1] |= np.uint64(staged >> SPECIALS) << np.uint64(52)
    if seat == state.current_player and state.phase == COMPOSE:
        for word in range(WORDS):
            known[word] |= state.composition[word]


@device_function
def gather(state, viewer, known, pool):
    """Collect all cards hidden from the viewer, in ascending order of ids. Returns their number."""
    left = np.zeros(DECK_66, np.int64)
    for seat in range(np.int64(state.num_players)):
        if seat != viewer:
            count_cards(state.hand[seat], left, 1)
            count_cards(known[seat], left, -1)
    for k in range(np.int64(state.pile_at), np.int64(state.pile_end)):
        left[np.int64(state.deck[k])] += 1
    return list_cards(left, pool)


@device_function
def count_cards(cards, left, by):
    for card in range(DECK_66):
        if SMALL_JOKER <= card < FIRST_SPECIAL:
            left[card] += by * count_bits(cards[2] >> np.uint64(2 * (card - SMALL_JOKER)) & np.uint64(3))
        else:
            left[card] += by * count_of(cards, card)


@device_function
def seat_asked(state, viewer):
    """Another seat about whose hand more is known, because it is or was asked something; NOBODY if there is none."""
    phase, mover = np.int64(state.phase), np.int64(state.current_player)
    if state.terminated:
        return np.int64(NOBODY)
    if mover == viewer:  # of the knocker, that they could stop (RM-33)
        knocked = state.variant == GIN and phase >= COMPOSE and state.knocker == 1 - viewer
        return 1 - viewer if knocked else np.int64(NOBODY)
    asked = phase in (COMPOSE, LAY_CARD, KNOCK_DISCARD, KNOCK_MELDS, DEFENCE_LAYOFFS, DEFENCE_MELDS)
    return mover if asked or at_wall(state) else np.int64(NOBODY)


@device_function
def could_be_asked(state, seat):
    """Whether the player, with this hand, would be asked as they are."""
    hand = state.hand[seat]
    if seat != state.current_player:
        return hand_points(state, seat) <= np.int64(state.knock)
    if state.phase == KNOCK_MELDS and not deadwood_within(hand[ONCE], jokers_of(hand), np.int64(state.knock)):
        return False
    sofar = state.composition[JOKERS]
    if state.phase == COMPOSE and sofar & _BIG != ZERO and hand[JOKERS] & ~sofar & _SMALL != ZERO:
        return False  # RM-05: of several Jokers they compose the small ones first
    faces, joker, others = choices(state)
    return count_bits(faces) + np.int64(joker) + count_bits(others) > np.int64(is_automatic(state))


@device_function
def is_playable(state, seat):
    """Whether the player, if they are to move, has a legal action."""
    if seat != state.current_player:
        return True
    faces, joker, others = choices(state)
    return joker or faces != ZERO or others != 0


@device_function
def guess_hand(state, seat, known, size, pool, count):
    """Draw a hand of this size for a player who must be able to be asked. Returns the number of cards left in the pool. If all
    tries fail, use the first hand that lets them finish what they have begun, or a random one."""
    all_cards, whole, hand = pool.copy(), count, state.hand[seat]
    have, left = np.zeros((3, PLACES), np.int64), np.zeros((3, PLACES), np.int64)
    count_usable(state, seat, known, pool, count, have)
    order, nodes, kept = np.arange(SHAPES), np.zeros((NODES, NODE), np.int64), np.zeros(WORDS, np.uint64)
    room, playable = size - size_of(known), False
    for attempt in range(_TRIES):
        pool[:] = all_cards
        hand[:] = known
        left[:] = have
        used, bound = np.int64(0), NO_BOUND
        if attempt >= _PLAIN:
            shuffle(state, order, SHAPES)
            work = _WORK if playable else _WORK << np.int64((attempt - _PLAIN) // _DOUBLE)
            used = seek(state, seat, left, room, order, nodes, work)
            if used < 0:
                continue
            bound = most_left(state, seat)
            if bound != NO_BOUND:
                bound -= left_over(state, seat, left, nodes, used)
        count = draw_found(state, nodes, used, hand, pool, whole)
        count = draw_rest(state, hand, pool, count, size - size_of(hand), left, bound)
        if could_be_asked(state, seat):
            return count
        if attempt == 0 or (attempt >= _PLAIN and not playable and is_playable(state, seat)):
            kept[:] = hand
            playable = attempt > 0
    hand[:] = kept
    return take_out(known, kept, all_cards, whole, pool)


@device_function
def count_usable(state, seat, known, pool, count, have):
    """What may be used for melds: see guessing.py. At the wall the upcard is as good as in the hand (RM-38)."""
    if seat == state.current_player and state.phase == COMPOSE:
        count_places(state.composition, have[COMPOSED])
    count_places(known, have[SPARE])
    have[SPARE] -= have[COMPOSED]
    if at_wall(state):
        have[SPARE, place_of(state.discard[np.int64(state.discards) - 1])] += 1
    for k in range(count):
        have[POOL, place_of(pool[k])] += 1


@device_function
def seek(state, seat, have, room, order, nodes, work):
    """Search for cards that fit the question to the player. Returns the number of nodes, -1 if none were found."""
    if state.phase in (LAY_CARD, DEFENCE_LAYOFFS) and seat == state.current_player:
        return find_fitting(state, have, nodes)
    return find_melds(state, seat, number_of_melds(state, seat), have, room, order, nodes, work)


@device_function
def take_out(known, hand, all_cards, count, pool):
    """The pool without the hidden cards of a hand. Returns its size."""
    taken = np.zeros(DECK_66, np.int64)
    count_cards(hand, taken, 1)
    count_cards(known, taken, -1)
    kept = 0
    for k in range(count):
        if taken[all_cards[k]] > 0:
            taken[all_cards[k]] -= 1
        else:
            pool[kept] = all_cards[k]
            kept += 1
    return kept
