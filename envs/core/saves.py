"""Saved games and batches: bytes that may come from anywhere, checked before a game is changed.

A save is WILDDECK1 (of a batch WILDBATCH1), a checksum, the sizes of what follows, a header in JSON and the record, or of a
batch its records and what is kept beside them. The checksum finds accidents; as
anyone can compute it, all that the bytes say is checked as well.
"""

from __future__ import annotations

import contextlib
import json
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import memory
from .check import Look, check_records
from .deck import checked_deck
from .fields import need
from .files import is_number, read_json, whole
from .game import Game, Options, as_records, seed_of

AEC_NUMBERS, AEC_FLAGS = ("rewards", "_cumulative_rewards"), ("terminations", "truncations")


class _Kind(NamedTuple):
    """Of what is saved: how it begins, what follows (checksum, size of the header in JSON, size of the records), its name."""

    magic: bytes
    sizes: str
    noun: str


_GAME, _BATCH = _Kind(b"WILDDECK1", "<III", "game"), _Kind(b"WILDBATCH1", "<IIQ", "batch")
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
    return _join(_GAME, json.dumps({**_about(game, options), **content}).encode(), record)


def unpack(data: Any, game: Game, options: Options, agents: Sequence[str], look: Look) -> dict[str, Any]:
    """The content of a saved game, in which nothing is left that an environment could fail at.

    Args:
        agents: the names of the seats.
        look: see `check_records`.

    Raises:
        ValueError: the data are damaged, no saved game, of another game, version or options, or say what cannot be.
    """
    header, record = _split(data, _GAME)
    _check_release(header, game, _GAME)
    _check_options(header, options, _GAME)
    content = {name: header[name] for name in _CONTENT if name in header}
    with _damaged(_GAME):
        need(set(header) == {*_ABOUT, *_CONTENT}, f"its entries must be {', '.join((*_ABOUT, *_CONTENT))}")
        for name, (kind, words) in _CONTENT.items():
            need(isinstance(content[name], kind) and not isinstance(content[name], bool), f"{name!r} must be {words}")
        content["decks"] = [checked_deck(game, options, deck).tolist() for deck in content["decks"]]
        need(len(record) == game.state.itemsize, f"its record has {len(record)} bytes, not {game.state.itemsize}")
    states = as_records(np.frombuffer(record, game.state).copy())
    if content["seed"] is None:
        begun = any(content[name] for name in _CONTENT) or record != game.template(options).tobytes()
        if begun:
            raise ValueError("the saved game is damaged: it has no seed, but has begun")
        return {**content, "record": record}
    check_records(game, options, states, look)
    with _damaged(_GAME):
        need(content["seed"] == seed_of(states), "'seed' is not that of the record")
        _check_agents(
            content, agents, int(states["current_player"][0]), bool(states["terminated"][0] or states["truncated"][0])
        )
    return {**content, "record": record}


def batch_rows(game: Game, options: Options, number: int) -> np.ndarray:
    """What a saved batch holds of each row, zero: its record, what its last step brought, and the counter of its randomness."""
    paid = ("rewards", "f4", (options.num_players,))
    return np.zeros(number, [("state", game.state), ("noise", "u8"), paid, ("terminated", "?"), ("truncated", "?")])


def pack_batch(game: Game, options: Options, rows: np.ndarray) -> bytes:
    """The bytes of a saved batch; see `batch_rows`."""
    return _join(_BATCH, json.dumps({**_about(game, options), "num_games": len(rows)}).encode(), rows.tobytes())


def unpack_batch(data: Any, find: Game | Callable[[str], Game]) -> tuple[Game, Options, np.ndarray]:
    """The game, the options and the rows of a saved batch; the records in them are not checked.

    Args:
        find: the game, or what finds it by its id.

    Raises:
        ValueError: the data are damaged, no saved batch, of another game or version, or say what cannot be.
    """
    header, body = _split(data, _BATCH)
    game = find if isinstance(find, Game) else find(str(header.get("game")))
    _check_release(header, game, _BATCH)
    with _damaged(_BATCH):
        need(set(header) == {*_ABOUT, "num_games"}, f"its entries must be {', '.join((*_ABOUT, 'num_games'))}")
        need(isinstance(header["options"], dict), "'options' must be an object")
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in header["options"].items()}
        options = game.make_options(given)
    _check_options(header, options, _BATCH)
    with _damaged(_BATCH):
        number, size = whole(header["num_games"]), batch_rows(game, options, 0).itemsize
        need(number > 0 and len(body) == number * size, f"its {number} games have {len(body)} bytes, not {size} each")
        rows = np.frombuffer(body, batch_rows(game, options, 0).dtype).copy()
        low, high = (np.float32(bound) for bound in game.reward_range(options))  # as rewards are rounded
        paid = rows["rewards"]
        need(((paid >= min(low, 0)) & (paid <= max(high, 0))).all(), f"rewards must be within {low}..{high}")
        for name in ("terminated", "truncated"):
            need((rows[name].view(np.uint8) <= 1).all(), f"{name!r} must be true or false")
    return game, options, rows


def read_file(path: Path | str) -> bytes:
    """A file's bytes (ValueError where they take more memory than there is, OSError where they cannot be read)."""
    memory.check(str(path), 3 * Path(path).stat().st_size)
    return Path(path).read_bytes()


@contextlib.contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Errors of a file say which."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


@contextlib.contextmanager
def _damaged(kind: _Kind) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ValueError(f"the saved {kind.noun} is damaged: {error}") from None


def _about(game: Game, options: Options) -> dict[str, Any]:
    return {"game": game.id, "layout": game.record_digest, "options": _plain(options)}


def _join(kind: _Kind, text: bytes, body: bytes) -> bytes:
    content = text + body
    return kind.magic + struct.pack(kind.sizes, zlib.crc32(content), len(text), len(body)) + content


def _split(data: Any, kind: _Kind) -> tuple[dict[str, Any], bytes]:
    """Header and records of what was saved."""
    if not isinstance(data, (bytes, bytearray, memoryview)) or not bytes(data[: len(kind.magic)]) == kind.magic:
        raise ValueError(f"these data are no saved wilddeck {kind.noun}")
    data = bytes(data)
    start = len(kind.magic) + struct.calcsize(kind.sizes)
    if len(data) < start:
        raise ValueError(f"the saved {kind.noun} is truncated or damaged")
    checksum, text_size, body_size = struct.unpack(kind.sizes, data[len(kind.magic) : start])
    content = data[start:]
    if len(content) != text_size + body_size or zlib.crc32(content) != checksum:
        raise ValueError(f"the saved {kind.noun} is truncated or damaged")
    try:
        header = read_json(content[:text_size])
        need(isinstance(header, dict), "it is no object")
    except ValueError as error:
        raise ValueError(f"the saved {kind.noun} is damaged: its header cannot be read ({error})") from None
    return header, content[text_size:]


def _check_release(header: dict[str, Any], game: Game, kind: _Kind) -> None:
    if header.get("game") != game.id:
        raise ValueError(f"the saved {kind.noun} is of {header.get('game')!s:.60}, not of {game.id}")
    if header.get("layout") != game.record_digest:
        raise ValueError(f"the saved {kind.noun} is of another release of {game.id}")


def _check_options(header: dict[str, Any], options: Options, kind: _Kind) -> None:
    own, found = _plain(options), header.get("options")
    if found != own or any(str(found[name]) != str(own[name]) for name in own):  # as text too, where 1 is not True
        raise ValueError(f"the saved {kind.noun} has other options: {found!s:.300}, not {own}")


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
