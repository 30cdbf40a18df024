"""The studies behind the guide of frameworks: what they draw and print; what they measure takes long."""

from __future__ import annotations

import re
import sys
from typing import Any
from xml.etree import ElementTree

import pytest
from wilddeck.benchmarks.studies import adapters, one_file_ppo

RUNS: list[dict[str, Any]] = [
    {
        "game": game,
        "learner": learner,
        "seed": seed,
        "steps": 1000,
        "speed": 1234.5,
        "curve": [[0, -0.9], [500, -0.3], [1010, 0.05 * seed]],
        "final": [0.1 * seed, 0.01, 0.9, 0.02],
    }
    for game in ("tennis_v0", "hearts_v0")
    for learner in one_file_ppo.LEARNERS
    for seed in (1, 2)
]


def test_curves_are_drawn_for_each_run() -> None:
    drawn = ElementTree.fromstring(one_file_ppo.picture(RUNS))
    paths = [path.attrib for path in drawn.iter("{http://www.w3.org/2000/svg}path")]
    for colour in one_file_ppo.COLOURS.values():
        curves = [path["d"] for path in paths if path["stroke"] == colour and path.get("fill") == "none"]
        assert len(curves) == 4 and all(curve.count("L") == 1 for curve in curves), "points of the untrained are left out"
    width, height = map(float, drawn.attrib["viewBox"].split()[2:])
    for path in paths:
        for x, y in re.findall(r"([\d.]+) ([\d.]+)", path["d"]):
            assert 0 <= float(x) <= width and 0 <= float(y) <= height


def test_the_table_has_each_run_and_their_means() -> None:
    lines = one_file_ppo.table(RUNS).splitlines()
    assert len(lines) == 2 + 4 * 3
    assert lines[2] == "| tennis_v0 | one file | 1 | +0.100 ± 0.020 | +0.900 ± 0.039 | 1,234 |"
    assert lines[4] == "| tennis_v0 | one file | **mean** | **+0.150** | **+0.900** | |"


def test_adapters_are_ranked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The fastest first; what is not installed, or fails, is told apart."""
    broken = adapters.Way("PettingZoo, broken", "nothing", "numpy", adapters.one_game, ("too many",))
    absent = adapters.Way("PettingZoo, absent", "nothing", "nobody_has_this", adapters.one_game)
    ways = *(way for way in adapters.WAYS if "PettingZoo, `raw_env`" in way.name), adapters.WAYS[0], broken, absent
    monkeypatch.setattr(adapters, "WAYS", ways)
    monkeypatch.setattr(adapters.multiprocessing, "get_context", lambda kind: Here())
    monkeypatch.setattr(sys, "argv", ["adapters", "--seconds", "0.1", "PettingZoo", "Batch"])
    adapters.main()
    said = capsys.readouterr().out
    assert re.findall(r"\| ([^|]*) \| decisions", said) == ["a plain `Batch`", "PettingZoo, `raw_env`"]
    assert "not installed: nobody_has_this" in said and "PettingZoo, broken: one_game() takes 1 positional argument" in said


class Here:
    """Instead of a pool of processes."""

    def Pool(self, *given: Any, **more: Any) -> Here:  # noqa: N802
        return self

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *given: object) -> None:
        return None

    def apply(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        return function(*arguments)
