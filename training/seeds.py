"""Training with several seeds, and statistics over them.

    from wilddeck.training.seeds import train_seeds
    trained = train_seeds("tennis_v0", out="runs/tennis", seeds=5, total_steps=1_000_000)
    print(trained.final.returns["rules"])  # Estimate(mean=..., low=..., high=...)

The output folder has the runs, and a summary once all have ended:

    seed-0/, seed-1/, ...    the runs, as written by `train`
    summary.json             means and intervals over seeds for all evaluations, and the end of each run
    summary.csv              one line per evaluation
    curves.svg               the learning curves

All runs are evaluated on the same deals, so that differences come from training. Intervals are 95 % intervals of the mean over
seeds, by Student's t distribution because seeds are few.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from .. import envs
from ..envs.core.batch import check_count
from ..envs.core.escape import literal
from ..envs.core.files import write_atomically
from ..envs.core.game import Game, Options
from ..envs.core.render import chart
from ..envs.core.student import half_width
from .callbacks import Point
from .log import CsvLog, progress_bar
from .train import Result, train

MAX_SEEDS, MAX_WORKERS = 1000, 1024
_MEASURES = ("returns", "win_rates")


class Estimate(NamedTuple):
    """A mean over seeds, and the ends of its 95 % interval (None with a single seed)."""

    mean: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: np.ndarray) -> Estimate:
        """The estimate from one value per seed."""
        mean, freedom = float(values.mean()), len(values) - 1
        if not freedom:
            return cls(mean, None, None)
        half = half_width(float(values.std(ddof=1)) / len(values) ** 0.5, freedom)
        return cls(mean, mean - half, mean + half)


@dataclass(frozen=True)
class SeedsPoint:
    """An evaluation over all seeds.

    Attributes:
        steps: decisions of the learner.
        returns, win_rates: by opponent, the mean return (in chips in a game about money) and the share of games won.
    """

    steps: int
    returns: dict[str, Estimate]
    win_rates: dict[str, Estimate]


@dataclass(frozen=True)
class SeedsResult:
    """The finished runs.

    Attributes:
        out: their folder.
        results: the result of each run, by seed.
        curve: all evaluations, at the steps of the shortest run, with linear interpolation between a run's evaluations.
        final: the last evaluations of all seeds; `steps` is their mean.
    """

    out: Path
    results: dict[int, Result]
    curve: tuple[SeedsPoint, ...]
    final: SeedsPoint

    @classmethod
    def of(cls, out: Path, results: Mapping[int, Result]) -> SeedsResult:
        """Summarise the runs."""
        runs = [result.evaluations for result in results.values()]
        steps = [point.steps for point in min(runs, key=lambda points: points[-1].steps)]
        curve = tuple(_over_seeds(at, [_between(points, at) for points in runs]) for at in steps)
        ended = round(float(np.mean([points[-1].steps for points in runs])))
        return cls(out, dict(results), curve, _over_seeds(ended, [points[-1] for points in runs]))


def _between(points: Sequence[Point], at: int) -> Point:
    """A run's evaluations, interpolated at these steps."""
    steps = [point.steps for point in points]

    def values(measure: str) -> dict[str, float]:
        return {name: float(np.interp(at, steps, [getattr(p, measure)[name] for p in points])) for name in points[0].returns}

    return Point(at, values("returns"), values("errors"), values("win_rates"))


def _over_seeds(steps: int, points: Sequence[Point]) -> SeedsPoint:
    def estimates(measure: str) -> dict[str, Estimate]:
        return {name: Estimate.of(np.array([getattr(point, measure)[name] for point in points])) for name in points[0].returns}

    return SeedsPoint(steps, estimates("returns"), estimates("win_rates"))


