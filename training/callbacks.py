"""Hooks: what is called in the course of a run, and the loggers that are made of them.

    class Enough(Callback):
        def on_evaluation(self, run, point):
            if point.win_rates["rules"] > 0.5:
                run.stop()

    train("tennis_v0", out="runs/tennis", callbacks=[Enough(), WandbLogger(project="cards")])

The CSV file, the progress bar and TensorBoard are callbacks, too. All are called in the process and thread that trains, the
run's own first, then those given, in their order. What they do takes time, which counts where `max_seconds` ends the run, and
changes nothing else: a run draws from generators of its own. (But for the learner `sb3`, which draws from torch's global one.)

A callback that raises ends the run with its error. The last checkpoint is kept, and the run can be resumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..agents.base import NetworkAgent
from ..envs.core.files import number, whole
from ..envs.core.game import Game, Options
from .log import CsvLog, progress_bar
from .settings import Settings


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
            name: {agent: number(field) for agent, field in values[name].items()} for name in ("returns", "errors", "win_rates")
        }
        return cls(whole(values["steps"]), **tables)


class RunView:
    """A run as its callbacks see it: it can be read, and stopped."""

    def __init__(self, run: Any) -> None:
        self._run = run

    @property
    def settings(self) -> Settings:
        return self._run.settings

    @property
    def game(self) -> Game:
        return self._run.game

    @property
    def options(self) -> Options:
        return self._run.options

    @property
    def out(self) -> Path:
        """The run's folder."""
        return self._run.out

    @property
    def steps(self) -> int:
        """Decisions of the learner so far; of a run that is resumed, at first those of its checkpoint."""
        return self._run.steps

    @property
    def seconds(self) -> float:
        """Of training so far, as `Settings.max_seconds` counts them."""
        return self._run.clock.seconds

    @property
    def remaining(self) -> float:
        """The share of the run still to come, from 1 to 0."""
        return self._run.clock.remaining()

    @property
    def measures(self) -> dict[str, Any]:
        """By name, of the last update and of the evaluation that followed it, if one did: what `progress.csv` has in a line."""
        return dict(self._run.row)

    @property
    def tags(self) -> dict[str, str]:
        """What `measures` can hold, and what loggers call it: "mean_return": "run/mean_return", "entropy": "train/entropy"."""
        return dict(self._run.tags)

    @property
    def evaluations(self) -> tuple[Point, ...]:
        """All so far."""
        return tuple(self._run.points)

    @property
    def error(self) -> BaseException | None:
        """What ended the run; None while it goes on, and where it ended in order."""
        return self._run.error

    def agent(self) -> NetworkAgent:
        """The agent as it would be written now, a copy."""
        return self._run.agent()

    def stop(self) -> None:
        """End the run after this update, with a checkpoint and no further evaluation. It can be resumed."""
        self._run.stopped = True


class Callback:
    """What is called in the course of a run. Every method does nothing by default."""

    def on_start(self, run: RunView) -> None:
        """Before the first update, also of a run that is resumed."""

    def on_update(self, run: RunView) -> None:
        """After each update, and the evaluation that follows some; of a new run also after the evaluation at 0 steps."""

    def on_evaluation(self, run: RunView, point: Point) -> None:
        """After each evaluation, the last of `run.evaluations`."""

    def on_checkpoint(self, run: RunView, path: Path) -> None:
        """After each checkpoint was written to `path`, and the agent to `agent.safetensors` beside it."""

    def on_end(self, run: RunView) -> None:
        """When a run that was started has ended, also by an error (`run.error`) or Ctrl-C."""


class CsvLogger(Callback):
    """Writes `progress.csv`. Every run has one; of a run that is resumed the lines behind its checkpoint are dropped."""

    def on_start(self, run: RunView) -> None:
        keep = run.steps if run.evaluations else None
        self._log = CsvLog(run.out / "progress.csv", ["steps", "seconds", *run.tags], keep)

    def on_update(self, run: RunView) -> None:
        self._log.write({"steps": run.steps, "seconds": round(run.seconds, 2), **run.measures})


class ProgressBar(Callback):
    """Shows steps, speed, win rates and the time left."""

    def on_start(self, run: RunView) -> None:
        self._bar = progress_bar(True)
        self._task = self._bar.add_task(run.game.title, total=1.0, steps=run.steps, speed=0.0, results="")
        self._bar.start()

    def on_update(self, run: RunView) -> None:
        rates = run.evaluations[-1].win_rates if run.evaluations else {}
        self._bar.update(
            self._task,
            completed=1 - run.remaining,
            steps=run.steps,
            speed=float(run.measures.get("steps_per_second", 0.0)),
            results="wins: " + ", ".join(f"{name} {rate:.0%}" for name, rate in rates.items()) if rates else "",
        )

    def on_end(self, run: RunView) -> None:
        self._bar.stop()


class TensorBoardLogger(Callback):
    """Writes TensorBoard's logs (extra `train`). `train(tensorboard=True)` adds one.

    Args:
        folder: where to; None: `tensorboard` in the run's folder.
    """

    def __init__(self, folder: Path | str | None = None) -> None:
        self._folder = folder

    def on_start(self, run: RunView) -> None:
        from ..seats.extra import configure

        self._logger = configure(str(self._folder or run.out / "tensorboard"), ["tensorboard"])

    def on_update(self, run: RunView) -> None:
        for tag, value in _tagged(run):
            self._logger.record(tag, value)
        self._logger.dump(run.steps)

    def on_end(self, run: RunView) -> None:
        self._logger.close()


class WandbLogger(Callback):
    """Logs to Weights & Biases, over `steps`.

    Args:
        run: a run of wandb's, which its owner finishes; None: `wandb.init` makes one as the training starts, which is finished
            as that ends, as failed if by an error.
        keywords: of `wandb.init`, such as `project`; by default `config` is the settings and `dir` the run's folder. For a
            training that is resumed: `id="...", resume="allow"`.

    Raises:
        ImportError: (as the training starts) wandb is not installed.
    """

    def __init__(self, run: Any = None, **keywords: Any) -> None:
        if run is not None and keywords:
            raise ValueError(f"give WandbLogger a run of wandb's or keywords of wandb.init, not both: {', '.join(keywords)}")
        self._given, self._keywords = run, keywords

    def on_start(self, run: RunView) -> None:
        self._logged = self._given
        if self._given is None:
            self._logged = _wandb().init(**{"config": vars(run.settings), "dir": str(run.out), **self._keywords})
        for group in ("run", "train"):  # wandb's own steps cannot go back to a checkpoint
            self._logged.define_metric(f"{group}/*", step_metric="steps")

    def on_update(self, run: RunView) -> None:
        self._logged.log({"steps": run.steps, **dict(_tagged(run))})

    def on_end(self, run: RunView) -> None:
        if self._given is None:
            self._logged.finish(exit_code=int(run.error is not None))


def _wandb() -> Any:
    try:
        import wandb
    except ImportError as error:
        raise ImportError(f"WandbLogger needs wandb: pip install wandb ({error})") from error
    return wandb


def _tagged(run: RunView) -> Iterator[tuple[str, Any]]:
    """The measures as loggers call them."""
    return ((run.tags[name], value) for name, value in run.measures.items() if name in run.tags)


def check_callbacks(callbacks: Any) -> list[Callback]:
    """The callbacks that were given.

    Raises:
        ValueError: one of them is none.
    """
    callbacks = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
    for callback in callbacks:
        if not isinstance(callback, Callback):
            raise ValueError(
                f"callbacks={callback!r} is not allowed; allowed: objects of a subclass of wilddeck.training.callbacks.Callback"
            )
    return callbacks
