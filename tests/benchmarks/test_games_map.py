"""The page that compares the games: what is computed by hand, a small page made, and the page that is there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support import ROOT
from wilddeck import envs
from wilddeck.agents import make
from wilddeck.benchmarks import games_map
from wilddeck.benchmarks.baselines import BASELINES, Baseline
from wilddeck.benchmarks.score import suite
from wilddeck.cli import main

PAGE = (ROOT / "docs" / "games.md").read_text(encoding="utf-8")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little is measured, and only tennis for two."""
    numbers = {"WALKED": 6, "SEEN": 300, "DEALS": 5, "REPEATED": 5, "TIMES": 2, "SKILL_DEALS": 3, "MOST_SEARCHED": 4}
    for name, value in numbers.items():
        monkeypatch.setattr(games_map, name, value)
    monkeypatch.setattr(games_map, "SEARCH", "mc:rollouts=2")
    for name in [name for name in BASELINES if name != "tennis_v0"]:
        monkeypatch.delitem(BASELINES, name)
    monkeypatch.setitem(BASELINES, "tennis_v0", Baseline("tennis_v0", 512, {"num_players": 2, "max_tricks": 50}))


def test_unseen_by_hand() -> None:
    assert games_map.unseen([2, 2, 3]) == 3  # nothing was seen once: all were seen
    assert games_map.unseen([1, 1, 1, 2]) == 4 + 3 * 2 / (2 * 2)
    assert games_map.unseen([1] * 10) == 10 + 10 * 9 / 2


def test_unseen_finds_about_how_many_there_are() -> None:
    drawn = np.random.default_rng(0).integers(0, 1000, 1500)
    counts = np.unique(drawn, return_counts=True)[1].tolist()
    assert len(counts) < 850 and games_map.unseen(counts) == pytest.approx(1000, rel=0.05)


def test_the_share_between_groups() -> None:
    assert games_map.share_between(np.array([[1.0, 1.0], [3.0, 3.0]])) == 1
    assert games_map.share_between(np.array([[1.0, 3.0], [3.0, 1.0]])) == 0
    assert games_map.share_between(np.zeros((3, 2))) == 0
    rng = np.random.default_rng(0)
    values = rng.normal(0, 2, (4000, 1)) + rng.normal(0, 1, (4000, 3))
    assert games_map.share_between(values) == pytest.approx(0.8, abs=0.02)


def test_skill_and_luck() -> None:
    """Variances 1 of two agents (-1 and 1), 4 of places, and 1 of the rest."""
    rng = np.random.default_rng(0)
    results = np.array([[-1.0], [1.0]]) + rng.normal(0, 2, 4000) + rng.normal(0, 1, (2, 4000))
    skill, luck = games_map.skill_and_luck(results)
    assert skill == pytest.approx(1 / 6, abs=0.02) and luck == pytest.approx(4 / 6, abs=0.03)
    assert games_map.skill_and_luck(np.array([[0.0, 0.0], [1.0, 1.0]])) == (1, 0)
    assert games_map.skill_and_luck(np.array([[0.0, 5.0], [0.0, 5.0]])) == (0, 1)
    assert games_map.skill_and_luck(np.zeros((2, 3))) == (0, 0)


def test_a_walk_counts_what_a_game_alone_shows(small: None) -> None:
    """Games are walked in the order of the deals, and each to its end."""
    from wilddeck.envs.core.aec import CardGameEnv

    task = suite.task("tennis_v0")
    agent = make("rules", task.game, task.options)
    walk = games_map.walk(task, agent, 3)
    assert walk.decisions == len(walk.seen) and walk.legal >= walk.decisions >= walk.forced
    env = CardGameEnv(task.game, task.options)
    first = []
    for game in range(3):
        env.reset(seed=task.seed_of(games_map._SEED) + game)
        first.append(hash(env.observe(env.agent_selection)["observation"].tobytes()))
    places = [walk.seen.index(state) for state in first]
    assert places == sorted(places) and places[0] == 0


def test_a_page(small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "map", "--folder", str(tmp_path / "map"), "--page", str(tmp_path / "games.md")]
    assert main([*words, "--no-search"]) == 0
    assert "tennis_v0: measured in" in capsys.readouterr().out
    assert (tmp_path / "games.md").read_text(encoding="utf-8").count("not measured") == 1
    assert main(words) == 0
    assert "tennis_v0: measured in" in capsys.readouterr().out
    page = (tmp_path / "games.md").read_text(encoding="utf-8")
    assert page.count("| [`tennis_v0`](rules/tennis.md) |") == 2
    assert len({line.count("|") for line in page.splitlines() if line.startswith("|")}) == 3
    assert "nan" not in page
    assert main(words) == 0
    assert "measured in" not in capsys.readouterr().out  # it is kept
    assert main([*words, "tenis"]) == 1
    assert "no game 'tenis'; did you mean 'tennis'?" in capsys.readouterr().err


def test_other_numbers_are_measured_anew(
    small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["bench", "map", "--folder", str(tmp_path), "--page", str(tmp_path / "games.md")]
    assert main(words) == 0
    monkeypatch.setattr(games_map, "DEALS", 6)
    assert main(words) == 1
    assert "was measured with other constants; remove it or measure tennis_v0 again" in capsys.readouterr().err


def test_the_page_has_every_game_as_it_is() -> None:
    """Every line of the table stands in both tables, with the sizes it has."""
    for name in BASELINES:
        task = suite.task(name)
        large, decides = (line for line in PAGE.splitlines() if line.startswith(f"| [`{name}`](rules/{task.game.name}.md) |"))
        cells = [cell.strip() for cell in large.split("|")[1:-1]]
        assert cells[5] == f"{task.game.observation_size(task.options):,}"
        assert cells[6] == f"{task.game.num_actions(task.options):,}"
        assert cells[1].split()[0] == str(task.options.num_players)
        assert re.search(r"\d", decides)
    assert all(game_id in PAGE for game_id in envs.game_ids())


def test_the_page_defines_its_columns() -> None:
    for columns in games_map._TABLES.values():
        for column in columns:
            assert column.split()[0].lower() in PAGE[: PAGE.index("\n## ")].lower()
