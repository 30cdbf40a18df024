"""Leagues of games whose seats form teams, and of games about money."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import league_agents
import numpy as np
import pytest
import toy_game as toy
from support import know, short
from wilddeck import cli, envs
from wilddeck.agents.base import Agent
from wilddeck.league import League, LeagueError, ReplayError, StoreError
from wilddeck.league.match import Entry, Settings, outcome, partners
from wilddeck.league.schedule import count, schedule

WORST = -200.0
Open = Callable[..., League]


def make(spec: str, game: Any, options: Any, *, trust: bool = False) -> Agent:
    own: dict[str, Callable[[], Agent]] = {"first": toy.FirstLegal, "last": lambda: toy.last_agent(options.num_players)}
    return own[spec]() if spec in own else league_agents.make(spec, game, options, trust=trust)


@pytest.fixture
def open_toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Makes leagues of a toy game, which is registered for the test."""
    opened: list[League] = []

    def open_league(game: Any, num_players: int, agents: dict[str, str] | None = None, **arguments: Any) -> League:
        know(monkeypatch, game)
        path, options = tmp_path / f"{len(opened)}.league", {"num_players": num_players}
        league = League(path, "toy_v0", options, **{"make": make, "move_seconds": 20.0, "seed": 0, **arguments})
        opened.append(league)
        for name, spec in (agents or {}).items():
            league.add(name, spec)
        return league

    yield open_league
    for league in opened:
        league.close()


TRIO = {"random": "random", "first": "first", "last": "last"}

# --- teams ---


def test_an_agent_holds_a_team_and_every_teams_cards(open_toy: Open) -> None:
    league = open_toy(toy.TEAMS, 6, TRIO)
    assert (league.teams, league.places) == (((0, 2, 4), (1, 3, 5)), "teams")
    matches = list(schedule(league.settings, league.agents, league.team_of, deals=4))
    assert len(matches) == len({match.id for match in matches}) == count(league.agents, 2, 4) == 3 * 2 * 4
    held = Counter()
    for match in matches:
        names = [entry.name for entry in match.seats]
        assert names[0] == names[2] == names[4] != names[1] == names[3] == names[5]
        held.update((match.deal, frozenset(names), team, names[team]) for team in (0, 1))
    assert set(held.values()) == {1} and len(held) == 4 * 3 * 2 * 2
    assert league.run(4).played == 24


def test_partners_share_nothing(open_toy: Open) -> None:
    """Each seat has an agent of its own, which stays from match to match and is asked for no other seat of a match."""
    made: list[Plain] = []

    class Plain(league_agents.Plain):
        def __init__(self) -> None:
            self.begun: list[int] = []
            self.asked: set[int] = set()
            made.append(self)

        def begin(self, game: Any, options: Any, seat: int, seed: int) -> None:
            self.begun.append(seat)
            self.asked = {seat}

        def act(self, view: Any, rng: np.random.Generator) -> int:
            assert self.asked == {view.seat}
            return super().act(view, rng)

    league = open_toy(toy.TEAMS, 4, {"random": "random"}, make=lambda *a, **k: make(*a, **k))
    league.add("plain", "plain")
    league._make = lambda spec, *a, **k: Plain() if spec == "plain" else make(spec, *a, **k)
    run = league.run(3)
    assert (run.played, run.forfeits) == (6, 0)
    assert len(made) == 2
    for agent, seats in zip(made, ({0, 1}, {2, 3}), strict=True):
        matches = agent.begun[1:]  # the first is the practice
        assert len(matches) == 6 and set(matches) == seats


def test_a_team_counts_once_a_match(open_toy: Open) -> None:
    league = open_toy(toy.TEAMS, 4, TRIO)
    league.run(6)
    table, matrix = league.table(bootstrap=20), league.matrix()
    scores: dict[str, list[float]] = {}
    wins: Counter[str] = Counter()
    points = np.zeros((3, 3))
    names = [entry.name for entry in league.agents]
    for result in league.results():
        assert [seat.rank for seat in result.seats[:2]] == [seat.rank for seat in result.seats[2:]]
        pairs = zip(result.seats[:2], result.seats[2:], strict=True)
        got = [(seat.agent, (seat.returned + mate.returned) / 2) for seat, mate in pairs]
        for (agent, score), (other, theirs) in (got, got[::-1]):
            scores.setdefault(agent, []).append(score)
            share = (1 + np.sign(score - theirs)) / 2
            wins[agent] += share
            points[names.index(agent), names.index(other)] += share
    assert (table.matches, table.deals, table.unit) == (36, 6, "")
    for row in table.rows:
        assert row.games == 24 and row.wins == wins[row.agent]
        assert row.score == pytest.approx(np.mean(scores[row.agent]))
    assert np.array_equal(matrix.points, points) and np.array_equal(matrix.games, 12 - 12 * np.eye(3, dtype=int))
    rated = [row.rating for row in table.rows]
    assert rated == sorted(rated, key=lambda value: -(value or 0))


