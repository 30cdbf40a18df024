"""Self-play training: the loop of a run, for any learner.

    from wilddeck.training.train import train
    result = train("tennis_v0", out="runs/tennis", total_steps=1_000_000)

A run lives in a folder:

    settings.json            the settings
    progress.csv             one line per update, with the evaluations
    checkpoint.safetensors   the state of the run, for resuming; replaced atomically
    agent.safetensors        the agent at the last checkpoint, for `wilddeck.agents`
    tensorboard/             TensorBoard logs, with `tensorboard=True`

Equal settings give equal agents on the same machine and versions, even if a run was killed and resumed, unless it was ended by
`max_seconds`.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import agents, envs
from ..agents import rules
from ..agents.base import Agent, NetworkAgent, check_batches
from ..agents.imports import import_name, imported
from ..agents.learned import LearnedAgent
from ..agents.play import evaluate, play_batch
from ..agents.random import RandomAgent
from ..envs.core.files import generator_of, number, whole, write_atomically
from ..envs.core.game import Game, Options
from . import checkpoint
from .callbacks import Callback, CsvLogger, Point, ProgressBar, RunView, TensorBoardLogger, check_callbacks
from .clock import Clock
from .learner import Learner
from .ppo import PPO, expert_of, learned_actions
from .settings import Settings

_EVAL_SEED = 0xE7A1  # the deals of every evaluation, so that they can be compared
_SCALE_SEED, _SCALE_GAMES = 0x5CA1E, 200  # of the games in which rewards are measured, and how many by each seating
_AGENTS = ("fixed_opponents", "eval_opponents", "init_from")  # settings that name some
_CODE = ("network", "learner")  # settings that name code of one's own, or may
_FILES = ("settings.json", "progress.csv", "checkpoint.safetensors", "agent.safetensors")


@dataclass(frozen=True)
class Result:
    """A finished run.

    Attributes:
        weights: the weights file.
        steps: decisions of the learner.
        seconds: training time, from the end of the first update.
        evaluations: all evaluations in order.
    """

    weights: Path
    steps: int
    seconds: float
    evaluations: list[Point]


def train(
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    *,
    out: Path | str,
    resume: bool = False,
    progress: bool = True,
    tensorboard: bool = False,
    trust: bool = False,
    callbacks: Sequence[Callback] = (),
    **settings: Any,
) -> Result:
    """Train an agent by self-play.

    Args:
        game, options: a game or its id, and options or a mapping.
        out: the run's folder.
        resume: continue the run in the folder, if there is one. Its settings and options apply unless given; only
            `total_steps`, `max_seconds`, `threads` and `device` may change.
        progress: show a progress bar.
        tensorboard: write TensorBoard logs in addition to the CSV file.
        callbacks: objects whose methods are called during the run; see `callbacks.Callback`.
        trust: load agents from files that can run code (`.zip`, weights of a torch module); when resuming, also run programs
            named only in the folder (`cmd:`, `module:function`, `network`, `learner`).
        settings: see `Settings`. `network` and `learner` may be functions or classes themselves, opponents and `init_from`
            may be agents (the folder does not store them: pass them again when resuming). With `max_seconds` and without
            `total_steps`, only time limits the run.

    Raises:
        ValueError: a game, option or setting is unknown or not allowed, the folder has another run, or the game has only forced
            moves.
        OSError: the folder cannot be written; what was written before is kept.
        Exception: an error of a callback.
    """
    game = envs.registered(game)
    if isinstance(options, Options):
        options = vars(options)
    stored = stored_settings(out) if resume else None
    if settings.get("max_seconds") is not None and stored is None:
        settings.setdefault("total_steps", None)
    if stored is None:
        for name in ("fixed_opponents", "eval_opponents"):
            settings.setdefault(name, agents.available(getattr(Settings, name), envs.game(game)))
        settings = Settings.with_game_defaults(envs.game(game), settings)
    for name in _CODE:
        if callable(settings.get(name)):
            settings[name] = import_name(settings[name])
    given = {name: settings[name] for name in _AGENTS if settings.get(name) is not None}
    for name, value in given.items():
        several = isinstance(value, (list, tuple))
        settings[name] = [agents.text_of(agent) for agent in value] if several else agents.text_of(value)
    values = {"game": game, "options": dict(options or {}), **settings}
    if stored is not None:
        _check_consent(out, stored, settings, trust)
    if stored is not None and stored.game == game:
        values = {**vars(stored), **values, "options": {**stored.options, **values["options"]}}
    return _run(Settings.make(values), Path(out), resume, _all_callbacks(callbacks, progress, tensorboard), trust, given)


def resume(
    out: Path | str,
    *,
    total_steps: int | None = None,
    max_seconds: float | None = None,
    progress: bool = True,
    tensorboard: bool = False,
    trust: bool = False,
    callbacks: Sequence[Callback] = (),
) -> Result:
    """Continue the run in a folder from its last checkpoint.

    Args:
        out: the run's folder.
        total_steps, max_seconds: replace the run's own limits.
        progress, tensorboard, callbacks: see `train`.
        trust: run programs named in the folder (`cmd:`, `module:function`, `network`, `learner`).

    Raises:
        ValueError: the folder has no run, or the run has agents that are objects or, without `trust`, programs.
    """
    settings = stored_settings(out)
    if settings is None:
        raise ValueError(f"{out} has no run to resume")
    _check_consent(out, settings, {}, trust)
    changed: dict[str, Any] = {"total_steps": total_steps, "max_seconds": max_seconds}
    changed = {name: value for name, value in changed.items() if value is not None}
    return _run(replace(settings, **changed), Path(out), True, _all_callbacks(callbacks, progress, tensorboard), trust, {})


def _all_callbacks(callbacks: Sequence[Callback], progress: bool, tensorboard: bool) -> list[Callback]:
    """The run's own callbacks, followed by those given."""
    own = [CsvLogger(), *([TensorBoardLogger()] if tensorboard else []), *([ProgressBar()] if progress else [])]
    return [*own, *check_callbacks(callbacks)]


