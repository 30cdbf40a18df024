"""The self-play environment against a slow reference that plays one game at a time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import toy_game as toy
from wilddeck import envs
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.views import Views
from wilddeck.envs.core.batch import Batch
from wilddeck.envs.core.game import seed_of

pytest.importorskip("sb3_contrib")
from wilddeck.seats.opponents import Pool
from wilddeck.seats.sb3_vec_env import SelfPlayVecEnv
from wilddeck.seats.seat_games import SeatGames

TENNIS = envs.game("tennis_v0")


class Traced(SeatGames):
    """Remembers the seat and the opponents of every game."""

    drawn = ()

    def _new_games(self, rows):
        super()._new_games(rows)
        if not self.drawn:
            self.drawn = [[] for _ in range(len(self.batch))]
            self.first_seed = seed_of(self.batch.states)
        for row in rows:
            self.drawn[row].append((int(self.seat[row]), self._seats.players[row].copy()))


def traced(*arguments, **keywords):
    env = SelfPlayVecEnv(*arguments, **keywords)
    env.games.__class__ = Traced
    return env


def network(game, options, seed, hidden=(8,)):
    rng = np.random.default_rng(seed)
    sizes = [game.observation_size(options), *hidden, game.num_actions(options)]
    layers = [(rng.standard_normal((a, b)), rng.standard_normal(b)) for a, b in itertools.pairwise(sizes)]
    return LearnedAgent(layers, "tanh", greedy=True)


def learners_action(mask):
    """Neither the first nor the last legal one, where there are three."""
    legal = np.flatnonzero(mask)
    return int(legal[len(legal) // 2])


def reference(game, options, seed, drawn, agents):
    """The learner's decisions of one row, [observation, mask, reward, end] each, and the games in which it had none."""
    batch = Batch(game, options, 1, seed)
    steps, dropped = [], 0
    for seat, opponents in drawn:
        decisions, before, ended = [], 0.0, False
        while not ended:
            player, observation, mask = batch.current_player[0], batch.observation.copy(), batch.action_mask.copy()
            if player == seat:
                decisions.append([observation[0], mask[0], 0.0, False])
                action = learners_action(mask[0])
            else:
                action = int(agents[opponents[player]].act_batch(Views.of(observation, mask), np.random.default_rng(0))[0])
            batch.step([action])
            ended = bool(batch.terminated[0] or batch.truncated[0])
            if decisions:
                decisions[-1][2] += float(batch.rewards[0, seat])
            else:
                before += float(batch.rewards[0, seat])
        if decisions:
            decisions[0][2] += before
            decisions[-1][3] = True
            steps += decisions
        else:
            dropped += 1
    return steps, dropped


CASES = [(toy.GAME, n, pool) for n in (2, 3, 6) for pool in ("asked", "compiled", "mixed")]
CASES += [(toy.TEAMS, n, "mixed") for n in (4, 6)]
CASES += [(TENNIS, n, "networks") for n in (2, 3, 4, 6)]


SHORT = [(toy.GAME, 2, "compiled")]
OTHERS = [pytest.param(*case, marks=pytest.mark.long) for case in CASES if case not in SHORT]


@pytest.mark.parametrize(("game", "players", "pool"), [*SHORT, *OTHERS], ids=str)
def test_credit_seats_and_masks_equal_the_reference(game, players, pool):
    options = game.make_options({"num_players": players})
    asked, compiled = toy.FirstLegal(), toy.last_agent(players)
    networks = [network(game, options, 1), network(game, options, 2), network(game, options, 3, (5, 4))]
    agents = {
        "asked": [asked],
        "compiled": [compiled, *networks[:2]],
        "networks": [asked, *networks],
        "mixed": [asked, *networks, compiled],
    }[pool]
    num_envs, steps = 6, 150
    env = traced(game, options, agents, num_envs=num_envs, seed=3)
    seen = [[] for _ in range(num_envs)]
    observation = env.reset()
    infos_of_ends = []
    for _ in range(steps):
        masks = env.action_masks().copy()
        kept = observation.copy()
        following, rewards, dones, infos = env.step(np.array([learners_action(mask) for mask in masks]))
        assert (observation == kept).all()  # Stable-Baselines3 stores it only now
        for row in range(num_envs):
            seen[row].append((observation[row], masks[row], rewards[row], dones[row]))
            assert ("episode" in infos[row]) == dones[row]
        infos_of_ends += [info["episode"] for info in infos if info]
        observation = following
    expected, dropped = zip(
        *(reference(game, options, env.games.first_seed + row, env.games.drawn[row], agents) for row in range(num_envs)),
        strict=True,
    )
    ends = 0
    for row in range(num_envs):
        for (observation, mask, reward, done), (right, right_mask, right_reward, end) in zip(
            seen[row], expected[row], strict=False
        ):
            assert (observation == right).all() and (mask == right_mask).all()
            assert reward == pytest.approx(right_reward, abs=1e-6) and done == end
            ends += end
    assert ends == len(infos_of_ends) > 2
    assert sum(info["l"] for info in infos_of_ends) <= steps * num_envs
    assert env.dropped <= sum(dropped)
    if game is toy.GAME and players == 6:
        assert env.dropped > 0


