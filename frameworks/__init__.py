"""Adapters for other frameworks: a module each, which needs that framework and nothing of the others (extra `frameworks`).

Nothing else of the suite imports them. docs/guides/frameworks.md shows each in use.
"""

from ..envs.core.lazy import submodules

__getattr__ = submodules(__name__)
