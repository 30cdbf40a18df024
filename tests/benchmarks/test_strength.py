"""The strength check, from a training of seconds to the page of its tables."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support import ROOT
from wilddeck import agents, envs
from wilddeck.agents import play, trained
from wilddeck.agents.learned import LearnedAgent
from wilddeck.benchmarks import strength, strength_page
from wilddeck.benchmarks.baselines import BASELINES, Baseline, title
from wilddeck.benchmarks.score import playing
from wilddeck.cli import main
from wilddeck.envs.core.game import Game, Options
from wilddeck.league import League

TRAIN, RANK = (["bench", "strength", action] for action in ("train", "rank"))
TINY = {"num_envs": 16, "rollout_steps": 16, "batch_size": 128, "hidden": (12,), "eval_deals": 3}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Weights and leagues go here, and baselines are small."""
    monkeypatch.setattr(trained, "folder", lambda game: tmp_path / "weights")
    searches = {"search": "mc:rollouts=2", "playouts": 2}
    chosen = Baseline("tennis_v0", 512, {"num_players": 4}, TINY, **searches, search_deals=2)
    monkeypatch.setitem(BASELINES, "tennis_v0", chosen)
    return tmp_path


EMPTY = "".join(f"<!-- generated: {table} -->\n<!-- end -->\n\nWords.\n" for table in ("baselines", "leagues", "scores"))


def lines(page: Path) -> dict[str, list[str]]:
    """The cells of the tables' lines, by game."""
    text = page.read_text(encoding="utf-8")
    rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| "))
    return {row[0]: row[1:] for row in rows}


