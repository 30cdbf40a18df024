"""PettingZoo's module of beggar_my_neighbor_v0."""

from .registry import pettingzoo_module

env, raw_env, parallel_env = pettingzoo_module(__name__)
