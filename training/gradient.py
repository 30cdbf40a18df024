"""Compiled learning: a network's forward and backward pass over one decision at a time, the loss of PPO, and Adam.

Of an observation few entries are not zero, and of the actions few are legal. On a processor, code that touches only those beats
a matrix library in every game. A network is one float32 vector as in `agents.network`, here with its sizes and its activation
as one tuple, `(weights, sizes, activation)`; the critic is a network with one output.

A decision is a record (`DECISION`), and its entries stand one after another in two arrays, indices and values, from `at` on:
what its seat sees (`seen`: places in the observation, and what stands there), what only the critic is shown (`more`: the same,
counted on), and the legal actions (`choices`: actions, and how likely a teacher plays each).
"""

from __future__ import annotations

import math

import numpy as np

from ..agents.network import RELU, tanh
from ..envs.core.kernel import arithmetic

DECISION = np.dtype(
    [
        ("at", "i8"),
        ("seat", "i4"),
        ("seen", "i4"),
        ("more", "i4"),
        ("choices", "i4"),
        ("choice", "i4"),  # what was played: its place among the choices
        ("searched", "i4"),  # 1: the teacher's likelihoods are those of a search
        ("next", "i4"),  # the same seat's next decision, -1: none
        ("likelihood", "f4"),  # the logarithm of how likely it was
        ("value", "f4"),  # by the critic
        ("reward", "f4"),  # from here to the seat's next decision, or to the end
        ("advantage", "f4"),
        ("target", "f4"),  # for the critic
    ],
    align=True,
)

Net = tuple[np.ndarray, np.ndarray, int]
STATISTICS = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "distance", "agreement")
_ZERO, _ONE = np.float32(0), np.float32(1)
_HALF = np.float32(0.5)


# --- a network ---


@arithmetic
def add_rows(index, value, count, weights, at, width, out):
    """out += the sum over k of value[k] times row index[k], of the rows of `width` weights that begin at `at`."""
    k = 0
    while k + 4 <= count:  # four at once: a quarter of the reads and writes of `out`
        x0, x1, x2, x3 = value[k], value[k + 1], value[k + 2], value[k + 3]
        w0 = weights[at + index[k] * width :]
        w1 = weights[at + index[k + 1] * width :]
        w2 = weights[at + index[k + 2] * width :]
        w3 = weights[at + index[k + 3] * width :]
        for j in range(width):
            out[j] += (x0 * w0[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j])
        k += 4
    while k < count:
        x0 = value[k]
        w0 = weights[at + index[k] * width :]
        for j in range(width):
            out[j] += x0 * w0[j]
        k += 1


@arithmetic
def forward(net, index, value, count, scratch):
    """The hidden layers, left in the scratch; returns where in the weights the last layer begins."""
    weights, sizes, activation = net
    outputs_of, places_of, values_of, counts = scratch[0], scratch[1], scratch[2], scratch[3]
    at = np.int64(0)
    last = sizes.shape[0] - 3
    for layer in range(last + 1):
        inputs, width = sizes[layer], sizes[layer + 1]
        out, places, values = outputs_of[layer], places_of[layer], values_of[layer]
        bias = weights[at + inputs * width :]
        for j in range(width):
            out[j] = bias[j]
        if layer == 0:
            add_rows(index, value, count, weights, at, width, out)
        else:
            add_rows(places_of[layer - 1], values_of[layer - 1], counts[layer - 1], weights, at, width, out)
        if activation == RELU:
            for j in range(width):
                out[j] = out[j] if out[j] > _ZERO else _ZERO
            kept = 0
            for j in range(width if layer < last else 0):  # apart from the loop before, which is done on many numbers at once
                places[kept] = j
                values[kept] = out[j]
                kept += np.int64(out[j] > _ZERO)
            counts[layer] = kept
        else:
            for j in range(width):
                out[j] = tanh(out[j])
                places[j] = j
                values[j] = out[j]
            counts[layer] = width
        at += (inputs + 1) * width
    return at


@arithmetic
def output(net, at, row, scratch):
    """One output of a network after `forward`."""
    weights, sizes = net[0], net[1]
    last = sizes.shape[0] - 2
    inputs = sizes[last]
    x = scratch[0][last - 1]
    w = weights[at + row * inputs :]
    total = weights[at + inputs * sizes[last + 1] + row]
    for j in range(inputs):
        total += w[j] * x[j]
    return total


