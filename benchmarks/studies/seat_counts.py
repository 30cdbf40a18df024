"""Tennis: one network per number of players against one network for all of them, trained equally long.

python -m wilddeck.benchmarks.studies.seat_counts [--counts 2 3 4 6] [--seconds 90] [--deals 4000] [--seed 0]

The shared network gets observations in the layout of the largest number of seats, with zeros for missing seats, and the number
of players as a one-hot vector. Zeros add nothing, so for n seats it equals a network whose first layer has only their rows: the
compiled learners of all numbers of players take turns, one update each, on their rows of the same weights. It trains as long as
the separate networks together. Seconds are CPU time on one thread, without compilation, so that the load of the machine does
not matter. Settings are those of the shipped baseline.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from ... import agents, envs
from ...agents import play
from ...agents.learned import LearnedAgent
from ...agents.network import Net
from ...cli.arguments import Parser, integer, whole
from ...training.ppo import PPO
from ...training.settings import Settings
from ...training.train import measured_scale
from ...training.warmup import warmup
from ..baselines import BASELINES, LEARNING

GAME = envs.game("tennis_v0")
_DEALS_SEED = 0x5EA75


class Course:
    """The training of a learner with this number of seats, which keeps its past policies as `train` does."""

    def __init__(self, players: int, seed: int, remaining: Callable[[], float]) -> None:
        self.options = options = GAME.make_options({"num_players": players})
        values = {**LEARNING, **BASELINES[GAME.id].settings, "seed": seed, "threads": 1, "device": "cpu"}
        self.settings = Settings.make(Settings.with_game_defaults(GAME, {"game": GAME.id, **values}))
        self.rules = agents.make("rules", GAME, options)
        scale = measured_scale(GAME, options, [self.rules])
        self.learner = PPO(self.settings, GAME, options, [self.rules], None, scale, remaining)
        self.rng, self.snapshots, self.due = np.random.default_rng(seed), list[LearnedAgent](), self.settings.snapshot_every

    def update(self) -> None:
        if self.learner.steps >= self.due:
            self.due = self.learner.steps + self.settings.snapshot_every
            self.snapshots.append(self.learner.agent())
            if len(self.snapshots) > self.settings.snapshots:
                del self.snapshots[self.rng.integers(0, len(self.snapshots) - 1)]
            self.learner.set_snapshots(self.snapshots)
        self.learner.update()

    def scores(self, deals: int) -> np.ndarray:
        """The current policy's scores against rules on new deals, by deal."""
        agent, others = self.learner.agent().like(greedy=True), [self.rules] * (self.options.num_players - 1)
        return play.rotated(agent, others, GAME, self.options, deals, _DEALS_SEED)[0].mean(axis=0)


class Shared:
    """The shared weights of learners of several numbers of players; each uses those of its seats."""

    def __init__(self, courses: list[Course]) -> None:
        self.courses = courses
        most = max(courses, key=lambda course: course.options.num_players)
        ends = 0
        self.places = []
        for number, course in enumerate(courses):
            rows = _rows(course, most)
            policy, ends = _places(course.learner.policy, most.learner.policy, rows[0], number, len(courses), 0)
            critic, ends = _places(course.learner.critic, most.learner.critic, rows[1], number, len(courses), ends)
            self.places.append(np.concatenate([policy, critic]))
        self.weights, self.moments, self.adam_steps = np.zeros(ends, np.float32), np.zeros((2, ends), np.float32), 0
        self.weights[self.places[courses.index(most)]] = most.learner.weights

    def update(self) -> None:
        """Update each learner once; each starts from the weights of the previous one."""
        for course, places in zip(self.courses, self.places, strict=True):
            learner = course.learner
            self.give(learner, places)
            course.update()
            self.weights[places], self.moments[:, places] = learner.weights, learner.adam_moments
            self.adam_steps = learner.adam_steps

    def settle(self) -> None:
        """Copy the current weights to every learner."""
        for course, places in zip(self.courses, self.places, strict=True):
            self.give(course.learner, places)

    def give(self, learner: PPO, places: np.ndarray) -> None:
        learner.weights[:], learner.adam_moments[:] = self.weights[places], self.moments[:, places]
        learner.adam_steps = self.adam_steps


