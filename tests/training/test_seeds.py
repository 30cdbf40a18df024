"""Several seeds: their runs, means and intervals over them, files, picture, processes, the command."""

from __future__ import annotations

import csv
import json
import multiprocessing
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wilddeck.cli import main
from wilddeck.training import seeds
from wilddeck.training.callbacks import Callback, Point, RunView
from wilddeck.training.seeds import Estimate, SeedsResult, picture, train_seeds
from wilddeck.training.train import Result, train

TINY: dict[str, Any] = {
    "num_envs": 4, "rollout_steps": 16, "batch_size": 64, "epochs": 1, "hidden": [12], "eval_every": 200, "eval_deals": 3,
    "checkpoint_every": 200, "total_steps": 400, "progress": False,
}  # fmt: skip
OPTIONS = {"num_players": 2, "max_tricks": 50}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> SeedsResult:
    """Three seeds."""
    return train_seeds("tennis_v0", OPTIONS, out=tmp_path_factory.mktemp("runs") / "three", seeds=3, seed=4, **TINY)


def result(*evaluations: tuple[int, float]) -> Result:
    points = [Point(steps, {"x": value}, {"x": 0.1}, {"x": value / 2}) for steps, value in evaluations]
    return Result(Path("agent.safetensors"), points[-1].steps, 1.0, points)


# --- means and intervals ---


def test_intervals_are_students() -> None:
    values = np.array([0.1, 0.4, 0.2, 0.5, 0.3])
    mean, low, high = Estimate.of(values)
    assert (mean, low, high) == pytest.approx((0.3, 0.103707, 0.496293), abs=1e-6)  # 2.776 * 0.158114 / sqrt(5)
    assert Estimate.of(values[:1]) == (0.1, None, None)
    scipy = pytest.importorskip("scipy.stats")
    for count in (2, 3, 6, 17, 18, 31, 32, 60, 500):
        drawn = np.random.default_rng(count).normal(size=count)
        exact = scipy.t.interval(0.95, count - 1, drawn.mean(), scipy.sem(drawn))
        assert Estimate.of(drawn)[1:] == pytest.approx(exact, rel=2e-3)


def test_evaluations_at_different_steps_meet_on_lines() -> None:
    told = SeedsResult.of(Path(), {0: result((0, 0.0), (100, 1.0), (210, 3.2)), 1: result((0, 0.0), (120, 2.4), (200, 4.0))})
    assert [point.steps for point in told.curve] == [0, 120, 200]
    assert [point.returns["x"].mean for point in told.curve] == pytest.approx([0.0, (1.4 + 2.4) / 2, (3.0 + 4.0) / 2])
    assert [point.win_rates["x"].mean for point in told.curve] == pytest.approx([0.0, 0.95, 1.75])
    assert told.final.steps == 205 and told.final.returns["x"].mean == pytest.approx(3.6)


# --- the runs ---


def test_each_seed_is_a_run_of_its_own(trained: SeedsResult, tmp_path: Path) -> None:
    assert list(trained.results) == [4, 5, 6] and trained.results[5].weights == trained.out / "seed-5" / "agent.safetensors"
    alone = train("tennis_v0", OPTIONS, out=tmp_path / "run", seed=5, **TINY)
    assert alone.weights.read_bytes() == trained.results[5].weights.read_bytes()
    last = [each.evaluations[-1].returns["random"] for each in trained.results.values()]
    assert len({each.weights.read_bytes() for each in trained.results.values()}) == 3
    assert trained.final.returns["random"].mean == pytest.approx(np.mean(last))
    assert trained.curve[0].steps == 0 and len(trained.curve) == 3


