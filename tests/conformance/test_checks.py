"""Our games pass the checks that any game can be put through (`wilddeck.testing`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wilddeck
from support import Case, cases, cases_of, each_case, each_game, each_slow_case, few, few_games, first_of
from wilddeck.testing import processes, takeback
from wilddeck.testing.checks import Check, SkippedError
from wilddeck.testing.suite import CHECKS

DEFAULTS = [case for case in cases() if not case.options]
SAMPLES = [
    pytest.param(part, id=f"{game_id}-{name}", marks=marks)
    for game_id in wilddeck.games()
    for kept in [few(cases_of(game_id))]
    for name, part, marks in (
        ("few", kept, ()),
        ("others", [case for case in cases_of(game_id) if case not in kept], pytest.mark.long),
    )
]

TOGETHER = [  # each in a process of its own: every sixth game in `make test`
    part if k % 12 == 0 else pytest.param(*part.values, id=part.id, marks=pytest.mark.long) for k, part in enumerate(SAMPLES)
]

# Games in which a player makes up a choice of several actions that nobody sees before it is complete.
HALF_MADE = {"skin_of_your_teeth_v0", "wild_escape_v0", "hearts_v0", "bluff_v0", "poker_v0"}

SELECTED: dict[str, Callable[..., Any]] = {
    "every": each_case,
    "slow": each_slow_case,
    "defaults": each_game,
    "few": few_games,
    "first": first_of("case", DEFAULTS, ids=str),
    "together": pytest.mark.parametrize("case", TOGETHER),
}


def of_check(check: Check) -> Callable[..., None]:
    def test(case: Any) -> None:
        try:
            check(case)
        except SkippedError as reason:
            pytest.skip(str(reason))

    test.__doc__ = check.__doc__
    return test


OTHERWISE = (
    takeback.check_what_can_be_taken_back_has_told_nobody_anything,
    processes.check_every_index_is_within_its_array,
    processes.check_samplers_end_with_any_combination_of_options,
)
globals().update({f"test_{check.name}": SELECTED[check.scope](of_check(check)) for check in CHECKS if check not in OTHERWISE})


@pytest.mark.parametrize("sample", SAMPLES)
def test_what_can_be_taken_back_has_told_nobody_anything(sample: list[Case]) -> None:
    checked = sum(OTHERWISE[0](case) for case in sample)
    if not sample[0].options and sample[0].game_id in HALF_MADE:  # with the defaults it comes up
        assert checked >= 2


@pytest.mark.long
@pytest.mark.parametrize("game_id", wilddeck.games())
def test_every_index_is_within_its_array(game_id: str) -> None:
    OTHERWISE[1](cases_of(game_id))


@pytest.mark.long
@pytest.mark.parametrize("game_id", wilddeck.games())
def test_samplers_end_with_any_combination_of_options(game_id: str) -> None:
    OTHERWISE[2](cases_of(game_id))
