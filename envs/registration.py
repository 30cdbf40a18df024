"""Registration with PettingZoo's and Gymnasium's registries, by import string, so that it costs nothing."""

from __future__ import annotations

import gymnasium
import pettingzoo


def registry_id(game_id: str) -> str:
    """`tennis_v0` -> `wilddeck/tennis-v0`."""
    name, _, version = game_id.rpartition("_v")
    return f"wilddeck/{name}-v{version}"


def make_known(game_id: str) -> None:
    """To `gymnasium.make` and, from 1.27 on, where it has a registry, to `pettingzoo.make`; a second call changes nothing.
    Gymnasium adds no wrapper to ours: a wrapper would hide `action_masks`, and the environment itself refuses calls out of
    order."""
    name = registry_id(game_id)
    for kind, entry in (("aec", "env"), ("parallel", "parallel_env")):
        if name not in getattr(pettingzoo, f"{kind}_registry", [name]):
            pettingzoo.register(kind, name, entry_point=f"{__package__}:{entry}", kwargs={"game_id": game_id})
    if name not in gymnasium.registry:
        gymnasium.register(
            name,
            entry_point="wilddeck.seats.single_seat:SingleSeatEnv",
            vector_entry_point="wilddeck.seats.vector:SeatVectorEnv",
            kwargs={"game": game_id},
            disable_env_checker=True,
            order_enforce=False,
        )