@pytest.mark.long
def test_from_training_to_the_page(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([*TRAIN, "tennis_v0", "--steps", "600", "--folder", str(folder)]) == 0
    about = trained.about("tennis_v0")
    assert about["command"] == "wilddeck bench strength train tennis_v0 --steps 600"
    assert about["settings"]["hidden"] == [12] and about["options"]["num_players"] == 4
    assert about["reward_scale"] == pytest.approx(3**0.5)  # one of four wins 1, which the others lose
    assert set(about["evaluation"]) == {"random", "rules"} and about["evaluation"]["rules"]["games"] == 2000
    assert about["steps"] >= 600 and "numba" in about["versions"]
    assert agents.make("trained", "tennis_v0").training["steps"] == about["steps"]

    page = folder / "strength.md"
    page.write_text(EMPTY, encoding="utf-8")
    words = [*RANK, "tennis_v0", "--workers", "1", "--folder", str(folder), "--measured", "5", "--page", str(page)]
    assert main([*words, "--search-deals", "0", "--exploit", "0"]) == 0
    advantage, won, search, exploited, decisions, _ = lines(page)["Tennis"]
    assert "±" in advantage and won.endswith("%") and search == exploited == "" and decisions == f"{about['steps']:,}"
    assert f"Tennis, {decisions}" in capsys.readouterr().out
    assert main([*words, "--exploit", "0.2", "--measured", "0"]) == 0  # search alone: what was measured before stays
    assert lines(page)["Tennis"][:2] == [advantage, won] and "±" in lines(page)["Tennis"][2]
    assert main([*words, "--search-deals", "0", "--exploit", "0.2", "--deals", "1"]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("| Tennis |") == 2 and text.count("Words.") == 3 and "±" in text[: text.index("Words.")].splitlines()[3]
    leagues = text[text.index("<!-- generated: leagues -->") :].splitlines()
    assert leagues[1] == "| game | deals | random | rules | trained | mc | mc-trained |" and leagues[3].startswith(
        "| Tennis | 1 | "
    )

    # A training continues where it ended; the new baseline begins a new league.
    monkeypatch.setattr(strength, "EVALUATED", 4)
    list(strength.train(["tennis_v0"], 4096, folder, progress=False))
    assert trained.about("tennis_v0")["steps"] >= 4096
    with strength.check("tennis_v0", 1, folder, workers=1) as league:
        assert len(league.results()) == 20
    assert len(list(folder.glob("tennis_v0-*.sqlite"))) == 2


def test_a_league_about_money_has_mean_chips(tmp_path: Path) -> None:
    for deals, expected in ((2, r"[+-]\d+\.\d\d \([+-]\d+\.\d\d to [+-]\d+\.\d\d\)"), (1, r"[+-]\d+\.\d\d")):
        with League(tmp_path / f"{deals}.league", "poker_v0", {"num_players": 2}, seed=0) as league:
            league.add("rules", "rules")
            league.add("random", "random")
            league.run(deals)
            assert re.fullmatch(expected, strength_page.league_line("poker_v0-2p", league)["rules"])


def test_lines_are_put_into_a_table_of_the_page() -> None:
    """New lines replace those of the same baseline, and are sorted by their titles."""
    game, first, second = strength_page.HEADINGS["leagues"][:3]
    page = strength_page.with_lines(EMPTY, "leagues", [{game: "Tennis", first: "1", second: "2"}])
    page = strength_page.with_lines(page, "leagues", [{game: "Baccarat", first: "3"}, {game: "Tennis", first: "4", "else": ""}])
    table = page[page.index("leagues -->\n") :].splitlines()
    assert table[3:6] == ["| Baccarat | 3 |  |  |  |  |  |", "| Tennis | 4 | 2 |  |  |  |  |", "<!-- end -->"]
    measured = {game: "Tennis", "won": "30%", "decisions": "5"}
    for decisions, won in (("5", "30%"), ("6", "")):  # other weights: what was measured of those before goes
        page = strength_page.with_lines(EMPTY, "baselines", [measured])
        page = strength_page.with_lines(page, "baselines", [{game: "Tennis", "decisions": decisions}])
        assert f"| Tennis |  | {won} |  |  | {decisions} |  |" in page
    with pytest.raises(ValueError, match="the page has no block to fill: it needs the lines <!-- generated: leagues -->"):
        strength_page.with_lines("Words.", "leagues", [])


def test_what_others_write_to_the_page_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "strength.md"
    page.write_text(EMPTY, encoding="utf-8")

    def measure(name: str, *counts: int) -> Iterator[tuple[str, dict[str, float]]]:
        page.write_text(page.read_text(encoding="utf-8") + f"Beside {name}.\n", encoding="utf-8")
        yield "trained", {"mean": 0.5, "standard_error": 0.0, "win_rate": 0.3}

    monkeypatch.setattr(strength, "measure", measure)
    assert main([*RANK, "tennis_v0", "hearts_v0", "--page", str(page)]) == 0
    assert page.read_text(encoding="utf-8").endswith("Beside tennis_v0.\nBeside hearts_v0.\n")
    assert {lines(page)[title][1] for title in ("Tennis", "Hearts")} == {"30.0%"}


def test_every_line_of_the_page_is_a_baseline() -> None:
    page = (ROOT / "docs" / "strength.md").read_text(encoding="utf-8")
    assert strength_page.with_lines(page, "baselines", []) == page == strength_page.with_lines(page, "leagues", [])


def test_scores_are_written_without_measuring(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    playing.run(playing.ScoreRequest("rules", games=["tennis_v0"], deals=8), folder / "score.json")
    page = folder / "page.md"
    page.write_text(EMPTY, encoding="utf-8")
    words = [*RANK, "--page", str(page), "--scores"]
    assert main([*words, str(folder / "score.json")]) == 0
    assert "| Tennis | 1.00 (1.00 to 1.00) |" in page.read_text(encoding="utf-8")
    assert main([*words, str(page)]) == 1
    assert "page.md is not a score file" in capsys.readouterr().err


@pytest.mark.long
def test_a_game_is_trained_and_measured_without_luck(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options, by_odds = {"dead_on_fall": False, "num_players": 4}, {"reward": "odds"}
    settings = TINY | {"init_from": None, "fixed_opponents": ("random",)}
    monkeypatch.setitem(BASELINES, "skin_v0", Baseline("skin_v0", 512, options, settings, without_luck=by_odds))
    monkeypatch.setattr(strength, "EVALUATED", 4)
    list(strength.train(["skin_v0"], folder=folder, progress=False))
    assert trained.about("skin_v0")["options"] | options | by_odds == trained.about("skin_v0")["options"]
    measured = dict(strength.measure("skin_v0", seconds=0, deals=300, search_deals=0))["trained"]
    means = {}
    for reward in ("chips", "odds"):
        game, settled = envs.resolve("skin_v0", options | {"reward": reward})
        players = [agents.make(spec, game, settled) for spec in ("trained", "rules")]
        means[reward] = play.evaluate(*players, game, settled, 300, measured["seed"], instead_of=players[1]).mean
    assert measured["mean"] == means["odds"] != means["chips"]


@pytest.mark.long
def test_what_is_shipped_is_what_finishes_the_training(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def negated(agent: LearnedAgent, game: Game, options: Options) -> LearnedAgent:
        """Plays what the trained agent likes least."""
        assert game.id == "tennis_v0" and options.num_players == 4
        other = agent.like({name: -tensor if "layers.1." in name else tensor for name, tensor in agent.tensors().items()})
        other.trained_options, other.training = agent.trained_options, agent.training
        return other

    monkeypatch.setitem(BASELINES, "tennis_v0", dataclasses.replace(BASELINES["tennis_v0"], finish="mine:negated"))
    monkeypatch.setattr(strength, "imported", {"mine:negated": negated}.__getitem__)
    monkeypatch.setattr(strength, "EVALUATED", 4)
    list(strength.train(["tennis_v0"], folder=folder, progress=False))
    learned = agents.make(folder / "train-tennis_v0" / "agent.safetensors", "tennis_v0")
    shipped = agents.make("trained", "tennis_v0")
    assert isinstance(learned, LearnedAgent) and isinstance(shipped, LearnedAgent)
    assert np.allclose(shipped.layers[1][0], -learned.layers[1][0], atol=1e-2) and np.abs(learned.layers[1][0]).max() > 0.1
    assert trained.about("tennis_v0")["finish"] == "mine:negated"


def test_a_baseline_with_a_solver_is_not_trained(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def solved(game: Game, options: Options, steps: int) -> LearnedAgent:
        assert game.id == "tennis_v0" and options.num_players == 4 and steps == 77
        sizes = game.observation_size(options), game.num_actions(options)
        return LearnedAgent([(np.ones(sizes), np.zeros(sizes[1]))])

    monkeypatch.setitem(BASELINES, "tennis_v0", dataclasses.replace(BASELINES["tennis_v0"], solver="mine:solved"))
    monkeypatch.setattr(strength, "imported", {"mine:solved": solved}.__getitem__)
    monkeypatch.setattr(strength, "EVALUATED", 4)
    list(strength.train(["tennis_v0"], 77, folder, progress=False))
    shipped, about = agents.make("trained", "tennis_v0"), trained.about("tennis_v0")
    assert isinstance(shipped, LearnedAgent) and (shipped.layers[0][0] == 1).all()
    assert about["solver"] == "mine:solved" and about["steps"] == 77 and about["options"]["num_players"] == 4
    with pytest.raises(ValueError, match="the baseline tennis_v0 is solved, not trained; no setting can be varied"):
        list(strength.train(["tennis_v0"], 77, folder, vary={"seed": [1, 2]}, progress=False))


def test_weights_too_large_to_ship_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained, "MAX_BYTES", 1000)
    monkeypatch.setattr(strength, "EVALUATED", 4)
    with pytest.raises(ValueError, match=r"the weights have [\d,]+ bytes and may have 1,000; make `hidden` smaller"):
        list(strength.train(["tennis_v0"], folder=folder, progress=False))
    assert not trained.weights("tennis_v0").parent.exists()


def test_a_game_without_baseline(folder: Path) -> None:
    with pytest.raises(ValueError, match="the baseline tennis_v0 has not been trained; baselines that have: none"):
        strength.check("tennis_v0", 1, folder)
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
    assert title("tennis_v0") == "Tennis" and title("tennis_v0-2p") == "Tennis: 2 players"
    assert title("poker_v0-five_card_draw") == "Poker: five card draw"
    assert title("poker_v0-standard_2p_10bb") == "Poker: standard deck, 2 players, stacks of 20 chips"
    for name, chosen in BASELINES.items():
        number = name.partition("-")[2].removesuffix("p")
        if number.isdecimal():
            assert chosen.options["num_players"] == int(number)


def test_what_to_train_is_named_or_all(capsys: pytest.CaptureFixture[str]) -> None:
    for status, words, message in [
        (1, TRAIN, "name the baselines to train, or give --all"),
        (1, [*TRAIN, "tennis_v0", "--all"], "name the baselines to train, or give --all"),
        (1, [*TRAIN, "poker_v0-omah"], "no baseline 'poker_v0-omah'; did you mean 'poker_v0-omaha'?"),
        (1, [*RANK, "tenis_v0"], "no baseline 'tenis_v0'; did you mean 'tennis_v0'?"),
        (2, [*TRAIN, "--all", "--steps", "0"], "must be a whole number from 1"),
    ]:
        try:
            assert main(words) == status
        except SystemExit as ended:
            assert ended.code == status
        assert message in capsys.readouterr().err
