"""Clones, saves, pickles and deep copies keep a game as it stands, and are independent of it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

from support import Case, each_case, each_game, each_slow_case, moments, play_random, snapshot


def saved_and_loaded(env: Any) -> Any:
    """Through bytes into a new environment, raw like any that has never been reset."""
    other = type(env)(env.game, env.options)
    other.load(env.save())
    return other


def loaded_over_another(env: Any) -> Any:
    """Through bytes into an environment in the middle of another game."""
    other = type(env)(env.game, env.options)
    other.reset(seed=99)
    for _ in play_random(other, 0, 3):
        pass
    other.load(env.save())
    return other


COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "save": saved_and_loaded,
    "save over another": loaded_over_another,
}
WRAPPED_COPIES = {name: COPIES[name] for name in ("deepcopy", "pickle")}


def course(env: Any) -> list[dict[str, Any]]:
    """How a game stands, and how it goes on by equal actions, which it is played on by."""
    return [snapshot(env), *(snapshot(env) for _ in play_random(env, 7, 6))]


def with_dead_removed(env: Any) -> list[Any]:
    """The end of a game: before any agent is removed, after one is, after all are."""
    envs_removed = [env.clone()]
    for _ in range(env.num_players):
        env = env.clone()
        env.step(None)
        envs_removed.append(env)
    return [envs_removed[0], envs_removed[1], envs_removed[-1]]


@each_slow_case
def test_raw_copies(case: Case) -> None:
    for env in [*moments(case)[::9], *with_dead_removed(moments(case)[-1])]:
        goes_on = course(env.clone())
        for how, make_copy in COPIES.items():
            assert course(make_copy(env)) == goes_on, how
            assert snapshot(env) == goes_on[0], f"{how}: the copy shares something with the game"


@each_case
def test_wrapped_copies(case: Case) -> None:
    """Environments in PettingZoo's wrappers, also while dead agents are removed and after an illegal action."""
    for env in wrapped_moments(case):
        for make_copy in WRAPPED_COPIES.values():
            other = make_copy(env)
            assert type(other) is type(env)
            assert snapshot(other) == snapshot(env)
            for _ in zip(play_random(make_copy(env), 7, 40), play_random(other, 7, 40), strict=True):
                pass
            over = any(other.terminations.values()) or any(other.truncations.values())
            assert over or other.agents == [] or other.unwrapped.legal_actions()


def wrapped_moments(case: Case) -> Iterator[Any]:
    """The beginning and later; the end, and an illegal action, before and after an agent is removed."""
    env = case.wrapped()
    for end in (False, True):
        env.reset(seed=case.seed)
        if end:
            yield env
            list(play_random(env, 1, 5))
            yield env
            while env.unwrapped.legal_actions():
                list(play_random(env, case.seed, 1))
        else:
            env.step(-1)
        yield env
        if env.agents:  # a short game may be over, and all agents removed, with the first steps
            env.step(None)
            yield env


@each_game
def test_copies_before_reset(case: Case) -> None:
    for make_copy in COPIES.values():
        env = make_copy(case.raw())
        env.reset(seed=1)
        expected = case.raw()
        expected.reset(seed=1)
        assert snapshot(env) == snapshot(expected)
    for make_copy in WRAPPED_COPIES.values():
        wrapped = make_copy(case.wrapped())
        wrapped.reset(seed=1)
        assert snapshot(wrapped) == snapshot(expected)


@each_case
def test_reset_goes_on_alike_after_copying(case: Case) -> None:
    """Without a seed, the games of an environment follow from its last seed: a copy's too."""
    env = case.raw()
    env.reset(seed=3)
    first = env.record.tobytes()
    other = env.clone()
    env.reset()
    other.reset()
    assert env.record.tobytes() == other.record.tobytes() != first


@each_game
def test_copies_keep_given_decks(case: Case) -> None:
    """Decks of later deals that were given to reset are part of the game."""
    env = case.raw()
    env.reset(seed=3)
    deck = env.game.deck(env.options)
    env.reset(seed=3, options={"decks": [deck, deck[::-1]]})
    for make_copy in COPIES.values():
        assert make_copy(env).__getstate__()["decks"] == [deck, deck[::-1]]
    assert env.determinize("player_0", 1).__getstate__()["decks"] == []
