"""The shipped baselines: each is small, says what made it, and plays; and what is said where there is none."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import know, short
from wilddeck import agents, envs
from wilddeck.agents import learned, play, trained
from wilddeck.benchmarks import strength
from wilddeck.benchmarks.baselines import BASELINES, trained_names
from wilddeck.league import League, LeagueError
from wilddeck_games import dou_dizhu

TENNIS = envs.game("tennis_v0")


def write(folder: Path, suffix: str = "", seed: int = 0, **options: Any) -> Path:
    """A baseline of tennis with random weights."""
    chosen = TENNIS.make_options(options)
    rng = np.random.default_rng(seed)
    sizes = [TENNIS.observation_size(chosen), 8, TENNIS.num_actions(chosen)]
    layers = [(rng.standard_normal((a, b)), rng.standard_normal(b)) for a, b in itertools.pairwise(sizes)]
    path = folder / f"tennis_v0{suffix}.safetensors"
    learned.save(path, learned.LearnedAgent(layers), TENNIS, chosen)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(trained, "folder", lambda game: tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", trained_names())
def test_every_shipped_baseline_is_small(name: str) -> None:
    chosen = strength.baseline(name)
    game = envs.game(chosen.game)
    options = game.make_options(chosen.options)
    weights = trained.weights(name)
    assert weights.stat().st_size <= trained.MAX_BYTES < 2 * 2**20
    assert trained.about(name)["sha256"] == hashlib.sha256(weights.read_bytes()).hexdigest()
    assert trained.about(name)["settings"]["game"] == chosen.game and trained.best(game, options) == name
    assert agents.make("trained", game, options).name == "trained"


@pytest.mark.parametrize("name", short(trained_names(), ["tennis_v0"]))
def test_every_shipped_baseline_plays(name: str) -> None:
    chosen = strength.baseline(name)
    game = envs.game(chosen.game)
    options = game.make_options(chosen.options)
    agent = agents.make("trained", game, options)
    returns = play.play_batch(game, options, [agent] * options.num_players, 3, seed=1)
    assert returns.shape == (3, options.num_players)


def test_baselines_come_in_pairs_of_files() -> None:
    shipped = trained.folder(TENNIS)
    files = {path.suffix: {file.stem for file in shipped.glob(f"*{path.suffix}")} for path in shipped.glob("*.*")}
    assert set(files) <= {".safetensors", ".json"}
    assert files.get(".safetensors", set()) == files.get(".json", set()) <= set(BASELINES)


def test_those_of_other_packages_are_not_measured_here(monkeypatch: pytest.MonkeyPatch) -> None:
    own = trained_names()
    know(monkeypatch, dou_dizhu.GAME)
    assert set(trained.names()) == {*own, "dou_dizhu_v0"} and trained_names() == own


def test_a_baseline_is_an_agent_by_name(folder: Path) -> None:
    write(folder)
    agent = agents.make("trained", "tennis_v0")
    assert isinstance(agent, learned.LearnedAgent) and agent.name == "trained" and trained.games() == ("tennis_v0",)
    assert "trained" in agents.kinds()
    assert agents.make("trained", "tennis_v0", {"max_tricks": 50}).name == "trained"  # the sizes fit
    with pytest.raises(ValueError, match="'trained' takes no parameters"):
        agents.make("trained:5", "tennis_v0")


def test_a_game_without_one(folder: Path) -> None:
    with pytest.raises(ValueError, match="tennis_v0 has no trained baseline; give a weights file"):
        agents.make("trained", "tennis_v0")
    write(folder)
    with pytest.raises(ValueError, match="skin_of_your_teeth_v0 has no trained baseline; give a weights file"):
        agents.make("trained", "skin_of_your_teeth_v0")


def test_the_baseline_for_as_many_players_plays(folder: Path) -> None:
    write(folder)
    with pytest.raises(ValueError, match=r"tennis_v0 has no trained baseline for 3 players; its baselines are for 4 players$"):
        agents.make("trained", "tennis_v0", {"num_players": 3})
    write(folder, "-2p", num_players=2)
    assert agents.make("trained", "tennis_v0", {"num_players": 2}).observation_size == 142
    with pytest.raises(ValueError, match=r"for 3 players; its baselines are for 2, 4 players$"):
        agents.make("trained", "tennis_v0", {"num_players": 3})


def test_other_sizes_are_told_what_fits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder)
    monkeypatch.setattr(type(TENNIS), "observation_size", lambda *_: 223)
    with pytest.raises(ValueError, match=r"with num_players=4.* \(222 observations, 12 actions\); .* the game has 223 and 12"):
        agents.make("trained", "tennis_v0")


def test_a_variant_is_played_by_its_own_baseline() -> None:
    """Hold'em for two has one, and as many inputs and actions as Omaha for two, which has none."""
    poker = envs.game("poker_v0")
    for options, name in [
        ({"num_players": 2}, "poker_v0-2p"),
        ({"num_players": 2, "deck": "standard", "betting": "limit"}, "poker_v0-standard_2p"),
        ({"num_players": 2, "deck": "standard", "stack": 20}, "poker_v0-standard_2p_10bb"),
        ({}, "poker_v0"),
        ({"variant": "omaha"}, "poker_v0-omaha"),
    ]:
        assert trained.best(poker, poker.make_options(options)) == name
    with pytest.raises(ValueError) as refused:
        agents.make("trained", "poker_v0", {"num_players": 2, "variant": "omaha"})
    assert "no trained baseline for 2 players with variant='omaha'; its baselines are for 6 players with" in str(refused.value)
    assert str(refused.value).endswith("; 2, 6 players with variant='texas_holdem'")


def test_the_baseline_trained_with_the_most_alike_options_plays(folder: Path) -> None:
    write(folder)
    write(folder, "-short", max_tricks=50)
    write(folder, "-three", num_players=3)
    for options, name in [
        ({}, "tennis_v0"),
        ({"max_tricks": 50}, "tennis_v0-short"),
        ({"max_tricks": 50, "dealer": 1}, "tennis_v0-short"),
        ({"max_tricks": 60}, "tennis_v0"),
        ({"num_players": 3, "max_tricks": 50}, "tennis_v0-three"),
    ]:
        assert trained.best(TENNIS, TENNIS.make_options(options)) == name
        agents.make("trained", "tennis_v0", options)
    assert trained.games() == ("tennis_v0",)


def test_a_damaged_baseline_is_named(folder: Path) -> None:
    write(folder, "-2p", num_players=2)
    path = write(folder)
    path.write_bytes(path.read_bytes()[:100])
    for players in (2, 4):
        with pytest.raises(ValueError, match=r"tennis_v0\.safetensors"):
            agents.make("trained", "tennis_v0", {"num_players": players})


def test_a_league_notices_another_baseline(folder: Path, tmp_path: Path) -> None:
    write(folder, seed=0, num_players=2)
    with League(tmp_path / "x.league", "tennis_v0", {"num_players": 2, "max_tricks": 50}) as league:
        league.add("random", "random")
        entry = league.add("trained", "trained")
        assert len(entry.sha256) == 64 and entry.kind == "trained"
        assert league.run(1).played == 2
        write(folder, seed=1, num_players=2)
        with pytest.raises(LeagueError, match="agent 'trained': its file has changed"):
            league.run(2)
