"""Scores of agents: what is played, kept and gone on with, the file, and the command."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import score_agents
from wilddeck import agents, envs
from wilddeck.agents import play, trained
from wilddeck.benchmarks.baselines import BASELINES, Baseline
from wilddeck.benchmarks.score import playing, plot, record, report, suite
from wilddeck.benchmarks.score.playing import ScoreRequest
from wilddeck.benchmarks.score.suite import ScoreError
from wilddeck.cli import main
from wilddeck.league import LeagueInterrupted

TENNIS, THREE = "tennis_v0", "tennis_v0-three"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tennis for two and, as a variant, for three; short, and no trained players."""
    monkeypatch.setattr(trained, "folder", lambda game: tmp_path / "weights")
    monkeypatch.setitem(BASELINES, TENNIS, Baseline(TENNIS, 512, {"num_players": 2, "max_tricks": 50}))
    monkeypatch.setitem(BASELINES, THREE, Baseline(TENNIS, 512, {"num_players": 3, "max_tricks": 50}))
    monkeypatch.chdir(tmp_path)
    suite._played_digest.cache_clear()
    score_agents.First.asked = 0


@pytest.fixture
def score(tmp_path: Path) -> Callable[..., record.Record]:
    """Scores an agent of tennis."""

    def play_it(spec: str | None, file: str = "a.json", **fields: Any) -> record.Record:
        return playing.run(ScoreRequest(spec, **{"games": [TENNIS], "deals": 8, **fields}), tmp_path / file)

    return play_it


def results(scored: record.Record, player: str = "agent") -> dict[str, list[list[float]]]:
    return {opponent: values.tolist() for opponent, values in scored.games[TENNIS].results[player].items()}


# --- what is played ---


def test_every_game_is_there_and_the_table_chooses_variants() -> None:
    names = suite.find_names([])
    assert sorted(names) == sorted(envs.game_ids())
    assert set(suite.find_names(["all"])) == set(BASELINES)
    assert suite.find_names(["hearts,poker-omaha", "tennis_v0"]) == ["tennis_v0", "hearts_v0", "poker_v0-omaha"]
    for typed in ("tenis", "poker_v0-omah", "", "all,tennis"):
        with pytest.raises(ScoreError, match=r"no game .* Games: tennis_v0, .*; or all"):
            suite.find_names([typed])


def test_deals_are_each_games_own_and_fixed() -> None:
    seeds = [suite.task(name).seed for name in BASELINES]
    assert len(set(seeds)) == len(BASELINES)
    assert suite.task(TENNIS).seed == suite.task(TENNIS).seed_of(suite.SEED) != suite.task(TENNIS).seed_of(1)


def test_the_players_of_the_scale_score_zero_and_one(score: Callable[..., record.Record]) -> None:
    for spec, value in (("random", 0.0), ("rules", 1.0), ("score_agents:the_rules", 1.0)):
        scores = score(spec, f"{value}{len(spec)}.json").scores()
        assert scores.of(TENNIS) == (value, value, value)


def test_results_are_those_of_an_evaluation(score: Callable[..., record.Record]) -> None:
    scored = score("score_agents:first_of_batch")
    task = suite.task(TENNIS)
    for opponent in ("random", "rules"):
        other = agents.make(opponent, task.game, task.options)
        by_hand = play.evaluate(score_agents.FirstOfBatch(), other, task.game, task.options, 8, task.seed)
        assert np.mean(results(scored)[opponent]) == pytest.approx(by_hand.mean)
        assert np.mean(results(scored, "random")[opponent]) == pytest.approx(
            play.evaluate(agents.make("random", task.game, task.options), other, task.game, task.options, 8, task.seed).mean
        )


def test_match_by_match_the_deals_are_the_same(score: Callable[..., record.Record], monkeypatch: pytest.MonkeyPatch) -> None:
    """Among players that need no chance the results are, too."""
    monkeypatch.setattr(suite, "opponents", lambda task, which: ("rules",))
    make = agents.make
    monkeypatch.setattr(
        agents,
        "make",
        lambda spec, *arguments, **how: make("score_agents:last_of_batch" if spec == "rules" else spec, *arguments, **how),
    )
    slow, fast = score("score_agents:first", "slow.json"), score("score_agents:first_of_batch", "fast.json")
    assert results(slow) == results(fast)
    assert len(set(map(tuple, results(fast)["rules"]))) > 1


