"""Whole games and single moves: what is legal is accepted, what is not is refused, cards stay, bounds hold."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from support import Case, actions_of, each_case, each_slow_case, moments, play_random, running, snapshot
from wilddeck.envs.core.aec import IllegalActionError

TRIED = 24  # actions tried of each kind at a moment; all, where there are not more


def some(actions: list[int], seed: int) -> list[int]:
    return actions if len(actions) <= TRIED else random.Random(seed).sample(actions, TRIED)


@each_case
def test_random_games_end_within_their_bounds(case: Case) -> None:
    """In compiled code: every game ends within max_length, rewards, returns and what is seen stay in their ranges, and returns
    add up as stated."""
    batch = case.batch(16, seed=case.seed)
    game, options = batch.game, batch.options
    low, high = game.reward_range(options)
    least, most = game.return_range(options)
    lowest, highest = game.observation_bounds(options)
    longest, total = game.max_length(options), game.reward_sum(options)
    length, returns = np.zeros(16, np.int64), np.zeros((16, batch.num_players))
    ended = np.zeros(16, bool)
    for _ in range(min(longest, 20000)):
        batch.step(batch.random_actions())
        assert np.all(batch.observation >= lowest)
        assert np.all(batch.observation <= highest)
        over = batch.terminated | batch.truncated
        length += 1
        returns += batch.rewards
        assert np.all(batch.rewards >= low)
        assert np.all(batch.rewards <= high)
        assert np.all(returns >= least - 1e-5)
        assert np.all(returns <= most + 1e-5)
        if total is not None:
            np.testing.assert_allclose(returns[over].sum(axis=1), total, atol=1e-5)
        assert np.all(length <= longest)
        ended |= over
        length[over], returns[over] = 0, 0
        if ended.all():
            break
    assert ended.all()


@each_case
def test_a_finished_game_is_finished(case: Case) -> None:
    env = moments(case)[-1]
    assert env.legal_actions() == []
    assert int(env.record["move_count"][0]) == len(actions_of(case))
    env = env.clone()
    for _ in range(env.num_players):
        assert not env.observe(env.agent_selection)["action_mask"].any()
        env.step(None)
    assert env.agents == []
    with pytest.raises(RuntimeError, match=r"the game is over; call reset\(\)"):
        env.step(0)


@each_case
def test_every_legal_action_is_accepted(case: Case) -> None:
    for number, env in enumerate(running(case)):
        for action in some(env.legal_actions(), number):
            after = env.clone()
            after.step(action)
            assert after.record["move_count"][0] == env.record["move_count"][0] + 1
            assert after.legal_actions() or any(after.terminations.values()) or any(after.truncations.values())


@each_slow_case
def test_every_illegal_action_is_refused_and_changes_nothing(case: Case) -> None:
    for number, env in enumerate(running(case)):
        legal = set(env.legal_actions())
        illegal = [action for action in range(env.num_actions) if action not in legal]
        before = snapshot(env)
        for action in [-1, env.num_actions, *some(illegal, number)]:
            with pytest.raises(IllegalActionError, match=f"^{env.agent_selection} cannot play action {action}"):
                env.step(action)
        assert snapshot(env) == before


@each_slow_case
def test_looking_changes_no_byte(case: Case) -> None:
    for env in moments(case):
        before = env.record.tobytes()
        for agent in env.possible_agents:
            env.observe(agent)
            env.zones(agent)
            env.describe(agent)
            env.determinize(agent, 5)
        for action in some(env.legal_actions(), 0):
            env.action_label(action)
        env.zones()
        env.describe()
        env.state()
        env.last()
        env.save()
        assert env.record.tobytes() == before


@each_case
def test_cards_are_conserved(case: Case) -> None:
    """After every step of a whole game the zones hold the deck, each card once."""
    env = case.raw()
    deck = sorted(env.game.deck(env.options))
    env.reset(seed=case.seed + 1)
    held = [card for cards in env.zones().values() for card in cards]
    assert sorted(held) == deck
    for _ in play_random(env, case.seed, 2000):
        held = [card for cards in env.zones().values() for card in cards]
        assert sorted(held) == deck


@each_case
def test_a_seat_sees_the_truth_or_nothing(case: Case) -> None:
    """Zones as a seat knows them equal the truth but for hidden cards. Where a seat does not know how many cards lie in
    which of several zones, sizes may differ; cards are as many in all, and those it sees are there. Those it knows of a hand
    may come first, if the others follow hidden."""
    for env in moments(case):
        truth = env.zones()
        for agent in env.possible_agents:
            seen = env.zones(agent)
            assert seen.keys() <= truth.keys()
            assert sum(map(len, seen.values())) == sum(map(len, truth.values()))
            visible = Counter(card for cards in seen.values() for card in cards if card != -1)
            assert visible <= Counter(card for cards in truth.values() for card in cards)
            for name, cards in seen.items():
                if len(cards) == len(truth[name]):
                    known = [card for card in cards if card != -1]
                    first = cards == known + [-1] * (len(cards) - len(known)) and Counter(known) <= Counter(truth[name])
                    assert first or all(card in (-1, true) for card, true in zip(cards, truth[name], strict=True)), name


@each_case
def test_labels_are_unique_and_reversible(case: Case) -> None:
    for number, env in enumerate(running(case)):
        legal = env.legal_actions()
        labels = [" ".join(env.action_label(action).lower().split()) for action in legal]
        assert len(set(labels)) == len(labels)
        assert all(labels)
        for action in some(legal, number)[:6]:
            assert env.action_from_label(env.action_label(action)) == action
            assert env.action_from_label(f"  {env.action_label(action).upper()} ") == action


@each_case
def test_the_layouts_cover_the_vectors(case: Case) -> None:
    """Blocks lie one after another, without gap, up to the sizes of the spaces."""
    env = case.raw()
    for layout, size in ((env.game.observation, env.observation_size), (env.game.actions, env.num_actions)):
        end = 0
        for where in layout.slices(env.num_players).values():
            assert where.start == end < where.stop
            end = where.stop
        assert end == size
