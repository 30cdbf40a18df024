"""Ratings by a Plackett-Luce model, fitted by maximum likelihood, with intervals over deals; head-to-head; mean scores.

Every agent i has a strength g_i. Each of the agents not yet placed takes the next place with probability g_i / (sum of g).
A game between any number of agents is one observation, and the order of the games does not matter. The rating is
`400 / ln 10 * ln(g_i / g_anchor)`: 400 points above another agent means odds of 10 to 1 of finishing ahead of it.

Ties. Agents tied for last place (in most of these games all but the winner) are left unordered: the game does not compare
them. Ties for better places follow Efron's approximation: m tied agents share m places, and the choice set of each place has
all agents behind and, of each tied agent, the fraction that is not yet placed. If all agents tie, the last place has no
choice set, as in every game, so a draw between two counts as half a win and half a loss.

Forfeits. An agent that forfeited lost to all others. Agents tied for last place are still left unordered, but beat the agents
that forfeited. A game does not compare agents that forfeited with each other.

The prior, a number of draws against an average agent, keeps the ratings of unbeaten agents finite. Their intervals are open on
one side. The bootstrap cannot find the other end, since no resample has results that never occurred; it is where twice the
profile log-likelihood falls 3.84 below its supremum.

Sources: Plackett, "The analysis of permutations" (1975); Hunter, "MM algorithms for generalized Bradley-Terry models" (2004);
Efron, "The efficiency of Cox's likelihood function for censored data" (1977); Rao and Wu, "Resampling inference with complex
survey data" (1988), for drawing n - 1 of n blocks, without which intervals from few deals are too short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

ELO = 400 / np.log(10)
EMPTY = -1  # a seat that a game does not have
_NO_PLACE = -1
_INTERVAL = (2.5, 97.5)
_CHI_SQUARE = 3.841  # of one degree of freedom, 95 %
_FAR = 8.0  # in units of log strength


@dataclass(frozen=True)
class Results:
    """Finished games as arrays; G games, at most P seats, agents 0..num_agents-1. A team counts as one seat.

    Attributes:
        num_agents: the number of agents, including those without a game.
        agents: int [G, P], the agent of each seat; EMPTY where a game has fewer seats. No agent sits twice in a game.
        ranks: int [G, P], 0 the best, equal where tied.
        returns: float [G, P].
        deals: int [G]; games with the same number share the cards and are resampled together.
        forfeits: bool [G, P], the seats that forfeited; None if no seat did.
    """

    num_agents: int
    agents: np.ndarray
    ranks: np.ndarray
    returns: np.ndarray
    deals: np.ndarray
    forfeits: np.ndarray | None = None

    @property
    def finished(self) -> np.ndarray:
        """bool [G, P]: seats of agents that did not forfeit."""
        return (self.agents != EMPTY) & (True if self.forfeits is None else ~self.forfeits)


@dataclass(frozen=True)
class Rating:
    """The rating of one agent, in Elo points above the anchor.

    Attributes:
        value: the rating; None if no chain of results connects the agent to the anchor.
        low, high: the 95 % interval over deals; None on an open side, without a value, or with fewer than two deals.
        bound: "at least" if no chain of wins leads from the anchor to the agent: results bound the rating only from below, and
            `value` depends on the prior. "at most" for the opposite. Else "".
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    bound: str = ""


@dataclass(frozen=True)
class ChoiceSets:
    """D distinct choice sets of at most P agents.

    Attributes:
        agents: int [D, P], any agent where the weight is 0.
        weights: float [D, P], the fraction of the agent in the choice set.
    """

    agents: np.ndarray
    weights: np.ndarray

    def merged(self, agent: int, other: int, difference: float) -> ChoiceSets:
        """The choice sets if the log strength of `agent` is that of `other` plus `difference`."""
        is_agent = self.agents == agent
        weights = self.weights * np.where(is_agent, np.exp(difference), 1.0)
        return ChoiceSets(np.where(is_agent, other, self.agents), weights)


