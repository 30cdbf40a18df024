"""Leagues: the schedule, resuming after Ctrl-C and kill -9, executors, tables, exports."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import league_agents
import numpy as np
import pytest
from support import WITHIN, short
from wilddeck.league import League, LeagueError, LeagueInterrupted, Progress, files
from wilddeck.league.match import Entry
from wilddeck.league.schedule import count, schedule

OpenLeague = Callable[..., League]
TRIO = {"random": "random", "plain": "plain", "rules": "rules"}


def outcomes(league: League) -> list[tuple[Any, ...]]:
    """All results but the times and the processes' own words."""
    return [
        (
            (result.id, result.deal, result.rotation, result.actions.tolist(), result.digest),
            [(seat.agent, seat.returned, seat.rank, seat.status, seat.moves) for seat in result.seats],
        )
        for result in league.results()
    ]


# --- the schedule ---


def test_every_group_plays_every_deal_in_every_rotation(open_league: OpenLeague) -> None:
    league = open_league(num_players=3, agents={**TRIO, "rules2": "rules"}, duplicate=True)
    matches = list(schedule(league.settings, league.agents, range(3), deals=5))
    assert len(matches) == len({match.id for match in matches}) == count(league.agents, 3, 5) == 4 * 3 * 5
    assert len({match.deal_seed for match in matches}) == 5
    seats = Counter(
        (match.deal, frozenset(match.seats), seat, entry) for match in matches for seat, entry in enumerate(match.seats)
    )
    assert set(seats.values()) == {1} and len(seats) == 5 * 4 * 3 * 3


def test_who_sits_behind_whom_changes_from_deal_to_deal(open_league: OpenLeague) -> None:
    league = open_league(num_players=3, agents=TRIO)
    first = [match for match in schedule(league.settings, league.agents, range(3), 40) if match.rotation == 0]

    def follows(match: Any) -> str:
        names = [entry.name for entry in match.seats]
        return names[(names.index("random") + 1) % 3]

    assert 8 < Counter(map(follows, first))["rules"] < 32


def test_more_deals_and_more_agents_add_matches_and_change_none(open_league: OpenLeague) -> None:
    league = open_league(agents=TRIO)
    few = [match.id for match in schedule(league.settings, league.agents, range(2), 3)]
    longer = [match.id for match in schedule(league.settings, league.agents, range(2), 5)]
    wider = {match.id for match in schedule(league.settings, [*league.agents, Entry("new", "random")], range(2), 3)}
    reordered = {match.id for match in schedule(league.settings, league.agents[::-1], range(2), 3)}
    assert longer[: len(few)] == few and set(few) <= wider and set(few) == reordered


def test_ids_tell_apart_all_that_is_played(open_league: OpenLeague) -> None:
    def ids(name: str, num_players: int = 2, sha256: str = "", **limits: Any) -> set[str]:
        league = open_league(name, num_players, **limits)
        entries = [Entry("a", "x.npz", sha256), Entry("b", "random")]
        return {match.id for match in schedule(league.settings, entries, range(2), 2)}

    schedules = [ids("1"), ids("2", seed=1), ids("3", num_players=3), ids("4", sha256="0" * 64)]
    assert len(set.union(*schedules)) == sum(map(len, schedules))
    assert ids("5", move_seconds=99.0) == schedules[0]


def test_gauntlet(open_league: OpenLeague) -> None:
    league = open_league(agents={**TRIO, "plain2": "plain"})
    assert league.run(1, gauntlet="plain2").played == 3 * 2
    assert all("plain2" in [seat.agent for seat in result.seats] for result in league.results())
    assert league.run(1).played == 3 * 2  # the rest of the round robin
    with pytest.raises(
        LeagueError, match=r"the gauntlet's agent 'rule' is not in this league; agents: random, plain, rules, plain2"
    ):
        league.run(1, gauntlet="rule")


