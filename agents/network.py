"""The compiled forward pass of networks, for playing and learning, for one decision or a block of decisions.

For networks of this size it is faster than a matrix library at small batches. It starts no threads, skips zeros of observations
and illegal actions, and its result for a decision is bitwise independent of the other decisions in the block.

A network is one float32 vector: the weights and then the biases of each layer; weights as [inputs, outputs], those of the last
layer as [outputs, inputs]. Inputs are sparse: the indices (`index`) and values (`value`) of nonzero entries.

Equivariant networks see the game rotated (`envs/core/rotations.py`): what they learn of one rank they know of all. Where the
state says how it is rotated, inputs and actions change places before the pass. Else the network scores one action at a time, in
the action's rotation and with the action one-hot behind the other inputs; a critic's value is the mean over these rotations.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..envs.core.bits import lowest_bit
from ..envs.core.jit import arithmetic, bind, device_function
from ..envs.core.kernels import eight_entries
from ..envs.core.rng import mix
from ..envs.core.rotations import Rotations

if TYPE_CHECKING:  # bound to an expert
    policy: Any

TANH, RELU = 0, 1
# The range of the forward pass: beyond it float32 overflows, in the polynomials of `tanh` or in sums and differences.
REACH = {TANH: 2.0**15, RELU: 2.0**126}
TILE = 32  # inputs of a layer that are processed together, with their weights in the L1 cache
_LINE = 16  # numbers per cache line
_ZERO, _ONE = np.float32(0), np.float32(1)
_UNIT = 2.0**-53
_NONE = np.int64(-1)
_S3, _S11 = np.int64(3), np.uint64(11)
_BIT, _EIGHT = np.uint64(1), 8

Layers = Sequence[tuple[np.ndarray, np.ndarray]]


class Net(NamedTuple):
    """A network; a critic and a policy that scores one action at a time have a single output."""

    weights: np.ndarray  # float32, concatenated
    sizes: np.ndarray  # int64 [L + 1], the widths: inputs first, actions last
    activation: int
    rotations: Rotations  # how an equivariant network sees the game; NO_ROTATIONS for others


class Scratch(NamedTuple):
    """The intermediate results of a pass for each decision (axis 1) of a block; one per thread."""

    units: np.ndarray  # float32 [layers, block, width], the activations of hidden units
    places: np.ndarray  # int32 [layers, block, width + 1], the indices of nonzero ones
    values: np.ndarray  # float32 [layers, block, width + 1], their values
    edges: np.ndarray  # int64 [layers, block, tiles + 1], where each tile of units begins in `places`
    delta: np.ndarray  # float32 [block, width], the gradient by a layer's outputs
    below: np.ndarray  # float32 [block, width], and by those of the layer below it
    moved: np.ndarray  # int32 [block, inputs], the indices of inputs after a rotation
    own: np.ndarray  # int64 [block], the input of the scored action, -1: none
    rotation_list: np.ndarray  # int64 [rotations], the different rotations of a decision's actions
    log_probs: np.ndarray  # float32 [actions], of one decision
    probs: np.ndarray  # float32 [actions]


class Workspace(NamedTuple):
    """A thread's memory for choosing actions from dense observations and masks."""

    scratch: Scratch
    indices: np.ndarray  # int32 [inputs]
    values: np.ndarray  # float32 [inputs]
    legal: np.ndarray  # int32 [actions]


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


# --- a pass ---


@arithmetic
def add_rows(index, value, k, end, weights, width, out):
    """out += the sum over k..end-1 of value[k] times row index[k] of the weights, which have `width` columns."""
    while k + 4 <= end:  # four at once: a quarter of the reads and writes of `out`
        x0, x1, x2, x3 = value[k], value[k + 1], value[k + 2], value[k + 3]
        w0 = weights[index[k] * width :]
        w1 = weights[index[k + 1] * width :]
        w2 = weights[index[k + 2] * width :]
        w3 = weights[index[k + 3] * width :]
        for j in range(width):
            out[j] += (x0 * w0[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j])
        k += 4
    while k < end:
        x0 = value[k]
        w0 = weights[index[k] * width :]
        for j in range(width):
            out[j] += x0 * w0[j]
        k += 1


