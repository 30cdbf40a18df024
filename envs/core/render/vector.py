"""The table as SVG, for notebooks and papers: a still or animated picture of a game, with the same layout as the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from ..escape import html_text
from .arrangement import ASPECT, NOTE, STATUS, Badge, Caption, Card, Item, Plate, Spot, Tag, items, layers, plan, plate_height
from .pictures import SMALL
from .scene import Scene
from .svg import suits, symbol, symbol_name

SIZE = (1280, 800)
_GOLD, _IVORY, _DIM, _DARK = "#f6cc5c", "#f0f0e4", "#b0cdba", "#0c1e16"
_LETTER = 0.56  # approximate width of a letter / size of the font
_SQUEEZED = 0.7  # minimal width of text when squeezed; longer text is cut off
_LIGHT = '<radialGradient id="felt" r=".7"><stop stop-color="#22784e"/><stop offset="1" stop-color="#09321f"/></radialGradient>'


class Svg(str):
    """SVG as text, which notebooks show as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def svg_picture(env: Any, viewer: str | None = None) -> Svg:
    """The current state of the game, as an agent sees it (None: all cards).

    Raises:
        RuntimeError: before `reset`.
        ValueError: no agent is called `viewer`.
    """
    return svg_of([seen(env, viewer)])


def seen(env: Any, viewer: str | None = None) -> Scene:
    """The scene of an environment, wrapped or not, with the last finished trick."""
    env = env.unwrapped
    return Scene.of(env, viewer).with_trick(env.game, env.history(viewer))


def svg_of(scenes: Sequence[Scene], seconds: float = 1.0, part: tuple[int, int, int, int] = (0, 0, *SIZE)) -> Svg:
    """A picture of a scene, or of several scenes of a game, each shown for this number of seconds, in a loop. Viewers without
    animation show the last. `part` is the visible part: x, y, width and height.
    """
    cards, sizes = scenes[0].cards, {_height(scene) < SMALL for scene in scenes}
    by_layer = zip(*(_layers(scene) for scene in scenes), strict=True)
    drawn = "".join(_shown(layer, len(scenes), seconds) for layer in by_layer)
    used = {item.card for scene in scenes for item in items(scene, SIZE) if isinstance(item, Card)}
    symbols = "".join(symbol(card, small, cards) for card in sorted(used) for small in sizes)
    _, _, width, height = part
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(map(str, part))}" width="{width}" height="{height}" '
        'style="max-width:100%;height:auto" role="img" font-family="Arial,Helvetica,sans-serif">'
        f"<title>{html_text(scenes[-1].title)}</title><defs>{suits()}{_LIGHT}{symbols}</defs>"
        f'<rect width="{SIZE[0]}" height="{SIZE[1]}" fill="url(#felt)"/>{drawn}</svg>'
    )


def _shown(layer: Sequence[str], count: int, seconds: float) -> str:
    """A layer through all scenes: each distinct drawing is shown while it stays the same."""
    parts, begin = [], 0
    for drawing, same in groupby(layer):
        end = begin + len(list(same))
        turns = [(0, begin == 0), (begin, True), (end, False)]
        steps = {at / count: "visible" if on else "hidden" for at, on in turns if at < count}
        if not drawing or len(steps) == 1:
            parts.append(drawing)
        else:
            values, times = ";".join(steps.values()), ";".join(f"{time:.6g}" for time in steps)
            parts.append(
                f'<g visibility="{"visible" if end == count else "hidden"}">'
                f'<animate attributeName="visibility" values="{values}" keyTimes="{times}" calcMode="discrete" '
                f'dur="{count * seconds:g}s" repeatCount="indefinite"/>{drawing}</g>'
            )
        begin = end
    return "".join(parts)


