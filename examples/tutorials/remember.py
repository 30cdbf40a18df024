# %% [markdown]
# # A transformer that remembers
#
# In Go Fish you ask others for cards, and whoever asked for sevens before has a
# seven. Here a small transformer reads what has happened, event by event, and says
# which cards the opponent holds. Then it becomes an agent. It needs torch, and
# about a minute on one core.

# %% [markdown]
# ## A batch with histories
#
# `history=48` adds the last 48 tokens of what the player to move has perceived. A
# token is six integers: kind of event, player (1 is the seat itself), card, other
# player, an amount, and how many tokens of the same event follow. In an ask, the
# amount is the rank. Zeros fill up the end.

# %%
import wilddeck
from wilddeck.envs.core.tokens import TOKEN

TWO = {"num_players": 2, "deck": "standard"}
SIZE = 48
batch = wilddeck.make_batch(
    "go_fish_v0", num_games=256, seed=1, history=SIZE, **TWO
)
print(batch.history.shape, batch.history_length[:5])
print(TOKEN)
print(batch.history[0, :16])

# %% [markdown]
# ## Play, and look at what is hidden
#
# The rules play both seats. `observe` returns what the other seat sees, and so the
# truth that the transformer is to guess: which of the 13 ranks are in the
# opponent's hand. A card's id is four times its rank, plus its suit.

# %%
import numpy as np
import torch
from torch import nn
from wilddeck import agents
from wilddeck.agents.views import Views

rules = agents.make("rules", "go_fish_v0", TWO)
rng = np.random.default_rng(1)
hand = batch.observation_layout["hand"]


def sample():
    theirs = batch.observe(1 - batch.current_player)[:, hand][:, :52]
    held = torch.tensor(theirs.reshape(len(batch), 13, 4).max(axis=2))
    history = torch.tensor(batch.history, dtype=torch.long)
    views = Views.of(batch.observation, batch.action_mask)
    batch.step(rules.act_batch(views, rng))
    return history, held


# %% [markdown]
# All games begin together. After 200 moves they are at different stages; from
# there, keep some for a test. A 1 is a rank that the opponent of the first game
# holds, from 2 to A.

# %%
for _ in range(200):
    sample()
test = [sample() for _ in range(6)]
print(test[0][1][0].int().tolist())

# %% [markdown]
# ## Read tokens
#
# Each column of a token has a table of vectors. Their sum goes through two layers,
# because "the opponent asks for sevens" is more than its parts. In the attention
# layer tokens read one another, and `places` tells them apart. The mean over all
# tokens is what the network remembers.


# %%
class Reader(nn.Module):
    def __init__(self, token_sizes, size, width=32):
        super().__init__()
        sizes = [*token_sizes.values(), 66, 66]  # amount and left, too
        self.columns = nn.ModuleList(nn.Embedding(n, width) for n in sizes)
        wide = nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)
        self.mix = nn.Sequential(nn.ReLU(), *wide)
        self.places = nn.Parameter(torch.randn(size, width))
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, 0, batch_first=True)
        self.attention = nn.TransformerEncoder(layer, 1)

    def forward(self, tokens):  # int64 [B, size, 6] -> float32 [B, width]
        empty = tokens[:, :, 0] == 0
        columns = zip(self.columns, tokens.clamp(max=65).unbind(dim=2), strict=True)
        units = self.places + sum(column(values) for column, values in columns)
        units = self.attention(units + self.mix(units), src_key_padding_mask=empty)
        there = ~empty[:, :, None]
        return (units * there).sum(dim=1) / there.sum(dim=1).clamp(min=1)


# %% [markdown]
# ## Shorten memories
#
# To see what memory is worth, give another network the last 12 tokens only.


# %%
def last(history, size):
    start = ((history[:, :, 0] > 0).sum(dim=1) - size).clamp(min=0)
    places = start[:, None] + torch.arange(size)
    return history.gather(1, places[:, :, None].expand(-1, -1, len(TOKEN)))


