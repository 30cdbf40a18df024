"""Games for RLlib's new API stack (Ray 2.60 or newer): one learner's seat in many games, or all seats of one.

    from wilddeck.frameworks import rllib

    config = rllib.ppo("tennis_v0", opponents="random")  # PPO for one seat, vectorised in compiled code
    algorithm = config.build_algo()
    agent = rllib.agent_of(algorithm)  # after training; plays wherever agents play

`SEATS` and `TURNS` are the names of the environments, `MaskedModule` is a network for both. RLlib uses vectors of compiled
games only for single-agent environments (mode "vector_entry_point"); it makes and steps multi-agent environments one by one.

Needs ray[rllib] and torch.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import gymnasium
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core import Columns
from ray.rllib.core.distribution.torch.torch_distribution import TorchCategorical
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.tune.registry import register_env

from .. import envs
from ..agents.learned import LearnedAgent
from ..envs.core.aec import CardGameEnv
from ..envs.core.game import Game
from ..seats.config import SeatConfig, SeatSpaces
from ..seats.single_seat import SingleSeatEnv
from ..seats.vector import SeatVectorEnv
from .weights import agent_of as _agent_of

SEATS, TURNS = "wilddeck_seats", "wilddeck_turns"  # the names by which `config.environment` knows the two
ILLEGAL = -1e9  # the logit of an illegal action


def seats(config: Mapping[str, Any]) -> gymnasium.Env[Any, Any] | gymnasium.vector.VectorEnv:
    """One learner's seat for `config.environment(SEATS, env_config=...)`: a vector of compiled games if RLlib asks for one
    (`gym_env_vectorize_mode="vector_entry_point"`), else a single game. Masks are in the observation.

    Args:
        config: parameters of `wilddeck.seats.vector.SeatVectorEnv` by name, including "game", and options of the game.
    """
    parameters = {**config, "mask": "observation"}
    if "num_envs" not in parameters:
        return SingleSeatEnv(**parameters)
    return SeatVectorEnv(**parameters, autoreset="next_step")  # the only mode that RLlib supports


class TurnsEnv(MultiAgentEnv):
    """A game with all its seats as agents ("player_0", ...), each of which acts on its turn.

    An observation is a dictionary of "observation" (float32 [D]) and "action_mask" (int8 [A]). Seats get rewards when they are
    earned; RLlib sums them from one decision of a seat to its next. What a seat earned before its first decision is added to
    that decision's reward. At the end, every seat that made a decision gets a final observation.

    Args:
        config: "game" (a game or its id), "illegal" ("raise" or "penalty", as in `seats`; RLlib's environment check ignores
            masks and needs "penalty") and options of the game.

    Raises:
        ValueError: a game or option is unknown; in `step`, an action is illegal, unless "illegal" is "penalty".
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        parameters = dict(config)
        game_id, illegal = parameters.pop("game"), parameters.pop("illegal", "raise")
        chosen, checked = envs.resolve(game_id, parameters)
        self.raw_env = CardGameEnv(chosen, checked)
        self.possible_agents = list(self.raw_env.possible_agents)
        self.agents = list(self.possible_agents)
        of_a_seat = SeatSpaces(chosen, checked, SeatConfig(mask="observation", illegal=illegal))
        self._forgiving, self._least = illegal == "penalty", chosen.return_range(checked)[0]
        self.observation_spaces = dict.fromkeys(self.possible_agents, of_a_seat.observation)
        self.action_spaces = dict.fromkeys(self.possible_agents, of_a_seat.action)
        self._early: dict[str, float] = {}  # rewards of seats before their first decision
        self._returns: dict[str, float] = {}
        self._decided: set[str] = set()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin the next game; a seed seeds it and those that follow."""
        self.raw_env.reset(seed=seed, options=options)
        self._early, self._decided = dict.fromkeys(self.possible_agents, 0.0), set()
        self._returns = dict.fromkeys(self.possible_agents, 0.0)
        return self._seen(self.raw_env.agent_selection), {}

    def step(self, action_dict: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play the action of the agent whose turn it is."""
        raw = self.raw_env
        mover = raw.agent_selection
        if self._forgiving and not raw.is_legal(action_dict[mover]):
            return self._seen(mover), {mover: self._least - self._returns[mover]}, {"__all__": True}, {"__all__": False}, {}
        raw.step(int(action_dict[mover]))
        earned = {name: float(reward) for name, reward in raw.rewards.items()}
        if mover not in self._decided:
            earned[mover] += self._early[mover]
            self._decided.add(mover)
        for name in self._early.keys() - self._decided:
            self._early[name] += earned.pop(name)
        for name, reward in earned.items():
            self._returns[name] += reward
        terminated, truncated = any(raw.terminations.values()), any(raw.truncations.values())
        observations = (
            [name for name in self.possible_agents if name in self._decided]
            if terminated or truncated
            else [raw.agent_selection]
        )
        return self._seen(*observations), earned, {"__all__": terminated}, {"__all__": truncated}, {}

    def _seen(self, *names: str) -> dict[str, Any]:
        return {name: self.raw_env.observe(name) for name in names}


