"""The strength check, from a training of seconds to the page of its tables."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from wilddeck import agents, envs
from wilddeck.agents import trained
from wilddeck.benchmarks import strength
from wilddeck.benchmarks.strength import Baseline

TINY = {"num_envs": 16, "rollout_steps": 16, "batch_size": 128, "hidden": (12,), "eval_deals": 3, "total_steps": 512}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Weights and leagues go here, and baselines are small."""
    monkeypatch.setattr(trained, "FOLDER", tmp_path / "weights")
    monkeypatch.setitem(strength.BASELINES, "tennis_v0", Baseline({"num_players": 4}, TINY, 100, "mc:rollouts=2", 2, "A note."))
    return tmp_path


def test_from_training_to_the_page(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    strength.main(["train", "tennis_v0", "--seconds", "60", "--folder", str(folder)])
    about = trained.about("tennis_v0")
    assert about["command"] == "python -m wilddeck.benchmarks.strength train tennis_v0 --seconds 60"
    assert about["settings"]["hidden"] == [12] and about["options"]["num_players"] == 4 and about["reward_scale"] == 1
    assert set(about["evaluation"]) == {"random", "rules"} and about["evaluation"]["rules"]["games"] == 2000
    assert about["steps"] >= 512 and "torch" in about["versions"]
    assert agents.make("trained", "tennis_v0").training["steps"] == about["steps"]

    words = ["tennis_v0", "--deals", "1", "--workers", "1", "--folder", str(folder)]
    strength.main(words)
    page = (folder / "strength.md").read_text(encoding="utf-8")
    assert "Made by `python -m wilddeck.benchmarks.strength tennis_v0 --deals 1" in page
    for name in ("random", "rules", "monte-carlo", "trained"):
        assert f"| {name} |" in page
    assert page.splitlines()[4] in capsys.readouterr().out
    assert "4 matches over 1 deals, 4 seats a table" in page and "search is `mc:rollouts=2`" in page
    assert "Options: `num_players=4`. A note." in page
    strength.main(["--workers", "1", "--folder", str(folder), "--out", str(folder / "other.md")])  # all, by the table's deals
    assert "8 matches over 2 deals" in (folder / "other.md").read_text(encoding="utf-8")

    # A training goes on where it ended; the new baseline begins a new league.
    monkeypatch.setitem(TINY, "total_steps", 4096)
    strength.train("tennis_v0", 60, folder, games=4, progress=False)
    assert trained.about("tennis_v0")["steps"] >= 4096
    with strength.check("tennis_v0", 1, folder, workers=1) as league:
        assert len(league.results()) == 4
    assert len(list(folder.glob("tennis_v0-*.sqlite"))) == 2


def test_weights_too_large_to_ship_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained, "MAX_BYTES", 1000)
    with pytest.raises(ValueError, match=r"the weights have [\d,]+ bytes and may have 1,000; make `hidden` smaller"):
        strength.train("tennis_v0", 60, folder, games=4, progress=False)
    assert not trained.FOLDER.exists()


def test_a_game_without_baseline(folder: Path) -> None:
    with pytest.raises(ValueError, match="tennis_v0 has no trained baseline; games that have one: none"):
        strength.check("tennis_v0", folder=folder)
    with pytest.raises(ValueError, match="no game 'tenis_v0'; did you mean 'tennis_v0'"):
        strength.train("tenis_v0", 1, folder)


@pytest.mark.parametrize("game_id", envs.game_ids())
def test_the_default_network_of_every_game_can_be_shipped(game_id: str) -> None:
    """The policy alone is shipped, four bytes a weight."""
    from wilddeck.training.settings import Settings

    game = envs.game(game_id)
    options = game.make_options({})
    settings = Settings(game_id, **strength.baseline(game_id).settings)
    sizes = [game.observation_size(options), *settings.hidden, game.num_actions(options)]
    weights = sum((a + 1) * b for a, b in itertools.pairwise(sizes))
    assert 4 * weights + 10_000 < trained.MAX_BYTES


def test_the_table_names_games() -> None:
    for game_id, chosen in strength.BASELINES.items():
        game = envs.game(game_id)
        agents.make(chosen.search, game, game.options()).close()
        assert json.dumps(chosen.settings)
