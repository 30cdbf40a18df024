"""Agents that remember: a GRU and a small decoder transformer over what a seat has perceived, beside a plain network.

    python examples/sequence_agent.py hearts_v0 --network gru --out runs/gru

copies the rule-based player, goes on by self-play, and prints what the agent wins and how far it can be exploited. The weights
are an agent wherever agents are named: `wilddeck evaluate hearts runs/gru/agent.safetensors --trust`, run in this folder.

A history is a row of tokens (`wilddeck.envs.core.tokens`): kind of event, player, card, other player, amount, how many follow.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import nn
from wilddeck import agents
from wilddeck.agents.modules import Shapes
from wilddeck.agents.play import evaluate
from wilddeck.training.exploit import exploit
from wilddeck.training.train import train

WIDTH = 64
CATEGORIES = ("kind", "player", "card", "other")  # the first columns of a token; numbers follow


class Tokens(nn.Module):
    """What tokens mean: the sum of an embedding of each of their columns. int64 [B, K, 6] -> float32 [B, K, WIDTH]."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        self.columns = nn.ModuleList(nn.Embedding(shapes.token_sizes[name], WIDTH) for name in CATEGORIES)
        self.numbers = nn.Linear(2, WIDTH)

    def forward(self, history: torch.Tensor) -> torch.Tensor:
        total = self.numbers(history[:, :, len(CATEGORIES) :].float() / 16)
        for k, column in enumerate(self.columns):
            total = total + column(history[:, :, k])
        return total


class Heads(nn.Module):
    """Logits and value from what is seen now (the observation) and, where there is one, a summary of the past."""

    def __init__(self, shapes: Shapes, summary: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(shapes.observation_size + summary, 2 * WIDTH), nn.ReLU(), nn.Linear(2 * WIDTH, 2 * WIDTH), nn.ReLU()
        )
        self.logits, self.value = nn.Linear(2 * WIDTH, shapes.num_actions), nn.Linear(2 * WIDTH, 1)
        for layer in (self.logits, self.value):
            nn.init.orthogonal_(layer.weight, 0.01)

    def forward(self, *seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        units = self.trunk(torch.cat(seen, dim=1))
        return self.logits(units), self.value(units)[:, 0]


class MLP(nn.Module):
    """Without a past, to compare with."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        self.heads = Heads(shapes, 0)

    def forward(self, observation, action_mask, history, history_length):
        return self.heads(observation)


class Sequence(nn.Module):
    """What both kinds share: tokens in, the state at the last of them out."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        if not shapes.history:
            raise ValueError("this network reads histories: give history=128, say")
        self.tokens, self.heads = Tokens(shapes), Heads(shapes, WIDTH)

    def states(self, tokens: torch.Tensor) -> torch.Tensor:
        """float32 [B, K, WIDTH] -> the same, of each token and those before it."""
        raise NotImplementedError

    def forward(self, observation, action_mask, history, history_length):
        last = history_length.clamp(1, history.shape[1]) - 1
        history = history[:, : int(last.max()) + 1]
        # In learning a seat's decisions come one after another, and the history of one begins that of the next: read it once.
        common = (history[:-1] == history[1:]).all(dim=2).cumprod(dim=1).sum(dim=1)
        is_read = torch.ones_like(last, dtype=torch.bool)
        is_read[:-1] = common <= last[:-1]
        row = is_read.cumsum(dim=0) - is_read.long()
        states = self.states(self.tokens(history[is_read]))
        return self.heads(observation, states[row, last])


class GRU(Sequence):
    """A recurrent network."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__(shapes)
        self.recurrent = nn.GRU(WIDTH, WIDTH, batch_first=True)

    def states(self, tokens):
        return self.recurrent(tokens)[0]


class Transformer(Sequence):
    """A decoder: each token attends to itself and those before it."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__(shapes)
        self.places = nn.Parameter(0.02 * torch.randn(shapes.history, WIDTH))
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, dropout=0.0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, nn.LayerNorm(WIDTH), enable_nested_tensor=False)

    def states(self, tokens):
        size = tokens.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(size, device=tokens.device)
        return self.layers(tokens + self.places[:size], mask=mask, is_causal=True)


NETWORKS = {"mlp": MLP, "gru": GRU, "transformer": Transformer}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Train an agent that remembers")
    parser.add_argument("game", nargs="?", default="hearts_v0")
    parser.add_argument("-n", "--players", type=int, help="number of players")
    parser.add_argument("--network", choices=list(NETWORKS), default="gru")
    parser.add_argument("--history", type=int, default=96, help="tokens that the network is given")
    parser.add_argument("--init-from", default="rules", metavar="AGENT", help="whom it copies first")
    parser.add_argument("--steps", type=int, default=100_000, help="decisions to learn from")
    parser.add_argument("--deals", type=int, default=1000, help="on which it is evaluated")
    parser.add_argument("--exploit-steps", type=int, default=50_000, help="decisions that an exploiter learns from")
    parser.add_argument("--out", type=Path, default=Path("runs/sequence"))
    chosen = parser.parse_args(arguments)
    options = {} if chosen.players is None else {"num_players": chosen.players}
    result = train(
        chosen.game,
        options,
        network=NETWORKS[chosen.network],
        history=0 if chosen.network == "mlp" else chosen.history,
        out=chosen.out,
        total_steps=chosen.steps,
        init_from=chosen.init_from,
        bc_fraction=0.75,
        num_envs=128,
        rollout_steps=128,
        epochs=2,
        threads=1,
        seed=1,
    )
    agent = agents.make(str(result.weights), chosen.game, options, trust=True)
    for name in ("random", "rules"):
        against = agents.make(name, chosen.game, options)
        print(f"against {name}:", evaluate(agent, against, chosen.game, options, chosen.deals, seed=1), flush=True)
    exploited = exploit(
        agent, chosen.game, options, total_steps=chosen.exploit_steps, max_seconds=None, deals=chosen.deals, seed=1
    )
    print("exploited:", exploited)


if __name__ == "__main__":
    main()
