# %% [markdown]
# # A paper's table
#
# You compare two agents over eight games as a paper would: one score over all
# games, intervals, a plot, and what others need to repeat it. The question: the
# agent `trained` plays its likeliest action. Would it do better to sample, to draw
# its action from the probabilities that its network gives?

# %% [markdown]
# ## Choose games and agents
#
# A score covers games by name, here eight. `suite.task` has the game and its
# options. `like` copies a network agent, with `greedy=False` to one that samples.

# %%
from wilddeck import agents
from wilddeck.benchmarks.score import playing, suite

NAMES = (
    "tennis-2p,hearts,spades,president,crazy_eights,"
    "egyptian_ratscrew,go_fish,bridge"
)
GAMES = suite.find_names([NAMES])


def sampler(name):
    task = suite.task(name)
    agent = agents.make("trained", task.game, task.options)
    return agent.like(greedy=False)


samplers = {name: sampler(name) for name in GAMES}
print(*GAMES)

# %% [markdown]
# ## Play
#
# `run` plays 100 deals of each game, each from every seat, against random play,
# the rules and `trained`, which here is one of the two agents. It writes the
# results to a file as they come: after an interruption, the same call goes on. Both
# agents get the same cards.

# %%
from pathlib import Path

GREEDY, SAMPLING = Path("greedy.json"), Path("sampling.json")
playing.run(
    playing.ScoreRequest("trained", games=GAMES, deals=100, name="greedy"), GREEDY
)
playing.run(
    playing.ScoreRequest(specs=samplers, deals=100, name="sampling"), SAMPLING
)
print(*(f"{path}: {path.stat().st_size:,} bytes" for path in (GREEDY, SAMPLING)))

# %% [markdown]
# ## Make the table
#
# The files have every result, so a table needs no agent and no game. In each game,
# random play scores 0 and the rules score 1. `totals` sums up: the interquartile
# mean leaves out the lowest and the highest quarter of the games, so that no single
# game decides.

# %%
from IPython.display import Markdown
from wilddeck.benchmarks.score import record, report
from wilddeck.league.export import markdown_table

greedy, sampling = record.load(GREEDY), record.load(SAMPLING)
scores = [greedy.scores(), sampling.scores()]
rows = [
    [suite.task(name).title, *(report.text_of(each.of(name)) for each in scores)]
    for name in GAMES
]
means = [record.totals(each)["interquartile_mean"] for each in scores]
rows.append(["interquartile mean", *map(report.text_of, means)])
Markdown("\n".join(markdown_table(["score", greedy.name, sampling.name], rows)))

# %% [markdown]
# The intervals in brackets are 95 %: a bootstrap draws the deals of each game again
# and again. Say so in the caption. `evaluate` and `exploit` print ± one standard
# error; a 95 % interval is about twice as wide to either side.

# %% [markdown]
# ## Compare
#
# The intervals of the two means overlap. But both agents had the same cards, and
# the luck that they share cancels in the difference. So look at the interval of the
# lead: if it does not contain 0, more than the luck of the deals is behind it.

# %%
compared = record.compare(greedy, sampling)
for line in report.comparison_lines(greedy, sampling, compared):
    print(line)

# %% [markdown]
# The lead is small. The probability of improvement, whose interval is above 50 %,
# says that playing the likeliest action scores more, by a little. Which games does
# that come from?

# %%
table = report.comparison_table(greedy, sampling, compared)
Markdown("\n".join(markdown_table(*table)))

# %% [markdown]
# Take care with single games: of eight intervals of 95 %, at least one misses the
# truth in about a third of such tables. And all of them are over deals. They say
# nothing about other games, other opponents, or another training of the same
# network.

# %% [markdown]
# ## Plot
#
# A profile shows for each score in how many games an agent has more. The band is
# the 95 % interval.

# %%
from IPython.display import SVG
from wilddeck.benchmarks.score import plot

SVG(plot.profiles([greedy, sampling]))

# %% [markdown]
# ## Report what others need
#
# The score file has what the results depend on: versions, deals and their seed, the
# options of each game, and digests of the networks. Publish it with the paper.

# %%
import json

content = json.loads(GREEDY.read_text())
protocol, played_by = content["protocol"], content["agent"]["games"]
print(content["made_with"])
print(*(f"{key}={protocol[key]}" for key in ("version", "suite", "deals", "seed")))
print(protocol["games"]["tennis_v0-2p"]["options"])
print(played_by["tennis_v0-2p"])

# %% [markdown]
# In the text, name
#
# - the version of wilddeck, and of each game (the end of `tennis_v0`);
# - the options that differ from the defaults, here two players in tennis;
# - the deals of each game, their seed, and the opponents;
# - what an interval is: of which percentage, and over what;
# - for an agent of your own, decisions, seeds and settings of its training. Train
#   several seeds, and report them all;
# - the command. For the first file it is

# %%
print(f"wilddeck score trained --games {NAMES} --deals 100", end=" ")
print("--name greedy --file greedy.json")

# %% [markdown]
# To cite wilddeck, take the entry for BibTeX in [How to cite](../../docs/cite.md).
# `CITATION.cff` in the repository says the same to programs.

# %% [markdown]
# ## What next
#
# - [Scores](../../docs/guides/scores.md) explains the protocol, the small suite for
#   slow agents, and scores of bots and language models.
# - `wilddeck score mine.agents:make` scores agents of your own over all games.
# - [How strong the agents are](../../docs/strength.md) has such tables for the
#   agents that come with the games.
# - This was the last tutorial. [What you want to do](../../docs/reference/index.md)
#   lists the functions for everything else.
