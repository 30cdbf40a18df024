"""The learner in compiled code: what it collects, its gradients, copying, and what a critic that sees everything may not do."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import FunctionType
from typing import Any

import kuhn
import numpy as np
import pytest
import toy_game as toy
from support import first_of, know
from wilddeck import agents, envs
from wilddeck.agents import rules
from wilddeck.agents.base import Agent
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.network import make_scratch, unflatten
from wilddeck.agents.views import Views
from wilddeck.envs.core.batch import Batch
from wilddeck.envs.core.jit import device_function
from wilddeck.seats.opponents import Pool
from wilddeck.training import gradient
from wilddeck.training.gpu import Accelerator
from wilddeck.training.gradient import Networks
from wilddeck.training.ppo import PPO
from wilddeck.training.settings import Settings
from wilddeck.training.train import train

SMALL = {"num_envs": 4, "rollout_steps": 40, "batch_size": 128, "hidden": (12,), "threads": 1}


def learner(game, options=None, fixed=(), beginning=None, remaining=lambda: 1.0, **settings) -> PPO:
    made = Settings(game.id, **{**SMALL, **settings})
    return PPO(made, game, game.make_options(options or {}), list(fixed), beginning, 1.0, remaining)


def rollout(ppo: PPO, pool: Pool, shares: list[float], place: int, seed: int) -> Any:
    nets = ppo.networks()
    return ppo.collector.collect(pool, np.array(shares), place, nets, ppo.scale, seed)


# --- what is collected ---


def entries(games, row, decision, first, count):
    begin = int(decision["offset"]) + first
    return games.buffer.indices[row, begin : begin + count], games.buffer.values[row, begin : begin + count]


def seen_as_vector(games, row, decision, size):
    index, value = entries(games, row, decision, 0, int(decision["num_obs"]))
    vector = np.zeros(size, np.float32)
    vector[index] = value
    return vector


def replayed(game, options, games, row, seed):
    """The decisions of one row, [seat, game, reward] each, by playing its games again with ordinary Python: where the next
    decision is not of the player to move as they see it, the first legal action is played."""
    batch = Batch(game, options, 1, seed + row)
    teams = game.teams(options)
    decisions, latest, number, k, count = [], {}, 0, 0, int(games.counts[row])
    while k < count or latest:
        player, mask = int(batch.current_player[0]), batch.action_mask[0]
        legal = np.flatnonzero(mask)
        action = legal[0]
        if len(legal) > 1 and k < count:
            decision = games.buffer.decisions[row][k]
            same = (seen_as_vector(games, row, decision, batch.observation_size) == batch.observation[0]).all()
            if decision["seat"] == player and same:
                first = int(decision["num_obs"]) + int(decision["num_critic_obs"])
                choices, _ = entries(games, row, decision, first, int(decision["num_legal"]))
                assert (choices == legal).all()
                action = choices[decision["action_index"]]
                latest[player] = k
                decisions.append([player, number, 0.0])
                k += 1
        batch.step([action])
        for team in teams:
            for seat in team:
                if seat in latest:
                    decisions[latest[seat]][2] += float(batch.rewards[0, list(team)].mean())
        if batch.terminated[0] or batch.truncated[0]:
            latest, number = {}, number + 1
    return decisions


def advantage(decisions, values, k, gamma, gae_lambda):
    """By the definition: the sum of what each later decision of the seat brought beyond what was expected of it, discounted."""
    seat, number, reward = decisions[k]
    later = next((j for j in range(k + 1, len(decisions)) if decisions[j][:2] == [seat, number]), None)
    if later is None:
        return reward - values[k]
    surprise = reward + gamma * values[later] - values[k]
    return surprise + gamma * gae_lambda * advantage(decisions, values, later, gamma, gae_lambda)


CASES = [(toy.GAME, 3), (toy.GAME, 6), (toy.TEAMS, 4), (toy.TEAMS, 6), (envs.game("tennis_v0"), 3)]


@pytest.mark.parametrize(("game", "players"), CASES, ids=str)
@pytest.mark.parametrize("share", [0.0, 0.6, 1.0])
def test_advantages_equal_a_slow_reference(game, players, share):
    ppo = learner(game, {"num_players": players})
    options = ppo.options
    pool = Pool(game, [toy.FirstLegal(), ppo.agent()])
    games = rollout(ppo, pool, [1 - share, share], 1, seed=11)
    seats = set()
    for row in range(SMALL["num_envs"]):
        count = int(games.counts[row])
        assert count >= SMALL["rollout_steps"]
        decisions = replayed(game, options, games, row, 11)
        assert len(decisions) == count
        gradient.advantages(games.buffer.decisions[row], count, np.float32(0.9), np.float32(0.8))
        made = games.buffer.decisions[row][:count]
        values = made["value"].astype(float)
        expected = [advantage(decisions, values, k, 0.9, 0.8) for k in range(count)]
        assert made["reward"] == pytest.approx([decision[2] for decision in decisions], abs=1e-4)
        assert made["advantage"] == pytest.approx(expected, abs=2e-4)
        assert made["target"] == pytest.approx(expected + values, abs=2e-4)
        seats |= {tuple(decision[:2]) for decision in decisions}
    by_game = [{seat for seat, number in seats if number == episode} for episode in {number for _, number in seats}]
    assert max(map(len, by_game)) > 1


def test_all_seats_are_learned_from_where_the_policy_sits_on_them():
    for share, least, most in ((1.0, 6, 6), (0.0, 1, 4)):
        ppo = learner(toy.GAME, {"num_players": 6})
        games = rollout(ppo, Pool(toy.GAME, [toy.FirstLegal(), ppo.agent()]), [1 - share, share], 1, 3)
        chains = [np.unique(games.buffer.decisions[row][: games.counts[row]]["seat"]) for row in range(4)]
        assert least <= min(map(len, chains)) or share == 0
        assert games.results[0, 1] == (0 if share else games.games * 5) and most


def test_results_against_each_opponent_and_the_mean_return_of_the_learners_team():
    """The toy game pays by the seat, so whoever wins is known by who sits where; summed over all, half of all is won."""
    ppo = learner(toy.TEAMS, {"num_players": 4}, num_envs=64)
    games = rollout(ppo, Pool(toy.TEAMS, [toy.last_agent(4), ppo.agent()]), [1.0, 0.0], 1, 3)
    won, played = games.results[0]
    assert played == 2 * games.games and 0 < won < played
    assert abs(games.mean_return) < 200


def test_equal_seeds_give_equal_learners_on_any_number_of_threads():
    made = []
    for threads in (1, 2):
        ppo = learner(envs.game("tennis_v0"), fixed=[toy.FirstLegal()], threads=threads, self_play_prob=0.5)
        for _ in range(2):
            ppo.update()
        made.append((ppo.weights.tobytes(), ppo.steps))
        ppo.close()
    assert made[0] == made[1]


BRIDGE = envs.game("bridge_v0")
CALLS = ("pass", "double", "bid")


def first_legal(game, hidden=(12,)) -> LearnedAgent:
    """A network that plays the first legal action."""
    sizes = game.observation_size(game.make_options({})), *hidden, game.num_actions(game.make_options({}))
    layers = [(np.zeros(pair, np.float32), np.zeros(pair[1], np.float32)) for pair in itertools.pairwise(sizes)]
    layers[-1] = layers[-1][0], -np.arange(sizes[-1], dtype=np.float32)
    return LearnedAgent(layers, "relu", greedy=True)


def test_a_part_of_the_game_is_learned():
    """Nothing else is recorded, and the first network plays it, on the seats of past policies, too."""
    begins = first_legal(BRIDGE)
    ppo = learner(BRIDGE, beginning=begins, init_from="a file", learn_only=CALLS, num_envs=2, rollout_steps=20)
    ppo.weights += np.random.default_rng(1).normal(size=len(ppo.weights)).astype(np.float32)
    pool, seed = Pool(BRIDGE, [ppo.agent(), ppo.agent(), begins]), 5
    for shares in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]):
        games = rollout(ppo, pool, shares, 0, seed)
        played = [games.buffer.decisions[row, : games.counts[row]] for row in range(2)]
        for row, decisions in enumerate(played):
            for decision in decisions:
                first = int(decision["num_obs"]) + int(decision["num_critic_obs"])
                choices, _ = entries(games, row, decision, first, int(decision["num_legal"]))
                assert ppo.learned[choices].all()
            if shares[0]:
                replay = replayed(BRIDGE, ppo.options, games, row, seed)
                assert [seat for seat, _, _ in replay] == decisions["seat"].tolist()
                assert decisions["reward"] == pytest.approx([reward for _, _, reward in replay], abs=1e-4)
        assert games.counts.min() >= 20


def test_the_agent_that_learned_a_part_is_both_networks():
    ppo = learner(BRIDGE, beginning=first_legal(BRIDGE), init_from="a file", learn_only=CALLS, num_envs=2, rollout_steps=20)
    ppo.weights += np.random.default_rng(1).normal(size=len(ppo.weights)).astype(np.float32)
    agent, own = ppo.agent(), LearnedAgent(unflatten(ppo.policy), "relu")
    seen = np.random.default_rng(2).random((5, agent.observation_size), np.float32)
    assert not agent.greedy and agent.shapes[-1][0] == 24
    assert agent.logits(seen)[:, ppo.learned] == pytest.approx(own.logits(seen)[:, ppo.learned], rel=1e-4, abs=1e-4)
    assert (agent.logits(seen)[:, ~ppo.learned] == -np.flatnonzero(~ppo.learned)).all()


def test_a_part_that_cannot_be_learned_alone():
    game = envs.game("crazy_eights_v0")
    ppo = learner(game, beginning=first_legal(game), init_from="a file", learn_only=("draw",))
    with pytest.raises(ValueError, match="learn_only: in crazy_eights_v0 these actions and others are legal together"):
        rollout(ppo, Pool(game, [ppo.agent(), *ppo.frozen]), [1.0, 0.0], 0, 1)


def test_room_is_made_for_long_games():
    """Games of some hundred decisions, where one row was to collect a single one."""
    ppo = learner(envs.game("tennis_v0"), {"num_players": 2}, rollout_steps=1, num_envs=2)
    before = ppo.collector.buffer.decisions.shape
    games = rollout(ppo, Pool(ppo.game, [ppo.agent()]), [1.0], 0, 1)
    assert games.buffer.decisions.shape[1] > before[1] and games.games == 2 and games.counts.max() > before[1]
    again = rollout(ppo, Pool(ppo.game, [ppo.agent()]), [1.0], 0, 1)  # with room from the start
    assert (again.buffer.decisions[0][: again.counts[0]] == games.buffer.decisions[0][: games.counts[0]]).all()


@device_function
def one_action(state, mask):
    mask[np.int64(state.moves_left) % 4] = 1


def test_a_game_without_choices(monkeypatch, tmp_path):
    kernels = [function for name, function in toy.GAME.functions.items() if name != "legal_actions"]
    forced = device_function(FunctionType(one_action.py_func.__code__, one_action.py_func.__globals__, "legal_actions"))
    game = replace(toy.GAME, name="forced", functions=[*kernels, forced])
    with pytest.raises(ValueError, match="there is nothing to learn: forced_v0 with these options has only forced moves"):
        learner(game).update()
    know(monkeypatch, game)
    opponents = {"fixed_opponents": ["random"], "eval_opponents": ["random"]}
    with pytest.raises(ValueError, match="there is nothing to learn"):
        train("forced_v0", out=tmp_path, max_seconds=1e-6, progress=False, **opponents)
    assert not list(tmp_path.glob("*.safetensors"))


# --- gradients ---

torch = pytest.importorskip("torch")


def as_torch(net):
    return [torch.tensor(array, requires_grad=True) for pair in unflatten(net) for array in pair]


def dense(weights, x, activation):
    for k in range(0, len(weights), 2):
        if k:
            x = torch.tanh(x) if activation == "tanh" else torch.relu(x)
        x = x @ weights[k] + weights[k + 1]
    return x


def in_rotation(vectors, places):
    rotated = torch.zeros(len(vectors), len(places))
    rotated[:, places] = vectors[:, : len(places)]
    return rotated


def scores_of(policy, seen, rotations, activation):
    """Of an equivariant policy, by its definition: each action in its rotation, with its own input set."""
    found = []
    for rotation, own in rotations.own:
        rotated = in_rotation(seen, rotations.inputs[rotation][: len(policy[0])])
        rotated[:, own] = 1
        found.append(dense(policy, rotated, activation)[:, 0])
    return torch.stack(found, dim=1)


def mean_value(critic, seen, mask, rotations, activation):
    """Of an equivariant critic: over the rotations of the legal actions."""
    found = []
    for values, legal in zip(seen, mask, strict=True):
        different = sorted({int(rotations.own[action, 0]) for action in np.flatnonzero(legal)})
        rotated = torch.cat([in_rotation(values[None], rotations.inputs[rotation]) for rotation in different])
        found.append(dense(critic, rotated, activation)[:, 0].mean())
    return torch.stack(found)


@pytest.mark.parametrize(
    ("activation", "copying", "device", "equivariant"),
    [
        *itertools.product(["relu", "tanh"], [False, True], [None, "cpu"], [False]),
        ("relu", False, None, True),
        ("relu", True, None, True),
        ("tanh", True, "cpu", True),
    ],
)
def test_gradients_and_steps_equal_torchs(activation, copying, device, equivariant):
    """Two updates of Adam by one minibatch of a rollout, in torch and here, from the same weights; here in compiled code, or as
    on a GPU, with torch's processor in its place."""
    game = envs.game("tennis_v0")
    settings = {"activation": activation, "hidden": (40, 35), "max_grad_norm": 0.05, "search_temperature": 0.2}
    settings |= {"search_share": 0.3, "num_determinizations": 1, "search_weight": 2.0, "equivariant": equivariant}
    ppo = learner(game, critic="state", **settings)
    ppo.accelerator = device and Accelerator(ppo.policy, ppo.critic, device)
    if equivariant and copying:  # more actions than are scored in a block
        ppo.scratch = [make_scratch(ppo.policy, ppo.critic, block=2) for _ in ppo.scratch]
    rng = np.random.default_rng(1)
    ppo.weights[:] += 0.2 * rng.standard_normal(len(ppo.weights)).astype(np.float32)
    teacher = ppo.policy.weights + 0.1 * rng.standard_normal(ppo.cut).astype(np.float32)
    nets = Networks(ppo.policy, ppo.critic, ppo.policy._replace(weights=teacher))
    pool = Pool(game, [ppo.agent()])
    games = ppo.collector.collect(pool, np.ones(1), 0, nets, 1.0, 3, ppo._plan(pool, 0))
    for row, count in enumerate(games.counts):
        gradient.advantages(games.buffer.decisions[row], count, np.float32(1), np.float32(0.95))
    ppo.weights[:] += 0.05 * rng.standard_normal(len(ppo.weights)).astype(np.float32)  # so that some ratios are clipped
    order = games.order()
    rows, places = order // games.buffer.decisions.shape[1], order % games.buffer.decisions.shape[1]
    size, actions = ppo.collector.critic_inputs, game.num_actions(ppo.options)
    observations, mask = np.zeros((len(order), size)), np.zeros((len(order), actions), bool)
    taught = np.zeros((len(order), actions))
    for n, (row, place) in enumerate(zip(rows, places, strict=True)):
        this = games.buffer.decisions[row][place]
        both = int(this["num_obs"]) + int(this["num_critic_obs"])
        index, value = entries(games, row, this, 0, both)
        observations[n, index] = value
        index, value = entries(games, row, this, both, int(this["num_legal"]))
        mask[n, index], taught[n, index] = True, value
    made = games.buffer.decisions[rows, places]
    first = made["offset"] + made["num_obs"] + made["num_critic_obs"]
    choice = games.buffer.indices[rows, first + made["action_index"]].astype(np.int64)
    column = {name: torch.tensor(made[name].copy()) for name in ("log_prob", "advantage", "target")}
    searched = torch.tensor(made["searched"] != 0)
    assert 0.1 < searched.float().mean() < 0.9
    observations, mask, taught = (
        torch.tensor(observations, dtype=torch.float32),
        torch.tensor(mask),
        torch.tensor(taught, dtype=torch.float32),
    )
    tried = searched[:, None] & mask & (taught != float(gradient.UNTRIED))
    taught = torch.where(tried | ~searched[:, None], taught, torch.tensor(0.0))
    policy, critic = as_torch(ppo.policy), as_torch(ppo.critic)
    optimizer = torch.optim.Adam([*policy, *critic], lr=1e-2, eps=1e-5)
    surrogate, entropy_weight, kl_coef = (0.0, 0.0, 1.0) if copying else (1.0, 0.03, 0.2)
    adv = (column["advantage"] - column["advantage"].mean()) / column["advantage"].std(unbiased=False)
    losses = []
    for _ in range(2):
        seen = observations[:, : len(policy[0])]
        logits = scores_of(policy, seen, ppo.rotations, activation) if equivariant else dense(policy, seen, activation)
        logs = torch.log_softmax(torch.where(mask, logits, torch.tensor(-1e9)), dim=1)
        own = torch.where(mask, logs, torch.tensor(0.0))
        entropy = -(own.exp() * own * mask).sum(dim=1)
        ratio = (logs[torch.arange(len(order)), torch.tensor(choice)] - column["log_prob"]).exp()
        push = torch.minimum(ratio * adv, ratio.clamp(0.8, 1.2) * adv)
        held = (own.exp() * tried).sum(dim=1)  # how likely one of those is that were tried
        distance = torch.where(searched, -torch.where(searched, held, torch.tensor(1.0)).log(), -(taught * own).sum(dim=1))
        middle = (own * tried).sum(dim=1) / tried.sum(dim=1).clamp(min=1)
        missed = (((0.2 * (own - middle[:, None]) - taught) * tried) ** 2).sum(dim=1) / (2 * 0.2)
        learned = torch.where(searched, 2.0 * missed, -surrogate * push) + kl_coef * distance
        if equivariant:
            off = mean_value(critic, observations, mask, ppo.critic.rotations, activation) - column["target"]
        else:
            off = dense(critic, observations, activation)[:, 0] - column["target"]
        loss = (learned - entropy_weight * entropy + 0.5 * off**2).mean()
        losses.append((off.detach() ** 2).mean().item())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*policy, *critic], 0.05)
        optimizer.step()
    assert copying or 0.02 < ((ratio - 1).abs() > 0.2).float().mean() < 0.98
    ppo.settings = Settings(game.id, **{**SMALL, **settings, "batch_size": len(order)})
    ppo._learn_from(games, np.random.default_rng(0), 2, 1e-2, 0.95, ppo.loss(surrogate, entropy_weight, kl_coef))
    for net, weights in ((ppo.policy, policy), (ppo.critic, critic)):
        arrays = [array for pair in unflatten(net) for array in pair]
        for ours, theirs in zip(arrays, weights, strict=True):
            assert np.abs(ours - theirs.detach().numpy()).max() < 2e-4
    assert ppo.logged["value_loss"] == pytest.approx(np.mean(losses), rel=1e-4)


