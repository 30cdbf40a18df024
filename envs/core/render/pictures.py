"""The pictures of cards, drawn with any pen: a pygame surface (`faces.py`) or SVG (`svg.py`)."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Protocol

from ..cards import BIG_JOKER, EXTENDED, HIDDEN, RANK_TEXT, SMALL_JOKER, STANDARD, SUITS, CardSet, rank_of, suit_of
from . import shapes

Colour = tuple[int, int, int]

ASPECT = 0.7  # width of a card / height
SMALL = 92  # cards lower than this (pixels) show one large index and sign instead of pips

PAPER, EDGE = (253, 252, 247), (196, 190, 176)
BLACK, RED = (28, 30, 38), (196, 24, 44)
GOLD, SKIN, LINE = (232, 178, 60), (247, 219, 192), (48, 36, 40)
NAVY, SKY, WINE, CREAM = (28, 44, 92), (62, 98, 172), (122, 24, 44), (250, 241, 220)
INK = (BLACK, RED, RED, BLACK)  # by suit
_ROBE = ((38, 92, 74), (206, 66, 46), (178, 26, 54), (38, 52, 112))  # of the courts, by suit
_HAIR = {"J": (150, 88, 40), "Q": (226, 168, 74), "K": (112, 82, 62)}

_LEFT, _MIDDLE, _RIGHT = 22.6, 35.0, 47.4
_TOP, _HEIGHT = 16.5, 67.0
_SIDES = {2: (), 3: (), 4: (0.0, 1.0), 5: (0.0, 1.0), 6: (0.0, 0.5, 1.0), 7: (0.0, 0.5, 1.0), 8: (0.0, 0.5, 1.0)}
_SIDES |= dict.fromkeys((9, 10), (0.0, 1 / 3, 2 / 3, 1.0))
_COLUMN = {
    2: (0.0, 1.0),
    3: (0.0, 0.5, 1.0),
    4: (),
    5: (0.5,),
    6: (),
    7: (0.25,),
    8: (0.25, 0.75),
    9: (0.5,),
    10: (1 / 6, 5 / 6),
}


class Pen(Protocol):
    """Draws on a card of 70 by 100 units. `small` is for small cards, with fewer details."""

    small: bool

    def polygon(self, points: shapes.Polygon, colour: Colour, outline: Colour | None = None, line: float = 0.5) -> None: ...

    def circle(self, x: float, y: float, radius: float, colour: Colour, outline: Colour | None = None) -> None: ...

    def rect(self, box: tuple[float, float, float, float], colour: Colour, radius: float = 0.0, line: float = 0.0) -> None:
        """Filled, or with `line` units of outline only."""

    def suit(self, suit: int, x: float, y: float, size: float, flipped: bool = False, colour: Colour | None = None) -> None: ...

    def text(self, text: str, x: float, y: float, height: float, colour: Colour, widest: float = 99.0) -> None:
        """Text around (x, y), its capitals `height` units high, squeezed to at most `widest` units."""

    def mirror(self, wide: float = 70.0, high: float = 50.0) -> None:
        """Repeat the upper left part of the card at the lower right, rotated by 180 degrees."""


def draw(pen: Pen, card_id: int, cards: CardSet = EXTENDED) -> None:
    """The picture of a card; -1 is the back."""
    pen.rect((0, 0, 70, 100), EDGE, 5.5)
    pen.rect((0.7, 0.7, 68.6, 98.6), PAPER, 5)
    if card_id == HIDDEN:
        _back(pen)
    elif (number := cards.standard(card_id)) < 0:
        if cards.picture is None:
            _text(pen, cards.texts[card_id])
        else:
            cards.picture(pen, card_id)
    elif number < STANDARD:
        _standard(pen, number)
    elif number <= BIG_JOKER:
        _joker(pen, number)
    else:
        special, suit = divmod(number - BIG_JOKER - 1, SUITS)
        _special(pen, special, suit)


def _text(pen: Pen, text: str) -> None:
    """A card of a game's own cards without a picture: its text."""
    pen.text(text, 35, 50, 22, NAVY, 60)
    if not pen.small:
        pen.text(text, 13, 11, 8, NAVY, 18)
        pen.text(text, 57, 89, 8, NAVY, 18)


def _index(pen: Pen, rank: str, suit: int) -> None:
    """Rank and suit in the corner; on a small card larger, with the sign repeated."""
    if pen.small:
        pen.text(rank, 14.5, 17, 24, INK[suit], widest=22)
        pen.suit(suit, 14.5, 44, 21)
        pen.suit(suit, 44, 68, 44)
    else:
        pen.text(rank, 8.2, 10.5, 11.5, INK[suit], widest=11)
        pen.suit(suit, 8.2, 23.5, 9.5)


