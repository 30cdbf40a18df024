"""Speed and memory of the games, compared with other libraries if they are installed.

    wilddeck bench speed [GAME ...] [--json] [--seconds 1] [--no-peers]

Every rate counts players' decisions; its time includes deals, restarts and random choices, on both sides. Rounds of wilddeck
and of the other library alternate in one process on one thread. Targets are ratios, because the speed of machines varies.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import envs
from ..envs.core.batch import Batch
from ..envs.registration import registry_id
from . import peers as others
from .measure import Row, Work, compare, limit, of_game

PACKAGE = Path(__file__).resolve().parents[1]
NUM_GAMES = 1024
MANY_GAMES = 65_536
HISTORY, HISTORY_RATIO = 64, 1 / 3  # tokens, and the minimal speed of a batch with them relative to one without
FEW_GAMES = 8
THREADS = 2
APART = 100  # steps after which the games of a batch are out of sync; in sync, branches are easier to predict


class Targets(NamedTuple):
    """Minimal ratios to a peer; None if the project sets none.

    A game with both decks is measured with the standard deck, and the extended deck is compared with it. A game that OpenSpiel
    also has (`same`) is compared with OpenSpiel's, other games with OpenSpiel's spades and hearts.
    """

    batch: float | None = None  # to OpenSpiel from Python
    rollout: float | None = None  # to OpenSpiel's rollouts in C++
    threads: float | None = 1.8  # two threads to one
    wrapped: float | None = 3.0  # to PettingZoo's texas_holdem_v4
    raw: float | None = 4.0
    extended: float | None = None  # the extended deck to the standard one
    same: str = ""
    variant: str = ""  # the variant to measure


TARGETS = {
    "tennis_v0": Targets(batch=10.0, rollout=1.0),
    "skin_of_your_teeth_v0": Targets(batch=3.0),
    "skin_v0": Targets(batch=6.0),
    "wild_escape_v0": Targets(batch=2.0),
    "hearts_v0": Targets(batch=6.0, rollout=1.0, extended=0.6, same="hearts"),
    "spades_v0": Targets(batch=6.0, rollout=1.0, extended=0.6, same="spades"),
    "bridge_v0": Targets(batch=6.0, rollout=1.0, extended=0.6, same="bridge"),
    "president_v0": Targets(batch=3.0, extended=0.6),
    "crazy_eights_v0": Targets(batch=6.0, rollout=1.0, extended=0.6, same="crazy_eights"),
    "bluff_v0": Targets(batch=3.0, extended=0.6),
    "go_fish_v0": Targets(batch=6.0, extended=0.6, same="go_fish"),
    "old_maid_v0": Targets(batch=3.0, extended=0.6),
    "beggar_my_neighbor_v0": Targets(batch=1.5),  # a step is 32 cards of about 30 ns
    "egyptian_ratscrew_v0": Targets(batch=3.0),
    "blackjack_v0": Targets(batch=3.0),
    "baccarat_v0": Targets(batch=3.0),
    "poker_v0": Targets(batch=3.0),
    "rummy_v0": Targets(batch=20.0, rollout=5.0, extended=0.6, same="gin_rummy", variant="gin"),
    "dou_dizhu_v0": Targets(batch=10.0, rollout=1.0, same="dou_dizhu"),  # of examples/games
}
IMPORT_SECONDS, FIRST_STEP_SECONDS, COMPILE_SECONDS = 0.3, 1.0, 40.0
MEMORY = 1.05  # times the bytes of records and arrays


def run(games: Iterable[str] | None = None, seconds: float = 1.0, peers: bool = True) -> list[Row]:
    """All measurements; about two minutes with the defaults.

    Args:
        games: the ids of games; None: all.
        seconds: the time per rate and side.
        peers: also measure other libraries.
    """
    chosen = envs.game_ids() if games is None else tuple(games)
    for game_id in chosen:
        envs.game(game_id)  # raises for an unknown game before anything is measured
    rows = [import_time()]
    for game_id in chosen:
        rows += rates(game_id, seconds, peers)
        rows += of_game(game_id, [first_step(game_id), compile_time(game_id), memory(game_id)])
    return rows


def rates(game_id: str, seconds: float, peers: bool) -> list[Row]:
    """Steps per second of a game: in batches, in rollouts, on two threads, and in a single environment."""
    targets = TARGETS.get(game_id, Targets())

    def beside(title: str, ours: Work, peer: str, prepare: Any, target: float | None) -> Row:
        if not peers:
            return compare(title, "steps/s", ours, "", None, None, seconds)
        return compare(title, "steps/s", ours, peer, others.installed(prepare), target, seconds)

    standard = {"deck": "standard"} if targets.extended else {}
    batch = apart(game_id, **standard, **({"variant": targets.variant} if targets.variant else {}))
    stepped, rolled = targets.same or "spades", targets.same or "hearts"
    by_step, by_rollout = partial(others.openspiel_steps, stepped), partial(others.openspiel_rollouts, rolled)
    rows = [
        beside("batch step", batch_steps(batch), f"OpenSpiel {stepped}, Python", by_step, targets.batch),
        beside("rollout", rollout_steps(batch), f"OpenSpiel {rolled}, C++", by_rollout, targets.rollout),
    ]
    if targets.extended:
        extended, least = apart(game_id), targets.extended
        batch = apart(game_id, **standard) if targets.variant else batch
        for title, work in (("batch step, extended", batch_steps), ("rollout, extended", rollout_steps)):
            rows.append(compare(title, "steps/s", work(extended), "the standard deck", work(batch), least, seconds))
    rows += [
        beside("env()", loop_steps(envs.env(game_id)), "texas_holdem_v4 env()", lambda: texas(False), targets.wrapped),
        beside("raw_env()", loop_steps(envs.raw_env(game_id)), "texas_holdem_v4 raw_env()", lambda: texas(True), targets.raw),
        two_threads(game_id, targets.threads, seconds),
        vectors(game_id, seconds),
        history_steps(game_id, seconds),
    ]
    return of_game(game_id, rows)


def apart(game_id: str, **options: Any) -> Batch:
    """A batch whose games are out of sync."""
    batch = envs.make_batch(game_id, NUM_GAMES, seed=1, **options)
    batch.rollout(APART)
    return batch


def history_steps(game_id: str, seconds: float) -> Row:
    """Batch steps with histories, compared with steps without."""
    telling, silent = (envs.make_batch(game_id, NUM_GAMES, seed=1, history=history) for history in (HISTORY, 0))
    for batch in (telling, silent):
        batch_steps(batch, APART)()
    title = f"batch step, history={HISTORY}"
    return compare(title, "steps/s", batch_steps(telling), "without", batch_steps(silent), HISTORY_RATIO, seconds)


def texas(raw: bool) -> Work:
    return loop_steps(others.texas_holdem(raw))


def two_threads(game_id: str, target: float | None, seconds: float) -> Row:
    """Batch steps of many games on two threads, compared with one; not judged if the machine has no second free core."""
    many, one = (envs.make_batch(game_id, MANY_GAMES, seed=1, threads=threads) for threads in (THREADS, 1))
    many.rollout(APART)
    one.restore(many.states)
    before = spare_threads()
    title = f"{THREADS} threads, {MANY_GAMES:,} games"
    row = compare(title, "steps/s", batch_steps(many, 1), "1 thread", batch_steps(one, 1), target, seconds, time.perf_counter)
    many.close()
    spare = min(before, spare_threads())
    if row.ok is False and target is not None and spare < target:
        return dataclasses.replace(row, ok=None, note=f"the machine is busy: hashing on {THREADS} threads gains {spare:.2f}")
    return row


def vectors(game_id: str, seconds: float) -> Row:
    """Decisions of one seat among random players: the compiled Gymnasium vector environment, compared with single ones."""
    import gymnasium

    name = registry_id(game_id)
    many = gymnasium.make_vec(name, num_envs=NUM_GAMES, opponents="random")
    few = gymnasium.make_vec(name, num_envs=FEW_GAMES, vectorization_mode="sync", opponents="random")
    return compare("make_vec", "steps/s", vector_steps(many), "SyncVectorEnv", vector_steps(few), None, seconds)


def vector_steps(vector: Any, steps: int = 20) -> Work:
    """Random legal play of the learner's seats, from the masks in the infos."""
    rng = np.random.default_rng(1)
    infos = [vector.reset(seed=1)[1]]

    def work() -> int:
        for _ in range(steps):
            mask = infos[0]["action_mask"]
            actions = (mask * rng.random(mask.shape, np.float32)).argmax(axis=1)
            infos[0] = vector.step(actions)[-1]
        return steps * vector.num_envs

    return work