def test_returns_of_episodes_add_up():
    options = toy.GAME.make_options({"num_players": 4})
    env = SelfPlayVecEnv(toy.GAME, options, [toy.FirstLegal()], num_envs=8, seed=1, reward_scale=0.25)
    env.reset()
    total, episodes, lengths = np.zeros(8), 0, np.zeros(8, int)
    for _ in range(60):
        _, rewards, dones, infos = env.step(env.action_masks().argmax(axis=1))
        total += rewards
        lengths += 1
        for row in np.flatnonzero(dones):
            assert infos[row]["episode"]["r"] * 0.25 == pytest.approx(total[row])
            assert infos[row]["episode"]["l"] == lengths[row]
            total[row], lengths[row] = 0, 0
            episodes += 1
    assert episodes > 50


def test_seats_and_opponents_are_drawn_as_stated():
    options = toy.GAME.make_options({"num_players": 4})
    env = traced(toy.GAME, options, Pool(toy.GAME, [toy.FirstLegal(), toy.last_agent(4)], [3, 1]), num_envs=64, seed=1)
    env.reset()
    for _ in range(60):
        env.step(env.action_masks().argmax(axis=1))
    drawn = [agent for row in env.games.drawn for agent in row]
    seats = np.bincount([seat for seat, _ in drawn], minlength=4) / len(drawn)
    others = np.mean([opponents for _, opponents in drawn])
    assert len(drawn) > 1500
    assert np.abs(seats - 0.25).max() < 5 * (0.1875 / len(drawn)) ** 0.5
    mixed = np.mean([opponents.min() != opponents.max() for _, opponents in drawn])
    assert abs(mixed - (1 - 0.75**4 - 0.25**4)) < 0.06  # seat by seat, not table by table
    assert abs(others - 0.25) < 5 * (0.1875 / len(drawn) / 4) ** 0.5


def test_partners_are_drawn_together_and_the_learners_are_its_own() -> None:
    options = toy.TEAMS.make_options({"num_players": 6})
    agents = [toy.FirstLegal(), toy.last_agent(6), toy.last_agent(6)]
    env = traced(toy.TEAMS, options, Pool(toy.TEAMS, agents, [3, 1, 0]), num_envs=64, seed=1, mates=2)
    env.reset()
    for _ in range(60):
        env.step(env.action_masks().argmax(axis=1))
    drawn = [agent for row in env.games.drawn for agent in row]
    assert len(drawn) > 1500 and {seat for seat, _ in drawn} == set(range(6))
    others = []
    for seat, opponents in drawn:
        assert set(opponents[seat % 2 :: 2]) == {2}
        (other,) = set(opponents[1 - seat % 2 :: 2])
        others.append(other)
    assert set(others) == {0, 1} and abs(np.mean(others) - 0.25) < 5 * (0.1875 / len(drawn)) ** 0.5


def test_masks_are_what_the_observation_shows():
    options = TENNIS.make_options({})
    env = SelfPlayVecEnv(TENNIS, options, [network(TENNIS, options, 1)], num_envs=32, seed=1)
    hand = TENNIS.observation.slices(4)["hand"]
    observation = env.reset()
    for _ in range(80):
        masks = env.env_method("action_masks")
        assert ((observation[:, hand] > 0) == masks).all()
        observation = env.step(masks.argmax(axis=1))[0]


