"""The default learner of `train`: masked PPO in compiled code, from all seats that the policy plays.

It plays rollouts of whole games (`collect`) and learns from them (`gradient`). Before PPO it may imitate an agent (behaviour
cloning) with the same rollouts and gradients, that agent being the teacher. It needs only numba.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ..agents import rules
from ..agents.base import Agent, PolicyAgent
from ..agents.learned import ACTIVATIONS, LearnedAgent, side_by_side
from ..agents.network import Layers, Net, aligned, flatten, make_scratch, unflatten, whole_lines
from ..agents.views import most_history
from ..envs.core.files import whole
from ..envs.core.game import Game, Options
from ..envs.core.jit import prepare_thread
from ..envs.core.rotations import NO_ROTATIONS, critic_rotations, make_rotations
from ..seats.opponents import Pool
from . import gradient
from .checkpoint import check_arrays
from .collect import Collector, Games
from .gradient import BLOCK, STATISTICS, LossWeights, Minibatch, Networks
from .matchmaking import Matchmaking
from .search import NOTHING, Plan
from .settings import Settings, find_gpu

if TYPE_CHECKING:
    from .gpu import Accelerator

_SHARDS = 4  # parts of a minibatch; their gradients are summed in a fixed order, independent of the number of threads


def orthogonal(rng: np.random.Generator, inputs: int, outputs: int, gain: float) -> tuple[np.ndarray, np.ndarray]:
    """Stable-Baselines3's initial weights of a layer: an orthogonal matrix times `gain`, zero biases."""
    large, small = max(inputs, outputs), min(inputs, outputs)
    q, r = np.linalg.qr(rng.standard_normal((large, small)))
    q = q * np.sign(np.diag(r))
    weight = q if inputs >= outputs else q.T
    return (gain * weight).astype(np.float32), np.zeros(outputs, np.float32)


def new_network(rng: np.random.Generator, sizes: Sequence[int], gain: float) -> Layers:
    """The initial layers of a network; `gain` is that of the last."""
    gains = [2**0.5] * (len(sizes) - 2) + [gain]
    return [orthogonal(rng, *shape) for shape in zip(sizes[:-1], sizes[1:], gains, strict=True)]


