"""A random arrangement of everything a seat of By The Skin of Your Teeth cannot know.

The seat's knowledge is collected first, in an order that does not depend on hidden information; then everything else is drawn,
so the sample does not depend on the true arrangement. Piles that must be valid combinations are drawn first, the rarest sizes
before the others; if the remaining cards make none, all piles are drawn again, a bounded number of times.
"""

from __future__ import annotations

import numpy as np

from ...core.cards import DECK_54, STANDARD, SUITS
from ...core.jit import device_function
from ...core.rng import derive, random_below
from .knowledge import knows, largest_of, size_there
from .rules import (
    add_to_hand,
    clear_player,
    count_bits,
    fill,
    lay_out,
    make_random_piles,
    piles_made,
)
from .state import ATTACK, HAND, MAX_PLAYERS, MOST, OPEN, OVER, PILES, SETUP, TARGET

_RANKS = STANDARD // SUITS
_RUN = 5
_RUNS = _RANKS - _RUN + 1  # straights by lowest rank
_RAREST_FIRST = np.array((4, 3, 5, 2))
_ALL, _ORDINARY = np.int64(DECK_54), np.int64(STANDARD)  # limits of ids; of this type, functions are compiled once for all
_ZERO, _ONE, _TWO, _THREE, _FIVE = (np.int64(k) for k in (0, 1, 2, 3, 5))
_TRIES = 40  # to find part of a five-card combination
_DRAWS = 1000  # of all piles; a second is rare, even on a table without a card to spare


# --- counts of cards ---


@device_function
def full_deck(state):
    """The number of copies of each card id."""
    pool = np.empty(DECK_54, np.int64)
    fill(pool, np.int64(state.num_decks))
    return pool


@device_function
def copy(source, target):
    for k in range(source.shape[0]):
        target[k] = source[k]


@device_function
def count_of(pool, limit):
    """The number of cards in a pool with ids below `limit`."""
    count = np.int64(0)
    for card in range(limit):
        count += pool[card]
    return count


@device_function
def draw_below(state, pool, limit):
    """Remove a random card with an id below `limit` from the pool."""
    left = random_below(state, count_of(pool, limit))
    for card in range(limit):
        left -= pool[card]
        if left < 0:
            pool[card] -= 1
            return np.int64(card)
    return _ZERO


@device_function
def remove_hand_and_piles(state, pool, player):
    for k in range(np.int64(state.hand_size[player])):
        pool[state.hand[player, k]] -= 1
    for position in range(PILES):
        for k in range(np.int64(state.pile_size[player, position])):
            pool[state.pile[player, position, k]] -= 1


@device_function
def draw_undealt(state, pool):
    for k in range(HAND * np.int64(state.num_players), np.int64(state.num_decks) * DECK_54):
        state.deck[k] = draw_below(state, pool, _ALL)


# --- setup: the other seats' hands and what they made of them ---


@device_function
def redraw_setup(state, viewer):
    """Others' progress in making piles is hidden; in a sample, a player who is making piles has made none."""
    mover = np.int64(state.current_player)
    made = piles_made(state, mover) if viewer == mover else _ZERO
    unseen = full_deck(state)
    remove_hand_and_piles(state, unseen, viewer)
    draw_hands(state, viewer, unseen)
    for player in range(mover + 1):
        if player != viewer:
            make_random_piles(state, player, PILES if player < mover else made)
    state.current_player = mover
    lay_out(state)


@device_function
def draw_hands(state, viewer, pool):
    """Deal the unseen cards to the others. A hand of all but as many Jokers as piles gets no further one, for six piles must be
    made: that makes deals equally likely but for those with seven Jokers in a hand, of which there is one in many millions."""
    for player in range(np.int64(state.num_players)):
        if player != viewer:
            clear_player(state, player)
            jokers = 0
            for _ in range(HAND):
                card = draw_below(state, pool, _ALL if jokers < HAND - PILES else _ORDINARY)
                add_to_hand(state, player, card)
                jokers += card >= STANDARD
    draw_undealt(state, pool)


# --- play ---


