"""The games as OpenSpiel games, for its search, solvers and learners (extra `openspiel`).

    from wilddeck.frameworks import openspiel

    game = openspiel.load_game("tennis_v0", num_players=2)     # or pyspiel.load_game("wilddeck_tennis_v0(num_players=2)")
    state = game.new_initial_state()

Importing this module registers all games with OpenSpiel. See docs/guides/openspiel.md.

All chance nodes come first: they draw the deal, and with it all shuffles and random events of the episode. This is the same
game, because players observe chance only when the rules reveal it. By default four nodes draw one byte each of the deal's
number k; the state is then that of `env.reset(seed=k)`.

A state has an immutable `Moment`: copies are almost free, and a step is one compiled call.
"""

try:
    import pyspiel  # noqa: F401
except ImportError as error:
    needed = "OpenSpiel's algorithms need the extra `openspiel`: pip install 'wilddeck[openspiel]', on Python 3.11 or newer"
    raise ImportError(f"{needed} ({error})") from error

from .game import RolloutEvaluator, WilddeckGame, WilddeckState, load_game, register

__all__ = ["RolloutEvaluator", "WilddeckGame", "WilddeckState", "load_game", "register"]
