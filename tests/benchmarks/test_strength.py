"""The strength check, from a training of seconds to the page of its tables."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from wilddeck import agents, envs
from wilddeck.agents import play, trained
from wilddeck.benchmarks import strength
from wilddeck.benchmarks.baselines import BASELINES, Baseline
from wilddeck.benchmarks.score import playing
from wilddeck.cli import main

TRAIN, RANK = (["bench", "strength", action] for action in ("train", "rank"))
TINY = {"num_envs": 16, "rollout_steps": 16, "batch_size": 128, "hidden": (12,), "eval_deals": 3}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Weights and leagues go here, and baselines are small."""
    monkeypatch.setattr(trained, "folder", lambda game: tmp_path / "weights")
    searches = {"search": "mc:rollouts=2", "playouts": 2}
    chosen = Baseline("tennis_v0", 512, {"num_players": 4}, TINY, **searches, deals=2, search_deals=2, note="A note.")
    monkeypatch.setitem(BASELINES, "tennis_v0", chosen)
    return tmp_path


@pytest.mark.long
def test_from_training_to_the_page(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([*TRAIN, "tennis_v0", "--steps", "600", "--folder", str(folder)]) == 0
    about = trained.about("tennis_v0")
    assert about["command"] == "wilddeck bench strength train tennis_v0 --steps 600"
    assert about["settings"]["hidden"] == [12] and about["options"]["num_players"] == 4
    assert about["reward_scale"] == pytest.approx(3**0.5)  # one of four wins 1, which the others lose
    assert set(about["evaluation"]) == {"random", "rules"} and about["evaluation"]["rules"]["games"] == 2000
    assert about["steps"] >= 512 and "numba" in about["versions"]
    assert agents.make("trained", "tennis_v0").training["steps"] == about["steps"]

    words = ["--workers", "1", "--folder", str(folder), "--measured", "5"]
    none = ["--deals", "0", "--search-deals", "0", "--exploit", "0"]
    assert main([*RANK, "tennis_v0", *words, *none, "--page", str(folder / "short.md")]) == 0
    short = (folder / "short.md").read_text(encoding="utf-8")
    assert "## Tennis" not in short and short.count("±") == 1
    capsys.readouterr()
    assert main([*RANK, "tennis_v0", "--deals", "1", "--exploit", "0.2", *words]) == 0
    page = (folder / "strength.md").read_text(encoding="utf-8")
    assert "Made by `wilddeck bench strength rank tennis_v0 --deals 1" in page
    for name in ("random", "rules", "monte-carlo", "trained", "search-trained"):
        assert f"| {name} |" in page
    assert page[page.index("## Tennis") :].strip() in capsys.readouterr().out
    assert "20 matches over 1 deals, 4 seats a table" in page and "monte-carlo is `mc:rollouts=2`" in page
    assert "Options: `num_players=4`. A note." in page
    line = next(line for line in page.splitlines() if line.startswith("| Tennis |"))
    assert line.count("±") == 4 and line.count("|") == 9
    kept = {path: path.read_bytes() for path in folder.glob("tennis_v0-*.json")}
    assert main([*RANK, *words, "--exploit", "0", "--page", str(folder / "other.md")]) == 0  # all, by the table's deals
    other = (folder / "other.md").read_text(encoding="utf-8")
    assert "40 matches over 2 deals" in other
    line = next(line for line in other.splitlines() if line.startswith("| Tennis |"))
    assert line.count("±") == 4  # what is known is told
    assert len(kept) == 1 and all(path.read_bytes() == data for path, data in kept.items())  # nothing was measured twice

    # A training goes on where it ended; the new baseline begins a new league.
    monkeypatch.setattr(strength, "EVALUATED", 4)
    list(strength.train(["tennis_v0"], 4096, folder, progress=False))
    assert trained.about("tennis_v0")["steps"] >= 4096
    with strength.check("tennis_v0", 1, folder, workers=1) as league:
        assert len(league.results()) == 20
    assert len(list(folder.glob("tennis_v0-*.sqlite"))) == 2


def test_scores_over_all_games_come_first(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strength, "measure", lambda *_: {})
    monkeypatch.setattr(strength, "summary", lambda measured: ["The summary."])
    playing.run(playing.ScoreRequest("rules", games=["tennis_v0"], deals=8), folder / "score.json")
    page = folder / "page.md"
    words = [*RANK, "tennis_v0", "--deals", "0", "--folder", str(folder), "--page", str(page), "--scores"]
    assert main([*words, str(folder / "score.json")]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.index("The summary.") < text.index("## Scores over all games") < text.index("| Tennis | 1.00 (1.00 to 1.00) |")
    assert main([*words, str(page)]) == 1
    assert "page.md is no file of a score" in capsys.readouterr().err


@pytest.mark.long
def test_a_game_is_trained_and_measured_without_luck(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options, by_odds = {"dead_on_fall": False, "num_players": 4}, {"reward": "odds"}
    settings = TINY | {"init_from": None, "fixed_opponents": ("random",)}
    monkeypatch.setitem(BASELINES, "skin_v0", Baseline("skin_v0", 512, options, settings, without_luck=by_odds))
    monkeypatch.setattr(strength, "EVALUATED", 4)
    list(strength.train(["skin_v0"], folder=folder, progress=False))
    assert trained.about("skin_v0")["options"] | options | by_odds == trained.about("skin_v0")["options"]
    measured = strength.measure("skin_v0", folder, seconds=0, deals=300, search_deals=0)["trained"]
    means = {}
    for reward in ("chips", "odds"):
        game, settled = envs.resolve("skin_v0", options | {"reward": reward})
        players = [agents.make(spec, game, settled) for spec in ("trained", "rules")]
        means[reward] = play.evaluate(*players, game, settled, 300, measured["seed"], instead_of=players[1]).mean
    assert measured["mean"] == means["odds"] != means["chips"]


def test_weights_too_large_to_ship_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained, "MAX_BYTES", 1000)
    monkeypatch.setattr(strength, "EVALUATED", 4)
    with pytest.raises(ValueError, match=r"the weights have [\d,]+ bytes and may have 1,000; make `hidden` smaller"):
        list(strength.train(["tennis_v0"], folder=folder, progress=False))
    assert not trained.weights("tennis_v0").parent.exists()


def test_a_game_without_baseline(folder: Path) -> None:
    with pytest.raises(ValueError, match="the baseline tennis_v0 has not been trained; baselines that have: none"):
        strength.check("tennis_v0", folder=folder)
    with pytest.raises(ValueError, match="no baseline 'tenis_v0'; did you mean 'tennis_v0'"):
        list(strength.train(["tenis_v0"], 1, folder))


@pytest.mark.parametrize("name", BASELINES)
def test_the_network_of_every_baseline_can_be_shipped(name: str) -> None:
    """The policy alone is shipped, two bytes a weight; and the table's options, settings and search are those there are."""
    from wilddeck.training.settings import Settings

    chosen = strength.baseline(name)
    game = envs.game(chosen.game)
    options = game.make_options(chosen.trained_options)
    settings = Settings.make({"game": chosen.game, "options": chosen.trained_options, **strength.LEARNING, **chosen.settings})
    actions = game.num_actions(options)
    sizes = [game.observation_size(options) + (actions if settings.expert else 0), *settings.hidden, actions]
    weights = sum((a + 1) * b for a, b in itertools.pairwise(sizes))
    assert 2 * weights + 10_000 < trained.MAX_BYTES
    for spec in (chosen.search, chosen.learned_search):
        if "trained" not in spec or name in trained.names():
            agents.make(spec, game, options).close()


def test_the_table_names_every_game() -> None:
    assert {chosen.game for chosen in BASELINES.values()} == set(envs.game_ids())
    assert all(trained.game_of(name) == chosen.game for name, chosen in BASELINES.items())


def test_names_are_read_as_people_say_them() -> None:
    assert strength.title("tennis_v0") == "Tennis" and strength.title("tennis_v0-2p") == "Tennis: 2 players"
    assert strength.title("poker_v0-five_card_draw") == "Poker: five card draw"
    assert strength.title("poker_v0-standard_2p_10bb") == "Poker: standard deck, 2 players, stacks of 20 chips"
    for name, chosen in BASELINES.items():
        number = name.partition("-")[2].removesuffix("p")
        if number.isdecimal():
            assert chosen.options["num_players"] == int(number)


def test_what_to_train_is_named_or_all(capsys: pytest.CaptureFixture[str]) -> None:
    for status, words, message in [
        (1, TRAIN, "name the baselines to train, or say --all"),
        (1, [*TRAIN, "tennis_v0", "--all"], "name the baselines to train, or say --all"),
        (1, [*TRAIN, "poker_v0-omah"], "no baseline 'poker_v0-omah'; did you mean 'poker_v0-omaha'?"),
        (1, [*RANK, "tenis_v0"], "no baseline 'tenis_v0'; did you mean 'tennis_v0'?"),
        (2, [*TRAIN, "--all", "--steps", "0"], "must be a whole number from 1"),
    ]:
        try:
            assert main(words) == status
        except SystemExit as ended:
            assert ended.code == status
        assert message in capsys.readouterr().err
