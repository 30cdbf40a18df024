"""A rule-based player: bids its aces and high trumps, plays high cards while it needs tricks, then low ones."""

import numpy as np
from wilddeck.envs.core.cards import RANKS, STANDARD
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import start

from .game import ACTIONS, CARDS, OBSERVATION

_HAND, _TRICKS, _TRUMP_CARD, _BIDS = OBSERVATION.places("hand", "tricks", "trump_card", "bids")
_BID = ACTIONS.at("bid")
HIGH = 5  # rank of a seven: trumps from here on are counted as tricks


@device_function
def policy(observation, mask, num_players, noise):
    first_bid = start(_BID, num_players)
    if mask[first_bid]:
        return first_bid + likely_tricks(observation, num_players)
    needs_tricks = bid_of(observation, num_players) > round(observation[start(_TRICKS, num_players)] * RANKS)
    choice = -1
    for card in range(STANDARD):
        if mask[card] and (choice < 0 or (card >> 2 >= choice >> 2) == needs_tricks):
            choice = card
    return choice


@device_function
def likely_tricks(observation, n):
    count, trump = 0, 0
    for card in range(STANDARD):
        if observation[start(_TRUMP_CARD, n) + card] > 0:
            trump = card & 3
    for card in range(STANDARD):
        if observation[start(_HAND, n) + card] > 0:
            count += card >> 2 == RANKS - 1 or (card & 3 == trump and card >> 2 >= HIGH)
    return count


@device_function
def bid_of(observation, n):
    return np.argmax(observation[start(_BIDS, n) : start(_BIDS, n) + CARDS + 2]) - 1
