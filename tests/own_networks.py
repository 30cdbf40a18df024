"""Networks and learners of one's own, to test with."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from wilddeck.agents.modules import Shapes
from wilddeck.training.ppo import PPO
from wilddeck.training.torch_ppo import Minibatch, TorchPPO


class Plain(nn.Module):
    """Sees the observation alone."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(shapes.observation_size, 32), nn.ReLU())
        self.logits, self.value = nn.Linear(32, shapes.num_actions), nn.Linear(32, 1)
        nn.init.orthogonal_(self.logits.weight, 0.01)
        self.unused = nn.Parameter(torch.zeros(3))  # which has no gradient

    def forward(
        self, observation: torch.Tensor, action_mask: torch.Tensor, history: torch.Tensor, history_length: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        assert action_mask.dtype == torch.bool and history.dtype == history_length.dtype == torch.int64
        units = self.trunk(observation)
        return self.logits(units), self.value(units)[:, 0]


class Remembers(nn.Module):
    """Sees nothing but the history: sums of embedded cards and kinds."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        self.kinds, self.cards = nn.Embedding(shapes.token_sizes["kind"], 16), nn.Embedding(shapes.token_sizes["card"], 16)
        self.logits, self.value = nn.Linear(16, shapes.num_actions), nn.Linear(16, 1)

    def forward(
        self, observation: Any, action_mask: Any, history: Any, history_length: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        units = (self.kinds(history[:, :, 0]) * self.cards(history[:, :, 2])).sum(dim=1)
        return self.logits(units), self.value(units)[:, 0]


class WrongShapes(Plain):
    def forward(self, *seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits, value = super().forward(*seen)
        return logits[:, 1:], value


def no_module(shapes: Shapes) -> dict[str, int]:
    return {}


class Timid(TorchPPO):
    """Another loss: entropy alone, so that it ends near random play."""

    def loss(self, batch: Minibatch, logits: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, dict[str, float]]:
        _, statistics = super().loss(batch, logits, values)
        log_probs = logits.log_softmax(dim=1).masked_fill(~batch.seen[1], 0.0)
        return (log_probs.exp() * batch.seen[1] * log_probs).sum(dim=1).mean(), statistics


class Counting(PPO):
    """A learner of one's own that is no torch: the compiled one, with a column more."""

    columns = (*PPO.columns, "updates_so_far")
    algorithm = "PPO that counts"

    def measures(self) -> dict[str, Any]:
        return {**super().measures(), "updates_so_far": self.updates}
