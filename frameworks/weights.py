"""Torch networks as wilddeck agents: networks trained in other frameworks can play wherever agents play.

from wilddeck.frameworks.weights import agent_of

agent = agent_of(policy)  # an nn.Sequential of Linear and Tanh (or ReLU) whose outputs are logits
wilddeck.agents.learned.save("agent.safetensors", agent, "tennis_v0")
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..agents.learned import LearnedAgent

_ACTIVATIONS = {torch.nn.Tanh: "tanh", torch.nn.ReLU: "relu"}


def agent_of(module: torch.nn.Module, greedy: bool = False, name: str = "learned") -> LearnedAgent:
    """The agent of a policy network.

    Args:
        module: linear layers in the order of their registration, with one activation, tanh or ReLU, between them, from
            observations float32 [M, D] to logits float32 [M, A]: a `torch.nn.Sequential`, also nested.
        greedy: play the likeliest action instead of sampling.
        name: the agent's name.

    Raises:
        ValueError: the module has other parts.
    """
    leaves = [layer for layer in module.modules() if not list(layer.children())]
    linear: list[Any] = leaves[::2]
    between = leaves[1::2]
    kinds = {type(layer) for layer in between}
    usable = len(linear) == len(between) + 1 and all(type(layer) is torch.nn.Linear for layer in linear)
    if not usable or len(kinds) > 1 or not kinds <= _ACTIVATIONS.keys():
        names = ", ".join(type(layer).__name__ for layer in leaves)
        raise ValueError(f"the module must have Linear layers with Tanh or ReLU between them, not {names or 'nothing'}")
    layers = [
        (_array(layer.weight).T, np.zeros(layer.out_features) if layer.bias is None else _array(layer.bias)) for layer in linear
    ]
    return LearnedAgent(layers, _ACTIVATIONS[kinds.pop()] if kinds else "tanh", greedy, name)


def _array(parameter: torch.Tensor) -> np.ndarray:
    return parameter.detach().cpu().numpy()
