"""Card faces and backs as pygame surfaces: drawn at four times the size, scaled down for smooth edges, and cached."""

from __future__ import annotations

from functools import lru_cache

import pygame

from ..cards import EXTENDED, CardSet
from . import shapes
from .pictures import ASPECT, INK, SMALL, Colour, draw

SHADOW = 0.09  # margin around a card for its shadow / height
_OVERSAMPLING = 4


@lru_cache(maxsize=1024)
def card(card_id: int, height: int, cards: CardSet = EXTENDED) -> pygame.Surface:
    """A card with its shadow around it; -1 is the back.

    The card itself begins at (margin, margin), margin = `margin(height)`, and is `width(height)` by `height` pixels.
    """
    pen = SurfacePen(height)
    draw(pen, card_id, cards)
    return pen.finished()


@lru_cache(maxsize=2048)
def turned(card_id: int, height: int, degrees: int, cards: CardSet = EXTENDED) -> pygame.Surface:
    """The card turned counter-clockwise about its centre; larger than the upright one."""
    return pygame.transform.rotozoom(card(card_id, height, cards), degrees, 1.0)


def width(height: int) -> int:
    return round(height * ASPECT)


def margin(height: int) -> int:
    return max(2, round(height * SHADOW))


@lru_cache(maxsize=64)
def font(size: int) -> pygame.font.Font:
    if not pygame.font.get_init():
        pygame.font.init()
    return pygame.font.Font(None, size)


class SurfacePen:
    """A pen that draws on a surface at four times the size."""

    def __init__(self, height: int) -> None:
        self.height = height
        self.small = height < SMALL
        self.scale = height * _OVERSAMPLING / 100
        self.surface = pygame.Surface((round(70 * self.scale), round(100 * self.scale)), pygame.SRCALPHA)

    def polygon(self, points: shapes.Polygon, colour: Colour, outline: Colour | None = None, line: float = 0.5) -> None:
        pixels = [(x * self.scale, y * self.scale) for x, y in points]
        pygame.draw.polygon(self.surface, colour, pixels)
        if outline is not None:
            pygame.draw.lines(self.surface, outline, True, pixels, max(1, round(line * self.scale)))

    def circle(self, x: float, y: float, radius: float, colour: Colour, outline: Colour | None = None) -> None:
        self.polygon(shapes.ellipse(x, y, radius, radius), colour, outline)

    def rect(self, box: tuple[float, float, float, float], colour: Colour, radius: float = 0.0, line: float = 0.0) -> None:
        pixels = pygame.Rect(*(round(value * self.scale) for value in box))
        thickness = max(1, round(line * self.scale)) if line else 0
        pygame.draw.rect(self.surface, colour, pixels, thickness, border_radius=round(radius * self.scale))

    def suit(self, suit: int, x: float, y: float, size: float, flipped: bool = False, colour: Colour | None = None) -> None:
        for outline in shapes.suit(suit):
            self.polygon(shapes.moved(outline, x, y, size, flipped), colour or INK[suit])

    def text(self, text: str, x: float, y: float, height: float, colour: Colour, widest: float = 99.0) -> None:
        """Text around (x, y), its capitals `height` units high, squeezed to at most `widest` units."""
        drawn = font(max(8, round(height * self.scale * 1.46))).render(text, True, colour)
        box = drawn.get_bounding_rect()
        drawn = drawn.subsurface(box)
        size = (min(box.width, round(widest * self.scale)), round(height * self.scale))
        drawn = pygame.transform.smoothscale(drawn, (max(1, size[0] if box.height else 1), max(1, size[1])))
        self.surface.blit(drawn, (x * self.scale - drawn.get_width() / 2, y * self.scale - drawn.get_height() / 2))

    def mirror(self, wide: float = 70.0, high: float = 50.0) -> None:
        """Repeat the upper left part of the card at the lower right, rotated by 180 degrees."""
        part = self.surface.subsurface((0, 0, round(wide * self.scale), round(high * self.scale))).copy()
        w, h = self.surface.get_size()
        self.surface.blit(pygame.transform.rotate(part, 180), (w - part.get_width(), h - part.get_height()))

    def finished(self) -> pygame.Surface:
        w, h, m = width(self.height), self.height, margin(self.height)
        face = pygame.transform.smoothscale(self.surface, (w, h))
        result = pygame.Surface((w + 2 * m, h + 2 * m), pygame.SRCALPHA)
        dark = pygame.Surface(result.get_size(), pygame.SRCALPHA)
        pygame.draw.rect(dark, (0, 0, 0, 120), (m, m + m // 3, w, h), border_radius=round(h * 0.055))
        result.blit(pygame.transform.gaussian_blur(dark, max(1, m // 2)), (0, 0))
        result.blit(face, (m, m))
        return result
