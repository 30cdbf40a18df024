"""The conformance checks of a game: `check`."""

from __future__ import annotations

import argparse

from ..envs.core.escape import plain
from .arguments import Commands, flag
from .printing import print_json
from .shared import JSON, ONLY_GAME, find_game

_INDENT = " " * 6


def declare(commands: Commands) -> None:
    commands.add("check", check, "run the conformance checks on a game: declarations, play, hidden information").takes(
        ONLY_GAME,
        flag("--full", "check samples of all options (default: the default options, with the fewest and the most players)"),
        JSON,
    )


def check(arguments: argparse.Namespace) -> int:
    from ..testing.suite import run_checks

    results = []
    for result in run_checks(find_game(arguments.game), quick=not arguments.full):
        results.append(result)
        if not arguments.json:
            _print(result.name, result.seconds, result.failure, result.skipped)
    failed = sum(bool(result.failure) for result in results)
    if arguments.json:
        print_json([result._asdict() for result in results])
    else:
        print(f"{failed} of {len(results)} checks failed" if failed else f"all {len(results)} checks passed")
    return 1 if failed else 0


def _print(name: str, seconds: float, failure: str, skipped: str) -> None:
    if failure:
        print(plain(f"FAIL  {name}"))
        for line in failure.splitlines():
            print(plain(_INDENT + line), flush=True)
    else:
        print(plain(f"ok    {name}" + (f" (not run: {skipped})" if skipped else f" ({seconds:.1f} s)")), flush=True)
