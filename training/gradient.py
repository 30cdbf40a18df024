"""Compiled learning: a network's forward and backward pass over blocks of decisions, the loss of PPO, and Adam.

Of an observation few entries are not zero, and of the actions few are legal. On a processor, code that touches only those beats
a matrix library in every game. A network is one float32 vector as in `agents.network`, here with its sizes and its activation
as one tuple, `(weights, sizes, activation)`; the critic is a network with one output.

A decision is a record (`DECISION`), and its entries stand one after another in two arrays, indices and values, from `at` on:
what its seat sees (`seen`: places in the observation, and what stands there), what only the critic is shown (`more`: the same,
counted on), and the legal actions (`choices`: actions, and how likely a teacher plays each, or what a search found).
"""

from __future__ import annotations

import math

import numpy as np

from ..agents.network import RELU, tanh
from ..envs.core.jit import arithmetic

DECISION = np.dtype(
    [
        ("at", "i8"),
        ("seat", "i4"),
        ("seen", "i4"),
        ("more", "i4"),
        ("choices", "i4"),
        ("choice", "i4"),  # what was played: its place among the choices
        ("searched", "i4"),  # 1: what a search found of the choices stands in place of a teacher's likelihoods
        ("next", "i4"),  # the same seat's next decision, -1: none
        ("likelihood", "f4"),  # the logarithm of how likely it was
        ("value", "f4"),  # by the critic
        ("reward", "f4"),  # from here to the seat's next decision, or to the end
        ("advantage", "f4"),
        ("target", "f4"),  # for the critic
    ],
    align=True,
)

UNTRIED = np.float32(-1e30)  # stands for what a search would have found of an action that it did not try

Net = tuple[np.ndarray, np.ndarray, int]
STATISTICS = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "teacher_cross_entropy", "teacher_accuracy")
_ZERO, _ONE, _LEAST = np.float32(0), np.float32(1), np.float32(1e-30)
_NOTHING, _MORE = np.int64(0), np.int64(1)
BLOCK, TILE = 16, 32  # decisions, and inputs of a layer, that are worked on together, their weights in the nearest cache
_LINE = 16  # numbers in a line of the cache


# --- a network ---


@arithmetic
def add_rows(index, value, k, end, weights, at, width, out):
    """out += the sum over the places k..end-1 of value[k] times row index[k], of the rows of `width` weights from `at` on."""
    while k + 4 <= end:  # four at once: a quarter of the reads and writes of `out`
        x0, x1, x2, x3 = value[k], value[k + 1], value[k + 2], value[k + 3]
        w0 = weights[at + index[k] * width :]
        w1 = weights[at + index[k + 1] * width :]
        w2 = weights[at + index[k + 2] * width :]
        w3 = weights[at + index[k + 3] * width :]
        for j in range(width):
            out[j] += (x0 * w0[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j])
        k += 4
    while k < end:
        x0 = value[k]
        w0 = weights[at + index[k] * width :]
        for j in range(width):
            out[j] += x0 * w0[j]
        k += 1