def train_seeds(
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    *,
    out: Path | str,
    seeds: int = 5,
    workers: int = 1,
    resume: bool = False,
    progress: bool = True,
    **settings: Any,
) -> SeedsResult:
    """Train an agent by self-play several times, in runs that differ only in their seeds.

    Args:
        game, options: the game and its options.
        out: the folder of the runs.
        seeds: the number of seeds, which count up from the setting `seed` (0).
        workers: the number of runs in parallel processes, each by default on one thread; 1: all runs in this process, in
            sequence. Processes get copies (by `pickle`) of agents and callbacks that are objects, and a script must call this
            under `if __name__ == "__main__":`.
        resume: continue the runs in the folder, and start those that have not begun.
        progress: show a progress bar for each run, or with processes one for all.
        settings: the arguments of `train`, such as `callbacks` (called by every run), `trust`, and all `Settings`.

    Raises:
        ValueError: see `train`; or an argument cannot be sent to processes.
        RuntimeError: a process failed. All checkpoints are kept, and unfinished runs can be resumed.
        OSError: the folder cannot be written.
    """
    check_count("seeds", seeds, MAX_SEEDS)
    check_count("workers", workers, MAX_WORKERS)
    first, folder = settings.pop("seed", 0), Path(out)
    game = envs.registered(game)
    if workers > 1:
        settings.setdefault("threads", 1)
    tasks = {
        seed: (game, options, {**settings, "out": folder / f"seed-{seed}", "resume": resume, "seed": seed})
        for seed in range(first, first + seeds)
    }
    if workers == 1:
        results = {seed: train(*task[:2], progress=progress, **task[2]) for seed, task in tasks.items()}
    else:
        results = {}
        with progress_bar(progress) as bar:
            shown = bar.add_task(envs.game(game).title, total=seeds, steps=0, speed=0.0, results=f"0 of {seeds} seeds")
            for seed, result in _in_processes(tasks, workers):
                results[seed] = result
                about = f"{len(results)} of {seeds} seeds"
                bar.update(shown, advance=1, steps=sum(each.steps for each in results.values()), results=about)
    made = SeedsResult.of(folder, {seed: results[seed] for seed in tasks})
    _write(made)
    return made


# --- processes ---


def _in_processes(tasks: Mapping[int, tuple[Any, ...]], workers: int) -> Iterator[tuple[int, Result]]:
    """Yields results as runs finish; ends the processes in any case."""
    try:
        pickle.dumps(list(tasks.values()))
    except Exception as error:
        raise ValueError(
            f"an agent, callback or function cannot be sent to worker processes ({type(error).__name__}: {error}); "
            "workers=1 trains in this process"
        ) from None
    context, waiting = multiprocessing.get_context("spawn"), list(tasks)
    running: dict[Any, tuple[int, Any]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                seed = waiting.pop(0)
                answers, sender = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(sender, os.getpid(), *tasks[seed]), daemon=True)
                process.start()
                sender.close()
                running[answers] = seed, process
            ready: Any
            for ready in connection.wait(list(running)):
                seed, process = running.pop(ready)
                try:
                    result, refused = ready.recv()
                except EOFError:
                    process.join()
                    raise RuntimeError(
                        f"the process of seed {seed} ended (exit code {process.exitcode}; its error is above); a script that "
                        'trains in processes must do so under `if __name__ == "__main__":`'
                    ) from None
                process.join()
                if refused:
                    raise ValueError(f"seed {seed}: {refused}")
                yield seed, result
    finally:
        for _, process in running.values():
            process.kill()
            process.join()


def _work(answer: Any, parent: int, game: str, options: Any, settings: dict[str, Any]) -> None:
    """The life of a process: one run. It ends with its parent, to whom Ctrl-C belongs."""
    if sys.platform.startswith("linux"):
        from ..agents.guardian import follow

        follow(parent)
    with contextlib.suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        answer.send((train(game, options, progress=False, **settings), ""))
    except ValueError as error:
        answer.send((None, str(error)))
    except Exception:
        traceback.print_exc()
        sys.exit(1)


# --- telling ---