def spare_threads() -> float:
    """The current speedup of independent work on two threads over one."""
    block = bytes(2**24)

    def seconds(threads: int) -> float:
        begin = time.perf_counter()
        others = [threading.Thread(target=hashlib.sha256, args=(block,)) for _ in range(threads - 1)]
        for other in others:
            other.start()
        hashlib.sha256(block)
        for other in others:
            other.join()
        return time.perf_counter() - begin

    seconds(1)
    return statistics.median(THREADS * seconds(1) / seconds(THREADS) for _ in range(5))


def batch_steps(batch: Any, steps: int = 20) -> Work:
    """Random legal play of a batch, with observation and mask of every row in every step."""

    def work() -> int:
        for _ in range(steps):
            batch.step(batch.random_actions())
        return steps * len(batch)

    return work


def rollout_steps(batch: Any, steps: int = 100) -> Work:
    """Random legal play inside compiled code, without observations."""
    return lambda: batch.rollout(steps).steps


def loop_steps(env: Any, steps: int = 200) -> Work:
    """PettingZoo's loop, `last()` and `step()`, with random legal actions; the same for wilddeck and its peer.

    The environment is seeded once: RLCard makes a new game for every seed, which would take most of its time.
    """
    chance = random.Random(1).random
    env.reset(seed=1)

    def work() -> int:
        done = 0
        while done < steps:
            env.reset()
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = observation["action_mask"].view(np.bool_).nonzero()[0]
                env.step(int(legal[int(chance() * len(legal))]))
                done += 1
        return done

    return work


