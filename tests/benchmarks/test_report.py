"""The HTML report: complete, self-contained, and honest about open intervals."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import wilddeck
from rich.console import Console
from wilddeck import envs
from wilddeck.benchmarks import demo
from wilddeck.benchmarks.report import Frame, GameReport, Standing, curve_svg, ranking_svg, write
from wilddeck.league import League
from wilddeck.training.settings import Settings
from wilddeck.training.train import beginning_agent

STANDINGS = [Standing("best <b>", 310.0, 250.0, None, 0.5, 0.02, 40, 2), Standing("random", 0.0, 0.0, 0.0, -0.3, 0.01, 40)]


class _Tags(HTMLParser):
    """Open elements, so that each is closed by its own end."""

    VOID = frozenset({"meta", "input", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attributes if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_report_is_one_sound_page(tmp_path: Path) -> None:
    env = wilddeck.envs.raw_env("tennis_v0")
    env.reset(seed=1)
    replay = [Frame("the deal </script>", env.describe(), env.zones())]
    curve = [(0, {"random": 0.25}), (1000, {"random": 0.7})]
    matrix = [[None, 0.75], [0.25, None]]
    game = GameReport("Tennis", STANDINGS, ["best <b>", "random"], matrix, curve, 0.25, replay, "a game", ["a note"])
    path = tmp_path / "deep" / "report.html"
    write(path, "Title", "Introduction & more", [game])
    text = path.read_text(encoding="utf-8")
    tags = _Tags()
    tags.feed(text)
    assert tags.open == []
    assert tags.links == [], "nothing is loaded from elsewhere"
    assert "http" not in text
    assert "{{" not in text
    assert "best &lt;b&gt;" in text
    assert "250 to ∞" in text
    assert "+0.500 &plusmn; 0.020" in text, "a standard error, as in the terminal"
    assert "75%" in text
    data = json.loads(re.findall(r"<script type='application/json' id='replay-0'>(.*?)</script>", text, re.S)[0])
    assert data["frames"][0]["zones"] == env.zones()
    assert data["frames"][0]["move"] == "the deal </script>"
    assert len(data["cards"]) == 66


def test_an_open_interval_goes_to_the_edge() -> None:
    picture = ranking_svg(STANDINGS)
    (begin, end), (zero_begin, zero_end) = [
        (float(a), float(b)) for a, b in re.findall(r"class='interval' x1='([\d.]+)' x2='([\d.]+)'", picture)
    ]
    width = float(re.findall(r"viewBox='0 0 (\d+)", picture)[0])
    assert end == width - 30
    assert begin < end
    assert zero_begin == zero_end


def test_the_curve_rises_with_the_rate() -> None:
    points = re.findall(r"points='([^']+)'", curve_svg([(0, {"a": 0.0}), (10, {"a": 1.0})], 0.5))
    (x1, y1), (x2, y2) = (tuple(map(float, pair.split(","))) for pair in points[0].split())
    assert x1 < x2
    assert y1 > y2


@pytest.mark.long
def test_the_demo_trains_ranks_and_reports(tmp_path: Path) -> None:
    lines = Console(file=io.StringIO(), width=120)
    played: list[int] = []

    def play(league: League, deals: int) -> None:
        played.append(league.run(deals, workers=1).played)

    path = demo.run(tmp_path, 1.0, lines, play, [demo.Entry("president_v0", 1.0, 1)])
    text = path.read_text(encoding="utf-8")
    assert played == [4], "one deal, the agents on every seat in turn"
    assert "Agents trained here for 1 seconds" in text
    for name in ("random", "rules", "monte-carlo", demo.TRAINED):
        assert f"<th>{name}</th>" in text
    assert "training began with the shipped weights" in text


@pytest.mark.parametrize("entry", demo.ENTRIES, ids=lambda entry: entry.game)
def test_what_the_demo_begins_with_is_there_and_has_the_shape_of_its_network(entry: demo.Entry) -> None:
    settings = Settings.make({"game": entry.game, **demo.SETTINGS})
    game, options = envs.resolve(entry.game, {})
    assert beginning_agent(settings, game, options) is not None