def test_who_forfeits_loses_for_its_team(open_toy: Open) -> None:
    """Its mate's return goes with it, though the mate plays on; the match counts as one forfeit, and can be replayed."""
    league = open_toy(toy.TEAMS, 4, {"random": "random", "half": "plain + bad@begin", "both": "bad@begin"})
    run = league.run(2)
    assert (run.played, run.forfeits) == (12, 8 * 1 + 8 * 2)
    mates_moves = 0
    for result in league.results():
        replay = league.replay(result.id)
        for seat, mate in zip(result.seats, result.seats[2:] + result.seats[:2], strict=True):
            if seat.agent == "random":
                assert seat.status == "ok" and seat.rank == 0 and seat.returned > WORST
            else:
                assert seat.returned == WORST and seat.rank == mate.rank
        for move in replay.moves:
            own = result.seats[move.seat]
            assert move.stand_in == (own.status != "ok") and move.agent == own.agent
            mates_moves += own.agent == "half" and own.status == "ok"
        if "random" not in [seat.agent for seat in result.seats]:
            assert [seat.rank for seat in result.seats] == [0] * 4
    assert mates_moves > 0
    rows = {row.agent: row for row in league.table(bootstrap=5).rows}
    assert rows["half"].forfeits == rows["both"].forfeits == {"crash": 8} and rows["random"].wins == 8
    assert rows["half"].wins == rows["both"].wins == 0


def test_forfeits_that_disqualify_are_counted_by_the_match(open_toy: Open) -> None:
    league = open_toy(toy.TEAMS, 4, {"random": "random", "both": "bad@begin"}, disqualify_after=3)
    assert league.run(1).disqualified == ()
    assert league.run(5).disqualified == ("both",)
    assert len(league.results()) == 3


def test_outcomes() -> None:
    def of(game: Any, returns: list[float], *out: int) -> tuple[list[float], list[int]]:
        return outcome(game, game.make_options({"num_players": 4}), returns, [seat in out for seat in range(4)])

    assert of(toy.TEAMS, [3.0, 2.0, -1.0, 1.0]) == ([3.0, 2.0, -1.0, 1.0], [1, 0, 1, 0])
    assert of(toy.TEAMS, [2.0, 2.0, 1.0, 1.0])[1] == [0, 0, 0, 0]
    assert of(toy.TEAMS, [9.0, 1.0, 9.0, 1.0], 2) == ([WORST, 1.0, WORST, 1.0], [1, 0, 1, 0])
    # The least that a game can give is a sum of rewards: in a match every round pays.
    escape = envs.game("wild_escape_v0")
    match = escape.make_options({"episode": "match", "max_rounds": 6})
    assert outcome(escape, match, [7.0, -7.0] * 3, [True] + [False] * 5) == ([-9.0, -7.0] * 3, [1, 0] * 3)
    # Who forfeits at a game about money keeps the losses and wins nothing.
    assert of(toy.MONEY, [9.0, 1.0, -3.0, -7.0], 0, 2) == ([0.0, 1.0, -3.0, -7.0], [2, 0, 2, 1])


def test_mixed_partnerships(open_toy: Open) -> None:
    made: Counter[str] = Counter()

    def counting(spec: str, *arguments: Any, **keywords: Any) -> Agent:
        made[spec] += 1
        return make(spec, *arguments, **keywords)

    league = open_toy(toy.TEAMS, 6, {"random": "random"}, make=counting)
    entry = league.add("mixed", "first + last + first")
    assert entry.kind == "mixed" and entry.specs(3) == ["first", "last", "first"] and entry.sha256 == ""
    made.clear()
    assert league.run(3).forfeits == 0
    assert made == {"first": 2, "last": 1, "random": 3}
    for result in league.results():
        state = league.replay(result.id).env()
        for action in result.actions.tolist():
            seat, legal = state.current_player, state.legal_actions()
            if result.seats[seat].agent == "mixed":
                assert action == (legal[-1] if seat in (2, 3) else legal[0])
            state.step(action)
    with pytest.raises(ValueError, match=r"'first \+ last' names 2 partners, but in this game a team has 3 seats"):
        league.add("two", "first + last")
    with pytest.raises(ValueError, match="every seat plays for itself"):
        open_toy(toy.GAME, 3).add("two", "first + last")
    assert partners("cmd:bot --sum a + b") == ["cmd:bot --sum a + b"]
    assert Entry("x", "rules").specs(2) == ["rules", "rules"]


