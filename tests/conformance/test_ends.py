"""Every sampler comes to an end, in every state, for every seat: a process that plays and samples has minutes for what takes
seconds. The sets of options are those of the conformance suite and others drawn at random: faults hide in combinations.
"""

from __future__ import annotations

import contextlib
import json
import random
import sys
from typing import Any

import pytest
import wilddeck
from support import cases_of, determinizations, output_of
from wilddeck.envs import game as find_game

COMBINATIONS = 40  # drawn at random
STEPS = 150
_CHILD = "import conformance.test_ends as ends, json, sys; ends.sample_everything(sys.argv[1], json.loads(sys.argv[2]))"


@pytest.mark.long
@pytest.mark.timeout(1000)
@pytest.mark.parametrize("game_id", wilddeck.games())
def test_samplers_end_with_any_combination_of_options(game_id: str) -> None:
    sets = [dict(case.options) for case in cases_of(game_id)] + combinations(game_id)
    assert output_of(_CHILD, game_id, json.dumps(sets), within=900).split()[-1] == "ended"


def combinations(game_id: str) -> list[dict[str, Any]]:
    game, combinations_made = find_game(game_id), []
    values = [vars(options) for options in game.options.samples()]
    draw = random.Random(1)
    for _ in range(COMBINATIONS):
        with contextlib.suppress(ValueError):  # options that contradict each other
            picked = {name: draw.choice(values)[name] for name in values[0]}
            combinations_made.append(vars(game.make_options(picked)))
    return combinations_made


def sample_everything(game_id: str, sets: list[dict[str, Any]]) -> None:
    """Short random games, whose deals and first actions differ from set to set of options; many states, every seat."""
    for number, options in enumerate(sets):
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
