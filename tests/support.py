"""What tests of several folders use: cases from the registry, games played into the middle, child processes."""

from __future__ import annotations

import functools
import itertools
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pytest
import wilddeck
from wilddeck.agents.choices import Choices
from wilddeck.envs import game as find_game
from wilddeck.envs import registry
from wilddeck.envs.core import cards
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.batch import Batch, game_kernels
from wilddeck.envs.core.game import Game, as_records
from wilddeck.envs.core.parallel import CardGameParallelEnv
from wilddeck.envs.core.parts import ActionParts
from wilddeck.envs.core.rng import start_stream

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
T = TypeVar("T")


class Case(NamedTuple):
    """A game with options that differ from the defaults."""

    game_id: str
    options: tuple[tuple[str, Any], ...]
    seed: int

    @property
    def game(self) -> Game:
        return find_game(self.game_id)

    def raw(self, **changes: Any) -> CardGameEnv:
        return wilddeck.envs.raw_env(self.game_id, **dict(self.options), **changes)

    def wrapped(self, **changes: Any) -> Any:
        return wilddeck.make(self.game_id, **dict(self.options), **changes)

    def parallel(self, **changes: Any) -> CardGameParallelEnv:
        return wilddeck.envs.parallel_env(self.game_id, **dict(self.options), **changes)

    def batch(self, num_games: int, seed: int | None = None, threads: int = 1) -> Batch:
        return wilddeck.make_batch(self.game_id, num_games, seed, threads, **dict(self.options))

    def __str__(self) -> str:
        return "-".join([self.game_id, *(f"{name}={value}" for name, value in self.options)])


@functools.cache
def cases() -> tuple[Case, ...]:
    """Every game with a few sets of options, in which every player count and every sample of every option occurs."""
    cases_found = []
    for game_id in wilddeck.games():
        options = find_game(game_id).options
        defaults = vars(options())
        for number, sample in enumerate(options.samples()):
            changed = tuple((name, value) for name, value in vars(sample).items() if value != defaults[name])
            cases_found.append(Case(game_id, changed, 100 + number))
    return tuple(cases_found)


def few(values: Sequence[T], number: int = 3) -> list[T]:
    """So many of them: the first, the last and others between."""
    return [values[round(place)] for place in np.linspace(0, len(values) - 1, min(number, len(values)))]


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


def step_alike(batch: Any, envs: Iterable[CardGameEnv]) -> None:
    """A random step of a batch, and the same of single games, which begin anew where one ends."""
    actions = batch.random_actions()
    batch.step(actions)
    for env, action in zip(envs, actions, strict=True):
        env.step(action)
        if env.is_over:
            env.reset()


@functools.cache
def cases_of(game_id: str) -> tuple[Case, ...]:
    """The cases of a game."""
    return tuple(case for case in cases() if case.game_id == game_id)


def each_case(function: Callable[..., None], number: int = 2) -> Callable[..., None]:
    """Run a test for every case: so many of each game, the others in `make test-long`."""
    sampled = [case for game_id in wilddeck.games() for case in short(cases_of(game_id), few(cases_of(game_id), number))]
    return pytest.mark.parametrize("case", sampled, ids=str)(function)


each_slow_case = functools.partial(each_case, number=1)  # the default options of each game, the others in `make test-long`


def few_games(function: Callable[..., None]) -> Callable[..., None]:
    """Run a test for the default options of every game: of a few of them, the others in `make test-long`."""
    defaults = [case for case in cases() if not case.options]
    return pytest.mark.parametrize("case", short(defaults, few(defaults)), ids=str)(function)


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
    return Choices(enumerate(choices), gone.split())


def know(monkeypatch: pytest.MonkeyPatch, game: Game) -> None:
    """Have a game registered for a test."""
    monkeypatch.setitem(registry._places, game.id, "")
    monkeypatch.setitem(registry._objects, game.id, game)


@functools.cache
def actions_of(case: Case) -> tuple[int, ...]:
    """The actions of a whole random game of a case."""
    env = case.raw()
    env.reset(seed=case.seed)
    draw = random.Random(case.seed)
    actions = []
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        action = draw.choice(env.legal_actions())
        env.step(action)
        actions.append(action)
    return tuple(actions)