def test_weights_of_any_partner_are_watched(open_toy: Open, tmp_path: Path) -> None:
    one, other = tmp_path / "one.npz", tmp_path / "other.npz"
    one.write_bytes(b"1")
    other.write_bytes(b"2")
    league = open_toy(toy.TEAMS, 4, {"random": "random"}, make=lambda *_, **__: league_agents.Plain())
    before = league.add("mixed", f"{one} + {other}").sha256
    assert len(before) == 64
    other.write_bytes(b"3")
    with pytest.raises(LeagueError, match="agent 'mixed': its file has changed"):
        league.run(1)


def test_too_few_for_the_teams(open_toy: Open) -> None:
    with pytest.raises(LeagueError, match="a match needs 2 agents, one per team, but the league has 1; add 1 more"):
        open_toy(toy.TEAMS, 6, {"random": "random"}).run(1)


@pytest.mark.parametrize(("change", "message"), [("rank = 1 - rank", None), ("agent = 3 - agent", "different agents")])
def test_an_edited_file_of_a_team_game(open_toy: Open, change: str, message: str | None) -> None:
    league = open_toy(toy.TEAMS, 4, {"random": "random", "first": "first"})
    league.run(1)
    match = league.results()[0].id
    league.close()
    with sqlite3.connect(league.path) as db:
        db.execute(f"UPDATE seat SET {change} WHERE match = '{match}' AND seat = 2")
    db.close()
    with League(league.path, make=make) as opened:
        with pytest.raises(ReplayError, match=r"its returns differ|its id does not match"):
            opened.replay(match)
        if message:
            with pytest.raises(StoreError, match=message):
                opened.table()


def test_exports_name_the_teams(open_toy: Open) -> None:
    league = open_toy(toy.TEAMS, 4, TRIO)
    league.run(1)
    assert json.loads(league.export("json"))["teams"] == [[0, 2], [1, 3]]
    rows = list(csv.DictReader(io.StringIO(league.export("csv"))))
    assert [row["team"] for row in rows[:4]] == ["0", "1", "0", "1"]


def test_matches_are_what_they_were() -> None:
    """Their ids and deals stand in files: with other ones, leagues on people's disks could not go on."""
    settings = Settings("toy_v0", {"num_players": 3}, "0123456789abcdef", seed=0, duplicate=True)
    entries = [Entry("random", "random"), Entry("weights", "w.npz", "0" * 64), Entry("last", "last")]
    matches = list(schedule(settings, entries, range(3), 1))
    assert [match.id for match in matches] == [
        "50ae47cb46f36de6778dc2a101e76775",
        "b33293464152806fb285fc65ddc99482",
        "73469c98d2c8721fcae421aa2d80a32e",
    ]
    assert {match.deal_seed % 2**64 for match in matches} == {0xAA37375D2E5F6895}


# --- money ---


def test_a_game_about_money_is_ranked_by_chips(open_toy: Open) -> None:
    league = open_toy(toy.MONEY, 3, {**TRIO, "plain": "plain"})
    league.run(12)
    table, matrix = league.table(bootstrap=20), league.matrix()
    assert table.unit == matrix.unit == "chips"
    won: dict[str, dict[int, list[float]]] = {}
    together: dict[tuple[str, str], list[float]] = {}
    for result in league.results():
        for seat in result.seats:
            won.setdefault(seat.agent, {}).setdefault(result.deal, []).append(10 * seat.returned)
            for other in result.seats:
                together.setdefault((seat.agent, other.agent), []).append(10 * seat.returned)
    for row in table.rows:
        by_deal = [np.mean(values) for values in won[row.agent].values()]  # equally many matches in each deal
        error = np.std(by_deal, ddof=1) / len(by_deal) ** 0.5
        assert row.score == pytest.approx(np.mean(by_deal)) and row.score_error == pytest.approx(error)
        assert row.score_interval == pytest.approx((row.score - 1.96 * error, row.score + 1.96 * error))
    scores = [row.score for row in table.rows]
    assert scores == sorted(scores, key=lambda score: -(score or 0)) and len(set(scores)) == 4
    for i, name in enumerate(matrix.agents):
        for j, other in enumerate(matrix.agents):
            expected = np.nan if i == j else np.mean(together[name, other])
            assert matrix.scores[i, j] == pytest.approx(expected, nan_ok=True)


