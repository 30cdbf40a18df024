"""The gradients of a minibatch on a GPU: what `gradient.add_gradients` does, by torch, over the same decisions.

Games are played and Adam's steps are taken on the processor in any case; what goes to the GPU is a rollout's entries, once, and
the weights, and what comes back is their gradient. Sums are added up in another order there, so results differ in their last
bits.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch

from ..agents.network import RELU
from .collect import Games
from .gradient import STATISTICS, UNTRIED, Net

_COLUMNS = ("choice", "searched", "likelihood", "advantage", "target")


class Accelerator:
    """Computes gradients on a device of torch.

    Args:
        policy, critic: networks whose weights are one vector, the policy's first.
        device: torch's name of it.
    """

    def __init__(self, policy: Net, critic: Net, device: str) -> None:
        self._device = torch.device(device)
        self._nets = [(sizes.tolist(), activation) for _, sizes, activation in (policy, critic)]
        self._cut = len(policy[0])

    def hold(self, games: Games) -> None:
        """Move a rollout to the device; its advantages must have been found."""
        self._order = games.order()
        made = games.decisions.reshape(-1)[self._order]
        begin, used = made["at"].astype(np.int64), made["seen"] + made["more"] + made["choices"]
        rows = np.repeat(np.arange(len(games.counts)), games.counts)
        ends = np.zeros(len(games.counts), np.int64)
        np.maximum.at(ends, rows, begin + used)
        begin += (np.cumsum(ends) - ends)[rows]  # rows stand one behind the other there
        self._index = self._moved(np.concatenate([row[:end] for row, end in zip(games.indices, ends, strict=True)]))
        self._value = self._moved(np.concatenate([row[:end] for row, end in zip(games.values, ends, strict=True)]))
        counts = {name: made[name].astype(np.int64) for name in ("seen", "more", "choices")}
        self._columns = {name: self._moved(each) for name, each in {"begin": begin, **counts}.items()}
        self._columns |= {name: self._moved(made[name].copy()) for name in _COLUMNS}

    def add_gradients(
        self,
        order: np.ndarray,
        vector: np.ndarray,
        gradients: np.ndarray,
        moments: tuple[np.float32, np.float32, np.float32],
        weights: list[np.float32],
    ) -> np.ndarray:
        """Add the gradient of some decisions' loss.

        Args:
            order: of the rollout that is held, as `Games.order` counts.
            vector, gradients: float32, the weights of policy and critic, and what is added to.
            moments, weights: share, mean and spread; the clip range and the weights of the loss, as
                `gradient.add_gradients` takes them.

        Returns:
            float64 [7]: the statistics' sums.
        """
        places = self._moved(np.searchsorted(self._order, order))
        this = {name: column[places] for name, column in self._columns.items()}
        share, mean, spread = map(float, moments)
        clip, surrogate, entropy_weight, teacher_weight, search_weight, temperature, vf_coef = map(float, weights)
        leaf = self._moved(vector).requires_grad_()
        count, number = len(order), int(this["choices"].sum())

        hidden, at = self._hidden(leaf[: self._cut], 0, this["begin"], this["seen"])
        owner, entry = self._entries(this["begin"] + this["seen"] + this["more"], this["choices"])
        actions, taught = self._index[entry].long(), self._value[entry]
        inputs, outputs = self._nets[0][0][-2:]
        last = leaf[at : at + inputs * outputs].view(outputs, inputs)
        scores = (last[actions] * hidden[owner]).sum(1) + leaf[at + inputs * outputs : self._cut][actions]

        def summed(values: torch.Tensor) -> torch.Tensor:
            return torch.zeros(count, device=self._device).index_add(0, owner, values)

        highest = torch.full((count,), -torch.inf, device=self._device).scatter_reduce(0, owner, scores.detach(), "amax")
        logs = scores - highest[owner]
        logs = logs - summed(logs.exp()).log()[owner]
        searched = this["searched"] != 0
        tried = searched[owner] & (taught != float(UNTRIED))
        held = summed(torch.where(tried, logs.exp(), 0)).clamp(min=1e-30)  # how likely one of those is that were tried
        entropy = -summed(logs.exp() * logs)
        distance = torch.where(searched, -held.log(), -summed(torch.where(searched[owner], 0, taught * logs)))
        middle = summed(torch.where(tried, logs, 0)) / summed(tried.float()).clamp(min=1)
        missed = summed(torch.where(tried, temperature * (logs - middle[owner]) - taught, 0) ** 2) / (2 * temperature)
        first = torch.cumsum(this["choices"], 0) - this["choices"]
        change = logs[first + this["choice"]] - this["likelihood"]
        ratio, advantage = change.exp(), (this["advantage"] - mean) / spread
        gained = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)

        shown, at = self._hidden(leaf[self._cut :], 1, this["begin"], this["seen"] + this["more"])
        weight, bias = leaf[self._cut + at :][: shown.shape[1] + 1].split([shown.shape[1], 1])
        off = shown @ weight + bias - this["target"]
        loss = vf_coef * off**2 - entropy_weight * entropy - torch.where(searched, 0, surrogate) * gained
        loss = (loss + teacher_weight * distance + search_weight * missed).sum()
        (found,) = torch.autograd.grad(share * loss, leaf)
        gradients += found.cpu().numpy()

        with torch.no_grad():
            best = self._first_of_highest(taught, owner, first, number)
            likeliest = self._first_of_highest(logs, owner, first, number)
            told = {
                "policy_loss": -gained,
                "value_loss": off**2,
                "entropy": entropy,
                "approx_kl": (ratio - 1) - change,
                "clip_fraction": ((ratio - 1).abs() > clip).float(),
                "teacher_cross_entropy": distance,
                "teacher_accuracy": (best == likeliest).float(),
            }
            return torch.stack([told[name].sum(dtype=torch.float64) for name in STATISTICS]).cpu().numpy()

    def _moved(self, array: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(array).to(self._device, copy=True)

    def _entries(self, begin: torch.Tensor, number: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Of `number` entries of each decision from `begin` on: whose they are, and where they stand."""
        owner = torch.repeat_interleave(torch.arange(len(number), device=self._device), number)
        before = torch.cumsum(number, 0) - number
        return owner, torch.arange(len(owner), device=self._device) - before[owner] + begin[owner]

    def _hidden(self, vector: torch.Tensor, which: int, begin: torch.Tensor, number: torch.Tensor) -> tuple[Any, int]:
        """The last hidden layer of a network, and where in its weights the last layer begins."""
        sizes, activation = self._nets[which]
        _, entry = self._entries(begin, number)
        at, x = 0, None
        for inputs, width in itertools.pairwise(sizes[:-1]):
            weight, bias = vector[at : at + inputs * width].view(inputs, width), vector[at + inputs * width :][:width]
            if x is None:
                before = torch.cumsum(number, 0) - number
                x = torch.nn.functional.embedding_bag(
                    self._index[entry].long(), weight, before, mode="sum", per_sample_weights=self._value[entry]
                )
            else:
                x = x @ weight
            x = torch.relu(x + bias) if activation == RELU else torch.tanh(x + bias)
            at += (inputs + 1) * width
        return x, at

    def _first_of_highest(self, values: torch.Tensor, owner: torch.Tensor, first: torch.Tensor, number: int) -> torch.Tensor:
        """Of each decision the place of the highest of its values, of equal ones the first."""
        highest = torch.full((len(first),), -torch.inf, device=self._device).scatter_reduce(0, owner, values, "amax")
        place = torch.arange(number, device=self._device)
        candidates = torch.where(values == highest[owner], place, number)
        return torch.full((len(first),), number, device=self._device).scatter_reduce(0, owner, candidates, "amin") - first