@pytest.mark.parametrize("equivariant", [False, True])
def test_what_is_told_of_gradients_on_a_gpu_is_the_same(equivariant):
    game = envs.game("tennis_v0")
    figures = []
    for device in (None, "cpu"):
        ppo = learner(game, critic="state", ent_coef=0.02, search_share=0.3, num_determinizations=2, equivariant=equivariant)
        ppo.accelerator = device and Accelerator(ppo.policy, ppo.critic, device)
        ppo.weights[:] += 0.2 * np.random.default_rng(1).standard_normal(len(ppo.weights)).astype(np.float32)
        ppo.teacher = ppo.policy.weights.copy()
        ppo.update()
        figures.append(
            {name: value for name, value in ppo.logged.items() if name not in ("teacher_cross_entropy", "teacher_accuracy")}
        )
        ppo.teacher = ppo.policy.weights + np.float32(0.1)
        games = ppo.collector.collect(Pool(game, [ppo.agent()]), np.ones(1), 0, ppo.networks(), 1.0, 3)
        ppo.teacher = np.ones(1, np.float32)  # so that what it taught is told
        ppo._learn_from(games, np.random.default_rng(0), 2, 1e-3, 0.95, ppo.loss(1.0, 0.02, 0.3))
        figures.append(ppo.logged)
        assert {"teacher_cross_entropy", "teacher_accuracy", "clip_fraction"} <= ppo.logged.keys()
    assert figures[0] == pytest.approx(figures[2], rel=2e-3, abs=2e-4)
    assert figures[1] == pytest.approx(figures[3], rel=2e-3, abs=2e-4)