def test_the_tables_of_a_game_about_money(open_toy: Open, capsys: pytest.CaptureFixture[str]) -> None:
    league = open_toy(toy.MONEY, 3, TRIO)
    league.run(4)
    best = league.table().rows[0]
    low, high = best.score_interval or (0.0, 0.0)
    text = league.export("markdown")
    assert "|  | agent | mean chips | 95 % | games | won | forfeits | note |" in text
    assert f"| 1 | {best.agent} | {best.score:+.2f} | {low:+.2f} … {high:+.2f} | 12 |" in text
    assert "mean chips in these" in text and "Mean chips per match, with 95 % intervals over deals" in text
    exported = json.loads(league.export("json"))
    assert exported["table"]["unit"] == "chips" and exported["head_to_head"]["scores"][0][0] is None
    assert cli.main(["league", "table", str(league.path)]) == 0
    printed = capsys.readouterr().out
    assert "mean chips" in printed and f"{best.score:+.2f}" in printed and "= 0" not in printed
    assert cli.main(["league", "matrix", str(league.path)]) == 0
    assert "matches, mean chips" in capsys.readouterr().out
    assert cli.main(["league", "matrix", str(league.path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"] == exported["head_to_head"]["scores"]


def test_chips_are_told_in_a_second_unit_too(open_toy: Open, capsys: pytest.CaptureFixture[str]) -> None:
    league = open_toy(toy.TOLD_TWICE, 3, TRIO)
    league.run(4)
    league.add("late", "plain")
    table = league.table(bootstrap=5)
    assert (table.unit, table.second_unit) == ("chips", "cents/card")
    best, last = table.rows[0], table.rows[-1]
    assert best.score and best.second_score == pytest.approx(best.score / 0.03) and last.second_score is None
    text = league.export("markdown")
    assert "| mean chips | 95 % | cents/card | games |" in text
    assert f" | {best.second_score:+.0f} | 12 |" in text and "| late |  |  |  | 0 |" in text
    assert f"<td>{best.second_score:+.0f}</td>" in league.export("html")
    exported = json.loads(league.export("json"))["table"]
    assert exported["second_unit"] == "cents/card" and exported["rows"][0]["second_score"] == best.second_score
    for row in csv.DictReader(io.StringIO(league.export("csv"))):
        assert float(row["chips"]) == pytest.approx(10 * float(row["return"]))
        assert float(row["cents/card"]) == pytest.approx(float(row["chips"]) / 0.03)
    assert cli.main(["league", "table", str(league.path)]) == 0
    assert re.search(r"mean chips +95 % +cents/card +games", capsys.readouterr().out)


def test_other_games_have_no_second_unit(open_toy: Open) -> None:
    for game, units in ((toy.GAME, ""), (toy.MONEY, ",chips")):
        league = open_toy(game, 3, TRIO)
        league.run(1)
        table = league.table(bootstrap=5)
        assert table.second_unit == "" and all(row.second_score is None for row in table.rows)
        assert league.export("csv").splitlines()[0].endswith(f",moves,seconds{units}")


def test_an_agent_without_games_has_no_chips(open_toy: Open) -> None:
    league = open_toy(toy.MONEY, 3, TRIO)
    league.run(1)
    league.add("late", "plain")
    last = league.table(bootstrap=5).rows[-1]
    assert (last.agent, last.score, last.score_interval) == ("late", None, None)
    assert all(row.score_interval is None for row in league.table(bootstrap=5).rows)  # one deal
    assert "| late |  |  | 0 |" in league.export("markdown")


# --- the games there are ---


def declare_more() -> list[str]:
    """Games that declare teams or chips."""
    games = map(envs.game, envs.game_ids())
    return [game.id for game in games if game.money is not None or len(game.teams(game.options())) < game.options().num_players]


@pytest.mark.parametrize("game_id", short(declare_more(), ["spades_v0", "skin_v0"]))
def test_a_league_of_every_game_with_teams_or_chips(game_id: str, tmp_path: Path) -> None:
    with League(tmp_path / "x.league", game_id) as league:
        for k in range(len(league.teams)):
            league.add(f"random {k}", "random")
        run = league.run(1, executor="process", workers=1)
        assert run.played == len(league.results()) == len(league.teams) and run.forfeits == 0
        for result in league.results():
            league.replay(result.id)
        assert league.table(bootstrap=5).unit == league.unit