def _standard(pen: Pen, card_id: int) -> None:
    rank, suit = RANK_TEXT[rank_of(card_id)], suit_of(card_id)
    if not pen.small and rank in _HAIR:
        _court(pen, rank, suit)
    _index(pen, rank, suit)
    if pen.small:
        return
    pen.mirror()
    if rank in _HAIR:
        return
    if rank == "A":
        _ace(pen, suit)
        return
    number = rank_of(card_id) + 2
    places = [(x, y) for y in _SIDES[number] for x in (_LEFT, _RIGHT)] + [(_MIDDLE, y) for y in _COLUMN[number]]
    for x, y in places:
        pen.suit(suit, x, _TOP + _HEIGHT * y, 14.2, flipped=y > 0.5)


def _ace(pen: Pen, suit: int) -> None:
    if suit != shapes.SPADES:
        pen.suit(suit, 35, 50, 34)
        return
    pen.suit(suit, 35, 50, 48)  # the ace of spades traditionally bears an ornament
    pen.suit(suit, 35, 47.5, 30, colour=PAPER)
    pen.suit(suit, 35, 47.5, 25)
    pen.polygon(shapes.moved(shapes.star(8, 1, 0.42), 35, 47.5, 6), GOLD)


# --- courts: one half, mirrored ---


def _court(pen: Pen, rank: str, suit: int) -> None:
    robe, hair = _ROBE[suit], _HAIR[rank]
    pen.rect((15, 9, 40, 41), CREAM)
    _robe(pen, robe)
    if rank == "Q":
        pen.polygon(shapes.ellipse(35, 28.5, 9.5, 11.5), hair, LINE)
    if rank == "J":
        pen.polygon(shapes.ellipse(35, 27, 8.8, 8.5), hair, LINE)
    pen.polygon([(32.2, 31), (37.8, 31), (38.6, 38), (31.4, 38)], SKIN)
    if rank == "K":
        pen.polygon([(27.6, 26), (42.4, 26), (41.6, 34), (35, 41.5), (28.4, 34)], hair, LINE)
    pen.polygon(shapes.ellipse(35, 26.5, 6.4, 7.6), SKIN, LINE)
    _features(pen, rank, hair)
    {"K": _king, "Q": _queen, "J": _jack}[rank](pen, robe)
    pen.suit(suit, 20.8, 16.5, 9.5)
    pen.rect((15, 9, 40, 41), robe, line=0.6)
    pen.rect((16.3, 10.3, 37.4, 41), GOLD, line=0.5)


def _robe(pen: Pen, robe: Colour) -> None:
    dark = tuple(round(c * 0.72) for c in robe)
    pen.polygon([(15, 51), (17, 43), (25, 37.5), (35, 35.5), (45, 37.5), (53, 43), (55, 51)], robe, LINE)
    for side in (-1, 1):
        pen.polygon([(35 + side * 8, 37), (35 + side * 12, 38.2), (35 + side * 17, 51), (35 + side * 13, 51)], dark)  # type: ignore[arg-type]
        for k in range(3):
            pen.circle(35 + side * (10.8 + 2.1 * k), 40.6 + 3.9 * k, 0.9, GOLD)
    pen.polygon([(31, 36), (39, 36), (42, 51), (28, 51)], GOLD, LINE)
    for k in range(3):
        pen.polygon(shapes.moved(shapes.star(4, 1.9, 0.9), 35, 41.4 + 4.2 * k), robe)
    pen.polygon([(27, 37.2), (35, 43), (43, 37.2), (40, 35), (35, 38.6), (30, 35)], PAPER, LINE)


def _features(pen: Pen, rank: str, hair: Colour) -> None:
    for side in (-1, 1):
        pen.circle(35 + side * 2.5, 25.8, 0.75, LINE)
        pen.polygon(shapes.bar((35 + side * 1.2, 23.6), (35 + side * 3.9, 23.4), 0.6), hair)
    pen.polygon([(35, 26.4), (36, 29), (34.6, 29)], (226, 180, 150))
    if rank == "K":
        pen.polygon([(30.6, 30), (35, 28.8), (39.4, 30), (37.6, 31.6), (35, 30.6), (32.4, 31.6)], hair, LINE, 0.3)
    pen.polygon(shapes.ellipse(35, 31.6, 1.7, 0.7), (190, 50, 60))


