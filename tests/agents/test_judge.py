"""What decisions gain over random ones, judged by many worlds."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import toy_game as toy
from wilddeck import agents, envs
from wilddeck.agents import judge as module
from wilddeck.agents.base import Agent, View
from wilddeck.agents.judge import Judgement, Position, judge, judged_positions
from wilddeck.agents.random import RandomAgent
from wilddeck.envs.core.game import as_record
from wilddeck.envs.core.jit import device_function

pytestmark = pytest.mark.interpreted

OPTIONS = toy.Options()
LAST = toy.last_agent(OPTIONS.num_players)


def positions(number: int, **settings: object) -> list[tuple[list[float], Position]]:
    """Positions of the toy, in which chance is over with the deal, and what is seen in them."""
    judged = judged_positions(toy.MONEY, OPTIONS, policy=LAST, **{"worlds": 2, "seed": 3, **settings})  # type: ignore[arg-type]
    return [(position.view.observation.tolist(), position) for position in itertools.islice(judged, number)]


def worth(view: View, action: int) -> float:
    """What an action brings its seat, in chips, if all play their last legal actions from then on."""
    state, total = as_record(view.sample(1, 0)), 0.0
    while True:
        toy.step(state, action)
        total += float(state.rewards[view.seat])
        if state.terminated:
            return 10 * total
        mask = np.zeros(toy.ACTIONS, np.uint8)
        toy.legal_actions(state, mask)
        action = toy.last_legal(None, mask, OPTIONS.num_players, None)


def test_an_action_is_worth_what_it_brings_more_than_the_mean_of_all() -> None:
    for position in itertools.islice(judged_positions(toy.MONEY, OPTIONS, 2, LAST, seed=3), 12):
        legal = position.view.legal_actions.tolist()
        worths = np.array([worth(position.view, action) for action in legal])
        assert len(legal) > 1 and np.ptp(worths) > 0
        assert position.values == pytest.approx(np.tile(worths - worths.mean(), (3, 1)))


def test_an_agent_gains_what_its_choices_are_worth_whoever_is_judged_beside_it() -> None:
    expected = [(p.values[0, 0], p.values[0, -1], p.values[0].max(), p.game) for _, p in positions(20)]
    both = judge([toy.FirstLegal(), LAST, "random"], toy.MONEY, OPTIONS, positions=20, worlds=2, policy=LAST, seed=3)
    columns = both.gains["first"], both.gains["last"], both.best, both.games
    assert np.stack(columns, axis=1) == pytest.approx(np.array(expected))
    assert list(both.gains) == list(both.seconds) == ["first", "last", "random"] and min(both.seconds.values()) > 0
    alone = judge(["random"], toy.MONEY, OPTIONS, positions=20, worlds=2, policy=LAST, seed=3)
    assert alone.gains["random"].tolist() == both.gains["random"].tolist()
    assert len({*alone.gains["random"]} & {*both.gains["last"]}) > 1, "it draws"
    assert alone.best.tolist() == both.best.tolist()
    assert both.difference("first", "last").mean == pytest.approx(both.gain("first").mean - both.gain("last").mean)
    assert str(both).splitlines()[0] == f"first: {both.gain('first')}"


def test_positions_are_from_the_games_of_those_who_play_them() -> None:
    """By default of who plays on; of each game as many as are said."""
    by_last, by_first = positions(40), positions(40, among=toy.FirstLegal())
    assert [seen for seen, _ in by_last] != [seen for seen, _ in by_first]
    assert [seen for seen, _ in by_last] == [seen for seen, _ in positions(40, among=[LAST] * 3)]
    assert 200 / (1 + positions(200)[-1][1].game) == pytest.approx(module.PER_GAME, rel=0.2)


def test_of_several_playout_policies_the_first_plays_the_games() -> None:
    first, several = (
        [
            position.view.observation.tolist()
            for position in itertools.islice(judged_positions("crazy_eights_v0", None, 2, policy, seed=1), 3)
        ]
        for policy in ("random", "random+rules")
    )
    assert first == several


def test_the_best_in_hindsight_is_not_chosen_by_what_it_is_valued_by() -> None:
    game = envs.game("poker_v0")
    options = game.make_options({"num_players": 2})
    judged = itertools.islice(judged_positions(game, options, 4, "random", seed=1), 10)
    halves = [position.values for position in judged]
    for everywhere, even, odd in halves:
        assert everywhere == pytest.approx((even + odd) / 2) and everywhere.sum() == pytest.approx(0)
    best = [(odd[even.argmax()] + even[odd.argmax()]) / 2 for _, even, odd in halves]
    found = judge(["random"], game, options, positions=10, worlds=4, policy="random", seed=1)
    assert found.best == pytest.approx(best)
    assert found.best.mean() < np.mean([everywhere.max() for everywhere, _, _ in halves])


def test_intervals_are_over_games() -> None:
    judged = Judgement({"a": np.array([1.0, 1, -1, -1])}, np.zeros(4), np.array([4, 4, 7, 7]), {"a": 0.0}, 1)
    assert judged.gain("a") == pytest.approx((0, 1.96))  # as of two games, 1 and -1
    apart = replace(judged, games=np.arange(4))
    assert apart.gain("a").interval == pytest.approx(1.96 * np.std([1, 1, -1, -1], ddof=1) / 2)
    assert np.isnan(replace(judged, games=np.zeros(4, int)).gain("a").interval)


class Begins(RandomAgent):
    """Remembers at which seats it began, and what it is asked."""

    name = "begins"

    def __init__(self) -> None:
        self.began: list[int] = []
        self.asked: list[int] = []

    def begin(self, game: object, options: object, seat: int, seed: int) -> None:
        self.began.append(seat)

    def act(self, view: View, rng: np.random.Generator) -> int:
        self.asked.append(view.seat)
        return int(view.legal_actions[0])


def test_an_agent_takes_the_seat_over() -> None:
    agent, done = Begins(), []
    judge([agent], toy.MONEY, OPTIONS, positions=9, worlds=2, policy=LAST, seed=3, progress=lambda *counts: done.append(counts))
    assert agent.began == agent.asked and len(set(agent.asked)) > 1
    assert done == [(k, 9) for k in range(1, 10)]


class Wrong(Agent):
    name = "wrong"

    def act(self, view: View, rng: np.random.Generator) -> int:
        return int(np.flatnonzero(view.action_mask == 0)[0])


def test_a_wrong_answer_is_an_error() -> None:
    with pytest.raises(agents.base.AgentError, match=r"wrong on seat \d answered \d, which is not legal; legal: "):
        judge([Wrong()], toy.MONEY, OPTIONS, positions=1, worlds=2, policy=LAST, seed=3)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"agents": []}, "at least one agent"),
        ({"agents": ["nobody"]}, "no agent 'nobody'"),
        ({"agents": [LAST, toy.last_agent(3)]}, "two agents have the name 'last'"),
        ({"positions": 0}, "positions must be an integer of at least 1, not 0"),
        ({"worlds": 1}, "worlds must be an integer of at least 2, not 1"),
        ({"policy": "nobody"}, "unknown playout policy 'nobody'; allowed: random, rules"),
        ({"policy": "trained"}, "has no trained baseline; give a weights file"),
        ({"policy": toy.FirstLegal()}, "'first' is not compiled and cannot be a playout policy"),
        ({"among": ["random"]}, "among must be one agent or a list of 3, one per seat, not 1"),
        ({"seed": -1}, "a seed is an integer"),
    ],
)
def test_what_is_not_allowed_is_said(given: dict[str, object], said: str) -> None:
    settings = {"agents": ["random"], "positions": 2, "worlds": 2, "policy": "random", **given}
    with pytest.raises(ValueError, match=said):
        judge(settings.pop("agents"), toy.MONEY, OPTIONS, **settings)  # type: ignore[arg-type]


@device_function
def legal_actions(state, mask):  # type: ignore[no-untyped-def]
    mask[0] = 1


def test_where_nothing_is_to_be_decided_nothing_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BARREN", 3)
    functions = (toy.deal, toy.begin, legal_actions, toy.step, toy.observe, toy.determinize)
    game = replace(toy.GAME, name="forced", functions=functions)
    with pytest.raises(ValueError, match="there is nothing to judge: 3 games of forced_v0"):
        judge(["random"], game, OPTIONS, policy="random")
