"""The environments: games by their ids, and a PettingZoo module for each (`wilddeck.envs.tennis_v0.env`, `.raw_env`)."""

from typing import TYPE_CHECKING

from . import baccarat_v0 as baccarat_v0
from . import beggar_my_neighbor_v0 as beggar_my_neighbor_v0
from . import blackjack_v0 as blackjack_v0
from . import bluff_v0 as bluff_v0
from . import bridge_v0 as bridge_v0
from . import crazy_eights_v0 as crazy_eights_v0
from . import egyptian_ratscrew_v0 as egyptian_ratscrew_v0
from . import go_fish_v0 as go_fish_v0
from . import hearts_v0 as hearts_v0
from . import old_maid_v0 as old_maid_v0
from . import poker_v0 as poker_v0
from . import president_v0 as president_v0
from . import rummy_v0 as rummy_v0
from . import skin_of_your_teeth_v0 as skin_of_your_teeth_v0
from . import skin_v0 as skin_v0
from . import spades_v0 as spades_v0
from . import tennis_v0 as tennis_v0
from . import wild_escape_v0 as wild_escape_v0
from .core.lazy import submodules
from .registry import OWN as OWN
from .registry import all_games as all_games
from .registry import env as env
from .registry import game as game
from .registry import game_ids as game_ids
from .registry import load as load
from .registry import load_batch as load_batch
from .registry import make_batch as make_batch
from .registry import parallel_env as parallel_env
from .registry import raw_env as raw_env
from .registry import register as register
from .registry import registered as registered
from .registry import resolve as resolve
from .registry import spawn_seeds as spawn_seeds

if TYPE_CHECKING:
    from . import core as core
    from . import pages as pages
    from . import registration as registration
else:
    __getattr__ = submodules(__name__)
