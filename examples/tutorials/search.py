# %% [markdown]
# # Search with beliefs
#
# A search agent imagines what it cannot see, tries every action in the imagined
# deals, and plays on to the end. You look at such deals, ask how likely each is
# after what the opponent did, see what this changes in a decision, and judge it
# over many decisions. Nothing is trained: search needs the rules of the game and
# somebody who plays on. The game is [poker](../../docs/rules/poker.md), hold'em for
# two.

# %% [markdown]
# ## Reach a decision
#
# `player_0` has a pair of tens. They raised before the flop, and bet again after
# it. Now `player_1` raises to 63.

# %%
import wilddeck
from wilddeck.envs.core.render import svg_picture

TWO = {"num_players": 2, "deck": "standard"}
env = wilddeck.make("poker_v0", **TWO)
env.reset(seed=17)
game = env.unwrapped
for wanted in ("raise to 5", "raise to 12", "call 7", "bet 18", "raise to 63"):
    labels = {game.action_label(action): action for action in game.legal_actions()}
    env.step(labels[wanted])
print(
    env.agent_selection,
    "is to move:",
    *map(game.action_label, game.legal_actions()),
)
svg_picture(env, "player_0")

# %% [markdown]
# ## Imagine deals
#
# `determinize` keeps what `player_0` knows and deals the rest again. Here are six
# such deals, one after another. What `player_1` did plays no part: any two cards
# are as likely.

# %%
from wilddeck.envs.core.render.vector import seen, svg_of

imagined = [game.determinize("player_0", seed) for seed in range(6)]
svg_of([seen(copy) for copy in imagined], seconds=1.5)

# %% [markdown]
# ## Weigh them
#
# Somebody who raises twice seldom has seven-deuce. `Beliefs` replays the hand in
# 256 imagined deals, and asks in each how likely a player would have acted as
# `player_1` did. That player is the agent `trained`, a network. The product over
# all actions is the weight of the deal; if that left only a few deals, earlier
# actions count less. `View.of(env)` is all that the player to move knows.

# %%
from wilddeck import agents
from wilddeck.agents.base import View
from wilddeck.agents.belief import Beliefs
from wilddeck.envs.core.game import as_record

view = View.of(game)
beliefs = Beliefs(view, agents.make("trained", "poker_v0", TWO), seed=0)
deals = [as_record(beliefs.samples, row) for row in range(len(beliefs.samples))]
hands = [wilddeck.cards.text(game.game.zones(deal)["hand/1"]) for deal in deals]
order = (-beliefs.weights).argsort()
print("likeliest", *(f"[{hands[row]}]" for row in order[:10]))
print("unlikeliest", *(f"[{hands[row]}]" for row in order[-10:]))

# %% [markdown]
# ## Measure the difference
#
# With a king or a jack on this board, `player_1` is ahead of a pair of tens. How
# often do they hold one?

# %%
import numpy as np

ahead = np.array(["K" in hand or "J" in hand for hand in hands])
print(f"all deals alike: {ahead.mean():.0%}")
print(f"weighed: {(ahead * beliefs.weights).sum() / beliefs.weights.sum():.0%}")

# %% [markdown]
# ## Search with and without
#
# `mc` names the search agent: `rollouts` games for a decision, played on by
# `policy`. `thoughts` says what it found: the mean return of each action, in big
# blinds. Actions that do badly are tried less often. `beliefs=1` draws deals by
# their weight; in poker that is the default.

# %%
thoughts = {}
for on in (0, 1):
    spec = f"mc:rollouts=2000,policy=trained,beliefs={on}"
    search = agents.make(spec, "poker_v0", TWO)
    thoughts[on] = search.thoughts(view, np.random.default_rng(1))
    action = search.act(view, np.random.default_rng(1))
    print(f"beliefs={on} plays: {game.action_label(action)}")

# %% [markdown]
# ## Look at what changes
#
# Without beliefs, a call and raises look good, because most imagined hands are
# weak. With beliefs, they cost far more than a fold: after two raises, nine hands
# in ten are ahead.

# %%
import matplotlib.pyplot as plt

plt.figure(figsize=(7, 3))
for on, found in thoughts.items():
    places = np.arange(len(found.actions)) + 0.4 * on - 0.2
    plt.bar(places, found.worths, 0.4, yerr=found.errors, label=f"beliefs={on}")
plt.xticks(
    range(len(found.actions)), map(game.action_label, found.actions), rotation=20
)
plt.axhline(0, color="gray", linewidth=0.8)
plt.ylabel("big blinds")
plt.legend()
plt.show()

# %% [markdown]
# ## Judge many decisions
#
# One decision is an anecdote. `judge` takes decisions from games of `trained`, asks
# each agent, and plays out all actions in the same imagined deals. The gain is what
# the agent's choice is worth beyond the mean of all legal actions, in chips (two to
# a big blind). "Best in hindsight" bounds what there is to gain.

# %%
from wilddeck.agents.judge import judge

SEARCH = "mc:rollouts=100,policy=trained"
without, believing = f"{SEARCH},beliefs=0", f"{SEARCH},beliefs=1"
judged = judge(
    ["trained", without, believing], "poker_v0", TWO, positions=800, seed=1
)
print(judged)
print("beliefs gain", judged.difference(believing, without))
for name, seconds in judged.seconds.items():
    print(f"{name}: {1000 * seconds:.1f} ms a decision")

# %% [markdown]
# The judge draws its deals by the same beliefs, and the opponents in these games
# really are `trained`. So this is the best case: beliefs that are true. Against
# opponents who play differently, they may mislead. [What beliefs
# gain](../../docs/strength.md#what-beliefs-gain) has results in the true deal: a
# gain in poker and Bluff, none that is proven elsewhere.

# %% [markdown]
# ## What next
#
# - `wilddeck judge hearts rules trained mc:rollouts=50,policy=trained` judges
#   agents in other games; [agents of your
#   own](../../docs/guides/agents.md#judge-single-decisions) has results.
# - `wilddeck serve` shows what agents think at your own decisions.
# - Your own network can play on in a search:
#   `mc:policy=runs/tennis/agent.safetensors`, with the weights of [Train an agent
#   and see it win](train.py).
# - [A game of your own](game.py): search plays it, too.
