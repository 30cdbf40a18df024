"""Whether the fields of records are within the bounds that a game declares: for records of one's own, as in a saved batch."""

from __future__ import annotations

import numpy as np

from .fields import Field, last_seat
from .game import Game, Options


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
            of_row = f"row {row}: " if len(states) > 1 else ""
            raise ValueError(f"this is no game of {game.id} that can be in progress: {of_row}{reason}")


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
