"""Compiled forward pass of a policy network, for one decision at a time and as many as wanted.

For networks of this size it beats a matrix library at small batches, starts no threads, skips the zeros of an observation
and the actions that are not legal, and gives the same bits for a row whatever stands beside it.

A network is one float32 vector: for each layer the weights, then the biases; weights as [inputs, outputs], those of the
last layer as [outputs, inputs]. `sizes` int64 [L + 1] holds the widths, observation first, actions last.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..envs.core.jit import bind, device_function
from ..envs.core.rng import mix

if TYPE_CHECKING:  # bound to who advises
    policy: Any

TANH, RELU = 0, 1
# What the forward pass computes with: beyond it float32 overflows, in the polynomials of `tanh` or in sums and differences.
REACH = {TANH: 2.0**15, RELU: 2.0**126}
_ZERO, _ONE = np.float32(0), np.float32(1)
_UNIT = 2.0**-53
_S11 = np.uint64(11)

# tanh x = x N(x^2) / D(x^2), Lambert's continued fraction cut after eleven terms; off by less than 1e-6 anywhere.
_N = tuple(np.float32(1 / c) for c in (1.0, 7.0, 213.75, 20349.0, 6409935.0, 13749310575.0))
_D = tuple(np.float32(1 / c) for c in (1.0, 2.1, 33.25, 1816.875, 305235.0, 208322887.5))


@device_function
def tanh(x):
    s = x * x
    n = _N[0] + s * (_N[1] + s * (_N[2] + s * (_N[3] + s * (_N[4] + s * _N[5]))))
    d = _D[0] + s * (_D[1] + s * (_D[2] + s * (_D[3] + s * (_D[4] + s * _D[5]))))
    value = np.true_divide(x * n, d)  # unlike `/` it cannot raise, so that loops over it are vectorised
    value = _ONE if value > _ONE else value
    return -_ONE if value < -_ONE else value


@device_function
def dense(x, inputs, weights, at, outputs, places, out):
    """out = bias + x W, for the layer that begins at `at`; `places` is scratch for the entries of x that are not zero."""
    count = 0
    for k in range(inputs):
        places[count] = k
        count += np.int64(x[k] != _ZERO)
    bias = at + inputs * outputs
    for j in range(outputs):
        out[j] = weights[bias + j]
    k = 0
    while k + 4 <= count:  # four at once: a quarter of the reads and writes of `out`
        x0, x1, x2, x3 = x[places[k]], x[places[k + 1]], x[places[k + 2]], x[places[k + 3]]
        w0 = weights[at + places[k] * outputs :]
        w1 = weights[at + places[k + 1] * outputs :]
        w2 = weights[at + places[k + 2] * outputs :]
        w3 = weights[at + places[k + 3] * outputs :]
        for j in range(outputs):
            out[j] = out[j] + ((x0 * w0[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j]))
        k += 4
    while k < count:
        x0 = x[places[k]]
        w0 = weights[at + places[k] * outputs :]
        for j in range(outputs):
            out[j] = out[j] + x0 * w0[j]
        k += 1


@device_function
def dot(x, weights, at, size, terms):
    """x . weights[at : at + size]; the sum is folded in halves, which the compiler vectorises."""
    w = weights[at : at + size]
    for k in range(size):
        terms[k] = x[k] * w[k]
    while size > 1:
        half = (size + 1) // 2
        for k in range(size - half):
            terms[k] = terms[k] + terms[half + k]
        size = half
    return terms[0]


@functools.partial(device_function, light=False)
def network_scores(weights, sizes, activation, observation, mask, floats, places, scores):
    """The legal actions, ascending, into `places`, and what the network gives for each into `scores`; returns their number.

    Args:
        floats, places, scores: scratch float32 [2, W], int64 [W] and float64 [W]; W is the largest of `sizes`.
    """
    x, y = floats[0], floats[1]
    last = sizes.shape[0] - 2
    at = 0
    inputs = sizes[0]
    for k in range(inputs):
        x[k] = observation[k]
    for layer in range(last):
        outputs = sizes[layer + 1]
        dense(x, inputs, weights, at, outputs, places, y)
        if activation == RELU:
            for j in range(outputs):
                x[j] = max(y[j], _ZERO)
        else:
            for j in range(outputs):
                x[j] = tanh(y[j])
        at += inputs * outputs + outputs
        inputs = outputs
    actions = sizes[last + 1]
    count = 0
    for action in range(actions):
        places[count] = action
        count += np.int64(mask[action] != 0)
    bias = at + inputs * actions
    for k in range(count):
        action = places[k]
        scores[k] = np.float64(weights[bias + action] + dot(x, weights, at + action * inputs, inputs, y))
    return count


@device_function
def network_action(weights, sizes, activation, greedy, observation, mask, noise, floats, places, scores):
    """An action drawn from the network's distribution over the legal ones, or the likeliest; -1 if none is legal.

    Args:
        noise: 64 random bits.
        floats, places, scores: scratch as of `network_scores`.
    """
    count = network_scores(weights, sizes, activation, observation, mask, floats, places, scores)
    if count == 0:
        return np.int64(-1)
    best = 0
    for k in range(count):
        if scores[k] > scores[best]:
            best = k
    if greedy:
        return places[best]
    highest = scores[best]
    total = 0.0
    for k in range(count):
        scores[k] = math.exp(scores[k] - highest)
        total += scores[k]
    rest = np.float64(noise >> _S11) * _UNIT * total
    k = 0
    while k < count - 1 and rest >= scores[k]:
        rest -= scores[k]
        k += 1
    return places[k]


@device_function
def network_acts(data, observation, mask, num_players, noise):
    """`act` of whole-game kernels (envs/core/kernels.py); the data is what `LearnedAgent.data` gives."""
    weights, sizes, activation, greedy, floats, places, scores = data
    return network_action(weights, sizes, activation, greedy, observation, mask, noise, floats, places, scores)


@device_function
def advised(seen, observation, action):
    """What an advised network sees, into `seen`: the observation, and one-hot behind it the action it is advised."""
    size = observation.shape[0]
    seen[:size] = observation
    seen[size:] = _ZERO
    seen[size + action] = _ONE


def _advised_acts(data, observation, mask, num_players, noise):
    """`network_acts` of a network that is advised by `policy`."""
    weights, sizes, activation, greedy, floats, places, scores, seen = data
    advised(seen, observation, np.int64(policy(observation, mask, num_players, mix(noise))))
    return network_action(weights, sizes, activation, greedy, seen, mask, noise, floats, places, scores)


@functools.cache
def advised_acts(policy: Any) -> Any:
    """As `network_acts`, for networks that this policy advises."""
    owner = f"{policy.__module__.rpartition('.')[2]}.{policy.__name__}"
    return bind({"advised_acts": _advised_acts}, {"policy": policy}, owner)["advised_acts"]


@functools.partial(device_function, light=False)
def network_actions(weights, sizes, activation, greedy, observation, mask, noise, actions):
    """`network_action` a row."""
    width = sizes.max()
    floats, places, scores = np.empty((2, width), np.float32), np.empty(width, np.int64), np.empty(width)
    for i in range(observation.shape[0]):
        actions[i] = network_action(
            weights, sizes, activation, greedy, observation[i], mask[i], noise[i], floats, places, scores
        )


def flatten(layers: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """A network's vector and `sizes` from its (weight [inputs, outputs], bias) pairs."""
    parts = []
    for k, (weight, bias) in enumerate(layers):
        parts += [weight.T.ravel() if k == len(layers) - 1 else weight.ravel(), bias]
    sizes = [layers[0][0].shape[0], *(weight.shape[1] for weight, _ in layers)]
    return np.concatenate(parts).astype(np.float32), np.array(sizes, np.int64)
