"""Agents that are objects, wherever a spec can be given."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import score_agents
import wilddeck
from wilddeck import agents
from wilddeck.agents import play
from wilddeck.agents.base import Agent, View
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.search import SearchAgent
from wilddeck.agents.views import Views
from wilddeck.benchmarks.baselines import BASELINES, Baseline
from wilddeck.benchmarks.score import playing, suite
from wilddeck.benchmarks.score.playing import ScoreRequest
from wilddeck.league import League, LeagueError
from wilddeck.training.evaluate import evaluate
from wilddeck.training.exploit import exploit
from wilddeck.training.train import Result, resume, train

GAME, OPTIONS = "tennis_v0", {"num_players": 2, "max_tricks": 50}
TINY: dict[str, Any] = {
    "num_envs": 4, "rollout_steps": 16, "batch_size": 64, "epochs": 1, "hidden": [12], "eval_deals": 2, "total_steps": 300,
    "progress": False, "threads": 1,
}  # fmt: skip


@dataclasses.dataclass
class Unhashable(Agent):
    """The first legal action, by the batch; an agent that has no hash, as data classes have none."""

    name: str = "mine"

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return views.action_mask.argmax(axis=1)


class Alone(Unhashable):
    """The same, one game at a time, and with what cannot be pickled."""

    def __init__(self, name: str = "alone") -> None:
        super().__init__(name)
        self.lock = threading.Lock()
        self.asked = 0

    def act(self, view: View, rng: np.random.Generator) -> int:
        self.asked += 1
        return int(view.legal_actions[0])

    def begin(self, *_: Any) -> None: ...


def network(seed: int, name: str = "network") -> LearnedAgent:
    game = wilddeck.envs.game(GAME)
    options, rng = game.make_options(OPTIONS), np.random.default_rng(seed)
    shape = game.observation_size(options), game.num_actions(options)
    return LearnedAgent([(rng.normal(size=shape).astype(np.float32), np.zeros(shape[1], np.float32))], name=name)


# --- specs, paths and objects ---


def test_what_makes_an_agent(tmp_path: Path) -> None:
    mine = Unhashable()
    network(1).save(tmp_path / "n.safetensors", GAME, OPTIONS)
    assert agents.make(mine, GAME) is mine
    assert agents.make(tmp_path / "n.safetensors", GAME, OPTIONS).name == "n"
    for wrong in (Unhashable, 3, None):
        with pytest.raises(ValueError, match="is not an agent; give an agent string, a path, or an instance of"):
            agents.make(wrong, GAME)  # type: ignore[arg-type]
    assert agents.text_of(mine) == "<Agent mine>" and agents.kind_of("<Agent mine>") == "object"
    assert not agents.runs_code("<Agent mine:make>")
    with pytest.raises(ValueError, match="<Agent a:b> is the name of an object; pass the object itself"):
        agents.make("<Agent a:b>", GAME)


def test_names_of_results_are_told_apart() -> None:
    mine = Unhashable()
    assert agents.by_name(["rules", mine, mine, "rules", Path("a.npz")]) == {"rules": "rules", "mine": mine, "a.npz": "a.npz"}
    for two in ([mine, Alone("mine")], ["rules", Unhashable("rules")]):
        with pytest.raises(ValueError, match=r"two agents have the name '(mine|rules)'"):
            agents.by_name(two)
    with pytest.raises(ValueError, match="two agents have the name 'mine'"):
        evaluate("random", GAME, OPTIONS, against=[mine, Alone("mine")], games=2)


def test_games_take_specs_and_objects() -> None:
    mine, made = Unhashable(), agents.make("rules", GAME, OPTIONS)
    for other in ("random", mine):
        assert (
            play.play_game(GAME, OPTIONS, ["rules", other], 3).actions
            == play.play_game(GAME, OPTIONS, [made, other], 3).actions
        )
        by_spec, by_object = (play.play_batch(GAME, OPTIONS, [player, other], 5, 3) for player in ("rules", made))
        assert (by_spec == by_object).all()
        assert play.evaluate("rules", other, GAME, OPTIONS, 4, 1) == play.evaluate(made, [other], GAME, OPTIONS, 4, 1)
    gain = play.evaluate("rules", "random", GAME, OPTIONS, 4, 1, instead_of="rules")
    assert gain.mean == 0 and gain.standard_error == 0
    with pytest.raises(ValueError, match="no agent 'nobody'"):
        play.play_batch(GAME, OPTIONS, ["nobody", "random"], 2, 1)


def test_agents_that_were_made_from_specs_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    monkeypatch.setattr(score_agents.First, "close", lambda self: closed.append(self.name))
    play.play_game(GAME, OPTIONS, ["score_agents:first", "score_agents:first"], 3)
    assert closed == ["first"]
    play.play_game(GAME, OPTIONS, [score_agents.First(), "random"], 3)
    assert closed == ["first"]


def test_seats_take_objects_that_have_no_hash() -> None:
    env = gymnasium.make("wilddeck/tennis-v0", opponents=[Unhashable(), "random"], num_players=3, max_tricks=50)
    env.reset(seed=1)
    vector = gymnasium.make_vec("wilddeck/tennis-v0", num_envs=2, opponents=Unhashable(), num_players=3, max_tricks=50)
    vector.reset(seed=1)
    vector.close(), env.close()


def test_search_plays_out_by_compiled_objects_alone() -> None:
    for player in (agents.make("random", GAME), agents.make("rules", GAME, OPTIONS), network(1)):
        searching = SearchAgent(GAME, OPTIONS, rollouts=20, policy=player)
        assert play.play_game(GAME, OPTIONS, [searching, "random"], 1).actions
    with pytest.raises(ValueError, match="'alone' is not compiled and cannot be a playout policy; allowed: random, rules"):
        SearchAgent(GAME, OPTIONS, policy=Alone())


def test_an_object_is_exploited_and_begun_with() -> None:
    small = {**TINY, "max_seconds": None, "total_steps": 200, "deals": 2, "seed": 1}
    del small["eval_deals"]
    found = exploit(Unhashable(), GAME, OPTIONS, init_from=network(1), **small)
    assert found.agent == "mine" and found.beginning == "network"
    with pytest.raises(ValueError, match="alone plays one game at a time"):
        exploit(Alone(), GAME, OPTIONS, **small)


# --- training ---


def tiny(out: Path, **changes: Any) -> Result:
    return train(GAME, OPTIONS, out=out, **{**TINY, **changes})


def test_training_with_objects_is_training_with_their_specs(tmp_path: Path) -> None:
    made = [agents.make(spec, GAME, OPTIONS) for spec in ("random", "rules")]
    by_spec = tiny(tmp_path / "a", init_from="rules")
    by_object = tiny(tmp_path / "b", init_from=made[1], fixed_opponents=[made[0], "rules"], eval_opponents=made)
    assert agents.make(by_spec.weights, GAME, OPTIONS).tensors().keys()
    for a, b in zip(*(agents.make(run.weights, GAME, OPTIONS).tensors().values() for run in (by_spec, by_object)), strict=True):
        assert (a == b).all()
    assert [list(point.returns.values()) for point in by_spec.evaluations] == [
        list(point.returns.values()) for point in by_object.evaluations
    ]
    stored = json.loads((tmp_path / "b" / "settings.json").read_text())
    assert stored["fixed_opponents"] == ["<Agent random>", "rules"] and stored["init_from"] == f"<Agent {made[1].name}>"


def test_a_resumed_run_asks_for_its_objects_again(tmp_path: Path) -> None:
    mine = {"fixed_opponents": ["random", Unhashable()], "eval_opponents": Unhashable("judge")}
    unbroken = tiny(tmp_path / "whole", **mine)
    run = tmp_path / "run"
    assert set(tiny(run, total_steps=100, **mine).evaluations[0].returns) == {"judge"}
    asked = r"has an agent that is an object, fixed_opponents='<Agent mine>', .* train\(\.\.\., resume=True, fixed_opponents="
    with pytest.raises(ValueError, match=asked):
        resume(run, progress=False, trust=True)
    with pytest.raises(ValueError, match="eval_opponents='<Agent judge>'"):
        tiny(run, resume=True, fixed_opponents=mine["fixed_opponents"])
    with pytest.raises(ValueError, match="other settings: eval_opponents="):
        tiny(run, resume=True, **{**mine, "eval_opponents": Unhashable("another")})
    assert tiny(run, resume=True, **mine).weights.read_bytes() == unbroken.weights.read_bytes()


def test_objects_that_training_cannot_use_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"<Agent alone> plays one game at a time .*too slow for an opponent in training"):
        tiny(tmp_path / "a", fixed_opponents=Alone())
    with pytest.raises(ValueError, match="init_from='<Agent alone>' plays one game at a time"):
        tiny(tmp_path / "b", init_from=Alone())
    with pytest.raises(ValueError, match="two agents have the name 'mine'"):
        tiny(tmp_path / "c", eval_opponents=[Unhashable(), Unhashable()])
    assert not any(tmp_path.iterdir())


# --- leagues ---


@pytest.fixture
def begin(tmp_path: Path) -> Callable[..., League]:
    def make(**given: Any) -> League:
        league = League(tmp_path / "league", GAME, OPTIONS, seed=1)
        for name, agent in given.items():
            league.add(name, agent)
        return league

    return make


def returns(league: League) -> list[list[float]]:
    return [[seat.returned for seat in result.seats] for result in league.results()]


def test_a_league_plays_with_objects(begin: Callable[..., League], tmp_path: Path) -> None:
    alone = Alone()
    with begin(a=alone, b="random", c=network(1)) as league:
        league.run(2)
        assert alone.asked > 10 and league.table().rows and not league.errors()
        assert [(entry.name, entry.spec, entry.kind) for entry in league.agents] == [
            ("a", "<Agent a>", "object"), ("b", "random", "random"), ("c", "<Agent c>", "object"),
        ]  # fmt: skip
        league.run(3)
    with League(tmp_path / "league") as again:
        assert len(again.results()) == 18
        with pytest.raises(LeagueError, match=r"agent 'a' is an object, .*; add it again: league\.add\('a', agent\)"):
            again.run(4)
        again.add("a", alone)
        with pytest.raises(LeagueError, match="agent 'c': the object has different weights"):
            again.add("c", network(2))
        again.add("c", network(1))
        assert again.run(4).played == 6


def test_an_object_may_be_called_as_partners_are(begin: Callable[..., League]) -> None:
    with begin(**{"a + b": Unhashable(), "other": "random"}) as league:
        assert league.run(1).played == 2 and not league.errors()


def test_workers_are_sent_copies(begin: Callable[..., League], tmp_path: Path) -> None:
    with begin(a=score_agents.First(), b="random", c=network(1)) as league:
        league.run(1, executor="process", workers=1)
        played = returns(league)
        assert not league.errors()
    (tmp_path / "league").unlink()
    with begin(a=score_agents.First(), b="random", c=network(1)) as league:
        league.run(1)
        assert sorted(returns(league)) == sorted(played)
    (tmp_path / "league").unlink()
    with begin(a=Alone(), b="random") as league, pytest.raises(LeagueError, match=r"<Agent a> .* cannot be sent to worker pro"):
        league.run(1, executor="process")


# --- scores ---


@pytest.mark.long
def test_a_score_of_an_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BASELINES, GAME, Baseline(GAME, 512, OPTIONS))
    monkeypatch.setattr(agents.trained, "folder", lambda game: tmp_path / "weights")
    suite._played_digest.cache_clear()

    def scores(agent: str | Agent, **fields: Any) -> Any:
        file = tmp_path / f"{len(list(tmp_path.iterdir()))}.json"
        return playing.run(ScoreRequest(agent, **{"games": [GAME], "deals": 4, **fields}), file)

    by_batch = scores(score_agents.FirstOfBatch())
    assert by_batch.name == "<Agent first of a batch>" and by_batch.games[GAME].spec == by_batch.name
    alone = Alone()
    by_match = scores(alone)
    assert alone.asked > 10 and not by_match.games[GAME].forfeits
    assert (by_match.games[GAME].results["agent"]["rules"] == by_batch.games[GAME].results["agent"]["rules"]).all()
    for record in (scores("score_agents:first"), scores(None, specs={GAME: score_agents.First()}, workers=2)):
        for opponent, values in record.games[GAME].results["agent"].items():
            assert (values == by_match.games[GAME].results["agent"][opponent]).all()
    with pytest.raises(LeagueError, match="cannot be sent to worker processes"):
        scores(alone, workers=2, name="other")
    kept = tmp_path / "networks.json"
    playing.run(ScoreRequest(network(1), games=[GAME], deals=2), kept)
    with pytest.raises(suite.ScoreError, match="agent's file with digest"):
        playing.run(ScoreRequest(network(2), games=[GAME], deals=2), kept)
