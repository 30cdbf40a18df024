"""Saved games: bytes that may come from anywhere, checked before a game is changed.

A save is WILDDECK1, a checksum, the sizes of what follows, a header in JSON and the record. The checksum finds accidents; as
anyone can compute it, all that the bytes say is checked as well.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from .check import Look, check_records
from .deck import checked_deck
from .fields import need
from .files import is_number, read_json
from .game import Game, Options, as_records, seed_of

AEC_NUMBERS, AEC_FLAGS = ("rewards", "_cumulative_rewards"), ("terminations", "truncations")
_MAGIC = b"WILDDECK1"
_SIZES = "<III"  # after the magic: checksum, size of the header in JSON, size of the record; both follow
_ABOUT = ("game", "layout", "options")
_CONTENT: dict[str, tuple[Any, str]] = {  # the rest of the header, and what it must be
    **dict.fromkeys((*AEC_NUMBERS, *AEC_FLAGS), (dict, "an object")),
    "agents": (list, "a list"),
    "agent_selection": ((str, type(None)), "a name or null"),
    "skip": ((str, type(None)), "a name or null"),
    "seed": ((int, type(None)), "a whole number or null"),
    "decks": (list, "a list"),
}


def pack(game: Game, options: Options, content: dict[str, Any]) -> bytes:
    """The bytes of a saved game; `content` is what an environment keeps (`CardGameEnv.__getstate__`)."""
    content = dict(content)
    record = content.pop("record")
    text = json.dumps({"game": game.id, "layout": game.rules_digest, "options": _plain(options), **content}).encode()
    return _MAGIC + struct.pack(_SIZES, zlib.crc32(text + record), len(text), len(record)) + text + record


def unpack(data: Any, game: Game, options: Options, agents: Sequence[str], look: Look) -> dict[str, Any]:
    """The content of a saved game, in which nothing is left that an environment could fail at.

    Args:
        agents: the names of the seats.
        look: see `check_records`.

    Raises:
        ValueError: the data are damaged, no saved game, of another game, version or options, or say what cannot be.
    """
    header, record = _split(data)
    _check_about(header, game, options)
    content = {name: header[name] for name in _CONTENT if name in header}
    try:
        need(set(header) == {*_ABOUT, *_CONTENT}, f"its entries must be {', '.join((*_ABOUT, *_CONTENT))}")
        for name, (kind, words) in _CONTENT.items():
            need(isinstance(content[name], kind) and not isinstance(content[name], bool), f"{name!r} must be {words}")
        content["decks"] = [checked_deck(game, options, deck).tolist() for deck in content["decks"]]
        need(len(record) == game.state.itemsize, f"its record has {len(record)} bytes, not {game.state.itemsize}")
    except ValueError as error:
        raise ValueError(f"the saved game is damaged: {error}") from None
    states = as_records(np.frombuffer(record, game.state).copy())
    if content["seed"] is None:
        begun = any(content[name] for name in _CONTENT) or record != game.template(options).tobytes()
        if begun:
            raise ValueError("the saved game is damaged: it has no seed, but has begun")
        return {**content, "record": record}
    check_records(game, options, states, look)
    try:
        need(content["seed"] == seed_of(states), "'seed' is not that of the record")
        _check_agents(
            content, agents, int(states["current_player"][0]), bool(states["terminated"][0] or states["truncated"][0])
        )
    except ValueError as error:
        raise ValueError(f"the saved game is damaged: {error}") from None
    return {**content, "record": record}


def _split(data: Any) -> tuple[dict[str, Any], bytes]:
    """Header and record of a saved game."""
    if not isinstance(data, (bytes, bytearray, memoryview)) or not bytes(data).startswith(_MAGIC):
        raise ValueError("these data are no saved wilddeck game")
    data = bytes(data)
    start = len(_MAGIC) + struct.calcsize(_SIZES)
    if len(data) < start:
        raise ValueError("the saved game is truncated or damaged")
    checksum, text_size, record_size = struct.unpack(_SIZES, data[len(_MAGIC) : start])
    content = data[start:]
    if len(content) != text_size + record_size or zlib.crc32(content) != checksum:
        raise ValueError("the saved game is truncated or damaged")
    try:
        header = read_json(content[:text_size])
        need(isinstance(header, dict), "it is no object")
    except ValueError as error:
        raise ValueError(f"the saved game is damaged: its header cannot be read ({error})") from None
    return header, content[text_size:]


def _check_about(header: dict[str, Any], game: Game, options: Options) -> None:
    if header.get("game") != game.id:
        raise ValueError(f"the saved game is of {header.get('game')!s:.60}, not of {game.id}")
    if header.get("layout") != game.rules_digest:
        raise ValueError(f"the saved game is of another release of {game.id}")
    own, found = _plain(options), header.get("options")
    if found != own or any(str(found[name]) != str(own[name]) for name in own):  # as text too, where 1 is not True
        raise ValueError(f"the saved game has other options: {found!s:.300}, not {own}")


def _check_agents(content: dict[str, Any], seats: Sequence[str], player: int, over: bool) -> None:
    """Whether PettingZoo's view of the agents agrees with itself and with the record.

    All agents stay until the game is over or ended from outside, after an illegal move say; then they leave one by one.
    """
    agents = content["agents"]
    need(agents == [agent for agent in seats if agent in agents], "'agents' must be some of the seats in their order")
    for name in (*AEC_NUMBERS, *AEC_FLAGS):
        need(list(content[name]) == agents, f"{name!r} must have an entry for each of the agents")
    for name in AEC_NUMBERS:
        need(all(map(is_number, content[name].values())), f"{name!r} must be finite numbers")
    for name in AEC_FLAGS:
        need(all(isinstance(flag, bool) for flag in content[name].values()), f"{name!r} must be true or false")
    stopped = [content["terminations"][agent] or content["truncations"][agent] for agent in agents]
    need(all(stopped) or not any(stopped), "some agents have stopped, others have not")
    need(content["skip"] in (None, *seats), "'skip' is no agent")
    selected = content["agent_selection"]
    if agents and not stopped[0]:
        need(not over, "the game is over, but its agents have not stopped")
        need(agents == list(seats), "agents have left a game that is not over")
        need(selected == seats[player] and content["skip"] is None, "the agent selected is not the player to move")
    else:
        need(selected in (agents or seats), "the agent selected is none of the agents")


def _plain(options: Options) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(options).items()}
