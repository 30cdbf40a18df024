"""Training runs in the browser: what their files say, whatever they hold."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Server
from wilddeck.web.limits import Gone
from wilddeck.web.training import POINTS, RUNS, Runs


def a_run(folder: Path, name: str, rows: int, **settings: Any) -> Path:
    path = folder / name
    path.mkdir(parents=True)
    (path / "settings.json").write_text(json.dumps({"game": "tennis_v0", "options": {"num_players": 4}, **settings}))
    lines = [f"{100 * k},{k},{k / rows},{0.5 if k % 50 == 7 else ''}" for k in range(rows)]
    (path / "progress.csv").write_text("\n".join(["steps,seconds,mean_return,return_random", *lines]) + "\n")
    return path


def test_curves_and_settings(tmp_path: Path) -> None:
    a_run(tmp_path, "tennis", 30, seed=1)
    a_run(tmp_path, "deep/er", 2 * POINTS + 3, seed=2)
    runs = Runs(tmp_path)
    by_name = {run["name"]: run for run in runs.all()}
    assert set(by_name) == {"tennis", "deep/er"}
    assert by_name["tennis"]["settings"] == {"game": "tennis_v0", "seed": 1, "option num_players": 4}
    assert runs.curve("tennis")["columns"]["steps"] == [100.0 * k for k in range(30)]
    assert runs.curve("tennis")["columns"]["return_random"][:8] == [None] * 7 + [0.5]
    long = runs.curve("deep/er")["columns"]
    assert len(long["steps"]) < 1.5 * POINTS and long["steps"] == sorted(long["steps"])
    assert long["steps"][-1] == 100.0 * (2 * POINTS + 2)
    assert sum(value is not None for value in long["return_random"]) == 16  # no evaluation is left out


@pytest.mark.parametrize(
    "content", [b"", b"steps\n", b"\xff\xfe", b"a,b\n1\n2,3,4\n", b"steps,x\nnan,inf\n1,=1+1\n", b"\x00" * 50]
)
def test_damaged_files(content: bytes, tmp_path: Path) -> None:
    path = a_run(tmp_path, "bad", 3)
    (path / "progress.csv").write_bytes(content)
    (path / "settings.json").write_bytes(content)
    runs = Runs(tmp_path)
    assert [run["name"] for run in runs.all()] == ["bad"]
    try:
        columns = runs.curve("bad")["columns"]
    except Gone:
        return
    assert all(value is None or isinstance(value, float) for values in columns.values() for value in values)


def test_no_other_file_is_read(tmp_path: Path) -> None:
    a_run(tmp_path, "outside", 3)
    a_run(tmp_path / "runs", "inside", 3)
    runs = Runs(tmp_path / "runs")
    for name in ("../outside", "/etc", "", ".", "inside/../../outside", None, 5, ["inside"]):
        with pytest.raises(Gone):
            runs.curve(name)
    assert Runs(None).all() == []


def test_only_the_latest_runs_are_shown(tmp_path: Path) -> None:
    for number in range(RUNS + 2):
        path = a_run(tmp_path, f"run{number}", 1)
        os.utime(path / "progress.csv", (number, number))
    assert [run["name"] for run in Runs(tmp_path).all()] == [f"run{number}" for number in range(RUNS + 1, 1, -1)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    a_run(tmp_path, "one", 10)
    running = Server(runs=tmp_path)
    yield running
    running.stop()


def test_the_server_shows_them(server: Server) -> None:
    assert [run["name"] for run in server.ask("/api/runs")[1]] == ["one"]
    assert server.ask("/api/curve", {"name": "one"})[1]["columns"]["seconds"] == [float(k) for k in range(10)]
    assert server.ask("/api/curve", {"name": "../one"})[0] == 404
