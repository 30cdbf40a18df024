"""Plays games in compiled code that checks every index, as `NUMBA_BOUNDSCHECK=1` makes it: run as a process of its own.

Lines on standard input: a case as JSON [id, options].
"""

from __future__ import annotations

import json
import sys
from typing import Any

import wilddeck
from wilddeck.envs.core.game import Game
from wilddeck.envs.core.jit import device_function, only_interpreted
from wilddeck.envs.core.kernels import random_choice

GAMES, STEPS = 8, 4000


@device_function
def observing_policy(observation, mask, num_players, noise):  # type: ignore[no-untyped-def]
    """A random legal action; unlike the policy "random" it is shown what its seat sees."""
    return random_choice(mask, noise)


def play(game: Game | str, options: dict[str, Any]) -> None:
    """Raises IndexError where a rule reads or writes what is not there. Only what plays on is compiled, deals among it."""
    with only_interpreted():
        batch = wilddeck.make_batch(game, GAMES, seed=1, **options)
    batch.rollout(STEPS, policy=observing_policy)  # type: ignore[arg-type]


def main() -> None:
    for line in sys.stdin:
        play(*json.loads(line))
