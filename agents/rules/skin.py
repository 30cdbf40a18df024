"""Rule-based Skin, in three styles: cautious, bold, and counting.

Of two live cards with a and b matches left in the stock, the first falls before the second with a chance of a / (a + b), and
bets are even. So a bet is worth taking when your card has fewer matches left. The counting player knows how many are left of
each rank, because every card turned is in sight: with better odds it bets all it may, as player, as banker and in side bets,
with worse odds as little as it may, and with even odds, where nothing is to be won or lost in the long run, something in
between. As player it waits for a rank that has come back after two of it are gone, which has better odds; it takes another card
only to get a hand going when everybody else has passed. The cautious and the bold player do not count: the cautious one bets
the minimum and only when it must, the bold one the maximum, whatever the cards.

Where the rank of a fallen card is dead (the option `dead_on_fall`), all live cards have three matches left, all odds are even,
and the styles differ in risk alone.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.cards import RANKS, SUITS
from ...envs.core.jit import device_function
from ...envs.games.skin.state import (
    BANK,
    BANK_NEW,
    BETWEEN,
    BETWEEN_AT,
    CENTRAL,
    CENTRAL_AT,
    IN_GAME,
    IS_BANKER,
    LEVEL_AT,
    LEVELS,
    LIVE,
    NO_AT,
    NO_CARD,
    OBSERVATION,
    OFFER,
    PHASES,
    RECEIVED_LAST,
    SEAT,
    SIDE_AMOUNT,
    SIDE_REPLY,
    SIDE_TARGET,
    STAKE,
    TARGET_AT,
    YES_AT,
)
from .reading import one_hot

_PHASE, _SEATS, _PARTNER, _BANK_CARD = OBSERVATION.places("phase", "seats", "partner", "bank_card", num_players=0)
_SEEN, _OFFERED, _DEAD_RANKS, _CENTRAL_RANKS = OBSERVATION.places("seen", "offered", "dead", "central", num_players=0)

WORSE, EVEN, BETTER = range(3)
CAUTIOUS, BOLD, COUNTING = range(3)

# What each style wants with worse, even and better odds: a level of a bet (0: none; the banker cannot bet less than level 1),
# or whether to take a card. Found by playing variants against one another.
WANTED = np.zeros((PHASES, 3, 3), np.int64)
_ALL = [LEVELS] * 3
WANTED[OFFER] = [1, 1, 1], [1, 1, 1], [0, 0, 1]
WANTED[STAKE] = [1, 1, 1], _ALL, [0, 4, LEVELS]
WANTED[BANK] = [1, 1, 1], _ALL, [1, 4, LEVELS]
WANTED[[SIDE_TARGET, SIDE_AMOUNT, SIDE_REPLY]] = [0, 0, 0], _ALL, [0, 4, LEVELS]
WANTED[CENTRAL] = [0, 0, 0], [1, 1, 1], [0, 0, 1]
WANTED[BANK_NEW] = [0, 0, 0], [1, 1, 1], [0, 1, 1]


@device_function
def cautious(observation, mask, num_players, noise):
    return decide(observation, mask, num_players, CAUTIOUS)


@device_function
def bold(observation, mask, num_players, noise):
    return decide(observation, mask, num_players, BOLD)


@device_function
def policy(observation, mask, num_players, noise):
    return decide(observation, mask, num_players, COUNTING)


STYLES = {"cautious": cautious, "bold": bold, "counting": policy}


@device_function
def decide(observation, mask, n, style):
    phase = one_hot(observation, _PHASE, PHASES)
    by_odds = WANTED[phase, style]
    if phase == BETWEEN:
        return stays(mask)
    if phase == SIDE_TARGET:
        return best_target(observation, mask, n, by_odds)
    if phase == CENTRAL:
        return best_central(observation, mask, by_odds)
    if phase == BANK_NEW:
        return YES_AT if by_odds[odds_of_new_card(observation, n)] else NO_AT
    level = by_odds[odds_now(observation, phase)]
    if phase == OFFER:
        return YES_AT if level or nobody_else_will(observation, n) else NO_AT
    return level_up_to(mask, level)


@device_function
def stays(mask):
    """Stay or join, the first of the two legal actions."""
    action = BETWEEN_AT
    while not mask[action]:
        action += 1
    return action


@device_function
def card_of(observation, seat):
    """The rank of a seat's live card."""
    return one_hot(observation, _SEATS + SEAT * seat + LIVE, RANKS)


