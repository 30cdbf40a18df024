"""What is computed of scores, beside scipy and by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from wilddeck.benchmarks.score import statistics
from wilddeck.benchmarks.score.statistics import Results


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.mark.parametrize("count", range(1, 22))
def test_the_interquartile_mean_is_scipys(count: int, rng: np.random.Generator) -> None:
    stats = pytest.importorskip("scipy.stats")
    scores = rng.normal(size=(3, count))
    assert statistics.interquartile_mean(scores) == pytest.approx(stats.trim_mean(scores, 0.25, axis=-1))


def test_the_interquartile_mean_by_hand() -> None:
    assert statistics.interquartile_mean(np.array([100.0, 1, 2, 3, 4, 5, 6, -100])) == pytest.approx((2 + 3 + 4 + 5) / 4)
    assert statistics.interquartile_mean(np.array([1.0, 2, 9])) == pytest.approx(4)  # a quarter of three is no score


def test_shares_and_profiles_by_hand() -> None:
    scores = np.array([0.0, 1.0, 1.0, 1.5])
    assert statistics.share_above(scores, 1.0) == 0.25
    assert statistics.profile(scores, np.array([-1.0, 0.0, 0.99, 1.0, 1.5])).tolist() == [1, 0.75, 0.75, 0.25, 0]
    both = statistics.profile(np.stack([scores, scores + 1]), np.array([0.5, 1.5]))
    assert both.tolist() == [[0.75, 0], [1, 0.75]]


def test_deals_are_drawn_as_often_as_there_are() -> None:
    drawn = statistics.weights(7, 5000, np.random.default_rng(1))
    assert drawn.shape == (5000, 7) and drawn.sum(axis=1) == pytest.approx(np.ones(5000))
    assert np.allclose(drawn * 7, np.round(drawn * 7))
    assert drawn.mean(axis=0) == pytest.approx(np.full(7, 1 / 7), abs=0.005)
    assert (drawn * 7).var(axis=0) == pytest.approx(np.full(7, 6 / 7), rel=0.1)  # of a binomial distribution


def test_the_interval_of_a_mean_is_scipys_bootstrap(rng: np.random.Generator) -> None:
    stats = pytest.importorskip("scipy.stats")
    values = rng.exponential(size=60)
    low, high = statistics.interval(statistics.weights(60, 20_000, np.random.default_rng(1)) @ values)
    scipys = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", random_state=2).confidence_interval
    assert (low, high) == pytest.approx((scipys.low, scipys.high), abs=0.02)


def test_the_interval_of_a_score_is_scipys_bootstrap_of_the_same_ratio(rng: np.random.Generator) -> None:
    """The three players' results are drawn together."""
    stats = pytest.importorskip("scipy.stats")
    luck = rng.normal(size=80)
    results = Results(luck + rng.normal(1.5, 0.3, 80), luck + rng.normal(0, 0.3, 80), luck + rng.normal(2, 0.3, 80))

    def ratio(a: np.ndarray, b: np.ndarray, c: np.ndarray, axis: int = -1) -> np.ndarray:
        return (a.mean(axis) - b.mean(axis)) / (c.mean(axis) - b.mean(axis))

    scores = statistics.scored({"x": results}, draws=20_000)
    scipys = stats.bootstrap(
        results, ratio, paired=True, vectorized=True, n_resamples=20_000, method="percentile", random_state=2
    )
    interval = scipys.confidence_interval
    assert scores.of("x").value == pytest.approx(float(ratio(*results)))
    assert scores.of("x")[1:] == pytest.approx((interval.low, interval.high), abs=0.01)
    spread = (results.agent - results.zero) - scores.of("x").value * (results.one - results.zero)
    delta = spread.std(ddof=1) / 80**0.5 / (results.one - results.zero).mean()  # by the delta method
    assert scores.draws.std() == pytest.approx(delta, rel=0.1)


def test_a_score_by_hand() -> None:
    results = Results(np.array([1.0, 3.0]), np.array([0.0, 1.0]), np.array([2.0, 3.0]))
    assert statistics.normalised(results) == pytest.approx(1.5 / 2)
    assert statistics.normalised(results, np.array([[1.0, 0.0], [0.0, 1.0]])).tolist() == [0.5, 1.0]


