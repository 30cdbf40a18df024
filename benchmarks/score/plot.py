"""Performance profiles as an SVG chart: the share of games on which an agent scores above a threshold, by threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...envs.core.render import chart
from ...envs.core.render.chart import Scale, line, text
from . import statistics
from .record import Record
from .suite import ScoreError

_POINTS = 241  # thresholds
_ENDS = -0.5, 2.0  # the minimal range shown; it grows with the scores
_FARTHEST = -2.0, 4.0


def profiles(records: Sequence[Record]) -> str:
    """The chart of the profiles of some agents, each with a 95 % band.

    Raises:
        ScoreError: an agent has no score in any game.
    """
    scored = [(record.name, record.scores()) for record in records]
    for name, scores in scored:
        if not scores.games:
            raise ScoreError(f"{name} has no score in any game, so there is no profile to draw")
    values = np.concatenate([scores.values for _, scores in scored])
    low = max(min(_ENDS[0], np.floor(values.min() * 2) / 2), _FARTHEST[0])
    high = min(max(_ENDS[1], np.ceil(values.max() * 2) / 2), _FARTHEST[1])
    thresholds = np.linspace(low, high, _POINTS)
    x, y = chart.scales(low, high, 0, 1)
    parts = _axes(low, high, x, y)
    for number, (name, scores) in enumerate(scored):
        parts += _curve(number, name, scores, thresholds, x, y)
    return chart.document("Share of games with a score above a threshold", parts, len(scored))


def _axes(low: float, high: float, x: Scale, y: Scale) -> list[str]:
    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(line(x(low), y(share), x(high), y(share), "#dddddd"))
        parts.append(text(x(low) - 8, y(share) + 4, f"{share:.0%}", "end"))
    for value in np.arange(low, high + 0.01, 0.5):
        parts.append(line(x(value), y(0), x(value), y(0) + 5, "#555555"))
        parts.append(text(x(value), y(0) + 19, f"{value:g}", "middle"))
    for value, name in ((0.0, "random"), (1.0, "rules")):
        parts.append(line(x(value), y(1) - 4, x(value), y(0), "#999999", "4 3"))
        parts.append(text(x(value), y(1) - 8, name, "middle"))
    return [*parts, *chart.names("score above", "share of games")]


def _curve(number: int, name: str, scores: statistics.Scores, thresholds: np.ndarray, x: Scale, y: Scale) -> list[str]:
    shares = statistics.profile(scores.values, thresholds)
    lows, highs = statistics.interval(statistics.profile(scores.draws, thresholds))
    games = f"{len(scores.games)} games" if len(scores.games) > 1 else "1 game"
    return [
        chart.band(_steps(thresholds, highs, x, y), _steps(thresholds, lows, x, y), number),
        chart.curve(_steps(thresholds, shares, x, y), number, name),
        *chart.legend(number, name, f" ({games})"),
    ]


def _steps(thresholds: np.ndarray, shares: np.ndarray, x: Scale, y: Scale) -> list[str]:
    """The corners of a descending step curve."""
    points = [(thresholds[0], shares[0])]
    for threshold, share in zip(thresholds[1:], shares[1:], strict=True):
        if share != points[-1][1]:
            points += [(threshold, points[-1][1]), (threshold, share)]
    points.append((thresholds[-1], shares[-1]))
    return [f"{x(threshold):.1f},{y(share):.1f}" for threshold, share in points]
