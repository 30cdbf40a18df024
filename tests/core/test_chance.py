"""Chance is independent where the rules deal at random: between deals, games, seeds, rows, steps, and of what is imagined."""

from __future__ import annotations

import pickle
import random
from typing import Any

import gymnasium
import numpy as np
import pytest
import wilddeck
from support import play_random
from wilddeck import agents
from wilddeck.agents.base import View
from wilddeck.envs.core.batch import noise_counters, row_seeds
from wilddeck.envs.core.game import seed_of

ROWS, STEPS = 512, 64


@pytest.mark.parametrize("game_id", wilddeck.games())
def test_neither_a_copy_nor_a_determinization_shares_chance_with_what_it_must_not(game_id: str) -> None:
    """Samples know nothing of the true chance, whichever seed they were drawn with; clones go on as the original."""
    env, fresh = wilddeck.envs.raw_env(game_id), wilddeck.envs.raw_env(game_id)
    for seed in (7, 2**100 + 3):
        env.reset(seed=seed)
        before = env.zones()
        sample, copy = env.determinize("player_0", seed), env.clone()  # even with the very seed of the game
        for known in (pickle.loads(pickle.dumps(sample)), sample.clone(), sample):
            fresh.reset(seed=seed)
            fresh.__setstate__(known.__getstate__())
            assert seed_of(known.record) not in (seed, 0)
            for copied in (known, fresh):
                copied.reset()
                assert copied.zones() != before
        env.reset()
        assert env.zones() not in (before, known.zones(), fresh.zones())
        copy.reset()
        assert copy.zones() == env.zones()
        fresh.reset(seed=sample._seed)
        assert fresh.zones() not in (before, env.zones())


@pytest.mark.parametrize("game_id", wilddeck.games())
def test_chance_never_comes_again(game_id: str) -> None:
    """No deal of a game is another deal of the games before or after it, of neighbouring seeds, or of a batch's rows."""
    env, seen, dealt = wilddeck.envs.raw_env(game_id), set(), 0
    draw = random.Random(1)
    for seed in range(3):
        env.reset(seed=seed)
        for _ in range(20):
            deals = -1
            for _ in range(150):
                record = env.record
                if record["deals"][0] != deals:
                    deals = record["deals"][0]
                    seen.add(repr(env.zones()))
                    dealt += 1
                if not env.legal_actions():
                    break
                env.step(draw.choice(env.legal_actions()))
            env.reset()
    assert dealt >= 60
    assert len(seen) == dealt


def uniforms(seed: int, rows: int = ROWS, steps: int = STEPS) -> np.ndarray:
    """float64 [steps, rows]: what `random_actions` chooses in each row among 4,096 actions that are all legal."""
    from wilddeck.envs.core.kernels import random_actions

    mask, noise, actions = np.ones((rows, 4096), np.uint8), noise_counters(seed, rows), np.empty(rows, np.int64)
    drawn = np.empty((steps, rows))
    for step in range(steps):
        random_actions(mask, noise, actions)
        drawn[step] = actions
    return drawn


def test_rows_and_steps_are_unrelated() -> None:
    """No row draws what another draws so many steps before or after it: correlations stay within six standard errors."""
    drawn = uniforms(5)
    for lag in range(1, 6):
        for apart in range(-4, 5):
            rows = np.arange(4, ROWS - 4)
            correlation = np.corrcoef(drawn[:-lag, rows].ravel(), drawn[lag:, rows + apart].ravel())[0, 1]
            assert abs(correlation) < 6 / np.sqrt((STEPS - lag) * len(rows)), (lag, apart)
    for apart in range(1, 5):
        correlation = np.corrcoef(drawn[:, apart:].ravel(), drawn[:, :-apart].ravel())[0, 1]
        assert abs(correlation) < 6 / np.sqrt(STEPS * (ROWS - apart)), apart


@pytest.mark.parametrize("other", [1, 2, ROWS, 2**64, 2**127])
def test_seeds_are_unrelated(other: int) -> None:
    one, two = uniforms(0), uniforms(other)
    for apart in range(-3, 4):
        rows = np.arange(3, ROWS - 3)
        for lag in range(3):
            correlation = np.corrcoef(one[lag:, rows].ravel(), two[: STEPS - lag, rows + apart].ravel())[0, 1]
            assert abs(correlation) < 6 / np.sqrt((STEPS - lag) * len(rows)), (lag, apart)
    assert not set(noise_counters(0, ROWS)) & set(noise_counters(other, ROWS))


def test_batches_of_neighbouring_seeds_share_no_random_game() -> None:
    def games(seed: int) -> set[bytes]:
        batch = wilddeck.make_batch("tennis_v0", ROWS, seed=seed)
        played = []
        for _ in range(24):
            actions = batch.random_actions()
            played.append(actions)
            batch.step(actions)
        return {row.tobytes() for row in np.array(played).T}

    assert len(games(0)) == len(games(1)) == ROWS
    assert not games(0) & games(1)


def test_spawned_seeds_have_no_deal_in_common() -> None:
    """Where neighbours have nearly all, by the rule that row i is dealt as `seed + i` says."""

    def deals(seed: int) -> set[bytes]:
        return {row.tobytes() for row in wilddeck.make_batch("tennis_v0", ROWS, seed).state_vectors()}

    seeds = wilddeck.spawn_seeds(0, 5)
    assert len(deals(0) & deals(1)) == ROWS - 1
    assert len(set.union(*map(deals, seeds))) == 5 * ROWS
    assert seeds == wilddeck.spawn_seeds(0, 9)[:5] and not set(seeds) & set(wilddeck.spawn_seeds(1, 5))
    assert seeds[0] == 4334430513956379144  # on every machine
    assert len(set(wilddeck.spawn_seeds(2**128 - 1, 10_000))) == 10_000
    assert all(type(seed) is int and 0 <= seed < 2**63 for seed in wilddeck.spawn_seeds(3, 1000))
    wilddeck.make("tennis_v0").reset(seed=seeds[1])
    gymnasium.make_vec("wilddeck/tennis-v0", num_envs=2).reset(seed=seeds[1])
    gymnasium.make("wilddeck/tennis-v0").reset(seed=seeds[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 3), "a seed is an integer from 0"),
        (("1", 3), "a seed is an integer"),
        ((1, 0), "n must be an integer of at least 1"),
    ],
)
def test_what_seeds_are_not_spawned_from(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wilddeck.spawn_seeds(*arguments)


def test_playouts_are_independent() -> None:
    """The variance of a mean over playouts is what independent ones have (neighbouring counters: 0.4 to 1.6)."""
    env = wilddeck.envs.raw_env("tennis_v0")
    env.reset(seed=3)
    list(play_random(env, 3, 9))
    view = View.of(env)
    search = agents.make("mc", env.game, env.options)
    determinizations, repeats = 64, 300
    returns = np.stack([search.playouts(view, view.legal_actions[:1], determinizations, seed)[0] for seed in range(repeats)])
    ratio = returns.mean(axis=1).var(ddof=1) * determinizations / returns.var()
    assert 0.6 < ratio < 1.4  # a chi square of 299 degrees of freedom: standard deviation 0.08
    apart = returns - returns.mean()
    for lag in range(1, 5):
        assert abs((apart[:, lag:] * apart[:, :-lag]).mean() / returns.var()) < 6 / np.sqrt(repeats * (determinizations - lag))


def test_row_seeds_count_on() -> None:
    for seed in (0, 2**64 - 3, 2**128 - 2):
        words = row_seeds(seed, 6)
        assert [int(low) + (int(high) << 64) for low, high in words] == [(seed + row) % 2**128 for row in range(6)]
