# %% [markdown]
# # Train an agent and see it win
#
# You train a network by self-play, plot how it learns, let it play in a league
# against other agents, and watch one of the games that it won. The game is the
# tennis of [Play and look](play.py). Training takes some 20 seconds on one
# processor core and needs no GPU.

# %% [markdown]
# ## Train
#
# `train` runs PPO with masked actions in compiled code. The network plays against
# itself, earlier copies of itself and two fixed agents, and learns from every
# decision that it makes. A step is one of these decisions. Every 50,000 steps it
# plays 250 deals against `random` and against `rules`, each from every seat.

# %%
from wilddeck.training.train import train

THREE = {"num_players": 3}
STEPS = 300_000

result = train(
    "tennis_v0",
    THREE,
    out="runs/tennis",  # a folder of its own for each run
    total_steps=STEPS,
    eval_every=50_000,
    seed=1,
    progress=False,
)
print(f"{result.steps:,} steps, weights in {result.weights}")

# %% [markdown]
# ## Plot the learning curve
#
# With three equal players, everybody wins a third of the games: the dotted line.
# The curve against `random` rises at once. The one against `rules` crosses the line
# later: from there on the network is the better player.

# %%
import matplotlib.pyplot as plt

plt.figure(figsize=(7, 3))
for name in ("random", "rules"):
    plt.plot(
        [point.steps for point in result.evaluations],
        [point.win_rates[name] for point in result.evaluations],
        marker="o",
        label=f"against {name}",
    )
plt.axhline(1 / 3, color="gray", linestyle=":")
plt.xlabel("steps")
plt.ylabel("share of games won")
plt.legend()
plt.show()

# %% [markdown]
# ## Evaluate it on fresh deals
#
# The curve uses the same deals at every point. `evaluate` deals new ones and says
# how exact the result is: `±` is the standard error. The first number is the mean
# score, +1 for a win and -0.5 for a loss, so 0 is an even game.

# %%
from wilddeck.training.evaluate import evaluate

opponents = ["random", "rules"]
results = evaluate(
    result.weights, "tennis_v0", THREE, against=opponents, games=3000, seed=7
)
for name, outcome in results.items():
    print(f"against {name}: {outcome}")

# %% [markdown]
# ## Rank it in a league
#
# A league plays every group of three agents from every seat and keeps the matches
# in a file. A file of weights is an agent. Beside yours, a beginner takes part: the
# same training, but of 30,000 steps only.

# %%
from wilddeck.league import League

short = train(
    "tennis_v0", THREE, out="runs/short", total_steps=30_000, seed=2, progress=False
)
league = League("tennis.league", "tennis_v0", THREE, seed=1)
for name, agent in {
    "random": "random",
    "rules": "rules",
    "beginner": short.weights,
    "mine": result.weights,
}.items():
    league.add(name, agent)
print(league.run(deals=60).played, "matches played")

# %% [markdown]
# The table has a rating for each agent, with `random` at 0: 400 points more are ten
# times the odds of finishing ahead. The 95 % interval comes from resampling deals.
# Where two intervals overlap, the order may be chance: `league.run(deals=500)`
# plays what is missing to 500 deals.

# %%
from IPython.display import Markdown

Markdown(league.export("markdown"))

# %% [markdown]
# ## Watch it win
#
# A league keeps every match, and replays it exactly. Pick one that your agent won
# against `rules`, and step through it.

# %%
won = []
for match in league.results():
    returns = {seat.agent: seat.returned for seat in match.seats}
    if "rules" in returns and returns.get("mine", 0) > 0:
        won.append(match)
shortest = min(won, key=lambda match: len(match.actions))
print(f"{len(won)} such matches; the shortest has {len(shortest.actions)} moves")
league.episode(shortest.id)

# %% [markdown]
# ## What next
#
# - Train longer: `resume("runs/tennis", total_steps=5_000_000)` goes on from here.
#   `wilddeck play tennis -n 3 --agent runs/tennis/agent.safetensors` lets you play
#   against your agent.
# - [Training](../../docs/guides/training.md) explains the settings, several seeds,
#   and how to read the log.
# - [Leagues](../../docs/guides/leagues.md) explains ratings, time limits, and
#   agents that fail.
# - [Your own PPO in 100 lines](ppo.py) opens the learner.
