"""The table in a window or an array, drawn with pygame-ce."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

import numpy as np
import pygame

from ..cards import CardSet
from ..escape import plain
from ..facts import FactRole
from . import faces
from .arrangement import NOTE, STATUS, Badge, Caption, Card, Item, Plate, Spot, Tag, items, plan, plate_height
from .pictures import Colour
from .scene import Scene

SIZE = (1280, 800)
_FELT, _FELT_EDGE = (34, 120, 78), (9, 50, 34)
_GOLD, _IVORY, _DIM = (246, 204, 92), (240, 240, 228), (176, 205, 186)
_DARK, _RED = (12, 30, 22), (178, 40, 48)
_LONGEST = 500  # letters in a line, more than a screen can show


class Screen:
    """Draws games: `draw(env)` shows the current state. A screen stores the window and the last frame, but no game.

    Args:
        mode: "human" (a window) or "rgb_array" (frames as arrays).
        viewer: the agent whose view is drawn, with its seat at the bottom and hidden cards as backs; None shows every card.
        size: width and height in pixels; a window can be resized.
        fps: the maximal number of changes per second in a window, so that a person can follow. There is no limit without a
            display (SDL's dummy driver).

    Raises:
        ValueError: the mode is unknown.
    """

    def __init__(self, mode: str, viewer: str | None = None, size: tuple[int, int] = SIZE, fps: float = 2.0) -> None:
        if mode not in ("human", "rgb_array"):
            raise ValueError(f"mode must be 'human' or 'rgb_array', not {mode!r}")
        self.mode, self.viewer, self.size, self.fps = mode, viewer, size, fps
        self._canvas: pygame.Surface | None = None
        self._window: pygame.Window | None = None
        self._dismissed = False
        self._shown: Scene | None = None
        self._shown_at = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        return Screen, (self.mode, self.viewer, self.size, self.fps)

    def draw(self, env: Any) -> np.ndarray | None:
        """Draw the current state: returns uint8 [height, width, 3] for "rgb_array"; None for "human", after drawing in the
        window.

        A window that its user closes stays closed until `close()` is called.
        """
        scene = Scene.of(env, self.viewer)
        if self.mode == "human":
            self._show(scene)
            return None
        if self._canvas is None:
            self._canvas = pygame.Surface(self.size, depth=32)
        paint(self._canvas, scene)
        pixels = np.frombuffer(pygame.image.tobytes(self._canvas, "RGB"), np.uint8)
        return pixels.reshape(self.size[1], self.size[0], 3).copy()

    def close(self) -> None:
        """Close the window; drawing again opens a new one."""
        if self._window is not None:
            self._window.destroy()
        self._window, self._canvas, self._shown, self._dismissed = None, None, None, False

    def _show(self, scene: Scene) -> None:
        if self._dismissed:
            return
        if self._window is None:
            if not pygame.display.get_init():
                pygame.display.init()
            self._window = pygame.Window(f"wilddeck: {scene.title}", self.size, resizable=True)
        elif scene == self._shown:
            self._pump()
            return
        else:
            self._wait()
        if self._window is not None:
            self._shown, self._shown_at = scene, time.monotonic()
            self._repaint()
            self._pump()

    def _wait(self) -> None:
        """Wait until the last change has been visible long enough, while handling window events."""
        wait = 0.0 if pygame.display.get_driver() == "dummy" else 1 / self.fps
        while self._window is not None:
            self._pump()
            left = self._shown_at + wait - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, 0.02))

    def _pump(self) -> None:
        """Handle window events: closing, resizing."""
        for event in pygame.event.get():
            if self._window is None or getattr(event, "window", None) not in (None, self._window):
                continue
            if event.type in (pygame.WINDOWCLOSE, pygame.QUIT):
                self.close()
                self._dismissed = True
            elif event.type in (pygame.WINDOWSIZECHANGED, pygame.WINDOWEXPOSED):
                self._repaint()

    def _repaint(self) -> None:
        if self._window is not None and self._shown is not None:
            paint(self._window.get_surface(), self._shown)
            self._window.flip()


def paint(surface: pygame.Surface, scene: Scene) -> None:
    """Paint a scene over the whole surface."""
    size = surface.get_size()
    surface.blit(_table(size), (0, 0))
    everything = items(scene, size)
    height = _card_height(scene, size)
    for item in everything:
        if isinstance(item, Plate):
            _plate(surface, item, scene, height)
    for item in everything:
        if isinstance(item, Card):
            _card(surface, item, height, scene.cards)
        else:
            _PAINTERS[type(item)](surface, item, height)
    _status(surface, scene)


def _card_height(scene: Scene, size: tuple[int, int]) -> int:
    return plan(size, len(scene.names), *scene.lying).height


def _card(surface: pygame.Surface, item: Card, height: int, cards: CardSet) -> None:
    face = faces.turned(item.card, height, item.degrees, cards) if item.degrees else faces.card(item.card, height, cards)
    surface.blit(face, (round(item.x - face.get_width() / 2), round(item.y - face.get_height() / 2)))


def _spot(surface: pygame.Surface, item: Spot, height: int) -> None:
    outline = _outline(height)
    surface.blit(outline, (round(item.x - outline.get_width() / 2), round(item.y - outline.get_height() / 2)))


def _badge(surface: pygame.Surface, item: Badge, height: int) -> None:
    text = _text(str(item.cards), 17 if height < 70 else 21, _DARK)
    w, h = max(text.get_width() + 10, text.get_height() + 6), text.get_height() + 6
    box = pygame.Rect(0, 0, w, h)
    box.center = round(item.x), round(item.y)
    surface.blit(_pill((w, h), _GOLD, 255), box)
    surface.blit(text, text.get_rect(center=box.center))


def _tag(surface: pygame.Surface, item: Tag, height: int) -> None:
    text = _text(item.text, 14 if height < 70 else 17, _IVORY)
    box = pygame.Rect(0, 0, text.get_width() + 10, text.get_height() + 2)
    box.center = round(item.x), round(item.y)
    surface.blit(_pill(box.size, _DARK, 190), box)
    surface.blit(text, text.get_rect(center=box.center))


def _caption(surface: pygame.Surface, item: Caption, height: int) -> None:
    text = _text(item.text, 19, _DIM)
    surface.blit(text, text.get_rect(center=(round(item.x), round(item.y))))


def _nothing(surface: pygame.Surface, item: Plate, height: int) -> None:
    """Plates lie below everything else and are painted first."""


_PAINTERS: dict[type[Item], Any] = {Spot: _spot, Badge: _badge, Tag: _tag, Caption: _caption, Plate: _nothing}


def _plate(surface: pygame.Surface, item: Plate, scene: Scene, height: int) -> None:
    """A seat's name: golden and glowing for the seat to move; at the end golden for the winners, with the results."""
    golden = item.seat == scene.to_move or scene.has_won(item.seat)
    box = item.box
    if item.seat == scene.to_move:
        glow = _glow((round(box.w), round(box.h)))
        surface.blit(glow, (round(box.x - glow.get_width() / 2), round(box.y - glow.get_height() / 2)))
    high = round(plate_height(height))
    size = round(high * 0.86)
    parts = [_text(scene.names[item.seat].replace("_", " "), size, _DARK if golden else _IVORY)]
    parts += [_text(result, size, _DARK if golden else _DIM) for result in scene.results[item.seat : item.seat + 1]]
    w = sum(part.get_width() for part in parts) + 10 * len(parts) + 14
    pill = pygame.Rect(0, 0, w, high)
    pill.center = round(item.x), round(item.y)
    surface.blit(_pill((w, high), _GOLD if golden else _DARK, 255 if golden else 150), pill)
    x = pill.left + 12
    for part in parts:
        surface.blit(part, part.get_rect(midleft=(x, pill.centery)))
        x += part.get_width() + 10
    if item.seat in scene.notes:
        note = _fitting(scene.notes[item.seat], box.w - 8, (NOTE, NOTE - 2), _DIM)
        surface.blit(note, note.get_rect(center=(round(item.x), round(item.note_y))))
    _chips(surface, pill, {fact.role: fact.value for fact in reversed(scene.facts) if fact.seat == item.seat})


def _chips(surface: pygame.Surface, pill: pygame.Rect, facts: dict[FactRole, Any]) -> None:
    """Public facts about a seat, beside its name: the button, and a chip with the amount of its bet."""
    if FactRole.DEALER in facts:
        disc = _chip(pill.height, _IVORY)
        place = disc.get_rect(midright=(pill.left - 5, pill.centery))
        surface.blit(disc, place)
        letter = _text("D", round(pill.height * 0.7), _DARK)
        surface.blit(letter, letter.get_rect(center=place.center))
    if FactRole.BET in facts:
        disc = _chip(pill.height, _RED)
        place = disc.get_rect(midleft=(pill.right + 5, pill.centery))
        surface.blit(disc, place)
        amount = _text(f"{facts[FactRole.BET]:.10g}", round(pill.height * 0.8), _GOLD)
        surface.blit(amount, amount.get_rect(midleft=(place.right + 4, pill.centery)))


def _status(surface: pygame.Surface, scene: Scene) -> None:
    """The top line: the game and the status."""
    w = surface.get_width()
    surface.blit(_bar(w), (0, 0))
    title = _text(scene.title, 26, _GOLD)
    surface.blit(title, title.get_rect(midleft=(16, STATUS // 2)))
    line = _fitting(scene.headline, w - title.get_width() - 64, (24, 21, 18, 15), _IVORY)
    surface.blit(line, line.get_rect(midright=(w - 16, STATUS // 2)))


def _fitting(text: str, room: float, sizes: tuple[int, ...], colour: Colour) -> pygame.Surface:
    """Text in the largest size that fits, or cut off."""
    text = _shown(text)
    for size in sizes:
        line = _text(text, size, colour)
        if line.get_width() <= room:
            return line
    kept = max(1, int(len(text) * room / line.get_width()) - 3)
    return _text(text[:kept] + "...", sizes[-1], colour)


def _shown(text: str) -> str:
    """Text that pygame can draw: it rejects unprintable characters, and crashes on empty text or thousands of letters."""
    return plain(text)[:_LONGEST] or " "


@lru_cache(maxsize=512)
def _text(text: str, size: int, colour: tuple[int, int, int]) -> pygame.Surface:
    """Text rendered large and scaled down, because pygame spaces small letters unevenly."""
    big = faces.font(size * 4).render(_shown(text), True, colour)
    return pygame.transform.smoothscale(big, (max(1, big.get_width() // 4), max(1, big.get_height() // 4)))


@lru_cache(maxsize=256)
def _pill(size: tuple[int, int], colour: tuple[int, int, int], alpha: int) -> pygame.Surface:
    """A rounded box with smooth edges."""
    big = pygame.Surface((size[0] * 4, size[1] * 4), pygame.SRCALPHA)
    pygame.draw.rect(big, (*colour, alpha), big.get_rect(), border_radius=size[1] * 2)
    return pygame.transform.smoothscale(big, size)


@lru_cache(maxsize=16)
def _chip(size: int, colour: faces.Colour) -> pygame.Surface:
    """A chip from above: a disc with marks round its edge."""
    big, half = pygame.Surface((size * 4, size * 4), pygame.SRCALPHA), size * 2
    pygame.draw.circle(big, colour, (half, half), half)
    for k in range(8):
        angle = 2 * np.pi * k / 8
        mark = half + 0.86 * half * np.cos(angle), half + 0.86 * half * np.sin(angle)
        pygame.draw.circle(big, _DARK if colour == _IVORY else _IVORY, mark, 0.13 * half)
    pygame.draw.circle(big, (*_DARK, 120), (half, half), 0.66 * half, 4)
    return pygame.transform.smoothscale(big, (size, size))


@lru_cache(maxsize=16)
def _outline(height: int) -> pygame.Surface:
    w = faces.width(height)
    big = pygame.Surface((w * 4, height * 4), pygame.SRCALPHA)
    pygame.draw.rect(big, (0, 0, 0, 26), big.get_rect(), border_radius=round(height * 0.2))
    pygame.draw.rect(big, (255, 255, 255, 60), big.get_rect(), 6, border_radius=round(height * 0.2))
    return pygame.transform.smoothscale(big, (w, height))


@lru_cache(maxsize=8)
def _glow(size: tuple[int, int]) -> pygame.Surface:
    """Light around the seat to move."""
    reach = 16
    w, h = size
    light = pygame.Surface((w + 2 * reach, h + 2 * reach), pygame.SRCALPHA)
    pygame.draw.rect(light, (*_GOLD, 110), (reach, reach, w, h), border_radius=16)
    light = pygame.transform.gaussian_blur(light, 9)
    pygame.draw.rect(light, (0, 0, 0, 0), (reach, reach, w, h), border_radius=14)
    pygame.draw.rect(light, (*_GOLD, 30), (reach, reach, w, h), border_radius=14)
    pygame.draw.rect(light, (*_GOLD, 200), (reach, reach, w, h), 2, border_radius=14)
    return light


@lru_cache(maxsize=4)
def _bar(width: int) -> pygame.Surface:
    bar = pygame.Surface((width, STATUS), pygame.SRCALPHA)
    bar.fill((*_DARK, 215))
    pygame.draw.line(bar, (*_GOLD, 130), (0, STATUS - 1), (width, STATUS - 1))
    return bar


@lru_cache(maxsize=2)
def _table(size: tuple[int, int]) -> pygame.Surface:
    """Green felt, lit from above the middle, with a woven texture and an inlaid line."""
    w, h = size
    x = (np.arange(w)[:, None] - w / 2) / (w / 2)
    y = (np.arange(h)[None, :] - h * 0.48) / (h / 2)
    shade = np.clip(1 - 0.62 * np.hypot(x * 0.85, y * 0.85) ** 1.5, 0, 1)
    weave = np.random.default_rng(0).normal(0, 2.2, (w, h))
    pixels = np.empty((w, h, 3))
    for channel in range(3):
        low, high = _FELT_EDGE[channel], _FELT[channel]
        pixels[:, :, channel] = low + (high - low) * shade + weave
    surface = pygame.Surface(size, depth=32)
    pygame.surfarray.blit_array(surface, np.clip(pixels, 0, 255).astype(np.uint8))
    line = pygame.Surface((w * 2, h * 2), pygame.SRCALPHA)
    inner = pygame.Rect(w * 0.5, h * 0.56, w, h)
    pygame.draw.ellipse(line, (255, 255, 255, 26), inner, 5)
    pygame.draw.ellipse(line, (255, 255, 255, 16), inner.inflate(-26, -26), 2)
    surface.blit(pygame.transform.smoothscale(line, size), (0, 0))
    return surface
