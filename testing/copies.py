"""Clones, saves, pickles and deep copies preserve a game and are independent of it; altered saves are refused."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .cases import Case
from .checks import check, expect, same
from .played import moments, play_random, snapshot


def saved_and_loaded(env: Any) -> Any:
    """Save to bytes and load into a new environment."""
    other = type(env)(env.game, env.options)
    other.load(env.save())
    return other


def loaded_over_another(env: Any) -> Any:
    """Save to bytes and load into an environment in the middle of another game."""
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
    """Snapshots of a game now and after each of a fixed sequence of actions, which are played."""
    return [snapshot(env), *(snapshot(env) for _ in play_random(env, 7, 6))]


def with_dead_removed(env: Any) -> list[Any]:
    """The end of a game: before any agent is removed, after one is, after all are."""
    envs_removed = [env.clone()]
    for _ in range(env.num_players):
        env = env.clone()
        env.step(None)
        envs_removed.append(env)
    return [envs_removed[0], envs_removed[1], envs_removed[-1]]


@check("step", scope="slow")
def check_raw_copies(case: Case) -> None:
    for env in [*moments(case)[::9], *with_dead_removed(moments(case)[-1])]:
        goes_on = course(env.clone())
        for how, make_copy in COPIES.items():
            for number, (one, two) in enumerate(zip(course(make_copy(env)), goes_on, strict=True)):
                same(one, two, f"a copy by {how} differs from the game after {number} moves", env)
            same(snapshot(env), goes_on[0], f"playing a copy by {how} changes the original game", env)


@check("step")
def check_wrapped_copies(case: Case) -> None:
    """Environments in PettingZoo's wrappers, also while dead agents are removed and after an illegal action."""
    for env in wrapped_moments(case):
        for how, make_copy in WRAPPED_COPIES.items():
            other = make_copy(env)
            expect(type(other) is type(env), f"a copy by {how} is a {type(other).__name__}", env)
            same(snapshot(other), snapshot(env), f"a wrapped copy by {how} differs from the game", env)
            for one, two in zip(play_random(make_copy(env), 7, 40), play_random(other, 7, 40), strict=True):
                same(one, two, f"two wrapped copies by {how} differ after equal actions", env)
            over = any(other.terminations.values()) or any(other.truncations.values())
            going_on = over or other.agents == [] or other.unwrapped.legal_actions()
            expect(going_on, f"a wrapped copy by {how} has not ended, but has no legal action", env)


def wrapped_moments(case: Case) -> Iterator[Any]:
    """The beginning and a later moment; the end, and an illegal action, before and after an agent is removed."""
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
        if env.agents:  # a short game may be over, and all agents removed, within the first steps
            env.step(None)
            yield env


@check("begin", scope="defaults")
def check_copies_before_reset(case: Case) -> None:
    expected = case.raw()
    expected.reset(seed=1)
    for copies, new in ((COPIES, case.raw), (WRAPPED_COPIES, case.wrapped)):
        for how, make_copy in copies.items():
            env = make_copy(new())
            env.reset(seed=1)
            same(snapshot(env), snapshot(expected), f"a copy by {how} made before reset starts a different game", env)


@check("begin")
def check_reset_goes_on_alike_after_copying(case: Case) -> None:
    """Without a seed, reset derives the next game from the last seed, also in a copy."""
    env = case.raw()
    env.reset(seed=3)
    first = env.record.tobytes()
    other = env.clone()
    env.reset()
    other.reset()
    same(env.record[0], other.record[0], "a copy's next game differs", env)
    expect(env.record.tobytes() != first, "reset without a seed repeats the same game", env)


@check("deck", scope="defaults")
def check_copies_keep_given_decks(case: Case) -> None:
    """Decks for later deals, given to reset, are part of the game."""
    env = case.raw()
    env.reset(seed=3)
    deck = env.game.deck(env.options)
    env.reset(seed=3, options={"decks": [deck, deck[::-1]]})
    for how, make_copy in COPIES.items():
        same(make_copy(env).__getstate__()["decks"], [deck, deck[::-1]], f"a copy by {how} loses later decks", env)
    same(env.determinize("player_0", 1).__getstate__()["decks"], [], "a determinization has the true decks of later deals", env)


@check("step")
def check_genuine_saves_load(case: Case) -> None:
    """Saves from many moments load."""
    other = case.raw()
    for env in moments(case)[::3]:
        other.load(env.save())
        same(snapshot(other), snapshot(env), "a loaded game differs from the saved one", env)


@check("step")
def check_altered_actions_are_refused(case: Case) -> None:
    """Another action, one less or one more is illegal or leads to another end. (A few lead to the same end, such as the order
    of draws, or bets of an earlier hand.)"""
    env, other = moments(case)[-1], case.raw()
    content = json.loads(env.save())
    played, draw, refused = content["actions"], random.Random(5), 0
    for _ in range(10):
        place, action = draw.randrange(len(played)), draw.randrange(env.num_actions)
        for actions in ([*played[:place], action, *played[place + 1 :]], played[:-1], [*played, action]):
            try:
                other.load(json.dumps({**content, "actions": actions}).encode())
            except ValueError as error:
                expect(str(error).startswith("the saved game is damaged: "), f"an altered save raises {error}", env)
                refused += 1
            else:
                one, two = ({**snapshot(end), "returns": None} for end in (other, env))  # the record may not hold earlier hands
                same(one, two, "an altered save loads", env)
    expect(
        refused >= 20, f"only {refused} of 30 altered saves are refused, not 20: the record does not depend on the actions", env
    )


@check("step")
def check_a_save_before_the_first_game(case: Case) -> None:
    env, other = case.raw(), case.raw()
    other.reset(seed=1)
    other.load(env.save())
    none = not other.has_begun and not other.agents and other.save() == env.save()
    expect(none, "a save made before the first game loads as a running game")
    other.reset(seed=3)
    env.reset(seed=3)
    same(snapshot(other), snapshot(env), "after loading a save made before the first game, reset starts a different game", env)


@check("step", scope="defaults")
def check_saves_after_an_illegal_move(case: Case) -> None:
    """The wrapper has ended the game, although the rules have not; the agents leave one by one."""
    env, other = case.wrapped(), case.raw()
    env.reset(seed=4)
    list(play_random(env, 1, 5))
    if not env.unwrapped.legal_actions():  # a short game
        env.reset(seed=4)
    env.step(-1)
    while True:
        other.load(env.unwrapped.save())
        same(snapshot(other), snapshot(env.unwrapped), "a save made after an illegal move loads as a different game", env)
        if not env.agents:
            break
        env.step(None)


@check("begin", "deck")
def check_saves_with_decks_to_come(case: Case) -> None:
    env, other = case.raw(), case.raw()
    deck = env.game.deck(env.options)
    decks: list[list[int]] = []
    draw = np.random.default_rng(1)
    while len(decks) < 3:
        ids = draw.permutation(deck).tolist()
        try:
            env.reset(seed=1, options={"deck": ids})
        except ValueError:  # this order cannot be dealt
            continue
        decks.append(ids)
    env.reset(seed=1, options={"decks": decks})
    other.load(env.save())
    same(snapshot(other), snapshot(env), "a save with decks for later deals loads as a different game", env)
    for one, two in zip(play_random(env, 5, 10**5), play_random(other, 5, 10**5), strict=True):
        same(one, two, "a loaded save with decks for later deals differs after equal actions", env)
    same(snapshot(other), snapshot(env), "a loaded save with decks for later deals ends differently", env)
