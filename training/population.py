"""Population training: a learner, and exploiters that learn to beat it, on a Ray cluster (extra `ray`) or in this process.

    from wilddeck.training.population import train_population
    train_population("tennis_v0", out="runs/population", exploiters=2, max_seconds=600, executor="ray")

Training proceeds in rounds. In each, every member learns from `round_steps` decisions, against the others as they were at the
start of the round:

- the learner against itself (in `self_play_prob` of its games), otherwise against its past policies and all exploiters, those
  that win more often being drawn more often;
- an exploiter against the learner only. After `generation` rounds its weights stay among the learner's opponents, and a new
  exploiter replaces it, which starts from nothing or, every second time, from the learner's weights: always if the learner
  itself began from an agent (`init_from`), which nobody catches up with so soon.

So weaknesses that self-play forgets or never meets come back as opponents. A member's round is a stateless call: its state and
the opponents' weights travel by Ray's object store, and work lost with a node is repeated.

    settings.json               the settings
    population.csv              one line per round and member
    agent.safetensors           the learner
    exploiter-<n>.safetensors   the exploiters at the end of the run
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
from .train import beginning_agent, fixed_agents, measured_scale

# A population should give a mixed policy, and consist of such: the learner samples, also after training.
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
    """A finished run.

    Attributes:
        weights, exploiters: the weights files of the learner and of the exploiters.
        steps, all_steps: decisions of the learner, and of all members.
        seconds: training time, from the end of the first round.
    """

    weights: Path
    exploiters: tuple[Path, ...]
    steps: int
    all_steps: int
    seconds: float


class _State(NamedTuple):
    """A member between two rounds: the state of its learner, and its results by opponent name."""

    about: dict[str, Any]
    arrays: dict[str, np.ndarray]
    results: dict[str, tuple[float, float]]


class _Rounds(NamedTuple):
    """The settings of a population."""

    exploiters: int = 2
    round_steps: int = 100_000
    generation: int = 4


class _Round(NamedTuple):
    """The task of a member in a round."""

    game: Game
    options: Options
    settings: Settings
    scale: float
    steps: int  # to be learned from
    left: float  # the share of the run still to come


class _Told(NamedTuple):
    """A member's report on its round."""

    steps: int
    measures: dict[str, Any]


def learn(
    task: _Round, state: _State | None, begin: LearnedAgent | None, names: tuple[str, ...], *players: LearnedAgent
) -> tuple[_State, LearnedAgent, _Told]:
    """Play a member's round against players with these names; return its new state, agent and report."""
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
    """Train a learner against itself, its past policies, and exploiters that learn to beat it.

    Args:
        game, options: a game or its id, and options or a mapping.
        out: the run's folder.
        executor: "serial": everything in this process; "ray": each member in a process of a cluster. Results are equal.
        address: the cluster's address, see `cluster.joined`.
        progress: show a progress bar.
        settings: the learner's settings, see `Settings`; `DEFAULTS` lists other defaults. `total_steps` counts the learner's
            decisions; `snapshots` limits both the past policies and the past exploiters that are kept. The run ends with the
            round in which steps or time run out. Settings of evaluations and checkpoints have no effect. Settings of the
            population: `exploiters` (default 2): their number; `round_steps` (100,000): decisions of each member per round;
            `generation` (4): rounds per exploiter.

    Raises:
        ValueError: a game, option or setting is unknown or not allowed, the folder has a run, or there is no cluster.
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
    values = Settings.with_game_defaults(game, {**DEFAULTS, **described, **settings})
    chosen = Settings.make(values, besides=_Rounds._fields)
    if chosen.learner != "ppo":
        raise ValueError(f"setting learner={chosen.learner!r} is not allowed in a population; allowed: ppo")
    chosen.check(game, options)
    folder = Path(out)
    if any((folder / name).exists() for name in ("settings.json", "agent.safetensors", "population.csv")):
        raise ValueError(f"{folder} already contains a run; choose another folder")
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
        began = self.settings.init_from is not None
        for exploiter in self.exploiters if now is not None else ():
            begin = now if exploiter.state is None and (began or exploiter.number % 2 == 0) else None
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
