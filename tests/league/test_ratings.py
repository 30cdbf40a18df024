"""Ratings against brute force, closed forms and synthetic leagues of known strengths."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wilddeck.league import ratings
from wilddeck.league.ratings import ELO, EMPTY, Results

NO_PRIOR = 1e-9


def results(games: list[tuple[list[int], list[int]]], num_agents: int, deals: list[int] | None = None) -> Results:
    """Games as (agents, ranks)."""
    width = max(len(agents) for agents, _ in games)
    agents = np.array([list(row) + [EMPTY] * (width - len(row)) for row, _ in games])
    ranks = np.array([list(row) + [0] * (width - len(row)) for _, row in games])
    return Results(num_agents, agents, ranks, -ranks.astype(float), np.array(deals or range(len(games))))


def values(rated: list[ratings.Rating]) -> list[float | None]:
    return [rating.value for rating in rated]


def synthetic(rng: np.random.Generator, strengths: np.ndarray, count: int, seats: int, ties: str) -> Results:
    """Games by the model itself: exponential arrival times with the strengths as rates."""
    agents = np.array([rng.choice(len(strengths), seats, replace=False) for _ in range(count)])
    times = rng.exponential(np.exp(-strengths[agents]))
    if ties == "rounded":
        times = np.ceil(times * 8)
    ranks = np.array([[sum(other < own for other in row) for own in row] for row in times])
    if ties == "losers":
        ranks = np.minimum(ranks, 1)
    return Results(len(strengths), agents, ranks, -ranks.astype(float), np.arange(count))


def brute_log_likelihood(s: np.ndarray, agents: list[int], ranks: list[int]) -> float:
    """Efron's approximation written out from its definition: m tied agents leave one after another, each one by m-ths."""
    total = 0.0
    for rank in sorted(set(ranks)):
        tied = [a for a, r in zip(agents, ranks, strict=True) if r == rank]
        behind = [a for a, r in zip(agents, ranks, strict=True) if r > rank]
        if not behind and len(tied) < len(agents):
            continue
        for k in range(len(tied) if behind else len(tied) - 1):
            pool = sum(math.exp(s[a]) for a in behind) + (1 - k / len(tied)) * sum(math.exp(s[a]) for a in tied)
            total += sum(s[a] for a in tied) / len(tied) - math.log(pool)
    return total


