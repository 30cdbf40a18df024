"""The statistics of scores, as pure functions of arrays, without games or files.

Each game has arrays of results, float64 [deals], of the agent and of the two agents that define the scale, all on the same
deals. Intervals are from a stratified bootstrap: deals are resampled within each game, with the results of all three agents
together, because they share the luck of the deal.

Two agents are compared in pairs, by the differences of their results in the same place of the same deal (`paired`). This needs
no scale, and its intervals, by Student's t distribution over deals, are also valid for few deals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...envs.core.student import half_width

DRAWS = 2000  # bootstrap draws
COVERED = 0.95  # the coverage of intervals
RESOLVED = 3.0  # minimal length of a game's scale in standard errors; below it the game's score is meaningless
_DIGITS = 9  # decimals for comparing leads: sums of the same results in another order differ in the last bits
_CUT = 0.25  # the fraction of scores at either end that the interquartile mean omits


class Estimate(NamedTuple):
    """A value with its interval."""

    value: float
    low: float
    high: float


class Results(NamedTuple):
    """The results of a game, float64 [deals] each: of the agent, and of the agents whose scores are defined as 0 and 1."""

    agent: np.ndarray
    zero: np.ndarray
    one: np.ndarray


def interquartile_mean(scores: np.ndarray) -> np.ndarray:
    """The mean over the last axis without the lowest and highest quarter (rounded down), as `scipy.stats.trim_mean`."""
    count = scores.shape[-1]
    cut = int(_CUT * count)
    return np.sort(scores, axis=-1)[..., cut : count - cut].mean(axis=-1)


def share_above(scores: np.ndarray, threshold: float) -> np.ndarray:
    """The share of the last axis that is greater than the threshold."""
    return (scores > threshold).mean(axis=-1)


def profile(scores: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """The share of the last axis above each threshold: a performance profile, [..., thresholds]."""
    return (scores[..., None, :] > thresholds[:, None]).mean(axis=-1)


def interval(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % percentile interval of the draws, which are the first axis."""
    outside = (1 - COVERED) / 2
    low, high = np.quantile(draws, [outside, 1 - outside], axis=0)
    return low, high


def estimate(value: float, draws: np.ndarray) -> Estimate:
    """A value with the interval of its draws."""
    low, high = interval(draws)
    return Estimate(float(value), float(low), float(high))


def weights(deals: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """The weight of each deal in each bootstrap draw, float64 [draws, deals]."""
    return rng.multinomial(deals, np.full(deals, 1 / deals), draws) / deals


def normalised(results: Results, weights: np.ndarray | None = None) -> np.ndarray:
    """The score on the scale on which `zero` is 0 and `one` is 1, over all deals, or for each row of weights."""
    gained, scale = results.agent - results.zero, results.one - results.zero
    if weights is None:
        return np.asarray(gained.mean() / scale.mean())
    return (weights @ gained) / (weights @ scale)


def is_resolved(results: Results) -> bool:
    """Whether `one` is significantly better than `zero`: by at least `RESOLVED` standard errors over deals."""
    scale = results.one - results.zero
    if len(scale) < 2:
        return False
    error = float(scale.std(ddof=1)) / len(scale) ** 0.5
    return float(scale.mean()) > RESOLVED * error


class Scores(NamedTuple):
    """Normalised scores per game, float64 [games], and per draw and game, float64 [draws, games]."""

    games: tuple[str, ...]
    values: np.ndarray
    draws: np.ndarray

    def of(self, game: str) -> Estimate:
        """A game's score."""
        place = self.games.index(game)
        return estimate(self.values[place], self.draws[:, place])

    def total(self, function: Callable[[np.ndarray], np.ndarray]) -> Estimate:
        """A function of the scores of all games (over the last axis)."""
        return estimate(float(function(self.values)), function(self.draws))


def scored(results: Mapping[str, Results], draws: int = DRAWS, seed: int = 0) -> Scores:
    """The normalised scores of games, all of which must be resolved.

    Equal seeds draw equal deals of a game, regardless of the other games, so that two agents' scores on the same deals can be
    subtracted draw by draw.
    """
    values, drawn = [], []
    for game, result in results.items():
        values.append(float(normalised(result)))
        drawn.append(normalised(result, weights(len(result.agent), draws, generator(seed, game))))
    return Scores(tuple(results), np.array(values), np.reshape(drawn, (len(values), draws)).T)


def generator(seed: int, game: str) -> np.random.Generator:
    """The random generator of a game's draws."""
    return np.random.default_rng([seed, *game.encode()])


def better(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """1 where ours is greater, 1/2 where both are equal, else 0."""
    lead = np.round(ours - theirs, _DIGITS)
    return (lead > 0) + 0.5 * (lead == 0)


def mean_by_deal(games: Sequence[np.ndarray]) -> Estimate:
    """The mean over games (equally weighted) of the mean over deals, from values float64 [deals]. The interval, by Student's t
    distribution, is over deals of these games; with one deal per game it is NaN."""
    value = float(np.mean([values.mean() for values in games]))
    freedom = sum(len(values) - 1 for values in games)
    if not freedom:
        return Estimate(value, math.nan, math.nan)
    variances = [values.var(ddof=1) / len(values) for values in games if len(values) > 1]
    half = half_width(math.sqrt(math.fsum(variances)) / len(games), freedom)
    return Estimate(value, value - half, value + half)


class Pairs(NamedTuple):
    """The leads of one agent over another: the differences of their results in the same places of the same deals.

    Attributes:
        leads: the mean lead per game.
        improvement: the probability that the first agent gets more than the second in a random deal of a random game; ties
            count as half.
        variances: per game, the variance of the mean lead relative to that with as many matches on independent deals; NaN if
            results do not vary or are identical.
        variance: the mean over games.
    """

    leads: dict[str, Estimate]
    improvement: Estimate
    variances: dict[str, float]
    variance: float


def paired(first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]) -> Pairs:
    """Compare two agents on the same games and deals.

    Args:
        first, second: the results per game, float64 [opponents, deals, places].
    """
    by_deal = {name: (ours.mean(axis=(0, 2)), second[name].mean(axis=(0, 2))) for name, ours in first.items()}
    leads = {name: mean_by_deal([ours - theirs]) for name, (ours, theirs) in by_deal.items()}
    low_to_high = mean_by_deal([better(*both) for both in by_deal.values()])
    variances = {name: _variance_left(ours, second[name]) for name, ours in first.items()}
    known = [share for share in variances.values() if not math.isnan(share)]
    improvement = Estimate(*(min(max(end, 0.0), 1.0) if math.isfinite(end) else end for end in low_to_high))
    return Pairs(leads, improvement, variances, float(np.mean(known)) if known else math.nan)


def _variance_left(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The variance of the mean lead over deals, relative to that of as many independent matches."""
    opponents, deals, places = ours.shape
    if deals < 2 or np.array_equal(ours, theirs):
        return math.nan
    lead = np.round((ours - theirs).mean(axis=(0, 2)), _DIGITS)
    single = sum(results.reshape(opponents, -1).var(axis=1, ddof=1).sum() for results in (ours, theirs))
    apart = single / opponents**2 / places  # the variance of the lead on one deal, as `lead.var`
    return float(lead.var(ddof=1) / apart) if apart > 0 else math.nan
