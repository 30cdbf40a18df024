"""Every public object through `copy`, `pickle` and `cloudpickle`: it goes on alike and alone, or it refuses and says why.

Environments at all moments of a game are the conformance suite's (testing/copies.py).
"""

from __future__ import annotations

import copy
import importlib
import pickle
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle
import gymnasium
import numpy as np
import pytest
import toy_game as toy
import wilddeck
from support import output_of
from wilddeck import agents, envs
from wilddeck.agents import rules
from wilddeck.agents.base import Agent, View
from wilddeck.agents.process import ProcessAgent
from wilddeck.envs.core.batch import Batch, game_kernels

WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {p}": lambda thing, p=p: pickle.loads(pickle.dumps(thing, p)) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)},
    "cloudpickle": lambda thing: cloudpickle.loads(cloudpickle.dumps(thing)),
    "twice": lambda thing: copy.deepcopy(pickle.loads(pickle.dumps(thing))),
}
FULL = ("tennis_v0", "hearts_v0")

each_game_and_way = pytest.mark.parametrize(
    ("game_id", "way"),
    [
        pytest.param(game, way, marks=() if game == "tennis_v0" else pytest.mark.long)
        for game in wilddeck.games()
        for way in (WAYS if game in FULL else ["deepcopy"])
    ],
)
each_way = pytest.mark.parametrize("way", WAYS)


class Last(Agent):
    """The last legal action; asked by the batch, since it is not compiled."""

    name = "last"

    def act_batch(self, views, rng):
        return views.action_mask.shape[1] - 1 - views.action_mask[:, ::-1].argmax(axis=1)


class Kind(NamedTuple):
    """Objects that hold games in progress: how one is made, and what can be seen of some steps of it, as bytes."""

    make: Callable[[str], Any]
    play: Callable[[Any], list[bytes]]


def network(game: Any, options: Any) -> Agent:
    learned = importlib.import_module("wilddeck.agents.learned")
    rng = np.random.default_rng(5)
    sizes = game.observation_size(options), game.num_actions(options)
    return learned.LearnedAgent([(rng.standard_normal(sizes), np.zeros(sizes[1]))])


def arrays_of(batch: Batch) -> list[bytes]:
    arrays = (batch.observation, batch.action_mask, batch.current_player, batch.rewards, batch.terminated, batch.truncated)
    assert not any(array.flags.writeable for array in arrays)
    return [batch.states.tobytes(), *(array.tobytes() for array in arrays)]


def play_batch(batch: Batch) -> list[bytes]:
    seen = arrays_of(batch)
    for k in range(12):
        actions = batch.random_actions()
        batch.step(actions[k % 2 :: 2], np.arange(k % 2, len(batch), 2)) if k % 3 else batch.step(actions)
        seen += [actions.tobytes(), *arrays_of(batch)]
    result = batch.rollout(5)
    return [*seen, result.returns.tobytes(), *arrays_of(batch)]


def closed(batch: Batch) -> Batch:
    batch.close()
    return batch


def vector_env(game_id: str, threads: int) -> Any:
    pytest.importorskip("sb3_contrib")
    from wilddeck.seats.opponents import Pool
    from wilddeck.seats.sb3_vec_env import SelfPlayVecEnv

    game = envs.game(game_id)
    options = game.make_options({})
    pool = [agents.make("random", game, options), agents.make("rules", game, options), network(game, options), Last()]
    env = SelfPlayVecEnv(game, options, Pool(game, pool, [1, 1, 1, 2]), num_envs=6, seed=3, threads=threads, mates=2)
    env.reset()
    return env


def play_vector_env(env: Any, masks: Callable[[Any], np.ndarray] = lambda env: env.env_method("action_masks")) -> list[bytes]:
    seen = []
    for _ in range(12):
        mask = np.asarray(masks(env))
        observation, rewards, dones, infos = env.step(mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1))
        episodes = [(info["episode"]["r"], info["episode"]["l"]) for info in infos if "episode" in info]
        seen += [mask.tobytes(), observation.tobytes(), rewards.tobytes(), dones.tobytes(), repr(episodes).encode()]
    return seen


def single_seat(game_id: str) -> Any:
    opponents = ["rules", "mc:rollouts=8", "random", Last()] * 3
    count = envs.game(game_id).make_options({}).num_players - 1
    env = gymnasium.make(f"wilddeck/{game_id.replace('_v', '-v')}", opponents=opponents[:count])
    env.reset(seed=4)
    return env


def play_single_seat(env: Any) -> list[bytes]:
    seen = []
    for _ in range(4):
        mask = env.unwrapped.action_masks()
        observation, reward, terminated, truncated, info = env.step(int(mask.argmax()))
        seen += [mask.tobytes(), observation.tobytes(), repr((reward, terminated, truncated, info["seat"])).encode()]
        if terminated or truncated:
            seen.append(env.reset()[0].tobytes())
    return seen


