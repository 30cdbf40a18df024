"""The small suite for agents that are slow or cost money, and language models scored on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wilddeck import envs
from wilddeck.agents import trained
from wilddeck.agents.base import Agent
from wilddeck.agents.llm import exchanges as kept
from wilddeck.agents.llm.agent import ChatAgent
from wilddeck.benchmarks.baselines import BASELINES
from wilddeck.benchmarks.score import playing, record, report, suite
from wilddeck.benchmarks.score.playing import ScoreRequest
from wilddeck.benchmarks.score.suite import ScoreError
from wilddeck.cli import main
from wilddeck.envs.core.jit import only_interpreted
from wilddeck.league import LeagueError
from wilddeck.testing.chat_server import ChatServer

GAME, OTHER = "poker_v0-2p", "blackjack_v0"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Two short games are all there is."""
    monkeypatch.setattr(suite, "default_names", lambda which=suite.FULL: [GAME, OTHER])
    monkeypatch.setattr(suite, "_SHOWN_GAMES", 2)
    monkeypatch.setattr(trained, "folder", lambda game: tmp_path / "weights")
    monkeypatch.chdir(tmp_path)
    suite._played_digest.cache_clear()
    kept._opened.cache_clear()
    with only_interpreted():
        yield
    suite._played_digest.cache_clear()


@pytest.fixture
def score(tmp_path: Path) -> Callable[..., record.Record]:
    def play_it(spec: str | Agent, file: str = "a.json", **fields: Any) -> record.Record:
        return playing.run(ScoreRequest(spec, **{"mini": True, "deals": 2, "name": "it", **fields}), tmp_path / file)

    return play_it


def model(server: ChatServer, **settings: Any) -> str:
    text = "".join(f",{name}={value}" for name, value in settings.items())
    return f"llm:model=stand-in,base_url={server.base_url},retries=0{text}"


def results(scored: record.Record) -> dict[str, list[list[float]]]:
    return {name: game.results["agent"]["rules"].tolist() for name, game in scored.games.items()}


# --- what is played ---


def test_the_small_suite_has_every_game_or_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    names = suite.default_names(suite.MINI)
    played = {BASELINES[name].game for name in names}
    assert len(played) == len(names) and played.isdisjoint(suite.MINI_LEFT_OUT)
    assert played | set(suite.MINI_LEFT_OUT) == set(envs.game_ids()) and all(suite.MINI_LEFT_OUT.values())
    assert suite.find_names(names) == names  # each is a line of the table, in its order


def test_few_deals_against_the_rules(score: Callable[..., record.Record]) -> None:
    scored = score("random", deals=None)
    assert scored.mini and scored.deals == suite.DEALS[suite.MINI] == 4
    for game in scored.games.values():
        assert list(game.protocol["opponents"]) == list(game.results["agent"]) == ["rules"]
    again = record.load(Path("a.json"))
    assert again.mini and again.to_json() == scored.to_json()
    ours = score("rules", "b.json", deals=None)
    for name, game in ours.games.items():  # the same deals for all
        assert (game.results["random"]["rules"] == scored.games[name].results["random"]["rules"]).all()


def test_the_leads(score: Callable[..., record.Record]) -> None:
    rules, random = score("rules", "b.json"), score("random", "c.json")
    for scored, player in ((rules, "rules"), (random, "random")):
        assert scored.over(player).improvement == (0.5, 0.5, 0.5)
        assert all(lead == (0, 0, 0) for lead in scored.over(player).leads.values())
        assert all(map(np.isnan, scored.over(player).variances.values()))  # there is nothing to compare
    by_hand = {
        name: np.mean(results(rules)[name]) - np.mean(results(random)[name])
        for name in (GAME, OTHER)
    }  # fmt: skip
    for leads in (rules.over("random").leads, record.compare(rules, random).pairs.leads):
        assert {name: lead.value for name, lead in leads.items()} == pytest.approx(by_hand)
    assert rules.over("random").leads == {
        name: pytest.approx((-lead.value, -lead.high, -lead.low)) for name, lead in random.over("rules").leads.items()
    }
    assert not rules.scores().games and record.summary(rules)["over_random"]["leads"][GAME]["value"] == by_hand[GAME]


# --- language models ---


