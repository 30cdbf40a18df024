"""JAX, Tianshou, RLCard, PufferLib, and weights of torch: each beside the suite's own."""

from __future__ import annotations

import copy
import importlib
import pickle
import sys
import types

import numpy as np
import pytest
import toy_game as toy
import wilddeck
from wilddeck import envs
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.views import Views
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.batch import Batch
from wilddeck.frameworks import rlcard as rlcard_door
from wilddeck.seats.vector import SeatVectorEnv
from wilddeck.training.evaluate import evaluate


def test_nothing_of_a_framework_is_imported_with_the_suite():
    from support import output_of

    loaded = output_of("import sys, wilddeck, wilddeck.frameworks; print('\\n'.join(sys.modules))").split()
    assert "wilddeck.frameworks" in loaded
    assert not {name for name in loaded if name.startswith("wilddeck.frameworks.")}


# --- JAX ---


def test_jax_reads_a_batch_where_it_lies():
    """Copies of the batch share memory of their own."""
    pytest.importorskip("jax")
    from wilddeck.frameworks.jax import SharedBatch

    batch = SharedBatch("tennis_v0", 33, seed=3, num_players=3)
    plain = wilddeck.make_batch("tennis_v0", 33, seed=3, num_players=3)
    copies = [batch, copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    for _ in range(30):
        actions = plain.random_actions()
        plain.step(actions)
        for copied in copies:
            copied.step(actions)
            observation, mask = copied.shared()
            assert observation.unsafe_buffer_pointer() == copied.observation.ctypes.data
            assert mask.unsafe_buffer_pointer() == copied.action_mask.ctypes.data
            np.testing.assert_array_equal(np.asarray(observation), plain.observation)
            np.testing.assert_array_equal(np.asarray(mask), plain.action_mask)


# --- Tianshou ---


def test_tianshou_lives_what_a_seat_lives_in_gymnasium():
    pytest.importorskip("tianshou")
    from wilddeck.frameworks.tianshou import SeatVenv

    venv = SeatVenv(toy.GAME, 6, "random", "rotate", seed=4)
    vector = SeatVectorEnv(toy.GAME, 6, "random", "rotate")
    assert len(venv) == 6 and venv.action_space == [vector.single_action_space] * 6
    seen, infos = venv.reset()
    expected, about = vector.reset(seed=4)
    ends = 0
    for _ in range(60):
        np.testing.assert_array_equal(seen.obs, expected)
        np.testing.assert_array_equal(seen.mask, about["action_mask"])
        assert [info["env_id"] for info in infos] == list(range(6))
        actions = about["action_mask"].argmax(axis=1)
        seen, rewards, terminated, truncated, infos = venv.step(actions)
        expected, expected_rewards, over, _, about = vector.step(actions)
        np.testing.assert_array_equal(rewards, expected_rewards)
        np.testing.assert_array_equal(terminated, over)
        assert not truncated.any()
        rows = np.flatnonzero(over)
        ends += rows.size
        if rows.size:
            np.testing.assert_array_equal(seen.obs[rows], np.stack(about["final_obs"][rows]))
            assert not seen.mask[rows].any()
            seen.obs[rows] = venv.reset(rows)[0].obs
            seen.mask[rows] = about["action_mask"][rows]
    assert ends > 60


def test_tianshou_steps_some_games_in_any_order():
    """And begins any anew, as its collectors do at their end."""
    pytest.importorskip("tianshou")
    from wilddeck.frameworks.tianshou import SeatVenv

    venv, twin = SeatVenv("tennis_v0", 4, seed=2), SeatVenv("tennis_v0", 4, seed=2)
    mask, _ = venv.reset()[0].mask, twin.reset()
    actions = mask.argmax(axis=1)
    there, *_, infos = venv.step(actions[[3, 1]], id=[3, 1])
    ours, *_ = twin.step(actions[[1, 3]], id=[1, 3])
    np.testing.assert_array_equal(there.obs, ours.obs[::-1])
    assert [info["env_id"] for info in infos] == [3, 1]
    before = venv.games.batch.observation.copy()
    anew, _ = venv.reset([2, 0])
    np.testing.assert_array_equal(anew.obs, venv.games.batch.observation[[2, 0]])
    np.testing.assert_array_equal(venv.games.batch.observation[[1, 3]], before[[1, 3]])
    assert (venv.games.batch.observation[[0, 2]] != before[[0, 2]]).any(axis=1).all()
    venv.seed([7])
    np.testing.assert_array_equal(venv.reset()[0].obs, SeatVenv("tennis_v0", 4, seed=7).reset()[0].obs)


# --- RLCard ---


class Middle:
    """An agent with RLCard's methods."""

    use_raw = False

    def step(self, state):
        legal = list(state["legal_actions"])
        return legal[len(legal) // 2]

    def eval_step(self, state):
        return self.step(state), {}


@pytest.mark.parametrize(("game", "options"), [(toy.GAME, {}), ("tennis_v0", {"num_players": 2})], ids=["toy", "tennis"])
def test_rlcards_trajectories_are_the_game(game, options):
    env = rlcard_door.RLCardEnv(game, seed=5, **options)
    resolved, checked = envs.resolve(game, options)
    raw = CardGameEnv(resolved, checked)
    env.set_agents([Middle()] * env.num_players)
    for number in range(20):
        trajectories, payoffs = env.run()
        raw.reset(seed=5 if number == 0 else None)
        expected = [[] for _ in range(env.num_players)]
        returns = np.zeros(env.num_players)
        while not any(raw.terminations.values()):
            seat, legal = raw.current_player, raw.legal_actions()
            expected[seat] += [raw.observe(raw.agent_selection)["observation"], legal[len(legal) // 2]]
            raw.step(legal[len(legal) // 2])
            returns += list(raw.rewards.values())
        np.testing.assert_array_equal(payoffs, returns)
        for seat, trajectory in enumerate(trajectories):
            *played, last = trajectory
            assert played[1::2] == expected[seat][1::2]
            for state, seen in zip(played[::2], expected[seat][::2], strict=True):
                np.testing.assert_array_equal(state["obs"], seen)
            assert not last["legal_actions"]
            np.testing.assert_array_equal(last["obs"], raw.observe(raw.possible_agents[seat])["observation"])
    with pytest.raises(ValueError, match="players need as many agents, not 1"):
        env.set_agents([Middle()])


def test_an_agent_of_rlcard_plays_where_agents_play():
    results = evaluate(rlcard_door.Played(Middle()), "tennis_v0", {"num_players": 2}, against=["random"], games=20, seed=1)
    assert results["random"].games == 20


@pytest.mark.parametrize("kind", ["DQNAgent", "NFSPAgent"])
def test_rlcards_learners_learn_from_it(kind):
    pytest.importorskip("rlcard")
    learners = importlib.import_module("rlcard.agents")
    reorganize = importlib.import_module("rlcard.utils").reorganize
    env = rlcard_door.RLCardEnv("tennis_v0", seed=1, num_players=2)
    names = {"mlp_layers": [16]} if kind == "DQNAgent" else {"hidden_layers_sizes": [16], "q_mlp_layers": [16]}
    agent = getattr(learners, kind)(num_actions=env.num_actions, state_shape=env.state_shape[0], **names)
    env.set_agents([agent, learners.RandomAgent(num_actions=env.num_actions)])
    fed = 0
    for _ in range(10):
        for step in reorganize(*env.run(is_training=True))[0]:
            agent.feed(step)
            fed += 1
    assert fed > 20


# --- PufferLib ---


def test_puffers_buffers_hold_what_a_seat_lives(monkeypatch):
    """Over a stand-in for PufferLib's base class, which allocates what PufferLib 3.0 does."""

    class PufferEnv:
        def __init__(self, buf=None):
            n, space = self.num_agents, self.single_observation_space
            self.observations = np.zeros((n, *space.shape), space.dtype)
            self.rewards = np.zeros(n, np.float32)
            self.terminals, self.truncations = np.zeros(n, np.bool_), np.zeros(n, np.bool_)

    monkeypatch.setitem(sys.modules, "pufferlib", types.SimpleNamespace(PufferEnv=PufferEnv))
    monkeypatch.delitem(sys.modules, "wilddeck.frameworks.pufferlib", raising=False)
    door = importlib.import_module("wilddeck.frameworks.pufferlib")
    monkeypatch.delitem(sys.modules, "wilddeck.frameworks.pufferlib")
    env = door.SeatPuffer(toy.GAME, 5, seat="rotate", illegal="raise", seed=9)
    vector = SeatVectorEnv(toy.GAME, 5, "random", "rotate")
    seen, reported = env.reset()
    expected, infos = vector.reset(seed=9)
    lengths, ended = 0.0, 0
    assert reported == [] and seen is env.observations
    for _ in range(50):
        np.testing.assert_array_equal(seen, np.concatenate([expected, infos["action_mask"]], axis=1))
        assert all(env.single_observation_space.contains(row) for row in seen)
        actions = infos["action_mask"].argmax(axis=1)
        seen, rewards, terminals, truncations, reported = env.step(actions)
        expected, expected_rewards, over, _, infos = vector.step(actions)
        np.testing.assert_array_equal(rewards, expected_rewards.astype(np.float32))
        np.testing.assert_array_equal(terminals, over)
        assert not truncations.any() and len(reported) == over.any()
        ended += over.sum()
        lengths += sum(info["episode_length"] for info in reported) * over.sum()
    assert ended > 40 and lengths <= 50 * 5
    env.close()


# --- weights ---


def test_a_network_of_torch_plays_as_it_is():
    torch = pytest.importorskip("torch")
    from torch import nn
    from wilddeck.frameworks.weights import agent_of

    batch = Batch(*envs.resolve("tennis_v0"), 50, seed=1)
    size, actions = batch.observation_size, batch.num_actions
    for between, bias in ((nn.Tanh, True), (nn.ReLU, False)):
        network = nn.Sequential(
            nn.Linear(size, 8, bias), nn.Sequential(between(), nn.Linear(8, 7)), between(), nn.Linear(7, actions)
        )
        agent = agent_of(network, greedy=True)
        assert isinstance(agent, LearnedAgent)
        with torch.no_grad():
            expected = network(torch.tensor(batch.observation)).numpy()
        np.testing.assert_allclose(agent.logits(batch.observation), expected, atol=1e-5)
        chosen = np.where(batch.action_mask, expected, -np.inf).argmax(axis=1)
        played = agent.act_batch(Views.of(batch.observation, batch.action_mask), np.random.default_rng(1))
        assert (chosen == played).mean() > 0.95  # sums in another order
    linear = nn.Linear(3, 3)
    for bad in (
        nn.Sequential(linear, nn.GELU(), linear),
        nn.Sequential(linear, nn.Tanh(), nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2)),
        nn.Sequential(linear, nn.Tanh()),
        nn.Sequential(nn.Tanh(), linear, nn.Tanh()),
        nn.Sequential(),
    ):
        with pytest.raises(ValueError, match="must have Linear layers"):
            agent_of(bad)
