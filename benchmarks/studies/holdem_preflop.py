"""Solve hold'em for two with 100 big blinds, and write the strategies before the flop, by which the agent `resolve` begins.

python -m wilddeck.benchmarks.studies.holdem_preflop FILE [--boards 25000]

Before the flop there are more raises than in other solutions (`agents/holdem/regrets`), after it only raises of the pot: it is
solved again at the table.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ... import envs
from ...agents.holdem.hands import HandBuckets
from ...agents.holdem.preflop import write
from ...agents.holdem.regrets import POTS, Sizes, solve
from ...cli.arguments import Parser, integer, whole
from .local_best_response import options

BOARDS = 25_000
STACK = 100  # big blinds
RAISES: Sizes = (0, 1 / 3, 0.5, 0.75, 1, 1.5, 2), (0, 1, 2), (1,), ()


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.holdem_preflop", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="to write, .npz; the package has agents/holdem/preflop.npz")
    parser.add_argument("--boards", type=whole(1, 10**9), default=BOARDS, help=f"to learn from (default: {BOARDS:,})")
    parser.add_argument("--seed", type=integer, default=1)
    settings = parser.parse_args(arguments)
    if settings.file.suffix != ".npz":  # numpy would add it
        parser.error(f"{settings.file}: the name of the file must end in .npz")
    with parser.refusing():
        settings.file.parent.mkdir(parents=True, exist_ok=True)
        env = envs.raw_env("poker_v0", **options(STACK))
        env.reset(seed=settings.seed)
        solution = solve(env, HandBuckets(), settings.boards, seed=settings.seed, before=RAISES, after=POTS)
        write(solution, env.options, settings.file)
        print(settings.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
