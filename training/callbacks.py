"""Callbacks, whose methods are called during a run, and the loggers made with them.

    class Enough(Callback):
        def on_evaluation(self, run, point):
            if point.win_rates["rules"] > 0.5:
                run.stop()

    train("tennis_v0", out="runs/tennis", callbacks=[Enough(), WandbLogger(project="cards")])

The CSV file, the progress bar and TensorBoard are callbacks too. All are called in the training process and thread: first the
run's own, then those given, in order. Their time counts towards `max_seconds`; otherwise they do not affect the run, which has
its own random generators (except `sb3`, which uses torch's global one).

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
        returns, errors, win_rates: by opponent: the mean return (in chips in a game about money), its standard error, and the
            share of games won.
    """

    steps: int
    returns: dict[str, float]
    errors: dict[str, float]
    win_rates: dict[str, float]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Point:
        """Read an evaluation from a checkpoint (ValueError, KeyError, AttributeError if it is not valid)."""
        tables = {
            name: {agent: number(field) for agent, field in values[name].items()} for name in ("returns", "errors", "win_rates")
        }
        return cls(whole(values["steps"]), **tables)


class RunView:
    """A callback's view of a run, to read and to stop it."""

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
        """Decisions of the learner so far; a resumed run starts from those of its checkpoint."""
        return self._run.steps

    @property
    def seconds(self) -> float:
        """Training time so far, as counted by `Settings.max_seconds`."""
        return self._run.clock.seconds

    @property
    def remaining(self) -> float:
        """The fraction of the run that remains, from 1 to 0."""
        return self._run.clock.remaining()

    @property
    def measures(self) -> dict[str, Any]:
        """The values of the last update, and of the evaluation after it, if any, by name: a line of `progress.csv`."""
        return dict(self._run.row)

    @property
    def tags(self) -> dict[str, str]:
        """The logged name of each of the `measures`: "mean_return": "run/mean_return", "entropy": "train/entropy", ..."""
        return dict(self._run.tags)

    @property
    def evaluations(self) -> tuple[Point, ...]:
        """All evaluations so far."""
        return tuple(self._run.points)

    @property
    def error(self) -> BaseException | None:
        """The error that ended the run; None while it runs and after a normal end."""
        return self._run.error

    def agent(self) -> NetworkAgent:
        """A copy of the current agent, as it would be written."""
        return self._run.agent()

    def stop(self) -> None:
        """End the run after this update, with a checkpoint and no further evaluation. It can be resumed."""
        self._run.stopped = True


class Callback:
    """The base class of callbacks. Every method does nothing by default."""

    def on_start(self, run: RunView) -> None:
        """Called before the first update, also when a run is resumed."""

    def on_update(self, run: RunView) -> None:
        """Called after each update and its evaluation, if any; in a new run also after the evaluation at 0 steps."""

    def on_evaluation(self, run: RunView, point: Point) -> None:
        """Called after each evaluation, which is the last of `run.evaluations`."""

    def on_checkpoint(self, run: RunView, path: Path) -> None:
        """Called after a checkpoint was written to `path` and the agent to `agent.safetensors` beside it."""

    def on_end(self, run: RunView) -> None:
        """Called when a started run has ended, also after an error (`run.error`) or Ctrl-C."""


class CsvLogger(Callback):
    """Writes `progress.csv`. Every run has one; resuming drops the lines after the checkpoint."""

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
    """Writes TensorBoard logs (needs the extra `train`). `train(tensorboard=True)` adds one.

    Args:
        folder: the output folder; None: `tensorboard` in the run's folder.
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
    """Logs to Weights & Biases, with `steps` as the x-axis.

    Args:
        run: a wandb run, which the caller must finish; None: the training makes one by `wandb.init` and finishes it, as failed
            after an error.
        keywords: arguments of `wandb.init`, such as `project`; by default `config` is the settings and `dir` the run's folder.
            To resume: `id="...", resume="allow"`.

    Raises:
        ImportError: wandb is not installed; raised when the training starts.
    """

    def __init__(self, run: Any = None, **keywords: Any) -> None:
        if run is not None and keywords:
            raise ValueError(f"WandbLogger takes a wandb run or keywords of wandb.init, not both: {', '.join(keywords)}")
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
    """The measures by their logged names."""
    return ((run.tags[name], value) for name, value in run.measures.items() if name in run.tags)


def check_callbacks(callbacks: Any) -> list[Callback]:
    """The given callbacks as a list.

    Raises:
        ValueError: one is not a `Callback`.
    """
    callbacks = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
    for callback in callbacks:
        if not isinstance(callback, Callback):
            raise ValueError(
                f"callbacks={callback!r} is not allowed; allowed: instances of wilddeck.training.callbacks.Callback"
            )
    return callbacks
