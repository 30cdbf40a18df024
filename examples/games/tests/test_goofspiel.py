"""Goofspiel by its clauses, and beside OpenSpiel's."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from wilddeck.envs import raw_env
from wilddeck.envs.core import cards
from wilddeck.envs.core.jit import only_interpreted
from wilddeck.envs.core.parallel import CardGameParallelEnv
from wilddeck_games.goofspiel import GAME


@pytest.fixture(autouse=True)
def interpreted() -> Any:
    with only_interpreted():
        yield


def played(bids: str, deck: str = "", **options: Any) -> Any:
    """A game after rounds of bids, such as "12 33": the first player bids 1, the second 2, and so on."""
    env = raw_env(GAME, **options)
    env.reset(seed=1, options={"deck": cards.parse(deck)} if deck else None)
    for bid in bids.replace(" ", ""):
        env.step(env.action_from_label(f"bid {bid}"))
    return env


@pytest.mark.rule("GO-01")
@pytest.mark.rule("GO-02")
def test_prizes_come_up_in_order() -> None:
    orders = {order: played("", prizes=4, order=order).record["deck"][0, :4].tolist() for order in ("ascending", "descending")}
    assert orders == {"ascending": cards.parse("Ad 2d 3d 4d"), "descending": cards.parse("4d 3d 2d Ad")}
    assert played("", prizes=4, order="ascending").zones("player_0")["stock"] == cards.parse("2d 3d 4d")
    env = played("", prizes=4)
    assert env.zones("player_0")["stock"] == [-1] * 3
    decks = set()
    for seed in range(60):
        env.reset(seed=seed)
        decks.add(tuple(env.record["deck"][0, :4].tolist()))
    assert len(decks) > 20 and {card for deck in decks for card in deck} == set(cards.parse("Ad 2d 3d 4d"))


@pytest.mark.rule("GO-03")
def test_each_bid_is_made_once() -> None:
    env = played("31", prizes=4)
    assert env.legal_actions() == [0, 1, 3]
    env.step(0)
    assert env.legal_actions() == [1, 2, 3]


@pytest.mark.rule("GO-04")
def test_bids_are_hidden_until_all_have_bid() -> None:
    one, two = played("3", prizes=4, num_players=3), played("1", prizes=4, num_players=3)
    for agent in ("player_1", "player_2"):
        np.testing.assert_array_equal(one.observe(agent)["observation"], two.observe(agent)["observation"])
        assert one.history(agent) == two.history(agent)
    assert {env.determinize("player_1", seed).record["bids"][0, 0].item() for env in (one, two) for seed in range(40)} == {
        *(1, 2, 3, 4)
    }
    assert one.determinize("player_0", 5).record["bids"][0, 0] == 3
    assert list(one.choosing()) == [1, 2]
    one.step(1)
    one.step(0)
    assert [event.text() for event in one.history("player_2")][2:5] == [
        *("player 0 has bid 3", "player 1 has bid 2", "player 2 has bid 1")
    ]


@pytest.mark.rule("GO-05")
@pytest.mark.rule("GO-06")
@pytest.mark.rule("GO-07")
def test_the_highest_bid_takes_the_prize_unless_several_are() -> None:
    env = played("132 221", "2d 3d Ad", prizes=3, num_players=3)
    zones = env.zones()
    assert zones["won/1"] == cards.parse("2d") and zones["lost"] == cards.parse("3d") and zones["prize"] == cards.parse("Ad")


@pytest.mark.rule("GO-08")
def test_returns_are_points_less_the_mean() -> None:
    env = played("21 12 33", "3d Ad 2d", prizes=3)
    assert env.is_over
    assert list(env.rewards.values()) == pytest.approx([0.1, -0.1])


def test_a_parallel_environment_asks_all_at_once() -> None:
    env = CardGameParallelEnv(GAME, GAME.make_options({"num_players": 3, "prizes": 3}))
    observations, _ = env.reset(seed=1)
    for turn in range(3):
        assert [observations[agent]["action_mask"].sum() for agent in env.agents] == [3 - turn] * 3
        observations, rewards, *_ = env.step(dict(zip(env.possible_agents, np.roll(range(3), turn).tolist(), strict=True)))
    assert env.agents == [] and sum(rewards.values()) == pytest.approx(0)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="player_2 is to move but has no action"):
        env.step({"player_0": 0, "player_1": 0})
    _, rewards, *_ = env.step({"player_0": 0, "player_1": 9, "player_2": 0})
    assert rewards == {"player_0": 0.0, "player_1": -1.0, "player_2": 0.0} and env.agents == []


@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_openspiels_game_is_the_same(order: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from wilddeck.frameworks import openspiel

    theirs = pyspiel.load_game(
        f"goofspiel(imp_info=False,num_cards=5,players=2,points_order={order},returns_type=point_difference)"
    )
    mine = openspiel.load_game(GAME, num_players=2, prizes=5, order=order)
    assert mine.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    draw = random.Random(4)
    for _ in range(20):
        state, other = mine.new_initial_state(), theirs.new_initial_state()
        while state.is_chance_node():
            state.apply_action(0)
        while not other.is_terminal():
            assert state.is_simultaneous_node()
            legal = [other.legal_actions(player) for player in range(2)]
            assert [state.legal_actions(player) for player in range(2)] == legal
            actions = [draw.choice(of_one) for of_one in legal]
            assert [state.action_to_string(player, action) for player, action in enumerate(actions)] == [
                f"bid {action + 1}" for action in actions
            ]
            state.apply_actions(actions)
            other.apply_actions(actions)
        state.apply_actions([state.legal_actions(player)[0] for player in range(2)])  # theirs plays the last round itself
        difference = other.returns()[0]
        assert state.is_terminal() and state.returns() == pytest.approx([difference / 10, -difference / 10])
        again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(mine, state))[1]
        assert (again.history(), again.returns()) == (state.history(), state.returns())
    turns = pyspiel.convert_to_turn_based(mine).new_initial_state()
    while not turns.is_terminal():
        turns.apply_action(draw.choice(turns.legal_actions()))
