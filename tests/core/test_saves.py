"""What a save's header may not say, and what stands then."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wilddeck
from battery.forge import parts_of, save_of
from support import play_random, snapshot
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.files import read_json

Header = dict[str, Any]


@pytest.fixture
def raw() -> CardGameEnv:
    env = wilddeck.envs.raw_env("tennis_v0", num_players=3)
    env.reset(seed=5)
    list(play_random(env, 2, 20))
    return env


def entry(name: str, value: Any) -> Callable[[Header], Any]:
    return lambda header: header.update({name: value})


def of_agent(name: str, value: Any) -> Callable[[Header], Any]:
    return lambda header: header[name].update(player_1=value)


def rename(header: Header) -> None:
    for name in ("rewards", "terminations", "truncations", "_cumulative_rewards"):
        header[name] = {f"{agent}x": value for agent, value in header[name].items()}
    header["agents"] = [f"{agent}x" for agent in header["agents"]]


def leave(header: Header) -> None:
    """One agent less, everywhere."""
    for name in ("rewards", "terminations", "truncations", "_cumulative_rewards"):
        header[name].pop("player_1")
    header["agents"].remove("player_1")


DECK = list(range(48))
HEADERS: dict[str, Callable[[Header], Any]] = {
    "lacks an entry": lambda header: header.pop("rewards"),
    "lacks the game": lambda header: header.pop("game"),
    "lacks the layout": lambda header: header.pop("layout"),
    "lacks the options": lambda header: header.pop("options"),
    "has one more": entry("record", "x"),
    "empty": lambda header: header.clear(),
    "game of another type": entry("game", ["tennis_v0"]),
    "options of another type": entry("options", 5),
    "an option of another type": lambda header: header["options"].update(num_players=3.0),
    "an option as a flag": lambda header: header["options"].update(max_tricks=True),
    "one option more": lambda header: header["options"].update(more=1),
    "one option less": lambda header: header["options"].pop("dealer"),
    "agents of another type": entry("agents", "player_0"),
    "agents that are none": entry("agents", [0, 1, 2]),
    "an agent twice": entry("agents", ["player_0", "player_0", "player_1", "player_2"]),
    "agents in another order": entry("agents", ["player_1", "player_0", "player_2"]),
    "an agent too many": entry("agents", ["player_0", "player_1", "player_2", "player_3"]),
    "an agent that is a list": entry("agents", [[], {}, None]),
    "no agents": entry("agents", []),
    "other agents": rename,
    "an agent less": leave,
    "selection of nobody": entry("agent_selection", None),
    "selection of another": entry("agent_selection", "player_9"),
    "selection out of turn": lambda header: header.update(
        agent_selection=next(agent for agent in header["agents"] if agent != header["agent_selection"])
    ),
    "selection of another type": entry("agent_selection", 1),
    "skip": entry("skip", "player_1"),
    "skip of another type": entry("skip", {}),
    "rewards of another type": entry("rewards", [0, 0, 0]),
    "rewards without an agent": lambda header: header["rewards"].pop("player_1"),
    "a reward as text": of_agent("rewards", "1"),
    "a reward as a flag": of_agent("rewards", True),
    "a reward as nothing": of_agent("_cumulative_rewards", None),
    "an infinite reward": of_agent("_cumulative_rewards", float("inf")),
    "a reward that is none": of_agent("rewards", float("nan")),
    "a huge reward": of_agent("rewards", 10**400),
    "a flag as a number": of_agent("terminations", 0),
    "one has stopped": of_agent("terminations", True),
    "flags of another type": entry("truncations", None),
    "no seed": entry("seed", None),
    "another seed": entry("seed", 6),
    "a seed as text": entry("seed", "5"),
    "a seed as a flag": entry("seed", True),
    "a negative seed": entry("seed", -1),
    "a huge seed": entry("seed", 2**128),
    "a seed that is no whole number": entry("seed", 5.0),
    "decks of another type": entry("decks", {"a": 1}),
    "a deck of another type": entry("decks", [5]),
    "a short deck": entry("decks", [DECK[1:]]),
    "a deck with a card twice": entry("decks", [[0, *DECK[:-1]]]),
    "a deck with another card": entry("decks", [[*DECK[:-1], 300]]),
    "a deck of text": entry("decks", [["As"] * 48]),
    "deep in the options": entry("options", json.loads("[" * 400 + "]" * 400)),
}


def refused(env: CardGameEnv, data: Any, message: str = "") -> None:
    before = snapshot(env)
    with pytest.raises(ValueError, match=message or "saved game|saved wilddeck game|can be in progress") as caught:
        env.load(data)
    assert snapshot(env) == before
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("change", HEADERS)
def test_wrong_headers(raw: CardGameEnv, change: str) -> None:
    text, record = parts_of(raw.save())
    header = json.loads(text)
    HEADERS[change](header)
    refused(raw, save_of(json.dumps(header).encode(), record))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"5",
        b'"text"',
        b"NaN",
        b"\xff\xfe",
        b"[" * 10**6,
        b"[" * 10**5 + b"]" * 10**5,
        b'{"a":' * 10**5 + b"1" + b"}" * 10**5,
        b'{"seed": ' + b"9" * 10**5 + b"}",
    ],
    ids=lambda text: repr(text[:9]),
)
def test_headers_that_cannot_be_read(raw: CardGameEnv, text: bytes) -> None:
    _, record = parts_of(raw.save())
    refused(raw, save_of(text, record))


def test_records_of_another_size(raw: CardGameEnv) -> None:
    text, record = parts_of(raw.save())
    for other in (b"", record[:-1], record + b"\0", record * 2):
        refused(raw, save_of(text, other), r"its record has \d+ bytes, not")


def test_a_record_says_which_field_is_wrong(raw: CardGameEnv) -> None:
    text, record = parts_of(raw.save())
    states = np.frombuffer(record, raw.game.state).copy()
    states["table"][0, 2] = 77
    refused(
        raw, save_of(text, states.tobytes()), r"no game of tennis_v0 that can be in progress: table\[2\] is 77, allowed: -1..47"
    )
    states = np.frombuffer(record, raw.game.state).copy()
    states["hand"][0, 0, 0] = states["hand"][0, 1, 0]
    refused(raw, save_of(text, states.tobytes()), "cards are missing: ids")
    states = np.frombuffer(record, raw.game.state).copy()
    states["rewards"][0, 0] = np.nan
    refused(raw, save_of(text, states.tobytes()), r"rewards\[0\] is nan, allowed: -1.0..1.0")


def test_a_game_that_is_over_stays_over(raw: CardGameEnv) -> None:
    """An agent who has left is missed nowhere; the flags of a game that is over cannot be taken back."""
    list(play_random(raw, 1, 10**5))
    env = wilddeck.envs.raw_env("tennis_v0", num_players=3)
    env.reset(seed=5)
    while env.legal_actions():
        env.step(env.legal_actions()[0])
    text, record = parts_of(env.save())
    header = json.loads(text)
    for name in ("terminations", "truncations"):
        header[name] = dict.fromkeys(header["agents"], False)
    refused(raw, save_of(json.dumps(header).encode(), record), "the game is over, but its agents have not stopped")
    env.step(None)
    text, record = parts_of(env.save())
    raw.load(save_of(text, record))
    assert snapshot(raw) == snapshot(env)


def test_json_of_any_origin() -> None:
    assert read_json("[" * 50 + "]" * 50) is not None
    for text, message in (
        ("[" * 51 + "]" * 51, "nest deeper than 50"),
        ("[NaN]", "NaN is no number"),
        ("-Infinity", "-Infinity"),
    ):
        with pytest.raises(ValueError, match=message):
            read_json(text)
