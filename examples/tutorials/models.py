# %% [markdown]
# # A language model at the table
#
# Any language model behind a server with OpenAI's chat interface can play. You read
# the prompt that it gets, let it answer, see what happens after a useless answer
# and when a budget is spent, and rank it in a league. A stand-in for the model runs
# in the notebook, so that you need no key and no network.

# %% [markdown]
# ## Read the prompt
#
# For each decision a model gets one prompt: the rules as the system's message, and
# as the user's message what the player has perceived, what they see, and the legal
# actions with their numbers. It holds all that the player can know, and nothing
# else.

# %%
import wilddeck
from wilddeck.agents.base import View
from wilddeck.agents.llm.prompts import Template

TWO = {"num_players": 2}
env = wilddeck.make("tennis_v0", **TWO)
env.reset(seed=1)
for _ in range(5):
    env.step(env.unwrapped.legal_actions()[0])
view = View.of(env.unwrapped)  # of the agent that is to move
system, user = Template().messages(view)
print(len(system["content"]), "characters of rules and game, then:\n")
print(user["content"])

# %% [markdown]
# ## Stand in for a model
#
# The stand-in plays the card that beats most cards on the table and is beaten by
# fewest. Ranks form a circle, and a card beats those one and two steps below it.

# %%
RANKS = "23456789TJQK"  # an action is the place of a rank


def score(rank, table):
    steps = [(RANKS.index(rank) - RANKS.index(other)) % 12 for other in table]
    return sum((step in (1, 2)) - (step in (10, 11)) for step in steps)


# %% [markdown]
# `ChatServer` is a server on your own machine that answers with a function of the
# messages. This one finds the cards on the table and the legal actions in the
# prompt.

# %%
import json
import re

from wilddeck.testing.chat_server import ChatServer


def brain(messages, request):
    prompt = messages[1]["content"]
    table = re.findall(r"table: (\w)", prompt)
    choices = re.findall(r"^\d+: play (\w)$", prompt, re.M)
    best = max(choices, key=lambda rank: score(rank, table))
    thoughts = (
        f"{best} scores {score(best, table):+d} against {len(table)} on the table"
    )
    return json.dumps({"thoughts": thoughts, "action": RANKS.index(best)})


server = ChatServer(brain)

# %% [markdown]
# ## Ask it
#
# `llm:` and settings is an agent. `base_url` is the server, `exchanges` a file that
# keeps every prompt and answer. The agent asks for a JSON object with short
# thoughts and the number of an action.

# %%
from pathlib import Path

import numpy as np
from wilddeck import agents

MODEL = f"llm:model=stand-in,base_url={server.base_url}"
model = agents.make(f"{MODEL},exchanges=asked.jsonl", "tennis_v0", TWO)
action = model.act(view, np.random.default_rng(1))
print(view.label(action))

asked = json.loads(Path("asked.jsonl").read_text().splitlines()[-1])
print(asked["answer"])
print(asked["tokens_in"], "tokens in,", asked["tokens_out"], "out")

# %% [markdown]
# ## Give useless answers
#
# Models say things that cannot be played. The agent sends such an answer back once,
# with what is wrong with it. `faults` are the server's next answers: prose, a good
# one (the empty name), prose, an illegal action.

# %%
from wilddeck.agents.base import AgentError

with ChatServer(brain, faults=["nonsense", "", "nonsense", "illegal"]) as faulty:
    spec = f"llm:model=stand-in,base_url={faulty.base_url}"
    model = agents.make(spec, "tennis_v0", TWO)
    print(view.label(model.act(view, np.random.default_rng(1))))
    print(faulty.requests[1].body["messages"][-1]["content"])
    try:
        model.act(view, np.random.default_rng(1))
    except AgentError as error:
        print(error.kind, "-", error)

# %% [markdown]
# For the second decision both answers were useless. In a league the model forfeits
# the match; with `failure=random` a random action is played instead. Both are
# counted.

# %% [markdown]
# ## Keep a budget
#
# `price_in` and `price_out` are the price of a million tokens. Once `budget` is
# spent, nothing more is asked; the request that reaches it is still paid. Prices
# are high here, so that four decisions are enough.

# %%
from wilddeck.agents.base import Unavailable

LIMIT = "price_in=100,price_out=400,budget=0.25"
spec = f"{MODEL},{LIMIT},exchanges=budget.jsonl"
model = agents.make(spec, "tennis_v0", TWO)
try:
    for number in range(1, 10):
        model.act(view, np.random.default_rng(1))
        print("decision", number)
except Unavailable as error:
    print(error)

# %% [markdown]
# ## Run a league
#
# `executor="thread"` plays many matches at once, because servers take their time.
# `reader` is the stand-in that you wrote. `guesser` is one that picks a legal
# action at random, and gives an illegal one in a tenth of its answers.

# %%
from wilddeck.league import League

PRICES = "price_in=1,price_out=4"
wild = ChatServer("random", faults={"illegal": 0.1}, seed=1)
GUESSER = f"llm:model=stand-in,base_url={wild.base_url},failure=random"

league = League("models.league", "tennis_v0", TWO, seed=1)
for name, agent in {
    "reader": f"{MODEL},{PRICES}",
    "guesser": f"{GUESSER},{PRICES}",
    "rules": "rules",
    "random": "random",
}.items():
    league.add(name, agent)
print(league.run(deals=10, executor="thread", workers=8).played, "matches played")

# %% [markdown]
# The table has the ratings. With 10 deals the intervals are rough; `league.run(30)`
# plays what is missing to 30.

# %%
from IPython.display import Markdown

Markdown(league.export("markdown"))

# %% [markdown]
# ## Count what it cost
#
# `repeated` are decisions whose first answer was useless, `failed` those where the
# second was, too. All exchanges lie beside the league, in `models.exchanges.jsonl`:
# a league that was stopped goes on without asking twice.

# %%
for usage in league.usage():
    print(f"{usage.agent}: {usage.decisions} decisions, {usage.repeated} repeated,")
    print(f"  {usage.failed} failed, {usage.tokens_in:,} tokens in,", end=" ")
    print(f"{usage.tokens_out:,} out, cost {usage.cost:.2f}")
server.close()
wild.close()

# %% [markdown]
# ## What next
#
# - A real model: `llm:model=qwen3,base_url=http://localhost:8000/v1` for vLLM,
#   llama.cpp or Ollama; `llm:model=gpt-5-mini` with the key in `OPENAI_API_KEY`.
#   Set a `budget`.
# - [Language models](../../docs/guides/llm.md) has the settings, prompts of your
#   own, and a score over 13 games. [A language model from
#   scratch](../../docs/guides/text-model.md) trains a small one and serves it.
# - [Exploit an agent](exploit.py): find out what a strong agent does badly.
