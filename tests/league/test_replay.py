"""Replays: what was recorded is what the rules still give, and whatever was changed since is found."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from wilddeck.envs import game as find_game
from wilddeck.league import League, LeagueError, ReplayError

OpenLeague = Callable[..., League]


@pytest.fixture
def league(open_league: OpenLeague) -> League:
    opened = open_league(num_players=3, agents={"random": "random", "rules": "rules", "bad": "crash@2"})
    opened.run(1)
    return opened


def test_every_match_can_be_replayed(league: League) -> None:
    for result in league.results():
        replay = league.replay(result.id[:8])
        assert replay.result.id == result.id
        assert [move.action for move in replay.moves] == result.actions.tolist()
        env, returns, own = replay.env(), np.zeros(3), [0, 0, 0]
        for move in replay.moves:
            assert (move.seat, move.label) == (env.current_player, env.action_label(move.action))
            assert move.agent == result.seats[move.seat].agent
            assert move.stand_in == (move.agent == "bad" and own[move.seat] >= 2)  # crash@2 plays two moves itself
            own[move.seat] += 1
            env.step(move.action)
            returns += [env.rewards[name] for name in env.possible_agents]
        assert not env.legal_actions()
        for seat, value in zip(result.seats, returns, strict=True):
            assert seat.returned == (value if seat.status == "ok" else -1)


def test_a_match_that_does_not_exist(league: League) -> None:
    with pytest.raises(LeagueError, match="no match has an id beginning with 'xyz'"):
        league.replay("xyz")
    with pytest.raises(LeagueError, match="more than one match has an id beginning with ''"):
        league.replay("")


def flipped(actions: bytes) -> bytes:
    return actions[:8] + bytes([(actions[8] + 1) % 12]) + actions[9:]


TAMPERED: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "an action": (
        "match.actions",
        flipped,
        "is not legal|returns differ|final state differs|the game ends before|does not end",
    ),
    "no such action": ("match.actions", lambda actions: b"\xff\xff\0\0" + actions[4:], r"action 1 \(65535\) is not legal"),
    "a missing action": ("match.actions", lambda actions: actions[:-4], "the game does not end with the last action"),
    "an action too many": ("match.actions", lambda actions: actions + b"\0\0\0\0", "the game ends before action"),
    "the deal": (
        "match.deal_seed",
        lambda seed: f"{int(seed, 16) ^ 1:032x}",
        "its id does not match its deal, agents and settings",
    ),
    "the number of the deal": ("match.deal", lambda deal: deal + 1, "its id does not match its deal"),
    "the digest": ("match.digest", lambda digest: "0" * 16, "its final state differs"),
    "a return": ("seat.returned", lambda returned: returned + 0.5, "its returns differ"),
    "a rank": ("seat.rank", lambda rank: (rank + 1) % 3, "its returns differ"),
    "an agent": ("agent.spec", lambda spec: "mc", "its id does not match its deal, agents and settings"),
    "the options": ("settings.value", lambda value: value.replace("50", "60"), "its id does not match"),
}


@pytest.mark.parametrize("change", TAMPERED)
def test_tampering_is_found(league: League, change: str) -> None:
    column, alter, message = TAMPERED[change]
    table, column = column.split(".")
    match = league.results()[0].id
    league.close()
    rows = {
        "match": f"id = '{match}'",
        "seat": f"match = '{match}' AND seat = 0",
        "agent": "id = 1",
        "settings": "key = 'options'",
    }
    with sqlite3.connect(league.path) as db:
        (value,) = db.execute(f"SELECT {column} FROM {table} WHERE {rows[table]}").fetchone()
        db.execute(f"UPDATE {table} SET {column} = ? WHERE {rows[table]}", (alter(value),))
    db.close()
    with League(league.path) as opened, pytest.raises(ReplayError, match=message):
        opened.replay(match)


def test_changed_rules_are_found(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    match = league.results()[0].id
    tennis = find_game("tennis_v0")
    other = dataclasses.replace(tennis, fields=[*tennis.fields, ("more", "u1")])
    monkeypatch.setattr("wilddeck.league.replay.find_game", lambda game_id: other)
    league._game = other
    with pytest.raises(ReplayError, match="the rules of tennis_v0 have changed since it was played"):
        league.replay(match)
    with pytest.raises(LeagueError, match="new matches need a new file"):
        league.run(2)
    assert len(league.table().rows) == 3
