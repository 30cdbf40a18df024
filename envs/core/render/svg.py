"""The cards as SVG, from the same drawings as in the window."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from math import hypot

from ..cards import EXTENDED, HIDDEN, CardSet
from . import shapes
from .pictures import INK, Colour, draw

_EXACT = 0.08  # units by which an outline may differ from the drawing
_CAPITALS = 0.72  # height of capitals / size of the font


class SvgPen:
    """Collects elements; suits are references to `suit0` to `suit3`, which `sprite` defines."""

    def __init__(self, name: str, small: bool) -> None:
        self.name, self.small = name, small
        self.elements: list[str] = []

    def polygon(self, points: shapes.Polygon, colour: Colour, outline: Colour | None = None, line: float = 0.5) -> None:
        stroke = "" if outline is None else f' stroke="{_hex(outline)}" stroke-width="{line:g}"'
        self.elements.append(f'<path fill="{_hex(colour)}"{stroke} d="{_path(points)}"/>')

    def circle(self, x: float, y: float, radius: float, colour: Colour, outline: Colour | None = None) -> None:
        stroke = "" if outline is None else f' stroke="{_hex(outline)}" stroke-width=".5"'
        self.elements.append(f'<circle cx="{x:.4g}" cy="{y:.4g}" r="{radius:.3g}" fill="{_hex(colour)}"{stroke}/>')

    def rect(self, box: tuple[float, float, float, float], colour: Colour, radius: float = 0.0, line: float = 0.0) -> None:
        x, y, w, h = (value + line / 2 * sign for value, sign in zip(box, (1, 1, -2, -2), strict=True))
        paint = f'fill="none" stroke="{_hex(colour)}" stroke-width="{line:g}"' if line else f'fill="{_hex(colour)}"'
        rounded = f' rx="{radius:g}"' if radius else ""
        self.elements.append(f'<rect x="{x:.4g}" y="{y:.4g}" width="{w:.4g}" height="{h:.4g}"{rounded} {paint}/>')

    def suit(self, suit: int, x: float, y: float, size: float, flipped: bool = False, colour: Colour | None = None) -> None:
        turn = -size if flipped else size
        transform = f"translate({x:.4g} {y:.4g}) scale({turn:g})"
        self.elements.append(f'<use href="#suit{suit}" fill="{_hex(colour or INK[suit])}" transform="{transform}"/>')

    def text(self, text: str, x: float, y: float, height: float, colour: Colour, widest: float = 99.0) -> None:
        size = height / _CAPITALS
        squeezed = ""
        if 0.6 * size * len(text) > widest:  # the approximate width of digits and capitals
            squeezed = f' textLength="{widest:g}" lengthAdjust="spacingAndGlyphs"'
        where = f'x="{x:.4g}" y="{y + height / 2:.4g}" font-size="{size:.3g}"'
        self.elements.append(f'<text {where} fill="{_hex(colour)}"{squeezed}>{escape(text)}</text>')

    def mirror(self, wide: float = 70.0, high: float = 50.0) -> None:
        """Repeat everything drawn over the paper so far upside down; it must lie within the upper left part."""
        half = f"{self.name}-{len(self.elements)}"
        self.elements[2:] = [
            f'<g id="{half}">{"".join(self.elements[2:])}</g><use href="#{half}" transform="rotate(180 35 50)"/>'
        ]


@lru_cache(maxsize=16)
def sprite(cards: CardSet = EXTENDED) -> str:
    """One SVG with a symbol per card: `card0` to `card65` and `back` with pips and pictures, `small0` ... `smallback` for small
    cards, with a readable index. Symbols of cards have the name, rank and suit from `CardSet`."""
    all_cards = (HIDDEN, *range(len(cards)))
    symbols = "".join(symbol(card, small, cards) for small in (False, True) for card in all_cards)
    return f'<svg xmlns="http://www.w3.org/2000/svg"><defs>{suits()}</defs>{symbols}</svg>'


@lru_cache(maxsize=1)
def suits() -> str:
    """The paths `suit0` to `suit3`, to which symbols refer."""
    outlines = ("".join(_path(outline, 3, 0.003) for outline in shapes.suit(number)) for number in range(4))
    return "".join(f'<path id="suit{number}" d="{outline}"/>' for number, outline in enumerate(outlines))


def symbol_name(card: int, small: bool) -> str:
    if card == HIDDEN:
        return "smallback" if small else "back"
    return f"{'small' if small else 'card'}{card}"


@lru_cache(maxsize=512)
def symbol(card: int, small: bool, cards: CardSet = EXTENDED) -> str:
    """The symbol of one card."""
    name = symbol_name(card, small)
    pen = SvgPen(name, small)
    draw(pen, card, cards)
    said = ""
    if card != HIDDEN and not small:
        said = f' data-name="{escape(cards.name(card))}" data-rank="{cards.rank(card)}" data-suit="{cards.suit(card)}"'
    font = 'font-family="Arial,Helvetica,sans-serif" font-weight="700" text-anchor="middle"'
    return f'<symbol id="{name}" viewBox="0 0 70 100"{said} {font}>{"".join(pen.elements)}</symbol>'


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _path(points: shapes.Polygon, digits: int = 1, exact: float = _EXACT) -> str:
    middle = len(points) // 2
    kept = _simple(points[: middle + 1], exact)[:-1] + _simple(points[middle:], exact)
    return "M" + "L".join(f"{_number(x, digits)} {_number(y, digits)}" for x, y in kept) + "Z"


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"
    return {"-0": "0", "": "0"}.get(text, text)


def _simple(points: shapes.Polygon, exact: float) -> shapes.Polygon:
    """The outline with fewer points; no omitted point is further than `exact` from the line (Douglas and Peucker)."""
    if len(points) < 3:
        return points
    (ax, ay), (bx, by) = points[0], points[-1]
    length = hypot(bx - ax, by - ay)

    def off(x: float, y: float) -> float:
        return abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length if length > 1e-9 else hypot(x - ax, y - ay)

    far = max(range(1, len(points) - 1), key=lambda k: off(*points[k]))
    if off(*points[far]) <= exact:
        return [points[0], points[-1]]
    return _simple(points[: far + 1], exact)[:-1] + _simple(points[far:], exact)