def _check_consent(out: Path | str, stored: Settings, named: Mapping[str, Any], trust: bool) -> None:
    """Raise if the folder names objects or, unless it is trusted, programs that were not given again."""
    for name in _AGENTS:
        value = getattr(stored, name)
        specs = (value,) if isinstance(value, str) else value or ()
        objects = [spec for spec in specs if agents.kind_of(spec) == "object"]
        if objects and name not in named:
            raise ValueError(
                f"the run in {out} has an agent that is an object, {name}={objects[0]!r}, which its folder does not store; "
                f"to continue, pass it again: train(..., resume=True, {name}=...)"
            )
        foreign = [spec for spec in specs if agents.runs_code(spec)]
        if foreign and name not in named and not trust:
            raise ValueError(
                f"the run in {out} names a program that would run here, {name}={foreign[0]!r}; to allow this, give {name} "
                "again or trust the folder (--trust, trust=True)"
            )
    for name in _CODE:
        value = getattr(stored, name)
        if value and ":" in value and name not in named and not trust:
            raise ValueError(
                f"the run in {out} names code that would run here, {name}={value!r}; to allow this, give {name} again or trust "
                "the folder (--trust, trust=True)"
            )


def stored_settings(out: Path | str) -> Settings | None:
    """The settings of the run in a folder; None if there is no run.

    Raises:
        ValueError: the settings are damaged.
        OSError: the file cannot be read.
    """
    path = Path(out) / "settings.json"
    try:
        return Settings.from_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"{path} cannot be read: {error}") from None


def _run(
    settings: Settings, out: Path, resuming: bool, callbacks: list[Callback], trust: bool, given: Mapping[str, Any]
) -> Result:
    """`given`: the agents passed to `train`, by setting; possibly objects."""
    game = envs.game(settings.game)
    options = game.make_options(settings.options)
    stored = stored_settings(out)
    if not resuming and any((out / name).exists() for name in _FILES):
        content = f"a run of {stored.game}" if stored else "files of a run"
        raise ValueError(f"{out} already contains {content}; resume it or choose another folder")
    if stored is not None and stored.differences(settings):
        raise ValueError(f"the run in {out} has other settings: {'; '.join(stored.differences(settings))}")
    fixed = fixed_agents(_several(given, settings, "fixed_opponents"), game, options, trust)
    for spec, opponent in zip(settings.fixed_opponents, fixed, strict=True):
        check_batches(opponent, spec, "too slow for an opponent in training")  # said now, not after the first evaluation
    named = agents.by_name(_several(given, settings, "eval_opponents"))
    against = dict(zip(named, fixed_agents(list(named.values()), game, options, trust), strict=True))
    beginning = beginning_agent(settings, game, options, trust, given.get("init_from"))
    if settings.search_share and settings.search_policy == "rules":
        rules.policy(game)  # which says so if there are none
    expert_of(settings, game, options)  # likewise
    learned_actions(settings, game, options, beginning)
    settings.check(game, options)
    make, surroundings = _learner(settings.learner)
    write_atomically(out / "settings.json", settings.to_json().encode())
    with surroundings():
        run = _Run(settings, game, options, _Players(fixed, against, beginning), make, out, resuming)
        try:
            return run.play(callbacks)
        finally:
            run.learner.close()


