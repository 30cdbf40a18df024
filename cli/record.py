"""Data sets: `record`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..envs.core.escape import plain
from . import arguments as allowed
from .arguments import Commands, argument, flag, several
from .shared import GAME, SANDBOX, SECRET_SEED, TRUST_ZIP, find_options


def declare(commands: Commands) -> None:
    commands.add("record", record, "write the decisions of games between agents into Parquet files").takes(
        *GAME,
        several("-a", "--agents", metavar="AGENT", help="an agent; give one for all or one a seat (default rules)"),
        argument("--games", type=allowed.GAMES, default=1000, help="games (default 1000)"),
        argument("--out", type=allowed.path, metavar="FOLDER", help="where files are put (default runs/data)"),
        flag("--resume", "go on with the recording of this seed that is in the folder"),
        flag("--small", "store neither observations nor masks, which are computed when they are read"),
        argument("--history", type=allowed.whole(0, 4096), default=0, help="tokens of history of each decision (default 0)"),
        flag("--texts", "store what seats perceived and did in words, too, some thousand decisions a second"),
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
        interrupt.args = (f"stopped; the same command with --resume --seed {seed} goes on",)
        raise
    found = find(files)
    decisions, games = sum(file.decisions for file in found), sum(file.about.episodes for file in found)
    size = sum(path.stat().st_size for path in files)
    print(plain(f"{decisions:,} decisions of {games:,} games, {size / 1e6:,.1f} MB, files in {files[0].parent}: {len(files)}"))
    print(f"seed {seed}")
