"""What rule-based players read from an observation vector."""

from __future__ import annotations

import numpy as np

from ...envs.core.cards import DECK_66
from ...envs.core.extended.sets import add
from ...envs.core.kernel import kernel


@kernel
def whole(observation, index, unit):
    """The number behind an entry that is a share of `unit`."""
    return np.int64(observation[index] * np.float32(unit) + np.float32(0.5))


@kernel
def one_hot(observation, at, size):
    """The place of the entry that is set in a block, -1 if none is."""
    for place in range(size):
        if observation[at + place] > 0:
            return place
    return -1


@kernel
def read_set(observation, at, cards):
    """Add the cards of a block of 66 to a set, as two words (envs/core/extended/sets.py)."""
    for card in range(DECK_66):
        if observation[at + card] > 0:
            add(cards, card)
