"""Checks that run in their own processes: array indices are in bounds, samplers terminate."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Sequence

from . import child
from .cases import Case
from .checks import check

COMBINATIONS = 40  # of options, sampled


@check("step", scope="together", compiled=True)
def check_every_index_is_within_its_array(cases: Sequence[Case]) -> None:
    """No rule reads or writes out of bounds, which compiled code would not report."""
    child.run("play", [(case,) for case in cases], NUMBA_BOUNDSCHECK="1", NUMBA_OPT="0")


@check("determinize", scope="together", compiled=True, full=True)
def check_samplers_end_with_any_combination_of_options(cases: Sequence[Case]) -> None:
    """A process that plays and samples, in many states and for every seat, gets minutes for seconds of work. The options are
    those of the cases and random combinations, which reveal rare faults."""
    sets = [*cases, *combinations(cases[0])]
    child.run("sample", [(case._replace(seed=number),) for number, case in enumerate(sets)], within=900)


def combinations(case: Case) -> list[Case]:
    """A case's game with random options."""
    game, combinations_made = case.game, []
    values = [vars(options) for options in game.options.samples()]
    draw = random.Random(1)
    for _ in range(COMBINATIONS):
        with contextlib.suppress(ValueError):  # options that contradict each other
            picked = {name: draw.choice(values)[name] for name in values[0]}
            combinations_made.append(Case(game, tuple(vars(game.make_options(picked)).items()), 0))
    return combinations_made
