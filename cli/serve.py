"""The browser, and what there is to see in it: `serve` and `demo`."""

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
    commands.add("serve", serve, "play, watch, step through replays and see leagues in the browser").takes(
        several("--league", type=allowed.path, metavar="FILE", help="show a league; may be given again"),
        argument("--runs", type=allowed.path, metavar="FOLDER", help="show the training runs in a folder"),
        argument(
            "--tables",
            type=allowed.path,
            metavar="FILE",
            help="keep tables in a file, so that they outlast the server (default: only as long as it runs)",
        ),
        argument("--port", type=allowed.PORT, default=8000, help="default 8000"),
        argument("--host", default="127.0.0.1", help="an address others can reach, too (default: this machine only)"),
        several(
            "--allow-host",
            type=allowed.host_name,
            metavar="NAME",
            help="a name by which browsers may ask for it, besides its own address; may be given again",
        ),
        several(
            "-a",
            "--agent",
            help="a weights file, bot (cmd:...) or function (module:...) that browsers may play against; no others of these",
        ),
        SANDBOX,
    )
    commands.add("demo", demo, "train, rank and report, on two games").takes(
        argument(
            "--out",
            type=allowed.path,
            metavar="FOLDER",
            default=Path("runs/demo"),
            help="for everything it makes (default runs/demo)",
        ),
        argument(
            "--seconds",
            type=allowed.TRAINED,
            default=60,
            help="training time of the first game, of which the second has its share (default 60)",
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
    print(plain(f"all of it in the browser: {own_name()} serve {leagues} --runs {shlex.quote(str(arguments.out))}"))
