"""Rule-based bridge: simple natural bidding by points and lengths (bidding.py), leads by weights
(leads.py), other cards by probabilities (play.py)."""

from __future__ import annotations

from ....envs.core.jit import device_function
from ....envs.core.layout import start
from ....envs.games.bridge.state import OBSERVATION, PLAYERS
from .bidding import choose_call
from .play import WEIGHTS, choose_play

_PHASE = OBSERVATION.at("phase")


@device_function
def policy(observation, mask, num_players, noise):
    if observation[start(_PHASE, PLAYERS)] > 0:
        return choose_call(observation, mask)
    return choose_play(observation, mask, WEIGHTS)
