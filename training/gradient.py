"""Compiled learning: the format of recorded decisions, the backward pass over blocks of them, PPO's loss, and Adam.

Observations are sparse, and few actions are legal. On a CPU, code that touches only the nonzero entries and the legal actions
is faster than a matrix library in every game. The forward pass is in `agents.network`.

A decision is a record (`DECISION`). Its entries are in two arrays, indices and values, from `offset` on, in this order: the
nonzero inputs of the policy (`num_obs`: input indices and values), the additional inputs of the critic (`num_critic_obs`,
numbered after the policy's), and the legal actions (`num_legal`: actions, and the teacher's probabilities or the targets of a
search).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..agents.network import (
    RELU,
    TILE,
    Net,
    action_probs,
    decision_probs,
    decision_value,
    first_layer,
    hidden_layers,
    list_rotations,
    output,
    output_offset,
    rotation_block,
    score_block,
    scores_singly,
)
from ..envs.core.jit import arithmetic

DECISION = np.dtype(
    [
        ("offset", "i8"),
        ("seat", "i4"),
        ("num_obs", "i4"),
        ("num_critic_obs", "i4"),
        ("num_legal", "i4"),
        ("action_index", "i4"),  # the index of the played action among the legal actions
        ("rotation", "i4"),  # in which a network that is rotated by the state sees it; the entries are those of this rotation
        ("searched", "i4"),  # 1: the values of the legal actions are targets of a search, not a teacher's probabilities
        ("next", "i4"),  # the same seat's next decision, -1: none
        ("log_prob", "f4"),
        ("value", "f4"),  # the critic's
        ("reward", "f4"),  # from here to the seat's next decision, or to the end
        ("advantage", "f4"),
        ("target", "f4"),  # for the critic
    ],
    align=True,
)

UNTRIED = np.float32(-1e30)  # the target of an action that a search did not try
BLOCK = 16  # decisions per pass

STATISTICS = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "teacher_cross_entropy", "teacher_accuracy")
_POLICY_LOSS, _VALUE_LOSS, _ENTROPY, _APPROX_KL, _CLIP_FRACTION, _TEACHER_CROSS_ENTROPY, _TEACHER_ACCURACY = range(7)
_ZERO, _ONE, _LEAST = np.float32(0), np.float32(1), np.float32(1e-30)
_TENTH, _THOUSANDTH, _EPSILON = np.float32(0.1), np.float32(0.001), np.float32(1e-5)


class RolloutBuffer(NamedTuple):
    """The decisions of all rows, and their entries."""

    decisions: np.ndarray  # DECISION [N, K]
    indices: np.ndarray  # int32 [N, E]
    values: np.ndarray  # float32 [N, E]


class Networks(NamedTuple):
    """The networks of a learner; a teacher without weights means no teacher."""

    policy: Net
    critic: Net
    teacher: Net


class Minibatch(NamedTuple):
    order: np.ndarray  # int64, row * K + column of each decision
    share: np.float32  # the weight of a decision in the loss
    advantage_mean: np.float32
    advantage_std: np.float32


class LossWeights(NamedTuple):
    """The parameters of the loss, all float32.

    Attributes:
        clip_range: the clip range of PPO's surrogate objective.
        surrogate: the weight of that objective; 0 omits it.
        ent_coef, vf_coef: the weights of the entropy, and of the critic's squared error.
        teacher_coef: the weight of the cross-entropy from the teacher to the policy. In searched decisions, the weight of the
            negative log-probability of the set of tried actions: nothing is known about the others.
        search_weight: replaces `surrogate` in searched decisions: the weight of the squared error between targets and the
            centred logits of the tried actions times the temperature, divided by twice the temperature.
        search_temperature: that temperature.
    """

    clip_range: np.float32
    surrogate: np.float32
    ent_coef: np.float32
    teacher_coef: np.float32
    search_weight: np.float32
    search_temperature: np.float32
    vf_coef: np.float32


@arithmetic
def advantages(decisions, count, gamma, gae_lambda):
    """Generalised advantage estimates and value targets of a row's decisions, along each seat's own decisions. Games are whole:
    the value after a seat's last decision is 0."""
    for k in range(count - 1, -1, -1):
        decision = decisions[k]
        advantage = decision.reward - decision.value
        if decision.next >= 0:
            later = decisions[decision.next]
            advantage += gamma * (later.value + gae_lambda * later.advantage)
        decision.advantage = advantage
        decision.target = advantage + decision.value


# --- passes over a block of decisions ---


@arithmetic
def num_inputs(decision, of_critic):
    """The number of a decision's entries that are inputs of the network."""
    return np.int64(decision.num_obs) + (np.int64(decision.num_critic_obs) if of_critic else np.int64(0))