@pytest.mark.long
def test_processes_play_the_same(score: Callable[..., record.Record]) -> None:
    one = score("score_agents:careless", "one.json", deals=4)
    two = score("score_agents:careless", "two.json", deals=4, workers=2)
    assert results(one) == results(two)
    assert one.games[TENNIS].forfeits == two.games[TENNIS].forfeits == {"illegal": 8}


def test_who_fails_forfeits(score: Callable[..., record.Record]) -> None:
    """As in a league: the match with the least that can be had, and it is counted."""
    scored = score("score_agents:careless")
    game = scored.games[TENNIS]
    assert game.forfeits == {"illegal": 16} and "not legal" in game.message
    assert "16 illegal" in report.game_table(scored)[1][0][-1]
    assert any("forfeits: 16 illegal (the first: answered -1" in line for line in report.lines(scored))
    assert score("score_agents:first", "first.json").games[TENNIS].forfeits == {}
    assert scored.scores().of(TENNIS).value < score("score_agents:first", "first.json").scores().of(TENNIS).value


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("score_agents:bad_batch", r"bad batch failed in tennis_v0: ZeroDivisionError: a bug"),
        ("score_agents:illegal", r"illegal failed in tennis_v0: AgentError: illegal on seat 0 answered -1, which is not legal"),
    ],
)
def test_a_batch_that_fails_is_one_error(spec: str, said: str, score: Callable[..., record.Record], tmp_path: Path) -> None:
    with pytest.raises(ScoreError, match=said):
        score(spec)
    kept = record.load(tmp_path / "a.json").games[TENNIS]
    assert not np.isnan(kept.results["rules"]["random"]).any() and np.isnan(kept.results["agent"]["random"]).all()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("score_agents:nobody", r"cannot import 'score_agents:nobody': .*has no attribute 'nobody'"),
        ("no_such_module:make", r"cannot import 'no_such_module:make': No module named"),
        ("score_agents:nothing", r"score_agents:nothing must return an instance of wilddeck.agents.base.Agent, not 'NoneType'"),
        ("score_agents:fails", r"score_agents:fails failed to make an agent for tennis_v0: KeyError: 'weights'"),
        ("ruls", r"no agent 'ruls'; did you mean 'rules'"),
        ("mc:rolouts=3", r"agent 'mc' has no parameter 'rolouts=3'; write key=value, each once: rollouts"),
        (None, "name an agent, or one for each game"),
    ],
)
def test_who_cannot_be_made(spec: str | None, said: str, score: Callable[..., record.Record], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=said):
        score(spec)
    assert not (tmp_path / "a.json").exists()


def test_games_that_were_not_asked_for_may_be_left_out(
    score: Callable[..., record.Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite, "default_names", lambda which: [TENNIS, THREE])
    scored = score("score_agents:only_for_three", games=None, deals=2)
    assert list(scored.games) == [THREE] and scored.left_out == {TENNIS: "cannot play tennis_v0 for 2"}
    assert any(
        line == "left out: tennis_v0 (reason for the first: cannot play tennis_v0 for 2)" for line in report.lines(scored)
    )
    with pytest.raises(ValueError, match="cannot play tennis_v0"):
        score("score_agents:only_for_three", "b.json", games=[TENNIS, THREE])


def test_an_agent_a_game(score: Callable[..., record.Record]) -> None:
    scored = score(None, games=None, specs={TENNIS: "rules", THREE: "score_agents:first_of_batch"}, deals=2)
    assert {name: game.spec for name, game in scored.games.items()} == {TENNIS: "rules", THREE: "score_agents:first_of_batch"}
    assert scored.name == "tennis_v0=rules, tennis_v0-three=score_agents:first_of_batch"
    assert scored.games[THREE].sha256 and not scored.games[TENNIS].sha256
    with pytest.raises(ScoreError, match="no agent was given for tennis_v0-three"):
        score(None, "b.json", games=[TENNIS, THREE], specs={TENNIS: "rules"})


# --- going on ---


def test_it_goes_on_where_it_was_stopped(
    score: Callable[..., record.Record], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = score("score_agents:interrupted", "whole.json")
    asked, score_agents.First.asked = score_agents.First.asked, 0
    for stop_at in (asked // 3, 2 * asked // 3):
        monkeypatch.setattr(score_agents.Interrupted, "stop_at", stop_at)
        with pytest.raises(LeagueInterrupted, match=r"stopped: 0 of 1 games are played, and all results kept in .*a\.json"):
            score("score_agents:interrupted")
        kept = record.load(tmp_path / "a.json")
        assert not kept.games[TENNIS].complete and report.lines(kept)[-1] == "not finished: tennis_v0"
    monkeypatch.setattr(score_agents.Interrupted, "stop_at", 10**9)
    assert results(score("score_agents:interrupted")) == results(whole)
    assert score_agents.First.asked < 1.5 * asked  # what was there was not played again
    before = score_agents.First.asked
    assert results(score("score_agents:interrupted")) == results(whole) and score_agents.First.asked == before


def test_games_are_added(score: Callable[..., record.Record], monkeypatch: pytest.MonkeyPatch) -> None:
    first = results(score("rules", deals=4))
    monkeypatch.setattr(
        playing, "_by_batch", lambda task, *_: pytest.fail("again") if task.name == TENNIS else np.zeros((4, 3))
    )
    both = score("rules", games=[TENNIS, THREE], deals=4)
    assert list(both.games) == [TENNIS, THREE] and results(both) == first


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"deals": 9}, r"holds a score of the deals 8, not 9; choose another by --file"),
        ({"seed": 1}, r"holds a score of the seed 0, not 1"),
        ({"spec": "random"}, r"holds a score of the agent 'rules', not 'random'"),
        ({"spec": "random", "name": "rules"}, r"holds a score of the agent 'rules', not 'random'"),
    ],
)
def test_a_file_is_of_one_agent_and_its_deals(
    changed: dict[str, Any], said: str, score: Callable[..., record.Record], tmp_path: Path
) -> None:
    score("rules")
    before = (tmp_path / "a.json").read_bytes()
    with pytest.raises(ScoreError, match=said):
        score(**{"spec": "rules", **changed})
    assert (tmp_path / "a.json").read_bytes() == before