def test_too_few_agents(open_league: OpenLeague) -> None:
    league = open_league(num_players=4, agents=TRIO)
    with pytest.raises(LeagueError, match=r"a match needs 4 agents, one per seat, but the league has 3; add 1 more"):
        league.run(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"deals": 0}, "deals must be from 1 to 1,000,000,000, not 0"),
        ({"deals": 10**30}, "deals must be from 1 to"),
        ({"deals": 1, "executor": "cloud"}, "unknown executor 'cloud'; allowed: serial, thread, process, ray"),
        (
            {"deals": 1, "executor": "process", "address": "a:1"},
            "address is only for the executor 'ray', not",
        ),
        ({"deals": 1, "executor": "process", "workers": 0}, "workers must be at least 1, not 0"),
    ],
)
def test_bad_arguments(open_league: OpenLeague, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(LeagueError, match=message):
        open_league(agents=TRIO).run(**arguments)


def test_ray_is_an_extra(open_league: OpenLeague, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"the executor `ray` needs the extra `ray`: pip install 'wilddeck\[ray\]'"):
        open_league(agents=TRIO).run(1, executor="ray")


def test_an_unknown_game_or_option(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no game 'tenis_v0'; did you mean 'tennis_v0'"):
        League(tmp_path / "x", "tenis_v0")
    with pytest.raises(ValueError, match="has no option 'players'"):
        League(tmp_path / "x", "tennis_v0", {"players": 3})
    assert not list(tmp_path.iterdir())


# --- going on ---


def test_going_on_gives_what_one_run_gives(open_league: OpenLeague) -> None:
    whole, parts = open_league("whole", agents=TRIO), open_league("parts", agents=TRIO)
    assert (whole.run(4).played, parts.run(1).played) == (24, 6)
    seen: list[Progress] = []
    again = parts.run(4, progress=seen.append)
    assert (again.played, again.skipped) == (18, 6)
    assert (seen[-1].done, seen[-1].total) == (24, 24) and seen[0].done > 6
    assert outcomes(whole) == outcomes(parts)
    assert parts.run(2).played == 0
    assert [row.agent for row in whole.table().rows] == [row.agent for row in parts.table().rows]


def test_ctrl_c_keeps_what_is_finished(open_league: OpenLeague, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wilddeck.league.running._WRITE_SECONDS", 0)
    league, whole = open_league(agents=TRIO), open_league("whole", agents=TRIO)

    def stop_at_five(progress: Progress) -> None:
        if progress.done == 5:
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(
        LeagueInterrupted, match=r"stopped after 5 of 24 matches.*to continue, run again with the same arguments"
    ):
        league.run(4, progress=stop_at_five)
    assert signal.getsignal(signal.SIGINT) is before
    assert len(league.results()) == 5
    assert league.run(4).played == 19 and whole.run(4).played == 24
    assert outcomes(league) == outcomes(whole)


KILLED = """
    import os, signal, sys
    sys.path.insert(0, {tests!r})
    import league_agents
    from wilddeck.league import League, claims, running

    running._WRITE_SECONDS = 0
    claims.LEASE_SECONDS = 0.5

    def progress(state):
        if state.done >= 9:
            if {executor!r} == "process":
                os.kill(os.getpid(), signal.SIGKILL)
            os.environ["LEAGUE_KILL"] = "1"  # in the middle of a match

    if __name__ == "__main__":
        with League({path!r}, make=league_agents.make) as opened:
            opened.run(5, executor={executor!r}, workers=2, progress=progress)
"""


@pytest.mark.parametrize("executor", short(["serial", "process"], ["serial"]))
def test_a_killed_run_loses_and_repeats_nothing(
    open_league: OpenLeague, tmp_path: Path, executor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it had claimed comes back when its lease is over."""
    monkeypatch.setattr("wilddeck.league.claims.LEASE_SECONDS", 0.5)
    agents = {**TRIO, "suicide": "suicide"}
    killed, whole = open_league(agents=agents), open_league("whole", agents=agents)
    killed.close()
    script = tmp_path / "run.py"
    tests = str(Path(__file__).parent)
    script.write_text(textwrap.dedent(KILLED.format(tests=tests, executor=executor, path=str(killed.path))))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, timeout=WITHIN)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()

    with League(killed.path, make=league_agents.make) as opened:
        kept = [(result.id, [seat.agent for seat in result.seats]) for result in opened.results()]
        assert 9 <= len(kept) < 60 and all(len(seats) == 2 for _, seats in kept)
        assert opened._store._one("SELECT count(*) FROM claim") > 0
        assert opened.run(5).played == 60 - len(kept)
        assert opened._store._one("SELECT count(*) FROM claim") == 0
        whole.run(5)
        assert outcomes(opened) == outcomes(whole)
        assert opened.table().rows == whole.table().rows


# --- executors ---


def test_processes_give_what_one_process_gives(open_league: OpenLeague) -> None:
    agents = {**TRIO, "bad": "crash@3", "interrupt": "interrupt@1"}
    processes, serial = open_league("a", agents=agents), open_league("b", agents=agents)
    a, b = processes.run(3, executor="process", workers=2), serial.run(3)
    assert a.played == b.played == 60 and a.forfeits == b.forfeits and a.unplayed == ()
    assert outcomes(processes) == outcomes(serial)
    assert processes.table() == serial.table()
    assert [row.agent for row in processes.table().rows if row.forfeits] == [
        row.agent for row in serial.table().rows if row.forfeits
    ]


@pytest.mark.long
def test_a_process_that_dies_takes_nobody_with_it(open_league: OpenLeague) -> None:
    """An agent that ends its process plays like one that raises: the moves before it stand, the other seat plays on."""
    died, crashed = open_league("died", agents={"plain": "plain"}), open_league("crashed", agents={"plain": "plain"})
    died.add("bad", "killed@4")
    assert died.run(1, executor="process", workers=2).unplayed == ()
    crashed._make = lambda spec, *a, **k: league_agents.make("crash@4" if spec == "killed@4" else spec, *a, **k)
    crashed.add("bad", "killed@4")
    crashed.run(1)
    assert outcomes(died) == outcomes(crashed)
    assert [(failure.agent, failure.status) for failure in died.errors()] == [("bad", "crash")] * 2
    for failure in died.errors():
        assert failure.message == "its process died (exit code -9)"
        died.replay(failure.match)


@pytest.mark.long
def test_an_agent_that_cannot_be_interrupted_is_killed(open_league: OpenLeague, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wilddeck.league.processes._GRACE_SECONDS", 0.2)
    league = open_league(agents={"plain": "plain", "stubborn": "stubborn@2"}, move_seconds=2.0)
    assert league.run(1, executor="process", workers=2).played == 2
    assert [(failure.agent, failure.status) for failure in league.errors()] == [("stubborn", "timeout")] * 2
    assert "its process was killed" in league.errors()[0].message


@pytest.mark.long
def test_an_agent_whose_process_compiles_for_longer_than_its_limit_is_not_killed(
    open_league: OpenLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wilddeck.league.processes._GRACE_SECONDS", 0.2)
    league = open_league(agents={"plain": "plain", "compiling": "compile@2"}, move_seconds=2.0)
    assert league.run(1, executor="process", workers=2).played == 2
    assert not league.errors()


@pytest.mark.long
def test_matches_that_end_their_process_for_no_agents_doing_are_left_out(open_league: OpenLeague) -> None:
    league = open_league(agents={"random": "random", "plain": "plain", "saboteur": "sabotage@1"})
    run = league.run(1, executor="process", workers=1, gauntlet="plain")
    assert run.played == 2 and len(run.unplayed) == 2
    assert all("died twice (exit code 7) on no agent" in line for line in run.unplayed)
    assert {seat.agent for result in league.results() for seat in result.seats} == {"plain", "random"}


def test_workers_that_cannot_start(open_league: OpenLeague) -> None:
    league = open_league(agents=TRIO)
    league._make = _unimportable()
    with pytest.raises(LeagueError, match=r'could not start .*if __name__ == "__main__":'):
        league.run(1, executor="process", workers=1)


def _unimportable() -> Any:
    """A function that pickles by a name which workers will not find."""

    def make(*arguments: Any, **keywords: Any) -> Any:
        raise AssertionError

    make.__module__, make.__qualname__ = "league_agents_of_nobody", "make"
    module = type(sys)("league_agents_of_nobody")
    module.make = make  # type: ignore[attr-defined]
    sys.modules["league_agents_of_nobody"] = module
    return make


# --- the files that specs name ---


def test_files_of_a_spec_are_found_and_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For machines that do not have them where they lie here."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.npz", "b c.npz", "bot.py", "data", "run"):
        (tmp_path / name).write_bytes(b"")
    program = shutil.which("env")
    for spec, names, expected in [
        ("random", [], "random"),
        ("gone.npz", [], "gone.npz"),
        ("a.npz", ["a.npz"], "/x/a.npz"),
        ("mc:policy=a.npz,rollouts=3", ["a.npz"], "mc:policy=/x/a.npz,rollouts=3"),
        ("mc:policy=rules", [], "mc:policy=rules"),
        ("rules + b c.npz + a.npz", ["b c.npz", "a.npz"], "rules + /x/b c.npz + /x/a.npz"),
        ("cmd:./run data 5", ["./run", "data"], "cmd:/x/run /x/data 5"),
        (f"cmd:{program} python 'bot.py' --n=3", ["bot.py"], f"cmd:{program} python /x/bot.py --n=3"),
        ("cmd:python 'unclosed", [], "cmd:python 'unclosed"),
    ]:
        assert list(files.named(spec)) == names
        assert files.moved(spec, names, lambda name: f"/x/{Path(name).name}") == expected


# --- what follows from the results ---


@pytest.fixture
def small(open_league: OpenLeague) -> League:
    league = open_league(agents={"random": "random", "a|b": "plain", "<i>": "rules", "bad": "crash@2"})
    league.run(4)
    return league


def test_table_and_matrix_agree_with_the_results(small: League) -> None:
    table, matrix = small.table(bootstrap=50), small.matrix()
    assert (table.anchor, table.matches, table.deals) == ("random", 48, 4)
    returns: dict[str, list[float]] = {}
    for result in small.results():
        for seat in result.seats:
            returns.setdefault(seat.agent, []).append(seat.returned)
    for row in table.rows:
        assert row.games == 24 and row.score == pytest.approx(np.mean(returns[row.agent]))
    rated = [row.rating for row in table.rows]
    assert rated == sorted(rated, key=lambda value: -(value or 0)) and dict(zip(rated, rated, strict=True))[0] == 0
    assert table.rows[0].agent == "<i>" and table.rows[-1].agent == "bad"
    assert np.array_equal(matrix.games, 8 - 8 * np.eye(4, dtype=int))
    assert np.allclose(matrix.points + matrix.points.T, matrix.games)
    assert np.isnan(matrix.share[0, 0]) and matrix.share[3, 0] == 0


def test_anchors(open_league: OpenLeague) -> None:
    league = open_league(agents={"rules": "rules", "dice": "random"})
    league.run(3)
    assert league.table(bootstrap=5).anchor == "dice"
    assert league.table("rules", bootstrap=5).anchor == "rules"
    with pytest.raises(LeagueError, match=r"the anchor 'random' is not an agent of this league; agents: rules, dice"):
        league.table("random")
    with pytest.raises(LeagueError, match="has no agents yet"):
        open_league("empty").table()


def test_agents_without_games_are_said_to_have_none(small: League) -> None:
    small.add("late", "random")
    last = small.table(bootstrap=5).rows[-1]
    assert (last.agent, last.rating, last.games, last.note) == ("late", None, 0, "no games")
    assert "late | – |" in small.export("markdown")


def columns(lines: Sequence[str], heading: str) -> list[str]:
    start = next(index for index, line in enumerate(lines) if line.startswith(heading))
    return [line for line in lines[start:] if line.startswith("|")]


def test_export_json(small: League) -> None:
    content = json.loads(small.export("json"))
    assert content["settings"]["game"] == "tennis_v0" and content["agents"][2]["spec"] == "rules"
    assert len(content["matches"]) == 48 and len(content["errors"]) == 24
    assert content["table"]["rows"][0]["agent"] == "<i>"
    assert content["matches"][0]["actions"] == small.results()[0].actions.tolist()


def test_export_csv(small: League) -> None:
    rows = list(csv.DictReader(io.StringIO(small.export("csv"))))
    assert len(rows) == 96 and {row["agent"] for row in rows} == {"random", "a|b", "<i>", "bad"}
    assert sum(row["status"] == "crash" for row in rows) == 24


def test_export_markdown(small: League) -> None:
    lines = small.export("markdown").splitlines()
    for heading, height in (("### Ranking", 2 + 4 + 2 + 4), ("### Head to head", 2 + 4)):
        table = columns(lines, heading)
        assert len(table) == height
    assert len({line.replace("\\|", "").count("|") for line in columns(lines, "### Head to head")}) == 1
    assert "a&#124;b" in "".join(lines) and "<i>" not in "".join(lines)


def test_export_html(small: League) -> None:
    text = small.export("html")
    assert len(ElementTree.fromstring(f"<div>{text}</div>").findall("table")) == 2
    assert "&lt;i&gt;" in text and "<i>" not in text


def test_an_unknown_format(small: League) -> None:
    with pytest.raises(LeagueError, match="unknown format 'pdf'; allowed: json, csv, markdown, html"):
        small.export("pdf")
