"""Performance profiles as a picture: the share of games on which an agent scores more than so much, for every so much. SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...envs.core.escape import html_text
from . import statistics
from .record import Record
from .suite import ScoreError

_COLOURS = ("#2864c8", "#c8501e", "#1e8c50", "#8c3cb4", "#8a6d00", "#555555")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
_LEFT, _TOP, _WIDTH, _HEIGHT, _LEGEND = 64, 20, 560, 300, 22
_POINTS = 241  # thresholds
_ENDS = -0.5, 2.0  # the least that is shown; further where scores are, up to what follows
_FARTHEST = -2.0, 4.0
_NAME = 60  # characters


def profiles(records: Sequence[Record]) -> str:
    """A picture of the profiles of some agents, each with its 95 % band.

    Raises:
        ScoreError: one of them has no score in any game.
    """
    scored = [(record.name, record.scores()) for record in records]
    for name, scores in scored:
        if not scores.games:
            raise ScoreError(f"{name} has no score in any game, so there is no profile to draw")
    values = np.concatenate([scores.values for _, scores in scored])
    low = max(min(_ENDS[0], np.floor(values.min() * 2) / 2), _FARTHEST[0])
    high = min(max(_ENDS[1], np.ceil(values.max() * 2) / 2), _FARTHEST[1])
    thresholds = np.linspace(low, high, _POINTS)

    def x(value: float) -> float:
        return _LEFT + (value - low) / (high - low) * _WIDTH

    def y(share: float) -> float:
        return _TOP + (1 - share) * _HEIGHT

    parts = _axes(low, high, x, y)
    for number, (name, scores) in enumerate(scored):
        parts += _curve(number, name, scores, thresholds, x, y)
    height = _TOP + _HEIGHT + 54 + _LEGEND * len(scored)
    label = "Share of games with a score above a threshold"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='{label}' "
        f"viewBox='0 0 {_LEFT + _WIDTH + 30} {height}' font-family='sans-serif' font-size='12'>"
        f"<title>{label}</title><rect width='100%' height='100%' fill='white'/>{''.join(parts)}</svg>\n"
    )


def _axes(low: float, high: float, x: Callable[[float], float], y: Callable[[float], float]) -> list[str]:
    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(_line(_LEFT, y(share), _LEFT + _WIDTH, y(share), "#dddddd"))
        parts.append(_text(_LEFT - 8, y(share) + 4, f"{share:.0%}", "end"))
    for value in np.arange(low, high + 0.01, 0.5):
        parts.append(_line(x(value), y(0), x(value), y(0) + 5, "#555555"))
        parts.append(_text(x(value), y(0) + 19, f"{value:g}", "middle"))
    for value, name in ((0.0, "random"), (1.0, "rules")):
        parts.append(_line(x(value), y(1) - 4, x(value), y(0), "#999999", "4 3"))
        parts.append(_text(x(value), y(1) - 8, name, "middle"))
    parts.append(_text(_LEFT + _WIDTH / 2, y(0) + 38, "score above", "middle"))
    parts.append(
        f"<text transform='translate(16 {_TOP + _HEIGHT / 2:.1f}) rotate(-90)' text-anchor='middle'>share of games</text>"
    )
    return parts


def _curve(
    number: int,
    name: str,
    scores: statistics.Scores,
    thresholds: np.ndarray,
    x: Callable[[float], float],
    y: Callable[[float], float],
) -> list[str]:
    shares = statistics.profile(scores.values, thresholds)
    lows, highs = statistics.interval(statistics.profile(scores.draws, thresholds))
    colour, dash = _COLOURS[number % len(_COLOURS)], _DASHES[number // len(_COLOURS) % len(_DASHES)]
    over = _steps(thresholds, highs, x, y)
    under = _steps(thresholds, lows, x, y)
    label = html_text(name if len(name) <= _NAME else f"{name[: _NAME - 1]}…")
    base = _TOP + _HEIGHT + 54 + _LEGEND * number
    games = f"{len(scores.games)} games" if len(scores.games) > 1 else "1 game"
    return [
        f"<polygon points='{' '.join([*over, *under[::-1]])}' fill='{colour}' fill-opacity='0.14'/>",
        f"<polyline points='{' '.join(_steps(thresholds, shares, x, y))}' fill='none' stroke='{colour}' stroke-width='2' "
        f"stroke-dasharray='{dash}'><title>{html_text(name)}</title></polyline>",
        f"<line x1='{_LEFT}' x2='{_LEFT + 28}' y1='{base}' y2='{base}' stroke='{colour}' stroke-width='2' "
        f"stroke-dasharray='{dash}'/>",
        f"<text x='{_LEFT + 36}' y='{base + 4}'>{label} ({games})</text>",
    ]


def _steps(thresholds: np.ndarray, shares: np.ndarray, x: Callable[[float], float], y: Callable[[float], float]) -> list[str]:
    """The corners of a curve that goes down in steps."""
    points = [(thresholds[0], shares[0])]
    for threshold, share in zip(thresholds[1:], shares[1:], strict=True):
        if share != points[-1][1]:
            points += [(threshold, points[-1][1]), (threshold, share)]
    points.append((thresholds[-1], shares[-1]))
    return [f"{x(threshold):.1f},{y(share):.1f}" for threshold, share in points]


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, dash: str = "") -> str:
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}' stroke-dasharray='{dash}'/>"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='#333333'>{text}</text>"
