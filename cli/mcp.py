"""A language model at the table: `mcp`."""

from __future__ import annotations

import argparse

from .arguments import Commands, several
from .shared import SANDBOX


def declare(commands: Commands) -> None:
    commands.add("mcp", mcp, "play from a language model's client, by the Model Context Protocol over standard input").takes(
        several(
            "-a",
            "--agent",
            help="a weights file, bot (cmd:...) or function (module:...) that may be played against; no others of these",
        ),
        SANDBOX,
    )


def mcp(arguments: argparse.Namespace) -> None:
    try:
        from ..frameworks.mcp import serve
    except ImportError as error:
        raise ImportError(f"`wilddeck mcp` needs the extra `mcp`: pip install 'wilddeck[mcp]' ({error})") from error
    serve(arguments.agent, arguments.sandbox)
