"""Adapters for other frameworks: a module each, which needs that framework and nothing of the others (extra `frameworks`; the
Model Context Protocol has one of its own, `mcp`).

Nothing else of the suite imports them but the command `wilddeck mcp`. docs/guides/frameworks.md and, for language models,
docs/guides/llm_environments.md show each in use.
"""

from ..envs.core.lazy import submodules

__getattr__ = submodules(__name__)
