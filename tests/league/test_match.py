"""One match: the policy for agents that fail, and that everybody else's result stands."""

from __future__ import annotations

import itertools
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import league_agents
import numpy as np
import pytest
from wilddeck.envs import game as find_game
from wilddeck.league import FORFEITS, League, LeagueError, MatchResult
from wilddeck.league.match import Entry, Match, Referee, Settings, Stopped
from wilddeck.league.schedule import match_id

WORST = -1.0
GAME = find_game("tennis_v0")


def referee(num_players: int = 3, **limits: Any) -> Referee:
    options = {"num_players": num_players, "max_tricks": 50, "dealer": "random"}
    return Referee(
        Settings(GAME.id, options, GAME.rules_digest, **{"move_seconds": 20.0, "seed": 0, **limits}), league_agents.make
    )


def match(table: Referee, *specs: str, deal_seed: int = 1) -> Match:
    entries = tuple(Entry(f"{seat}:{spec}", spec) for seat, spec in enumerate(specs))
    return Match(match_id(table.settings, deal_seed, entries), deal_seed, deal_seed, 0, entries)


def outcome(result: MatchResult) -> tuple[Any, ...]:
    """All of a result but the times."""
    seats = [(seat.agent, seat.returned, seat.rank, seat.status, seat.message, seat.moves) for seat in result.seats]
    return result.id, seats, result.actions.tolist(), result.digest


KINDS = {
    "crash": "crash",
    "unprintable": "crash",
    "exit": "crash",
    "memory": "crash",
    "bot-crash": "crash",
    "bot-timeout": "timeout",
    "bot-rubbish": "error",
    "illegal": "illegal",
    "large": "illegal",
    "negative": "illegal",
    "text": "illegal",
    "nothing": "illegal",
    "half": "illegal",
    "wild-index": "crash",
}


@pytest.mark.parametrize(("misdeed", "status"), KINDS.items())
def test_a_failure_is_the_agents_own(misdeed: str, status: str) -> None:
    table = referee()
    result = table.play(match(table, "plain", f"{misdeed}@2", "plain"))
    good, bad, other = result.seats
    assert (bad.status, bad.returned, bad.rank) == (status, WORST, 2)
    assert 0 < len(bad.message) <= 300 and "\n" not in bad.message
    assert good.status == other.status == "ok" and good.message == other.message == ""
    assert {good.rank, other.rank} <= {0, 1}


def test_the_match_is_played_out_as_if_the_failed_agent_had_become_random() -> None:
    """The others' returns are those of the game as played, and the failed agent's moves up to the failure stand."""
    table = referee()
    specs = ("plain", "crash@2", "plain")
    result = table.play(match(table, *specs))
    env = table.env
    env.reset(seed=1)
    returns = np.zeros(3)
    for action in result.actions:
        env.step(int(action))
        returns += [env.rewards[agent] for agent in env.possible_agents]
    assert [result.seats[0].returned, result.seats[2].returned] == [returns[0], returns[2]]
    assert all(env.terminations.values()) or not env.agents


def test_ranks_follow_returns_and_ties() -> None:
    table = referee(num_players=3)
    seats = table.play(match(table, "rules", "random", "plain")).seats
    for a, b in itertools.permutations(seats, 2):
        assert (a.rank < b.rank) == (a.returned > b.returned)


def test_two_who_fail_share_the_last_place() -> None:
    table = referee()
    seats = table.play(match(table, "crash@1", "illegal@0", "plain")).seats
    assert [seat.rank for seat in seats] == [1, 1, 0]
    assert [seat.status for seat in seats] == ["crash", "illegal", "ok"]


def test_all_may_fail() -> None:
    table = referee()
    seats = table.play(match(table, "crash", "crash@1", "exit")).seats
    assert [seat.rank for seat in seats] == [0, 0, 0] and [seat.returned for seat in seats] == [WORST] * 3


def test_an_agent_that_fails_as_it_is_made_or_begins_forfeits() -> None:
    table = referee()
    seats = table.play(match(table, "bad@making", "bad@begin", "plain")).seats
    assert [seat.status for seat in seats] == ["error", "crash", "ok"]
    assert "cannot be made: RuntimeError: not born" in seats[0].message


