"""Rule-based players: one module a game with a policy kernel, `policy`.

A policy is a kernel `policy(observation, mask, num_players, noise) -> action` over the observation vector, read through
the game's layout; by construction it sees what its seat sees and nothing else. `noise` is 64 random bits.

A module may offer several styles of play, `STYLES`, policies by name. `policy` is the strongest of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from ... import envs
from ...envs.core.game import Game, Options
from ..base import PolicyAgent, PolicyKernel

# Game id -> module here. A line is all the registration a player needs.
REGISTRY = {
    "tennis_v0": "tennis",
    "skin_of_your_teeth_v0": "skin_of_your_teeth",
    "skin_v0": "skin",
    "wild_escape_v0": "wild_escape",
    "hearts_v0": "hearts",
    "spades_v0": "spades",
    "bridge_v0": "bridge",
    "president_v0": "president",
}


def policy(game: Game | str, style: str = "") -> PolicyKernel:
    """The policy kernel of a game (or of its id), the strongest or that of a style.

    Raises:
        ValueError: nobody wrote one, or not in that style; the message lists those there are.
    """
    game = envs.game(game)
    if game.id not in REGISTRY:
        raise ValueError(f"{game.id} has no rule-based player; games that have one: {', '.join(REGISTRY)}")
    module = importlib.import_module(f".{REGISTRY[game.id]}", __name__)
    if not style:
        return module.policy
    styles = getattr(module, "STYLES", {})
    if style not in styles:
        raise ValueError(f"{game.id} has no rule-based player {style!r}; styles: {', '.join(styles) or 'none, just rules'}")
    return styles[style]


def policies(game: Game) -> tuple[PolicyKernel, ...]:
    """All policy kernels of a game, the strongest first; none where nobody wrote one."""
    if game.id not in REGISTRY:
        return ()
    module = importlib.import_module(f".{REGISTRY[game.id]}", __name__)
    return tuple(dict.fromkeys([module.policy, *getattr(module, "STYLES", {}).values()]))


def make(game: Game | str, options: Options | Mapping[str, Any] | None = None, style: str = "") -> PolicyAgent:
    """The rule-based agent of a game (or of its id), the strongest or that of a style (ValueError if there is none)."""
    game, options = envs.resolve(game, options)
    return PolicyAgent(f"rules:{style}" if style else "rules", policy(game, style), options.num_players)
