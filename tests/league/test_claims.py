"""Several runs on one file: each match is played once, and what a run had claimed that ended comes back."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import league_agents
import pytest
from wilddeck.league import League, LeagueInterrupted, StoreError, claims
from wilddeck.league.match import MatchResult, Referee
from wilddeck.league.schedule import schedule
from wilddeck.league.store import Store

OpenLeague = Callable[..., League]
TRIO = {"random": "random", "plain": "plain", "rules": "rules"}
LEASE = 30.0


@pytest.fixture
def play_counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many times each match was begun, by all runs of this process."""
    counts: Counter[str] = Counter()
    play = Referee.play

    def counted(self: Referee, match: Any, *rest: Any) -> MatchResult:
        counts[match.id] += 1
        return play(self, match, *rest)

    monkeypatch.setattr(Referee, "play", counted)
    return counts


def ids(league: League, deals: int) -> list[str]:
    return [match.id for match in schedule(league.settings, league.agents, league.team_of, deals)]


def claimed(league: League) -> list[str]:
    return [row[0] for row in league._store._all("SELECT match FROM claim ORDER BY match")]


def test_two_runs_play_each_match_once(
    open_league: OpenLeague, play_counts: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are in their first match at the same time."""
    league = open_league(agents=TRIO)
    both, own, counted = threading.Barrier(2), threading.local(), Referee.play
    runs: list[Any] = []

    def met(self: Referee, match: Any, *rest: Any) -> MatchResult:
        if not hasattr(own, "begun"):
            own.begun = True
            both.wait(60)
        return counted(self, match, *rest)

    def run() -> None:
        with League(league.path, make=league_agents.make) as opened:
            runs.append(opened.run(8))

    monkeypatch.setattr(Referee, "play", met)
    monkeypatch.setattr(claims, "LEASE_SECONDS", 3600.0)  # as long as a loaded machine may take
    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(play_counts.values()) == {1} and set(play_counts) == set(ids(league, 8))
    assert [run.played + run.skipped for run in runs] == [48, 48]
    assert sum(run.played for run in runs) == len(league.results()) == 48 and all(run.played for run in runs)
    assert claimed(league) == []


def test_what_another_run_claims_is_left_to_it(open_league: OpenLeague) -> None:
    store, ids = open_league(agents=TRIO)._store, [f"{k:032x}" for k in range(4)]
    assert store.claim("a", ids[:2], 1000, LEASE) == (set(ids[:2]), set())
    assert store.claim("b", ids[1:], 1001, LEASE) == (set(ids[2:]), {ids[1]})
    assert store.claim("a", ids[:1], 1002, LEASE) == (set(ids[:1]), set())  # its own, once more
    store.release("b")
    assert store.claim("a", ids, 1003, LEASE) == (set(ids), set())


def test_a_claim_ends_unless_it_is_renewed(open_league: OpenLeague) -> None:
    store, ids = open_league(agents=TRIO)._store, [f"{k:032x}" for k in range(2)]
    store.claim("a", ids[:1], 1000, LEASE)
    store.claim("b", ids[1:], 1000, LEASE)
    store.renew("a", 1020, LEASE)
    assert store.claim("c", ids, 1031, LEASE) == (set(ids[1:]), set(ids[:1]))
    assert store.claim("c", ids, 1051, LEASE) == (set(ids), set())


def test_who_waited_for_the_file_takes_no_claim_of_another(open_league: OpenLeague) -> None:
    store, ids = open_league(agents=TRIO)._store, [f"{k:032x}" for k in range(2)]
    store.claim("quick", ids[:1], 1005, LEASE)
    assert store.claim("waited", ids, 1000, LEASE) == (set(ids[1:]), set(ids[:1]))


def test_a_claim_of_a_wrong_clock_is_none(open_league: OpenLeague) -> None:
    store, ids = open_league(agents=TRIO)._store, [f"{k:032x}" for k in range(5)]
    store.claim("tomorrow", ids[:1], 1000 + 86400, LEASE)
    with store.transaction():
        for match, until in zip(ids[1:], (1e300, "soon", b"\0", -1e300), strict=True):
            store._db.execute("INSERT INTO claim VALUES (?, 'forged', ?)", (match, until))
    assert store.claim("a", ids, 1000, LEASE) == (set(ids), set())


def test_results_of_two_that_played_the_same_are_one(open_league: OpenLeague) -> None:
    """The first run was stopped for longer than its claims last, and then goes on."""
    league, elsewhere = open_league("a", agents=TRIO), open_league("b", agents=TRIO)
    elsewhere.run(1)
    results, store = elsewhere.results(), league._store
    ids = [result.id for result in results]
    store.claim("slow", ids, 1000, LEASE)
    assert store.claim("fast", ids, 2000, LEASE) == (set(ids), set())
    assert [result.id for result in store.add_results(results[:4])] == ids[:4]
    store.renew("slow", 2001, LEASE)  # it wakes up
    assert store.claim("slow", ids, 2001, LEASE) == (set(), set(ids[4:]))
    assert store.add_results(results[:5]) == results[4:5]
    store.release("slow")
    assert claimed(league) == ids[5:] and len(league.results()) == 5
    league.table(bootstrap=5)


def test_claims_of_a_run_that_ended_are_taken_over(
    open_league: OpenLeague, play_counts: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """First all else is played."""
    monkeypatch.setattr("wilddeck.league.claims.LEASE_SECONDS", 0.3)
    league = open_league(agents=TRIO)
    dead = ids(league, 2)[:5]
    league._store.claim("dead", dead, time.time(), 0.3)
    assert league.run(2).played == 12
    assert set(play_counts.values()) == {1} and set(list(play_counts)[-5:]) == set(dead) and claimed(league) == []


def test_what_another_run_finishes_is_not_waited_for_any_longer(
    open_league: OpenLeague, play_counts: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    league, elsewhere = open_league("a", agents=TRIO), open_league("b", agents=TRIO)
    elsewhere.run(2)
    play_counts.clear()
    results = elsewhere.results()[:5]
    league._store.claim("other", [result.id for result in results], time.time(), LEASE)
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda seconds: league._store.add_results(results))
    monkeypatch.setattr("wilddeck.league.league.time", clock)
    run = league.run(2)
    assert (run.played, run.skipped, len(play_counts)) == (7, 5, 7)


def test_ctrl_c_while_another_run_plays(open_league: OpenLeague, monkeypatch: pytest.MonkeyPatch) -> None:
    league = open_league(agents=TRIO)
    league._store.claim("other", ids(league, 2)[:5], time.time(), LEASE)
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda seconds: signal.raise_signal(signal.SIGINT))
    monkeypatch.setattr("wilddeck.league.league.time", clock)
    with pytest.raises(LeagueInterrupted, match="stopped after 7 of 12 matches"):
        league.run(2)
    assert len(claimed(league)) == 5  # the other's


def test_claims_are_renewed_while_a_match_is_played(open_league: OpenLeague, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wilddeck.league.claims.LEASE_SECONDS", 0.3)
    renewed, renew, play = threading.Event(), Store.renew, Referee.play
    league = open_league(agents=TRIO)

    def noted(self: Store, *arguments: Any) -> None:
        renew(self, *arguments)
        renewed.set()

    def waited(self: Referee, *arguments: Any) -> MatchResult:
        assert renewed.wait(60)
        return play(self, *arguments)

    monkeypatch.setattr(Store, "renew", noted)
    monkeypatch.setattr(Referee, "play", waited)
    assert league.run(1).played == 6


def test_a_run_that_fails_gives_up_its_claims(open_league: OpenLeague, monkeypatch: pytest.MonkeyPatch) -> None:
    league = open_league(agents=TRIO)

    def fail(*_: object) -> None:
        assert claimed(league)
        raise OSError("no more")

    monkeypatch.setattr(Referee, "play", fail)
    with pytest.raises(OSError, match="no more"):
        league.run(1)
    assert claimed(league) == []


def test_forfeits_of_other_runs_disqualify(open_league: OpenLeague) -> None:
    """What is claimed and not played, for who failed too often elsewhere, keeps nobody waiting."""
    league = open_league(agents={"random": "random", "bad": "crash@0", "good": "plain"}, disqualify_after=3)
    with contextlib.closing(League(league.path, make=league_agents.make)) as other:
        assert other.run(1).played < 6
    run = league.run(6)
    assert run.disqualified == ("bad",) and claimed(league) == []
    assert {row.agent: row.games for row in league.table(bootstrap=5).rows}["bad"] == 3


def test_claims_need_a_file_that_can_be_written(open_league: OpenLeague) -> None:
    league = open_league(agents=TRIO)
    other = sqlite3.connect(league.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    league._store._db.execute("PRAGMA busy_timeout = 10")
    with contextlib.closing(other), pytest.raises(StoreError, match="another process is writing to it"):
        league.run(1)