def test_an_agent_that_does_not_exist_here_is_no_forfeit() -> None:
    table = referee()
    for spec, said in (("absent@ImportError", "No module"), ("absent@OSError", "No module"), ("nobody", "no agent 'nobody'")):
        with pytest.raises(LeagueError, match=f"agent '1:{spec}' cannot be made here: {said}"):
            table.play(match(table, "plain", spec, "plain"))
    assert table.play(match(table, "plain", "plain", "plain")).seats[1].status == "ok"


def test_a_match_that_is_not_wanted_any_more_stops_at_once() -> None:
    """While an agent hangs that has all the time of the world, and where it takes the interruption for a failure of its own."""
    for spec in ("hang@1", "swallow@1"):
        table = referee(move_seconds=1000.0)
        wanted_until = time.monotonic() + 0.5
        table.stop = lambda until=wanted_until: time.monotonic() > until
        with pytest.raises(Stopped):
            table.play(match(table, "plain", spec, "plain"))
        assert time.monotonic() < wanted_until + 30
    table = referee()
    assert table.play(match(table, "plain", "plain", "plain")).seats[0].status == "ok"


def test_failing_after_the_end_changes_nothing() -> None:
    table = referee()
    seats = table.play(match(table, "bad@end", "bad@close", "plain")).seats
    assert [seat.status for seat in seats] == ["ok"] * 3
    assert max(seat.returned for seat in seats) <= 1
    table.close()


def test_what_an_agent_writes_into_its_view_changes_nothing() -> None:
    table = referee()
    result = table.play(match(table, "plain", "vandal", "plain"))
    named = [Entry(f"{seat}:{spec}", spec) for seat, spec in enumerate(("plain", "vandal", "plain"))]
    clean = Match(result.id, 1, 1, 0, tuple(Entry(entry.name, "plain") for entry in named))
    assert outcome(referee().play(clean)) == outcome(result)


def test_an_agent_is_made_anew_after_a_failure_only() -> None:
    made: list[str] = []

    def make(spec: str, *arguments: Any, **keywords: Any) -> Any:
        made.append(spec)
        return league_agents.make(spec, *arguments, **keywords)

    table = referee()
    table.make = make
    for seed in range(3):
        table.play(match(table, "plain", "crash@1", "random", deal_seed=seed))
    assert sorted(made) == ["crash@1"] * 3 + ["plain", "random"]


def test_a_match_is_the_same_in_any_order_and_process_of_matches() -> None:
    tables = [referee(), referee()]
    matches = [match(tables[0], "plain", "crash@3", "random", deal_seed=seed) for seed in range(4)]
    forth = [outcome(tables[0].play(item)) for item in matches]
    back = [outcome(tables[1].play(item)) for item in reversed(matches)]
    assert forth == back[::-1]
    assert len({tuple(item[2]) for item in forth}) == 4


def test_a_ctrl_c_of_a_person_goes_through_and_an_agents_does_not() -> None:
    table = referee()
    with pytest.raises(KeyboardInterrupt):
        table.play(match(table, "plain", "interrupt@1", "plain"))
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        seats = table.play(match(table, "plain", "interrupt@1", "plain")).seats
    finally:
        signal.signal(signal.SIGINT, before)
    assert seats[1].status == "crash"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers to interrupt agents with")
def test_an_agent_that_hangs_is_interrupted() -> None:
    table = referee(move_seconds=1.0)
    seats = table.play(match(table, "plain", "hang@1", "plain")).seats
    assert seats[1].status == "timeout" and "no answer within 1 s" in seats[1].message
    assert seats[1].seconds >= 1.0


def test_the_connection_to_a_bot_gets_the_leagues_time_limits() -> None:
    class Connection(league_agents.Plain):
        """Starts slowly, as a program does that imports much."""

        move_seconds = start_seconds = 1.0

        def begin(self, *arguments: Any) -> None:
            time.sleep(2.5)

    table, bot = referee(move_seconds=2.0, start_seconds=40.0), Connection()
    table.make = lambda spec, *_, **__: bot if spec == "bot" else league_agents.Plain()
    seats = table.play(match(table, "bot", "plain", "plain")).seats
    assert (bot.move_seconds, bot.start_seconds) == (2.0, 40.0)
    assert seats[0].status == "ok" and seats[0].seconds < 2.0


def test_the_time_that_the_compiler_takes_is_not_the_agents() -> None:
    table = referee(move_seconds=2.0)
    seats = table.play(match(table, "plain", "compile@1", "plain")).seats
    assert seats[1].status == "ok" and seats[1].seconds < 2.0


