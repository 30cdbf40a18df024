"""What a save may not say, and what stands then."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import wilddeck
from support import play_random, snapshot
from wilddeck.envs.core.aec import CardGameEnv

Content = dict[str, Any]
FORMAT, MAGIC = "these data are no saved wilddeck game", "saved wilddeck game|the saved game"


@pytest.fixture
def raw() -> CardGameEnv:
    env = wilddeck.envs.raw_env("tennis_v0", num_players=3)
    env.reset(seed=5)
    list(play_random(env, 2, 20))
    return env


def entry(name: str, value: Any) -> Callable[[Content], Any]:
    return lambda content: content.update({name: value})


def action(number: int, value: Any) -> Callable[[Content], Any]:
    return lambda content: content["actions"].__setitem__(number, value)


DECK = list(range(48))
RELEASE, OPTIONS, DAMAGED = "is of another release of tennis_v0", "has other options", "the saved game is damaged: "
CHANGES: dict[str, tuple[Callable[[Content], Any], str]] = {
    "nothing": (lambda content: content.clear(), FORMAT),
    "another format": (entry("format", "wilddeck batch"), FORMAT),
    "another version": (entry("version", 1), "has version 1 of the format, not 2"),
    "another game": (entry("game", "hearts_v0"), "the saved game is of hearts_v0, not of tennis_v0"),
    "game of another type": (entry("game", ["tennis_v0"]), "not of tennis_v0"),
    "no game": (lambda content: content.pop("game"), "the saved game is of None"),
    "other rules": (entry("rules", "0123456789abcdef"), RELEASE),
    "no rules": (lambda content: content.pop("rules"), RELEASE),
    "options of another type": (entry("options", 5), OPTIONS),
    "no options": (lambda content: content.pop("options"), OPTIONS),
    "an option of another type": (lambda content: content["options"].update(num_players=3.0), OPTIONS),
    "an option as a flag": (lambda content: content["options"].update(max_tricks=True), OPTIONS),
    "one option more": (lambda content: content["options"].update(more=1), OPTIONS),
    "one option less": (lambda content: content["options"].pop("dealer"), OPTIONS),
    "another option": (lambda content: content["options"].update(num_players=4), r"other options: {.*4.*}, not {.*3"),
    "deep in the options": (entry("options", json.loads("[" * 400 + "]" * 400)), "nest deeper"),
    "an entry less": (lambda content: content.pop("decks"), "it has other entries"),
    "an entry more": (entry("record", "x"), "it has other entries"),
    "no seed": (entry("seed", None), "replay differs"),
    "another seed": (entry("seed", 6), DAMAGED),
    "a seed as text": (entry("seed", "5"), DAMAGED),
    "a seed as a flag": (entry("seed", True), DAMAGED),
    "a negative seed": (entry("seed", -1), DAMAGED),
    "a huge seed": (entry("seed", 2**128), "a seed is an integer from 0 to"),
    "a seed that is no whole number": (entry("seed", 5.0), DAMAGED),
    "decks of another type": (entry("decks", {"a": 1}), "'decks' must be a list"),
    "a deck of another type": (entry("decks", [5]), "a deck is a list of card ids"),
    "a short deck": (entry("decks", [DECK[1:]]), "not a permutation"),
    "a deck with a card twice": (entry("decks", [[0, *DECK[:-1]]]), "not a permutation"),
    "a deck of text": (entry("decks", [["As"] * 48]), "a deck is a list of card ids"),
    "actions of another type": (entry("actions", "0"), "'actions' must be a list"),
    "an action of another type": (action(3, "0"), "not a whole number"),
    "an action as a flag": (action(3, True), "not a whole number"),
    "a negative action": (action(3, -1), "not a whole number"),
    "an action that is none": (action(3, 10**30), "cannot play action 1000"),
    "an action that is not legal": (action(3, 11), "cannot play action 11"),
    "an action less": (lambda content: content["actions"].pop(), "replay differs"),
    "an action more": (lambda content: content["actions"].append(content["actions"][0]), DAMAGED),
    "forfeited as a number": (entry("forfeited", 0), "'forfeited' must be true or false"),
    "agents of another type": (entry("agents", ["player_0"]), "not a whole number"),
    "an agent less": (entry("agents", 2), "replay differs"),
    "an agent more": (entry("agents", 4), "replay differs"),
    "another end": (entry("digest", "0" * 16), "replay differs"),
    "an end of another type": (entry("digest", 0), "'digest' must be a string"),
}


def refused(env: CardGameEnv, data: Any, message: str) -> None:
    before = snapshot(env)
    with pytest.raises(ValueError, match=message) as caught:
        env.load(data)
    assert snapshot(env) == before
    assert len(str(caught.value)) < 800


@pytest.mark.parametrize("change", CHANGES)
def test_altered_saves_are_refused(raw: CardGameEnv, change: str) -> None:
    content = json.loads(raw.save())
    alter, message = CHANGES[change]
    alter(content)
    refused(raw, json.dumps(content).encode(), message)


@pytest.mark.parametrize(
    "data",
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
        b"PK\x03\x04 zip",
        "text",
        None,
        5,
        b"WILDDECK1" + bytes(99),
        [1, 2],
    ],
    ids=lambda data: repr(data)[:12],
)
def test_what_is_no_save(raw: CardGameEnv, data: Any) -> None:
    refused(raw, data, FORMAT)


def test_saves_that_are_not_whole(raw: CardGameEnv) -> None:
    """Cut off anywhere, longer, or with any one bit changed that matters."""
    data = raw.save()
    raw.step(raw.legal_actions()[0])
    before = snapshot(raw)
    spoiled = [data[:length] for length in range(len(data))] + [data + b"\0", data + data, data[::-1]]
    for bit in range(0, len(data) * 8, 5):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        spoiled.append(bytes(flipped))
    for spoiled_data in spoiled:
        if spoiled_data.split() != data.split():  # of white space there may be other
            with pytest.raises(ValueError, match=MAGIC):
                raw.load(spoiled_data)
    assert snapshot(raw) == before
    raw.load(data)
    assert snapshot(raw) != before
    for same in (bytearray(data), memoryview(data), data.decode()):
        raw.load(same)  # type: ignore[arg-type]


def test_only_a_game_in_progress_can_be_forfeited(raw: CardGameEnv) -> None:
    list(play_random(raw, 3, 10**4))
    content = json.loads(raw.save())
    assert not content["forfeited"] and content["agents"] == 0
    refused(raw, json.dumps({**content, "forfeited": True}).encode(), "the replay differs from the saved state")


def test_a_save_is_how_the_game_was_played(raw: CardGameEnv) -> None:
    content = json.loads(raw.save())
    assert content["seed"] == 5 and len(content["actions"]) == 20 and content["decks"] == []
    assert len(raw.save()) < 1000


def test_what_was_not_played_is_not_saved(raw: CardGameEnv) -> None:
    """An imagined copy has no past; one whose record was altered does not come out of its actions."""
    with pytest.raises(ValueError, match="a determinized game cannot be saved, because it was not played from its deal"):
        raw.determinize("player_0", 1).save()
    altered = raw.clone()
    altered.record["hand"][0] = altered.record["hand"][0][::-1]
    refused(raw, altered.save(), "the replay differs from the saved state")


def test_copies_of_another_release_are_refused(raw: CardGameEnv) -> None:
    content = raw.__getstate__()
    with pytest.raises(ValueError, match="this copy was made by another release of tennis_v0"):
        raw.__setstate__({**content, "layout": "0" * 16})
