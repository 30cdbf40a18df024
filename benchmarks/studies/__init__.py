"""Experiments behind single figures of the docs. They run from a checkout and are not installed."""

from ...envs.core.lazy import submodules

__getattr__ = submodules(__name__)