# --- fresh processes ---

_FIRST_STEP = """
env = wilddeck.make({game!r})
env.reset(seed=1)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""
_ALL = """
batch = wilddeck.make_batch({game!r}, 64, seed=1)
batch.step(batch.random_actions())
batch.rollout(4)
"""


def fresh_process(before: str, timed: str, **environment: str) -> float:
    """The CPU time in seconds of the lines `timed` in a fresh process, after the lines `before`."""
    lines = ["import time", before, "begin = time.process_time()", timed, "print(time.process_time() - begin)"]
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]))
    child = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if child.returncode:
        raise RuntimeError(f"a fresh process failed: {child.stderr.strip()[-500:]}")
    return float(child.stdout.splitlines()[-1])


def import_time() -> Row:
    """The time to import wilddeck: the best of five, after one that fills the disk cache."""
    times = [fresh_process("", "import wilddeck") for _ in range(6)]
    return limit("import wilddeck", "s", min(times[1:]), IMPORT_SECONDS)


def first_step(game_id: str) -> Row:
    """The time from `make` to the end of the first step, with cached kernels: the best of three."""
    times = [fresh_process("import wilddeck", _FIRST_STEP.format(game=game_id)) for _ in range(4)]
    return limit("first step, cached", "s", min(times[1:]), FIRST_STEP_SECONDS)


def compile_time(game_id: str) -> Row:
    """The time of a first step, a batch step and a rollout with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = fresh_process("import wilddeck", (_FIRST_STEP + _ALL).format(game=game_id), NUMBA_CACHE_DIR=folder)
    return limit("cold compile", "s", seconds, COMPILE_SECONDS)


def memory(game_id: str) -> Row:
    """The memory of a batch after some steps, in multiples of its records and observation arrays."""
    batch_steps(envs.make_batch(game_id, 2, seed=1), 1)()  # loading the kernels is not the batch's memory
    tracemalloc.start()
    try:
        batch = envs.make_batch(game_id, NUM_GAMES * 16, seed=1)
        arrays = (batch.states, batch.observation, batch.action_mask, batch.current_player, batch.rewards)
        for _ in range(50):
            batch.step(batch.random_actions())
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    array_bytes = sum(array.nbytes for array in (*arrays, batch.terminated, batch.truncated))
    return limit(
        "memory of a batch",
        "x arrays",
        used / array_bytes,
        MEMORY,
        f"{used / len(batch):,.0f} bytes per game, including {batch.states.itemsize} for the record",
    )
