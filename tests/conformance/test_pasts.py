"""Replays of the hand in progress, as it was and in determinizations for a seat; they reveal no hidden information."""

from __future__ import annotations

import numpy as np
import pytest
import wilddeck
from support import short
from wilddeck.agents.base import View
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import DECK_66
from wilddeck.envs.core.game import as_record
from wilddeck.envs.core.jit import only_interpreted

WORLDS = 60
LAST = 1000  # decisions: all
# Games in which nothing hidden moves after the deal unless somebody folds, and how many moves are played.
OPEN = {"spades_v0": ({"deck": "standard"}, 18), "poker_v0": ({"deck": "standard", "num_players": 4}, 7)}


def after(game_id: str) -> CardGameEnv:
    options, steps = OPEN[game_id]
    env = wilddeck.envs.raw_env(game_id, **options)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(steps):
        open_actions = [action for action in env.legal_actions() if env.action_label(action) != "fold"]
        env.step(int(rng.choice(open_actions[:2])))
    return env


@pytest.mark.parametrize("enough", short([8, LAST], [8]))
@pytest.mark.parametrize("game_id", short(OPEN, ["spades_v0"]))
def test_nothing_hidden_comes_out_of_it(game_id: str, enough: int) -> None:
    """Two games that a seat cannot tell apart are played again alike in the same worlds."""
    with only_interpreted():
        env = after(game_id)
        view, seat = View.of(env), env.current_player
        samples = view.sample(WORLDS, 1)
        past = env.past
        assert past is not None
        played = past._play()
        assert played is not None
        there = np.array([past._numbered(env.game.zones(as_record(samples, k), None)) for k in range(WORLDS)])
        maps, numbers = past._maps(*played[:2], there, seat, np.arange(WORLDS, dtype=np.uint64))
        compared = 0
        for number in range(8):
            if compared > enough:
                break
            other = wilddeck.envs.raw_env(game_id, **OPEN[game_id][0])
            other.reset(seed=3, options={"deck": maps[numbers[0]][number][played[2]].tolist()})
            if not all(other.is_legal(action) and other.step(action) is None for action in past.actions):
                continue
            assert View.of(other).observation.tobytes() == view.observation.tobytes()
            for one, two in zip(view.decisions(samples, 5, LAST), View.of(other).decisions(samples, 5, LAST), strict=True):
                assert [array.tobytes() for array in one] == [array.tobytes() for array in two]
                compared += 1
        assert compared > min(enough, 20)


def test_hidden_moves_are_as_likely_of_each_card() -> None:
    """Of a card that was drawn unseen and seen later, nothing says when it came: it was the drawn one as often as any other of
    the hand, whatever is true."""
    with only_interpreted():
        env = wilddeck.envs.raw_env("rummy_v0", deck="standard")
        env.reset(seed=2)
        rng = np.random.default_rng(2)
        while True:
            env.step(int(rng.choice(env.legal_actions())))
            past = env.past
            assert past is not None
            played = past._play()
            assert played is not None
            states, told, _ = played
            seat = env.current_player
            drawn = [
                (k, int(row[2])) for k, rows in enumerate(told[1:], 1) for row in rows if row[2] >= 0 and not row[5] >> seat & 1
            ]
            if drawn and len(past.actions) > 4:
                break
        samples = View.of(env).sample(400, 1)
        there = np.array([past._numbered(env.game.zones(as_record(samples, k), None)) for k in range(400)])
        maps, numbers = past._maps(states, told, there, seat, np.arange(400, dtype=np.uint64))
        k, card = drawn[0]
        as_drawn = maps[numbers[k]][:, card]
        hidden = [c for c in range(DECK_66) if np.isin(c, as_drawn)]
        assert len(hidden) > 20 and np.bincount(as_drawn).max() < 400 / 5


def test_of_cards_that_are_played_alike_any_may_have_been_played() -> None:
    """Who plays "a Seven" in Tennis plays the first of theirs, and may hold others."""
    with only_interpreted():
        env = wilddeck.envs.raw_env("tennis_v0")
        env.reset(seed=1)
        rng = np.random.default_rng(1)
        for _ in range(40):
            env.step(int(rng.choice(env.legal_actions())))
        view = View.of(env)
        *_, (possible, _, _, _) = view.decisions(view.sample(30, 1), 1, 1)
        assert possible.all()


def test_a_card_that_is_named_is_none_of_the_deck() -> None:
    """What a Joker is declared to be in Crazy Eights lies anywhere."""
    with only_interpreted():
        env = wilddeck.envs.raw_env("crazy_eights_v0")
        rng = np.random.default_rng(1)
        named = 0
        while named < 4:
            env.reset(seed=int(rng.integers(1000)))
            while not env.is_over and len(env._actions) < 12:
                labels = {env.action_label(action): action for action in env.legal_actions()}
                declares = [action for label, action in labels.items() if label.startswith("declare")]
                joker = [action for label, action in labels.items() if label in ("play SJ", "play BJ")]
                seat, action = env.current_player, int(rng.choice(declares or joker or env.legal_actions()))
                env.step(action)
                if declares and not env.is_over and env.current_player != seat:
                    view = View.of(env)
                    *_, (possible, _, _, alike) = view.decisions(view.sample(30, 1), 1, 1)
                    assert possible.mean() > 0.1 and alike[possible > 0, action].all()
                    named += 1
