"""Search beside PPO: what is tried, what the policy is taught of it, and that it learns from it."""

from __future__ import annotations

import itertools

import kuhn
import numpy as np
import pytest
import toy_game as toy
from support import short
from wilddeck import envs
from wilddeck.agents import rules
from wilddeck.agents.network import network_action, unflatten
from wilddeck.envs.core.batch import Batch, game_kernels, noise_counters
from wilddeck.envs.core.game import as_records
from wilddeck.envs.core.rng import GOLDEN, SAMPLE_CHANCE, SAMPLE_SEED, mix, reseed, start_stream
from wilddeck.envs.core.rotations import places
from wilddeck.seats.opponents import Pool
from wilddeck.training import search
from wilddeck.training.gradient import UNTRIED
from wilddeck.training.ppo import PPO
from wilddeck.training.settings import Settings

TENNIS, BLUFF = envs.game("tennis_v0"), envs.game("bluff_v0")
SMALL = {"num_envs": 8, "rollout_steps": 1, "batch_size": 128, "hidden": (12,), "threads": 1}
SMALL |= {"search_share": 1.0, "search_temperature": 1.0, "search_weight": 1.0}
SEED = 11


def learner(game, options=None, spread=1.0, **settings) -> PPO:
    made = Settings(game.id, **{**SMALL, **settings})
    ppo = PPO(made, game, game.make_options(options or {}), [], None, 1.0, lambda: 1.0)
    ppo.weights[:] += spread * np.random.default_rng(1).standard_normal(len(ppo.weights)).astype(np.float32)
    return ppo


def after(luck: int, times: int) -> int:
    return (luck + times * int(GOLDEN)) % 2**64


def mixed(luck: int) -> int:
    return int(mix(np.uint64(luck)))


# --- a slow reference ---


def dense(net, x):
    *hidden, (weight, bias) = unflatten(net)
    for inner, inner_bias in hidden:
        x = np.maximum(x @ inner + inner_bias, 0)
    return x @ weight + bias


class World:
    """A game that one playout plays, by calls of single steps."""

    def __init__(self, ppo: PPO, record: np.ndarray) -> None:
        self.ppo, self.records = ppo, as_records(record.copy())
        self.observation = np.zeros(ppo.game.observation_size(ppo.options), np.float32)
        self.mask = np.zeros(ppo.game.num_actions(ppo.options), np.uint8)

    def step(self, action: int) -> np.ndarray:
        """Plays, and the deals that are called for; what it brought each seat."""
        rewards = np.zeros(self.ppo.options.num_players)
        kernels, vectors = game_kernels(self.ppo.game), (self.observation, self.mask)
        state = kernels["step_single"](self.records, action, *vectors)
        rewards += self.records["rewards"][0][: len(rewards)]
        assert state != 2
        self.over = state == 1
        return rewards

    def critics_value(self, luck: int) -> float:
        seat, players = int(self.records["current_player"][0]), self.ppo.options.num_players
        vectors = [seen_by(self.ppo, self.observation, self.mask, luck)]
        for step in range(1, players):
            other, sees = np.zeros((1, len(self.observation)), np.float32), np.array([(seat + step) % players])
            game_kernels(self.ppo.game)["observe_seats"](self.records, np.zeros(1, np.int64), sees, other)
            vectors += [other[0, first:end] for first, end in self.ppo.collector.blocks]
        rotations, size = self.ppo.critic.rotations, len(self.observation)
        lacking = self.ppo.collector.policy_inputs - len(vectors[0])
        values = np.concatenate([vectors[0], np.zeros(lacking), *vectors[1:]]).astype(float)
        if not len(rotations.inputs):
            return float(dense(self.ppo.critic, values)[0])
        if rotations.by_action:
            seen_in = sorted(set(rotations.own[self.mask != 0, 0]))
        else:
            seen_in = [int((self.ppo.rotations.weights[:, :size] @ self.observation).argmax())]
            values[size + seen_in[0]] = 1
        return float(
            np.mean([dense(self.ppo.critic, values[np.argsort(rotations.inputs[rotation])])[0] for rotation in seen_in])
        )


