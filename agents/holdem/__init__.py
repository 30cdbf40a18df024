"""Hold'em for two, solved: hands and their buckets (`hands`), an approximate equilibrium (`regrets`), and the agent that solves
the rest of the hand again at the table (`resolving`)."""

from ...envs.core.lazy import submodules

__getattr__ = submodules(__name__)
