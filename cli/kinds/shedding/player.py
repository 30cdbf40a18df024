"""A rule-based player: plays a card of its longest suit, keeps its eights for last, and draws only if it must."""

import numpy as np
from wilddeck.envs.core.cards import STANDARD, SUITS
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import start

from .game import ACTIONS, EIGHTS, OBSERVATION, hands

_HAND = OBSERVATION.at("hand")
_DRAW, _PASS = ACTIONS.places("draw", "pass")


@device_function
def policy(observation, mask, num_players, noise):
    first, of_suit = start(_HAND, num_players), np.zeros(SUITS)
    for card in range(STANDARD):
        of_suit[card & 3] += observation[first + card]
    best, choice = -1.0, start(_DRAW if mask[start(_DRAW, num_players)] else _PASS, num_players)
    for card in range(STANDARD):
        value = 0.0 if hands.BIT[card] & EIGHTS != hands.ZERO else of_suit[card & 3]
        if mask[card] and value > best:
            best, choice = value, card
    return choice
