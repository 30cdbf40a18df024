"""Agents that are torch networks of your own, and their weights files. Needs torch.

A factory, a function or class at the top level of a module, takes `Shapes` and returns a `torch.nn.Module` that is called as

    logits, value = network(observation, action_mask, history, history_length)

    observation      float32 [B, D]
    action_mask      bool [B, A], True where legal
    history          int64 [B, K, 6], the last K tokens of what each seat has perceived (`envs/core/tokens.py`); K may be 0
    history_length   int64 [B], the number of tokens since the game began, possibly more than K
    logits           [B, A]; those of illegal actions are ignored
    value            [B], the expected return, scaled as in training; only learners use it

A weights file (`.safetensors`, `.npz`) contains the network's state and the name of its factory. Loading it imports the
factory's module, so you must trust the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import envs
from ..envs.core.game import Game, Options
from ..envs.core.tokens import MAX_HISTORY, token_sizes
from . import tensors as tensor_files
from .base import NetworkAgent, View, check_shapes, kernel_array
from .imports import imported
from .learned import check_fits, plain_options, tensors_sha256
from .tensors import WeightsError
from .thoughts import Thoughts
from .views import Views

try:
    import torch
except ImportError as error:
    raise ImportError(f"torch networks need the extra `train`: pip install 'wilddeck[train]' ({error})") from error

FORMAT = tensor_files.MODULE_FORMAT
FORMAT_VERSION = 1

MAX_BYTES = 2**30  # of a file, as of the checkpoints of a run


class Shapes(NamedTuple):
    """The sizes that a network is made for.

    Attributes:
        observation_size: D.
        layout: the blocks of the observation: name -> slice.
        num_actions: A.
        history: K, the number of history tokens.
        token_sizes: the number of values of each category of a token (`tokens.token_sizes`).
        num_players: the number of seats.
    """

    observation_size: int
    layout: dict[str, slice]
    num_actions: int
    history: int
    token_sizes: dict[str, int]
    num_players: int

    @classmethod
    def of(cls, game: Game, options: Options, history: int) -> Shapes:
        """The sizes of a game."""
        players = options.num_players
        return cls(
            observation_size=game.observation_size(options),
            layout=game.observation.slices(players),
            num_actions=game.num_actions(options),
            history=history,
            token_sizes=token_sizes(players, len(game.cards)),
            num_players=players,
        )


def masked(logits: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
    """The logits, with -inf for illegal actions."""
    return logits.masked_fill(~action_mask, -torch.inf)


class ModuleAgent(NetworkAgent):
    """An agent that is a torch network: it samples from its distribution over the legal actions, or plays the likeliest.

    Args:
        factory: the name of the network's factory, `module:name`.
        shapes: the sizes that the network is made for.
        greedy: play the likeliest action instead of sampling.
        name: shown in tables.
        module: the network; None: a new one, made by the factory.

    Attributes:
        trained_options, training: as in `LearnedAgent`.
    """

    def __init__(
        self, factory: str, shapes: Shapes, greedy: bool = False, name: str = "module", module: torch.nn.Module | None = None
    ) -> None:
        self.factory, self.shapes, self.greedy, self.name = factory, shapes, greedy, name
        self.module = new_module(factory, shapes) if module is None else module
        self.history = shapes.history
        self.trained_options: dict[str, Any] = {}
        self.training: dict[str, Any] = {}

    def logits(self, views: Views) -> np.ndarray:
        """The logits, float32 [M, A], with -inf for illegal actions."""
        return self._outputs(views)[0]

    def _outputs(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
        """Logits, and values float32 [M]."""
        sizes = self.shapes.observation_size, self.shapes.num_actions
        check_shapes(self.name, sizes, views.observation, views.action_mask)
        if views.history.shape[1] != self.history:
            raise ValueError(f"{self.name} takes {self.history} history tokens, not {views.history.shape[1]}")
        with torch.inference_mode():
            seen = inputs_of(views, device_of(self.module))
            logits, value = self.module(*seen)
            return masked(logits.float(), seen[1]).cpu().numpy(), value.float().cpu().numpy()

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        logits = self.logits(views)
        if not self.greedy:  # the largest sum with such noise is drawn by these probabilities
            logits = logits + rng.gumbel(size=logits.shape).astype(np.float32)
        return logits.argmax(axis=1)

    def log_probs(self, views: Views, actions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if self.greedy:
            return np.zeros(len(views), np.float32)
        logits = self.logits(views)
        highest = logits.max(axis=1, keepdims=True)
        total = np.log(np.exp(logits - highest).sum(axis=1)) + highest[:, 0]
        return logits[np.arange(len(views)), actions] - total

    def thoughts(self, view: View, rng: np.random.Generator) -> Thoughts:
        logits, value = self._outputs(view.alone(self))
        legal = view.legal_actions
        scores = logits[0, legal].astype(np.float64)
        probs = np.exp(scores - scores.max())
        return Thoughts(legal, probs / probs.sum(), value=float(value[0]) / self.training.get("reward_scale", 1.0))

    def tensors(self) -> dict[str, np.ndarray]:
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.module.state_dict().items()}

    def like(self, tensors: Mapping[str, np.ndarray] | None = None, greedy: bool = False) -> ModuleAgent:
        agent = ModuleAgent(self.factory, self.shapes, greedy)
        agent.load_tensors(self.tensors() if tensors is None else tensors)
        agent.module.to(device_of(self.module))
        return agent

    def load_tensors(self, tensors: Mapping[str, np.ndarray]) -> None:
        """Replace the network's state.

        Raises:
            WeightsError: names or shapes differ from this network's.
        """
        known = self.module.state_dict()
        for name in sorted({*known, *tensors}):
            ours = f"{tuple(known[name].shape)}" if name in known else "nothing"
            theirs = f"{tuple(tensors[name].shape)}" if name in tensors else "nothing"
            if ours != theirs:
                raise WeightsError(f"these weights do not fit {self.factory}: {name} is {theirs}, not {ours}")
        self.module.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in tensors.items()})

    def save(
        self,
        path: Path | str,
        game: Game | str,
        options: Options | Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        game, options = envs.resolve(game, options)
        tensors = self.tensors()
        about = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "game": game.id,
            "spaces_digest": game.spaces_digest,
            "options": plain_options(options),
            "observation_size": self.shapes.observation_size,
            "num_actions": self.shapes.num_actions,
            "history": self.history,
            "network": self.factory,
            "greedy": self.greedy,
            "sha256": tensors_sha256(tensors),
            "training": dict(self.training if training is None else training),
        }
        check_fits(Path(path), about, game, options)
        tensor_files.write(path, about, tensors)


def new_module(factory: str, shapes: Shapes) -> torch.nn.Module:
    """Make a network by its factory.

    Raises:
        ValueError: the factory does not exist, or returns something else.
    """
    module = imported(factory)(shapes)
    if not isinstance(module, torch.nn.Module):
        raise ValueError(f"{factory} must return a torch.nn.Module, not {type(module).__name__!r}")
    return module


def check_module(agent: ModuleAgent) -> None:
    """Check the shapes that the network returns for two empty decisions.

    Raises:
        ValueError: they are wrong; the message names the right ones.
    """
    shapes, device = agent.shapes, device_of(agent.module)
    seen = (
        torch.zeros((2, shapes.observation_size), device=device),
        torch.ones((2, shapes.num_actions), dtype=torch.bool, device=device),
        torch.zeros((2, shapes.history, 6), dtype=torch.int64, device=device),
        torch.zeros(2, dtype=torch.int64, device=device),
    )
    returned = agent.module(*seen)
    found = [tuple(getattr(part, "shape", ())) for part in returned] if isinstance(returned, tuple) else type(returned).__name__
    wanted = [(2, shapes.num_actions), (2,)]
    if found != wanted:
        raise ValueError(
            f"{agent.factory}: for 2 decisions the network must return logits and value of shapes {wanted}, not {found}"
        )


def device_of(module: torch.nn.Module) -> torch.device:
    """The device of a network."""
    return next((parameter.device for parameter in module.parameters()), torch.device("cpu"))


def inputs_of(views: Views, device: torch.device) -> tuple[torch.Tensor, ...]:
    """The arguments that a network is called with."""
    return (
        torch.from_numpy(kernel_array(views.observation, np.float32)).to(device),
        torch.from_numpy(kernel_array(views.action_mask, np.uint8)).to(device) != 0,
        torch.from_numpy(views.history.astype(np.int64)).to(device),
        torch.from_numpy(views.history_length.astype(np.int64)).to(device),
    )


_FIELDS: dict[str, type] = {
    "version": int,
    "game": str,
    "spaces_digest": str,
    "options": dict,
    "observation_size": int,
    "num_actions": int,
    "history": int,
    "network": str,
    "greedy": bool,
    "sha256": str,
    "training": dict,
}


def load(
    path: Path | str,
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    greedy: bool | None = None,
    trust: bool = False,
) -> ModuleAgent:
    """Load an agent from a file written by `ModuleAgent.save`.

    Args:
        path: the file.
        game, options: the game to play: a game or its id, and options or a mapping.
        greedy: overrides the file's setting.
        trust: must be True, because the module named in the file is imported.

    Raises:
        WeightsError: `trust` is not True, or the file is missing, too large, damaged, not for this game, or does not fit the
            network that the factory makes now.
    """
    path = Path(path)
    game, options = envs.resolve(game, options)
    about, tensors = tensor_files.read(path, FORMAT, MAX_BYTES)
    for name, kind in _FIELDS.items():
        if type(about.get(name)) is not kind:
            raise WeightsError(f"{path}: {name!r} is missing from its description or not of type {kind.__name__}")
    if about["version"] != FORMAT_VERSION:
        raise WeightsError(f"{path} has version {about['version']!r} of the format; this wilddeck reads {FORMAT_VERSION}")
    if trust is not True:
        raise WeightsError(
            f"{path} has a network of {about['network']!r}, which would be imported and run here; "
            "load it with --trust (trust=True) if you trust that module"
        )
    check_fits(path, about, game, options)
    if not 0 <= about["history"] <= MAX_HISTORY:
        raise WeightsError(f"{path}: history={about['history']} is not within 0..{MAX_HISTORY}")
    if tensors_sha256(tensors) != about["sha256"]:
        raise WeightsError(f"{path}: the weights do not match the file's checksum; the file is damaged or was edited")
    greedy = about["greedy"] if greedy is None else greedy
    try:
        agent = ModuleAgent(about["network"], Shapes.of(game, options, about["history"]), greedy, path.stem)
    except ValueError as error:
        raise WeightsError(f"{path}: {error}") from None
    agent.load_tensors(tensors)
    agent.trained_options, agent.training = about["options"], about["training"]
    return agent