@device_function
def left(observation, rank):
    """Matches of a rank left in the stock."""
    return SUITS - np.int64(observation[_SEEN + rank] * np.float32(SUITS) + np.float32(0.5))


@device_function
def odds_between(observation, mine, theirs):
    """WORSE, EVEN or BETTER for a card of the first rank; EVEN where there is none to compare with."""
    if mine == NO_CARD or theirs == NO_CARD:
        return EVEN
    advantage = left(observation, theirs) - left(observation, mine)
    return BETTER if advantage > 0 else EVEN if advantage == 0 else WORSE


@device_function
def nobody_else_will(observation, n):
    """Whether the banker has no card yet and the card is offered to nobody after me: without a taker there are no bets."""
    if one_hot(observation, _BANK_CARD, RANKS) != NO_CARD:
        return False
    if observation[_SEATS + RECEIVED_LAST] > 0:
        return True
    for seat in range(n):
        if observation[_SEATS + SEAT * seat + RECEIVED_LAST] > 0:
            return False
    seat = n - 1  # offers go to the right
    while observation[_SEATS + SEAT * seat + IN_GAME] == 0:
        seat -= 1
    return observation[_SEATS + SEAT * seat + IS_BANKER] > 0


@device_function
def odds_now(observation, phase):
    """The odds of the bet that is proposed, answered or prepared."""
    bank = one_hot(observation, _BANK_CARD, RANKS)
    if phase == OFFER:
        return odds_between(observation, one_hot(observation, _OFFERED, RANKS), bank)
    mine = card_of(observation, 0)
    if phase == STAKE:
        return odds_between(observation, mine, bank)
    return odds_between(observation, mine, card_of(observation, one_hot(observation, _PARTNER, LEVELS)))


@device_function
def level_up_to(mask, limit):
    """The highest legal level that is not above the one wanted; the lowest one, or none, if there is no such level."""
    for level in range(limit, 0, -1):
        if mask[LEVEL_AT + level - 1]:
            return LEVEL_AT + level - 1
    if mask[NO_AT]:
        return NO_AT
    action = LEVEL_AT
    while not mask[action]:
        action += 1
    return action


@device_function
def best_target(observation, mask, n, by_odds):
    """The player whose card has most matches left, among those with whom a side bet is wanted."""
    mine = card_of(observation, 0)
    best, most = NO_AT, -1
    for seat in range(1, n):
        if mask[TARGET_AT + seat]:
            rank = card_of(observation, seat)
            matches = left(observation, rank)
            if matches > most and by_odds[odds_between(observation, mine, rank)]:
                best, most = TARGET_AT + seat, matches
    return best


@device_function
def best_central(observation, mask, by_odds):
    """The central card with fewest matches left, among those wanted."""
    bank = one_hot(observation, _BANK_CARD, RANKS)
    best, fewest = NO_AT, SUITS
    for rank in range(RANKS):
        if mask[CENTRAL_AT + rank]:
            matches = left(observation, rank)
            if matches < fewest and by_odds[odds_between(observation, rank, bank)]:
                best, fewest = CENTRAL_AT + rank, matches
    return best


@device_function
def odds_of_new_card(observation, n):
    """Whether the next fresh card is likely to have fewer matches left than the players' cards have."""
    matches, cards = 0, 0
    for rank in range(RANKS):
        if is_fresh(observation, n, rank):
            count = left(observation, rank)
            matches += count * (count - 1)  # each is as likely to come first, and is not left any more then
            cards += count
    if cards == 0:
        return EVEN
    theirs, players = 0, 0
    for seat in range(1, n):
        rank = card_of(observation, seat)
        if rank != NO_CARD:
            theirs += left(observation, rank)
            players += 1
    advantage = theirs * cards - matches * players
    return BETTER if advantage > 0 else EVEN if advantage == 0 else WORSE


@device_function
def is_fresh(observation, n, rank):
    if observation[_DEAD_RANKS + rank] > 0 or observation[_CENTRAL_RANKS + rank] > 0:
        return False
    for seat in range(n):
        if observation[_SEATS + SEAT * seat + LIVE + rank] > 0:
            return False
    return True
