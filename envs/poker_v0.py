"""PettingZoo's module of poker_v0."""

from .registry import pettingzoo_module

env, raw_env, parallel_env = pettingzoo_module(__name__)
