"""A population: a learner, and exploiters that learn to beat it, each in a process of a Ray cluster (extra `ray`) or all here.

    from wilddeck.training.population import train_population
    train_population("tennis_v0", out="runs/population", exploiters=2, max_seconds=600, executor="ray")

It goes in rounds. In each, every member learns from some thousand decisions, against the others as they were when it began:

- the learner against itself (`self_play_prob` of its games), else past selves and all exploiters, by what they win;
- an exploiter against the learner alone. After `generation` rounds its weights stay among the learner's opponents, and another
  begins in its place, from nothing or, every second time, from the learner's weights.

So what self-play forgets, or has never met, comes back as an opponent. A round of a member is one call without memory: its
state and the opponents' weights come and go by Ray's object store, and what is lost with a node is computed again.

    settings.json            what decides the run
    population.csv           a line a round and member
    agent.safetensors        the learner
    exploiter-<n>.safetensors   those that are playing when the run ends
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import envs
from ..agents import learned
from ..agents.learned import LearnedAgent
from ..envs.core.files import write_atomically
from ..envs.core.game import Game, Options
from . import cluster
from .clock import Clock
from .log import CsvLog, progress_bar
from .ppo import PPO
from .settings import Settings
from .train import beginning_agent, check_memory, fixed_agents, measured_scale

# A mixed player is what a population is for, and what it is made of: the learner samples, also when it is written.
DEFAULTS: dict[str, Any] = {
    "self_play_prob": 0.2,
    "past_policy_prob": 1.0,
    "fixed_opponents": (),
    "eval_opponents": (),
    "snapshots": 16,
    "greedy": False,
    "threads": 1,
    "device": "cpu",
}
_COLUMNS = ("steps", "seconds", "round", "member", "opponents", "mean_return", "entropy", "approx_kl")


@dataclass(frozen=True)
class Population:
    """A finished run: the learner's weights, those of the exploiters, decisions of the learner and of all, and seconds
    from the end of the first round on."""

    weights: Path
    exploiters: tuple[Path, ...]
    steps: int
    all_steps: int
    seconds: float


class _State(NamedTuple):
    """A member between two rounds: what its learner saves, and the results against opponents by their names."""

    about: dict[str, Any]
    arrays: dict[str, np.ndarray]
    results: dict[str, tuple[float, float]]


class _Rounds(NamedTuple):
    """How a population learns."""

    exploiters: int = 2
    round_steps: int = 100_000
    generation: int = 4


class _Round(NamedTuple):
    """What a member is told."""

    game: Game
    options: Options
    settings: Settings
    scale: float
    steps: int  # to be learned from
    left: float  # the share of the run still to come


class _Told(NamedTuple):
    """What a member tells of its round."""

    steps: int
    measures: dict[str, Any]


def learn(
    task: _Round, state: _State | None, begin: LearnedAgent | None, names: tuple[str, ...], *players: LearnedAgent
) -> tuple[_State, LearnedAgent, _Told]:
    """A round of a member, against players of these names: its state and its weights after it."""
    game, options, settings = task.game, task.options, task.settings
    fixed = fixed_agents(settings.fixed_opponents, game, options)
    beginning = begin or beginning_agent(settings, game, options)
    learner = PPO(settings, game, options, fixed, beginning, task.scale, lambda: task.left)
    try:
        known = (*settings.fixed_opponents, *names)
        if state is None:
            learner.set_snapshots(list(players))
        else:
            results = np.array([state.results.get(name, (0.0, 0.0)) for name in known]).reshape(-1, 2)
            learner.load_state(state.about, {**state.arrays, "results": results}, list(players))
        before = learner.steps
        while learner.steps - before < task.steps:
            learner.update()
        about, arrays = learner.save_state()
        met = {name: (won, games) for name, (won, games) in zip(known, arrays.pop("results").tolist(), strict=True)}
        state = _State({**about, "steps": learner.steps}, arrays, met)
        return state, learner.agent(), _Told(learner.steps - before, learner.measures())
    finally:
        learner.close()


def train_population(
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    *,
    out: Path | str,
    executor: str = "serial",
    address: str | None = None,
    progress: bool = False,
    **settings: Any,
) -> Population:
    """Train a learner against itself, its past selves and players that learn to beat it.

    Args:
        game, options: what is played: a game or its id, and options or a mapping.
        out: the run's folder.
        executor: "serial", all in this process; "ray", each member in a process of a cluster. The results are equal.
        address: of the cluster, see `cluster.joined`.
        progress: show a progress bar.
        settings: of the learner, see `Settings`; defaults that differ are in `DEFAULTS`. `total_steps` are its decisions;
            `snapshots` says how many past selves, and how many exploiters of the past, are kept. The run ends with the round in
            which steps or time are used up. What is said there of evaluations and checkpoints is not used. Of the population:
            `exploiters` (default 2): how many learn at once; `round_steps` (100,000): decisions of each member in a round;
            `generation` (4): rounds that an exploiter has.

    Raises:
        ValueError: an unknown game, option or setting, a value that is not allowed, a folder that holds a run, no cluster.
        ImportError: Ray is not installed.
        OSError: the folder cannot be written.
    """
    rounds = _Rounds(**{name: settings.pop(name) for name in _Rounds._fields if name in settings})
    for name, value in rounds._asdict().items():
        if not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
    game, options = envs.resolve(game, options)
    if settings.get("max_seconds") is not None:
        settings.setdefault("total_steps", None)
    described = {"game": game.id, "options": learned.plain_options(options)}
    chosen = Settings.make({**DEFAULTS, **described, **settings}, besides=_Rounds._fields)
    if chosen.learner != "ppo":
        raise ValueError(f"setting learner={chosen.learner!r} is not allowed in a population; allowed: ppo")
    check_memory(chosen, game, options)
    folder = Path(out)
    if any((folder / name).exists() for name in ("settings.json", "agent.safetensors", "population.csv")):
        raise ValueError(f"{folder} already holds a run; choose another folder")
    about = {**vars(chosen), **rounds._asdict()}
    with cluster.place(executor, address, chosen.threads * (rounds.exploiters + 1)) as where:
        write_atomically(folder / "settings.json", (json.dumps(about, indent=2) + "\n").encode())
        return _Run(game, options, chosen, folder, rounds, where).play(progress)


class _Exploiter:
    """One that learns to beat the learner: references to its state and weights, once it has played."""

    def __init__(self, number: int, settings: Settings, rounds: int = 0) -> None:
        self.number, self.rounds = number, rounds
        seed = int(np.random.default_rng([settings.seed, number]).integers(2**32))
        against_one: dict[str, Any] = {
            "self_play_prob": 0.0,
            "past_policy_prob": 1.0,
            "fixed_opponents": (),
            "init_from": None,
            "kl_coef": 0.0,
        }
        self.settings = replace(settings, seed=seed, ent_coef=settings.ent_coef * _LESS_ENTROPY, **against_one)
        self.state: Any = None
        self.weights: Any = None

    @property
    def name(self) -> str:
        return f"exploiter {self.number}"


_LESS_ENTROPY = 0.3  # of the learner's: who exploits need not vary


class _Run:
    """The rounds, as the process sees them that the run was begun in. All states and weights are references."""

    def __init__(self, game: Game, options: Options, settings: Settings, folder: Path, rounds: _Rounds, where: Any) -> None:
        self.game, self.options, self.settings, self.folder, self.where = game, options, settings, folder, where
        self.round_steps, self.generation = rounds.round_steps, rounds.generation
        scale = settings.reward_scale
        playing = fixed_agents(settings.fixed_opponents, game, options)
        self.scale = measured_scale(game, options, playing) if scale is None else scale
        self.rng = np.random.default_rng(settings.seed)
        self.state: Any = None
        self.weights: Any = None
        self.born = 0
        self.exploiters = [
            self._new(k * rounds.generation // rounds.exploiters) for k in range(rounds.exploiters)
        ]  # they do not all end at once
        self.past: dict[str, Any] = {}  # selves of the learner, by name
        self.beaten: dict[str, Any] = {}  # exploiters of the past
        self.rounds = self.steps = self.all_steps = 0
        self.clock = Clock(settings)
        self.csv = CsvLog(folder / "population.csv", _COLUMNS)

    def _new(self, rounds: int = 0) -> _Exploiter:
        self.born += 1
        return _Exploiter(self.born, self.settings, rounds)

    def play(self, progress: bool) -> Population:
        with progress_bar(progress) as bar:
            task = bar.add_task(f"{self.game.title}: population", total=1.0, steps=0, speed=0.0, results="")
            while self.clock.remaining() > 0:
                worst = self.round()
                suffix = "" if worst is None else f"exploiters win up to {worst:+.3f} a game"
                completed = 1 - self.clock.remaining()
                bar.update(task, completed=completed, steps=self.steps, speed=self.clock.speed, results=suffix)
                self.save()
        return Population(
            self.folder / "agent.safetensors",
            tuple(self.file(exploiter) for exploiter in self.exploiters if exploiter.weights is not None),
            self.steps,
            self.all_steps,
            self.clock.seconds,
        )

    def round(self) -> float | None:
        """All members learn; what the exploiters got at best, if there were any yet."""
        self.rounds += 1
        self._renew()
        now = self.weights
        present = {member.name: member.weights for member in self.exploiters if member.weights is not None}
        pool = {**self.past, **self.beaten, **present}
        calls = [self._call(self.settings, self.clock.remaining(), self.state, None, pool)]
        for exploiter in self.exploiters if now is not None else ():
            begin = now if exploiter.state is None and exploiter.number % 2 == 0 else None
            calls.append(self._call(exploiter.settings, 1.0, exploiter.state, begin, {"the learner": now}))
        self.state, self.weights, report = calls[0]
        self._tell("learner", len(pool), report)
        self.steps += self.where.get(report).steps
        self.clock.learned(self.steps)
        returns = []
        for exploiter, (exploiter.state, exploiter.weights, report) in zip(self.exploiters, calls[1:], strict=False):
            exploiter.rounds += 1
            self._tell(exploiter.name, 1, report)
            returns.append(self.where.get(report).measures["mean_return"])
        if self.rounds % self.generation == 0:
            self.past[f"round {self.rounds}"] = self.weights
            self._trim(self.past)
        return max(returns, default=None)

    def _call(
        self, settings: Settings, left: float, state: Any, begin: Any, opponents: Mapping[str, Any]
    ) -> tuple[Any, Any, Any]:
        task = _Round(self.game, self.options, settings, self.scale, self.round_steps, left)
        arguments = task, state, begin, tuple(opponents), *opponents.values()
        return self.where.call(learn, *arguments, returns=3, cpus=settings.threads)

    def _renew(self) -> None:
        """Exploiters whose time is up stay as opponents, and others begin."""
        for k, exploiter in enumerate(self.exploiters):
            if exploiter.rounds >= self.generation:
                self.beaten[exploiter.name] = exploiter.weights
                self._trim(self.beaten)
                self.exploiters[k] = self._new()

    def _trim(self, pool: dict[str, Any]) -> None:
        """The newest stays, of the others any may go."""
        if len(pool) > self.settings.snapshots:
            del pool[list(pool)[self.rng.integers(0, len(pool) - 1)]]

    def _tell(self, member: str, opponents: int, report: Any) -> None:
        outcome = self.where.get(report)
        self.all_steps += outcome.steps
        row = {"steps": self.all_steps, "seconds": round(self.clock.seconds, 2), "round": self.rounds, "member": member}
        self.csv.write({**row, "opponents": opponents, **outcome.measures})

    def file(self, exploiter: _Exploiter) -> Path:
        return self.folder / f"exploiter-{self.exploiters.index(exploiter) + 1}.safetensors"

    def save(self) -> None:
        about = {"algorithm": f"{PPO.algorithm}, in a population", "steps": self.steps, "seed": self.settings.seed}
        files = [(self.folder / "agent.safetensors", self.weights, self.settings.greedy)]
        files += [(self.file(player), player.weights, True) for player in self.exploiters if player.weights is not None]
        for path, weights, greedy in files:
            agent = self.where.get(weights)
            saved = agent.like(greedy=greedy)
            learned.save(path, saved, self.game, self.options, {**about, "reward_scale": self.scale})