@arithmetic
def forward_block(net, block, of_critic, buffer, scratch):
    """The hidden layers of policy or critic for a block of decisions; returns as `hidden_layers` does."""
    columns = buffer.decisions.shape[1]
    for row in range(block.shape[0]):
        i = block[row] // columns
        decision = buffer.decisions[i, block[row] % columns]
        index, value = buffer.indices[i, decision.offset :], buffer.values[i, decision.offset :]
        first_layer(net, index, value, num_inputs(decision, of_critic), np.int64(-1), row, scratch)
    return hidden_layers(net, block.shape[0], scratch)


@arithmetic
def add_output(net, gradient, offset, action, amount, row, scratch):
    """Propagate the derivative of the loss by one output, `amount`, into the gradient and to the last hidden layer."""
    last = net.sizes.shape[0] - 2
    inputs = net.sizes[last]
    x, delta = scratch.units[last - 1, row], scratch.delta[row]
    w, g = net.weights[offset + action * inputs :], gradient[offset + action * inputs :]
    gradient[offset + inputs * net.sizes[last + 1] + action] += amount
    for j in range(inputs):
        delta[j] += amount * w[j]
        g[j] += amount * x[j]


@arithmetic
def backward_activation(layer, row, width, activation, bias, scratch):
    """Propagate through a layer's activation, and into the gradient of its biases."""
    out, delta = scratch.units[layer, row], scratch.delta[row]
    if activation == RELU:
        for j in range(width):
            delta[j] = delta[j] if out[j] > _ZERO else _ZERO
    else:
        for j in range(width):
            delta[j] *= _ONE - out[j] * out[j]
    for j in range(width):
        bias[j] += delta[j]


@arithmetic
def backward_rows(index, value, weights, gradient, width, delta, below):
    """Propagate through the rows of a layer's weights, as in `add_rows`: to the inputs, and into the rows of the gradient."""
    k, end = 0, index.shape[0]
    while k + 2 <= end:  # two at once
        x0, x1 = value[k], value[k + 1]
        first, second = index[k] * width, index[k + 1] * width
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
        x0, first = value[k], index[k] * width
        w0, g0 = weights[first:], gradient[first:]
        total0 = _ZERO
        for j in range(width):
            total0 += w0[j] * delta[j]
            g0[j] += x0 * delta[j]
        below[index[k]] = total0
        k += 1


