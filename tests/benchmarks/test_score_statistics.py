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


def improvement_of(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> statistics.Estimate:
    """Of results against one opponent in one place."""
    ours, theirs = ({name: values.reshape(1, -1, 1) for name, values in games.items()} for games in (first, second))
    return statistics.paired(ours, theirs).improvement


def test_the_probability_of_improvement_by_hand() -> None:
    first = {"a": np.array([1.0, 2.0, 3.0, 4.0]), "b": np.array([0.0, 0.0])}
    second = {"a": np.array([0.0, 2.0, 4.0, 3.0]), "b": np.array([1.0, 0.0])}
    improvement = improvement_of(first, second)
    assert improvement.value == pytest.approx((2.5 / 4 + 0.5 / 2) / 2)
    error = (np.var([1, 0.5, 0, 1], ddof=1) / 4 + np.var([0, 0.5], ddof=1) / 2) ** 0.5 / 2
    assert improvement.low == 0 and improvement.high == pytest.approx(improvement.value + 2.776 * error)  # of 3 + 1 degrees
    assert improvement_of(second, first).value == pytest.approx(1 - improvement.value)
    assert improvement_of(first, first) == (0.5, 0.5, 0.5)
    better = {name: values + 1 for name, values in second.items()}
    assert improvement_of(better, second) == (1, 1, 1)


def test_equal_results_in_other_places_are_a_tie() -> None:
    ours, theirs = np.array([[[0.1, 0.2, -0.3]] * 3]), np.array([[[-0.3, 0.2, 0.1]] * 3])
    assert (ours.mean(axis=2) != theirs.mean(axis=2)).any()  # in the last digit
    found = statistics.paired({"a": ours}, {"a": theirs})
    assert found.improvement == (0.5, 0.5, 0.5) and found.variances == {"a": 0}


def test_pairs_by_hand() -> None:
    ours = np.array([[[3.0, 1.0], [2.0, 4.0]]])  # one opponent, two deals, two places
    found = statistics.paired({"a": ours}, {"a": np.ones((1, 2, 2))})
    assert found.leads["a"] == pytest.approx((1.5, 1.5 - 12.706 * 0.5, 1.5 + 12.706 * 0.5))
    assert found.improvement == (1, 1, 1)
    # the leads 1 and 2 vary by 1/2; of two matches each of unlike deals the mean varies by (5/3 + 0) / 2
    assert found.variance == found.variances["a"] == pytest.approx(0.5 / (5 / 6))
    both = np.concatenate([ours, 10 * ours])  # against two opponents
    found = statistics.paired({"a": both}, {"a": np.ones((2, 2, 2))})
    assert found.leads["a"].value == pytest.approx((1.5 + 24) / 2)
    assert found.variance == pytest.approx(np.var([5.5 * 2 - 1, 5.5 * 3 - 1], ddof=1) / (5 / 3 * 101 / 4 / 2))


def test_what_has_no_interval_and_what_does_not_vary() -> None:
    one = statistics.paired({"a": np.array([[[1.0, 2.0]]])}, {"a": np.array([[[0.0, 0.0]]])})
    assert one.leads["a"].value == 1.5 and np.isnan(one.leads["a"][1:]).all()
    assert one.improvement.value == 1 and np.isnan(one.improvement[1:]).all() and np.isnan(one.variance)
    same = statistics.paired({"a": np.ones((1, 3, 2)), "b": np.ones((1, 3, 2))}, {"a": np.ones((1, 3, 2)), "b": ramp()})
    assert np.isnan(same.variances["a"]) and same.variance == same.variances["b"] > 0


def ramp() -> np.ndarray:
    return np.arange(6.0).reshape(1, 3, 2)


def test_the_interval_of_a_lead_is_scipys(rng: np.random.Generator) -> None:
    stats = pytest.importorskip("scipy.stats")
    for deals in (2, 4, 30, 200):
        ours, theirs = rng.normal(size=(2, 1, deals, 3))
        lead = statistics.paired({"a": ours}, {"a": theirs}).leads["a"]
        by_deal = ours.mean(axis=(0, 2)) - theirs.mean(axis=(0, 2))
        exact = stats.ttest_1samp(by_deal, 0).confidence_interval()
        assert lead == pytest.approx((by_deal.mean(), *exact), abs=2e-3 * (exact.high - exact.low))


def test_the_variance_of_pairs_is_that_of_matches_with_luck_in_common(rng: np.random.Generator) -> None:
    """Of results that are the luck of the deal, of the place, of both, and noise, pairs keep the noise alone."""
    deals, places = 4000, 3
    luck = rng.normal(0, 1, (deals, 1)) + rng.normal(0, 2, (1, places)) + rng.normal(0, 3, (deals, places))
    ours, theirs = luck + rng.normal(0, 2, (2, deals, places))
    found = statistics.paired({"a": ours[None]}, {"a": theirs[None]}).variances["a"]
    assert found == pytest.approx(2 * 2**2 / (ours.var() + theirs.var()), rel=0.05)
    assert found < 0.4


def test_the_probability_of_improvement_of_deals_alike_is_scipys(rng: np.random.Generator) -> None:
    """Where every deal is as good as any other, pairs of the same deal are as good as all pairs: Mann and Whitney's."""
    stats = pytest.importorskip("scipy.stats")
    ours, theirs = rng.integers(0, 5, 4000), rng.integers(0, 4, 4000)
    improvement = improvement_of({"a": ours}, {"a": theirs}).value
    statistic = stats.mannwhitneyu(ours, theirs).statistic
    pairs = np.mean([(a > b) + 0.5 * (a == b) for a, b in itertools.product(ours[:100], theirs[:100])])
    assert improvement == pytest.approx(statistic / 4000**2, abs=0.03) and improvement == pytest.approx(pairs, abs=0.1)
