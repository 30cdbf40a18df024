"""Worlds that are believed: the more often, the likelier others would have done in them what they did."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from games.poker_positions import GAME, parse, play, table
from wilddeck import agents, envs
from wilddeck.agents import belief
from wilddeck.agents.base import View
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.search import SearchAgent
from wilddeck.envs.core.extended.sets import ids_of

pytestmark = pytest.mark.interpreted

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
            weights[k] *= (1 - belief._SLIP) * (chance if raises else 1 - chance) + belief._SLIP / 3  # of three legal actions
    expected = np.average([aces(hand) for hand in tried["hand"]], axis=0, weights=weights)
    believed = np.mean([aces(hand) for hand in belief.Beliefs(view, player, 3).draw(1000, 3)["hand"]], axis=0)
    assert believed.tolist() == pytest.approx(expected.tolist(), abs=0.04)
    assert expected[0] > 0.4 and expected[1] < 0.1 and np.mean([aces(hand) for hand in tried["hand"]]) < 0.25


def test_nothing_is_believed_of_a_past_that_is_not_known() -> None:
    """A determinized game begins with itself."""
    env = raised()
    beliefs = belief.Beliefs(View.of(env.determinize("player_2", 1)), RaisesAces(env.options), 3)
    assert (beliefs.weights == 1).all() and not (belief.Beliefs(View.of(env), RaisesAces(env.options), 3).weights == 1).all()


def test_beliefs_are_no_surer_than_a_few_samples_are_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(belief, "_EFFECTIVE", 0.9)
    env = raised()
    weights = belief.Beliefs(View.of(env), RaisesAces(env.options), 3).weights
    assert 0.9 * len(weights) <= weights.sum() ** 2 / (weights**2).sum() < len(weights)


def test_search_takes_beliefs_or_leaves_them() -> None:
    hearts = envs.game("hearts_v0")
    assert agents.make("mc:policy=rules,beliefs=0", GAME).beliefs is False
    assert SearchAgent(GAME, policy="rules").beliefs and not SearchAgent(hearts, policy="rules").beliefs
    with pytest.raises(ValueError, match="beliefs=2"):
        SearchAgent(GAME, beliefs=2)  # type: ignore[arg-type]
