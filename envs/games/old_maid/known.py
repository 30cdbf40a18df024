"""What a seat can tell of the hands of others by the cards that are left over, as events."""

from __future__ import annotations

from typing import Any

from ...core.events import REVEAL, _compiles_to_nothing, _recorder, emit_list
from .view import zones


def cards_known(state: Any) -> list[list[tuple[int, set[int]]]]:
    """For each viewer the hands, each with its seat, as far as the viewer knows them. Nothing in compiled code."""
    if _recorder.rows is None:
        return []
    seats = range(int(state.num_players))
    return [[(seat, _known(zones(state, viewer), seat)) for seat in seats] for viewer in seats]


def _known(by_zone: dict[str, list[int]], seat: int) -> set[int]:
    return {card for zone in ("hand", "known") for card in by_zone[f"{zone}/{seat}"] if card >= 0}


def tell_known(state: Any, before: list[list[tuple[int, set[int]]]]) -> None:
    """Emit which cards of others a viewer knows now and did not know where to look for before, nor saw drawn from their hand.
    Nothing in compiled code."""
    for viewer, hands in enumerate(cards_known(state)):
        earlier = {card for _, ids in before[viewer] for card in ids}
        for seat, ids in hands:
            news = sorted(ids - earlier) if seat != viewer else []
            emit_list(state, REVEAL, seat, news, 0, len(news), 1 << viewer, viewer)


for _emitter in (cards_known, tell_known):
    _compiles_to_nothing(_emitter)
