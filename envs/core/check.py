"""Whether records from outside (saved games, restored batches) are games that can be in progress: kernels trust them then.

Four questions, each asked only where the ones before are answered well: is every field within its bounds, does every card lie
in one zone, do the fields agree with one another (the game's own `check`), and can the player to move do anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from .fields import Field, last_seat, need
from .game import Game, Options, as_record, copied

Look = Callable[[np.ndarray], np.ndarray]  # the masks of the players to move in some records, by the game's kernels


def check_records(game: Game, options: Options, states: np.ndarray, look: Look) -> np.ndarray:
    """Check records [N] that may hold anything at all; none is changed.

    Args:
        look: gives the action masks [N, A] of records [N], all zero where a game is over.

    Returns:
        the masks.

    Raises:
        ValueError: a record is no game that can be in progress; the message says why and, of several, which.
    """
    check_bounds(game, options, states)
    deck = Counter(game.deck(options))
    for row in range(len(states)):
        try:
            check_cards(game, deck, as_record(states, row))
            check_relations(game, states, row, look)
        except (ValueError, LookupError) as error:
            raise _refusal(game, states, row, error) from None
    masks = look(states.copy())
    stuck = ~(masks.any(axis=1) | (states["terminated"] != 0) | (states["truncated"] != 0))
    if stuck.any():
        raise _refusal(game, states, int(stuck.argmax()), "the player to move has no legal action")
    return masks


def check_bounds(game: Game, options: Options, states: np.ndarray) -> None:
    """Whether all fields hold what they may.

    Raises:
        ValueError: one does not; the message names it.
    """
    template = game.template(options)[0]
    stored = options.stored()
    for field in (*_header(game, options), *game.fields):
        values = states[field.name]
        if field.is_bounded:
            wrong = field.outside(values, options)
        elif field.name in stored:
            wrong = values != template[field.name]
        else:
            continue
        if wrong.any():
            row, *place = (int(k) for k in np.argwhere(wrong)[0])
            where = "".join(f"[{k}]" for k in place)
            allowed = field.allowed(options) if field.is_bounded else stored[field.name]
            reason = f"{field.name}{where} is {values[row][tuple(place)]}, allowed: {allowed}"
            raise _refusal(game, states, row, reason)


def _header(game: Game, options: Options) -> list[Field]:
    """The bounds of the fields that all games have."""
    low, high = (np.float32(bound) for bound in game.reward_range(options))  # as rewards are rounded
    deck = game.deck(options)
    bounds = [
        Field("num_players", "i1"),
        Field("current_player", "i1", high=last_seat),
        *(Field(name, "u1", high=1) for name in ("terminated", "truncated", "deal_pending")),
        Field("deals", "u2", low=1, high=np.iinfo(np.uint16).max),
        Field("rewards", "f4", low=low, high=high),
        Field("deck", "u1", high=max(deck)),
    ]
    return bounds + ([Field("padding", "u1", high=0)] if "padding" in (game.state.names or ()) else [])


def check_cards(game: Game, deck: Counter[int], state: Any) -> None:
    """Whether every card of the deck lies in one zone."""
    found = Counter(card for cards in game.zones(state, None).values() for card in cards)
    if found != deck:
        missing, extra = deck - found, found - deck
        need(not missing, f"cards are missing: ids {sorted(missing.elements())[:8]}")
        need(not extra, f"there are cards too many: ids {sorted(extra.elements())[:8]}")


def check_relations(game: Game, states: np.ndarray, row: int, look: Look) -> None:
    """What fields must agree in: in every game, and in this one."""
    state = SimpleNamespace(**{name: states[name][row].tolist() for name in states.dtype.names or ()})
    state.over = bool(state.terminated or state.truncated)
    need(state.over or not state.deal_pending, "a deal is pending")

    def legal(**changes: Any) -> np.ndarray:
        """The mask of the player to move, if these fields were others."""
        record = copied(states[row : row + 1])
        for name, value in changes.items():
            record[name][0] = value
        return look(record)[0]

    game.check(state, legal)


def _refusal(game: Game, states: np.ndarray, row: int, reason: object) -> ValueError:
    where = f"row {row}: " if len(states) > 1 else ""
    return ValueError(f"this is no game of {game.id} that can be in progress: {where}{reason}")
