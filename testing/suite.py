"""All checks, and how a game is put through them: first what needs no compiling, so that errors show the author's line."""

from __future__ import annotations

import contextlib
import io
import logging
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pettingzoo.utils.env_logger import EnvLogger

from ..envs import registry
from ..envs.core.game import Game
from ..envs.core.jit import only_interpreted
from . import batches, copies, declared, equal, events, leaks, parts, pasts, pettingzoo, play, processes, takeback, traces
from .cases import Case, cases_of, few_cases_of
from .checks import Check, CheckError, SkippedError, checks_of
from .played import actions_of, has_secrets, moments, remembering

MODULES = (declared, play, leaks, traces, events, parts, takeback, pasts, copies, pettingzoo, equal, batches, processes)
CHECKS: tuple[Check, ...] = tuple(check for module in MODULES for check in checks_of(module))
_FIRST = (*checks_of(declared), play.check_a_random_game_is_played_to_its_end)  # the others would fail of the same
_OF_ALL = ("every", "slow", "together")  # scopes of all cases


class Result(NamedTuple):
    """What came of a check.

    Attributes:
        name: what holds of a game that passes.
        seconds: that it took.
        failure: what is wrong, "" if nothing is.
        skipped: why it could not be run, "" if it was.
    """

    name: str
    seconds: float
    failure: str
    skipped: str


def run_checks(game: Game | str, quick: bool = True) -> Iterator[Result]:
    """Put a game through the checks, one after the other; see `check_game`. What a game declares, and a game played to its end,
    come first: where they fail the others are left out, for they would fail of the same."""
    played, failed = registry.game(game), False
    try:
        few = few_cases_of(played)
        cases = few if quick else cases_of(played)
        for check in sorted(CHECKS, key=lambda check: (check not in _FIRST, check.compiled)):
            if failed and check not in _FIRST:
                return
            if not (quick and check.full):
                is_of_one = check.scope not in _OF_ALL or (quick and check.scope == "slow")
                result = _result(check, few[:1] if is_of_one else cases, quick)
                failed |= bool(result.failure) and check in _FIRST
                yield result
    finally:
        for kept in (actions_of, moments, has_secrets, remembering):
            kept.cache_clear()


def _result(check: Check, cases: Sequence[Case], quick: bool) -> Result:
    begin, failure, skipped = time.perf_counter(), "", ""
    interpreted = check in _FIRST or (quick and not check.compiled)
    with only_interpreted() if interpreted else contextlib.nullcontext(), _quiet():
        try:
            for case in [cases] if check.scope == "together" else cases:
                check(case)
        except CheckError as error:
            failure = str(error)
        except SkippedError as reason:
            skipped = str(reason)
    return Result(check.name.replace("_", " "), time.perf_counter() - begin, failure, skipped)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """PettingZoo's tests print that they pass, its wrappers warn of the illegal actions that are tried, and ours of what a
    learner should know of parallel environments, which are tried too."""
    logger, ours = EnvLogger.get_logger(), logging.getLogger("wilddeck")
    before, logger.disabled = logger.disabled, True
    ours.addFilter(_is_of_the_game)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        ours.removeFilter(_is_of_the_game)
        logger.disabled = before


def _is_of_the_game(record: logging.LogRecord) -> bool:
    return "a parallel environment" not in record.getMessage()


def check_game(game: Game | str, quick: bool = True) -> None:
    """Check that a game plays by what it declares, keeps secrets, and is one game however it is run.

    Args:
        game: any game, or the id of one; some checks play it in other processes, which import it by its module and name.
        quick: the default options, and the fewest and most players, mostly as plain Python; takes a minute or less. Else all
            samples of all options in compiled code, which takes many.

    Raises:
        CheckError: an AssertionError that says, a paragraph for each check that failed, where to look in the game's file, what
            is wrong, and in which game: its options, seed and move.
        ValueError: it has no options to be played with.
    """
    failures = dict.fromkeys(result.failure for result in run_checks(game, quick) if result.failure)
    if failures:
        raise CheckError("\n".join([f"{registry.game(game).id} fails {len(failures)} of {len(CHECKS)} checks", *failures]))
