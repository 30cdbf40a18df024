"""All checks, and their order: first those without compilation, so that errors show the author's line."""

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
    """The result of a check.

    Attributes:
        name: the property that the check tests.
        seconds: the time it took.
        failure: what is wrong, or "".
        skipped: why it could not run, or "".
    """

    name: str
    seconds: float
    failure: str
    skipped: str


def run_checks(game: Game | str, quick: bool = True) -> Iterator[Result]:
    """Run the checks of a game, one by one; see `check_game`. Those of the declarations and of one complete game come first: if
    they fail, the others are omitted, because they would fail for the same reason."""
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
    """Suppress expected output: PettingZoo's tests print when they pass, its wrappers warn about the illegal actions tried, and
    ours about parallel environments."""
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
    """Check that a game matches its declarations, leaks no hidden information, and plays the same in every mode.

    Args:
        game: a game or its id; some checks run in other processes, which import it by its module and name.
        quick: use the default options, and the minimal and maximal numbers of players, mostly in plain Python: a minute or
            less. False: all samples of all options, in compiled code: many minutes.

    Raises:
        CheckError: an AssertionError with one paragraph per failed check: where to look in the game's file, what is wrong, and
            in which game (options, seed and move).
        ValueError: the game has no valid options.
    """
    failures = dict.fromkeys(result.failure for result in run_checks(game, quick) if result.failure)
    if failures:
        raise CheckError("\n".join([f"{registry.game(game).id} fails {len(failures)} of {len(CHECKS)} checks", *failures]))