def seen_by(ppo, observation, mask, luck):
    """What a network sees."""
    if ppo.expert is None:
        return observation
    expert = np.zeros(len(mask), np.float32)
    expert[ppo.expert.policy(observation, mask, np.int64(ppo.options.num_players), np.uint64(mixed(luck)))] = 1
    return np.concatenate([observation, np.zeros(ppo.rotations.more_inputs, np.float32), expert])


def drawn(ppo, observation, seen, mask, luck):
    """What the one who plays on does."""
    if ppo.settings.search_policy == "rules":
        return int(rules.policy(ppo.game)(observation, mask, np.int64(ppo.options.num_players), np.uint64(luck)))
    agent = ppo.agent()
    net, _, workspace = agent.data()
    return int(network_action(net, False, seen, np.int64(-1), mask, np.uint64(luck), workspace))


def chosen_action(ppo, world, luck):
    seen = seen_by(ppo, world.observation, world.mask, luck)
    return drawn(ppo, world.observation, seen, world.mask, luck)


def played_on(ppo, world, seat, action, luck):
    team = next(team for team in ppo.game.teams(ppo.options) if seat in team)
    total, decisions = 0.0, 0
    while True:
        total += world.step(action)[list(team)].mean()
        if world.over:
            return total
        legal = np.flatnonzero(world.mask)
        action = legal[0]
        if len(legal) > 1:
            decisions += world.records["current_player"][0] == seat
            luck = after(luck, 1)
            if world.records["current_player"][0] == seat and decisions == ppo.settings.search_depth:
                return total + world.critics_value(mixed(luck))
            action = chosen_action(ppo, world, mixed(luck))


def taught(ppo, record, mask, seen, action, luck):
    """What the policy is to be taught of a decision; None if there is nothing to try beside the action that is played."""
    seat, legal = int(record["current_player"][0]), np.flatnonzero(mask)
    logits = ppo.agent().logits(seen[None])[0, legal].astype(float)
    logits[legal == action] = np.inf
    allowed = np.isin(legal, [action, *(ppo.settings.search_only or legal)])
    if allowed.sum() == 1:
        return None
    tried = [place for place in np.argsort(-logits, kind="stable") if allowed[place]][: ppo.settings.search_actions]
    returns = np.zeros((len(tried), ppo.settings.num_determinizations))
    for w in range(ppo.settings.num_determinizations):
        world = as_records(record.copy())
        words = np.array([mixed(after(luck, 1)), mixed(after(luck, 2))], np.uint64)
        luck = after(luck, 2)
        if ppo.settings.num_determinizations == 1:
            reseed(world[0], *words, SAMPLE_SEED)
            start_stream(world[0], SAMPLE_CHANCE)
            world["move_count"] = world["rewards"] = 0
        else:
            game_kernels(ppo.game)["determinize_games"](world, seat, words[None])
        for k, place in enumerate(tried):
            returns[k, w] = played_on(ppo, World(ppo, world), seat, legal[place], luck)
        luck = mixed(luck)
    targets = np.full(len(legal), UNTRIED)
    targets[tried] = returns.mean(axis=1) - returns.mean()
    return targets


def to_a_choice(batch):
    """Play on while there is nothing to choose."""
    while batch.action_mask[0].sum() == 1:
        batch.step([batch.action_mask[0].argmax()])


def is_of(games, row, k, batch):
    """Whether a row's decision is the one that the first game of a batch is at, by what is seen and what can be done."""
    this = games.buffer.decisions[row][k]
    start, seen = int(this["offset"]), int(this["num_obs"])
    begin = start + seen + int(this["num_critic_obs"])
    observation, size = np.zeros_like(batch.observation[0]), batch.observation.shape[1]
    indices = games.buffer.indices[row, start : start + seen]
    values = games.buffer.values[row, start : start + seen]
    observation[indices[indices < size]] = values[indices < size]  # behind it stands expert
    could = games.buffer.indices[row, begin : begin + int(this["num_legal"])]
    seen_at, shown_at = (
        places(layout, batch.num_players, this["rotation"]) for layout in (batch.game.observation, batch.game.actions)
    )
    same = (observation[seen_at] == batch.observation[0]).all()
    return same and could.tolist() == shown_at[np.flatnonzero(batch.action_mask[0])].tolist()


