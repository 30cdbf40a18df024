"""Where somebody waits, kernels are interpreted until a process beside has compiled them."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wilddeck
from support import first_of, run_python
from wilddeck.agents import rules
from wilddeck.agents.base import _bound
from wilddeck.envs.core import beside, rng
from wilddeck.envs.core.batch import game_kernels
from wilddeck.envs.core.jit import begin_interpreted, device_function, interpreted_here, only_interpreted
from wilddeck.envs.core.reached import code_stamp

SCRIPT = """
import sys, threading, time
import numpy as np
from wilddeck.envs.core import beside, kernels
from wilddeck.envs.core.jit import begin_interpreted

def play():
    mask, noise, actions = np.ones((3, 20), np.uint8), np.arange(3, dtype=np.uint64), np.zeros(3, np.int64)
    kernels.random_actions(mask, noise, actions)
    return actions.tolist()

BREAK
seen = []
beside.listeners.add(lambda: seen.append(beside.progress()))
with begin_interpreted():
    first, begun = play(), beside.progress()
    while beside.progress() is not None:
        time.sleep(0.05)
    again = play()
program = kernels.random_actions.program
print(begun and begun.name, begun and begun.total, sum(program.stats.cache_hits.values()), len(program.overloads))
assert (begun is None) == (seen == [])
assert first == again == play()
"""


FULL = """
from pathlib import Path
def write_bytes(self, data):
    raise OSError(28, "No space left on device")
Path.write_bytes = write_bytes
"""


def run(cache: Path, spoil: str = "") -> list[str]:
    done = run_python(SCRIPT.replace("BREAK", spoil), NUMBA_CACHE_DIR=str(cache))
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_kernel_is_interpreted_until_it_is_compiled_beside(tmp_path: Path) -> None:
    assert run(tmp_path) == ["random_actions", "1", "1", "1"]
    assert run(tmp_path) == ["None", "None", "1", "1"]  # kept: nothing is started


@first_of("spoil", [FULL, "raise SystemExit\n"], ids=["full disk", "no process"])
def test_rules_stay_interpreted_where_no_program_can_be_made_or_kept(tmp_path: Path, spoil: str) -> None:
    assert run(tmp_path, f"beside._CHILD = {spoil!r} + beside._CHILD") == ["random_actions", "1", "0", "0"]


@pytest.mark.long
def test_what_is_not_light_waits_for_its_program(tmp_path: Path) -> None:
    code = """
from wilddeck.agents import make
from wilddeck.agents.views import Views
from wilddeck.envs.core.jit import begin_interpreted
import numpy as np, wilddeck
from wilddeck.agents.network import network_actions
agent, env = make("trained", "tennis_v0"), wilddeck.make("tennis_v0").unwrapped
with begin_interpreted():
    views = Views.of(np.zeros((1, env.observation_size), np.float32), np.ones((1, env.num_actions), np.uint8))
    actions = agent.act_batch(views, np.random.default_rng(0))
print(sum(network_actions.stats.cache_hits.values()), sum(network_actions.stats.cache_misses.values()))
"""
    done = run_python(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout.split() == ["1", "0"], done.stderr
    assert "compiling network_actions" in done.stderr


def test_every_game_and_player_can_be_compiled_beside() -> None:
    """Another process finds what is to be compiled by its name."""
    for game in map(wilddeck.envs.game, wilddeck.games()):
        bound = [game_kernels(game)["step_single"], *(_bound(policy) for policy in rules.policies(game))]
        for kernel in bound:
            again = pickle.loads(pickle.dumps(kernel))
            assert code_stamp(again) == code_stamp(kernel)


def test_batches_run_interpreted_too() -> None:
    def played() -> tuple[object, ...]:
        batch = wilddeck.make_batch("tennis_v0", num_games=3, seed=1, threads=2)
        batch.step(batch.random_actions())
        steps, games, returns = batch.rollout(20)
        return batch.states.tobytes(), batch.observation.tobytes(), steps, games, returns.tobytes()

    with only_interpreted():
        interpreted = played()
    assert interpreted == played()


@device_function
def double(x):  # type: ignore[no-untyped-def]
    return 2 * x


def around() -> Any:
    """A device function that calls others in all ways: by name, of a module, of the function around it."""
    inner = double

    @device_function
    def quadruple(x):  # type: ignore[no-untyped-def]
        return inner(double(x)) + rng.mix(x) * np.uint64(0)

    return quadruple


def test_interpreted_rules_call_interpreted_rules() -> None:
    function = around()
    called = [function.program.overloads, double.program.overloads, rng.mix.program.overloads]
    before = [len(programs) for programs in called]  # other tests may have called the last
    with only_interpreted():
        assert function(np.uint64(3)) == 12
    assert [len(programs) for programs in called] == before and before[:2] == [0, 0]


def test_threads_leave_in_any_order() -> None:
    first, second = only_interpreted(), begin_interpreted()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert beside.begins_interpreted()
    second.__exit__(None, None, None)
    assert beside.switch.mode == beside.COMPILED


def test_a_thread_interprets_alone() -> None:
    function = around()
    called = function.program.overloads
    with ThreadPoolExecutor(1) as other, interpreted_here():
        assert function(np.uint64(3)) == 12 and not called
        function._is_there = True  # or it would be compiled beside
        assert other.submit(function, np.uint64(3)).result() == 12 and called
