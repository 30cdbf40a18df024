"""The environments: the registry of games, and a PettingZoo module for each (`wilddeck.envs.tennis_v0.env`, `.raw_env`)."""

from __future__ import annotations

import difflib
import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from .core.aec import CardGameEnv
    from .core.batch import Batch
    from .core.game import Game

# id -> module below envs/games. A line here is all the registration a game needs.
REGISTRY = {
    "tennis_v0": "tennis",
    "skin_of_your_teeth_v0": "skin_of_your_teeth",
    "skin_v0": "skin",
    "wild_escape_v0": "wild_escape",
    "hearts_v0": "hearts",
    "spades_v0": "spades",
    "bridge_v0": "bridge",
}


def game_ids() -> tuple[str, ...]:
    """The ids of all games. (`envs.games` is the package of their modules.)"""
    return tuple(REGISTRY)


def game(game_id: str) -> Game:
    """The game with an id such as `tennis_v0`; imports its module.

    Raises:
        ValueError: there is none; the message lists the games and the nearest name.
    """
    if game_id not in REGISTRY:
        near = difflib.get_close_matches(str(game_id), REGISTRY, 1, 0.5)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ValueError(f"no game {game_id!r}{hint} Games: {', '.join(REGISTRY)}")
    module = importlib.import_module(f".games.{REGISTRY[game_id]}", __name__)
    return module.GAME


def raw_env(game_id: str, render_mode: str | None = None, **options: Any) -> CardGameEnv:
    """A PettingZoo AEC environment without wrappers; an illegal action raises and changes nothing."""
    from .core.aec import CardGameEnv

    found = game(game_id)
    return CardGameEnv(found, found.make_options(options), render_mode)


def env(game_id: str, render_mode: str | None = None, **options: Any) -> AECEnv:
    """A PettingZoo AEC environment in the usual wrappers; an illegal action ends the game with a penalty of 1."""
    from .core.aec import wrap

    return wrap(raw_env(game_id, render_mode, **options))


def make_batch(game_id: str, num_games: int, seed: int | None = None, threads: int = 1, **options: Any) -> Batch:
    """`num_games` games stepped together in compiled code (see `Batch`)."""
    from .core.batch import Batch

    found = game(game_id)
    return Batch(found, found.make_options(options), num_games, seed, threads)


def _pettingzoo_module(game_id: str) -> ModuleType:
    """The module PettingZoo users expect, `wilddeck.envs.<id>`, made from the registry's line."""
    module = ModuleType(f"{__name__}.{game_id}", f"PettingZoo module of {game_id}: env, raw_env.")

    def make(render_mode: str | None = None, **options: Any) -> AECEnv:
        return env(game_id, render_mode, **options)

    def make_raw(render_mode: str | None = None, **options: Any) -> CardGameEnv:
        return raw_env(game_id, render_mode, **options)

    make.__name__, make_raw.__name__ = "env", "raw_env"
    make.__doc__, make_raw.__doc__ = env.__doc__, raw_env.__doc__
    module.env, module.raw_env = make, make_raw  # type: ignore[attr-defined]
    module.__all__ = ["env", "raw_env"]  # type: ignore[attr-defined]
    return module


for _id in REGISTRY:
    sys.modules[f"{__name__}.{_id}"] = globals()[_id] = _pettingzoo_module(_id)