CASES = [
    (kuhn.GAME, {}, {"num_determinizations": 5}),
    (TENNIS, {"num_players": 3}, {"num_determinizations": 3, "search_actions": 3, "search_temperature": 2.5}),
    (TENNIS, {"num_players": 3}, {"num_determinizations": 4, "search_policy": "rules"}),
    (TENNIS, {"num_players": 2}, {"num_determinizations": 4, "search_depth": 2}),
    (toy.TEAMS, {"num_players": 6}, {"num_determinizations": 3, "search_actions": 2}),
    (TENNIS, {"num_players": 3}, {"num_determinizations": 1}),
    (TENNIS, {"num_players": 3}, {"num_determinizations": 2, "expert": "rules"}),
    (TENNIS, {"num_players": 2}, {"num_determinizations": 1, "search_depth": 1, "expert": "rules", "search_policy": "rules"}),
    (TENNIS, {"num_players": 3}, {"num_determinizations": 1, "search_policy": "rules", "search_only": (0, 3, 6, 9)}),
    (TENNIS, {"num_players": 3}, {"num_determinizations": 2, "search_only": (1, 5, 9)}),
    (BLUFF, {"num_players": 3}, {"num_determinizations": 1, "search_depth": 1, "equivariant": True, "expert": "rules"}),
    (TENNIS, {"num_players": 3}, {"num_determinizations": 1, "search_depth": 1, "equivariant": True, "expert": "rules"}),
]


@pytest.mark.parametrize("case", short(range(len(CASES)), [0, len(CASES) - 1]))
def test_targets_equal_a_slow_reference(case):
    """Of the first decision of each row, and that the game goes on as the playouts do."""
    game, options, settings = CASES[case]
    ppo = learner(game, options, spread=0.15, **settings)
    pool = Pool(game, [ppo.agent(), *ppo.searchers])
    nets = ppo.networks()
    shares = np.array([1.0, 0.0][: len(pool)])
    games = ppo.collector.collect(pool, shares, 0, nets, 1.0, SEED, ppo._plan(pool, len(pool) - 1))
    shifted, looked_into = False, set()
    noise = noise_counters(SEED, SMALL["num_envs"])
    for row in range(SMALL["num_envs"]):
        alone = Batch(game, ppo.options, 1, SEED + row)
        to_a_choice(alone)
        first = games.buffer.decisions[row][0]
        begin, count = int(first["offset"] + first["num_obs"] + first["num_critic_obs"]), int(first["num_legal"])
        assert is_of(games, row, 0, alone)
        taught_values = games.buffer.values[row, begin : begin + count]
        draws = 1 + len(game.teams(ppo.options)) + 3  # who sits where, the action, whether it is searched, and this
        luck = mixed(after(int(noise[row]), draws))
        decided = mixed(after(int(noise[row]), draws - 2))  # what the expert was drawn from
        seen = seen_by(ppo, alone.observation[0], alone.action_mask[0], decided)
        action = drawn(ppo, alone.observation[0], seen, alone.action_mask[0], mixed(luck))
        expected = taught(ppo, alone.states.copy(), alone.action_mask[0], seen, action, luck)
        looked_into.add(expected is not None)
        assert first["searched"] == (expected is not None)
        if expected is not None:
            assert taught_values == pytest.approx(expected, abs=2e-3)
            shifted |= np.abs(expected[expected != UNTRIED]).max() > 0.05
        alone.step([action])
        to_a_choice(alone)
        if games.counts[row] > 1 and first["next"] != -1:  # else the game was over
            assert is_of(games, row, 1, alone)
    assert shifted and looked_into == ({True, False} if settings.get("search_only") else {True})


