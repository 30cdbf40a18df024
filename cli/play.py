"""One game in the terminal: `play` and `watch`."""

from __future__ import annotations

import argparse

from . import arguments as allowed
from .arguments import Commands, Declare, argument, several
from .printing import console
from .shared import GAME, SANDBOX, SECRET_SEED, find_options, for_seats


def declare(commands: Commands) -> None:
    commands.add("play", play, "play against agents in the terminal").takes(
        *GAME,
        _agents("an opponent"),
        SANDBOX,
        SECRET_SEED,
        argument("--seat", type=allowed.whole(0, 126), default=0, help="your seat (default 0)"),
    )
    commands.add("watch", watch, "watch agents play").takes(
        *GAME,
        _agents("an agent"),
        SANDBOX,
        SECRET_SEED,
        argument("--delay", type=allowed.number(0, 3600), default=0.5, help="seconds between moves (default 0.5)"),
    )


def _agents(kind: str) -> Declare:
    about = f"{kind}: one for all seats, or repeat the option for each seat (default rules)"
    return several("-a", "--agent", help=about)


def play(arguments: argparse.Namespace) -> None:
    from ..agents import available
    from ..agents.terminal import play_terminal

    game, options = find_options(arguments)
    opponents = for_seats(arguments.agent or available(["rules"], game), options.num_players - 1)
    settings = {"seat": arguments.seat, "seed": arguments.seed, "sandbox": arguments.sandbox}
    play_terminal(game, options, opponents, console=console(), **settings)


def watch(arguments: argparse.Namespace) -> None:
    from ..agents import available, terminal

    game, options = find_options(arguments)
    agents = for_seats(arguments.agent or available(["rules"], game), options.num_players)
    settings = {"seed": arguments.seed, "delay": arguments.delay, "sandbox": arguments.sandbox}
    if terminal.watch(game, options, agents, console=console(), **settings) is None:
        raise KeyboardInterrupt
