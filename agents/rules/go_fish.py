"""Rule-based Go Fish.

It asks players who are known to hold a card or who asked for it, first for cards that complete a book; else it estimates the
probability that each player has a rank from the number of its unseen cards, the player's hidden cards, and the ranks that they
are known to lack. It first asks for ranks of which it holds several. It lays a book at once, also with Jokers, unless the
missing cards are known to be in other hands. In its turn it exchanges Draws that make no book for two cards each; after asking,
it exchanges Skips, which then costs nothing, and with them Reverses, which alone would pause the turn.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.cards import RANKS, SUITS
from ...envs.core.extended.sets import DRAW, REVERSE, SKIP
from ...envs.core.extended.view import MOST_CARDS
from ...envs.core.jit import device_function
from ...envs.core.layout import start
from ...envs.games.go_fish.state import (
    ALL_RANKS,
    BOOK,
    BOOK_AT,
    COMMIT_AT,
    END_AT,
    FISHED,
    KINDS,
    MAX_PLAYERS,
    OBSERVATION,
    REVEAL_AT,
)
from .reading import hand_size_of, pile_left, whole

_BOOKS, _IMPOSSIBLE, _STAGED = OBSERVATION.places("books", "impossible", "staged")
_KNOWN, _ASKED, _LACKS, _PHASE = OBSERVATION.places("known", "asked", "lacks", "phase")
_NOTHING = -1

# Found by playing variants against one another. That an ask on a Joker need not have a card behind it makes no difference.
PER_CARD = 0.35  # what another card of the rank in their own hand adds to the worth of an ask
WHOLE = 10.0  # what it is worth to get a book
DEAD = 0.02  # the worth of a rank that makes no book
SURE = 1.0  # what it is worth to ask on
KEPT = 3  # of so many specials of a kind, it goes for the book


@device_function
def policy(observation, mask, n, noise):
    known = np.empty((MAX_PLAYERS, ALL_RANKS), np.int64)
    for seat in range(n):
        for rank in range(ALL_RANKS):
            known[seat, rank] = whole(observation, start(_KNOWN, n) + seat * ALL_RANKS + rank, BOOK)
    is_over = observation[start(_PHASE, n) + FISHED] > 0
    book = best_book(mask, n, known, is_over)
    if book != _NOTHING:
        return book
    special = best_reveal(observation, mask, n, known, is_over)
    if special != _NOTHING:
        return special
    return END_AT if is_over else best_ask(observation, mask, n, known, noise)


@device_function
def is_dead(observation, n, rank):
    """Whether no book of a rank can be made any more."""
    if rank >= RANKS and observation[start(_IMPOSSIBLE, n) + rank - RANKS] > 0:
        return True
    for seat in range(n):
        if observation[start(_BOOKS, n) + seat * ALL_RANKS + rank] > 0:
            return True
    return False


@device_function
def best_book(mask, n, known, is_over):
    """A book to lay now. One with Jokers waits while the missing cards can be asked for."""
    for rank in range(ALL_RANKS):
        if mask[BOOK_AT + rank]:
            in_hands = 0
            for seat in range(n):
                in_hands += known[seat, rank]
            if is_over or rank >= RANKS or in_hands < BOOK:
                return BOOK_AT + rank
    return _NOTHING


@device_function
def best_reveal(observation, mask, n, known, is_over):
    """A special to change for other cards: one of a kind that it does not collect. Reverses go only along with a Skip."""
    skips = False
    for suit in range(SUITS):
        if observation[start(_STAGED, n) + SUITS * SKIP + suit] > 0:
            skips = True
    for k in range(KINDS):
        kind = (SKIP, DRAW, REVERSE)[k]
        if not is_over and kind != DRAW:
            continue
        if kind == REVERSE and not skips:
            continue
        if known[0, RANKS + kind] >= KEPT and not is_dead(observation, n, RANKS + kind):
            continue
        for suit in range(SUITS):
            if mask[REVEAL_AT + SUITS * kind + suit]:
                return REVEAL_AT + SUITS * kind + suit
    return COMMIT_AT if mask[COMMIT_AT] else _NOTHING


@device_function
def best_ask(observation, mask, n, known, noise):
    hidden, stock = np.zeros(MAX_PLAYERS, np.int64), pile_left(observation, n)
    for seat in range(1, n):
        hidden[seat] = hand_size_of(observation, n, seat, MOST_CARDS)
        for rank in range(ALL_RANKS):
            hidden[seat] -= known[seat, rank]
    best, most = _NOTHING, -1.0
    for rank in range(ALL_RANKS):
        unseen, slots = BOOK, stock
        for seat in range(n):
            unseen -= known[seat, rank]
            if seat > 0 and observation[start(_LACKS, n) + seat * ALL_RANKS + rank] == 0:
                slots += hidden[seat]
        worth = DEAD if is_dead(observation, n, rank) else 1.0 + PER_CARD * (known[0, rank] - 1)
        for seat in range(1, n):
            action = (seat - 1) * ALL_RANKS + rank
            if mask[action]:
                value = worth * chance_of(observation, n, seat, rank, known[seat, rank], unseen, hidden[seat], slots)
                if value >= worth and worth > DEAD:
                    value += SURE
                    if known[0, rank] + known[seat, rank] >= BOOK:
                        value += WHOLE
                value += np.float64((noise >> np.uint64(action % 48)) & np.uint64(0xFF)) * 1e-6  # of equals any
                if value > most:
                    best, most = action, value
    return best


@device_function
def chance_of(observation, n, seat, rank, known, unseen, hidden, slots):
    """The probability that a player has a card of a rank with this number of unseen cards, theirs or elsewhere."""
    offset = seat * ALL_RANKS + rank
    if known > 0 or observation[start(_ASKED, n) + offset] > 0:
        return 1.0
    if observation[start(_LACKS, n) + offset] > 0 or slots <= 0:
        return 0.0
    none = 1.0
    for _ in range(unseen):
        none *= max(1.0 - hidden / slots, 0.0)
    return 1.0 - none
