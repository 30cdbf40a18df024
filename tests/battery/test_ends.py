"""Every sampler comes to an end, in every state, for every seat: a process that plays and samples has minutes for what takes
seconds. The sets of options are those of the battery and others drawn at random, as faults hide in their combinations.
"""

from __future__ import annotations

import contextlib
import random
import sys
from typing import Any

import pytest
import wilddeck
from support import cases, determinizations, output_of
from wilddeck.envs import game as find_game

COMBINATIONS = 40  # drawn at random, besides
STEPS = 150
_CHILD = "import battery.test_ends as ends, sys; ends.sample_everything(sys.argv[1])"


@pytest.mark.parametrize("game_id", wilddeck.games())
def test_samplers_end(game_id: str) -> None:
    assert output_of(_CHILD, game_id, within=900).split()[-1] == "ended"


def option_sets(game_id: str) -> list[dict[str, Any]]:
    game = find_game(game_id)
    found = [dict(case.options) for case in cases() if case.game_id == game_id]
    values = [vars(options) for options in game.options.samples()]
    draw = random.Random(1)
    for _ in range(COMBINATIONS):
        with contextlib.suppress(ValueError):  # options that contradict each other
            picked = {name: draw.choice(values)[name] for name in values[0]}
            found.append(vars(game.make_options(picked)))
    return found


def sample_everything(game_id: str) -> None:
    """Short random games, whose deals and first actions differ from set to set of options; many states, every seat."""
    for number, options in enumerate(option_sets(game_id)):
        env, draw = wilddeck.envs.raw_env(game_id, **options), random.Random(number)
        env.reset(seed=number)
        for step in range(STEPS):
            if not env.legal_actions():
                break
            if step < 30 or step % 4 == 0:
                for seat in range(env.num_players):
                    determinizations(env, seat, [step, step + 1])
            env.step(draw.choice(env.legal_actions()))
    sys.stdout.write("ended")
