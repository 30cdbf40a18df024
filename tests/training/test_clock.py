"""What a limit of time counts: what is learned, and not what comes before it, in every kind of training."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kuhn
import pytest
from rich.progress import Progress
from wilddeck.training import population
from wilddeck.training import train as training
from wilddeck.training.clock import Clock
from wilddeck.training.exploit import exploit
from wilddeck.training.population import train_population
from wilddeck.training.ppo import PPO
from wilddeck.training.settings import Settings
from wilddeck.training.train import resume, train

TINY: dict[str, Any] = {"num_envs": 4, "rollout_steps": 16, "batch_size": 64, "hidden": (8,)}
SLOW = 1000.0


class Time:
    """Stands still but for what is said to take time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self._monkeypatch = 0.0, monkeypatch
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def takes(self, owner: Any, name: str, first: float, later: float = 0.0) -> None:
        """What the first call takes, and each call after it."""
        function: Callable[..., Any] = getattr(owner, name)
        costs = iter([first])

        def timed(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            self.now += next(costs, later)
            return result

        self._monkeypatch.setattr(owner, name, timed)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    """A machine on which all that is compiled takes long."""
    slowed = Time(monkeypatch)
    slowed.takes(training, "measured_scale", SLOW)
    slowed.takes(training, "evaluate", SLOW)
    slowed.takes(PPO, "update", SLOW, 1.0)
    return slowed


def lines(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("learner", ["ppo", "sb3"])
def test_a_run_has_its_time_after_its_first_update(learner: str, clock: Time, tmp_path: Path) -> None:
    if learner == "sb3":
        pytest.importorskip("sb3_contrib")
        from wilddeck.training.sb3 import MaskablePPO

        clock.takes(MaskablePPO, "train", SLOW, 1.0)
    out = tmp_path / "run"
    result = train(
        "tennis_v0", {"num_players": 2}, out=out, max_seconds=5, eval_deals=2, progress=False, learner=learner, **TINY
    )
    learned = [row for row in lines(out / "progress.csv") if int(row["steps"])]
    assert len(learned) == 6 and [float(row["seconds"]) for row in learned] == [0, 1, 2, 3, 4, 5]
    assert result.steps == int(learned[-1]["steps"]) > 0 and result.seconds == 5 and result.weights.exists()
    rates = [float(row["learning_rate"]) for row in learned]
    assert rates == sorted(rates, reverse=True) and rates[0] == rates[1] > rates[2]  # they fall with the time that counts
    clock.now += SLOW
    assert resume(out, progress=False).steps == result.steps  # its time is over
    further = resume(out, max_seconds=7, progress=False)
    assert len(lines(out / "progress.csv")) == len(learned) + 4 and further.seconds == 7  # the first of them takes none


def test_an_exploiter_too(clock: Time) -> None:
    exploited = exploit("random", kuhn.GAME, max_seconds=8, deals=10, seed=1, init_from=None, **TINY)
    stages = [trial.steps for trial in exploited.tried if trial.steps]
    assert exploited.seconds == 8 and len(stages) == 8 and exploited.steps == stages[-1]


def test_an_exploiter_has_learned_something_however_short_its_time(clock: Time) -> None:
    clock.takes(Progress, "update", SLOW, SLOW)  # its time is over between two looks at the clock
    exploited = exploit("random", kuhn.GAME, max_seconds=100, deals=10, seed=1, init_from=None, progress=True, **TINY)
    assert [trial.steps for trial in exploited.tried if trial.steps] == [exploited.steps] and exploited.steps > 0


def test_a_population_too(clock: Time, tmp_path: Path) -> None:
    clock.takes(population, "learn", 0.0, 2.0)
    train_population("tennis_v0", {"num_players": 2}, out=tmp_path, exploiters=1, round_steps=100, max_seconds=15, **TINY)
    assert int(lines(tmp_path / "population.csv")[-1]["round"]) > 2


def test_a_run_that_learned_nothing_has_used_no_time() -> None:
    """As one may have been left by a release that counted otherwise."""
    settings = Settings("tennis_v0", max_seconds=5)
    assert Clock(settings, 0, 60.0).remaining() == 1 and Clock(settings, 10, 60.0).remaining() == 0