@arithmetic
def add_output(net, gradient, at, row, amount, scratch):
    """One output's share of the loss, `amount` for each unit: into the gradient and on towards the hidden layers."""
    weights, sizes = net[0], net[1]
    last = sizes.shape[0] - 2
    inputs = sizes[last]
    x, delta = scratch[0][last - 1], scratch[4][0]
    w, g = weights[at + row * inputs :], gradient[at + row * inputs :]
    gradient[at + inputs * sizes[last + 1] + row] += amount
    for j in range(inputs):
        delta[j] += amount * w[j]
        g[j] += amount * x[j]


@arithmetic
def backward(net, gradient, at, index, value, count, scratch):
    """What `add_output` left goes back through the hidden layers into the gradient. `at`: as `forward` returned it."""
    weights, sizes, activation = net
    outputs_of, places_of, values_of, counts = scratch[0], scratch[1], scratch[2], scratch[3]
    delta, below = scratch[4][0], scratch[4][1]
    for layer in range(sizes.shape[0] - 3, -1, -1):
        inputs, width = sizes[layer], sizes[layer + 1]
        at -= (inputs + 1) * width
        out = outputs_of[layer]
        if activation == RELU:
            for j in range(width):
                delta[j] = delta[j] if out[j] > _ZERO else _ZERO
        else:
            for j in range(width):
                delta[j] *= _ONE - out[j] * out[j]
        bias = gradient[at + inputs * width :]
        for j in range(width):
            bias[j] += delta[j]
        if layer == 0:
            for k in range(count):
                x = value[k]
                g = gradient[at + index[k] * width :]
                for j in range(width):
                    g[j] += x * delta[j]
        else:
            places, values = places_of[layer - 1], values_of[layer - 1]
            for j in range(inputs):
                below[j] = _ZERO
            for k in range(counts[layer - 1]):
                x = values[k]
                w, g = weights[at + places[k] * width :], gradient[at + places[k] * width :]
                total = _ZERO
                for j in range(width):
                    total += w[j] * delta[j]
                    g[j] += x * delta[j]
                below[places[k]] = total
            for j in range(inputs):
                delta[j] = below[j]


@arithmetic
def likelihoods(net, at, actions, count, scratch):
    """The logarithms of how likely each of these actions is, into the scratch, and the likelihoods beside them."""
    logs, chances = scratch[5][0], scratch[5][1]
    highest = np.float32(-np.inf)
    for k in range(count):
        logs[k] = output(net, at, np.int64(actions[k]), scratch)
        highest = max(highest, logs[k])
    total = _ZERO
    for k in range(count):
        chances[k] = np.float32(math.exp(logs[k] - highest))
        total += chances[k]
    base = highest + np.float32(math.log(total))
    for k in range(count):
        logs[k] -= base
        chances[k] = np.true_divide(chances[k], total)


def scratch(*nets: Net) -> tuple[np.ndarray, ...]:
    """Working memory for one thread that uses these networks."""
    layers = max(len(sizes) for _, sizes, _ in nets)
    hidden = max(int(sizes[1:-1].max()) for _, sizes, _ in nets)
    actions = max(int(sizes[-1]) for _, sizes, _ in nets)
    return (
        np.zeros((layers, hidden), np.float32),
        np.zeros((layers, hidden), np.int32),
        np.zeros((layers, hidden), np.float32),
        np.zeros(layers, np.int64),
        np.zeros((2, hidden), np.float32),
        np.zeros((2, actions), np.float32),
    )


# --- learning ---


@arithmetic
def advantages(decisions, count, gamma, gae_lambda):
    """Generalised advantages of a row's decisions and what the critic should have said, along each seat's own decisions in
    whole games: after a seat's last decision nothing is to come."""
    for k in range(count - 1, -1, -1):
        this = decisions[k]
        found = this.reward - this.value
        if this.next >= 0:
            later = decisions[this.next]
            found += gamma * (later.value + gae_lambda * later.advantage)
        this.advantage = found
        this.target = found + this.value


