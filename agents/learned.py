"""Learned agents: policy networks that run without torch, and their weights files.

Weights are stored in `.safetensors` or `.npz` files, which contain numbers and text and cannot run code. The text (a JSON
object under the key `wilddeck`) describes what the weights are for, and is checked before they are used. `wilddeck.training`
writes such files.

The tensors are `layers.K.weight` [inputs, outputs] and `layers.K.bias` [outputs] for K = 0, 1, ..., in float32, or in float16
for smaller files (converted to float32 when loaded), with the activation between layers. The input is the observation,
followed, if the network has an expert, by the one-hot action of that rule-based agent. The output is the logits of the actions.
The inputs and outputs of equivariant networks are those of `envs/core/rotations.py`.
"""

from __future__ import annotations

import hashlib
import itertools
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from .. import envs
from ..envs.core.game import Game, Options
from ..envs.core.rotations import NO_ROTATIONS, Rotations, make_rotations
from . import network, rules
from . import tensors as tensor_files
from .base import Agent, NetworkAgent, PolicyAgent, View, check_shapes, kernel_array
from .network import Layers, Net, Workspace
from .tensors import WeightsError as WeightsError
from .thoughts import Thoughts
from .views import Views

logger = logging.getLogger("wilddeck")

FORMAT = "wilddeck policy"
FORMAT_VERSION = 1
MAX_BYTES = 64 * 2**20
MAX_LAYERS = 16

ACTIVATIONS = {"tanh": network.TANH, "relu": network.RELU}


