# %% [markdown]
# # A game of your own
#
# You make a card game that wilddeck does not have, check it, catch a leak of hidden
# cards, and train an agent that plays it. A game is one Python module; batches,
# search, leagues and the browser work with it as they do with the games of
# wilddeck.
#
# The game is Oh Hell, in which players bid how many tricks they will win, with a
# rule called the hook: the bids must not add up to the number of tricks. So at
# least one player fails in every hand.

# %% [markdown]
# ## Generate a game
#
# `wilddeck new` writes a small game that already plays, as a package. Its kinds are
# `tricks`, `shedding`, `betting` and `matching`; begin with the one that is closest
# to your game. The kind `tricks` is Oh Hell without the hook.

# %%
import subprocess
import sys


def new(name):
    command = f"{sys.executable} -m wilddeck.cli new {name} --kind tricks"
    return subprocess.check_output(command.split(), text=True)


print(new("oh_hook").splitlines()[0].replace(", ", "\n  "))

# %% [markdown]
# ## Read a rule
#
# `game.py` holds the state, the actions, the observation and the rules. Rules are
# plain Python that numba compiles: functions of one record, `state`. This one fills
# the mask of legal actions. A bid is an action, too; the first stands for 0 tricks.

# %%
from pathlib import Path

code = Path("oh_hook/oh_hook/game.py").read_text()
rule = code[code.index("def legal_actions") : code.index("def step")]
print(rule.removesuffix("@device_function\n").rstrip())

# %% [markdown]
# ## Write your own
#
# You would use an editor; here, `change` replaces one text of a file by another.
# The last player to bid must not bid the tricks that the other bids leave. Numbers
# of the state are small integers: `np.int64` before you calculate.


# %%
def change(file, old, new):
    text = Path(file).read_text()
    assert text.count(old) == 1, f"{file} has not exactly one {old!r}"
    Path(file).write_text(text.replace(old, new))


bids = "        mask[first : first + np.int64(state.cards) + 1] = 1  # OH-03\n"
hook = """
        last = np.int64(state.num_players) - 1
        if state.current_player == last:
            left = np.int64(state.cards)
            for seat in range(last):
                left -= np.int64(state.bids[seat])
            if left >= 0:
                mask[first + left] = 0  # OH-09
"""
change("oh_hook/oh_hook/game.py", bids, bids + hook.lstrip("\n"))

# %% [markdown]
# ## Tell people, and the rule-based player
#
# `rules.md` has the rules as numbered clauses, for people and language models.
# `player.py` is a player that follows rules of thumb, the agent `rules` of your
# game. Where its bid is forbidden it now bids one less, or 1 in place of 0.

# %%
clause = "| OH-09 | The bids must not add up to the number of tricks. |\n"
after = "\nA player knows"
change("oh_hook/oh_hook/rules.md", after, clause + after)

bid = "        return first_bid + likely_tricks(observation, num_players)\n"
other = """
        if not mask[bid]:
            bid += 1 if bid == first_bid else -1
        return bid
"""
player = "oh_hook/oh_hook/player.py"
change(player, bid, bid.replace("return", "bid =") + other.lstrip("\n"))
change(player, "if mask[first_bid]:", "if mask[first_bid:].any():")

# %% [markdown]
# ## Play it
#
# Everything in wilddeck that takes the name of a game takes the game itself.
# `only_interpreted` runs the rules without compiling them: at once, and with errors
# that show your line. Two players bid, and the third may bid anything but 2.

# %%
sys.path.insert(0, "oh_hook")
from oh_hook import GAME
from wilddeck.envs import raw_env
from wilddeck.envs.core.jit import only_interpreted

with only_interpreted():
    env = raw_env(GAME)
    env.reset(seed=1)
    for label in ("bid 1", "bid 2"):
        env.step(env.action_from_label(label))
    print([env.action_label(action) for action in env.legal_actions()])

# %% [markdown]
# The picture is drawn from the declarations in `game.py`. This is what the third
# player sees.

# %%
from wilddeck.envs.core.render import svg_picture

svg_picture(env, "player_2")

# %% [markdown]
# ## Check it
#
# `run_checks` runs the checks that the games of wilddeck pass: cards are neither
# lost nor doubled, nothing hidden is revealed, copies and saves go on exactly, a
# batch plays what single games play. `wilddeck check oh_hook:GAME` does the same in
# the terminal. Here are some of them.

# %%
from wilddeck.testing import run_checks

results = list(run_checks(GAME))
failures = [result.failure for result in results if result.failure]
print(len(results), "checks,", len(failures), "failed")
for result in results[14:26:2]:
    print("-", result.name)

# %% [markdown]
# ## Catch a leak
#
# Make a mistake in another copy: everybody gets the hand of player 0 as their
# observation. The game still plays. The checks find it and say where; `run_checks`
# gives one result after another, so this ends at the first failure.

# %%
new("leaky")
right = "tricks.observe_tricks(state, viewer, out)"
change("leaky/leaky/game.py", right, right.replace("viewer", "0"))

sys.path.insert(0, "leaky")
from leaky import GAME as LEAKY

print(next(result.failure for result in run_checks(LEAKY) if result.failure))

# %% [markdown]
# ## Compare the seats
#
# Does it matter who bids last? The checks have compiled your game, and now it is
# fast. Let the rules of thumb play against themselves, and look at the mean return
# of each seat: the points less the mean of all, in tens. Seat 2 bids last.

# %%
import numpy as np
from wilddeck.training.evaluate import evaluate

even = evaluate("rules", GAME, against=["rules"], games=150_000, seed=1)["rules"]
print(even.games, "games, mean return by seat", np.round(even.team_means, 3))

# %% [markdown]
# ## Train on it
#
# The rules of thumb bid aces and high trumps, and do not look at the bids of
# others. Train a network by self-play, with two cards in each hand, and compare: 0
# is an even game.

# %%
from wilddeck.training.train import train

TWO = {"cards": 2}
trained = train(
    GAME, TWO, out="runs/oh_hook", total_steps=500_000, seed=1, progress=False
)
opponents = ["random", "rules"]
results = evaluate(
    trained.weights, GAME, TWO, against=opponents, games=9000, seed=7
)
for name, outcome in results.items():
    print(f"against {name}: {outcome}")

# %% [markdown]
# ## Look at what it learned
#
# The agent on seat 0 plays against the rules of thumb. With two cards, the third
# player may not bid 2 less the other bids.

# %%
from wilddeck import envs
from wilddeck.agents.play import play_game
from wilddeck.league import Episode

agents = [str(trained.weights), "rules", "rules"]
game, options = envs.resolve(GAME, TWO)
played = play_game(game, options, agents, seed=3)
Episode.played(game, options, 3, played.actions, ["mine", "rules", "rules"])

# %% [markdown]
# ## What next
#
# - [A game of your own](../../docs/guides/own_game.md) goes through the whole of
#   `game.py`, and shows how to install your game, so that it is known by its name.
# - Play it: `wilddeck play oh_hook:GAME` in the folder `oh_hook`, or `wilddeck
#   serve` once it is installed.
# - Let programs in other languages play: [a league of bots in any
#   language](bots.py).
