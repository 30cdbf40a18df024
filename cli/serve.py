"""The browser interface and a demonstration for it: `serve` and `demo`."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from ..envs.core.escape import plain
from . import arguments as allowed
from .arguments import Commands, argument, several
from .league import print_table
from .printing import console
from .shared import SANDBOX, own_name

if TYPE_CHECKING:
    from ..league import League


def declare(commands: Commands) -> None:
    commands.add("serve", serve, "play, watch, and view replays, leagues and training runs in the browser").takes(
        several("--league", type=allowed.path, metavar="FILE", help="a league to show; may be repeated"),
        argument("--runs", type=allowed.path, metavar="FOLDER", help="a folder of training runs to show"),
        argument(
            "--tables",
            type=allowed.path,
            metavar="FILE",
            help="store tables in this file, so that they survive a restart (default: keep them in memory)",
        ),
        argument("--port", type=allowed.PORT, default=8000, help="port (default 8000)"),
        argument("--host", default="127.0.0.1", help="the address to listen on (default 127.0.0.1: this machine only)"),
        several(
            "--allow-host",
            type=allowed.host_name,
            metavar="NAME",
            help="a host name that browsers may use for the server, besides its address; may be repeated",
        ),
        several(
            "-a",
            "--agent",
            help="allow browsers to play against this weights file, bot (cmd:...) or function (module:...); may be repeated",
        ),
        SANDBOX,
    )
    commands.add("demo", demo, "train agents for two games, rank them in leagues, and write a report").takes(
        argument(
            "--out",
            type=allowed.path,
            metavar="FOLDER",
            default=Path("runs/demo"),
            help="the output folder (default runs/demo)",
        ),
        argument(
            "--seconds",
            type=allowed.TRAINED,
            default=60,
            help="training time for the first game; the second gets a fraction of it (default 60)",
        ),
    )


def serve(arguments: argparse.Namespace) -> None:
    from ..web.serve import serve

    address = arguments.host, arguments.port
    serve(
        *address, arguments.agent, arguments.league, arguments.runs, arguments.sandbox, arguments.allow_host, arguments.tables
    )


def demo(arguments: argparse.Namespace) -> None:
    from ..benchmarks import demo
    from ..league.terminal import run_league

    def play(league: League, deals: int) -> None:
        run_league(league, deals, 2, terminal)
        print_table(league)

    terminal = console()
    demo.run(arguments.out, arguments.seconds, terminal, play)
    leagues = " ".join(f"--league {shlex.quote(str(path))}" for path in sorted(arguments.out.glob("*.sqlite")))
    print(plain(f"to see it all in the browser: {own_name()} serve {leagues} --runs {shlex.quote(str(arguments.out))}"))