class LearnedAgent(NetworkAgent):
    """An agent that is a policy network: it samples from its distribution over the legal actions, or plays the likeliest.

    Args:
        layers: a pair (weight float32 [inputs, outputs], bias float32 [outputs]) per layer.
        activation: "tanh" or "relu", between the layers.
        greedy: play the likeliest action instead of sampling.
        name: shown in tables.
        expert: an agent whose action is an additional input; it depends on the observation only.
        rotations: of an equivariant network (`network`): those of the game (`make_rotations`).

    Attributes:
        trained_options: the options that the network was trained with; others of the same sizes may be played.
        training: the file's record of the training (steps, seed, evaluations, ...).
    """

    def __init__(
        self,
        layers: Layers,
        activation: str = "tanh",
        greedy: bool = False,
        name: str = "learned",
        expert: PolicyAgent | None = None,
        rotations: Rotations = NO_ROTATIONS,
    ) -> None:
        if activation not in ACTIVATIONS:
            raise ValueError(f"unknown activation {activation!r}; allowed: {', '.join(ACTIVATIONS)}")
        self.layers = [(np.ascontiguousarray(w, np.float32), np.ascontiguousarray(b, np.float32)) for w, b in layers]
        flat = all(w.ndim == 2 and b.shape == w.shape[1:] for w, b in self.layers)
        if not self.layers or not flat or any(a[1] != b[0] for a, b in itertools.pairwise(self.shapes)):
            raise ValueError(f"the shapes of these layers do not fit together: {self.shapes}")
        self.vector, self.sizes = network.flatten(self.layers)
        self.activation, self.greedy, self.name, self.expert, self.rotations = activation, greedy, name, expert, rotations
        self.trained_options: dict[str, Any] = {}
        self.training: dict[str, Any] = {}

    @property
    def shapes(self) -> list[list[int]]:
        """[inputs, outputs] of each layer."""
        return [list(weight.shape) for weight, _ in self.layers]

    def like(self, tensors: Mapping[str, np.ndarray] | None = None, greedy: bool = False) -> LearnedAgent:
        layers = self.layers if tensors is None else _layers(tensors)
        return LearnedAgent(layers, self.activation, greedy, expert=self.expert, rotations=self.rotations)

    def logits(self, observation: np.ndarray) -> np.ndarray:
        """The logits, float32 [M, A], of what the network sees (`seen`), not masked.

        This is for inspection; play uses the compiled pass of `agents.network`, whose rounding differs.
        """
        if not self.is_equivariant:
            return self._outputs(observation)
        size, inputs, rotations = self.observation_size, int(self.sizes[0]), self.rotations
        whole = np.pad(observation, ((0, 0), (0, inputs - observation.shape[1])))
        found = np.zeros((len(observation), self.num_actions), np.float32)
        if not rotations.by_action:
            by_state = (observation[:, :size] @ rotations.weights[:, :size].T).argmax(axis=1)
            for rotation in np.unique(by_state):
                rows = np.flatnonzero(by_state == rotation)
                rotated = np.zeros((len(rows), inputs), np.float32)
                rotated[:, rotations.inputs[rotation, :inputs]] = whole[rows]
                rotated[:, size + rotation] = 1
                found[rows] = self._outputs(rotated)[:, rotations.actions[rotation]]
            return found
        for rotation, places in enumerate(rotations.inputs[:, :inputs]):
            rotated = np.zeros_like(whole)
            rotated[:, places] = whole
            for action in np.flatnonzero(rotations.own[:, 0] == rotation):
                own = rotated.copy()
                own[:, rotations.own[action, 1]] = 1
                found[:, action] = self._outputs(own)[:, 0]
        return found

    def _outputs(self, x: np.ndarray) -> np.ndarray:
        for k, (weight, bias) in enumerate(self.layers):
            if k:
                x = np.tanh(x) if self.activation == "tanh" else np.maximum(x, np.float32(0))
            x = x @ weight + bias
        return x

    def probabilities(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The probability of each action, float32 [M, A], given observations float32 [M, D] and masks uint8 [M, A]. `rng` is
        for the expert. Rounding differs from play, see `logits`."""
        scores = np.where(action_mask != 0, self.logits(self.seen(observation, action_mask, rng)), np.float32(-np.inf))
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        return likely / likely.sum(axis=1, keepdims=True)

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        observation, action_mask = views.observation, views.action_mask
        check_shapes(self.name, (self.observation_size, self.num_actions), observation, action_mask)
        seen = kernel_array(self.seen(observation, action_mask, rng), np.float32)
        noise, actions = rng.integers(0, 2**64, len(seen), np.uint64), np.empty(len(seen), np.int64)
        net, greedy, workspace = self.data()
        network.network_actions(net, greedy, seen, kernel_array(action_mask, np.uint8), noise, workspace, actions)
        return actions

    def log_probs(self, views: Views, actions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        found = np.zeros(len(views), np.float32)
        if not self.greedy:
            net, _, workspace = self.data()
            seen = kernel_array(self.seen(views.observation, views.action_mask, rng), np.float32)
            network.network_log_probs(net, seen, kernel_array(views.action_mask, np.uint8), actions, workspace, found)
        return found

    @property
    def is_equivariant(self) -> bool:
        return len(self.rotations.inputs) > 0

    @property
    def num_actions(self) -> int:
        return len(self.rotations.own) or int(self.sizes[-1])

    @property
    def observation_size(self) -> int:
        return int(self.sizes[0]) - self.num_actions * (self.expert is not None) - self.rotations.more_inputs

    def seen(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """What the network sees, float32 [M, D]: observations, and one-hot behind them what its expert would do, in
        equivariant networks after zeros for the action that is scored or the rotation."""
        if self.expert is None:
            return observation
        expert_action = self.expert.act_batch(Views.of(observation, action_mask), rng)
        between = np.zeros((len(observation), self.rotations.more_inputs), np.float32)
        return np.hstack([observation, between, np.eye(self.num_actions, dtype=np.float32)[expert_action]])

    @property
    def net(self) -> Net:
        """The network as compiled code takes it."""
        return Net(self.vector, self.sizes, ACTIVATIONS[self.activation], self.rotations)

    @property
    def acts(self) -> Any:
        """The kernel that plays by `data` in whole-game kernels."""
        return network.network_acts if self.expert is None else network.acts_with_expert(self.expert.policy)

    def data(self, greedy: bool | None = None) -> tuple[Net, bool, Workspace]:
        """What `acts` plays by, with scratch of its own; `greedy` overrides the agent's."""
        return self.net, self.greedy if greedy is None else greedy, network.make_workspace(self.net)

    def action_probs(self, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """The probabilities of the legal actions (float64, by ascending action), given an observation float32 [D] and a mask
        uint8 [A]. The same computation as in play, except for random choices of an expert."""
        net, _, workspace = self.data()
        seen = kernel_array(self.seen(observation[None], action_mask[None], np.random.default_rng(0))[0], np.float32)
        count = network.network_probs(net, seen, -1, kernel_array(action_mask, np.uint8), workspace)
        return workspace.scratch.probs[:count].astype(np.float64)

    def thoughts(self, view: View, rng: np.random.Generator) -> Thoughts:
        return Thoughts(view.legal_actions, self.action_probs(view.observation, view.action_mask))

    def tensors(self) -> dict[str, np.ndarray]:
        tensors = {}
        for k, (weight, bias) in enumerate(self.layers):
            tensors[f"layers.{k}.weight"], tensors[f"layers.{k}.bias"] = weight, bias
        return tensors

    def save(
        self,
        path: Path | str,
        game: Game | str,
        options: Options | Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        save(path, self, game, options, training)


def save(
    path: Path | str,
    agent: LearnedAgent,
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    training: Mapping[str, Any] | None = None,
    half: bool = False,
) -> None:
    """Write an agent's weights and their description to a `.safetensors` or `.npz` file, atomically.

    Equal weights and descriptions give equal bytes.

    Args:
        path: the file.
        agent: the agent.
        game, options: a game or its id, and options or a mapping.
        training: information for the file, in JSON types (steps, seed, evaluations).
        half: round the weights to float16, which halves the size of the file.

    Raises:
        ValueError: the path has another suffix, or the network does not fit the game.
        OSError: the file could not be written; an existing file is kept.
    """
    path = Path(path)
    game, options = envs.resolve(game, options)
    tensors = agent.tensors()
    if half:
        with np.errstate(over="ignore"):  # what is too large is refused below
            tensors = {name: array.astype(np.float16) for name, array in tensors.items()}
    about = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "game": game.id,
        "spaces_digest": game.spaces_digest,
        "options": plain_options(options),
        "observation_size": game.observation_size(options),
        "num_actions": game.num_actions(options),
        "layers": agent.shapes,
        "activation": agent.activation,
        "expert": agent.expert.name if agent.expert else None,
        **({"equivariant": True} if agent.is_equivariant else {}),
        "greedy": agent.greedy,
        "sha256": tensors_sha256(tensors),
        "training": dict(agent.training if training is None else training),
    }
    check_fits(path, about, game, options)
    _check_layers(path, about, agent.rotations)
    _check_tensors(path, about, tensors)
    _check_reach(path, _layers(tensors), agent.activation, agent.rotations, game, options)
    tensor_files.write(path, about, tensors)


def load(
    path: Path | str,
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    greedy: bool | None = None,
) -> LearnedAgent:
    """Load an agent from a `.safetensors` or `.npz` file written by `save`.

    Options other than those of the training (`trained_options`) are accepted, with a log message, if the observation and action
    sizes are the same.

    Args:
        path: the file.
        game, options: the game to play: a game or its id, and options or a mapping.
        greedy: overrides the file's setting.

    Raises:
        WeightsError: the file is missing, too large, damaged or not a weights file, or its weights are not for this game.
    """
    path = Path(path)
    if path.suffix == ".zip":
        raise WeightsError(f"{path} is a Stable-Baselines3 archive: {_ZIP_WARNING}")
    game, options = envs.resolve(game, options)
    about, tensors = _read(path)
    check_fits(path, about, game, options)
    rotations = make_rotations(game, options) if about.get("equivariant", False) else NO_ROTATIONS
    _check_layers(path, about, rotations)
    _check_tensors(path, about, tensors)
    layers = _layers(tensors)
    _check_reach(path, layers, about["activation"], rotations, game, options)
    greedy = about["greedy"] if greedy is None else greedy
    agent = LearnedAgent(layers, about["activation"], greedy, path.stem, _expert(path, about, game, options), rotations)
    agent.trained_options, agent.training = about["options"], about["training"]
    if agent.trained_options != plain_options(options):
        logger.info("%s was trained with %s and plays with %s", path, _text(agent.trained_options), _text(vars(options)))
    return agent


def read_about(path: Path) -> dict[str, Any]:
    """The description in a weights file, checked as far as possible without a game (WeightsError as in `load`)."""
    return _read(path)[0]


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    about, tensors = tensor_files.read(path, FORMAT, MAX_BYTES)
    _check_about(path, about)
    return about, tensors


_ZIP_WARNING = (
    "loading it can run code. If you trust its author, convert it once: "
    "agent = wilddeck.agents.learned.load_zip(path, game, options, trust=True), then "
    'wilddeck.agents.learned.save("agent.safetensors", agent, game, options)'
)


def load_zip(
    path: Path | str,
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    trust: bool = False,
    greedy: bool = False,
) -> LearnedAgent:
    """Load an agent from a `.zip` file of sb3-contrib's MaskablePPO with an MLP policy. Needs the extra `train`.

    Args:
        path: the file.
        game, options: the game to play: a game or its id, and options or a mapping.
        trust: must be True, because loading such a file can run code.
        greedy: play the likeliest action instead of sampling.

    Raises:
        WeightsError: `trust` is not True, or the file is missing, not such an archive, or not for this game.
        ImportError: the extra `train` is not installed.
    """
    path = Path(path)
    if trust is not True:
        raise WeightsError(f"{path} is not loaded: {_ZIP_WARNING}")
    game, options = envs.resolve(game, options)
    tensor_files.read_bytes(path, MAX_BYTES)
    try:
        from sb3_contrib import MaskablePPO
    except ImportError as error:
        raise ImportError(
            f"Stable-Baselines3 archives need the extra `train`: pip install 'wilddeck[train]' ({error})"
        ) from error
    try:
        policy = MaskablePPO.load(path, device="cpu").policy
    except Exception as error:  # whatever pickle, zipfile and torch raise for a file that is not what it should be
        raise WeightsError(f"{path} is not an archive of sb3-contrib's MaskablePPO: {error}") from error
    layers, activation = layers_of(policy)
    sizes = (layers[0][0].shape[0], layers[-1][0].shape[1])
    played = (game.observation_size(options), game.num_actions(options))
    if sizes != played:
        raise WeightsError(
            f"{path} has {sizes[0]} inputs and {sizes[1]} actions; {game.id} with {_text(vars(options))} has "
            f"{played[0]} and {played[1]}"
        )
    _check_reach(path, layers, activation, NO_ROTATIONS, game, options)
    return LearnedAgent(layers, activation, greedy, path.stem)


def layers_of(policy: Any) -> tuple[list[tuple[np.ndarray, np.ndarray]], str]:
    """Copies of the layers of a Stable-Baselines3 MLP policy's action network, and its activation.

    Raises:
        WeightsError: the policy is not a plain MLP over a flat observation.
    """
    extractor = type(policy.features_extractor).__name__
    modules = [*getattr(policy.mlp_extractor, "policy_net", ()), policy.action_net]
    kinds = [type(module).__name__ for module in modules]
    activations = {kind.lower() for kind in kinds[1:-1:2]}
    if (
        extractor != "FlattenExtractor"
        or set(kinds[::2]) != {"Linear"}
        or len(activations) > 1
        or activations - set(ACTIVATIONS)
    ):
        raise WeightsError(f"the policy is not an MLP with {' or '.join(ACTIVATIONS)}: {extractor}, {', '.join(kinds)}")
    layers = [(_numpy(module.weight.T), _numpy(module.bias)) for module in modules[::2]]
    return layers, activations.pop() if activations else "tanh"


def _numpy(tensor: Any) -> np.ndarray:
    return np.array(tensor.detach().cpu().numpy(), np.float32, order="C")


def side_by_side(first: LearnedAgent, second: LearnedAgent, of_first: np.ndarray) -> LearnedAgent:
    """One network that scores some actions as the first does and all others as the second, exactly: both side by side, each
    with hidden units and inputs of its own, and with the outputs that are its part. Otherwise it is like the second.

    Args:
        first: has no expert, or that of the second.
        of_first: bool [A], the actions that are scored by the first.

    Raises:
        ValueError: they have different activations or numbers of layers, or are equivariant.
    """
    shapes = [(each.activation, len(each.layers)) for each in (first, second)]
    if shapes[0] != shapes[1]:
        raise ValueError("networks side by side have the same activation and number of layers, not {} and {}".format(*shapes))
    if first.is_equivariant or second.is_equivariant:
        raise ValueError("networks side by side cannot be equivariant")
    layers, last = [], len(second.layers) - 1
    for k, ((one, one_bias), (other, other_bias)) in enumerate(zip(first.layers, second.layers, strict=True)):
        if k == 0:  # the second may see more: what its expert would do
            one = np.pad(one, ((0, len(other) - len(one)), (0, 0)))
        if k == last:
            parts = one * of_first, other * ~of_first
            weight = sum(parts) if k == 0 else np.vstack(parts)
            layers.append((weight, np.where(of_first, one_bias, other_bias)))
            break
        if k == 0:
            weight = np.hstack([one, other])
        else:
            weight = np.zeros(np.add(one.shape, other.shape), np.float32)
            weight[: len(one), : one.shape[1]], weight[len(one) :, one.shape[1] :] = one, other
        layers.append((weight, np.concatenate([one_bias, other_bias])))
    both = LearnedAgent(layers, second.activation, second.greedy, second.name, second.expert)
    both.trained_options, both.training = second.trained_options, second.training
    return both


def tensors_sha256(tensors: Mapping[str, np.ndarray]) -> str:
    """A digest of names, shapes and values, independent of the file format."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name], "<f4")
        digest.update(f"{name} {array.shape}\n".encode() + array.tobytes())
    return digest.hexdigest()


# --- checks ---


_DTYPES = (np.float32, np.float16)
_FIELDS: dict[str, type] = {
    "version": int,
    "game": str,
    "spaces_digest": str,
    "options": dict,
    "observation_size": int,
    "num_actions": int,
    "layers": list,
    "activation": str,
    "greedy": bool,
    "sha256": str,
    "training": dict,
}


def _check_about(path: Path, about: Mapping[str, Any]) -> None:
    if type(about.get("version")) is not int or about["version"] != FORMAT_VERSION:
        raise WeightsError(f"{path} has version {about.get('version')!r} of the format; this wilddeck reads {FORMAT_VERSION}")
    if "expert" not in about:
        raise WeightsError(f"{path}: 'expert' is missing from its description")
    for name, kind in _FIELDS.items():
        if type(about.get(name)) is not kind:
            raise WeightsError(f"{path}: {name!r} is missing from its description or not of type {kind.__name__}")
    if type(about.get("equivariant", False)) is not bool:
        raise WeightsError(f"{path}: 'equivariant' in its description is not true or false")
    if about["activation"] not in ACTIVATIONS:
        raise WeightsError(f"{path}: unknown activation {about['activation']!r}; allowed: {', '.join(ACTIVATIONS)}")


def check_fits(path: Path, about: Mapping[str, Any], game: Game, options: Options) -> None:
    """Raise WeightsError if a file's network is for another game or other sizes."""
    if about["game"] != game.id:
        raise WeightsError(f"{path} is for {about['game']}, not for {game.id}")
    if about["spaces_digest"] != game.spaces_digest:
        raise WeightsError(f"{path} was trained with another release of {game.id}; train again or use that release")
    trained = (about["observation_size"], about["num_actions"])
    played = (game.observation_size(options), game.num_actions(options))
    if trained != played:
        raise WeightsError(
            f"{path} is for {game.id} with {_text(about['options'])} ({trained[0]} observations, {trained[1]} actions); "
            f"with {_text(plain_options(options))} the game has {played[0]} and {played[1]}"
        )


def _check_layers(path: Path, about: Mapping[str, Any], rotations: Rotations) -> None:
    shapes, actions = about["layers"], about["num_actions"]
    inputs = about["observation_size"] + actions * bool(about["expert"]) + rotations.more_inputs
    outputs = 1 if rotations.by_action else actions
    plain = all(isinstance(s, list) and len(s) == 2 and all(type(n) is int and n > 0 for n in s) for s in shapes)
    if not plain or not 1 <= len(shapes) <= MAX_LAYERS:
        raise WeightsError(f"{path}: layers must be 1 to {MAX_LAYERS} pairs [inputs, outputs], not {shapes}")
    ends = [inputs, *(shape[1] for shape in shapes)]
    if [shape[0] for shape in shapes] != ends[:-1] or ends[-1] != outputs:
        raise WeightsError(f"{path}: the layers {shapes} do not map {inputs} inputs to {outputs} outputs")


def _expert(path: Path, about: Mapping[str, Any], game: Game, options: Options) -> PolicyAgent | None:
    """The agent whose action is an input of the network, if any."""
    spec = about["expert"]
    if spec is None:
        return None
    kind, _, style = spec.partition(":") if isinstance(spec, str) else ("", "", "")
    try:
        if kind != "rules":
            raise ValueError(f"unknown expert {spec!r}; allowed: None, 'rules', 'rules:STYLE'")
        return rules.make(game, options, style)
    except ValueError as error:
        raise WeightsError(f"{path}: {error}") from None


def _check_tensors(path: Path, about: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> None:
    shapes: dict[str, tuple[int, ...]] = {}
    for k, (inputs, outputs) in enumerate(about["layers"]):
        shapes[f"layers.{k}.weight"], shapes[f"layers.{k}.bias"] = (inputs, outputs), (outputs,)
    if set(tensors) != set(shapes):
        raise WeightsError(f"{path} has the tensors {', '.join(sorted(tensors))} instead of {', '.join(shapes)}")
    for name, shape in shapes.items():
        array = tensors[name]
        if array.dtype not in _DTYPES or array.shape != shape:
            raise WeightsError(f"{path}: {name} is {array.dtype} {list(array.shape)}, not float32 or float16 {list(shape)}")
        if not np.isfinite(array).all():
            raise WeightsError(f"{path}: {name} has values that are not finite")
    if tensors_sha256(tensors) != about["sha256"]:
        raise WeightsError(f"{path}: the weights do not match the file's checksum; the file is damaged or was edited")


def _layers(tensors: Mapping[str, np.ndarray]) -> Layers:
    return [(tensors[f"layers.{k}.weight"], tensors[f"layers.{k}.bias"]) for k in range(len(tensors) // 2)]


def _check_reach(path: Path, layers: Layers, activation: str, rotations: Rotations, game: Game, options: Options) -> None:
    """Raise WeightsError if the forward pass could overflow, by a bound on each unit over all observations within bounds."""
    inputs = np.abs(game.observation_bounds(options)).max(axis=0)
    reach = np.ones(layers[0][0].shape[0], np.float32)  # of actions, one-hot behind the observation
    reach[: len(inputs)] = inputs
    for places in rotations.inputs:
        np.maximum.at(reach, places[: len(inputs)], inputs)
    for k, (weight, bias) in enumerate(layers, 1):
        with np.errstate(over="ignore"):
            reach = reach @ np.abs(weight.astype(np.float32)) + np.abs(bias)
        follows = ACTIVATIONS[activation] if k < len(layers) else network.RELU  # nothing does, which is as good
        limit = network.REACH[follows]
        if not (reach <= limit).all():  # nor what is no number
            raise WeightsError(
                f"{path}: the weights are too large: layer {k} of {len(layers)} could reach {reach.max():.3g}; float32 allows "
                f"{limit:.3g}{' before tanh' if follows == network.TANH else ''}"
            )
        if follows == network.TANH:
            reach = np.ones_like(reach)


def plain_options(options: Options) -> dict[str, Any]:
    """The options in JSON types."""
    return {name: _plain(value) for name, value in vars(options).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _text(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.items())


def is_known(agent: Agent) -> TypeGuard[LearnedAgent]:
    """Whether an agent's action probabilities are known exactly: it is a network without an expert."""
    return isinstance(agent, LearnedAgent) and agent.expert is None