@arithmetic
def activate(layer, row, width, activation, listed, scratch):
    """Apply the activation to a layer's units of a decision, in place; if `listed`, list the nonzero ones."""
    out = scratch.units[layer, row]
    if activation == RELU:
        for j in range(width):
            out[j] = out[j] if out[j] > _ZERO else _ZERO
    else:
        for j in range(width):
            out[j] = tanh(out[j])
    if listed:  # a separate loop, so that the one before is vectorised
        places, values, edges = scratch.places[layer, row], scratch.values[layer, row], scratch.edges[layer, row]
        kept = 0
        for first in range(0, width, TILE):
            edges[first // TILE] = kept
            for j in range(first, min(first + TILE, width)):
                places[kept] = j
                values[kept] = out[j]
                kept += np.int64(out[j] != _ZERO)
        edges[(width + TILE - 1) // TILE] = kept


@arithmetic
def first_layer(net, index, value, count, own, row, scratch):
    """Compute the first hidden layer of a decision into the scratch memory; without hidden layers, copy the inputs. `own` is a
    further input that is 1, -1: none."""
    width, out = net.sizes[1], scratch.units[0, row]
    if net.sizes.shape[0] == 2:
        for j in range(net.sizes[0]):
            out[j] = _ZERO
        for k in range(count):
            out[index[k]] = value[k]
        if own >= 0:
            out[own] = _ONE
        return
    bias = net.weights[net.sizes[0] * width :]
    for j in range(width):
        out[j] = bias[j]
    if own >= 0:
        row_of_own = net.weights[own * width :]
        for j in range(width):
            out[j] += row_of_own[j]
    add_rows(index, value, 0, count, net.weights, width, out)
    activate(0, row, width, net.activation, net.sizes.shape[0] > 3, scratch)


@arithmetic
def rotated_layer(net, rotation, own, index, value, count, row, scratch):
    """`first_layer` of an equivariant network in a rotation; `own` is the input of the scored action, -1 in a critic."""
    moved, places = scratch.moved[row], net.rotations.inputs[rotation]
    scratch.own[row] = own
    for k in range(count):
        moved[k] = places[index[k]]
    first_layer(net, moved, value, count, own, row, scratch)


@arithmetic
def hidden_layers(net, block, scratch):
    """Compute the other hidden layers of a block of decisions; returns the offset of the output layer in the weights.

    Tiles of inputs are processed for the whole block, so that their weights stay in the L1 cache.
    """
    offset = (net.sizes[0] + 1) * net.sizes[1] if net.sizes.shape[0] > 2 else np.int64(0)
    last = net.sizes.shape[0] - 3
    for layer in range(1, last + 1):
        inputs, width = net.sizes[layer], net.sizes[layer + 1]
        weights = net.weights[offset:]
        bias = weights[inputs * width :]
        for row in range(block):
            out = scratch.units[layer, row]
            for j in range(width):
                out[j] = bias[j]
        for tile in range((inputs + TILE - 1) // TILE):
            for row in range(block):
                edges = scratch.edges[layer - 1, row]
                places, values = scratch.places[layer - 1, row], scratch.values[layer - 1, row]
                add_rows(places, values, edges[tile], edges[tile + 1], weights, width, scratch.units[layer, row])
        for row in range(block):
            activate(layer, row, width, net.activation, layer < last, scratch)
        offset += (inputs + 1) * width
    return offset


@arithmetic
def output(net, offset, action, row, scratch):
    """One output of a decision after `hidden_layers`, which returned the offset."""
    last = net.sizes.shape[0] - 2
    inputs = net.sizes[last]
    x = scratch.units[max(last - 1, 0), row]
    w = net.weights[offset + action * inputs :]
    total = net.weights[offset + inputs * net.sizes[last + 1] + action]
    for j in range(inputs):
        total += w[j] * x[j]
    return total


@arithmetic
def scores_singly(net):
    """Whether a policy scores one action at a time, and a critic is the mean over their rotations."""
    return net.rotations.own.shape[0] > 0


@arithmetic
def best_rotation(rotations, index, value, count):
    """The rotation in which the state is seen; 0 if there are no rotations or each action has its own."""
    best, highest = 0, np.float32(-np.inf)
    for rotation in range(rotations.weights.shape[0]):
        total = _ZERO
        for k in range(count):
            total += rotations.weights[rotation, index[k]] * value[k]
        if total > highest:
            best, highest = rotation, total
    return best


@arithmetic
def move(places, index, count):
    """Replace indices by their places in a rotation."""
    for k in range(count):
        index[k] = places[index[k]]


@arithmetic
def place_of(rotations, rotation, action):
    """The action as networks see it in a rotation."""
    return np.int64(rotations.actions[rotation, action]) if rotation > 0 else np.int64(action)


@arithmetic
def action_at(rotations, rotation, place):
    """The action that networks see there in a rotation."""
    return np.int64(rotations.back[rotation, place]) if rotation > 0 else np.int64(place)


@arithmetic
def output_offset(net):
    """The offset of the output layer in the weights."""
    offset = np.int64(0)
    for layer in range(net.sizes.shape[0] - 2):
        offset += (net.sizes[layer] + 1) * net.sizes[layer + 1]
    return offset


@arithmetic
def score_block(net, index, value, count, legal, rows, scratch):
    """The hidden layers of an equivariant policy for up to a block of actions of one decision; returns as `hidden_layers`."""
    for row in range(rows):
        rotation, own = net.rotations.own[legal[row], 0], net.rotations.own[legal[row], 1]
        rotated_layer(net, rotation, own, index, value, count, row, scratch)
    return hidden_layers(net, rows, scratch)


@arithmetic
def decision_probs(net, index, value, count, legal, num_legal, scratch):
    """The probabilities of one decision's actions, as by `action_probs`, from its inputs."""
    if scores_singly(net):
        block = scratch.units.shape[1]
        for first in range(0, num_legal, block):
            rows = min(block, num_legal - first)
            offset = score_block(net, index, value, count, legal[first:], rows, scratch)
            for row in range(rows):
                scratch.log_probs[first + row] = output(net, offset, np.int64(0), row, scratch)
        softmax(num_legal, scratch)
    else:
        first_layer(net, index, value, count, _NONE, 0, scratch)
        action_probs(net, hidden_layers(net, 1, scratch), legal, num_legal, 0, scratch)


@arithmetic
def list_rotations(net, legal, num_legal, listed):
    """Write the different rotations of these actions into `listed`; returns their number."""
    count = 0
    for k in range(num_legal):
        rotation, known = net.rotations.own[legal[k], 0], False
        for earlier in range(count):
            known = known or listed[earlier] == rotation
        if not known:
            listed[count] = rotation
            count += 1
    return count


@arithmetic
def rotation_block(net, index, value, count, rotations, rows, scratch):
    """The hidden layers of an equivariant critic for up to a block of rotations; returns as `hidden_layers`."""
    for row in range(rows):
        rotated_layer(net, rotations[row], _NONE, index, value, count, row, scratch)
    return hidden_layers(net, rows, scratch)


@arithmetic
def decision_value(net, index, value, count, legal, num_legal, scratch):
    """The critic's value of one decision with these legal actions."""
    if not scores_singly(net):
        first_layer(net, index, value, count, _NONE, 0, scratch)
        return output(net, hidden_layers(net, 1, scratch), np.int64(0), 0, scratch)
    rotations, block, total = scratch.rotation_list, scratch.units.shape[1], _ZERO
    number = list_rotations(net, legal, num_legal, rotations)
    for first in range(0, number, block):
        rows = min(block, number - first)
        offset = rotation_block(net, index, value, count, rotations[first:], rows, scratch)
        for row in range(rows):
            total += output(net, offset, np.int64(0), row, scratch)
    return total / np.float32(number)


@arithmetic
def action_probs(net, offset, legal, num_legal, row, scratch):
    """Compute the probabilities and log-probabilities of these actions into the scratch memory, after `hidden_layers`."""
    for k in range(num_legal):
        scratch.log_probs[k] = output(net, offset, np.int64(legal[k]), row, scratch)
    softmax(num_legal, scratch)


@arithmetic
def softmax(num_legal, scratch):
    """Turn the scores in `scratch.log_probs` into log-probabilities, with the probabilities beside them."""
    log_probs, probs = scratch.log_probs, scratch.probs
    highest = np.float32(-np.inf)
    for k in range(num_legal):
        highest = max(highest, log_probs[k])
    total = _ZERO
    for k in range(num_legal):
        probs[k] = np.float32(math.exp(log_probs[k] - highest))
        total += probs[k]
    base = highest + np.float32(math.log(total))
    for k in range(num_legal):
        log_probs[k] -= base
        probs[k] = np.true_divide(probs[k], total)


# --- from observations to actions ---


@arithmetic
def append_nonzeros(dense, first, end, offset, index, value, used):
    """Append the nonzero entries of first..end-1, with entry `first` as index `offset`; returns the new number of entries."""
    place = first
    while place + 8 <= end:
        size = (abs(dense[place]) + abs(dense[place + 1]) + abs(dense[place + 2]) + abs(dense[place + 3])) + (
            abs(dense[place + 4]) + abs(dense[place + 5]) + abs(dense[place + 6]) + abs(dense[place + 7])
        )
        if size != _ZERO:
            for k in range(place, place + 8):
                index[used] = offset + k - first
                value[used] = dense[k]
                used += np.int64(dense[k] != _ZERO)
        place += 8
    for k in range(place, end):
        index[used] = offset + k - first
        value[used] = dense[k]
        used += np.int64(dense[k] != _ZERO)
    return used


@arithmetic
def append_inputs(net, observation, expert_action, index, value, used):
    """Append a network's inputs: the observation, one-hot the rotation in which the network sees it, if the state says so, and
    one-hot the action of the expert, if it has one and the observation does not contain it (`LearnedAgent.seen`). Returns their
    end and the rotation."""
    size, begin, rotations = observation.shape[0], used, net.rotations
    more = rotations.weights.shape[0] + rotations.own.shape[0]
    used = append_nonzeros(observation, 0, size, 0, index, value, used)
    rotation = best_rotation(rotations, index[begin:], value[begin:], used - begin)
    if rotations.weights.shape[0]:
        index[used] = rotations.inputs.shape[1] - rotations.actions.shape[1] - more + rotation
        value[used] = _ONE
        used += 1
    if net.sizes[0] > size + more:
        index[used] = size + more + expert_action
        value[used] = _ONE
        used += 1
    if rotation > 0:
        move(rotations.inputs[rotation], index[begin:], used - begin)
    return used, rotation


@arithmetic
def list_actions(mask, legal):
    """Write the legal actions, ascending, into `legal`; returns their number."""
    count = 0
    whole = mask.shape[0] - mask.shape[0] % _EIGHT
    for place in range(0, whole, _EIGHT):
        entries = eight_entries(mask, place)
        while entries:
            legal[count] = place + (lowest_bit(entries) >> _S3)
            count += 1
            entries &= entries - _BIT
    for place in range(whole, mask.shape[0]):
        if mask[place]:
            legal[count] = place
            count += 1
    return count


@arithmetic
def unit(noise):
    """A number from 0 to 1 from 64 random bits."""
    return np.float64(noise >> _S11) * _UNIT


@arithmetic
def draw(probs, count, noise):
    """An index drawn by these probabilities."""
    rest = unit(noise)
    k = 0
    while k < count - 1 and rest >= probs[k]:
        rest -= probs[k]
        k += 1
    return k


@arithmetic
def network_probs(net, observation, expert_action, mask, workspace):
    """Compute the legal actions and their probabilities into the workspace; returns their number."""
    scratch, index, value = workspace.scratch, workspace.indices, workspace.values
    num_legal = list_actions(mask, workspace.legal)
    count, rotation = append_inputs(net, observation, expert_action, index, value, 0)
    if rotation > 0:
        move(net.rotations.actions[rotation], workspace.legal, num_legal)
    decision_probs(net, index, value, count, workspace.legal, num_legal, scratch)
    if rotation > 0:
        move(net.rotations.back[rotation], workspace.legal, num_legal)
    return num_legal


@arithmetic
def network_action(net, greedy, observation, expert_action, mask, noise, workspace):
    """A legal action sampled from the network's distribution with 64 random bits, or the likeliest; -1 if none is legal."""
    num_legal = network_probs(net, observation, expert_action, mask, workspace)
    if num_legal == 0:
        return np.int64(-1)
    if not greedy:
        return np.int64(workspace.legal[draw(workspace.scratch.probs, num_legal, noise)])
    log_probs, best = workspace.scratch.log_probs, 0
    for k in range(num_legal):
        best = k if log_probs[k] > log_probs[best] else best
    return np.int64(workspace.legal[best])


@arithmetic
def network_actions(net, greedy, observation, mask, noise, workspace, actions):
    """`network_action` for each row, for networks without an expert, or with the expert action already in the observations."""
    for i in range(observation.shape[0]):
        actions[i] = network_action(net, greedy, observation[i], np.int64(-1), mask[i], noise[i], workspace)


@arithmetic
def network_log_probs(net, observation, mask, actions, workspace, log_probs):
    """The network's log-probability of a legal action in each row; rows as in `network_actions`."""
    for i in range(observation.shape[0]):
        num_legal = network_probs(net, observation[i], np.int64(-1), mask[i], workspace)
        for k in range(num_legal):
            if workspace.legal[k] == actions[i]:
                log_probs[i] = workspace.scratch.log_probs[k]


@device_function
def network_acts(data, observation, mask, num_players, noise):
    """`act` of whole-game kernels (envs/core/kernels.py), with the data of `LearnedAgent.data`."""
    net, greedy, workspace = data
    return network_action(net, greedy, observation, np.int64(-1), mask, noise, workspace)


def _acts_with_expert(data, observation, mask, num_players, noise):
    """`network_acts` for a network with the expert `policy`."""
    net, greedy, workspace = data
    expert_action = np.int64(policy(observation, mask, num_players, mix(noise)))
    return network_action(net, greedy, observation, expert_action, mask, noise, workspace)


@functools.cache
def acts_with_expert(policy: Any) -> Any:
    """`network_acts` for networks with this expert."""
    owner = f"{policy.__module__.rpartition('.')[2]}.{policy.__name__}"
    return bind({"acts_with_expert": _acts_with_expert}, {"policy": policy}, owner)["acts_with_expert"]


# --- memory ---


def make_scratch(*nets: Net, block: int = 8) -> Scratch:
    """Working memory of one thread for these networks and blocks of this size."""
    layers = max(len(net.sizes) for net in nets)
    width = max(int(net.sizes[1:-1].max(initial=net.sizes[0] if len(net.sizes) == 2 else 0)) for net in nets)
    actions = max(num_actions(net) for net in nets)
    return Scratch(
        units=aligned((layers, block, width)),
        places=np.zeros((layers, block, width + 1), np.int32),
        values=np.zeros((layers, block, width + 1), np.float32),
        edges=np.zeros((layers, block, width // TILE + 2), np.int64),
        delta=aligned((block, width)),
        below=aligned((block, width)),
        moved=np.zeros((block, max(int(net.sizes[0]) for net in nets)), np.int32),
        own=np.zeros(block, np.int64),
        rotation_list=np.zeros(max(len(net.rotations.inputs) for net in nets), np.int64),
        log_probs=np.zeros(actions, np.float32),
        probs=np.zeros(actions, np.float32),
    )


def num_actions(net: Net) -> int:
    """The number of a policy's actions."""
    return len(net.rotations.own) or int(net.sizes[-1])


def make_workspace(*nets: Net, block: int = 8) -> Workspace:
    """Like `make_scratch`, with memory for dense observations and masks."""
    inputs, actions = max(int(net.sizes[0]) for net in nets), max(map(num_actions, nets))
    index, value = np.zeros(inputs, np.int32), np.zeros(inputs, np.float32)
    return Workspace(make_scratch(*nets, block=block), index, value, np.zeros(actions, np.int32))


def aligned(shape: tuple[int, ...] | int) -> np.ndarray:
    """Zeros (float32), aligned to a cache line."""
    size = int(np.prod(shape))
    whole = np.zeros(size + _LINE, np.float32)
    first = -whole.ctypes.data // whole.itemsize % _LINE
    return whole[first : first + size].reshape(shape)


def whole_lines(weights: np.ndarray) -> np.ndarray:
    """A network's weights, padded with zeros to whole cache lines."""
    return np.pad(weights, (0, -len(weights) % _LINE))


def flatten(layers: Layers) -> tuple[np.ndarray, np.ndarray]:
    """The vector and `sizes` of a network, from its (weight [inputs, outputs], bias) pairs."""
    parts = []
    for k, (weight, bias) in enumerate(layers):
        parts += [weight.T.ravel() if k == len(layers) - 1 else weight.ravel(), bias]
    sizes = [layers[0][0].shape[0], *(weight.shape[1] for weight, _ in layers)]
    return np.concatenate(parts).astype(np.float32), np.array(sizes, np.int64)


def unflatten(net: Net) -> Layers:
    """Copies of a network's layers."""
    layers, offset = [], 0
    for k, (inputs, outputs) in enumerate(itertools.pairwise(net.sizes.tolist())):
        weight, bias = np.split(net.weights[offset : offset + (inputs + 1) * outputs].copy(), [inputs * outputs])
        last = k == len(net.sizes) - 2
        layers.append((weight.reshape(outputs, inputs).T.copy() if last else weight.reshape(inputs, outputs), bias))
        offset += (inputs + 1) * outputs
    return layers