def _several(given: Mapping[str, Any], settings: Settings, name: str) -> list[str | Agent]:
    value = given.get(name, getattr(settings, name))
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _learner(name: str) -> tuple[Callable[..., Learner], Callable[[], Any]]:
    """The factory of a learner, and the context in which it works."""
    if name == "ppo":
        return PPO, contextlib.nullcontext
    if ":" in name:
        own = imported(name)
        if "torch" not in sys.modules:
            return own, contextlib.nullcontext
        from .sb3 import own_torch

        return own, own_torch
    from .sb3 import SB3, own_torch

    if name == "sb3":
        return SB3, own_torch
    from .torch_ppo import TorchPPO

    return TorchPPO, own_torch


def beginning_agent(
    settings: Settings, game: Game, options: Options, trust: bool = False, given: str | Agent | None = None
) -> Agent | None:
    """The agent of `init_from`: one to copy, or a network of the run's own shape. None if the run starts from nothing.

    Args:
        settings, game, options: of the run.
        trust: load files that can run code.
        given: the agent, if `settings.init_from` names an object.

    Raises:
        ValueError: the agent does not exist, or cannot be copied.
    """
    if settings.init_from is None:
        return None
    agent = agents.make(settings.init_from if given is None else given, game, options, trust=trust)
    check_batches(agent, f"init_from={settings.init_from!r}", "and cannot be copied")
    if settings.learner == "ppo" and isinstance(agent, LearnedAgent) and not has_shape(agent, settings):
        own = {name: getattr(settings, name) for name in shape_of(agent)}
        shapes = [", ".join(f"{name}={value!r}" for name, value in shape.items()) for shape in (shape_of(agent), own)]
        raise ValueError(
            f"init_from={settings.init_from!r} is a network with {shapes[0]}, but this run's network has {shapes[1]}"
        )
    return agent


def has_shape(agent: LearnedAgent, settings: Settings) -> bool:
    """Whether a network has a run's shape, so that the run can continue from its weights."""
    return all(getattr(settings, name) == value for name, value in shape_of(agent).items())


def shape_of(agent: LearnedAgent) -> dict[str, Any]:
    """The settings that give a network of the same shape."""
    expert = agent.expert.name if agent.expert else None
    return {
        "hidden": tuple(agent.sizes[1:-1].tolist()),
        "activation": agent.activation,
        "expert": expert,
        "equivariant": agent.is_equivariant,
    }


def fixed_agents(specs: Sequence[str | Agent], game: Game, options: Options, trust: bool = False) -> list[Agent]:
    """Make agents from agent strings; objects are returned as they are."""
    return [agents.make(spec, game, options, trust=trust) for spec in specs]


def measured_scale(game: Game, options: Options, fixed: list[Agent]) -> float:
    """The factor that scales a seat's return to a standard deviation of 1, measured in games between the fixed opponents; 1 if
    all returns of these games are equal."""
    playing = fixed or [RandomAgent()]
    returns = []
    for first in range(len(playing)):  # every opponent on every seat, as far as there are that many
        seated = [playing[(first + seat) % len(playing)] for seat in range(options.num_players)]
        returns.append(play_batch(game, options, seated, _SCALE_GAMES, _SCALE_SEED))
    spread = float(np.std(returns))
    return 1 / spread if spread else 1.0


class _Players(NamedTuple):
    """The fixed opponents, those of evaluations by their names, and whom the run begins with."""

    fixed: list[Agent]
    against: dict[str, Agent]
    beginning: Agent | None