def test_what_is_written(trained: SeedsResult) -> None:
    about = json.loads((trained.out / "summary.json").read_text())
    assert about["final"]["returns"]["rules"] == trained.final.returns["rules"]._asdict()
    assert [point["steps"] for point in about["curve"]] == [point.steps for point in trained.curve]
    assert about["runs"]["5"]["folder"] == "seed-5" and about["runs"]["5"]["steps"] == trained.results[5].steps
    with (trained.out / "summary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 and float(rows[2]["win_rate_random_high"]) == round(trained.curve[2].win_rates["random"].high or 0, 5)
    assert float(rows[1]["return_random"]) == round(trained.curve[1].returns["random"].mean, 5)


def test_the_picture(trained: SeedsResult) -> None:
    root = ElementTree.fromstring((trained.out / "curves.svg").read_text())
    svg = "{http://www.w3.org/2000/svg}"
    curves = [line for line in root.iter(f"{svg}polyline") if line.get("stroke-width") == "2"]
    assert len(curves) == 2 and len(list(root.iter(f"{svg}polyline"))) == 2 + 2 * 3
    _, _, width, height = map(float, str(root.get("viewBox")).split())
    for shape in (*root.iter(f"{svg}polyline"), *root.iter(f"{svg}polygon")):
        corners = [tuple(map(float, corner.split(","))) for corner in str(shape.get("points")).split()]
        assert corners and all(0 <= x <= width and 0 <= y <= height for x, y in corners)
    words = [text.text for text in root.iter(f"{svg}text")]
    assert {"against random", "against rules", "decisions", "mean return"} <= set(words)
    one = picture(SeedsResult.of(Path(), {0: result((0, 0.0), (100, 0.0))}))  # one seed, and always the same
    assert "nan" not in one and "polyline" in one


def test_finished_runs_are_not_made_again_and_more_are_added(trained: SeedsResult) -> None:
    """The folder is refused without `resume`."""
    with pytest.raises(ValueError, match="seed-4 already contains a run of tennis_v0; resume it"):
        train_seeds("tennis_v0", OPTIONS, out=trained.out, seeds=3, seed=4, **TINY)
    stamps = [each.weights.stat().st_mtime_ns for each in trained.results.values()]
    more = train_seeds("tennis_v0", OPTIONS, out=trained.out, seeds=4, seed=4, resume=True, **TINY)
    assert [more.results[seed].weights.stat().st_mtime_ns for seed in trained.results] == stamps and len(more.results) == 4
    assert more.results[4].evaluations == trained.results[4].evaluations


class Noted(Callback):
    """Writes beside the run that it was called."""

    def on_end(self, run: RunView) -> None:
        (run.out / "noted").write_text(str(run.steps))


@pytest.mark.long
def test_processes_make_the_same_runs(trained: SeedsResult, tmp_path: Path) -> None:
    many = train_seeds("tennis_v0", OPTIONS, out=tmp_path / "many", seeds=2, seed=4, workers=2, callbacks=[Noted()], **TINY)
    for seed, each in many.results.items():
        assert each.weights.read_bytes() == trained.results[seed].weights.read_bytes()
        assert (each.weights.parent / "noted").read_text() == str(each.steps)
        assert each.evaluations == trained.results[seed].evaluations
    with pytest.raises(ValueError, match=r"seed [45]: unknown setting 'nothing'; settings: "):
        train_seeds("tennis_v0", OPTIONS, out=tmp_path / "other", seeds=2, seed=4, workers=2, nothing=1, **TINY)


def test_what_cannot_be_sent_to_processes_is_said(tmp_path: Path) -> None:
    callback = Noted()
    callback.lock = threading.Lock()  # type: ignore[attr-defined]
    with pytest.raises(
        ValueError, match=r"cannot be sent to worker processes \(TypeError: .*lock.*; workers=1 trains in this process"
    ):
        train_seeds("tennis_v0", OPTIONS, out=tmp_path / "run", seeds=2, workers=2, callbacks=[callback], **TINY)


class Dies(Callback):
    def on_start(self, run: RunView) -> None:
        import os

        os._exit(7)


@pytest.mark.long
def test_a_process_that_dies_ends_the_others(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"the process of seed [01] ended \(exit code 7;"):
        train_seeds("tennis_v0", OPTIONS, out=tmp_path / "run", seeds=3, workers=2, callbacks=[Dies()], **TINY)
    assert not multiprocessing.active_children()
    (tmp_path / "script.py").write_text(
        "from wilddeck.training.seeds import train_seeds\ntrain_seeds('tennis_v0', out='unguarded', seeds=2, workers=2)"
    )
    said = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert said.returncode != 0 and "must do so under `if __name__" in said.stderr


@pytest.mark.parametrize(("wrong", "said"), [({"seeds": 0}, "seeds"), ({"workers": 0}, "workers"), ({"seeds": 1.5}, "seeds")])
def test_wrong_numbers(wrong: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=said):
        train_seeds("tennis_v0", OPTIONS, out=tmp_path / "run", **wrong)


# --- the command ---

SETTINGS = "--set num_envs=4 --set rollout_steps=16 --set batch_size=64 --set eval_deals=2 --set hidden=12 --steps 200"


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    line = f"train tennis -n 2 --out runs --seeds 2 {SETTINGS}".split()
    assert main(line) == 0
    said = capsys.readouterr().out
    assert "2 seeds" in said and "against" in said and "rules" in said and "curves.svg" in said
    assert sorted(path.name for path in Path("runs").iterdir()) == [
        "curves.svg",
        "seed-0",
        "seed-1",
        "summary.csv",
        "summary.json",
    ]
    assert main(line) == 1 and "resume it" in capsys.readouterr().err
    assert main([*line, "--resume"]) == 0
    assert main([*line, "--resume", "--out", "nothing"]) == 1 and "has no run to resume" in capsys.readouterr().err
    assert main(f"train tennis --workers 2 {SETTINGS}".split()) == 1 and "--workers needs --seeds" in capsys.readouterr().err


def test_networks_and_learners_of_ones_own_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    assert main(f"train tennis -n 2 --out a --network own_networks:Remembers --history 8 {SETTINGS}".split()) == 0
    stored = json.loads(Path("a/settings.json").read_text())
    assert stored["network"] == "own_networks:Remembers" and stored["history"] == 8 and stored["learner"] == "torch"
    assert main(f"train tennis -n 2 --out b --learner own_networks:Counting {SETTINGS}".split()) == 0
    with Path("b/progress.csv").open(newline="") as file:
        assert "updates_so_far" in next(csv.reader(file))
    capsys.readouterr()
    assert main(f"train tennis --out c --learner nobody {SETTINGS}".split()) == 1
    assert "setting learner='nobody' is not allowed; allowed: ppo, sb3, torch, or module:class" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(f"train tennis --out c --history -1 --network a:b {SETTINGS}".split())
    assert "--history: must be a whole number from 0 to 4,096" in capsys.readouterr().err
    assert not Path("c").exists()


def test_the_table_has_no_intervals_of_one_seed() -> None:
    shown = seeds.table(SeedsResult.of(Path(), {0: result((0, 0.0), (100, 0.5))}))
    assert [list(column.cells) for column in shown.columns][1:5] == [["+0.500"], [""], ["25.0%"], [""]]