def test_the_players_of_the_scale_are_zero_and_one_in_every_draw(rng: np.random.Generator) -> None:
    zero, one = rng.normal(size=(2, 30))
    one += 5
    scores = statistics.scored({"zero": Results(zero, zero, one), "one": Results(one, zero, one)}, draws=100)
    assert scores.values.tolist() == [0, 1]
    assert np.array_equal(scores.draws, np.tile([0.0, 1.0], (100, 1)))
    assert scores.total(lambda values: statistics.share_above(values, 1.0)) == (0, 0, 0)


def test_draws_of_a_game_do_not_depend_on_the_others(rng: np.random.Generator) -> None:
    games = {name: Results(rng.normal(1, 1, 20), np.zeros(20), np.ones(20)) for name in "abc"}
    all_of_them, one = statistics.scored(games, 50), statistics.scored({"b": games["b"]}, 50)
    assert np.array_equal(all_of_them.draws[:, 1], one.draws[:, 0])
    assert not np.array_equal(all_of_them.draws[:, 0], statistics.scored({"b": games["a"]}, 50).draws[:, 0])


def test_totals_are_drawn_within_games(rng: np.random.Generator) -> None:
    """The error of a mean over games is that of independent strata."""
    games = {str(k): Results(rng.normal(k, 1, 50), np.zeros(50), np.ones(50)) for k in range(9)}
    scores = statistics.scored(games, 5000)
    mean = scores.draws.mean(axis=1)
    errors = [results_of_game.agent.std() / 50**0.5 for results_of_game in games.values()]
    assert mean.std() == pytest.approx(np.sqrt(np.square(errors).sum()) / 9, rel=0.1)


@pytest.mark.parametrize(
    ("scale", "resolved"),
    [
        ([1.0, 1.2, 0.8, 1.0], True),
        ([-1.0, -1.2, -0.8, -1.0], False),  # rules that are worse than random play fix no scale
        ([1.0, -1.0, 1.0, -0.5], False),
        ([0.0, 0.0, 0.0], False),
        ([1.0], False),
        ([0.0, 2.0, 0.0, 2.0] * 3, True),  # 1 with an error of 0.30
        ([0.0, 2.0, 0.0, 2.0] * 2, False),  # 1 with an error of 0.38
    ],
)
def test_a_scale_must_be_longer_than_its_error(scale: list[float], resolved: bool, rng: np.random.Generator) -> None:
    luck = rng.normal(size=len(scale))
    assert statistics.is_resolved(Results(luck, luck, luck + np.array(scale))) is resolved


def test_the_probability_of_improvement_by_hand() -> None:
    first = {"a": np.array([1.0, 2.0, 3.0, 4.0]), "b": np.array([0.0, 0.0])}
    second = {"a": np.array([0.0, 2.0, 4.0, 3.0]), "b": np.array([1.0, 0.0])}
    improvement = statistics.improvement(first, second)
    assert improvement.value == pytest.approx((2.5 / 4 + 0.5 / 2) / 2)
    assert improvement.low < improvement.value < improvement.high
    assert statistics.improvement(second, first).value == pytest.approx(1 - improvement.value)
    assert statistics.improvement(first, first) == (0.5, 0.5, 0.5)
    better = {name: values + 1 for name, values in second.items()}
    assert statistics.improvement(better, second) == (1, 1, 1)


def test_the_probability_of_improvement_of_deals_alike_is_scipys(rng: np.random.Generator) -> None:
    """Where every deal is as good as any other, pairs of the same deal are as good as all pairs: Mann and Whitney's."""
    stats = pytest.importorskip("scipy.stats")
    ours, theirs = rng.integers(0, 5, 4000), rng.integers(0, 4, 4000)
    improvement = statistics.improvement({"a": ours}, {"a": theirs}).value
    statistic = stats.mannwhitneyu(ours, theirs).statistic
    pairs = np.mean([(a > b) + 0.5 * (a == b) for a, b in itertools.product(ours[:100], theirs[:100])])
    assert improvement == pytest.approx(statistic / 4000**2, abs=0.03) and improvement == pytest.approx(pairs, abs=0.1)