@arithmetic
def backward(net, gradient, offset, block, scratch):
    """Propagate from the last hidden layer (after `add_output`) through all but the first, into their gradients. `offset` is
    what `hidden_layers` returned."""
    for layer in range(net.sizes.shape[0] - 3, 0, -1):
        inputs, width = net.sizes[layer], net.sizes[layer + 1]
        offset -= (inputs + 1) * width
        weights, slopes = net.weights[offset:], gradient[offset:]
        for row in range(block):
            backward_activation(layer, row, width, net.activation, slopes[inputs * width :], scratch)
            below = scratch.below[row]
            for j in range(inputs):
                below[j] = _ZERO
        for tile in range((inputs + TILE - 1) // TILE):
            for row in range(block):
                edges = scratch.edges[layer - 1, row]
                places = scratch.places[layer - 1, row, edges[tile] : edges[tile + 1]]
                values = scratch.values[layer - 1, row, edges[tile] : edges[tile + 1]]
                backward_rows(places, values, weights, slopes, width, scratch.delta[row], scratch.below[row])
        for row in range(block):
            delta, below = scratch.delta[row], scratch.below[row]
            for j in range(inputs):
                delta[j] = below[j]


@arithmetic
def backward_first_layer(net, gradient, index, value, count, row, scratch):
    """Propagate a decision into the gradient of the first layer (after `backward`)."""
    width, delta = net.sizes[1], scratch.delta[row]
    backward_activation(0, row, width, net.activation, gradient[net.sizes[0] * width :], scratch)
    for k in range(count):
        x = value[k]
        g = gradient[index[k] * width :]
        for j in range(width):
            g[j] += x * delta[j]


@arithmetic
def backward_block(net, gradient, offset, block, of_critic, buffer, scratch):
    """Propagate a block of decisions into the gradients of all hidden layers (after `add_output`); arguments as in
    `forward_block`."""
    backward(net, gradient, offset, block.shape[0], scratch)
    columns = buffer.decisions.shape[1]
    for row in range(block.shape[0]):
        i = block[row] // columns
        decision = buffer.decisions[i, block[row] % columns]
        index, value = buffer.indices[i, decision.offset :], buffer.values[i, decision.offset :]
        backward_first_layer(net, gradient, index, value, num_inputs(decision, of_critic), row, scratch)


# --- the loss ---


@arithmetic
def clear(delta):
    for j in range(delta.shape[0]):
        delta[j] = _ZERO


@arithmetic
def policy_loss(decision, targets, minibatch, weights, scratch, statistics):
    """The gradient of one decision's policy loss by the logits of its legal actions, after `action_probs`; it overwrites the
    probabilities.

    Args:
        targets: the teacher's probabilities of the legal actions, or their targets from a search.
        statistics: float64 [7], sums to which the decision adds (`STATISTICS`).
    """
    log_probs, probs, clip_range = scratch.log_probs, scratch.probs, weights.clip_range
    num_legal, played = np.int64(decision.num_legal), np.int64(decision.action_index)
    advantage = (decision.advantage - minibatch.advantage_mean) / minibatch.advantage_std
    log_ratio = log_probs[played] - decision.log_prob
    ratio = np.float32(math.exp(log_ratio))
    clipped = ratio > _ONE + clip_range if advantage > _ZERO else ratio < _ONE - clip_range
    push = _ZERO if clipped or decision.searched else weights.surrogate * ratio * advantage
    entropy, taught, cross_entropy, best, likeliest = _ZERO, _ZERO, _ZERO, 0, 0
    tried, tried_prob, tried_mean = _ZERO, _ZERO, _ZERO  # their number, total probability, and mean log-probability
    for k in range(num_legal):
        entropy -= probs[k] * log_probs[k]
        if not decision.searched:
            taught += targets[k]
            cross_entropy -= targets[k] * log_probs[k]
        elif targets[k] != UNTRIED:
            tried += _ONE
            tried_mean += log_probs[k]
            tried_prob += probs[k]
        best = k if targets[k] > targets[best] else best
        likeliest = k if log_probs[k] > log_probs[likeliest] else likeliest
    if decision.searched:
        tried_mean /= tried
        tried_prob = max(tried_prob, _LEAST)
        cross_entropy = -np.float32(math.log(tried_prob))
    for k in range(num_legal):
        slope = push * probs[k] + weights.ent_coef * probs[k] * (log_probs[k] + entropy)
        if not decision.searched:
            slope += weights.teacher_coef * (taught * probs[k] - targets[k])
        elif targets[k] != UNTRIED:
            slope += weights.search_weight * (weights.search_temperature * (log_probs[k] - tried_mean) - targets[k])
            slope += weights.teacher_coef * (probs[k] - probs[k] / tried_prob)
        else:
            slope += weights.teacher_coef * probs[k]
        probs[k] = slope - push if k == played else slope
    bounded = min(max(ratio, _ONE - clip_range), _ONE + clip_range)
    statistics[_POLICY_LOSS] -= min(ratio * advantage, bounded * advantage)
    statistics[_ENTROPY] += entropy
    statistics[_APPROX_KL] += (ratio - _ONE) - log_ratio
    statistics[_CLIP_FRACTION] += abs(ratio - _ONE) > clip_range
    statistics[_TEACHER_CROSS_ENTROPY] += cross_entropy
    statistics[_TEACHER_ACCURACY] += best == likeliest


@arithmetic
def add_gradients(minibatch, buffer, policy, critic, gradient, weights, scratch, statistics):
    """Add the gradients of some decisions' loss: first those of the policy's weights, then the critic's."""
    cut = policy.weights.shape[0]
    for first in range(0, minibatch.order.shape[0], BLOCK):
        block = minibatch.order[first : first + BLOCK]
        if scores_singly(policy):
            add_single_policy_gradients(block, minibatch, buffer, policy, gradient[:cut], weights, scratch, statistics)
            add_single_critic_gradients(block, minibatch, buffer, critic, gradient[cut:], weights, scratch, statistics)
        else:
            add_policy_gradients(block, minibatch, buffer, policy, gradient[:cut], weights, scratch, statistics)
            add_critic_gradients(block, minibatch, buffer, critic, gradient[cut:], weights, scratch, statistics)


@arithmetic
def add_policy_gradients(block, minibatch, buffer, policy, gradient, weights, scratch, statistics):
    """The policy's gradients by a block of decisions."""
    columns = buffer.decisions.shape[1]
    offset = forward_block(policy, block, False, buffer, scratch)
    for row in range(block.shape[0]):
        i = block[row] // columns
        decision = buffer.decisions[i, block[row] % columns]
        begin = decision.offset + num_inputs(decision, True)
        legal, targets = buffer.indices[i, begin:], buffer.values[i, begin:]
        action_probs(policy, offset, legal, np.int64(decision.num_legal), row, scratch)
        policy_loss(decision, targets, minibatch, weights, scratch, statistics)
        clear(scratch.delta[row])
        for k in range(np.int64(decision.num_legal)):
            amount = minibatch.share * scratch.probs[k]
            add_output(policy, gradient, offset, np.int64(legal[k]), amount, row, scratch)
    backward_block(policy, gradient, offset, block, False, buffer, scratch)


@arithmetic
def add_critic_gradients(block, minibatch, buffer, critic, gradient, weights, scratch, statistics):
    """The critic's gradients by a block of decisions."""
    columns = buffer.decisions.shape[1]
    offset = forward_block(critic, block, True, buffer, scratch)
    for row in range(block.shape[0]):
        target = buffer.decisions[block[row] // columns, block[row] % columns].target
        error = output(critic, offset, np.int64(0), row, scratch) - target
        clear(scratch.delta[row])
        amount = minibatch.share * weights.vf_coef * (error + error)
        add_output(critic, gradient, offset, np.int64(0), amount, row, scratch)
        statistics[_VALUE_LOSS] += error * error
    backward_block(critic, gradient, offset, block, True, buffer, scratch)


@arithmetic
def add_single_policy_gradients(block, minibatch, buffer, policy, gradient, weights, scratch, statistics):
    """`add_policy_gradients` for a policy that scores one action at a time."""
    columns, most, offset = buffer.decisions.shape[1], scratch.units.shape[1], output_offset(policy)
    for place in block:
        i = place // columns
        decision = buffer.decisions[i, place % columns]
        index, value = buffer.indices[i, decision.offset :], buffer.values[i, decision.offset :]
        count, behind, num_legal = num_inputs(decision, False), num_inputs(decision, True), np.int64(decision.num_legal)
        legal = index[behind:]
        decision_probs(policy, index, value, count, legal, num_legal, scratch)
        policy_loss(decision, value[behind:], minibatch, weights, scratch, statistics)
        for first in range(0, num_legal, most):
            rows = min(most, num_legal - first)
            if num_legal > most:  # else its hidden layers are those of the pass above
                score_block(policy, index, value, count, legal[first:], rows, scratch)
            for row in range(rows):
                clear(scratch.delta[row])
                amount = minibatch.share * scratch.probs[first + row]
                add_output(policy, gradient, offset, np.int64(0), amount, row, scratch)
            backward_rotated(policy, gradient, offset, rows, value, count, scratch)


@arithmetic
def add_single_critic_gradients(block, minibatch, buffer, critic, gradient, weights, scratch, statistics):
    """`add_critic_gradients` for the critic of such a policy."""
    columns, most, offset = buffer.decisions.shape[1], scratch.units.shape[1], output_offset(critic)
    for place in block:
        i = place // columns
        decision = buffer.decisions[i, place % columns]
        index, value = buffer.indices[i, decision.offset :], buffer.values[i, decision.offset :]
        count = num_inputs(decision, True)
        legal, num_legal, rotations = index[count:], np.int64(decision.num_legal), scratch.rotation_list
        error = decision_value(critic, index, value, count, legal, num_legal, scratch) - decision.target
        statistics[_VALUE_LOSS] += error * error
        number = list_rotations(critic, legal, num_legal, rotations)
        amount = minibatch.share * weights.vf_coef * (error + error) / np.float32(number)
        for first in range(0, number, most):
            rows = min(most, number - first)
            if number > most:
                rotation_block(critic, index, value, count, rotations[first:], rows, scratch)
            for row in range(rows):
                clear(scratch.delta[row])
                add_output(critic, gradient, offset, np.int64(0), amount, row, scratch)
            backward_rotated(critic, gradient, offset, rows, value, count, scratch)


@arithmetic
def backward_rotated(net, gradient, offset, rows, value, count, scratch):
    """Propagate rows of one decision, after `rotated_layer` and `add_output`, into the gradients of all hidden layers."""
    backward(net, gradient, offset, rows, scratch)
    width = net.sizes[1]
    for row in range(rows):
        backward_first_layer(net, gradient, scratch.moved[row], value, count, row, scratch)
        if scratch.own[row] >= 0:
            g, delta = gradient[scratch.own[row] * width :], scratch.delta[row]
            for j in range(width):
                g[j] += delta[j]


@arithmetic
def gather(gradients, first, end):
    """Sum the shards' gradients of some weights into the first shard; returns the sum of squares."""
    total = 0.0
    for shard in range(1, gradients.shape[0]):
        for k in range(first, end):
            gradients[0, k] += gradients[shard, k]
            gradients[shard, k] = _ZERO
    for k in range(first, end):
        total += np.float64(gradients[0, k]) * np.float64(gradients[0, k])
    return total


@arithmetic
def adam(weights, gradient, first_moment, second_moment, scale, rate, correction):
    """An Adam step of some weights by their gradient times `scale`; clears the gradient. `rate` and `correction` include the
    bias corrections of the moments."""
    for k in range(weights.shape[0]):
        g = gradient[k] * scale
        gradient[k] = _ZERO
        m = first_moment[k] + _TENTH * (g - first_moment[k])
        v = second_moment[k] + _THOUSANDTH * (g * g - second_moment[k])
        first_moment[k] = m
        second_moment[k] = v
        weights[k] -= np.true_divide(rate * m, np.sqrt(v) * correction + _EPSILON)