def _king(pen: Pen, robe: Colour) -> None:
    pen.polygon([(27.5, 21), (26, 11.8), (30.3, 15.6), (35, 10.6), (39.7, 15.6), (44, 11.8), (42.5, 21)], GOLD, LINE)
    pen.polygon([(27.5, 21.4), (27.3, 19), (42.7, 19), (42.5, 21.4)], robe, LINE)
    for x, y in ((26, 11.8), (35, 10.8), (44, 11.8)):
        pen.circle(x, y, 1.2, PAPER, LINE)
    pen.polygon(shapes.bar((49.5, 12), (49.5, 40), 2.0), (206, 212, 222), LINE)  # the sword
    pen.polygon(shapes.bar((46, 40), (53, 40), 1.8), GOLD, LINE)
    pen.polygon(shapes.bar((49.5, 41), (49.5, 47), 2.0), robe, LINE)


def _queen(pen: Pen, robe: Colour) -> None:
    pen.polygon(
        [(28.5, 20.6), (27, 14.6), (31, 17), (33, 12.6), (35, 16), (37, 12.6), (39, 17), (43, 14.6), (41.5, 20.6)], GOLD, LINE
    )
    for x, y in ((27, 14.2), (33, 12.4), (37, 12.4), (43, 14.2)):
        pen.circle(x, y, 1.1, robe, LINE)
    for k in range(5):
        pen.circle(31 + 2 * k, 35.2 + (1.2 if k in (1, 3) else 1.8 if k == 2 else 0), 0.85, PAPER, LINE)
    pen.polygon(shapes.bar((48.5, 31), (47, 47), 1.0), (60, 130, 70))  # the flower
    for k in range(5):
        bloom = shapes.moved(shapes.star(5, 2.6, 2.0), 48.8, 27.5)[2 * k]
        pen.circle(*bloom, 2.1, robe, LINE)
    pen.circle(48.8, 27.5, 1.5, GOLD, LINE)


def _jack(pen: Pen, robe: Colour) -> None:
    pen.polygon([(26.4, 21.4), (27, 15.6), (35, 12.6), (43, 15.6), (43.6, 21.4), (35, 19.4)], robe, LINE)
    pen.polygon([(26.2, 21.8), (35, 19.6), (43.8, 21.8), (43.4, 19.4), (35, 17.2), (26.6, 19.4)], GOLD, LINE)
    pen.polygon([(41, 17), (46.5, 10.4), (50.4, 12.6), (47.4, 16.6), (42.4, 19)], PAPER, LINE)  # the feather
    pen.polygon(shapes.bar((49.5, 22), (49.5, 50), 1.3), (142, 100, 58), LINE)  # the halberd
    pen.polygon([(49.5, 17.5), (51.3, 23), (53.4, 24), (53.4, 30), (49.5, 28.4), (47.8, 24)], (206, 212, 222), LINE)


# --- jokers, special cards, the back ---


def _joker(pen: Pen, card_id: int) -> None:
    big = card_id != SMALL_JOKER
    left, right, trim = (RED, SKY, GOLD) if big else ((70, 74, 86), (140, 146, 160), (206, 210, 218))
    ink = RED if big else BLACK
    if pen.small:
        pen.polygon(shapes.moved(shapes.star(5, 1, 0.42), 14.5, 17, 13), ink)
        pen.text("JK", 15, 40, 15, ink, widest=23)
    else:
        pen.polygon(shapes.moved(shapes.star(5, 1, 0.42), 8.2, 10.5, 6), ink)
        for k, letter in enumerate("JOKER"):
            pen.text(letter, 8.2, 23 + 8.4 * k, 6, ink, widest=5)
        pen.mirror(14, 62)
    size, x, y = (0.82, 43, 62) if pen.small else (0.84, 35, 50)
    _jester(pen, x, y, size, (left, right, trim))


def _jester(pen: Pen, x: float, y: float, size: float, colours: tuple[Colour, Colour, Colour]) -> None:
    left, right, trim = colours

    def draw(points: shapes.Polygon, colour: Colour) -> None:
        pen.polygon(shapes.moved(points, x, y, size), colour, LINE)

    for k in range(6):  # the collar
        point = -15 + 6 * k
        draw([(point - 3, 13), (point + 3, 13), (point * 1.35, 27)], left if k % 2 else right)
        bell = shapes.moved([(point * 1.35, 27.5)], x, y, size)[0]
        pen.circle(*bell, 1.7 * size, trim, LINE)
    draw(shapes.ellipse(0, 4, 11.5, 13), SKIN)
    draw([(-12, -2), (-13, -14), (-24, -19), (-25, -6), (-21, -10), (-17, -3), (-12, 1)], left)
    draw([(12, -2), (13, -14), (24, -19), (25, -6), (21, -10), (17, -3), (12, 1)], right)
    draw([(-12.5, -1), (-9, -18), (0, -31), (9, -18), (12.5, -1), (0, -5)], trim)
    draw([(0, -5), (0, -31), (9, -18), (12.5, -1)], right)
    draw([(0, -5), (0, -31), (-9, -18), (-12.5, -1)], left)
    draw([(-13, 1.5), (0, -3), (13, 1.5), (12.4, -2.4), (0, -7), (-12.4, -2.4)], trim)
    for bell_x, bell_y in ((-25, -5), (0, -32), (25, -5)):
        bell = shapes.moved([(bell_x, bell_y)], x, y, size)[0]
        pen.circle(*bell, 2.6 * size, trim, LINE)
    for side in (-1, 1):
        draw(shapes.ellipse(side * 4.4, 3.4, 1.5, 2.2), LINE)
        draw(shapes.ellipse(side * 7.4, 8.6, 1.9, 1.5), (238, 150, 140))
    draw(shapes.ellipse(0, 6.6, 1.6, 1.6), (232, 130, 120))
    draw(shapes.ellipse(0, 9.4, 5.4, 4.0, 0.15, pi - 0.15), (170, 30, 44))


