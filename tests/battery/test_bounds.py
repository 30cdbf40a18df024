"""No rule reads or writes beyond an array: compiled code would do so without a word."""

from __future__ import annotations

import json

from support import Case, cases, each_game, run_python

RUN = "from battery.bounds import main; main()"


@each_game
def test_every_index_is_within_its_array(case: Case) -> None:
    lines = [json.dumps([each.game_id, dict(each.options)]) for each in cases() if each.game_id == case.game_id]
    done = run_python(RUN, stdin="\n".join(lines), NUMBA_BOUNDSCHECK="1")
    assert done.returncode == 0, done.stderr


OBSERVES_TOO_FAR = """
from dataclasses import replace
import numpy as np
import toy_game as toy
from battery.bounds import play
from wilddeck.envs.core.jit import device_function

@device_function
def observe(state, viewer, out):
    out[0] = 1
    if state.move_count == 3:
        out[out.shape[0]] = 1

play(replace(toy.GAME, functions={**toy.GAME.functions, "observe": observe}), {})
"""


def test_an_index_that_is_not_is_found() -> None:
    """The same without the check passes: what is written there is lost, or is somebody else's."""
    assert run_python(OBSERVES_TOO_FAR, NUMBA_BOUNDSCHECK="0").returncode == 0
    done = run_python(OBSERVES_TOO_FAR, NUMBA_BOUNDSCHECK="1")
    assert done.returncode and "IndexError: index is out of bounds" in done.stderr
