"""What tests of several folders use: cases from the registry, games played into the middle, child processes."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
import wilddeck
from wilddeck.agents.choices import Choices
from wilddeck.envs import game as find_game
from wilddeck.envs import registry
from wilddeck.envs.core import cards
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.game import Game
from wilddeck.envs.core.parts import ActionParts
from wilddeck.testing import cases as of_games
from wilddeck.testing.cases import Case as Case
from wilddeck.testing.cases import few as few
from wilddeck.testing.played import determinizations as determinizations
from wilddeck.testing.played import has_secrets as has_secrets
from wilddeck.testing.played import play_random as play_random
from wilddeck.testing.played import running as running
from wilddeck.testing.played import snapshot as snapshot
from wilddeck.testing.played import step_alike as step_alike

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
T = TypeVar("T")
WITHIN = 1200.0  # seconds for whatever must end or come true: many machines are shared, some ten times slower


@functools.cache
def cases() -> tuple[Case, ...]:
    """Every game with a few sets of options, in which every player count and every sample of every option occurs."""
    return tuple(case for game_id in wilddeck.games() for case in cases_of(game_id))


def short(values: Iterable[T], kept: Collection[T]) -> list[Any]:
    """Values of a parameter: tests of those that are not `kept` are long, which `make test` leaves to `make test-long`."""
    return [value if value in kept else pytest.param(value, marks=pytest.mark.long) for value in values]


def first_of(names: str | tuple[str, ...], values: Sequence[Any], ids: Any = None) -> Callable[..., Any]:
    """`pytest.mark.parametrize` for what differs little: the first in `make test`, the others too in `make test-long`."""
    others = [pytest.param(*(value if isinstance(names, tuple) else [value]), marks=pytest.mark.long) for value in values[1:]]
    return pytest.mark.parametrize(names, [values[0], *others], ids=ids)


def random_games(number: int, long: int) -> Callable[..., Any]:
    """Run a test with the `seeds` of so many random games; in `make test-long` with those of the others of `long`."""
    parts = [range(number), range(number, long)]
    return pytest.mark.parametrize("seeds", short(parts, parts[:1]), ids=["few", "others"])


@functools.cache
def cases_of(game_id: str) -> tuple[Case, ...]:
    """The cases of a game."""
    return tuple(of_games.cases_of(find_game(game_id)))


def each_case(function: Callable[..., None], number: int = 2) -> Callable[..., None]:
    """Run a test for every case: so many of each game, the others in `make test-long`."""
    sampled = [case for game_id in wilddeck.games() for case in short(cases_of(game_id), few(cases_of(game_id), number))]
    return pytest.mark.parametrize("case", sampled, ids=str)(function)


each_slow_case = functools.partial(each_case, number=1)  # the default options of each game, the others in `make test-long`


def few_games(function: Callable[..., None], number: int = 3) -> Callable[..., None]:
    """Run a test for the default options of every game: of so many of them, the others in `make test-long`."""
    defaults = [case for case in cases() if not case.options]
    return pytest.mark.parametrize("case", short(defaults, few(defaults, number)), ids=str)(function)


one_game = functools.partial(few_games, number=1)


def few_cases(function: Callable[..., None]) -> Callable[..., None]:
    """Run a test for every case: for the default options of a few games, all others in `make test-long`."""
    defaults = [case for case in cases() if not case.options]
    return pytest.mark.parametrize("case", short(cases(), few(defaults)), ids=str)(function)


def each_sample(function: Callable[..., None]) -> Callable[..., None]:
    """As `each_case`, for a test that takes a few cases, or the others, at once."""
    parts = []
    for game_id in wilddeck.games():
        kept = few(cases_of(game_id))
        others = [case for case in cases_of(game_id) if case not in kept]
        parts += [pytest.param(kept, id=f"{game_id}-few"), pytest.param(others, id=f"{game_id}-others", marks=pytest.mark.long)]
    return pytest.mark.parametrize("sample", parts)(function)


def each_game(function: Callable[..., None]) -> Callable[..., None]:
    """Run a test for the default options of every game."""
    return pytest.mark.parametrize("case", [case for case in cases() if not case.options], ids=str)(function)


def choices_of(labels: Sequence[str], gone: str = "") -> Choices:
    """What a person chooses from who is shown these labels, their cards told apart from `as` by a capital."""
    choices = []
    for label in labels:
        first = re.search(r"\b([2-9TJQKA]\b|\d|[2-9TJQKA][cdhs]\b|Jk)", label)
        ids = tuple(card for match in cards.IN_TEXT.finditer(label) for card in cards.parse(match[0]))
        choices.append(ActionParts(label, cards=ids, verb=label[: first.start()].strip() if first else label))
    return Choices(
        enumerate(choices), gone.split(), cards.ALIKE_JOKERS if any("Jk" in label for label in labels) else cards.EXTENDED
    )


def know(monkeypatch: pytest.MonkeyPatch, game: Game) -> None:
    """Have a game registered for a test."""
    monkeypatch.setitem(registry._places, game.id, "")
    monkeypatch.setitem(registry._objects, game.id, game)


def seen(env: CardGameEnv, seat: int, block: str) -> list[float]:
    """A block of the observation."""
    return env.observe(f"player_{seat}")["observation"][env.observation_layout[block]].tolist()


def see_anew(env: CardGameEnv) -> None:
    """What is legal and seen, after a test has written into the record; positions need not be such as play reaches.
    What happens is told from here on."""
    env.__setstate__({**env.__getstate__(), "actions": [], "start": env.record.tobytes()})


def begin_history(env: CardGameEnv) -> None:
    """The history of a position that a test has written into the record begins with it."""
    env._actions, env._start, env._history = [], env.record.tobytes(), None


def history_text(env: CardGameEnv, seat: int | None = None) -> list[str]:
    """The history of a seat, of None the truth, as text."""
    return [event.text() for event in env.history(None if seat is None else f"player_{seat}")]


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + WITHIN
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


def run_python(
    code: str, *arguments: str, stdin: str = "", within: float = WITHIN, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs Python code in a process of its own that finds this package and the modules of tests/, with so many seconds to
    end."""
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=stdin,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=within,
    )


def shortened(code: str, shorter: Mapping[str, str]) -> str:
    """A document's code with these replacements for shorter times; of every loop a second turn stays, where many fail."""
    for long, short in shorter.items():
        code = code.replace(long, short)
    assert all(int(turns) > 1 for turns in re.findall(r"in range\((\d+)\)", code)), "a loop of one turn shows too little"
    return code


def output_of(code: str, *arguments: str, within: float = WITHIN, **environment: str) -> str:
    """What a Python process prints; it must end well."""
    done = run_python(code, *arguments, within=within, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def subsets(number: int, size: int) -> np.ndarray:
    """All subsets of 0..number-1 in lexicographic order, [N, size]."""
    rows = np.arange(number, dtype=np.int8)[:, None]
    for _ in range(size - 1):
        last = rows[:, -1].astype(np.int64)
        counts = number - 1 - last
        begin = np.repeat(np.cumsum(counts) - counts, counts)
        following = np.arange(counts.sum()) - begin + np.repeat(last, counts) + 1
        rows = np.concatenate([np.repeat(rows, counts, axis=0), following[:, None].astype(np.int8)], axis=1)
    return rows
