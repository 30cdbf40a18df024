"""Leagues in the browser: what the page shows is what the league says, also while it grows."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Server
from support import WITHIN
from wilddeck.envs.core.escape import json_text
from wilddeck.league import League, LeagueError
from wilddeck.web.leagues import Leagues
from wilddeck.web.limits import Refused

NAME = "<img src=x>"  # of an agent


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("leagues") / "two.sqlite"
    with League(path, "tennis_v0", {"num_players": 2, "max_tricks": 60}) as league:
        league.add("random", "random")
        league.add(NAME, "rules")
        league.add("broken", "cmd:false")
        league.run(deals=2)
    return path


@pytest.fixture(scope="module")
def server(path: Path) -> Iterator[Server]:
    running = Server(leagues=[path])
    yield running
    running.stop()


def test_the_table_is_the_leagues(server: Server, path: Path) -> None:
    answer = server.ask("/api/league", {"number": 0})[1]
    with League(path) as league:
        table, matrix = league.table(), league.matrix()
    assert [(row["agent"], row["games"], row["forfeits"]) for row in answer["rows"]] == [
        (row.agent, row.games, row.forfeits) for row in table.rows
    ]
    assert answer["rows"][0]["low"] == table.rows[0].low
    assert answer["matrix"]["points"] == matrix.points.tolist()
    assert answer["errors"] and all(error["agent"] == "broken" for error in answer["errors"])
    assert server.ask("/api/league", {"number": 0, "stamp": answer["stamp"]})[1] == {"stamp": answer["stamp"]}
    assert server.ask("/api/leagues")[1][0]["rows"] == answer["rows"]


def test_of_a_game_about_money_both_units_are_told(tmp_path: Path) -> None:
    path = tmp_path / "poker.sqlite"
    with League(path, "poker_v0") as league:
        empty = Leagues([path]).league(0)
        league.add("random", "random")
    answer = Leagues([path]).league(0)
    assert (empty["unit"], answer["unit"], answer["second_unit"]) == ("chips", "chips", "mbb/hand")
    assert answer["rows"][0]["second_score"] is None


def test_matches_with_filters(server: Server, path: Path) -> None:
    with League(path) as league:
        results = league.results()
    everything = server.ask("/api/matches", {"number": 0})[1]
    assert {match["id"] for match in everything["matches"]} == {result.id for result in results}
    fine = server.ask("/api/matches", {"number": 0, "agent": "random", "status": "error"})[1]
    assert all({"random", "broken"} == {seat["agent"] for seat in match["seats"]} for match in fine["matches"])
    assert server.ask("/api/matches", {"number": 0, "begin": 1})[1]["matches"] == everything["matches"][1:]
    opened = server.ask("/api/replays", {"league": 0, "match": results[0].id})[1]["replay"]
    about = server.ask("/api/frame", {"replay": opened})[1]
    assert [seat["name"] for seat in about["seats"]] == [seat.agent for seat in results[0].seats]
    assert len(about["moves"]) == len(results[0].actions)
    assert server.ask("/api/frame", {"replay": opened, "n": len(about["moves"]), "viewer": 1})[1]["toMove"] == -1


def test_downloads_keep_the_secret_of_the_deals(server: Server, path: Path) -> None:
    with League(path) as league:
        seed, csv = str(league.settings.seed), league.export("csv")
    texts = {}
    for name in ("json", "csv", "markdown"):
        with urllib.request.urlopen(f"{server.url}/api/export/0/{name}", timeout=WITHIN) as answer:
            texts[name] = answer.read().decode()
            assert "attachment" in answer.headers["content-disposition"]
    assert texts["csv"] == csv
    assert len(json.loads(texts["json"])["matches"]) == 12
    assert not any(seed in text for text in [*texts.values(), json.dumps(server.ask("/api/league", {"number": 0})[1])])


def test_how_matches_went_is_kept_until_all_have_played_their_cards(tmp_path: Path) -> None:
    """In a league of duplicates, where cards come again in other rotations and groups; in others they do not."""
    path, options = tmp_path / "cards.sqlite", {"num_players": 2, "max_tricks": 60}

    def exported(path: Path) -> tuple[dict[str, Any], str, list[bool]]:
        leagues = Leagues([path])
        rows = leagues.matches(0)["matches"]
        return json.loads(leagues.export(0, "json")), leagues.export(0, "csv"), [row["shown"] for row in rows]

    with League(path, "tennis_v0", options, duplicate=True) as league:
        for name, spec in (("random", "random"), ("rules", "rules"), ("broken", "cmd:sh -c 'echo $((40 + 2))went >&2'")):
            league.add(name, spec)
        league.run(deals=2)
        assert not league.open_matches()
        league.add("late", "random")
        assert len(league.open_matches()) == 12
        league_json, csv, seen = exported(path)
        assert not any({"deal_seed", "actions", "digest"} & set(match) for match in league_json["matches"])
        everything = json_text([league_json, csv, Leagues([path]).league(0), Leagues([path]).matches(0)])
        assert "42went" not in everything and "42went" in league.export("json")
        seeds = {str(result.deal_seed) for result in league.results()}
        assert len(seeds) == 2 and not any(seed in everything for seed in seeds)
        assert seen == [False] * 12
        for match in league_json["matches"]:
            with pytest.raises(Refused, match="once all agents have played its cards"):
                Leagues([path]).episode(0, match["id"])

        league.run(deals=1)  # and of one deal all is told
        league_json, csv, seen = exported(path)
        assert {match["deal"] for match in league_json["matches"] if "deal_seed" in match} == {0}
        assert seen == [False] * 6 + [True] * 12
        assert "42went" in csv
        assert Leagues([path]).episode(0, league_json["matches"][0]["id"]).moves

    other = tmp_path / "own_cards.sqlite"
    with League(other, "tennis_v0", options) as league:
        for name in ("one", "two", "three"):
            league.add(name, "random")
        league.run(deals=1, gauntlet="one")
    assert all("deal_seed" in match for match in json.loads(Leagues([other]).export(0, "json"))["matches"])


def test_the_cards_of_a_disqualified_agent_are_awaited_by_nobody(tmp_path: Path) -> None:
    with League(
        tmp_path / "out", "tennis_v0", {"num_players": 2, "max_tricks": 60}, duplicate=True, disqualify_after=1
    ) as league:
        for name, spec in (("one", "random"), ("two", "random"), ("broken", "cmd:false")):
            league.add(name, spec)
        league.run(deals=1)
        assert len(league.results()) < 6
        assert not league.open_matches()


@pytest.mark.parametrize(
    ("where", "body"),
    [
        ("/api/league", {"number": 1}),
        ("/api/league", {"number": -1}),
        ("/api/league", {"number": "0"}),
        ("/api/league", {"number": True}),
        ("/api/matches", {"number": 0, "begin": -1}),
        ("/api/replays", {"league": 0, "match": "none"}),
        ("/api/replays", {"league": 0}),
        ("/api/replays", {"league": "/etc/passwd", "match": "0"}),
        ("/api/frame", {"replay": "x"}),
        ("/api/frame", {"replay": ["x"], "n": 0}),
        ("/api/marks", {}),
        ("/api/replay-advice", {"replay": "x", "n": "0"}),
        ("/api/export/7/json", None),
        ("/api/export/0/zip", None),
    ],
)
def test_what_is_not_there_is_told(where: str, body: Any, server: Server) -> None:
    status, answer = server.ask(where, body)
    assert status in (400, 404)
    assert answer["error"]


def test_a_replay_is_opened_at_any_move_through_any_seat(server: Server, path: Path) -> None:
    with League(path) as league:
        match = league.results()[0].id
        episode = league.replay(match)
    opened = server.ask("/api/replays", {"league": 0, "match": match})[1]["replay"]
    env = episode.env()
    for number, move in enumerate(episode.moves):
        if number in (0, 1, 30, len(episode.moves) - 1):
            for viewer in (None, 0, 1):
                frame = server.ask("/api/frame", {"replay": opened, "n": number, "viewer": viewer})[1]
                zones = env.zones(None if viewer is None else f"player_{viewer}")
                hands = [next(zone["cards"] for zone in seat if zone["name"] == "hand") for seat in frame["seats"]]
                assert [sorted(hand) for hand in hands] == [sorted(zones[f"hand/{seat}"]) for seat in range(2)]
        env.step(move.action)
    assert server.ask("/api/frame", {"replay": opened, "n": len(episode.moves) + 1})[0] == 400
    assert server.ask("/api/frame", {"replay": opened, "n": 0, "viewer": 2})[0] == 400
    assert isinstance(server.ask("/api/marks", {"replay": opened})[1], list)
    assert server.ask("/api/replay-advice", {"replay": opened, "n": 0})[1][0]["actions"]


def test_a_file_that_is_no_league_is_refused_at_once(tmp_path: Path) -> None:
    for name, content in (("none", None), ("text", b"hello" * 100)):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(LeagueError):
            Leagues([tmp_path / name])
