"""wilddeck: card-game environments for reinforcement learning.

    import wilddeck

    env = wilddeck.make("tennis_v0")                          # PettingZoo AEC
    batch = wilddeck.make_batch("tennis_v0", num_games=4096)  # thousands of games in compiled code

Importing this package compiles nothing and loads neither numba nor torch; a game is loaded when it is first made.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .envs import env as make
from .envs import game_ids as games
from .envs import make_batch
from .envs.registration import register

if TYPE_CHECKING:
    from .envs.core import cards as cards
    from .envs.core import compare as compare

__version__ = "0.1.0"
__all__ = ["__version__", "cards", "compare", "games", "make", "make_batch"]

_LAZY = {"cards": ".envs.core.cards", "compare": ".envs.core.compare"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(_LAZY[name], __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register()