register_env(SEATS, seats)
register_env(TURNS, TurnsEnv)


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """A policy network and a value network; illegal actions are masked.

    `model_config`: "hidden", the widths of the hidden layers (default 128, 128); the activation is tanh.
    """

    def setup(self) -> None:
        hidden = self.model_config.get("hidden", (128, 128))
        size, actions = self.observation_space["observation"].shape[0], int(self.action_space.n)
        self.policy, self.value = _network(size, *hidden, actions), _network(size, *hidden, 1)
        self.action_dist_cls = TorchCategorical

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        logits = self.policy(seen["observation"])
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, ILLEGAL)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        return self.value(batch[Columns.OBS]["observation"]).squeeze(-1)


def _network(*sizes: int) -> torch.nn.Sequential:
    layers: list[torch.nn.Module] = []
    for inputs, outputs in itertools.pairwise(sizes):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.Tanh()]
    return torch.nn.Sequential(*layers[:-1])


def ppo(game: Game | str, opponents: Any = "random", num_envs: int = 64, **parameters: Any) -> PPOConfig:
    """A PPO configuration for one seat against agents, on vectors of compiled games, with settings that work; change it freely.

    Args:
        game: a game or its id.
        opponents: an agent string for all other seats, or a list with one for each, clockwise from the learner.
        num_envs: the number of parallel games per env runner.
        parameters: other parameters of `seats`: seat, threads, trust, and options of the game.
    """
    return (
        PPOConfig()
        .environment(SEATS, env_config={"game": game, "opponents": opponents, **parameters})
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=num_envs,
            gym_env_vectorize_mode="vector_entry_point",
            rollout_fragment_length=32,
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
        .training(
            train_batch_size_per_learner=32 * num_envs,
            minibatch_size=min(512, 32 * num_envs),
            num_epochs=4,
            lr=1e-3,
            gamma=1.0,
            lambda_=0.95,
            clip_param=0.2,
            entropy_coeff=0.01,
            vf_loss_coeff=0.5,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            grad_clip=0.5,
        )
    )


def agent_of(algorithm: Any, module: str | None = None, greedy: bool = False) -> LearnedAgent:
    """The agent of an algorithm's `MaskedModule`.

    Args:
        algorithm: an algorithm, from `build_algo` or `from_checkpoint`.
        module: the name of the module (in a multi-agent algorithm one of its `policies`); None: the only one.
        greedy: play the likeliest action instead of sampling.

    Raises:
        ValueError: the module does not exist, is not named although there are several, or is not a `MaskedModule`.
    """
    names = sorted(algorithm.config.policies)
    name = names[0] if module is None and len(names) == 1 else module
    if name not in names:
        asked = "this algorithm has several modules: name one" if module is None else f"this algorithm has no module {module!r}"
        raise ValueError(f"{asked}; its modules: {', '.join(names)}")
    trained = algorithm.get_module(name)
    if not isinstance(getattr(trained, "policy", None), torch.nn.Module):
        raise ValueError(f"module {name!r} is a {type(trained).__name__}, not a MaskedModule")
    return _agent_of(trained.policy, greedy, name="rllib")
