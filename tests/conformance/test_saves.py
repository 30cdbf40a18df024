"""Saves load at any point of any game; altered ones are refused."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
import wilddeck
from support import Case, each_case, each_game, moments, play_random, snapshot
from wilddeck.envs import game as find_game


@each_case
def test_genuine_saves_load(case: Case) -> None:
    """At many moments."""
    other = case.raw()
    for env in moments(case)[::3]:
        other.load(env.save())
        assert snapshot(other) == snapshot(env)


@each_case
def test_altered_actions_are_refused(case: Case) -> None:
    """Any other, one less, one more: not legal, or with another end. (A few lead to the same end: who draws either of two.)"""
    env, other = moments(case)[-1], case.raw()
    content = json.loads(env.save())
    played, draw, refused = content["actions"], random.Random(5), 0
    for _ in range(10):
        place, action = draw.randrange(len(played)), draw.randrange(env.num_actions)
        for actions in ([*played[:place], action, *played[place + 1 :]], played[:-1], [*played, action]):
            try:
                other.load(json.dumps({**content, "actions": actions}).encode())
            except ValueError as error:
                assert str(error).startswith("the saved game is damaged: ")
                refused += 1
            else:
                assert snapshot(other) == snapshot(env)
    assert refused >= 20


@each_case
def test_a_save_before_the_first_game(case: Case) -> None:
    env, other = case.raw(), case.raw()
    other.reset(seed=1)
    other.load(env.save())
    assert not other.has_begun and not other.agents and other.save() == env.save()
    other.reset(seed=3)
    env.reset(seed=3)
    assert snapshot(other) == snapshot(env)


@each_game
def test_saves_after_an_illegal_move(case: Case) -> None:
    """The wrapper has ended the game, though the rules have not; the agents leave one by one."""
    env, other = case.wrapped(), case.raw()
    env.reset(seed=4)
    list(play_random(env, 1, 5))
    if not env.unwrapped.legal_actions():  # a short game
        env.reset(seed=4)
    env.step(-1)
    while True:
        other.load(env.unwrapped.save())
        assert snapshot(other) == snapshot(env.unwrapped)
        if not env.agents:
            break
        env.step(None)


@each_case
def test_saves_with_decks_to_come(case: Case) -> None:
    env, other = case.raw(), case.raw()
    deck = env.game.deck(env.options)
    decks = []
    draw = np.random.default_rng(1)
    while len(decks) < 3:
        ids = draw.permutation(deck).tolist()
        try:
            env.reset(seed=1, options={"deck": ids})
        except ValueError:  # it cannot be dealt
            continue
        decks.append(ids)
    env.reset(seed=1, options={"decks": decks})
    other.load(env.save())
    assert snapshot(other) == snapshot(env)
    for _ in zip(play_random(env, 5, 10**5), play_random(other, 5, 10**5), strict=True):
        pass
    assert snapshot(other) == snapshot(env)


@pytest.mark.parametrize("game_id", wilddeck.games())
def test_every_field_is_bounded(game_id: str) -> None:
    """The fields of options hold the options; of all others the game says what they may hold."""
    game = find_game(game_id)
    options = game.options.record_fields()
    assert [field.name for field in game.fields if not field.is_bounded and field.name not in options] == []