@arithmetic
def activate(layer, d, width, activation, listed, scratch):
    """Turn what a layer's units of a decision are given into what they give; if `listed`, note those that give something."""
    out = scratch[0][layer, d]
    if activation == RELU:
        for j in range(width):
            out[j] = out[j] if out[j] > _ZERO else _ZERO
    else:
        for j in range(width):
            out[j] = tanh(out[j])
    if listed:  # apart from the loop before, which is done on many numbers at once
        places, values, edges = scratch[1][layer, d], scratch[2][layer, d], scratch[3][layer, d]
        kept = 0
        for first in range(0, width, TILE):
            edges[first // TILE] = kept
            for j in range(first, min(first + TILE, width)):
                places[kept] = j
                values[kept] = out[j]
                kept += np.int64(out[j] != _ZERO)
        edges[(width + TILE - 1) // TILE] = kept


@arithmetic
def first_layer(net, index, value, count, d, scratch):
    """The first hidden layer of a decision, left in the scratch."""
    weights, sizes, activation = net
    width, out = sizes[1], scratch[0][0, d]
    bias = weights[sizes[0] * width :]
    for j in range(width):
        out[j] = bias[j]
    add_rows(index, value, 0, count, weights, 0, width, out)
    activate(0, d, width, activation, sizes.shape[0] > 3, scratch)


@arithmetic
def hidden_layers(net, block, scratch):
    """The other hidden layers of a block of decisions, left in the scratch; returns where in the weights the last layer begins.

    Some inputs after another are worked on for the whole block, so that their weights stay in the nearest cache.
    """
    weights, sizes, activation = net
    at = (sizes[0] + 1) * sizes[1]
    last = sizes.shape[0] - 3
    for layer in range(1, last + 1):
        inputs, width = sizes[layer], sizes[layer + 1]
        bias = weights[at + inputs * width :]
        for d in range(block):
            out = scratch[0][layer, d]
            for j in range(width):
                out[j] = bias[j]
        tiles = (inputs + TILE - 1) // TILE
        step = tiles if block == 1 else 1
        for tile in range(0, tiles, step):
            for d in range(block):
                places, values, edges = scratch[1][layer - 1, d], scratch[2][layer - 1, d], scratch[3][layer - 1, d]
                add_rows(places, values, edges[tile], edges[tile + step], weights, at, width, scratch[0][layer, d])
        for d in range(block):
            activate(layer, d, width, activation, layer < last, scratch)
        at += (inputs + 1) * width
    return at


@arithmetic
def forward(net, index, value, count, scratch):
    """All hidden layers of a single decision; returns as `hidden_layers`."""
    first_layer(net, index, value, count, 0, scratch)
    return hidden_layers(net, 1, scratch)


@arithmetic
def output(net, at, row, d, scratch):
    """One output of a network after `hidden_layers`."""
    weights, sizes = net[0], net[1]
    last = sizes.shape[0] - 2
    inputs = sizes[last]
    x = scratch[0][last - 1, d]
    w = weights[at + row * inputs :]
    total = weights[at + inputs * sizes[last + 1] + row]
    for j in range(inputs):
        total += w[j] * x[j]
    return total


@arithmetic
def add_output(net, gradient, at, row, amount, d, scratch):
    """One output's share of the loss, `amount` for each unit: into the gradient and on towards the hidden layers."""
    weights, sizes = net[0], net[1]
    last = sizes.shape[0] - 2
    inputs = sizes[last]
    x, delta = scratch[0][last - 1, d], scratch[4][0, d]
    w, g = weights[at + row * inputs :], gradient[at + row * inputs :]
    gradient[at + inputs * sizes[last + 1] + row] += amount
    for j in range(inputs):
        delta[j] += amount * w[j]
        g[j] += amount * x[j]


@arithmetic
def slope(layer, d, width, activation, bias, scratch):
    """What comes back to a layer's units goes through the activation, and into the gradient of the biases."""
    out, delta = scratch[0][layer, d], scratch[4][0, d]
    if activation == RELU:
        for j in range(width):
            delta[j] = delta[j] if out[j] > _ZERO else _ZERO
    else:
        for j in range(width):
            delta[j] *= _ONE - out[j] * out[j]
    for j in range(width):
        bias[j] += delta[j]


@arithmetic
def back_rows(index, value, k, end, weights, gradient, at, width, delta, below):
    """What comes back to a layer goes through the rows of its weights as in `add_rows`: on to the inputs, and into the rows of
    the gradient."""
    while k + 2 <= end:  # two at once
        x0, x1 = value[k], value[k + 1]
        first, second = at + index[k] * width, at + index[k + 1] * width
        w0, g0, w1, g1 = weights[first:], gradient[first:], weights[second:], gradient[second:]
        total0, total1 = _ZERO, _ZERO
        for j in range(width):
            total0 += w0[j] * delta[j]
            total1 += w1[j] * delta[j]
            g0[j] += x0 * delta[j]
            g1[j] += x1 * delta[j]
        below[index[k]], below[index[k + 1]] = total0, total1
        k += 2
    while k < end:
        x0, first = value[k], at + index[k] * width
        w0, g0 = weights[first:], gradient[first:]
        total0 = _ZERO
        for j in range(width):
            total0 += w0[j] * delta[j]
            g0[j] += x0 * delta[j]
        below[index[k]] = total0
        k += 1


@arithmetic
def backward(net, gradient, at, block, scratch):
    """What `add_output` left goes back through the hidden layers but the first, and into their gradient. `at`: as
    `hidden_layers` returned it."""
    weights, sizes, activation = net
    for layer in range(sizes.shape[0] - 3, 0, -1):
        inputs, width = sizes[layer], sizes[layer + 1]
        at -= (inputs + 1) * width
        for d in range(block):
            slope(layer, d, width, activation, gradient[at + inputs * width :], scratch)
            below = scratch[4][1, d]
            for j in range(inputs):
                below[j] = _ZERO
        for tile in range((inputs + TILE - 1) // TILE):
            for d in range(block):
                places, values, edges = scratch[1][layer - 1, d], scratch[2][layer - 1, d], scratch[3][layer - 1, d]
                delta, below = scratch[4][0, d], scratch[4][1, d]
                back_rows(places, values, edges[tile], edges[tile + 1], weights, gradient, at, width, delta, below)
        for d in range(block):
            delta, below = scratch[4][0, d], scratch[4][1, d]
            for j in range(inputs):
                delta[j] = below[j]


@arithmetic
def first_layers_gradient(net, gradient, index, value, count, d, scratch):
    """What `backward` left of a decision, into the gradient of the first layer."""
    width = net[1][1]
    slope(0, d, width, net[2], gradient[net[1][0] * width :], scratch)
    delta = scratch[4][0, d]
    for k in range(count):
        x = value[k]
        g = gradient[index[k] * width :]
        for j in range(width):
            g[j] += x * delta[j]


@arithmetic
def likelihoods(net, at, actions, count, d, scratch):
    """The logarithms of how likely each of these actions is, into the scratch, and the likelihoods beside them."""
    logs, chances = scratch[5][0], scratch[5][1]
    highest = np.float32(-np.inf)
    for k in range(count):
        logs[k] = output(net, at, np.int64(actions[k]), d, scratch)
        highest = max(highest, logs[k])
    total = _ZERO
    for k in range(count):
        chances[k] = np.float32(math.exp(logs[k] - highest))
        total += chances[k]
    base = highest + np.float32(math.log(total))
    for k in range(count):
        logs[k] -= base
        chances[k] = np.true_divide(chances[k], total)


def scratch(*nets: Net, block: int = 1) -> tuple[np.ndarray, ...]:
    """Working memory for one thread that uses these networks on so many decisions at a time."""
    layers = max(len(sizes) for _, sizes, _ in nets)
    hidden = max(int(sizes[1:-1].max()) for _, sizes, _ in nets)
    actions = max(int(sizes[-1]) for _, sizes, _ in nets)
    return (
        aligned((layers, block, hidden)),
        np.zeros((layers, block, hidden + 1), np.int32),
        np.zeros((layers, block, hidden + 1), np.float32),
        np.zeros((layers, block, hidden // TILE + 2), np.int64),
        aligned((2, block, hidden)),
        np.zeros((2, actions), np.float32),
    )


def aligned(shape: tuple[int, ...] | int) -> np.ndarray:
    """Zeros (float32) that begin where a line of the cache does."""
    size = int(np.prod(shape))
    whole = np.zeros(size + _LINE, np.float32)
    first = -whole.ctypes.data // whole.itemsize % _LINE
    return whole[first : first + size].reshape(shape)


def whole_lines(weights: np.ndarray) -> np.ndarray:
    """A network's weights with zeros behind them, so that what follows begins with a line of the cache."""
    return np.pad(weights, (0, -len(weights) % _LINE))


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
def forward_block(net, block, more, rollout, scratch):
    """The hidden layers of some decisions; `more`: 1 with what only the critic is shown, or 0. Returns as `hidden_layers`."""
    decisions, indices, values = rollout
    for d in range(block.shape[0]):
        row, column = block[d] // decisions.shape[1], block[d] % decisions.shape[1]
        this = decisions[row, column]
        shown = np.int64(this.seen) + more * np.int64(this.more)
        first_layer(net, indices[row, this.at :], values[row, this.at :], shown, d, scratch)
    return hidden_layers(net, block.shape[0], scratch)


@arithmetic
def backward_block(net, gradient, at, block, more, rollout, scratch):
    """What `add_output` left of some decisions, into the gradient of all hidden layers; the rest as `forward_block`."""
    decisions, indices, values = rollout
    backward(net, gradient, at, block.shape[0], scratch)
    for d in range(block.shape[0]):
        row, column = block[d] // decisions.shape[1], block[d] % decisions.shape[1]
        this = decisions[row, column]
        shown = np.int64(this.seen) + more * np.int64(this.more)
        first_layers_gradient(net, gradient, indices[row, this.at :], values[row, this.at :], shown, d, scratch)


@arithmetic
def add_loss(
    this, actions, taught, mean, spread, clip, surrogate, entropy_weight, teacher_weight, search_weight, temperature, share,
    net, gradient, at, d, scratch, statistics,
):  # fmt: skip
    """The policy's loss of one decision: what each of its choices adds, into the gradient and the statistics."""
    logs, chances, delta = scratch[5][0], scratch[5][1], scratch[4][0, d]
    count, choice = np.int64(this.choices), np.int64(this.choice)
    likelihoods(net, at, actions, count, d, scratch)
    advantage = (this.advantage - mean) / spread
    ratio = np.float32(math.exp(logs[choice] - this.likelihood))
    clipped = ratio > _ONE + clip if advantage > _ZERO else ratio < _ONE - clip
    push = _ZERO if clipped or this.searched else surrogate * ratio * advantage
    entropy, known, distance, best, likeliest, tried, middle = _ZERO, _ZERO, _ZERO, 0, 0, _ZERO, _ZERO
    held = _ZERO  # how likely one of those is that were tried
    for k in range(count):
        entropy -= chances[k] * logs[k]
        if not this.searched:
            known += taught[k]
            distance -= taught[k] * logs[k]
        elif taught[k] != UNTRIED:
            tried += _ONE
            middle += logs[k]
            held += chances[k]
        best = k if taught[k] > taught[best] else best
        likeliest = k if logs[k] > logs[likeliest] else likeliest
    if this.searched:
        held = max(held, _LEAST)
        distance = -np.float32(math.log(held))
    for j in range(delta.shape[0]):
        delta[j] = _ZERO
    for k in range(count):
        amount = push * chances[k] + entropy_weight * chances[k] * (logs[k] + entropy)
        if not this.searched:
            amount += teacher_weight * (known * chances[k] - taught[k])
        elif taught[k] != UNTRIED:
            amount += search_weight * (temperature * (logs[k] - middle / tried) - taught[k])
            amount += teacher_weight * (chances[k] - chances[k] / held)
        else:
            amount += teacher_weight * chances[k]
        if k == choice:
            amount -= push
        add_output(net, gradient, at, np.int64(actions[k]), share * amount, d, scratch)
    bounded = min(max(ratio, _ONE - clip), _ONE + clip)
    statistics[0] -= min(ratio * advantage, bounded * advantage)
    statistics[2] += entropy
    statistics[3] += (ratio - _ONE) - (logs[choice] - this.likelihood)
    statistics[4] += abs(ratio - _ONE) > clip
    statistics[5] += distance
    statistics[6] += best == likeliest


@arithmetic
def add_gradients(
    order, decisions, indices, values, policy, critic, policy_gradient, critic_gradient,
    share, mean, spread, clip, surrogate, entropy_weight, teacher_weight, search_weight, temperature, vf_coef,
    scratch, statistics,
):  # fmt: skip
    """Add the gradients of some decisions' loss, each times `share`.

    Args:
        order: int64, row * decisions a row + place.
        mean, spread: of the advantages in the minibatch.
        surrogate: 1 for PPO's clipped objective; 0 leaves it out.
        entropy_weight, teacher_weight, vf_coef: of the entropy, of the cross-entropy from the teacher to the policy, of
            the critic's squared error. Where a search taught, the second is of minus the logarithm of how likely one of the
            tried actions is: of the others nothing is known.
        search_weight: where a search taught, in place of `surrogate`: of the squared error of the tried
            actions' logits times `temperature`, each less their mean, as what is taught is, over twice the temperature.
        statistics: float64 [7], to which each decision adds (`STATISTICS`).
    """
    rollout, columns = (decisions, indices, values), decisions.shape[1]
    for first in range(0, order.shape[0], BLOCK):
        block = order[first : first + BLOCK]
        at = forward_block(policy, block, _NOTHING, rollout, scratch)
        for d in range(block.shape[0]):
            row = block[d] // columns
            this = decisions[row, block[d] % columns]
            choices = this.at + np.int64(this.seen) + np.int64(this.more)
            add_loss(
                this, indices[row, choices:], values[row, choices:], mean, spread, clip, surrogate, entropy_weight,
                teacher_weight, search_weight, temperature, share, policy, policy_gradient, at, d, scratch, statistics,
            )  # fmt: skip
        backward_block(policy, policy_gradient, at, block, _NOTHING, rollout, scratch)

        at = forward_block(critic, block, _MORE, rollout, scratch)
        for d in range(block.shape[0]):
            off = output(critic, at, np.int64(0), d, scratch) - decisions[block[d] // columns, block[d] % columns].target
            delta = scratch[4][0, d]
            for j in range(delta.shape[0]):
                delta[j] = _ZERO
            add_output(critic, critic_gradient, at, np.int64(0), share * vf_coef * (off + off), d, scratch)
            statistics[1] += off * off
        backward_block(critic, critic_gradient, at, block, _MORE, rollout, scratch)


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
