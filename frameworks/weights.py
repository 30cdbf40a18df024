"""Networks of torch as the suite's own weights, so that what a framework has trained plays wherever agents play.

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
    """The agent that plays by a network.

    Args:
        module: linear layers in the order in which they are registered, the same activation, tanh or ReLU, between each two,
            from observations float32 [M, D] to logits float32 [M, A]. `torch.nn.Sequential`, or what is made of it.
        greedy: play the likeliest action instead of sampling.
        name: shown in tables.

    Raises:
        ValueError: the module holds anything else.
    """
    leaves = [each for each in module.modules() if not list(each.children())]
    linear: list[Any] = leaves[::2]
    between = leaves[1::2]
    kinds = {type(each) for each in between}
    usable = len(linear) == len(between) + 1 and all(type(each) is torch.nn.Linear for each in linear)
    if not usable or len(kinds) > 1 or not kinds <= _ACTIVATIONS.keys():
        found = ", ".join(type(each).__name__ for each in leaves)
        raise ValueError(f"weights are of Linear layers with Tanh or ReLU between each two, not of {found or 'nothing'}")
    layers = [
        (_array(each.weight).T, np.zeros(each.out_features) if each.bias is None else _array(each.bias)) for each in linear
    ]
    return LearnedAgent(layers, _ACTIVATIONS[kinds.pop()] if kinds else "tanh", greedy, name)


def _array(parameter: torch.Tensor) -> np.ndarray:
    return parameter.detach().cpu().numpy()