def pettingzoo_env(game_id: str, make: Callable[[str], Any] = wilddeck.make) -> Any:
    env = make(game_id)
    env.reset(seed=6)
    return env


def play_pettingzoo(env: Any) -> list[bytes]:
    seen = []
    for _ in range(8):
        observation, reward, terminated, truncated, _ = env.last()
        seen += [observation["observation"].tobytes(), repr((env.agent_selection, reward, terminated, truncated)).encode()]
        env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
        if not env.agents:
            env.reset()
    return seen


def openspiel_state(game_id: str) -> Any:
    if sys.version_info < (3, 11):
        pytest.skip("the extra openspiel needs Python 3.11")
    openspiel = pytest.importorskip("wilddeck.frameworks.openspiel", exc_type=ImportError)
    state = openspiel.load_game(game_id).new_initial_state()
    for _ in range(4):
        state.apply_action(7)
    return state


def play_openspiel(state: Any) -> list[bytes]:
    seen = []
    for _ in range(8):
        seen += [state.record.tobytes(), state.observation_string(0).encode(), repr(state.history()).encode()]
        if state.legal_actions():  # a short game is over soon
            state.apply_action(state.legal_actions()[-1])
    return seen


KINDS = {
    "batch": Kind(lambda game_id: wilddeck.make_batch(game_id, 8, seed=1), play_batch),
    "batch on threads": Kind(lambda game_id: wilddeck.make_batch(game_id, 8, seed=1, threads=2), play_batch),
    "closed batch": Kind(lambda game_id: closed(wilddeck.make_batch(game_id, 8, seed=1, threads=2)), play_batch),
    "vector environment": Kind(lambda game_id: vector_env(game_id, 1), play_vector_env),
    "vector environment on threads": Kind(lambda game_id: vector_env(game_id, 2), play_vector_env),
    "single seat": Kind(lambda game_id: single_seat(game_id).unwrapped, play_single_seat),
    "gymnasium.make": Kind(single_seat, play_single_seat),
    "env": Kind(pettingzoo_env, play_pettingzoo),
    "raw_env": Kind(lambda game_id: pettingzoo_env(game_id, envs.raw_env), play_pettingzoo),
    "OpenSpiel state": Kind(openspiel_state, play_openspiel),
}


@each_game_and_way
@pytest.mark.parametrize("kind", KINDS)
def test_games_in_progress_go_on_alike_and_alone(kind: str, game_id: str, way: str) -> None:
    make, play = KINDS[kind]
    original, expected = make(game_id), make(game_id)
    play(original)
    play(expected)
    first = WAYS[way](original)
    second = WAYS[way](original)
    seen = play(expected)
    assert play(first) == seen
    assert play(original) == seen, "the copy has moved it"
    assert play(second) == seen, "it has moved the copy"
    assert type(first) is type(original)
    for copied in (original, expected, first, second):
        getattr(copied, "close", lambda: None)()


@each_way
def test_a_copied_batch_shows_its_own_games(way: str) -> None:
    """The arrays are views of what it plays on, as those of the original are."""
    batch = wilddeck.make_batch("tennis_v0", 4, seed=2, threads=2)
    other = WAYS[way](batch)
    assert repr(other) == repr(batch)
    before = {name: getattr(other, name).copy() for name in ("states", "observation", "current_player")}
    other.step(other.random_actions())
    assert all((getattr(other, name) != array).any() for name, array in before.items())
    for name in ("states", "observation", "action_mask", "current_player", "rewards", "terminated", "truncated"):
        assert not np.shares_memory(getattr(other, name), getattr(batch, name)), name
    other.batch_of = "mine"  # what a user adds to it is copied too
    assert WAYS[way](other).batch_of == "mine"
    other.close()


@pytest.mark.parametrize("way", ["deepcopy", "pickle 2", "cloudpickle"])
def test_wrappers_of_stable_baselines(way: str) -> None:
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    original, expected = (vec_env.VecNormalize(vector_env("tennis_v0", 1)) for _ in range(2))
    for env in (original, expected):
        play_vector_env(env)
    statistics, games = WAYS[way](original), WAYS[way](original.venv)  # VecNormalize leaves its environment out
    statistics.set_venv(games)
    assert play_vector_env(statistics) == play_vector_env(expected) == play_vector_env(original)


@each_game_and_way
def test_what_a_module_holds_is_the_same_again(game_id: str, way: str) -> None:
    game = envs.game(game_id)
    for thing in (game, *game.functions.values(), rules.policy(game)):
        assert WAYS[way](thing) is thing
    for options in game.options.samples():
        assert WAYS[way](options) == options


