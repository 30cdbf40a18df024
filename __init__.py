"""wilddeck: card-game environments for reinforcement learning.

    import wilddeck

    env = wilddeck.make("tennis_v0")                          # PettingZoo AEC
    batch = wilddeck.make_batch("tennis_v0", num_games=4096)  # thousands of games in compiled code

Importing this package compiles nothing and loads neither numba nor torch; a game is loaded when it is first made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import envs as envs
from .envs import env as make
from .envs import game_ids as games
from .envs import load_batch, make_batch, register, spawn_seeds
from .envs.core.lazy import submodules
from .envs.registration import make_known
from .version import __version__

if TYPE_CHECKING:
    from . import agents as agents
    from . import benchmarks as benchmarks
    from . import cards as cards
    from . import compare as compare
    from . import data as data
    from . import league as league
    from . import seats as seats
    from . import testing as testing
    from . import training as training
else:
    __getattr__ = submodules(__name__)

__all__ = ["__version__", "cards", "compare", "games", "load_batch", "make", "make_batch", "register", "spawn_seeds"]

for _game_id in games():
    make_known(_game_id)
