"""Data sets: `record`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..envs.core.escape import plain
from . import arguments as allowed
from .arguments import Commands, argument, flag, several
from .shared import GAME, SANDBOX, SECRET_SEED, TRUST_ZIP, find_options


def declare(commands: Commands) -> None:
    commands.add("record", record, "record games between agents as a data set in Parquet files").takes(
        *GAME,
        several(
            "-a",
            "--agents",
            metavar="AGENT",
            help="an agent: one for all seats, or repeat the option for each seat (default rules)",
        ),
        argument("--games", type=allowed.GAMES, default=1000, help="number of games (default 1000)"),
        argument("--out", type=allowed.path, metavar="FOLDER", help="the output folder (default runs/data)"),
        flag("--resume", "continue the recording with this seed in the folder"),
        flag("--small", "omit observations and masks; they are recomputed when the files are read"),
        argument("--history", type=allowed.whole(0, 4096), default=0, help="history tokens per decision (default 0)"),
        flag("--texts", "also store observations and actions in words (slow: a few thousand decisions a second)"),
        TRUST_ZIP,
        SANDBOX,
        SECRET_SEED,
    )


def record(arguments: argparse.Namespace) -> None:
    from ..agents import available
    from ..data.files import SEEN, TEXTS, find
    from ..data.recording import record
    from ..envs.core.batch import fresh_seed

    game, options = find_options(arguments)
    seed = fresh_seed() if arguments.seed is None else arguments.seed
    try:
        files = record(
            game,
            arguments.agents or available(["rules"], game),
            arguments.games,
            arguments.out or Path("runs/data"),
            options,
            seed,
            [*(() if arguments.small else SEEN), *(TEXTS if arguments.texts else ())],
            arguments.history,
            resume=arguments.resume,
            trust=arguments.trust,
            sandbox=arguments.sandbox,
        )
    except KeyboardInterrupt as interrupt:
        interrupt.args = (f"stopped; to continue, repeat the command with --resume --seed {seed}",)
        raise
    found = find(files)
    decisions, games = sum(file.decisions for file in found), sum(file.about.episodes for file in found)
    size = sum(path.stat().st_size for path in files)
    number = "1 file" if len(files) == 1 else f"{len(files)} files"
    print(plain(f"{decisions:,} decisions of {games:,} games, {size / 1e6:,.1f} MB in {number}: {files[0].parent}"))
    print(f"seed {seed}")
