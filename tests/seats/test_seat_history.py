"""The learner's own histories in the infos of Gymnasium's environments: one game, many, and what the game tells."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
import toy_game as toy
from wilddeck.agents.base import Agent
from wilddeck.agents.views import Views
from wilddeck.envs.core.tokens import MAX_HISTORY, encode_history
from wilddeck.seats.single_seat import SingleSeatEnv
from wilddeck.seats.vector import SeatVectorEnv

SIZE = 7


class LastLegal(Agent):
    name = "last"

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return views.action_mask.shape[1] - 1 - views.action_mask[:, ::-1].argmax(axis=1)


class Remembers(Agent):
    """Plays the first legal action, and asks for more history than the learner does."""

    name = "remembers"
    history = 3 * SIZE

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        assert views.history.shape[1:] == (3 * SIZE, 6)
        return views.action_mask.argmax(axis=1)


def beside(row: int, opponents: Any, **parameters: Any) -> SingleSeatEnv:
    """One game at a time with the deals of a vector's row."""
    env = SingleSeatEnv("tennis_v0", opponents, history=SIZE, num_players=3, max_tricks=50, **parameters)
    reset, seeds = env.raw_env.reset, iter([11 + row])
    env.raw_env.reset = lambda **given: reset(seed=next(seeds, None))  # type: ignore[method-assign]
    return env


@pytest.mark.parametrize("opponents", [[toy.FirstLegal(), LastLegal()], Remembers()], ids=["none", "an opponent's"])
def test_one_game_and_many_show_the_same(opponents: Any) -> None:
    """Through ends of games, with more tokens than are kept, and the batch's own where an opponent wants more of them."""
    many = SeatVectorEnv("tennis_v0", 3, opponents, "rotate", history=SIZE, num_players=3, max_tricks=50)
    _, infos = many.reset(seed=11)
    for row in range(3):
        one = beside(row, opponents, seat="rotate")
        one._games = row
        _, info = one.reset()
        many.reset(seed=11)
        infos, ends, longest = many._infos(), 0, 0
        for _ in range(150):
            assert info["seat"] == infos["seat"][row] and info["history"].dtype == infos["history"].dtype == np.int32
            np.testing.assert_array_equal(info["history"], infos["history"][row])
            assert info["history_length"] == infos["history_length"][row] and infos["_history"].all()
            name = one.raw_env.possible_agents[one.seat]
            tokens, length = encode_history(one.raw_env.history(name), one.seat, 3, SIZE)
            np.testing.assert_array_equal(tokens, info["history"])
            assert length == info["history_length"] > 0
            longest = max(longest, length)
            action = int(np.flatnonzero(info["action_mask"])[-1])
            _, _, over, _, info = one.step(action)
            infos = many.step(many.action_masks().shape[1] - 1 - many.action_masks()[:, ::-1].argmax(axis=1))[-1]
            if over:
                assert not info["history"].any() and not info["history_length"]
                _, info = one.reset()
                ends += 1
        assert ends > 1 and longest > SIZE


@pytest.mark.parametrize("autoreset", ["next_step", "disabled"])
def test_a_game_that_is_over_shows_none(autoreset: str) -> None:
    env = SeatVectorEnv(toy.GAME, 4, "random", autoreset=autoreset, history=SIZE)
    env.reset(seed=1)
    ends = 0
    for _ in range(30):
        _, _, over, _, infos = env.step(env.action_masks().argmax(axis=1))
        assert ((infos["history_length"] == 0) == over).all() and (infos["history"].any(axis=(1, 2)) != over).all()
        ends += over.sum()
        if autoreset == "disabled" and over.any():
            _, infos = env.reset(options={"reset_mask": over})
            assert infos["history_length"].all()
    assert ends > 5


def test_gymnasium_hands_it_through() -> None:
    """And arrays are the caller's: the next step changes none."""
    vector = gymnasium.make_vec("wilddeck/tennis-v0", num_envs=3, history=5)
    _, infos = vector.reset(seed=1)
    kept = infos["history"].copy(), infos["history_length"].copy()
    vector.step(infos["action_mask"].argmax(axis=1))
    assert (infos["history"] == kept[0]).all() and (infos["history_length"] == kept[1]).all()
    _, info = gymnasium.make("wilddeck/tennis-v0", history=5).reset(seed=1)
    assert info["history"].shape == (5, 6)
    without = gymnasium.make_vec("wilddeck/tennis-v0", num_envs=3).reset(seed=1)[1]
    assert "history" not in without and "history_length" not in without


@pytest.mark.parametrize("kind", [SingleSeatEnv, SeatVectorEnv])
@pytest.mark.parametrize("history", [-1, MAX_HISTORY + 1, 2.0, True, "8"])
def test_what_is_no_number_of_tokens_is_refused(kind: Any, history: Any) -> None:
    with pytest.raises(ValueError, match=f"history={history!r} is not allowed; allowed: a whole number from 0 to 4096"):
        kind("tennis_v0", history=history)
