"""Callbacks: when they are called and with what, that they change nothing, how they stop and break a run; loggers."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from wilddeck.training.callbacks import Callback, Point, ProgressBar, RunView, TensorBoardLogger, WandbLogger
from wilddeck.training.train import Result, resume, train

TINY: dict[str, Any] = {
    "num_envs": 4, "rollout_steps": 32, "batch_size": 128, "epochs": 1, "hidden": [12], "eval_every": 1500, "eval_deals": 2,
    "checkpoint_every": 1000, "total_steps": 2000, "seed": 5, "progress": False, "threads": 1,
}  # fmt: skip


def tiny(out: Path, *callbacks: Callback, **changes: Any) -> Result:
    return train("tennis_v0", {"num_players": 2}, out=out, callbacks=callbacks, **{**TINY, **changes})


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A run without callbacks."""
    return tiny(tmp_path_factory.mktemp("runs") / "without")


class Calls(Callback):
    """Notes what is called, and after how many steps."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.lines: list[dict[str, Any]] = []

    def on_start(self, run: RunView) -> None:
        self.calls.append(("start", run.steps))

    def on_update(self, run: RunView) -> None:
        self.calls.append(("update", run.steps))
        self.lines.append({"steps": run.steps, **run.measures})

    def on_evaluation(self, run: RunView, point: Point) -> None:
        assert point.steps == run.steps and point == run.evaluations[-1]
        self.calls.append(("evaluation", run.steps))

    def on_checkpoint(self, run: RunView, path: Path) -> None:
        assert path == run.out / "checkpoint.safetensors" and path.exists() and (run.out / "agent.safetensors").exists()
        self.calls.append(("checkpoint", run.steps))

    def on_end(self, run: RunView) -> None:
        self.calls.append(("end", run.steps))
        self.error = run.error


class At(Callback):
    """Does something after the first update that brings the run to so many steps."""

    def __init__(self, steps: int, what: Callable[[RunView], Any]) -> None:
        self.steps, self.what = steps, what

    def on_update(self, run: RunView) -> None:
        if run.steps >= self.steps:
            self.what(run)


def lines(out: Path) -> list[dict[str, str]]:
    with (out / "progress.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def fail(run: RunView) -> None:
    raise ZeroDivisionError("mine")


# --- what is called ---


def test_what_is_called_and_when(tmp_path: Path) -> None:
    calls = Calls()
    result = tiny(tmp_path / "run", calls)
    steps = [int(line["steps"]) for line in lines(tmp_path / "run")]
    assert calls.calls[:3] == [("start", 0), ("evaluation", 0), ("update", 0)]
    assert calls.calls[-4:] == [(name, result.steps) for name in ("evaluation", "update", "checkpoint", "end")]
    assert [at for name, at in calls.calls if name == "update"] == steps and len(steps) >= 8
    assert [at for name, at in calls.calls if name == "evaluation"] == [point.steps for point in result.evaluations]
    assert len([at for name, at in calls.calls if name == "checkpoint"]) == 2 and calls.error is None
    for line, told in zip(lines(tmp_path / "run"), calls.lines, strict=True):
        assert {name: value for name, value in line.items() if value and name != "seconds"} == {
            name: str(value) for name, value in told.items()
        }
    assert "return_rules" in calls.lines[0] and "entropy" in calls.lines[1] and "return_rules" not in calls.lines[1]


def test_what_a_callback_sees_cannot_be_changed(tmp_path: Path) -> None:
    seen: dict[str, Any] = {}

    class Looks(Callback):
        def on_checkpoint(self, run: RunView, path: Path) -> None:
            run.measures.clear(), run.tags.clear()
            seen.update(game=run.game.id, players=run.options.num_players, agent=run.agent(), tags=run.tags)
            seen.update(settings=run.settings, seconds=run.seconds, remaining=run.remaining)

        def on_end(self, run: RunView) -> None:
            with pytest.raises(AttributeError):
                run.steps = 3  # type: ignore[misc]
            seen["measures"] = run.measures

    result = tiny(tmp_path / "run", Looks())
    assert seen["game"] == "tennis_v0" and seen["players"] == 2 and seen["settings"].total_steps == 2000
    assert seen["seconds"] > 0 and seen["remaining"] == 0 and seen["measures"]["return_random"]
    assert seen["tags"]["entropy"] == "train/entropy" and seen["tags"]["mean_return"] == "run/mean_return"
    assert set(seen["measures"]) <= set(seen["tags"]) and seen["tags"]["win_rate_rules"] == "run/win_rate_rules"
    from wilddeck.agents import learned

    written = learned.load(result.weights, "tennis_v0", {"num_players": 2})
    assert written.greedy and seen["agent"].greedy
    assert all((seen["agent"].tensors()[name] == array).all() for name, array in written.tensors().items())


def test_callbacks_change_nothing(without: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", stand_in())
    changed = At(0, lambda run: (np.random.seed(run.steps), run.agent().tensors(), run.measures.clear()))
    result = tiny(tmp_path / "run", Calls(), changed, WandbLogger(), ProgressBar())
    assert result.weights.read_bytes() == without.weights.read_bytes()
    assert result.evaluations == without.evaluations


@pytest.mark.parametrize("wrong", [[Calls], [print], Calls, ["bar"], 3])
def test_what_is_no_callback_is_refused(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"callbacks=.* is not allowed; allowed: instances of .*\.Callback"):
        train("tennis_v0", out=tmp_path / "run", callbacks=wrong, **TINY)
    assert not (tmp_path / "run").exists()


# --- runs that end early ---


def test_a_run_that_is_stopped_keeps_a_checkpoint_and_goes_on(without: Result, tmp_path: Path) -> None:
    calls = Calls()
    stopped = tiny(tmp_path / "run", At(400, lambda run: run.stop()), calls)
    assert 400 <= stopped.steps < 1000 and len(stopped.evaluations) == 1 and calls.error is None
    assert calls.calls[-3:] == [(name, stopped.steps) for name in ("update", "checkpoint", "end")]
    again = Calls()
    result = resume(tmp_path / "run", progress=False, callbacks=[again])
    assert again.calls[0] == ("start", stopped.steps) and again.calls[1][0] == "update" and again.calls[1][1] > stopped.steps
    assert result.weights.read_bytes() == without.weights.read_bytes() and result.evaluations == without.evaluations
    assert [line["steps"] for line in lines(tmp_path / "run")] == [line["steps"] for line in lines(without.weights.parent)]


def test_a_run_can_be_stopped_before_it_has_learned(tmp_path: Path, without: Result) -> None:
    stopped = tiny(tmp_path / "run", At(0, lambda run: run.stop()))
    assert stopped.steps == 0 and len(stopped.evaluations) == 1 and stopped.weights.exists()
    resume(tmp_path / "run", progress=False)
    assert [line["steps"] for line in lines(tmp_path / "run")] == [line["steps"] for line in lines(without.weights.parent)]


def test_a_callback_that_raises_ends_the_run_with_its_error(without: Result, tmp_path: Path) -> None:
    """The others are told, and the last checkpoint is gone on with."""
    calls = Calls()
    with pytest.raises(ZeroDivisionError, match="mine"):
        tiny(tmp_path / "run", calls, At(1200, fail))
    assert isinstance(calls.error, ZeroDivisionError) and calls.calls[-1][0] == "end"
    kept = [at for name, at in calls.calls if name == "checkpoint"]
    again = Calls()
    result = resume(tmp_path / "run", progress=False, callbacks=[again])
    assert again.calls[0] == ("start", kept[0]) and kept[0] < calls.calls[-1][1]
    assert result.weights.read_bytes() == without.weights.read_bytes()


def test_what_was_started_is_ended_where_another_cannot_start(tmp_path: Path) -> None:
    class Broken(Callback):
        def on_start(self, run: RunView) -> None:
            raise OSError("no disk")

        def on_end(self, run: RunView) -> None:
            raise AssertionError("it was never started")

    calls, after = Calls(), Calls()
    with pytest.raises(OSError, match="no disk"):
        tiny(tmp_path / "run", calls, Broken(), after)
    assert [name for name, _ in calls.calls] == ["start", "end"] and not after.calls and isinstance(calls.error, OSError)


# --- loggers ---


class Logged:
    """A run of wandb's that notes what it is told."""

    def __init__(self, **keywords: Any) -> None:
        self.keywords, self.rows, self.metrics, self.exit_code = keywords, list[dict[str, Any]](), dict[str, str](), -1

    def define_metric(self, name: str, step_metric: str) -> None:
        self.metrics[name] = step_metric

    def log(self, row: dict[str, Any]) -> None:
        self.rows.append(row)

    def finish(self, exit_code: int) -> None:
        self.exit_code = exit_code


