"""Self-play training: MaskablePPO of sb3-contrib on one learner's seat, itself and earlier versions of it on the others.

    from wilddeck.training.train import train
    result = train("tennis_v0", out="runs/tennis", total_steps=1_000_000)

Needs the extra `train`. A run lives in a folder:

    settings.json            what decides the run
    progress.csv             a line an update, with the evaluations
    checkpoint.safetensors   all that is needed to go on, replaced in one step
    agent.safetensors        the agent as of the last checkpoint, for `wilddeck.agents`
    tensorboard/             if asked for

Equal settings give equal agents on the same machine and versions, whether a run was killed and resumed or not, unless
`max_seconds` ended it.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import agents, envs
from ..agents import learned
from ..agents.base import Agent
from ..agents.learned import LearnedAgent, layers_of
from ..agents.play import evaluate, play_batch
from ..agents.random import RandomAgent
from ..envs.core import memory
from ..envs.core.batch import bytes_per_game
from ..envs.core.files import number, whole, write_atomically
from ..envs.core.game import Game, Options
from . import checkpoint
from .extra import BaseCallback, Logger, MaskablePPO, configure, torch
from .log import CsvLog, progress_bar
from .settings import Settings
from .vecenv import SelfPlayVecEnv, generator_of

_EVAL_SEED = 0xE7A1  # the deals of every evaluation, so that they can be compared
_LOGGED = {
    "learning_rate": "train/learning_rate",
    "entropy": "train/entropy_loss",
    "value_loss": "train/value_loss",
    "policy_loss": "train/policy_gradient_loss",
    "approx_kl": "train/approx_kl",
    "clip_fraction": "train/clip_fraction",
    "explained_variance": "train/explained_variance",
}
_SCALE_SEED, _SCALE_GAMES = 0x5CA1E, 200  # of the games in which rewards are measured, and how many by each seating
_NO_END = 2**62
_FILES = ("settings.json", "progress.csv", "checkpoint.safetensors", "agent.safetensors")


@dataclass(frozen=True)
class Point:
    """An evaluation during training.

    Attributes:
        steps: decisions of the learner so far.
        returns, errors, win_rates: by opponent: mean return (in a game about money in chips), its standard error, share of
            games won.
    """

    steps: int
    returns: dict[str, float]
    errors: dict[str, float]
    win_rates: dict[str, float]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Point:
        """From what a checkpoint holds (ValueError, KeyError, AttributeError if that is no evaluation)."""
        tables = {
            name: {agent: number(each) for agent, each in values[name].items()} for name in ("returns", "errors", "win_rates")
        }
        return cls(whole(values["steps"]), **tables)


@dataclass(frozen=True)
class Result:
    """A finished run: the weights file, decisions of the learner, seconds, and the evaluations in order."""

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
    **settings: Any,
) -> Result:
    """Train an agent by self-play.

    Args:
        game, options: what is played: a game or its id, and options or a mapping.
        out: the run's folder.
        resume: go on with the run in the folder, if it holds one. Its settings and options stand where none are given; of
            those given only `total_steps`, `max_seconds` and `threads` may differ.
        progress: show a progress bar.
        tensorboard: write TensorBoard logs besides the CSV.
        settings: see `Settings`. With `max_seconds` and no `total_steps`, time alone decides.

    Raises:
        ValueError: an unknown game, option or setting, or a folder that holds another run.
        OSError: the folder cannot be written; what was written before is kept.
    """
    if isinstance(game, Game):
        game = game.id
    if isinstance(options, Options):
        options = vars(options)
    stored = stored_settings(out) if resume else None
    if settings.get("max_seconds") is not None and stored is None:
        settings.setdefault("total_steps", None)
    given = {"game": game, "options": dict(options or {}), **settings}
    if stored is not None and stored.game == game:
        given = {**vars(stored), **given, "options": {**stored.options, **given["options"]}}
    return _run(Settings.make(given), Path(out), resume, progress, tensorboard)


def resume(
    out: Path | str,
    *,
    total_steps: int | None = None,
    max_seconds: float | None = None,
    progress: bool = True,
    tensorboard: bool = False,
) -> Result:
    """Go on with the run in a folder, from its last checkpoint.

    Args:
        total_steps, max_seconds: instead of the run's own.

    Raises:
        ValueError: the folder holds no run.
    """
    settings = stored_settings(out)
    if settings is None:
        raise ValueError(f"{out} holds no run")
    changed: dict[str, Any] = {"total_steps": total_steps, "max_seconds": max_seconds}
    changed = {name: value for name, value in changed.items() if value is not None}
    return _run(replace(settings, **changed), Path(out), True, progress, tensorboard)


def stored_settings(out: Path | str) -> Settings | None:
    """The settings of the run in a folder, None if it holds none.

    Raises:
        ValueError: they are damaged.
        OSError: they cannot be read.
    """
    path = Path(out) / "settings.json"
    try:
        return Settings.from_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"{path} cannot be read: {error}") from None


def _run(settings: Settings, out: Path, resuming: bool, progress: bool, tensorboard: bool) -> Result:
    game = envs.game(settings.game)
    options = game.make_options(settings.options)
    stored = stored_settings(out)
    if not resuming and any((out / name).exists() for name in _FILES):
        holds = f"a run of {stored.game}" if stored else "files of a run"
        raise ValueError(f"{out} already holds {holds}; resume it, or choose another folder")
    if stored is not None and stored.differences(settings):
        raise ValueError(f"the run in {out} has other settings: {'; '.join(stored.differences(settings))}")
    fixed = fixed_agents(settings.fixed_opponents, game, options)
    against = dict(zip(settings.eval_opponents, fixed_agents(settings.eval_opponents, game, options), strict=True))
    _check_memory(settings, game, options)
    write_atomically(out / "settings.json", settings.to_json().encode())
    with own_torch():
        run = _Run(settings, game, options, fixed, against, out, resuming, tensorboard)
        try:
            return run.play(progress)
        finally:
            run.env.close()


def _check_memory(settings: Settings, game: Game, options: Options) -> None:
    """Refuse settings that take more memory than there is, for the games, the decisions between two updates, or evaluations."""
    of_decision = 4 * (game.observation_size(options) + game.num_actions(options) + 8)
    memory.check(
        f"num_envs={settings.num_envs} with rollout_steps={settings.rollout_steps}",
        settings.num_envs * (bytes_per_game(game, options) + settings.rollout_steps * of_decision),
    )
    memory.check(f"eval_deals={settings.eval_deals}", settings.eval_deals * 8 * options.num_players)


def fixed_agents(specs: tuple[str, ...], game: Game, options: Options) -> list[Agent]:
    """Agents from their specs."""
    return [agents.make(spec, game, options) for spec in specs]


@contextlib.contextmanager
def own_torch() -> Iterator[None]:
    """Within, torch runs on one thread and checks no distributions; afterwards all is as before, global generators too."""
    threads, checks = torch.get_num_threads(), torch.distributions.Distribution._validate_args
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.distributions.Distribution.set_default_validate_args(checks)
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.set_rng_state(states[2])


def make_env(settings: Settings, game: Game, options: Options, fixed: list[Agent]) -> SelfPlayVecEnv:
    """The games a run learns on: the fixed opponents, and a place behind them for the policy itself, which also plays the
    learner's team mates. A random agent holds that place until there is a policy."""
    return SelfPlayVecEnv(
        game,
        options,
        [*fixed, RandomAgent()],
        settings.shares(len(fixed), 0),
        num_envs=settings.num_envs,
        seed=settings.seed,
        reward_scale=1.0 if settings.reward_scale is None else settings.reward_scale,
        threads=settings.threads,
        mates=len(fixed),
    )


