"""Benchmarks run, and say what is missing. Nothing here depends on how fast anything is."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest
from rich.console import Console
from wilddeck.benchmarks import comparator, measure, peers, throughput
from wilddeck.benchmarks.measure import Row
from wilddeck.cli import main

GAME = "tennis_v0"
MOMENT = 1e-3


class Ticks:
    """A clock that advances by one with every look at it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def units(count: int) -> measure.Work:
    return lambda: count


def printed(rows: list[Row]) -> str:
    console = Console(width=200, file=io.StringIO())
    with console.capture() as capture:
        console.print(measure.table(rows))
    return capture.get()


def test_rate_counts_units_by_the_clock() -> None:
    assert measure.rate(units(12), 3.0, Ticks()) == 12  # three looks, one second apart


def test_ratio_and_verdict() -> None:
    row = measure.compare("w", "steps/s", units(30), "peer", units(10), 3.0, 7.0, Ticks())
    assert (row.ours, row.theirs, row.ratio, row.ok) == (30.0, 10.0, (3.0, 3.0, 3.0), True)
    assert measure.compare("w", "steps/s", units(29), "peer", units(10), 3.0, 7.0, Ticks()).ok is False
    assert measure.compare("w", "steps/s", units(29), "peer", units(10), None, 7.0, Ticks()).ok is None


def test_at_least_is_a_lower_one() -> None:
    row = measure.at_least("w", "s", units(30), 1e-9, MOMENT)
    assert row.ok
    assert "≥" in printed([row])
    assert measure.at_least("w", "s", units(30), 1e30, MOMENT).ok is False


def test_limit_is_an_upper_one() -> None:
    assert measure.limit("w", "s", 0.3, 0.3).ok
    assert not measure.limit("w", "s", 0.31, 0.3).ok


@pytest.mark.long
def test_missing_peer_is_said_and_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pyspiel", "eval7", "phevaluator"):
        monkeypatch.setitem(sys.modules, module, None)
    assert peers.installed(peers.openspiel_steps, "spades") is None
    rows = comparator.run(seconds=MOMENT)
    assert (rows[0].theirs, rows[0].ratio, rows[0].ok) == (None, None, None)
    assert "pip install 'wilddeck[peers]'" in printed(rows)


def test_a_peer_that_is_broken_is_not_called_missing() -> None:
    def broken() -> measure.Work:
        raise ValueError

    with pytest.raises(ValueError):
        peers.installed(broken)


@pytest.mark.long
def test_rates_of_a_game_without_peers() -> None:
    rows = throughput.rates(GAME, MOMENT, peers=False)
    assert len({row.name for row in rows}) == len(rows) == 7
    for row in rows[:4]:
        assert row.ours > 0
        assert row.theirs is row.target is row.ok is None
    assert [row.peer for row in rows[4:]] == ["1 thread", "SyncVectorEnv", "without"]
    assert all(row.name in printed(rows) for row in rows)


def test_work_counts_what_it_plays() -> None:
    batch = throughput.envs.make_batch(GAME, 8, seed=1)
    assert throughput.batch_steps(batch, 3)() == 24
    assert int(batch.states["move_count"].sum()) == 24
    assert throughput.rollout_steps(batch, 2)() == 16
    assert throughput.loop_steps(throughput.envs.env(GAME), 10)() >= 10


def test_loop_plays_whole_games() -> None:
    env = throughput.envs.raw_env(GAME)
    throughput.loop_steps(env, 1)()
    assert env.agents == []


def test_memory_is_that_of_records_and_arrays() -> None:
    row = throughput.memory(GAME)
    assert 1.0 <= row.ours <= throughput.MEMORY
    assert row.ok


def test_fresh_process() -> None:
    assert throughput.fresh_process("import time", "for _ in range(10): pass") < 5
    with pytest.raises(RuntimeError, match="no_such_module"):
        throughput.fresh_process("", "import no_such_module")


@pytest.mark.long
def test_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "comparator", "--json", "--seconds", "0.001", "--no-peers"]) == 0
    rows = json.loads(capsys.readouterr().out)
    units = {
        "skin_of_your_teeth": ["hands/s", "pairs/s"],
        "wild_escape": ["hands/s", "hands/s", "hands/s", "pairs/s"],
        "poker": ["hands/s"] * 6,
    }
    for game, expected in units.items():
        assert [Row(**row).unit for row in rows if row["game"] == game] == expected


def test_wild_hands_have_up_to_two_wilds() -> None:
    hands = comparator.wild_hands(3000)
    assert (hands.shape, hands.dtype) == ((3000, 5), np.int8)
    assert np.bincount((hands >= 52).sum(axis=1)).min() > 900
    assert (hands.min(), hands.max()) == (0, 53)


def test_random_hands_are_hands() -> None:
    hands = comparator.random_hands(100)
    assert hands.shape == (100, 5)
    assert all(len(set(hand)) == 5 and min(hand) >= 0 and max(hand) < 52 for hand in hands.tolist())


def test_unknown_game_is_refused_before_anything_is_measured() -> None:
    with pytest.raises(ValueError, match="no game 'bridge_v9'"):
        throughput.run(games=["bridge_v9"])


def test_data_sets_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    assert main(["bench", "data", "tennis", "--agent", "random", "--games", "8"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["game"] == GAME and said["decisions"] > 50 and said["small_bytes_per_decision"] > 0
    rates = [name for name in said if name.endswith("_per_second")]
    assert len(rates) == 7 and all(said[name] > 0 for name in rates)