@device_function
def determinize(state, viewer):
    if state.phase == SETUP:
        redraw_setup(state, viewer)
        return
    n = np.int64(state.num_players)
    unseen = full_deck(state)
    remove_known(state, viewer, unseen)
    drawn = np.zeros(MAX_PLAYERS * HAND, np.uint8)  # places of the discard that have been filled
    for owner in range(n):
        if owner == viewer:
            place_own(state, viewer)
        else:
            place_known(state, viewer, owner, drawn)
    for owner in range(n):
        share_knowledge(state, viewer, owner)
    pool = np.empty(DECK_54, np.int64)
    copy(unseen, pool)
    tries = 0
    while not draw_piles(state, viewer, pool, tries == _DRAWS):
        copy(unseen, pool)
        tries += 1
    draw_discard(state, viewer, drawn, pool)
    draw_play_hands(state, viewer, pool)
    draw_undealt(state, pool)
    if viewer != state.current_player and state.phase != OVER:
        lay_out(state)
        if state.phase == TARGET:  # which nobody else notices before the target is chosen
            state.phase, state.attack = ATTACK, 0


@device_function
def remove_known(state, viewer, pool):
    """Remove the cards known to the viewer from the pool."""
    remove_hand_and_piles(state, pool, viewer)
    for owner in range(np.int64(state.num_players)):
        for position in range(PILES):
            if owner != viewer and state.where[viewer, owner, position]:
                if state.pile_size[owner, position] > 0 or not knows(state, viewer, owner, position):
                    for k in range(size_there(state, owner, position)):
                        pool[state.pile[owner, position, k]] -= 1
    for k in range(np.int64(state.discard_size)):
        if np.int64(state.discard_seen[k]) >> viewer & 1:
            pool[state.discard[k]] -= 1


# --- which pile is which ---


@device_function
def loose_piles(state, viewer, owner):
    """Positions (bits) of piles whose cards the viewer knows, but not their position."""
    loose = 0
    for position in range(PILES):
        if state.where[viewer, owner, position] and not knows(state, viewer, owner, position):
            loose |= 1 << position
    return loose


@device_function
def place_known(state, viewer, owner, drawn):
    """Place the piles that the viewer has seen, but cannot locate, at random jointly possible positions."""
    pile = np.empty((PILES, MOST), np.uint8)
    size, where, place = np.empty(PILES, np.int64), np.empty(PILES, np.int64), np.empty(PILES, np.int64)
    loose, count = loose_piles(state, viewer, owner), 0
    while loose:
        position = largest_of(state, viewer, owner, loose)
        loose ^= 1 << position
        copy(state.pile[owner, position], pile[count])
        size[count] = size_there(state, owner, position)
        where[count] = state.where[viewer, owner, position]
        count += 1
    for position in range(PILES):
        if not knows(state, viewer, owner, position):
            fill(state.pile[owner, position], 0)
            state.where[viewer, owner, position] = 0
    if count > 0:
        choose_places(state, viewer, owner, size, where, count, place)
    for k in range(count):
        position = place[k]
        copy(pile[k], state.pile[owner, position])
        state.where[viewer, owner, position] = where[k]
        if state.pile_size[owner, position] == 0:  # it is the one that fell there
            for i in range(size[k]):
                state.discard[np.int64(state.fell_at[owner, position]) + i] = pile[k, i]
                drawn[np.int64(state.fell_at[owner, position]) + i] = 1


@device_function
def choose_places(state, viewer, owner, size, where, count, place):
    """Draw different positions for some piles, uniformly among all ways."""
    possible = np.zeros(PILES, np.int64)
    for k in range(count):
        for position in range(PILES):
            if where[k] >> position & 1 and not knows(state, viewer, owner, position):
                possible[k] |= np.int64(size_there(state, owner, position) == size[k]) << position
    ways = np.zeros((PILES + 1, 1 << PILES), np.int64)  # to lay the piles from k on, by the positions (bits) that are taken
    ways[count] = 1
    for k in range(count - 1, -1, -1):
        for taken in range(1 << PILES):
            if count_bits(taken) == k:
                for position in range(PILES):
                    if possible[k] & ~taken & 1 << position:
                        ways[k, taken] += ways[k + 1, taken | 1 << position]
    taken = 0
    for k in range(count):
        left = random_below(state, ways[k, taken])
        for position in range(PILES):
            if possible[k] & ~taken & 1 << position:
                place[k] = position
                left -= ways[k + 1, taken | 1 << position]
                if left < 0:
                    break
        taken |= 1 << place[k]


@device_function
def place_own(state, viewer):
    """Shuffle own piles that were mixed, each with others' knowledge of it."""
    n = np.int64(state.num_players)
    pile = np.empty((PILES, MOST), np.uint8)
    where, known = np.empty(PILES, np.int64), np.empty((PILES, MAX_PLAYERS), np.uint8)
    every = loose_piles(state, viewer, viewer)
    loose, count = every, 0
    while loose:
        position = first_own(state, viewer, loose)
        loose ^= 1 << position
        copy(state.pile[viewer, position], pile[count])
        where[count] = state.where[viewer, viewer, position]
        for other in range(n):
            known[count, other] = state.where[other, viewer, position]
        count += 1
    for position in range(PILES):
        if every >> position & 1:
            left = 0
            for k in range(count):
                left += where[k] == state.where[viewer, viewer, position]
            left = random_below(state, left)
            k = 0
            while where[k] != state.where[viewer, viewer, position] or left > 0:
                left -= where[k] == state.where[viewer, viewer, position]
                k += 1
            copy(pile[k], state.pile[viewer, position])
            for other in range(n):
                if other != viewer:
                    state.where[other, viewer, position] = known[k, other]
            where[k] = 0


@device_function
def first_own(state, viewer, positions):
    """Of own piles at some positions (bits), the first in an order that does not depend on positions: by their cards and,
    if these are equal (several decks), by what the others know."""
    best = largest_of(state, viewer, viewer, positions)
    for position in range(PILES):
        if positions >> position & 1 and equal_own(state, viewer, best, position):
            if others_digest(state, viewer, position) > others_digest(state, viewer, best):
                best = position
    return best


@device_function
def equal_own(state, viewer, one, two):
    for k in range(MOST):
        if state.pile[viewer, one, k] != state.pile[viewer, two, k]:
            return False
    return state.pile_size[viewer, one] == state.pile_size[viewer, two]


@device_function
def others_digest(state, owner, position):
    digest = np.uint64(0)
    for viewer in range(np.int64(state.num_players)):
        digest = derive(digest, np.uint64(state.where[viewer, owner, position]))
    return digest


@device_function
def share_knowledge(state, viewer, owner):
    """What the other seats know of an owner's piles, as far as the viewer can tell: with open attacks just what the viewer
    does, else the piles at positions where they have been seen to look."""
    for other in range(np.int64(state.num_players)):
        if owner != viewer and other != viewer and other != owner:
            for position in range(PILES):
                if state.visibility == OPEN:
                    state.where[other, owner, position] = state.where[viewer, owner, position]
                elif not knows(state, other, owner, position):
                    state.where[other, owner, position] = 0


# --- cards for all that is unknown ---


@device_function
def is_unknown(state, viewer, owner, position):
    """Whether a standing pile is unknown to the viewer."""
    return state.pile_size[owner, position] > 0 and state.where[viewer, owner, position] == 0


@device_function
def draw_piles(state, viewer, pool, anyhow):
    """Draw the unknown piles. If the remaining cards make none of the required size, return False, or with `anyhow` use any
    cards."""
    n = np.int64(state.num_players)
    for k in range(_RAREST_FIRST.shape[0]):
        for owner in range(n):
            for position in range(PILES):
                if is_unknown(state, viewer, owner, position) and state.pile_size[owner, position] == _RAREST_FIRST[k]:
                    if state.made_of[owner, position] == state.pile_size[owner, position]:
                        if not draw_combination(state, pool, _RAREST_FIRST[k], state.pile[owner, position]):
                            if not anyhow:
                                return False
                            draw_any(state, pool, _RAREST_FIRST[k], state.pile[owner, position])
    for owner in range(n):
        for position in range(PILES):
            if is_unknown(state, viewer, owner, position):
                if state.pile_size[owner, position] == 1:
                    state.pile[owner, position, 0] = draw_below(state, pool, _ORDINARY)
                elif state.made_of[owner, position] > state.pile_size[owner, position]:
                    if not draw_remainder(state, viewer, pool, owner, position):
                        if not anyhow:
                            return False
                        draw_any(state, pool, np.int64(state.pile_size[owner, position]), state.pile[owner, position])
    return True


