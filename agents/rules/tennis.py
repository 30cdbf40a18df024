"""Rule-based tennis."""

from __future__ import annotations

from ...envs.core.drivers import random_choice
from ...envs.core.kernel import kernel


@kernel
def policy(observation, mask, num_players, noise):
    return random_choice(mask, noise)
