"""Populations: what they play is equal each time, and bad input."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import kuhn
import pytest
from wilddeck import agents
from wilddeck.agents import learned
from wilddeck.training import population
from wilddeck.training.population import train_population
from wilddeck.training.settings import Settings

TINY: dict[str, Any] = {"num_envs": 8, "rollout_steps": 16, "batch_size": 128, "hidden": (8,)}


def lines(folder: Path) -> list[dict[str, str]]:
    with (folder / "population.csv").open(newline="", encoding="utf-8") as file:
        return [{key: value for key, value in row.items() if key != "seconds"} for row in csv.DictReader(file)]


def test_a_run_from_the_first_round_to_the_files(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"exploiters": 2, "round_steps": 200, "generation": 3, "total_steps": 3600, "seed": 5, **TINY}
    one = train_population("tennis_v0", {"num_players": 2}, out=tmp_path / "one", **settings)
    two = train_population("tennis_v0", {"num_players": 2}, out=tmp_path / "two", **settings)
    assert one.weights.read_bytes() == two.weights.read_bytes() and len(one.exploiters) == 2
    rows = lines(tmp_path / "one")
    assert rows == lines(tmp_path / "two")
    assert 3600 <= one.steps == two.steps < one.all_steps == int(rows[-1]["steps"])
    rounds = int(rows[-1]["round"])
    first = [row["member"] for row in rows if row["round"] == "1"]
    last = [row["member"] for row in rows if row["round"] == str(rounds)]
    assert first == ["learner"] and last[0] == "learner" and len(last) == 3  # at first there is nobody to exploit
    assert last[1] != last[2] and "exploiter 1" not in last  # its generation is over
    learner = [row for row in rows if row["member"] == "learner"]
    assert [int(row["opponents"]) for row in learner][:4] == [0, 0, 2, 3] and len(learner) == rounds
    assert int(learner[-1]["opponents"]) > 5  # exploiters of the past, and past selves
    assert json.loads((tmp_path / "one" / "settings.json").read_text())["generation"] == 3
    agent = agents.make(str(one.weights), "tennis_v0", {"num_players": 2})
    assert isinstance(agent, learned.LearnedAgent) and not agent.greedy
    exploiter = agents.make(str(one.exploiters[0]), "tennis_v0", {"num_players": 2})
    assert isinstance(exploiter, learned.LearnedAgent) and exploiter.greedy


@pytest.mark.parametrize(("init_from", "expected"), [(None, [False, True, False]), ("rules", [True, True, True])])
def test_exploiters_of_an_agent_that_began_as_another_begin_as_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, init_from: str | None, expected: list[bool]
) -> None:
    call, begun = population._Run._call, list[bool]()

    def noted(run: Any, settings: Settings, left: float, state: Any, begin: Any, opponents: Any) -> Any:
        if state is None and "the learner" in opponents:
            begun.append(begin is not None)
        return call(run, settings, left, state, begin, opponents)

    monkeypatch.setattr(population._Run, "_call", noted)
    settings: dict[str, Any] = {"exploiters": 1, "round_steps": 100, "generation": 1, "total_steps": 2400, **TINY}
    train_population("tennis_v0", {"num_players": 2}, out=tmp_path / "run", init_from=init_from, **settings)
    assert begun[:3] == expected


def test_the_results_against_opponents_go_on_with_them(tmp_path: Path) -> None:
    game, options = kuhn.GAME, kuhn.GAME.make_options({})
    settings = Settings.make({**population.DEFAULTS, "game": kuhn.GAME.id, **TINY})
    task = population._Round(game, options, settings, 1.0, 200, 1.0)
    state, weights, _ = population.learn(task, None, None, ())
    state, _, _ = population.learn(task, state, None, ("old",), weights)
    games = state.results["old"][1]
    state, _, _ = population.learn(task, state, None, ("new", "old"), weights, weights)
    assert games > 0 and state.results["old"][1] > games > 0.5 * state.results["new"][1] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"exploiters": 0}, "exploiters must be a whole number of at least 1, not 0"),
        ({"generation": 1.5}, "generation must be a whole number of at least 1, not 1.5"),
        ({"learner": "sb3"}, "setting learner='sb3' is not allowed in a population; allowed: ppo"),
        ({"rate": 1}, "unknown setting 'rate'; settings: game, .* exploiters, round_steps, generation"),
        ({"executor": "process"}, "executor='process' is not allowed; allowed: serial, ray"),
        ({"address": "x:1"}, "address needs ray"),
    ],
)
def test_bad_arguments(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train_population("tennis_v0", out=tmp_path / "run", **{"total_steps": 100, **TINY, **arguments})


def test_a_folder_that_holds_a_run(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{}")
    with pytest.raises(ValueError, match="already contains a run; choose another folder"):
        train_population("tennis_v0", out=tmp_path, total_steps=100)
