# %% [markdown]
# # A league of bots in any language
#
# Any program that reads and writes lines can play. You write a bot in Python and
# one for the shell, send one a message by hand, let them play in a league with a
# bot that cheats, and watch a match. The game is the tennis of [Play and
# look](play.py), for two players.

# %% [markdown]
# ## Write a bot in Python
#
# A bot reads messages and writes answers, each a JSON object on one line. `hello`
# comes once, and says where the parts of the observation are. `act` asks for one of
# the actions in `legal`; in tennis an action is a rank. This bot plays the one that
# beats most cards on the table and is beaten by fewest: ranks form a circle of 12,
# and a card beats those one and two steps below it.

# %%
from pathlib import Path

code = """
import json, sys

def score(rank):
    beats = table[(rank - 1) % 12] + table[(rank - 2) % 12]
    return beats - table[(rank + 1) % 12] - table[(rank + 2) % 12]

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        first, end = message["observation"]["table"]
        print(json.dumps({"name": "greedy"}), flush=True)
    elif message["type"] == "act":
        cards = message["observation"][first:end]  # 12 ranks for each player
        table = [sum(cards[rank::12]) for rank in range(12)]
        print(json.dumps({"action": max(message["legal"], key=score)}), flush=True)
"""
print(Path("greedy.py").write_text(code), "characters written")

# %% [markdown]
# ## Talk to it
#
# Send it two messages by hand, shortened to what it reads. On the table is a 9,
# rank 7; the bot holds a 5, a T and a K, ranks 3, 8 and 11. It plays the T.

# %%
import json
import subprocess
import sys

table = [0] * 24
table[7] = 1
messages = [
    {"type": "hello", "observation": {"table": [0, 24]}},
    {"type": "act", "observation": table, "legal": [3, 8, 11]},
]
lines = "".join(json.dumps(message) + "\n" for message in messages)
print(
    subprocess.check_output([sys.executable, "greedy.py"], input=lines, text=True)
)

# %% [markdown]
# ## Let it play
#
# `cmd:` and a command line is an agent, wherever wilddeck takes one. The program
# starts once and plays all games.

# %%
from wilddeck.training.evaluate import evaluate

TWO = {"num_players": 2}
GREEDY = f"cmd:{sys.executable} greedy.py"

results = evaluate(
    GREEDY, "tennis_v0", TWO, against=["random", "rules"], games=50, seed=1
)
for name, outcome in results.items():
    print(f"against {name}: {outcome}")

# %% [markdown]
# ## Write a bot for the shell
#
# A bot that looks at nothing but `legal` needs no parser of JSON: messages have no
# spaces, and the shell cuts out the number after `"legal":[`. This one plays the
# lowest rank in hand. Whatever flushes a line after each answer can be a bot: C,
# Rust, JavaScript, Java.

# %%
code = """
while read -r line; do
    case $line in
    *'"type":"hello"'*)
        echo '{"name": "lowest"}' ;;
    *'"type":"act"'*)
        legal=${line#*'"legal":['}
        echo "{\\"action\\": ${legal%%[],]*}}" ;;
    esac
done
"""
print(Path("lowest.sh").write_text(code), "characters written")

# %% [markdown]
# ## Write one that cheats
#
# No message holds a card that the bot's seat must not see. This bot breaks the
# rules instead: it is the greedy one, but chooses from all ranks, whether it holds
# them or not.

# %%
cheat = Path("greedy.py").read_text().replace('message["legal"]', "range(12)")
print(Path("cheat.py").write_text(cheat), "characters written")

# %% [markdown]
# ## Run a league
#
# Every pair of agents plays 30 matches with either of them on the first seat. After
# 20 forfeits an agent gets no more matches.

# %%
from wilddeck.league import League

league = League("bots.league", "tennis_v0", TWO, seed=1, disqualify_after=20)
for name, agent in {
    "random": "random",
    "rules": "rules",
    "greedy": GREEDY,
    "lowest": "cmd:sh lowest.sh",
    "cheat": f"cmd:{sys.executable} cheat.py",
}.items():
    league.add(name, agent)
run = league.run(deals=30)
print(run.played, "matches played,", run.forfeits, "forfeited")

# %% [markdown]
# An agent that fails forfeits the match: it gets the lowest return, and random
# actions play on for it. The other matches are not touched; the bot is started anew
# for the next. `errors` has the reason of every forfeit.

# %%
first = league.errors()[0]
print(first.agent, "-", first.status, "-", first.message.partition(" answered ")[2])

# %% [markdown]
# ## Read the ratings
#
# `random` is at 0, and 400 points more are ten times the odds of winning. The
# interval comes from resampling deals.

# %%
from IPython.display import Markdown

Markdown(league.export("markdown"))

# %% [markdown]
# ## Watch a match
#
# The shortest match that the bot in Python won against the rules.

# %%
won = []
for match in league.results():
    returns = {seat.agent: seat.returned for seat in match.seats}
    if "rules" in returns and returns.get("greedy", 0) > 0:
        won.append(match)
shortest = min(won, key=lambda match: len(match.actions))
print(f"{len(won)} such matches; the shortest has {len(shortest.actions)} moves")
league.episode(shortest.id)

# %% [markdown]
# ## What next
#
# - [Bots in any language](../../docs/guides/bots.md) has all messages: events to
#   remember, labels as data, times, and the sandbox for bots of people whom you do
#   not know.
# - [Leagues](../../docs/guides/leagues.md) explains time limits, failures,
#   duplicate deals, and many processes.
# - An agent may also be a model behind a server: [a language model at the
#   table](models.py).
