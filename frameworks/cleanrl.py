"""PPO by self-play in one file, in the style of CleanRL: read it, copy it, change it.

    python -m wilddeck.frameworks.cleanrl --game tennis_v0 --total-steps 1000000 --out agent.safetensors

One network plays most seats of many compiled games; random and rule-based agents play the rest. It learns from all its
decisions with more than one legal action: from the rewards until the seat's next decision (`credit_rewards`) and advantages
over a critic that sees all cards (`advantages`). Uses a GPU if torch finds one. Needs torch.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from .. import agents, envs
from ..agents import learned
from ..agents.views import Views
from ..envs.core.batch import Batch
from ..envs.core.credit import advantages, credit_rewards
from ..training.train import measured_scale
from .weights import agent_of

ILLEGAL = -1e9  # the logit of an illegal action
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """The settings."""
    parser = argparse.ArgumentParser(description="PPO by self-play on all seats")
    for name, default in (
        ("game", "tennis_v0"),
        ("seed", 1),
        ("total_steps", 1_000_000),  # decisions to learn from
        ("num_envs", 128),  # parallel games
        ("num_steps", 96),  # per game and update
        ("opponents", "random rules"),  # the agents of the other seats
        ("opponent_share", 0.2),  # their fraction of the seats, not counting one seat per game that is always the network's
        ("critic", "state"),  # the critic's input: "state" (all cards) or "observation" (the policy's)
        ("minibatch", 2048),
        ("epochs", 3),
        ("learning_rate", 6e-3),  # decays to 1e-4
        ("gae_lambda", 0.95),
        ("clip", 0.2),
        ("entropy", 0.01),
        ("hidden", 128),
        ("out", ""),  # where the weights go: agent.safetensors
    ):
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    return parser.parse_args(arguments)


def network(inputs: int, hidden: int, outputs: int, gain: float) -> nn.Sequential:
    """A network with two hidden layers; `gain` is that of the output layer."""
    sizes = (inputs, hidden), (hidden, hidden), (hidden, outputs)
    layers = [nn.Linear(*size) for size in sizes]
    for layer, scale in zip(layers, (2**0.5, 2**0.5, gain), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2]).to(DEVICE)


def log_probs(policy: nn.Module, seen: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """The log-probabilities of all actions, [M, A]."""
    return policy(seen).masked_fill(~legal, ILLEGAL).log_softmax(dim=1)


class Decisions(NamedTuple):
    """M decisions to learn from: float32, except `legal` (bool [M, A]) and `actions` (int64)."""

    seen: torch.Tensor  # [M, D]
    shown: torch.Tensor  # the critic's input
    legal: torch.Tensor
    actions: torch.Tensor
    likely: torch.Tensor  # log-probabilities
    advantages: torch.Tensor
    targets: torch.Tensor  # for the critic


class Games:
    """Games in progress, and their players."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.rng = args, np.random.default_rng(args.seed)
        self.game, self.options = envs.resolve(args.game)
        self.batch = Batch(self.game, self.options, args.num_envs, args.seed)
        specs = agents.available(args.opponents.split(), self.game)
        self.others = [agents.make(spec, self.game, self.options) for spec in specs]
        self.team_of = self.game.team_of(self.options)
        self.players = np.zeros((args.num_envs, self.batch.num_players), np.int64)  # 0: the network; k: others[k - 1]
        self.scale = measured_scale(self.game, self.options, self.others)  # of rewards, so that returns are about 1
        self.seat_players(np.arange(args.num_envs))

    def seat_players(self, rows: np.ndarray) -> None:
        """Draw the players of the next games: one team (or seat, in games without teams) is always the network's."""
        shape = len(rows), self.team_of.max() + 1
        drawn = self.rng.integers(1, 1 + len(self.others), shape) if self.others else np.zeros(shape, np.int64)
        drawn[self.rng.random(shape) >= self.args.opponent_share] = 0
        drawn[np.arange(len(rows)), self.rng.integers(0, shape[1], len(rows))] = 0
        self.players[rows] = drawn[:, self.team_of]

    @torch.no_grad()
    def play(self, policy: nn.Module, critic: nn.Module) -> Decisions:
        """Play some steps; returns the network's decisions whose outcome is known."""
        args, batch, rows = self.args, self.batch, np.arange(self.args.num_envs)
        kept: list[tuple[np.ndarray, ...]] = []
        seats, decided, rewards, dones = [], [], [], []
        for _ in range(args.num_steps):
            actions = batch.action_mask.argmax(axis=1)  # for forced moves
            player = np.where(batch.action_mask.sum(axis=1) > 1, self.players[rows, batch.current_player], -1)
            for k, agent in enumerate(self.others, start=1):
                theirs = np.flatnonzero(player == k)
                if len(theirs):
                    views = Views.of(batch.observation[theirs], batch.action_mask[theirs])
                    actions[theirs] = agent.act_batch(views, self.rng)
            own = np.flatnonzero(player == 0)
            observation, mask = batch.observation[own], batch.action_mask[own].astype(np.bool_)
            hidden = batch.critic_observation()[own] if args.critic == "state" else observation
            probs = log_probs(policy, tensor(observation), tensor(mask)).exp()
            actions[own] = torch.multinomial(probs, 1)[:, 0].cpu().numpy() if len(own) else 0
            kept.append((observation, hidden, mask, actions[own]))
            seats.append(batch.current_player.copy())
            decided.append(player == 0)
            batch.step(actions)
            rewards.append(batch.rewards.copy())
            dones.append(batch.terminated | batch.truncated)
            self.seat_players(np.flatnonzero(dones[-1]))

        seen, shown, legal, played = (tensor(np.concatenate(arrays)) for arrays in zip(*kept, strict=True))
        where, values = np.array(decided), np.zeros((args.num_steps, args.num_envs), np.float32)
        credit = credit_rewards(seats, rewards, dones, decisions=where, teams=self.game.teams(self.options))
        values[where] = critic(shown)[:, 0].cpu().numpy()
        found = advantages(credit._replace(rewards=credit.rewards * self.scale), values, gae_lambda=args.gae_lambda)
        likely = log_probs(policy, seen, legal).gather(1, played[:, None])[:, 0]
        arrays = seen, shown, legal, played, likely, tensor(found.advantages[where]), tensor(found.targets[where])
        known = tensor(found.known[where])  # the outcome of each seat's last decision is still open
        return Decisions(*(array[known] for array in arrays))


