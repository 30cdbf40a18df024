# %% [markdown]
# # Play and look
#
# You start a game, look at the table, read what a player knows, play to the end,
# and watch a replay. `pip install .` is all that this tutorial needs.
#
# The game is [tennis](../../docs/rules/tennis.md), for three players. Everybody
# plays a card to each trick. Ranks form a circle: a card beats the two ranks below
# it, so a 5 beats a 4 and a 3, and a 2 beats a king and a queen. The card that
# beats most of the others wins the trick, and its player keeps the cards. The last
# player with cards wins the game.

# %% [markdown]
# ## Start a game
#
# `make` returns an environment of [PettingZoo](https://pettingzoo.farama.org):
# agents act one after another. `reset` shuffles and deals; equal seeds deal equal
# cards. At the end of a notebook cell, `env` shows the table with all cards open.

# %%
import wilddeck

env = wilddeck.make("tennis_v0", num_players=3)
env.reset(seed=1)
env

# %% [markdown]
# ## See what a player sees
#
# Players see their own hand only. `svg_picture` draws the table from the seat of
# one agent, here of the agent that is to move.

# %%
from wilddeck.envs.core.render import svg_picture

agent = env.agent_selection
print(agent, "is to move")
svg_picture(env, agent)

# %% [markdown]
# ## Read the observation
#
# An agent gets the same view as numbers. `observation` is one vector;
# `observation_layout` names its parts. The hand has one entry for each rank, 2 to
# K: how many cards of that rank you hold, divided by 4. The picture above shows the
# same cards.

# %%
observation, reward, terminated, truncated, info = env.last()
game = env.unwrapped  # everything beyond PettingZoo's interface
print("length", observation["observation"].shape)
print("parts", *game.observation_layout)
print("hand", observation["observation"][game.observation_layout["hand"]] * 4)

# %% [markdown]
# ## Choose a legal action
#
# `action_mask` is 1 where an action is legal. Every action has a label.

# %%
print("mask", observation["action_mask"])
for action in game.legal_actions():
    print(action, game.action_label(action))

# %% [markdown]
# ## Play to the end
#
# `agent_iter` goes around the table until the game is over. Each agent picks a
# legal action at random. An agent that is done steps with `None`, as PettingZoo
# asks.

# %%
env.reset(seed=1)
moves = 0
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    if terminated or truncated:
        action = None
    else:
        action = env.action_space(agent).sample(observation["action_mask"])
        moves += 1
    env.step(action)
print(moves, "moves, returns", game.returns)

# %% [markdown]
# ## Read what happened
#
# `history` lists the events of the game as one player perceived them. Cards that
# `player_0` did not see are hidden here, too. So the history is safe to give to an
# agent.

# %%
for event in game.history("player_0")[:8]:
    print(event.text())

# %% [markdown]
# ## Imagine what you cannot see
#
# `determinize` returns a copy of the game in which everything that an agent cannot
# know is dealt again. Your own hand stays; the hands of the others change with the
# seed. Each line shows the hands of seats 0, 1 and 2. Search agents and beliefs
# start here.

# %%
env.reset(seed=1)
for seed in range(3):
    zones = game.determinize(env.agent_selection, seed).zones()
    hands = [wilddeck.cards.text(zones[f"hand/{seat}"]) for seat in range(3)]
    print(" | ".join(hands))

# %% [markdown]
# ## Let agents play
#
# Every game comes with agents, which you name by a string. `random` plays legal
# actions at random, and `rules` follows simple rules written by hand. `evaluate`
# puts an agent on each seat in turn and its opponent on all others. It prints the
# mean score, +1 for a win and -0.5 for a loss, with its standard error, and the
# share of wins. Between equal players that is a third.

# %%
from wilddeck.training.evaluate import evaluate

THREE = {"num_players": 3}
results = evaluate(
    "rules", "tennis_v0", THREE, against=["random"], games=1500, seed=1
)
print(results["random"])

# %% [markdown]
# ## Watch a replay
#
# `play_game` plays one game and returns its actions. From the deal and the actions,
# `Episode` makes a replay: press play, or step with the arrow keys.
# `episode.to_html()` is the same as one file for a web page.

# %%
from wilddeck.agents.play import play_game
from wilddeck.league import Episode

rules, options = wilddeck.envs.resolve("tennis_v0", THREE)
agents = ["rules", "random", "random"]
played = play_game(rules, options, agents, seed=5)
Episode.played(rules, options, 5, played.actions, agents)

# %% [markdown]
# ## What next
#
# - Play yourself: `wilddeck play tennis` in the terminal, `wilddeck serve` in the
#   browser.
# - Every other game works the same way: replace `tennis_v0` by a name from
#   `wilddeck.games()`. [A map of the games](../../docs/games.md) helps you choose.
# - One game at a time is slow. [A batch in numpy](batch.py) plays thousands at
#   once.
