"""The learner `torch`: masked PPO for a torch network of your own, on every seat that it plays. Needs torch.

Games and opponents are played as by the compiled learner; torch evaluates the network in batches and computes its gradients, on
a GPU if there is one. For a loss of your own, override `loss`:

    from wilddeck.training.torch_ppo import TorchPPO

    class Bolder(TorchPPO):
        def loss(self, batch, logits, values):
            total, statistics = super().loss(batch, logits, values)
            return total - 0.1 * values.mean(), statistics

    train("tennis_v0", network="my_module:make_network", learner="my_module:Bolder", out="runs/bolder")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..agents.base import Agent
from ..agents.modules import ModuleAgent, Shapes, check_module, inputs_of, masked
from ..agents.views import Views, most_history
from ..envs.core.credit import advantages
from ..envs.core.files import whole
from ..envs.core.game import Game, Options
from ..seats.extra import torch
from ..seats.opponents import Pool
from .checkpoint import check_arrays, part
from .matchmaking import Matchmaking
from .settings import Settings, find_gpu
from .whole_games import Answers, Collector, Decisions, Players

STATISTICS = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "teacher_cross_entropy", "teacher_accuracy")


class Minibatch(NamedTuple):
    """B decisions, as tensors.

    Attributes:
        seen: the arguments of the network.
        actions, log_probs: int64 [B] and float32 [B], the actions and their log-probabilities when they were played.
        advantages, targets: float32 [B]; the advantages are normalised.
        teacher: float32 [B, A], the action probabilities of the copied agent, or later of the copy; None without one.
    """

    seen: tuple[torch.Tensor, ...]
    actions: torch.Tensor
    log_probs: torch.Tensor
    advantages: torch.Tensor
    targets: torch.Tensor
    teacher: torch.Tensor | None


class LossWeights(NamedTuple):
    """The weights of the loss terms; `surrogate` is the weight of PPO's objective."""

    surrogate: float
    ent_coef: float
    teacher_coef: float