# --- copying ---


class LastLegal(Agent):
    """Plays the last legal action; not compiled."""

    name = "last"

    def act_batch(self, views, rng):
        return views.action_mask.shape[1] - 1 - views.action_mask[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("player", [toy.last_agent(3), LastLegal()], ids=["compiled", "in Python"])
def test_a_player_is_copied(player):
    """From nothing to 99 % of its choices in the toy game, where it plays the last legal action."""
    done = itertools.count()
    ppo = learner(
        toy.GAME, beginning=player, num_envs=16, rollout_steps=64, bc_fraction=0.5, bc_learning_rate=0.01, kl_fraction=1.0,
        remaining=lambda: 1 - next(done) / 100,
    )  # fmt: skip
    assert ppo.copying
    agreements = []
    while ppo.copying:
        ppo.update()
        agreements.append(ppo.logged.get("teacher_accuracy"))
    assert agreements[0] < 0.9 and agreements[-2] > 0.99
    assert ppo.teacher.size and ppo.logged["teacher_cross_entropy"] < 0.2  # from now on it is kept near the copy
    agent = ppo.agent()
    batch = Batch(toy.GAME, ppo.options, 500, 9)
    expected = LastLegal().act_batch(Views.of(batch.observation, batch.action_mask), None)
    greedy = LearnedAgent(agent.layers, agent.activation, greedy=True)
    played = greedy.act_batch(Views.of(batch.observation, batch.action_mask), np.random.default_rng(0))
    assert (played == expected).mean() > 0.97


@first_of("game_id", ["tennis_v0", "bluff_v0"])
def test_equivariant_networks_copy_a_player(game_id):
    """What is recorded rotated, and what the agent sees that is written, is the same."""
    game, done = envs.game(game_id), itertools.count()
    ppo = learner(
        game, beginning=agents.make("rules", game), equivariant=True, num_envs=16, rollout_steps=128, hidden=(64,),
        bc_learning_rate=0.01, bc_fraction=1.0, remaining=lambda: 1 - next(done) / 50,
    )  # fmt: skip
    while next(done) < 30:
        ppo.update()
    batch = Batch(game, ppo.options, 500, 9)
    batch.rollout(30, policy=rules.policy(game))
    views = Views.of(batch.observation, batch.action_mask)
    expected = agents.make("rules", game).act_batch(views, np.random.default_rng(0))
    played = ppo.agent().like(greedy=True).act_batch(views, np.random.default_rng(0))
    alike = (played == expected).mean()
    assert alike == pytest.approx(ppo.logged["teacher_accuracy"], abs=0.1) and alike > 0.6


def test_a_player_is_copied_for_its_share_of_the_run():
    shares = iter([1.0, 1.0, 0.81, 0.79, 0.3])  # of the run still to come
    ppo = learner(toy.GAME, beginning=toy.last_agent(3), bc_fraction=0.2, remaining=lambda: next(shares))
    copied = []
    for _ in range(5):
        ppo.update()
        copied.append(ppo.copying)
    assert copied == [True, True, True, False, False]


def test_the_leash_fades_and_holds():
    """With a large kl_coef the policy stays near what it begins with; without it, it does not."""
    far = {}
    for kl_coef in (0.0, 50.0):
        seeds = np.random.default_rng(2)
        sizes = [toy.GAME.observation_size(toy.GAME.make_options({})), 12, 4]
        begin = LearnedAgent(
            [(seeds.standard_normal(pair), seeds.standard_normal(pair[1])) for pair in itertools.pairwise(sizes)], "relu"
        )
        ppo = learner(toy.GAME, beginning=begin, kl_coef=kl_coef, kl_fraction=1.0, learning_rate=3e-3)
        assert (ppo.agent().vector == begin.vector).all() and not ppo.copying
        for _ in range(25):
            ppo.update()
        batch = Batch(toy.GAME, ppo.options, 200, 9)
        chances = []
        for agent in (begin, ppo.agent()):
            logits = np.where(batch.action_mask, agent.logits(batch.observation).astype(float), -np.inf)
            chances.append(np.exp(logits - logits.max(axis=1, keepdims=True)))
            chances[-1] /= chances[-1].sum(axis=1, keepdims=True)
        far[kl_coef] = np.abs(chances[0] - chances[1]).sum(axis=1).mean()
    assert far[50.0] < 0.3 * far[0.0]
    ppo.remaining = lambda: 0.0
    ppo.update()
    assert not ppo.teacher.size


# --- a critic that sees everything ---


def test_what_the_critic_is_shown_cannot_reach_the_policy():
    """In Kuhn poker the critic sees both cards. Of all decisions in which a seat sees the same, the policy's likelihoods are
    the same, whatever the other holds, and the critic's values are not."""
    ppo = learner(kuhn.GAME, critic="state", num_envs=32, rollout_steps=200)
    for _ in range(5):
        ppo.update()
    games = rollout(ppo, Pool(kuhn.GAME, [ppo.agent()]), [1.0], 0, 3)
    known: dict[Any, set] = {}
    expected: dict[Any, set] = {}
    for row, count in enumerate(games.counts):
        for decision in games.buffer.decisions[row][:count]:
            seen = seen_as_vector(games, row, decision, 7).tobytes()
            known.setdefault((seen, int(decision["action_index"])), set()).add(float(decision["log_prob"]))
            expected.setdefault(seen, set()).add(float(decision["value"]))
    assert len(expected) == 12 and all(len(value) == 1 for value in known.values())
    assert all(len(value) == 2 for value in expected.values())
    assert ppo.agent().sizes[0] == kuhn.GAME.observation_size(ppo.options) == 7 < ppo.collector.critic_inputs == 10
    blind = learner(kuhn.GAME, critic="observation")
    assert blind.collector.critic_inputs == 7


# --- experts ---


@pytest.fixture
def expert(monkeypatch):
    """The toy game has a rule-based player, which plays the last legal action."""
    monkeypatch.setattr(rules, "make", lambda game, options, style="": toy.last_agent(3))


def test_what_the_expert_would_do_stands_behind_the_observation(expert):
    """For the learner, for its past selves, and for whoever it copies; others are asked as they always are."""
    ppo = learner(toy.GAME, critic="observation", expert="rules")
    observed, actions = toy.GAME.observation_size(ppo.options), toy.GAME.num_actions(ppo.options)
    assert ppo.collector.policy_inputs == ppo.collector.critic_inputs == observed + actions == ppo.agent().sizes[0]
    past = ppo.agent()
    plain = LearnedAgent([(np.zeros((observed, actions)), np.zeros(actions))], "relu")
    for who, compiled in ((past, True), (toy.last_agent(3), True), (LastLegal(), False)):
        pool = Pool(toy.GAME, [who, past, plain, LastLegal()])
        assert (pool.codes_with(ppo.expert.policy) >= 0).tolist() == [compiled, True, True, False]
        assert (pool.codes >= 0).tolist() == [compiled and who is not past, False, True, False]
        games = rollout(ppo, pool, [0.0, 0.4, 0.3, 0.3], 0, 5)
        for row, count in enumerate(games.counts):
            for decision in games.buffer.decisions[row][:count]:
                seen = seen_as_vector(games, row, decision, observed + actions)
                behind, number = int(decision["num_obs"]) + int(decision["num_critic_obs"]), int(decision["num_legal"])
                legal, _ = entries(games, row, decision, behind, number)
                assert seen[observed:].tolist() == np.eye(actions)[legal.max()].tolist()
                if who is not past:
                    assert legal[decision["action_index"]] == legal.max()


def test_the_expert_is_followed_by_the_agent_that_is_exported(expert):
    """What was learned beside an expert plays beside it: after some copying the same as the expert."""
    done = itertools.count()
    ppo = learner(
        toy.GAME, beginning=toy.last_agent(3), expert="rules", bc_fraction=1.0, bc_learning_rate=0.01,
        remaining=lambda: 1 - next(done) / 10,
    )  # fmt: skip
    for _ in range(10):
        ppo.update()
    assert ppo.logged["teacher_accuracy"] == 1
    batch = Batch(toy.GAME, ppo.options, 500, 9)
    vectors, agent = (batch.observation, batch.action_mask), ppo.agent()
    greedy = agent.like(greedy=True)
    played = greedy.act_batch(Views.of(*vectors), np.random.default_rng(0))
    assert (played == LastLegal().act_batch(Views.of(*vectors), None)).all()
    blind = greedy.seen(*vectors, np.random.default_rng(0))
    blind[:, batch.observation_size :] = 0
    assert not np.allclose(greedy.logits(blind), greedy.logits(greedy.seen(*vectors, np.random.default_rng(0))))


def test_equal_seeds_give_equal_learners_with_an_expert(expert):
    ends = []
    for threads in (1, 2):
        ppo = learner(toy.GAME, expert="rules", threads=threads, beginning=toy.last_agent(3), fixed=[toy.last_agent(3)])
        for _ in range(4):
            ppo.set_snapshots([ppo.agent()])
            ppo.update()
        ends.append(ppo.weights.copy())
        ppo.close()
    assert (ends[0] == ends[1]).all()


# --- how well it learns ---


def test_kuhn_poker_becomes_hard_to_exploit():
    """Uniform play loses 11/24 a game to a best response; a policy that was trained for some seconds less than a fifth of that.
    What keeps self-play from going in circles is much entropy and small steps."""
    uniform = LearnedAgent([(np.zeros((7, 2)), np.zeros(2))], "relu")
    assert kuhn.worth(kuhn.policy_of(uniform)) == pytest.approx(11 / 24)
    done = itertools.count()
    ppo = learner(
        kuhn.GAME, num_envs=32, rollout_steps=128, batch_size=2048, hidden=(32,), learning_rate=5e-3, ent_coef=0.2,
        clip_range=0.05, remaining=lambda: 1 - next(done) / 120,
    )  # fmt: skip
    for _ in range(120):
        ppo.update()
    assert kuhn.worth(kuhn.policy_of(ppo.agent())) < 11 / 24 / 5
