"""Settings of a training run, as its folder keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..agents.learned import ACTIVATIONS
from ..envs.core.batch import MAX_THREADS
from ..envs.core.files import read_json
from ..envs.core.tokens import MAX_HISTORY

LEARNERS = ("ppo", "sb3", "torch")
CRITICS = ("state", "observation")
DEVICES = ("auto", "cpu", "gpu")
SEARCHERS = ("self", "rules")
# Settings that a learner does not have, and what they must be.
_NOT_OF_TORCH: dict[str, Any] = {"expert": None, "search_share": 0, "critic": "observation"}
_WITHOUT: dict[str, dict[str, Any]] = {
    "ppo": {"network": None},
    "sb3": {"init_from": None, **_NOT_OF_TORCH, "network": None, "final_ent_coef": None},
    "torch": _NOT_OF_TORCH,
}
# Defaults where they differ.
_OF_SB3 = {"num_envs": 256, "rollout_steps": 32, "critic": "observation"}
_OF_COPIES = {"learning_rate": 1e-3}
_OF_TORCH = {"num_envs": 128, "rollout_steps": 64, "critic": "observation", "learning_rate": 1e-3}
_OF_GPUS = {"num_envs": 256, "batch_size": 16384}
_CAN_CHANGE = ("total_steps", "max_seconds", "threads", "device")  # when a run is resumed


@dataclass(frozen=True)
class Settings:
    """What decides a run. Steps are decisions that are learned from.

    Attributes:
        game: its id.
        options: its options that are not the defaults.
        total_steps, max_seconds: stop after so many steps, or so much time (None: no limit); the learning rate falls towards
            whichever comes first. Time counts from the end of the first update on, so compiling and the first evaluation are no
            part of it, and every run learns something. With a limit of time a run depends on the speed of the machine.
        seed: of weights, deals, seats and opponents.
        num_envs, rollout_steps: games at once, and decisions in each between two updates. ("ppo" plays games to their ends, so
            there are some more; "sb3" by default has 256 games and 32 decisions.)
        batch_size, epochs: of an update.
        learning_rate, final_learning_rate: at the beginning and at the end (by default of a run that begins with one, 1e-3).
        gamma, gae_lambda, clip_range, ent_coef, vf_coef, max_grad_norm: of PPO.
        final_ent_coef: what `ent_coef` falls to, as the learning rate does (None: it stays). Where players hide cards, an agent
            that begins with much entropy and ends with little is harder to exploit.
        hidden, activation: the network, policy and value alike.
        greedy: the agent that is evaluated and written plays the likeliest action; while it learns it always samples.
        reward_scale: rewards are multiplied by it. None: 1 / the standard deviation of a seat's return, measured at the start
            in games between the fixed opponents (small rewards teach the value network slowly).
        fixed_opponents: agents (specs; `train` takes agents themselves, too) among the opponents from the start.
        self_play_prob: how often another team (mostly a single seat) is played by the policy as it is; `past_policy_prob` of
            the rest by earlier ones, and what remains by the fixed opponents. The learner's own team mates are always played
            by the policy as it is.
        snapshot_every, snapshots: steps between two copies kept of the policy, and how many are kept at most.
        eval_every, eval_deals, eval_opponents: steps between two evaluations, deals in each (a deal is played once from
            each seat), and against whom.
        checkpoint_every: steps between two checkpoints.
        threads: "ppo" plays and learns on them; with "sb3" the opponents play on them, and the network learns on one. Results
            do not depend on it.
        device: where "ppo" computes gradients: "cpu", in compiled code; "gpu", by torch; "auto", on a GPU if torch sees one.
            With a GPU rollouts and batches are larger by default; results are equal but for their last bits.
        learner: "ppo", compiled code that learns from every seat which the policy plays; "sb3", MaskablePPO of sb3-contrib;
            "torch", which is "ppo" for a network of one's own; or the name of a class of one's own, `module:class` (a
            `training.learner.Learner`).
        network: the network of "torch" (which it chooses): the name of its factory, `module:factory` (`agents/modules.py`).
        history: how many tokens of what its seat has perceived that network is given (`envs/core/tokens.py`).
            What follows is for "ppo"; `init_from`, `bc_...` and `kl_...` for "torch", too.
        critic: what the value network sees while it learns: "state", all cards, or "observation", what the policy sees. It is
            no part of the agent that is written.
        init_from: the spec of a player that is copied first ("rules", say), or a file of weights that are gone on with; None
            begins with nothing.
        expert: "rules" or "rules:STYLE": the network sees besides the observation what that player would do. So it is copied at
            once, and what remains to be learned is where to do otherwise; the agent needs that player's rules to play.
        bc_fraction: so much of the run a player is copied; `bc_learning_rate`: the learning rate meanwhile.
        kl_coef: the weight of a penalty for leaving what the run begins with, which fades away over `kl_fraction` of the run;
            of a decision that was searched, for actions that were not tried.
        search_share: so much of the learner's decisions is searched (0: none), once nothing is copied any more:
            `search_actions` actions, what `search_policy` would do and the likeliest others, are tried in the same
            `num_determinizations` determinizations (1: in the true game instead), and played on by `search_policy`: "self", the
            policy as it is, or "rules". So does the game itself go on. In place of PPO's objective the policy is taught that
            their logits differ as what they brought does, over `search_temperature`: a squared error of weight
            `search_weight`. With 1, nothing but search and that penalty teaches.
        search_depth: playouts end at so many further decisions of the seat, with what the critic expects; 0: at the game's end.
        search_only: numbers of the other actions that are tried (none: all); where none of them is legal, nothing is searched.
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
    gae_lambda: float = 0.95
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
        for name in ("hidden", "fixed_opponents", "eval_opponents", "search_only"):
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
            raise ValueError("learner='torch' needs a network, the name of its factory: network='module:factory'")
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
        """Checked settings from keywords. `besides` are names that the caller takes out, for the message.

        Raises:
            ValueError: a setting is unknown (the message lists those there are) or has a value that is not allowed.
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

    def to_json(self) -> str:
        return json.dumps(vars(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Settings:
        """Raises ValueError if the text is no settings."""
        values = read_json(text)
        if not isinstance(values, dict):
            raise ValueError("settings are a JSON object")
        return cls.make(values)

    def differences(self, other: Settings) -> list[str]:
        """Settings in which two runs differ though a resumed run may not, as text."""
        mine, others = json.loads(self.to_json()), json.loads(other.to_json())
        return [
            f"{name}={mine[name]!r} instead of {others[name]!r}"
            for name in mine
            if name not in _CAN_CHANGE and mine[name] != others[name]
        ]

    def falling(self, name: str, done: float) -> float:
        """`learning_rate` or `ent_coef` when so much of the run is done: it falls to `final_...` on a straight line."""
        first, last = getattr(self, name), getattr(self, f"final_{name}")
        return float(first if last is None else last + (first - last) * (1 - done))

    def shares(self, fixed: int, past: int) -> list[float]:
        """How likely each opponent is drawn: `fixed` fixed ones, the policy as it is, `past` snapshots."""
        rest = 1 - self.self_play_prob
        old = rest * (self.past_policy_prob if fixed else 1.0) if past else 0.0
        new = rest - old if fixed else 0.0
        return [*np.full(fixed, new / max(fixed, 1)), 1 - old - new, *np.full(past, old / max(past, 1))]


def find_gpu(device: str) -> str | None:
    """Where gradients are computed: torch's name of a GPU, or None for the processor.

    Args:
        device: see `Settings`.

    Raises:
        ValueError: "gpu" where there is none.
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
    return f"None, or {check[0]}", lambda value: value is None or check[1](value)


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
    "search_only": ("numbers of actions", lambda value: all(type(number) is int and number >= 0 for number in value)),
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
    "init_from": _or_none(("the spec of an agent", lambda value: isinstance(value, str))),
    "expert": ("None, rules, rules:STYLE", lambda value: value is None or str(value).partition(":")[0] == "rules"),
    "reward_scale": _or_none(_POSITIVE),
    "final_ent_coef": _or_none(_number(0, 1e6)),
    "total_steps": _or_none(_whole(1)),
    "max_seconds": _or_none(("seconds above 0 and finite", _POSITIVE[1])),
    "greedy": ("True, False", lambda value: isinstance(value, bool)),
    "activation": _one_of(ACTIVATIONS),
    "hidden": ("1 to 8 widths of 1 to 4096", lambda v: 1 <= len(v) <= 8 and all(type(n) is int and 1 <= n <= 4096 for n in v)),
    **dict.fromkeys(
        ("fixed_opponents", "eval_opponents"),
        ("names of agents", lambda value: all(isinstance(name, str) for name in value)),
    ),
}
