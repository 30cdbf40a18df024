"""Batches beyond stepping: bad questions, `with`, and files that are no saved batch."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wilddeck
from wilddeck.envs.core import memory
from wilddeck.envs.core.batch import Batch

HEAD = struct.calcsize("<IIQ") + len(b"WILDBATCH1")


@pytest.fixture
def batch() -> Batch:
    played = wilddeck.make_batch("tennis_v0", 4, seed=3, num_players=3)
    for _ in range(5):
        played.step(played.random_actions())
    return played


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda batch: batch.observe(3), r"seats must be within 0\.\.2, not 3"),
        (lambda batch: batch.observe([0, 1, -1, 2]), r"seats must be within 0\.\.2, not -1"),
        (lambda batch: batch.observe([0, 1]), r"seats must be a seat or integers \[4\], not int64 of shape \(2,\)"),
        (lambda batch: batch.observe(1.0), "seats must be a seat or integers"),
        (lambda batch: batch.observe("player_0"), "seats must be a seat or integers"),
        (lambda batch: batch.critic_observation(-1), r"seats must be within 0\.\.2, not -1"),
        (lambda batch: batch.legal_actions(4), "a row is an integer from 0 to 3, not 4"),
        (lambda batch: batch.legal_actions(-1), "a row is an integer from 0 to 3, not -1"),
        (lambda batch: batch.action_label("0", 0), "a row is an integer from 0 to 3, not '0'"),
        (lambda batch: batch.action_label(0, 12), r"tennis_v0 has the actions 0\.\.11, not 12"),
        (lambda batch: batch.action_from_label(0, "fold"), r"'fold' is not a legal action; legal: \d+ \(play"),
    ],
)
def test_bad_questions(batch: Batch, ask: Callable[[Batch], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(batch)


def test_views_are_fresh(batch: Batch) -> None:
    """What is shown is the caller's, and of one seat a row where seats are given."""
    assert batch.observe(np.int8(1)).dtype == batch.state_vectors().dtype == batch.critic_observation().dtype == np.float32
    mixed = batch.observe([0, 1, 2, 0])
    assert [mixed[row].tobytes() for row in range(4)] == [
        batch.observe(seat)[row].tobytes() for row, seat in enumerate([0, 1, 2, 0])
    ]
    for view in (mixed, batch.state_vectors(), batch.critic_observation(2)):
        before = batch.states.tobytes(), batch.observation.tobytes()
        view[:] = 7
        assert (batch.states.tobytes(), batch.observation.tobytes()) == before


def test_with_closes() -> None:
    with wilddeck.make_batch("tennis_v0", 4, seed=3, threads=2) as batch:
        batch.step(batch.random_actions())
        pool = batch._pool
    assert pool is not None and pool._shutdown and batch._pool is None
    with pytest.raises(KeyError), wilddeck.make_batch("tennis_v0", 4, seed=3, threads=2) as batch:
        batch.step(batch.random_actions())
        raise KeyError
    assert batch._pool is None