@given(
    st.lists(
        st.tuples(st.permutations(range(4)), st.integers(2, 4), st.lists(st.integers(0, 3), min_size=4, max_size=4)),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=60, deadline=None)
def test_terms_equal_the_likelihood_written_out(drawn: list[tuple[list[int], int, list[int]]]) -> None:
    games = [(list(agents[:size]), ranks[:size]) for agents, size, ranks in drawn]
    terms = ratings.likelihood(results(games, 4))
    s = np.array([0.3, -1.0, 0.8, 0.1])
    ours = ratings.log_likelihood(s, *terms.sums(np.ones(len(games))), terms.choice_sets)
    assert ours == pytest.approx(sum(brute_log_likelihood(s, *game) for game in games), abs=1e-9)


def test_the_fit_is_the_maximum() -> None:
    rng = np.random.default_rng(1)
    drawn = synthetic(rng, np.array([0.0, 0.5, 1.0, -0.5]), 60, 3, "rounded")
    games = [(row.tolist(), ranks.tolist()) for row, ranks in zip(drawn.agents, drawn.ranks, strict=True)]
    terms = ratings.likelihood(drawn)
    fitted = ratings.maximize(*terms.sums(np.ones(60)), terms.choice_sets, prior=0.7)

    def penalized(s: np.ndarray) -> float:
        prior = sum(0.7 * (x / 2 - math.log(1 + math.exp(x))) for x in s)
        return sum(brute_log_likelihood(s, *game) for game in games) + prior

    best = penalized(fitted)
    for step in itertools.product((-0.01, 0.0, 0.01), repeat=4):
        assert penalized(fitted + step) <= best + 1e-9


def test_ties_agree_with_the_average_over_all_orders() -> None:
    """Efron's sum stands for averaging the log-likelihood over the orders the tie leaves open."""

    def orders(s: np.ndarray, tied: list[int], behind: list[int]) -> float:
        likelihoods = []
        for order in itertools.permutations(tied):
            pool, total = [*order, *behind], 0.0
            while len(pool) > len(behind):
                total += s[pool[0]] - math.log(sum(math.exp(s[a]) for a in pool))
                pool.pop(0)
            likelihoods.append(total)
        return float(np.mean(likelihoods))

    for s in (np.array([0.2, -0.2, 0.0, 0.1]), np.array([0.6, 0.0, -0.5, 0.3])):
        for tied, behind in (([0, 1], [2]), ([0, 1], [2, 3]), ([0, 1, 3], [2])):
            ranks = [0] * len(tied) + [1] * len(behind)
            assert brute_log_likelihood(s, tied + behind, ranks) == pytest.approx(orders(s, tied, behind), abs=0.06)


def test_two_players_are_wins_over_losses_and_a_draw_is_half_of_each() -> None:
    games = [([0, 1], [0, 1])] * 3 + [([1, 0], [0, 1])] + [([0, 1], [0, 0])] * 2
    rated = ratings.rate(results(games, 2), anchor=1, bootstrap=0, prior=NO_PRIOR)
    assert values(rated) == pytest.approx([400 * math.log10(4 / 2), 0])


def test_winners_of_a_full_table_are_rated_by_their_wins() -> None:
    games = [([0, 1, 2], [0, 1, 1])] * 2 + [([1, 0, 2], [0, 1, 1])] * 4 + [([2, 1, 0], [0, 1, 1])] * 8
    rated = ratings.rate(results(games, 3), anchor=0, bootstrap=0, prior=NO_PRIOR)
    assert values(rated) == pytest.approx([0, 400 * math.log10(2), 400 * math.log10(4)], abs=1e-3)


def test_losers_tied_for_last_place_say_nothing_about_each_other() -> None:
    won = [([0, 1], [0, 1])] * 5 + [([1, 0], [0, 1])] * 3
    third = [([0, 1, 2], [0, 1, 1])] * 4 + [([1, 0, 2], [0, 1, 1])] * 4
    a = values(ratings.rate(results(won, 3), 0, 0, prior=NO_PRIOR))
    b = values(ratings.rate(results(won + third, 3), 0, 0, prior=NO_PRIOR))
    assert a[1] is not None and b[1] is not None and abs(b[1]) < abs(a[1])
    # whoever loses beside agent 2 is not drawn to it
    only = [([0, 1, 2], [0, 1, 1])] * 4 + [([1, 0, 2], [0, 1, 1])] * 8
    assert values(ratings.rate(results(only, 3), 0, 0, prior=NO_PRIOR))[1] == pytest.approx(400 * math.log10(2), abs=0.5)


def test_who_forfeits_loses_to_all_and_says_nothing_about_the_others() -> None:
    """Agents 1 and 2 lose to 0 and are not told apart, whether or not 3 forfeits beside them."""
    games = [([0, 1, 2], [0, 1, 1])] * 6 + [([1, 2, 0], [0, 1, 1])] * 4 + [([2, 0, 1], [0, 1, 1])] * 1
    plain = results(games, 4)
    with_a_loser = [([*agents, 3], [*ranks, 3]) for agents, ranks in games]
    wide = results(with_a_loser, 4)
    forfeits = np.zeros(wide.agents.shape, np.bool_)
    forfeits[:, 3] = True
    with_forfeits = Results(4, wide.agents, wide.ranks, wide.returns, wide.deals, forfeits)
    a, b = (ratings.rate(games_played, 0, 0, prior=0.01) for games_played in (plain, with_forfeits))
    assert values(b)[:3] == pytest.approx(values(a)[:3], abs=2)
    assert b[3].bound == "at most" and b[3].value is not None and b[3].value < min(values(a)[:3])  # type: ignore[type-var]
    shared = values(
        ratings.rate(wide, 0, 0, prior=0.01)
    )  # the same as places: 1 and 2 shared theirs, and are drawn to each other
    assert abs(shared[1] - shared[2]) < abs(a[1].value - a[2].value) - 40  # type: ignore[operator]


def test_a_game_that_all_forfeit_has_no_winner() -> None:
    games = results([([0, 1], [0, 0])] * 3, 2)
    games = Results(2, games.agents, games.ranks, games.returns, games.deals, np.ones((3, 2), np.bool_))
    assert values(ratings.rate(games, 0, 0)) == [0, None]
    assert [score.wins for score in ratings.scores(games)] == [0, 0]


@pytest.mark.parametrize(("ties", "within"), [("none", 60), ("losers", 90), ("rounded", 60)])
@pytest.mark.parametrize("seats", [2, 4])
def test_known_strengths_are_recovered(ties: str, within: float, seats: int) -> None:
    strengths = np.linspace(-1.2, 1.2, 6)
    drawn = synthetic(np.random.default_rng(7), strengths, 3000, seats, ties)
    rated = np.array(values(ratings.rate(drawn, 0, 0)), float)
    true = ELO * (strengths - strengths[0])
    if ties == "rounded":  # a tie between unequals is read as a sign of closeness, so the scale shrinks; the order stays
        assert np.all(np.diff(rated) > 0) and np.corrcoef(rated, true)[0, 1] > 0.995
    else:
        assert np.abs(rated - true).max() < within


def test_tables_of_different_size_are_rated_together() -> None:
    rng = np.random.default_rng(3)
    strengths = np.array([0.0, 0.7, -0.7, 1.2, 0.2])
    parts = [synthetic(rng, strengths, 800, seats, "none") for seats in (2, 3, 5)]
    games = [(row.tolist(), ranks.tolist()) for part in parts for row, ranks in zip(part.agents, part.ranks, strict=True)]
    rated = np.array(values(ratings.rate(results(games, 5), 0, 0)), float)
    assert np.abs(rated - ELO * (strengths - strengths[0])).max() < 50


def test_neither_order_of_games_nor_of_seats_matters() -> None:
    drawn = synthetic(np.random.default_rng(5), np.array([0.0, 0.4, -0.3, 0.9]), 80, 3, "rounded")
    order = np.random.default_rng(6).permutation(80)
    seats = [2, 0, 1]
    other = Results(4, *(array[order][:, seats] for array in (drawn.agents, drawn.ranks, drawn.returns)), drawn.deals[order])
    assert values(ratings.rate(other, 1, 0)) == pytest.approx(values(ratings.rate(drawn, 1, 0)))
    a, b = ratings.rate(drawn, 1, 40), ratings.rate(other, 1, 40)
    assert [rating.low for rating in a] == pytest.approx([rating.low for rating in b])


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng, strengths = np.random.default_rng(11), np.array([0.0, 0.3, -0.4, 0.6])
    covered = []
    for _ in range(40):
        rated = ratings.rate(synthetic(rng, strengths, 150, 3, "none"), 0, 100)
        for rating, strength in zip(rated[1:], strengths[1:], strict=True):
            assert rating.low is not None and rating.high is not None
            covered.append(rating.low <= ELO * strength <= rating.high)
    assert 0.87 <= np.mean(covered) <= 0.995


def test_games_of_a_deal_are_resampled_together() -> None:
    """Four games that repeat each other are one observation if they share a deal, and four if they do not."""
    drawn = synthetic(np.random.default_rng(2), np.array([0.0, 0.5, 0.2]), 100, 3, "none")
    four = [np.repeat(array, 4, axis=0) for array in (drawn.agents, drawn.ranks, drawn.returns)]

    def width(deals: np.ndarray, columns: list[np.ndarray]) -> float:
        rated = ratings.rate(Results(3, *columns, deals), 0, 1000)[1]
        assert rated.low is not None and rated.high is not None
        return rated.high - rated.low

    single = width(drawn.deals, [drawn.agents, drawn.ranks, drawn.returns])
    assert width(np.repeat(drawn.deals, 4), four) == pytest.approx(single, rel=0.03)
    assert width(np.arange(400), four) == pytest.approx(single / 2, rel=0.15)


def test_an_unbeaten_agent_has_a_lower_bound_only() -> None:
    n = 30
    games = [([0, 1], [0, 1])] * n + [([1, 2], [0, 1])] * 10 + [([2, 1], [0, 1])] * 10
    rated = ratings.rate(results(games, 3), anchor=1, bootstrap=100)
    assert rated[0].bound == "at least" and rated[0].high is None
    assert rated[0].value is not None and math.isfinite(rated[0].value)
    p = math.exp(-3.841 / 2 / n)  # n wins of n have this probability of a win at the end of the interval
    assert rated[0].low == pytest.approx(ELO * math.log(p / (1 - p)), abs=8)
    assert rated[2].bound == "" and rated[2].low is not None and rated[2].high is not None
    below = ratings.rate(results(games, 3), anchor=0, bootstrap=100)
    assert below[1].bound == "at most" and below[1].low is None
    assert below[1].high == pytest.approx(-ELO * math.log(p / (1 - p)), abs=8)


def test_agents_that_nothing_compares_with_the_anchor_get_no_number() -> None:
    games = [([0, 1], [0, 1]), ([1, 0], [0, 1]), ([2, 3], [0, 1]), ([3, 2], [0, 1])]
    rated = ratings.rate(results(games, 5), anchor=0, bootstrap=20)
    assert rated[0].value == 0 and rated[1].value is not None
    assert values(rated)[2:] == [None, None, None]
    # both only ever won against 2: neither way is there a chain between 0 and 1
    games = [([0, 2], [0, 1])] * 5 + [([1, 2], [0, 1])] * 50
    assert values(ratings.rate(results(games, 3), anchor=0, bootstrap=20))[1] is None


def test_one_deal_gives_no_interval() -> None:
    rated = ratings.rate(results([([0, 1], [0, 1]), ([1, 0], [0, 1])], 2, [0, 0]), 0)
    assert rated[1].value == pytest.approx(0) and rated[1].low is None and rated[1].high is None


def test_no_games_at_all() -> None:
    empty = Results(2, np.zeros((0, 2), int), np.zeros((0, 2), int), np.zeros((0, 2)), np.zeros(0, int))
    rated = ratings.rate(empty, 0)
    assert values(rated) == [0, None]
    assert [score.games for score in ratings.scores(empty)] == [0, 0]


def test_head_to_head_counts_pairs_at_every_table() -> None:
    points, games = ratings.head_to_head(results([([0, 1, 2], [0, 1, 1]), ([2, 0], [0, 1])], 3))
    assert games.tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    assert points.tolist() == [[0, 1, 1], [0, 0, 0.5], [1, 0.5, 0]]


def test_scores_and_their_errors_over_deals() -> None:
    returns = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, -1.0]])
    agents, ranks = np.array([[0, 1]] * 4), (returns < 0).astype(int)
    score = ratings.scores(Results(3, agents, ranks, returns, np.arange(4)))
    assert (score[0].games, score[0].wins, score[0].mean) == (4, 3, 0.5)
    assert score[0].standard_error == pytest.approx(returns[:, 0].std(ddof=1) / 2)
    assert (score[2].games, score[2].mean, score[2].standard_error) == (0, None, None)
    paired = ratings.scores(Results(2, agents, ranks, returns, np.array([0, 0, 1, 1])))  # deal means 0 and 1
    assert paired[0].standard_error == pytest.approx(np.std([0, 1], ddof=1) / math.sqrt(2))
    shared = ratings.scores(Results(2, agents[:1], np.array([[0, 0]]), returns[:1], np.zeros(1, int)))
    assert shared[0].wins == 0.5 and shared[0].standard_error is None


def test_places() -> None:
    assert ratings.ranks_of([1.0, -1.0, 1.0, -1.0], [False] * 4) == [0, 2, 0, 2]
    assert ratings.ranks_of([1.0, 5.0, -1.0], [False, True, False]) == [0, 2, 1]
    assert ratings.ranks_of([1.0, 5.0, 7.0], [False, True, True]) == [0, 1, 1]