class TorchPPO:
    """A learner (see `learner.Learner`).

    Args:
        settings, game, options: of the run; `settings.network` names the network's factory (`agents/modules.py`).
        fixed: the fixed opponents.
        beginning: an agent to copy, a network of the same factory to continue from, or None.
        scale: the factor for rewards.
        remaining: returns the fraction of the run that remains.
    """

    columns: tuple[str, ...] = ("learning_rate", *STATISTICS, "explained_variance")
    algorithm = "PPO over a torch module, self-play on all seats"

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
        if settings.network is None:
            raise ValueError("this learner needs a network: network='module:factory' or the factory itself")
        self.settings, self.game, self.scale, self.remaining, self.beginning = settings, game, scale, remaining, beginning
        torch.manual_seed(settings.seed)
        self.device = torch.device(find_gpu(settings.device) or "cpu")
        self.player = ModuleAgent(settings.network, Shapes.of(game, options, settings.history))
        goes_on = False
        if isinstance(beginning, ModuleAgent) and beginning.factory == settings.network:
            self.player.load_tensors(beginning.tensors())
            goes_on = True
        self.player.module.to(self.device)
        check_module(self.player)
        self.module = self.player.module
        self.optimizer = torch.optim.Adam(self.module.parameters(), settings.learning_rate, eps=1e-5)
        self.matchmaking = Matchmaking(settings, fixed)
        history = most_history([self.player, *fixed, *([] if beginning is None else [beginning])])
        self.collector = Collector(game, options, settings.num_envs, history, settings.threads)
        self.steps = self.updates = 0
        self.copying = beginning is not None and not goes_on
        self.teacher: ModuleAgent | None = self.player.like() if goes_on else None
        self.logged: dict[str, Any] = {}

    # --- what a run asks for ---

    def agent(self) -> ModuleAgent:
        """The policy as it is, a copy."""
        return self.player.like()

    def set_snapshots(self, snapshots: list[ModuleAgent]) -> None:
        """Who plays as the policy's past selves from now on."""
        self.matchmaking.set_snapshots(snapshots)

    def learn(self, rest: Callable[[], bool]) -> None:
        """Update after update, as long as `rest`, called before each, says so."""
        while rest():
            self.update()

    def measures(self) -> dict[str, Any]:
        """What is logged of the last update."""
        return self.logged

    def close(self) -> None:
        self.collector.batch.close()

    # --- learning ---

    def update(self) -> None:
        """Play a rollout and learn from it."""
        settings, done = self.settings, 1 - self.remaining()
        rng = np.random.default_rng([settings.seed, self.updates])
        torch.manual_seed(int(rng.integers(2**63)))  # for networks that draw, as dropout does
        if self.copying and done >= settings.bc_fraction:
            self.copying, self.teacher = False, self.player.like()
            self.optimizer = torch.optim.Adam(self.module.parameters(), settings.learning_rate, eps=1e-5)
        self.updates += 1
        if self.copying:
            assert self.beginning is not None
            rate = settings.bc_learning_rate * max(0.02, 1 - done / settings.bc_fraction)
            players = Players(Pool(self.game, [self.beginning]), np.ones(1), 0, self.player)
            self._learn_from(self._collect(players, rng), rng, rate, 1.0, LossWeights(0.0, 0.0, 1.0))
            return
        kl_coef = settings.kl_coef * max(0.0, 1 - done / settings.kl_fraction) if settings.kl_fraction else 0.0
        if not kl_coef or self.teacher is None:
            kl_coef, self.teacher = 0.0, None
        rate = settings.falling("learning_rate", done)
        matchmaking = self.matchmaking
        pool, place = Pool(self.game, matchmaking.players(self.player)), len(matchmaking.fixed)
        games = self._collect(Players(pool, matchmaking.probs(), place, self.player), rng)
        matchmaking.note(games.results)
        self._learn_from(games, rng, rate, settings.gae_lambda, LossWeights(1.0, settings.falling("ent_coef", done), kl_coef))

    def _collect(self, players: Players, rng: np.random.Generator) -> Decisions:
        seed, target = int(rng.integers(2**63)), self.settings.num_envs * self.settings.rollout_steps
        noise = np.random.default_rng([seed, 1])

        def answer(views: Views, chosen: np.ndarray | None) -> Answers:
            if chosen is not None:  # copied: what is taught then are actions and whole returns, which ask the network nothing
                return Answers(chosen, np.zeros(len(views), np.float32), np.zeros(len(views), np.float32))
            logits, values = self._forward(views)
            actions = (logits + torch.from_numpy(noise.gumbel(size=logits.shape)).to(logits)).argmax(dim=1).cpu().numpy()
            log_probs = logits.log_softmax(dim=1)[torch.arange(len(views)), torch.from_numpy(actions)]
            return Answers(actions, log_probs.cpu().numpy(), values.cpu().numpy())

        self.module.eval()
        return self.collector.collect(players, answer, target, self.scale, seed)

    def _forward(self, views: Views) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of legal actions, and values."""
        with torch.no_grad():
            seen = inputs_of(views, self.device)
            logits, values = self.module(*seen)
            return masked(logits.float(), seen[1]), values.float()

    def _learn_from(
        self, games: Decisions, rng: np.random.Generator, rate: float, gae_lambda: float, weights: LossWeights
    ) -> None:
        """The updates of a rollout, minibatch after minibatch."""
        settings, count = self.settings, len(games.views)
        found = advantages(games.credit, games.answers.values[:, None], settings.gamma, gae_lambda)
        seen = inputs_of(games.views, self.device)
        arrays = games.answers.actions, games.answers.log_probs, found.advantages[:, 0], found.targets[:, 0]
        actions, log_probs, advantage, target = (torch.from_numpy(array).to(self.device) for array in arrays)
        self.weights = weights
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.module.train()
        total, parts = np.zeros(len(STATISTICS)), max(1, round(count / settings.batch_size))
        epochs = 1 if self.copying else settings.epochs
        for _ in range(epochs):
            order = _by_seat(games.credit.next[:, 0], rng) if settings.history else rng.permutation(count)
            for places in np.array_split(order, parts):
                chosen = torch.from_numpy(places if settings.history else np.sort(places)).to(self.device)
                own = tuple(tensor[chosen] for tensor in seen)
                normal = (advantage[chosen] - advantage[chosen].mean()) / (advantage[chosen].std(correction=0) + 1e-8)
                given = own, actions[chosen], log_probs[chosen], normal, target[chosen]
                batch = Minibatch(*given, self._teacher_probs(own, actions[chosen]))
                logits, values = self.module(*own)
                loss, statistics = self.loss(batch, masked(logits.float(), own[1]), values.float())
                self.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.module.parameters(), settings.max_grad_norm)
                self.optimizer.step()
                total += len(places) * np.array([statistics.get(name, 0.0) for name in STATISTICS])
        self.steps += count
        self._log(games, target.cpu().numpy(), total / (epochs * count), rate)

    def _teacher_probs(self, seen: tuple[torch.Tensor, ...], actions: torch.Tensor) -> torch.Tensor | None:
        if self.copying:
            return torch.nn.functional.one_hot(actions, seen[1].shape[1]).float()
        if self.teacher is None:
            return None
        with torch.no_grad():
            return masked(self.teacher.module(*seen)[0].float(), seen[1]).softmax(dim=1)

    def loss(self, batch: Minibatch, logits: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, dict[str, float]]:
        """What is minimised, and what is logged of it (`STATISTICS`).

        Args:
            batch: the decisions.
            logits: float32 [B, A], -inf of illegal actions; values: float32 [B].
        """
        settings, weights = self.settings, self.weights
        log_probs = logits.log_softmax(dim=1).masked_fill(~batch.seen[1], 0.0)
        probs = log_probs.exp() * batch.seen[1]
        change = log_probs.gather(1, batch.actions[:, None])[:, 0] - batch.log_probs
        ratio = change.exp()
        clipped = ratio.clamp(1 - settings.clip_range, 1 + settings.clip_range)
        policy_loss = -torch.min(ratio * batch.advantages, clipped * batch.advantages).mean()
        value_loss = (values - batch.targets).square().mean()
        entropy = -(probs * log_probs).sum(dim=1).mean()
        total = weights.surrogate * policy_loss + settings.vf_coef * value_loss - weights.ent_coef * entropy
        statistics = {
            "policy_loss": policy_loss,
            "value_loss": value_loss,
            "entropy": entropy,
            "approx_kl": (ratio - 1 - change).mean(),
            "clip_fraction": ((ratio - 1).abs() > settings.clip_range).float().mean(),
        }
        if batch.teacher is not None:
            cross_entropy = -(batch.teacher * log_probs).sum(dim=1).mean()
            total = total + weights.teacher_coef * cross_entropy
            statistics["teacher_cross_entropy"] = cross_entropy
            statistics["teacher_accuracy"] = (batch.teacher.argmax(dim=1) == logits.argmax(dim=1)).float().mean()
        return total, {name: float(value.detach()) for name, value in statistics.items()}

    def _log(self, games: Decisions, target: np.ndarray, statistics: np.ndarray, rate: float) -> None:
        spread = float(target.var())
        unexplained = float((target - games.answers.values).var())
        measures = {
            "mean_return": games.mean_return,
            "mean_decisions": len(target) / games.games,
            "learning_rate": rate,
            **dict(zip(STATISTICS, statistics.tolist(), strict=True)),
            "explained_variance": 1 - unexplained / spread if spread else 0.0,
        }
        unknown: tuple[str, ...] = ("policy_loss", "approx_kl", "clip_fraction", "explained_variance") if self.copying else ()
        if not self.copying and self.teacher is None:
            unknown = ("teacher_cross_entropy", "teacher_accuracy")
        self.logged = {name: float(f"{float(measure):.6g}") for name, measure in measures.items() if name not in unknown}

    # --- keeping ---

    def save_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        arrays = {f"network.{name}": value for name, value in self.player.tensors().items()}
        if self.teacher is not None:
            arrays |= {f"teacher.{name}": value for name, value in self.teacher.tensors().items()}
        for k, moments in self.optimizer.state_dict()["state"].items():
            arrays |= {f"adam.{k}.{name}": np.atleast_1d(value.cpu().numpy().copy()) for name, value in moments.items()}
        about = {"updates": self.updates, "copying": self.copying}
        return about, {**arrays, "results": self.matchmaking.results}

    def load_state(self, about: dict[str, Any], arrays: dict[str, np.ndarray], snapshots: list[ModuleAgent]) -> None:
        if not isinstance(about["copying"], bool):
            raise ValueError("'copying' must be true or false")
        steps, updates = whole(about["steps"]), whole(about["updates"])
        like = self.player.tensors()
        network, teacher, moments = (part(arrays, f"{name}.") for name in ("network", "teacher", "adam"))
        check_arrays(network, like)
        check_arrays({"results": arrays["results"]}, {"results": np.zeros((len(self.matchmaking.fixed) + len(snapshots), 2))})
        weights, expected = list(self.module.parameters()), dict[str, np.ndarray]()
        for k in sorted({int(name.partition(".")[0]) for name in moments}):  # those that have had a gradient
            both = dict.fromkeys(("exp_avg", "exp_avg_sq"), weights[k].detach().cpu().numpy())
            expected |= {f"{k}.{name}": value for name, value in {"step": np.zeros(1, np.float32), **both}.items()}
        check_arrays(moments, expected)
        if teacher:
            check_arrays(teacher, like)
        self.player.load_tensors(network)
        self.teacher = self.player.like(teacher) if teacher else None
        state: dict[int, dict[str, Any]] = {}
        for name, value in moments.items():
            number, _, moment = name.partition(".")
            tensor = torch.from_numpy(np.array(value))
            state.setdefault(int(number), {})[moment] = tensor[0] if moment == "step" else tensor
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": state, "param_groups": groups})
        self.steps, self.updates, self.copying = steps, updates, about["copying"]
        self.matchmaking.snapshots, self.matchmaking.results = list(snapshots), arrays["results"]


def _by_seat(following: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """All decisions, int64 [T], those of a seat in a game together in their order: there each history goes on in the next one,
    so that a network may read it once for all of them.

    Args:
        following: int64 [T], the next decision of the same seat, negative where there is none.
    """
    first, goes_on = np.arange(len(following)), following >= 0
    before = np.full(len(following), -1)
    before[following[goes_on]] = np.flatnonzero(goes_on)
    for place in np.flatnonzero(before >= 0):  # ascending, so what came before is known
        first[place] = first[before[place]]
    return np.lexsort((np.arange(len(following)), rng.permutation(len(following))[first]))