def test_time_that_could_not_be_interrupted_is_looked_at_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    table = referee(move_seconds=0.5)
    monkeypatch.setattr("wilddeck.league.match.Clock.limit", _no_limit)
    monkeypatch.setitem(league_agents.MISDEEDS, "hang", lambda view: time.sleep(0.6) or int(view.legal_actions[0]))
    seats = table.play(match(table, "plain", "hang@1", "plain")).seats
    assert seats[1].status == "timeout" and "answered after" in seats[1].message


def test_the_practice_that_may_compile_is_a_decision_after_moves_of_all_others() -> None:
    table, seen = referee(), []

    class Replaying(league_agents.Plain):
        def act(self, view: Any, rng: Any) -> int:
            seen.append({event.player for event in view.history() if event.kind == "play"})
            return super().act(view, rng)

    table.make = lambda spec, *_, **__: Replaying() if spec == "replaying" else league_agents.Plain()
    table.play(match(table, "replaying", "plain", "plain"))
    assert seen[0] >= {0, 1, 2}


def _no_limit(self: Any, seconds: float) -> Any:
    import contextlib

    return contextlib.nullcontext()


def test_the_time_for_a_match_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """No single decision is too long, all together are."""
    table = referee(game_seconds=0.5)
    slow = lambda view: time.sleep(0.2) or int(view.legal_actions[0])  # noqa: E731
    monkeypatch.setitem(league_agents.MISDEEDS, "hang", slow)
    seats = table.play(match(table, "plain", "hang", "plain")).seats
    assert seats[1].status == "timeout"


def test_the_alarm_of_others_is_kept() -> None:
    """pytest-timeout, for one, uses the same timer."""
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    timer = signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        table = referee()
        table.play(match(table, "plain", "crash@1", "plain"))
        assert 900 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000
        assert signal.getsignal(signal.SIGALRM) is not before
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, before)
    assert not rung


def test_forfeits_of_a_league_are_counted_by_kind(open_league: Callable[..., League], tmp_path: Path) -> None:
    agents = {"random": "random", "bad": "crash@1", "worse": "illegal", "good": "plain"}
    league = open_league(num_players=4, agents=agents)
    run = league.run(2)
    assert (run.played, run.forfeits) == (8, 16)
    rows = {row.agent: row for row in league.table(bootstrap=20).rows}
    assert rows["bad"].forfeits == {"crash": 8} and rows["worse"].forfeits == {"illegal": 8}
    assert rows["good"].forfeits == rows["random"].forfeits == {}
    errors = league.errors()
    assert len(errors) == 16 and {failure.status for failure in errors} <= set(FORFEITS)
    assert any("ZeroDivisionError: a bug" in failure.message for failure in errors)


def test_disqualified_agents_get_no_more_matches(open_league: Callable[..., League]) -> None:
    league = open_league(agents={"random": "random", "bad": "crash@1", "good": "plain"}, disqualify_after=3)
    run = league.run(6)
    assert run.disqualified == ("bad",)
    rows = {row.agent: row for row in league.table(bootstrap=20).rows}
    assert rows["bad"].games == 3 and rows["bad"].disqualified and "disqualified" in rows["bad"].note
    assert rows["good"].games + rows["random"].games == 2 * 12 + 3
    assert league.run(6).played == 0


BOT = """
import json, sys
decision = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({{"name": "bot"}}), flush=True)
    elif message["type"] == "newgame":
        decision = 0
    elif message["type"] == "act":
        decision += 1
        if decision > 2:
            {misdeed}
        assert message["deadline_ms"] == 20000
        print(json.dumps({{"action": message["legal"][0]}}), flush=True)
"""


@pytest.mark.parametrize(
    ("misdeed", "status", "message"),
    [
        ("pass", "ok", ""),
        ("sys.exit(4)", "crash", "ended with exit status 4"),
        ("print('six', flush=True); continue", "error", "which is not a JSON object"),
        ('message["legal"] = [-5]', "illegal", "answered action -5, which is not legal"),
    ],
)
def test_bots_in_processes(tmp_path: Path, misdeed: str, status: str, message: str) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(BOT.format(misdeed=misdeed))
    table = referee()
    try:
        seats = table.play(match(table, "plain", f"cmd:{sys.executable} {bot}", "mc:rollouts=2")).seats
    finally:
        table.close()
    assert [seat.status for seat in seats] == ["ok", status, "ok"]
    assert message in seats[1].message