def stand_in(*made: Any) -> Any:
    """The module, whose runs are added to a list."""
    runs: list[Logged] = made[0] if made else []

    def init(**keywords: Any) -> Logged:
        runs.append(Logged(**keywords))
        return runs[-1]

    return SimpleNamespace(init=init)


def test_wandb_is_told_what_the_log_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Logged] = []
    monkeypatch.setitem(sys.modules, "wandb", stand_in(made))
    logger = WandbLogger(project="cards", config={"by": "me"})
    tiny(tmp_path / "run", logger, total_steps=500)
    tiny(tmp_path / "other", logger, total_steps=200)
    first, second = made
    assert first.keywords == {"project": "cards", "config": {"by": "me"}, "dir": str(tmp_path / "run")} and first.exit_code == 0
    assert first.metrics == {"run/*": "steps", "train/*": "steps"} and len(second.rows) < len(first.rows)
    assert [str(row["steps"]) for row in first.rows] == [line["steps"] for line in lines(tmp_path / "run")]
    log = lines(tmp_path / "run")
    assert str(first.rows[2]["train/entropy"]) == log[2]["entropy"]
    assert str(first.rows[0]["run/return_rules"]) == log[0]["return_rules"]
    with pytest.raises(ZeroDivisionError):
        tiny(tmp_path / "broken", WandbLogger(), At(0, fail))
    assert made[-1].exit_code == 1 and made[-1].keywords["config"]["seed"] == 5


