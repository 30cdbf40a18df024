# %% [markdown]
# # A batch in numpy
#
# One environment plays thousands of steps a second. A batch plays thousands of
# games at once in compiled code, millions of steps a second, and shows them as
# numpy arrays. You measure its speed, read its arrays, write a policy for all games
# at once, and find out how good it is. The game is the tennis of [Play and
# look](play.py).

# %% [markdown]
# ## Make a batch
#
# A row is a game. `observation` and `action_mask` belong to the player whose turn
# it is in that row, `current_player` is their seat.

# %%
import wilddeck

batch = wilddeck.make_batch("tennis_v0", num_games=1024, seed=0, num_players=3)
print("observation", batch.observation.shape, batch.observation.dtype)
print("action_mask", batch.action_mask.shape, batch.action_mask.dtype)
print("current_player", batch.current_player.shape, batch.current_player[:8], "...")

# %% [markdown]
# ## Step all games
#
# `step` takes one action a row. `random_actions` draws a legal one in each row. The
# first call compiles the game; the result is cached on disk, so you wait for it
# only once.

# %%
import time

batch.step(batch.random_actions())
start = time.perf_counter()
for _ in range(500):
    batch.step(batch.random_actions())
seconds = time.perf_counter() - start
print(f"{500 * len(batch) / seconds / 1e6:.1f} million steps a second")

# %% [markdown]
# ## Count who wins
#
# A game that ends starts anew in the same step: `terminated` marks its row,
# `rewards` has what each seat got, and the observation shows the next deal already.
# With random play, the three seats should win equally often.

# %%
import numpy as np

wins = np.zeros(3)
for _ in range(1000):
    batch.step(batch.random_actions())
    wins += (batch.rewards[batch.terminated] > 0).sum(axis=0)
share = wins / wins.sum()
print(int(wins.sum()), "games, share of wins by seat", share.round(3))

# %% [markdown]
# ## Read the observation of all games
#
# The same layout as of one environment names the columns. `table` has a block of 12
# ranks for each player, with a 1 at the rank of the card that they have played to
# this trick. Summed over players, it counts the cards of each rank on the table.

# %%
where = batch.observation_layout["table"]
on_table = batch.observation[:, where].reshape(len(batch), 3, 12).sum(axis=1)
print(where, on_table.shape)
print("cards on the table in the first rows", on_table.sum(axis=1)[:8])

# %% [markdown]
# ## Write a policy
#
# A card should beat many cards on the table and be beaten by few. `beats[a, b]` is
# 1 where rank `a` beats rank `b`: one or two steps above it on the circle. A matrix
# product then scores all 12 ranks in all games, and the mask removes those that are
# not in hand.

# %%
above = (np.arange(12)[:, None] - np.arange(12)) % 12  # steps from b up to a
beats = ((above == 1) | (above == 2)).astype(np.float32)


def greedy(batch):
    on_table = batch.observation[:, where].reshape(len(batch), 3, 12).sum(axis=1)
    score = on_table @ (beats - beats.T).T
    return np.where(batch.action_mask, score, -np.inf).argmax(axis=1)


print(greedy(batch)[:8])

# %% [markdown]
# ## Let it play
#
# Seat 0 follows the policy, the others play at random: `np.where` puts the two
# arrays of actions together. `age` counts the moves of each row's game, so that you
# know how long a game took when it ends.


# %%
def play(policy, steps=2000):
    batch.reset(seed=1)
    wins, age, lengths = np.zeros(3), np.zeros(len(batch), int), []
    for _ in range(steps):
        mine = batch.current_player == 0
        batch.step(np.where(mine, policy(batch), batch.random_actions()))
        wins += (batch.rewards[batch.terminated] > 0).sum(axis=0)
        age += 1
        lengths.extend(age[batch.terminated])
        age[batch.terminated] = 0
    return wins / wins.sum(), lengths


share, lengths = play(greedy)
print(len(lengths), "games, share of wins by seat", share.round(3))

# %% [markdown]
# ## Look at it
#
# Does the policy only win more often, or also sooner? Play the same with three
# random players, and compare how long games last.

# %%
import matplotlib.pyplot as plt

_, random_lengths = play(lambda batch: batch.random_actions())
plt.figure(figsize=(7, 3))
bins = np.arange(0, 600, 20)
plt.hist(
    random_lengths, bins, density=True, alpha=0.6, label="three random players"
)
plt.hist(lengths, bins, density=True, alpha=0.6, label="greedy and two random")
plt.xlabel("moves in a game")
plt.ylabel("share of games")
plt.yticks([])
plt.legend()
plt.show()

# %% [markdown]
# ## Keep what you need
#
# The arrays are live views: the next step overwrites them. Copy what you keep.

# %%
view, kept = batch.observation, batch.observation.copy()
batch.step(batch.random_actions())
print("the view is the new observation:", np.array_equal(view, batch.observation))
print("the copy is the old one:", not np.array_equal(kept, batch.observation))

# %% [markdown]
# ## What next
#
# - The policy looks at the table only, and forgets which cards are still to come.
#   [Train an agent and see it win](train.py) learns a better one.
# - Your policy becomes an agent for leagues and evaluations by one method: [agents
#   of your own](../../docs/guides/agents.md).
# - Rewards that arrive many moves later, the views of other seats, histories for
#   recurrent networks: [batches in a learner of your
#   own](../../docs/guides/clients.md#batches-in-a-learner-of-your-own).
