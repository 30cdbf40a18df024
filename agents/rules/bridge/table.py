"""What a bridge player reads from the table: sets of cards, visible hands, and probabilities of hidden ones.

Seats are counted clockwise from the player whose observation it is, so 0 is their own hand and 2 their partner's. Sets of cards
are two words, as in the rules (envs/core/extended/sets.py).
"""

from __future__ import annotations

import numpy as np

from ....envs.core.bits import count_bits, highest_bit
from ....envs.core.cards import STANDARD, SUITS
from ....envs.core.extended.sets import (
    FIRST_SPECIAL,
    NO_SUIT,
    ONE,
    STANDARD_CARDS,
    SUIT_CARDS,
    ZERO,
    is_joker,
    size_of,
)
from ....envs.core.jit import device_function
from ....envs.core.layout import start
from ....envs.games.bridge.state import BIDS, NO_TRUMP, OBSERVATION, PLAYERS, STRAINS
from ..reading import hand_size, one_hot, read_set, read_unseen

_HAND, _DUMMY, _VOID = OBSERVATION.places("hand", "dummy", "seen_void")
_EXPOSED, _DECLARER, _STRAIN, _BIDS = OBSERVATION.places("exposed", "declarer", "strain", "bids")

UNSEEN = PLAYERS  # row of the cards that the player does not see: in hidden hands or in the pile
ROWS = PLAYERS + 1
JOKER = 1000  # strengths of cards in a trick, see `strength`
TRUMP = 100
NOTHING = -1


@device_function
def lacks(observation, seat, suit):
    """Whether all know that a seat has no card of a suit."""
    return observation[start(_VOID, PLAYERS) + SUITS * seat + suit] > 0


@device_function
def declarer_seat(observation):
    return one_hot(observation, start(_DECLARER, PLAYERS), PLAYERS)


@device_function
def dummy_seat(observation):
    """Dummy's seat once its hand is face up; -1 before."""
    if observation[start(_EXPOSED, PLAYERS)] == 0:
        return -1
    return (declarer_seat(observation) + 2) & 3


@device_function
def has_bid(observation, seat, suit):
    for bid in range(suit, BIDS, STRAINS):
        if observation[start(_BIDS, PLAYERS) + 3 * PLAYERS * bid + seat] > 0:
            return True
    return False


@device_function
def trump_suit(observation):
    strain = one_hot(observation, start(_STRAIN, PLAYERS), STRAINS)
    return NO_SUIT if strain == NO_TRUMP else strain


@device_function
def read_table(observation, cards):
    """The hands that the player sees, and the cards that they do not see, in rows of `cards`, uint64 [ROWS, 2], zeroed."""
    read_set(observation, start(_HAND, PLAYERS), cards[0])
    dummy = dummy_seat(observation)
    if dummy > 0:
        read_set(observation, start(_DUMMY, PLAYERS), cards[dummy])
    seen = np.zeros(2, np.uint64)
    for seat in range(PLAYERS):
        for word in range(2):
            seen[word] |= cards[seat, word]
    read_unseen(observation, seen, cards[UNSEEN])


# --- strength of cards in a trick ---


@device_function
def suit_cards(cards, suit):
    """The cards of a suit in a set, specials included; none of NO_SUIT."""
    return ZERO if suit == NO_SUIT else cards[0] & SUIT_CARDS[suit]


@device_function
def rank_of(card):
    """Counted from 1; 0 of specials and Jokers."""
    return (card >> 2) + 1 if card < STANDARD else 0


@device_function
def highest_rank(held):
    """0 of none, too."""
    return (highest_bit(held & STANDARD_CARDS) >> 2) + 1


@device_function
def strength(card, led, trump):
    """The strength of a card in a trick: the higher wins. Specials are the lowest of their suit, an approximation."""
    if is_joker(card):
        return JOKER
    suit = card & 3 if card < STANDARD else (card - FIRST_SPECIAL) & 3
    rank = rank_of(card)
    if suit == trump:
        return TRUMP + rank
    return rank if suit == led else NOTHING


@device_function
def best_of(cards, led, trump):
    """The strength that a visible hand can reach in a trick."""
    if cards[1] != ZERO:
        return JOKER
    own = suit_cards(cards, led)
    suit = led if own != ZERO else trump
    held = suit_cards(cards, suit)
    if held == ZERO:
        return NOTHING
    return (TRUMP if suit == trump else 0) + highest_rank(held)


@device_function
def above(rank):
    """All standard cards of a rank, counted from 1 as in `strength`, or higher ones, without that rank itself."""
    return STANDARD_CARDS & ~((ONE << np.uint64(SUITS * rank)) - ONE)


# --- chances of cards that are not seen ---


@device_function
def chance_of_none(count, size, unseen):
    """The chance that a hand of `size` cards out of `unseen` has none of `count` of these."""
    chance = 1.0
    for k in range(count):
        if unseen - size - k <= 0:
            return 0.0
        chance *= (unseen - size - k) / (unseen - k)
    return chance


@device_function
def chance_to_beat(observation, cards, seat, value, led, trump):
    """The chance that a hidden hand can beat a strength in a trick."""
    unseen, size = size_of(cards[UNSEEN]), hand_size(observation, seat)
    hidden = cards[UNSEEN, 0] & STANDARD_CARDS
    if value >= JOKER:  # only the one ace (ED-73)
        ace = suit_cards(cards[UNSEEN], led if trump == NO_SUIT else trump) & above(12)
        return 0.7 * (1 - chance_of_none(count_bits(ace), size, unseen))
    fails, void = 1.0, 1.0
    if not lacks(observation, seat, led):
        in_suit = suit_cards(cards[UNSEEN], led)
        void = chance_of_none(count_bits(in_suit), size, unseen)
        rank = value - (TRUMP if led == trump else 0)
        if rank < TRUMP:
            fails = chance_of_none(count_bits(in_suit & hidden & above(max(rank, 0))), size, unseen)
    if trump not in (NO_SUIT, led) and not lacks(observation, seat, trump):
        ruffs = suit_cards(cards[UNSEEN], trump)
        if value >= TRUMP:
            ruffs &= hidden & above(value - TRUMP)
        fails *= 1 - void * (1 - chance_of_none(count_bits(ruffs), size, unseen))
    jokers = 1 - chance_of_none(count_bits(cards[UNSEEN, 1]), size, unseen)
    return 1 - fails * (1 - 0.5 * jokers)
