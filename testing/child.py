"""The parts of checks that run in their own processes: games in code that checks every index, interpreted games with poisoned
global random generators, and samplers that might never terminate.

A task is a pickled tuple of arguments of one of the functions of `TASKS`; games are imported by their module and name.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..envs.core.jit import device_function, only_interpreted
from ..envs.core.kernels import random_choice
from .cases import Case
from .checks import CheckError, fail, failure, place_in
from .played import determinizations

STEPS = 4  # played from a saved game
GAMES, CHECKED_STEPS = 8, 4000  # in code that checks indices
SAMPLED_STEPS = 150
_FRAME = re.compile(r'File "(.*)", line (\d+), in (\w+)\n((?:(?!  File ).*\n?)*)')
_DONE = b"done: a task"
WHAT = "an observation, label or sample"


def run(task: str, arguments: Iterable[tuple[Any, ...]], within: float = 240, **environment: str) -> list[Any]:
    """The results of a function of `TASKS` for each of these arguments, in a process with these environment variables.

    Raises:
        CheckError: the process fails (with its last line), or does not end within this number of seconds.
    """
    cases = [part for task_arguments in arguments for part in task_arguments if isinstance(part, Case)]
    send = [(task, *of_task) for of_task in arguments]
    for case in cases:
        _check_importable(case)
    code = f"import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {__name__} import main; main()"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, json.dumps(sys.path)],
            input=pickle.dumps(send),
            env={**os.environ, **environment},
            capture_output=True,
            timeout=within,
        )
    except subprocess.TimeoutExpired as expired:
        said = (expired.stderr or b"").decode(errors="replace").strip().splitlines()
        fail(f"did not end within {within:g} s; the last output of its process: {said[-1] if said else 'none'}")
    if done.returncode:
        done_tasks = [line for line in done.stderr.splitlines() if line.startswith(_DONE)]
        raise _failure(send[len(done_tasks)][1], done.stderr.decode(errors="replace"))
    return pickle.loads(bytes.fromhex(done.stdout.split()[-1].decode()))


def _check_importable(case: Case) -> None:
    try:
        module = case.game.__reduce__()[1][0]
    except pickle.PicklingError as error:
        fail(f"this check runs in a process of its own, and {error}")
    if module == "__main__":
        fail("its process cannot import __main__: put the game into a module (my_game.py) and import it")


def _failure(case: Case, traceback: str) -> CheckError:
    """The error of a case whose process ended with this traceback."""
    compiling = traceback.rpartition("CompileError: ")[2]
    if compiling != traceback:
        return CheckError(f"{compiling.strip()} [{case}]")
    *_, (file, line, name, rest) = [("", "0", "", traceback), *_FRAME.findall(traceback)]
    shown = [part.strip() for part in rest.strip().splitlines() if part.strip(" ~^")]
    wrong = f"{shown[-1]}, by {shown[0]!r}" if shown else "the process ended without output"
    return failure(case, name, place_in(file, int(line)), wrong)


def main() -> None:
    answers = []
    for name, *arguments in pickle.load(sys.stdin.buffer):
        answers.append(TASKS[name](*arguments))
        sys.stderr.buffer.write(_DONE + b"\n")
    print(pickle.dumps(answers).hex())


# --- interpreted, with poisoned generators ---


def report(case: Case, saves: Sequence[bytes]) -> list[tuple[str, str]]:
    """Digests of the steps after each saved game (state, observations and determinizations), and of a stepped batch. Games are
    pickled states, because a save is replayed on loading, which takes interpreted rules a second."""
    env = case.raw()
    lines: list[tuple[str, str]] = []

    def note(when: str) -> None:
        digest = hashlib.sha256(env.record.tobytes())
        for seat in {env.current_player, len(lines) % env.num_players}:
            agent = f"player_{seat}"
            seen = env.observe(agent)
            for part in (seen["observation"], seen["action_mask"], env.determinize(agent, 17 + seat).record):
                digest.update(part.tobytes())
        digest.update(repr((env.facts(), env.zones(), [env.action_label(a) for a in env.legal_actions()[:20]])).encode())
        digest.update(repr((env.agent_selection, env.rewards, env.terminations)).encode())
        lines.append((when, digest.hexdigest()[:16]))

    for number, save in enumerate(saves):
        draw = random.Random(number)
        env.__setstate__(pickle.loads(save))
        for step in range(STEPS):
            note(f"{len(env._actions)} moves")
            legal = env.legal_actions()
            if not legal:
                break
            env.step(draw.choice(legal))
            if _poisoned:
                poison(step)
        env.reset(seed=number)
        note(f"reset(seed={number})")
    return [*lines, ("8 steps of a batch", _batch_digest(case, 8))]


def _batch_digest(case: Case, steps: int) -> str:
    digest = hashlib.sha256()
    batch = case.batch(2, seed=5)
    for _ in range(steps):
        batch.step(batch.random_actions())
        for part in (batch.observation, batch.action_mask, batch.rewards, batch.terminated, batch.current_player):
            digest.update(part.tobytes())
    digest.update(batch.states.tobytes())
    return digest.hexdigest()[:16]


_poisoned: list[int] = []


def poison(number: int) -> None:
    """Change all global random generators, which must make no difference."""
    random.seed(number)
    np.random.seed(number)  # the global generator, which no game may use


def _report_poisoned(*arguments: Any) -> list[tuple[str, str]]:
    _poisoned.append(1)
    poison(20261121)
    return report(*arguments)


# --- code that checks every index, as NUMBA_BOUNDSCHECK=1 makes it ---


@device_function
def observing_policy(observation, mask, num_players, noise):  # type: ignore[no-untyped-def]
    """A random legal action; unlike the policy "random" it gets an observation."""
    return random_choice(mask, noise)


def play(case: Case) -> None:
    """Raises IndexError if a rule uses an index that is out of bounds. Only code that advances games is compiled."""
    with only_interpreted():
        batch, again = (case.batch(GAMES, seed=1) for _ in range(2))
    try:
        batch.rollout(CHECKED_STEPS, policy=observing_policy)
    except IndexError:
        with only_interpreted():
            again.rollout(CHECKED_STEPS, policy=observing_policy)  # says where
        raise


# --- samplers ---


def sample(case: Case) -> None:
    """Sample in many states of short random games, for every seat; the games depend on the case's seed."""
    env, draw = case.raw(), random.Random(case.seed)
    env.reset(seed=case.seed)
    for step in range(SAMPLED_STEPS):
        legal = env.legal_actions()
        if not legal:
            break
        if step < 30 or step % 4 == 0:
            for seat in range(env.num_players):
                print(f"determinize for player_{seat} of {case}, seed {case.seed}, move {step}", file=sys.stderr)
                determinizations(env, seat, [step, step + 1])
        env.step(draw.choice(legal))


TASKS: dict[str, Any] = {"report": _report_poisoned, "play": play, "sample": sample}
