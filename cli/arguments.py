"""Arguments of the command line: allowed values and the messages for others. Imports nothing that is slow."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from ..envs.core.escape import plain

_SHOWN = 40  # characters of a wrong value in a message
_HOST = re.compile(r"[\w-]+(\.[\w-]+)*|[\da-f.]*(:[\da-f.]*){2,}", re.ASCII | re.IGNORECASE)
_HOST_LENGTH = 253
_MISTYPED = 0.8  # a word at least this similar to an action's name is a typing error, not a game or an agent
_MOST = 400  # characters of a message, which may list all allowed values


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line and exits with 2.

    Attributes:
        usual: the default action of a command with actions ("": none).
        usual_alone: run the default action also if the command has no arguments (otherwise print its help).
    """

    usual = ""
    usual_alone = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        named = words[:1] if words or self.usual_alone else ["--help"]
        if self.usual and not {*named} & {"-h", "--help", *self._actions[-1].choices}:  # type: ignore[misc]
            near = difflib.get_close_matches("".join(named), self._actions[-1].choices or (), 1, _MISTYPED)
            if near:
                self.error(f"no action {named[0]!r}; did you mean {near[0]!r}?")
            words.insert(0, self.usual)
        values, unknown = super().parse_known_args(words, namespace)
        if unknown:  # reported here, so that the message names the help of the command that does not know them
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return values, unknown

    @contextlib.contextmanager
    def refusing(self) -> Iterator[None]:
        """Within the block, an unknown name, a file that cannot be written and the like are errors of the command line."""
        try:
            yield
        except (ValueError, OSError) as error:
            self.error(str(error))

    def takes(self, *arguments: Declare) -> None:
        """Add arguments."""
        for declare in arguments:
            declare(self)

    def error(self, message: str) -> NoReturn:
        line = message if len(message) <= _MOST else f"{message[: _MOST // 2]} ... {message[-_MOST // 2 :]}"
        self.exit(2, f"{self.prog.split()[0]}: {plain(line)} (see `{self.prog} --help`)\n")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if arg_strings == ["--"] and action.option_strings:  # `--seed=--`, of which Pythons before 3.13 make a list
            raise argparse.ArgumentError(action, "expected one argument")
        return super()._get_values(action, arg_strings)


Declare = Callable[[Parser], object]
Run = Callable[[argparse.Namespace], "int | None"]


def argument(*names: str, **settings: Any) -> Declare:
    """An argument for `add_argument` that several commands can share; its type is text by default."""
    if "action" not in settings:
        settings.setdefault("type", words)
    return lambda parser: parser.add_argument(*names, **settings)


def several(*names: str, **settings: Any) -> Declare:
    """An option that may be repeated: a list, empty by default."""
    return argument(*names, action="append", **{"type": words, "default": [], **settings})


def flag(name: str, about: str) -> Declare:
    return argument(name, action="store_true", help=about)


class Commands:
    """The subcommands of a command, which prints its help if called without one."""

    def __init__(self, parser: Parser, metavar: str) -> None:
        parser.set_defaults(run=lambda arguments: parser.print_help())
        self._parsers = parser.add_subparsers(metavar=metavar)

    def add(self, name: str, run: Run, about: str) -> Parser:
        """A command that runs something."""
        parser = self._new(name, about)
        parser.set_defaults(run=run)
        return parser

    def group(
        self, name: str, about: str, metavar: str = "ACTION", usual: str = "", alone: bool = False, epilog: str | None = None
    ) -> Commands:
        """A command with subcommands; see `Parser` for the default one."""
        parser = self._new(name, about, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.usual, parser.usual_alone = usual, alone
        return Commands(parser, metavar)

    def _new(self, name: str, about: str, **settings: Any) -> Parser:
        return self._parsers.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.", **settings)


def whole(low: int, high: int) -> Callable[[str], int]:
    """A whole number from `low` to `high`."""
    return checked(f"a whole number from {low:,} to {high:,}", int, lambda value: low <= value <= high)


def integer(text: str) -> int:
    """Any whole number (a seed, say); the code that uses it checks its range."""
    return checked("a whole number", int, lambda value: True)(text)


def number(low: float, high: float) -> Callable[[str], float]:
    """A number from `low` to `high`."""
    return checked(f"a number from {low:g} to {high:,.15g}", float, lambda value: low <= value <= high)


def above(low: float, high: float) -> Callable[[str], float]:
    """A number above `low` and up to `high`."""
    return checked(f"a number above {low:g} and up to {high:,.15g}", float, lambda value: low < value <= high)


def path(text: str) -> Path:
    """A path."""
    return checked("a path", Path, lambda value: text.strip() != "")(text)


def words(text: str) -> str:
    """Text that can be stored and shown: valid Unicode, not blank."""
    return checked("valid text", _encodable, lambda value: value.strip() != "")(text)


def host_name(text: str) -> str:
    """The host part of a URL: a name or an address."""
    allowed = "a host name or address such as cards.example.org, without http:// and port"
    return checked(allowed, str, lambda value: len(value) <= _HOST_LENGTH and _HOST.fullmatch(value) is not None)(text)


def _encodable(text: str) -> str:
    text.encode()
    return text


def checked(allowed: str, read: Callable[[str], Any], is_allowed: Callable[[Any], bool]) -> Callable[[str], Any]:
    """Reads a value and checks it, for `add_argument(type=...)`."""

    def checked(text: str) -> Any:
        try:
            value = read(text)
            good = is_allowed(value)
        except ValueError:
            good = False
        if not good:
            start = repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}..."
            raise argparse.ArgumentTypeError(f"must be {allowed}, not {start}")
        return value

    return checked


# One bound each, for all commands.
DAY = 86_400
MEASURED = above(0, 3600)  # seconds
TRAINED = above(0, 365 * DAY)  # seconds
LIMIT = above(0, DAY)  # seconds a move
GAMES = whole(1, 10**9)
STEPS = whole(1, 10**12)
DEALS = whole(1, 10**9)
THREADS = whole(1, 1024)
WORKERS = whole(1, 1024)
SEEDS = whole(1, 1000)
HISTORY = whole(0, 4096)  # tokens.MAX_HISTORY
PORT = whole(1, 65_535)
