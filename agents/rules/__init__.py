"""Rule-based players: one module a game with a policy kernel.

A policy is a kernel `policy(observation, mask, num_players, noise) -> action` over the observation vector, read through
the game's layout; by construction it sees what its seat sees and nothing else. `noise` is 64 random bits.
"""

from __future__ import annotations

import importlib

from ...envs.core.game import Game, Options
from ..base import PolicyAgent, PolicyKernel

# Game id -> module here. A line is all the registration a player needs.
REGISTRY = {
    "tennis_v0": "tennis",
    "skin_of_your_teeth_v0": "skin_of_your_teeth",
    "wild_escape_v0": "wild_escape",
}


def policy(game: Game) -> PolicyKernel:
    """The policy kernel of a game.

    Raises:
        ValueError: nobody wrote one; the message lists the games that have one.
    """
    if game.id not in REGISTRY:
        raise ValueError(f"{game.id} has no rule-based player; games that have one: {', '.join(REGISTRY)}")
    return importlib.import_module(f".{REGISTRY[game.id]}", __name__).policy


def make(game: Game, options: Options) -> PolicyAgent:
    """The rule-based agent of a game (ValueError if it has none)."""
    return PolicyAgent("rules", policy(game), options.num_players)