@device_function
def draw_any(state, pool, size, cards):
    """Any cards but Jokers, by id."""
    for k in range(size):
        card, place = draw_below(state, pool, _ORDINARY), k
        while place > 0 and cards[place - 1] > card:
            cards[place] = cards[place - 1]
            place -= 1
        cards[place] = card


@device_function
def draw_combination(state, pool, size, cards):
    """A random valid combination of 2 to 5 cards from the pool, by id; False if there is none."""
    suits = np.empty(_RANKS, np.int64)  # of each rank in the pool
    for rank in range(_RANKS):
        suits[rank] = suits_of_rank(pool, rank)
    if size == 5:
        return draw_five(state, pool, suits, cards)
    rank = draw_rank(state, suits, size, -_ONE)
    if rank < 0:
        return False
    draw_of_rank(state, pool, rank, size, cards, _ZERO)
    return True


@device_function
def suits_of_rank(pool, rank):
    count = 0
    for card in range(rank * SUITS, rank * SUITS + SUITS):
        count += pool[card] > 0
    return count


@device_function
def combinations_of(number, size):
    count = 1
    for k in range(size):
        count = count * (number - k) // (k + 1)
    return count


@device_function
def draw_rank(state, suits, size, but):
    """A rank that has `size` suits, one as likely as it has such sets; not the rank `but`. -1 if there is none."""
    total = 0
    for rank in range(_RANKS):
        if rank != but:
            total += combinations_of(suits[rank], size)
    if total == 0:
        return -1
    left = random_below(state, total)
    for rank in range(_RANKS):
        if rank != but:
            left -= combinations_of(suits[rank], size)
            if left < 0:
                return rank
    return -1


@device_function
def draw_from(state, pool, first, step, number, size, cards, place):
    """Move `size` different random cards of the ids first, first + step, ... from the pool to `cards`, by id."""
    left = 0
    for k in range(number):
        left += pool[first + k * step] > 0
    if left < size:
        return False
    for k in range(number):
        card = first + k * step
        if pool[card] > 0:
            if random_below(state, left) < size:
                cards[place] = card
                place += 1
                size -= 1
                pool[card] -= 1
            left -= 1
    return True


@device_function
def draw_of_rank(state, pool, rank, size, cards, place):
    return draw_from(state, pool, rank * SUITS, _ONE, np.int64(SUITS), size, cards, place)


@device_function
def draw_five(state, pool, suits, cards):
    """Draw a five-card combination, uniformly (straight flushes count twice)."""
    straights = flushes = full_houses = pairs = 0
    for low in range(_RUNS):
        straights += runs_from(suits, low)
    for suit in range(SUITS):
        flushes += combinations_of(ranks_of_suit(pool, suit), _FIVE)
    for rank in range(_RANKS):
        pairs += combinations_of(suits[rank], _TWO)
    for rank in range(_RANKS):
        full_houses += combinations_of(suits[rank], _THREE) * (pairs - combinations_of(suits[rank], _TWO))
    total = straights + flushes + full_houses
    if total == 0:
        return False
    left = random_below(state, total)
    if left < straights:
        low = 0
        while left >= runs_from(suits, low):
            left -= runs_from(suits, low)
            low += 1
        for k in range(_RUN):
            draw_of_rank(state, pool, low + k, _ONE, cards, k)
    elif left < straights + flushes:
        left -= straights
        suit = 0
        while left >= combinations_of(ranks_of_suit(pool, suit), _FIVE):
            left -= combinations_of(ranks_of_suit(pool, suit), _FIVE)
            suit += 1
        draw_from(state, pool, suit, np.int64(SUITS), np.int64(_RANKS), _FIVE, cards, _ZERO)
    else:
        draw_full_house(state, pool, suits, left - straights - flushes, pairs, cards)
    return True


