"""A game as a table of plain text."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from ..cards import EXTENDED, HIDDEN, CardSet
from ..zones import ZoneRole, kind
from .scene import Cards, Scene

SHOWN = 13  # maximal number of cards of a zone written out; hands are written in full


def ansi(env: Any, viewer: str | None = None) -> str:
    """The game as text without colours: one row per seat, `>` before the seat to move, hidden cards as `??`.

    Args:
        env: an environment, wrapped or not.
        viewer: the agent whose view is shown; None shows every card.
    """
    scene = Scene.of(env, viewer)
    head = ["", "seat", *scene.kinds]
    if scene.results:
        head.append("result")
    rows = [head]
    for seat, name in enumerate(scene.names):
        row = [">" if seat == scene.to_move else "", name, *seat_cells(scene, seat)]
        rows.append([*row, *scene.results[seat : seat + 1]])
    lines = [scene.title, scene.status, "", *_aligned(rows)]
    if scene.common:
        lines += ["", *_aligned([list(common_cells(scene, zone)) for zone in scene.common])]
    return "\n".join(lines) + "\n"


def seat_cells(scene: Scene, seat: int) -> list[str]:
    """The text of each kind of zone of a seat; places of one kind are in brackets, one after another."""
    zones = scene.seats[seat]
    cells = []
    for of_kind in scene.kinds:
        places = [name for name in zones if kind(name) == of_kind]
        if places == [of_kind]:
            cells.append(zone_text(scene.role(of_kind), zones[of_kind], scene.cards))
        else:
            cells.append(" ".join(f"[{zone_text(scene.role(name), zones[name], scene.cards)}]" for name in places))
    return cells


def common_cells(scene: Scene, zone: str) -> tuple[str, str]:
    """A zone without a seat: its name with the number of its cards, and its cards."""
    ids = scene.common[zone]
    return f"{zone} ({len(ids)})", zone_text(scene.role(zone), ids, scene.cards)


def zone_text(role: ZoneRole, ids: Cards, cards: CardSet = EXTENDED) -> str:
    """The cards of a zone: `2c 7h ?? x6`. Other zones than hands show at most `SHOWN` groups, and the number of further
    cards."""
    most = len(ids) if role.is_held else SHOWN
    words = []
    for card, run in groupby(ids):
        count = len(list(run))
        if card == HIDDEN:
            words.append(("??" if count == 1 else f"?? x{count}", count))
        else:
            words += [(cards.text([card]), 1)] * count
    top_first = role is ZoneRole.STOCK or len(words) <= most
    kept = words[:most] if top_first else words[-most:]
    left = len(ids) - sum(count for _, count in kept)
    text = " ".join(word for word, _ in kept)
    if not left:
        return text
    return f"{text} and {left} below" if top_first else f"{left} before, {text}"


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
