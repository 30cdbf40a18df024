"""Measurements behind single sentences of the pages: run from a checkout, no part of what is installed."""

from ...envs.core.lazy import submodules

__getattr__ = submodules(__name__)
