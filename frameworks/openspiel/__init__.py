"""The games as OpenSpiel games, for its search, its solvers and its learners (extra `openspiel`).

    from wilddeck.frameworks import openspiel

    game = openspiel.load_game("tennis_v0", num_players=2)     # or pyspiel.load_game("wilddeck_tennis_v0(num_players=2)")
    state = game.new_initial_state()

Importing this module registers all games with OpenSpiel. See docs/guides/openspiel.md.

All chance comes first: chance nodes draw the deal, and with it every shuffle and every lot of the episode. That is the same
game, as nobody learns of chance before the rules tell them. By default four nodes draw a byte each of the deal's number k;
then the state is that of `env.reset(seed=k)`.

A state holds a `Moment`, which never changes: a copy costs next to nothing, and a step is one compiled call.
"""

try:
    import pyspiel  # noqa: F401
except ImportError as error:
    needed = "OpenSpiel's algorithms need the extra `openspiel`: pip install 'wilddeck[openspiel]', on Python 3.11 or newer"
    raise ImportError(f"{needed} ({error})") from error

from .game import RolloutEvaluator, WilddeckGame, WilddeckState, load_game, register

__all__ = ["RolloutEvaluator", "WilddeckGame", "WilddeckState", "load_game", "register"]
