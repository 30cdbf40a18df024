"""What all games share. Nothing here depends on a particular game."""

from .lazy import submodules

__getattr__ = submodules(__name__)