def file_of(header: Any, body: bytes) -> bytes:
    """As anybody could write it."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return b"WILDBATCH1" + struct.pack("<IIQ", zlib.crc32(text + body), len(text), len(body)) + text + body


def parts_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    size = struct.unpack("<IIQ", data[len(b"WILDBATCH1") : HEAD])[1]
    return json.loads(data[HEAD : HEAD + size]), data[HEAD + size :]


def changed_header(**entries: Any) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        header, body = parts_of(data)
        return file_of({name: value for name, value in {**header, **entries}.items() if value != "gone"}, body)

    return change


def changed_row(name: str, value: Any, field: str | None = None) -> Callable[[bytes], bytes]:
    """In the third row of four."""

    def change(data: bytes) -> bytes:
        header, body = parts_of(data)
        game = wilddeck.envs.game("tennis_v0")
        dtype = [("state", game.state), ("noise", "u8"), ("rewards", "f4", (3,)), ("terminated", "u1"), ("truncated", "u1")]
        rows = np.frombuffer(body, dtype).copy()
        target = rows[name] if field is None else rows[name][field]
        target[2] = value
        return file_of(header, rows.tobytes())

    return change


OPTIONS = vars(wilddeck.envs.game("tennis_v0").options(num_players=3))
DAMAGED = "the saved batch is damaged: "
FORGERIES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda data: b"", "these data are not a saved wilddeck batch"),
    "text": (lambda data: b"hello", "these data are not a saved wilddeck batch"),
    "of one game": (lambda data: b"WILDDECK1" + data[9:], "these data are not a saved wilddeck batch"),
    "cut off at once": (lambda data: data[:12], "truncated or damaged"),
    "cut off": (lambda data: data[:-1], "truncated or damaged"),
    "longer": (lambda data: data + b"\0", "truncated or damaged"),
    "a bit": (lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:], "truncated or damaged"),
    "no JSON": (lambda data: file_of(b"{", parts_of(data)[1]), "its header cannot be read"),
    "a list": (lambda data: file_of([], parts_of(data)[1]), "its header cannot be read"),
    "no game": (changed_header(game="gone"), "no game 'None'"),
    "unknown game": (changed_header(game="chess_v0"), "no game 'chess_v0'"),
    "game of another type": (changed_header(game=["tennis_v0"]), "no game"),
    "another game": (changed_header(game="hearts_v0"), "of another release of hearts_v0"),
    "another release": (changed_header(layout="0" * 16), "of another release of tennis_v0"),
    "one entry more": (changed_header(more=1), f"{DAMAGED}its entries must be"),
    "no options": (changed_header(options="gone"), f"{DAMAGED}its entries must be"),
    "options of another type": (changed_header(options=[]), f"{DAMAGED}'options' must be an object"),
    "an unknown option": (changed_header(options={**OPTIONS, "more": 1}), "has no option 'more'"),
    "an option out of bounds": (changed_header(options={**OPTIONS, "num_players": 5}), "option num_players=5 is not allowed"),
    "an option as a list": (changed_header(options={**OPTIONS, "num_players": [3]}), "option num_players="),
    "an option as a fraction": (changed_header(options={**OPTIONS, "num_players": 3.0}), "num_players"),
    "fewer options": (changed_header(options={"num_players": 3}), "has other options"),
    "other options": (changed_header(options={**OPTIONS, "num_players": 4}), f"{DAMAGED}its 4 games have"),
    "more games": (changed_header(num_games=5), f"{DAMAGED}its 5 games have"),
    "countless games": (changed_header(num_games=10**30), f"{DAMAGED}its 1000"),
    "no games": (lambda data: file_of({**parts_of(data)[0], "num_games": 0}, b""), f"{DAMAGED}its 0 games have"),
    "half a game": (changed_header(num_games=4.0), "not a whole number"),
    "infinite rewards": (changed_row("rewards", np.inf), f"{DAMAGED}rewards must be within"),
    "rewards that are none": (changed_row("rewards", np.nan), f"{DAMAGED}rewards must be within"),
    "a flag that is none": (changed_row("truncated", 2), f"{DAMAGED}'truncated' must be true or false"),
    "a seat that is none": (changed_row("state", 9, "current_player"), "row 2: current_player is 9"),
    "a game that is over": (changed_row("state", 1, "terminated"), "row 2"),
    "a card that is none": (changed_row("state", 99, "table"), "row 2: table"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_other_files_are_refused(batch: Batch, tmp_path: Path, name: str) -> None:
    path = tmp_path / "games.batch"
    batch.save(path)
    wilddeck.load_batch(path)
    change, message = FORGERIES[name]
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match=message) as caught:
        wilddeck.load_batch(path)
    assert str(caught.value).startswith(f"{path}: ") and len(str(caught.value)) < 800


def test_files_that_cannot_be(batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError):
        wilddeck.load_batch(tmp_path / "none")
    path = tmp_path / "games.batch"
    batch.save(path)
    with pytest.raises(ValueError, match="is of tennis_v0, not of hearts_v0"):
        Batch.load(path, wilddeck.envs.game("hearts_v0"))
    assert len(Batch.load(path, batch.game)) == 4
    monkeypatch.setattr(memory, "available", lambda: 100)
    with pytest.raises(ValueError, match="of memory, but only 100 bytes are free"):
        wilddeck.load_batch(path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        batch.save(tmp_path / "folder")
