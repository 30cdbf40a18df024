"""Drawing of any game, derived from its zones, its description and the player to move. Games contain no drawing code.

`ansi(env)` returns a text table, `svg_picture(env)` an SVG picture; `Screen(mode).draw(env)` draws in a window or into an
array, with pygame-ce (the extra `ui`). The names of zones give their seats: `hand/2` and `defence/1/3` belong to seats 2 and 1;
all others lie in the middle.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .scene import Scene
from .text import ansi
from .vector import svg_picture

if TYPE_CHECKING:
    from .screen import Screen as Screen

__all__ = ["Scene", "Screen", "ansi", "svg_picture"]


def __getattr__(name: str) -> Any:
    if name != "Screen":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        pygame = importlib.import_module("pygame")
    except ModuleNotFoundError:
        raise ImportError("drawing cards needs pygame-ce: pip install wilddeck[ui]") from None
    if not getattr(pygame, "IS_CE", False):
        raise ImportError("drawing cards needs pygame-ce instead of pygame: pip uninstall pygame, pip install wilddeck[ui]")
    from .screen import Screen

    return Screen
