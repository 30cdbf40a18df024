"""Rule-based players: one module a game, which the game names (`Game(player=...)`), with a policy, `policy`.

A player belongs to the layouts that it was written for: the same game with others has none.

A policy is a device function `policy(observation, mask, num_players, noise) -> action` over the observation vector, read
through the game's layout; by construction it sees what its seat sees and nothing else. `noise` is 64 random bits.

A module may offer several styles of play, `STYLES`, policies by name. `policy` is the strongest of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ... import envs
from ...envs.core.game import Game, Options
from ...envs.core.lazy import submodules
from ..base import Policy, PolicyAgent

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__)


def policy(game: Game | str, style: str = "") -> Policy:
    """The policy of a game (or of its id), the strongest or that of a style.

    Raises:
        ValueError: nobody wrote one, or not in that style; the message lists those there are.
    """
    game = envs.game(game)
    module = _module(game)
    if module is None:
        other = " for these observations and actions" if game.player is not None else ""
        raise ValueError(f"{game.id} has no rule-based agent{other}; a game declares one with Game(player=...)")
    if not style:
        return module.policy
    styles = getattr(module, "STYLES", {})
    if style not in styles:
        raise ValueError(
            f"{game.id} has no rule-based agent of style {style!r}; styles: {', '.join(styles) or 'none, only rules'}"
        )
    return styles[style]


def policies(game: Game) -> tuple[Policy, ...]:
    """All policies of a game, the strongest first; none where nobody wrote one."""
    module = _module(game)
    if module is None:
        return ()
    return tuple(dict.fromkeys([module.policy, *getattr(module, "STYLES", {}).values()]))


def styles(game: Game) -> tuple[str, ...]:
    """The names of the styles in which a game's rule-based player plays."""
    return tuple(getattr(_module(game), "STYLES", {}))


def make(game: Game | str, options: Options | Mapping[str, Any] | None = None, style: str = "") -> PolicyAgent:
    """The rule-based agent of a game (or of its id), the strongest or that of a style (ValueError if there is none)."""
    game, options = envs.resolve(game, options)
    sizes = game.observation_size(options), game.num_actions(options)
    return PolicyAgent(f"rules:{style}" if style else "rules", policy(game, style), options.num_players, sizes)


def _module(game: Game) -> Any:
    """What holds the policies of a game's player: a module as a rule; None if there is none, or it was written for other
    observations or actions than the game has."""
    if game.player is None or game.player.spaces != game.spaces_digest:
        return None
    held = game.player.held
    return importlib.import_module(held) if isinstance(held, str) else SimpleNamespace(policy=held)