def measured_scale(game: Game, options: Options, fixed: list[Agent]) -> float:
    """The scale that brings a seat's return to a standard deviation of 1 in games of the fixed opponents against each other;
    1 where the game is not about chips, or nothing is won in these games."""
    if game.chips is None:
        return 1.0
    playing = fixed or [RandomAgent()]
    returns = []
    for first in range(len(playing)):  # every opponent on every seat, as far as there are that many
        seated = [playing[(first + seat) % len(playing)] for seat in range(options.num_players)]
        returns.append(play_batch(game, options, seated, _SCALE_GAMES, _SCALE_SEED))
    spread = float(np.std(returns))
    return 1 / spread if spread else 1.0


def make_model(settings: Settings, env: Any, remaining: Any = None) -> MaskablePPO:
    """A learner. `remaining()` is the share of the run still to come, by which the learning rate falls (default: by steps)."""

    def learning_rate(by_steps: float) -> float:
        share = by_steps if remaining is None else remaining()
        return settings.final_learning_rate + (settings.learning_rate - settings.final_learning_rate) * share

    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=learning_rate,
        n_steps=settings.rollout_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.entropy,
        vf_coef=settings.value_weight,
        max_grad_norm=settings.max_grad_norm,
        stats_window_size=1000,
        policy_kwargs={
            "net_arch": list(settings.hidden),
            "activation_fn": {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[settings.activation],
        },
        seed=settings.seed,
        device="cpu",
    )


