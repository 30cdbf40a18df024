# %% [markdown]
# # Your own PPO in 100 lines
#
# [Train an agent and see it win](train.py) uses the learner that comes with
# wilddeck. Here you write one: a batch plays, torch learns, and every line of the
# algorithm is in front of you. It needs torch, and half a minute on one core.
#
# [PPO](https://arxiv.org/abs/1707.06347) repeats two steps: play some moves with
# the present policy, then make those actions likelier that turned out better than
# expected, but not much likelier at a time.

# %% [markdown]
# ## A policy and a critic
#
# The policy returns a logit for each action. The critic returns what it expects the
# player to win. A small last layer makes the first policy nearly random.

# %%
import torch
import wilddeck
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)
THREE = {"num_players": 3}
batch = wilddeck.make_batch("tennis_v0", num_games=256, seed=1, **THREE)


def network(outputs):
    hidden = nn.Linear(batch.observation_size, 128), nn.ReLU(), nn.Linear(128, 128)
    return nn.Sequential(*hidden, nn.ReLU(), nn.Linear(128, outputs))


policy, critic = network(batch.num_actions), network(1)
policy[-1].weight.data *= 0.01

# %% [markdown]
# ## Mask illegal actions
#
# An illegal action gets a logit of -1e9, and so a probability of 0, both when the
# policy plays and when it learns.


# %%
def log_probs(seen, legal):
    return policy(seen).masked_fill(~legal, -1e9).log_softmax(dim=-1)


# %% [markdown]
# ## Play
#
# All three seats follow the policy. `torch.tensor` copies the arrays, which the
# next step overwrites. Keep whose turn it was, the rewards of all seats, and where
# games ended: from these you learn later what each decision was worth.


# %%
def play(steps):
    rows = []
    for _ in range(steps):
        seen = torch.tensor(batch.observation)
        legal = torch.tensor(batch.action_mask, dtype=torch.bool)
        with torch.no_grad():
            every = log_probs(seen, legal)
        action = torch.multinomial(every.exp(), 1)
        seats = batch.current_player.copy()
        batch.step(action[:, 0].numpy())
        done = batch.terminated | batch.truncated
        decision = seen, legal, action, every.gather(1, action)
        rows.append((*decision, seats, batch.rewards.copy(), done))
    *decisions, seats, rewards, dones = zip(*rows, strict=True)
    return [torch.stack(each) for each in decisions], (seats, rewards, dones)


decisions, outcome = play(steps=8)
print([tuple(each.shape) for each in decisions])

# %% [markdown]
# ## Credit each decision
#
# A step rewards all seats, whoever moved. `credit_rewards` adds up what a seat got
# until its own next decision. `advantages` says how much more that was than the
# critic expected (generalised advantage estimation), and gives the critic's
# targets. `known` leaves out decisions whose outcome is still open, and moves
# without a choice.

# %%
from wilddeck.envs.core.credit import advantages, credit_rewards


def credit(decisions, outcome):
    seen, legal, *_ = decisions
    choice = (legal.sum(dim=2) > 1).numpy()
    with torch.no_grad():
        values = critic(seen)[:, :, 0].numpy()
    found = advantages(credit_rewards(*outcome, decisions=choice), values)
    known = torch.from_numpy(found.known)
    worth = torch.from_numpy(found.advantages), torch.from_numpy(found.targets)
    return [each[known] for each in (*decisions, *worth)]


data = credit(decisions, outcome)
print(len(data[0]), "decisions of", 8 * len(batch), "are known")

# %% [markdown]
# ## Learn
#
# `ratio` says how much likelier the policy makes an action now than when it was
# played. Beyond 0.8 and 1.2 there is nothing more to gain. The entropy keeps the
# policy from settling too early.

# %%
parameters = [*policy.parameters(), *critic.parameters()]
optimizer = torch.optim.Adam(parameters, lr=2e-3, eps=1e-5)


def learn(data, epochs=3, size=2048):
    for _ in range(epochs):
        for part in torch.randperm(len(data[0])).split(size):
            rows = [each[part] for each in data]
            seen, legal, action, old, advantage, target = rows
            every = log_probs(seen, legal)
            ratio = (every.gather(1, action) - old).exp()[:, 0]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(0.8, 1.2) * advantage
            gain = torch.min(ratio * advantage, clipped).mean()
            error = (critic(seen)[:, 0] - target).square().mean()
            entropy = -(every.exp() * every).sum(dim=1).mean()
            optimizer.zero_grad()
            (0.5 * error - gain - 0.01 * entropy).backward()
            nn.utils.clip_grad_norm_(parameters, 0.5)
            optimizer.step()


# %% [markdown]
# ## Train
#
# `agent_of` makes an agent of the network, so that `evaluate` can let it play.
# Every tenth update it plays 600 games against `random` and against `rules`.

# %%
from wilddeck.frameworks.weights import agent_of
from wilddeck.training.evaluate import evaluate

UPDATES, done, curve = 60, 0, []
for update in range(UPDATES + 1):
    if update % 10 == 0:
        agent = agent_of(policy, greedy=True, name="mine")
        curve.append((done, evaluate(agent, "tennis_v0", THREE, games=600, seed=5)))
    data = credit(*play(steps=64))
    optimizer.param_groups[0]["lr"] = 2e-3 * (1 - update / (UPDATES + 1))
    learn(data)
    done += len(data[0])
print(f"{done:,} decisions")

# %% [markdown]
# ## Plot the learning curve
#
# With three equal players, everybody wins a third of the games: the dotted line.

# %%
import matplotlib.pyplot as plt

plt.figure(figsize=(7, 3))
for name in ("random", "rules"):
    shares = [results[name].win_rate for _, results in curve]
    plt.plot([count for count, _ in curve], shares, marker="o", label=name)
plt.axhline(1 / 3, color="gray", linestyle=":")
plt.xlabel("decisions")
plt.ylabel("share of games won")
plt.legend(title="against")
plt.show()

# %% [markdown]
# ## Keep the agent
#
# Saved weights are an agent everywhere: in leagues, in the browser, as opponents.
# On fresh deals, it wins:

# %%
agent = agent_of(policy, greedy=True, name="mine")
wilddeck.agents.learned.save("mine.safetensors", agent, "tennis_v0", THREE)
for name, result in evaluate(
    "mine.safetensors", "tennis_v0", THREE, games=3000, seed=7
).items():
    print(f"against {name}: {result}")

# %% [markdown]
# ## What next
#
# - The critic could see all hands in training: `batch.critic_observation()`. [PPO
#   in one file](../../docs/guides/frameworks.md#ppo-in-one-file) does so, and lets
#   other agents take some of the seats.
# - [Batches in a learner of your
#   own](../../docs/guides/clients.md#batches-in-a-learner-of-your-own) lists what
#   else a batch provides.
# - This policy sees the present only. [A transformer that remembers](remember.py)
#   reads what has happened.
