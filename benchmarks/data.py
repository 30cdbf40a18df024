"""Data sets: decisions that are recorded, read, computed and checked in a second of one processor.

wilddeck bench data [GAME] [--agent rules] [--games 20000]
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import data, envs
from ..data.extra import pyarrow
from ..envs.core.game import Game


def measure(game: Game | str, agent: str, games: int) -> dict[str, Any]:
    """Decisions for each second of processor time of each step, and bytes a decision in the files. What first calls compile and
    load is not counted.

    Args:
        agent: who sits on all seats.
        games: how many are played.
    """
    game = envs.game(game)
    threads = pyarrow.cpu_count()
    pyarrow.set_cpu_count(1)
    try:
        with tempfile.TemporaryDirectory() as folder:
            stored, small = Path(folder, "stored"), Path(folder, "small")
            data.record(game, [agent], 64, Path(folder, "first"), seed=0)
            data.verify(Path(folder, "first"))
            recorded = _seconds(lambda: data.record(game, [agent], games, stored, seed=1))
            recorded_small = _seconds(lambda: data.record(game, [agent], games, small, seed=1, columns=()))
            decisions = sum(file.decisions for file in data.find(stored))
            sizes = {"": _size(stored), "small_": _size(small)}
            seconds = {
                "recorded": recorded,
                "recorded_small": recorded_small,
                "read": _seconds(lambda: data.read(stored)),
                "read_by_groups": _seconds(lambda: [None for _ in data.batches(stored)]),
                "made_dense": _seconds(lambda: _make_dense(stored)),
                "read_small": _seconds(lambda: data.read(small)),
                "verified": _seconds(lambda: data.verify(stored)),
            }
    finally:
        pyarrow.set_cpu_count(threads)
    return {
        "game": game.id,
        "agent": agent,
        "decisions": decisions,
        **{f"{name}_per_second": round(decisions / value) for name, value in seconds.items()},
        **{f"{name}bytes_per_decision": round(size / decisions, 1) for name, size in sizes.items()},
    }


def _make_dense(folder: Path) -> None:
    """Observations and masks, a thousand at a time."""
    for columns in data.batches(folder, ["observation", "action_mask"]):
        for start in range(0, len(columns["observation"]), 1024):
            for rows in columns.values():
                rows[start : start + 1024]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def _seconds(work: Callable[[], Any]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin
