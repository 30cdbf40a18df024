"""Saved games and batches.

A saved game is the course of the game as JSON: game, digest of its rules, options, seed, given decks, actions. It may be
untrusted, because loading replays it. A saved batch contains the records themselves: WILDBATCH1, a checksum, the sizes of the
parts, a header in JSON, and the records with the other arrays. Load only batches that you trust: only the bounds of their
fields are checked.
"""

from __future__ import annotations

import contextlib
import json
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import memory
from .files import read_json, require, whole
from .game import Game, Options

FORMAT, VERSION = "wilddeck game", 2
_MAGIC, _SIZES = b"WILDBATCH1", "<IIQ"  # checksum, sizes of the header and of the records


class Saved(NamedTuple):
    """How a game was played.

    Attributes:
        seed: the seed for `reset`; None if no game has begun.
        decks: the given decks, one per deal.
        actions: all actions, in order.
        forfeited: whether an illegal action has ended the game.
        agents: the number of agents left; they leave one by one after the end.
        digest: the digest of the last record (`game.state_digest`).
    """

    seed: int | None
    decks: list[list[int]]
    actions: list[int]
    forfeited: bool
    agents: int
    digest: str


def pack(game: Game, options: Options, saved: Saved) -> bytes:
    """The bytes of a saved game."""
    about = {"format": FORMAT, "version": VERSION, "game": game.id, "rules": game.rules_digest, "options": _plain(options)}
    return json.dumps({**about, **saved._asdict()}).encode()


def unpack(data: Any, game: Game, options: Options) -> Saved:
    """Parse a saved game; replaying it checks whether it is valid.

    Raises:
        ValueError: the data are damaged, not a saved game, or of another game, other rules or options.
    """
    with _refused("these data are no saved wilddeck game"):
        entries = read_json(bytes(data) if isinstance(data, (bytearray, memoryview)) else data)
        require(isinstance(entries, dict) and entries.get("format") == FORMAT, "they have another format")
    if entries.get("version") != VERSION:
        raise ValueError(f"the saved game has version {entries.get('version')!r:.60} of the format, not {VERSION}")
    _check_release(entries, game, "rules", game.rules_digest, "game")
    _check_options(entries, options, "game")
    with _refused("the saved game is damaged"):
        require(set(entries) == {"format", "version", "game", "rules", "options", *Saved._fields}, "it has other entries")
        saved = Saved(**{name: entries[name] for name in Saved._fields})
        require(saved.seed is None or whole(saved.seed) >= 0, "'seed' is not a seed")
        require(isinstance(saved.forfeited, bool), "'forfeited' must be true or false")
        require(isinstance(saved.digest, str), "'digest' must be a string")
        for name in ("decks", "actions"):
            require(isinstance(getattr(saved, name), list), f"{name!r} must be a list")
        for action in saved.actions:
            whole(action)
        whole(saved.agents)
    return saved


def batch_rows(game: Game, options: Options, number: int) -> np.ndarray:
    """The rows of a saved batch, zeroed: the record, the results of its last step, and the counter of its randomness."""
    paid = ("rewards", "f4", (options.num_players,))
    return np.zeros(number, [("state", game.state), ("noise", "u8"), paid, ("terminated", "?"), ("truncated", "?")])


def pack_batch(game: Game, options: Options, rows: np.ndarray) -> bytes:
    """The bytes of a saved batch; see `batch_rows`."""
    about = {"game": game.id, "layout": game.record_digest, "options": _plain(options), "num_games": len(rows)}
    text = json.dumps(about).encode()
    content = text + rows.tobytes()
    return _MAGIC + struct.pack(_SIZES, zlib.crc32(content), len(text), len(content) - len(text)) + content


def unpack_batch(data: Any, find: Game | Callable[[str], Game]) -> tuple[Game, Options, np.ndarray]:
    """The game, the options and the rows of a saved batch; the records in them are not checked.

    Args:
        find: the game, or a function that finds it by its id.

    Raises:
        ValueError: the data are damaged, not a saved batch, of another game or version, or inconsistent.
    """
    header, body = _split(data)
    game = find if isinstance(find, Game) else find(str(header.get("game")))
    _check_release(header, game, "layout", game.record_digest, "batch")
    with _refused(_DAMAGED):
        require(
            set(header) == {"game", "layout", "options", "num_games"}, "its entries must be game, layout, options, num_games"
        )
        require(isinstance(header["options"], dict), "'options' must be an object")
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in header["options"].items()}
        options = game.make_options(values)
    _check_options(header, options, "batch")
    with _refused(_DAMAGED):
        number, size = whole(header["num_games"]), batch_rows(game, options, 0).itemsize
        require(number > 0 and len(body) == number * size, f"its {number} games have {len(body)} bytes, not {size} each")
        rows = np.frombuffer(body, batch_rows(game, options, 0).dtype).copy()
        low, high = (np.float32(bound) for bound in game.reward_range(options))  # as rewards are rounded
        paid = rows["rewards"]
        require(((paid >= min(low, 0)) & (paid <= max(high, 0))).all(), f"rewards must be within {low}..{high}")
        for name in ("terminated", "truncated"):
            require((rows[name].view(np.uint8) <= 1).all(), f"{name!r} must be true or false")
    return game, options, rows


def read_file(path: Path | str) -> bytes:
    """A file's bytes (ValueError if they need more memory than is available, OSError if they cannot be read)."""
    memory.check(str(path), 3 * Path(path).stat().st_size)
    return Path(path).read_bytes()


@contextlib.contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Prefix errors about a file with its path."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


_DAMAGED = "the saved batch is damaged"


@contextlib.contextmanager
def _refused(words: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ValueError(f"{words}: {error}") from None


def _split(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and records of a saved batch."""
    if data[: len(_MAGIC)] != _MAGIC:
        raise ValueError("these data are not a saved wilddeck batch")
    start = len(_MAGIC) + struct.calcsize(_SIZES)
    if len(data) < start:
        raise ValueError("the saved batch is truncated or damaged")
    checksum, text_size, body_size = struct.unpack(_SIZES, data[len(_MAGIC) : start])
    content = data[start:]
    if len(content) != text_size + body_size or zlib.crc32(content) != checksum:
        raise ValueError("the saved batch is truncated or damaged")
    with _refused("the saved batch is damaged: its header cannot be read"):
        header = read_json(content[:text_size])
        require(isinstance(header, dict), "it is not an object")
    return header, content[text_size:]


def _check_release(header: dict[str, Any], game: Game, entry: str, digest: str, noun: str) -> None:
    if header.get("game") != game.id:
        raise ValueError(f"the saved {noun} is of {header.get('game')!s:.60}, not of {game.id}")
    if header.get(entry) != digest:
        raise ValueError(f"the saved {noun} is of another release of {game.id}")


def _check_options(header: dict[str, Any], options: Options, noun: str) -> None:
    own, saved = _plain(options), header.get("options")
    if not isinstance(saved, dict) or saved != own or any(str(saved[name]) != str(own[name]) for name in own):  # 1 is not True
        raise ValueError(f"the saved {noun} has other options: {saved!s:.300}, not {own}")


def _plain(options: Options) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(options).items()}
