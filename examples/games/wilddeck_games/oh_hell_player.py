"""Rule-based Oh Hell: bid what the hand is worth, then play so that what the hand is still worth comes to what is missing.

The worth of a card is the chance that it wins a trick some time: that no other player holds a higher one of its suit and, of
a plain suit, that nobody ruffs. A hand is worth the sum. In each trick the player chooses the card for which the tricks won,
with this one if the card wins it, and the worth of the other cards come nearest to the bid: so a sure trick is taken by the
cheapest card, and who wants no more of them throws off the dearest card that loses.
"""

from __future__ import annotations

import numpy as np
from wilddeck.envs.core.cards import RANKS, STANDARD
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import start

from .oh_hell import ACTIONS, BIDS, OBSERVATION

_HAND, _TRICK, _PLAYED, _LED = OBSERVATION.places("hand", "trick_cards", "played", "led_suit")
_LEADER, _TRICKS, _VOID = OBSERVATION.places("leader", "tricks", "seen_void")
_TRUMP_CARD, _BIDS = OBSERVATION.places("trump_card", "bids")
_BID = ACTIONS.at("bid")

# Of a few values those with which the most bids are met among equals, with 3 to 7 players.
HIGHER = 0.8  # how likely a higher card in another hand beats one: it may fall to another trick
RUFF = 0.4  # worth of a trump, at least: it may ruff


@device_function
def policy(observation, mask, num_players, noise):
    n, trump, size, total = num_players, 0, 0, 0.0
    unseen, worth = np.ones(STANDARD, np.uint8), np.zeros(STANDARD)
    for card in range(STANDARD):
        if observation[start(_TRUMP_CARD, n) + card] > 0:
            trump = card & 3
        size += observation[start(_HAND, n) + card] > 0
        unseen[card] = is_unseen(observation, n, card)
    for card in range(STANDARD):
        if observation[start(_HAND, n) + card] > 0:
            worth[card] = worth_of(card, trump, unseen, n - 1, size, True)
            total += worth[card]
    bid = own_bid(observation, n)
    if bid < 0:
        return best_bid(mask, start(_BID, n), total)
    missing = bid - np.round(observation[start(_TRICKS, n)] * RANKS)
    best, choice = np.inf, 0
    for card in range(STANDARD):
        if mask[card]:
            off = abs(missing - chance_to_win(observation, n, card, trump, unseen, size) - (total - worth[card]))
            if off < best:
                best, choice = off, card
    return choice


@device_function
def is_unseen(observation, n, card):
    if observation[start(_HAND, n) + card] > 0 or observation[start(_TRUMP_CARD, n) + card] > 0:
        return False
    for seat in range(n):
        place = seat * STANDARD + card
        if observation[start(_TRICK, n) + place] > 0 or observation[start(_PLAYED, n) + place] > 0:
            return False
    return True


@device_function
def own_bid(observation, n):
    """-1 before it."""
    for bid in range(BIDS):
        if observation[start(_BIDS, n) + 1 + bid] > 0:
            return bid
    return -1


@device_function
def best_bid(mask, first, total):
    best, choice = np.inf, first
    for bid in range(BIDS):
        if mask[first + bid] and abs(bid - total) < best:
            best, choice = abs(bid - total), first + bid
    return choice


@device_function
def worth_of(card, trump, unseen, others, size, later):
    """The chance that a card wins against so many others, each with `size` cards: in this trick, or in some `later` one."""
    higher, same, trumps, left = 0, 0, 0, 0
    for other in range(STANDARD):
        if unseen[other]:
            left += 1
            trumps += other & 3 == trump
            same += other & 3 == card & 3
            higher += other & 3 == card & 3 and other > card
    held = min(1.0, others * size / max(1, left))  # the chance that an unseen card is in one of these hands
    chance = (1.0 - (HIGHER if later else 1.0) * held) ** higher
    if card & 3 == trump:
        return max(chance, RUFF) if later else chance
    missed = 1.0 - 1.0 / others  # the chance that a card in one of these hands is not in a certain one of them
    if others == 1:
        return chance
    ruffs = missed ** (same * held) * (1.0 - missed ** (trumps * held))
    return chance * (1.0 - ruffs) ** others


@device_function
def chance_to_win(observation, n, card, trump, unseen, size):
    """The chance that a card wins this trick."""
    followers = n - 1
    for place in range(STANDARD, n * STANDARD):  # the cards of the others
        if observation[start(_TRICK, n) + place] > 0:
            other = place % STANDARD
            followers -= 1
            if (
                other > card
                if (other ^ card) & 3 == 0
                else card & 3 != trump and is_beaten_by(observation, n, card, other, trump)
            ):
                return 0.0
    return 1.0 if followers == 0 else worth_of(card, trump, unseen, followers, size, False)


@device_function
def is_beaten_by(observation, n, card, other, trump):
    """Of a plain card and one of another suit."""
    return other & 3 == trump or observation[start(_LED, n) + (card & 3)] == 0