# %% [markdown]
# ## Learn what the opponent holds
#
# The loss is the cross-entropy of 13 yes-or-no questions. Fresh games never run
# out, so each step learns from new ones.

# %%
from wilddeck.envs.core.tokens import token_sizes

cross_entropy = nn.functional.binary_cross_entropy_with_logits


def learn(size, steps=600):
    torch.manual_seed(0)
    model = nn.Sequential(Reader(token_sizes(2), size), nn.Linear(32, 13))
    optimizer, curve = torch.optim.Adam(model.parameters(), lr=3e-3), []
    for step in range(steps + 1):
        if step % 50 == 0:
            with torch.no_grad():
                losses = [cross_entropy(model(last(h, size)), y) for h, y in test]
            curve.append((step, float(sum(losses)) / len(losses)))
        history, held = sample()
        optimizer.zero_grad()
        cross_entropy(model(last(history, size)), held).backward()
        optimizer.step()
    return model, curve


# %% [markdown]
# Two networks learn the same. They begin alike, and differ in what they are given.

# %%
torch.set_num_threads(1)
short, short_curve = learn(12)
long, long_curve = learn(SIZE)

# %% [markdown]
# ## See what memory is worth
#
# The dotted line knows only how often each rank is held.

# %%
import matplotlib.pyplot as plt

shares = sum(held.mean(dim=0) for _, held in test) / len(test)
blind = -(shares * shares.log() + (1 - shares) * (1 - shares).log()).mean()
plt.figure(figsize=(7, 3))
plt.plot(*zip(*short_curve, strict=True), marker="o", label="12 tokens")
plt.plot(*zip(*long_curve, strict=True), marker="o", label="48 tokens")
plt.axhline(blind, color="gray", linestyle=":")
plt.xlabel("steps")
plt.ylabel("cross-entropy")
plt.legend()
plt.show()
print(f"12 tokens {short_curve[-1][1]:.3f}, 48 tokens {long_curve[-1][1]:.3f}")

# %% [markdown]
# ## Make an agent
#
# An agent with `history = 48` is given the tokens of each of its seats. This one
# asks for the rank that the opponent most likely holds, of those that it may ask
# for; the first 13 actions ask for 2 to A. Everything else, such as laying a book,
# it does at once.

# %%
from wilddeck.agents.base import Agent


class Asker(Agent):
    history = SIZE

    def __init__(self, name, model, size):
        self.name, self.model, self.size = name, model, size

    def act_batch(self, views, rng):
        history = torch.tensor(views.history, dtype=torch.long)
        with torch.no_grad():
            held = self.model(last(history, self.size)).sigmoid().numpy()
        worth = np.ones(views.action_mask.shape)
        worth[:, :13] = held
        return np.where(views.action_mask, worth, -1).argmax(axis=1)


askers = Asker("12 tokens", short, 12), Asker("48 tokens", long, SIZE)

# %% [markdown]
# ## Let it play
#
# Nobody has taught the agents to play, only to remember. In Go Fish for two, luck
# decides most: even the rules that come with the game win no more than half against
# random play. Who remembers more still wins more.

# %%
from wilddeck.training.evaluate import evaluate

short_asker, long_asker = askers
opponents = ["random", short_asker]
for name, outcome in evaluate(
    long_asker, "go_fish_v0", TWO, against=opponents, games=4000, seed=8
).items():
    print(f"48 tokens against {name}: {outcome}")

# %% [markdown]
# ## What next
#
# - `train("go_fish_v0", network="my_networks:Memory", history=48)` trains a network
#   that reads histories by self-play, where `Memory` is a class of yours. [Agents
#   of your own](../../docs/guides/agents.md#train-a-network-of-your-own) shows how,
#   and what memory gains in hearts and hold'em.
# - `examples/sequence_agent.py` has such networks, a GRU and a decoder, which read
#   a history that goes on only once.
# - [Search with beliefs](search.py) infers hidden cards without learning.