def table(trained: SeedsResult) -> Table:
    """How the runs ended, for the terminal: a line for each opponent."""
    title = f"{len(trained.results)} seeds, {trained.final.steps:,} decisions each"
    rows = Table("against", "mean return", "95 %", "wins", "95 %", title=title)
    for name, returned in trained.final.returns.items():
        wins = trained.final.win_rates[name]
        interval = "" if returned.low is None else f"{returned.low:+.3f} … {returned.high:+.3f}"
        won = "" if wins.low is None else f"{wins.low:.1%} … {wins.high:.1%}"
        rows.add_row(literal(name), f"{returned.mean:+.3f}", interval, f"{wins.mean:.1%}", won)
    return rows


def _write(trained: SeedsResult) -> None:
    def told(point: SeedsPoint) -> dict[str, Any]:
        tables = {
            measure: {name: estimate._asdict() for name, estimate in getattr(point, measure).items()} for measure in _MEASURES
        }
        return {"steps": point.steps, **tables}

    runs = {
        seed: {"folder": result.weights.parent.name, "steps": result.steps, "seconds": round(result.seconds, 2)}
        | {measure: getattr(result.evaluations[-1], measure) for measure in _MEASURES}
        for seed, result in trained.results.items()
    }
    about = {"final": told(trained.final), "curve": [told(point) for point in trained.curve], "runs": runs}
    write_atomically(trained.out / "summary.json", (json.dumps(about, indent=2) + "\n").encode())
    lines = [_line(point) for point in trained.curve]
    log = CsvLog(trained.out / "summary.csv", list(lines[0]))
    for row in lines:
        log.write(row)
    write_atomically(trained.out / "curves.svg", picture(trained).encode())


def _line(point: SeedsPoint) -> dict[str, Any]:
    row: dict[str, Any] = {"steps": point.steps}
    for measure, short in zip(_MEASURES, ("return", "win_rate"), strict=True):
        for name, estimate in getattr(point, measure).items():
            ends = zip(("", "_low", "_high"), estimate, strict=True)
            row |= {f"{short}_{name}{end}": value if value is None else round(value, 5) for end, value in ends}
    return row


def picture(trained: SeedsResult) -> str:
    """The curves as SVG: by opponent the mean return over seeds with its 95 % interval, and thin behind it each seed."""
    names = list(trained.final.returns)
    runs = [result.evaluations for result in trained.results.values()]
    shown = [point.returns[name] for points in runs for point in points for name in names] or [0.0]
    shown += [end for point in trained.curve for each in point.returns.values() for end in each if end is not None]
    last = max(points[-1].steps for points in runs) or 1
    across = [value for value in chart.ticks(0, last) if value <= last]
    up = chart.ticks(min(shown), max(max(shown), min(shown) + 1e-3))
    x, y = chart.scales(0, last, up[0], up[-1])
    parts = []
    for value in up:
        parts.append(chart.line(x(0), y(value), x(last), y(value), "#999999" if value == 0 else "#dddddd"))
        parts.append(chart.text(x(0) - 8, y(value) + 4, f"{value:g}", "end"))
    for value in across:
        parts.append(chart.line(x(value), y(up[0]), x(value), y(up[0]) + 5, "#555555"))
        parts.append(chart.text(x(value), y(up[0]) + 19, f"{value:,.0f}", "middle"))
    parts += chart.names("decisions", "mean return")

    def corners(values: Sequence[tuple[int, float]]) -> list[str]:
        return [f"{x(steps):.1f},{y(value):.1f}" for steps, value in values]

    for number, name in enumerate(names):
        for seed, result in trained.results.items():
            own = corners([(point.steps, point.returns[name]) for point in result.evaluations])
            parts.append(chart.curve(own, number, f"{name}, seed {seed}", 0.6))
        estimates = [(point.steps, point.returns[name]) for point in trained.curve]
        over = corners([(steps, each.high) for steps, each in estimates if each.high is not None])
        under = corners([(steps, each.low) for steps, each in estimates if each.low is not None])
        parts.append(chart.band(over, under, number))
        parts.append(chart.curve(corners([(steps, each.mean) for steps, each in estimates]), number, name))
        parts += chart.legend(number, f"against {name}")
    return chart.document("Mean return by decisions learned from, over seeds", parts, len(names))
