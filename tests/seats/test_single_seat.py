"""The Gymnasium environment of one seat."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from wilddeck import agents, envs
from wilddeck.agents import play
from wilddeck.agents.base import Agent
from wilddeck.envs.core.aec import IllegalActionError
from wilddeck.seats.single_seat import SingleSeatEnv


class First(Agent):
    """The first legal action."""

    name = "first"

    def act_batch(self, views, rng):
        return views.action_mask.argmax(axis=1)


class AnyAction(SingleSeatEnv):
    """Takes any action for a legal one: checkers know no masks."""

    def step(self, action):
        legal = np.flatnonzero(self.action_masks())
        return super().step(int(legal[action % len(legal)]) if len(legal) else action)


def make(**arguments):
    return gymnasium.make("wilddeck/tennis-v0", disable_env_checker=True, **arguments)


def finish(env, choose=lambda mask: int(mask.argmax())):
    """Play the game on; the rewards in order."""
    rewards, ended = [], False
    while not ended:
        observation, reward, terminated, truncated, _ = env.step(choose(env.unwrapped.action_masks()))
        assert observation in env.observation_space
        rewards.append(reward)
        ended = terminated or truncated
    return rewards


def test_it_passes_gymnasiums_checks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(AnyAction("tennis_v0", opponents="rules"), skip_render_check=True)


def test_it_passes_stable_baselines_checks():
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(AnyAction("tennis_v0"), warn=True)


def test_the_returns_are_those_of_the_same_game_between_agents():
    env = SingleSeatEnv("tennis_v0", opponents=[First(), "random", "rules"], seat=2)
    for seed in range(5):
        env.reset(seed=seed)
        game_seed = int.from_bytes(np.random.default_rng(np.random.PCG64(seed)).bytes(16), "big")
        table = [agents.make(spec, "tennis_v0") for spec in ("random", "rules", First(), First())]
        expected = play.play_game(env.game, env.options, table, game_seed)
        rewards = finish(env)
        assert rewards[-1] == sum(rewards) == np.float32(expected.returns[2])
        assert env._returns.tolist() == expected.returns.tolist()
        assert not env.action_masks().any()


def test_reset_with_a_seed_repeats_games_and_goes_on_from_them():
    env = make(opponents="random", seat="random")
    runs = []
    for _ in range(2):
        run = [env.reset(seed=5)[0].tolist()]
        seats = []
        for _ in range(8):
            finish(env)
            observation, info = env.reset()
            run.append(observation.tolist())
            seats.append(info["seat"])
        runs.append((run, seats))
    assert runs[0] == runs[1]
    assert len(set(runs[0][1])) > 1
    assert env.reset(seed=6)[0].tolist() != runs[0][0][0]


def test_seats():
    rotating = make(seat="rotate")
    assert [rotating.reset(seed=seed)[1]["seat"] for seed in (1, None, None, None, None, 1)] == [0, 1, 2, 3, 0, 0]
    fixed = make(seat=3)
    assert {fixed.reset()[1]["seat"] for _ in range(5)} == {3}
    assert fixed.unwrapped.raw_env.current_player == 3


def test_masks():
    env = make()
    _, info = env.reset(seed=1)
    mask = env.unwrapped.action_masks()
    assert mask.dtype == bool and info["action_mask"].dtype == np.int8
    assert mask.tolist() == info["action_mask"].astype(bool).tolist()
    assert np.flatnonzero(mask).tolist() == env.unwrapped.raw_env.legal_actions()


def test_an_illegal_action_raises_and_changes_nothing():
    env = make()
    observation, info = env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="cannot play action"):
        env.step(int(info["action_mask"].argmin()))
    assert env.unwrapped.raw_env.observe(env.unwrapped.raw_env.agent_selection)["observation"].tolist() == observation.tolist()
    finish(env)


def test_calls_need_a_game():
    """Also as Gymnasium makes it, whose wrapper against calls out of order would hide `action_masks`."""
    env = gymnasium.make("wilddeck/tennis-v0", render_mode="ansi")
    for call in (lambda: env.step(0), env.unwrapped.action_masks, env.render):
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) before"):
            call()
    env.reset(seed=1)
    finish(env)
    with pytest.raises(gymnasium.error.ResetNeeded, match="the game is over"):
        env.step(0)


def test_infos_are_arrays_and_numpy_numbers():
    """TorchRL reads shapes and dtypes from an info."""
    _, info = make(seat=2).reset(seed=1)
    assert {name: value.dtype.name for name, value in info.items()} == {"action_mask": "int8", "seat": "int64"}
    assert info["seat"] == 2


def test_a_given_deck_is_dealt():
    env = make(num_players=2, dealer=0, seat=0)
    for _ in range(2):
        env.reset(options={"deck": list(range(48))})
        assert env.unwrapped.raw_env.zones()["hand/0"] == [0, 2, 4, 6, 8, 10]
    with pytest.raises(ValueError, match="not a permutation"):
        env.reset(options={"deck": [1, 2]})


def test_games_that_end_before_the_learner_acts_are_dealt_again(monkeypatch):
    env = SingleSeatEnv("tennis_v0", seat=0)
    begun = []
    begin = SingleSeatEnv._begin

    def short(self, options):
        """Games whose first seat is not the learner's end at once."""
        begin(self, options)
        begun.append(self._raw.current_player)
        if self._raw.current_player != 0:
            self._raw.record["terminated"][0] = 1
            self._over = True

    monkeypatch.setattr(SingleSeatEnv, "_begin", short)
    for seed in range(12):
        env.reset(seed=seed)
        assert begun[-1] == 0
    assert len(begun) > 12
    monkeypatch.setattr(SingleSeatEnv, "_begin", lambda self, options: None)
    env._over = True
    with pytest.raises(ValueError, match="got to act in none of 1000 games"):
        env.reset()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seat": 4}, r"seat=4 is not allowed; allowed: random, rotate, or a seat 0\.\.3"),
        ({"seat": "first"}, "seat='first' is not allowed"),
        ({"seat": True}, "seat=True is not allowed"),
        ({"opponents": ["random", "rules"]}, "a list of 3 for 4 players, not 2"),
        ({"opponents": "rulez"}, "no agent 'rulez'"),
        ({"render_mode": "gif"}, "unknown render_mode 'gif'"),
        ({"player": 3}, "no option 'player'"),
        ({"num_players": 5}, "option num_players=5 is not allowed"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        SingleSeatEnv("tennis_v0", **arguments)


def test_closing_closes_the_opponents():
    class Listener(First):
        closed = 0

        def close(self):
            self.closed += 1

    agent = Listener()
    SingleSeatEnv("tennis_v0", opponents=agent).close()
    assert agent.closed >= 1


@pytest.mark.long
def test_a_masked_learner_trains_on_it():
    contrib = pytest.importorskip("sb3_contrib")
    model = contrib.MaskablePPO(
        "MlpPolicy", make(opponents="random", num_players=2), n_steps=64, batch_size=32, n_epochs=1, seed=0
    )
    model.learn(256)  # an unmasked action would raise
    env = make(opponents="random", num_players=2)
    observation, info = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=env.unwrapped.action_masks())
    assert info["action_mask"][action]
    assert envs.game("tennis_v0").num_actions(env.unwrapped.options) == env.action_space.n