def _rows(course: Course, most: Course) -> tuple[np.ndarray, np.ndarray]:
    """The places of the inputs of a learner's policy and critic among those for the largest number of seats."""
    own, all_of_them = (GAME.observation.slices(each.options.num_players) for each in (course, most))
    policy = np.concatenate([np.arange(slot.stop - slot.start) + all_of_them[name].start for name, slot in own.items()])
    collector, largest = course.learner.collector, most.learner.collector
    action = np.arange(collector.policy_inputs - len(policy)) + largest.batch.observation_size  # that is scored
    policy = np.concatenate([policy, action])
    hidden = collector.critic_inputs - len(policy)  # of the other seats, clockwise
    return policy, np.concatenate([policy, largest.policy_inputs + np.arange(hidden)])


def _places(net: Net, most: Net, rows: np.ndarray, number: int, numbers: int, begin: int) -> tuple[np.ndarray, int]:
    """The places of the entries of a network's vector among the shared ones, which start at `begin`, and the end of these.

    The first layer has a bias for each number of players: the one-hot input adds it to the shared bias.
    """
    inputs, width = int(most.sizes[0]), int(net.sizes[1])
    first = begin + rows[:, None] * width + np.arange(width)
    bias = begin + (inputs + number) * width + np.arange(width)
    rest = sum((a + 1) * b for a, b in zip(net.sizes[1:-1].tolist(), net.sizes[2:].tolist(), strict=True))
    behind = begin + (inputs + numbers) * width
    filling = len(net.weights) - first.size - width - rest  # zeros, which never change
    end = behind + rest
    return np.concatenate([first.ravel(), bias, behind + np.arange(rest), np.full(filling, end)]), end + 1


class Time:
    """CPU time of this process from now on, up to a limit in seconds."""

    def __init__(self, limit: float) -> None:
        self.limit, self.began = limit, time.process_time()

    def remaining(self) -> float:
        return max(0.0, 1 - (time.process_time() - self.began) / self.limit)


def train_apart(counts: list[int], seconds: float, seed: int) -> list[Course]:
    """Train one network per number of players, for this many seconds each."""
    courses = []
    for count in counts:
        clock = Time(seconds)
        courses.append(Course(count, seed, clock.remaining))
        while clock.remaining():
            courses[-1].update()
    return courses


def train_shared(counts: list[int], seconds: float, seed: int) -> list[Course]:
    """Train one network for all of them, as long as the others together."""
    clock = Time(seconds * len(counts))
    courses = [Course(count, seed, clock.remaining) for count in counts]
    shared = Shared(courses)
    while clock.remaining():
        shared.update()
    shared.settle()
    return courses


def interval(scores: np.ndarray) -> str:
    """The mean and its 95 % interval over deals."""
    return f"{scores.mean():+.3f} ± {1.96 * scores.std(ddof=1) / len(scores) ** 0.5:.3f}"


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.seat_counts", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--counts", type=int, choices=(2, 3, 4, 6), nargs="+", default=[2, 3, 4, 6], help="numbers of players")
    parser.add_argument(
        "--seconds", type=whole(1, 1_000_000), default=90, help="of each network; the shared one gets their sum"
    )
    parser.add_argument("--deals", type=whole(2, 10_000_000), default=4000, help="each played from every seat")
    parser.add_argument("--seed", type=integer, default=0)
    settings = parser.parse_args(arguments)
    warmup(GAME)
    apart, shared = (
        [
            (course.scores(settings.deals), course.learner.steps)
            for course in train(settings.counts, settings.seconds, settings.seed)
        ]
        for train in (train_apart, train_shared)
    )
    print("| players | its own network | decisions | one network for all | decisions | own less shared |")
    print("| --- | --- | --- | --- | --- | --- |")
    for count, (own, steps), (common, common_steps) in zip(settings.counts, apart, shared, strict=True):
        cells = interval(own), f"{steps:,}", interval(common), f"{common_steps:,}", interval(own - common)
        print(f"| {count} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
