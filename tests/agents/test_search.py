"""Monte-Carlo search."""

import itertools

import numpy as np
import pytest
from support import short
from wilddeck import agents, envs
from wilddeck.agents import play
from wilddeck.agents.base import View
from wilddeck.agents.learned import LearnedAgent, save
from wilddeck.agents.network import network_action
from wilddeck.agents.search import SearchAgent
from wilddeck.envs.core.batch import game_kernels, noise_counters
from wilddeck.envs.core.game import as_records
from wilddeck.envs.core.rng import GOLDEN, mix

TENNIS = envs.game("tennis_v0")
TWO = TENNIS.make_options({"num_players": 2})


def make(**parameters):
    return agents.make("mc:" + ",".join(f"{key}={value}" for key, value in parameters.items()), TENNIS, TWO)


def network(seed=1, greedy=False):
    """With random weights, and opinions."""
    rng = np.random.default_rng(seed)
    sizes = [TENNIS.observation_size(TWO), 12, TENNIS.num_actions(TWO)]
    layers = [(rng.standard_normal(pair), rng.standard_normal(pair[1])) for pair in itertools.pairwise(sizes)]
    return LearnedAgent(layers, "relu", greedy)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    path = tmp_path_factory.mktemp("weights") / "network.safetensors"
    save(path, network(), TENNIS, TWO)
    return path


def views(seed, count):
    """Views along a random game."""
    env = envs.raw_env("tennis_v0", num_players=2)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield env, View.of(env)
        env.step(int(rng.choice(env.legal_actions())))


@pytest.mark.parametrize("policy", short(["random", "rules", "network"], ["rules"]))
def test_it_is_deterministic_and_sees_nothing_hidden(policy, weights):
    agent = make(rollouts=30, policy=weights if policy == "network" else policy)
    for env, view in views(seed=1, count=6):
        action = agent.act(view, np.random.default_rng(9))
        assert view.action_mask[action]
        assert agent.act(view, np.random.default_rng(9)) == action
        hidden = env.determinize(env.agent_selection, seed=4)
        assert agent.act(View.of(hidden), np.random.default_rng(9)) == action


def test_actions_share_worlds_and_luck():
    agent = make(rollouts=10)
    _, view = next(views(seed=2, count=1))
    actions = view.legal_actions[:2]
    both = agent.playouts(view, actions, 40, seed=3)
    assert both.shape == (2, 40)
    assert both[1].tolist() == agent.playouts(view, actions[1:], 40, seed=3)[0].tolist()
    assert set(np.unique(both)) <= {-1.0, 0.0, 1.0} and len(np.unique(both)) > 1


def test_playouts_end_at_max_steps():
    _, view = next(views(seed=2, count=1))
    assert not make(max_steps=3).playouts(view, view.legal_actions, 5, seed=1).any()


def test_the_budget_is_kept():
    agent = make(rollouts=120)
    spent = []
    playouts = agent.playouts
    agent.playouts = lambda view, actions, determinizations, seed, draw: (
        spent.append((len(actions), determinizations)) or playouts(view, actions, determinizations, seed, draw)
    )
    _, view = next(views(seed=5, count=1))
    agent.act(view, np.random.default_rng(0))
    assert 60 <= sum(count * determinizations for count, determinizations in spent) <= 120
    assert [count for count, _ in spent] == sorted((count for count, _ in spent), reverse=True)
    assert spent[-1][0] in (2, 3)  # the last pass compares the best


def test_too_small_a_budget_tries_some_actions():
    assert make(rollouts=1).act(next(views(seed=5, count=1))[1], np.random.default_rng(0)) >= 0
    agent = make(rollouts=1, policy="rules")
    _, view = next(views(seed=5, count=1))
    rules = agents.make("rules", TENNIS, TWO).act(view, np.random.default_rng(3))
    likely = agent._likelihoods(view, np.random.default_rng(3))
    assert rules in agent._candidates(view, likely, np.random.default_rng(3))


@pytest.mark.parametrize(("rollouts", "most"), [(1, 2), (47, 2), (48, 3), (63, 3), (64, 4), (10_000, 52)])
def test_a_networks_likeliest_actions_are_tried(rollouts, most):
    """As many as have eight playouts each in the first pass: three actions take two passes, so 2 * 8 * 3."""
    player = network()
    agent = SearchAgent(TENNIS, TWO, rollouts=rollouts, policy=player)
    for _, view in views(seed=5, count=8):
        legal = view.legal_actions
        logits = player.logits(view.observation[None])[0][legal].astype(float)
        likely = np.exp(logits - logits.max())
        assert player.action_probs(view.observation, view.action_mask) == pytest.approx(likely / likely.sum(), abs=1e-5)
        candidates = agent._candidates(view, agent._likelihoods(view, np.random.default_rng(3)), np.random.default_rng(3))
        assert candidates.tolist() == sorted(legal[np.argsort(-likely)[:most]].tolist())


