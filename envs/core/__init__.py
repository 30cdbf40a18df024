"""What all games share. Core knows no game."""

from .lazy import submodules

__getattr__ = submodules(__name__)
