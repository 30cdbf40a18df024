"""The data that a browser gets of a game: the scene of its seat, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ..aec import CardGameEnv
from ..cards import EXTENDED, HIDDEN
from ..events import DEAL, HAND, KIND_NAMES, TRICK_WON, Event
from ..facts import Fact, FactRole
from ..zones import ZoneRole
from .scene import Cards, Scene


def scene(env: CardGameEnv, viewer: int | None) -> dict[str, Any]:
    """The scene of a seat (None: the whole truth), with hidden cards as -1. `cards` is the game whose own card pictures are
    needed, empty for most games. `facts` are drawn; `headline` and the `notes` of seats are text only.

    The `role` of a zone is "hand", "played" (in the middle, in front of its seat), "stack" (only the top is visible) or "row";
    `top` is the index of a stack's top card. `last` has the cards shown by the last move with cards, `takenBy` the winner of
    the last trick.
    """
    name = None if viewer is None else env.possible_agents[viewer]
    events = env.history(name)
    seen = Scene.of(env, name).with_trick(env.game, events)
    words = replace(seen, facts=read_notes(seen.facts))
    return {
        "title": seen.title,
        "headline": words.headline,
        "notes": {str(seat): note for seat, note in words.notes.items()},
        "facts": [_fact(fact) for fact in seen.facts if fact.role not in (FactRole.NOTE, FactRole.SEEN)],
        "seats": [[_zone(seen, name, ids) for name, ids in zones.items()] for zones in seen.seats],
        "common": [_zone(seen, name, ids) for name, ids in seen.common.items()],
        "toMove": seen.to_move,
        "viewer": viewer,
        "last": _last_moved(events),
        "takenBy": next((event.player for event in reversed(events) if event.kind == KIND_NAMES[TRICK_WON]), None),
        "cards": "" if seen.cards is EXTENDED else env.game.id,
    }


def read_notes(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts that are only text. After a fact that is drawn, a new part begins."""
    notes = [(before.role is FactRole.NOTE and fact.sep) or None for before, fact in pairwise(facts)]
    return tuple(fact._replace(sep=sep) for fact, sep in zip(facts, (None, *notes), strict=False) if fact.role is FactRole.NOTE)


def _fact(fact: Fact) -> dict[str, Any]:
    return {"text": fact.label, "seat": fact.seat, "role": fact.role.value, "value": fact.value}


def _last_moved(events: Sequence[Event]) -> list[int]:
    with_cards = (event for event in reversed(events) if event.cards or event.kind == KIND_NAMES[HAND])
    last = next(with_cards, None)
    return [] if last is None or last.kind == KIND_NAMES[DEAL] else [card for card in last.cards if card != HIDDEN]


_LIES = {
    ZoneRole.HAND: "hand",
    ZoneRole.FAN: "hand",
    ZoneRole.PLAYED: "played",
    ZoneRole.STOCK: "stack",
    ZoneRole.HEAP: "stack",
}


def _zone(seen: Scene, name: str, ids: Cards) -> dict[str, Any]:
    role = seen.role(name)
    zone: dict[str, Any] = {"name": name, "role": _LIES.get(role, "row"), "cards": list(ids)}
    if role is ZoneRole.FAN:
        zone["ordered"] = True
    if role.is_held and "/" in name:  # all but the first of several hands
        zone["role"] = "row"
    if role.is_stack:
        zone["top"] = 0 if role is ZoneRole.STOCK else max(0, len(ids) - 1)
    return zone
