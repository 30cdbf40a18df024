"""The conformance suite for games: a game must match its declarations, leak no hidden information, and play the same in every
mode (compiled, interpreted, batch, single).

from wilddeck.testing import check_game

check_game(GAME)  # or in a terminal: wilddeck check oh_hell:GAME
"""

from ..envs.core.lazy import submodules
from .checks import CheckError as CheckError
from .suite import Result as Result
from .suite import check_game as check_game
from .suite import run_checks as run_checks

__getattr__ = submodules(__name__)