def test_random_play_says_nothing_so_more_actions_are_tried():
    agent = SearchAgent(TENNIS, TWO, rollouts=16)
    for _, view in views(seed=5, count=8):
        candidates = agent._candidates(view, None, np.random.default_rng(3))
        assert len(candidates) == min(4, len(view.legal_actions))  # two playouts each in two passes


def test_playouts_by_a_network_equal_a_game_played_step_by_step(weights):
    """It draws from its distribution, though it is a greedy player."""
    player = network(greedy=True)
    agent = SearchAgent(TENNIS, TWO, rollouts=16, policy=player)
    kernels, (net, greedy, workspace) = game_kernels(TENNIS), player.data(greedy=False)
    seen, mask = np.zeros(TENNIS.observation_size(TWO), np.float32), np.zeros(TENNIS.num_actions(TWO), np.uint8)
    _, view = next(views(seed=5, count=1))
    actions, determinizations = view.legal_actions[:2], 6
    returns = agent.playouts(view, actions, determinizations, seed=3)
    assert len(np.unique(returns)) > 1
    for k, action in enumerate(actions):
        for w in range(determinizations):
            records, noise, total = (
                as_records(view.sample(determinizations, 3)[w : w + 1].copy()),
                int(noise_counters(3, determinizations)[w]),
                0.0,
            )
            over = kernels["step_single"](records, action, seen, mask)
            total += records["rewards"][0][view.seat]
            while not over:
                noise = (noise + int(GOLDEN)) % 2**64
                chosen = network_action(net, greedy, seen, np.int64(-1), mask, np.uint64(mix(np.uint64(noise))), workspace)
                over = kernels["step_single"](records, chosen, seen, mask)
                total += records["rewards"][0][view.seat]
            assert returns[k, w] == total


def test_it_leaves_what_its_player_would_do_only_for_what_is_surely_better():
    """Of two actions that bring on average 0 and 0.1 with much noise the player's own is done, whichever it is; without noise,
    or without a margin, the better one."""
    rng = np.random.default_rng(1)
    for own in (0, 1):
        for noise, margin, expected in ((5.0, 1.0, own), (0.0, 1.0, 1), (5.0, 0.0, 1)):
            agent = make(rollouts=200, policy="rules", margin=margin)
            _, view = next(views(seed=5, count=1))
            pair = view.legal_actions[:2]
            view.action_mask[:] = 0
            view.action_mask[pair] = 1

            def playouts(view, actions, determinizations, seed, draw, pair=pair, noise=noise):
                drawn = rng.standard_normal((len(actions), determinizations))
                drawn -= drawn.mean(axis=1, keepdims=True)
                return noise * drawn + 0.1 * (actions == pair[1])[:, None]

            agent.playouts = playouts
            agent._likelihoods = lambda view, rng, own=own: np.eye(2)[own]
            assert agent.act(view, rng) == pair[expected]


@pytest.mark.parametrize("margin", [-0.1, float("inf"), float("nan")])
def test_margins_are_numbers_from_0_on(margin):
    with pytest.raises(ValueError, match=r"margin=.* is not allowed; allowed: a number of at least 0"):
        make(margin=margin)


def test_it_beats_the_network_that_plays_it_out(weights):
    agent, player = make(rollouts=40, policy=weights), agents.make(str(weights), TENNIS, TWO)
    result = play.evaluate(agent, player, TENNIS, TWO, 12, seed=1)
    assert result.mean > 3 * result.standard_error


def test_other_agents_play_nothing_out():
    with pytest.raises(
        ValueError, match="'mc:rollouts=5,policy=random' is not compiled and cannot be a playout policy; allowed: random, rules"
    ):
        SearchAgent(TENNIS, TWO, policy=make(rollouts=5))


def test_it_beats_the_rule_based_player():
    agent, rules = make(rollouts=300), agents.make("rules", TENNIS, TWO)
    assert play.evaluate(agent, rules, TENNIS, TWO, 15, seed=1).win_rate > 0.5