def test_a_file_is_of_one_protocol(score: Callable[..., record.Record], monkeypatch: pytest.MonkeyPatch) -> None:
    score("rules")
    monkeypatch.setattr(suite, "opponent_digest", lambda task, spec: "0123" if spec == "rules" else "4567")
    with pytest.raises(ScoreError, match=r"was played by another protocol \(opponents random: \w+ and 4567; opponents rules"):
        score("rules")


def test_opponents_are_told_apart_by_what_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    task = suite.task(TENNIS)
    before = {spec: suite.opponent_digest(task, spec) for spec in ("random", "rules")}
    assert before["random"] != before["rules"]
    suite._played_digest.cache_clear()
    assert {spec: suite.opponent_digest(task, spec) for spec in ("random", "rules")} == before
    suite._played_digest.cache_clear()
    make = agents.make
    monkeypatch.setattr(
        agents, "make", lambda spec, *rest: score_agents.FirstOfBatch() if spec == "rules" else make(spec, *rest)
    )
    assert suite.opponent_digest(task, "rules") != before["rules"]


# --- the file ---


def test_the_file_says_all_and_is_read_back(score: Callable[..., record.Record], tmp_path: Path) -> None:
    scored = score("score_agents:first_of_batch", name="mine")
    written = json.loads((tmp_path / "a.json").read_bytes())
    again = record.load(tmp_path / "a.json")
    assert again.to_json() == scored.to_json() == written
    protocol = written["protocol"]
    assert protocol["version"] == suite.VERSION and protocol["deals"] == 8 and protocol["seed"] == "0"
    assert protocol["games"][TENNIS]["options"]["max_tricks"] == 50
    assert set(protocol["games"][TENNIS]["opponents"]) == {"random", "rules"}
    assert written["agent"]["name"] == "mine" and written["made_with"]["numpy"] == np.__version__
    assert written["summary"]["games"][TENNIS]["value"] == scored.scores().of(TENNIS).value
    assert set(written["summary"]["interquartile_mean"]) == {"value", "low", "high"}


def edited(content: dict[str, Any], place: str, value: Any) -> dict[str, Any]:
    content = copy.deepcopy(content)
    *path, last = place.split("/")
    inner = content
    for name in path:
        inner = inner[name]
    if value is KeyError:
        del inner[last]
    else:
        inner[last] = value
    return content


