"""The settings of a training run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..agents.learned import ACTIVATIONS
from ..envs.core import memory
from ..envs.core.batch import MAX_THREADS, bytes_per_game
from ..envs.core.files import read_json
from ..envs.core.game import Game, Options
from ..envs.core.tokens import MAX_HISTORY

LEARNERS = ("ppo", "sb3", "torch")
CRITICS = ("state", "observation")
DEVICES = ("auto", "cpu", "gpu")
SEARCHERS = ("self", "rules")
# The values that settings must have if a learner does not support them.
_NOT_OF_TORCH: dict[str, Any] = {
    "expert": None,
    "equivariant": False,
    "search_share": 0,
    "critic": "observation",
    "learn_only": (),
}
_WITHOUT: dict[str, dict[str, Any]] = {
    "ppo": {"network": None},
    "sb3": {"init_from": None, **_NOT_OF_TORCH, "network": None, "final_ent_coef": None},
    "torch": _NOT_OF_TORCH,
}
# Defaults where they differ.
_OF_SB3 = {"num_envs": 256, "rollout_steps": 32, "critic": "observation", "gae_lambda": 0.95}
_OF_COPIES = {"learning_rate": 1e-3}
_OF_TORCH = {"num_envs": 128, "rollout_steps": 64, "critic": "observation", "gae_lambda": 0.95, "learning_rate": 1e-3}
_OF_GPUS = {"num_envs": 256, "batch_size": 16384}
_CAN_CHANGE = ("total_steps", "max_seconds", "threads", "device")  # when a run is resumed


@dataclass(frozen=True)
class Settings:
    """The settings of a run. Steps are decisions that the learner learns from.

    Attributes:
        game: the game's id.
        options: the game's options that differ from the defaults.
        total_steps, max_seconds: stop after this many steps or this much time (None: no limit). The learning rate decays
            towards whichever comes first. Time counts from the end of the first update, so it does not include compilation and
            the first evaluation, and every run learns something. With a time limit the result depends on the speed of the
            machine.
        seed: the seed of weights, deals, seats and opponents.
        num_envs, rollout_steps: the number of parallel games, and the decisions per game between two updates. ("ppo" plays
            games to their ends, which adds a few; "sb3" has 256 games and 32 decisions by default.)
        batch_size, epochs: the minibatch size and the epochs of an update.
        learning_rate, final_learning_rate: the learning rate at the start (1e-3 by default with `init_from`) and at the end.
        gamma, gae_lambda, clip_range, ent_coef, vf_coef, max_grad_norm: PPO's parameters. `gae_lambda` is 0.95 by default with
            "sb3" and "torch".
        final_ent_coef: the value to which `ent_coef` decays, as the learning rate does (None: constant). In games with hidden
            cards, an agent that starts with high entropy and ends with low entropy is harder to exploit.
        hidden, activation: the hidden layers of both the policy and the value network.
        greedy: whether the agent that is evaluated and written plays its likeliest action; training always samples.
        reward_scale: a factor for rewards. None: 1 / the standard deviation of a seat's return, measured at the start in games
            between the fixed opponents, because the value network learns slowly from small rewards.
        fixed_opponents: agent strings (`train` also takes agents) of opponents that play from the start.
        self_play_prob: the probability that another team (usually a single seat) is played by the current policy. Of the rest,
            `past_policy_prob` goes to earlier policies, and what remains to the fixed opponents. Partners of the learner always
            play the current policy.
        snapshot_every, snapshots: the steps between two copies of the policy, and the maximal number of copies kept.
        eval_every, eval_deals, eval_opponents: the steps between two evaluations, the deals of each (each deal is played from
            every seat), and the opponents.
        checkpoint_every: the steps between two checkpoints.
        threads: "ppo" plays and learns on these threads; with "sb3" only the opponents use them. Results do not depend on it.
        device: where "ppo" computes gradients: "cpu" (compiled code), "gpu" (torch) or "auto" (a GPU if torch sees one). On a
            GPU rollouts and batches are larger by default. With equal settings, results are equal except for the last bits.
        learner: "ppo": compiled code that learns from every seat that the policy plays; "sb3": MaskablePPO of sb3-contrib;
            "torch": "ppo" for a network of your own; or `module:class`, a learner of your own (`training.learner.Learner`).
        network: `module:factory`, the factory of a network of your own (`agents/modules.py`); selects the learner "torch".
        history: the number of history tokens that this network gets (`envs/core/tokens.py`).
            The settings below are for "ppo"; `init_from`, `bc_...` and `kl_...` also for "torch".
        critic: the input of the value network: "state" (all seats' private observations) or "observation" (the policy's own).
            The value network is not part of the agent that is written.
        init_from: the agent string of an agent to copy first by behaviour cloning ("rules", say), or a weights file of a
            network of the same shape to continue from; None: start from nothing.
        expert: "rules" or "rules:STYLE": adds that agent's action to the policy's input, so that it only has to learn where to
            deviate. The written agent calls that rule-based agent whenever it plays.
        equivariant: for games whose ranks are all alike (tennis, bluff): policy and critic see the game rotated, so that what
            they learn of one rank they know of all (`envs/core/rotations.py`). True by default in these games, with "ppo".
        learn_only: the blocks of actions to learn (`Game.actions`; empty: all), in a game in which they are never legal
            together with others. The network `init_from` goes on choosing the other actions, for past policies, too; the agent
            that is written is both networks side by side.
        bc_fraction: the fraction of the run that is spent on behaviour cloning; `bc_learning_rate`: its learning rate.
        kl_coef: the weight of a penalty for leaving the initial policy; it fades out over `kl_fraction` of the run. For a
            searched decision the penalty covers the actions that were not tried.
        search_share: the fraction of the learner's decisions that is searched (0: none), after behaviour cloning: the choice of
            `search_policy` and the likeliest others, `search_actions` in all, are tried in the same `num_determinizations`
            determinizations (1: in the true state instead) and played on by `search_policy`: "self" (the current policy) or
            "rules". The game itself continues with that policy, too. In place of PPO's objective, a squared error of weight
            `search_weight` teaches the policy that the logits of the tried actions differ as their returns do, divided by
            `search_temperature`. With 1, only search and the penalty teach.
        search_depth: end playouts after this many further decisions of the seat, with the critic's value; 0: at the game's end.
        search_only: restricts the other actions that are tried to these numbers (empty: all); a decision in which none of them
            is legal is not searched.
    """

    game: str
    options: dict[str, Any] = field(default_factory=dict)
    total_steps: int | None = 1_000_000
    seed: int = 0
    max_seconds: float | None = None
    num_envs: int = 32
    rollout_steps: int = 256
    batch_size: int = 2048
    epochs: int = 3
    learning_rate: float = 6e-3
    final_learning_rate: float = 1e-4
    gamma: float = 1.0
    gae_lambda: float = 0.7
    clip_range: float = 0.2
    ent_coef: float = 0.01
    final_ent_coef: float | None = None
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    hidden: tuple[int, ...] = (128, 128)
    activation: str = "relu"
    greedy: bool = True
    reward_scale: float | None = None
    fixed_opponents: tuple[str, ...] = ("random", "rules")
    self_play_prob: float = 0.8
    past_policy_prob: float = 0.5
    snapshot_every: int = 50_000
    snapshots: int = 8
    eval_every: int = 200_000
    eval_deals: int = 250
    eval_opponents: tuple[str, ...] = ("random", "rules")
    checkpoint_every: int = 100_000
    threads: int = 2
    device: str = "auto"
    learner: str = "ppo"
    network: str | None = None
    history: int = 0
    critic: str = "state"
    init_from: str | None = None
    expert: str | None = None
    equivariant: bool = False
    learn_only: tuple[str, ...] = ()
    bc_fraction: float = 0.2
    bc_learning_rate: float = 1e-2
    kl_coef: float = 0.1
    kl_fraction: float = 0.5
    search_share: float = 0.0
    num_determinizations: int = 8
    search_actions: int = 4
    search_policy: str = "self"
    search_depth: int = 0
    search_only: tuple[int, ...] = ()
    search_temperature: float = 0.05
    search_weight: float = 10.0

    def __post_init__(self) -> None:
        for name in ("hidden", "fixed_opponents", "eval_opponents", "search_only", "learn_only"):
            value = getattr(self, name)
            object.__setattr__(self, name, tuple(value) if isinstance(value, (list, tuple)) else (value,))
        object.__setattr__(self, "options", dict(self.options))
        for name, (allowed, is_allowed) in _CHECKS.items():
            value = getattr(self, name)
            try:
                good = is_allowed(value)
            except TypeError:
                good = False
            if not good:
                raise ValueError(f"setting {name}={value!r} is not allowed; allowed: {allowed}")
        if self.total_steps is None and self.max_seconds is None:
            raise ValueError("a run needs total_steps or max_seconds")
        if self.learner == "torch" and self.network is None:
            raise ValueError("learner='torch' needs a network: network='module:factory'")
        only = _WITHOUT.get(self.learner, {})
        for name, value in only.items():
            if getattr(self, name) != value:
                allowed = ", ".join(f"{name}={value!r}" for name, value in only.items())
                needs = "torch" if name == "network" else "ppo"
                raise ValueError(
                    f"setting {name}={getattr(self, name)!r} needs learner={needs!r}; {self.learner} allows {allowed}"
                )
        if self.learner == "sb3" and self.num_envs * self.rollout_steps % self.batch_size:
            raise ValueError(
                f"setting batch_size={self.batch_size} is not allowed; it must divide num_envs * rollout_steps = "
                f"{self.num_envs * self.rollout_steps}"
            )
        if self.self_play_prob < 1 and self.past_policy_prob < 1 and not self.fixed_opponents:
            raise ValueError("without fixed opponents, self_play_prob or past_policy_prob must be 1")

    @classmethod
    def make(cls, values: Mapping[str, Any], besides: Sequence[str] = ()) -> Settings:
        """Check settings and fill in the defaults that depend on others. `besides` are further names for the error message.

        Raises:
            ValueError: a setting is unknown (the message lists the known ones) or its value is not allowed.
        """
        known = [*(setting.name for setting in fields(cls)), *besides]
        for name in values:
            if name not in known:
                raise ValueError(f"unknown setting {name!r}; settings: {', '.join(known)}")
        defaults: dict[str, Any] = dict(_OF_COPIES if values.get("init_from") is not None else {})
        if values.get("network") is not None:
            defaults = {"learner": "torch", **_OF_TORCH}
        elif values.get("learner") == "sb3":
            defaults = dict(_OF_SB3)
        elif not values.keys() >= _OF_GPUS.keys() and find_gpu(values.get("device", "auto")):
            defaults |= _OF_GPUS
        return cls(**{**defaults, **values})

    @staticmethod
    def with_game_defaults(game: Game, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values and, where they are missing, the defaults that depend on the game."""
        compiled = values.get("network") is None and values.get("learner", "ppo") == "ppo"
        return {"equivariant": compiled and game.has_symmetry, **values}

    def check(self, game: Game, options: Options) -> None:
        """Raise ValueError if the settings do not suit the game or need more memory than there is."""
        if self.equivariant and not game.has_symmetry:
            raise ValueError(f"setting equivariant=True is not for {game.id}: no block of its layouts declares `circles`")
        num_actions = game.num_actions(options)
        beyond = [action for action in self.search_only if action >= num_actions]
        if beyond:
            raise ValueError(f"setting search_only={beyond[0]} is not an action; actions of {game.id}: 0..{num_actions - 1}")
        of_decision = 4 * (game.observation_size(options) + num_actions + 8)
        memory.check(
            f"num_envs={self.num_envs} with rollout_steps={self.rollout_steps}",
            self.num_envs * (bytes_per_game(game, options) + self.rollout_steps * of_decision),
        )
        memory.check(f"eval_deals={self.eval_deals}", self.eval_deals * 8 * options.num_players)

    def to_json(self) -> str:
        return json.dumps(vars(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Settings:
        """Read settings from JSON; raises ValueError if the text is not valid."""
        values = read_json(text)
        if not isinstance(values, dict):
            raise ValueError("settings must be a JSON object")
        return cls.make(values)

    def differences(self, other: Settings) -> list[str]:
        """The differences to another run's settings that a resumed run may not have, as text."""
        mine, others = json.loads(self.to_json()), json.loads(other.to_json())
        return [
            f"{name}={mine[name]!r} instead of {others[name]!r}"
            for name in mine
            if name not in _CAN_CHANGE and mine[name] != others[name]
        ]

    def falling(self, name: str, done: float) -> float:
        """`learning_rate` or `ent_coef` after the fraction `done` of the run: it decays linearly to `final_...`."""
        first, last = getattr(self, name), getattr(self, f"final_{name}")
        return float(first if last is None else last + (first - last) * (1 - done))

    def shares(self, fixed: int, past: int) -> list[float]:
        """The probabilities of the opponents: `fixed` fixed ones, the current policy, `past` snapshots."""
        rest = 1 - self.self_play_prob
        old = rest * (self.past_policy_prob if fixed else 1.0) if past else 0.0
        new = rest - old if fixed else 0.0
        return [*np.full(fixed, new / max(fixed, 1)), 1 - old - new, *np.full(past, old / max(past, 1))]


def find_gpu(device: str) -> str | None:
    """The device for gradients: torch's name of a GPU, or None for the CPU.

    Args:
        device: see `Settings`.

    Raises:
        ValueError: "gpu" without a GPU.
    """
    if device not in ("auto", "gpu"):
        return None
    try:
        import torch

        has_gpu = torch.cuda.is_available()
    except ImportError:
        has_gpu = False
    if device == "gpu" and not has_gpu:
        raise ValueError("setting device='gpu' needs torch (the extra `train`) and a GPU that it sees; allowed here: cpu, auto")
    return "cuda" if has_gpu else None


def _whole(least: int, most: float = float("inf")) -> tuple[str, Any]:
    allowed = f"of at least {least}" if most == float("inf") else f"from {least} to {most}"
    return f"a whole number {allowed}", lambda value: type(value) is int and least <= value <= most


def _number(low: float, high: float) -> tuple[str, Any]:
    return f"a number from {low} to {high}", lambda value: not isinstance(value, bool) and low <= value <= high


def _one_of(values: Iterable[str]) -> tuple[str, Any]:
    return f"one of {', '.join(values)}", lambda value: value in values


def _or_none(check: tuple[str, Any]) -> tuple[str, Any]:
    return f"None or {check[0]}", lambda value: value is None or check[1](value)


_POSITIVE = "a number above 0", lambda value: not isinstance(value, bool) and 0 < value < float("inf")
_CHECKS: dict[str, tuple[str, Any]] = {
    **dict.fromkeys(("num_envs", "rollout_steps", "batch_size", "epochs", "snapshot_every", "snapshots"), _whole(1)),
    **dict.fromkeys(("eval_every", "eval_deals", "checkpoint_every"), _whole(1)),
    "threads": _whole(1, MAX_THREADS),
    "seed": ("a whole number from 0 to 2**32 - 1", lambda value: type(value) is int and 0 <= value < 2**32),
    **dict.fromkeys(("gamma", "gae_lambda", "learning_rate", "final_learning_rate", "search_share"), _number(0, 1)),
    **dict.fromkeys(("self_play_prob", "past_policy_prob", "bc_fraction", "bc_learning_rate", "kl_fraction"), _number(0, 1)),
    **dict.fromkeys(("clip_range", "ent_coef", "vf_coef", "max_grad_norm", "kl_coef", "search_weight"), _number(0, 1e6)),
    "search_depth": _whole(0),
    "search_only": ("action numbers", lambda value: all(type(number) is int and number >= 0 for number in value)),
    "learn_only": ("names of blocks of actions", lambda value: all(isinstance(name, str) for name in value)),
    "num_determinizations": _whole(1, 1000),
    "search_actions": _whole(2, 1000),
    "search_temperature": _POSITIVE,
    "search_policy": _one_of(SEARCHERS),
    "learner": (
        f"{', '.join(LEARNERS)}, or module:class",
        lambda value: value in LEARNERS or (isinstance(value, str) and ":" in value),
    ),
    "network": _or_none(("the name of a factory, module:factory", lambda value: isinstance(value, str) and ":" in value)),
    "history": _whole(0, MAX_HISTORY),
    "critic": _one_of(CRITICS),
    "device": _one_of(DEVICES),
    "init_from": _or_none(("an agent string", lambda value: isinstance(value, str))),
    "expert": ("None, rules, rules:STYLE", lambda value: value is None or str(value).partition(":")[0] == "rules"),
    "reward_scale": _or_none(_POSITIVE),
    "final_ent_coef": _or_none(_number(0, 1e6)),
    "total_steps": _or_none(_whole(1)),
    "max_seconds": _or_none(("seconds above 0 and finite", _POSITIVE[1])),
    **dict.fromkeys(("greedy", "equivariant"), ("True, False", lambda value: isinstance(value, bool))),
    "activation": _one_of(ACTIVATIONS),
    "hidden": ("1 to 8 widths of 1 to 4096", lambda v: 1 <= len(v) <= 8 and all(type(n) is int and 1 <= n <= 4096 for n in v)),
    **dict.fromkeys(
        ("fixed_opponents", "eval_opponents"),
        ("agent strings", lambda value: all(isinstance(name, str) for name in value)),
    ),
}
