"""Saves of any origin: genuine ones load, at any point of any game; forged ones are refused, or can be played like others."""

from __future__ import annotations

import numpy as np
import pytest
import wilddeck
from support import Case, each_case, each_game, moments, output_of, play_random, snapshot
from wilddeck import agents
from wilddeck.agents.base import View
from wilddeck.envs import game as find_game

FORGERIES = 60  # of each of so many sets of options:
CASES = 3


@each_case
def test_genuine_saves_load(case: Case) -> None:
    """At many moments, of the truth and of what seats imagine."""
    other = case.raw()
    for number, env in enumerate(moments(case)):
        other.load(env.save())
        assert snapshot(other) == snapshot(env)
        if env.legal_actions():
            sample = env.determinize(env.possible_agents[number % env.num_players], number)
            other.load(sample.save())
            assert snapshot(other) == snapshot(sample)


@each_case
def test_saves_load_where_random_play_seldom_comes(case: Case) -> None:
    """At every step of games of the rule-based player, with a random move now and then."""
    env, other = case.raw(), case.raw()
    player, draw = agents.make("rules", case.game_id, env.options), np.random.default_rng(case.seed)
    env.reset(seed=0)
    for step in range(1, 250):
        if not env.legal_actions():
            env.reset(seed=step)
        view = View.of(env)
        env.step(int(draw.choice(view.legal_actions)) if draw.random() < 0.2 else player.act(view, draw))
        other.load(env.save())
        assert other.save() == env.save()


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


@pytest.mark.parametrize("game_id", wilddeck.games())
@pytest.mark.timeout(600)
def test_forged_saves_are_refused_or_can_be_played(game_id: str) -> None:
    """In a process of its own, which a forgery that gets through might end, or never let end."""
    code = "import sys; from battery import forge; forge.main(*sys.argv[1:])"
    lines = output_of(code, game_id, str(CASES), str(FORGERIES), "7").splitlines()
    assert len(lines) == CASES
    for line in lines:
        refused, admitted = map(int, line.split()[-2:])
        assert refused + admitted == FORGERIES
        assert (
            refused > FORGERIES / 4 and admitted > 0
        )  # what does not matter may be altered: the generator, an entry not in use