FORGED = [
    ("format", "other", "was not written by"),
    ("protocol/version", 99, "its protocol has version 99; this release reads 1"),
    ("protocol/deals", 10**12, "deals must be from 1 to 10,000"),
    ("protocol/deals", True, "deals must be from 1 to 10,000"),
    ("protocol/deals", 7, "there must be results of 7 deals"),
    ("protocol/suite", "tiny", "there is no suite 'tiny'"),
    ("protocol/games/tennis_v0/teams", 3, "there must be 3 results of a deal"),
    ("protocol/seed", "-1", "the seed must be digits"),
    ("protocol/seed", "9" * 39, "the seed is too large"),
    ("protocol/games", {"x": {}}, "there is no game 'x'"),
    ("protocol/games/tennis_v0/opponents", {}, "tennis_v0 has no opponents"),
    ("protocol/games/tennis_v0/opponents", {"random": ""}, "has not all opponents' results"),
    ("protocol/games/tennis_v0/teams", 0, "has no teams"),
    ("agent/games/tennis_v0", [], "it is damaged"),
    ("agent/name", 5, "it is damaged"),
    ("agent/left_out", {"x": 5}, "it is damaged"),
    ("results/tennis_v0", KeyError, "'tennis_v0' is missing"),
    ("results/tennis_v0/agent/random", [[1e308, 0.0]] * 8, "results must be numbers"),
    ("results/tennis_v0/agent/random", [["1", 0.0]] * 8, "results must be numbers"),
    ("results/tennis_v0/agent/random", [0.0] * 8, "there must be 2 results of a deal"),
    ("results/tennis_v0/agent/random", [[0.0, 0.0]] * 7, "there must be results of 8 deals"),
    ("results/tennis_v0/rules", {"random": [[0.0, 0.0]] * 8}, "has not all opponents' results"),
    ("results/tennis_v0/forfeits", {"x": 1}, "forfeits must be counts of crash, timeout"),
    ("results/tennis_v0/forfeits", {"crash": -1}, "forfeits must be counts"),
    ("results/tennis_v0/seconds", -1, "seconds must be a number"),
]


def test_forged_files_are_refused(score: Callable[..., record.Record], tmp_path: Path) -> None:
    score("rules")
    content = json.loads((tmp_path / "a.json").read_bytes())
    for place, value, said in FORGED:
        (tmp_path / "b.json").write_text(json.dumps(edited(content, place, value)))
        with pytest.raises(ScoreError) as refused:
            record.load(tmp_path / "b.json")
        assert said in str(refused.value) and str(refused.value).startswith(f"{tmp_path / 'b.json'} is not a score file: ")
    for text in ("", "[]", "{", "NaN", "\x00"):
        (tmp_path / "b.json").write_text(text)
        with pytest.raises(ScoreError, match="is not a score file"):
            record.load(tmp_path / "b.json")


# --- comparisons ---


def test_a_comparison(score: Callable[..., record.Record]) -> None:
    rules, random = score("rules", "b.json"), score("random", "c.json")
    comparison = record.compare(rules, random)
    assert comparison.games[TENNIS] == ((1, 1, 1), (0, 0, 0), (1, 1, 1))
    assert comparison.interquartile_means == ((1, 1, 1), (0, 0, 0), (1, 1, 1)) and comparison.better == (1, 1, 1)
    wins = np.mean([a > b for a, b in zip(*(by_deal(record_of_one) for record_of_one in (rules, random)), strict=True)])
    assert wins <= comparison.pairs.improvement.value <= 1
    assert record.compare(rules, rules).pairs.improvement == (0.5, 0.5, 0.5)
    assert comparison.pairs.leads[TENNIS].value == pytest.approx(np.mean(by_deal(rules)) - np.mean(by_deal(random)))
    assert not comparison.only_one and not comparison.without_score


def by_deal(scored: record.Record) -> list[float]:
    return scored.games[TENNIS].by_deal().agent.tolist()


def test_only_what_was_played_alike_is_compared(score: Callable[..., record.Record]) -> None:
    first, longer = score("rules", "b.json"), score("random", "c.json", deals=9)
    with pytest.raises(ScoreError, match=r"^the scores were played by different protocols: deals: 8 and 9$"):
        record.compare(first, longer)
    other = copy.deepcopy(first)
    other.games[TENNIS].protocol["opponents"]["rules"] = "0123"
    with pytest.raises(ScoreError, match=r"different protocols: tennis_v0 opponents rules: \w+ and 0123$"):
        record.compare(first, other)
    other = copy.deepcopy(first)
    other.games[THREE] = other.games.pop(TENNIS)
    with pytest.raises(ScoreError, match="no game has been played by both"):
        record.compare(first, other)