def test_a_game_goes_on_by_the_policys_choice_where_nothing_was_tried():
    """Else PPO would credit it with what another action brought."""
    settings = {"num_determinizations": 1, "search_policy": "rules", "search_only": (0, 3, 6, 9), "search_share": 0.5}
    ppo = learner(TENNIS, {"num_players": 3}, spread=0.15, num_envs=64, **settings)
    pool = Pool(TENNIS, [ppo.agent(), *ppo.searchers])
    nets = ppo.networks()
    games = ppo.collector.collect(pool, np.array([1.0, 0.0]), 0, nets, 1.0, SEED, ppo._plan(pool, len(pool) - 1))
    seen = 0
    for row in range(64):
        first = games.buffer.decisions[row][0]
        if first["searched"] or games.counts[row] < 2:
            continue
        alone = Batch(TENNIS, ppo.options, 1, SEED + row)
        to_a_choice(alone)
        alone.step([np.flatnonzero(alone.action_mask[0])[first["action_index"]]])
        to_a_choice(alone)
        assert is_of(games, row, 1, alone)
        seen += 1
    assert seen > 20


def likelihoods(ppo, observation, mask):
    return ppo.agent().action_probs(observation, mask)


# --- what is taught ---


def test_what_actions_brought_is_taught():
    """Each beside the mean of those that were tried; nothing of the others."""
    returns, targets = np.array([[1, 2, 3], [2, 3, 7]], np.float32), np.zeros(4, np.float32)
    search.teach(np.int64(4), np.array([2, 0, 0]), returns, np.int64(2), np.int64(3), targets)
    assert targets.tolist() == [1, UNTRIED, -1, UNTRIED]


def test_the_likeliest_actions_are_tried():
    chosen = np.zeros(5, np.int64)
    chances = np.array([0.1, 0.3, 0.1, 0.4, 0.1], np.float32)
    for most, expected in ((2, [3, 1]), (4, [3, 1, 0, 2]), (9, [3, 1, 0, 2, 4])):
        chosen = np.zeros(max(most, 5), np.int64)
        assert search.likeliest(chances, np.int64(5), np.int64(most), chosen) == len(expected)
        assert chosen[: len(expected)].tolist() == expected


# --- and learned ---


@pytest.mark.parametrize("depth", [0, 1])
def test_the_policy_learns_what_search_finds(depth):
    """Kuhn poker, by search alone: who is bet into calls with the highest card and passes with the lowest."""
    done = itertools.count()
    settings = {"num_envs": 16, "rollout_steps": 32, "batch_size": 512, "learning_rate": 1e-2}
    settings |= {"search_depth": depth, "search_temperature": 0.2}
    ppo = learner(kuhn.GAME, spread=0.0, **settings)
    ppo.remaining = lambda: 1 - next(done) / 80
    calls = {}
    for _ in range(60):
        ppo.update()
    for card in (0, 2):
        calls[card] = likelihoods(ppo, kuhn.observation(1, card, "b"), np.ones(2, np.uint8))[kuhn.BET]
    assert calls[2] > 0.85 and calls[0] < 0.15
    assert ppo.logged["searched"] == 1


def test_where_all_is_searched_nothing_else_teaches(monkeypatch):
    """PPO's objective is left out, also of decisions in which nothing was tried."""
    ppo = learner(kuhn.GAME, spread=0.1, ent_coef=0.0, rollout_steps=16)
    monkeypatch.setattr(ppo, "_plan", lambda pool, own: search.NOTHING)
    before = ppo.weights.copy()
    ppo.update()
    assert (ppo.weights[: ppo.cut] == before[: ppo.cut]).all()
    assert (ppo.weights[ppo.cut :] != before[ppo.cut :]).any()


def test_a_run_that_began_with_nobody_has_no_leash():
    """Else actions that were not tried would be kept down for no reason."""
    made = []
    for kl_coef in (0.0, 5.0):
        ppo = learner(TENNIS, {"num_players": 3}, spread=0.1, num_determinizations=1, search_actions=2, kl_coef=kl_coef)
        ppo.update()
        made.append(ppo.weights.tobytes())
    assert made[0] == made[1]


def test_nothing_depends_on_the_number_of_threads():
    made = []
    for threads in (1, 2):
        settings = {"search_share": 0.3, "num_determinizations": 2, "rollout_steps": 20, "num_envs": 4, "search_depth": 2}
        ppo = learner(TENNIS, {"num_players": 3}, spread=0.0, threads=threads, **settings)
        for _ in range(2):
            ppo.update()
        made.append((ppo.weights.tobytes(), ppo.steps, ppo.logged["searched"]))
        ppo.close()
    assert made[0] == made[1] and 0.1 < made[0][2] < 0.5
