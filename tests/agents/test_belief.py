"""Worlds that are believed: the more often, the likelier others would have done in them what they did."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from games.poker_positions import GAME, parse, play, table
from wilddeck import agents, envs
from wilddeck.agents import belief
from wilddeck.agents.base import View
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.random import RandomAgent
from wilddeck.agents.search import Model, SearchAgent
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
    assert belief.Beliefs(view, player, 3).evidence == pytest.approx(np.log(weights.mean()))
    assert expected[0] > 0.4 and expected[1] < 0.1 and np.mean([aces(hand) for hand in tried["hand"]]) < 0.25


def test_what_others_chose_unseen_they_choose_as_their_model_would() -> None:
    class Model(LearnedAgent):
        def probabilities(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            return np.tile([0.1, 0.2, 0.3, 0.4], (len(observation), 1))

    alike = np.tile([True, False, True, True], (belief.TRIED, 1))
    alike[:2] = [False, True, False, False]
    chosen = []

    def replay(samples: np.ndarray, seed: int, last: int, choose: Any) -> np.ndarray:
        chosen.append(choose(np.arange(len(samples)), np.zeros((len(samples), 1)), np.ones_like(alike), alike))
        return np.ones(len(samples), np.bool_)

    view: Any = SimpleNamespace(sample=lambda count, seed: np.zeros(count), replay=replay)
    weights = belief.Beliefs(view, Model([(np.zeros((1, 4)), np.zeros(4))]), 3).weights
    assert chosen[0][:2].tolist() == [1, 1]
    assert np.bincount(chosen[0][2:], minlength=4) / (belief.TRIED - 2) == pytest.approx([0.125, 0, 0.375, 0.5], abs=0.08)
    slip = belief._SLIP
    assert weights[0] / weights[-1] == pytest.approx((0.2 * (1 - slip) + slip / 4) / (0.8 * (1 - slip) + 3 * slip / 4))


def test_nothing_is_believed_of_a_past_that_is_not_known() -> None:
    """A determinized game begins with itself."""
    env = raised()
    beliefs = belief.Beliefs(View.of(env.determinize("player_2", 1)), RaisesAces(env.options), 3)
    assert (beliefs.weights == 1).all() and not (belief.Beliefs(View.of(env), RaisesAces(env.options), 3).weights == 1).all()


def test_earlier_actions_count_less_where_they_would_leave_one_sample() -> None:
    first, last = np.full(100, -50.0), np.full(100, -5.0)
    first[0], last[:50] = 0, 0
    weights = belief._weights(np.array([first, np.zeros(100), np.zeros(100), last]))
    assert weights[0] < 0.5 * weights.sum() and weights[:50].sum() > 0.9 * weights.sum()
    first[:] = -1
    assert belief._weights(np.array([first, last])).tolist() == pytest.approx(
        np.exp(first + last - (first + last).max()).tolist()
    )


def test_beliefs_are_no_surer_than_a_few_samples_are_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(belief, "_EFFECTIVE", 0.9)
    env = raised()
    weights = belief.Beliefs(View.of(env), RaisesAces(env.options), 3).weights
    assert 0.9 * len(weights) <= weights.sum() ** 2 / (weights**2).sum() < len(weights)


def test_search_takes_beliefs_or_leaves_them() -> None:
    hearts = envs.game("hearts_v0")
    assert agents.make("mc:policy=rules,beliefs=0", GAME).beliefs is False
    assert SearchAgent(GAME, policy="rules").beliefs and not SearchAgent(hearts, policy="rules").beliefs
    assert [SearchAgent("bridge_v0", rollouts=rollouts, policy="rules").beliefs for rollouts in (999, 1000)] == [False, True]
    with pytest.raises(ValueError, match="beliefs=2"):
        SearchAgent(GAME, beliefs=2)  # type: ignore[arg-type]


def test_of_several_policies_the_one_that_fits_plays_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares are in proportion to the mean likelihood of what the others did: a raise and a call."""
    monkeypatch.setattr(belief, "TRIED", 32)
    view = View.of(raised())
    likely, random = (belief.Beliefs(view, player, 3) for player in (RaisesAces(view.options), RandomAgent()))
    assert random.evidence == pytest.approx(2 * np.log(1 / 3)) and (random.weights == 1).all()
    search = SearchAgent(GAME, view.options, 30, "random+rules")
    search.players = [RandomAgent(), RaisesAces(view.options)]
    shares = [model.share for model in search._models(view, 3)]
    assert shares == pytest.approx(
        [1 / (1 + np.exp(likely.evidence - random.evidence)), 1 / (1 + np.exp(random.evidence - likely.evidence))]
    )
    search.beliefs = False
    assert [model.share for model in search._models(view, 3)] == [0.5, 0.5]


def test_each_policy_plays_its_share_of_the_playouts() -> None:
    view = View.of(raised())
    search, actions = SearchAgent(GAME, view.options, 30, "rules+random", beliefs=False), view.legal_actions[:2]
    models = [Model(player, view.sample, share) for player, share in zip(search.players, (0.7, 0.3), strict=True)]
    returns = search.playouts(view, actions, 10, 5, models)
    parts = [SearchAgent(GAME, view.options, 30, "rules", beliefs=False).playouts(view, actions, 7, 5)]
    parts += [SearchAgent(GAME, view.options, 30, "random", beliefs=False).playouts(view, actions, 3, 6)]
    assert returns.tolist() == np.hstack(parts).tolist()
    for count in range(1, 6):
        assert search.playouts(view, actions, count, 5).shape == (2, count)
    assert search.act(view, np.random.default_rng(1)) in view.legal_actions


def test_only_known_names_are_joined() -> None:
    assert agents.make("mc:policy=rules:call+random", GAME).name == "mc:rollouts=1000,policy=rules:call+random"
    with pytest.raises(ValueError, match="unknown playout policy 'trainde'; allowed: random"):
        SearchAgent(GAME, policy="rules+trainde")
    with pytest.raises(ValueError, match=r"'a\.safetensors' is a file; allowed are names"):
        SearchAgent(GAME, policy="a.safetensors+rules")