def test_games_of_luck_have_no_score_and_it_is_said(score: Callable[..., record.Record]) -> None:
    scored = score("rules")
    luck = copy.deepcopy(scored.games[TENNIS])
    luck.results["rules"] = copy.deepcopy(luck.results["random"])
    scored.games[THREE] = luck
    assert scored.uncounted() == {THREE: record._NO_SCALE}
    assert scored.scores().games == (TENNIS,)
    assert report.game_table(scored)[1][1][1] == "–"
    assert any("on this number of deals: tennis_v0-three" in line for line in report.lines(scored))
    assert record.summary(scored)["without_score"] == {THREE: record._NO_SCALE}
    assert "| Tennis: 3 players | no scale |" in report.section([scored])
    del scored.games[TENNIS]
    assert report.lines(scored)[0] == "rules: no game has a score; play more deals"
    with pytest.raises(ScoreError, match="rules has no score in any game"):
        plot.profiles([scored])
    comparison = record.compare(scored, scored)
    assert comparison.interquartile_means is None and comparison.pairs.improvement == (0.5, 0.5, 0.5)
    assert report.comparison_table(scored, scored, comparison)[0] == ["game", "in results (95 %)", "var."]
    assert report.comparison_lines(scored, scored, comparison)[-1] == "no score: tennis_v0-three"


# --- the command ---


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    words = ["--games", "tennis", "--deals", "8"]
    assert main(["score", "rules", *words, "--plot", "a.svg"]) == 0
    said = capsys.readouterr().out
    assert "1.00 (1.00 to 1.00)" in said and "interquartile mean 1.00" in said and "written: runs/score/rules.json" in said
    assert main(["score", "run", "score_agents:first_of_batch", *words, "--json", "--file", "b.json"]) == 0
    value = json.loads(capsys.readouterr().out)["games"][TENNIS]["value"]
    assert value < 1
    assert main(["score", "--agent", "tennis=random", "--deals", "8", "--file", "c.json"]) == 0
    capsys.readouterr()
    assert main(["score", "compare", "runs/score/rules.json", "b.json"]) == 0
    said = capsys.readouterr().out
    assert f"{value:.2f}" in said and "rules over score_agents:first_of_batch: probability of improvement" in said
    assert main(["score", "compare", "runs/score/rules.json", "b.json", "--json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert compared["games"][TENNIS]["second"]["value"] == value and compared["leads"][TENNIS]["value"] > 0
    assert main(["score", "table", "runs/score/rules.json", "b.json", "--plot", "two.svg"]) == 0
    said = capsys.readouterr().out
    assert "interquartile mean" in said and "score_agents:first_of_batch" in said
    assert main(["score", "table", "runs/score/rules.json", "b.json", "--markdown"]) == 0
    assert "| Tennis: 2 players | 1.00 (1.00 to 1.00) |" in capsys.readouterr().out
    for name, curves in (("a.svg", 1), ("two.svg", 2)):
        assert (tmp_path / name).read_text().count("<polyline") == curves


@pytest.mark.parametrize(
    ("status", "line", "said"),
    [
        (2, "score compare a.json", "required: second"),
        (2, "score rules --deals 0", "must be a whole number from 1 to 10,000"),
        (2, "score rules more", "unrecognized arguments: more"),
        (1, "score rules --games tenis", "no game 'tenis'; did you mean 'tennis'? Games: tennis_v0"),
        (1, "score ruls --games tennis", "no agent 'ruls'; did you mean 'rules'"),
        (1, "score --agent tennis", "--agent has the form GAME=AGENT, not 'tennis'"),
        (1, "score --agent tennis=rules --agent tennis_v0=random", "names a game more than once"),
        (1, "score --games tennis", "name an agent, or one for each game with --agent GAME=AGENT"),
        (1, "score rules --games tennis --seed -1", "a seed is an integer"),
        (1, "score rules --games tennis --file .", "Is a directory"),
        (1, "score compare none.json none.json", "none.json"),
        (1, "score table bad.json", "bad.json is not a score file"),
        (1, "score rules --games tennis --file bad.json", "bad.json is not a score file"),
    ],
)
def test_mistakes_are_one_line(status: int, line: str, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    try:
        status_found = main(line.split())
    except SystemExit as ended:
        status_found = int(ended.code or 0)
    printed = capsys.readouterr().err
    assert status_found == status and said in printed and printed.count("\n") == 1 and printed.startswith("wilddeck: ")


def test_hostile_names_are_text(score: Callable[..., record.Record]) -> None:
    scored = score("rules", name="</text><script>|[b]\x1b[31m")
    picture, section = plot.profiles([scored]), report.section([scored])
    assert "<script>" not in picture and "\x1b" not in picture and "&lt;script&gt;" in picture
    assert "<script>" not in section and "\x1b" not in section
    for line in section.splitlines():
        if line.startswith("|"):
            assert line.count("|") == 6 or line.count("|") == 3