@dataclass(frozen=True)
class Likelihood:
    """The log-likelihood of weighted games as a function of the log strengths s (see `log_likelihood`).

    Equal terms of different games are merged, so the cost of a fit grows with the number of distinct choice sets, not of games.
    """

    pattern: np.ndarray  # int [G], games with the same agents and the same order share one of U patterns
    pattern_wins: np.ndarray  # float [U, K]
    choice_sets: ChoiceSets
    term_pattern: np.ndarray  # int [T]: term t is a choice set of this pattern
    term_choice_set: np.ndarray  # int [T]: the number of that choice set
    beats: np.ndarray  # bool [K, K]: i won a place, or a share of it, that j contested

    def sums(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The places won by each agent [K], and the count of each choice set [D], for one weight per game."""
        by_pattern = np.bincount(self.pattern, weights, len(self.pattern_wins))
        counts = np.bincount(self.term_choice_set, by_pattern[self.term_pattern], len(self.choice_sets.agents))
        return by_pattern @ self.pattern_wins, counts


def likelihood(results: Results) -> Likelihood:
    """The terms of the likelihood of all games."""
    by_agent = np.argsort(results.agents, axis=1, kind="stable")
    agents = np.take_along_axis(results.agents, by_agent, 1)
    ranks = np.take_along_axis(np.where(results.finished, results.ranks, _NO_PLACE), by_agent, 1)
    patterns, pattern = np.unique(np.concatenate([agents, ranks], axis=1), axis=0, return_inverse=True)
    size, k = agents.shape[1], results.num_agents
    wins, beats = np.zeros((len(patterns), k)), np.zeros((k, k), np.bool_)
    numbers: dict[tuple[tuple[int, float], ...], int] = {}
    terms: list[tuple[int, int]] = []
    for u, row in enumerate(patterns.tolist()):
        places: dict[int, list[int]] = {}
        for agent, rank in zip(row[:size], row[size:], strict=True):
            if agent != EMPTY:
                places.setdefault(rank, []).append(agent)
        out = places.pop(_NO_PLACE, [])
        for won, weights in _choice_sets([places[rank] for rank in sorted(places)], out):
            terms.append((u, numbers.setdefault(tuple(sorted(weights.items())), len(numbers))))
            for agent, share in won.items():
                wins[u, agent] += share
                beats[agent, list(weights)] = True
    choice_sets = ChoiceSets(np.zeros((len(numbers), size), np.int64), np.zeros((len(numbers), size)))
    for weights_of, number in numbers.items():
        choice_sets.agents[number, : len(weights_of)] = [agent for agent, _ in weights_of]
        choice_sets.weights[number, : len(weights_of)] = [weight for _, weight in weights_of]
    term = np.array(terms, np.int64).reshape(-1, 2)
    return Likelihood(pattern.reshape(-1), wins, choice_sets, term[:, 0], term[:, 1], beats)


def _choice_sets(places: list[list[int]], out: list[int]) -> Iterator[tuple[dict[int, float], dict[int, float]]]:
    """The choice sets of a game: for each, the shares of the place that agents won, and the weights of its agents.

    Args:
        places: the agents of each place, best first.
        out: the agents that forfeited.
    """
    waiting = [agent for place in places for agent in place]
    losers = dict.fromkeys(out, 1.0)
    for place in places:
        tied, behind = len(place), waiting[len(place) :]
        if not behind and len(places) > 1:  # tied for last place, or alone in it
            if out:
                yield from (({agent: 1.0}, {agent: 1.0} | losers) for agent in place)
            return
        for taken in range(tied if behind or out else tied - 1):
            weights = dict.fromkeys(place, 1 - taken / tied) | dict.fromkeys(behind, 1.0) | losers
            yield dict.fromkeys(place, 1 / tied), weights
        waiting = behind


def log_likelihood(s: np.ndarray, wins: np.ndarray, counts: np.ndarray, choice_sets: ChoiceSets) -> float:
    """The log-likelihood of log strengths [K], given the sums of `Likelihood.sums`."""
    pools = (choice_sets.weights * np.exp(s)[choice_sets.agents]).sum(1)
    return float(wins @ s - counts @ np.log(pools))


def maximize(
    wins: np.ndarray, counts: np.ndarray, choice_sets: ChoiceSets, prior: float = 1.0, start: np.ndarray | None = None
) -> np.ndarray:
    """The log strengths [K] that maximize likelihood times prior, by Newton's method (the logarithm is concave)."""
    used, k = counts > 0, len(wins)
    counts, choice_sets = counts[used], ChoiceSets(choice_sets.agents[used], choice_sets.weights[used])
    agents = choice_sets.agents
    pairs = (agents[:, :, None] * k + agents[:, None, :]).ravel()

    def value(s: np.ndarray) -> float:
        return log_likelihood(s, wins, counts, choice_sets) + prior * float((s / 2 - np.logaddexp(0, s)).sum())

    s = np.zeros(k) if start is None else start.copy()
    best = value(s)
    for _ in range(200):
        strengths = np.exp(s)
        share = choice_sets.weights * strengths[agents]
        share /= share.sum(1, keepdims=True)
        weighted = counts[:, None] * share
        expected = np.bincount(agents.ravel(), weighted.ravel(), k)
        together = np.bincount(pairs, (weighted[:, :, None] * share[:, None, :]).ravel(), k * k).reshape(k, k)
        average = strengths / (1 + strengths)
        gradient = wins - expected + prior * (0.5 - average)
        curvature = np.diag(expected + prior * average * (1 - average)) - together
        step = np.linalg.solve(curvature, gradient)
        step *= min(1.0, 3 / max(np.abs(step).max(), 1e-300))
        new = value(s + step)
        while new < best - 1e-9 * abs(best) and np.abs(step).max() > 1e-12:
            step /= 2
            new = value(s + step)
        s, best = s + step, new
        if np.abs(step).max() < 1e-8:
            break
    return s


def rate(results: Results, anchor: int, bootstrap: int = 500, seed: int = 0, prior: float = 1.0) -> list[Rating]:
    """Ratings of all agents.

    Args:
        results: the games.
        anchor: the agent whose rating is 0.
        bootstrap: the number of bootstrap samples of deals, each with a full fit.
        seed: the seed of the bootstrap.
        prior: the number of draws against an average agent that are added for each agent.
    """
    terms = likelihood(results)
    fitted = maximize(*terms.sums(np.ones(len(results.deals))), terms.choice_sets, prior)
    intervals = _intervals(results, terms, fitted, anchor, bootstrap, seed, prior)
    gains = _reachable(terms.beats)
    ratings = []
    for agent, strength in enumerate(fitted):
        value = float(ELO * (strength - fitted[anchor]))
        not_above, not_below = not gains[anchor, agent], not gains[agent, anchor]  # whether that side has no bound
        low, high = (None, None) if intervals is None else intervals[agent]
        if not_above and not_below:
            ratings.append(Rating(None))
        elif not_above:
            ratings.append(Rating(value, None if low is None else _limit(terms, fitted, agent, anchor, 1), None, "at least"))
        elif not_below:
            ratings.append(Rating(value, None, None if high is None else _limit(terms, fitted, agent, anchor, -1), "at most"))
        else:
            ratings.append(Rating(value, low, high))
    return ratings


def _limit(terms: Likelihood, fitted: np.ndarray, agent: int, anchor: int, sign: int) -> float:
    """The finite end of the interval of a rating without a bound in the direction of `sign`, from the profile likelihood."""
    wins, counts = terms.sums(np.ones(len(terms.pattern)))
    merged_wins = wins.copy()
    merged_wins[[agent, anchor]] = 0.0, wins[agent] + wins[anchor]
    weak = 0.01  # the prior, for other unbounded agents and for the merged agent, which is left without games

    def profile(difference: float, start: np.ndarray) -> tuple[float, np.ndarray]:
        """The maximal likelihood with the agent at this difference above the anchor: the two are merged."""
        s = maximize(merged_wins, counts, terms.choice_sets.merged(agent, anchor, difference), weak, start)
        full = s.copy()
        full[agent] = s[anchor] + difference
        return log_likelihood(full, wins, counts, terms.choice_sets), s

    far = fitted[agent] - fitted[anchor] + sign * _FAR
    best, s = profile(far, fitted)
    near = far - sign * 4 * _FAR
    for _ in range(16):
        middle = (far + near) / 2
        value, s = profile(middle, s)
        if 2 * (best - value) < _CHI_SQUARE:
            far = middle
        else:
            near = middle
    return float(ELO * (far + near) / 2)


def _intervals(
    results: Results, terms: Likelihood, fitted: np.ndarray, anchor: int, bootstrap: int, seed: int, prior: float
) -> list[tuple[float, float]] | None:
    """Percentile intervals of a bootstrap over deals; the games of a deal stay together."""
    _, deal = np.unique(results.deals, return_inverse=True)
    n = int(deal.max()) + 1 if len(deal) else 0
    if n < 2 or bootstrap < 1:
        return None
    rng = np.random.default_rng(seed)
    samples = np.empty((bootstrap, results.num_agents))
    for sample in samples:
        weights = rng.multinomial(n - 1, np.full(n, 1 / n)) * (n / (n - 1))
        drawn = maximize(*terms.sums(weights[deal.reshape(-1)]), terms.choice_sets, prior, start=fitted)
        sample[:] = ELO * (drawn - drawn[anchor])
    low, high = np.percentile(samples, _INTERVAL, axis=0)
    return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def _reachable(edges: np.ndarray) -> np.ndarray:
    """bool [K, K]: whether a chain of edges leads from i to j."""
    reached = edges | np.eye(len(edges), dtype=np.bool_)
    for middle in range(len(edges)):
        reached |= reached[:, middle, None] & reached[middle]
    return reached


def head_to_head(results: Results) -> tuple[np.ndarray, np.ndarray]:
    """Points and games of each pair of agents, over all games with both.

    Returns:
        float [K, K]: points of i against j, 1 per game in which i finished ahead, 1/2 per tie; int [K, K]: games.
    """
    k, seats = results.num_agents, results.agents.shape[1]
    points, games = np.zeros((k, k)), np.zeros((k, k), np.int64)
    for a in range(seats):
        for b in range(seats):
            both = (a != b) & (results.agents[:, a] != EMPTY) & (results.agents[:, b] != EMPTY)
            pair = (results.agents[both, a], results.agents[both, b])
            ahead = np.sign(results.ranks[both, b] - results.ranks[both, a])
            np.add.at(points, pair, (1 + ahead) / 2)
            np.add.at(games, pair, 1)
    return points, games


def scores_together(results: Results) -> np.ndarray:
    """float [K, K]: the mean return of i over all games with both i and j, NaN without games."""
    k = results.num_agents
    total, games = np.zeros((k, k)), np.zeros((k, k))
    for agents, returns in zip(results.agents, results.returns, strict=True):
        seated = agents != EMPTY
        pairs = np.ix_(agents[seated], agents[seated])
        total[pairs] += returns[seated, None]
        games[pairs] += 1
    np.fill_diagonal(games, 0)
    with np.errstate(invalid="ignore"):
        return np.where(games > 0, total, np.nan) / games


@dataclass(frozen=True)
class Score:
    """The score of an agent.

    Attributes:
        games: the number of games played.
        wins: the number of games won; a shared win counts as a fraction.
        mean: the mean return; None without games.
        standard_error: the standard error of the mean, over deals; None with fewer than two deals.
    """

    games: int
    wins: float
    mean: float | None
    standard_error: float | None


def scores(results: Results) -> list[Score]:
    """The score of each agent."""
    first = (results.ranks == 0) & results.finished
    share = first / np.maximum(first.sum(axis=1, keepdims=True), 1)
    scores = []
    for agent in range(results.num_agents):
        row, seat = np.nonzero(results.agents == agent)
        if not len(row):
            scores.append(Score(0, 0.0, None, None))
            continue
        returns = results.returns[row, seat]
        mean, error = _clustered_mean(returns, results.deals[row])
        scores.append(Score(len(row), float(share[row, seat].sum()), mean, error))
    return scores


def _clustered_mean(values: np.ndarray, clusters: np.ndarray) -> tuple[float, float | None]:
    """The mean, and its standard error with values clustered by deal."""
    mean = float(values.mean())
    _, cluster = np.unique(clusters, return_inverse=True)
    excess = np.bincount(cluster, values - mean)
    n = len(excess)
    if n < 2:
        return mean, None
    return mean, float(np.sqrt((excess**2).sum() * n / (n - 1)) / len(values))


def ranks_of(returns: Sequence[float], forfeited: Sequence[bool]) -> list[int]:
    """The rank of each seat: how many finished strictly ahead. Seats that forfeited are behind all others."""
    keys = [(out, -value) if not out else (out, 0.0) for value, out in zip(returns, forfeited, strict=True)]
    return [sum(other < key for other in keys) for key in keys]
