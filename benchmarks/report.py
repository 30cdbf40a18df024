"""A self-contained HTML page about leagues: rankings with intervals, learning curve, head-to-head scores, a replay.

It loads no external scripts or styles and works as a local file. `wilddeck demo` writes one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..envs.core.cards import HIDDEN, RANK_TEXT, SPECIAL_TEXT, STANDARD, SUIT_SYMBOLS
from ..envs.core.escape import html_text as _text
from ..envs.core.escape import json_in_html
from ..envs.core.files import write_atomically


@dataclass(frozen=True)
class Standing:
    """A row of a ranking: rating in Elo points with its 95 % interval (None if open), mean score per game with its
    standard error."""

    name: str
    rating: float
    low: float | None
    high: float | None
    mean: float
    mean_error: float
    games: int
    forfeits: int = 0


@dataclass(frozen=True)
class Frame:
    """A position of a replay: the action that led to it, its player, and the cards by zone."""

    move: str
    text: str
    zones: dict[str, list[int]]


@dataclass(frozen=True)
class GameReport:
    """The page's content for a game. `curve` holds (steps, {opponent: win rate}); `matrix[i][j]` agent i's share of points
    against agent j, None if they never met."""

    title: str
    standings: Sequence[Standing]
    names: Sequence[str] = ()
    matrix: Sequence[Sequence[float | None]] = ()
    curve: Sequence[tuple[int, dict[str, float]]] = ()
    base_rate: float = 0.0
    replay: Sequence[Frame] = ()
    replay_title: str = ""
    notes: Sequence[str] = field(default_factory=tuple)


def write(path: Path, title: str, introduction: str, games: Sequence[GameReport]) -> None:
    """Write the page.

    Raises:
        OSError: the file cannot be written.
    """
    template = Path(__file__).with_name("report.html").read_text(encoding="utf-8")
    body = "".join(_game_section(report, number) for number, report in enumerate(games))
    parts = {"title": _text(title), "introduction": _text(introduction), "body": body}
    write_atomically(path, re.sub(r"{{(\w+)}}", lambda match: parts[match[1]], template).encode())


def _game_section(report: GameReport, number: int) -> str:
    parts = [f"<section><h2>{_text(report.title)}</h2>"]
    parts += [f"<p class='note'>{_text(note)}</p>" for note in report.notes]
    parts.append("<h3>Ranking</h3>" + ranking_svg(report.standings) + _standings_table(report.standings))
    if report.curve:
        parts.append("<h3>Learning curve</h3>" + curve_svg(report.curve, report.base_rate))
    if report.matrix:
        parts.append("<h3>Head to head</h3>" + _matrix_table(report.names, report.matrix))
    if report.replay:
        parts.append(_replay(report, number))
    return "".join(parts) + "</section>"


def ranking_svg(standings: Sequence[Standing]) -> str:
    """Ratings as dots with their 95 % intervals, best first; an open interval goes to the edge."""
    if not standings:
        return ""
    ends = [end for s in standings for end in (s.low, s.rating, s.high, 0.0) if end is not None]
    low, high = min(ends), max(ends)
    ticks = _ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    left, width, row = 190, 520, 34
    bottom = row * len(standings) + 12

    def x(value: float) -> float:
        return left + (value - low) / (high - low or 1) * width

    lines = [f"<line class='grid' x1='{x(t):.1f}' x2='{x(t):.1f}' y1='6' y2='{bottom}'/>" for t in ticks]
    lines += [f"<text class='tick' x='{x(t):.1f}' y='{bottom + 16}' text-anchor='middle'>{t:g}</text>" for t in ticks]
    for place, s in enumerate(standings):
        y = 6 + row * place + row / 2
        tip = f"{s.name}: {s.rating:.0f} ({_interval(s)})"
        begin, end = x(low if s.low is None else s.low), x(high if s.high is None else s.high)
        lines.append(
            f"<g><title>{_text(tip)}</title>"
            f"<text class='name' x='{left - 14}' y='{y + 4}' text-anchor='end'>{_label(s.name, 22)}</text>"
            f"<line class='interval' x1='{begin:.1f}' x2='{end:.1f}' y1='{y}' y2='{y}'/>"
            f"<circle class='dot' cx='{x(s.rating):.1f}' cy='{y}' r='5'/></g>"
        )
    lines.append(
        f"<text class='tick' x='{left + width / 2}' y='{bottom + 34}' text-anchor='middle'>Elo points, random = 0</text>"
    )
    return _svg(left + width + 30, bottom + 42, lines, "Ratings with 95 % intervals")


def _interval(s: Standing) -> str:
    low = "-∞" if s.low is None else f"{s.low:.0f}"
    return f"{low} to {'∞' if s.high is None else f'{s.high:.0f}'}"


def curve_svg(curve: Sequence[tuple[int, dict[str, float]]], base_rate: float) -> str:
    """Win rates over steps, one line per opponent, labelled at its end; dashed: the rate of an equal player."""
    names = sorted({name for _, rates in curve for name in rates})
    left, top, width, height = 56, 12, 560, 220
    last = max(steps for steps, _ in curve) or 1

    def point(steps: float, rate: float) -> tuple[float, float]:
        return left + steps / last * width, top + (1 - rate) * height

    lines = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = point(0, share)[1]
        lines.append(f"<line class='grid' x1='{left}' x2='{left + width}' y1='{y:.1f}' y2='{y:.1f}'/>")
        lines.append(f"<text class='tick' x='{left - 8}' y='{y + 4:.1f}' text-anchor='end'>{share:.0%}</text>")
    if base_rate:
        y = point(0, base_rate)[1]
        lines.append(f"<line class='base' x1='{left}' x2='{left + width}' y1='{y:.1f}' y2='{y:.1f}'/>")
    ends: list[float] = []
    for number, name in enumerate(names):
        points = [point(steps, rates[name]) for steps, rates in curve if name in rates]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        lines.append(f"<polyline class='curve c{number % 4}' points='{path}'><title>against {_text(name)}</title></polyline>")
        end_y = points[-1][1] + 4
        while any(abs(end_y - other) < 14 for other in ends):
            end_y += 14
        ends.append(end_y)
        lines.append(f"<circle class='end c{number % 4}' cx='{points[-1][0]:.1f}' cy='{points[-1][1]:.1f}' r='4'/>")
        lines.append(f"<text class='name' x='{points[-1][0] + 10:.1f}' y='{end_y:.1f}'>against {_label(name, 16)}</text>")
    middle = left + width / 2
    lines.append(f"<text class='tick' x='{left}' y='{top + height + 18}'>0</text>")
    lines.append(f"<text class='tick' x='{left + width}' y='{top + height + 18}' text-anchor='end'>{last:,}</text>")
    lines.append(
        f"<text class='tick' x='{middle}' y='{top + height + 34}' text-anchor='middle'>learner steps; share of wins</text>"
    )
    return _svg(left + width + 200, top + height + 42, lines, "Share of wins during training")


def _standings_table(standings: Sequence[Standing]) -> str:
    rows = "".join(
        f"<tr><th>{place}</th><th>{_text(s.name)}</th><td>{s.rating:.0f}</td><td>{_interval(s)}</td>"
        f"<td>{s.mean:+.3f} &plusmn; {s.mean_error:.3f}</td><td>{s.games}</td><td>{s.forfeits or ''}</td></tr>"
        for place, s in enumerate(standings, 1)
    )
    names = ("", "agent", "rating", "95 % interval", "mean score", "games", "forfeits")
    heading = "<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"
    return f"<table><thead>{heading}</thead><tbody>{rows}</tbody></table>"


def _matrix_table(names: Sequence[str], matrix: Sequence[Sequence[float | None]]) -> str:
    heading = "".join(f"<th>{_text(name)}</th>" for name in names)
    rows = []
    for name, values in zip(names, matrix, strict=True):
        cells = []
        for value in values:
            if value is None or math.isnan(value):
                cells.append("<td class='none'>&middot;</td>")
            else:
                side, strength = ("win", value - 0.5) if value >= 0.5 else ("loss", 0.5 - value)
                cells.append(f"<td class='{side}' style='--strength:{strength * 2:.2f}'>{value:.0%}</td>")
        rows.append(f"<tr><th>{_text(name)}</th>{''.join(cells)}</tr>")
    note = "<p class='note'>Share of points of the row's agent when both sit at one table: higher score 1, equal 1/2.</p>"
    return f"{note}<table class='matrix'><thead><tr><th></th>{heading}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _replay(report: GameReport, number: int) -> str:
    frames = [{"move": f.move, "text": f.text, "zones": f.zones} for f in report.replay]
    data = json_in_html({"frames": frames, "cards": CARD_FACES, "hidden": HIDDEN})
    return (
        f"<h3>Replay</h3><p class='note'>{_text(report.replay_title)}</p>"
        f"<div class='replay' data-replay='replay-{number}'></div>"
        f"<script type='application/json' id='replay-{number}'>{data}</script>"
    )


def _card_faces() -> list[tuple[str, str, bool]]:
    """Corner text, symbol and redness of each card id."""
    faces = [(RANK_TEXT[card // 4], SUIT_SYMBOLS[card % 4], card % 4 in (1, 2)) for card in range(STANDARD)]
    faces += [("Jk", "★", False), ("Jk", "★", True)]
    faces += [(special, SUIT_SYMBOLS[suit], suit in (1, 2)) for special in SPECIAL_TEXT for suit in range(4)]
    return faces


CARD_FACES = _card_faces()


def _label(name: str, length: int) -> str:
    """A name in a picture, truncated to the available space; the tooltip has the full name."""
    return _text(name if len(name) <= length else f"{name[: length - 1]}…")


def _ticks(low: float, high: float) -> list[float]:
    """About six round numbers that span low..high."""
    span = max(high - low, 1.0)
    step = 10 ** math.floor(math.log10(span / 5))
    step *= next(m for m in (1, 2, 5, 10) if span / (step * m) <= 6)
    first = math.floor(low / step)
    return [k * step for k in range(first, math.ceil(high / step) + 1)]


def _svg(width: float, height: float, lines: list[str], label: str) -> str:
    return f"<svg role='img' aria-label='{_text(label)}' viewBox='0 0 {width:.0f} {height:.0f}'>{''.join(lines)}</svg>"
