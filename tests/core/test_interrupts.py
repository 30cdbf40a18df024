"""Long work answers Ctrl-C: it is done in pieces, and Python looks for signals between them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import wilddeck
from support import output_of, short
from wilddeck import agents
from wilddeck.agents import base, search
from wilddeck.agents.base import View
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core import batch as batches
from wilddeck.envs.core.batch import Batch, game_kernels, policy_kernels, slices

TENNIS = find_game("tennis_v0")


def test_slices_cover_all_in_order() -> None:
    assert [range(20)[part] for part in slices(3, 10, 4)] == [range(3, 7), range(7, 10)]
    assert list(slices(5, 5, 4)) == []


def rolled(size: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    monkeypatch.setattr(batches, "_STEPS", size)
    batch = wilddeck.make_batch("tennis_v0", 5, seed=4, threads=threads)
    result = batch.rollout(300)
    arrays = (result.returns, batch.states, batch.observation, batch.random_actions())
    return result.games, *(array.tobytes() for array in arrays)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_rollout_in_pieces_is_the_same(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rolled(10**9, threads, monkeypatch)
    for size in (1, 7, 299, 300, 601):
        assert rolled(size, threads, monkeypatch) == whole


def test_pieces_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """No compiled call gets more steps, samples or playouts than can be waited for."""
    largest = {"rollout_games": 0, "determinize_games": 0, "playout_games": 0}

    def watched(kernels: dict[str, Any], name: str, size: Any) -> None:
        kernel = kernels[name]

        def call(*arguments: Any) -> Any:
            largest[name] = max(largest[name], size(arguments))
            return kernel(*arguments)

        monkeypatch.setitem(kernels, name, call)

    watched(policy_kernels(TENNIS, "random"), "rollout_games", lambda arguments: len(arguments[0]) * arguments[3])
    watched(policy_kernels(TENNIS, "random"), "playout_games", lambda arguments: len(arguments[0]))
    watched(game_kernels(TENNIS), "determinize_games", lambda arguments: len(arguments[0]))
    wilddeck.make_batch("tennis_v0", 3, seed=1).rollout(20_000)
    wilddeck.make_batch("tennis_v0", 300, seed=1).rollout(100)
    env = raw_env("tennis_v0")
    env.reset(seed=1)
    view = View.of(env)
    agents.make("mc:rollouts=600", TENNIS, env.options).act(view, np.random.default_rng(1))
    samples = view.sample(1000, seed=3)
    assert largest == {"rollout_games": batches._STEPS, "determinize_games": base._SAMPLES, "playout_games": search._PLAYOUTS}
    assert np.array_equal(samples[700:710], view.sample(1000, seed=3)[700:710])
    assert samples[:300].tobytes() == view.sample(300, seed=3).tobytes()


@pytest.mark.parametrize("threads", short([1, 3], [3]))
def test_an_interrupted_rollout_ends_and_the_batch_goes_on(threads: int) -> None:
    """A real signal, in a process that would otherwise play for days."""
    assert output_of(_ENDLESS, str(threads)) == "interrupted\n"


_ENDLESS = """
import os, signal, sys, threading
import numpy as np
import wilddeck

batch = wilddeck.make_batch("tennis_v0", 6, seed=1, threads=int(sys.argv[1]))
batch.rollout(10)
before = batch.states.copy()
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    batch.rollout(10**11)
except KeyboardInterrupt:
    stands = batch.states.copy()
    shown = batch.observation.copy()
    batch.restore(stands)
    assert (batch.observation == shown).all(), "the arrays show where the games stand"
    assert (batch.states == stands).all(), "no thread plays on"
    assert (before != stands).any()
    batch.step(batch.random_actions())
    print("interrupted")
"""


def test_an_interrupt_stops_the_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    batch: Batch = wilddeck.make_batch("tennis_v0", 4, seed=1, threads=2)
    kernel, calls, other = policy_kernels(TENNIS, "random")["rollout_games"], [], threading.Event()

    def interrupted(states: Any, *arguments: Any) -> Any:
        calls.append(threading.current_thread())
        if threading.current_thread() is not threading.main_thread():
            other.set()
        elif calls.count(threading.main_thread()) == 3:
            assert other.wait(60)
            raise KeyboardInterrupt
        return kernel(states, *arguments)

    monkeypatch.setitem(policy_kernels(TENNIS, "random"), "rollout_games", interrupted)
    with pytest.raises(KeyboardInterrupt):
        batch.rollout(10**11)
    stands = len(calls)
    assert len(set(calls)) == 2
    assert batch.step(batch.random_actions()) is None
    assert len(calls) == stands
