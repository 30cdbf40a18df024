"""The gradients of a minibatch on a GPU: the work of `gradient.add_gradients`, done by torch.

Games and Adam steps stay on the CPU. A rollout's entries are sent to the GPU once, the weights for each minibatch; gradients
come back. The GPU sums in another order, so results differ in the last bits.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch

from ..agents.network import RELU, Net, scores_singly
from .collect import Games
from .gradient import STATISTICS, UNTRIED, LossWeights, Minibatch

_COUNTS = ("num_obs", "num_critic_obs", "num_legal")
_COLUMNS = ("action_index", "searched", "log_prob", "advantage", "target")


class Accelerator:
    """Computes gradients on a torch device.

    Args:
        policy, critic: the networks; their weights are one vector, the policy's first.
        device: torch's name of the device.
    """

    def __init__(self, policy: Net, critic: Net, device: str) -> None:
        self._device = torch.device(device)
        self._nets = [(net.sizes.tolist(), net.activation) for net in (policy, critic)]
        self._singly = scores_singly(policy)
        self._own = self._moved(policy.rotations.own)
        self._rotated = [self._moved(net.rotations.inputs.astype(np.int64)) for net in (policy, critic)]
        self._cut = len(policy.weights)

    def hold(self, games: Games) -> None:
        """Move a rollout to the device, after its advantages are computed."""
        self._order = games.order()
        buffer = games.buffer
        decisions = buffer.decisions.reshape(-1)[self._order]
        begin, used = decisions["offset"].astype(np.int64), sum(decisions[name] for name in _COUNTS)
        rows = np.repeat(np.arange(len(games.counts)), games.counts)
        ends = np.zeros(len(games.counts), np.int64)
        np.maximum.at(ends, rows, begin + used)
        begin += (np.cumsum(ends) - ends)[rows]  # rows are concatenated there
        self._index = self._moved(np.concatenate([row[:end] for row, end in zip(buffer.indices, ends, strict=True)]))
        self._value = self._moved(np.concatenate([row[:end] for row, end in zip(buffer.values, ends, strict=True)]))
        counts = {name: decisions[name].astype(np.int64) for name in _COUNTS}
        self._columns = {name: self._moved(column) for name, column in {"offset": begin, **counts}.items()}
        self._columns |= {name: self._moved(decisions[name].copy()) for name in _COLUMNS}

    def add_gradients(
        self,
        minibatch: Minibatch,
        vector: np.ndarray,
        gradient: np.ndarray,
        weights: LossWeights,
    ) -> np.ndarray:
        """Add the gradient of some decisions' loss.

        Args:
            minibatch: decisions of the rollout on the device.
            vector, gradient: float32, the weights of policy and critic, and the gradient to add to.

        Returns:
            float64 [7]: the sums of the statistics.
        """
        places = self._moved(np.searchsorted(self._order, minibatch.order))
        batch = {name: column[places] for name, column in self._columns.items()}
        clip_range, surrogate, ent_coef, teacher_coef, search_weight, temperature, vf_coef = map(float, weights)
        leaf = self._moved(vector).requires_grad_()
        count, number = len(places), int(batch["num_legal"].sum())

        owner, entry = self._entries(batch["offset"] + batch["num_obs"] + batch["num_critic_obs"], batch["num_legal"])
        actions, targets = self._index[entry].long(), self._value[entry]
        rows, rotation, own = torch.arange(count, device=self._device), None, None
        if self._singly:  # a row for each action instead of each decision
            rows, (rotation, own) = owner, self._own[actions].T
        hidden, offset = self._hidden(leaf[: self._cut], 0, batch["offset"][rows], batch["num_obs"][rows], rotation, own)
        inputs, outputs = self._nets[0][0][-2:]
        last, bias = leaf[offset : offset + inputs * outputs].view(outputs, inputs), leaf[offset + inputs * outputs : self._cut]
        scores = hidden @ last[0] + bias[0] if self._singly else (last[actions] * hidden[owner]).sum(1) + bias[actions]

        def summed(values: torch.Tensor) -> torch.Tensor:
            return torch.zeros(count, device=self._device).index_add(0, owner, values)

        highest = torch.full((count,), -torch.inf, device=self._device).scatter_reduce(0, owner, scores.detach(), "amax")
        log_probs = scores - highest[owner]
        log_probs = log_probs - summed(log_probs.exp()).log()[owner]
        searched = batch["searched"] != 0
        tried = searched[owner] & (targets != float(UNTRIED))
        tried_prob = summed(torch.where(tried, log_probs.exp(), 0)).clamp(min=1e-30)  # total probability of tried actions
        entropy = -summed(log_probs.exp() * log_probs)
        cross_entropy = torch.where(searched, -tried_prob.log(), -summed(torch.where(searched[owner], 0, targets * log_probs)))
        middle = summed(torch.where(tried, log_probs, 0)) / summed(tried.float()).clamp(min=1)
        missed = summed(torch.where(tried, temperature * (log_probs - middle[owner]) - targets, 0) ** 2) / (2 * temperature)
        first = torch.cumsum(batch["num_legal"], 0) - batch["num_legal"]
        change = log_probs[first + batch["action_index"]] - batch["log_prob"]
        ratio = change.exp()
        advantage = (batch["advantage"] - float(minibatch.advantage_mean)) / float(minibatch.advantage_std)
        gained = torch.minimum(ratio * advantage, ratio.clamp(1 - clip_range, 1 + clip_range) * advantage)

        seen = batch["num_obs"] + batch["num_critic_obs"]
        if rotation is not None:  # a row for each different rotation of a decision's actions
            rotations = len(self._rotated[1])
            pairs = torch.unique(owner * rotations + rotation)
            rows, rotation = pairs // rotations, pairs % rotations
        critic_hidden, offset = self._hidden(leaf[self._cut :], 1, batch["offset"][rows], seen[rows], rotation, None)
        weight, bias = leaf[self._cut + offset :][: critic_hidden.shape[1] + 1].split([critic_hidden.shape[1], 1])
        value = torch.zeros(count, device=self._device).index_add(0, rows, critic_hidden @ weight + bias)
        error = value / torch.bincount(rows, minlength=count) - batch["target"]
        loss = vf_coef * error**2 - ent_coef * entropy - torch.where(searched, 0, surrogate) * gained
        loss = (loss + teacher_coef * cross_entropy + search_weight * missed).sum()
        (slope,) = torch.autograd.grad(float(minibatch.share) * loss, leaf)
        gradient += slope.cpu().numpy()

        with torch.no_grad():
            best = self._first_of_highest(targets, owner, first, number)
            likeliest = self._first_of_highest(log_probs, owner, first, number)
            statistics = {
                "policy_loss": -gained,
                "value_loss": error**2,
                "entropy": entropy,
                "approx_kl": (ratio - 1) - change,
                "clip_fraction": ((ratio - 1).abs() > clip_range).float(),
                "teacher_cross_entropy": cross_entropy,
                "teacher_accuracy": (best == likeliest).float(),
            }
            return torch.stack([statistics[name].sum(dtype=torch.float64) for name in STATISTICS]).cpu().numpy()

    def _moved(self, array: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(array).to(self._device, copy=True)

    def _entries(self, begin: torch.Tensor, number: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The decision and the position of each entry, for `number` entries per decision from `begin` on."""
        owner = torch.repeat_interleave(torch.arange(len(number), device=self._device), number)
        before = torch.cumsum(number, 0) - number
        return owner, torch.arange(len(owner), device=self._device) - before[owner] + begin[owner]

    def _hidden(
        self,
        vector: torch.Tensor,
        network: int,
        begin: torch.Tensor,
        number: torch.Tensor,
        rotation: torch.Tensor | None,
        own: torch.Tensor | None,
    ) -> tuple[Any, int]:
        """The last hidden layer of a network, and the offset of its output layer in the weights. `rotation` and `own` are those
        of the rows where actions are scored singly."""
        sizes, activation = self._nets[network]
        owner, entry = self._entries(begin, number)
        index = self._index[entry].long()
        if rotation is not None:
            index = self._rotated[network][rotation[owner], index]
        offset, x = 0, None
        for inputs, width in itertools.pairwise(sizes[:-1]):
            weight, bias = (
                vector[offset : offset + inputs * width].view(inputs, width),
                vector[offset + inputs * width :][:width],
            )
            if x is None:
                before = torch.cumsum(number, 0) - number
                x = torch.nn.functional.embedding_bag(index, weight, before, mode="sum", per_sample_weights=self._value[entry])
                x = x if own is None else x + weight[own]
            else:
                x = x @ weight
            x = torch.relu(x + bias) if activation == RELU else torch.tanh(x + bias)
            offset += (inputs + 1) * width
        return x, offset

    def _first_of_highest(self, values: torch.Tensor, owner: torch.Tensor, first: torch.Tensor, number: int) -> torch.Tensor:
        """The index of each decision's highest value, the first among equals."""
        highest = torch.full((len(first),), -torch.inf, device=self._device).scatter_reduce(0, owner, values, "amax")
        place = torch.arange(number, device=self._device)
        candidates = torch.where(values == highest[owner], place, number)
        return torch.full((len(first),), number, device=self._device).scatter_reduce(0, owner, candidates, "amin") - first
