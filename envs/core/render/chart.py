"""Charts as SVG, for pictures of curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from ..escape import html_text

COLOURS = ("#2864c8", "#c8501e", "#1e8c50", "#8c3cb4", "#8a6d00", "#555555")
DASHES = ("", "7 3", "2 3", "9 3 2 3")
LEFT, TOP, WIDTH, HEIGHT, LEGEND = 64, 20, 560, 300, 22
_BELOW = 54  # of the plot, room for the axis
_NAME = 60  # characters

Scale = Callable[[float], float]


def document(label: str, parts: Iterable[str], curves: int) -> str:
    """An SVG document for this number of curves."""
    size = f"0 0 {LEFT + WIDTH + 30} {TOP + HEIGHT + _BELOW + LEGEND * curves}"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='{html_text(label)}' "
        f"viewBox='{size}' font-family='sans-serif' font-size='12'>"
        f"<title>{html_text(label)}</title><rect width='100%' height='100%' fill='white'/>{''.join(parts)}</svg>\n"
    )


def scales(low_x: float, high_x: float, low_y: float, high_y: float) -> tuple[Scale, Scale]:
    """The mapping from values to coordinates."""

    def x(value: float) -> float:
        return LEFT + (value - low_x) / (high_x - low_x) * WIDTH

    def y(value: float) -> float:
        return TOP + (high_y - value) / (high_y - low_y) * HEIGHT

    return x, y


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """About `count` round values from below `low` to above `high`."""
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def line(x1: float, y1: float, x2: float, y2: float, colour: str, dash: str = "") -> str:
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}' stroke-dasharray='{dash}'/>"


def text(x: float, y: float, words: str, anchor: str) -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='#333333'>{html_text(words)}</text>"


def names(x_name: str, y_name: str) -> list[str]:
    """The labels of the axes."""
    return [
        text(LEFT + WIDTH / 2, TOP + HEIGHT + 38, x_name, "middle"),
        f"<text transform='translate(16 {TOP + HEIGHT / 2:.1f}) rotate(-90)' text-anchor='middle'>{html_text(y_name)}</text>",
    ]


def band(over: Sequence[str], under: Sequence[str], number: int) -> str:
    """The interval of curve `number`, between corners given as "x,y"."""
    colour = COLOURS[number % len(COLOURS)]
    return f"<polygon points='{' '.join([*over, *under[::-1]])}' fill='{colour}' fill-opacity='0.14'/>"


def curve(corners: Sequence[str], number: int, name: str, width: float = 2) -> str:
    """Curve `number`, through corners given as "x,y"."""
    colour, dash = COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]
    return (
        f"<polyline points='{' '.join(corners)}' fill='none' stroke='{colour}' stroke-width='{width:g}' "
        f"stroke-dasharray='{dash}'><title>{html_text(name)}</title></polyline>"
    )


def legend(number: int, name: str, behind: str = "") -> list[str]:
    """The line below the plot that names curve `number`."""
    colour, dash = COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]
    label = html_text(name if len(name) <= _NAME else f"{name[: _NAME - 1]}…")
    base = TOP + HEIGHT + _BELOW + LEGEND * number
    return [
        f"<line x1='{LEFT}' x2='{LEFT + 28}' y1='{base}' y2='{base}' stroke='{colour}' stroke-width='2' "
        f"stroke-dasharray='{dash}'/>",
        f"<text x='{LEFT + 36}' y='{base + 4}'>{label}{html_text(behind)}</text>",
    ]
