"""What is computed of scores: pure functions of arrays, without games or files.

Of each game there is an array of results, float64 [deals], of the agent and of the two players that fix the scale, all on the
same deals. For intervals deals are drawn anew, with replacement and within each game (a stratified bootstrap): the agent's
results and those of the scale are drawn together, for they share the luck of the deal.

Two agents are compared by pairs: what the one gets more than the other in the same place of the same deal (`paired`). This
needs no scale, and its intervals, by Student's t distribution over deals, hold for few deals, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...envs.core.student import half_width

DRAWS = 2000  # of a bootstrap
COVERED = 0.95  # by an interval
RESOLVED = 3.0  # standard errors of the scale's length, below which a game's score says nothing
_DIGITS = 9  # after the point in which leads differ: sums of the same results in another order differ in the last of all
_CUT = 0.25  # of the scores at either end, which the interquartile mean leaves out


class Estimate(NamedTuple):
    """A value with the ends of its interval."""

    value: float
    low: float
    high: float


class Results(NamedTuple):
    """Of a game: float64 [deals] each, of the agent and of the players whose scores are 0 and 1."""

    agent: np.ndarray
    zero: np.ndarray
    one: np.ndarray


def interquartile_mean(scores: np.ndarray) -> np.ndarray:
    """The mean over the last axis without a quarter of the values at either end (rounded down): `scipy.stats.trim_mean`."""
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
    """The ends of the middle 95 % of the draws, which are the first axis."""
    outside = (1 - COVERED) / 2
    low, high = np.quantile(draws, [outside, 1 - outside], axis=0)
    return low, high


def estimate(value: float, draws: np.ndarray) -> Estimate:
    """A value and the interval of its draws."""
    low, high = interval(draws)
    return Estimate(float(value), float(low), float(high))


def weights(deals: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """The share of each deal in each draw, float64 [draws, deals]: deals are drawn with replacement."""
    return rng.multinomial(deals, np.full(deals, 1 / deals), draws) / deals


def normalised(results: Results, weights: np.ndarray | None = None) -> np.ndarray:
    """The score on the scale on which `zero` is 0 and `one` is 1: of the deals as they are, or of each row of weights."""
    gained, scale = results.agent - results.zero, results.one - results.zero
    if weights is None:
        return np.asarray(gained.mean() / scale.mean())
    return (weights @ gained) / (weights @ scale)


def is_resolved(results: Results) -> bool:
    """Whether `one` is better than `zero` by more than chance: by at least `RESOLVED` standard errors over deals."""
    scale = results.one - results.zero
    if len(scale) < 2:
        return False
    error = float(scale.std(ddof=1)) / len(scale) ** 0.5
    return float(scale.mean()) > RESOLVED * error


class Scores(NamedTuple):
    """Normalised scores: of each game in order float64 [games], and of each draw float64 [draws, games]."""

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
    """The normalised scores of games, whose scales must be resolved.

    Equal seeds draw equal deals of a game, whatever other games there are: two agents' scores on the same deals can be
    subtracted draw by draw.
    """
    values, drawn = [], []
    for game, result in results.items():
        values.append(float(normalised(result)))
        drawn.append(normalised(result, weights(len(result.agent), draws, generator(seed, game))))
    return Scores(tuple(results), np.array(values), np.reshape(drawn, (len(values), draws)).T)


def generator(seed: int, game: str) -> np.random.Generator:
    """The source of a game's draws."""
    return np.random.default_rng([seed, *game.encode()])


def better(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """1 where ours is greater, a half where both are equal, else 0."""
    lead = np.round(ours - theirs, _DIGITS)
    return (lead > 0) + 0.5 * (lead == 0)


def mean_by_deal(games: Sequence[np.ndarray]) -> Estimate:
    """The mean over games of the mean over deals, of values float64 [deals]; games weigh the same. The interval, by Student's t
    distribution, is for other deals of these games; with one deal of each there is none (NaN)."""
    value = float(np.mean([values.mean() for values in games]))
    freedom = sum(len(values) - 1 for values in games)
    if not freedom:
        return Estimate(value, math.nan, math.nan)
    variances = [values.var(ddof=1) / len(values) for values in games if len(values) > 1]
    half = half_width(math.sqrt(math.fsum(variances)) / len(games), freedom)
    return Estimate(value, value - half, value + half)


class Pairs(NamedTuple):
    """What one agent gets more than another in the same places of the same deals.

    Attributes:
        leads: of each game the mean.
        improvement: how probable it is that on a game and a deal drawn at random the first gets more than the second, ties
            counting half.
        variances: of each game the variance of the mean lead, as a share of what it would be with as many matches of which each
            is a deal of its own; NaN where nothing varies, or the results are the same ones.
        variance: the mean over games.
    """

    leads: dict[str, Estimate]
    improvement: Estimate
    variances: dict[str, float]
    variance: float


def paired(first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]) -> Pairs:
    """Compare two agents on the same games and deals.

    Args:
        first, second: of each game the results float64 [opponents, deals, places].
    """
    by_deal = {name: (ours.mean(axis=(0, 2)), second[name].mean(axis=(0, 2))) for name, ours in first.items()}
    leads = {name: mean_by_deal([ours - theirs]) for name, (ours, theirs) in by_deal.items()}
    low_to_high = mean_by_deal([better(*both) for both in by_deal.values()])
    variances = {name: _variance_left(ours, second[name]) for name, ours in first.items()}
    known = [share for share in variances.values() if not math.isnan(share)]
    improvement = Estimate(*(min(max(end, 0.0), 1.0) if math.isfinite(end) else end for end in low_to_high))
    return Pairs(leads, improvement, variances, float(np.mean(known)) if known else math.nan)


def _variance_left(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The variance of the mean lead, by deals, as a share of that of as many matches which have nothing in common."""
    opponents, deals, places = ours.shape
    if deals < 2 or np.array_equal(ours, theirs):
        return math.nan
    lead = np.round((ours - theirs).mean(axis=(0, 2)), _DIGITS)
    single = sum(results.reshape(opponents, -1).var(axis=1, ddof=1).sum() for results in (ours, theirs))
    apart = single / opponents**2 / places  # of the lead on one deal, as `lead.var` is
    return float(lead.var(ddof=1) / apart) if apart > 0 else math.nan