@arithmetic
def add_gradients(
    order, decisions, indices, values, policy, critic, policy_gradient, critic_gradient,
    share, mean, spread, clip, surrogate, entropy_weight, teacher_weight, search_weight, value_weight, scratch, statistics,
):  # fmt: skip
    """Add the gradients of some decisions' loss, each times `share`.

    Args:
        order: int64, row * decisions a row + place.
        mean, spread: of the advantages in the minibatch.
        surrogate: 1 for PPO's clipped objective; 0 leaves it out.
        entropy_weight, teacher_weight, value_weight: of the entropy, of the cross-entropy from the teacher to the policy, of
            the critic's squared error.
        search_weight: of the cross-entropy where the teacher is a search; there it stands for `surrogate` and `teacher_weight`.
        statistics: float64 [7], to which each decision adds (`STATISTICS`).
    """
    logs, chances, delta = scratch[5][0], scratch[5][1], scratch[4][0]
    places = decisions.shape[1]
    for n in range(order.shape[0]):
        row = order[n] // places
        this = decisions[row, order[n] % places]
        begin = this.at
        seen, more, count, choice = np.int64(this.seen), np.int64(this.more), np.int64(this.choices), np.int64(this.choice)
        index, value = indices[row, begin:], values[row, begin:]
        actions, taught = indices[row, begin + seen + more :], values[row, begin + seen + more :]

        at = forward(policy, index, value, seen, scratch)
        likelihoods(policy, at, actions, count, scratch)
        advantage = (this.advantage - mean) / spread
        ratio = np.float32(math.exp(logs[choice] - this.likelihood))
        clipped = ratio > _ONE + clip if advantage > _ZERO else ratio < _ONE - clip
        push = _ZERO if clipped or this.searched else surrogate * ratio * advantage
        taught_weight = search_weight if this.searched else teacher_weight
        entropy, known, distance, best, likeliest = _ZERO, _ZERO, _ZERO, 0, 0
        for k in range(count):
            entropy -= chances[k] * logs[k]
            known += taught[k]
            distance -= taught[k] * logs[k]
            best = k if taught[k] > taught[best] else best
            likeliest = k if logs[k] > logs[likeliest] else likeliest
        for j in range(delta.shape[0]):
            delta[j] = _ZERO
        for k in range(count):
            amount = push * chances[k] + entropy_weight * chances[k] * (logs[k] + entropy)
            amount += taught_weight * (known * chances[k] - taught[k])
            if k == choice:
                amount -= push
            add_output(policy, policy_gradient, at, np.int64(actions[k]), share * amount, scratch)
        backward(policy, policy_gradient, at, index, value, seen, scratch)

        at = forward(critic, index, value, seen + more, scratch)
        off = output(critic, at, np.int64(0), scratch) - this.target
        for j in range(delta.shape[0]):
            delta[j] = _ZERO
        add_output(critic, critic_gradient, at, np.int64(0), share * value_weight * (off + off), scratch)
        backward(critic, critic_gradient, at, index, value, seen + more, scratch)

        bounded = min(max(ratio, _ONE - clip), _ONE + clip)
        statistics[0] -= min(ratio * advantage, bounded * advantage)
        statistics[1] += off * off
        statistics[2] += entropy
        statistics[3] += (ratio - _ONE) - (logs[choice] - this.likelihood)
        statistics[4] += abs(ratio - _ONE) > clip
        statistics[5] += distance
        statistics[6] += best == likeliest


@arithmetic
def gather(gradients, first, end):
    """Add up the shards' gradients of some weights in the first of them; returns the sum of the squares."""
    total = 0.0
    for shard in range(1, gradients.shape[0]):
        for k in range(first, end):
            gradients[0, k] += gradients[shard, k]
            gradients[shard, k] = _ZERO
    for k in range(first, end):
        total += np.float64(gradients[0, k]) * np.float64(gradients[0, k])
    return total


@arithmetic
def adam(weights, gradients, first_moment, second_moment, first, end, scale, rate, correction):
    """Adam's step of some weights by the gathered gradient times `scale`, which is cleared. `rate` and `correction` hold the
    corrections of the moments."""
    for k in range(first, end):
        g = gradients[0, k] * scale
        gradients[0, k] = _ZERO
        m = first_moment[k] + _TENTH * (g - first_moment[k])
        v = second_moment[k] + _THOUSANDTH * (g * g - second_moment[k])
        first_moment[k] = m
        second_moment[k] = v
        weights[k] -= np.true_divide(rate * m, np.sqrt(v) * correction + _EPSILON)


_TENTH, _THOUSANDTH, _EPSILON = np.float32(0.1), np.float32(0.001), np.float32(1e-5)
