"""Adapters for other frameworks, one module each. A module needs only its own framework (extra `frameworks`; for the Model
Context Protocol the extra `mcp`).

Only the command `wilddeck mcp` imports them. docs/guides/frameworks.md and, for language models,
docs/guides/llm_environments.md show how to use each.
"""

from ..envs.core.lazy import submodules

__getattr__ = submodules(__name__)