class _Run(BaseCallback):
    """A run: what happens between an update and the next rollout, when model and games are at rest."""

    def __init__(
        self,
        settings: Settings,
        game: Game,
        options: Options,
        fixed: list[Agent],
        against: dict[str, Agent],
        out: Path,
        resuming: bool,
        tensorboard: bool,
    ) -> None:
        super().__init__()
        self.settings, self.game, self.options, self.out = settings, game, options, out
        self.fixed, self.against = fixed, against
        self.rng = np.random.default_rng(settings.seed)
        self.snapshots: list[LearnedAgent] = []
        self.points: list[Point] = []
        self.steps, self.saved, self.stopped = 0, -1, False
        self.due = {"snapshot": settings.snapshot_every, "evaluation": 0, "checkpoint": settings.checkpoint_every}
        self.seconds_before, self.begin = 0.0, time.monotonic()
        self.env = make_env(settings, game, options, fixed)
        self.learner = make_model(settings, self.env, self._remaining)
        folder = str(out / "tensorboard")
        self.learner.set_logger(configure(folder, ["tensorboard"]) if tensorboard else Logger(None, []))
        going_on = resuming and (out / "checkpoint.safetensors").exists()
        if going_on:
            self._restore()
        elif settings.reward_scale is None:
            self._set_scale(measured_scale(game, options, fixed))
        self.last = (self.steps, self.begin)
        columns = ["steps", "seconds", "steps_per_second", "mean_return", "mean_decisions", "dropped_games", *_LOGGED]
        columns += [f"{what}_{name}" for name in self.against for what in ("return", "error", "win_rate")]
        self.csv = CsvLog(out / "progress.csv", columns, keep=self.steps if going_on else None)

    # --- the course of a run ---

    def play(self, progress: bool) -> Result:
        """Learn until the steps or the time are used up."""
        total = self.settings.total_steps
        left = _NO_END if total is None else total - self.steps
        with progress_bar(progress) as self.bar:
            self.task = self.bar.add_task(self.game.title, total=1.0, steps=self.steps, speed=0.0, results="")
            if left > 0:
                fresh = self.steps == 0
                self.learner.learn(left, callback=self, log_interval=_NO_END, reset_num_timesteps=fresh)
            if not self.stopped:
                self._rest(last=True)
        return Result(self.out / "agent.safetensors", self.steps, self._seconds(), self.points)

    def _on_rollout_start(self) -> None:
        limit = self.settings.max_seconds
        self.stopped = limit is not None and self._seconds() >= limit
        self._rest(last=self.stopped)

    def _on_step(self) -> bool:
        return not self.stopped

    def _rest(self, last: bool) -> None:
        """Log, copy, evaluate and save what is due; all of it at the end of the run."""
        steps = self.learner.num_timesteps
        row: dict[str, Any] = self._measures(steps) if steps > self.steps else {}
        self.steps = steps
        current = LearnedAgent(*layers_of(self.learner.policy))
        if steps >= self.due["snapshot"]:
            self.due["snapshot"] = steps + self.settings.snapshot_every
            self.snapshots.append(current)
            if len(self.snapshots) > self.settings.snapshots:
                del self.snapshots[self.rng.integers(0, len(self.snapshots) - 1)]
        shares = self.settings.shares(len(self.fixed), len(self.snapshots))
        self.env.set_opponents([*self.fixed, current, *self.snapshots], shares)
        shown = LearnedAgent(current.layers, current.activation, self.settings.greedy)
        if steps >= self.due["evaluation"] or (last and steps > self._evaluated()):
            row |= self._evaluate(shown)
        if row:
            self._log(row)
        if steps > self.saved and (last or steps >= self.due["checkpoint"]):
            self._save(shown)

    def _evaluated(self) -> int:
        return self.points[-1].steps if self.points else -1

    def _set_scale(self, scale: float) -> None:
        self.env.reward_scale = np.float32(scale)

    # --- time ---

    def _seconds(self) -> float:
        return self.seconds_before + time.monotonic() - self.begin

    def _remaining(self) -> float:
        """The share of the run still to come, by steps or time, whichever is less."""
        total, limit = self.settings.total_steps, self.settings.max_seconds
        by_steps = 1.0 if total is None else 1 - self.steps / total
        by_time = 1.0 if limit is None else 1 - self._seconds() / limit
        return max(0.0, min(by_steps, by_time))

    # --- telling ---

    def _measures(self, steps: int) -> dict[str, Any]:
        now = time.monotonic()
        speed = (steps - self.last[0]) / max(now - self.last[1], 1e-9)
        self.last = (steps, now)
        recent: Any = self.learner.ep_info_buffer or []
        values = self.learner.logger.name_to_value
        return {
            "steps_per_second": round(speed),
            "mean_return": _mean([each["r"] for each in recent]),
            "mean_decisions": _mean([each["l"] for each in recent]),
            "dropped_games": self.env.dropped,
            **{name: float(f"{float(values[key]):.6g}") for name, key in _LOGGED.items() if key in values},
        }

    def _evaluate(self, shown: LearnedAgent) -> dict[str, Any]:
        self.due["evaluation"] = self.steps + self.settings.eval_every
        deals = self.settings.eval_deals
        found = {
            name: evaluate(shown, other, self.game, self.options, deals, _EVAL_SEED) for name, other in self.against.items()
        }
        self.points.append(
            Point(
                self.steps,
                {name: each.mean for name, each in found.items()},
                {name: each.standard_error for name, each in found.items()},
                {name: each.win_rate for name, each in found.items()},
            )
        )
        row: dict[str, float] = {}
        for name, each in found.items():
            row |= {f"return_{name}": each.mean, f"error_{name}": each.standard_error, f"win_rate_{name}": each.win_rate}
        return {key: round(value, 5) for key, value in row.items()}

    def _log(self, row: dict[str, Any]) -> None:
        self.csv.write({"steps": self.steps, "seconds": round(self._seconds(), 2), **row})
        logger = self.learner.logger
        for name, value in row.items():
            if name not in _LOGGED:
                logger.record(f"run/{name}", value)
        logger.dump(self.steps)
        rates = self.points[-1].win_rates if self.points else {}
        self.bar.update(
            self.task,
            completed=1 - self._remaining(),
            steps=self.steps,
            speed=float(row.get("steps_per_second", 0.0)),
            results="wins: " + ", ".join(f"{name} {rate:.0%}" for name, rate in rates.items()) if rates else "",
        )

    # --- keeping ---

    def _save(self, shown: LearnedAgent) -> None:
        self.due["checkpoint"] = self.steps + self.settings.checkpoint_every
        about = {
            "due": self.due,
            "seconds": self._seconds(),
            "rng": self.rng.bit_generator.state,
            "points": [vars(point) for point in self.points],
            "reward_scale": float(self.env.reward_scale),
        }
        point = self.points[-1] if self.points else None
        training = {
            "algorithm": "MaskablePPO, self-play",
            "steps": self.steps,
            "seed": self.settings.seed,
            "reward_scale": float(self.env.reward_scale),
            "evaluation": {} if point is None else vars(point),
        }
        learned.save(self.out / "agent.safetensors", shown, self.game, self.options, training)
        checkpoint.save(self.out / "checkpoint.safetensors", self.learner, self.env, self.snapshots, about)
        self.saved = self.steps

    def _restore(self) -> None:
        path = self.out / "checkpoint.safetensors"
        self.snapshots, about = checkpoint.load(path, self.learner, self.env)
        self.steps = self.saved = self.learner.num_timesteps
        with checkpoint.fitting(path):
            self.due = {name: whole(about["due"][name]) for name in self.due}
            self.seconds_before = number(about["seconds"])
            self.rng = generator_of(about["rng"])
            self.points = [Point.of(point) for point in about["points"]]
            self._set_scale(number(about.get("reward_scale", float(self.env.reward_scale))))  # older runs: in their settings


def _mean(values: list[float]) -> float | str:
    return round(sum(values) / len(values), 5) if values else ""
