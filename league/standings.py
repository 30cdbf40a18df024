"""The ranking and the head-to-head results of a league."""

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
    """One line of the ranking.

    Attributes:
        agent: the agent's name.
        rating: Elo points above the anchor; None if no chain of results connects the agent to the anchor.
        low, high: the 95 % interval of the rating over deals; None on an open side, without a rating, or with fewer than two
            deals.
        bound: "at least" or "at most" if the results bound the rating on one side only, else "" (see `ratings.Rating`).
        games: matches played.
        wins: matches won; a shared win counts as a fraction.
        score, score_error: the mean score and its standard error over deals; None with too few games. A score is the return
            (for a team the mean over its seats), in chips in a game about money.
        forfeits: the number of forfeited matches of each kind.
        disqualified: whether the agent gets no more matches.
        note: a remark for the reader, or "".
        second_score: the mean score in the table's second unit; None without games or without such a unit.
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
        """The 95 % interval of the mean score over deals; None with too few games."""
        if self.score is None or self.score_error is None:
            return None
        return self.score - 1.96 * self.score_error, self.score + 1.96 * self.score_error


@dataclass(frozen=True)
class Table:
    """The ranking, best first: by rating, or in a game about money by mean chips. Agents without one come last.

    Attributes:
        rows: one per agent.
        anchor: the agent whose rating is 0.
        matches, deals: the numbers of matches and deals that the ratings are based on.
        unit: the unit of scores: "chips" in a game about money, else "".
        second_unit: a second unit of mean scores, such as "mbb/hand", or "".
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
        agents: K names.
        points: float [K, K], points of the row's agent against the column's: 1 for each match in which it finished ahead, 1/2
            for a tie.
        games: int [K, K], the number of matches with both.
        scores: float [K, K], the mean score of the row's agent in the matches with both; NaN without such matches.
        unit: the unit of scores: "chips" in a game about money, else "".
    """

    agents: list[str]
    points: np.ndarray
    games: np.ndarray
    scores: np.ndarray
    unit: str = ""

    @property
    def share(self) -> np.ndarray:
        """float [K, K]: points / games, NaN without games."""
        with np.errstate(invalid="ignore"):
            return self.points / self.games


@dataclass(frozen=True)
class Failure:
    """A forfeit.

    Attributes:
        match: the match's id.
        seat, agent: who forfeited.
        status: one of `FORFEITS`.
        message: what happened.
    """

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
        forfeits: at most one per agent and match.
        disqualified: the names of the agents that get no more matches.
        units: the units of scores, each with its amount per return of 1.
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
            raise LeagueError(f"the anchor {anchor!r} is not an agent of this league; agents: {', '.join(names)}")
        return names.index(anchor)
    return names.index("random") if "random" in names else specs.index("random") if "random" in specs else 0


def _note(rating: ratings.Rating, games: int, disqualified: bool, anchor: str) -> str:
    notes = []
    if games == 0:
        notes.append("no games")
    elif rating.value is None:
        notes.append(f"not rated: no chain of results connects it to {anchor}")
    elif rating.bound == "at least":
        notes.append(f"no upper bound: {anchor} never finished ahead of it, nor of anyone who did")
    elif rating.bound == "at most":
        notes.append(f"no lower bound: it never finished ahead of {anchor}, nor of anyone who did")
    if disqualified:
        notes.append("disqualified")
    return "; ".join(notes)