def test_a_model_is_played_by_the_thread_and_all_that_it_was_asked_is_kept(
    score: Callable[..., record.Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    executors, make = [], playing.executor
    monkeypatch.setattr(playing, "executor", lambda how, *rest: executors.append((how, rest[-1])) or make(how, *rest))
    with ChatServer("first") as server:
        scored = score(model(server, price_in=1, price_out=2), workers=3)
        (row,) = playing.usage(scored, Path("a.json"))
        assert executors == [("thread", 3)] * 2
        assert row.agent == "stand-in" and row.failed == 0 and row.cost > 0
        assert row.decisions == row.requests == len(server.requests) == len(kept.Exchanges(Path("a.exchanges.jsonl")).all())
    assert results(scored) == results(score("score_agents:first", "b.json"))
    assert playing.usage(score("rules", "c.json"), Path("c.json")) == []


def test_what_was_stopped_goes_on_without_asking_again(score: Callable[..., record.Record]) -> None:
    pytest.importorskip("openai")
    with ChatServer("random", faults=[*[""] * 9, "401"]) as server:
        with pytest.raises(LeagueError, match=r"cannot be asked: .*; finished matches are saved, and a run with the same"):
            score(model(server), workers=2)
        begun = record.load(Path("a.json"))
        assert list(begun.complete()) == [OTHER] and report.lines(begun)[-1] == f"not finished: {GAME}"
    answered = len(kept.Exchanges(Path("a.exchanges.jsonl")).all())
    assert answered >= 9
    kept._opened.cache_clear()  # as another process would find it
    with ChatServer("random", port=server.port) as again:
        went_on = score(model(again))
    with ChatServer("random", port=server.port) as whole:
        assert results(score(model(whole), "whole.json")) == results(went_on)
        assert len(whole.requests) == answered + len(again.requests)
        before = len(whole.requests)
        score(model(whole), "whole.json")
        assert len(whole.requests) == before


def test_a_model_that_is_an_object_plays_many_matches_at_once(score: Callable[..., record.Record]) -> None:
    """Which does not mix them up: with what was kept all can be played again."""
    pytest.importorskip("openai")
    with ChatServer("random", delay=0.01) as server:
        spec = ChatAgent({"model": "stand-in", "base_url": server.base_url}, GAME[:-3], {"num_players": 2})
        first = score(spec, games=[GAME], deals=4, workers=8)
        asked = len(server.requests)
        Path("a.json").unlink()
        assert results(score(spec, games=[GAME], deals=4, workers=8)) == results(first)
        assert len(server.requests) == asked > 8


def test_a_model_that_fails_forfeits(score: Callable[..., record.Record]) -> None:
    pytest.importorskip("openai")
    with ChatServer("first", faults={"illegal": 1.0}) as server:
        scored = score(model(server), games=[GAME])
        assert scored.games[GAME].forfeits == {"illegal": 4}  # two deals, two places
        assert report.game_table(scored)[1][0][-1] == "4 illegal"
        (row,) = playing.usage(scored, Path("a.json"))
        assert row.failed == row.decisions == 4 and row.requests == 8


# --- files of both suites ---


def test_suites_are_not_mixed(score: Callable[..., record.Record]) -> None:
    small, full = score("rules"), score("rules", "b.json", mini=False)
    for file, mini, said in (("a.json", False, "suite 'mini', not 'full'"), ("b.json", True, "suite 'full', not 'mini'")):
        with pytest.raises(ScoreError, match=f"holds a score of the {said}; choose another by --file"):
            score("rules", file, mini=mini)
    with pytest.raises(ScoreError, match=r"^the scores were played by different protocols: suite: mini and full; "):
        record.compare(small, full)
    with pytest.raises(ScoreError, match=r"the small suite \(--mini\) cannot be shown in one table with others"):
        report.section([small, full])


# --- the command ---


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    monkeypatch.setenv("COLUMNS", "200")
    words = ["--mini", "--deals", "2"]
    with ChatServer("first") as server:
        assert main(["score", model(server), *words, "--name", "one", "--file", "one.json", "--workers", "2"]) == 0
        said = capsys.readouterr().out
        assert "over random (95 %)" in said and "one over rules: probability of improvement" in said
        assert "of that of as many matches on independent deals" in said
        assert "Language models" in said and str(len(server.requests)) in said
        assert main(["score", model(server), *words, "--name", "one", "--file", "one.json", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["usage"][0]["requests"] == len(server.requests)
        assert told["over_rules"]["leads"][GAME]["low"] <= told["over_rules"]["leads"][GAME]["value"]
    assert main(["score", "rules", *words, "--file", "two.json"]) == 0
    capsys.readouterr()
    assert main(["score", "compare", "two.json", "one.json"]) == 0
    said = capsys.readouterr().out
    assert "rules over one: probability of improvement" in said and "interquartile" not in said and "no score" not in said
    assert main(["score", "table", "one.json", "two.json"]) == 0
    assert "The small suite: probability of improvement" in capsys.readouterr().out
    assert main(["score", "table", "one.json", "two.json", "--markdown"]) == 0
    said = capsys.readouterr().out
    assert "## The small suite" in said and "| lead over rules | one | rules |" in said
    assert "| Poker: 2 players |" in said and "+0.00 ± 0.00 |" in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("score rules --minni", "unrecognized arguments: --minni"),
        ("score rules --mini --plot a.svg", "the small suite (--mini) has no scores to draw (--plot)"),
        ("score rules --mini --games tenis", "no game 'tenis'; did you mean 'tennis'?"),
        ("score llm:modle=x --mini", "agent 'llm' has no parameter 'modle=x'; write key=value, each once: model, base_url"),
        ("score llm --mini", "agent 'llm' needs a model"),
    ],
)
def test_mistakes_are_one_line(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(line.split())
    except SystemExit as ended:
        status = int(ended.code or 0)
    printed = capsys.readouterr().err
    assert status and said in printed and printed.count("\n") == 1
    assert not list(Path().glob("runs/score/*"))