class PPO:
    """A learner (see `learner.Learner`).

    Args:
        settings, game, options: those of the run.
        fixed: the fixed opponents.
        beginning: an agent to imitate first, a network whose weights to start from, or None.
        scale: the factor of rewards.
        remaining: returns the fraction of the run that is left.

    Attributes:
        steps: the number of decisions learned from, including those of an imitated agent.
    """

    columns: tuple[str, ...] = ("learning_rate", *STATISTICS, "explained_variance", "searched")
    algorithm = "PPO, self-play on all seats"

    def __init__(
        self,
        settings: Settings,
        game: Game,
        options: Options,
        fixed: list[Agent],
        beginning: Agent | None,
        scale: float,
        remaining: Callable[[], float],
    ) -> None:
        self.settings, self.game, self.options, self.fixed = settings, game, options, fixed
        self.beginning, self.scale, self.remaining = beginning, scale, remaining
        private = tuple(game.private_slices(options.num_players)) if settings.critic == "state" else ()
        self.expert = expert_of(settings, game, options)
        history = most_history([*fixed, *([] if beginning is None else [beginning])])
        self.rotations = make_rotations(game, options) if settings.equivariant else NO_ROTATIONS
        self.learned, more_inputs = learned_actions(settings, game, options, beginning), self.rotations.more_inputs
        self.collector = Collector(game, options, settings, private, self.expert, history, more_inputs, self.learned)
        rng = np.random.default_rng(settings.seed)
        inputs = self.collector.policy_inputs
        of_critic = critic_rotations(game, options.num_players, self.rotations, inputs, private)
        widths = [inputs, *settings.hidden, 1 if self.rotations.by_action else game.num_actions(options)]
        layers: Layers = new_network(rng, widths, 0.01)
        if isinstance(beginning, LearnedAgent):
            layers = beginning.layers
        policy, policy_sizes = flatten(list(layers))
        critic, critic_sizes = flatten(list(new_network(rng, [self.collector.critic_inputs, *settings.hidden, 1], 1.0)))
        activation = ACTIVATIONS[settings.activation]
        policy, critic = whole_lines(policy), whole_lines(critic)
        self.cut = len(policy)
        self.weights = aligned(len(policy) + len(critic))
        self.weights[:] = np.concatenate([policy, critic])
        self.policy = Net(self.weights[: self.cut], policy_sizes, activation, self.rotations)
        self.critic = Net(self.weights[self.cut :], critic_sizes, activation, of_critic)
        self.adam_moments = np.zeros((2, len(self.weights)), np.float32)
        self.gradients = aligned((_SHARDS, len(self.weights)))
        self.accelerator = _accelerator(find_gpu(settings.device), self.policy, self.critic)
        self.scratch = [make_scratch(self.policy, self.critic, block=BLOCK) for _ in range(_SHARDS)]
        self.teacher = np.zeros(0, np.float32)
        self.steps = self.updates = self.adam_steps = 0
        self.copying = beginning is not None and not isinstance(beginning, LearnedAgent)
        self.matchmaking = Matchmaking(settings, fixed)
        searching = settings.search_share > 0 and settings.search_policy == "rules"
        self.searchers: list[Agent] = [rules.make(game, options)] if searching else []  # in the pool only for search
        # In the pool only for what is not learned.
        self.frozen: list[Agent] = [] if self.learned is None or beginning is None else [beginning]
        self.logged: dict[str, Any] = {}
        self._threads = ThreadPoolExecutor(settings.threads - 1, initializer=prepare_thread) if settings.threads > 1 else None

    # --- the interface of learners ---

    def agent(self) -> LearnedAgent:
        """The current policy, beside the network that plays what is not learned."""
        own = LearnedAgent(unflatten(self.policy), self.settings.activation, expert=self.expert, rotations=self.rotations)
        if self.learned is None:
            return own
        assert isinstance(self.beginning, LearnedAgent)
        return side_by_side(own, self.beginning, self.learned).like(greedy=False)

    def set_snapshots(self, snapshots: list[LearnedAgent]) -> None:
        """Set the past policies in the pool."""
        self.matchmaking.set_snapshots(snapshots)

    def learn(self, rest: Callable[[], bool]) -> None:
        """Run updates as long as `rest`, called before each, is true."""
        while rest():
            self.update()

    def measures(self) -> dict[str, Any]:
        """The logged values of the last update."""
        return self.logged

    def close(self) -> None:
        self.collector.batch.close()
        if self._threads is not None:
            self._threads.shutdown()

    # --- learning ---

    def update(self) -> None:
        """Play a rollout and learn from it."""
        rng = np.random.default_rng([self.settings.seed, self.updates])
        done = 1 - self.remaining()
        if not self.updates and isinstance(self.beginning, LearnedAgent):
            self.teacher = self.policy.weights.copy()
        if self.copying and done >= self.settings.bc_fraction:
            self.copying = False
            self.teacher = self.policy.weights.copy()
            self.adam_moments[:] = 0
            self.adam_steps = 0
        self.updates += 1
        if self.copying:
            self._copy(rng, done)
        else:
            self._improve(rng, done)

    def _copy(self, rng: np.random.Generator, done: float) -> None:
        assert self.beginning is not None
        rate = self.settings.bc_learning_rate * max(0.02, 1 - done / self.settings.bc_fraction)
        games = self._collect(Pool(self.game, [self.beginning, self.agent()]), np.array([1.0, 0.0]), 0, rng)
        self._learn_from(games, rng, 1, rate, 1.0, self.loss(surrogate=0.0, ent_coef=0.0, teacher_coef=1.0))

    def _improve(self, rng: np.random.Generator, done: float) -> None:
        settings = self.settings
        kl_coef = settings.kl_coef * max(0.0, 1 - done / settings.kl_fraction) if settings.kl_fraction else 0.0
        if not kl_coef or not self.teacher.size:
            kl_coef, self.teacher = 0.0, np.zeros(0, np.float32)
        rate = settings.falling("learning_rate", done)
        playing = self.matchmaking.players(self.agent())
        besides = [*self.searchers, *self.frozen]
        pool, own = Pool(self.game, [*playing, *besides]), len(self.fixed)
        pool_probs = np.concatenate([self.matchmaking.probs(), np.zeros(len(besides))])
        games = self._collect(pool, pool_probs, own, rng, self._plan(pool, len(playing) if self.searchers else own))
        self.matchmaking.note(games.results[: len(playing)])
        surrogate = float(settings.search_share < 1)  # 0: the policy learns from searches only
        weights = self.loss(surrogate, settings.falling("ent_coef", done), kl_coef)
        self._learn_from(games, rng, settings.epochs, rate, settings.gae_lambda, weights)

    def loss(self, surrogate: float, ent_coef: float, teacher_coef: float) -> LossWeights:
        """The loss weights: these three, and the rest from the settings."""
        settings = self.settings
        of_search = settings.search_weight, settings.search_temperature
        weights = settings.clip_range, surrogate, ent_coef, teacher_coef, *of_search, settings.vf_coef
        return LossWeights(*map(np.float32, weights))

    def _plan(self, pool: Pool, place: int) -> Plan:
        """How decisions are searched, with rollouts by this member of the pool."""
        settings = self.settings
        if not settings.search_share:
            return NOTHING
        code = int(pool.codes[place])
        sizes = settings.num_determinizations, settings.search_actions
        only = np.full(self.collector.batch.num_actions, not settings.search_only, np.uint8)
        only[list(settings.search_only)] = 1
        return Plan(float(settings.search_share), *sizes, code, settings.search_depth, only)

    def networks(self) -> Networks:
        return Networks(self.policy, self.critic, self.policy._replace(weights=self.teacher))

    def _collect(
        self, pool: Pool, pool_probs: np.ndarray, learner: int, rng: np.random.Generator, plan: Plan = NOTHING
    ) -> Games:
        seed = int(rng.integers(0, 2**63))
        return self.collector.collect(pool, pool_probs, learner, self.networks(), self.scale, seed, plan)

    def _learn_from(
        self,
        games: Games,
        rng: np.random.Generator,
        epochs: int,
        rate: float,
        gae_lambda: float,
        weights: LossWeights,
    ) -> None:
        """Learn from a rollout, minibatch by minibatch."""
        settings = self.settings
        for row, count in enumerate(games.counts):
            gradient.advantages(games.buffer.decisions[row], count, np.float32(settings.gamma), np.float32(gae_lambda))
        if self.accelerator is not None:
            self.accelerator.hold(games)
        order = games.order()
        total = np.zeros((_SHARDS, len(STATISTICS)))
        parts = max(1, round(len(order) / settings.batch_size))
        for _ in range(epochs):
            for batch in np.array_split(rng.permutation(order), parts):
                advantage = games.of("advantage", batch)
                scales = np.float32(1 / len(batch)), np.float32(advantage.mean()), np.float32(advantage.std() + 1e-8)
                minibatch = Minibatch(np.sort(batch), *scales)  # in the order of memory
                if self.accelerator is not None:
                    total[0] += self.accelerator.add_gradients(minibatch, self.weights, self.gradients[0], weights)
                else:
                    self._in_parallel(functools.partial(self._add_gradients, games, minibatch, weights, total), _SHARDS)
                self._step(rate)
        self.steps += len(order)
        self._log(games, order, total.sum(axis=0) / (epochs * len(order)), rate)

    def _add_gradients(self, games: Games, minibatch: Minibatch, weights: LossWeights, total: np.ndarray, k: int) -> None:
        part = minibatch._replace(order=np.array_split(minibatch.order, _SHARDS)[k])
        nets = self.policy, self.critic
        gradient.add_gradients(part, games.buffer, *nets, self.gradients[k], weights, self.scratch[k], total[k])

    def _step(self, rate: float) -> None:
        """An Adam step by the summed gradient, its norm clipped."""
        edges = [len(self.weights) * k // _SHARDS for k in range(_SHARDS + 1)]
        squares = self._in_parallel(lambda k: gradient.gather(self.gradients, edges[k], edges[k + 1]), _SHARDS)
        norm = math.sqrt(sum(squares))
        scale = np.float32(min(1.0, self.settings.max_grad_norm / (norm + 1e-6)))
        self.adam_steps += 1
        pace = np.float32(rate / (1 - 0.9**self.adam_steps))
        correction = np.float32(1 / math.sqrt(1 - 0.999**self.adam_steps))

        def step(k: int) -> None:
            part = slice(edges[k], edges[k + 1])
            moments = self.adam_moments[0, part], self.adam_moments[1, part]
            gradient.adam(self.weights[part], self.gradients[0, part], *moments, scale, pace, correction)

        self._in_parallel(step, _SHARDS)

    def _in_parallel(self, work: Callable[[int], Any], count: int) -> list[Any]:
        """Call work(0), ..., work(count - 1) on the threads."""
        if self._threads is None:
            return [work(k) for k in range(count)]
        waiting = [self._threads.submit(work, k) for k in range(count // self.settings.threads, count)]
        own = [work(k) for k in range(count // self.settings.threads)]
        return own + [each.result() for each in waiting]

    def _log(self, games: Games, order: np.ndarray, statistics: np.ndarray, rate: float) -> None:
        target, value = games.of("target", order).astype(float), games.of("value", order).astype(float)
        spread = float(target.var())
        measures = {
            "mean_return": games.mean_return,
            "mean_decisions": len(order) / games.games,
            "learning_rate": rate,
            **dict(zip(STATISTICS, statistics, strict=True)),
            "explained_variance": 1 - float((target - value).var()) / spread if spread else 0.0,
            "searched": games.of("searched", order).mean(),
        }
        unknown: tuple[str, ...] = () if self.teacher.size else ("teacher_cross_entropy", "teacher_accuracy")
        if self.copying:
            unknown = ("policy_loss", "approx_kl", "clip_fraction", "explained_variance")
        if self.copying or not self.settings.search_share:
            unknown = (*unknown, "searched")
        self.logged = {name: float(f"{float(measure):.6g}") for name, measure in measures.items() if name not in unknown}

    # --- checkpoints ---

    def save_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        about = {"updates": self.updates, "adam_steps": self.adam_steps, "copying": self.copying}
        arrays = {"weights": self.weights, "moments": self.adam_moments, "teacher": self.teacher}
        arrays["results"] = self.matchmaking.results
        return about, {name: array.copy() for name, array in arrays.items()}

    def load_state(self, about: dict[str, Any], arrays: dict[str, np.ndarray], snapshots: list[LearnedAgent]) -> None:
        like = {
            "weights": self.weights,
            "moments": self.adam_moments,
            "results": np.zeros((len(self.fixed) + len(snapshots), 2)),
        }
        teacher = arrays.get("teacher", np.zeros(1))
        check_arrays(arrays, {**like, "teacher": self.policy.weights if teacher.size else self.teacher})
        if (arrays["moments"][1] < 0).any() or (arrays["results"] < 0).any():
            raise ValueError("squares and numbers of games cannot be negative")
        if not isinstance(about["copying"], bool):
            raise ValueError("'copying' must be true or false")
        self.steps, self.updates, self.adam_steps = (whole(about[name]) for name in ("steps", "updates", "adam_steps"))
        self.copying, self.teacher = about["copying"], arrays["teacher"]
        self.weights[:], self.adam_moments[:] = arrays["weights"], arrays["moments"]
        self.matchmaking.snapshots, self.matchmaking.results = list(snapshots), arrays["results"]


def expert_of(settings: Settings, game: Game, options: Options) -> PolicyAgent | None:
    """The expert whose action the network gets as an input (ValueError if the game has no such agent)."""
    if settings.expert is None:
        return None
    return rules.make(game, options, settings.expert.partition(":")[2])


def learned_actions(settings: Settings, game: Game, options: Options, beginning: Agent | None) -> np.ndarray | None:
    """The actions that are learned, bool [A]; None if all are. ValueError if there are no such blocks, or if `init_from` is no
    network that can choose the others."""
    if not settings.learn_only:
        return None
    blocks, learned = game.actions.slices(options.num_players), np.zeros(game.num_actions(options), bool)
    for name in settings.learn_only:
        if name not in blocks:
            raise ValueError(f"setting learn_only={name!r} is no block of actions; {game.id} has {', '.join(blocks)}")
        learned[blocks[name]] = True
    if not isinstance(beginning, LearnedAgent) or beginning.is_equivariant:
        raise ValueError(
            f"learn_only={', '.join(settings.learn_only)} needs a network as init_from, to choose all other actions, and one "
            f"that is not equivariant; init_from={settings.init_from!r}"
        )
    return learned


def _accelerator(device: str | None, policy: Net, critic: Net) -> Accelerator | None:
    if device is None:
        return None
    from .gpu import Accelerator  # needs torch

    return Accelerator(policy, critic, device)
