"""Outlines as polygons around the origin, one unit high: suits, crowns, arrows. Plain numbers, no pygame."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import cos, hypot, pi, sin

Point = tuple[float, float]
Polygon = list[Point]

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
_SMOOTH = 64  # points per curve


@lru_cache(maxsize=4)
def suit(number: int) -> list[Polygon]:
    """A suit's sign as polygons to be filled; y grows downwards."""
    return {CLUBS: _club, DIAMONDS: _diamond, HEARTS: _heart, SPADES: _spade}[number]()


def ellipse(x: float, y: float, rx: float, ry: float, begin: float = 0.0, end: float = 2 * pi, count: int = _SMOOTH) -> Polygon:
    """Points of an ellipse, or of its part between two angles (0 is right, growing downwards)."""
    return [
        (x + rx * cos(begin + (end - begin) * k / count), y + ry * sin(begin + (end - begin) * k / count))
        for k in range(count + 1)
    ]


def ring_sector(inner: float, outer: float, begin: float, end: float) -> Polygon:
    """A bent bar between two radii around the origin."""
    return ellipse(0, 0, outer, outer, begin, end) + ellipse(0, 0, inner, inner, begin, end)[::-1]


def bar(a: Point, b: Point, width: float) -> Polygon:
    """A straight bar from a to b."""
    length = hypot(b[0] - a[0], b[1] - a[1]) or 1.0
    nx, ny = -(b[1] - a[1]) / length * width / 2, (b[0] - a[0]) / length * width / 2
    return [(a[0] + nx, a[1] + ny), (b[0] + nx, b[1] + ny), (b[0] - nx, b[1] - ny), (a[0] - nx, a[1] - ny)]


def star(points: int, outer: float, inner: float) -> Polygon:
    """A star with its first point up."""
    radii = (outer, inner)
    return [(radii[k % 2] * sin(pi * k / points), -radii[k % 2] * cos(pi * k / points)) for k in range(2 * points)]


def arrow_head(tip: Point, direction: float, size: float) -> Polygon:
    """A triangle whose tip points along `direction`."""
    return [tip, *((tip[0] - size * cos(direction + side), tip[1] - size * sin(direction + side)) for side in (-0.62, 0.62))]


def moved(polygon: Iterable[Point], x: float, y: float, scale: float = 1.0, flipped: bool = False) -> Polygon:
    """The polygon scaled, optionally turned upside down, then moved."""
    turn = -scale if flipped else scale
    return [(x + turn * px, y + turn * py) for px, py in polygon]


def _heart() -> list[Polygon]:
    curve = []
    for k in range(2 * _SMOOTH):
        t = pi * k / _SMOOTH
        curve.append((16 * sin(t) ** 3 / 32.5, -(13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t) + 2.6) / 29.5))
    return [curve]


def _spade() -> list[Polygon]:
    body = [(x * 0.95, -y * 0.86 - 0.08) for x, y in _heart()[0]]
    return [body, _stem(0.12)]


def _club() -> list[Polygon]:
    leaves = [ellipse(x, y, 0.235, 0.235) for x, y in ((0.0, -0.265), (-0.245, 0.1), (0.245, 0.1))]
    return [*leaves, ellipse(0, 0, 0.14, 0.14), _stem(0.02)]


def _diamond() -> list[Polygon]:
    curve = []
    for k in range(2 * _SMOOTH):
        t = pi * k / _SMOOTH
        c, s = cos(t), sin(t)
        radius = (abs(c) ** 0.88 + abs(s) ** 0.88) ** (-1 / 0.88)  # sides bent slightly inwards
        curve.append((0.4 * radius * c, 0.52 * radius * s))
    return [curve]


def _stem(top: float) -> Polygon:
    left = [(-0.03 - 0.19 * (k / 8) ** 2.2, top + (0.5 - top) * k / 8) for k in range(9)]
    return left + [(-x, y) for x, y in reversed(left)]