def _special(pen: Pen, special: int, suit: int) -> None:
    """Draw, Reverse, Skip: a disc in the suit's robe colour with its own sign."""
    ink, colour = INK[suit], _ROBE[suit]
    sign = _SPECIAL_SIGNS[special]
    if pen.small:
        sign(pen, 14.5, 17, 11, ink)
        pen.suit(suit, 14.5, 44, 21)
        pen.circle(43, 67, 22, colour)
        sign(pen, 43, 67, 15, PAPER)
        return
    pen.polygon([(0.7, 62), (69.3, 20), (69.3, 38), (0.7, 80)], tuple(round(c + (255 - c) * 0.8) for c in colour))  # type: ignore[arg-type]
    sign(pen, 8.2, 10.5, 5.4, ink)
    pen.suit(suit, 8.2, 23.5, 9.5)
    pen.mirror()
    pen.circle(35, 50, 23, colour)
    pen.circle(35, 50, 21, PAPER)
    pen.circle(35, 50, 20, colour)
    sign(pen, 35, 50, 13.5, PAPER)
    pen.text(("DRAW", "REVERSE", "SKIP")[special], 35, 83.5, 5, ink)


def _draw_sign(pen: Pen, x: float, y: float, size: float, colour: Colour) -> None:
    pen.polygon(shapes.bar((x - size, y), (x + size, y), size * 0.52), colour)
    pen.polygon(shapes.bar((x, y - size), (x, y + size), size * 0.52), colour)


def _reverse_sign(pen: Pen, x: float, y: float, size: float, colour: Colour) -> None:
    for turn in (0.0, pi):
        begin, end = turn + 0.5, turn + pi - 0.35
        pen.polygon(shapes.moved(shapes.ring_sector(0.66, 1.0, begin, end), x, y, size), colour)
        tip = shapes.ellipse(0, 0, 0.83, 0.83, end + 0.62, end + 0.62, 1)[0]
        pen.polygon(shapes.moved(shapes.arrow_head(tip, end + pi / 2 + 0.3, 0.8), x, y, size), colour)


def _skip_sign(pen: Pen, x: float, y: float, size: float, colour: Colour) -> None:
    pen.polygon(shapes.moved(shapes.ring_sector(0.72, 1.0, 0, 2 * pi), x, y, size), colour)
    pen.polygon(shapes.bar((x - size * 0.62, y + size * 0.62), (x + size * 0.62, y - size * 0.62), size * 0.28), colour)


_SPECIAL_SIGNS: tuple[Callable[[Pen, float, float, float, Colour], None], ...] = (_draw_sign, _reverse_sign, _skip_sign)


def _back(pen: Pen) -> None:
    pen.rect((4, 4, 62, 92), NAVY, 3.5)
    step = 15.5 if pen.small else 7.75
    for k in range(-12, 24):
        for begin, end in _diagonals(k * step):
            pen.polygon(shapes.bar(begin, end, 1.6 if pen.small else 0.7), SKY)
    pen.rect((5.5, 5.5, 59, 89), (214, 222, 240), 2.5, line=1.4 if pen.small else 0.7)
    pen.polygon(shapes.moved([(0, -1), (0.7, 0), (0, 1), (-0.7, 0)], 35, 50, 20), NAVY, (214, 222, 240), 0.9)
    pen.polygon(shapes.moved(shapes.star(4, 1, 0.36), 35, 50, 12.5), GOLD)


def _diagonals(x: float) -> list[tuple[shapes.Point, shapes.Point]]:
    """The rising and the falling line from x, within the box (6, 6, 58, 88) of the back."""
    low, high = max(0.0, -x), min(88.0, 58 - x)
    if low >= high:
        return []
    return [((6 + x + low, 6 + y), (6 + x + high, 6 + z)) for y, z in ((low, high), (88 - low, 88 - high))]
