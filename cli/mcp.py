"""The Model Context Protocol server: `mcp`."""

from __future__ import annotations

import argparse

from .arguments import Commands, several
from .shared import SANDBOX


def declare(commands: Commands) -> None:
    commands.add("mcp", mcp, "serve the games to a language model's client by the Model Context Protocol (stdio)").takes(
        several(
            "-a",
            "--agent",
            help="allow playing against this weights file, bot (cmd:...) or function (module:...); may be repeated",
        ),
        SANDBOX,
    )


def mcp(arguments: argparse.Namespace) -> None:
    try:
        from ..frameworks.mcp import serve
    except ImportError as error:
        raise ImportError(f"`wilddeck mcp` needs the extra `mcp`: pip install 'wilddeck[mcp]' ({error})") from error
    serve(arguments.agent, arguments.sandbox)