def test_what_stable_baselines_asks_for():
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

    options = TENNIS.make_options({})
    env = SelfPlayVecEnv(TENNIS, options, [network(TENNIS, options, 1)], num_envs=5, seed=1)
    observation = env.reset()
    assert env.observation_space.contains(observation[0]) and observation.shape == (5, TENNIS.observation_size(options))
    assert is_masking_supported(env) and get_action_masks(env).shape == (5, 12) and get_action_masks(env).dtype == bool
    assert env.env_method("action_masks", indices=[0, 3]).shape == (2, 12)
    assert env.get_attr("render_mode") == [None] * 5 and not any(env.env_is_wrapped(object))
    assert not env.has_attr("no_such_thing")
    with pytest.raises(AttributeError, match="only 'action_masks'"):
        env.env_method("render")
    with pytest.raises(ValueError, match=r"row 2: action .* is not legal"):
        actions = env.action_masks().argmax(axis=1)
        actions[2] = env.action_masks()[2].argmin()
        env.step(actions)
    env.close()


def play(env, steps):
    outcomes = []
    for _ in range(steps):
        observation, rewards, dones, _ = env.step(env.action_masks().argmax(axis=1))
        outcomes.append((observation, rewards, dones))
    return outcomes


def equal(some, others):
    return all((a == b).all() for one, other in zip(some, others, strict=True) for a, b in zip(one, other, strict=True))


def test_equal_seeds_give_equal_games_on_any_number_of_threads_and_other_seeds_others():
    options = toy.GAME.make_options({})
    pool = [toy.FirstLegal(), toy.last_agent(3), network(toy.GAME, options, 1)]
    runs = []
    for seed, threads in ((5, 1), (5, 2), (6, 1)):
        env = SelfPlayVecEnv(toy.GAME, options, pool, num_envs=16, seed=seed, threads=threads)
        env.reset()
        runs.append(play(env, 40))
        env.close()
    assert equal(runs[0], runs[1]) and not equal(runs[0], runs[2])
    env = SelfPlayVecEnv(toy.GAME, options, pool, num_envs=16, seed=9)
    again = []
    for _ in range(2):
        env.seed(77)
        env.reset()
        again.append(play(env, 20))
    env.reset()
    again.append(play(env, 20))
    assert equal(again[0], again[1]) and not equal(again[0], again[2])


def test_a_saved_state_goes_on_as_the_original():
    options = toy.GAME.make_options({})
    sampling = LearnedAgent(network(toy.GAME, options, 1).layers)
    env = SelfPlayVecEnv(toy.GAME, options, [toy.FirstLegal(), sampling], num_envs=16, seed=5)
    env.reset()
    play(env, 15)
    saved = env.save_state()
    other = SelfPlayVecEnv(toy.GAME, options, [toy.FirstLegal(), sampling], num_envs=16, seed=99)
    other.reset()
    assert (other.load_state(saved) == env.batch.observation).all()
    assert equal(play(env, 40), play(other, 40)) and env.dropped == other.dropped


def test_the_pool_can_change_under_way():
    options = toy.GAME.make_options({})
    env = SelfPlayVecEnv(toy.GAME, options, [toy.FirstLegal()] * 4, num_envs=16, seed=5)
    env.reset()
    play(env, 5)
    env.set_opponents([network(toy.GAME, options, 1), toy.last_agent(3)])
    play(env, 20)


@pytest.mark.parametrize("weights", [[1], [0, 0], [-1, 2], [float("nan"), 1]])
def test_bad_pools_are_refused(weights):
    options = toy.GAME.make_options({})
    with pytest.raises(ValueError, match="a weight each"):
        SelfPlayVecEnv(toy.GAME, options, Pool(toy.GAME, [toy.FirstLegal(), toy.FirstLegal()], weights))


def test_pools_without_opponents_or_with_slow_ones_are_refused():
    from wilddeck.agents.base import Agent

    options = toy.GAME.make_options({})
    with pytest.raises(ValueError, match="a pool needs opponents"):
        SelfPlayVecEnv(toy.GAME, options, [])
    with pytest.raises(ValueError, match="plays one game at a time"):
        SelfPlayVecEnv(toy.GAME, options, [Agent()])