def tensor(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array).to(DEVICE)


def train(args: argparse.Namespace, watch: Callable[[int, learned.LearnedAgent], None] | None = None) -> learned.LearnedAgent:
    """Train, and return the agent, which plays greedily. `watch` is called with decisions and agent after each update."""
    torch.manual_seed(args.seed)
    games = Games(args)
    batch = games.batch
    shown = batch.critic_observation().shape[1] if args.critic == "state" else batch.observation_size
    policy = network(batch.observation_size, args.hidden, batch.num_actions, 0.01)
    critic = network(shown, args.hidden, 1, 1.0)
    parameters = [*policy.parameters(), *critic.parameters()]
    optimizer = torch.optim.Adam(parameters, args.learning_rate, eps=1e-5)
    done, start = 0, time.time()
    while done < args.total_steps:
        optimizer.param_groups[0]["lr"] = 1e-4 + (args.learning_rate - 1e-4) * (1 - done / args.total_steps)
        decisions = games.play(policy, critic)
        count = len(decisions.actions)
        for _ in range(args.epochs):
            for places in torch.randperm(count, device=DEVICE).chunk(max(1, round(count / args.minibatch))):
                part = Decisions(*(array[places] for array in decisions))
                every = log_probs(policy, part.seen, part.legal)
                ratio = (every.gather(1, part.actions[:, None])[:, 0] - part.likely).exp()
                advantage = (part.advantages - part.advantages.mean()) / (part.advantages.std() + 1e-8)
                gain = torch.min(ratio * advantage, ratio.clamp(1 - args.clip, 1 + args.clip) * advantage).mean()
                error = (critic(part.shown)[:, 0] - part.targets).square().mean()
                entropy = -(every.exp() * every).sum(dim=1).mean()
                optimizer.zero_grad()
                (0.5 * error - gain - args.entropy * entropy).backward()
                nn.utils.clip_grad_norm_(parameters, 0.5)
                optimizer.step()
        done += count
        measured = f"entropy {entropy.item():.2f}, the critic's error {error.item():.2f}"
        print(f"{done:,} decisions, {done / (time.time() - start):,.0f}/s, {measured}", flush=True)
        if watch is not None:
            watch(done, agent_of(policy, greedy=True, name="cleanrl"))
    agent = agent_of(policy, greedy=True, name="cleanrl")
    if args.out:
        learned.save(Path(args.out), agent, games.game, games.options)
    return agent


if __name__ == "__main__":
    torch.set_num_threads(1)  # networks of this size gain nothing from more
    train(parsed())
