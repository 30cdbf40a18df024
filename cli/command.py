"""The entry point of the command: the parser of all commands, exit statuses, and broken outputs."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shlex
import signal
import sys
from collections.abc import Sequence

from ..envs.core.escape import message
from ..version import __version__
from . import bench, chat_server, check, games, judge, league, mcp, new, play, record, score, serve, train
from .arguments import Commands, Parser

EPILOG = """\
examples:
  wilddeck play tennis                          play against rule-based agents in the terminal
  wilddeck rollout tennis --games 4096          measure the speed on this machine
  wilddeck new oh_hell --kind tricks            create a package with a game of your own, from a template
  wilddeck check oh_hell:GAME                   run the conformance checks on a game of your own
  wilddeck train tennis --seconds 120           train an agent by self-play, in runs/
  wilddeck record hearts -a rules --games 1000  record games as a data set: observations, actions, rewards
  wilddeck judge tennis rules trained           measure how much their decisions gain over random ones
  wilddeck exploit tennis rules                 train an opponent against the rules and measure what it wins
  wilddeck league run my.sqlite tennis -a random -a rules -a mc --deals 50
  wilddeck league table my.sqlite
  wilddeck score rules                          one score over all games: random agents get 0, the rules 1
  wilddeck mcp                                  a Model Context Protocol server, whose tools let a language model play

An agent is named by an agent string: random, rules, rules:STYLE, mc, mc:rollouts=200,policy=trained, trained, a weights file
(.safetensors, .npz), 'cmd:COMMAND' for a program that speaks JSON lines (docs/guides/bots.md), or 'module:function' for a
Python function that takes the game and its options and returns an agent (wilddeck.agents.base.Agent).
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        int: the exit status: 0 on success, 1 on failure, 128 plus the signal's number if interrupted (130: Ctrl-C).

    Raises:
        SystemExit: 2 if the arguments are wrong, 0 after `--help` and `--version`, as in argparse.
    """
    arguments, words = None, list(sys.argv[1:] if argv is None else argv)
    try:
        _begin_output()
        arguments = new_parser().parse_args(words)
        arguments.line = shlex.join(["wilddeck", *words])
        status = arguments.run(arguments) or 0
        sys.stdout.flush()  # what cannot be written shows here, not when Python ends
        return status
    except KeyboardInterrupt as interrupt:
        print(f"wilddeck: {message(interrupt) or 'interrupted'}", file=sys.stderr)
        return 128 + getattr(interrupt, "signal", signal.SIGINT)
    except BrokenPipeError:
        return 1  # nobody reads on, so nothing is said
    except (ValueError, OSError, RuntimeError, ImportError, MemoryError) as error:
        if arguments is not None and arguments.traceback:
            raise
        print(f"wilddeck: {message(error) or 'out of memory'}", file=sys.stderr)
        return 1
    finally:
        _end_output()


def _begin_output() -> None:
    """A standard output that can be written to, whatever its encoding, also where it was closed."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - for the rest of the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _end_output() -> None:
    """What is left of an output that broke goes nowhere, or Python would complain of it at its end."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def new_parser() -> Parser:
    """All commands, with their arguments."""
    parser = Parser(
        prog="wilddeck",
        description="Card-game environments for reinforcement learning.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"wilddeck {__version__}")
    parser.add_argument("--traceback", action="store_true", help="show the traceback of an error")
    commands = Commands(parser, "COMMAND")
    for noun in (games, new, check, play, train, judge, record, league, score, serve, mcp, chat_server, bench):
        noun.declare(commands)
    return parser
