"""The browser application: play against agents and people, watch, and step through replays. `wilddeck serve` starts it.

A browser gets only what its seat may see: a `Scene` and the labels of its own actions, never a record. One view draws all
games.
"""

from typing import TYPE_CHECKING

from ..envs.core.lazy import submodules

if TYPE_CHECKING:
    from . import app as app
    from . import lobby as lobby
    from . import table as table
else:
    __getattr__ = submodules(__name__)
