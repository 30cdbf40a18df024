"""What follows from a league's results: the ranking and the head-to-head."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from . import ratings
from .errors import LeagueError
from .match import FORFEITS, Entry


@dataclass(frozen=True)
class Row:
    """A line of the ranking.

    Attributes:
        agent: its name.
        rating: Elo points above the anchor, None if the games do not compare it with the anchor.
        low, high: 95 % interval of the rating over deals; None where open, without rating or with fewer than two deals.
        bound: "at least" or "at most" where the games bound the rating on one side only, else "" (see `ratings.Rating`).
        games: matches played.
        wins: matches won; shared ones count by their share.
        score, score_error: mean score and its standard error over deals; None without games, or too few. A score is the return,
            of a team the mean of its seats'; in a game about money in chips.
        forfeits: forfeited matches by kind.
        disqualified: it gets no more matches.
        note: what a reader must know, "" if nothing.
        second_score: the mean score in the table's second unit; None without games, or without such a unit.
    """

    agent: str
    rating: float | None
    low: float | None
    high: float | None
    bound: str
    games: int
    wins: float
    score: float | None
    score_error: float | None
    forfeits: dict[str, int]
    disqualified: bool
    note: str
    second_score: float | None = None

    @property
    def score_interval(self) -> tuple[float, float] | None:
        """95 % interval of the mean score, over deals; None without games, or too few."""
        if self.score is None or self.score_error is None:
            return None
        return self.score - 1.96 * self.score_error, self.score + 1.96 * self.score_error


@dataclass(frozen=True)
class Table:
    """The ranking, best first: by rating, in a game about money by mean chips. Agents without one come last.

    Attributes:
        rows: a line an agent.
        anchor: the agent whose rating is 0.
        matches, deals: how many the ratings come from.
        unit: of the scores: "chips" in a game about money, else "".
        second_unit: what mean scores are told in besides, "mbb/hand" for example; "" if nothing.
    """

    rows: list[Row]
    anchor: str
    matches: int
    deals: int
    unit: str = ""
    second_unit: str = ""


@dataclass(frozen=True, eq=False)
class Matrix:
    """Head-to-head results in the order of `agents`.

    Attributes:
        points: float [K, K], of the row's agent against the column's: 1 a match in which it finished ahead, 1/2 if tied.
        games: int [K, K], matches in which both sat.
        scores: float [K, K], mean score of the row's agent in matches in which both sat; NaN where there are none.
        unit: of the scores: "chips" in a game about money, else "".
    """

    agents: list[str]
    points: np.ndarray
    games: np.ndarray
    scores: np.ndarray
    unit: str = ""

    @property
    def share(self) -> np.ndarray:
        """float [K, K]: points / games, NaN where there are none."""
        with np.errstate(invalid="ignore"):
            return self.points / self.games


@dataclass(frozen=True)
class Failure:
    """A forfeited seat."""

    match: str
    seat: int
    agent: str
    status: str
    message: str


def rank(
    entries: Sequence[Entry],
    results: ratings.Results,
    forfeits: Iterable[Failure],
    disqualified: Collection[str],
    units: Mapping[str, float],
    anchor: str | None,
    bootstrap: int,
) -> Table:
    """The ranking; see `League.table`.

    Args:
        forfeits: one of each agent in each match.
        disqualified: the names of those who get no more matches.
        units: what scores are told in, and how many of each a return of 1 is.
    """
    base = _anchor([entry.name for entry in entries], [entry.spec for entry in entries], anchor)
    failures: dict[str, Counter[str]] = {entry.name: Counter() for entry in entries}
    for failure in forfeits:
        failures[failure.agent][failure.status] += 1
    rated = ratings.rate(results, base, bootstrap)
    (unit, whole), (second_unit, parts) = [*units.items(), ("", 0.0), ("", 0.0)][:2]
    rows = []
    for entry, rating, score in zip(entries, rated, ratings.scores(results), strict=True):
        out = entry.name in disqualified
        if score.games == 0:
            rating = ratings.Rating(None)
        counts = {kind: failures[entry.name][kind] for kind in FORFEITS if failures[entry.name][kind]}
        note = _note(rating, score.games, out, entries[base].name)
        second = score.mean / whole * parts if second_unit and score.mean is not None else None
        cells: Any = (entry.name, *astuple(rating), *astuple(score), counts, out, note, second)
        rows.append(Row(*cells))
    order = {row.agent: row.score if unit else row.rating for row in rows}
    rows.sort(key=lambda row: math.inf if (value := order[row.agent]) is None else -value)  # the best first
    return Table(rows, entries[base].name, len(results.deals), len(np.unique(results.deals)), unit, second_unit)


def _anchor(names: list[str], specs: list[str], anchor: str | None) -> int:
    if anchor is not None:
        if anchor not in names:
            raise LeagueError(f"no agent {anchor!r} to anchor the ratings at; agents: {', '.join(names)}")
        return names.index(anchor)
    return names.index("random") if "random" in names else specs.index("random") if "random" in specs else 0


def _note(rating: ratings.Rating, games: int, disqualified: bool, anchor: str) -> str:
    notes = []
    if games == 0:
        notes.append("no games")
    elif rating.value is None:
        notes.append(f"not rated: its games do not compare it with {anchor}, not even by way of others")
    elif rating.bound == "at least":
        notes.append(f"no upper bound: {anchor} never finished ahead of it, nor of anyone who did")
    elif rating.bound == "at most":
        notes.append(f"no lower bound: it never finished ahead of {anchor}, nor of anyone who did")
    if disqualified:
        notes.append("disqualified")
    return "; ".join(notes)
