"""What several commands share: arguments and their meaning (a game with its options, agents for its seats, settings), and the
table of language model usage."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import games
from . import arguments as allowed
from .arguments import argument, flag, several
from .printing import print_lines

if TYPE_CHECKING:
    from ..envs.core.game import Game, Options
    from ..league.usage import Usage

ONLY_GAME = argument(
    "game", help="a game, such as tennis or tennis_v0 (see `wilddeck games`), or one of your own by its module: oh_hell:GAME"
)
GAME = (
    ONLY_GAME,
    argument("-n", "--players", type=allowed.whole(1, 127), help="number of players"),
    several("-o", "--option", metavar="NAME=VALUE", help="an option of the game (see `wilddeck show GAME`); may be repeated"),
)
JSON = flag("--json", "print JSON")
SEED = argument("--seed", type=allowed.integer, default=0, help="seed; row i is dealt by seed + i (default 0)")
SECRET_SEED = argument(
    "--seed",
    type=allowed.integer,
    help="seed of the deals; anyone who knows it knows the deals, and nearby seeds share most of them (default: random)",
)
SANDBOX = flag("--sandbox", "run cmd: bots in bubblewrap, with no network and only their own files (see the bot guide)")
ZIP = "load Stable-Baselines3 .zip files, which can run code"
TRUST_ZIP = flag("--trust", ZIP)


def own_name() -> str:
    """The words that call this command: `make` installs it in an environment where a shell does not find it by name."""
    if shutil.which("wilddeck"):
        return "wilddeck"
    is_module = Path(sys.argv[0]).resolve() == Path(__file__).resolve().with_name("__main__.py")
    return "python -m wilddeck.cli" if is_module else shlex.quote(sys.argv[0])


def find_game(name: str) -> Game:
    """A game by its id, its name (the newest version), or its module, which may be in the working folder: `oh_hell:GAME`."""
    from ..envs import game

    if ":" in name:
        from ..agents.imports import search_working_folder
        from ..envs import load, register

        search_working_folder()
        found = load(name)
        register(found)
        return found
    versions = [game_id for game_id in games() if game_id.rpartition("_v")[0] == name]
    return game(versions[-1] if versions else name)


def find_options(arguments: argparse.Namespace) -> tuple[Game, Options]:
    """The game of `GAME` with its options."""
    game = find_game(arguments.game)
    return game, game.make_options(named_options(arguments))


def named_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options named on the command line, unchecked."""
    options = [_name_and_value(text) for text in arguments.option]
    if arguments.players is not None:
        options.append(("num_players", arguments.players))
    return _each_once(options)


def read_settings(texts: Sequence[str], known: Sequence[str], **others: Any) -> dict[str, Any]:
    """The settings of `--set`, and those with command-line options of their own (None: not given)."""
    settings = _each_once([*((k, v) for k, v in others.items() if v is not None), *map(_name_and_value, texts)])
    for name in settings:
        if name not in known:
            raise ValueError(f"unknown setting {name!r}; settings: {', '.join(known)}")
    return settings


def for_seats(specs: Sequence[str], seats: int) -> list[str]:
    """One agent string for all seats, or one per seat."""
    if len(specs) == 1:
        return list(specs) * seats
    if len(specs) != seats:
        raise ValueError(f"give one agent for all {seats} seats or one for each, not {len(specs)}")
    return list(specs)


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} is given more than once")
    return values


def _name_and_value(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"options have the form NAME=VALUE, not {text!r}")
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:
    if "," in text:
        return tuple(_value(part.strip()) for part in text.split(",") if part.strip())
    words = {"true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def print_usage(usage: Sequence[Usage]) -> None:
    """The requests to language models and their cost."""
    heading = ("agent", "decisions", "repeated", "failed", "tokens in", "out", "cost", "s")
    cells = [(*astuple(row)[:4], row.tokens_in, row.tokens_out, f"{row.cost:.4f}", f"{row.seconds:.2f}") for row in usage]
    print_lines("Language models", heading, [tuple(map(str, line)) for line in cells], [False] + [True] * 7)