@device_function
def runs_from(suits, low):
    count = 1
    for rank in range(low, low + _RUN):
        count *= suits[rank]
    return count


@device_function
def ranks_of_suit(pool, suit):
    count = 0
    for card in range(suit, STANDARD, SUITS):
        count += pool[card] > 0
    return count


@device_function
def draw_full_house(state, pool, suits, left, pairs, cards):
    three = -1
    while left >= 0:
        three += 1
        left -= combinations_of(suits[three], _THREE) * (pairs - combinations_of(suits[three], _TWO))
    pair = draw_rank(state, suits, _TWO, three)
    draw_of_rank(state, pool, three, _THREE, cards, _TWO if pair < three else _ZERO)
    draw_of_rank(state, pool, pair, _TWO, cards, _ZERO if pair < three else _THREE)


@device_function
def draw_remainder(state, viewer, pool, owner, position):
    """What may be left of a combination of which cards were taken (ST-12), the rest being unseen or seen discarded. Where none
    is found, any cards: it may also have been mixed with a broken one, or be broken for a second time."""
    size, made = np.int64(state.pile_size[owner, position]), np.int64(state.made_of[owner, position])
    cards = state.pile[owner, position]
    with_seen = np.empty(DECK_54, np.int64)
    copy(pool, with_seen)
    for k in range(np.int64(state.discard_size)):
        if np.int64(state.discard_seen[k]) >> viewer & 1:
            with_seen[state.discard[k]] += 1
    if made == 5:
        drawn = draw_part_of_five(state, pool, with_seen, size, cards)
    else:
        drawn = draw_part_of_set(state, pool, with_seen, made, size, cards)
    return drawn or draw_from(state, pool, _ZERO, _ONE, _ORDINARY, size, cards, _ZERO)


@device_function
def draw_part_of_set(state, pool, with_seen, made, size, cards):
    suits = np.empty(_RANKS, np.int64)
    for rank in range(_RANKS):
        suits[rank] = suits_of_rank(pool, rank) if suits_of_rank(with_seen, rank) >= made else 0
    rank = draw_rank(state, suits, size, -_ONE)
    return rank >= 0 and draw_of_rank(state, pool, rank, size, cards, _ZERO)


@device_function
def draw_part_of_five(state, pool, with_seen, size, cards):
    whole, counts = np.empty(MOST, np.int64), np.empty(DECK_54, np.int64)
    for _ in range(_TRIES):
        copy(with_seen, counts)
        if not draw_combination(state, counts, _FIVE, whole):
            return False
        fill(counts, 0)
        for k in range(MOST):
            counts[whole[k]] = pool[whole[k]] > 0
        if draw_from(state, counts, _ZERO, _ONE, _ORDINARY, size, cards, _ZERO):
            for k in range(size):
                pool[cards[k]] -= 1
            return True
    return False


@device_function
def draw_discard(state, viewer, drawn, pool):
    """Cards the viewer has not seen discarded; a Joker would have shown itself by mixing the piles."""
    for k in range(np.int64(state.discard_size)):
        if not np.int64(state.discard_seen[k]) >> viewer & 1 and not drawn[k]:
            state.discard[k] = draw_below(state, pool, _ORDINARY)
    for owner in range(np.int64(state.num_players)):
        for position in range(PILES):
            if not knows(state, viewer, owner, position):
                for k in range(np.int64(state.fell_size[owner, position])):
                    state.pile[owner, position, k] = state.discard[np.int64(state.fell_at[owner, position]) + k]


@device_function
def draw_play_hands(state, viewer, pool):
    for player in range(np.int64(state.num_players)):
        if player != viewer:
            count = np.int64(state.hand_size[player])
            fill(state.hand[player], 0)
            state.hand_size[player] = 0
            for _ in range(count):
                add_to_hand(state, player, draw_below(state, pool, _ALL))