class _Run:
    """A run: what happens between an update and the next rollout, when learner and games are at rest."""

    def __init__(
        self,
        settings: Settings,
        game: Game,
        options: Options,
        players: _Players,
        make: Callable[..., Learner],
        out: Path,
        resuming: bool,
    ) -> None:
        self.settings, self.game, self.options, self.out, self.against = settings, game, options, out, players.against
        self.rng = np.random.default_rng(settings.seed)
        self.snapshots: list[NetworkAgent] = []
        self.points: list[Point] = []
        self.steps, self.saved = 0, -1
        self.due = {"snapshot": settings.snapshot_every, "evaluation": 0, "checkpoint": settings.checkpoint_every}
        self.clock = Clock(settings)
        scale = 1.0 if settings.reward_scale is None else settings.reward_scale
        self.learner = make(settings, game, options, players.fixed, players.beginning, scale, lambda: self.clock.remaining())
        if resuming and (out / "checkpoint.safetensors").exists():
            self._restore()
        elif settings.reward_scale is None:
            self.learner.scale = measured_scale(game, options, players.fixed)
        self.last = (self.steps, time.monotonic())
        self.row: dict[str, Any] = {}
        results = [f"{measure}_{name}" for name in self.against for measure in ("return", "error", "win_rate")]
        self.tags = {name: f"run/{name}" for name in ("steps_per_second", "mean_return", "mean_decisions")}
        self.tags |= {name: f"train/{name}" for name in self.learner.columns} | {name: f"run/{name}" for name in results}
        self.callbacks: list[Callback] = []
        self.view, self.stopped = RunView(self), False
        self.error: BaseException | None = None

    # --- the course of a run ---

    def play(self, callbacks: list[Callback]) -> Result:
        """Learn until the steps or the time are used up, or a callback stops it."""
        with contextlib.ExitStack() as started:
            try:
                for callback in callbacks:
                    callback.on_start(self.view)
                    started.callback(callback.on_end, self.view)
                self.callbacks = callbacks
                self.learner.learn(self._rest)
            except BaseException as error:
                self.error = error
                raise
        return Result(self.out / "agent.safetensors", self.steps, self.clock.seconds, self.points)

    def _rest(self) -> bool:
        """Log, copy, evaluate and save what is due, all of it at the end of the run; whether it goes on."""
        steps = self.learner.steps
        self.clock.learned(steps)
        last = self.clock.remaining() <= 0
        row: dict[str, Any] = self._measures(steps) if steps > self.steps else {}
        self.steps = steps
        current = self.learner.agent()
        if steps >= self.due["snapshot"]:
            self.due["snapshot"] = steps + self.settings.snapshot_every
            self.snapshots.append(current)
            if len(self.snapshots) > self.settings.snapshots:
                del self.snapshots[self.rng.integers(0, len(self.snapshots) - 1)]
        self.learner.set_snapshots(self.snapshots)
        agent = current.like(greedy=self.settings.greedy)
        evaluates = steps >= self.due["evaluation"] or (last and steps > self._evaluated())
        if evaluates:
            row |= self._evaluate(agent)
        if row:
            self.row = row
        for callback in self.callbacks:
            if evaluates:
                callback.on_evaluation(self.view, self.points[-1])
            if row:
                callback.on_update(self.view)
        if steps > self.saved and (last or self.stopped or steps >= self.due["checkpoint"]):
            path = self._save(agent)
            for callback in self.callbacks:
                callback.on_checkpoint(self.view, path)
        return not (last or self.stopped)

    def agent(self) -> NetworkAgent:
        """The policy as it would be written now."""
        return self.learner.agent().like(greedy=self.settings.greedy)

    def _evaluated(self) -> int:
        return self.points[-1].steps if self.points else -1

    # --- measuring ---

    def _measures(self, steps: int) -> dict[str, Any]:
        now = time.monotonic()
        speed = (steps - self.last[0]) / max(now - self.last[1], 1e-9)
        self.last = (steps, now)
        return {"steps_per_second": round(speed), **self.learner.measures()}

    def _evaluate(self, agent: NetworkAgent) -> dict[str, Any]:
        self.due["evaluation"] = self.steps + self.settings.eval_every
        deals = self.settings.eval_deals
        evaluations = {
            name: evaluate(agent, other, self.game, self.options, deals, _EVAL_SEED) for name, other in self.against.items()
        }
        self.points.append(
            Point(
                self.steps,
                {name: evaluation.mean for name, evaluation in evaluations.items()},
                {name: evaluation.standard_error for name, evaluation in evaluations.items()},
                {name: evaluation.win_rate for name, evaluation in evaluations.items()},
            )
        )
        row: dict[str, float] = {}
        for name, evaluation in evaluations.items():
            row |= {
                f"return_{name}": evaluation.mean,
                f"error_{name}": evaluation.standard_error,
                f"win_rate_{name}": evaluation.win_rate,
            }
        return {key: round(value, 5) for key, value in row.items()}

    # --- keeping ---

    def _save(self, agent: NetworkAgent) -> Path:
        self.due["checkpoint"] = self.steps + self.settings.checkpoint_every
        about = {
            "due": self.due,
            "seconds": self.clock.seconds,
            "rng": self.rng.bit_generator.state,
            "points": [vars(point) for point in self.points],
            "reward_scale": self.learner.scale,
        }
        point = self.points[-1] if self.points else None
        training = {
            "algorithm": self.learner.algorithm,
            "steps": self.steps,
            "seed": self.settings.seed,
            "reward_scale": self.learner.scale,
            "evaluation": {} if point is None else vars(point),
        }
        agent.save(self.out / "agent.safetensors", self.game, self.options, training)
        path = self.out / "checkpoint.safetensors"
        checkpoint.save(path, self.game, self.settings.learner, self.learner, self.snapshots, about)
        self.saved = self.steps
        return path

    def _restore(self) -> None:
        path = self.out / "checkpoint.safetensors"
        self.snapshots, about = checkpoint.load(path, self.game, self.settings.learner, self.learner)
        self.steps = self.saved = self.learner.steps
        with checkpoint.fitting(path):
            self.due = {name: whole(about["due"][name]) for name in self.due}
            self.clock = Clock(self.settings, self.steps, number(about["seconds"]))
            self.rng = generator_of(about["rng"])
            self.points = [Point.of(point) for point in about["points"]]
            self.learner.scale = number(about["reward_scale"])
