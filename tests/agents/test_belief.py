"""Worlds that are believed: the more often, the likelier others would have done in them what they did."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from games.poker_positions import GAME, parse, play, redrawn, table
from support import short
from wilddeck import agents, envs
from wilddeck.agents import belief
from wilddeck.agents.base import View
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.random import RandomAgent
from wilddeck.agents.search import SearchAgent
from wilddeck.envs.core.extended.sets import ids_of

ACES = set(parse("Ac Ad Ah As"))
RAISE = GAME.actions.slices(10)["raise"].start


class RaisesAces(LearnedAgent):
    """A raise with an ace in nine of ten cases, without one in one of ten; the rest calls."""

    def __init__(self, options: Any) -> None:
        sizes = [GAME.observation_size(options), 8, GAME.num_actions(options)]
        rng = np.random.default_rng(1)
        super().__init__([(rng.standard_normal(pair), rng.standard_normal(pair[1])) for pair in itertools.pairwise(sizes)])
        self.down = GAME.observation.slices(options.num_players)["down"]

    def probabilities(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        aces = observation[:, self.down][:, sorted(ACES)].any(axis=1)
        likely = np.zeros(action_mask.shape)
        likely[:, RAISE] = np.where(aces, 0.9, 0.1)
        likely[:, RAISE - 1] = 1 - likely[:, RAISE]
        return likely


def raised(**options: Any) -> Any:
    env = table(["2c 7d", "3c 8s", "Kc Qd"], deck="standard", betting="limit", **options)
    play(env, "0 raise to 4; 1 call")
    return env


def aces(hand: np.ndarray) -> list[bool]:
    """Whether seats 0 and 1 hold an ace."""
    return [bool(ACES & set(ids_of(hand[seat]))) for seat in (0, 1)]


def test_worlds_are_drawn_as_likely_as_what_others_did() -> None:
    env = raised()
    view, player = View.of(env), RaisesAces(env.options)
    tried = view.sample(belief.TRIED, 3)
    weights = np.ones(len(tried))
    for k, hand in enumerate(tried["hand"]):
        for seat, raises in ((0, True), (1, False)):
            chance = 0.9 if ACES & set(ids_of(hand[seat])) else 0.1
            weights[k] *= 0.9 * (chance if raises else 1 - chance) + 0.1 / 3  # of three legal actions
    expected = np.average([aces(hand) for hand in tried["hand"]], axis=0, weights=weights)
    believed = np.mean([aces(hand) for hand in belief.sample(view, player, 1000, 3)["hand"]], axis=0)
    assert believed.tolist() == pytest.approx(expected.tolist(), abs=0.04)
    assert expected[0] > 0.4 and expected[1] < 0.1 and np.mean([aces(hand) for hand in tried["hand"]]) < 0.25


def test_nothing_is_believed_without_a_player_or_a_past() -> None:
    env = raised()
    view, player = View.of(env), RaisesAces(env.options)
    assert belief.sample(view, RandomAgent(), 20, 3).tobytes() == view.sample(20, 3).tobytes()
    view = View.of(env.clone())
    assert belief.sample(view, player, 20, 3).tobytes() == view.sample(20, 3).tobytes()


@pytest.mark.parametrize("policy", short(["rules", "network"], ["rules"]))
@pytest.mark.parametrize("variant", ["texas_holdem", "five_card_draw", "seven_card_stud"])
def test_search_sees_nothing_hidden(policy: str, variant: str) -> None:
    """With another past that its seat could not tell from the true one, and other hidden cards, it does the same."""
    options = GAME.make_options({"num_players": 3, "variant": variant})
    player = RaisesAces(options) if policy == "network" else agents.make("rules", GAME, options)
    if isinstance(player, RaisesAces):
        player = LearnedAgent(player.layers)  # that plays by its network
    agent = SearchAgent(GAME, options, rollouts=20, policy=player)
    env = envs.raw_env("poker_v0", num_players=3, variant=variant)
    rng, compared = np.random.default_rng(1), 0
    for seed in range(4):
        env.reset(seed=seed)
        while not env.is_over:
            view, hidden = View.of(env), env.determinize(env.agent_selection, seed=4)
            past = redrawn(env, view.seat)
            other = View(env.game, env.options, hidden.record, view.observation, view.action_mask, past)
            assert agent.act(view, np.random.default_rng(9)) == agent.act(other, np.random.default_rng(9))
            compared += view.remembers
            env.step(int(rng.choice(env.legal_actions())))
    assert compared > 10