@each_way
@pytest.mark.parametrize(
    "thing",
    [toy.GAME, toy.TEAMS, wilddeck.compare.skin_of_your_teeth, wilddeck.compare.wild_escape, wilddeck.compare.poker],
    ids=repr,
)
def test_games_and_comparators_outside_of_the_registry(thing: Any, way: str) -> None:
    assert WAYS[way](thing) is thing


@each_way
@pytest.mark.parametrize("spec", ["random", "rules", "mc:rollouts=16", "mc:rollouts=16,policy=rules", "trained", "network"])
def test_agents_answer_alike(spec: str, way: str) -> None:
    game = envs.game("tennis_v0")
    options = game.make_options({})
    agent = network(game, options) if spec == "network" else agents.make(spec, game, options)
    other = WAYS[way](agent)
    assert (repr(other), type(other)) == (repr(agent), type(agent))
    env = envs.raw_env("tennis_v0")
    env.reset(seed=3)
    for k in range(8):
        action = agent.act(View.of(env), np.random.default_rng(k))
        assert other.act(View.of(env), np.random.default_rng(k)) == action
        env.step(action)


@each_way
def test_a_bot_is_copied_before_it_runs_or_not_at_all(way: str, tmp_path: Path) -> None:
    game = envs.game("tennis_v0")
    bot = tmp_path / "bot.py"
    bot.write_text("import sys\nfor line in sys.stdin:\n    print('{}', flush=True)\n", encoding="utf-8")
    agent = ProcessAgent(shlex.join([sys.executable, str(bot)]), game, game.make_options({}), move_seconds=7.0)
    assert vars(WAYS[way](agent)) == vars(agent)
    agent._started()
    with pytest.raises(TypeError, match="is running, and a process cannot be copied; close"):
        WAYS[way](agent)
    agent.close()
    assert vars(WAYS[way](agent)) == vars(agent)


@each_way
def test_what_cannot_be_copied_says_so(way: str, tmp_path: Path) -> None:
    env = envs.raw_env("tennis_v0")
    env.reset(seed=1)
    with pytest.raises(TypeError, match="a View depends on the running game and cannot be copied"):
        WAYS[way](View.of(env))
    from wilddeck.league import League

    with (
        League(tmp_path / "a.league", "tennis_v0") as league,
        pytest.raises(TypeError, match=r"a League cannot be copied or pickled; open .*a\.league again"),
    ):
        WAYS[way](league)


@pytest.mark.parametrize("way", [way for way in WAYS if "copy" not in way])
def test_what_no_module_holds_is_not_pickled(way: str) -> None:
    with pytest.raises(pickle.PicklingError, match="<Game toy_v0> cannot be pickled: no module holds it"):
        WAYS[way](replace(toy.GAME, title="Another toy"))


@pytest.mark.parametrize("way", [way for way in WAYS if "copy" not in way])
def test_kernels_are_bound_again_where_they_are_loaded(way: str) -> None:
    """By the process that compiles beside, for one; so nothing of theirs needs a module's name."""
    kernel = game_kernels(toy.GAME)["step_games"]
    assert WAYS[way](kernel).py_func.__qualname__ == kernel.py_func.__qualname__ == "toy_v0.step_games"


@each_way
def test_screens(way: str) -> None:
    pytest.importorskip("pygame")
    from wilddeck.envs.core.render import Screen

    env = envs.raw_env("tennis_v0")
    env.reset(seed=1)
    screen = Screen("rgb_array", viewer="player_1", size=(640, 400))
    drawn = screen.draw(env)
    np.testing.assert_array_equal(WAYS[way](screen).draw(env), drawn)


def test_pickles_go_on_in_another_process(tmp_path: Path) -> None:
    """Of registered games and of those that other modules hold; nothing is compiled anew for what was pickled."""
    made = {
        "batch": wilddeck.make_batch("tennis_v0", 8, seed=1, threads=2),
        "toy": Batch(toy.GAME, toy.GAME.make_options({}), 8, seed=1),
        "vector": vector_env("tennis_v0", 1),
    }
    path = tmp_path / "pickle"
    path.write_bytes(pickle.dumps(made))
    code = """
import hashlib, pickle, sys
import test_copies as t
for name, each in pickle.load(open(sys.argv[1], "rb")).items():
    play = t.play_vector_env if name == "vector" else t.play_batch
    print(hashlib.sha256(b"".join(play(each))).hexdigest())
"""
    seen = [play_vector_env(env) if name == "vector" else play_batch(env) for name, env in made.items()]
    hashlib = importlib.import_module("hashlib")
    assert output_of(code, str(path)).split() == [hashlib.sha256(b"".join(arrays)).hexdigest() for arrays in seen]
