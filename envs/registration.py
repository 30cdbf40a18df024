"""Registration in PettingZoo's and Gymnasium's registries by import string, so that nothing is imported early."""

from __future__ import annotations

import gymnasium
import pettingzoo


def registry_id(game_id: str) -> str:
    """The id of a game in these registries: `tennis_v0` -> `wilddeck/tennis-v0`."""
    name, _, version = game_id.rpartition("_v")
    return f"wilddeck/{name}-v{version}"


def make_known(game_id: str) -> None:
    """Register a game for `gymnasium.make` and, from PettingZoo 1.27, for `pettingzoo.make`; repeated calls have no effect.
    Gymnasium's wrappers are disabled: they would hide `action_masks`, and the environment checks the order of calls itself."""
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