def test_a_run_of_wandbs_that_was_given_is_left_to_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    own = Logged()
    tiny(tmp_path / "run", WandbLogger(own), total_steps=300)
    assert own.rows and own.exit_code == -1
    with pytest.raises(ImportError, match="pip install wandb"):
        tiny(tmp_path / "other", WandbLogger())
    with pytest.raises(ValueError, match=r"keywords of wandb\.init, not both: project"):
        WandbLogger(own, project="cards")


def test_the_real_wandb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    result = tiny(tmp_path / "run", WandbLogger(mode="offline", project="cards"), total_steps=500)
    assert result.steps >= 500 and list((tmp_path / "run" / "wandb").glob("offline-run-*/*.wandb")) and wandb.run is None


def test_tensorboard_is_a_callback(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    pytest.importorskip("sb3_contrib")
    tiny(tmp_path / "run", TensorBoardLogger(tmp_path / "board"), tensorboard=True, total_steps=500)
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    for folder in (tmp_path / "board", tmp_path / "run" / "tensorboard"):
        events = EventAccumulator(str(folder))
        events.Reload()
        tags = events.Tags()["scalars"]
        assert {"train/entropy", "run/mean_return", "run/return_rules", "run/steps_per_second"} <= set(tags)
        assert events.Scalars("run/return_rules")[0].step == 0
        assert [str(event.step) for event in events.Scalars("train/entropy")] == [
            line["steps"] for line in lines(tmp_path / "run") if line["entropy"]
        ]