def _layers(scene: Scene) -> Iterator[str]:
    """The layers of each seat, then of the middle, then of texts: equally many in all scenes of a game."""
    height = _height(scene)
    for layer in layers(scene, SIZE):
        yield "".join(_DRAWN[type(item)](item, scene, height) for item in layer)
    title = _text(scene.title, 16, STATUS / 2, 22, _GOLD, "start", SIZE[0] / 2)
    room = SIZE[0] - 64 - 22 * _LETTER * len(scene.title)
    said = _text(scene.headline, SIZE[0] - 16, STATUS / 2, 19, _IVORY, "end", room)
    yield f'<rect width="{SIZE[0]}" height="{STATUS}" fill="{_DARK}" fill-opacity=".85"/>{title}{said}'


def _height(scene: Scene) -> int:
    """The height of a card."""
    return plan(SIZE, len(scene.names), *scene.lying).height


def _card(item: Card, scene: Scene, height: int) -> str:
    width = height * ASPECT
    turned = f' transform="rotate({-item.degrees} {item.x:.5g} {item.y:.5g})"' if item.degrees else ""
    name = symbol_name(item.card, height < SMALL)
    return f'<use href="#{name}" {_box(item.x, item.y, width, height)}{turned}/>'


def _spot(item: Spot, scene: Scene, height: int) -> str:
    box = _box(item.x, item.y, height * ASPECT, height)
    return f'<rect {box} rx="{0.05 * height:.3g}" fill="#000" fill-opacity=".1" stroke="#fff" stroke-opacity=".25"/>'


def _badge(item: Badge, scene: Scene, height: int) -> str:
    return _pill(str(item.cards), item.x, item.y, 20, _GOLD, _DARK)


def _tag(item: Tag, scene: Scene, height: int) -> str:
    return _pill(item.text, item.x, item.y, 16, _DARK, _IVORY)


def _caption(item: Caption, scene: Scene, height: int) -> str:
    return _text(item.text, item.x, item.y, 15, _DIM)


def _plate(item: Plate, scene: Scene, height: int) -> str:
    """A seat's name and notes: golden and glowing for the seat to move; at the end golden for winners, with the results."""
    seat, box = item.seat, item.box
    moves = seat == scene.to_move
    ground, ink = (_GOLD, _DARK) if moves or scene.has_won(seat) else (_DARK, _IVORY)
    name = "  ".join((scene.names[seat].replace("_", " "), *scene.results[seat : seat + 1]))
    glow = f'<rect {_box(*box)} rx="14" fill="{_GOLD}" fill-opacity=".12" stroke="{_GOLD}" stroke-width="2"/>' if moves else ""
    note = _text(scene.notes.get(seat, ""), item.x, item.note_y, NOTE - 3, _DIM, room=box.w - 8)
    return glow + _pill(name, item.x, item.y, plate_height(height), ground, ink) + note


_DRAWN: dict[type[Item], Callable[[Any, Scene, int], str]] = {
    Card: _card, Spot: _spot, Badge: _badge, Tag: _tag, Caption: _caption, Plate: _plate
}  # fmt: skip


def _pill(text: str, x: float, y: float, high: float, ground: str, ink: str) -> str:
    size = 0.72 * high
    wide = max(high, size * _LETTER * len(text) + 0.7 * high)
    return f'<rect {_box(x, y, wide, high)} rx="{high / 2:g}" fill="{ground}"/>{_text(text, x, y, size, ink)}'


def _box(x: float, y: float, w: float, h: float) -> str:
    return f'x="{x - w / 2:.5g}" y="{y - h / 2:.5g}" width="{w:.5g}" height="{h:.5g}"'


def _text(text: str, x: float, y: float, size: float, ink: str, anchor: str = "middle", room: float = 999.0) -> str:
    """A line of text around, from or up to a point, squeezed or cut off if it is too long."""
    if not text:
        return ""
    wide = size * _LETTER * len(text)
    if wide * _SQUEEZED > room:
        text = text[: max(1, int(len(text) * room / (wide * _SQUEEZED)) - 3)] + "..."
    fits = f' textLength="{room:.5g}" lengthAdjust="spacingAndGlyphs"' if wide > room else ""
    place = f'x="{x:.5g}" y="{y + 0.36 * size:.5g}" font-size="{size:.3g}" text-anchor="{anchor}"'
    return f'<text {place} fill="{ink}"{fits}>{html_text(text)}</text>'
