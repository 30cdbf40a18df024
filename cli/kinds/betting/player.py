"""A rule-based player: raises with a pair, with a high card before the board, and sometimes as a bluff; folds low cards."""

import numpy as np
from wilddeck.envs.core.cards import STANDARD
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import start

from .game import CALL, CHECK, FOLD, OBSERVATION, RAISE

_HAND, _BOARD = OBSERVATION.places("hand", "board")
HIGH, MIDDLE = 9, 6  # ranks of a jack and an eight
BLUFF = np.uint64(8)  # it bluffs once in this many cases


@device_function
def policy(observation, mask, num_players, noise):
    own, board = 0, -1
    for card in range(STANDARD):
        if observation[start(_HAND, num_players) + card] > 0:
            own = card >> 2
        if observation[start(_BOARD, num_players) + card] > 0:
            board = card >> 2
    is_good = own == board or (board < 0 and own >= HIGH) or noise % BLUFF == np.uint64(0)
    if mask[RAISE] and is_good:
        return RAISE
    if mask[CHECK]:
        return CHECK
    return CALL if is_good or own >= (MIDDLE if board < 0 else HIGH) else FOLD
