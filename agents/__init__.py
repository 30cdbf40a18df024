"""Agents: random, rule-based, search, learned, bots in other processes, and your own. `make` makes one from an agent string:

    import wilddeck.agents
    agent = wilddeck.agents.make("rules", "tennis_v0", {"num_players": 4})
    agent = wilddeck.agents.make("my_module:make", "tennis_v0")  # my_module.make(game, options) returns an Agent

`kinds()` lists the agent strings. See `wilddeck.agents.base` for the protocol, `.play` for games and evaluations between
agents, `.judge` for the value of single decisions.
"""

from typing import TYPE_CHECKING

from ..envs.core.lazy import submodules
from .specs import available, by_name, kind_of, kinds, make, module_file, runs_code, text_of

if TYPE_CHECKING:
    from . import base as base
    from . import judge as judge
    from . import learned as learned
    from . import play as play
    from . import rules as rules
    from . import search as search
    from . import trained as trained
else:
    __getattr__ = submodules(__name__)

__all__ = ["available", "by_name", "kind_of", "kinds", "make", "module_file", "runs_code", "text_of"]