@functools.cache
def moments(case: Case) -> tuple[CardGameEnv, ...]:
    """About forty moments of a random game: its beginning, its last steps, its end, what follows a new deal, and others
    between. Do not play them on: take clones."""
    actions = actions_of(case)
    numbers = {*range(12), *range(len(actions) - 6, len(actions) + 1), *range(0, len(actions), len(actions) // 20 + 1)}
    env = case.raw()
    env.reset(seed=case.seed)
    games = [env.clone()]
    deals = 1
    for number, action in enumerate(actions, 1):
        env.step(action)
        dealt = int(env.record["deals"][0])
        if number in numbers or (dealt != deals and len(games) < 60):
            games.append(env.clone())
        deals = dealt
    return tuple(games)


@functools.cache
def has_secrets(case: Case) -> bool:
    """Whether a player sees cards that another does not, in any of those moments."""
    return any(env.zones(one) != env.zones(env.possible_agents[0]) for env in moments(case) for one in env.possible_agents[1:])


def running(case: Case) -> tuple[CardGameEnv, ...]:
    """The moments at which somebody is to move."""
    return tuple(env for env in moments(case) if env.legal_actions())


@functools.cache
def remembering(case: Case) -> tuple[CardGameEnv, ...]:
    """The same, with their histories, which playing interpreted rules finds: each goes on with that of the one before."""
    envs = running(case)
    for env, following in itertools.pairwise(envs):
        env.history()
        following._history = env._history and env._history.copy()
    return envs


def play_random(env: Any, seed: int, steps: int) -> Iterator[int]:
    """Plays up to `steps` random legal actions and the dead agents' None; yields the action after each step."""
    draw = random.Random(seed)
    for _ in range(steps):
        if not env.agents:
            return
        legal = env.unwrapped.legal_actions()
        action = draw.choice(legal) if legal else None
        env.step(action)
        yield -1 if action is None else action


def first_deck(env: CardGameEnv, seed: int) -> list[int]:
    """The deck, as shuffled, of the first deal of the game that `reset(seed=seed)` starts."""
    record = as_records(env.game.template(env.options)).view(np.recarray)
    record["seed"] = np.uint64(seed)
    start_stream(record[0], np.uint64(0))
    env.game.functions["deal"](record[0])
    return record["deck"][0][: len(env.game.deck(env.options))].tolist()


def determinizations(env: CardGameEnv, seat: int, seeds: list[int] | range, of: np.ndarray | None = None) -> np.ndarray:
    """Records of `env` (or `of`, one record) determinized for a seat, one a seed."""
    records = as_records(np.repeat(env.record if of is None else of, len(seeds)))
    numbers = np.array([(seed % 2**64, seed >> 64) for seed in seeds], np.uint64)
    game_kernels(env.game)["determinize_games"](records, seat, numbers)
    return records.view(np.ndarray)


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


def snapshot(env: Any) -> dict[str, Any]:
    """Everything that can be asked of a game in progress, for comparison."""
    raw = env.unwrapped
    seen = {agent: raw.observe(agent) for agent in raw.possible_agents}
    return {
        "record": raw.record.tobytes(),
        "state": raw.state().tobytes(),
        "agents": list(env.agents),
        "selected": env.agent_selection,
        "rewards": dict(env.rewards),
        "terminations": dict(env.terminations),
        "truncations": dict(env.truncations),
        "infos": {agent: {name: value.tolist() for name, value in info.items()} for agent, info in env.infos.items()},
        "cumulative": dict(env._cumulative_rewards),
        "observations": {agent: (view["observation"].tobytes(), view["action_mask"].tobytes()) for agent, view in seen.items()},
        "legal": raw.legal_actions(),
        "zones": raw.zones(),
        "describe": raw.describe(),
        "options": raw.options,
    }


def run_python(
    code: str, *arguments: str, stdin: str = "", within: float = 240, **environment: str
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


def output_of(code: str, *arguments: str, within: float = 240, **environment: str) -> str:
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
