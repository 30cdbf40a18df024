"""Whether a game, ours or anybody's, plays by what it declares and keeps secrets: `check`."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..envs.core.escape import plain
from .arguments import Commands, argument, flag
from .printing import print_json
from .shared import JSON, find_game

if TYPE_CHECKING:
    from ..envs.core.game import Game

_INDENT = " " * 6


def declare(commands: Commands) -> None:
    commands.add("check", check, "check a game: what it declares, how it plays, what it tells").takes(
        argument("game", help="a game, or MODULE:NAME in Python's path or this folder, such as oh_hell:GAME"),
        flag("--full", "all samples of all options (default: the defaults, and the fewest and most players)"),
        JSON,
    )


def check(arguments: argparse.Namespace) -> int:
    from ..testing.suite import run_checks

    results = []
    for result in run_checks(_named(arguments.game), quick=not arguments.full):
        results.append(result)
        if not arguments.json:
            _print(result.name, result.seconds, result.failure, result.skipped)
    failed = sum(bool(result.failure) for result in results)
    if arguments.json:
        print_json([result._asdict() for result in results])
    else:
        print(f"{failed} of {len(results)} checks failed" if failed else f"all {len(results)} checks are fine")
    return 1 if failed else 0


def _print(name: str, seconds: float, failure: str, skipped: str) -> None:
    if failure:
        print(plain(f"FAIL  {name}"))
        for line in failure.splitlines():
            print(plain(_INDENT + line), flush=True)
    else:
        print(plain(f"ok    {name}" + (f" (not run: {skipped})" if skipped else f" ({seconds:.1f} s)")), flush=True)


def _named(name: str) -> Game:
    """A game of the registry, or one that a module holds.

    Raises:
        ValueError: there is none.
    """
    from ..envs.core.game import Game

    module, colon, path = name.partition(":")
    if not colon:
        return find_game(name)
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module), path)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"no game {name!r}: {error}") from None
    if not isinstance(found, Game):
        raise ValueError(f"{name} is a {type(found).__name__} and no game; a game is a wilddeck.envs.core.game.Game")
    return found
