"""PPO in one file, after the manner of CleanRL: read it, copy it, change it.

    python -m wilddeck.frameworks.cleanrl --game tennis_v0 --opponents random --total-steps 500000

It plays one seat in a Gymnasium vector of compiled games. On a GPU where torch finds one. Needs torch.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import gymnasium
import torch
from torch import nn
from torch.distributions import Categorical

from ..agents import learned
from ..envs import resolve
from ..envs.registration import registry_id
from .weights import agent_of


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """The settings."""
    parser = argparse.ArgumentParser(description="PPO of one seat against agents")
    for name, default in (
        ("game", "tennis_v0"),
        ("opponents", "random"),
        ("seed", 1),
        ("num_envs", 256),
        ("num_steps", 32),  # of each environment, between two updates
        ("total_steps", 500_000),
        ("minibatch", 2048),
        ("epochs", 4),
        ("learning_rate", 1e-3),
        ("gae_lambda", 0.95),
        ("clip", 0.2),
        ("entropy", 0.01),
        ("hidden", 128),
        ("out", ""),  # where the weights go: agent.safetensors
    ):
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    return parser.parse_args(arguments)


def network(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Two hidden layers."""
    layers = nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, outputs)
    nn.init.orthogonal_(layers[-1].weight, 0.01)
    return nn.Sequential(*layers)


def train(args: argparse.Namespace) -> learned.LearnedAgent:
    """Train, and return the agent."""
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    vector: Any = gymnasium.make_vec(registry_id(args.game), num_envs=args.num_envs, opponents=args.opponents)
    n, size, actions = args.num_envs, vector.single_observation_space.shape[0], int(vector.single_action_space.n)
    policy, value = network(size, args.hidden, actions).to(device), network(size, args.hidden, 1).to(device)
    parameters = [*policy.parameters(), *value.parameters()]
    optimizer = torch.optim.Adam(parameters, args.learning_rate, eps=1e-5)

    def distribution(seen: torch.Tensor, legal: torch.Tensor) -> Categorical:
        return Categorical(logits=policy(seen).masked_fill(~legal, -1e9), validate_args=False)

    shape = args.num_steps, n
    all_seen, all_legal = (
        torch.zeros(*shape, size, device=device),
        torch.zeros(*shape, actions, dtype=torch.bool, device=device),
    )
    all_actions = torch.zeros(shape, dtype=torch.int64, device=device)
    likelihoods, rewards, ends, values, advantages = (torch.zeros(shape, device=device) for _ in range(5))
    observation, infos = vector.reset(seed=args.seed)
    start, updates = time.time(), max(1, args.total_steps // (n * args.num_steps))
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - update / updates)
        total, games = 0.0, 0
        for step in range(args.num_steps):
            all_seen[step] = torch.from_numpy(observation)
            all_legal[step] = torch.from_numpy(infos["action_mask"]).bool()
            with torch.no_grad():
                drawn = distribution(all_seen[step], all_legal[step])
                all_actions[step] = drawn.sample()
                likelihoods[step] = drawn.log_prob(all_actions[step])
                values[step] = value(all_seen[step])[:, 0]
            observation, reward, terminated, truncated, infos = vector.step(all_actions[step].cpu().numpy())
            rewards[step], ends[step] = torch.from_numpy(reward), torch.from_numpy(terminated | truncated)
            total, games = total + reward.sum(), games + int((terminated | truncated).sum())

        with torch.no_grad():  # games end by their rules, so after an end there is nothing to expect
            following, later = value(torch.from_numpy(observation).to(device))[:, 0], torch.zeros(n, device=device)
            for step in reversed(range(args.num_steps)):
                goes_on = 1 - ends[step]
                later = rewards[step] + following * goes_on - values[step] + args.gae_lambda * goes_on * later
                advantages[step], following = later, values[step]
        goals = advantages + values

        flat = [array.flatten(0, 1) for array in (all_seen, all_legal, all_actions, likelihoods, advantages, goals)]
        for _ in range(args.epochs):
            for places in torch.randperm(n * args.num_steps, device=device).split(args.minibatch):
                seen, legal, chosen, before, advantage, goal = (array[places] for array in flat)
                now = distribution(seen, legal)
                ratio = (now.log_prob(chosen) - before).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                gain = torch.min(ratio * advantage, ratio.clamp(1 - args.clip, 1 + args.clip) * advantage).mean()
                error = (value(seen)[:, 0] - goal).square().mean()
                optimizer.zero_grad()
                (0.5 * error - gain - args.entropy * now.entropy().mean()).backward()
                nn.utils.clip_grad_norm_(parameters, 0.5)
                optimizer.step()
        done = (update + 1) * n * args.num_steps
        print(f"{done:,} steps, {done / (time.time() - start):,.0f}/s, mean return {total / max(games, 1):+.3f}", flush=True)
    vector.close()

    agent = agent_of(policy, name="cleanrl")
    if args.out:
        learned.save(Path(args.out), agent, *resolve(args.game))
    return agent


if __name__ == "__main__":
    torch.set_num_threads(1)  # networks of this size gain nothing from more
    train(parsed())
