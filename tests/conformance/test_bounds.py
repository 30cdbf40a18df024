"""No rule reads or writes beyond an array: compiled code would do so without a word."""

from __future__ import annotations

import json

import pytest
import wilddeck
from support import cases_of, run_python, short

RUN = "from conformance.bounds import main; main()"


@pytest.mark.parametrize("game_id", short(wilddeck.games(), ["tennis_v0"]))
def test_every_index_is_within_its_array(game_id: str) -> None:
    lines = [json.dumps([game_id, dict(case.options)]) for case in cases_of(game_id)]
    done = run_python(RUN, stdin="\n".join(lines), NUMBA_BOUNDSCHECK="1")
    assert done.returncode == 0, done.stderr


OBSERVES_TOO_FAR = """
from dataclasses import replace
import numpy as np
import toy_game as toy
from conformance.bounds import play
from wilddeck.envs.core.jit import device_function

@device_function
def observe(state, viewer, out):
    out[0] = 1
    if state.move_count == 3:
        out[out.shape[0]] = 1

play(replace(toy.GAME, functions={**toy.GAME.functions, "observe": observe}), {})
"""


@pytest.mark.long
def test_an_index_that_is_not_is_found() -> None:
    """The same without the check passes: what is written there is lost, or is somebody else's."""
    assert run_python(OBSERVES_TOO_FAR, NUMBA_BOUNDSCHECK="0").returncode == 0
    done = run_python(OBSERVES_TOO_FAR, NUMBA_BOUNDSCHECK="1")
    assert done.returncode and "IndexError: index is out of bounds" in done.stderr
