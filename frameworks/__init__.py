"""Doors to other frameworks: a module each, which needs that framework and nothing of the others (extra `frameworks`).

Nothing else of the suite imports them. docs/guides/frameworks.md shows each in use.
"""

from typing import TYPE_CHECKING

from ..envs.core.lazy import submodules

if TYPE_CHECKING:
    from . import torchrl as torchrl
else:
    __getattr__ = submodules(__name__)
