"""The Gymnasium environment in the hands of others: Gymnasium's wrappers and vectors, Stable-Baselines3, sb3-contrib."""

import functools
import warnings

import gymnasium
import numpy as np
import pytest
import wilddeck
from gymnasium import wrappers
from gymnasium.utils.env_checker import check_env
from support import few, first_of, short
from wilddeck.envs.core.jit import only_interpreted
from wilddeck.envs.registration import registry_id
from wilddeck.seats.single_seat import SingleSeatEnv

TENNIS = "wilddeck/tennis-v0"
MAKE = functools.partial(gymnasium.make, f"wilddeck:{TENNIS}", num_players=2)  # imports wilddeck, in a spawned process too


def play(env, steps=40):
    """Plays on with the first legal action of each mask; what is seen lies in the space, and nothing warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        observation, info = env.reset(seed=1)
        for _ in range(steps):
            assert observation in env.observation_space
            observation, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            if terminated or truncated:
                observation, info = env.reset()


@pytest.mark.parametrize("game_id", wilddeck.games())
def test_every_game_is_registered(game_id):
    """`wild_escape_v0` is `wilddeck/wild_escape-v0`: underscores stay."""
    name, version = game_id.rsplit("_v", 1)
    assert registry_id(game_id) == f"wilddeck/{name}-v{version}"
    assert gymnasium.make(registry_id(game_id)).unwrapped.game.id == game_id


PLAYED = [game_id for game_id in wilddeck.games() if game_id != "beggar_my_neighbor_v0"]  # which leaves no choice


@pytest.mark.interpreted
@pytest.mark.parametrize("game_id", short(PLAYED, few(PLAYED)))
def test_gymnasiums_checker_plays_it(game_id):
    check_env(SingleSeatEnv(game_id, illegal="penalty"), skip_render_check=True)


@pytest.mark.parametrize(
    "arguments", [{}, {"disable_env_checker": False}, {"max_episode_steps": 7}, {"render_mode": "ansi"}], ids=str
)
def test_gymnasium_makes_it(arguments):
    play(gymnasium.make(TENNIS, **arguments))


def needs_rescaling():
    if not hasattr(wrappers, "RescaleObservation"):
        pytest.skip("Gymnasium has RescaleObservation from 1.0 on")


WRAPPERS = {
    "checked": wrappers.PassiveEnvChecker,
    "ordered": wrappers.OrderEnforcing,
    "flat": wrappers.FlattenObservation,
    "recorded": wrappers.RecordEpisodeStatistics,
    "limited": lambda env: wrappers.TimeLimit(env, 7),
    "rescaled": lambda env: wrappers.RescaleObservation(env, -1, 1),
}


@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
@pytest.mark.parametrize("game_id", short(wilddeck.games(), ["tennis_v0"]))
def test_gymnasiums_wrappers(game_id, wrapper):
    if wrapper is WRAPPERS["rescaled"]:
        needs_rescaling()
    play(wrapper(gymnasium.make(registry_id(game_id))))


def test_observations_are_rescaled_by_entry():
    """Points of hearts may be negative: each entry is scaled by its own bounds."""
    needs_rescaling()
    with only_interpreted():
        env = gymnasium.make("wilddeck/hearts-v0", match="match", jd_bonus=True)
        scaled = wrappers.RescaleObservation(env, -1, 1)
        seen, again, box = scaled.reset(seed=1)[0], env.reset(seed=1)[0], env.observation_space
    np.testing.assert_allclose(seen, 2 * (again - box.low) / (box.high - box.low) - 1, atol=1e-6)
    assert np.isfinite(box.low).all() and np.isfinite(box.high).all()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_gymnasiums_vectors(mode):
    vector = gymnasium.make_vec(TENNIS, num_envs=3, vectorization_mode=mode)
    observation, info = vector.reset(seed=1)
    ended = 0
    for _ in range(120):
        assert observation.shape == (3, 222)
        assert info["seat"].dtype == np.int64
        masks = np.stack(info["action_mask"])  # Gymnasium 0.29 gives an array of arrays
        assert masks.shape == (3, 12)
        observation, _, terminated, _, info = vector.step(masks.argmax(axis=1))
        ended += int(terminated.sum())
    assert ended > 0
    vector.close()


def test_the_action_masker_of_sb3_contrib():
    """By the name of the method, which it calls with the environment, or by a function."""
    masker = pytest.importorskip("sb3_contrib.common.wrappers").ActionMasker
    for env in (
        masker(MAKE(), "action_masks"),
        masker(wrappers.TimeLimit(MAKE(), 7), lambda env: env.unwrapped.action_masks()),
    ):
        _, info = env.reset(seed=1)
        assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()


@pytest.mark.parametrize("wrapper", [*WRAPPERS.values(), lambda env: env], ids=[*WRAPPERS, "none"])
def test_masks_are_found_through_wrappers(wrapper):
    """By Gymnasium's own way to ask, which sb3-contrib takes too, whatever lies between."""
    if wrapper is WRAPPERS["rescaled"]:
        needs_rescaling()
    env = wrapper(gymnasium.make(TENNIS, num_players=2))
    _, info = env.reset(seed=1)
    for _ in range(3):
        masks = env.get_wrapper_attr("action_masks")()
        assert masks.dtype == bool and masks.tolist() == info["action_mask"].astype(bool).tolist()
        info = env.step(int(masks.argmax()))[-1]


@pytest.mark.parametrize("mask", ["info", "observation"])
@pytest.mark.filterwarnings("ignore:You are using:UserWarning")  # of a Dict it knows pictures only
def test_checkers_and_unmasked_learners_run_where_illegal_actions_are_penalties(mask):
    stable = pytest.importorskip("stable_baselines3")
    from gymnasium.utils import env_checker as gymnasiums
    from stable_baselines3.common import env_checker as stables

    arguments = {"mask": mask, "illegal": "penalty", "num_players": 2}
    gymnasiums.check_env(gymnasium.make(TENNIS, **arguments).unwrapped, skip_render_check=True)
    stables.check_env(gymnasium.make(TENNIS, **arguments))
    env = gymnasium.make(TENNIS, **arguments)
    policy = {"info": "MlpPolicy", "observation": "MultiInputPolicy"}[mask]
    model = stable.PPO(policy, env, n_steps=32, batch_size=32, n_epochs=1, seed=0).learn(64)
    assert model.num_timesteps == 64


def ways_to_train():
    """How people make the environment that MaskablePPO gets; an unmasked action would raise."""
    from sb3_contrib.common.wrappers import ActionMasker
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

    return {
        "as it is": MAKE,
        "masker": lambda: ActionMasker(MAKE(), "action_masks"),
        "monitor": lambda: Monitor(MAKE()),
        "rescaled": lambda: wrappers.RescaleObservation(MAKE(), -1, 1),
        "made by its id": lambda: make_vec_env(TENNIS, 2),
        "dummy": lambda: DummyVecEnv([MAKE, MAKE]),
        "processes": lambda: SubprocVecEnv([MAKE, MAKE], start_method="spawn"),
    }


@first_of("way", ["as it is", "masker", "monitor", "rescaled", "made by its id", "dummy", "processes"])
def test_masked_learners_train(way):
    contrib = pytest.importorskip("sb3_contrib")
    env = ways_to_train()[way]()
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=0)
    model.learn(64)
    assert model.num_timesteps >= 64
    model.env.close()
