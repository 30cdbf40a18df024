"""Pictures of the games' tables, for the lobby."""

from __future__ import annotations

import functools

import numpy as np

from .. import envs
from ..envs.core.aec import CardGameEnv
from ..envs.core.jit import interpreted_here
from ..envs.core.render.scene import Scene
from ..envs.core.render.vector import seen, svg_of
from .limits import Gone

_PART = (250, 352, 780, 442)  # the middle, and the hand of the player to move
_MOVES = 50  # random games; the moment with the most cards on the table is shown


@functools.cache
def lobby_picture(name: str) -> str:
    """A moment of a game as SVG.

    Raises:
        Gone: the game does not exist.
    """
    if name not in envs.game_ids():
        raise Gone(f"there is no game {name!r}")
    draw = np.random.default_rng(1)
    with interpreted_here():
        env = CardGameEnv(*envs.resolve(name, {}))
        env.reset(seed=1)
        best = seen(env, env.agent_selection)
        for _ in range(_MOVES):
            env.step(int(draw.choice(env.legal_actions())))
            if env.is_over:
                break
            best = max(best, seen(env, env.agent_selection), key=_open)
    return svg_of([best], part=_PART)


def _open(scene: Scene) -> int:
    """The number of face-up cards on the table."""
    zones = [*scene.seats, scene.common]
    return sum(card >= 0 for all_zones in zones for zone, cards in all_zones.items() if zone != "hand" for card in cards)
